"""The report for a person at a terminal."""

from __future__ import annotations

from ..contract.findings import Finding, violations, warnings
from .escape import for_terminal
from .model import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..evidence.exhibit import Exhibit
    from ..evidence.verify import Claim


def render(report: Report) -> bytes:
    """Every file with its verdict and findings, then what concerns them together."""
    lines = [line for role, exhibit in report.exhibits for line in _exhibit(role, exhibit)]
    for finding in report.findings:
        lines += _finding("", finding)
    for claim in report.claims:
        lines += _claim(claim)
    if report.claims or len(report.exhibits) != 1 or report.notes:
        lines.append(for_terminal(report.summary))
    lines += map(for_terminal, report.notes)
    return ("\n".join(lines) + "\n").encode("utf-8", "backslashreplace")


def _exhibit(role: str, exhibit: Exhibit) -> Iterator[str]:
    found = exhibit.judgement.findings
    verdict = "conforms" if exhibit.conformant else "does not conform"
    label = f"{role}: " if role else ""
    yield f"{label}{for_terminal(exhibit.file)}: {verdict}{_counts(found)}"
    for finding in found:
        line, column = exhibit.place(finding) or (None, None)
        yield from _finding(f"{line}:{column} " if line else "", finding)


def _counts(findings: list[Finding]) -> str:
    counts = [(violations(findings), "violation"), (warnings(findings), "warning")]
    parts = [f"{len(some)} {name}{'s' * (len(some) > 1)}" for some, name in counts if some]
    return f" ({', '.join(parts)})" if parts else ""


def _finding(place: str, finding: Finding) -> Iterator[str]:
    kind = "warning " if finding.severity == "warning" else ""
    pointer = f" at {for_terminal(finding.pointer)}" if finding.pointer else ""
    yield f"  {place}{kind}{finding.rule}{pointer}"
    yield f"      {for_terminal(finding.message)}"
    if finding.fix:
        yield f"      fix: {finding.fix}"


def _claim(claim: Claim) -> Iterator[str]:
    mark = {True: "yes", False: "NO ", None: "-  "}[claim.holds]
    yield f"  {mark} {claim.statement}{' (not checked)' if claim.holds is None else ''}"
    for problem in claim.problems:
        yield f"        {problem.code}: {for_terminal(problem.message)}"
