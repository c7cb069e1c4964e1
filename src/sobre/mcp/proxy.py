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

#: What the proxy says to an older server for clients that know no handshake.
_HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT_INFO}

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
        self._shared = Link(target)

    async def close(self) -> None:
        """Close every connection to the server behind, and end its programs."""
        async with anyio.create_task_group() as group:
            for link in list(self._links):
                group.start_soon(self._close, link)

    async def _close(self, link: Link) -> None:
        self._links.discard(link)
        await link.upstream.stop()

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
        upstream = link.upstream
        try:
            return await self._ask(link, ctx)
        except MCPError:
            if not upstream.has_lost_session:
                raise
        return await self._ask(await self._link(ctx), ctx)  # Nothing was done in the old one.

    async def _ask(self, link: Link, ctx: Context) -> HandlerResult:
        """Give a request to the server behind, once."""
        upstream = link.upstream
        try:
            with anyio.fail_after(self.call_seconds) as limit:
                return await link.request(ctx, limit)
        except TimeoutError:
            told = f"gave no answer and no progress within {self.call_seconds:g} seconds"
            return self._unanswered(ctx, "timeout", told)
        except MCPError as error:
            if upstream.has_lost_session or not upstream.is_lost(error):
                raise
            return self._unanswered(ctx, "server_exited", "ended before it answered")

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
        link: Link = _connection(ctx).state.get("sobre_link", self._shared)
        await link.upstream.notify(ctx.method, ctx.params)

    async def _initialize(self, ctx: Context) -> dict[str, Any]:
        """Open the server's connection for a client of 2025, with the client's own handshake."""
        connection = _connection(ctx)
        link = Link(self.target, connection, ctx.params)
        await self._open(link)
        connection.state["sobre_link"] = link
        connection.exit_stack.push_async_callback(self._close, link)
        return link.greeting

    async def _link(self, ctx: Context) -> Link:
        """The connection that a request goes to; one that has ended is opened again."""
        link: Link | None = _connection(ctx).state.get("sobre_link")
        if link is None:
            if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
                raise MCPError(code=types.INVALID_PARAMS, message="Initialize the session first")
            link = self._shared
        async with link.opening_lock:
            if not link.upstream.is_open:
                await self._open(link, ctx)
        return link

    # -- the server behind -----------------------------------------------------

    async def _open(self, link: Link, ctx: Context | None = None) -> None:
        """Connect a link and agree on a revision. Raises `MCPError`.

        `ctx` is the request that wants it, which says the revision of a client without handshake.
        """
        try:
            with anyio.fail_after(START_SECONDS):
                await self._start(link)
                if link.opening is not None:
                    await _shake_hands(link, link.opening)
                elif ctx is None or not await _discover(link.upstream, ctx):
                    if not link.upstream.is_open:  # It did not survive the question.
                        await self._start(link)
                    await _shake_hands(link, _HANDSHAKE)
        except (OSError, TimeoutError, MCPError) as error:
            await self._give_up(link)
            if isinstance(error, MCPError) and not link.upstream.is_lost(error):
                raise
            reason = getattr(error, "strerror", None) or link.upstream.reason
            if isinstance(error, TimeoutError):
                reason = "it took too long"
            message = f"The server behind the proxy, {self.target}, cannot be used: {reason}"
            _log.warning(message)  # A client that probes may never show it.
            raise MCPError(code=types.INTERNAL_ERROR, message=message) from None
        except BaseException:
            await self._give_up(link)
            raise

    async def _start(self, link: Link) -> None:
        link.upstream.end()
        link.upstream = Upstream(self.target)
        await self._tasks.start(link.upstream.run, link.on_request, link.on_notify)
        self._links.add(link)

    async def _give_up(self, link: Link) -> None:
        with anyio.CancelScope(shield=True):
            if link in self._links:
                await self._close(link)


async def _shake_hands(link: Link, params: dict[str, Any]) -> None:
    """The handshake of the 2025 revisions, with what a client said in its own."""
    link.greeting = await link.upstream.request("initialize", params)
    link.upstream.version = str(link.greeting.get("protocolVersion", ""))
    await link.upstream.notify("notifications/initialized", None)


async def _discover(upstream: Upstream, ctx: Context) -> bool:
    """Whether a server speaks the revision of a request."""
    meta = {
        name: value
        for name, value in ((ctx.params or {}).get("_meta") or {}).items()
        if name.startswith("io.modelcontextprotocol/")
    }
    upstream.version = ctx.protocol_version
    try:
        with anyio.fail_after(PROBE_SECONDS):
            answer = await upstream.request("server/discover", {"_meta": meta})
        if ctx.protocol_version in answer.get("supportedVersions", ()):
            return True
    except (MCPError, TimeoutError, TypeError) as error:
        _log.debug("%s does not speak %s: %s", upstream.target, ctx.protocol_version, error)
    upstream.version = ""
    return False


def _connection(ctx: Context) -> Connection:
    """The client's connection. The SDK (2.3) keeps it where only a private name leads."""
    connection: Connection = ctx.session._connection
    return connection
