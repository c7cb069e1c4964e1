"""findFiles: files and folders of a tree, by name, size and age."""

from __future__ import annotations

from ..contract.result import Result, success
from .declaration import Operation, Parameter, invalid_arguments
from .refusals import path_failure
from .texts import counted, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .declaration import Progress
    from .root import Root
    from .scan import Found, Scan, Wanted

#: Results that are listed unless the caller sets another limit, and the most there can be:
#: beyond that, a result would be larger than what readers of JSON take.
MAX_RESULTS, MOST_RESULTS = 10_000, 200_000
#: Seconds a scan takes at most unless the caller sets another limit.
MAX_SECONDS = 300.0

_NOUNS = {
    "file": ("file", "files"),
    "folder": ("folder", "folders"),
    "link": ("link", "links"),
    "any": ("entry", "entries"),
}


def find_files(
    path: str = ".",
    pattern: list[str] | None = None,
    exclude: list[str] | None = None,
    ignore_case: bool = False,
    type: str = "file",
    min_size: int | None = None,
    max_size: int | None = None,
    modified_after: str | None = None,
    modified_before: str | None = None,
    max_depth: int | None = None,
    follow_links: bool = False,
    sort: str = "path",
    reverse: bool = False,
    max_results: int = MAX_RESULTS,
    timeout: float = MAX_SECONDS,
    progress: Progress | None = None,
    root: Root | None = None,
) -> Result:
    """The entries below a folder that meet every condition.

    What the system refuses to show makes the result `partial` and is named in
    its warnings; entries that disappear meanwhile are counted.
    """
    given = (type, pattern, exclude, ignore_case, min_size, max_size)
    wanted, problems = _wanted(*given, modified_after, modified_before)
    if wanted is None:
        return invalid_arguments(problems)
    from .scan import Scan

    scan = Scan(
        wanted,
        max_depth=max_depth,
        follow_links=follow_links,
        keep=max_results,
        sort=sort,
        reverse=reverse,
        seconds=timeout,
        progress=progress,
        root=root,
    )
    try:
        scan.run(path)
    except (OSError, ValueError) as error:
        return path_failure(path, error)
    return _found(plain(path), scan, _NOUNS[type], max_results, timeout)


def _wanted(
    kind: str,
    pattern: list[str] | None,
    exclude: list[str] | None,
    ignore_case: bool,
    min_size: int | None,
    max_size: int | None,
    after: str | None,
    before: str | None,
) -> tuple[Wanted | None, list[tuple[str, str]]]:
    """The conditions, or what is wrong with them."""
    from .moments import nanoseconds
    from .patterns import PatternError, Patterns
    from .scan import Wanted

    problems = []
    patterns: dict[str, Patterns | None] = {}
    for name, texts in (("pattern", pattern), ("exclude", exclude)):
        try:
            patterns[name] = Patterns(texts, ignore_case=ignore_case) if texts else None
        except PatternError as error:
            problems.append((name, str(error)))
    moments: dict[str, int | None] = {}
    for name, text in (("modified_after", after), ("modified_before", before)):
        try:
            moments[name] = None if text is None else nanoseconds(text)
        except ValueError:
            reason = "expected a date or a moment in ISO 8601, such as 2026-12-01T18:30:00Z"
            problems.append((name, reason))
    if min_size is not None and max_size is not None and min_size > max_size:
        problems.append(("min_size", "it is larger than max_size"))
    if problems:
        return None, problems
    sizes = (min_size, max_size)
    limits = (moments["modified_after"], moments["modified_before"])
    return Wanted(kind, patterns["pattern"], patterns["exclude"], sizes, limits), []


