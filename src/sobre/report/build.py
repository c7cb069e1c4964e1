"""From what was found to what a report says: one function a checking command."""

from __future__ import annotations

from ..contract import CONTRACT_URL
from ..contract.findings import Finding, violations, warnings
from .model import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..evidence.exhibit import Exhibit
    from ..evidence.pair import Pair
    from ..evidence.verify import Verification


def of_validation(
    exhibits: list[Exhibit], profile: str, *, again: list[list[str]] | None = None
) -> Report:
    """The report of documents that were each judged alone."""
    broken = [exhibit for exhibit in exhibits if not exhibit.conformant]
    document: dict[str, Any] = {"success": not broken, "message": _summary(exhibits, profile)}
    if broken:
        document["error_code"] = _code(broken[0])
    document["details"] = {
        "contract": CONTRACT_URL,
        "profile": profile,
        "files": [{"file": one.file, "conformant": one.conformant} for one in exhibits],
        "violations": _sentences(exhibits, "violation"),
        "findings": [row for exhibit in exhibits for row in exhibit.findings()],
    }
    document["warnings"] = _sentences(exhibits, "warning")
    document["meta"] = {"command": "validate", "schema_version": 1}
    alone = [("", exhibit) for exhibit in exhibits]
    return Report(document, command="validate", profile=profile, exhibits=alone, again=again)


def _summary(exhibits: list[Exhibit], profile: str) -> str:
    unread = {finding.rule for finding in exhibits[0].judgement.findings}
    if len(exhibits) == 1 and "evidence.unreadable" in unread:
        return f"{exhibits[0].file or 'The file'} cannot be read."
    if len(exhibits) == 1:
        verb = "conforms" if exhibits[0].conformant else "does not conform"
        return f"{exhibits[0].file or 'The file'} {verb} to the {profile} profile."
    count = sum(exhibit.conformant for exhibit in exhibits)
    return f"{count} of {len(exhibits)} documents conform to the {profile} profile."


def _code(exhibit: Exhibit) -> str:
    """The error code for the first thing that is wrong with a file."""
    rule = violations(exhibit.judgement.findings)[0].rule
    codes = {"evidence.unreadable": "unreadable_input"}
    return codes.get(rule, "invalid_json_input" if rule[:5] == "json." else "contract_violation")


def _sentences(exhibits: list[Exhibit], severity: str) -> list[str]:
    """Findings as strings, with the file's name where there are several files."""
    choose = violations if severity == "violation" else warnings
    return [
        f"{exhibit.file}: {finding}" if len(exhibits) > 1 else str(finding)
        for exhibit in exhibits
        for finding in choose(exhibit.judgement.findings)
    ]


def of_evidence(
    pair: Pair,
    receipt: dict[str, Any],
    notes: list[str],
    *,
    again: list[list[str]] | None = None,
) -> Report:
    """The report of an evidence pair: its document is the receipt."""
    findings, verdict = _as_a_whole(pair), None
    code = receipt.get("error_code", "conformance_failed")
    if code != "conformance_failed":
        findings.append(Finding(code, "", receipt["details"]["violations"][-1]))
        verdict = "No receipt was written"
    return Report(
        receipt,
        command="evidence",
        profile=pair.profile,
        exhibits=_roles(pair),
        findings=findings,
        notes=notes,
        verdict=verdict,
        again=again,
    )


def _roles(pair: Pair) -> list[tuple[str, Exhibit]]:
    exhibits = list(pair.cases.items())
    if pair.tool_definition is not None:
        exhibits.append(("tool definition", pair.tool_definition))
    return exhibits


def _as_a_whole(pair: Pair) -> list[Finding]:
    """The findings of the pair, without those that its tool definition shows as its own."""
    shown = pair.tool_definition.judgement.findings if pair.tool_definition else []
    rules = {finding.rule for finding in shown}
    return [finding for finding in pair.findings if finding.rule not in rules]


def of_verification(
    verification: Verification,
    file: str,
    *,
    conforms: bool = True,
    again: list[list[str]] | None = None,
) -> Report:
    """The report of a verified receipt. `conforms`: whether the last claim counts."""
    counted = verification.claims if conforms else verification.claims[:-1]
    holds = all(claim.holds for claim in counted)
    problems = [problem for claim in counted for problem in claim.problems]
    message = f"The receipt {file} is verified."
    if not holds:
        reason = problems[0].message.removesuffix(".")
        message = f"The receipt {file} is not verified: {reason}."
    document: dict[str, Any] = {"success": holds, "message": message}
    if not holds:
        document["error_code"] = problems[0].code
    document["details"] = {
        "receipt": file,
        "claims": [
            {
                "name": claim.name,
                "statement": claim.statement,
                "holds": claim.holds,
                "problems": [{"code": one.code, "message": one.message} for one in claim.problems],
            }
            for claim in verification.claims
        ],
        "contract": CONTRACT_URL,
    }
    document["meta"] = {"command": "verify", "schema_version": 1}
    pair = verification.pair
    return Report(
        document,
        command="verify",
        profile=pair.profile if pair else "",
        exhibits=_roles(pair) if pair else [],
        findings=_as_a_whole(pair) if pair else [],
        claims=verification.claims,
        notes=[f"Receipt SHA-256: {verification.sha256}"] if verification.sha256 else [],
        subject=file,
        conformance_counts=conforms,
        again=again,
    )
