"""Files of evidence and of ours: read within a bound, written whole or not at all."""

from __future__ import annotations

import os
import stat
import sys

from .json_text import MAX_BYTES

#: The file name that means standard input.
STANDARD_INPUT = "-"


def read_bounded(path: str, max_bytes: int = MAX_BYTES, *, regular: bool = False) -> bytes:
    """At most one byte more than `max_bytes` of a file, or of standard input for `-`.

    The one byte shows that there is more; the reader refuses it (`json.size`).
    Raises `OSError` if the file cannot be read, and with `regular` for a pipe or
    a device, at which one may wait for ever.
    """
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise OSError("standard input is closed")
        return _read(sys.stdin.fileno(), max_bytes + 1)
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags | (getattr(os, "O_NONBLOCK", 0) if regular else 0))
    try:
        if regular and not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(22, "is not a regular file", path)
        return _read(descriptor, max_bytes + 1)
    finally:
        os.close(descriptor)


def _read(descriptor: int, limit: int) -> bytes:
    pieces = []
    while limit > 0 and (piece := os.read(descriptor, min(limit, 1 << 20))):
        pieces.append(piece)
        limit -= len(piece)
    return b"".join(pieces)


def write_atomically(path: str, data: bytes) -> None:
    """Write a file so that at every moment its old or its new content is there, whole.

    A symbolic link at the path is replaced, not followed. Raises `OSError` and
    leaves nothing behind if it cannot be done, and for a device or a pipe, which
    are not to be replaced, nor is anything that lies where devices do.
    """
    _refuse_special(path)
    folder, name = os.path.split(path)
    if not name:
        raise IsADirectoryError(21, "the path names a folder", path)
    temporary = os.path.join(folder, f".sobre-{os.getpid()}-{os.urandom(4).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o666)
    try:
        try:
            write_all(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    _flush_folder(folder or ".")


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte to a descriptor. Raises `OSError` if it does not take them."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except BlockingIOError:  # Someone made it non-blocking: wait until it takes more.
            from select import select

            select([], [descriptor], [])


def _refuse_special(path: str) -> None:
    folder = os.path.realpath(os.path.dirname(path))
    if folder == "/dev" or folder.startswith("/dev/"):
        raise OSError(22, "the path is where devices are, no place for a file", path)
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(22, "the path is a device or a pipe, not a file", path)


def _flush_folder(folder: str) -> None:
    """Make the new name last, where the system lets a folder be flushed."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def same_file(left: str, right: str) -> bool:
    """Whether two paths name one file: by any spelling, symbolic link or hard link.

    A path at which nothing stands yet names the place it would take.
    """
    try:
        return os.path.samefile(left, right)
    except (OSError, ValueError):
        return _place(left) == _place(right)


def _place(path: str) -> str:
    try:
        return os.path.normcase(os.path.realpath(path))
    except (OSError, ValueError):  # A folder that was deleted under us, or no path at all.
        return path


def tell(text: str) -> None:
    """Write a message for a person to standard error, which may be closed or full."""
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
        write_all(2, text.encode("utf-8", "backslashreplace"))
    except (OSError, ValueError):
        pass


def shown_path(path: str) -> str:
    """A path as text that any JSON writer takes: bytes that are not UTF-8 are escaped."""
    try:
        data = os.fsencode(path)
    except UnicodeEncodeError:  # Half a surrogate pair, which names no file anywhere.
        data = path.encode("utf-8", "backslashreplace")
    return data.decode("utf-8", "backslashreplace")


def path_of(text: str) -> str:
    """The path that a text in a document names, whatever the locale: the reverse of `shown_path`.

    Bytes that were no UTF-8 stay the escapes that they became.
    """
    return os.fsdecode(text.encode("utf-8", "surrogateescape"))


def reason_of(error: OSError | ValueError) -> str:
    """Why the system refused, in a few words and without the path.

    A `ValueError` is Python's word for a path that can name no file.
    """
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return text[0].lower() + text[1:]
