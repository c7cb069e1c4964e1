"""The report for a person at a terminal."""

from __future__ import annotations

from ..contract.findings import Finding
from .escape import bounded, for_log
from .model import Report, Table
from .view import count, first, parts, plural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..evidence.verify import Claim
    from .view import Part


# Characters of a cell that the columns after it make room for.
_WIDEST = 40


def render(report: Report) -> bytes:
    """Every file with its verdict and findings, then what concerns them together."""
    lines = list(_table(report.table)) if report.table else []
    in_place = report.table is not None and report.table.in_place
    shown = [] if in_place else list(parts(report))
    lines += [line for part in shown for line in _part(part, report.command != "validate")]
    if len(report.exhibits) > len(shown) and not in_place:
        lines.append(f"  and {plural(len(report.exhibits) - len(shown), 'more file')}")
    for finding in report.findings:
        lines += _finding("", finding)
    for claim in report.claims:
        lines += _claim(claim, report.counts(claim))
    if report.claims or len(report.exhibits) != 1 or report.notes:
        lines.append(_shown(report.summary))
    lines += map(_shown, report.notes)
    return ("\n".join(lines) + "\n").encode("utf-8", "backslashreplace")


def _table(table: Table) -> Iterator[str]:
    """The rows in columns, the last of which is as wide as it likes."""
    rows = [[_shown(cell) for cell in row] for row in [table.headings, *table.rows]]
    columns = range(len(table.headings) - 1)
    widths = [max(len(row[at][:_WIDEST]) for row in rows) for at in columns]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield "  ".join([*cells, row[-1]]).rstrip()
    yield ""


def _shown(text: str) -> str:
    return for_log(bounded(text, 4096))


def _part(part: Part, with_digest: bool) -> Iterator[str]:
    exhibit = part.exhibit
    counts = count(exhibit.judgement.findings)
    label = f"{part.role}: " if part.role else ""
    yield f"{label}{_shown(exhibit.file)}: {part.verdict}{f' ({counts})' if counts else ''}"
    if with_digest and (digest := exhibit.sha256):
        yield f"  sha256 {digest}"
    for finding, place in part.rows:
        yield from _finding(f"{place[1]}:{place[2]} " if place else "", finding)
    if part.hidden:
        yield f"  and {part.hidden:,} more; --format json lists them"


def _finding(place: str, finding: Finding) -> Iterator[str]:
    kind = "warning " if finding.severity == "warning" else ""
    pointer = f" at {_shown(finding.pointer)}" if finding.pointer else ""
    yield f"  {place}{kind}{finding.rule}{pointer}"
    yield f"      {_shown(finding.message)}"
    if finding.fix:
        yield f"      fix: {finding.fix}"


def _claim(claim: Claim, counts: bool) -> Iterator[str]:
    mark = {True: "yes", False: "NO ", None: "-  "}[claim.holds]
    aside = " (not checked)" if claim.holds is None else "" if counts else " (does not count)"
    yield f"  {mark} {claim.statement}{aside}"
    problems, hidden = first(claim.problems)
    for problem in problems:
        yield f"        {problem.code}: {_shown(problem.message)}"
    if hidden:
        yield f"        and {hidden:,} more; --format json lists them"
