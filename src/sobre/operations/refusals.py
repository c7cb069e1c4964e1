"""What the system refuses, as a failure."""

from __future__ import annotations

from ..contract.result import Result, failure
from ..files import reason_of
from .texts import plain

#: Why a path is refused -> code and message; the first that fits.
_KINDS: tuple[tuple[type[Exception], str, str], ...] = (
    (FileNotFoundError, "path_not_found", "The path was not found."),
    (NotADirectoryError, "not_a_folder", "The path is not a folder."),
    (PermissionError, "permission_denied", "The path may not be looked at."),
    (OSError, "read_failed", "The path could not be read."),
    (ValueError, "invalid_path", "The path cannot name anything."),
)


def path_failure(path: str, error: OSError | ValueError) -> Result:
    """The failure for a path that the system refused, or that can name nothing."""
    code, message = next((code, text) for kind, code, text in _KINDS if isinstance(error, kind))
    reason = reason_of(error)
    shown = plain(path)
    return failure(
        message,
        error=f"{shown or 'an empty path'}: {reason}",
        error_code=code,
        details={"path": shown},
    )
