"""Output schemas made to deceive: names taken, copies weakened, nests, nonsense, sheer size."""

from __future__ import annotations

import copy
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry

from ajv import Ajv
from sobre import CONTRACT_URL
from sobre.contract.compose import tool_output_schema
from sobre.contract.output_schema import MAX_FINDINGS, constraints, judge_output_schema
from sobre.contract.schema_walk import DIALECT, MAX_URI
from sobre.contract.schemas import schema
from sobre.json_write import equal
from strategies import examples, json_values, places, single_changes

FOLDER, NAME = CONTRACT_URL.rsplit("/", 1)
SHADOWED = "mcp.output_schema.shadowed_id"
NONE = "mcp.output_schema.none"
STRUCTURAL = "mcp.output_schema.structural"
UNRESOLVED = "mcp.client.unresolved_ref"
ROOT_TYPE = "mcp.client.root_type"
REF = {"$ref": CONTRACT_URL}
BUNDLED = tool_output_schema()
#: No result: the contract refuses it, and what stands in for the contract here admits it.
NO_RESULT = {"success": "perhaps"}
WEAK = {"required": ["success"]}


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


def python_admits(output_schema, document):
    try:
        return Draft202012Validator(output_schema, registry=Registry()).is_valid(document)
    except Exception:  # A reference that it cannot resolve, an `$id` that it cannot bear.
        return None


def admitted(ajv, output_schema, document):
    """Whether some validator admits the document; those that refuse the schema say nothing."""
    verdicts = [python_admits(output_schema, document)]
    for engine in (7, 2020):
        (answer,) = ajv.verdicts([output_schema], [[document]], engine)
        verdicts.append(answer == [True])
    return any(verdicts)


# -- names that are taken ----------------------------------------------------------

#: The contract's URL in other spellings -> whether they name it.
SPELLINGS = {
    CONTRACT_URL: True,
    CONTRACT_URL + "#": True,
    CONTRACT_URL.replace("https", "HTTPS"): True,
    CONTRACT_URL.replace("qzx.yumbale", "QZX.Yumbale"): True,
    CONTRACT_URL.replace("qzx", "%71zx"): True,
    CONTRACT_URL.replace("qzx", "\uff51zx"): True,
    CONTRACT_URL.replace("result", "%72esult"): True,
    CONTRACT_URL.replace("/schemas", "/./schemas/x/.."): True,
    CONTRACT_URL.replace("/schemas", "/%2E/schemas"): True,
    CONTRACT_URL + "?": True,
    CONTRACT_URL.replace("/schemas", "/sche\tmas"): True,
    CONTRACT_URL.replace("/schemas", "\n/schemas"): True,
    CONTRACT_URL.removeprefix("https:"): "relative",
    CONTRACT_URL.removeprefix("https://qzx.yumbale.com"): "relative",
    NAME: "relative",
    "./" + NAME: "relative",
    "../schemas/" + NAME: "relative",
    " " + CONTRACT_URL: True,
    CONTRACT_URL.replace("https", "http"): False,
    CONTRACT_URL.replace(".com", ".com:443"): False,
    CONTRACT_URL.replace("/schemas/", "/schemas%2F"): False,
    CONTRACT_URL.replace("/schemas", "/Schemas"): False,
    CONTRACT_URL.replace("/schemas", "//schemas"): False,
    CONTRACT_URL.replace("//", "//@"): False,
    CONTRACT_URL.replace("//", "/"): False,
    CONTRACT_URL + "/": False,
    CONTRACT_URL + "?v=1": False,
    CONTRACT_URL + "#/$defs/x": False,
    CONTRACT_URL + " ": False,
    CONTRACT_URL.replace("/", "\\"): False,
    "https://[": False,
    "": False,
}


@pytest.mark.parametrize("base", [None, f"{FOLDER}/copy.json"], ids=["no base", "a base"])
@pytest.mark.parametrize("spelling", SPELLINGS, ids=ascii)
def test_spellings_of_the_url(ajv, spelling, base):
    """What any of the validators takes for the contract is found out; and little else."""
    output_schema = {"type": "object", **REF, "$defs": {"c": {"$id": spelling, **WEAK}}}
    if base:
        output_schema = {"$id": base, **output_schema}
    expected = SPELLINGS[spelling]
    if expected == "relative":
        expected = base is not None
    assert shadows(output_schema) == (["/$defs/c"] if expected else [])
    assert expected or not admitted(ajv, output_schema, NO_RESULT)


@pytest.mark.parametrize("spelling", [name for name, names in SPELLINGS.items() if names is True])
def test_the_contract_under_its_own_name_in_other_words_is_no_shadow(spelling):
    output_schema = copy.deepcopy(BUNDLED)
    output_schema["$defs"]["result-contract-v1"]["$id"] = spelling
    assert judged(output_schema)[0] == "canonical_ref"
    assert shadows(output_schema) == []


def test_the_contract_by_a_relative_id_is_no_shadow():
    output_schema = {"$id": f"{FOLDER}/copy.json", **copy.deepcopy(BUNDLED)}
    output_schema["$defs"]["result-contract-v1"]["$id"] = NAME
    assert judged(output_schema) == ("canonical_ref", [])


