"""From what was found to what a report says: one function a checking command."""

from __future__ import annotations

from ..contract import CONTRACT_URL
from ..contract.findings import violations, warnings
from .model import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..evidence.exhibit import Exhibit
    from ..evidence.pair import Pair
    from ..evidence.verify import Verification


def of_validation(exhibits: list[Exhibit], profile: str) -> Report:
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
    return Report(document, exhibits=[("", exhibit) for exhibit in exhibits])


def _summary(exhibits: list[Exhibit], profile: str) -> str:
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


def of_evidence(pair: Pair, receipt: dict[str, Any], notes: list[str]) -> Report:
    """The report of an evidence pair: its document is the receipt."""
    return Report(
        receipt,
        exhibits=_roles(pair),
        findings=pair.findings,
        notes=notes,
    )


def _roles(pair: Pair) -> list[tuple[str, Exhibit]]:
    exhibits = list(pair.cases.items())
    if pair.tool_definition is not None:
        exhibits.append(("tool definition", pair.tool_definition))
    return exhibits


def of_verification(verification: Verification, file: str, *, conforms: bool = True) -> Report:
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
    return Report(document, exhibits=[], claims=verification.claims)
