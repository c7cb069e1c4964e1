"""The official clients decide: every server of ours, asked by each of them.

Rows and columns are in mcp_table.py. What they saw is compared with what was
on the wire, and that is judged by `sobre evidence` and by the JSON Schema that
the revision of the protocol publishes.
"""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest

from mcp_published import faults
from mcp_table import CELLS, NOT_SPOKEN, SERVERS, TRANSPORTS, evidence, serving, talk
from mcp_wire import answer, definition


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
    answers = [answer(wire, *call) for call in (server.succeeds, server.fails, server.refused)]
    success, failure, refused = (json.loads(message) for message in answers)
    _completed(seen["calls"][0], success, outcome=True)
    _completed(seen["calls"][1], failure, outcome=False)

    # A protocol error stays one, and is all that the client makes an exception of.
    assert seen["calls"][2]["raised"]["code"] == server.code
    assert refused["error"]["code"] == server.code
    assert "result" not in refused

    tool = definition(wire, server.succeeds.name)
    (listed,) = [one for one in seen["tools"] if one["name"] == server.succeeds.name]
    assert listed["outputSchema"] == json.loads(tool)["outputSchema"]
    judged = evidence(tmp_path, revision, *answers[:2], tool)
    assert judged["success"] is True, judged
    assert judged["warnings"] == []

    assert [fault for exchange in wire for fault in faults(revision, exchange)] == []


def _completed(call, response, *, outcome):
    """A client saw the result that was on the wire, with this outcome, and raised nothing."""
    assert "raised" not in call, call
    result = call["result"]
    assert result["structuredContent"] == response["result"]["structuredContent"]
    assert result["structuredContent"]["success"] is outcome
    assert result.get("isError", False) is not outcome


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
