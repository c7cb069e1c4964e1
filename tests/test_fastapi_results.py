"""The recipe for FastAPI and Starlette: every answer of an app is a result."""
# ruff: noqa: E402 - what may be missing is asked for first

from __future__ import annotations

import logging
import socket
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sobre
from command import ROOT
from strategies import examples, results

fastapi = pytest.importorskip("fastapi", reason="fastapi is not installed (group recipes)")
httpx2 = pytest.importorskip("httpx2", reason="httpx2 is not installed (it comes with mcp)")

from fastapi import FastAPI, HTTPException, Request
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

sys.path.insert(0, str(ROOT / "examples"))
import fastapi_results
import http_results

sys.path.remove(str(ROOT / "examples"))

PROBLEM, JSON = http_results.PROBLEM, http_results.JSON
ACCEPTS = pytest.mark.parametrize("accept", [JSON, PROBLEM])
#: What the app answers with at /held, for property tests.
HELD = {}


@sobre.operation(command="countLines", errors={UnicodeDecodeError: "not_text"})
def count_lines(path):
    with open(path, encoding="utf-8") as file:
        count = sum(1 for _ in file)
    return sobre.success(f"It has {count} lines.", line_count=count)


def _app():
    handlers = fastapi_results.exception_handlers(
        {"not_text": 415, "teapot": 418}, type_base="https://example.com/problems/"
    )
    app = FastAPI(exception_handlers=handlers)

    @app.get("/lines")
    def lines(path: str, limit: int = 1) -> sobre.Result:
        return count_lines(path).unwrap()

    @app.get("/held")
    async def held() -> sobre.Result:
        return HELD["result"].unwrap()

    @app.get("/respond")
    async def respond(request: Request):
        return fastapi_results.respond(request, HELD["result"])

    @app.get("/crash")
    def crash():
        raise RuntimeError("a secret")

    @app.get("/refuse")
    def refuse():
        raise HELD["refusal"]

    return app


APP = _app()


@pytest.fixture
def client():
    with TestClient(APP, raise_server_exceptions=False) as client:
        yield client


def result_of(answer):
    """The result that an answer states, for a client of any make."""
    return http_results.from_answer(
        answer.status_code, answer.headers.get("content-type"), answer.content
    )


def ask(client, url, accept=JSON, **options):
    """The answer, which has the form that was asked for."""
    answer = client.request(
        options.pop("method", "GET"), url, headers={"accept": accept}, **options
    )
    wanted = PROBLEM if accept == PROBLEM and answer.status_code >= 400 else JSON
    assert answer.headers["content-type"] == wanted
    if answer.status_code >= 400:
        assert "Accept" in answer.headers["vary"]
    return answer


def test_a_success(client, tmp_path):
    (tmp_path / "file").write_bytes(b"a\nb\n")
    answer = ask(client, "/lines", PROBLEM, params={"path": str(tmp_path / "file")})
    assert answer.status_code == 200
    assert result_of(answer)["line_count"] == 2


@ACCEPTS
def test_a_failure(client, tmp_path, accept):
    (tmp_path / "file").write_bytes(b"\xff")
    for path, status, code in [("none", 404, "path_not_found"), ("file", 415, "not_text")]:
        answer = ask(client, "/lines", accept, params={"path": str(tmp_path / path)})
        result = result_of(answer)
        assert (answer.status_code, result.error_code) == (status, code)
        assert result.meta["command"] == "countLines"
        if accept == PROBLEM:
            assert answer.json()["type"] == f"https://example.com/problems/{code}"


@ACCEPTS
def test_wrong_arguments_are_told_without_their_values(client, accept):
    answer = ask(client, "/lines", accept, params={"limit": "se\u00f1or"})
    result = result_of(answer)
    assert (answer.status_code, result.error_code) == (422, "invalid_arguments")
    found = [(one["loc"], one["type"]) for one in result.details["errors"]]
    assert found == [(["query", "path"], "missing"), (["query", "limit"], "int_parsing")]
    assert "se\u00f1or" not in answer.text


@ACCEPTS
def test_an_unknown_path_and_a_method_that_is_not_there(client, accept):
    answer = ask(client, "/nowhere", accept)
    assert (answer.status_code, result_of(answer).error_code) == (404, "http_404")
    answer = ask(client, "/lines", accept, method="DELETE")
    assert (answer.status_code, result_of(answer).error_code) == (405, "http_405")
    assert answer.headers["allow"] == "GET"


@ACCEPTS
def test_a_crash_tells_nothing_of_itself(client, accept):
    answer = ask(client, "/crash", accept)
    assert (answer.status_code, result_of(answer).error_code) == (500, "unexpected_error")
    assert "secret" not in answer.text


