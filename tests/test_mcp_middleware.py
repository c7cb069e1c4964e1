"""The middleware in servers of the official SDK: what becomes of lists and calls, on the wire."""

from __future__ import annotations

import json
import subprocess
import sys

import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError

import sobre
from fastmcp_wire import REVISIONS, called, judged, judged_tool, listed, run, wire
from mcp_sdk_servers import DOMAIN, always, answering, mapped, result, tool
from sobre.mcp import ContractMiddleware

each_revision = pytest.mark.parametrize("revision", REVISIONS)
each_mode = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
OK = {"success": True, "message": "Copied.", "copied": 3}
NO = {"success": False, "message": "Not copied.", "error_code": "disk_full"}


def asked(server, revision, name="copy", **arguments):
    """What is on the wire for one call, judged by the profile of the revision."""

    async def main():
        async with wire(server, revision) as ask:
            return judged(revision, await called(ask, name, **arguments))

    return run(main)


def raw(server, revision, method="tools/call", **params):
    async def main():
        async with wire(server, revision) as ask:
            return json.loads(await ask(method, **params))

    return run(main)


# -- what is listed ------------------------------------------------------------


@each_revision
def test_each_tool_is_listed_with_the_contract_and_its_own_schema_in_it(revision):
    pages = [[tool("copy", DOMAIN), tool("free")], [tool("other", DOMAIN)]]

    async def main():
        async with wire(mapped(always(result()), pages=pages), revision) as ask:
            return await listed(ask)

    tools = run(main)
    schemas = {name: judged_tool(one) for name, one in tools.items()}
    assert schemas["copy"]["then"] == {"properties": {"output": DOMAIN}}
    assert schemas["other"] == schemas["copy"]
    assert "then" not in schemas["free"]
    assert tools["copy"]["inputSchema"] == {"type": "object"}


# -- what becomes of a call ----------------------------------------------------

IMAGE = types.ImageContent(type="image", data="AAAA", mime_type="image/png")
LINK = types.ResourceLink(type="resource_link", uri="file:///a", name="a")
EMBEDDED = types.EmbeddedResource(
    type="resource", resource=types.TextResourceContents(uri="file:///b", text="b")
)
AUDIO = types.AudioContent(type="audio", data="AAAA", mime_type="audio/wav")


@each_revision
@pytest.mark.parametrize("is_error", [False, True])
def test_a_contract_object_passes_and_is_error_agrees(is_error, revision):
    answer = asked(mapped(always(result(structured=NO, is_error=is_error))), revision)
    said = answer["structuredContent"]
    assert {name: said[name] for name in NO} == NO
    assert answer["isError"] is True
    assert (said["meta"]["command"], said["meta"]["schema_version"]) == ("copy", 1)
    assert said["meta"]["duration_ms"] >= 0


@each_revision
def test_a_success_that_is_an_error_is_a_contradiction(revision):
    answer = asked(mapped(always(result(structured=OK, is_error=True))), revision)
    said = answer["structuredContent"]
    assert (answer["isError"], said["error_code"]) == (True, "outcome_contradiction")
    assert said["details"]["result"] == OK


@each_revision
def test_other_structured_content_is_output(revision):
    answer = asked(mapped(always(result('{"copied":3}', structured={"copied": 3}))), revision)
    assert answer["structuredContent"]["output"] == {"copied": 3}
    assert answer["isError"] is False
    assert len(answer["content"]) == 1


@each_revision
def test_content_is_kept_in_its_order(revision):
    blocks = ["One.", IMAGE, AUDIO, LINK, EMBEDDED, "Two."]
    bare = raw(answering(always(result(*blocks))), revision, name="copy")
    answer = asked(mapped(always(result(*blocks))), revision)
    assert answer["content"][:-1] == bare["result"]["content"]
    assert answer["structuredContent"]["success"] is True


@each_revision
def test_an_error_is_a_failure_with_its_text_and_a_stable_code(revision):
    said = asked(mapped(always(result("No space.", is_error=True))), revision)["structuredContent"]
    assert (said["error"], said["error_code"]) == ("No space.", "tool_error")


@each_revision
def test_output_that_breaks_the_tool_s_own_schema_is_a_failure_before_any_list(revision):
    server = mapped(always(result(structured={"copied": "3"})))
    said = asked(server, revision)["structuredContent"]
    assert (said["error_code"], said["output"]) == ("output_schema_mismatch", {"copied": "3"})
    assert server.listed == [0]


@pytest.mark.parametrize(
    ("error_text", "success"), [(None, True), ("^Error", False), ("^error", True)]
)
def test_error_text_is_off_by_default(error_text, success):
    server = mapped(always(result("Error: no space.")), error_text=error_text)
    said = asked(server, "2025-11-25")["structuredContent"]
    assert said["success"] is success
    assert any("'^Error'" in warning for warning in said.get("warnings", [])) is not success


