"""Verifying a receipt: four claims, each shown on its own (specification section 5).

The receipt is well formed; the files are the ones it names; judging them now
gives its verdict; the implementation conforms. A claim is not held where an
earlier one leaves nothing to hold it against.
"""

from __future__ import annotations

import os
import stat
from hashlib import sha256

from ..contract import RECEIPT_URL
from ..contract.check import check
from ..contract.findings import Finding, violations
from ..contract.schema_check import check_schema
from ..contract.schemas import schema
from ..files import STANDARD_INPUT, path_of, read_bounded, reason_of
from ..json_text import MAX_BYTES
from ..json_write import compact, equal
from ..profiles import PROFILES
from ..profiles.core import read_with_findings
from .pair import Pair, judge_pair
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


#: The claims in their order: name -> what it says.
CLAIMS = {
    "well_formed": "The receipt is well formed.",
    "files": "The evidence files are the ones it names.",
    "reproduced": "Judging the files now gives its verdict.",
    "conforms": "The implementation conforms.",
}


class Claim:
    """One of `CLAIMS`. It holds (True), fails with problems (False), or was not checked (None)."""

    __slots__ = ("holds", "name", "problems", "statement")

    def __init__(self, name: str, problems: list[Problem] | None) -> None:
        self.name = name
        self.statement = CLAIMS[name]
        self.problems = problems or []
        self.holds = None if problems is None else not problems


class Verification:
    """What verifying a receipt found.

    The four claims; the receipt's document and the SHA-256 of its bytes, if it
    could be read; the paths of the files it names, by role, and the pair they
    make, if it got that far.
    """

    __slots__ = ("pair", "paths", "problems", "receipt", "sha256")

    def __init__(self) -> None:
        self.problems: list[list[Problem]] = []
        self.receipt: Any = None
        self.sha256: str | None = None
        self.paths: dict[str, str] = {}
        self.pair: Pair | None = None

    @property
    def claims(self) -> list[Claim]:
        """Every claim; those after the last that could be checked are unchecked."""
        found: list[list[Problem] | None] = [*self.problems, *[None] * len(CLAIMS)]
        return [Claim(name, found[index]) for index, name in enumerate(CLAIMS)]


def verify_receipt(
    path: str, *, root: str | None = None, max_bytes: int = MAX_BYTES
) -> Verification:
    """Verify a receipt against the files it names.

    Its paths are taken from the current directory as they were typed, or from
    `root`, out of which none may then lead. Whatever is wrong is a problem of a
    claim; this does not raise.
    """
    found = Verification()
    found.problems.append(_read_receipt(path, max_bytes, found))
    if found.problems[-1]:
        return found
    found.problems.append(_find_files(root, max_bytes, found))
    if found.problems[-1] or found.pair is None:
        return found
    now = build_receipt(found.pair)
    found.problems.append(_compare_verdicts(found.receipt, now))
    found.problems.append([] if now["success"] else [Problem("not_conformant", now["message"])])
    return found


def _read_receipt(path: str, max_bytes: int, found: Verification) -> list[Problem]:
    """Read the receipt; why it is not well formed."""
    try:
        data = read_bounded(path, max_bytes)
    except (OSError, ValueError) as error:
        why = reason_of(error)
        return [Problem("receipt_unreadable", f"the receipt cannot be read: {why}")]
    findings, receipt = read_with_findings(data, max_bytes=max_bytes)
    if violations(findings):
        return [Problem("invalid_json_input", str(item)) for item in violations(findings)]
    found.receipt, found.sha256 = receipt, sha256(data).hexdigest()
    if isinstance(receipt, dict) and receipt.get("receipt_schema") != RECEIPT_URL:
        return [Problem("receipt_malformed", f"`receipt_schema` is not {RECEIPT_URL}")]
    findings = check_schema("evidence.receipt.schema", schema("receipt"), receipt)
    if not findings:
        findings = [*violations(check(receipt)), *_contradictions(receipt)]
    return [Problem("receipt_malformed", str(item)) for item in findings]


def _contradictions(receipt: Any) -> list[Finding]:
    """Where a receipt that its schema accepts says two different things."""
    rule, details, findings = "evidence.receipt.schema", receipt["details"], []
    revision = PROFILES.get(details["profile"])
    if details["mcp_specification"] != revision:
        reason = f"the profile {details['profile']} goes with {revision or 'null'}"
        findings.append(Finding(rule, "/details/mcp_specification", reason))
    sound = not details["violations"] and all(case["conformant"] for case in details["cases"])
    if receipt["success"] and not sound:
        findings.append(
            Finding(rule, "/success", "it is true, and the cases or `violations` say otherwise")
        )
    for index, case in enumerate(details["cases"]):
        place = f"/details/cases/{index}/conformant"
        if case["conformant"] and case["violations"]:
            findings.append(Finding(rule, place, "it is true, and the case has violations"))
        if case["conformant"] and case["actual_success"] is not case["expected_success"]:
            findings.append(Finding(rule, place, "it is true, and the outcome is not the expected"))
    return findings


