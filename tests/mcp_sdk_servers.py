"""Servers of the official SDK: low-level ones that answer as they are told."""

from __future__ import annotations

import mcp_types as types
from mcp.server.lowlevel import Server

from sobre.mcp import ContractMiddleware

DOMAIN = {"type": "object", "properties": {"copied": {"type": "integer"}}, "required": ["copied"]}


def tool(name, output_schema=None):
    return types.Tool(name=name, input_schema={"type": "object"}, output_schema=output_schema)


def answering(answer, *middleware, pages=None, **settings):
    """A low-level server whose tools answer with what `answer(ctx, name, arguments)` gives.

    `pages` are lists of tools, one a page; without them there is one tool, `copy`.
    """
    pages = [[tool("copy", DOMAIN)]] if pages is None else pages
    listed = []

    async def list_tools(ctx, params):
        at = int((params and params.cursor) or 0)
        listed.append(at)
        following = str(at + 1) if at + 1 < len(pages) else None
        return types.ListToolsResult(tools=pages[at], next_cursor=following)

    async def call_tool(ctx, params):
        return await answer(ctx, params.name, params.arguments or {})

    server = Server("test", on_list_tools=list_tools, on_call_tool=call_tool, **settings)
    server.middleware += middleware
    server.listed = listed
    return server


def mapped(answer, *inner, error_text=None, **settings):
    return answering(answer, ContractMiddleware(error_text=error_text), *inner, **settings)


def result(*content, structured=None, is_error=False, **more):
    blocks = [types.TextContent(type="text", text=c) if isinstance(c, str) else c for c in content]
    return types.CallToolResult(
        content=blocks, structured_content=structured, is_error=is_error, **more
    )


def always(given):
    async def answer(ctx, name, arguments):
        if isinstance(given, BaseException):
            raise given
        return given

    return answer
