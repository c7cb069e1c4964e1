"""An MCP server in front of another, which tells of every completed call what happened.

Messages are relayed as they are, in both directions; only the tools that are
listed and the results of calls change, by the same middleware that a server
can have itself. A client of the 2025 revisions has a connection of its own to
the server behind, opened with its own handshake. Clients of 2026-07-28 have no
sessions, and share one.
"""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from .. import __version__
from .link import Link, failed_call
from .middleware import ContractMiddleware
from .upstream import CLIENT_INFO, Upstream

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio.abc import TaskGroup
    from mcp.server.connection import Connection
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

    from .upstream import Target

    Context = ServerRequestContext[Any, Any]

#: Seconds that the server behind gets to start and to agree on a revision.
START_SECONDS = 60.0
#: Seconds without an answer after which a server is taken for one of the older revisions.
PROBE_SECONDS = 10.0
#: Seconds that a call may take, without an answer and without progress.
CALL_SECONDS = 600.0

_LATEST_HANDSHAKE = "2025-11-25"
_log = logging.getLogger("sobre")


class Proxy:
    """Relays between the clients of `server` and a target.

    `error_text` is as for `ContractMiddleware`; a call that takes longer than
    `call_seconds` without progress is a failure `timeout`.
    """

    def __init__(
        self, target: Target, *, error_text: str | None = None, call_seconds: float = CALL_SECONDS
    ) -> None:
        self.target = target
        self.call_seconds = call_seconds
        self.server: Server[Any] = Server(
            "sobre proxy", version=__version__, lifespan=self._lifespan
        )
        self.server.middleware += [ContractMiddleware(error_text=error_text), self._relay]
        self._tasks: TaskGroup
        self._links: set[Link] = set()
        self._shared: Link | None = None
        self._opening = anyio.Lock()

    async def close(self) -> None:
        """Close every connection to the server behind, and end its programs."""
        async with anyio.create_task_group() as group:
            for link in list(self._links):
                group.start_soon(link.close)

    @asynccontextmanager
    async def _lifespan(self, _: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        async with anyio.create_task_group() as self._tasks:
            try:
                yield {}
            finally:
                with anyio.CancelScope(shield=True):
                    await self.close()
                self._tasks.cancel_scope.cancel()

    # -- messages from a client ------------------------------------------------

    async def _relay(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """The innermost middleware: what comes here goes to the server behind."""
        if ctx.request_id is None:
            await self._notified(ctx)
            return await call_next(ctx)
        if ctx.method == "ping":
            return await call_next(ctx)
        if ctx.method == "initialize":
            if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
                raise MCPError(code=types.METHOD_NOT_FOUND, message="Method not found")
            return await self._initialize(ctx)
        link = await self._link(ctx)
        try:
            with anyio.fail_after(self.call_seconds) as limit:
                answer = await link.request(ctx, limit)
        except TimeoutError:
            told = f"gave no answer and no progress within {self.call_seconds:g} seconds"
            return self._unanswered(ctx, "timeout", told)
        except MCPError as error:
            if error.code != types.CONNECTION_CLOSED or not await link.upstream.is_lost():
                raise
            return self._unanswered(ctx, "server_exited", "ended before it answered")
        return answer

    def _unanswered(self, ctx: Context, code: str, told: str) -> HandlerResult:
        """What a call comes to that the server behind never answered. Raises for anything else."""
        text = f"The server behind the proxy, {self.target}, {told}."
        if ctx.method != "tools/call":
            raise MCPError(code=types.INTERNAL_ERROR, message=text)
        return failed_call(ctx, code, text)

    async def _notified(self, ctx: Context) -> None:
        """Relay a notification. Cancellations and the like follow from what they end."""
        if ctx.method in ("notifications/cancelled", "notifications/initialized"):
            return
        link = _connection(ctx).state.get("sobre_link", self._shared)
        if link is not None:
            await link.upstream.notify(ctx.method, ctx.params)

    async def _initialize(self, ctx: Context) -> dict[str, Any]:
        """Open the server's connection for a client of 2025, with the client's own handshake."""
        connection = _connection(ctx)
        link = await self._open(Link(connection, ctx.params))
        connection.state["sobre_link"] = link
        connection.exit_stack.push_async_callback(link.close)
        return link.greeting

    async def _link(self, ctx: Context) -> Link:
        """The connection that a request goes to; one that has ended is opened again."""
        link: Link | None = _connection(ctx).state.get("sobre_link")
        async with self._opening:
            if link is not None:
                if link.upstream.has_ended:
                    await self._open(link)
                return link
            if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
                raise MCPError(code=types.INVALID_PARAMS, message="Initialize the session first")
            if self._shared is None or self._shared.upstream.has_ended:
                self._shared = await self._open(self._shared or Link(None, None), ctx)
            return self._shared

    # -- the server behind -----------------------------------------------------

    async def _open(self, link: Link, ctx: Context | None = None) -> Link:
        """Connect a link and agree on a revision. Raises `MCPError`."""
        link.upstream = upstream = Upstream(self.target)
        try:
            with anyio.fail_after(START_SECONDS):
                await self._tasks.start(upstream.run, link.on_request, link.on_notify)
                self._links.add(link)
                if ctx is None:
                    await _shake_hands(link, link.opening or {})
                else:
                    await _discover(link, ctx)
        except BaseException as error:
            await self._give_up(link)
            reason = _why_unusable(error)
            if not reason:
                raise
            message = f"The server behind the proxy, {self.target}, cannot be used: {reason}"
            raise MCPError(code=types.INTERNAL_ERROR, message=message) from None
        return link

    async def _give_up(self, link: Link) -> None:
        with anyio.CancelScope(shield=True):
            if link in self._links:
                await link.close()
        self._links.discard(link)


def _why_unusable(error: BaseException) -> str:
    """Why a connection could not be opened; "" if the error says it, or is none of the server's."""
    if isinstance(error, TimeoutError):
        return "it took too long"
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    if isinstance(error, MCPError) and error.code == types.CONNECTION_CLOSED:
        return "it ended, or was not there, before it had answered"
    return ""


async def _shake_hands(link: Link, params: dict[str, Any]) -> None:
    """The handshake of the 2025 revisions, with what a client said in its own."""
    link.greeting = await link.upstream.request("initialize", params)
    link.upstream.version = str(link.greeting.get("protocolVersion", ""))
    await link.upstream.notify("notifications/initialized", None)


async def _discover(link: Link, ctx: Context) -> None:
    """Find out whether a server speaks the revision of a request; if not, shake hands with it."""
    meta = {
        name: value
        for name, value in ((ctx.params or {}).get("_meta") or {}).items()
        if name.startswith("io.modelcontextprotocol/")
    }
    link.upstream.version = ctx.protocol_version
    try:
        with anyio.fail_after(PROBE_SECONDS):
            await link.upstream.request("server/discover", {"_meta": meta})
    except (MCPError, TimeoutError) as error:
        if link.upstream.has_ended:
            raise
        _log.debug("%s does not speak %s: %s", link.upstream.target, ctx.protocol_version, error)
        link.upstream.version = ""
        await _shake_hands(
            link,
            {"protocolVersion": _LATEST_HANDSHAKE, "capabilities": {}, "clientInfo": CLIENT_INFO},
        )


def _connection(ctx: Context) -> Connection:
    """The client's connection. The SDK (2.3) keeps it where only a private name leads."""
    connection: Connection = ctx.session._connection
    return connection
