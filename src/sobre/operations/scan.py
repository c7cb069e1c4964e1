"""A walk over a tree of folders that keeps what was asked for, in bounded memory.

Nothing here recurses, and what disappears or refuses on the way is counted, not
fatal.
"""

from __future__ import annotations

import os
import stat
from time import monotonic

from ..files import reason_of
from .texts import counted, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from .declaration import Progress
    from .patterns import Patterns
    from .root import Root

    #: Path, name, kind, size in bytes (-1 if it has none), modified in nanoseconds.
    Found: TypeAlias = tuple[str, str, str, int, int]

#: Refusals that are told one by one, at most; the others are counted.
MAX_WARNINGS = 50
#: Seconds between two looks at how far it has come.
PROGRESS_SECONDS = 0.1

_ENTRIES_BETWEEN_LOOKS = 0x3FFF
_JUNCTION = 0xA0000003  # IO_REPARSE_TAG_MOUNT_POINT

#: What results are sorted by. Two that are alike there are in the order of their paths.
SORTS: dict[str, Callable[[Found], Any]] = {
    "path": lambda found: found[0],
    "name": lambda found: (found[1], found[0]),
    "size": lambda found: (found[3], found[0]),
    "modified": lambda found: (found[4], found[0]),
}


class Wanted:
    """What a scan keeps. Sizes and moments are inclusive below, a size also above."""

    __slots__ = ("after", "before", "exclude", "kind", "max_size", "min_size", "patterns")

    def __init__(
        self,
        kind: str,
        patterns: Patterns | None,
        exclude: Patterns | None,
        sizes: tuple[int | None, int | None],
        moments: tuple[int | None, int | None],
    ) -> None:
        self.kind = kind
        self.patterns = patterns
        self.exclude = exclude
        self.min_size, self.max_size = sizes
        self.after, self.before = moments

    def admits(self, kind: str, state: os.stat_result) -> bool:
        """Whether an entry has the size and the age; what is no file has no size."""
        if self.min_size is not None and (kind != "file" or state.st_size < self.min_size):
            return False
        if self.max_size is not None and (kind != "file" or state.st_size > self.max_size):
            return False
        if self.after is not None and state.st_mtime_ns < self.after:
            return False
        return self.before is None or state.st_mtime_ns < self.before


class TimeUp(Exception):
    """The scan has taken as long as it may."""


