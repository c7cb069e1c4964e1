"""A server of FastMCP, as somebody writes it who adds our middleware to it."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import Middleware
from mcp import MCPError

from sobre.fastmcp import ContractMiddleware


class Closed(Middleware):
    """Refuses the request itself. FastMCP makes a result of all that a tool raises."""

    async def on_call_tool(self, context, call_next):
        if context.message.name == "closed":
            raise MCPError(code=-32602, message="This tool takes no calls.")
        return await call_next(context)


server = FastMCP("weather", middleware=[ContractMiddleware(), Closed()])


@dataclass
class Weather:
    celsius: float
    place: str


@server.tool
def weather(place: str) -> Weather:
    """The temperature at a place."""
    if place != "Lima":
        raise ToolError(f"There is no station in {place}.")
    return Weather(celsius=21.5, place=place)


if __name__ == "__main__":
    if sys.argv[1:] == ["--http"]:
        from over_http import serve

        serve(server.http_app())
    else:
        server.run(show_banner=False)
