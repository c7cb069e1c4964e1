"""The recipe for HTTP: a result goes out as an answer or a problem and comes back the same."""

from __future__ import annotations

import importlib.util
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sobre
from command import ROOT
from sobre.produce.operation import OS_ERRORS
from strategies import (
    codes,
    examples,
    failures,
    identity,
    json_values,
    near_misses,
    nested,
    results,
    successes,
    text,
)


def _recipe():
    path = ROOT / "examples" / "http_results.py"
    specification = importlib.util.spec_from_file_location("http_results", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


http = _recipe()
JSON, PROBLEM = http.JSON, http.PROBLEM

#: Results whose own fields have the names that a problem needs.
_members = st.dictionaries(st.sampled_from([*http.MEMBERS, http.SET_ASIDE]), json_values)
colliding = st.tuples(results, _members).map(lambda pair: {**pair[0], **pair[1]})
accepts = st.sampled_from(["", "*/*", JSON, PROBLEM, f"{JSON}, {PROBLEM}", "text/html"])
bases = st.sampled_from(["", "https://example.com/problems/", "tag:example.com,2026:"])


def same(one, other):
    """Whether two results are the same to the types of their numbers, in any order of members."""
    a, b = (identity(dict(sorted(result.to_dict().items()))) for result in (one, other))
    return a == b


# -- there and back --------------------------------------------------------------


@examples(300)
@given(document=colliding, accept=accepts, base=bases)
def test_nothing_is_lost_there_and_back(document, accept, base):
    result = sobre.Result(document)
    status, media_type, body = http.answer(result, accept, type_base=base)
    assert same(http.from_answer(status, media_type, body), result)
    assert media_type == (JSON if result.success or not http.wants_problem(accept) else PROBLEM)
    assert (status == 200) is result.success


@examples(150)
@given(document=failures, members=_members, status=st.integers(400, 599), base=bases)
def test_a_problem_is_one_by_its_rfc_and_a_result_as_well(document, members, status, base):
    result = sobre.Result({**document, **members})
    _, _, body = http.answer(result, PROBLEM, status=status, type_base=base)
    document = sobre.read(body)
    assert [f for f in sobre.check(document) if f.severity == "violation"] == []
    assert document["success"] is False
    assert document["status"] == status
    assert document["detail"] == document["message"] == result.message
    assert isinstance(document["title"], str)
    assert "instance" not in document
    if base and result.error_code:
        assert document["type"] == base + result.error_code
    else:
        assert document["type"] == "about:blank"


def test_a_problem_reads_well():
    result = sobre.failure("There is no a.txt.", error_code="path_not_found", path="a.txt")
    status, media_type, body = http.answer(result, PROBLEM)
    assert (status, media_type) == (404, "application/problem+json")
    assert list(json.loads(body).items()) == [
        ("type", "about:blank"),
        ("title", "Not Found"),
        ("status", 404),
        ("detail", "There is no a.txt."),
        ("success", False),
        ("message", "There is no a.txt."),
        ("error_code", "path_not_found"),
        ("path", "a.txt"),
    ]


def test_a_field_of_the_result_gives_way_to_the_problem():
    result = sobre.failure("No.", error_code="no", status="open", result_members=[1])
    document = json.loads(http.answer(result, PROBLEM)[2])
    assert document["status"] == 500
    assert document["result_members"] == {"status": "open", "result_members": [1]}


def test_a_content_type_may_have_parameters_and_any_case():
    result = sobre.failure("No.", error_code="no", title=3)
    _, _, body = http.answer(result, PROBLEM)
    for content_type in (f"{PROBLEM}; charset=utf-8", " Application/Problem+JSON ;x=1"):
        assert same(http.from_answer(500, content_type, body), result)


@pytest.mark.parametrize("depth", [509, 510, 511])
@pytest.mark.parametrize("name", ["status", "other"])
def test_a_result_may_be_as_deep_as_json_may(depth, name):
    result = sobre.failure("Deep.", error_code="deep", **{name: nested(depth)})
    status, media_type, body = http.answer(result, PROBLEM)
    assert http.from_answer(status, media_type, body) == result
    # What is set aside lies one deeper, where JSON is not read any more.
    assert media_type == (JSON if (name, depth) == ("status", 511) else PROBLEM)


# -- statuses --------------------------------------------------------------------


def test_every_code_of_the_system_has_a_status():
    known = set(OS_ERRORS.values()) - set(http.STATUSES)
    assert known == {"os_error"}  # which says nothing of whose fault it is
    assert all(400 <= status <= 599 for status in http.STATUSES.values())


def test_the_page_shows_the_table_of_statuses():
    page = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| (\d+) \|$", page, re.MULTILINE)
    shown = {code: int(status) for named, status in rows for code in re.findall(r"\w+", named)}
    assert shown == http.STATUSES
    assert f"| any other, or none | {http.UNKNOWN} |" in page


def test_statuses_can_be_added_and_changed():
    def status(code, statuses=None):
        result = sobre.failure("No.", error_code=code)
        return http.answer(result, statuses=statuses)[0]

    assert status("no_such_user") == 500
    assert status("no_such_user", {"no_such_user": 404}) == 404
    assert status("path_not_found", {"no_such_user": 404}) == 404
    assert status("path_not_found", {"path_not_found": 410}) == 410
    assert http.answer(sobre.failure("No.", error="why"))[0] == 500


@pytest.mark.parametrize("status", [0, 100, 200, 204, 302, 399, 600])
def test_a_failure_cannot_look_like_a_success(status):
    result = sobre.failure("No.", error_code="no")
    with pytest.raises(ValueError, match="no status for"):
        http.answer(result, status=status)
    with pytest.raises(ValueError, match="no status for"):
        http.answer(result, statuses={"no": status})


def test_a_success_has_a_status_of_its_kind_with_a_body():
    result = sobre.success("Made.")
    assert http.answer(result, PROBLEM, status=201)[:2] == (201, JSON)
    for status in (204, 205, 304, 404):
        with pytest.raises(ValueError, match="no status for"):
            http.answer(result, status=status)


# -- negotiation -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        ("", False),
        ("*/*", False),
        ("application/*", False),
        ("text/html", False),
        (JSON, False),
        (PROBLEM, True),
        ("APPLICATION/Problem+JSON", True),
        (f"{JSON}, {PROBLEM}", True),
        (f"{PROBLEM},{JSON}", True),
        (f"{PROBLEM};q=0.5, {JSON}", False),
        (f"{PROBLEM}, {JSON};q=0.5", True),
        (f"{PROBLEM};q=0.5, {JSON};q=0.5", True),
        (f"{PROBLEM};q=0", False),
        (f"{PROBLEM};q=0, */*", False),
        (f"{PROBLEM};q=0.000", False),
        (f"{JSON};q=0, */*", True),
        (f"{JSON};q=0, application/*;q=0.1", True),
        (f"{JSON};q=0, {PROBLEM};q=0", False),
        (f"{PROBLEM};q=0.5, */*;q=0.8", False),
        (f"{PROBLEM};q=0.5, application/*;q=0.4, */*", True),
        (f"{PROBLEM}, */*", True),
        (f"text/html, {PROBLEM}, */*;q=0.8", True),
        (f"{PROBLEM} ; q=0.9 , {JSON} ; Q=0.8", True),
        (f"{PROBLEM};q=0.", False),
        (f"{PROBLEM};q=1.000", True),
        (f"{PROBLEM};q=1.001", False),
        (f"{PROBLEM};q=2", False),
        (f"{PROBLEM};q=-1", False),
        (f"{PROBLEM};q=", False),
        (f"{PROBLEM};q=high", False),
        (f"{PROBLEM};charset=utf-8", True),
        (f'{PROBLEM};x="a,b;q=0"', True),
        (f'{PROBLEM};x="\\",";q=0', False),
        (f'text/plain;x="{PROBLEM}"', False),
        (f'text/plain;x=", {PROBLEM}', False),
        (f"{PROBLEM}-seq", False),
        (",,;;,", False),
        (f",{PROBLEM},", True),
        ("\u0661;q=\u0661", False),
        (f"{PROBLEM};q=\u0661", False),
        (PROBLEM + " " * http.MAX_ACCEPT, False),
    ],
)
def test_a_problem_goes_to_who_asks_for_it(accept, wanted):
    assert http.wants_problem(accept) is wanted


