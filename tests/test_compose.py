"""Output schemas that are composed: what they hold, admit and refuse, in two validators."""

from __future__ import annotations

import copy

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry

from ajv import SETUPS, Ajv
from sobre import CONTRACT_URL
from sobre.contract.compose import MODES, DomainSchemaError, tool_output_schema
from sobre.contract.output_schema import judge_output_schema
from sobre.contract.schema_walk import Targets, references, subschemas
from strategies import examples, nested

DRAFT_07 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
TEXT = {"type": "string", "minLength": 1}
COUNT = {"type": "integer", "minimum": 0}
FILE = {
    "type": "object",
    "properties": {"path": TEXT, "bytes": COUNT},
    "required": ["path"],
    "additionalProperties": False,
}
A_FILE = {"path": "/a", "bytes": 3}


class Domain:
    """A domain schema, with domain parts of successes that it admits and that it refuses.

    `since`: the engine that knows its keywords; an older one is only asked what it admits.
    `strict`: whether Ajv's strict mode takes it; that one has never heard of `$anchor`.
    """

    def __init__(self, schema, good, bad=(), since=7, bundled=False, strict=True):
        self.schema = schema
        self.good = list(good)
        self.bad = list(bad)
        self.since = since
        self.strict = strict
        self.modes = [mode for mode in MODES if not bundled or mode != "structural"]


