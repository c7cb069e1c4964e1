"""Output schemas that are composed: what they hold, admit and refuse, in two validators."""

from __future__ import annotations

import copy

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry

from ajv import SETUPS, Ajv
from domains import DOMAINS, DRAFT_07, DRAFT_2019, SIMPLE, item
from sobre import CONTRACT_URL
from sobre.contract.compose import MODES, DomainSchemaError, tool_output_schema
from sobre.contract.output_schema import judge_output_schema
from sobre.contract.schema_walk import Targets, references, subschemas
from strategies import examples, nested

SUCCESS = {"success": True, "message": "Done."}
FAILURES = [
    {"success": False, "message": "No.", "error": "why"},
    {"success": False, "message": "No.", "error_code": "because"},
    {"success": False, "message": "No.", "error": "why", "error_code": "because", "copied": "x"},
]
BROKEN = [
    {},
    {"success": True},
    {"message": "m"},
    {"success": "true", "message": "m"},
    {"success": True, "message": " "},
    {"success": False, "message": "No."},
    {"success": False, "message": "No.", "error_code": "Not A Code"},
    [],
    None,
]
CASES = [(name, mode) for name, domain in DOMAINS.items() for mode in domain.modes]


def results(domain):
    """Documents with what is to be said of each."""
    good = [SUCCESS | fields for fields in domain.good]
    bad = [SUCCESS | fields for fields in domain.bad]
    with_error = [SUCCESS | domain.good[0] | {name: "why"} for name in ("error", "error_code")]
    return [
        *[(document, True) for document in [*good, *FAILURES]],
        *[(document, False) for document in [*with_error, *BROKEN, *bad]],
    ]


def validator(schema):
    """What jsonschema makes of a schema; it can retrieve nothing."""
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema, registry=Registry())


@pytest.fixture(scope="module")
def ajv():
    process = Ajv()
    yield process
    process.close()


# -- what is composed ---------------------------------------------------------


@pytest.mark.parametrize(("name", "mode"), CASES)
def test_the_mode_is_the_one_asked_for_and_no_client_is_warned_of(name, mode):
    schema = tool_output_schema(DOMAINS[name].schema, mode)
    judged, findings = judge_output_schema(schema)
    assert judged == MODES[mode]
    weaker = ["mcp.output_schema.structural"] if mode == "structural" else []
    assert [finding.rule for finding in findings] == weaker


@pytest.mark.parametrize(("name", "mode"), CASES)
def test_jsonschema_admits_and_refuses(name, mode):
    domain = DOMAINS[name]
    judge = validator(tool_output_schema(domain.schema, mode))
    for document, valid in results(domain):
        assert judge.is_valid(document) is valid, document


@pytest.mark.parametrize(("engine", "strict"), SETUPS)
@pytest.mark.parametrize("together", [True, False], ids=["one instance", "each alone"])
def test_ajv_admits_and_refuses(ajv, engine, strict, together):
    """`together`: as the tools of one server, whose embedded copies are identical."""
    cases = [(name, mode) for name, mode in CASES if DOMAINS[name].strict or not strict]
    schemas = [tool_output_schema(DOMAINS[name].schema, mode) for name, mode in cases]
    asked = [results(DOMAINS[name]) for name, _ in cases]
    documents = [[document for document, _ in pairs] for pairs in asked]
    if together:
        answers = ajv.verdicts(schemas, documents, engine, strict)
    else:
        answers = [
            ajv.verdicts([schema], [given], engine, strict)[0]
            for schema, given in zip(schemas, documents, strict=True)
        ]
    for (name, mode), pairs, answer in zip(cases, asked, answers, strict=True):
        assert isinstance(answer, list), (name, mode, answer)
        for (document, valid), found in zip(pairs, answer, strict=True):
            too_old = not valid and document not in BROKEN and engine < DOMAINS[name].since
            assert found is valid or too_old, (name, mode, document)


@pytest.mark.parametrize("name", DOMAINS)
def test_every_reference_holds_where_it_stands_now(name):
    for mode in DOMAINS[name].modes:
        parts = list(subschemas(tool_output_schema(DOMAINS[name].schema, mode)))
        targets = Targets(parts)
        assert [uri for _, _, uri in references(parts) if uri not in targets] == []


@pytest.mark.parametrize("name", DOMAINS)
def test_the_domain_schema_that_was_given_is_left_as_it_was(name):
    given_schema = copy.deepcopy(DOMAINS[name].schema)
    for mode in DOMAINS[name].modes:
        tool_output_schema(given_schema, mode)
    assert given_schema == DOMAINS[name].schema


def test_the_bundled_form_is_the_one_of_the_specification():
    schema = tool_output_schema()
    assert list(schema) == ["$schema", "type", "$ref", "$defs"]
    assert schema["type"] == "object"
    assert schema["$ref"] == CONTRACT_URL
    assert list(schema["$defs"]) == ["result-contract-v1"]
    assert schema["$defs"]["result-contract-v1"]["$id"] == CONTRACT_URL
    assert "description" not in str(schema)


