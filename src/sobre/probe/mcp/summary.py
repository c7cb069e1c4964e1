"""From what was found to a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...contract import CONTRACT_URL
from ...contract.findings import violations
from ...report.model import Report, Table
from ...report.view import count, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...contract.findings import Finding
    from ...evidence.exhibit import Exhibit
    from .judge import Judged, JudgedPair, JudgedTool
    from .secrets import Secrets

#: Most lines of standard error that a note quotes.
STDERR_LINES = 3


def summarize(
    judged: Judged,
    secrets: Secrets,
    *,
    files: dict[tuple[str, str, str], str] | None = None,
    written: Sequence[str] = (),
    again: list[list[str]] | None = None,
) -> Report:
    """The report of a probe.

    `files` names the file of a (revision, case, role), where evidence was
    written; `written` tells a person of it.
    """
    named = files or {}
    exhibits = _tool_exhibits(judged) + _pair_exhibits(judged, named)
    message = _message(judged)
    document: dict[str, Any] = {"success": judged.conformant, "message": message}
    if not judged.conformant:
        code = "conformance_failed" if judged.spoken else "server_unavailable"
        document["error_code"] = code
    document["warnings"] = [
        str(one) for one in _all_findings(judged, exhibits) if one.severity == "warning"
    ]
    document["details"] = {
        "contract": CONTRACT_URL,
        "revisions": [_revision(session, secrets) for session in judged.sessions],
        "tools": [_tool(tool) for tool in judged.tools],
        "pairs": [_pair(pair) for pair in judged.pairs],
        "findings": [
            {**finding.to_dict(), "file": None, "line": None, "column": None}
            for finding in judged.findings
        ]
        + [row for _, exhibit in exhibits for row in exhibit.findings()],
    }
    document["meta"] = {"command": "probe", "schema_version": 1}
    return Report(
        document,
        command="probe",
        profile="",
        exhibits=exhibits,
        findings=judged.findings,
        notes=[*_notes(judged, secrets), *written],
        again=again,
        table=_table(judged),
    )


def _all_findings(judged: Judged, exhibits: list[tuple[str, Exhibit]]) -> list[Finding]:
    return judged.findings + [one for _, each in exhibits for one in each.judgement.findings]


def _tool_exhibits(judged: Judged) -> list[tuple[str, Exhibit]]:
    everywhere = judged.spoken
    return [
        (
            "tool" if tool.revisions == everywhere else f"tool in {', '.join(tool.revisions)}",
            tool.exhibit,
        )
        for tool in judged.tools
    ]


def _pair_exhibits(
    judged: Judged, files: dict[tuple[str, str, str], str]
) -> list[tuple[str, Exhibit]]:
    """The exhibits of the pairs: each that is a file, or each kind of which something is found."""
    shown: dict[Any, tuple[str, list[str], Exhibit]] = {}
    for pair in judged.pairs:
        for role, exhibit in pair.exhibits().items():
            file = files.get((pair.revision, pair.case.name, role))
            name = file or f"{pair.case.name}/{pair.revision}/{exhibit.file}"
            told = pair.with_all_findings(role, name)
            key = file or (pair.case.name, role, tuple(told.judgement.findings))
            shown.setdefault(key, (role, [], told))[1].append(pair.revision)
    return [
        (f"{role} in {', '.join(revisions)}" if len(revisions) > 1 else role, exhibit)
        for role, revisions, exhibit in shown.values()
    ]


def _message(judged: Judged) -> str:
    if not judged.spoken:
        return "The server could not be asked in any revision."
    if judged.pairs:
        good = sum(pair.conformant for pair in judged.pairs)
        told = _count(good, len(judged.pairs), "evidence pair")
        return f"{told}{_besides(judged, good == len(judged.pairs))}."
    good = sum(tool.exhibit.conformant for tool in judged.tools)
    told = _count(good, len(judged.tools), "tool")
    return f"{told}{_besides(judged, good == len(judged.tools))}."


def _count(good: int, of: int, noun: str) -> str:
    if of == 1:
        return f"The {noun} {'conforms' if good else 'does not conform'}"
    return f"{good} of {plural(of, noun)} conform{'s' if good == 1 else ''}"


def _besides(judged: Judged, all_good: bool) -> str:
    broken = violations(judged.findings)
    if not broken:
        return ""
    return f", {'but' if all_good else 'and'} the server has {plural(len(broken), 'violation')}"


def _revision(session: Any, secrets: Secrets) -> dict[str, Any]:
    found = {"revision": session.revision, "spoken": session.spoken}
    if not session.spoken:
        found["reason"] = secrets.without(session.refusal)
    if session.server:
        found["server"] = {name: secrets.without(text) for name, text in session.server.items()}
    if session.listing is not None:
        found["tools"] = len(session.listing.tools)
    return found


def _tool(tool: JudgedTool) -> dict[str, Any]:
    mode = tool.exhibit.judgement.facts.get("output_schema_mode")
    return {
        "name": tool.name,
        "revisions": tool.revisions,
        "conformant": tool.exhibit.conformant,
        "output_schema_mode": mode,
        "advice": _advice(tool.worst),
    }


def _pair(pair: JudgedPair) -> dict[str, Any]:
    return {
        "case": pair.case.name,
        "tool": pair.case.tool,
        "revision": pair.revision,
        "conformant": pair.conformant,
    }


def _advice(worst: Finding | None) -> str:
    return worst.fix if worst is not None else ""


def _table(judged: Judged) -> Table | None:
    if judged.tools:
        rows = [_tool_row(tool, judged) for tool in judged.tools]
        headings = ["Tool", "Output schema", "Found", "Advice"]
        return Table("Tools", headings, rows, in_place=True)
    rows = [_pair_row(pair) for pair in judged.pairs]
    headings = ["Case", "Revision", "Success", "Failure", "Found"]
    return Table("Evidence pairs", headings, rows) if rows else None


def _tool_row(tool: JudgedTool, judged: Judged) -> list[str]:
    judgement = tool.exhibit.judgement
    rules = {finding.rule for finding in judgement.findings}
    mode = judgement.facts.get("output_schema_mode")
    if mode is None:
        mode = "none" if "mcp.output_schema.missing" in rules else "not the contract"
    name = tool.name
    if tool.revisions != judged.spoken:
        name += f" ({', '.join(tool.revisions)})"
    worst = tool.worst
    found = worst.rule if worst is not None else "conforms"
    return [name, mode, found, _advice(worst) or "Nothing to do."]


def _pair_row(pair: JudgedPair) -> list[str]:
    cells = []
    found: list[Finding] = []
    for role, exhibit in pair.exhibits().items():
        each = exhibit.judgement.findings + pair.extra.get(role, [])
        found += each
        if role in pair.pair.cases:
            cells.append("conforms" if not violations(each) else "does not conform")
    counts = count(found)
    return [pair.case.name, pair.revision, *cells, counts or "nothing"]


def _notes(judged: Judged, secrets: Secrets) -> list[str]:
    notes = []
    servers = [session.server for session in judged.sessions if session.server]
    if servers:
        told = " ".join(servers[0].get(name, "") for name in ("name", "version")).strip()
        notes.append(f"The server calls itself {secrets.without(told)}.")
    for session in judged.sessions:
        if not session.spoken and judged.spoken:
            reason = secrets.without(session.refusal or "")
            notes.append(f"It does not speak {session.revision}: {reason}.")
    if not judged.conformant:
        notes += _standard_error(judged, secrets)
    if judged.tools:
        notes.append(
            "No tool was called; --tool NAME --success '{...}' --failure '{...}' judges answers."
        )
    return notes


def _standard_error(judged: Judged, secrets: Secrets) -> list[str]:
    """The last lines of what the server wrote to standard error, where it could not be asked."""
    if judged.spoken:
        return []
    text = judged.sessions[-1].stderr.decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()]
    return [f"standard error: {secrets.without(line)}" for line in lines[-STDERR_LINES:]]
