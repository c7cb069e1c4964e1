"""Verifying a receipt: four claims, each shown on its own (specification section 5).

The receipt is well formed; the files are the ones it names; judging them now
gives its verdict; the implementation conforms. A claim is not held where an
earlier one leaves nothing to hold it against.
"""

from __future__ import annotations

import os

from ..contract import RECEIPT_URL
from ..contract.check import check
from ..contract.findings import Finding, violations
from ..contract.schema_check import check_schema
from ..contract.schemas import schema
from ..files import read_bounded, reason_of
from ..json_text import MAX_BYTES, equal
from ..profiles import PROFILES
from ..profiles.core import read_with_findings
from .pair import CASES, Pair, judge_pair
from .receipt import build_receipt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Problem:
    """Why a claim does not hold: a stable code and a sentence."""

    __slots__ = ("code", "message")

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class Claim:
    """One claim about a receipt. It holds, fails with problems, or was not checked (None)."""

    __slots__ = ("holds", "name", "problems", "statement")

    def __init__(
        self, name: str, statement: str, problems: list[Problem], checked: bool = True
    ) -> None:
        self.name = name
        self.statement = statement
        self.problems = problems
        self.holds = not problems if checked else None


class Verification:
    """What verifying a receipt found: the four claims, the receipt if it can be read, the pair."""

    __slots__ = ("claims", "pair", "receipt")

    def __init__(self, claims: list[Claim], receipt: Any, pair: Pair | None) -> None:
        self.claims = claims
        self.receipt = receipt
        self.pair = pair


def verify_receipt(
    path: str, *, root: str | None = None, max_bytes: int = MAX_BYTES
) -> Verification:
    """Verify a receipt against the files it names.

    Its paths are taken from the current directory as they were typed, or from
    `root`, out of which none may then lead. Whatever is wrong is a problem of a
    claim; this does not raise.
    """
    receipt, problems = _read_receipt(path, max_bytes)
    well_formed = Claim("well_formed", "The receipt is well formed.", problems)
    if not well_formed.holds:
        return Verification([well_formed, *_unchecked()], receipt, None)
    details = receipt["details"]
    paths, problems = _resolve(details, root)
    pair = None
    if not problems:
        tool = paths.get("tool_definition")
        pair = judge_pair(
            details["profile"], paths["success"], paths["failure"], tool, max_bytes=max_bytes
        )
        problems = _compare_files(details, pair)
    files = Claim("files", "The evidence files are the ones it names.", problems)
    if pair is None or not files.holds:
        return Verification([well_formed, files, *_unchecked()[1:]], receipt, pair)
    now = build_receipt(pair)
    reproduced = Claim(
        "reproduced", "Judging the files now gives its verdict.", _compare_verdicts(receipt, now)
    )
    problems = [] if now["success"] else [Problem("not_conformant", now["message"])]
    conforms = Claim("conforms", "The implementation conforms.", problems)
    return Verification([well_formed, files, reproduced, conforms], receipt, pair)


def _unchecked() -> list[Claim]:
    return [
        Claim("files", "The evidence files are the ones it names.", [], checked=False),
        Claim("reproduced", "Judging the files now gives its verdict.", [], checked=False),
        Claim("conforms", "The implementation conforms.", [], checked=False),
    ]


def _read_receipt(path: str, max_bytes: int) -> tuple[Any, list[Problem]]:
    """The receipt's document, and why it is not well formed."""
    try:
        data = read_bounded(path, max_bytes)
    except (OSError, ValueError) as error:
        why = reason_of(error) if isinstance(error, OSError) else str(error)
        return None, [Problem("receipt_unreadable", f"the receipt cannot be read: {why}")]
    findings, receipt = read_with_findings(data, max_bytes=max_bytes)
    if violations(findings):
        return None, [Problem("invalid_json_input", str(item)) for item in violations(findings)]
    if isinstance(receipt, dict) and receipt.get("receipt_schema") != RECEIPT_URL:
        reason = f"`receipt_schema` is not {RECEIPT_URL}"
        return receipt, [Problem("receipt_malformed", reason)]
    findings = check_schema("evidence.receipt.schema", schema("receipt"), receipt)
    if not findings:
        findings = [*violations(check(receipt)), *_contradictions(receipt)]
    return receipt, [Problem("receipt_malformed", str(item)) for item in findings]


