"""Every finding of `sobre probe mcp`: a server that shows it, and the good twin that does not."""

from __future__ import annotations

import pytest

from command import document, run
from odd_server import REVISIONS, SECRET, serving
from probing import CALL, ONE, message, probe, rules, stdio
from sobre.contract.server_rules import SERVER_RULES

#: Fault -> (the rule that it breaks, whether a call is needed to see it, a piece of the sentence).
BOTH = {
    "no output schema": ("mcp.output_schema.missing", False, "no `outputSchema`"),
    "no root type": ("mcp.client.root_type", False, 'type: "object"'),
    "unresolved reference": ("mcp.client.unresolved_ref", False, "missing"),
    "recursive": ("tool.schema.recursive", False, "a part of the value"),
    "recursive without end": ("tool.schema.recursive", False, "without end"),
    "invalid schema": ("tool.schema.invalid", False, "objekt"),
    "unknown dialect": ("tool.schema.dialect", False, "x.example"),
    "failures refused": ("tool.schema.failure_refused", False, "temperature"),
    "name with space": ("tool.name.form", False, "say hello"),
    "no name": ("tool.name.missing", False, "no name"),
    "no input schema": ("tool.input_schema", False, "not an object"),
    "input schema without type": ("tool.input_schema", False, "no `type"),
    "duplicate tool": ("tool.name.duplicate", False, "2 tools"),
    "unstable order": ("server.tools_order", False, "asked again"),
    "endless pages": ("server.tools_pages", False, "more than 100 pages"),
    "same cursor": ("server.tools_pages", False, "came before"),
    "many tools": ("server.tools_pages", False, "more than 1,000 tools"),
    "tools no array": ("server.answer", False, "found an object"),
    "list error": ("server.answer", False, r"\x1b[31mred"),
    "duplicate name": ("server.message", False, "jsonrpc"),
    "another revision": ("server.revision", False, "2024-11-05"),
    "input schema refuses": ("call.arguments", True, "other"),
    "own schema refuses": ("call.output_schema", True, "too long"),
    "unknown as result": ("call.unknown_tool", True, "Tool not found"),
    "error as success": ("call.error_as_success", True, "Error: nobody"),
    "error in JSON text": ("call.error_as_success", True, "status"),
    "not an error": ("mcp.is_error.mismatch", True, "absent"),
    "failure unstructured": ("mcp.structured_content.missing", True, "missing"),
    "text disagrees": ("mcp.text.mismatch", True, "no text block"),
    "protocol error": ("mcp.protocol_error", True, "protocol error"),
    "success failed": ("call.success_failed", True, '"no"'),
    "credential": ("call.credential", True, "GitHub"),
    "foreign id": ("server.foreign_id", False, "4711"),
}
STDIO = {
    "noise": ("server.stdout_noise", False, "Listening"),
    "id as text": ("server.foreign_id", False, '"2" while tools/list had 2'),
    "never answers": ("server.no_answer", True, "tools/call"),
    "ends at once": ("server.ended", False, "ended"),
    "ends in a call": ("server.ended", True, "tools/call"),
    "hangs": ("server.no_answer", False, "in time"),
    "floods": ("server.flood", False, "one message"),
    "does not end": ("server.does_not_end", False, "input was closed"),
    "leaves a process": ("server.left_processes", False, "python"),
    "catastrophic pattern": ("tool.schema.unchecked", False, "2 s"),
}
HTTP = {
    "status": ("server.http", "500"),
    "html": ("server.http", "text/html"),
    "accepted": ("server.http", "202"),
    "gzip": ("server.http", "gzip"),
    "big body": ("server.flood", "bytes"),
    "endless events": ("server.flood", "bytes"),
    "dripping events": ("server.no_answer", "in time"),
    "dripping headers": ("server.no_answer", "in time"),
    "hangs": ("server.no_answer", "in time"),
}
#: Rules that other tests of this file show.
ELSEWHERE = {
    "server.not_started",
    "server.redirect",
    "tool.missing",
    "call.secret_echoed",
    "call.output_unchecked",
    "call.failure_succeeded",
}
SHORT = ("--timeout", "4")


def test_every_rule_has_a_server_that_breaks_it():
    shown = {row[0] for table in (BOTH, STDIO, HTTP) for row in table.values()} | ELSEWHERE
    assert set(SERVER_RULES) <= shown


@pytest.mark.parametrize("fault", BOTH)
def test_over_stdio(fault):
    rule, calls, piece = BOTH[fault]
    found = probe(*stdio(fault), *ONE, *(CALL if calls else ()))
    assert rule in rules(found)
    assert piece in message(found, rule)


@pytest.mark.parametrize("fault", BOTH)
def test_over_http(fault):
    rule, calls, piece = BOTH[fault]
    # What comes beside an answer can only come in a stream of events.
    more = ("events",) if fault == "foreign id" else ()
    with serving(fault, *more) as server:
        found = probe("--url", server.url, *ONE, *(CALL if calls else ()))
    assert rule in rules(found)
    assert piece in message(found, rule)


@pytest.mark.parametrize("fault", STDIO)
def test_over_stdio_alone(fault):
    rule, calls, piece = STDIO[fault]
    short = () if fault == "catastrophic pattern" else SHORT
    found = probe(*stdio(fault), *ONE, *short, *(CALL if calls else ()))
    assert rule in rules(found)
    assert piece in message(found, rule)


@pytest.mark.parametrize("fault", HTTP)
def test_over_http_alone(fault):
    rule, piece = HTTP[fault]
    with serving(fault) as server:
        found = probe("--url", server.url, *ONE, *SHORT)
    assert rule in rules(found)
    assert piece in message(found, rule)


