"""Signals that ask a program to end, as an exception, so that what it runs ends with it."""

from __future__ import annotations

import signal
from threading import current_thread, main_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any


class Terminated(KeyboardInterrupt):
    """The process was asked to end; `number` is the signal that asked."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def end_with_children() -> None:
    """Have SIGTERM and SIGHUP raise `Terminated`, where nobody else handles them.

    For a program; a library leaves its users' signals alone.
    """

    def raise_terminated(number: int, _: FrameType | None) -> None:
        raise Terminated(number)

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, raise_terminated)


class Deferred:
    """While this is entered, signals that Python code handles wait; then they come.

    For the moments in which something is started and nobody has hold of it yet.
    Does nothing outside of the main thread, where no handler runs.
    """

    def __init__(self) -> None:
        self._handlers: dict[int, Any] = {}
        self._came: list[int] = []

    def __enter__(self) -> None:
        if current_thread() is not main_thread():
            return
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and callable(signal.getsignal(number)):
                self._handlers[number] = signal.signal(number, self._note)

    def __exit__(self, *_: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        for number in self._came:
            signal.raise_signal(number)

    def _note(self, number: int, _: FrameType | None) -> None:
        self._came.append(number)


def exit_status(stop: KeyboardInterrupt) -> int:
    """The exit status of a process that ended so: 128 and the number of the signal."""
    return 128 + getattr(stop, "number", signal.SIGINT)