def _contradictions(receipt: Any) -> list[Finding]:
    """Where a receipt that its schema accepts says two different things."""
    rule, details, findings = "evidence.receipt.schema", receipt["details"], []
    revision = PROFILES.get(details["profile"])
    if details["mcp_specification"] != revision:
        reason = f"the profile {details['profile']} goes with {revision or 'null'}"
        findings.append(Finding(rule, "/details/mcp_specification", reason))
    sound = not details["violations"] and all(case["conformant"] for case in details["cases"])
    if receipt["success"] and not sound:
        findings.append(Finding(rule, "/success", "it is true, and the cases say otherwise"))
    for index, case in enumerate(details["cases"]):
        place = f"/details/cases/{index}/conformant"
        if case["conformant"] and case["violations"]:
            findings.append(Finding(rule, place, "it is true, and the case has violations"))
        if case["conformant"] and case["actual_success"] is not case["expected_success"]:
            findings.append(Finding(rule, place, "it is true, and the outcome is not the expected"))
    return findings


def _resolve(details: Any, root: str | None) -> tuple[dict[str, str], list[Problem]]:
    """Where the receipt's files are, and which of them lie outside the root."""
    files = {case["name"]: case["file"] for case in details["cases"]}
    if details["tool_definition"] is not None:
        files["tool_definition"] = details["tool_definition"]["file"]
    if root is None:
        return files, []
    base, problems = os.path.realpath(root), []
    for role, file in files.items():
        place = os.path.realpath(os.path.join(base, file)) if "\0" not in file else "\0"
        if place != base and not place.startswith(os.path.join(base, "")):
            reason = f"the {role} file {file!a} lies outside the root {root!a}"
            problems.append(Problem("path_outside_root", reason))
    return {role: os.path.join(root, file) for role, file in files.items()}, problems


def _compare_files(details: Any, pair: Pair) -> list[Problem]:
    """Each file's digest now against the receipt's."""
    named = {case["name"]: case["sha256"] for case in details["cases"]}
    found: dict[str, str | None] = {name: pair.cases[name].sha256 for name in CASES}
    files = {case["name"]: case["file"] for case in details["cases"]}
    if details["tool_definition"] is not None:
        named["tool_definition"] = details["tool_definition"]["sha256"]
        files["tool_definition"] = details["tool_definition"]["file"]
        found["tool_definition"] = pair.tool_definition.sha256 if pair.tool_definition else None
    swapped = named["success"] == found["failure"] and named["failure"] == found["success"]
    if swapped and named["success"] != named["failure"]:
        reason = "the success and the failure file have changed places"
        return [Problem("evidence_swapped", reason)]
    problems = []
    for role, digest in named.items():
        if found[role] == digest:
            continue
        if found[role] is None:
            reason = f"the {role} file {files[role]!a} cannot be read"
            problems.append(Problem("evidence_missing", reason))
        else:
            reason = f"the {role} file {files[role]!a} has SHA-256 {found[role]}, not {digest}"
            problems.append(Problem("evidence_changed", reason))
    return problems


def _compare_verdicts(receipt: Any, now: Any) -> list[Problem]:
    """Verdicts, roles and facts of the receipt against those of today, not their wording."""
    told, found = receipt["details"], now["details"]
    places: list[tuple[str, Any, Any]] = [("/success", receipt["success"], now["success"])]
    for index, (case, again) in enumerate(zip(told["cases"], found["cases"], strict=True)):
        for name in ("actual_success", "conformant", "profile_facts"):
            places.append((f"/details/cases/{index}/{name}", case[name], again[name]))
    return [
        Problem("verdict_differs", f"{pointer} is {was!a} in the receipt and {is_now!a} now")
        for pointer, was, is_now in places
        if not equal(was, is_now)
    ]
