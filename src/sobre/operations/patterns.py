"""Glob patterns over the entries of a tree.

A pattern without a slash is matched against the name of an entry. One with a
slash is matched against its whole path relative to the folder that is searched,
with `/` between the parts on every system; `**` as a part stands for any number
of folders, none included, and at the end for everything below. `*` and `?`
never match a slash, `[abc]` and `[!abc]` one character, and names that begin
with a dot are names like any other.
"""

from __future__ import annotations

import os
import re
from fnmatch import translate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: Characters in a pattern, at most.
MAX_PATTERN = 4096


class PatternError(ValueError):
    """A pattern that can match nothing; the text says why."""


class Patterns:
    """Patterns of which any may match. Matching takes no more than linear time a part."""

    __slots__ = ("_names", "_paths")

    def __init__(self, patterns: Iterable[str], *, ignore_case: bool = False) -> None:
        flags = re.IGNORECASE if ignore_case else 0
        names, self._paths = [], []
        for pattern in patterns:
            parts = _parts(pattern)
            if "/" not in pattern.rstrip("/"):
                names.append(translate(parts[0]))
            else:
                self._paths.append(
                    [None if part == "**" else re.compile(translate(part), flags) for part in parts]
                )
        self._names = re.compile("|".join(names), flags) if names else None

    def match(self, folders: tuple[str, ...], name: str) -> bool:
        """Whether an entry matches: the folders on the way to it, and its name."""
        if self._names is not None and self._names.match(name):
            return True
        if not self._paths:
            return False
        path = (*folders, name)
        return any(_match(parts, path) for parts in self._paths)


def _parts(pattern: str) -> list[str]:
    """The parts of a pattern. Raises `PatternError`."""
    if len(pattern) > MAX_PATTERN:
        raise PatternError(f"a pattern has at most {MAX_PATTERN} characters")
    if os.sep != "/":
        pattern = pattern.replace(os.sep, "/")
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    if not parts:
        raise PatternError("a pattern needs at least one name")
    if ".." in parts:
        raise PatternError("a pattern cannot lead out of the folder with `..`")
    if parts[-1] == "**":
        parts.append("*")
    return parts if "/" in pattern.rstrip("/") else parts[-1:]


def _match(parts: list[re.Pattern[str] | None], path: tuple[str, ...]) -> bool:
    """Whether parts match a whole path. Only the last `**` that was met may have to give more."""
    part = place = 0
    retry, retry_place = -1, 0
    while place < len(path):
        wanted = parts[part] if part < len(parts) else _NEVER
        if wanted is None:
            part += 1
            retry, retry_place = part, place
        elif wanted.match(path[place]):
            part += 1
            place += 1
        elif retry < 0:
            return False
        else:
            retry_place += 1
            part, place = retry, retry_place
    return all(wanted is None for wanted in parts[part:])


_NEVER = re.compile(r"(?!)")
