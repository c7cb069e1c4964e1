"""A live connection to the server behind a proxy, message by message.

Below the SDK's client session, which judges what it receives: a proxy must
also relay what an official client would refuse.
"""

from __future__ import annotations

import logging
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import httpx2
from mcp.client.stdio import StdioServerParameters, stdio_client
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

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from anyio.abc import TaskStatus
    from mcp.shared.dispatcher import CallOptions, OnNotify, OnRequest, ProgressFnT

#: How the proxy calls itself where it speaks for itself.
CLIENT_INFO = {"name": "sobre proxy", "version": __version__}

# How long a server may take for an answer is for the one who calls to say.
_TIMEOUT = httpx2.Timeout(30, read=None)

_MOMENT_SECONDS = 1.0

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
        return self.command[0] if self.command else self.url

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Any]:
        """The two message streams of a new connection. Raises `OSError`."""
        if self.command:
            # The whole environment: the server was meant to be started in it.
            command, *words = self.command
            program = StdioServerParameters(command=command, args=words, env=dict(os.environ))
            async with stdio_client(program) as streams:
                yield streams
            return
        async with (
            create_mcp_http_client(headers=self.headers, timeout=_TIMEOUT) as client,
            streamable_http_client(
                self.url, http_client=client, max_sse_event_size=MAX_BYTES
            ) as streams,
        ):
            yield streams


class Upstream:
    """One connection to a target. `run` it in a task of its own; then send, until it `has_ended`.

    `closed` comes later, when its program is gone.

    `version` is the protocol revision that was agreed on, "" before that.
    """

    def __init__(self, target: Target) -> None:
        self.target = target
        self.version = ""
        self.closed = anyio.Event()
        self._stop = anyio.Event()
        self._dispatcher: JSONRPCDispatcher[Any] | None = None
        self._parameter_headers: dict[str, Any] = {}

    @property
    def has_ended(self) -> bool:
        """Whether nothing can be sent any more: the server left, or was asked to."""
        return self._stop.is_set() or self.closed.is_set()

    async def is_lost(self) -> bool:
        """Whether it has ended, for who was told so a moment before it is known here."""
        with anyio.move_on_after(_MOMENT_SECONDS):
            await self._stop.wait()
        return self.has_ended

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
            async with self.target.connect() as (read, write), anyio.create_task_group() as tasks:
                dispatcher: JSONRPCDispatcher[Any] = JSONRPCDispatcher(
                    read, write, on_stream_exception=self._noise
                )
                self._dispatcher = dispatcher

                async def pump(*, task_status: TaskStatus[None]) -> None:
                    await dispatcher.run(on_request, on_notify, task_status=task_status)
                    self._stop.set()

                await tasks.start(pump)
                started = True
                task_status.started()
                await self._stop.wait()
                tasks.cancel_scope.cancel()
        except Exception as error:
            if not started:
                raise
            _log.debug("The connection to %s ended", self.target, exc_info=error)
        finally:
            self.closed.set()

    async def stop(self) -> None:
        """Close the connection, and end the program if it is one."""
        self._stop.set()
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

    async def _noise(self, error: Exception) -> None:
        """What the server wrote that is no message. It is left out, and who runs it is told."""
        told = str(error).partition("\n")[0]
        _log.warning("%s wrote something that is no message: %s", self.target, told)
