"""The receipt: what was found in an evidence pair, bound to its bytes (specification section 5).

The same bytes and the same arguments give the same receipt, byte for byte: no
time, host, user, version, or path that the caller did not type.
"""

from __future__ import annotations

from ..contract import CONTRACT_URL, RECEIPT_URL
from ..contract.findings import violations, warnings
from ..files import reason_of, same_file, shown_path, write_atomically
from ..json_write import pretty
from ..profiles import PROFILES
from .pair import CASES, Pair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .exhibit import Exhibit


def build_receipt(pair: Pair) -> dict[str, Any]:
    """The receipt of a judged pair, as a document that is a contract object too."""
    conformant = pair.conformant
    receipt: dict[str, Any] = {
        "receipt_schema": RECEIPT_URL,
        "success": conformant,
        "message": _message(pair),
    }
    if not conformant:
        receipt["error_code"] = "conformance_failed"
    receipt["warnings"] = list(map(str, warnings(pair.findings)))
    receipt["details"] = {
        "report_schema_version": 1,
        "contract_version": "v1",
        "contract_schema": CONTRACT_URL,
        "profile": pair.profile,
        "mcp_specification": PROFILES[pair.profile],
        "tool_definition": _tool_definition(pair.tool_definition),
        "violations": list(map(str, violations(pair.findings))),
        "cases": [_case(name, expected, pair) for name, expected in CASES.items()],
    }
    return receipt


def write_receipt(receipt: dict[str, Any], path: str, evidence: list[str]) -> dict[str, Any]:
    """Write a receipt to a file, whole or not at all, and never over its own evidence.

    Returns the receipt that holds afterwards: the one given if it was written,
    or else one that fails with `receipt_path_conflict` or
    `receipt_write_failed`, which was not.
    """
    for input_path in evidence:
        if same_file(path, input_path):
            reason = f"the receipt's path is the evidence file {shown_path(input_path)}"
            return _refused(receipt, "receipt_path_conflict", reason)
    try:
        write_atomically(path, pretty(receipt))
    except (OSError, ValueError) as error:
        why = reason_of(error)
        reason = f"the receipt cannot be written to {shown_path(path)}: {why}"
        return _refused(receipt, "receipt_write_failed", reason)
    return receipt


def _refused(receipt: dict[str, Any], code: str, reason: str) -> dict[str, Any]:
    details = receipt["details"]
    return {
        "receipt_schema": RECEIPT_URL,
        "success": False,
        "message": f"No receipt was written: {reason}.",
        "error_code": code,
        "warnings": receipt["warnings"],
        "details": {**details, "violations": [*details["violations"], reason]},
    }


def _message(pair: Pair) -> str:
    if pair.conformant:
        return f"The evidence pair conforms to the {pair.profile} profile."
    broken = [f"the {name} case" for name in pair.cases if not pair.case_conformant(name)]
    if violations(pair.findings):
        broken.append("the pair as a whole")
    return f"The evidence pair does not conform to the {pair.profile} profile: {_and(broken)}."


def _and(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _tool_definition(exhibit: Exhibit | None) -> dict[str, Any] | None:
    return None if exhibit is None else {"file": exhibit.file, "sha256": exhibit.sha256}


def _case(name: str, expected: bool, pair: Pair) -> dict[str, Any]:
    exhibit = pair.cases[name]
    findings = pair.case_findings(name)
    return {
        "name": name,
        "file": exhibit.file,
        "sha256": exhibit.sha256,
        "expected_success": expected,
        "actual_success": exhibit.judgement.success,
        "conformant": pair.case_conformant(name),
        "violations": list(map(str, violations(findings))),
        "warnings": list(map(str, warnings(findings))),
        "profile_facts": pair.case_facts(name),
    }
