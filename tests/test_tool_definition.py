"""What holds for whatever a tool says of its output: arbitrary JSON, schemas of every kind."""

from __future__ import annotations

import copy
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry

from ajv import Ajv
from domains import DOMAINS
from schema_maker import Maker, endless
from sobre import CONTRACT_URL
from sobre.contract.compose import tool_output_schema
from sobre.json_write import equal
from sobre.mcp.output_schemas import OutputSchemas, published_tool
from sobre.produce.tool_definition import contract_output_schema
from sobre.produce.tool_result import contract_tool_result
from sobre.profiles.mcp import judge_tool_definition
from strategies import EFFORT, examples, fixed_random, json_values, nested, objects

FAILURES = [
    {"success": False, "message": "No.", "error": "why"},
    {"success": False, "message": "No.", "error_code": "because", "output": 0, "meta": {}},
    {"success": False, "message": "No.", "error": "why", "output": {"a": None}, "details": {}},
]
keywords = st.sampled_from(
    [
        *["$ref", "$id", "$defs", "$schema", "$anchor", "type", "properties", "required", "if"],
        *["allOf", "anyOf", "oneOf", "then", "items", "const", "enum", "additionalProperties"],
    ]
)
values = json_values | st.sampled_from([CONTRACT_URL, "#", "#/$defs/a", "object", True, {}])
odd_schemas = st.recursive(
    values,
    lambda inner: st.dictionaries(keywords, inner, max_size=4) | st.lists(inner, max_size=2),
    max_leaves=12,
)
forged = st.builds(
    lambda more, then: {**tool_output_schema({}), **more, "then": then},
    objects | st.dictionaries(keywords, odd_schemas, max_size=1),
    odd_schemas,
)
any_own = odd_schemas | objects | json_values | forged


@pytest.fixture(scope="module")
def ajv():
    process = Ajv()
    yield process
    process.close()


def published(own, name="tool"):
    schemas = OutputSchemas()
    return schemas.published(name, own), schemas.refuse(name)


def validator(schema):
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema, registry=Registry())


def is_valid(judge, document):
    """The verdict of jsonschema, or None where its regular expressions cannot say."""
    try:
        return judge.is_valid(document)
    except Exception:
        return None


# -- arbitrary JSON ------------------------------------------------------------


@examples(50)
@given(any_own)
def test_whatever_a_tool_has_a_bundled_schema_is_published(own):
    before = copy.deepcopy(own)
    schema, refuse = published(own)
    assert equal(own, before)
    judged = judge_tool_definition(json.dumps({"name": "t", "outputSchema": schema}).encode())
    assert judged.findings == []
    assert judged.facts["output_schema_mode"] == "canonical_ref"
    judge = validator(schema)
    assert [judge.is_valid(failure) for failure in FAILURES] == [True] * len(FAILURES)
    assert isinstance(refuse({"success": True, "message": "m"}), str)


@examples(50)
@given(any_own)
def test_what_was_published_is_published_again_as_it_is(own):
    schema, _ = published(own)
    again, reason = contract_output_schema(schema)
    assert reason == ""
    assert json.dumps(again) == json.dumps(schema)


def cycle():
    schema = {"type": "object"}
    schema["properties"] = {"a": schema}
    return schema


@pytest.mark.parametrize(
    "own",
    [
        {"const": float("nan")},
        {"enum": [b"x"]},
        {"title": "\ud83d"},
        {1: {}},
        {"const": 10**5000},
        {"const": {1, 2}},
        cycle(),
        {"anyOf": [cycle()]},
        nested(100_000, "{"),
        {"properties": nested(600, "{")},
        {"anyOf": nested(450, "[")},
        {"not": {"not": {"const": object()}}},
        [{"type": "object"}],
        "object",
        5,
        True,
    ],
    ids=lambda own: type(own).__name__,
)
def test_what_is_no_schema_is_left_out(own):
    schema, reason = contract_output_schema(own)
    if not reason:  # As the names that are no strings are written as strings.
        schema, reason = published(own)
    assert judge_tool_definition(json.dumps({"outputSchema": schema}).encode()).findings == []


@pytest.mark.parametrize("levels", [20, 60, 120, 200, 240])
def test_a_deep_schema_does_not_take_the_other_tools_along(levels):
    own = {"type": "integer"}
    for _ in range(levels):
        own = {"type": "object", "properties": {"a": own}, "additionalProperties": False}
    schema, refuse = published(own)
    assert validator(schema).is_valid(FAILURES[0]) if levels < 60 else schema
    assert isinstance(refuse({"success": True, "message": "m", "output": nested(levels)}), str)


def test_many_alternatives_are_walked_once():
    own = {"type": "object", "anyOf": [{"required": [str(n)]} for n in range(3000)]}
    schema, _ = contract_output_schema(own)
    assert len(schema["then"]["properties"]["output"]["anyOf"]) == 3000
    deep = {"const": 1}
    for _ in range(200):
        deep = {"anyOf": [deep]}
    assert "then" in contract_output_schema(deep)[0]


def test_what_is_told_of_a_schema_is_short_and_has_no_control_characters(caplog):
    own = {"properties": {"\x1b[2J": {"$ref": "\x1b" + "x" * 10_000}, "a": {"type": ["x"] * 999}}}
    OutputSchemas().published("\x1b[31m", own)
    OutputSchemas().published("t", {"properties": {"a": {"type": ["x"] * 9999}}})
    assert len(caplog.messages) == 2
    for told in caplog.messages:
        assert len(told) < 1500
        assert told.isprintable()