class Scan:
    """One walk: `run`, then its results and counts.

    With `follow_links`, links to folders are entered after all plain folders,
    and no folder is read twice: that ends every loop. A link that leads out of
    the `root` is a link, and what it leads to is not looked at.
    """

    def __init__(
        self,
        wanted: Wanted,
        *,
        max_depth: int | None,
        follow_links: bool,
        keep: int,
        sort: str,
        reverse: bool,
        seconds: float,
        progress: Progress | None,
        root: Root | None = None,
    ) -> None:
        self.wanted = wanted
        self.max_depth = float("inf") if max_depth is None else max_depth
        self.follow_links = follow_links
        self.keep = keep
        self.order, self.reverse = SORTS[sort], reverse
        self.progress = progress
        self.root = root
        self.end = monotonic() + seconds
        self.next_look = min(monotonic() + PROGRESS_SECONDS, self.end)
        self.found: list[Found] = []
        self.matched = self.folders = self.entries = 0
        self.unreadable = self.vanished = self.repeated = self.outside = 0
        self.refusals: list[str] = []
        self.timed_out = False
        self._folders: list[tuple[str, tuple[str, ...]]] = []
        self._links: list[tuple[str, tuple[str, ...]]] = []
        self._seen: set[tuple[int, int]] = set()

    def run(self, root: str) -> None:
        """Walk the tree. Raises `OSError` or `ValueError` if its root cannot be read."""
        with os.scandir(root):
            pass
        self._folders.append((root, ()))
        try:
            while self._folders or self._links:
                if not self._folders:
                    self._links.sort(reverse=True)
                    self._folders.append(self._links.pop())
                self._folder(*self._folders.pop())
        except TimeUp:
            self.timed_out = True
        self._cut()

    @property
    def partial(self) -> bool:
        """Whether something may be missing."""
        return self.timed_out or self.unreadable > 0

    def _folder(self, folder: str, parts: tuple[str, ...]) -> None:
        if monotonic() >= self.next_look:
            self._look()
        try:
            if self.follow_links and self._seen_before(folder):
                self.repeated += 1
                return
            with os.scandir(folder) as entries:
                self.folders += 1
                for entry in entries:
                    self.entries += 1
                    if not self.entries & _ENTRIES_BETWEEN_LOOKS:
                        self._look()
                    self._entry(entry, parts)
        except OSError as error:
            self._refused(folder, error)

    def _entry(self, entry: os.DirEntry[str], parts: tuple[str, ...]) -> None:
        wanted, name = self.wanted, entry.name
        if wanted.exclude is not None and wanted.exclude.match(parts, name):
            return
        try:
            kind, state = self._kind(entry, parts)
            if wanted.kind not in ("any", kind):
                return
            if wanted.patterns is not None and not wanted.patterns.match(parts, name):
                return
            if state is None:
                state = entry.stat(follow_symlinks=False)
        except OSError as error:
            self._refused(entry.path, error)
            return
        if wanted.admits(kind, state):
            size = state.st_size if kind == "file" else -1
            self.found.append((entry.path, name, kind, size, state.st_mtime_ns))
            self.matched += 1
            if len(self.found) > 2 * self.keep + 100:
                self._cut()

    def _kind(
        self, entry: os.DirEntry[str], parts: tuple[str, ...]
    ) -> tuple[str, os.stat_result | None]:
        """What an entry is, and its state if that had to be asked. A folder is kept for later."""
        if entry.is_file(follow_symlinks=False):
            return "file", None
        is_link = entry.is_symlink() or _is_junction(entry)
        if not is_link and entry.is_dir(follow_symlinks=False):
            self._enter(self._folders, entry, parts)
            return "folder", None
        if not is_link:
            return "other", None
        if not self.follow_links:
            return "link", None
        if self.root is not None and not self.root.holds(entry.path):
            self.outside += 1
            return "link", None
        try:
            state = os.stat(entry.path)
        except OSError:  # It leads nowhere, or in a circle.
            return "link", None
        if stat.S_ISDIR(state.st_mode):
            self._enter(self._links, entry, parts)
            return "folder", state
        return ("file" if stat.S_ISREG(state.st_mode) else "other"), state

    def _enter(self, later: list[Any], entry: os.DirEntry[str], parts: tuple[str, ...]) -> None:
        if len(parts) + 1 < self.max_depth:
            later.append((entry.path, (*parts, entry.name)))

    def _seen_before(self, folder: str) -> bool:
        state = os.stat(folder)
        identity = (state.st_dev, state.st_ino)
        if identity in self._seen:
            return True
        self._seen.add(identity)
        return False

    def _cut(self) -> None:
        """Sort what was found, and keep no more than was asked for."""
        self.found.sort(key=self.order, reverse=self.reverse)
        del self.found[self.keep :]

    def _refused(self, path: str, error: OSError) -> None:
        if isinstance(error, (FileNotFoundError, NotADirectoryError)):
            self.vanished += 1
            return
        self.unreadable += 1
        if len(self.refusals) < MAX_WARNINGS:
            self.refusals.append(f"{plain(path)} was left out: {reason_of(error)}.")

    def _look(self) -> None:
        """Tell how far it has come. Raises `TimeUp`."""
        now = monotonic()
        self.next_look = min(now + PROGRESS_SECONDS, self.end)
        if now >= self.end:
            raise TimeUp
        if self.progress is not None:
            self.progress(
                f"{counted(self.matched, 'match', 'matches')} among "
                f"{counted(self.entries, 'entry', 'entries')} of {counted(self.folders, 'folder')}"
            )


def _is_junction(entry: os.DirEntry[str]) -> bool:
    """Whether it is a junction, Windows' other link to a folder."""
    if os.name != "nt":
        return False
    return getattr(entry.stat(follow_symlinks=False), "st_reparse_tag", 0) == _JUNCTION
