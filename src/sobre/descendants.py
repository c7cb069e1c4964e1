"""The processes that a process started, and all that those started in turn (Linux, by /proc).

A process can leave its group and its session and outlive its parent, so that
ending its group does not end it. Here nothing gets away: this process takes in
the orphans among its descendants for a while, and ends them. On other systems
there is no such list, and `tree` and `Family.members` are empty.
"""

from __future__ import annotations

import os
import signal
import sys
from threading import Event
from time import monotonic

#: Seconds in which processes may still end by themselves before they are ended.
GRACE_SECONDS = 0.5
#: Seconds in which ended processes must be gone; a process in the kernel's hands may not be.
END_SECONDS = 1.5

_SET_SUBREAPER, _GET_SUBREAPER = 36, 37  # prctl(2)


class Process:
    """A line of the process table: `pid`, `name`, `parent`, `state` (one letter)."""

    __slots__ = ("name", "parent", "pid", "state")

    def __init__(self, pid: int, name: str, state: str, parent: int) -> None:
        self.pid = pid
        self.name = name
        self.state = state
        self.parent = parent


class Family:
    """What this process starts from now on, wherever it goes, until `close`.

    For a program that starts nothing else meanwhile: children from before are
    left alone, and new ones of any origin belong to the family.
    """

    def __init__(self) -> None:
        self._was_subreaper = _subreaper(True)
        self._before = {process.pid for process in _table() if process.parent == os.getpid()}

    def members(self) -> list[Process]:
        """Those that live, zombies left out."""
        return [process for process in self._all() if process.state != "Z"]

    def linger(self) -> list[str]:
        """The names of those that are still there after a moment's grace."""
        deadline = monotonic() + GRACE_SECONDS
        while (members := self.members()) and monotonic() < deadline:
            Event().wait(0.01)
        return [process.name for process in members]

    def end(self) -> None:
        """End all of them. First they are stopped, since what is stopped starts nothing."""
        deadline = monotonic() + END_SECONDS
        while monotonic() < deadline:
            stopped: set[int] = set()
            while new := [one.pid for one in self.members() if one.pid not in stopped]:
                _signal(new, signal.SIGSTOP)
                stopped.update(new)
                if monotonic() > deadline:
                    break
            if not stopped:
                break
            _signal(list(stopped), signal.SIGKILL)
            Event().wait(0.005)
            self._reap()
        self._reap()

    def close(self) -> None:
        """Take in no more orphans, if this process did not before."""
        if self._was_subreaper is False:
            _subreaper(False)

    def _all(self) -> list[Process]:
        return _below(os.getpid(), self._before)

    def _reap(self) -> None:
        """Take the statuses of those that nobody else waits for."""
        for process in self._all():
            if process.state == "Z" and process.parent == os.getpid():
                try:
                    os.waitpid(process.pid, os.WNOHANG)
                except ChildProcessError:
                    pass


def tree(pid: int) -> list[Process]:
    """A process and all that it started, as far as they are still below it."""
    return [one for one in _table() if one.pid == pid] + _below(pid, set())


def _below(root: int, without: set[int]) -> list[Process]:
    children: dict[int, list[Process]] = {}
    for process in _table():
        if process.pid not in without:
            children.setdefault(process.parent, []).append(process)
    found: list[Process] = []
    parents = [root]
    while parents:
        new = children.pop(parents.pop(), [])
        found += new
        parents += [process.pid for process in new]
    return found


def _table() -> list[Process]:
    if not sys.platform.startswith("linux"):
        return []
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    head, _, rest = file.read().rpartition(b")")
            except OSError:
                continue
            fields = rest.split()
            said = head.partition(b"(")[2].decode("utf-8", "replace")
            found.append(Process(int(name), said, fields[0].decode(), int(fields[1])))
    return found


def _signal(pids: list[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except OSError:
            pass


def _subreaper(on: bool) -> bool | None:
    """Have orphaned descendants become children of this process; what was so before."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        import ctypes

        prctl, before = ctypes.CDLL(None).prctl, ctypes.c_int()
        prctl(_GET_SUBREAPER, ctypes.byref(before), 0, 0, 0)
        prctl(_SET_SUBREAPER, int(on), 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        return None
    return bool(before.value)