@pytest.mark.parametrize("tool", [None, 5, "t", [], ["outputSchema"]])
def test_a_tool_that_is_none_passes_as_it_is(tool):
    assert published_tool(tool, OutputSchemas()) is tool


@pytest.mark.parametrize("name", [{}, {"name": 5}, {"name": None}, {"name": {"a": 1}}])
def test_a_tool_without_a_name_is_published_all_the_same(name):
    assert published_tool(name, OutputSchemas())["outputSchema"] == tool_output_schema()


# -- schemas of every kind -----------------------------------------------------


def made(seed, count):
    """Schemas that some validator takes, with documents that may fit them."""
    rng = fixed_random(seed)
    while count:
        maker = Maker(random.Random(rng.random()))
        own = maker.document()
        if not endless(own):
            yield own, [maker.result() for _ in range(6)]
            count -= 1


def domain_outputs():
    for name, domain in DOMAINS.items():
        if isinstance(domain.schema, dict) and CONTRACT_URL not in json.dumps(domain.schema):
            yield name, domain.schema, [*domain.good, *domain.bad]


CASES = [pytest.param(own, outputs, id=name) for name, own, outputs in domain_outputs()]


def success(output):
    return {"success": True, "message": "m", "output": output}


@pytest.mark.parametrize(("own", "outputs"), CASES)
def test_output_is_refused_if_and_only_if_it_breaks_the_tool_s_own_schema(own, outputs):
    schema, refuse = published(own)
    if "then" not in schema:  # It is left out, or says nothing.
        assert [refuse(success(output)) for output in outputs] == [""] * len(outputs)
        return
    theirs = Draft202012Validator(own, registry=Registry())
    for output in outputs:
        fits = is_valid(theirs, output)
        document = success(output)
        if fits is not None:
            assert (refuse(document) == "") is fits
            assert validator(schema).is_valid(document) is fits
            mapped = contract_tool_result(
                {"content": [], "structuredContent": output}, "t", refuse=refuse
            )["structuredContent"]
            assert mapped["success"] is fits
            assert validator(schema).is_valid(mapped)


def test_what_is_refused_is_what_clients_refuse(ajv):
    cases = list(made("definition", 25 * EFFORT))
    cases += [(own, outputs) for _, own, outputs in domain_outputs()]
    for own, outputs in cases:
        schema, refuse = published(own)
        judge, documents = validator(schema), [success(output) for output in outputs]
        expected = [is_valid(judge, document) for document in documents]
        kept = [refuse(document) == "" for document in documents]
        assert kept == [True if fits is None else fits for fits in expected], own
        # By itself: made schemas have names in common, which one instance takes once.
        (said,) = ajv.verdicts([schema], [documents + FAILURES])
        assert said == [*expected, *[True] * len(FAILURES)], own


def test_tools_share_one_validator(ajv):
    """Each with the contract in it; their own schemas have no `$id` in common."""
    owns = [own for _, own, _ in domain_outputs() if '"$id"' not in json.dumps(own)]
    schemas = [published(own)[0] for own in owns] + [tool_output_schema()] * 2
    for engine in (7, 2020):
        found = ajv.verdicts(schemas, [FAILURES] * len(schemas), engine=engine)
        assert found == [[True] * len(FAILURES)] * len(schemas)


@pytest.mark.parametrize(("own", "outputs"), CASES)
def test_a_made_result_of_a_failure_always_fits(own, outputs):
    schema, refuse = published(own)
    judge = validator(schema)
    for output in outputs:
        for answer in (
            {"content": [], "structuredContent": output, "isError": True},
            {"content": [], "structuredContent": {"success": False, "n": output}},
        ):
            mapped = contract_tool_result(answer, "t", refuse=refuse)["structuredContent"]
            assert mapped["success"] is False
            assert judge.is_valid(mapped)


@pytest.mark.parametrize("named", [{}, {"$id": "https://example.com/own"}])
def test_a_reference_in_a_schema_for_the_whole_result_is_followed(named):
    restated = {n: v for n, v in tool_output_schema(mode="structural").items() if n != "$schema"}
    own = {**restated, **named, "$defs": {"n": {"type": "integer"}}}
    own["properties"] = {**own["properties"], "n": {"$ref": "#/$defs/n"}}
    schema, refuse = published(own)
    for n in (1, "1"):
        document = {"success": True, "message": "m", "n": n}
        assert validator(schema).is_valid(document) is (refuse(document) == "") is (n == 1)


def test_a_schema_that_restates_the_contract_is_held_against_what_is_given_out():
    text = {"type": "string", "minLength": 1, "pattern": r"\S"}
    own = {
        "type": "object",
        "required": ["success", "message"],
        "properties": {
            "success": {"type": "boolean"},
            "message": text,
            "error": text,
            "meta": {"properties": {"host": {}}, "additionalProperties": False},
        },
        "maxProperties": 3,
    }
    schema, refuse = published(own)
    for document, success in (
        ({"success": True, "message": "m", "meta": {"host": 1}}, True),
        ({"success": True, "message": "m", "meta": {"name": 1}}, False),
        ({"success": True, "message": "m", "a": 1, "b": 2}, False),
        ({"success": True, "message": "m", "a": 1}, True),
    ):
        answer = {"content": [], "structuredContent": document}
        mapped = contract_tool_result(answer, "t", duration_ms=1, refuse=refuse)
        assert mapped["structuredContent"]["success"] is success
        assert validator(schema).is_valid(mapped["structuredContent"])