COPIED = [{"copied": 3}], [{}, {"copied": "3"}, {"copied": -1}]
ITEMS = [{"item": {"name": "x"}}, {}], [{"item": {}}, {"item": {"name": 1}}]
TREE = [{"name": "a"}, {"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]}]
NO_TREE = [{}, {"name": "a", "children": [{"name": "b", "children": [{}]}]}]
NAMED = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}


def tree(reference, **more):
    kids = {"type": "array", "items": {"$ref": reference}}
    return {**NAMED, "properties": {"name": {"type": "string"}, "children": kids}, **more}


def item(reference, **more):
    return {"type": "object", "properties": {"item": {"$ref": reference}}, **more}


SIMPLE = {"type": "object", "properties": {"copied": COUNT}, "required": ["copied"]}
ODD_NAMES = ["$ref", "$id", "$defs", "properties", "then", "$anchor", "enum", "const", "__proto__"]
DOMAINS = {
    "none": Domain(None, [{}, {"anything": 1}]),
    "true": Domain(True, [{}, {"anything": 1}]),
    "empty": Domain({}, [{}, {"anything": 1}]),
    "simple": Domain(SIMPLE, *COPIED),
    "no type": Domain({"properties": {"copied": COUNT}, "required": ["copied"]}, *COPIED),
    "core fields": Domain(
        {"properties": {"message": {"maxLength": 9}, "details": {"required": ["at"]}}},
        [{}, {"message": "123456789"}, {"details": {"at": 1}}],
        [{"message": "1234567890"}, {"details": {}}],
    ),
    "closed": Domain(
        {**SIMPLE, "additionalProperties": False},
        [{"copied": 1}, {"copied": 1, "details": {}, "warnings": ["w"], "meta": {}}],
        [{"copied": 1, "other": 2}, {"copied": 1, "warnings": [" "]}],
    ),
    "closed to a type": Domain(
        {"additionalProperties": {"type": "number"}}, [{}, {"a": 1}], [{"a": "x"}]
    ),
    "closed, unevaluated": Domain(
        {**SIMPLE, "unevaluatedProperties": False},
        [{"copied": 1, "meta": {"command": "copy"}}],
        [{"copied": 1, "other": 2}],
        since=2020,
    ),
    "closed around a reference": Domain(
        {"$ref": "#/$defs/count", "unevaluatedProperties": False, "$defs": {"count": SIMPLE}},
        [{"copied": 1, "details": {}}],
        [{"copied": 1, "other": 2}, {}],
        since=2020,
    ),
    "closed in each branch": Domain(
        {
            "type": "object",
            "oneOf": [{**SIMPLE, "additionalProperties": False}, {"$ref": "#/$defs/f"}],
        }
        | {"$defs": {"f": FILE}},
        [{"copied": 1}, {"path": "/a"}],
        [{}, {"copied": 1, "path": "/a"}, {"path": "/a", "other": 1}],
    ),
    "closed by names": Domain(
        {"propertyNames": {"enum": ["a", "b"]}, "additionalProperties": COUNT},
        [{"a": 1}, {"a": 1, "b": 2, "meta": {}}],
        [{"c": 1}, {"a": "x"}],
    ),
    "any names": Domain(
        {"propertyNames": {"type": "string"}, "additionalProperties": COUNT},
        [{"a": 1}],
        [{"a": ""}],
    ),
    "reference": Domain(item("#/$defs/item", **{"$defs": {"item": NAMED}}), *ITEMS),
    "chain of references": Domain(
        item("#/$defs/a", **{"$defs": {"a": {"$ref": "#/$defs/b"}, "b": NAMED}}), *ITEMS
    ),
    "reference into properties": Domain(
        {"properties": {"first": NAMED, "item": {"$ref": "#/properties/first"}}}, *ITEMS
    ),
    "reference into an array": Domain(
        {"allOf": [{"properties": {"first": NAMED}}, item("#/allOf/0/properties/first")]}, *ITEMS
    ),
    "escapes": Domain(
        item("#/$defs/a~1b~0c%20%25%C3%A9", **{"$defs": {"a/b~c %\u00e9": NAMED}}), *ITEMS
    ),
    "escaped tilde and digit": Domain(item("#/$defs/~01", **{"$defs": {"~1": NAMED}}), *ITEMS),
    "recursive": Domain(tree("#"), TREE, NO_TREE),
    "recursive, empty reference": Domain(tree(""), TREE, NO_TREE),
    "recursive, closed": Domain(tree("#", additionalProperties=False), TREE, NO_TREE),
    "recursive definition": Domain(
        {
            "$ref": "#/$defs/Tree",
            "$defs": {"Tree": tree("#/$defs/Tree", additionalProperties=False)},
        },
        TREE,
        [*NO_TREE, {"name": "a", "other": 1}],
    ),
    "anchor": Domain(
        item("#thing", **{"$defs": {"x": {**NAMED, "$anchor": "thing"}}}), *ITEMS, strict=False
    ),
    "dynamic anchor": Domain(
        {"properties": {"item": {"$dynamicRef": "#thing"}}}
        | {"$defs": {"x": {**NAMED, "$dynamicAnchor": "thing"}}},
        *ITEMS,
    ),
    "dynamic tree": Domain(
        {**tree(""), "$dynamicAnchor": "node", "unevaluatedProperties": False}
        | {
            "properties": {
                "name": {"type": "string"},
                "children": {"items": {"$dynamicRef": "#node", "$ref": "#/$defs/any"}},
            },
            "$defs": {"any": {"type": "object"}},
        },
        TREE,
        NO_TREE,
    ),
    "own id": Domain(
        item("#/$defs/item", **{"$id": "https://example.com/copy.json", "$defs": {"item": NAMED}}),
        *ITEMS,
    ),
    "own id around a reference": Domain(
        {
            "$id": "https://example.com/tree.json",
            "$ref": "#/$defs/Tree",
            "$defs": {"Tree": tree("#/$defs/Tree")},
        },
        TREE,
        NO_TREE,
    ),
    "own id, relative references": Domain(
        item("parts/item.json", **{"$id": "https://example.com/a/copy.json"})
        | {"$defs": {"x": {**NAMED, "$id": "parts/item.json"}}},
        *ITEMS,
    ),
    "own id, recursive": Domain(
        tree("tree.json", **{"$id": "https://example.com/tree.json"}), TREE, NO_TREE
    ),
    "urn": Domain(
        item("#/$defs/item", **{"$id": "urn:example:copy", "$defs": {"item": NAMED}}), *ITEMS
    ),
    "embedded resource": Domain(
        item("https://example.com/item#/$defs/named")
        | {
            "$defs": {
                "x": {
                    "$id": "https://example.com/item",
                    "$ref": "#/$defs/named",
                    "$defs": {"named": NAMED},
                }
            }
        },
        *ITEMS,
    ),
    "draft-07": Domain(
        {"$schema": DRAFT_07, **item("#/definitions/item", definitions={"item": NAMED})}, *ITEMS
    ),
    "2019-09": Domain(
        {"$schema": DRAFT_2019, **item("#/$defs/x", **{"$defs": {"x": NAMED}})}, *ITEMS
    ),
    "2020-12": Domain(
        {"$schema": "https://json-schema.org/draft/2020-12/schema#", **SIMPLE}, *COPIED
    ),
    "as pydantic writes it": Domain(
        {
            "$defs": {
                "File": {
                    "additionalProperties": False,
                    "description": "One file.",
                    "properties": {
                        "path": {"title": "Path", "type": "string"},
                        "size": {
                            "anyOf": [{"minimum": 0, "type": "integer"}, {"type": "null"}],
                            "default": None,
                            "title": "Size",
                        },
                        "kind": {"$ref": "#/$defs/Kind", "default": "text"},
                    },
                    "required": ["path"],
                    "title": "File",
                    "type": "object",
                },
                "Kind": {"enum": ["text", "binary"], "title": "Kind", "type": "string"},
            },
            "additionalProperties": False,
            "properties": {
                "files": {"items": {"$ref": "#/$defs/File"}, "title": "Files", "type": "array"},
                "at": {"format": "date-time", "title": "At", "type": "string"},
            },
            "required": ["files"],
            "title": "Listing",
            "type": "object",
        },
        [{"files": [{"path": "/a", "size": None, "kind": "binary"}], "at": "2026-01-02T03:04:05Z"}],
        [{"files": [{"path": "/a", "kind": "other"}]}, {"files": [], "other": 1}, {}],
    ),
    "as zod writes it": Domain(
        {
            "$schema": DRAFT_07,
            "type": "object",
            "properties": {
                "result": {
                    "anyOf": [
                        {
                            "type": "object",
                            "properties": {
                                "kind": {"type": "string", "const": "one"},
                                "one": COUNT,
                            },
                            "required": ["kind", "one"],
                            "additionalProperties": False,
                        },
                        {"type": "null"},
                    ]
                },
                "again": {"$ref": "#/properties/result"},
            },
            "required": ["result"],
            "additionalProperties": False,
        },
        [{"result": None}, {"result": {"kind": "one", "one": 1}, "again": None}],
        [{}, {"result": {"kind": "two", "one": 1}}, {"result": None, "again": 1}],
    ),
    "odd names": Domain(
        {
            "type": "object",
            "properties": {name: {"type": "string"} for name in ODD_NAMES}
            | {"x": {"$ref": "#/properties/then"}},
            "$defs": {"$ref": {"type": "string"}, "$id": {"type": "string"}},
        },
        [dict.fromkeys(ODD_NAMES, "x")],
        [{name: 1} for name in [*ODD_NAMES, "x"] if name != "__proto__"],
    ),
    "data that looks like schemas": Domain(
        {
            "properties": {
                "a": {"const": {"$ref": "#/nowhere"}},
                "b": {"enum": [{"$id": CONTRACT_URL}, {"$ref": "#"}]},
            },
            "examples": [{"$ref": "https://example.com/nowhere"}],
        },
        [{"a": {"$ref": "#/nowhere"}, "b": {"$ref": "#"}}],
        [{"a": {"$ref": "#/then/nowhere"}}, {"b": {"$ref": "#/then"}}],
    ),
    "the contract inside": Domain(
        item(CONTRACT_URL),
        [{"item": {"success": True, "message": "m"}}],
        [{"item": {"success": True}}],
        bundled=True,
    ),
}

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


@examples(150)
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
