"""The middleware in whole FastMCP servers: listing, servers of servers, clients."""

from __future__ import annotations

import json

import mcp
import pytest
from fastmcp import Client, FastMCP
from fastmcp.server import create_proxy
from fastmcp.server.middleware.caching import ResponseCachingMiddleware
from fastmcp.server.middleware.error_handling import ErrorHandlingMiddleware
from fastmcp.server.middleware.tool_injection import ToolInjectionMiddleware
from fastmcp.server.transforms import Namespace, ToolTransform
from fastmcp.tools import Tool
from fastmcp.tools.tool_transform import ToolTransformConfig

from fastmcp_servers import added_later, free, leaf, number, served
from fastmcp_wire import REVISIONS, called, judged, judged_tool, listed, run, wire
from sobre.contract.compose import tool_output_schema
from sobre.fastmcp import ContractMiddleware

each_revision = pytest.mark.parametrize("revision", REVISIONS)
each_mode = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])


# -- tools/list ----------------------------------------------------------------


@each_revision
@pytest.mark.parametrize(
    "make",
    [
        lambda: served(ContractMiddleware()),
        added_later,
        lambda: served(ContractMiddleware(), dereference_schemas=False),
        lambda: served(ContractMiddleware(), ContractMiddleware(error_text="^Error")),
    ],
)
def test_each_tool_publishes_the_bundled_schema_with_its_own_in_it(make, revision):
    async def main():
        async with wire(make(), revision) as ask:
            tools = await listed(ask)
            return tools, {name: await called(ask, name) for name in tools}

    tools, results = run(main)
    schemas = {name: judged_tool(tool) for name, tool in tools.items()}
    for name in ("result", "maybe", "free"):
        assert schemas[name] == tool_output_schema()
    output = schemas["leaf"]["then"]["properties"]["output"]
    assert output["properties"] == {"n": {"type": "integer"}}
    assert "output" in schemas["tree"]["then"]["properties"]
    wrapped = schemas["number"]["then"]["properties"]["output"]
    assert wrapped["properties"] == {"result": {"type": "integer"}}
    for data in results.values():
        judged(revision, data)
    assert judged(revision, results["result"])["structuredContent"]["output"] == "mine"
    assert judged(revision, results["maybe"])["isError"] is True


@each_mode
@pytest.mark.parametrize("client_of", [Client, mcp.Client])
def test_official_clients_take_every_result_after_the_list(client_of, mode):
    async def main():
        server = added_later()
        async with client_of(server if client_of is Client else server._mcp_server, mode=mode) as c:
            listing = await c.list_tools()
            names = [tool.name for tool in getattr(listing, "tools", listing)]
            quiet = {"raise_on_error": False} if client_of is Client else {}
            return [(await c.call_tool(name, **quiet)).structured_content for name in names]

    assert [said["success"] for said in run(main)] == [True, True, True, False, True, True]


@each_revision
def test_the_input_schema_and_the_rest_of_a_tool_stay(revision):
    async def main(server):
        async with wire(server, revision) as ask:
            return await listed(ask)

    bare, mapped = run(lambda: main(served())), run(lambda: main(added_later()))
    for tools in (bare, mapped):
        for tool in tools.values():
            tool.pop("outputSchema", None)
    assert mapped == bare


def test_pages_stay_pages():
    async def main():
        server = served(ContractMiddleware(), list_page_size=2)
        async with wire(server, "2025-11-25") as ask:
            first = json.loads(await ask("tools/list"))["result"]
            refused = json.loads(await ask("tools/list", cursor="none such"))
            return first, await listed(ask), refused

    first, tools, refused = run(main)
    assert (len(first["tools"]), "nextCursor" in first, len(tools)) == (2, True, 6)
    assert refused["error"]["code"] == -32602
    for tool in tools.values():
        judged_tool(tool)


def test_a_schema_that_cannot_be_composed_is_left_out_and_told_once(caplog):
    async def main():
        server = FastMCP("test", middleware=[ContractMiddleware()], dereference_schemas=False)
        schema = {"type": "object", "properties": {"a": {"$ref": "https://example.org/a"}}}
        server.tool(free, output_schema=schema)
        async with wire(server, "2025-11-25") as ask:
            return [await listed(ask), await listed(ask)][1]

    assert judged_tool(run(main)["free"]) == tool_output_schema()
    assert caplog.text.count("is left out") == 1