@examples(200)
@given(st.text(f'{PROBLEM[:4]}*/,;q=01."\\ ', max_size=40) | text)
def test_no_accept_header_is_too_much(accept):
    assert http.wants_problem(accept) in (True, False)


# -- what servers send -----------------------------------------------------------

statuses = st.integers(100, 599) | st.sampled_from([200, 404, 500, 999])
content_types = st.sampled_from([None, "", JSON, PROBLEM, "text/html; charset=utf-8"])


@examples(300)
@given(
    statuses,
    content_types | text,
    st.binary(max_size=30)
    | (near_misses() | colliding | json_values).map(lambda value: json.dumps(value).encode()),
)
def test_whatever_comes_is_a_result_and_no_success_that_nobody_stated(status, content_type, body):
    result = http.from_answer(status, content_type, body)
    assert isinstance(result, sobre.Result)
    if result.success:
        assert status < 400
        assert content_type != PROBLEM
        assert sobre.Result.from_json(body) == result


@examples(50)
@given(successes, st.integers(400, 599))
def test_a_success_under_the_status_of_a_failure_is_a_contradiction(document, status):
    result = http.from_answer(status, JSON, sobre.Result(document).to_json().encode())
    assert result.error_code == "outcome_contradiction"
    assert result.details["status"] == status


