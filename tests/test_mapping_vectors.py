"""The vectors of `vectors/mapping/`: what becomes of a tool's answer, and of its output schema."""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from sobre.mcp.output_schemas import OutputSchemas
from sobre.produce import tool_result
from sobre.produce.tool_definition import contract_output_schema
from vector_cases import CASES, VECTORS, by_id

FILES = {path.stem: json.loads(path.read_bytes()) for path in (VECTORS / "mapping").glob("*.json")}
SCHEMAS = FILES.pop("output_schemas")
RESULTS = [case for file in FILES.values() for case in file["cases"]]


def mapped(case, result=None):
    """What a case comes to, with null for the text that serializes the result."""
    refuse = None
    if "output_schema" in case:
        schemas = OutputSchemas()
        schemas.published(case["tool"], case["output_schema"])
        refuse = schemas.refuse(case["tool"])
    pattern = re.compile(case["error_text"]) if "error_text" in case else None
    answer = tool_result.contract_tool_result(
        case["result"] if result is None else result,
        case["tool"],
        error_text=pattern,
        refuse=refuse,
    )
    written = json.dumps(answer.get("structuredContent"), sort_keys=True)
    for block in answer["content"] if "structuredContent" in answer else ():
        if block["type"] == "text" and is_written(block["text"], written):
            block["text"] = None
            break
    return answer


def is_written(text, written):
    try:
        return json.dumps(json.loads(text), sort_keys=True) == written
    except ValueError:
        return False


@by_id(RESULTS)
def test_result(case):
    before = copy.deepcopy(case["result"])
    answer = mapped(case)
    assert json.dumps(answer, sort_keys=True) == json.dumps(case["expected"], sort_keys=True), case[
        "why"
    ]
    assert case["result"] == before


@by_id(RESULTS)
def test_a_result_that_was_mapped_stays_as_it_is(case):
    answer = copy.deepcopy(case["expected"])
    for block in answer.get("content", ()):
        if block.get("text", "") is None:
            block["text"] = json.dumps(answer["structuredContent"])
    assert mapped(case, answer) == case["expected"]


@by_id(SCHEMAS["cases"])
def test_output_schema(case):
    schemas = OutputSchemas()
    expected = dict(SCHEMAS["bundle"])
    if case["then"] is not None:
        expected |= {"if": SCHEMAS["if"], "then": case["then"]}
    published = schemas.published("tool", case["own"])
    assert json.dumps(published, sort_keys=True) == json.dumps(expected, sort_keys=True)
    assert bool(schemas._told) is case["left_out"], case["why"]
    again, reason = contract_output_schema(published)
    assert (again, reason) == (published, "")


def test_every_code_has_a_case():
    codes = Counter(
        case["expected"]["structuredContent"].get("error_code")
        for case in RESULTS
        if "structuredContent" in case["expected"]
    )
    named = {"TOOL_ERROR", "OUTCOME_CONTRADICTION", "OUTPUT_SCHEMA_MISMATCH", "INVALID_TOOL_RESULT"}
    assert {getattr(tool_result, name) for name in named} <= set(codes)


def test_the_vectors_are_well_formed():
    ids = [case["id"] for cases in CASES.values() for case in cases]
    ids += [case["id"] for case in RESULTS + SCHEMAS["cases"]]
    assert [id for id, count in Counter(ids).items() if count > 1] == []
    assert len(RESULTS) >= 90
    assert len(SCHEMAS["cases"]) >= 25
    for case in RESULTS + SCHEMAS["cases"]:
        assert case["why"].strip(), case["id"]
    documented = (Path(VECTORS) / "README.md").read_text()
    members = {name for case in RESULTS for name in case} | set(SCHEMAS["cases"][0])
    assert [name for name in members if f"`{name}`" not in documented] == []


@pytest.mark.parametrize("file", [*FILES.values(), SCHEMAS], ids=[*FILES, "output_schemas"])
def test_each_file_says_what_it_is_about(file):
    assert file["description"].strip()
