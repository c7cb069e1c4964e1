"""Output schemas in which something takes the contract's name, found out as validators are."""

from __future__ import annotations

import copy

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry

from ajv import Ajv
from sobre import CONTRACT_URL
from sobre.contract.compose import tool_output_schema
from sobre.contract.output_schema import constraints, judge_output_schema
from sobre.contract.schemas import schema
from sobre.json_write import equal
from strategies import places, single_changes

FOLDER, NAME = CONTRACT_URL.rsplit("/", 1)
SHADOWED = "mcp.output_schema.shadowed_id"
NONE = "mcp.output_schema.none"
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
