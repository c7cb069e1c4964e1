"""A folder that file operations may not leave."""

from __future__ import annotations

import os

from ..contract.result import Result, failure
from .texts import plain


class Root:
    """The folder at `path`, and everything in it that no link leads out of.

    Raises `OSError` if it cannot be found, `NotADirectoryError` if it is no folder.
    """

    def __init__(self, path: str) -> None:
        self.real = os.path.realpath(path, strict=True)
        if not os.path.isdir(self.real):
            raise NotADirectoryError(20, "Not a directory", path)

    def holds(self, path: str) -> bool:
        """Whether a path, with every link followed, is inside. What can name nothing is."""
        try:
            return self._inside(os.path.realpath(path)) is not None
        except (OSError, ValueError):  # Opening it says why it cannot be.
            return True

    def open(self, path: str, flags: int) -> int:
        """A descriptor of what is inside at a path, as `os.open` gives one.

        No link is followed that was not there when the path was judged, so
        nobody who changes the folder meanwhile can lead it out. Raises
        `OutsideRoot` and what `os.open` raises.
        """
        inside = self._inside(os.path.realpath(path))
        if inside is None:
            raise OutsideRoot(path)
        if not path:  # It names nothing, though its real path is the current folder.
            return os.open(path, flags)
        if os.open not in os.supports_dir_fd or not hasattr(os, "O_NOFOLLOW"):
            return os.open(os.path.join(self.real, inside), flags)
        *folders, last = inside.split(os.sep)
        at = os.open(self.real, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for folder in folders:
                deeper = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
                os.close(at)
                at = deeper
            return os.open(last or os.curdir, flags | os.O_NOFOLLOW, dir_fd=at)
        finally:
            os.close(at)

    def _inside(self, real: str) -> str | None:
        """The path below the root of a path without links; None if it is not there."""
        if os.path.normcase(real) == os.path.normcase(self.real):
            return ""
        start = os.path.join(os.path.normcase(self.real), "")
        if not os.path.normcase(real).startswith(start):
            return None
        return real[len(start) :]


class OutsideRoot(PermissionError):
    """A path leads out of the root."""


def outside_root(path: str) -> Result:
    """The failure for a path that leads out of the root."""
    shown = plain(path)
    return failure(
        "The path leads out of the folder that this server may use.",
        error=f"{shown}: it is outside of the root, or a link on the way leads out",
        error_code="path_outside_root",
        details={"path": shown},
    )
