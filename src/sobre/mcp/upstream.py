"""A live connection to the server behind a proxy, message by message.

Below the SDK's client session, which judges what it receives: a proxy must
also relay what an official client would refuse.
"""

from __future__ import annotations

import logging
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
    mcp_param_headers,
    x_mcp_header_map,
)
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp_types import CONNECTION_CLOSED
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from .. import __version__
from ..json_place import MAX_BYTES
from ..report.escape import bounded
from .program import program

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    from anyio.abc import TaskStatus
    from mcp.shared.dispatcher import CallOptions, OnNotify, OnRequest, ProgressFnT

#: How the proxy calls itself where it speaks for itself.
CLIENT_INFO = {"name": "sobre proxy", "version": __version__}

# How long a server may take for an answer is for the one who calls to say.
_TIMEOUT = httpx2.Timeout(30, read=None, pool=None)

_log = logging.getLogger("sobre")


class Target:
    """The server behind: a command to run, or the URL of its streamable HTTP endpoint."""

    def __init__(
        self, command: list[str] | None = None, url: str = "", headers: Mapping[str, str] = {}
    ) -> None:
        self.command = command
        self.url = url
        self.headers = dict(headers)

    def __str__(self) -> str:
        """What it is called where it is shown: no word of a command or a URL that may be secret."""
        if self.command:
            return self.command[0]
        scheme, _, rest = self.url.partition("://")
        place = re.split(r"[?#]", rest)[0]
        host, slash, path = place.partition("/")
        return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"

    @asynccontextmanager
    async def connect(
        self, on_response: Callable[[httpx2.Response], Awaitable[None]]
    ) -> AsyncIterator[Any]:
        """The two message streams of a new connection. Raises `OSError`.

        `on_response` is told of each HTTP response before its content is read.
        """
        if self.command:
            async with program(self.command, self.tell_noise) as streams:
                yield streams
            return
        async with (
            create_mcp_http_client(headers=self.headers, timeout=_TIMEOUT) as client,
            streamable_http_client(
                self.url, http_client=client, max_sse_event_size=MAX_BYTES
            ) as streams,
        ):
            client.event_hooks = {"response": [on_response]}
            yield streams

    def tell_noise(self, text: str) -> None:
        """Tell who runs the proxy what the server wrote that is no message; it is left out."""
        _log.warning("%s wrote something that is no message: %s", self, bounded(text))


