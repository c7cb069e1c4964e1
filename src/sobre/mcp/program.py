"""A server that is a program of ours, and talks over its standard input and output.

The SDK's own transport (2.3) does the same and is not enough for a proxy, which
stands before servers that misbehave: it keeps a line of any length, ends for
good at a byte that is not UTF-8, and tells of noise with a traceback.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from anyio.abc import Process
from mcp.os.posix.utilities import terminate_posix_process_tree
from mcp.os.win32.utilities import (
    close_process_job,
    create_windows_process,
    get_windows_executable_command,
    terminate_windows_process_tree,
)
from mcp.shared.message import SessionMessage

from ..json_place import MAX_BYTES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.os.win32.utilities import ServerProcess

#: Longest message that a server's line may hold, in bytes. A longer line is left out.
MAX_MESSAGE_BYTES = MAX_BYTES
#: Seconds that a program gets to end by itself when its input ends, and then when it is asked to.
GRACE_SECONDS = 2.0

_POLL_SECONDS = 0.01
_NOISE_CHARACTERS = 500
# An id of ours has no more.
_DIGITS = 18


@asynccontextmanager
async def program(
    command: list[str], on_noise: Callable[[str], None]
) -> AsyncIterator[tuple[Any, Any]]:
    """Start a program; the streams of its messages and of those to it. Raises `OSError`.

    What it writes that is no message is told to `on_noise`. When this is left,
    the program and what it started in its process group are ended.
    """
    process = await _start(command)
    incoming, read = anyio.create_memory_object_stream[SessionMessage](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_receive, process, incoming, on_noise)
        tasks.start_soon(_send, process, outgoing, incoming)
        try:
            yield read, write
        finally:
            read.close()
            write.close()
            with anyio.CancelScope(shield=True):
                await _stop(process)
            tasks.cancel_scope.cancel()


async def _start(command: list[str]) -> ServerProcess:
    # The whole environment: the server was meant to be started in it.
    env = dict(os.environ)
    try:
        if sys.platform == "win32":
            name = get_windows_executable_command(command[0])
            return await create_windows_process(name, command[1:], env)
        # In a process group of its own, so that what it starts can be ended with it.
        return await anyio.open_process(command, env=env, stderr=None, start_new_session=True)
    except ValueError as error:  # A NUL in a word.
        raise OSError(22, str(error)) from None


async def _receive(
    process: ServerProcess,
    incoming: MemoryObjectSendStream[SessionMessage],
    on_noise: Callable[[str], None],
) -> None:
    """Pass on what the program writes; read on when nobody wants it, so that it can end."""
    assert process.stdout is not None  # noqa: S101
    lines = _Lines(on_noise)
    async with incoming:
        try:
            while True:
                for line in lines.split(await process.stdout.receive()):
                    message = _message(line, on_noise)
                    if message is not None:
                        await incoming.send(SessionMessage(message))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass
        except (anyio.EndOfStream, OSError):
            return
    try:
        while True:
            await process.stdout.receive()
    except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        pass


async def _send(
    process: ServerProcess,
    outgoing: MemoryObjectReceiveStream[SessionMessage],
    incoming: MemoryObjectSendStream[SessionMessage],
) -> None:
    """Write what is for the program. One that takes no more gives no answers either."""
    assert process.stdin is not None  # noqa: S101
    async with outgoing:
        try:
            async for message in outgoing:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await process.stdin.send(text.encode() + b"\n")
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            await incoming.aclose()


class _Lines:
    """Whole lines out of pieces, none longer than `MAX_MESSAGE_BYTES`."""

    def __init__(self, on_noise: Callable[[str], None]) -> None:
        self._on_noise = on_noise
        self._pieces: list[bytes] = []
        self._size = 0

    def split(self, data: bytes) -> list[bytes]:
        """The lines that end in the next piece."""
        *ends, rest = data.split(b"\n")
        lines = [line for line in map(self._ended, ends) if line is not None]
        self._keep(rest)
        return lines

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > MAX_MESSAGE_BYTES:
            self._pieces = []
        elif piece:
            self._pieces.append(piece)

    def _ended(self, piece: bytes) -> bytes | None:
        self._keep(piece)
        size, line = self._size, b"".join(self._pieces)
        self._pieces, self._size = [], 0
        if size <= MAX_MESSAGE_BYTES:
            return line
        self._on_noise(f"a line of {size:,} bytes, of which {MAX_MESSAGE_BYTES:,} are read at most")
        return None


def _message(line: bytes, on_noise: Callable[[str], None]) -> types.JSONRPCMessage | None:
    """The message that a line is; an error for who waits for an answer that cannot be read."""
    if not line.strip():
        return None
    try:
        return types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError as error:
        text = line.decode(errors="replace")
        on_noise(text[:_NOISE_CHARACTERS].rstrip("\r"))
        try:
            value = json.loads(text, parse_int=str)  # However many digits it has.
        except (ValueError, RecursionError):
            return None
        number = value.get("id") if isinstance(value, dict) and "method" not in value else None
        if not isinstance(number, str) or len(number) > _DIGITS:
            return None
        reason = getattr(error, "errors", list)()[0]["msg"]
        told = types.ErrorData(
            code=types.INTERNAL_ERROR, message=f"The server's answer cannot be read: {reason}"
        )
        return types.JSONRPCError(jsonrpc="2.0", id=int(number), error=told)


async def _stop(process: ServerProcess) -> None:
    """Close its input, give it time to end, then end it and what it started."""
    assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018
    await _close(process.stdin)
    if not await _ends(process):
        if isinstance(process, Process) and sys.platform != "win32":
            await terminate_posix_process_tree(process, GRACE_SECONDS)
        else:
            await terminate_windows_process_tree(process)
        await _ends(process)
    close_process_job(process)
    await _close(process.stdout)


async def _close(stream: Any) -> None:
    try:
        await stream.aclose()
    except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass


async def _ends(process: ServerProcess) -> bool:
    """Whether it ends in time. Its pipes may stay open longer, in what it started."""
    with anyio.move_on_after(GRACE_SECONDS):
        while process.returncode is None:
            await anyio.sleep(_POLL_SECONDS)
    return process.returncode is not None
