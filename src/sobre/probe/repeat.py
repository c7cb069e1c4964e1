"""Comparing runs of one command: what differs that should not."""

from __future__ import annotations

import re

from ..contract.findings import Finding, pointer_to
from ..json_text import DocumentError, read
from ..json_write import equal
from .likely import without_escapes
from .stdout import dissect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .observe import Observation

#: Most fields that are told.
MAX_FIELDS = 10

# A name that tells of time, in snake_case or camelCase, one word of it.
_TIME_NAMES = re.compile(
    r"times?|timestamp|ts|date|datetime|now|today|duration|elapsed|seconds|secs?|millis"
    r"|milliseconds|micros|nanos|ms|us|ns|age|uptime|latency|runtime|took|created|updated"
    r"|modified|started|finished|ended|expires|at|when|clock|epoch|walltime",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?|\d\d?:\d\d(?::\d\d(?:\.\d+)?)?")


def is_time_like(name: str, value: object) -> bool:
    """Whether a member may differ from run to run: by its name, or by its value."""
    if any(map(_TIME_NAMES.fullmatch, _WORD.findall(name))):
        return True
    return isinstance(value, str) and len(value) < 64 and _TIME.fullmatch(value) is not None


def compare_runs(first: Observation, other: Observation) -> list[Finding]:
    """What differs between two runs of one command (`command.repeat.*`)."""
    if first.ending != other.ending:
        told = f"the first run {first.ending}, and another one {other.ending}"
        return [Finding("command.repeat.outcome", "", told)]
    if first.stdout == other.stdout:
        return []
    left, right = _result(first.stdout), _result(other.stdout)
    if left is None or right is None:
        told = "two runs wrote different bytes, and not both can be read"
        return [Finding("command.repeat.output", "", told)]
    found: list[Finding] = []
    for pointer, told in _differences(left[0], right[0]):
        if len(found) == MAX_FIELDS:
            found.append(Finding("command.repeat.output", "", "more fields differ"))
            break
        found.append(Finding("command.repeat.output", pointer, told))
    return found


def _result(data: bytes) -> tuple[Any] | None:
    """The result document, in a tuple since it may be null; None if there is none."""
    piece = dissect(data).result
    try:
        return None if piece is None else (read(data[piece.start : piece.end]),)
    except DocumentError:
        return None


def _differences(left: Any, right: Any) -> Iterator[tuple[str, str]]:
    """Pointers to what differs and is not time-like, with a sentence that shows no value."""
    work: list[tuple[tuple[str | int, ...], Any, Any]] = [((), left, right)]
    while work:
        path, one, two = work.pop()
        if path and is_time_like(str(path[-1]), one) and is_time_like(str(path[-1]), two):
            continue
        if isinstance(one, dict) and isinstance(two, dict):
            for name in sorted(one.keys() ^ two.keys()):
                yield pointer_to((*path, name)), "it is there in one run and not in another"
            work += [((*path, name), one[name], two[name]) for name in one if name in two][::-1]
        elif isinstance(one, list) and isinstance(two, list):
            if len(one) != len(two):
                told = f"it has {len(one)} items in one run and {len(two)} in another"
                yield pointer_to(path), told
            else:
                pairs = zip(one, two, strict=True)
                work += [((*path, at), *pair) for at, pair in enumerate(pairs)][::-1]
        elif not equal(one, two):
            yield pointer_to(path), "its value differs from run to run"


def compare_terminal(piped: Observation, terminal: Observation) -> list[Finding]:
    """What differs at a terminal from what goes into a pipe (`command.terminal`)."""
    if terminal.unstarted is not None or piped.stdout == terminal.stdout:
        return []
    if terminal.waited or terminal.pagers:
        return []  # Told as what it is; its output was not written to the end.
    wanted = _result(piped.stdout)
    found = _result(terminal.stdout)
    if wanted and found and _same(wanted[0], found[0]) and b"\x1b" not in terminal.stdout:
        return []
    plain = _result(without_escapes(terminal.stdout))
    if wanted and plain and _same(wanted[0], plain[0]):
        told = "at a terminal the document is coloured"
    elif wanted and not plain:
        told = "at a terminal there is text instead of the document"
    elif plain and not wanted:
        told = "at a terminal there is a document, and in a pipe there is none"
    else:
        told = "what is written at a terminal differs from what is written into a pipe"
    return [Finding("command.terminal", "", told)]


def _same(left: Any, right: Any) -> bool:
    return next(_differences(left, right), None) is None
