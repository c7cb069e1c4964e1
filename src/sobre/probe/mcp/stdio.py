"""Talking to a server over its standard input and output, a message a line."""

from __future__ import annotations

from queue import Empty, Full, Queue
from threading import Event
from typing import TYPE_CHECKING

from ...conversation import Conversation
from ...files import reason_of
from ...processes import Stream
from .limits import GRACE_SECONDS, MAX_REPLIES, PENDING, SESSION_MESSAGES, STDERR_BYTES, Clock
from .wire import Journal, Message, Trouble, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .requests import Request, Speech


class StdioLink:
    """A started server. Raises `Trouble` if it does not start."""

    def __init__(
        self, command: Sequence[str], speech: Speech, journal: Journal, max_bytes: int
    ) -> None:
        self._speech = speech
        self._journal = journal
        self._max_bytes = max_bytes
        self._lines = _Lines(max_bytes)
        self._replies = 0
        self._answered: set[int] = set()
        stderr = Stream(STDERR_BYTES, tail=True)
        try:
            self._child = Conversation(command, self._lines.take, stderr=stderr)
        except (OSError, ValueError) as error:
            reason = f"the server cannot be started: {reason_of(error)}"
            raise Trouble("server.not_started", reason) from None

    @property
    def stderr(self) -> bytes:
        """The end of what it wrote to standard error."""
        return self._child.stderr.kept

    def tell(self, message: Request, clock: Clock) -> None:
        """Send a message that has no answer."""
        try:
            self._child.send(message.data + b"\n", clock.deadline)
        except TimeoutError:
            reason = f"the server does not read {message.method}"
            raise Trouble("server.no_answer", reason) from None
        except OSError:
            if self._child.open:
                # It closed its input alone; what it has said already may still come.
                return
            raise Trouble("server.ended", _ended(message.method)) from None

    def ask(self, request: Request, clock: Clock) -> Message:
        """Send a request and wait for its answer. Raises `Trouble` if there is none."""
        self.tell(request, clock)
        while True:
            line = self._next(request.method, clock)
            message = Message(line, self._max_bytes)
            if not message.is_message:
                self._note_noise(message)
            elif message.is_response:
                if self._answers(message, request):
                    return message
            elif "id" in message.value:
                self._reply(message, clock)

    def _next(self, method: str, clock: Clock) -> bytes:
        while True:
            # Asked for in this order, since the last line may come before the end is seen.
            is_open = self._child.open
            try:
                return self._lines.queue.get(timeout=min(0.05, clock.left))
            except Empty:
                pass
            if self._lines.flooded:
                reason = f"more than {self._lines.flooded} came while {method} was asked"
                raise Trouble("server.flood", reason)
            if not is_open and self._lines.queue.empty():
                rest = self._lines.rest()
                if rest:
                    return rest
                raise Trouble("server.ended", _ended(method))
            if not clock.left:
                raise Trouble("server.no_answer", f"there was no answer to {method} in time")

    def _note_noise(self, message: Message) -> None:
        line = message.data.strip()
        if b'"jsonrpc"' in line and line.startswith(b"{") and message.defects:
            reason = f"a line is {message.defects[-1].message}: {quoted(line)}"
            self._journal.note("server.message", reason)
        elif line:
            reason = f"standard output holds {quoted(line)}, which is no message"
            self._journal.note("server.stdout_noise", reason)
        else:
            self._journal.note("server.stdout_noise", "standard output holds an empty line")

    def _answers(self, message: Message, request: Request) -> bool:
        answered = message.value.get("id")
        if type(answered) is int and answered == request.id:
            self._answered.add(answered)
            return True
        again = type(answered) is int and answered in self._answered
        told = "a second response" if again else "a response"
        shown = quoted(str(answered)[:200]) if isinstance(answered, (str, int)) else "none"
        reason = f"{told} came with the id {shown} while {request.method} had {request.id}"
        self._journal.note("server.foreign_id", reason)
        return False

    def _reply(self, message: Message, clock: Clock) -> None:
        self._replies += 1
        if self._replies <= MAX_REPLIES:
            self.tell(self._speech.reply(message.value), clock)

    def close(self, clock: Clock) -> None:
        """End the server, and note what it leaves."""
        self._lines.stop()
        had_ended = not self._child.open
        ended, left = self._child.close(min(GRACE_SECONDS, max(0.2, clock.left)))
        if not ended and not had_ended:
            reason = f"the server still ran {GRACE_SECONDS:g} s after its input was closed"
            self._journal.note("server.does_not_end", reason)
        if left:
            shown = ", ".join(quoted(name) for name in left[:5])
            self._journal.note("server.left_processes", f"these processes were left: {shown}")


def _ended(method: str) -> str:
    return f"the server ended or closed its output before it answered {method}"


class _Lines:
    """The lines of an output, as they come. `flooded` tells in words what limit they passed."""

    def __init__(self, max_bytes: int) -> None:
        self.queue: Queue[bytes] = Queue(PENDING)
        self.flooded = ""
        self._max_line = max_bytes
        self._left = max_bytes * SESSION_MESSAGES
        self._part = bytearray()
        self._stopped = Event()

    def take(self, data: bytes) -> None:
        """Split what came into lines; after a flood, and at the end, it is thrown away."""
        if self.flooded or self._stopped.is_set():
            return
        self._left -= len(data)
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._part += line
            if len(self._part) <= self._max_line:
                self._put(bytes(self._part))
            self._check()
            self._part.clear()
        self._part += rest
        self._check()

    def rest(self) -> bytes:
        """A last line that no line feed ended, once; for when no more can come."""
        rest = bytes(self._part)
        self._part.clear()
        return rest

    def stop(self) -> None:
        """Take no more."""
        self._stopped.set()

    def _check(self) -> None:
        if len(self._part) > self._max_line:
            self.flooded = f"{self._max_line:,} bytes in one message (--max-bytes)"
        elif self._left < 0:
            most = self._max_line * SESSION_MESSAGES
            self.flooded = f"{most:,} bytes in one session ({SESSION_MESSAGES} times --max-bytes)"
        if self.flooded:
            self._part.clear()

    def _put(self, line: bytes) -> None:
        while not self._stopped.is_set() and not self.flooded:
            try:
                self.queue.put(line.removesuffix(b"\r"), timeout=0.1)
                return
            except Full:
                continue
