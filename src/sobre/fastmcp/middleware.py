"""One line in a FastMCP server, and every completed call says what happened."""

from __future__ import annotations

import logging
import re
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from fastmcp.exceptions import DisabledError, FastMCPError, NotFoundError
from fastmcp.server.middleware import Middleware
from fastmcp.tools import Tool, ToolResult
from fastmcp.tools.base import InputRequiredToolResult
from fastmcp.utilities.versions import VersionSpec
from mcp_types import CallToolResult, TextContent
from pydantic_core import PydanticSerializationError

from ..mcp.output_schemas import OutputSchemas
from ..produce.tool_result import contract_tool_result
from .published_tool import with_output_schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastmcp.server.middleware import CallNext, MiddlewareContext
    from mcp_types import CallToolRequestParams, ListToolsRequest

    from ..produce.tool_result import Refuse

_log = logging.getLogger("sobre")


class ContractMiddleware(Middleware):
    """Makes the results of a server's tools contract results (specification section 4).

        FastMCP("name", middleware=[ContractMiddleware()])
        server.add_middleware(ContractMiddleware())

    tools/list publishes, for each tool, the bundled output schema with the
    tool's own in it as the domain part of a success. The answer to tools/call
    carries a contract result as `structuredContent`, an `isError` that agrees
    with it, and one text block that serializes it; other content and `_meta`
    stay. A tool that raised has failed, in the words that FastMCP has for it:
    details that the server masks stay masked. Protocol errors,
    answers that ask for input, tasks, and every other message pass untouched.

    It maps what comes from further in. So it stands before middleware that
    answers or shortens results, and after `ErrorHandlingMiddleware`, which
    makes protocol errors of what tools raise. On a server that mounts or
    proxies others it maps their tools; what is a contract result already stays
    as it is. FastMCP takes the contract out of the schemas of a mounted or
    proxied server, and this puts it back: it belongs on the server that clients
    talk to.

    `error_text` is a regular expression, off by default: a text that matches
    makes a failure, with a warning, of what the tool called a success. Raises
    `re.error` if it is none.
    """

    def __init__(self, *, error_text: str | None = None) -> None:
        self._error_text = None if error_text is None else re.compile(error_text)
        self._schemas = OutputSchemas()

    async def on_list_tools(
        self,
        context: MiddlewareContext[ListToolsRequest],
        call_next: CallNext[ListToolsRequest, Sequence[Tool]],
    ) -> Sequence[Tool]:
        """Publish the tools with contract output schemas; for FastMCP to call."""
        tools = await call_next(context)
        return [with_output_schema(tool, self._published(tool)) for tool in tools]

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Answer a call with a contract result; for FastMCP to call."""
        start = perf_counter_ns()
        answer: Any
        try:
            answer = await call_next(context)
        except (DisabledError, NotFoundError):  # No protocol error in FastMCP, nor in its words.
            answer = _error_result(f"Unknown tool: {context.message.name!r}")
        except FastMCPError as error:  # What FastMCP itself would make an error result of.
            answer = _error_result(str(error))
        duration_ms = round((perf_counter_ns() - start) / 1e6, 3)
        # An extension may answer with a result of its own kind, such as a task.
        is_result = isinstance(answer, (ToolResult, CallToolResult))
        if not is_result or isinstance(answer, InputRequiredToolResult):
            return answer  # type: ignore[no-any-return]
        refuse = await self._refuse(context)
        name = context.message.name
        try:
            return self._mapped(answer, name, duration_ms, refuse)
        except PydanticSerializationError as error:  # Such as one level too deep for pydantic.
            answer = _error_result(f"The result cannot be written: {error}")
            return self._mapped(answer, name, duration_ms, refuse)

    def _mapped(
        self,
        answer: ToolResult | CallToolResult,
        name: str,
        duration_ms: float,
        refuse: Refuse | None,
    ) -> ToolResult:
        wire = _as_wire(answer)
        mapped = contract_tool_result(
            wire, name, duration_ms=duration_ms, error_text=self._error_text, refuse=refuse
        )
        _forget_wrapper(mapped, wire)
        return ToolResult.from_mcp_result(CallToolResult.model_validate(mapped, by_name=False))

    def _published(self, tool: Tool) -> dict[str, Any]:
        return self._schemas.published(tool.key, tool.output_schema)

    async def _refuse(self, context: MiddlewareContext[CallToolRequestParams]) -> Refuse | None:
        """The check of a success by the schema of the very tool, and version, that was called."""
        name = context.message.name
        key = f"{Tool.make_key(name)}@"
        if context.fastmcp_context is not None:
            try:
                server = context.fastmcp_context.fastmcp
                tool = await server.get_tool(name, _version(context.message))
            except Exception as error:
                _log.debug("The tool %s could not be looked up", name, exc_info=error)
            else:
                if tool is not None:
                    self._published(tool)
                    key = tool.key
        return self._schemas.refuse(key)


def _error_result(text: str) -> ToolResult:
    return ToolResult(content=[TextContent(type="text", text=text)], is_error=True)


def _version(message: CallToolRequestParams) -> VersionSpec | None:
    """The version of the tool that a call asks for, None for the highest."""
    of_fastmcp: Any = (message.meta or {}).get("fastmcp")
    version = of_fastmcp.get("version") if isinstance(of_fastmcp, dict) else None
    if isinstance(version, str):
        return VersionSpec(eq=version)
    return VersionSpec(**version) if isinstance(version, dict) else None


def _as_wire(answer: ToolResult | CallToolResult) -> dict[str, Any]:
    """An answer as it stands on the wire, by way of the SDK's own model."""
    given: Any = answer.to_mcp_result() if isinstance(answer, ToolResult) else answer
    if isinstance(given, list):
        given = CallToolResult(content=given)
    elif isinstance(given, tuple):
        given = CallToolResult(content=given[0], structured_content=given[1])
    wire: dict[str, Any] = given.model_dump(by_alias=True, mode="json", exclude_none=True)
    return wire


def _forget_wrapper(mapped: dict[str, Any], wire: dict[str, Any]) -> None:
    """Take FastMCP's note that the value is under `result` from `_meta`, where it is no longer so.

    FastMCP's client would look there, and find nothing.
    """
    noted = wire.get("_meta", {}).get("fastmcp")
    if isinstance(noted, dict) and "wrap_result" in noted:
        others = {name: value for name, value in noted.items() if name != "wrap_result"}
        meta = {**wire["_meta"], "fastmcp": others}
        if not others:
            del meta["fastmcp"]
        mapped.pop("_meta")
        if meta:
            mapped["_meta"] = meta
