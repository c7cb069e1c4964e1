"""How far a long command has come: one line on a terminal, rewritten in place."""

from __future__ import annotations

from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self, TextIO

#: Seconds before anything is shown: most commands end sooner.
DELAY_SECONDS = 0.3


class ProgressLine:
    """One line that is written over again and again, and is gone at the end.

    It is for a terminal alone, and takes plain ASCII text. A terminal that has
    gone away stops nothing.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._begin = monotonic() + DELAY_SECONDS
        self._shown = 0

    def show(self, text: str) -> None:
        """Show this text instead of the one before."""
        if monotonic() >= self._begin:
            text = text[: _columns() - 1]
            self._write(f"\r{text.ljust(self._shown)}")
            self._shown = len(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._write(f"\r{' ' * self._shown}\r")

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            pass


def _columns() -> int:
    """The width of the terminal: a longer line could not be taken back."""
    from os import get_terminal_size

    try:
        return max(get_terminal_size(2).columns, 20)
    except OSError:
        return 80
