"""Where a server listens: standard input and output, or HTTP."""

from __future__ import annotations

import os
import signal
import socket
from typing import TYPE_CHECKING, Any

import anyio
import uvicorn
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from anyio.abc import TaskStatus
    from mcp.server.lowlevel import Server

#: Where a server is found below its address.
PATH = "/mcp"
#: Names under which the loopback is asked for, whatever a server is bound to.
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
#: Connections that wait to be accepted, at most.
BACKLOG = 128
#: Seconds that open HTTP connections get to end when the server is asked to.
GRACE_SECONDS = 3


async def serve_stdio(server: Server[Any]) -> None:
    """Serve one client on standard input and output, until it closes the input."""
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens at an address; port 0 is any that is free. Raises `OSError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(BACKLOG)
        bound.set_inheritable(False)
    except OSError:
        bound.close()
        raise
    return bound


def url_of(host: str, bound: socket.socket) -> str:
    """The URL of a server that listens at a socket which was bound to `host`."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{bound.getsockname()[1]}{PATH}"


async def serve_http(
    server: Server[Any],
    host: str,
    bound: socket.socket,
    allowed_hosts: Sequence[str],
    ready: Callable[[], None],
) -> None:
    """Serve streamable HTTP at a listening socket, until a signal asks to end.

    `ready` is called when it is about to: from then on requests are answered.

    The SDK's protection against DNS rebinding is on: a request must name the
    loopback, the host that was bound or one of `allowed_hosts`, and have no
    foreign origin.
    """
    names = [*LOOPBACK, f"[{host}]" if ":" in host else host, *allowed_hosts]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[name + end for name in names for end in ("", ":*")],
        allowed_origins=[
            f"{scheme}://{name}{end}"
            for scheme in ("http", "https")
            for name in names
            for end in ("", ":*")
        ],
    )
    app = server.streamable_http_app(
        streamable_http_path=PATH, host=host, transport_security=security
    )
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    ready()
    await uvicorn.Server(config).serve(sockets=[bound])


def run_until_signal(
    serve: Callable[[], Awaitable[None]], close: Callable[[], Awaitable[None]] | None = None
) -> int:
    """Serve to the end, 0, or until SIGINT, SIGTERM or SIGHUP: 128 and its number.

    On a signal, `close` is awaited and the process ends at once: a thread may
    wait for standard input, and nothing can wake it.
    """

    async def until_signal(*, task_status: TaskStatus[None]) -> None:
        numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP")]
        with anyio.open_signal_receiver(*numbers) as signals:
            task_status.started()
            async for number in signals:
                if close is not None:
                    await close()
                os._exit(128 + number)

    async def main() -> None:
        async with anyio.create_task_group() as group:
            if os.name == "posix":
                await group.start(until_signal)
            await serve()
            group.cancel_scope.cancel()

    anyio.run(main)
    return 0
