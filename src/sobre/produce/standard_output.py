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
        try:
            self._descriptor = os.dup(1)
        except OSError:  # It is closed.
            self._descriptor = None
        _point_at_standard_error()
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
        _flush_c_streams()
        sys.stdout = self._python
        if self._descriptor is None:
            os.close(1)
        else:
            os.dup2(self._descriptor, 1)
            os.close(self._descriptor)
        self._taken = False


def _point_at_standard_error() -> None:
    try:
        os.dup2(2, 1)
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        if nowhere != 1:
            os.close(nowhere)


def _flush(stream: TextIO | None) -> None:
    try:
        if stream is not None:
            stream.flush()
    except (OSError, ValueError):
        pass


def _flush_c_streams() -> None:
    """Have the C library write what it buffers while that still goes to standard error."""
    try:
        import ctypes

        ctypes.CDLL(None).fflush(None)
    except (ImportError, OSError, AttributeError, TypeError):
        pass
