"""An in-toto Statement v1 over a receipt and its evidence, for someone else to sign.

The predicate is in-toto's own Test Result (v0.1): what was tested is the pair,
and the configuration is this implementation with the schemas it judged by.
Nothing is signed here, and nothing is claimed beyond the receipt.
"""

from __future__ import annotations

from .. import __version__
from ..contract import CONTRACT_URL, RECEIPT_URL
from ..contract.schemas import SCHEMAS, schema_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .verify import Verification

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://in-toto.io/attestation/test-result/v0.1"
_SCHEMA_URLS = {"contract": CONTRACT_URL, "receipt": RECEIPT_URL}


def build_statement(verification: Verification, receipt_file: str) -> dict[str, Any]:
    """The statement about a receipt that was read and whose files were found to be its own.

    Subjects are the receipt and the files it names, by SHA-256. Raises
    `ValueError` if the verification does not get as far as the verdict.
    """
    if not all(claim.holds for claim in verification.claims[:3]):
        raise ValueError("only a receipt that is true of its files can be attested")
    receipt, details = verification.receipt, verification.receipt["details"]
    outcome = {True: "passedTests", False: "failedTests"}
    tests: dict[str, list[str]] = {"passedTests": [], "failedTests": []}
    verdicts = [(case["name"], case["conformant"]) for case in details["cases"]]
    for name, conformant in [*verdicts, ("pair", not details["violations"])]:
        tests[outcome[conformant]].append(f"{details['profile']}/{name}")
    return {
        "_type": STATEMENT_TYPE,
        "subject": [
            {"name": name, "digest": {"sha256": digest}}
            for name, digest in _subjects(verification, receipt_file).items()
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "result": "PASSED" if receipt["success"] else "FAILED",
            "configuration": [_implementation(details["profile"]), *map(_schema, SCHEMAS)],
            **tests,
        },
    }


def _subjects(verification: Verification, receipt_file: str) -> dict[str, str]:
    """The receipt and the files that were hashed: name -> SHA-256, each name once."""
    details, pair = verification.receipt["details"], verification.pair
    files = [("receipt", receipt_file, verification.sha256)]
    files += [(case["name"], case["file"], case["sha256"]) for case in details["cases"]]
    if pair is not None and pair.tool_definition is not None:
        tool = details["tool_definition"]
        files.append(("tool definition", tool["file"], tool["sha256"]))
    subjects: dict[str, str] = {}
    for role, name, digest in files:
        if digest is not None:
            while subjects.get(name, digest) != digest:  # Two files of one name, under two roots.
                name = f"{name} ({role})"
            subjects[name] = digest
    return subjects


def _implementation(profile: str) -> dict[str, Any]:
    return {"name": "sobre", "annotations": {"version": __version__, "profile": profile}}


def _schema(name: str) -> dict[str, Any]:
    from hashlib import sha256

    digest = sha256(schema_bytes(name)).hexdigest()
    return {
        "name": SCHEMAS[name],
        "digest": {"sha256": digest},
        "annotations": {"states": _SCHEMA_URLS[name]},
    }
