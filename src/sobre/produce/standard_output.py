"""Standard output kept for one document (specification section 3)."""

from __future__ import annotations

import os
import sys

from ..files import write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


class StandardOutput:
    """The real standard output, held back while other code runs.

    From `take` on, everything that this process and its children write to
    standard output goes to standard error: Python's `sys.stdout`, file
    descriptor 1, C libraries. `write` is the only way to the real one.
    `give_back` puts everything as it was; a program that is about to end does
    not need it, and is better off without: what a C library still buffers then
    goes to standard error, too.
    """

    def __init__(self) -> None:
        self._descriptor: int | None = None
        self._python: TextIO | None = None
        self._taken = False

    def take(self) -> None:
        """Point standard output at standard error, or at nothing if that is closed."""
        self._python = sys.stdout
        _flush(sys.stdout)
        is_closed = not _is_open(1)
        _open_standard_descriptors()
        self._descriptor = None if is_closed else os.dup(1)
        os.dup2(2, 1)
        if sys.stderr is None:
            sys.stderr = _text_stream(2)
        sys.stdout = sys.stderr
        self._taken = True

    @property
    def is_terminal(self) -> bool:
        """Whether the real standard output is a terminal."""
        return self._descriptor is not None and os.isatty(self._descriptor)

    def write(self, data: bytes) -> None:
        """Write bytes to the real standard output. Raises `OSError` if it does not take them."""
        if self._descriptor is None:
            raise OSError("standard output is closed")
        write_all(self._descriptor, data)

    def give_back(self) -> None:
        """Undo `take`."""
        if not self._taken:
            return
        _flush(sys.stdout)
        _flush(self._python)
        flush_c_streams()
        sys.stdout = self._python
        if self._descriptor is None:
            os.close(1)
        else:
            os.dup2(self._descriptor, 1)
            os.close(self._descriptor)
        self._taken = False


def _text_stream(descriptor: int) -> TextIO:
    return open(descriptor, "w", encoding="utf-8", errors="backslashreplace", closefd=False)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _open_standard_descriptors() -> None:
    """Give 0, 1 and 2 something to be, so that no file that is opened takes their place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def _flush(stream: TextIO | None) -> None:
    try:
        if stream is not None:
            stream.flush()
    except (OSError, ValueError):
        pass


def flush_c_streams() -> None:
    """Have the C library write what it buffers while that still goes to standard error."""
    try:
        import ctypes

        ctypes.CDLL(None).fflush(None)
    except (ImportError, OSError, AttributeError, TypeError):
        pass
