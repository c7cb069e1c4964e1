"""The middleware in FastMCP servers: what is no result passes, and many calls at once."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import mcp
import pytest
from fastmcp import Client, Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.extensions import ServerExtension
from fastmcp.server.middleware import Middleware
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult, Result

import sobre
from fastmcp_servers import number, served
from fastmcp_wire import REVISIONS, called, judged, run, wire
from sobre.fastmcp import ContractMiddleware

each_revision = pytest.mark.parametrize("revision", REVISIONS)
each_mode = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])


# -- protocol ------------------------------------------------------------------


@each_revision
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"arguments": {}}),
        ("tools/call", {"name": "free", "arguments": [1]}),
        ("tools/call", {"name": 5}),
        ("tools/list", {"cursor": 5}),
        ("no/such", {}),
    ],
)
def test_what_is_no_result_of_a_tool_stays_as_it_is(method, params, revision):
    async def main(server):
        async with wire(server, revision) as ask:
            return await ask(method, **params)

    bare, mapped = run(lambda: main(served())), run(lambda: main(served(ContractMiddleware())))
    assert mapped == bare


@each_revision
@pytest.mark.parametrize("name", ["none such", "off"])
def test_a_tool_that_is_not_there_is_a_failure_since_fastmcp_answers_with_a_result(name, revision):
    async def main():
        server = served(ContractMiddleware())
        server.tool(number, name="off")
        server.disable(names={"off"})
        async with wire(server, revision) as ask:
            return json.loads(await ask("tools/call", name=name, arguments={}))

    result = run(main)["result"]
    assert result["isError"] is True
    assert result["structuredContent"]["error"] == f"Unknown tool: {name!r}"


def test_a_protocol_error_of_other_middleware_stays_one():
    class Refuses(Middleware):
        async def on_call_tool(self, context, call_next):
            raise mcp.MCPError(code=-32029, message="Too many")

    async def main():
        async with wire(served(ContractMiddleware(), Refuses()), "2025-11-25") as ask:
            return json.loads(await called(ask, "free"))

    assert run(main)["error"] == {"code": -32029, "message": "Too many"}


def asks() -> InputRequiredResult:
    params = ElicitRequestFormParams(
        message="Your name?", requested_schema={"type": "object", "properties": {}}
    )
    request = ElicitRequest(params=params)
    return InputRequiredResult(input_requests={"name": request})


def test_an_answer_that_asks_for_input_passes_untouched():
    async def main(revision, *middleware):
        server = FastMCP("test", middleware=middleware)
        server.tool(asks)
        async with wire(server, revision) as ask:
            return json.loads(await called(ask, "asks"))

    bare = run(lambda: main("2026-07-28"))
    assert bare["result"]["resultType"] == "input_required"
    assert run(lambda: main("2026-07-28", ContractMiddleware())) == bare
    early = run(lambda: main("2025-11-25", ContractMiddleware()))
    assert early == run(lambda: main("2025-11-25"))
    assert early["error"]["code"] == -32602


def test_a_result_of_an_extension_passes_untouched():
    class Created(Result):
        result_type: str = "task"
        task_id: str = "t"

    class Tasks(ServerExtension):
        identifier = "org.example/tasks"

        async def intercept_tool_call(self, *args, **kwargs):
            return Created()

    async def main(*middleware):
        server = served(*middleware)
        server.add_extension(Tasks())
        async with wire(server, "2026-07-28") as ask:
            return json.loads(await called(ask, "free"))

    bare = run(main)
    assert bare["result"]["resultType"] == "task"
    assert run(lambda: main(ContractMiddleware())) == bare


@pytest.mark.filterwarnings("ignore:The logging capability is deprecated")
@each_mode
def test_progress_logging_and_sessions_keep_working(mode):
    told, progress = [], []

    async def log(message):
        told.append(message.data["msg"])

    async def moved(done, total, message):
        progress.append((done, total))

    async def main():
        server = FastMCP("test", middleware=[ContractMiddleware()])

        @server.tool
        async def work(ctx: Context) -> dict:
            await ctx.info("working")
            await ctx.report_progress(1, 2)
            seen = await ctx.get_state("seen") or 0
            await ctx.set_state("seen", seen + 1)
            return {"seen": seen}

        async with Client(server, mode=mode, log_handler=log, progress_handler=moved) as client:
            first = await client.call_tool("work")
            second = await client.call_tool("work")
            return first.structured_content["output"], second.structured_content["output"]

    first, second = run(main)
    assert (first, second) == ({"seen": 0}, {"seen": 1 if mode == "legacy" else 0})
    assert progress == [(1, 2), (1, 2)]
    assert told == (["working", "working"] if mode == "legacy" else told)


@each_mode
def test_cancellation_reaches_the_tool(mode):
    async def main():
        server = FastMCP("test", middleware=[ContractMiddleware()])
        started, stopped = asyncio.Event(), asyncio.Event()

        @server.tool
        async def wait() -> str:
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                stopped.set()

        async with Client(server, mode=mode) as client:
            call = asyncio.create_task(client.call_tool("wait"))
            await started.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await stopped.wait()
            return (await client.list_tools())[0].name

    assert run(main) == "wait"


def test_a_client_that_raises_tells_the_tool_s_own_words():
    async def main():
        server = FastMCP("test", middleware=[ContractMiddleware()])

        @server.tool
        def work():
            raise ToolError("No such city.")

        async with Client(server) as client:
            await client.call_tool("work")

    with pytest.raises(ToolError, match=r"^No such city\.$"):
        run(main)


# -- transports and many calls -------------------------------------------------


@each_revision
def test_two_hundred_calls_at_once_get_each_their_own_answer(revision):
    async def main():
        server = FastMCP("test", middleware=[ContractMiddleware()])

        @server.tool
        async def twice(n: int) -> dict[str, int]:
            await asyncio.sleep(0)
            if n % 7 == 0:
                raise ToolError(f"not {n}")
            return {"n": n, "twice": 2 * n}

        async with wire(server, revision) as ask:
            return await asyncio.gather(*(called(ask, "twice", n=n) for n in range(200)))

    answers = run(main)
    assert len(answers) == 200
    for n, data in enumerate(answers):
        said = judged(revision, data)["structuredContent"]
        if n % 7 == 0:
            assert said["error"] == f"not {n}"
        else:
            assert said["output"] == {"n": n, "twice": 2 * n}


@each_mode
def test_over_standard_streams_with_the_official_client(mode, tmp_path):
    script = tmp_path / "server.py"
    script.write_text(
        "from fastmcp import FastMCP\n"
        "from sobre.fastmcp import ContractMiddleware\n"
        "server = FastMCP('test', middleware=[ContractMiddleware()])\n"
        "@server.tool\n"
        "def half(of: int) -> int:\n"
        "    if of % 2: raise ValueError('odd')\n"
        "    return of // 2\n"
        "server.run(show_banner=False)\n"
    )

    async def main():
        parameters = StdioServerParameters(command=sys.executable, args=[str(script)])
        with (tmp_path / "log").open("w") as log:
            async with mcp.Client(stdio_client(parameters, errlog=log), mode=mode) as client:
                tool = (await client.list_tools()).tools[0]
                calls = [await client.call_tool("half", {"of": n}) for n in (4, 5)]
        return tool.output_schema, [call.structured_content for call in calls]

    schema, (halved, refused) = run(main)
    assert (
        schema["$ref"] == sobre.CONTRACT_URL if hasattr(sobre, "CONTRACT_URL") else "$ref" in schema
    )
    assert halved["output"] == {"result": 2}
    assert refused["error_code"] == "tool_error"


def test_without_fastmcp_the_error_names_the_extra():
    code = "import sys; sys.modules['fastmcp'] = None; import sobre.fastmcp"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'sobre[fastmcp]'" in done.stderr
