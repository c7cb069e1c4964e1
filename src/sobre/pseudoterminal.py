"""A terminal for a child process to talk to, where the system has pseudo-terminals."""

from __future__ import annotations

import os

#: Rows and columns, as terminals have had since the VT100.
ROWS, COLUMNS = 24, 80


def open_terminal() -> tuple[int, int]:
    """The descriptors of a new terminal: ours, and the child's. Raises `OSError`.

    Output comes through as it was written: no line feed becomes two characters.
    """
    try:
        import fcntl
        import pty
        import struct
        import termios
    except ImportError:
        raise OSError("this system has no pseudo-terminals") from None
    ours, theirs = pty.openpty()
    try:
        modes = termios.tcgetattr(theirs)
        modes[1] &= ~termios.OPOST
        termios.tcsetattr(theirs, termios.TCSANOW, modes)
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    except BaseException:
        os.close(ours)
        os.close(theirs)
        raise
    return ours, theirs


def take_terminal() -> None:
    """In the child: make standard input the terminal that the session belongs to."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
