"""One file of evidence: read once, hashed and judged from the same bytes."""

from __future__ import annotations

from ..contract.findings import Finding
from ..files import read_bounded, reason_of, shown_path
from ..json_text import MAX_BYTES, positions
from ..profiles import Judgement, facts_before, judge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Exhibit:
    """A file of evidence with its bytes and what a profile says of them.

    `file` is the path as it was typed, `data` the bytes or None if the file
    could not be read or is larger than the limit.
    """

    __slots__ = ("data", "file", "judgement")

    def __init__(self, file: str, data: bytes | None, judgement: Judgement) -> None:
        self.file = file
        self.data = data
        self.judgement = judgement

    @property
    def conformant(self) -> bool:
        """Whether the file was read and no finding is a violation."""
        return self.judgement.conformant

    @property
    def sha256(self) -> str | None:
        """The digest of the exact bytes, in lower-case hexadecimal; None if they were not read."""
        if self.data is None:
            return None
        from hashlib import sha256

        return sha256(self.data).hexdigest()

    def places(self) -> list[tuple[int, int, int] | None]:
        """Where each finding is in the file, or None if it has no place there.

        A place is a byte offset, from 0, with its line and column, from 1.
        """
        return self._places(self.judgement.findings)

    def _places(self, found: list[Finding]) -> list[tuple[int, int, int] | None]:
        offsets = [finding.offset for finding in found]
        if self.data is None:
            return [None] * len(found)
        if None in offsets:
            from ..json_exact import locate_all

            unknown = [finding.pointer for finding in found if finding.offset is None]
            located = iter(locate_all(self.data, unknown))
            offsets = [next(located) if offset is None else offset for offset in offsets]
        known = [offset for offset in offsets if offset is not None]
        there = iter(zip(known, positions(self.data, known), strict=True))
        places: list[tuple[int, int, int] | None] = []
        for offset in offsets:
            if offset is None:
                places.append(None)
            else:
                _, (line, column) = next(there)
                places.append((offset, line, column))
        return places

    def place(self, finding: Finding) -> tuple[int, int] | None:
        """Line and column of one finding. For several, `places` reads the file only once."""
        place = self._places([finding])[0]
        return None if place is None else place[1:]

    def findings(self) -> list[dict[str, Any]]:
        """The findings as JSON objects, each with its file, line and column."""
        rows = []
        for finding, place in zip(self.judgement.findings, self.places(), strict=True):
            _, line, column = place or (None, None, None)
            where = {"file": self.file, "line": line, "column": column}
            rows.append({**finding.to_dict(), **where})
        return rows


def examine(
    path: str, profile: str, *, max_bytes: int = MAX_BYTES, regular: bool = False
) -> Exhibit:
    """Read a result's file once and judge its bytes by a profile.

    A file that cannot be read is a finding, and with `regular` so is a pipe or
    a device. Raises `KeyError` for a profile that does not exist.
    """
    facts = facts_before(profile)
    data, unread = _read(path, max_bytes, regular)
    judgement = unread or judge(profile, data, max_bytes=max_bytes)
    if unread is not None:
        unread.facts = facts
    return _exhibit(path, data, judgement, max_bytes)


def exhibit_of(file: str, data: bytes | None, profile: str | None, absence: str = "") -> Exhibit:
    """The exhibit of bytes that are at hand: a result's, or a tool definition's if no profile.

    Without bytes it is like a file that cannot be read, for the reason `absence`.
    """
    from ..profiles.mcp import judge_tool_definition

    if data is None:
        finding = Finding("evidence.unreadable", "", f"the file cannot be read: {absence}")
        facts = facts_before(profile) if profile else {}
        return Exhibit(file, None, Judgement(None, [finding], None, facts))
    return Exhibit(file, data, judge(profile, data) if profile else judge_tool_definition(data))


def examine_tool_definition(
    path: str, *, max_bytes: int = MAX_BYTES, regular: bool = False
) -> Exhibit:
    """Read the file of a tool definition once and judge its output schema."""
    from ..profiles.mcp import judge_tool_definition

    data, unread = _read(path, max_bytes, regular)
    judgement = unread or judge_tool_definition(data, max_bytes=max_bytes)
    return _exhibit(path, data, judgement, max_bytes)


def _read(path: str, max_bytes: int, regular: bool) -> tuple[bytes, Judgement | None]:
    """The bytes of a file, or the judgement that it cannot be read."""
    try:
        return read_bounded(path, max_bytes, regular=regular), None
    except (OSError, ValueError) as error:
        why = f"the file cannot be read: {reason_of(error)}"
        return b"", Judgement(None, [Finding("evidence.unreadable", "", why)])


def _exhibit(path: str, data: bytes, judgement: Judgement, max_bytes: int) -> Exhibit:
    """The exhibit, without bytes that were not read to their end."""
    unread = any(finding.rule == "evidence.unreadable" for finding in judgement.findings)
    whole = not unread and len(data) <= max_bytes
    return Exhibit(shown_path(path), data if whole else None, judgement)
