"""The middleware in servers of the official SDK: other middleware, many calls."""

from __future__ import annotations

import asyncio
import gc
import json
import tracemalloc
from pathlib import Path

import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

import sobre
from fastmcp_wire import REVISIONS, called, judged, run, wire
from mcp_sdk_servers import DOMAIN, always, answering, mapped, result, tool
from sobre.mcp import ContractMiddleware

each_revision = pytest.mark.parametrize("revision", REVISIONS)
each_mode = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])

# -- what is known of a tool ------------------------------------------------------

BROKEN = {"copied": "3"}


def paged(answer, **settings):
    pages = [[tool("a")], [tool("b", {"type": "object"})], [tool("copy", DOMAIN)]]
    return mapped(answer, pages=pages, **settings)


@each_revision
def test_a_client_that_calls_without_listing_has_the_output_checked(revision):
    server = paged(always(result(structured=BROKEN)))

    async def main():
        async with wire(server, revision) as ask:
            answers = [await called(ask, "copy") for _ in range(3)]
            return [judged(revision, answer)["structuredContent"] for answer in answers]

    assert {said["error_code"] for said in run(main)} == {"output_schema_mismatch"}
    assert server.listed == [0, 1, 2]  # Once for all three calls.


@each_mode
def test_the_official_client_takes_every_answer(mode):
    """Which raises for a success that breaks the schema that was published."""
    answers = iter([BROKEN, {"copied": 3}, {"n": 1}, None])

    async def answer(ctx, name, arguments):
        structured = next(answers)
        return result("text", structured=structured)

    async def main():
        async with Client(paged(answer), mode=mode) as client:
            return [await client.call_tool("copy") for _ in range(4)]

    assert [said.structured_content["success"] for said in run(main)] == [False, True, False, True]


def test_a_failure_needs_no_list_and_a_server_without_one_works_all_the_same():
    server = paged(always(result("No.", is_error=True)))

    async def main(server):
        async with wire(server, "2025-11-25") as ask:
            return judged("2025-11-25", await called(ask, "copy"))["structuredContent"]

    assert run(lambda: main(server))["success"] is False
    assert server.listed == []
    server = mapped(always(result("Yes.")))
    server._request_handlers.pop("tools/list")
    assert run(lambda: main(server))["success"] is True


def test_a_list_without_end_is_left_after_so_many_pages(monkeypatch):
    monkeypatch.setattr("sobre.mcp.middleware.MAX_PAGES", 7)
    server = mapped(always(result("Yes.")), pages=[[tool("other")]] * 50)

    async def main():
        async with wire(server, "2025-11-25") as ask:
            return judged("2025-11-25", await called(ask, "copy"))["structuredContent"]

    assert run(main)["success"] is True
    assert server.listed == list(range(7))


def test_a_changed_schema_counts_from_the_next_list_on():
    pages = [[tool("copy", DOMAIN)]]
    server = mapped(always(result(structured=BROKEN)), pages=pages)

    async def main():
        async with wire(server, "2025-11-25") as ask:
            codes = []
            for schema in (DOMAIN, {"type": "object", "required": ["copied"]}):
                pages[0] = [tool("copy", schema)]
                await ask("tools/list")
                answer = judged("2025-11-25", await called(ask, "copy"))
                codes.append(answer["structuredContent"].get("error_code"))
            return codes

    assert run(main) == ["output_schema_mismatch", None]


# -- middleware further in ---------------------------------------------------------


def short(answer, method="tools/call"):
    async def middleware(ctx, call_next):
        if ctx.method == method:
            if isinstance(answer, Exception):
                raise answer
            return answer
        return await call_next(ctx)

    return middleware


TEXT = types.TextContent(type="text", text="From a cache.")


@pytest.mark.parametrize(
    "answer",
    [
        result("From a cache.", structured={"copied": 1}),
        {"content": [TEXT], "structuredContent": {"copied": 1}},
        {
            "content": [{"type": "text", "text": "From a cache."}],
            "structuredContent": {"copied": 1},
        },
    ],
    ids=["model", "models in a dictionary", "dictionary"],
)
def test_an_answer_of_middleware_is_an_answer(answer):
    async def main():
        server = mapped(always(result("never")), short(answer))
        async with wire(server, "2025-11-25") as ask:
            return judged("2025-11-25", await called(ask, "copy"))

    answer = run(main)
    assert answer["structuredContent"]["message"] == "From a cache."
    assert answer["structuredContent"]["output"] == {"copied": 1}
    assert answer["content"][0] == {"type": "text", "text": "From a cache."}
    assert "warnings" not in answer["structuredContent"]


