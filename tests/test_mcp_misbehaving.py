"""What a server does wrong does not reach a client through `sobre proxy`, over pipes and HTTP.

Without the proxy some of it makes an official client raise, which is told here, too.
"""

from __future__ import annotations

import sys

import pytest

from mcp_published import faults
from mcp_table import CLIENTS, SERVERS_HERE, SOBRE, evidence, serving, talk
from mcp_wire import answer, definition

MISBEHAVING = [sys.executable, str(SERVERS_HERE / "misbehaving.py")]
#: Seconds that the proxy gives the tool that never answers.
PATIENCE = "2"
PROXY = [*SOBRE, "proxy", "--timeout", PATIENCE, "--error-text", "^Error:"]

#: Tool -> whether its call succeeded.
OUTCOMES = {
    "fine": True,
    "errorTextAsSuccess": False,
    "errorObject": False,
    "errorObjectAsSuccess": False,
    "schemaWithoutType": True,
    "danglingReference": True,
    "farReference": True,
    "missingField": False,
    # The tool promised more, but its text says what happened, and the contract asks for no more.
    "noStructuredContent": True,
    "chatty": True,
    "silent": False,
}
REVISIONS = {
    "python-sdk": "2026-07-28",
    "typescript-1": "2025-06-18",
    "typescript-2": "2025-11-25",
    "fastmcp": "2026-07-28",
}


@pytest.mark.parametrize("behind", ["pipes", "http"])
@pytest.mark.parametrize("client", CLIENTS)
def test_each_call_has_an_outcome_and_no_client_raises(client, behind, tmp_path):
    calls = [(name, {}) for name in OUTCOMES]
    revision = REVISIONS[client]
    if behind == "pipes":
        command = [*PROXY, "--", *MISBEHAVING]
        seen, wire = talk(client, revision, calls, folder=tmp_path, command=command)
    else:
        log = tmp_path / "log"
        log.mkdir()
        with serving([*MISBEHAVING, "--http"], log) as port:
            command = [*PROXY, "--url", f"http://127.0.0.1:{port}/mcp"]
            seen, wire = talk(client, revision, calls, folder=tmp_path, command=command)
    assert seen["revision"] == revision
    raised = {
        name: call for name, call in zip(OUTCOMES, seen["calls"], strict=True) if "raised" in call
    }
    assert raised == {}
    results = [call["result"] for call in seen["calls"]]
    outcomes = [result["structuredContent"]["success"] for result in results]
    assert dict(zip(OUTCOMES, outcomes, strict=True)) == OUTCOMES
    assert [result.get("isError", False) for result in results] == [not one for one in outcomes]

    success = answer(wire, "fine", {})
    for name in (name for name, outcome in OUTCOMES.items() if not outcome):
        judged = evidence(
            tmp_path, revision, success, answer(wire, name, {}), definition(wire, name)
        )
        assert judged["success"] is True, (name, judged)
        assert judged["warnings"] == []
    assert [fault for exchange in wire for fault in faults(revision, exchange)] == []


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_a_server_that_crashes_in_a_call_made_a_failure_and_is_there_again(revision, tmp_path):
    calls = [("crash", {}), ("fine", {}), ("crash", {}), ("fine", {})]
    command = [*PROXY, "--", *MISBEHAVING]
    seen, _ = talk("python-sdk", revision, calls, folder=tmp_path, command=command)
    assert [call for call in seen["calls"] if "raised" in call] == []
    results = [call["result"]["structuredContent"] for call in seen["calls"]]
    assert [result["success"] for result in results] == [False, True, False, True]


_ALL = {"errorObjectAsSuccess", "missingField", "noStructuredContent"}
#: Without the proxy: what makes an exception of a completed call in which client.
RAISES = {
    "python-sdk": _ALL,
    "typescript-1": _ALL | {"errorObject"},
    "typescript-2": _ALL,
    "fastmcp": _ALL,
}


@pytest.mark.parametrize("client", CLIENTS)
def test_without_the_proxy_clients_raise(client, tmp_path):
    names = ["fine", *sorted(RAISES["typescript-1"])]
    calls = [(name, {}) for name in names]
    seen, _ = talk(client, "2025-11-25", calls, folder=tmp_path, command=[*MISBEHAVING, *names])
    by_name = zip(names, seen["calls"], strict=True)
    assert {name for name, call in by_name if "raised" in call} == RAISES[client]
