"""Contract results over MCP, with FastMCP: `pip install 'sobre[fastmcp]'`."""

from __future__ import annotations

try:
    import fastmcp.server.middleware  # noqa: F401
except ImportError as error:
    advice = "sobre.fastmcp needs FastMCP 4.x: pip install 'sobre[fastmcp]'"
    raise ImportError(f"{advice} ({error})", name=error.name) from error

from .middleware import ContractMiddleware

__all__ = ["ContractMiddleware"]
