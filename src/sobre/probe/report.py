"""What a probe found, as a report that every format can show."""

from __future__ import annotations

from ..contract import CONTRACT_URL
from ..contract.findings import Finding, violations, warnings
from ..report.escape import bounded, shell_line
from ..report.model import Report
from .credentials import masked, spans

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..evidence.exhibit import Exhibit
    from .folder import Written
    from .runs import ProbedCommand

#: The rule whose finding comes first -> the error code of a probe that found it.
CODES = {
    "command.not_started": "command_not_started",
    "command.timeout": "command_timeout",
    "command.signal": "command_signalled",
}


def of_probe(
    probed: Sequence[ProbedCommand],
    written: Written | None,
    secrets: Mapping[str, bytes],
    again: list[list[str]],
) -> Report:
    """The report of one command, or of a pair with the folder that was written."""
    exhibits: list[tuple[str, Exhibit]] = [(one.role, one.exhibit) for one in probed]
    whole = written.findings if written else []
    broken = [found for _, exhibit in exhibits for found in violations(exhibit.judgement.findings)]
    broken += violations(whole)
    document: dict[str, Any] = {"success": not broken, "message": _message(probed, len(broken))}
    if broken:
        document["error_code"] = CODES.get(broken[0].rule, "contract_violation")
    document["details"] = {
        "contract": CONTRACT_URL,
        "runs": [_row(one) for one in probed],
        "evidence": written.names if written and written.names else None,
        "violations": [str(finding) for finding in broken],
        "findings": [_located(one, row) for one in probed for row in one.exhibit.findings()]
        + [finding.to_dict() for finding in whole],
    }
    found = [item for _, exhibit in exhibits for item in exhibit.judgement.findings] + whole
    document["warnings"] = [str(finding) for finding in warnings(found)]
    document["meta"] = {"command": "probe", "schema_version": 1}
    notes = [note for one in probed for note in _notes(one, secrets)]
    notes += written.notes if written else []
    return Report(
        document,
        command="probe",
        profile="command",
        exhibits=exhibits,
        findings=whole,
        notes=notes,
        again=again,
    )


def _message(probed: Sequence[ProbedCommand], broken: int) -> str:
    names = [f"`{bounded(shell_line(one.shown), 200)}`" for one in probed]
    verb = "does" if len(names) == 1 else "do"
    if not broken:
        verb = "answers" if len(names) == 1 else "answer"
        return f"{' and '.join(names)} {verb} as the command profile wants."
    count = f"{broken} violation{'' if broken == 1 else 's'}"
    return f"{' and '.join(names)} {verb} not answer as the command profile wants: {count}."


def _located(one: ProbedCommand, row: dict[str, Any]) -> dict[str, Any]:
    return {"role": one.role, **row} if one.role else row


def _row(one: ProbedCommand) -> dict[str, Any]:
    """A run for a machine."""
    seen = one.seen
    return {
        "role": one.role or None,
        "command": [bounded(word, 4096) for word in one.shown],
        "runs": one.runs,
        "started": seen.unstarted is None,
        "exit_status": seen.status,
        "signal": seen.signal,
        "timed_out": seen.timed_out,
        "duration_ms": round(seen.seconds * 1000, 3),
        "stated_success": one.exhibit.judgement.success,
        "stdout_bytes": seen.stdout_bytes,
        "stdout_sha256": None if seen.cut else one.exhibit.sha256,
        "stderr_bytes": seen.stderr_bytes,
        "waited_for_input": seen.waited,
        "conformant": one.exhibit.conformant,
    }


def _notes(one: ProbedCommand, secrets: Mapping[str, bytes]) -> list[str]:
    """What was seen of a run, for a person."""
    seen = one.seen
    name = f"{one.role}: " if one.role else ""
    line = bounded(shell_line(one.shown), 400)
    if seen.unstarted is not None:
        return [f"{name}{line}: {seen.ending}"]
    told = f"{name}{line}: {seen.ending} after {seen.seconds:.2f} seconds"
    told += f"; {seen.stdout_bytes:,} bytes on standard output"
    told += f", {seen.stderr_bytes:,} on standard error"
    if one.runs > 1:
        told += f"; run {one.runs} times"
    notes = [told]
    last = _last_line(seen.stderr, secrets)
    if last and not one.exhibit.conformant:
        notes.append(f'{name}standard error ends with "{last}"')
    return notes


def _last_line(data: bytes, secrets: Mapping[str, bytes]) -> str:
    shown = masked(data, spans(data, secrets)).decode("utf-8", "replace")
    lines = [line for line in shown.splitlines() if line.strip()]
    return bounded(lines[-1].strip(), 200) if lines else ""


def unwritten(reason: str) -> Finding:
    """The finding that no evidence was written."""
    return Finding("command.evidence.unwritten", "", f"no evidence was written: {reason}")