@pytest.mark.parametrize("more", [(), CALL], ids=["listed", "called"])
@pytest.mark.parametrize("good", [(), ("asks back",), ("two pages",)], ids=str)
def test_the_good_twin_over_stdio(good, more):
    found = probe(*stdio(*good), *more)
    assert rules(found) == set()
    assert found["success"]
    assert [one["revision"] for one in found["details"]["revisions"]] == list(REVISIONS)
    assert all(one["spoken"] for one in found["details"]["revisions"])
    assert found["details"]["revisions"][0]["server"] == {"name": "odd", "version": "1.0"}


@pytest.mark.parametrize("more", [(), CALL], ids=["listed", "called"])
@pytest.mark.parametrize(
    "good", [(), ("events",), ("events", "asks back"), ("session",), ("two pages",)], ids=str
)
def test_the_good_twin_over_http(good, more):
    with serving(*good) as server:
        found = probe("--url", server.url, *more)
    assert rules(found) == set()
    assert found["success"]
    assert all(one["spoken"] for one in found["details"]["revisions"])


def test_a_revision_that_is_not_spoken_is_a_fault_only_where_it_is_asked_for():
    found = probe(*stdio("legacy only"))
    assert found["success"]
    last = found["details"]["revisions"][-1]
    assert last == {
        "revision": "2026-07-28",
        "spoken": False,
        "reason": 'it answers with error -32601, "Method not found"',
    }
    found = probe(*stdio("legacy only"), "--revision", "2026-07-28")
    assert rules(found) == {"server.revision"}
    assert probe(*stdio("modern only"))["details"]["revisions"][2]["spoken"]


def test_a_server_that_is_not_there(tmp_path):
    found = probe("--stdio", str(tmp_path / "missing"), *ONE)
    assert "server.not_started" in rules(found)
    assert found["error_code"] == "server_unavailable"
    with serving() as server:
        url = server.url
    found = probe("--url", url, *ONE)
    assert "server.not_started" in rules(found)


def test_a_tool_that_is_not_there():
    found = probe(*stdio(), "--tool", "gone", "--success", "{}", "--failure", "{}")
    assert rules(found) == {"tool.missing"}
    assert not found["success"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_leads_to_another_origin(status):
    with serving() as other, serving(redirects={"/mcp": (status, other.url)}) as server:
        found = probe("--url", server.url, *ONE, "--header", f"X-Key: {SECRET}")
        assert other.seen == []
    assert "server.redirect" in rules(found)


def test_a_redirect_within_the_origin_is_followed():
    with serving(redirects={"/mcp": (307, "/mcp/")}) as server:
        assert probe("--url", server.url)["success"]
    with serving(redirects={"/mcp": (307, "/mcp")}) as server:
        assert "server.redirect" in rules(probe("--url", server.url, *ONE))


def test_a_header_is_sent_and_never_told(tmp_path):
    out = tmp_path / "out"
    with serving("echoes header") as server:
        words = ("--url", server.url, *CALL, "--header", f"Authorization: Bearer {SECRET}")
        for form in ("text", "json", "markdown", "html", "sarif", "junit"):
            done = run("probe", "mcp", *words, "--format", form, "--out", str(out), "--replace")
            assert done.status == 1
            assert SECRET not in done.out.decode() + done.err
        sent = {headers.get("Authorization") for _, headers in server.seen}
    assert sent == {f"Bearer {SECRET}"}
    files = [path for path in out.rglob("*") if path.is_file()]
    assert files
    assert all(SECRET.encode() not in path.read_bytes() for path in files)
    assert not (out / "2025-06-18" / "success.json").exists()
    assert (out / "2025-06-18" / "failure.json").exists()


def test_a_secret_of_the_environment_is_never_told():
    done = run(
        "probe",
        "mcp",
        *stdio("echoes header"),
        *CALL,
        "--json",
        env={"SERVICE_TOKEN": SECRET},
    )
    assert SECRET.encode() not in done.out
    assert "call.secret_echoed" in rules(document(done))


def test_content_that_cannot_be_held_against_its_schema():
    found = probe(*stdio("unresolved reference"), *ONE, *CALL)
    assert "call.output_unchecked" in rules(found)


def test_a_failure_that_comes_as_a_success():
    found = probe(*stdio("error as success"), *ONE, *CALL)
    assert {"call.failure_succeeded", "call.error_as_success"} <= rules(found)


def test_what_each_revision_sends_over_http():
    with serving("session") as server:
        probe("--url", server.url, *CALL)
    sent = [
        (message.get("method"), message.get("params", {}), {k.lower(): v for k, v in head.items()})
        for message, (_, head) in zip(server.posted, server.seen, strict=True)
    ]
    opened = [one for one in sent if one[0] == "initialize"]
    assert [params["protocolVersion"] for _, params, _ in opened] == list(REVISIONS[:2])
    assert all("mcp-protocol-version" not in headers for _, _, headers in opened)
    for method, params, headers in sent:
        meta = params.get("_meta", {})
        if method in ("tools/list", "tools/call") and not meta:
            assert headers["mcp-session-id"] == "session-1"
            assert headers["mcp-protocol-version"] in REVISIONS[:2]
        if meta:
            assert meta["io.modelcontextprotocol/protocolVersion"] == REVISIONS[2]
            assert headers["mcp-protocol-version"] == REVISIONS[2]
            assert headers["mcp-method"] == method
            assert headers.get("mcp-name") == params.get("name")
            assert "mcp-session-id" not in headers
