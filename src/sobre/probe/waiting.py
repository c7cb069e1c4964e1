"""Seeing that a command waits for input, or has opened a pager, while it runs.

Where the system tells (Linux, /proc), a process that is blocked in reading its
silent standard input is waiting, without doubt. Elsewhere, and for programs
that watch their input as one of several things, the test is an experiment: a
command that has been silent for a while and reacts at once when its input ends
was waiting for it.
"""

from __future__ import annotations

import os
import sys
from time import monotonic

from ..descendants import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from threading import Event

    from ..processes import Stream

#: Seconds of silence after which it is tried whether the command waits for input.
QUIET_SECONDS = 2.0
#: Seconds within which a command that waited reacts to the end of its input.
REACTION_SECONDS = 0.5
#: Programs that show text page by page.
PAGERS = frozenset(("less", "more", "most", "pg", "lv", "moar", "pager", "bat", "batcat", "delta"))

# Most processes and threads that are looked at, each time.
_MOST = 64
# Seconds between two looks.
_PERIOD = 0.04
# The numbers of read and readv; those of poll, select, epoll_wait and their kin.
_READS = {"x86_64": frozenset((0, 19)), "aarch64": frozenset((63, 65))}
_POLLS = {
    "x86_64": frozenset((7, 23, 232, 270, 271, 281, 441)),
    "aarch64": frozenset((22, 72, 73, 441)),
}


class Watch:
    """Looks at a command from time to time while it runs.

    `writer` is our end of its standard input, if that is a silent pipe.
    `stop` is set when a command at a terminal waits for keys: nobody will press any.
    """

    def __init__(
        self, writer: int | None, streams: Sequence[Stream], stop: Event | None = None
    ) -> None:
        self.waited = False
        self.pagers: set[str] = set()
        self._writer = writer
        self._streams = streams
        self._stop = stop
        self._pipe = None if writer is None else f"pipe:[{os.fstat(writer).st_ino}]"
        self._next = self._changed = monotonic()
        self._total = 0
        self._blocked = 0
        self._released: tuple[float, int] | None = None

    def __call__(self, pid: int) -> None:
        """Look, and end the input of a command that waits for it."""
        now = monotonic()
        if now >= self._next:
            self._look(pid, now)
            # Where there are many processes, a look takes long: look less often.
            self._next = now + max(_PERIOD, 8 * (monotonic() - now))

    def _look(self, pid: int, now: float) -> None:
        total = self._written()
        if total != self._total:
            self._total, self._changed = total, now
        if self._released is not None:
            self._notice_reaction(now)
            return
        pids = self._look_for_pagers(pid)
        self._blocked = self._blocked + 1 if any(map(self._reads_input, pids)) else 0
        if self._blocked >= 2:
            self.waited = True
            self.release()
            if self._stop is not None:
                self._stop.set()
        elif (
            self._writer is not None
            and now - self._changed >= QUIET_SECONDS
            and (not pids or any(map(_may_wait, pids)))
        ):
            self._released = (monotonic(), total)
            self.release()

    def release(self) -> None:
        """End the command's standard input."""
        if self._writer is not None:
            os.close(self._writer)
            self._writer = None

    def conclude(self) -> bool:
        """Whether the command, which has ended, waited for input."""
        self._notice_reaction(monotonic(), ended=True)
        return self.waited

    def _written(self) -> int:
        return sum(stream.total for stream in self._streams)

    def _notice_reaction(self, now: float, *, ended: bool = False) -> None:
        if self._released is None or self.waited:
            return
        since, total = self._released
        if now - since <= REACTION_SECONDS and (ended or self._written() != total):
            self.waited = True

    def _look_for_pagers(self, pid: int) -> list[int]:
        processes = tree(pid)[:_MOST]
        self.pagers.update(one.name for one in processes if one.name in PAGERS)
        return [one.pid for one in processes]

    def _reads_input(self, pid: int) -> bool:
        """Whether a thread of the process is blocked in reading our input, or its terminal."""
        reads = _READS.get(_machine(), frozenset())
        return any(self._is_input(pid, call[1]) for call in _system_calls(pid, reads))

    def _is_input(self, pid: int, word: str) -> bool:
        try:
            descriptor = int(word, 16)
            target = os.readlink(f"/proc/{pid}/fd/{descriptor}") if descriptor < 1 << 20 else ""
        except (OSError, ValueError):
            return False
        if self._pipe is not None:
            return target == self._pipe
        return self._stop is not None and target.startswith(("/dev/pts/", "/dev/tty"))


def _may_wait(pid: int) -> bool:
    """Whether a process waits for any of several things, of which its input may be one."""
    polls = _POLLS.get(_machine())
    return polls is None or bool(_system_calls(pid, polls))


def _machine() -> str:
    return os.uname().machine if hasattr(os, "uname") else ""


def _system_calls(pid: int, numbers: frozenset[int]) -> list[list[str]]:
    """The system calls of these numbers that threads of a process are blocked in.

    Each as its words: the number, then the arguments in hexadecimal.
    """
    if not sys.platform.startswith("linux"):
        return []
    calls = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task")[:_MOST]:
            with open(f"/proc/{pid}/task/{thread}/syscall") as file:
                words = file.read(512).split()
            if len(words) > 1 and words[0].isdigit() and int(words[0]) in numbers:
                calls.append(words)
    except OSError:
        pass
    return calls
