"""Output schemas that frameworks make or change: what a tool may answer, it may go on answering."""

from __future__ import annotations

import pytest
from fastmcp.utilities.json_schema import dereference_refs

from sobre.contract.compose import tool_output_schema
from sobre.contract.output_schema import judge_output_schema
from sobre.json_write import equal
from sobre.mcp.output_schemas import OutputSchemas
from sobre.produce.tool_definition import contract_output_schema

DOMAIN = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def test_the_schema_that_pydantic_is_given_for_a_result_says_no_more_than_the_contract():
    own = tool_output_schema(mode="structural")
    assert contract_output_schema(own) == (tool_output_schema(), "")


@pytest.mark.parametrize("composed", [tool_output_schema(), tool_output_schema(DOMAIN)])
def test_what_fastmcp_takes_out_of_a_bundled_schema_is_put_back(composed):
    taken = dereference_refs(composed)
    assert "$ref" not in taken
    repaired, reason = contract_output_schema(taken)
    assert equal(repaired, composed)
    assert reason == ""
    assert judge_output_schema(repaired)[0] == "canonical_ref"


@pytest.mark.parametrize(
    "own",
    [
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$ref": "#/$defs/N",
            "$defs": {"N": DOMAIN},
        },
        {"type": "object", "if": {"required": ["success"]}, "then": DOMAIN},
    ],
)
def test_another_schema_is_not_mistaken_for_one(own):
    published, _ = contract_output_schema(own)
    assert "output" in published["then"]["properties"]


#: Results that a tool states itself, with an `output` of its own.
STATED = [
    {"success": True, "message": "m", "output": value} for value in (0, "text", [1], {}, None)
]
ANY = {"type": "object", "additionalProperties": True}
NULL = {"type": "null"}


@pytest.mark.parametrize(
    "own",
    [
        ANY,
        {"type": "object", "title": "Any", "description": "What there is."},
        {"type": ["object", "null"]},
        {
            "type": "object",
            "properties": {"result": {"anyOf": [ANY, NULL]}},
            "required": ["result"],
        },
        {"type": "object", "properties": {"result": {"title": "Result"}}, "required": ["result"]},
        {
            "type": "object",
            "properties": {"result": {"anyOf": [tool_output_schema(mode="structural")]}},
        },
        {
            "type": "object",
            "properties": {
                "success": {"type": "boolean"},
                "message": {"type": "string"},
                "output": {},
            },
            "required": ["success", "message", "output"],
        },
    ],
)
def test_a_stated_result_keeps_its_own_output(own):
    refuse = _refuse(own)
    assert [refuse(document) for document in STATED] == [""] * len(STATED)


@pytest.mark.parametrize(
    "own",
    [
        DOMAIN,
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "object", "properties": {"result": DOMAIN}, "required": ["result"]},
        {
            "type": "object",
            "properties": {"success": {"type": "string"}, "message": {}, "output": {}},
        },
    ],
)
def test_any_other_schema_binds_the_output(own):
    assert _refuse(own)({"success": True, "message": "m", "output": 0})


def _refuse(own):
    schemas = OutputSchemas()
    schemas.published("tool", own)
    return schemas.refuse("tool")


def test_output_schemas_are_composed_anew_only_when_they_changed():
    schemas = OutputSchemas()
    first = schemas.published("t", {"type": "object", "required": ["a"]})
    assert schemas.published("t", {"type": "object", "required": ["a"]}) is first
    changed = schemas.published("t", {"type": "object", "required": ["b"]})
    assert changed["then"]["properties"]["output"]["required"] == ["b"]
    assert schemas.refuse("t")({"success": True, "message": "m", "output": {"a": 1}})
