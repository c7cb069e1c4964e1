"""What all reading of JSON shares: its limits, its error, and places in a document."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Deepest nesting of arrays and objects that is read.
MAX_DEPTH = 512
#: Most bytes one document may have, unless the caller sets another limit.
MAX_BYTES = 64 * 1024 * 1024
#: The UTF-8 byte order mark. One is tolerated at the start of a document.
BOM = b"\xef\xbb\xbf"
#: The characters that JSON allows between tokens.
WHITE_SPACE = " \t\n\r"


class DocumentError(ValueError):
    """Bytes that are not one strict JSON document (specification section 1).

    `rule` is the json.* rule, `reason` a sentence. `offset` is the byte, from
    0, where reading stopped; `line` and `column` are the same place for a
    person, from 1: lines end at a line feed, columns count Unicode characters,
    and a byte order mark counts as no column.
    """

    def __init__(self, rule: str, reason: str, offset: int, line: int, column: int) -> None:
        super().__init__(f"{rule}: {reason} (line {line}, column {column}, byte {offset})")
        self.rule = rule
        self.reason = reason
        self.offset = offset
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.rule, self.reason, self.offset, self.line, self.column)


def document_error(data: bytes, rule: str, reason: str, offset: int) -> DocumentError:
    """A `DocumentError` at a byte offset of `data`, with its line and column."""
    line, column = position(data, offset)
    return DocumentError(rule, reason, offset, line, column)


def position(data: bytes, offset: int) -> tuple[int, int]:
    """Line and column, from 1, of a byte offset (see `DocumentError` for the units)."""
    return positions(data, [offset])[0]


def positions(data: bytes, offsets: list[int]) -> list[tuple[int, int]]:
    """What `position` says of each offset, with one pass for all of them.

    An offset is where a character begins, or the end.
    """
    at = len(BOM) if data.startswith(BOM) else 0
    line, column, found = 1, 1, {}
    for offset in sorted(set(offsets)):
        start = data.rfind(b"\n", at, max(at, offset)) + 1
        if start:
            line += data.count(b"\n", at, start)
            at, column = start, 1
        column += len(data[at:offset].decode("utf-8", "replace"))
        at = max(at, offset)
        found[offset] = line, column
    return [found[offset] for offset in offsets]