@each_revision
def test_each_version_of_a_tool_is_held_to_its_own_schema(revision):
    async def main():
        server = FastMCP("test", middleware=[ContractMiddleware()])

        @server.tool(name="count", version="1")
        def old() -> list[int]:
            return [1]

        @server.tool(name="count", version="2")
        def new() -> dict[str, int]:
            return {"n": 1}

        async with wire(server, revision) as ask:
            await listed(ask)
            pinned = {"_meta": {"fastmcp": {"version": "1"}}}
            return [
                await ask("tools/call", name="count", arguments={}, **pinned),
                await called(ask, "count"),
            ]

    said = [judged(revision, data)["structuredContent"] for data in run(main)]
    assert [each["success"] for each in said] == [True, True]
    assert [each["output"] for each in said] == [{"result": [1]}, {"n": 1}]


def test_a_tool_that_was_replaced_is_held_to_its_new_schema():
    async def main():
        server = FastMCP("test", middleware=[ContractMiddleware()])
        server.tool(number, name="it")
        async with wire(server, "2025-11-25") as ask:
            await listed(ask)
            await called(ask, "it")
            server.local_provider.remove_tool("it")
            server.tool(leaf, name="it")
            return await called(ask, "it")

    result = judged("2025-11-25", run(main))
    assert (result["isError"], result["structuredContent"]["output"]) == (False, {"n": 1})


# -- servers of servers --------------------------------------------------------


def mounting(child, *middleware):
    parent = FastMCP("parent", middleware=middleware)
    parent.mount(child, namespace="sub")
    return parent


def proxying(child, *middleware):
    proxy = create_proxy(child, name="proxy")
    for each in middleware:
        proxy.add_middleware(each)
    return proxy


@each_revision
@pytest.mark.parametrize("outer", [mounting, proxying])
@pytest.mark.parametrize("inner", [served, added_later])
def test_a_gateway_maps_what_is_not_mapped_already(outer, inner, revision):
    async def main():
        server = outer(inner(), ContractMiddleware())
        async with wire(server, revision) as ask:
            tools = await listed(ask)
            return tools, {name: await called(ask, name) for name in tools}

    tools, results = run(main)
    assert len(tools) == 6
    for name, tool in tools.items():
        said = judged(revision, results[name])["structuredContent"]
        schema = judged_tool(tool)
        plain = name.removeprefix("sub_")
        assert ("then" in schema) is (plain in ("tree", "leaf", "number"))
        assert said["meta"]["command"] == (plain if inner is added_later else name)
        assert said["success"] is (plain != "maybe")
        if plain == "number":
            assert said["output"] == {"result": 5}


@pytest.mark.parametrize("outer", [mounting, proxying])
def test_results_of_a_server_that_has_it_stay_what_they_are_further_out(outer):
    async def main():
        async with wire(outer(added_later()), "2026-07-28") as ask:
            return [await called(ask, name) for name in await listed(ask)]

    for data in run(main):
        judged("2026-07-28", data)


@pytest.mark.parametrize("masked", [False, True])
def test_a_mounted_server_keeps_its_errors_to_itself(masked):
    async def main():
        child = FastMCP("child", mask_error_details=True)

        @child.tool
        def work():
            raise ValueError("secret")

        parent = FastMCP("parent", middleware=[ContractMiddleware()], mask_error_details=masked)
        parent.mount(child)
        async with wire(parent, "2025-11-25") as ask:
            return await called(ask, "work")

    data = run(main)
    assert judged("2025-11-25", data)["structuredContent"]["error"] == "Error calling tool 'work'"
    assert b"secret" not in data


# -- beside other middleware ---------------------------------------------------


@pytest.mark.parametrize(
    "middleware",
    [
        [ErrorHandlingMiddleware(), ContractMiddleware()],
        [ResponseCachingMiddleware(), ContractMiddleware()],
        [ContractMiddleware(), ResponseCachingMiddleware()],
        [ContractMiddleware(), ToolInjectionMiddleware([Tool.from_function(free, name="in")])],
        [ToolInjectionMiddleware([Tool.from_function(free, name="in")]), ContractMiddleware()],
    ],
)
def test_beside_other_middleware_and_transforms(middleware):
    def bad():
        raise ValueError("no")

    async def main():
        server = served(*middleware)
        server.tool(bad)
        server.add_transform(Namespace("api"))
        server.add_transform(ToolTransform({"api_leaf": ToolTransformConfig(name="blatt")}))
        async with wire(server, "2026-07-28") as ask:
            tools = [await listed(ask), await listed(ask)][1]
            calls = {name: await called(ask, name) for name in tools for _ in range(2)}
            return tools, calls

    tools, calls = run(main)
    assert {"api_bad", "blatt"} < tools.keys()
    for tool in tools.values():
        judged_tool(tool)
    for name, data in calls.items():
        failed = name in ("api_bad", "api_maybe")
        assert judged("2026-07-28", data)["isError"] is failed