def test_a_closed_domain_is_opened_for_the_core_where_it_is_read():
    schema = tool_output_schema({**SIMPLE, "additionalProperties": False})
    assert list(schema["then"]["properties"]) == [
        *("success", "message", "details", "warnings", "meta"),
        "copied",
    ]


def test_there_is_no_other_mode():
    with pytest.raises(KeyError):
        tool_output_schema(None, "inline")


# -- any domain schema ----------------------------------------------------------

field_names = st.sampled_from(["a", "b", "x_1"])
scalars = st.sampled_from([0, 1, 2.5, "", "text", True, None])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(field_names, inner, max_size=2),
    max_leaves=5,
)
types = st.sampled_from(["string", "number", "integer", "boolean", "null", "array", "object"])
local = st.sampled_from(["#", "", "#/$defs/x", "#/$defs/y%7E1z", "#mark", "#/properties/a"])


def schema_parts(inner):
    """Keywords for a field's value; those for a result come out of the same ones."""
    fields = st.dictionaries(field_names, inner, max_size=2)
    some = st.lists(inner, min_size=1, max_size=2)
    closing = st.booleans() | inner
    return st.fixed_dictionaries(
        {},
        optional={
            "type": types | st.lists(types, min_size=1, max_size=2, unique=True),
            "properties": fields,
            "required": st.lists(field_names, max_size=2, unique=True),
            "additionalProperties": closing,
            "unevaluatedProperties": closing,
            "propertyNames": st.sampled_from(
                [{"enum": ["a", "b"]}, {"type": "string"}, {"maxLength": 1}]
            ),
            "dependentSchemas": fields,
            "items": inner,
            "allOf": some,
            "anyOf": some,
            "oneOf": some,
            "not": inner,
            "if": inner,
            "then": inner,
            "$ref": local,
        },
    )


leaves = st.booleans() | st.fixed_dictionaries(
    {},
    optional={
        "type": types,
        "enum": st.lists(scalars, min_size=1, max_size=2, unique_by=repr),
        "$ref": local,
    },
)
schemas = st.recursive(leaves, schema_parts, max_leaves=4)


@st.composite
def domains(draw):
    domain = draw(schema_parts(schemas))
    domain["type"] = "object"
    mark = draw(schema_parts(schemas)) | {"$anchor": "mark"}
    domain["$defs"] = {"x": draw(schemas), "y/z": mark}
    domain.setdefault("properties", {}).setdefault("a", draw(schemas))
    return domain


@examples(80)
@given(domains(), st.lists(st.dictionaries(field_names, values, max_size=3), max_size=4), st.data())
def test_a_success_is_valid_if_and_only_if_its_own_fields_are(ajv, domain, fields, data):
    mode = data.draw(st.sampled_from(list(MODES)))
    try:
        schema = tool_output_schema(domain, mode)
    except DomainSchemaError as error:
        assume("lead back" not in str(error))
        raise
    assert judge_output_schema(schema)[0] == MODES[mode]
    whole, own = validator(schema), validator(domain)
    successes = [SUCCESS | given_fields for given_fields in fields]
    failures = [given_fields | failure for given_fields in fields for failure in FAILURES]
    expected = list(map(own.is_valid, fields))
    assert list(map(whole.is_valid, successes)) == expected
    assert all(map(whole.is_valid, failures))
    if "dependentSchemas" in str(domain) and "unevaluatedProperties" in str(domain):
        return  # With both, Ajv refuses every field, whatever schema they stand in.
    (verdicts,) = ajv.verdicts([schema], [successes + failures])
    assert verdicts == expected + [True] * len(failures)


# -- what cannot be composed ------------------------------------------------------

