"""Talking to a child process: what `processes` does, for one that is asked and answers."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from threading import Event
from time import monotonic

from .processes import KEPT_BYTES, Sink, Stream, _end, _family, _Reader, _signal_group, _start
from .signals import Deferred

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class Conversation:
    """A child process that is talked to: `send` gives it bytes, `take` gets what comes out.

    `take` is called in a thread of its own, with the bytes as they come; it may
    wait, and then the child waits, too. With `close`, or if an exception comes,
    all that was started is ended, wherever it went: for a program that starts
    nothing else meanwhile. Raises `OSError` if the command cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        take: Callable[[bytes], None],
        *,
        stderr: Stream | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.stderr = stderr or Stream(KEPT_BYTES, tail=True)
        self._readers: list[_Reader] = []
        self._stopping = Event()
        self._family = _family()
        theirs, self._input = os.pipe()
        self._process: subprocess.Popen[bytes] | None = None
        try:
            if os.name == "posix":
                os.set_blocking(self._input, False)
            with Deferred():  # Else what was just started could be left alone.
                self._process, pipes = _start(command, False, theirs, False, None, env)
                self._readers.append(_Reader(pipes[0], Sink(take), self._stopping))
                self._readers.append(_Reader(pipes[1], self.stderr, self._stopping))
        except BaseException:
            self.close(0)
            raise
        finally:
            os.close(theirs)

    @property
    def open(self) -> bool:
        """Whether more may come out of it."""
        return self._readers[0].is_alive()

    def send(self, data: bytes, deadline: float) -> None:
        """Write all of this. Raises `OSError` if the child reads no more, or not in time."""
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._input, view[:65536]) :]
            except BlockingIOError:
                left = deadline - monotonic()
                if left <= 0:
                    raise TimeoutError("it does not read what it is sent") from None
                select.select([], [self._input], [], min(left, 0.1))

    def close(self, grace: float) -> tuple[bool, list[str]]:
        """Close its input, give it so many seconds to end, and end what is left.

        Whether it ended by itself, and the names of processes that it left running.
        """
        if self._input >= 0:
            os.close(self._input)
            self._input = -1
        process, left, ended = self._process, [], True
        try:
            if process is not None:
                try:
                    process.wait(grace)
                except subprocess.TimeoutExpired:
                    ended = False
                    _end(process)
                left = self._family.linger() if ended else []
        finally:
            if process is not None:
                _signal_group(process, getattr(signal, "SIGKILL", signal.SIGTERM))
            self._family.end()
            self._family.close()
            self._stopping.set()
            for reader in self._readers:
                reader.close()
        return ended, left
