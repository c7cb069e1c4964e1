"""A client's side and the server's side of a proxy, tied together."""

from __future__ import annotations

import logging
from itertools import count
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.connection import allowed_log_levels
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import progress_token_from_params
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ConfigDict

from .bridge import discovered, for_modern, for_older, with_sound_blocks
from .upstream import Upstream

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp.server.connection import Connection
    from mcp.server.context import ServerRequestContext

    from .upstream import Target

    Context = ServerRequestContext[Any, Any]

_log = logging.getLogger("sobre")


class _Raw(BaseModel):
    """A message as it is, in the SDK's clothes."""

    model_config = ConfigDict(extra="allow")
    method: str
    params: dict[str, Any] | None = None


class _RawResult(BaseModel):
    model_config = ConfigDict(extra="allow")


class Link:
    """One connection to the server behind, and whom its messages are for.

    `connection` is the client's, None for clients without sessions; `opening`
    is what that client sent in its handshake, and `greeting` what the server
    answered to the handshake, if there was one.
    """

    def __init__(
        self,
        target: Target,
        connection: Connection | None = None,
        opening: Mapping[str, Any] | None = None,
    ) -> None:
        self.connection = connection
        self.opening = None if connection is None else dict(opening or {})
        self.greeting: dict[str, Any] = {}
        self.upstream = Upstream(target)
        self.opening_lock = anyio.Lock()
        self._asking: dict[int, Context] = {}
        self._listening: dict[str, Context] = {}
        self._numbers = count(1)

    # -- from the client to the server -----------------------------------------

    async def request(self, ctx: Context, limit: anyio.CancelScope) -> dict[str, Any]:
        """Relay a request; progress gives it as much time again as the limit has left at first.

        Raises `MCPError` with the server's error.
        """
        is_older = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS and not self.upstream.is_modern
        if is_older and ctx.method == "server/discover":
            return discovered(self.greeting)
        params = for_older(ctx.params) if is_older else ctx.params
        number = next(self._numbers)
        self._asking[number] = ctx
        seconds = limit.deadline - anyio.current_time()

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            limit.deadline = anyio.current_time() + seconds
            await ctx.session.report_progress(progress, total, message)

        listening = f"listen-{number}" if ctx.method == "subscriptions/listen" else None
        if listening is not None:
            self._listening[listening] = ctx
            limit.deadline = float("inf")
        try:
            answer = await self.upstream.request(
                ctx.method,
                params,
                on_progress=None if progress_token_from_params(ctx.params) is None else on_progress,
                request_id=listening,
            )
        finally:
            del self._asking[number]
            self._listening.pop(listening or "", None)
        if is_older:
            answer = for_modern(ctx.method, answer, self.greeting)
        if ctx.method == "tools/call":
            answer = with_sound_blocks(answer, ctx.protocol_version)
        return answer

    # -- from the server to the client -----------------------------------------

    async def on_request(
        self, _: object, method: str, params: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """Ask the client what the server asks, and give its answer."""
        if method == "ping":
            return {}
        if self.connection is None:
            message = "The client cannot be asked: its revision of the protocol has no requests"
            raise MCPError(code=types.METHOD_NOT_FOUND, message=f"{message} from a server")
        ctx = self._only_one_asking()
        if ctx is None:
            return await self.connection.send_raw_request(method, params)
        related = ServerMessageMetadata(related_request_id=ctx.request_id)
        asked = _Raw(method=method, params=None if params is None else dict(params))
        answer = await ctx.session.send_request(asked, _RawResult, metadata=related)  # type: ignore[arg-type]
        return answer.model_dump(mode="json")

    async def on_notify(self, _: object, method: str, params: Mapping[str, Any] | None) -> None:
        """Tell the client what the server tells."""
        if method in ("notifications/progress", "notifications/cancelled"):
            return  # They follow the requests that they belong to.
        told = None if params is None else dict(params)
        subscription = _subscription(params)
        if subscription:
            ctx = self._listening.get(subscription)
            if ctx is None or told is None:
                return
            told["_meta"] = {**told["_meta"], SUBSCRIPTION_ID_META_KEY: ctx.request_id}
        elif method == "notifications/message":
            ctx = self._only_one_asking() or self._anyone_on_the_same_pipe()
            if ctx is not None and not self._wants(ctx, told):
                return
        else:
            ctx = None
        if ctx is not None:
            raw = _Raw(method=method, params=told)
            await ctx.session.send_notification(raw, related_request_id=ctx.request_id)  # type: ignore[arg-type]
        elif self.connection is not None:
            await self.connection.notify(method, told)
        else:
            _log.debug("%s is for no client in particular, and dropped", method)

    def _anyone_on_the_same_pipe(self) -> Context | None:
        """Any request of the one client on standard input, if the clients have no sessions."""
        ctx = next(iter(self._asking.values()), None)
        if ctx is None or self.connection is not None:
            return None
        return ctx if ctx.session._connection.has_standalone_channel else None

    def _wants(self, ctx: Context, told: dict[str, Any] | None) -> bool:
        """Whether a request asked for such log messages; a server of 2026-07-28 looks itself."""
        if self.upstream.is_modern:
            return True
        return (told or {}).get("level") in allowed_log_levels(ctx.protocol_version, ctx.meta)

    def _only_one_asking(self) -> Context | None:
        """The request that a message of the server belongs to, if it can be but one."""
        return next(iter(self._asking.values())) if len(self._asking) == 1 else None


def failed_call(ctx: Context, code: str, text: str) -> dict[str, Any]:
    """The answer to a call that the proxy has to give itself."""
    answer: dict[str, Any] = {
        "content": [],
        "structuredContent": {"success": False, "message": text, "error_code": code},
        "isError": True,
    }
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        answer["resultType"] = "complete"
    return answer


def _subscription(params: Mapping[str, Any] | None) -> str:
    """The id of the subscription that a notification is for, as it was sent; "" if none."""
    meta = (params or {}).get("_meta")
    value = meta.get(SUBSCRIPTION_ID_META_KEY) if isinstance(meta, dict) else None
    return value if isinstance(value, str) else ""