def _found(
    path: str, scan: Scan, nouns: tuple[str, str], max_results: int, timeout: float
) -> Result:
    from .moments import utc

    count, truncated = len(scan.found), scan.matched > len(scan.found)
    place = "the current folder" if path == "." else path
    message = f"Found {counted(scan.matched, *nouns)} in {place}"
    warnings = list(scan.refusals)
    if truncated:
        message += f"; the first {count:,} are listed" if count > 1 else "; the first is listed"
        warnings.append(f"The limit is {counted(max_results, 'result')} (--max-results).")
    if scan.unreadable > len(scan.refusals):
        warnings.append(f"{scan.unreadable - len(scan.refusals):,} more were left out.")
    if scan.outside:
        told = counted(scan.outside, "link leads", "links lead")
        warnings.append(f"{told} out of the root, and what is there was not looked at.")
    if scan.timed_out:
        warnings.append(f"The search ended early, after {timeout:g} seconds (--timeout).")
    message += "; the search is incomplete." if scan.partial else "."
    return success(
        message,
        path=path,
        count=count,
        matched=scan.matched,
        files=[_entry(found, utc) for found in scan.found],
        scanned={
            "folders": scan.folders,
            "entries": scan.entries,
            "unreadable": scan.unreadable,
            "vanished": scan.vanished,
            "repeated": scan.repeated,
        },
        partial=scan.partial,
        truncated=truncated,
        warnings=warnings,
    )


def _entry(found: Found, utc: Callable[[int], str | None]) -> dict[str, Any]:
    path, name, kind, size, modified = found
    entry = {
        "path": path,
        "name": name,
        "type": kind,
        "size_bytes": size if size >= 0 else None,
        "modified": utc(modified),
    }
    if not path.isascii() and plain(path) != path:
        entry.update(path=plain(path), name=plain(name), escaped=True)
    return entry


def _human(result: Result) -> str:
    return "".join(entry["path"].replace("\n", "\\n") + "\n" for entry in result["files"])


OPERATION = Operation(
    "findFiles",
    "find files and folders by name, size and age",
    (
        Parameter("path", "the folder to search", default=".", positional=True, path=True),
        Parameter(
            "pattern",
            "a glob pattern, any of which may match: without a slash it is matched against the "
            "name, with one against the path relative to the folder, where ** stands for any "
            "number of folders (default: everything)",
            kind=list,
        ),
        Parameter(
            "exclude",
            "leave out what matches this pattern, and do not enter such folders",
            kind=list,
        ),
        Parameter("ignore_case", "take capital and small letters in patterns as one", kind=bool),
        Parameter(
            "type",
            "the kind of entry to find; without follow_links a symbolic link is a link, "
            "whatever it leads to",
            choices=("file", "folder", "link", "any"),
            default="file",
        ),
        Parameter("min_size", "only files of at least this many bytes", kind=int, minimum=0),
        Parameter("max_size", "only files of at most this many bytes", kind=int, minimum=0),
        Parameter(
            "modified_after",
            "only what was modified at this moment or later: ISO 8601, local time unless it "
            "has an offset",
        ),
        Parameter("modified_before", "only what was modified before this moment: ISO 8601"),
        Parameter(
            "max_depth",
            "how deep to go: 1 is the entries of the folder itself (default: no limit)",
            kind=int,
            minimum=1,
        ),
        Parameter(
            "follow_links",
            "enter folders that symbolic links lead to; no folder is read twice",
            kind=bool,
        ),
        Parameter(
            "sort",
            "the order of the results; those that are alike are in the order of their paths",
            choices=("path", "name", "size", "modified"),
            default="path",
        ),
        Parameter("reverse", "turn the order round", kind=bool),
        Parameter(
            "max_results",
            "list at most this many, the first in the order",
            kind=int,
            minimum=1,
            maximum=MOST_RESULTS,
            default=MAX_RESULTS,
        ),
        Parameter(
            "timeout",
            "search for at most this many seconds",
            kind=float,
            minimum=0,
            maximum=86_400,
            default=MAX_SECONDS,
        ),
    ),
    find_files,
    description="Find files and folders below a folder by name, size, age and depth. Reads names "
    "and sizes, never content. `partial` is true if a folder could not be read or the time was up "
    "(see `warnings`), `truncated` if more matched than are listed.",
    human=_human,
    tells_progress=True,
    takes_root=True,
)