REFUSED = {
    "an array": ([], "a domain schema is an object"),
    "false": (False, "a domain schema is an object"),
    "text": ("{}", "a domain schema is an object"),
    "another type": (
        {"type": "array"},
        'at /type: a result is an object, so `type` must be "object"',
    ),
    "several types": ({"type": ["object", "null"]}, "at /type: "),
    "error required": (
        {"required": ["a", "error"]},
        "at /required: a success may not carry `error`",
    ),
    "error code required": ({"required": ["error_code"]}, "a success may not carry `error_code`"),
    "draft-04": (
        {"$schema": "http://json-schema.org/draft-04/schema#"},
        "at /$schema: the dialect",
    ),
    "draft-06": (
        {"$schema": "http://json-schema.org/draft-06/schema#"},
        "at /$schema: the dialect",
    ),
    "no dialect": ({"$schema": 7}, "at /$schema: the dialect must be"),
    "another dialect inside": ({"items": {"$schema": DRAFT_07}}, "at /items/$schema: the dialect"),
    "draft-07 items": (
        {"$schema": DRAFT_07, "additionalItems": False},
        "at /additionalItems: it does not",
    ),
    "draft-07 dependencies": (
        {"$schema": DRAFT_07, "properties": {"a/b": {"dependencies": {}}}},
        "at /properties/a~1b/dependencies: it does not mean in http://json-schema.org/draft-07/schema",
    ),
    "not of draft-07": (
        {"$schema": DRAFT_07, "unevaluatedProperties": False},
        "/unevaluatedProperties",
    ),
    "beside a draft-07 reference": (
        {"$schema": DRAFT_07, "properties": {"a": {"$ref": "#/definitions/a", "minLength": 1}}}
        | {"definitions": {"a": {}}},
        "at /properties/a/$ref: what stands beside it means nothing",
    ),
    "2019-09 recursion": (
        {"$schema": DRAFT_2019, "items": {"$recursiveRef": "#"}},
        "/$recursiveRef",
    ),
    "a list of items": ({"properties": {"a": {"items": [{}]}}}, "at /properties/a/items: a list"),
    "outside": (
        {"items": {"$ref": "https://example.com/x"}},
        "at /items/$ref: 'https://example.com/x': ",
    ),
    "a file": ({"$ref": "other.json#/x"}, "at /$ref: 'other.json#/x': it does not resolve inside"),
    "nowhere": ({"$ref": "#/$defs/x"}, "and nothing is fetched"),
    "no anchor": ({"$ref": "#x"}, "it does not resolve inside the schema"),
    "into data": ({"$ref": "#/enum/0", "enum": ["x"]}, "it does not resolve inside the schema"),
    "an index that is none": ({"allOf": [{}], "$ref": "#/allOf/00"}, "it does not resolve"),
    "the dialect": (
        {"items": {"$ref": "https://json-schema.org/draft/2020-12/schema"}},
        "not resolve",
    ),
    "no URI": ({"$ref": "http://[#/x"}, "it does not resolve inside the schema"),
    "too long a URI": ({"$ref": "#" + "x" * 10_000}, "it does not resolve inside the schema"),
    "the contract's name": ({"$id": CONTRACT_URL}, "at /$id: that is the contract's own URL"),
    "the contract's name, inside": (
        {
            "$id": "https://qzx.yumbale.com/schemas/x",
            "items": {"$id": CONTRACT_URL.rpartition("/")[2]},
        },
        "at /items/$id: that is the contract's own URL",
    ),
    "the contract's name, in other words": (
        {"$id": CONTRACT_URL.replace("qzx", "QZX") + "#"},
        "at /$id: that is the contract's own URL",
    ),
    "a name twice": (
        {"properties": {"a": {"$anchor": "x"}, "b": {"$dynamicAnchor": "x"}}},
        "at /properties/b/$dynamicAnchor: 'x' stands there twice",
    ),
    "an id twice": (
        {"$defs": {"a": {"$id": "x"}, "b": {"$id": "x"}}},
        "at /$defs/b/$id: 'x' stands there twice",
    ),
    "a dynamic reference with a choice": (
        {
            "items": {"$dynamicRef": "#x"},
            "$defs": {
                "a": {"$dynamicAnchor": "x"},
                "b": {"$id": "https://example.com/b", "$dynamicAnchor": "x"},
            },
        },
        "at /items/$dynamicRef: 'x': several parts have this name",
    ),
    "an id with a fragment": (
        {"$defs": {"a": {"$id": "#a"}}},
        "a name in the schema is an `$anchor`",
    ),
    "an empty id": ({"$id": ""}, "at /$id: it must be a URI without a fragment"),
    "an id that is none": ({"$id": 1}, "at /$id: it must be a URI without a fragment"),
    "itself": ({"$ref": "#"}, "at the root: its references lead back to it"),
    "each other": (
        {
            "items": {"$ref": "#/$defs/a"},
            "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}},
        },
        "at /$defs/a: its references lead back to it, so that no validator comes to an end",
    ),
    "no number": ({"maximum": float("inf")}, "it cannot be written as JSON here"),
    "no JSON": ({"enum": {1, 2}}, "it cannot be written as JSON here"),
    "half a character": ({"enum": ["\ud800"]}, "it cannot be written as JSON here"),
    "too deep": ({"const": nested(510)}, "values are nested deeper than 512 levels"),
    "far too deep": ({"const": nested(5000)}, "it cannot be written as JSON here"),
}


@pytest.mark.parametrize("why", REFUSED)
@pytest.mark.parametrize("mode", MODES)
def test_refusals(why, mode):
    domain, text = REFUSED[why]
    with pytest.raises(DomainSchemaError) as caught:
        tool_output_schema(domain, mode)
    assert text in str(caught.value)
    assert len(str(caught.value)) < 500


def test_the_contract_is_not_there_to_refer_to_in_the_structural_mode():
    with pytest.raises(DomainSchemaError, match="does not resolve inside"):
        tool_output_schema(item(CONTRACT_URL), "structural")


def test_a_domain_as_deep_as_can_be_published_is_written(tmp_path):
    from sobre.json_write import pretty

    for mode in MODES:
        schema = tool_output_schema({"const": nested(500)}, mode)
        assert pretty({"result": {"tools": [{"outputSchema": schema}]}})
