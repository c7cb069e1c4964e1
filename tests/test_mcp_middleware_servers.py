"""The middleware in servers of the official SDK: kinds of tools, and other messages."""

from __future__ import annotations

import asyncio
import functools
import json
from typing import TYPE_CHECKING

import pytest
from mcp.client.client import Client
from mcp.server.mcpserver import Context, MCPServer

import sobre
from fastmcp_wire import REVISIONS, called, judged, run, wire
from mcp_sdk_servers import mapped, result
from sobre.mcp import ContractMiddleware

if TYPE_CHECKING:
    from nowhere import Thing

each_revision = pytest.mark.parametrize("revision", REVISIONS)
each_mode = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
operation = sobre.operation(
    returns="n", message="It is {n}.", errors={ZeroDivisionError: "division_by_zero"}
)

# -- tools of MCPServer that state their outcome ---------------------------------


def plain(a: int, b: int = 2) -> int:
    """Divide."""
    return a // b


async def waits(a: int, *, b: int = 2) -> int:
    await asyncio.sleep(0)
    return a // b


def decorated(function):
    @functools.wraps(function)
    def outer(*args, **kwargs):
        return function(*args, **kwargs)

    return outer


class Divider:
    def method(self, a: int, b: int = 2) -> int:
        return a // b

    def __call__(self, a: int, b: int = 2) -> int:
        return a // b


def only_checkers_know_what_it_returns(a: int, b: int = 2) -> Thing:
    return a // b


async def with_context(ctx: Context, a: int, b: int = 2) -> int:
    assert isinstance(ctx, Context)
    return a // b


def returns_a_result(a: int, b: int = 2) -> sobre.Result:
    if not b:
        return sobre.failure("No.", error_code="division_by_zero")
    return sobre.success("It is.", n=a // b)


async def returns_a_result_later(a: int, b: int = 2) -> sobre.Result:
    return returns_a_result(a, b)


def may_return_a_result(a: int, b: int = 2) -> sobre.Result | None:
    return returns_a_result(a, b)


FUNCTIONS = {
    "plain": operation(plain),
    "waits": operation(waits),
    "decorated": operation(decorated(plain)),
    "method": operation(Divider().method),
    "callable": operation(Divider()),
    "partial": operation(functools.partial(plain, b=2)),
    "partial of a method": operation(functools.partial(Divider().method)),
    "partial, async": operation(functools.partial(waits, b=2)),
    "only checkers": operation(only_checkers_know_what_it_returns),
    "context": operation(with_context),
    "a result": returns_a_result,
    "a result later": returns_a_result_later,
    "maybe a result": may_return_a_result,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@each_revision
def test_a_tool_that_states_its_outcome(name, revision):
    server = MCPServer("test", middleware=[ContractMiddleware()], log_level="CRITICAL")
    server.add_tool(FUNCTIONS[name], name="divide")

    async def main():
        async with wire(server, revision) as ask:
            (listed,) = json.loads(await ask("tools/list"))["result"]["tools"]
            answers = [await called(ask, "divide", a=5, b=b) for b in (2, 0)]
            return listed, [judged(revision, answer) for answer in answers]

    listed, (good, bad) = run(main)
    schema = listed["inputSchema"]
    kinds = {n: (p["type"], p.get("default")) for n, p in schema["properties"].items()}
    assert kinds == {"a": ("integer", None), "b": ("integer", 2)}
    assert schema["required"] == ["a"]
    assert "then" not in listed["outputSchema"]
    assert good["structuredContent"]["n"] == 2
    assert (good["isError"], bad["isError"]) == (False, True)
    assert bad["structuredContent"]["error_code"] == "division_by_zero"
    for answer in (good, bad):
        assert len(answer["content"]) == 1
        assert "output" not in answer["structuredContent"]
        assert "warnings" not in answer["structuredContent"]


@each_revision
def test_a_tool_that_raises_in_mcpserver_is_a_failure_in_its_words(revision):
    server = MCPServer("test", middleware=[ContractMiddleware()], log_level="CRITICAL")

    @server.tool()
    def half(of: int) -> int:
        raise ValueError("odd")

    async def main():
        async with wire(server, revision) as ask:
            answers = [await called(ask, "half", of=n) for n in (1, "x")]
            answers.append(await called(ask, "none such"))
            return [judged(revision, answer)["structuredContent"] for answer in answers]

    raised, wrong, unknown = run(main)
    assert {said["error_code"] for said in (raised, wrong, unknown)} == {"tool_error"}
    assert raised["message"].startswith("half failed: ")
    assert "Unknown tool" in unknown["error"]


# -- messages beside calls -------------------------------------------------------


#: Which 2026-07-28 no longer has; clients of older revisions do.
deprecated = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")


@deprecated
@each_mode
def test_progress_and_logs_pass(mode):
    seen, logged = [], []

    async def answer(ctx, name, arguments):
        await ctx.session.report_progress(1, 2, "half")
        await ctx.session.send_log_message("info", "told", related_request_id=ctx.request_id)
        return result(structured={"copied": 1})

    async def progress(at, total, message):
        seen.append((at, total, message))

    async def log(params):
        logged.append(params.data)

    async def main():
        server = mapped(answer)
        async with Client(server, mode=mode, logging_callback=log) as client:
            meta = {"io.modelcontextprotocol/logLevel": "info"}
            return await client.call_tool("copy", progress_callback=progress, meta=meta)

    said = run(main).structured_content
    assert said["output"] == {"copied": 1}
    assert seen == [(1, 2, "half")]
    assert logged == ["told"]


@each_mode
def test_a_cancelled_call_ends_and_the_next_one_is_answered(mode):
    ended = []

    async def answer(ctx, name, arguments):
        if arguments.get("wait"):
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(name)
        return result(structured={"copied": 1})

    async def main():
        global started
        started = asyncio.Event()
        async with Client(mapped(answer), mode=mode) as client:
            call = asyncio.create_task(client.call_tool("copy", {"wait": True}))
            await started.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            return await client.call_tool("copy")

    assert run(main).structured_content["success"] is True
    assert ended == ["copy"]


@deprecated
@each_mode
def test_other_messages_pass(mode):
    server = MCPServer("test", middleware=[ContractMiddleware()], log_level="CRITICAL")
    server.add_tool(plain)

    @server.resource("file:///a")
    def read() -> str:
        return "text"

    @server.prompt()
    def ask(name: str) -> str:
        return f"Who is {name}?"

    async def main():
        async with Client(server, mode=mode) as client:
            if mode == "legacy":
                await client.send_ping()
                await client.send_roots_list_changed()
            read = await client.read_resource("file:///a")
            asked = await client.get_prompt("ask", {"name": "Ada"})
            return read.contents[0].text, asked.messages[0].content.text

    assert run(main) == ("text", "Who is Ada?")