def _find_files(root: str | None, max_bytes: int, found: Verification) -> list[Problem]:
    """Find the files that the receipt names and judge them; which of them are not its own."""
    if root is not None and not os.path.isdir(root or "."):
        return [Problem("root_not_found", f"the root {root!a} is not a folder")]
    details = found.receipt["details"]
    named = {case["name"]: (case["file"], case["sha256"]) for case in details["cases"]}
    if details["tool_definition"] is not None:
        tool = details["tool_definition"]
        named["tool_definition"] = (tool["file"], tool["sha256"])
    problems = []
    for role, (file, digest) in named.items():
        place = path_of(file if file != STANDARD_INPUT else "./" + file)
        found.paths[role] = place if root is None else os.path.join(root, place)
        problems += _misplaced(role, file, digest, found.paths[role], root)
    if problems:
        return problems
    paths = found.paths
    found.pair = judge_pair(
        details["profile"],
        paths["success"],
        paths["failure"],
        paths.get("tool_definition"),
        max_bytes=max_bytes,
    )
    exhibits = {**found.pair.cases, "tool_definition": found.pair.tool_definition}
    digests = {role: exhibit.sha256 for role, exhibit in exhibits.items() if exhibit is not None}
    if "tool_definition" in named and "tool_definition" not in digests:
        # The core profile has no use for one, and still it must be what it was.
        digests["tool_definition"] = _digest(paths["tool_definition"], max_bytes)
    return _compare_digests(named, digests)


def _digest(path: str, max_bytes: int) -> str | None:
    try:
        return sha256(read_bounded(path, max_bytes, regular=True)).hexdigest()
    except (OSError, ValueError):
        return None


def _misplaced(
    role: str, file: str, digest: str | None, path: str, root: str | None
) -> list[Problem]:
    """Why a path is not opened at all: it leads out of the root, or to no regular file."""
    try:
        if root is not None:
            base, place = os.path.realpath(root), os.path.realpath(path)
            if place != base and not place.startswith(os.path.join(base, "")):
                reason = f"the {role} file {file!a} lies outside the root {root!a}"
                return [Problem("path_outside_root", reason)]
        if digest is None or stat.S_ISREG(os.stat(path).st_mode):
            return []
        why = "is not a regular file"
    except (OSError, ValueError) as error:
        if digest is None:  # It could not be read when the receipt was written, either.
            return []
        why = f"cannot be read: {reason_of(error)}"
    return [Problem("evidence_missing", f"the {role} file {file!a} {why}")]


def _compare_digests(
    named: dict[str, tuple[str, str | None]], digests: dict[str, str | None]
) -> list[Problem]:
    """Each file's digest in the receipt against the one it has now."""
    success, failure = named["success"][1], named["failure"][1]
    if success != failure and (success, failure) == (digests["failure"], digests["success"]):
        return [Problem("evidence_swapped", "the success and the failure file have changed places")]
    problems = []
    for role, (file, digest) in named.items():
        now = digests[role]
        if now == digest:
            continue
        if now is None:
            problems.append(Problem("evidence_missing", f"the {role} file {file!a} cannot be read"))
        else:
            reason = f"the {role} file {file!a} has SHA-256 {now}, not {digest}"
            problems.append(Problem("evidence_changed", reason))
    return problems


def _compare_verdicts(receipt: Any, now: Any) -> list[Problem]:
    """Verdicts, roles and facts of the receipt against those of today, not their wording."""
    told, found = receipt["details"], now["details"]
    places: list[tuple[str, Any, Any]] = [("/success", receipt["success"], now["success"])]
    for index, (case, again) in enumerate(zip(told["cases"], found["cases"], strict=True)):
        place = f"/details/cases/{index}"
        for name in ("actual_success", "conformant"):
            places.append((f"{place}/{name}", case[name], again[name]))
        facts, now_facts = case["profile_facts"], again["profile_facts"]
        if facts or case["conformant"]:  # Others may have none of what they could not read.
            for name in {**now_facts, **facts}:
                pointer = f"{place}/profile_facts/{name}"
                places.append((pointer, facts.get(name, "absent"), now_facts.get(name, "absent")))
    return [
        Problem(
            "verdict_differs", f"{pointer} is {_said(was)} in the receipt and {_said(is_now)} now"
        )
        for pointer, was, is_now in places
        if not equal(was, is_now)
    ]


def _said(value: Any) -> str:
    return compact(value).decode()
