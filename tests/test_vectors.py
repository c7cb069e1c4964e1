"""The language-neutral vectors of `vectors/`, run against the profiles and evidence pairs."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import jsonschema
import pytest

from sobre.contract.check import check
from sobre.contract.rules import RULES, VIOLATION, severity
from sobre.contract.schema_check import check_schema
from sobre.contract.schemas import schema
from sobre.evidence.receipt import build_receipt
from sobre.json_text import DocumentError, read
from sobre.json_write import pretty
from sobre.profiles import PROFILES, judge
from sobre.profiles.mcp import judge_tool_definition
from vector_cases import CASES, CORE, FOLDERS, LOCATED, VECTORS, by_id, data_of, judged_pair

#: Rules that no vector can have -> the test that has them.
ELSEWHERE = {
    "mcp.output_schema.superseded": "test_published_schemas.py",
    "evidence.receipt.schema": "test_vectors.py",
}
RECEIPT = jsonschema.Draft202012Validator(schema("receipt"))


def limits_of(case):
    return {"max_bytes": case["max_bytes"]} if "max_bytes" in case else {}


def rules_of(findings):
    return [finding.rule for finding in findings]


def pointers_of(findings):
    return [finding.pointer for finding in findings]


def same(left, right):
    """JSON equality, which tells true from 1."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


# -- core and reader ---------------------------------------------------------


@by_id(CORE)
def test_verdict(case):
    judged = judge("core", data_of(case), **limits_of(case))
    assert rules_of(judged.findings) == case["rules"], case["why"]
    assert [finding.severity for finding in judged.findings] == list(map(severity, case["rules"]))
    if "pointers" in case:
        assert pointers_of(judged.findings) == case["pointers"], case["why"]
    assert judged.conformant is case["conformant"], case["why"]


@by_id(LOCATED)
def test_place(case):
    with pytest.raises(DocumentError) as caught:
        read(data_of(case), **limits_of(case))
    error = caught.value
    found = {"offset": error.offset, "line": error.line, "column": error.column}
    assert error.rule == case["rules"][-1]
    assert found == case["at"], case["why"]
    assert judge("core", data_of(case), **limits_of(case)).findings[-1].offset == error.offset


# -- MCP ---------------------------------------------------------------------


@by_id(CASES["mcp"])
def test_mcp(case):
    judged = judge(f"mcp-{case['revision']}", data_of(case))
    findings, facts = list(judged.findings), dict(judged.facts)
    assert rules_of(findings) == case["rules"], case["why"]
    if "pointers" in case:
        assert pointers_of(findings) == case["pointers"], case["why"]
    if "tool_rules" in case:
        tool = judge_tool_definition(data_of(case, "tool_definition"))
        assert rules_of(tool.findings) == case["tool_rules"], case["why"]
        assert pointers_of(tool.findings) == case.get("tool_pointers", []), case["why"]
        findings += tool.findings
        facts |= tool.facts
    assert same(facts, case["facts"]), case["why"]
    assert facts["output_schema_mode"] == case["mode"], case["why"]
    broken = any(finding.severity == VIOLATION for finding in findings)
    assert case["conformant"] is not broken, case["why"]


# -- evidence pairs ----------------------------------------------------------


@by_id(CASES["evidence"])
def test_pair(case, tmp_path):
    pair, _ = judged_pair(case, tmp_path)
    assert pair.conformant is case["conformant"], case["why"]
    assert rules_of(pair.findings) == case["pair_rules"], case["why"]
    for name, expected in case["cases"].items():
        found = {
            "conformant": pair.case_conformant(name),
            "actual_success": pair.cases[name].judgement.success,
            "rules": rules_of(pair.case_findings(name)),
            "facts": pair.case_facts(name),
        }
        assert same(found, expected), case["why"]


@by_id(CASES["evidence"])
def test_receipt(case, tmp_path):
    pair, data = judged_pair(case, tmp_path)
    receipt = build_receipt(pair)
    RECEIPT.validate(receipt)
    assert check_schema("evidence.receipt.schema", schema("receipt"), receipt) == []
    assert check(receipt) == []
    assert pretty(build_receipt(pair)) == pretty(receipt)
    assert receipt["success"] is case["conformant"]
    assert receipt.get("error_code") == case["error_code"]
    details = receipt["details"]
    assert details["profile"] == case["profile"]
    assert details["mcp_specification"] == PROFILES[case["profile"]]
    assert len(details["violations"]) == count(case["pair_rules"], VIOLATION)
    assert len(receipt["warnings"]) == count(case["pair_rules"], "warning")
    digests = {name: digest_of(content) for name, content in data.items()}
    tool = None
    if "tool_definition" in data and case["profile"] != "core":
        file = str(tmp_path / "tool_definition.json")
        tool = {"file": file, "sha256": digests["tool_definition"]}
    assert details["tool_definition"] == tool
    assert [found["name"] for found in details["cases"]] == ["success", "failure"]
    for found in details["cases"]:
        name, expected = found["name"], case["cases"][found["name"]]
        assert found["expected_success"] is (name == "success")
        assert found["file"] == str(tmp_path / f"{name}.json")
        assert found["sha256"] == digests[name]
        assert found["actual_success"] is expected["actual_success"]
        assert found["conformant"] is expected["conformant"]
        assert same(found["profile_facts"], expected["facts"])
        assert len(found["violations"]) == count(expected["rules"], VIOLATION)
        assert len(found["warnings"]) == count(expected["rules"], "warning")