def test_a_success_that_is_a_problem_is_a_contradiction():
    result = http.from_answer(200, PROBLEM, b'{"success": true, "message": "Done."}')
    assert result.error_code == "outcome_contradiction"


@examples(50)
@given(failures, st.integers(200, 599), st.sampled_from([JSON, None, "text/plain"]))
def test_a_failure_is_one_under_any_status(document, status, content_type):
    result = sobre.Result(document)
    assert same(http.from_answer(status, content_type, result.to_json().encode()), result)


def test_the_problem_of_someone_else_becomes_a_failure():
    document = {
        "type": "https://example.com/probs/out-of-credit",
        "title": "You do not have enough credit.",
        "detail": "Your current balance is 30, but that costs 50.",
        "instance": "/account/12345/msgs/abc",
        "balance": 30,
    }
    result = http.from_answer(403, PROBLEM, json.dumps(document).encode())
    assert (result.message, result.error_code) == (document["detail"], "http_403")
    assert result.details == {"status": 403, "problem": document}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"title": "Teapot."}, "Teapot."),
        ({"title": "Teapot.", "detail": " \ufeff"}, "Teapot."),
        ({"title": 3, "detail": None}, "The server answered with 418 I'm a Teapot and no result."),
        ({}, "The server answered with 418 I'm a Teapot and no result."),
        ([], "The server answered with 418 I'm a Teapot and no result."),
        ({"success": 1, "title": "Kept."}, "Kept."),
    ],
)
def test_a_problem_without_a_useful_text(document, message):
    result = http.from_answer(418, PROBLEM, json.dumps(document).encode())
    assert (result.message, result.error_code) == (message, "http_418")
    assert result.details == {"status": 418, "problem": document}


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (502, b"<html>Bad gateway</html>", "http_502"),
        (200, b"<html>Welcome</html>", "not_a_result"),
        (200, b'{"ok": true}', "not_a_result"),
        (200, b'{"success": "true", "message": "m"}', "not_a_result"),
        (200, b"", "not_a_result"),
        (200, b"\xff", "not_a_result"),
        (200, b'{"success": true, "success": false, "message": "m"}', "not_a_result"),
        (404, b'{"detail": "Not Found"}', "http_404"),
        (999, b"", "http_999"),
    ],
)
def test_what_is_no_result_is_told_and_no_success(status, body, code):
    result = http.from_answer(status, JSON, body)
    assert (result.success, result.error_code) == (False, code)
    assert result.error
    assert result.details["status"] == status


def test_a_page_is_told_in_part():
    result = http.from_answer(500, "text/html", b"\xff" * 10**6)
    assert len(result.details["body"]) == http.MAX_TOLD


@pytest.mark.parametrize("content_type", [JSON, PROBLEM])
@pytest.mark.parametrize("depth", [509, 510, 511, 512, 513])
def test_an_answer_may_be_as_deep_as_it_likes(content_type, depth):
    result = http.from_answer(500, content_type, json.dumps(nested(depth)).encode())
    assert result.error_code == "http_500"


@examples(50)
@given(codes)
def test_any_code_is_part_of_a_type(code):
    result = sobre.failure("No.", error_code=code)
    document = json.loads(http.answer(result, PROBLEM, type_base="https://example.com/")[2])
    assert (document["type"], document["title"]) == (f"https://example.com/{code}", code)
