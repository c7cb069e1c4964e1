"""A row of the table, and the table."""

from dataclasses import asdict, dataclass


@dataclass
class Row:
    """One measurement of ours beside that of something else. The group says in what unit.

    The ratio is ours to the other's. A goal is the most it may be (for times)
    or the least (for rates).
    """

    group: str
    name: str
    value: float
    against: str
    other: float
    at_most: float | None = None
    at_least: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float:
        return round(self.value / self.other, 2)

    @property
    def goal(self) -> str:
        if self.at_most is not None:
            return f"<= {self.at_most}"
        return "" if self.at_least is None else f">= {self.at_least}"

    @property
    def verdict(self) -> str:
        """`holds`, `misses`, or nothing where there is no goal."""
        if self.at_most is not None:
            return "holds" if self.ratio <= self.at_most else "misses"
        if self.at_least is not None:
            return "holds" if self.ratio >= self.at_least else "misses"
        return ""

    def to_dict(self) -> dict:
        """The row as a JSON object; `goal` and `verdict` are null where there is no goal."""
        fields = {**asdict(self), "value": round(self.value, 3), "other": round(self.other, 3)}
        goal = {"goal": self.goal or None, "verdict": self.verdict or None}
        return {**fields, "ratio": self.ratio, **goal}


_RIGHT = {1, 3, 4}


def table(rows: list[Row]) -> str:
    """The rows as aligned text, group by group."""
    cells = [("", "sobre", "against", "", "ratio", "goal", "", ""), *map(_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [_line(cells[0], widths)]
    group = None
    for row, texts in zip(rows, cells[1:], strict=True):
        if row.group != group:
            group = row.group
            lines += ["", group]
        lines.append(_line(texts, widths))
    return "\n".join(lines) + "\n"


def _cells(row: Row) -> tuple[str, ...]:
    return (
        "  " + row.name,
        _number(row.value),
        row.against,
        _number(row.other),
        f"{row.ratio:.2f}",
        row.goal,
        row.verdict,
        row.note,
    )


def _line(texts: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(
        text.rjust(width) if column in _RIGHT else text.ljust(width)
        for column, (text, width) in enumerate(zip(texts, widths, strict=True))
    ).rstrip()


def _number(value: float) -> str:
    """Three digits or more that count."""
    return f"{value:,.{0 if value >= 100 else 1 if value >= 10 else 2}f}"
