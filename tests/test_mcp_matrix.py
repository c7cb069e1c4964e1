"""The official clients decide: every server of ours, asked by each of them.

Rows and columns are in mcp_table.py. What they saw is compared with what was
on the wire, and that is judged by `sobre evidence` and by the JSON Schema that
the revision of the protocol publishes.
"""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest

from command import document, run
from mcp_published import faults
from mcp_table import CELLS, NOT_SPOKEN, SERVERS, TRANSPORTS, serving, talk
from mcp_wire import member


@pytest.fixture(scope="module")
def ports(tmp_path_factory):
    """The port on which a server of the table serves HTTP; it is started when first asked for."""
    with ExitStack() as stack:
        started = {}

        def port(name):
            if name not in started:
                folder = tmp_path_factory.mktemp(name)
                started[name] = stack.enter_context(serving(SERVERS[name].http, folder))
            return started[name]

        yield port


@pytest.fixture
def conversation(ports, tmp_path):
    """One client with one server: what it saw, and what went over the wire."""

    def start(name, client, revision, transport):
        server = SERVERS[name]
        calls = (server.succeeds, server.fails, server.refused)
        way = {"command": server.stdio} if transport == "stdio" else {"port": ports(name)}
        return talk(client, revision, calls, folder=tmp_path, **way)

    return start


@pytest.mark.parametrize(("name", "client", "revision", "transport"), CELLS)
def test_every_client_sees_the_right_outcome(
    name, client, revision, transport, conversation, tmp_path
):
    seen, wire = conversation(name, client, revision, transport)
    assert seen["revision"] == revision
    server = SERVERS[name]
    answers = [_answer(wire, call) for call in (server.succeeds, server.fails, server.refused)]
    success, failure, refused = (json.loads(answer) for answer in answers)
    _completed(seen["calls"][0], success, outcome=True)
    _completed(seen["calls"][1], failure, outcome=False)

    # A protocol error stays one, and is all that the client makes an exception of.
    assert seen["calls"][2]["raised"]["code"] == server.code
    assert refused["error"]["code"] == server.code
    assert "result" not in refused

    definition = _definition(wire, server.succeeds.name, seen["tools"])
    done = _evidence(tmp_path, revision, answers, definition)
    assert done.status == 0, done.out
    judged = document(done)
    assert judged["warnings"] == []

    assert [fault for exchange in wire for fault in faults(revision, exchange)] == []


def _answer(wire, call):
    """The exact bytes of the message that answered a call, which was made once."""
    (exchange,) = [
        exchange
        for exchange in wire
        if exchange.request["method"] == "tools/call"
        and exchange.request["params"]["name"] == call.name
        and exchange.request["params"].get("arguments", {}) == call.arguments
    ]
    return exchange.response


def _completed(call, response, *, outcome):
    """A client saw the result that was on the wire, with this outcome, and raised nothing."""
    assert "raised" not in call, call
    result = call["result"]
    assert result["structuredContent"] == response["result"]["structuredContent"]
    assert result["structuredContent"]["success"] is outcome
    assert result.get("isError", False) is not outcome


def _definition(wire, name, tools):
    """The exact text of a tool's definition, of which the client saw the output schema."""
    (seen,) = [tool for tool in tools if tool["name"] == name]
    (listed,) = [exchange for exchange in wire if exchange.request["method"] == "tools/list"]
    text = listed.response.decode()
    (tool,) = [tool for tool in json.loads(text)["result"]["tools"] if tool["name"] == name]
    assert seen["outputSchema"] == tool["outputSchema"]
    return member(text, tool)


def _evidence(folder, revision, answers, definition):
    (folder / "success.json").write_bytes(answers[0])
    (folder / "failure.json").write_bytes(answers[1])
    (folder / "tool-definition.json").write_text(definition, encoding="utf-8", newline="")
    words = ["--success", "success.json", "--failure", "failure.json"]
    words += ["--tool-definition", "tool-definition.json", "--json"]
    return run("evidence", "--profile", f"mcp-{revision}", *words, cwd=folder)


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize(("client", "revision"), NOT_SPOKEN)
def test_a_client_that_does_not_speak_a_revision_gets_another(
    client, revision, transport, conversation
):
    """Why some cells are not in the table. If this fails, a new client speaks it: add them."""
    seen, wire = conversation("sdk", client, revision, transport)
    (handshake,) = [exchange for exchange in wire if exchange.request["method"] == "initialize"]
    assert handshake.request["params"]["protocolVersion"] == revision
    assert seen["revision"] == NOT_SPOKEN[client, revision]
