"""A server of the official SDK, as somebody writes it who adds our middleware to it."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from sobre.mcp import ContractMiddleware

server = MCPServer("weather", middleware=[ContractMiddleware()])


@dataclass
class Weather:
    celsius: float
    place: str


@server.tool()
def weather(place: str) -> Weather:
    """The temperature at a place."""
    if place != "Lima":
        raise ToolError(f"There is no station in {place}.")
    return Weather(celsius=21.5, place=place)


@server.tool()
def closed() -> str:
    """A tool that refuses the request itself, as a server does to one that it cannot read."""
    raise MCPError(code=-32602, message="This tool takes no calls.")


if __name__ == "__main__":
    if sys.argv[1:] == ["--http"]:
        from over_http import serve

        serve(server.streamable_http_app())
    else:
        server.run()