TAKER = {"$id": CONTRACT_URL, **WEAK}
#: Where it may hide -> the pointer to it, or None if no validator looks there.
HIDING = {
    "$defs": ({"$defs": {"x": TAKER}}, "/$defs/x"),
    "definitions": ({"definitions": {"x": TAKER}}, "/definitions/x"),
    "a field": ({"properties": {"x": TAKER}}, "/properties/x"),
    "a field called $id": ({"properties": {"$id": TAKER}}, "/properties/$id"),
    "below fields": ({"properties": {"a": {"items": {"not": TAKER}}}}, "/properties/a/items/not"),
    "allOf": ({"allOf": [{}, TAKER]}, "/allOf/1"),
    "items, in draft-07": ({"items": [TAKER]}, "/items/0"),
    "dependencies": ({"dependencies": {"x": TAKER}}, "/dependencies/x"),
    "dependentSchemas": ({"dependentSchemas": {"x": TAKER}}, "/dependentSchemas/x"),
    "dependentRequired": ({"dependentRequired": {"x": TAKER}}, "/dependentRequired/x"),
    "contentSchema": ({"contentSchema": TAKER}, "/contentSchema"),
    "an unknown keyword": ({"x-decoy": TAKER}, "/x-decoy"),
    "below unknown keywords": ({"x-decoy": {"a/b": {"c": TAKER}}}, "/x-decoy/a~1b/c"),
    "a title": ({"title": TAKER}, "/title"),
    "an example that is no list": ({"examples": {"x": TAKER}}, "/examples/x"),
    "no definition": ({"$defs": {"a": {"b": {"c": TAKER}}}}, "/$defs/a/b/c"),
    "the id of an id": ({"$defs": {"a": {"$id": TAKER}}}, "/$defs/a/$id"),
    "examples": ({"examples": [TAKER]}, None),
    "const": ({"properties": {"x": {"const": TAKER}}}, None),
    "below const": ({"properties": {"x": {"const": {"a": TAKER}}}}, None),
    "enum": ({"properties": {"x": {"enum": [TAKER]}}}, None),
    "default": ({"properties": {"x": {"default": TAKER}}}, None),
    "an unknown list": ({"x-decoys": [TAKER]}, None),
    "an anchor": ({"$defs": {"x": {"$anchor": CONTRACT_URL, **WEAK}}}, None),
    "an id that is no text": ({"$defs": {"x": {"$id": [CONTRACT_URL], **WEAK}}}, None),
}


@pytest.mark.parametrize("where", HIDING)
@pytest.mark.parametrize("reference", [REF, {"allOf": [REF]}], ids=["ref", "allOf"])
def test_takers_of_the_name_wherever_they_hide(ajv, where, reference):
    more, pointer = HIDING[where]
    output_schema = {"type": "object", **reference, **more}
    if "allOf" in more and "allOf" in reference:
        output_schema["allOf"] = [*reference["allOf"], TAKER]
    assert shadows(output_schema) == ([pointer] if pointer else [])
    assert pointer or not admitted(ajv, output_schema, NO_RESULT)


def test_a_right_copy_does_not_excuse_a_weakened_one():
    output_schema = copy.deepcopy(BUNDLED)
    output_schema["$defs"]["another"] = TAKER
    assert shadows(output_schema) == ["/$defs/another"]
    del output_schema["$defs"]["another"]
    output_schema["$defs"] = {"another": TAKER, **output_schema["$defs"]}
    assert shadows(output_schema) == ["/$defs/another"]


def test_the_root_takes_the_name_only_of_a_reference_that_is_there():
    named = {"$id": CONTRACT_URL, "type": "object"}
    assert judged(named) == (None, [(NONE, "")])
    assert shadows({**named, **REF}) == [""]
    assert shadows({**named, "allOf": [REF]}) == [""]


def test_a_relative_id_of_the_root_can_be_the_base():
    base = {"$id": f"{FOLDER}/", "type": "object", **REF}
    assert shadows({**base, "$defs": {"x": {"$id": NAME, **WEAK}}}) == ["/$defs/x"]
    nested = {"$id": "sub/x.json", "items": {"$id": "../" + NAME, **WEAK}}
    assert shadows({**base, "$defs": {"x": nested}}) == ["/$defs/x/items"]


NOT_OURS = [None, True, False, 0, 1, "", "x", [], {}, {"type": "string"}]


def test_one_change_to_the_embedded_contract_is_found_out_unless_it_explains():
    """Each value in turn replaced, removed, doubled or given a neighbour."""
    ours = schema("contract")
    bare = constraints(ours)
    seen = {True: 0, False: 0}
    for changed in single_changes(ours, NOT_OURS):
        if not isinstance(changed, dict) or changed.get("$id") != CONTRACT_URL:
            continue
        same = equal(constraints(changed), bare)
        seen[same] += 1
        output_schema = {"type": "object", **REF, "$defs": {"c": changed}}
        assert ("/$defs/c" in shadows(output_schema)) is not same, changed
    assert min(seen.values()) > 100


def test_constraints_are_all_that_is_compared():
    """`constraints` drops what explains, and never a field that is only called so."""
    for path in places(schema("contract")):
        if path and path[-1] in ("title", "description", "$schema"):
            continue
        if len(path) > 1 and path[-2] == "properties":
            assert path[-1] in _at(constraints(schema("contract")), path[:-1])
    odd = {"properties": {"title": {"title": "x"}, "$schema": True}, "const": {"title": 1}}
    assert constraints(odd) == {
        "properties": {"title": {}, "$schema": True},
        "const": {"title": 1},
    }


def _at(value, path):
    for part in path:
        value = value[part]
    return value


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
    takers = {f"{n}": TAKER for n in range(count)}
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
    "many small levels": lambda: {"allOf": [chain(250, 2) for _ in range(100)]},
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
