"""The language-neutral vectors of `vectors/`, run against the core profile."""

from __future__ import annotations

import base64
import json
from collections import Counter
from pathlib import Path

import pytest

from sobre.contract.rules import RULES, VIOLATION, severity
from sobre.json_text import DocumentError, read
from sobre.profiles.core import judge

VECTORS = Path(__file__).parent.parent / "vectors"
CASES = {
    folder: [
        case
        for path in sorted((VECTORS / folder).glob("*.json"))
        for case in json.loads(path.read_bytes())["cases"]
    ]
    for folder in ("core", "reader")
}
ALL = [case for cases in CASES.values() for case in cases]
LOCATED = [case for case in ALL if "at" in case]


def data_of(case):
    if "document" in case:
        return json.dumps(case["document"]).encode()
    return base64.b64decode(case["bytes_base64"], validate=True)


def limits_of(case):
    return {"max_bytes": case["max_bytes"]} if "max_bytes" in case else {}


@pytest.mark.parametrize("case", ALL, ids=lambda case: case["id"])
def test_verdict(case):
    judged = judge(data_of(case), **limits_of(case))
    assert [finding.rule for finding in judged.findings] == case["rules"], case["why"]
    assert [finding.severity for finding in judged.findings] == list(map(severity, case["rules"]))
    if "pointers" in case:
        assert [finding.pointer for finding in judged.findings] == case["pointers"], case["why"]
    assert judged.conformant is case["conformant"], case["why"]


@pytest.mark.parametrize("case", LOCATED, ids=lambda case: case["id"])
def test_place(case):
    with pytest.raises(DocumentError) as caught:
        read(data_of(case), **limits_of(case))
    error = caught.value
    found = {"offset": error.offset, "line": error.line, "column": error.column}
    assert error.rule == case["rules"][-1]
    assert found == case["at"], case["why"]
    assert judge(data_of(case), **limits_of(case)).findings[-1].offset == error.offset


def test_every_reader_and_core_rule_has_a_case():
    used = {rule for case in ALL for rule in case["rules"]}
    assert used <= set(RULES)
    assert {rule for rule in RULES if rule.startswith(("json.", "core."))} <= used


def test_vectors_are_well_formed():
    assert [id for id, count in Counter(case["id"] for case in ALL).items() if count > 1] == []
    assert len(CASES["core"]) >= 120
    assert len(CASES["reader"]) >= 80
    for case in ALL:
        assert case["why"].strip(), case["id"]
        assert ("document" in case) != ("bytes_base64" in case), case["id"]
        assert len(case.get("pointers", case["rules"])) == len(case["rules"]), case["id"]
        broken = any(severity(rule) == VIOLATION for rule in case["rules"])
        assert case["conformant"] is not broken, case["id"]