class Upstream:
    """One connection to a target. `run` it in a task of its own; then send, while it `is_open`.

    `closed` comes later, when its program is gone.

    `version` is the protocol revision that was agreed on, "" before that.
    """

    def __init__(self, target: Target) -> None:
        self.target = target
        self.version = ""
        self.closed = anyio.Event()
        self.has_lost_session = False
        self.reason = ""
        self._stop = anyio.Event()
        self._dispatcher: JSONRPCDispatcher[Any] | None = None
        self._parameter_headers: dict[str, Any] = {}

    @property
    def is_open(self) -> bool:
        """Whether something can be sent: it was connected, and the server has not left."""
        return self._dispatcher is not None and not (self._stop.is_set() or self.has_lost_session)

    def is_lost(self, error: MCPError) -> bool:
        """Whether an error means that the server left without an answer."""
        if error.code != CONNECTION_CLOSED:
            return False
        # What the SDK says of an answer that broke off, though others may still come.
        return not self.is_open or error.message.startswith("SSE stream ")

    @property
    def is_modern(self) -> bool:
        """Whether it speaks a revision without a handshake."""
        return self.version in MODERN_PROTOCOL_VERSIONS

    async def run(
        self, on_request: OnRequest, on_notify: OnNotify, *, task_status: TaskStatus[None]
    ) -> None:
        """Connect, and relay until the server leaves or `stop` is called.

        Raises `OSError` if it cannot be started; whatever happens later closes it.
        """
        started = False
        try:
            async with (
                self.target.connect(self._on_response) as (read, write),
                anyio.create_task_group() as tasks,
            ):
                watched: Any = _Watched(read, self._stop)
                dispatcher: JSONRPCDispatcher[Any] = JSONRPCDispatcher(
                    watched, write, on_stream_exception=self._noise
                )
                self._dispatcher = dispatcher

                await tasks.start(dispatcher.run, on_request, on_notify)
                started = True
                task_status.started()
                await self._stop.wait()
                self.reason = "it ended before it had answered"
                tasks.cancel_scope.cancel()
        except Exception as error:
            if not started:
                raise
            self.reason = _reason(error)
            _log.debug("The connection to %s ended", self.target, exc_info=error)
        finally:
            self._stop.set()
            self.closed.set()

    def end(self) -> None:
        """Have the connection closed, and the program ended if it is one."""
        self._stop.set()

    async def stop(self) -> None:
        """End it, and wait until it is gone."""
        self.end()
        await self.closed.wait()

    async def request(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        *,
        on_progress: ProgressFnT | None = None,
        request_id: str | None = None,
    ) -> dict[str, Any]:
        """The result of a request. Raises `MCPError`, also if the connection ends first."""
        if self._dispatcher is None:
            raise MCPError(code=CONNECTION_CLOSED, message="Connection closed")
        options: CallOptions = {"headers": self._headers(method, params or {})}
        if method in ("initialize", "server/discover"):
            options["cancel_on_abandon"] = False
        if on_progress is not None:
            options["on_progress"] = on_progress
        if request_id is not None:
            options["request_id"] = request_id
        result = await self._dispatcher.send_raw_request(method, params, options)
        if method == "tools/list" and self.is_modern:
            self._learn_headers(result)
        return result

    async def notify(self, method: str, params: Mapping[str, Any] | None) -> None:
        """Send a notification; one that cannot be sent any more is dropped."""
        if self._dispatcher is not None:
            await self._dispatcher.notify(method, params, {"headers": self._headers(method, {})})

    def _headers(self, method: str, params: Mapping[str, Any]) -> dict[str, str]:
        """What a message says in its HTTP headers, too, in the agreed revision."""
        if not self.version:
            return {}
        headers = {MCP_PROTOCOL_VERSION_HEADER: self.version}
        if self.is_modern:
            headers[MCP_METHOD_HEADER] = method
            name = params.get(NAME_BEARING_METHODS.get(method, ""))
            if isinstance(name, str):
                headers[MCP_NAME_HEADER] = encode_header_value(name)
                if method == "tools/call":
                    known = self._parameter_headers.get(name, {})
                    headers.update(mcp_param_headers(known, params.get("arguments") or {}))
        return headers

    def _learn_headers(self, listed: dict[str, Any]) -> None:
        for tool in listed.get("tools") or ():
            if isinstance(tool, dict) and isinstance(tool.get("name"), str):
                self._parameter_headers[tool["name"]] = x_mcp_header_map(tool.get("inputSchema"))

    async def _on_response(self, response: httpx2.Response) -> None:
        """See that a server has forgotten the session: it restarted, or the session was idle."""
        if response.status_code == 404 and "mcp-session-id" in response.request.headers:
            self.has_lost_session = True

    async def _noise(self, error: Exception) -> None:
        self.target.tell_noise(str(error).partition("\n")[0])


def _reason(error: BaseException) -> str:
    """Why a connection ended, for a person."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return bounded(str(error) or type(error).__name__)


class _Watched:
    """A stream of messages that says when it ends, before who reads from it learns that."""

    def __init__(self, stream: Any, ended: anyio.Event) -> None:
        self._stream = stream
        self._ended = ended

    @property
    def last_context(self) -> Any:
        """What the SDK keeps beside a message."""
        return getattr(self._stream, "last_context", None)

    async def __aenter__(self) -> _Watched:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._stream.__aexit__(*error)

    def __aiter__(self) -> _Watched:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self._stream.__anext__()
        except BaseException:
            self._ended.set()
            raise
