"""Output schemas that came through a framework: what it did to them is undone."""

from __future__ import annotations

import pytest
from fastmcp.utilities.json_schema import dereference_refs

from sobre.contract.compose import tool_output_schema
from sobre.contract.output_schema import judge_output_schema
from sobre.json_write import equal
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