@each_revision
@pytest.mark.parametrize(
    "answer",
    [types.ErrorData(code=-32029, message="Too many"), MCPError(-32029, "Too many")],
    ids=["answered", "raised"],
)
def test_a_protocol_error_of_middleware_stays_one(answer, revision):
    async def main():
        async with wire(mapped(always(result("never")), short(answer)), revision) as ask:
            return json.loads(await called(ask, "copy"))

    assert run(main)["error"] == {"code": -32029, "message": "Too many"}


def test_an_answer_that_cannot_be_written_is_a_failure_that_can():
    for structured in ({"a": float("nan")}, {"a": object()}, {"a": b"\xff"}, {"a": "\ud83d"}):
        given = {"content": [{"type": "text", "text": "Done."}], "structuredContent": structured}

        async def main(given=given):
            async with wire(mapped(always(result("never")), short(given)), "2025-11-25") as ask:
                return judged("2025-11-25", await called(ask, "copy"))

        answer = run(main)
        assert answer["structuredContent"]["error_code"] == "invalid_result_contract"
        assert answer["content"][0]["text"] == "Done."


@pytest.mark.parametrize("tools", [None, 5, {}, [None, 5], [{}], [tool("copy", DOMAIN)]], ids=str)
def test_a_list_of_middleware_is_published_as_far_as_it_is_one(tools):
    async def main(*middleware):
        given = {"tools": tools}
        server = answering(always(result("x")), *middleware, short(given, "tools/list"))
        async with wire(server, "2025-11-25") as ask:
            return json.loads(await ask("tools/list"))["result"]["tools"]

    bare, found = run(main), run(lambda: main(ContractMiddleware()))
    assert type(found) is type(bare)
    for before, after in zip(bare, found, strict=True) if isinstance(bare, list) else ():
        if isinstance(before, dict):
            assert after["outputSchema"]["$ref"] == sobre.CONTRACT_URL
        else:
            assert after == before


def test_mapping_twice_is_mapping_once():
    async def main(*middleware):
        server = answering(always(result("a", structured={"copied": 1})), *middleware)
        async with wire(server, "2025-11-25") as ask:
            answer = judged("2025-11-25", await called(ask, "copy"))
            answer["structuredContent"]["meta"].pop("duration_ms")
            answer["content"].pop()
            return await ask("tools/list"), answer

    once = run(lambda: main(ContractMiddleware()))
    assert run(lambda: main(ContractMiddleware(), ContractMiddleware())) == once


# -- many calls --------------------------------------------------------------------


@each_mode
def test_none_of_many_calls_at_once_is_crossed_with_another(mode):
    async def answer(ctx, name, arguments):
        number = arguments["n"]
        for _ in range(number % 7):
            await asyncio.sleep(0)
        if number % 5 == 0:
            return result(f"No {number}.", is_error=True)
        if number % 5 == 1:
            raise ValueError(number)
        return result(f"Text {number}.", structured={"copied": number})

    async def main():
        async with Client(paged(answer), mode=mode) as client:
            calls = [client.call_tool("copy", {"n": n}) for n in range(500)]
            return await asyncio.gather(*calls)

    for number, answer in enumerate(run(main)):
        said = answer.structured_content
        assert json.loads(answer.content[-1].text) == said
        if number % 5 == 0:
            assert (said["error"], answer.content[0].text) == (f"No {number}.",) * 2
        elif number % 5 == 1:
            assert said["error_code"] == "unexpected_error"
        else:
            assert said["output"] == {"copied": number}
            assert said["message"] == answer.content[0].text == f"Text {number}."


def test_memory_does_not_grow_with_the_calls():
    """What is allocated in `sobre` and is still there, after calls and lists of every kind."""
    package = tracemalloc.Filter(True, str(Path(sobre.__file__).parent / "*"))
    sizes = []

    async def answer(ctx, name, arguments):
        return result("x" * 1000, structured={"copied": arguments["n"]})

    async def main():
        server = paged(answer)
        async with Client(server, mode="2026-07-28") as client:
            for turn in range(3):
                for number in range(100):
                    await client.call_tool("copy", {"n": number if number % 2 else None})
                    await client.call_tool(f"unlisted {turn} {number}", {"n": 1})
                    await client.list_tools()
                gc.collect()
                found = tracemalloc.take_snapshot().filter_traces([package])
                sizes.append(sum(trace.size for trace in found.traces))

    tracemalloc.start()
    try:
        run(main)
    finally:
        tracemalloc.stop()
    assert sizes[-1] - sizes[0] < 10_000, sizes
