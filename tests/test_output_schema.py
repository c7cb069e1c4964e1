"""Output schemas of every form: their modes, what clients break on, nonsense, sheer size."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ajv import Ajv
from sobre import CONTRACT_URL
from sobre.contract.output_schema import MAX_FINDINGS, judge_output_schema
from sobre.contract.schema_walk import DIALECT, MAX_URI
from strategies import examples, json_values

NAME = CONTRACT_URL.rpartition("/")[2]
SHADOWED = "mcp.output_schema.shadowed_id"
NONE = "mcp.output_schema.none"
STRUCTURAL = "mcp.output_schema.structural"
UNRESOLVED = "mcp.client.unresolved_ref"
ROOT_TYPE = "mcp.client.root_type"
REF = {"$ref": CONTRACT_URL}


def judged(output_schema):
    """The mode, and rule and pointer of each finding; the pointers are into the schema."""
    mode, findings = judge_output_schema(output_schema)
    prefix = "/outputSchema"
    assert all(finding.pointer.startswith(prefix) for finding in findings)
    return mode, [(finding.rule, finding.pointer.removeprefix(prefix)) for finding in findings]


def shadows(output_schema):
    return [pointer for rule, pointer in judged(output_schema)[1] if rule == SHADOWED]


@pytest.fixture(scope="module")
def ajv():
    process = Ajv()
    yield process
    process.close()


# -- modes ----------------------------------------------------------------------------

TEXT = {"type": "string", "minLength": 1, "pattern": r"\S"}
CODE = {"type": "string", "pattern": "^[a-z][a-z0-9_]*$"}
STRUCTURE = {
    "type": "object",
    "required": ["success", "message"],
    "properties": {"success": {"type": "boolean"}, "message": TEXT, "error": TEXT},
}


def structure(**properties):
    """The weaker form with other properties; None takes one out."""
    merged = {**STRUCTURE["properties"], **properties}
    kept = {name: value for name, value in merged.items() if value is not None}
    return {**STRUCTURE, "properties": kept}


STRUCTURAL_FORMS = [
    STRUCTURE,
    structure(error=None, error_code=CODE),
    structure(error={}, error_code={**CODE, "maxLength": 9}),
    structure(message={**TEXT, "minLength": 1.0}),
    structure(message={**TEXT, "minLength": 10**30}),
    structure(message={**TEXT, "maxLength": 3}),
    {**STRUCTURE, "required": ["x", 1, None, ["success"], "message", "success"]},
    {**STRUCTURE, "allOf": [], "$ref": CONTRACT_URL + "#"},
]


@pytest.mark.parametrize("form", STRUCTURAL_FORMS, ids=range(len(STRUCTURAL_FORMS)))
def test_structural_forms(form):
    mode, findings = judged(form)
    assert mode == "structural_core"
    assert (STRUCTURAL, "") in findings


NO_FORMS = {
    "nothing": ({}, "`type` is not"),
    "a type in a list": ({**STRUCTURE, "type": ["object"]}, "`type` is not"),
    "true for a type": ({**STRUCTURE, "type": True}, "`type` is not"),
    "no message": ({**STRUCTURE, "required": ["success"]}, "`required` lacks message"),
    "required text": ({**STRUCTURE, "required": "success message"}, "`required` lacks success"),
    "required names as an object": (
        {**STRUCTURE, "required": {"success": 1, "message": 1}},
        "`required` lacks success",
    ),
    "true for names": ({**STRUCTURE, "required": [True, 1]}, "`required` lacks success"),
    "properties in a list": ({**STRUCTURE, "properties": [TEXT]}, "`properties.success.type`"),
    "a success that is anything": (structure(success=True), "`properties.success.type`"),
    "a success of two types": (
        structure(success={"type": ["boolean"]}),
        "`properties.success.type`",
    ),
    "a constant success": (structure(success={"const": True}), "`properties.success.type`"),
    "true for a length": (structure(message={**TEXT, "minLength": True}), "`properties.message`"),
    "no length": (structure(message={**TEXT, "minLength": 0}), "`properties.message`"),
    "a broken length": (structure(message={**TEXT, "minLength": 1.5}), "`properties.message`"),
    "a length in words": (structure(message={**TEXT, "minLength": "1"}), "`properties.message`"),
    "infinite length": (structure(message={**TEXT, "minLength": float("inf")}), "`prop"),
    "no length at all": (structure(message={**TEXT, "minLength": float("nan")}), "`prop"),
    "another pattern": (structure(message={**TEXT, "pattern": r"\S+"}), "`properties.message`"),
    "a list of patterns": (structure(message={**TEXT, "pattern": [r"\S"]}), "`properties.message`"),
    "true for an error": (structure(error=True), "neither `properties.error` nor"),
    "no error": (structure(error=None), "neither `properties.error` nor"),
    "another code": (
        structure(error=None, error_code={**CODE, "pattern": "^[a-z][a-z0-9_]*"}),
        "neither `properties.error` nor",
    ),
    "a code without a type": (
        structure(error=None, error_code={"pattern": CODE["pattern"]}),
        "neither `properties.error` nor",
    ),
    "a reference by another name": ({"$ref": CONTRACT_URL + "#"}, "`type` is not"),
    "a list of references": ({"$ref": [CONTRACT_URL]}, "`type` is not"),
    "anyOf": ({"type": "object", "anyOf": [REF]}, "`required` lacks success"),
    "oneOf": ({"type": "object", "oneOf": [REF]}, "`required` lacks success"),
    "not not": ({"type": "object", "not": {"not": REF}}, "`required` lacks success"),
    "allOf in anyOf": ({"type": "object", "allOf": [{"anyOf": [REF]}]}, "`required` lacks"),
    "allOf as an object": ({"type": "object", "allOf": {"0": REF}}, "`required` lacks"),
    "allOf of texts": ({"type": "object", "allOf": [CONTRACT_URL, [REF], None]}, "`required`"),
    "a dynamic reference": ({"$dynamicRef": CONTRACT_URL, "type": "object"}, "`required` lacks"),
    "in a definition": ({"type": "object", "$defs": {"x": REF}}, "`required` lacks success"),
}  # fmt: skip


@pytest.mark.parametrize("why", NO_FORMS)
def test_no_mode(why):
    output_schema, missing = NO_FORMS[why]
    mode, findings = judge_output_schema(output_schema)
    assert mode is None
    (none,) = [finding for finding in findings if finding.rule == NONE]
    assert missing in none.message


@pytest.mark.parametrize("value", [None, True, False, 1, "{}", [], [REF]])
def test_what_is_no_object_is_no_output_schema(value):
    mode, (finding,) = judge_output_schema(value)
    assert (mode, finding.rule) == (None, "mcp.output_schema.type")


@pytest.mark.parametrize("depth", [1, 2, 100, 250, 5000])
def test_allof_nests_as_deep_as_it_likes(depth):
    output_schema = dict(REF)
    for _ in range(depth):
        output_schema = {"allOf": [{}, output_schema]}
    assert judged({"type": "object", **output_schema})[0] == "canonical_allof"


# -- what clients would break on ---------------------------------------------------------

#: A reference, the definitions beside it, and whether it names something in the document.
REFERENCES = [
    ("#", {}, True),
    ("", {}, True),
    ("#/$defs/a", {"a": {}}, True),
    ("#/$defs/b", {"a": {}}, False),
    ("#/$defs/a~1b", {"a/b": {}}, True),
    ("#/$defs/a~0b", {"a~b": {}}, True),
    ("#/$defs/a~01b", {"a~1b": {}}, True),
    ("#/$defs/a/b", {"a/b": {}}, False),
    ("#/$defs/a%20b%25", {"a b%": {}}, True),
    ("#/$defs/%C3%A9", {"\u00e9": {}}, True),
    ("#/$defs/a/allOf/0", {"a": {"allOf": [{}]}}, True),
    ("#/$defs/a/allOf/1", {"a": {"allOf": [{}]}}, False),
    ("#/$defs/a/allOf/00", {"a": {"allOf": [{}]}}, False),
    ("#/$defs/a/allOf/\u0660", {"a": {"allOf": [{}]}}, False),
    ("#/$defs/a/allOf/-", {"a": {"allOf": [{}]}}, False),
    ("#/$defs/a", {"a": True}, True),
    ("#a", {"x": {"$anchor": "a"}}, True),
    ("#a", {"x": {"$dynamicAnchor": "a"}}, True),
    ("#b", {"x": {"$anchor": "a"}}, False),
    ("#a", {"x": {"$id": "https://example.com/x", "$anchor": "a"}}, False),
    ("https://example.com/x#a", {"x": {"$id": "https://example.com/x", "$anchor": "a"}}, True),
    ("https://example.com/x", {"x": {"$id": "https://example.com/x"}}, True),
    ("https://example.com/x#", {"x": {"$id": "https://example.com/x"}}, True),
    ("https://example.com/x", {"x": {"$id": "https://example.com/x#"}}, True),
    ("https://example.com/y", {"x": {"$id": "https://example.com/x"}}, False),
    ("https://example.com/y", {"x": {"$id": "https://example.com/x", "items": {"$id": "y"}}}, True),
    ("https://example.com/x#/items", {"x": {"$id": "https://example.com/x", "items": {}}}, True),
    ("https://example.com/x#/not", {"x": {"$id": "https://example.com/x", "items": {}}}, False),
    ("urn:example:x", {"x": {"$id": "urn:example:x"}}, True),
    ("urn:example:x#/items", {"x": {"$id": "urn:example:x", "items": {}}}, True),
    ("#/$defs/x/items", {"x": {"$id": "urn:example:x", "items": {"$ref": "#/$defs/y"}}}, False),
    ("urn:example:x", {"x": {"$id": "urn:example:x", "items": {"$ref": "#/not"}, "not": {}}}, True),
    ("other.json", {}, False),
    ("https://example.com/other", {}, False),
    ("file:///etc/passwd", {}, False),
]


@pytest.mark.parametrize(("reference", "definitions", "held"), REFERENCES)
def test_references_are_held_or_not_as_validators_find(ajv, reference, definitions, held):
    output_schema = {
        "type": "object",
        "properties": {"x": {"$ref": reference}},
        "$defs": definitions,
    }
    found = [pointer for rule, pointer in judged(output_schema)[1] if rule == UNRESOLVED]
    assert bool(found) is not held
    assert held or any(pointer.endswith("/$ref") for pointer in found)
    for engine in (7, 2020):
        (answer,) = ajv.verdicts([output_schema], [[{}]], engine)
        assert isinstance(answer, list) is held, answer


@pytest.mark.parametrize(
    "reference",
    ["http://[", "http://[#/x", "//[", "http://[::1", "#%", "#/%zz", ":", "x" * 9000],
)
def test_what_is_no_uri_names_nothing(reference):
    for output_schema in (
        {"type": "object", "$ref": reference},
        {"type": "object", "$id": "https://example.com/x", "$ref": reference},
        {"type": "object", "$id": reference, "$ref": "#/$defs/x"},
    ):
        assert (UNRESOLVED, "/$ref") in judged(output_schema)[1]


def test_data_is_no_schema_to_refer_to():
    output_schema = {"type": "object", "$ref": "#/properties/x/enum/0"}
    output_schema["properties"] = {"x": {"enum": ["x"]}}
    assert (UNRESOLVED, "/$ref") in judged(output_schema)[1]


def test_an_id_longer_than_any_is_one_all_the_same():
    long = "https://example.com/" + "x" * MAX_URI
    output_schema = {"type": "object", "$id": long, "$ref": "#/$defs/x", "$defs": {"x": {}}}
    assert judged(output_schema) == (None, [(NONE, "")])


def test_only_the_first_hundred_of_a_kind_are_listed():
    count = MAX_FINDINGS + 5
    outside = {f"{n}": {"$ref": f"x{n}"} for n in range(count)}
    found = [one for one in judged({"properties": outside})[1] if one[0] == UNRESOLVED]
    assert found[:-1] == [(UNRESOLVED, f"/properties/{n}/$ref") for n in range(MAX_FINDINGS)]
    assert found[-1] == (UNRESOLVED, "")
    takers = {f"{n}": {"$id": CONTRACT_URL} for n in range(count)}
    assert len(shadows({**REF, "$defs": takers})) == MAX_FINDINGS


# -- anything, of any size -----------------------------------------------------------------

keywords = st.sampled_from(
    ["$id", "$ref", "$defs", "$anchor", "allOf", "properties", "items", "required", "type", "title"]
)
nonsense = st.recursive(
    json_values | st.sampled_from([CONTRACT_URL, NAME, "#", "#/$defs/x", "http://[", DIALECT]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keywords, inner, max_size=4),
    max_leaves=20,
)


@examples(300)
@given(nonsense)
def test_nonsense_is_judged(value):
    mode, findings = judge_output_schema(value)
    assert mode in (None, "canonical_ref", "canonical_allof", "structural_core")
    assert all(finding.severity in ("violation", "warning") for finding in findings)
    assert (mode is None) is any(f.rule in (NONE, "mcp.output_schema.type") for f in findings)


def chain(levels, width):
    """Nested allOf, each level of which has many members and so is dear to look at."""
    made = {}
    for _ in range(levels):
        made = {f"b{n}": 0 for n in range(width)} | {"allOf": [made], "$id": CONTRACT_URL}
    return made


def deep_and_wide(depth, width):
    made = {"properties": {f"a{n}": {} for n in range(width)}}
    for _ in range(depth):
        made = {"properties": {"x": made}}
    return made


LARGE = {
    "members at every level": lambda: chain(200, 2000),
    "many small levels": lambda: {"allOf": [chain(250, 2) for _ in range(200)]},
    "wide, deep down": lambda: deep_and_wide(240, 200_000),
    "takers": lambda: {**REF, "allOf": [{"$id": CONTRACT_URL, "x": n} for n in range(60_000)]},
    "references": lambda: {"properties": {f"{n}": {"$ref": "#/x/y/z"} for n in range(150_000)}},
    "a long id and references": lambda: {
        "$id": "https://example.com/" + "x" * 3_000_000,
        "properties": {f"{n}": {"$ref": f"#/$defs/{n}"} for n in range(50_000)},
    },
    "an id almost too long": lambda: {
        "$id": "https://example.com/" + "a/" * (MAX_URI // 2 - 20),
        "properties": {f"{n}": {"$ref": f"b{n}"} for n in range(20_000)},
    },
    "long text": lambda: {"type": "object", "description": "x" * 5_000_000, "allOf": [REF]},
    "long text, deep down": lambda: json.loads(
        '{"allOf":[' * 200 + '{"title":"' + "x" * 5_000_000 + '"}' + "]}" * 200
    ),
    "a large enum": lambda: {"properties": {"x": {"enum": list(range(700_000))}}},
}


@pytest.mark.parametrize("what", LARGE)
def test_five_megabytes_take_bounded_time(what):
    output_schema = LARGE[what]()
    start = time.process_time()
    judge_output_schema(output_schema)
    assert time.process_time() - start < 10


def test_depth_beyond_what_is_read_and_numbers_beyond_json_are_no_trouble():
    deep = {"title": float("nan")}
    for _ in range(3000):
        deep = {"allOf": [deep], "properties": {"x": float("inf")}}
    assert judged(deep) == (None, [(NONE, ""), (ROOT_TYPE, "")])
    taker = {"$id": CONTRACT_URL, "properties": {"x": {"const": float("nan")}}}
    assert shadows({**REF, "$defs": {"x": taker}}) == ["/$defs/x"]
    assert shadows({**REF, "$defs": {"x": {"$id": CONTRACT_URL, "\ud800": {1, 2}}}}) == ["/$defs/x"]
