"""Texts for results and for people."""

from __future__ import annotations

from ..files import shown_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def plain(text: str) -> str:
    """A path or a name: bytes that are not UTF-8, and halves of surrogate pairs, are escaped."""
    return text if text.isascii() else shown_path(text)


def counted(count: int, noun: str, plural: str = "") -> str:
    """A number with its noun: `1 file`, `2 files`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def size(count: float) -> str:
    """A number of bytes for a person, in powers of 1024."""
    unit = "B"
    for larger in ("KiB", "MiB", "GiB", "TiB", "PiB"):
        if count < 1024:
            break
        count, unit = count / 1024, larger
    return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"


def columns(rows: Sequence[tuple[str, ...]], right: tuple[int, ...] = ()) -> str:
    """Rows as aligned lines, the columns of `right` to the right; line feeds are escaped."""
    cells = [[cell.replace("\n", "\\n") for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = (
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    )
    return "".join(f"{line}\n" for line in lines)
