"""Serve an ASGI application on a free port of the loopback, and say which."""

from __future__ import annotations

import socket
import sys

import uvicorn


def serve(app):
    """Print the address on standard error, as `sobre serve --http` does, and serve."""
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    print(f"server: http://127.0.0.1:{port}/mcp", file=sys.stderr, flush=True)
    # A client's open stream must not hold up the end.
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[listening])
