"""The report as GitHub-flavoured Markdown, for a job summary or a comment.

Text from outside stands in code spans, which know no markup, links, mentions
or HTML, or is plain English that has none to begin with. There is no table, so
none can be broken, and no line begins with text from outside.
"""

from __future__ import annotations

import re

from .escape import bounded, for_log, shell_line
from .excerpt import Excerpt, excerpt
from .model import INDEPENDENT, Report, Table
from .view import count, first, parts, plural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..contract.findings import Finding
    from ..evidence.verify import Claim
    from .view import Part, Place

# A job summary on GitHub holds 1 MiB, so less is shown than elsewhere.
_MAX_FILES, _MAX_FINDINGS_EACH, _MAX_FINDINGS = 200, 50, 200
_LONGEST_FENCE = 32
_LONG_FENCE = re.compile(f"`{{{_LONGEST_FENCE},}}")
# Sentences and code spans in which nothing means anything to Markdown or GitHub:
# no @, #, <, [, *, | or &, no double slash, no word for a link; and nothing at the
# beginning that would begin a block.
_PLAIN = re.compile(
    r"(?=[A-Za-z`]|[0-9]+ )(?:[A-Za-z0-9 ,;()'\".=+/_-]|:(?= |$)|(?<!`)`[^`\n]+`(?!`))+"
)
_LINKS = re.compile(r"//|www\.|\b[0-9a-f]{7}|\bGH-", re.IGNORECASE)


def render(report: Report) -> bytes:
    """The verdict, the claims, every file with its findings, the boundary, the command lines."""
    blocks = [f"## {report.title}: {report.verdict.lower()}"]
    profile = f" Profile `{report.profile}`." if report.profile not in report.summary else ""
    verdict = f"{_mark(report.conformant)} **{report.verdict}.**"
    blocks.append(f"{verdict} {prose(report.summary)}{profile}")
    blocks += map(prose, report.notes)
    blocks += ["\n".join(_claims(report))] if report.claims else []
    blocks += _table(report.table) if report.table else []
    shown = parts(report, files=_MAX_FILES, each=_MAX_FINDINGS_EACH, in_all=_MAX_FINDINGS)
    for part in shown:
        blocks += _part(part)
    if len(report.exhibits) > _MAX_FILES:
        blocks.append(f"And {plural(len(report.exhibits) - _MAX_FILES, 'more file')}.")
    if report.findings:
        blocks.append("### As a whole")
        blocks.append("\n".join(_finding(finding) for finding in report.findings))
    if report.again:
        blocks.append("Check it again:")
        blocks.append("\n".join(f"- {code(shell_line(words), 4096)}" for words in report.again))
    blocks.append(f"{report.boundary} {INDEPENDENT}")
    return ("\n\n".join(blocks) + "\n").encode("utf-8", "backslashreplace")


def code(text: str, limit: int = 300) -> str:
    """Text from outside as a code span out of which nothing leads."""
    shown = for_log(bounded(text, limit)) or " "
    shown = _LONG_FENCE.sub(lambda run: r"\x60" * len(run[0]), shown)
    fence = "`"
    while fence in shown:
        fence += "`"
    pad = " " if shown.strip() and (shown[0] in "` " or shown[-1] in "` ") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def prose(text: str, limit: int = 300) -> str:
    """A sentence as it is if that is plain English, or else as a code span."""
    shown = for_log(bounded(text, limit))
    if not _PLAIN.fullmatch(shown) or _LINKS.search(shown):
        return code(text, limit)
    spans = shown.split("`")
    return "`".join(span if at % 2 else span.replace("_", "\\_") for at, span in enumerate(spans))


def _table(table: Table) -> Iterator[str]:
    """The rows as a list, since in a table of Markdown a cell from outside could end it."""
    yield f"### {table.title}"
    rows = []
    for row in table.rows[:_MAX_FILES]:
        pairs = zip(table.headings[1:], row[1:], strict=True)
        told = "; ".join(f"{heading.lower()}: {prose(cell)}" for heading, cell in pairs if cell)
        rows.append(f"- {code(row[0])}: {told}")
    if len(table.rows) > _MAX_FILES:
        rows.append(f"- and {len(table.rows) - _MAX_FILES:,} more; the JSON report lists them")
    yield "\n".join(rows)


def _mark(good: bool | None) -> str:
    return {True: "\u2705", False: "\u274c", None: "\u2796"}[good]


def _claims(report: Report) -> Iterator[str]:
    for claim in report.claims:
        yield f"- {_mark(claim.holds)} {claim.statement}{_aside(claim, report)}"
        problems, hidden = first(claim.problems)
        for problem in problems:
            yield f"  - `{problem.code}`: {prose(problem.message)}"
        if hidden:
            yield f"  - and {hidden:,} more; the JSON report lists them"


def _aside(claim: Claim, report: Report) -> str:
    if claim.holds is None:
        return " Not checked."
    told = "" if claim.holds else " **This does not hold.**"
    return told if report.counts(claim) else f"{told} It does not count here."


def _part(part: Part) -> Iterator[str]:
    exhibit = part.exhibit
    role = f"{part.role}: " if part.role else ""
    yield f"### {_mark(exhibit.conformant)} {role}{code(exhibit.file)}"
    counts = count(exhibit.judgement.findings)
    digest = exhibit.sha256
    lines = [f"{part.verdict.capitalize()}{f': {counts}' if counts else ''}."]
    lines += [f"SHA-256 `{digest}`"] if digest else ["No SHA-256: it was not read whole."]
    yield "\\\n".join(lines)
    rows = []
    for finding, place in part.rows:
        rows.append(_finding(finding, place, excerpt(exhibit, place)))
    if part.hidden:
        rows.append(f"- and {part.hidden:,} more; the JSON report lists them")
    if rows:
        yield "\n".join(rows)


def _finding(finding: Finding, place: Place | None = None, around: Excerpt | None = None) -> str:
    at = f" at {place[1]}:{place[2]}" if place else ""
    pointer = f" {code(finding.pointer)}" if finding.pointer else ""
    lines = [f"- **{finding.severity.capitalize()}** `{finding.rule}`{at}{pointer}"]
    lines.append(f"  {prose(finding.message)}")
    if around and around.text.strip():
        lines.append(f"  {code(around.text.strip())}")
    if finding.fix:
        lines.append(f"  Fix: {prose(finding.fix)}")
    return "\\\n".join(lines)
