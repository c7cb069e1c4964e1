"""Contract results over MCP, with the official SDK: `pip install 'sobre[mcp]'`."""

from __future__ import annotations

try:
    import mcp.server  # noqa: F401
except ImportError as error:
    advice = "sobre.mcp needs the official MCP SDK 2.x: pip install 'sobre[mcp]'"
    raise ImportError(f"{advice} ({error})", name=error.name) from error

from .middleware import ContractMiddleware

__all__ = ["ContractMiddleware"]
