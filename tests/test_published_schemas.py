"""Output schemas that hold a published contract schema, and receipts against the published one.

The published schemas are data of others and no part of this project. Where
they are there, in ../shared/official, these tests read them.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import jsonschema
import pytest

from sobre.contract import CONTRACT_URL
from sobre.contract.output_schema import PUBLISHED, SUPERSEDED
from sobre.contract.schemas import schema
from sobre.evidence.receipt import build_receipt
from sobre.json_text import read
from sobre.json_write import canonical
from sobre.profiles.mcp import judge_tool_definition
from vector_cases import CASES, by_id, judged_pair

OFFICIAL = Path(__file__).parent.parent.parent / "shared" / "official"
pytestmark = pytest.mark.skipif(
    not OFFICIAL.is_dir(), reason="the published schemas are not there (../shared/official)"
)

REF = {"$ref": CONTRACT_URL}
STRUCTURAL = "mcp.output_schema.structural"
SUPERSEDED_RULE = "mcp.output_schema.superseded"
SHADOWED = "mcp.output_schema.shadowed_id"
NONE = "mcp.output_schema.none"
#: The predecessors by their day -> the mode that what they hold gives them.
OLD = {"2026-08-07": None, "2026-08-09": "structural_core"}


def published(name="result-contract-v1"):
    return read((OFFICIAL / f"{name}.schema.json").read_bytes())


def old(day):
    return published(f"superseded-{day}.result-contract-v1")


def judged(output_schema):
    """Mode, findings with their places, and verdict of a tool with an output schema."""
    return judged_bytes(json.dumps({"name": "copy", "outputSchema": output_schema}))


def judged_bytes(text):
    judgement = judge_tool_definition(text.encode())
    findings = [(one.rule, one.pointer.removeprefix("/outputSchema")) for one in judgement.findings]
    return judgement.facts["output_schema_mode"], findings, judgement.conformant


def nested(depth, item):
    for _ in range(depth):
        item = {"allOf": [item]}
    return item


def test_the_published_schema_is_the_one_meant():
    data = (OFFICIAL / "result-contract-v1.schema.json").read_bytes()
    own_bytes = "e4a3b20a401612dccb7369121f3faf9b0d703cdca17f9c2928e1ffb0ce15ce5b"
    assert hashlib.sha256(data).hexdigest() == own_bytes
    assert hashlib.sha256(canonical(read(data))).hexdigest() == PUBLISHED
    assert {hashlib.sha256(canonical(old(day))).hexdigest() for day in OLD} == SUPERSEDED


def test_inline():
    assert judged(published()) == ("canonical_inline", [], True)


@pytest.mark.parametrize(
    "respelled",
    [
        lambda text: json.dumps(dict(reversed(json.loads(text).items()))),
        lambda text: json.dumps(json.loads(text), indent=7),
        lambda text: text.replace('"const": 1,', '"const": 1.0,'),
        lambda text: text.replace('"minimum": 0', '"minimum": -0.0'),
        lambda text: text.replace('"minLength": 1', '"minLength": 10e-1'),
        lambda text: text.replace('"success"', '"\\u0073uccess"'),
    ],
    ids=["order", "white space", "1.0", "-0.0", "10e-1", "escape"],
)
def test_inline_in_another_spelling(respelled):
    text = (OFFICIAL / "result-contract-v1.schema.json").read_text()
    changed = respelled(text)
    assert changed != text
    assert judged_bytes(f'{{"outputSchema": {changed}}}') == ("canonical_inline", [], True)


@pytest.mark.parametrize("name", ["title", "description", "examples", "allOf", "$schema", "$id"])
def test_inline_less_one_member_is_a_restatement(name):
    """Whole means whole: annotations are part of the published schema."""
    less = published()
    del less[name]
    assert judged(less) == ("structural_core", [(STRUCTURAL, "")], True)


@pytest.mark.parametrize(
    "change",
    [
        lambda whole: whole.update({"$comment": ""}),
        lambda whole: whole.update(description="Another."),
        lambda whole: whole["required"].reverse(),
        lambda whole: whole["examples"].pop(),
        lambda whole: whole["properties"]["meta"]["properties"]["schema_version"].update(
            {"const": True}
        ),
        lambda whole: whole.update({"additionalProperties": 1}),
    ],
    ids=["one more", "description", "order in an array", "example", "true for 1", "1 for true"],
)
def test_inline_with_one_change_is_a_restatement(change):
    changed = published()
    change(changed)
    assert judged(changed) == ("structural_core", [(STRUCTURAL, "")], True)


def test_inline_less_type_is_nothing():
    less = published()
    del less["type"]
    mode, findings, conformant = judged(less)
    assert (mode, findings[0], conformant) == (None, (NONE, ""), False)
    assert [rule for rule, _ in findings] == [NONE, "mcp.client.root_type"]


@pytest.mark.parametrize("depth", [1, 2, 50])
def test_inline_in_all_of(depth):
    holds = {"type": "object", **nested(depth, published())}
    assert judged(holds) == ("canonical_allof", [], True)


@pytest.mark.parametrize("depth", [1, 2])
def test_changed_in_all_of(depth):
    """It takes the contract's name and is neither the published schema nor ours."""
    changed = published()
    changed["description"] = "Another."
    holds = {"type": "object", **nested(depth, changed)}
    place = "/allOf/0" * depth
    assert judged(holds) == (None, [(SHADOWED, place), (NONE, "")], False)


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_inline_in_a_choice_proves_nothing(keyword):
    assert judged({"type": "object", keyword: [published()]}) == (None, [(NONE, "")], False)


