"""The receipt schema: our own evaluator, a real validator and the published schema agree."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sobre.contract import CONTRACT_URL, RECEIPT_URL
from sobre.contract.check import check
from sobre.contract.schema_check import check_schema
from sobre.contract.schemas import schema
from strategies import changed, examples, json_values, nested, places, single_changes
from validators import validators

RECEIPT_SCHEMA = schema("receipt")
VALIDATORS = validators("receipt")
DIGEST = "0123456789abcdef" * 4
REVISIONS = ["2025-06-18", "2025-11-25", "2026-07-28"]


def facts(revision, is_error):
    return {
        "mcp_specification": revision,
        "mcp_tools_spec": f"https://modelcontextprotocol.io/specification/{revision}/server/tools",
        "contract": CONTRACT_URL,
        "output_schema_checked": True,
        "output_schema_mode": "canonical_ref",
        "backcompat_text_matches": True,
        "mcp_is_error_explicit": is_error,
        "mcp_is_error_effective": is_error,
    }


def case(name, revision):
    return {
        "name": name,
        "file": f"{name}.json",
        "sha256": DIGEST,
        "expected_success": name == "success",
        "actual_success": name == "success",
        "conformant": True,
        "violations": [],
        "warnings": ["The text has no other text than U+FEFF."],
        "profile_facts": facts(revision, name == "failure") if revision else {},
    }


def receipt(revision):
    profile = f"mcp-{revision}" if revision else "core"
    return {
        "receipt_schema": RECEIPT_URL,
        "success": True,
        "message": f"The evidence pair conforms to the {profile} profile.",
        "warnings": ["A warning."],
        "details": {
            "report_schema_version": 1,
            "contract_version": "v1",
            "contract_schema": CONTRACT_URL,
            "profile": profile,
            "mcp_specification": revision,
            "tool_definition": {"file": "tool.json", "sha256": DIGEST} if revision else None,
            "violations": [],
            "cases": [case("success", revision), case("failure", revision)],
        },
    }


def failed(revision):
    """A receipt that records a failure, with every member that may be null so."""
    document = receipt(revision)
    document |= {"success": False, "error_code": "conformance_failed"}
    details = document["details"]
    details |= {
        "tool_definition": {"file": "tool.json", "sha256": None},
        "violations": ["No tool definition."],
    }
    details["cases"][0] |= {
        "sha256": None,
        "actual_success": None,
        "conformant": False,
        "violations": ["Not JSON."],
    }
    if revision:
        details["cases"][0]["profile_facts"]["output_schema_mode"] = None
    return document


def by_someone_else():
    """A receipt with the materials that the implementation of the specification names."""
    document = receipt(None)
    folder = "src/qzx/resources/schemas/"
    paths = {
        "contract_schema": folder + "result-contract-v1.schema.json",
        "receipt_schema": folder + "result-contract-conformance-receipt-v1.schema.json",
        "json_decoder": "src/qzx/core/strict_json.py",
        "core_validator": "src/qzx/core/result_contract.py",
        "mcp_validator": "scripts/validate_mcp_result_contract.py",
        "evidence_validator": "scripts/validate_result_contract_evidence.py",
    }
    materials = {name: {"repository_path": path, "sha256": DIGEST} for name, path in paths.items()}
    document["details"]["validation_materials"] = materials
    return document


RECEIPTS = {
    **{f"conforms-{revision or 'core'}": receipt(revision) for revision in [None, *REVISIONS]},
    **{f"fails-{revision or 'core'}": failed(revision) for revision in [None, *REVISIONS]},
    "by-someone-else": by_someone_else(),
}
#: What some member takes, what lies next to it, and one value of each kind.
VALUES = [
    *[
        None,
        True,
        False,
        0,
        1,
        1.0,
        2,
        1.5,
        -1,
        10**300,
        "",
        " ",
        "\n",
        "\x1c",
        "\ufeff",
        "text",
        [],
        {},
        [None],
    ],
    *[
        [""],
        [" "],
        ["text"],
        [1],
        {"a": 1},
        "v1",
        "v2",
        "core",
        "conformance_failed",
        "A",
        "a\n",
        "1a",
        "success",
    ],
    *[
        "failure",
        DIGEST,
        DIGEST.upper(),
        DIGEST[:-1],
        DIGEST + "0",
        DIGEST + "\n",
        "\n" + DIGEST,
        "g" * 64,
    ],
    *[
        *REVISIONS,
        "2024-11-05",
        "mcp-2025-06-18",
        "canonical_ref",
        "structural_core",
        "none",
        CONTRACT_URL,
    ],
    *[
        RECEIPT_URL,
        CONTRACT_URL + "#",
        {"file": "tool.json"},
        {"file": 1, "sha256": None},
        "src/qzx/core/strict_json.py",
    ],
    *[{"file": "", "sha256": DIGEST}, {"file": "a", "sha256": None, "other": 1}],
]


def is_valid(document):
    return check_schema("evidence.receipt.schema", RECEIPT_SCHEMA, document) == []


def assert_agreement(document):
    verdict = is_valid(document)
    for name, validator in VALIDATORS.items():
        assert validator.is_valid(document) is verdict, (name, document)
    return verdict


@pytest.mark.parametrize("name", RECEIPTS)
def test_receipts_are_valid_and_contract_objects(name):
    assert assert_agreement(RECEIPTS[name])
    assert check(RECEIPTS[name]) == []


@pytest.mark.parametrize("name", RECEIPTS)
def test_every_single_change_gets_one_verdict(name):
    verdicts = [assert_agreement(document) for document in single_changes(RECEIPTS[name], VALUES)]
    assert set(verdicts) == {True, False}


@examples(400)
@given(st.data())
def test_several_changes_get_one_verdict(data):
    document = copy.deepcopy(data.draw(st.sampled_from(list(RECEIPTS.values()))))
    for _ in range(data.draw(st.integers(2, 4))):
        path = data.draw(st.sampled_from([path for path in places(document) if path] or [()]))
        value = data.draw(st.sampled_from(VALUES))
        gone = bool(path) and data.draw(st.booleans())
        if gone:
            document = changed(document, path, lambda holder, key: holder.__delitem__(key))
        else:
            document = changed(
                document, path, lambda holder, key, value=value: holder.__setitem__(key, value)
            )
    assert_agreement(document)


@examples(200)
@given(json_values)
def test_any_value_gets_one_verdict(value):
    assert assert_agreement(value) is False
    document = receipt(None)
    document["details"]["violations"] = value
    assert_agreement(document)


@pytest.mark.parametrize(
    "value",
    [nested(512, "[{"), 10**5000, -(10**5000), "a" * 10**6],
    ids=["deep", "high", "low", "long"],
)
def test_extreme_values_are_judged(value):
    for path in places(RECEIPTS["fails-2025-06-18"]):
        document = changed(
            RECEIPTS["fails-2025-06-18"], path, lambda holder, key: holder.__setitem__(key, value)
        )
        assert isinstance(is_valid(document), bool)


def test_findings_name_their_rule_and_place():
    document = receipt("2025-06-18")
    document["details"]["cases"][1]["profile_facts"]["output_schema_mode"] = "none"
    document["details"]["cases"][0]["extra/member"] = 1
    del document["details"]["cases"][1]["file"]
    document["details"]["cases"].append("a third")
    document["details"]["profile"] = "command"
    findings = check_schema("evidence.receipt.schema", RECEIPT_SCHEMA, document)
    assert {finding.rule for finding in findings} == {"evidence.receipt.schema"}
    assert {finding.pointer for finding in findings} == {
        "/details/profile",
        "/details/cases",
        "/details/cases/2",
        "/details/cases/0/extra~1member",
        "/details/cases/1/file",
        "/details/cases/1/profile_facts/output_schema_mode",
    }
    assert check_schema("evidence.receipt.schema", RECEIPT_SCHEMA, document) == findings