def test_an_error_text_that_is_no_pattern_is_refused_at_once():
    with pytest.raises(Exception, match="unterminated"):
        ContractMiddleware(error_text="(")


@each_revision
def test_a_tool_that_raises_is_a_failure_and_its_text_is_for_the_log_alone(revision, caplog):
    server = mapped(always(ValueError("the password is \x1b[2J")))
    said = asked(server, revision)["structuredContent"]
    assert said["error_code"] == "unexpected_error"
    assert "password" not in json.dumps(said)
    assert "password" in caplog.text


# -- what is no result ---------------------------------------------------------


@each_revision
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"arguments": {}}),
        ("tools/call", {"name": "copy", "arguments": [1]}),
        ("tools/call", {"name": 5}),
        ("tools/list", {"cursor": 5}),
        ("prompts/list", {}),
        ("no/such", {}),
    ],
)
def test_a_protocol_error_stays_one(method, params, revision):
    answer = always(result("Done."))
    bare = raw(answering(answer), revision, method, **params)
    assert raw(mapped(answer), revision, method, **params) == bare
    assert "error" in bare


@each_revision
@pytest.mark.parametrize("given", [MCPError(-32029, "Too many"), None, 5], ids=str)
def test_a_tool_that_ends_in_a_protocol_error_stays_one(given, revision):
    """An error that it raises, and an answer that is no result in the protocol."""
    bare = raw(answering(always(given)), revision, name="copy")
    answer = raw(mapped(always(given)), revision, name="copy")
    if isinstance(given, int):  # Which the SDK says in a TypeError, as if the tool had raised.
        assert answer["result"]["structuredContent"]["error_code"] == "unexpected_error"
    else:
        assert answer == bare
        assert "error" in answer


def test_an_answer_that_asks_for_input_passes_untouched():
    params = types.ElicitRequestFormParams(
        message="Your name?", requested_schema={"type": "object", "properties": {}}
    )
    asks = types.InputRequiredResult(input_requests={"n": types.ElicitRequest(params=params)})
    bare = raw(answering(always(asks)), "2026-07-28", name="copy")
    assert bare["result"]["resultType"] == "input_required"
    server = mapped(always(asks))
    assert raw(server, "2026-07-28", name="copy") == bare
    assert server.listed == []


def test_a_call_goes_on_after_it_asked_for_input():
    params = types.ElicitRequestFormParams(
        message="Your name?", requested_schema={"type": "object", "properties": {}}
    )
    asks = types.InputRequiredResult(input_requests={"n": types.ElicitRequest(params=params)})
    server = MCPServer("test", middleware=[ContractMiddleware()], log_level="CRITICAL")
    given = []

    async def elicit(context, asked):
        return types.ElicitResult(action="accept", content={"name": "Ada"})

    @server.tool()
    async def greet(ctx: Context) -> str:
        given.append(ctx.input_responses)
        return asks if not given[-1] else "Hello."

    async def main():
        async with Client(server, mode="2026-07-28", elicitation_callback=elicit) as client:
            return await client.call_tool("greet")

    said = run(main)
    assert said.structured_content["success"] is True
    assert said.structured_content["message"] == "Hello."
    assert len(given) == 2


# -- stdio, and what is missing ------------------------------------------------

SCRIPT = """
from mcp.server.mcpserver import Context, MCPServer
from sobre.mcp import ContractMiddleware

server = MCPServer("test", middleware=[ContractMiddleware()], log_level="CRITICAL")


@server.tool()
def half(of: int) -> int:
    if of % 2:
        raise ValueError("odd")
    return of // 2


server.run()
"""


@each_mode
def test_over_standard_input_and_output(mode, tmp_path):
    script = tmp_path / "server.py"
    script.write_text(SCRIPT)

    async def main():
        parameters = StdioServerParameters(command=sys.executable, args=[str(script)])
        with (tmp_path / "log").open("w") as log:
            async with Client(stdio_client(parameters, errlog=log), mode=mode) as client:
                (one,) = (await client.list_tools()).tools
                calls = [await client.call_tool("half", {"of": n}) for n in (4, 5)]
        return one.output_schema, [call.structured_content for call in calls]

    schema, (halved, refused) = run(main)
    assert schema["$ref"] == sobre.CONTRACT_URL
    assert halved["output"] == {"result": 2}
    assert refused["error_code"] == "tool_error"


def test_without_the_sdk_the_error_names_the_extra():
    code = "import sys; sys.modules['mcp'] = None; import sobre.mcp; sobre.mcp.ContractMiddleware"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'sobre[mcp]'" in done.stderr