def test_inline_in_a_condition_proves_nothing():
    holds = {"type": "object", "if": {}, "then": published()}
    assert judged(holds) == (None, [(NONE, "")], False)


def test_bundled():
    bundled = {"type": "object", **REF, "$defs": {"contract": published()}}
    assert judged(bundled) == ("canonical_ref", [], True)
    composed = {"type": "object", "allOf": [REF], "$defs": {"contract": published()}}
    assert judged(composed) == ("canonical_allof", [], True)


def test_bundled_with_a_weaker_copy():
    weaker = published()
    weaker["required"].remove("message")
    bundled = {"type": "object", **REF, "$defs": {"contract": weaker}}
    assert judged(bundled) == ("canonical_ref", [(SHADOWED, "/$defs/contract")], False)


def test_bundled_with_the_published_and_our_own():
    both = {"a": published(), "b": schema("contract")}
    assert judged({"type": "object", **REF, "$defs": both}) == ("canonical_ref", [], True)


@pytest.mark.parametrize(("day", "mode"), OLD.items())
def test_superseded_inline(day, mode):
    """Classed as any other object schema is; at the root its `$id` captures nothing."""
    first = (NONE, "") if mode is None else (STRUCTURAL, "")
    assert judged(old(day)) == (mode, [first, (SUPERSEDED_RULE, "")], mode is not None)


@pytest.mark.parametrize("day", OLD)
def test_superseded_bundled(day):
    bundled = {"type": "object", **REF, "$defs": {"contract": old(day)}}
    place = "/$defs/contract"
    expected = [(SHADOWED, place), (SUPERSEDED_RULE, place)]
    assert judged(bundled) == ("canonical_ref", expected, False)


@pytest.mark.parametrize("day", OLD)
def test_superseded_in_all_of(day):
    place = "/allOf/0"
    expected = [(SHADOWED, place), (NONE, ""), (SUPERSEDED_RULE, place)]
    assert judged({"type": "object", "allOf": [old(day)]}) == (None, expected, False)


@pytest.mark.parametrize("day", OLD)
def test_superseded_with_a_change_is_not_known(day):
    changed = old(day)
    changed["title"] = "Another"
    assert SUPERSEDED_RULE not in [rule for rule, _ in judged(changed)[1]]


@by_id(CASES["evidence"])
def test_the_published_receipt_schema_takes_our_receipts(case, tmp_path):
    receipt = build_receipt(judged_pair(case, tmp_path)[0])
    url = "result-contract-conformance-receipt-v1"
    jsonschema.Draft202012Validator(published(url)).validate(receipt)
