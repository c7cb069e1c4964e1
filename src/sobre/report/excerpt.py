"""The evidence around a place, so that a person sees what a finding is about."""

from __future__ import annotations

import re

from ..json_text import BOM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..evidence.exhibit import Exhibit

#: Most characters of the line that are shown before the place, and from it on.
BEFORE, AFTER = 40, 120
#: Most characters of a line above or below.
BESIDE = 120
# A character has at most so many bytes.
_WIDEST = 4
# The token that begins at the place: a string, a word or number, one character.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[-+.\w]+|.|', re.DOTALL)


class Excerpt:
    """A bounded piece of one line of evidence, as text.

    `marked` is the token at the place, `before` and `after` what surrounds it;
    `begins` and `ends` say whether the line does so there. `above` and `below`
    are the neighbouring lines, cut to their beginnings.
    """

    __slots__ = ("above", "after", "before", "begins", "below", "column", "ends", "line", "marked")

    def __init__(self, data: bytes, place: tuple[int, int, int]) -> None:
        offset, self.line, self.column = place
        before, self.begins = _line_before(data, offset)
        after, self.ends = _line_from(data, offset, AFTER)
        token = _TOKEN.match(after)
        length = token.end() if token else 0
        self.before = before
        self.marked, self.after = after[:length], after[length:]
        self.above = _above(data, offset)
        self.below = _below(data, offset)

    @property
    def text(self) -> str:
        """The piece of the line, with dots where it goes on."""
        start, end = "" if self.begins else "\u2026", "" if self.ends else "\u2026"
        return f"{start}{self.before}{self.marked}{self.after}{end}"


def excerpt(exhibit: Exhibit, place: tuple[int, int, int] | None) -> Excerpt | None:
    """The evidence around a place in a file, or None if there is no such place."""
    if place is None or exhibit.data is None:
        return None
    return Excerpt(exhibit.data, place)


def _line_before(data: bytes, offset: int) -> tuple[str, bool]:
    """What stands before an offset in its line, and whether that is all of it."""
    low = max(0, offset - _WIDEST * (BEFORE + 1))
    start = data.rfind(b"\n", low, offset) + 1
    piece = data[start or low : offset]
    if start == 0 and low == 0:
        piece = piece.removeprefix(BOM)
    text = piece.decode("utf-8", "replace")
    whole = (start > 0 or low == 0) and len(text) <= BEFORE
    return text[-BEFORE:], whole


def _line_from(data: bytes, offset: int, limit: int) -> tuple[str, bool]:
    """What stands from an offset on in its line, and whether that is all of it."""
    if offset == 0:
        offset = len(BOM) if data.startswith(BOM) else 0
    high = offset + _WIDEST * (limit + 1)
    end = data.find(b"\n", offset, high)
    text = data[offset : high if end < 0 else end].decode("utf-8", "replace").removesuffix("\r")
    whole = (end >= 0 or high >= len(data)) and len(text) <= limit
    return text[:limit], whole


def _above(data: bytes, offset: int) -> str | None:
    """The line above, or None if there is none or it begins too far away."""
    end = data.rfind(b"\n", max(0, offset - _WIDEST * (BEFORE + 1)), offset)
    if end < 0:
        return None
    low = max(0, end - _WIDEST * BESIDE)
    start = data.rfind(b"\n", low, end) + 1
    return None if start == 0 and low > 0 else _beginning(data, start)


def _below(data: bytes, offset: int) -> str | None:
    """The line below, or None if there is none or it begins too far away."""
    end = data.find(b"\n", offset, offset + _WIDEST * (AFTER + 1))
    return None if end < 0 or end + 1 == len(data) else _beginning(data, end + 1)


def _beginning(data: bytes, offset: int) -> str:
    text, whole = _line_from(data, offset, BESIDE)
    return text if whole else text + "\u2026"
