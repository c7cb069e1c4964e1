"""Signals that ask a program to end, as an exception, so that what it runs ends with it."""

from __future__ import annotations

import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType


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


def exit_status(stop: KeyboardInterrupt) -> int:
    """The exit status of a process that ended so: 128 and the number of the signal."""
    return 128 + getattr(stop, "number", signal.SIGINT)
