"""The built-in operations as the tools of an MCP server."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, Any

import anyio
import anyio.from_thread
import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from .. import __version__
from ..contract.compose import tool_output_schema
from ..operations import OPERATIONS, operation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp.server.context import ServerRequestContext

    from ..contract.result import Result
    from ..operations.declaration import Operation
    from ..operations.root import Root


def operations_server(
    names: Sequence[str] = tuple(OPERATIONS), root: Root | None = None
) -> Server[Any]:
    """A server of the operations with these names, their files confined to a root.

    Relative paths are relative to the current directory. Raises `KeyError` for
    a name that is none.
    """
    declared = {name: operation(name) for name in names}
    tools = [_tool(one) for one in declared.values()]

    async def list_tools(
        ctx: ServerRequestContext[Any, Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def call_tool(
        ctx: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if params.name not in declared:
            there_are = ", ".join(declared)
            message = f"Unknown tool {params.name!a:.100}: there are {there_are}"
            raise MCPError(code=types.INVALID_PARAMS, message=message)
        result = await _perform(declared[params.name], params.arguments or {}, root, ctx)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=result.to_json())],
            structured_content=result.to_dict(),
            is_error=not result.success,
        )

    return Server(
        "sobre",
        version=__version__,
        instructions="Every tool answers with a result: `success`, `message`, and evidence of its "
        "own. Compatible with QZX Result Contract v1.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _tool(declared: Operation) -> types.Tool:
    return types.Tool(
        name=declared.name,
        title=declared.summary,
        description=declared.description,
        input_schema=declared.input_schema(),
        output_schema=tool_output_schema(declared.domain_schema()),
        annotations=types.ToolAnnotations(
            title=declared.summary,
            read_only_hint=declared.hints["read_only"],
            destructive_hint=declared.hints["destructive"],
            idempotent_hint=declared.hints["idempotent"],
            open_world_hint=declared.hints["open_world"],
        ),
    )


class _Cancelled(BaseException):
    """Nobody waits for the operation any more."""


async def _perform(
    declared: Operation,
    arguments: dict[str, Any],
    root: Root | None,
    ctx: ServerRequestContext[Any, Any],
) -> Result:
    """The result of an operation that runs in a thread, and tells how far it has come."""
    cancelled, steps = Event(), iter(range(1, 1 << 62))

    def progress(text: str) -> None:
        if cancelled.is_set():
            raise _Cancelled
        anyio.from_thread.run(ctx.session.report_progress, next(steps), None, text)

    def run() -> Result:
        return declared.run(arguments, progress, root)

    try:
        return await anyio.to_thread.run_sync(run, abandon_on_cancel=True)
    finally:
        cancelled.set()
