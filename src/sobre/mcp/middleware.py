"""One line in a server of the official SDK, and every completed call says what happened."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from mcp.shared.exceptions import MCPError
from mcp_types import ErrorData
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from ..produce.tool_result import contract_tool_result, is_complete, unexpected
from .output_schemas import OutputSchemas, published_tool

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

#: Most pages of a server's list of tools that are read to find a tool's output schema.
MAX_PAGES = 100

_log = logging.getLogger("sobre")


class ContractMiddleware:
    """Makes the results of a server's tools contract results (specification section 4).

        MCPServer("name", middleware=[ContractMiddleware()])
        server.middleware.append(ContractMiddleware())  # the low-level Server

    tools/list publishes, for each tool, the bundled output schema with the
    tool's own in it as the domain part of a success. The answer to tools/call
    carries a contract result as `structuredContent`, an `isError` that agrees
    with it, and one text block that serializes it; other content stays.
    Protocol errors, answers that ask for input, and every other message pass
    untouched. An exception that a tool of the low-level server lets out is a
    failure `unexpected_error`; its text goes to the logger `sobre` alone.

    `error_text` is a regular expression, off by default: a text that matches
    makes a failure, with a warning, of what the tool called a success. Raises
    `re.error` if it is none. One instance serves one server.
    """

    def __init__(self, *, error_text: str | None = None) -> None:
        self._error_text = None if error_text is None else re.compile(error_text)
        self._schemas = OutputSchemas()

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Handle one message of a client; for the SDK to call."""
        if ctx.request_id is None:
            return await call_next(ctx)
        if ctx.method == "tools/call":
            return await self._call(ctx, call_next)
        answer = await call_next(ctx)
        return self._listed(_as_wire(answer)) if ctx.method == "tools/list" else answer

    def _listed(self, answer: dict[str, Any]) -> dict[str, Any]:
        tools = answer.get("tools")
        if not isinstance(tools, list):
            return answer
        return {**answer, "tools": [published_tool(tool, self._schemas) for tool in tools]}

    async def _call(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        name = (ctx.params or {}).get("name")
        if not isinstance(name, str):
            return await call_next(ctx)
        start = perf_counter_ns()
        try:
            answer = _as_wire(await call_next(ctx))
        except (MCPError, ValidationError):  # A protocol error, and it stays one.
            raise
        except Exception as error:
            _log.error("The tool %a ended with an unexpected error", name, exc_info=error)
            answer = unexpected(name, error)
            if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
                answer["resultType"] = "complete"
        duration_ms = round((perf_counter_ns() - start) / 1e6, 3)
        may_succeed = is_complete(answer) and answer.get("isError") is not True
        if may_succeed and not self._schemas.knows(name):
            await self._list(ctx, call_next)
        return contract_tool_result(
            answer,
            name,
            duration_ms=duration_ms,
            error_text=self._error_text,
            refuse=self._schemas.refuse(name),
        )

    async def _list(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> None:
        """Learn the output schemas for a client that called without listing."""
        params: dict[str, Any] = {}
        if ctx.params and "_meta" in ctx.params:
            params["_meta"] = ctx.params["_meta"]
        for _ in range(MAX_PAGES):
            try:
                answer = _as_wire(await call_next(replace(ctx, method="tools/list", params=params)))
            except Exception as error:
                _log.debug("The tools could not be listed", exc_info=error)
                return
            cursor = self._listed(answer).get("nextCursor")
            if cursor is None:
                return
            params = {**params, "cursor": cursor}


def _as_wire(answer: HandlerResult) -> dict[str, Any]:
    """An answer as it stands on the wire; the SDK's own way from a model there.

    Middleware further in may answer by itself, and with models in a dictionary.
    Raises `MCPError` if it answers with a protocol error.
    """
    if isinstance(answer, ErrorData):
        raise MCPError.from_error_data(answer)
    if answer is None:
        return {}
    try:
        wire: dict[str, Any] = to_jsonable_python(answer, by_alias=True, exclude_none=True)
    except ValueError:  # What cannot be written is told of in the result.
        if isinstance(answer, dict):
            return answer
        wire = answer.model_dump(by_alias=True, exclude_none=True)
    return wire