def digest_of(data):
    return None if data is None else hashlib.sha256(data).hexdigest()


def count(rules, kind):
    return sum(severity(rule) == kind for rule in rules)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("receipt_schema",), "https://example.com/other"),
        (("details", "contract_version"), 1),
        (("details", "cases"), []),
        (("details", "cases", 0, "name"), "failure"),
        (("details", "cases", 1, "sha256"), "0" * 63),
        (("details", "cases", 1, "profile_facts"), {"x": 1}),
        (("note",), "edited"),
    ],
    ids=str,
)
def test_an_edited_receipt_breaks_its_schema(place, value, tmp_path):
    receipt = build_receipt(judged_pair(CASES["evidence"][0], tmp_path)[0])
    target = receipt
    for part in place[:-1]:
        target = target[part]
    target[place[-1]] = value
    found = check_schema("evidence.receipt.schema", schema("receipt"), receipt)
    assert {finding.rule for finding in found} == {"evidence.receipt.schema"}
    assert not RECEIPT.is_valid(receipt)


# -- the vectors themselves --------------------------------------------------


def rules_in(case):
    """Every rule that a case names."""
    lists = [case.get("rules", []), case.get("tool_rules", []), case.get("pair_rules", [])]
    lists += [one["rules"] for one in case.get("cases", {}).values()]
    return [rule for rules in lists for rule in rules]


@pytest.mark.parametrize(
    ("folders", "prefixes"),
    [(("core", "reader"), ("json.", "core.")), (tuple(FOLDERS), ("mcp.", "evidence."))],
    ids=["core", "all"],
)
def test_every_rule_has_a_case(folders, prefixes):
    used = {rule for folder in folders for case in CASES[folder] for rule in rules_in(case)}
    assert used <= set(RULES)
    assert {rule for rule in RULES if rule.startswith(prefixes)} <= used | set(ELSEWHERE)
    for rule, file in ELSEWHERE.items():
        assert rule not in used
        assert f'"{rule}"' in (Path(__file__).parent / file).read_text()


def test_every_rule_of_mcp_has_a_case_of_its_own():
    """A case in which it is the only finding, so that it depends on no other."""
    alone = {rules_in(case)[0] for case in CASES["mcp"] if len(rules_in(case)) == 1}
    assert {rule for rule in RULES if rule.startswith("mcp.")} <= alone | set(ELSEWHERE)


def test_every_revision_has_cases():
    counts = Counter(case["revision"] for case in CASES["mcp"])
    assert set(counts) == set(filter(None, PROFILES.values()))
    assert min(counts.values()) >= 100
    counts = Counter(case["profile"] for case in CASES["evidence"])
    assert set(counts) == set(PROFILES)
    assert min(counts.values()) >= 15


def test_every_mode_has_cases():
    counts = Counter(case["mode"] for case in CASES["mcp"])
    counts |= Counter({"canonical_inline": 5})  # See test_published_schemas.py.
    assert set(counts) == {*RECEIPT_MODES}
    assert min(counts.values()) >= 5


RECEIPT_MODES = schema("receipt")["$defs"]["case"]["properties"]["profile_facts"]["properties"][
    "output_schema_mode"
]["enum"]


def test_vectors_are_well_formed():
    cases = [case for folder in FOLDERS for case in CASES[folder]]
    assert [id for id, count in Counter(case["id"] for case in cases).items() if count > 1] == []
    for folder, least in FOLDERS.items():
        assert len(CASES[folder]) >= least, folder
    for case in cases:
        assert case["why"].strip(), case["id"]
        broken = any(severity(rule) == VIOLATION for rule in rules_in(case))
        assert case["conformant"] is not broken, case["id"]
    for case in CORE + CASES["mcp"]:
        assert ("document" in case) != ("bytes_base64" in case), case["id"]
        assert len(case.get("pointers", case["rules"])) == len(case["rules"]), case["id"]


def test_vectors_are_ascii():
    for path in VECTORS.rglob("*.json"):
        assert path.read_bytes().isascii(), path


def test_mcp_vectors_are_well_formed():
    for case in CASES["mcp"]:
        given = ("tool_definition" in case) + ("tool_definition_base64" in case)
        assert given == ("tool_rules" in case), case["id"]
        assert len(case["facts"]) == 8, case["id"]
        assert case["facts"]["output_schema_mode"] == case["mode"], case["id"]
        assert case["facts"]["mcp_specification"] == case["revision"], case["id"]
        pointers = case.get("tool_pointers", [])
        assert len(pointers) == len(case.get("tool_rules", [])), case["id"]


def test_pair_vectors_are_well_formed():
    for case in CASES["evidence"]:
        for name in ("success", "failure"):
            file, rules = case[name], case["cases"][name]["rules"]
            assert (file is None) == ("evidence.unreadable" in rules), case["id"]
            assert file is None or file.keys() in ({"document"}, {"bytes_base64"}), case["id"]
        assert case["error_code"] == (None if case["conformant"] else "conformance_failed")
