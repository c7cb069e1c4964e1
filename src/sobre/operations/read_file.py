"""readFile: the text of a file."""

from __future__ import annotations

import errno
import os
import stat

from ..contract.result import Result, failure, success
from ..files import reason_of
from .declaration import Operation, Parameter
from .root import OutsideRoot, Root, outside_root
from .texts import counted, plain

#: Largest file that is read, in bytes, unless the caller sets another limit.
MAX_FILE_BYTES = 16 * 1024 * 1024

#: Why the system refused -> code and message.
_REFUSALS: tuple[tuple[type[OSError], str, str], ...] = (
    (FileNotFoundError, "path_not_found", "The requested path was not found."),
    (PermissionError, "permission_denied", "The file may not be read."),
    (IsADirectoryError, "not_a_file", "The path is a folder, not a file."),
    (NotADirectoryError, "path_not_found", "A part of the path is not a folder."),
)

#: What opening a socket, or a device that is not there, gives.
_NEVER_OPENED = (errno.ENXIO, errno.EOPNOTSUPP)


def read_file(path: str, max_bytes: int = MAX_FILE_BYTES, root: Root | None = None) -> Result:
    """The text of a UTF-8 file as `output`, with its size and number of lines."""
    shown = plain(path)
    try:
        data, size = _read(path, max_bytes, root)
    except ValueError as error:
        return _failed("invalid_path", "The path cannot name a file.", shown, str(error))
    except OutsideRoot:
        return outside_root(path)
    except OSError as error:
        for kind, code, message in _REFUSALS:
            if isinstance(error, kind):
                return _failed(code, message, shown, reason_of(error))
        return _failed("read_failed", "The file could not be read.", shown, reason_of(error))
    if data is None:
        return _failed("not_a_file", "The path is not a regular file.", shown, "not a regular file")
    if len(data) > max_bytes:
        reason = f"the file is larger than the limit of {max_bytes} bytes (--max-bytes)"
        limits = {"size_bytes": size, "max_bytes": max_bytes}
        return _failed("file_too_large", "The file is too large to read.", shown, reason, limits)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is not UTF-8"
        place = {"size_bytes": len(data), "offset": error.start}
        return _failed("not_text", "The file is not UTF-8 text.", shown, reason, place)
    lines = text.count("\n") + (text != "" and not text.endswith("\n"))
    return success(
        f"Read {counted(len(data), 'byte')}, {counted(lines, 'line')}, from {shown}.",
        output=text,
        path=shown,
        size_bytes=len(data),
        line_count=lines,
        encoding="utf-8",
    )


def _read(path: str, max_bytes: int, root: Root | None) -> tuple[bytes | None, int]:
    """At most one byte more than the limit, None if it is no regular file, and its size.

    Opening does not wait for the other end of a pipe.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags) if root is None else root.open(path, flags)
    except OSError as error:
        if error.errno in _NEVER_OPENED:
            return None, 0
        raise
    try:
        state = os.fstat(descriptor)
        if stat.S_ISDIR(state.st_mode):
            raise IsADirectoryError(21, "Is a directory")
        if not stat.S_ISREG(state.st_mode):
            return None, 0
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(max_bytes + 1), state.st_size
    finally:
        os.close(descriptor)


def _failed(
    code: str, message: str, path: str, reason: str, details: dict[str, int] | None = None
) -> Result:
    return failure(
        message,
        error=f"{path or 'an empty path'}: {reason}",
        error_code=code,
        details={"path": path, **(details or {})},
    )


def _human(result: Result) -> str:
    return str(result["output"])


OPERATION = Operation(
    "readFile",
    "the text of a file",
    (
        Parameter("path", "the file to read", required=True, path=True),
        Parameter(
            "max_bytes",
            "read no file larger than this many bytes",
            kind=int,
            minimum=1,
            default=MAX_FILE_BYTES,
        ),
    ),
    read_file,
    description="Read a whole text file in UTF-8. A file that is larger than the limit, or no "
    "text, is a failure that says so; nothing is cut.",
    human=_human,
    takes_root=True,
)
