"""What a person is shown of a report: bounded parts, violations first where not all fit."""

from __future__ import annotations

from ..contract.findings import Finding, violations, warnings
from .model import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..evidence.exhibit import Exhibit
    from ..evidence.verify import Problem

    Place = tuple[int, int, int]

#: Most files of a report that are shown, and most findings: of one file, and of all.
MAX_FILES = 500
MAX_FINDINGS_EACH = 100
MAX_FINDINGS = 1000


class Part:
    """One file of a report as it is shown. `rows` are findings with their places."""

    __slots__ = ("exhibit", "hidden", "role", "rows")

    def __init__(self, role: str, exhibit: Exhibit, limit: int) -> None:
        self.role = role
        self.exhibit = exhibit
        self.rows = _chosen(exhibit, limit)
        self.hidden = len(exhibit.judgement.findings) - len(self.rows)

    @property
    def verdict(self) -> str:
        """The file's own verdict, in words."""
        return "conforms" if self.exhibit.conformant else "does not conform"


def _chosen(exhibit: Exhibit, limit: int) -> list[tuple[Finding, Place | None]]:
    found = exhibit.judgement.findings
    rows = list(zip(found, exhibit.places(), strict=True))
    if len(rows) > limit:
        rows.sort(key=lambda row: row[0].severity != "violation")
        rows = rows[:limit]
    return rows


def parts(
    report: Report,
    *,
    files: int = MAX_FILES,
    each: int = MAX_FINDINGS_EACH,
    in_all: int = MAX_FINDINGS,
) -> Iterator[Part]:
    """The files to show, within the limits."""
    left = in_all
    for role, exhibit in report.exhibits[:files]:
        part = Part(role, exhibit, min(each, left))
        left -= len(part.rows)
        yield part


def first(problems: list[Problem]) -> tuple[list[Problem], int]:
    """The problems of a claim that are shown, and how many are not."""
    return problems[:MAX_FINDINGS_EACH], max(0, len(problems) - MAX_FINDINGS_EACH)


def count(findings: list[Finding]) -> str:
    """How many violations and warnings there are, or nothing if there are none."""
    kinds = [(violations(findings), "violation"), (warnings(findings), "warning")]
    named = [plural(len(some), kind) for some, kind in kinds if some]
    return ", ".join(named)


def plural(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
