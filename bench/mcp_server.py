"""A server to measure calls with: `bare`, or with the contract `middleware`."""

import sys

from mcp.server.mcpserver import MCPServer

from sobre.mcp import ContractMiddleware

server = MCPServer(
    "bench", middleware=[ContractMiddleware()] if sys.argv[1] == "middleware" else []
)


@server.tool()
def measure(path: str) -> dict[str, int]:
    """Structured content with a schema of its own, as most tools have."""
    return {"characters": len(path), "number": int(path)}


server.run()