def test_a_crash_still_reaches_the_server_log():
    with TestClient(APP) as client, pytest.raises(RuntimeError, match="a secret"):
        client.get("/crash")


@pytest.mark.parametrize(
    ("detail", "message", "details"),
    [
        ("No such user.", "No such user.", {}),
        (" ", "Unauthorized.", {"detail": " "}),
        (["a", 1], "Unauthorized.", {"detail": ["a", 1]}),
        (None, "Unauthorized", {}),
        (object(), "Unauthorized.", {}),
    ],
)
def test_a_refusal_keeps_its_status_detail_and_headers(client, detail, message, details):
    HELD["refusal"] = HTTPException(401, detail, headers={"WWW-Authenticate": "Bearer"})
    answer = ask(client, "/refuse", PROBLEM)
    assert answer.headers["www-authenticate"] == "Bearer"
    result = result_of(answer)
    assert (answer.status_code, result.error_code) == (401, "http_401")
    assert (result.message, result.details) == (message, details)


def test_a_redirect_is_no_result(client):
    HELD["refusal"] = HTTPException(307, headers={"Location": "/lines"})
    answer = client.get("/refuse", follow_redirects=False)
    assert (answer.status_code, answer.content) == (307, b"")
    assert answer.headers["location"] == "/lines"


@examples(60)
@given(document=results, accept=st.sampled_from([JSON, PROBLEM, "*/*"]))
def test_nothing_is_lost_on_the_way(document, accept):
    HELD["result"] = sobre.Result(document)
    with TestClient(APP) as client:
        for url in ("/held", "/respond"):
            answer = ask(client, url, accept)
            assert result_of(answer) == HELD["result"]
            assert (answer.status_code == 200) is HELD["result"].success


def test_accept_may_come_in_several_lines(client):
    HELD["result"] = sobre.failure("No.", error_code="teapot")
    headers = [("accept", f"{PROBLEM};q=0.5"), ("accept", f"{JSON};q=0.4")]
    answer = client.get("/held", headers=headers)
    assert (answer.status_code, answer.headers["content-type"]) == (418, PROBLEM)


def test_an_app_is_not_made_with_a_status_that_no_failure_has():
    with pytest.raises(ValueError, match="200 is no status"):
        fastapi_results.exception_handlers({"teapot": 200})


def test_starlette_alone():
    async def lines(request):
        result = count_lines(request.query_params["path"])
        return fastapi_results.respond(request, result, statuses={"path_not_found": 410})

    handlers = fastapi_results.exception_handlers()
    app = Starlette(routes=[Route("/lines", lines)], exception_handlers=handlers)
    with TestClient(app, raise_server_exceptions=False) as client:
        missing = ask(client, "/lines?path=missing", PROBLEM)
        assert (missing.status_code, result_of(missing).error_code) == (410, "path_not_found")
        assert result_of(ask(client, "/nowhere", PROBLEM)).error_code == "http_404"
        assert result_of(ask(client, "/lines", PROBLEM)).error_code == "unexpected_error"


def test_starlette_without_fastapi(monkeypatch):
    monkeypatch.setitem(sys.modules, "fastapi", None)
    monkeypatch.setitem(sys.modules, "fastapi.exceptions", None)
    monkeypatch.delitem(sys.modules, "fastapi_results")
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    import fastapi_results as alone

    assert len(alone.exception_handlers()) == 3


def test_the_documentation_of_the_app_has_the_shape_of_a_result(client):
    page = client.get("/openapi.json").json()
    answer = page["paths"]["/lines"]["get"]["responses"]["200"]["content"][JSON]["schema"]
    assert "success" in str(answer)


def test_a_real_server_and_a_real_client(tmp_path, caplog):
    uvicorn = pytest.importorskip("uvicorn", reason="uvicorn is not installed (it comes with mcp)")
    (tmp_path / "file").write_bytes(b"a\nb\n")
    config = uvicorn.Config(APP, log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    # It listens already, so that a client who comes before the server is ready waits.
    with caplog.at_level(logging.CRITICAL), socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            port = listening.getsockname()[1]
            where = f"http://127.0.0.1:{port}"
            with httpx2.Client(base_url=where, trust_env=False, timeout=30) as client:
                good = ask(client, "/lines", PROBLEM, params={"path": str(tmp_path / "file")})
                bad = ask(client, "/lines", PROBLEM, params={"path": str(tmp_path / "none")})
                crash = ask(client, "/crash", PROBLEM)
        finally:
            server.should_exit = True
            thread.join(30)
        assert not thread.is_alive()
    assert result_of(good)["line_count"] == 2
    assert (bad.status_code, result_of(bad).error_code) == (404, "path_not_found")
    assert (crash.status_code, result_of(crash).error_code) == (500, "unexpected_error")
