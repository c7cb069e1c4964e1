"""Changes of a schema: what each does to consumers, and that none that breaks them is missed."""

from __future__ import annotations

import copy
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry

from sobre.contract.compose import MODES, tool_output_schema
from sobre.contract.schema_diff import ADDITIVE, BREAKING, MAX_CHANGES, UNDECIDED, diff_schemas
from sobre.contract.schema_walk import Targets, references, subschemas
from sobre.contract.schemas import SCHEMAS, schema
from sobre.json_write import resolve_pointer
from strategies import EFFORT, examples, fixed_random, json_values, nested, seeds

TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def told(old, new):
    """Effect and pointer of each change."""
    return [f"{change.effect} {change.pointer}" for change in diff_schemas(old, new)]


def fields(**properties):
    return {"type": "object", "properties": properties}


def code(*values):
    return fields(error_code={"enum": list(values)})


# -- one change at a time, and back ---------------------------------------------

#: What -> old, new, the changes, and those of the way back.
CHANGES = {
    "a field": (
        fields(a=TEXT),
        fields(a=TEXT, b=TEXT),
        ["additive /properties/b"],
        ["breaking /properties/b"],
    ),
    "a required field": (
        fields(a=TEXT),
        {**fields(a=TEXT, b=TEXT), "required": ["b"]},
        ["breaking /required"],
        ["breaking /required", "breaking /properties/b"],
    ),
    "required": (
        fields(a=TEXT),
        {**fields(a=TEXT), "required": ["a"]},
        ["breaking /required"],
        ["breaking /required"],
    ),
    "the name of a field": (
        fields(a=TEXT),
        fields(b=TEXT),
        ["breaking /properties/a", "additive /properties/b"],
        ["breaking /properties/b", "additive /properties/a"],
    ),
    "a type": (fields(a=TEXT), fields(a=NUMBER), ["breaking /properties/a/type"]),
    "a type to null": (
        fields(a=TEXT),
        fields(a={"type": ["string", "null"]}),
        ["breaking /properties/a/type"],
    ),
    "integer to number": ({"type": "integer"}, NUMBER, ["breaking /type"]),
    "any type": ({}, TEXT, ["breaking /type"]),
    "everything": (TEXT, True, ["breaking /type"]),
    "nothing": (fields(a=True), fields(a=False), ["breaking /properties/a"]),
    "nothing of a type": (fields(a=TEXT), fields(a=False), ["breaking /properties/a"]),
    "a value": ({"enum": ["a"]}, {"enum": ["a", "b"]}, ["breaking /enum"]),
    "two values": ({"enum": [1, 2]}, {"enum": [3, 2.0]}, ["breaking /enum"] * 2),
    "a value of another type": ({"enum": [1]}, {"enum": [True]}, ["breaking /enum"] * 2),
    "a value beyond doubles": ({"enum": [2**53]}, {"enum": [2**53 + 1]}, ["breaking /enum"] * 2),
    "a large value within": (
        {"enum": [[10**30, {"a": 2**60}]]},
        {"enum": [[10**30, {"a": 2**60 + 1}]]},
        ["breaking /enum"] * 2,
    ),
    "an enum": (TEXT, {**TEXT, "enum": ["a"]}, ["breaking /enum"]),
    "an enum that is none": ({"enum": None}, {}, ["breaking /enum"]),
    "an error code": (
        code("a"),
        code("a", "b"),
        ["additive /properties/error_code/enum"],
        ["breaking /properties/error_code/enum"],
    ),
    "the only error code": (
        code("a"),
        code("b"),
        ["breaking /properties/error_code/enum", "additive /properties/error_code/enum"],
    ),
    "no more error codes": (
        code("a"),
        fields(error_code={}),
        ["breaking /properties/error_code/enum"],
    ),
    "the error code of something else": (
        fields(data=code("a")),
        fields(data=code("a", "b")),
        ["breaking /properties/data/properties/error_code/enum"],
    ),
    "an error code in a condition": (
        {"if": {"required": ["x"]}, "then": code("a")},
        {"if": {"required": ["x"]}, "then": code("a", "b")},
        ["additive /then/properties/error_code/enum"],
        ["breaking /then/properties/error_code/enum"],
    ),
    "an error code, and a field that shares its schema": (
        {**fields(error_code={"$ref": "#/$defs/e"}, kind={"$ref": "#/$defs/e"})}
        | {"$defs": {"e": {"enum": ["a"]}}},
        {**fields(error_code={"$ref": "#/$defs/e"}, kind={"$ref": "#/$defs/e"})}
        | {"$defs": {"e": {"enum": ["a", "b"]}}},
        ["additive /$defs/e/enum", "breaking /$defs/e/enum"],
        ["breaking /$defs/e/enum", "breaking /$defs/e/enum"],
    ),
    "a constant": ({"const": 1}, {"const": 2}, ["breaking /const"]),
    "no constant": ({"const": 1}, {}, ["breaking /const"]),
    "null, constant": ({"const": None}, {}, ["breaking /const"]),
    "true, constant": ({"const": True}, {"const": 1}, ["breaking /const"]),
    "closed": (
        fields(),
        {**fields(), "additionalProperties": False},
        ["breaking /additionalProperties"],
        ["additive /additionalProperties"],
    ),
    "closed to a type": (
        fields(),
        {**fields(), "additionalProperties": TEXT},
        ["breaking /additionalProperties"],
    ),
    "opened to a type": (
        {"additionalProperties": False},
        {"additionalProperties": TEXT},
        ["additive /additionalProperties"],
        ["breaking /additionalProperties"],
    ),
    "the type of other fields": (
        {"additionalProperties": TEXT},
        {"additionalProperties": NUMBER},
        ["breaking /additionalProperties/type"],
    ),
    "a field that was one of the others": (
        {"additionalProperties": NUMBER},
        {"additionalProperties": NUMBER, "properties": {"a": TEXT}},
        ["additive /properties/a", "breaking /properties/a/type"],
        ["breaking /properties/a"],
    ),
    "a field that was one of the others, as it was": (
        {"additionalProperties": NUMBER},
        {"additionalProperties": NUMBER, "properties": {"a": NUMBER}},
        ["additive /properties/a"],
        ["breaking /properties/a"],
    ),
    "a field that had to be there": (
        {"required": ["a"]},
        {"required": ["a"], "properties": {"a": TEXT}},
        ["breaking /properties/a/type"],
        ["breaking /properties/a"],
    ),
    "a field in a closed object": (
        {**fields(a=TEXT), "additionalProperties": False},
        {**fields(a=TEXT, b=TEXT), "additionalProperties": False},
        ["additive /properties/b"],
        ["breaking /properties/b"],
    ),
    "a field that another schema may have bound": (
        {"allOf": [fields()], "unevaluatedProperties": NUMBER},
        {"allOf": [fields(a=TEXT)], "unevaluatedProperties": NUMBER},
        ["undecided /allOf/0/properties/a"],
        ["breaking /allOf/0/properties/a"],
    ),
    "what counts as evaluated": (
        {"allOf": [{}], "unevaluatedProperties": False},
        {"allOf": [{"additionalProperties": True}], "unevaluatedProperties": False},
        ["undecided /allOf/0/additionalProperties"],
    ),
    "which items count as evaluated": (
        {"allOf": [{}], "unevaluatedItems": False},
        {"allOf": [{"items": {}}], "unevaluatedItems": False},
        ["undecided /allOf/0/items"],
    ),
    "the type of items": ({"items": TEXT}, {"items": NUMBER}, ["breaking /items/type"]),
    "no more items": (
        {"prefixItems": [TEXT], "items": False},
        {"prefixItems": [TEXT]},
        ["breaking /items"],
    ),
    "another first item": (
        {"prefixItems": [TEXT]},
        {"prefixItems": [TEXT, TEXT]},
        ["undecided /prefixItems"],
    ),
    "the order of items": (
        {"prefixItems": [TEXT, NUMBER]},
        {"prefixItems": [NUMBER, TEXT]},
        ["breaking /prefixItems/0/type", "breaking /prefixItems/1/type"],
    ),
    "items, in draft-07": ({"items": [TEXT]}, {"items": [NUMBER]}, ["breaking /items/0/type"]),
    "one more item, in draft-07": ({"items": [TEXT]}, {"items": [TEXT, {}]}, ["undecided /items"]),
    "items, from a list to one": ({"items": [TEXT]}, {"items": TEXT}, ["undecided /items"]),
    **{
        f"{keyword} {old} to {new}": ({keyword: old}, {keyword: new}, [f"breaking /{keyword}"])
        for keyword in (
            *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
            *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
        )
        for old, new in ((1, 2), (1, 1.5))
    },
    **{
        f"{keyword} at all": ({}, {keyword: value}, [f"{effect} /{keyword}"])
        for keyword, value, effect in (
            ("minimum", 0, BREAKING),
            ("maxItems", 9, BREAKING),
            ("pattern", "x", BREAKING),
            ("const", 0, BREAKING),
            ("format", "date", UNDECIDED),
            ("multipleOf", 2, UNDECIDED),
            ("uniqueItems", True, UNDECIDED),
            ("not", {}, UNDECIDED),
            ("if", {}, UNDECIDED),
            ("contains", {}, UNDECIDED),
            ("anyOf", [{}], UNDECIDED),
            ("allOf", [{}, {}], UNDECIDED),
            ("oneOf", [{}], UNDECIDED),
            ("patternProperties", {"x": {}}, UNDECIDED),
            ("propertyNames", {}, UNDECIDED),
            ("dependentRequired", {"a": ["b"]}, UNDECIDED),
            ("dependentSchemas", {"a": {}}, UNDECIDED),
            ("unevaluatedProperties", False, UNDECIDED),
            ("unevaluatedItems", False, UNDECIDED),
            ("x-unknown", None, UNDECIDED),
        )
    },
    "a pattern": ({"pattern": "a"}, {"pattern": "b"}, ["undecided /pattern"]),
    "a format": ({"format": "date"}, {"format": "time"}, ["undecided /format"]),
    "one branch more": ({"anyOf": [TEXT]}, {"anyOf": [TEXT, NUMBER]}, ["undecided /anyOf"]),
    "a branch": (
        {"anyOf": [TEXT, NUMBER]},
        {"anyOf": [TEXT, {"type": "boolean"}]},
        ["breaking /anyOf/1/type"],
    ),
    "one pattern more": (
        {"patternProperties": {"^a": TEXT}},
        {"patternProperties": {"^a": TEXT, "^b": TEXT}},
        ["undecided /patternProperties/^b"],
    ),
    "a dependency": (
        {"dependencies": {"a": ["b"]}},
        {"dependencies": {"a": ["c"]}},
        ["undecided /dependencies/a"],
    ),
    "a reference, to elsewhere": (
        {"$ref": "#/$defs/a", "$defs": {"a": TEXT, "b": NUMBER}},
        {"$ref": "#/$defs/b", "$defs": {"a": TEXT, "b": NUMBER}},
        ["breaking /$defs/b/type"],
        ["breaking /$defs/a/type"],
    ),
    "a reference, to outside": (
        {"$ref": "https://example.com/a"},
        {"$ref": "https://example.com/b"},
        ["undecided /$ref"],
    ),
    "a relative reference from another place": (
        {"$id": "https://example.com/a/x", "$ref": "y"},
        {"$id": "https://example.com/b/x", "$ref": "y"},
        ["undecided /$ref"],
    ),
    "a reference that was held": (
        {"$ref": "https://example.com/a", "$defs": {"a": {"$id": "https://example.com/a"}}},
        {"$ref": "https://example.com/a"},
        ["undecided /$ref"],
    ),
    "the dialect": (
        {"$schema": "http://json-schema.org/draft-07/schema#"},
        {},
        ["undecided /$schema"],
    ),
    "the dialect of a part": (
        {"items": {"$id": "x", "$schema": "http://json-schema.org/draft-07/schema"}},
        {"items": {"$id": "x"}},
        ["undecided /items/$schema"],
    ),
    "one more dynamic anchor": (
        {"$dynamicRef": "#x", "$defs": {"a": {"$dynamicAnchor": "x"}}},
        {"$dynamicRef": "#x", "$defs": {"a": {"$dynamicAnchor": "x"}}}
        | {"properties": {"b": {"$id": "b", "$dynamicAnchor": "x"}}},
        ["additive /properties/b", "undecided /$dynamicRef"],
        ["breaking /properties/b", "undecided /$dynamicRef"],
    ),
    "no schema": (fields(a=[]), fields(a=TEXT), ["undecided /properties/a"]),
    "no type": ({"type": 1}, {"type": 2}, ["undecided /type"]),
    "a name that pointers escape": (
        fields(**{"a/b~": {}}),
        fields(),
        ["breaking /properties/a~1b~0"],
        ["additive /properties/a~1b~0"],
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_changes(what):
    old, new, changes, *back = CHANGES[what]
    assert sorted(told(old, new)) == sorted(changes)
    assert sorted(told(new, old)) == sorted(back[0] if back else changes)


#: Where a schema may stand -> the document around it, the pointer to it, and what is trusted there.
PLAIN, CAREFUL, BLIND = "plain", "careful", "blind"
PLACES = {
    "field": (lambda inner: fields(x=inner), "/properties/x", PLAIN),
    "items": (lambda inner: fields(x={"items": inner}), "/properties/x/items", PLAIN),
    "first item": (lambda inner: {"prefixItems": [inner]}, "/prefixItems/0", PLAIN),
    "other fields": (
        lambda inner: {"additionalProperties": inner},
        "/additionalProperties",
        PLAIN,
    ),
    "some fields": (
        lambda inner: {"patternProperties": {"^x": inner}},
        "/patternProperties/^x",
        PLAIN,
    ),
    "allOf": (lambda inner: {"allOf": [TEXT, inner]}, "/allOf/1", PLAIN),
    "anyOf": (lambda inner: {"anyOf": [TEXT, inner]}, "/anyOf/1", PLAIN),
    "then": (lambda inner: {"if": {}, "then": inner}, "/then", PLAIN),
    "else": (lambda inner: {"if": {}, "else": inner}, "/else", PLAIN),
    "dependent": (lambda inner: {"dependentSchemas": {"a": inner}}, "/dependentSchemas/a", PLAIN),
    "dependency": (lambda inner: {"dependencies": {"a": inner}}, "/dependencies/a", PLAIN),
    "names": (lambda inner: {"propertyNames": inner}, "/propertyNames", PLAIN),
    "unevaluated": (
        lambda inner: {"unevaluatedItems": inner},
        "/unevaluatedItems",
        PLAIN,
    ),
    "reference": (lambda inner: {"$ref": "#/$defs/a", "$defs": {"a": inner}}, "/$defs/a", PLAIN),
    "reference in a field": (
        lambda inner: fields(x={"$ref": "#/$defs/a", "title": "x"}) | {"$defs": {"a": inner}},
        "/$defs/a",
        PLAIN,
    ),
    "reference beside a keyword": (
        lambda inner: {"$ref": "#/$defs/a", "minLength": 1, "$defs": {"a": inner}},
        "/$defs/a",
        PLAIN,
    ),
    "chain": (
        lambda inner: (
            fields(x={"$ref": "#/$defs/b"}) | {"$defs": {"a": inner, "b": {"$ref": "#/$defs/a"}}}
        ),
        "/$defs/a",
        PLAIN,
    ),
    "anchor": (
        lambda inner: fields(x={"$ref": "#a"}) | {"$defs": {"q": {"$anchor": "a", **inner}}},
        "/$defs/q",
        PLAIN,
    ),
    "dynamic anchor": (
        lambda inner: (
            fields(x={"$dynamicRef": "#a"}) | {"$defs": {"q": {"$dynamicAnchor": "a", **inner}}}
        ),
        "/$defs/q",
        PLAIN,
    ),
    "dynamic anchor in another resource": (
        lambda inner: (
            fields(x={"$dynamicRef": "#a"})
            | {
                "$defs": {
                    "p": {"$dynamicAnchor": "a"},
                    "q": {"$id": "https://example.com/q", "$dynamicAnchor": "a", **inner},
                }
            }
        ),
        "/$defs/q",
        PLAIN,
    ),
    "recursive reference": (
        lambda inner: (
            fields(x={"$recursiveRef": "#"})
            | {"$defs": {"q": {"$id": "q", "$recursiveAnchor": True, **inner}}}
        ),
        "/$defs/q",
        PLAIN,
    ),
    "id": (
        lambda inner: (
            fields(x={"$ref": "https://example.com/q"})
            | {"$defs": {"q": {"$id": "https://example.com/q", **inner}}}
        ),
        "/$defs/q",
        PLAIN,
    ),
    "pointer in a resource": (
        lambda inner: (
            fields(x={"$ref": "#/$defs/a"})
            | {
                "$defs": {
                    "a": {
                        "$id": "urn:example:a",
                        "items": {"$ref": "#/$defs/b"},
                        "$defs": {"b": inner},
                    }
                }
            }
        ),
        "/$defs/a/$defs/b",
        PLAIN,
    ),
    "no place for schemas": (
        lambda inner: fields(x={"$ref": "#/x-shared/a"}) | {"x-shared": {"a": inner}},
        "/x-shared/a",
        PLAIN,
    ),
    "oneOf": (lambda inner: {"oneOf": [TEXT, inner]}, "/oneOf/1", CAREFUL),
    "contains": (lambda inner: {"contains": inner, "maxContains": 1}, "/contains", CAREFUL),
    "reference in oneOf": (
        lambda inner: {"oneOf": [{"$ref": "#/$defs/a"}, TEXT], "$defs": {"a": inner}},
        "/$defs/a",
        CAREFUL,
    ),
    "not": (lambda inner: {"not": inner}, "/not", BLIND),
    "if": (lambda inner: {"if": inner, "then": TEXT}, "/if", BLIND),
    "reference in not": (
        lambda inner: {"not": {"$ref": "#/$defs/a"}, "$defs": {"a": inner}},
        "/$defs/a",
        BLIND,
    ),
    "field in not": (lambda inner: {"not": fields(x=inner)}, "/not/properties/x", BLIND),
}
INNER = {
    "a field": (fields(a=TEXT), fields(a=TEXT, b=TEXT), ADDITIVE, "/properties/b"),
    "a field less": (fields(a=TEXT, b=TEXT), fields(a=TEXT), BREAKING, "/properties/b"),
    "a type": ({"type": "object"}, {"type": "array"}, BREAKING, "/type"),
    "opened": (
        {"additionalProperties": False},
        {"additionalProperties": True},
        ADDITIVE,
        "/additionalProperties",
    ),
    "a bound": ({"minimum": 1}, {"minimum": 0}, BREAKING, "/minimum"),
    "a format": ({"format": "date"}, {"format": "time"}, UNDECIDED, "/format"),
}


@pytest.mark.parametrize("what", INNER)
@pytest.mark.parametrize("place", PLACES)
def test_changes_at_every_place(place, what):
    around, pointer, trust = PLACES[place]
    old, new, effect, inner = INNER[what]
    if trust == BLIND or (trust == CAREFUL and effect == ADDITIVE):
        effect = UNDECIDED
    changes = told(around(old), around(new))
    if place == "no place for schemas":  # The keyword is unknown, so its value is a change too.
        changes.remove("undecided /x-shared")
    assert set(changes) == {f"{effect} {pointer}{inner}"}


# -- no change in meaning --------------------------------------------------------

PERSON = fields(name=TEXT, friend={"$ref": "#/$defs/person"})
SAME = {
    "explanations": (
        {"title": "a", "description": "b", "examples": [1], "$comment": "c", "default": 1},
        {"title": "x", "readOnly": True, "deprecated": True},
    ),
    "explanations of a branch": (
        {"anyOf": [{"type": "null", "title": "a"}, TEXT]},
        {"anyOf": [{"type": "null"}, {**TEXT, "description": "x"}]},
    ),
    "explanations in not": ({"not": {"title": "a", **TEXT}}, {"not": TEXT}),
    "explained anything": (fields(a=True), fields(a={"title": "Whatever it is."})),
    "anything": (fields(a=True), fields(a={})),
    "other fields": (
        {"additionalProperties": True, "items": {"title": "x"}},
        {"items": True, "additionalProperties": {}},
    ),
    "other fields, unsaid": ({"additionalProperties": {}, "items": True}, {}),
    "order": (
        {"required": ["a", "b"], "type": ["string", "null"], "enum": [1, 2]},
        {"enum": [2, 1.0], "type": ["null", "string"], "required": ["b", "a"]},
    ),
    "order of branches": (
        {"anyOf": [TEXT, NUMBER, {"$ref": "#/$defs/a"}], "$defs": {"a": {"type": "null"}}},
        {"anyOf": [{"$ref": "#/$defs/a"}, TEXT, NUMBER], "$defs": {"a": {"type": "null"}}},
    ),
    "numbers": ({"const": 1, "minimum": 2.0}, {"const": 1.0, "minimum": 2}),
    "a definition that nothing uses": ({"$defs": {"a": TEXT}}, {"definitions": {"b": NUMBER}}),
    "inlined": (
        fields(a={"$ref": "#/$defs/a"}) | {"$defs": {"a": {**TEXT, "minLength": 1}}},
        fields(a={"minLength": 1, **TEXT}),
    ),
    "inlined at the root": (
        {"$ref": "#/$defs/person", "$defs": {"person": PERSON}},
        {**PERSON, "$defs": {"person": PERSON}},
    ),
    "inlined once in a recursion": (
        {**PERSON, "$defs": {"person": PERSON}},
        fields(name=TEXT, friend=PERSON) | {"$defs": {"person": PERSON}},
    ),
    "moved": (
        fields(a={"$ref": "#/$defs/a"}) | {"$defs": {"a": TEXT}},
        fields(a={"$ref": "#/definitions/x~1y%20z"}) | {"definitions": {"x/y z": TEXT}},
    ),
    "renamed to an anchor": (
        fields(a={"$ref": "#/$defs/a"}) | {"$defs": {"a": TEXT}},
        fields(a={"$ref": "#here"}) | {"$defs": {"q": {"$anchor": "here", **TEXT}}},
    ),
    "moved into a resource": (
        fields(a={"$ref": "#/$defs/a"}) | {"$defs": {"a": TEXT}},
        {"$id": "https://example.com/x", **fields(a={"$ref": "text.json"})}
        | {"$defs": {"q": {"$id": "text.json", **TEXT}}},
    ),
    "a reference in an allOf": (
        fields(a={"$ref": "#/$defs/a", "title": "x"}) | {"$defs": {"a": TEXT}},
        fields(a={"allOf": [{"$ref": "#/$defs/a"}], "default": ""}) | {"$defs": {"a": TEXT}},
    ),
    "a chain of a thousand": (
        {"$ref": "#/$defs/0"}
        | {"$defs": {f"{n}": {"$ref": f"#/$defs/{n + 1}"} for n in range(1000)} | {"1000": TEXT}},
        TEXT,
    ),
    "the dialect said": ({"$schema": "https://json-schema.org/draft/2020-12/schema#"}, {}),
    "true and all": (True, {"title": "x", "$defs": {}}),
    "the same outside": (
        {"$ref": "https://example.com/a#", "$id": "https://example.com/b"},
        {"$ref": "https://example.com/a", "$id": "https://example.com/c"},
    ),
    "the same from another place": (
        {"$id": "https://example.com/a/x", "items": {"$ref": "y"}},
        {"$id": "https://example.com/b/x", "items": {"$ref": "../a/y"}},
    ),
}


@pytest.mark.parametrize("what", SAME)
def test_what_means_the_same_is_no_change(what):
    old, new = SAME[what]
    assert told(old, new) == []
    assert told(new, old) == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", SCHEMAS)
def test_our_own_schemas(mode, name):
    assert told(schema(name), schema(name)) == []
    old = tool_output_schema(fields(copied=NUMBER), mode)
    new = tool_output_schema({**fields(copied=NUMBER, skipped=NUMBER), "title": "Copy"}, mode)
    (change,) = told(old, new)
    assert change.startswith("additive ")
    assert change.endswith("/then/properties/skipped")
    assert told(old, tool_output_schema(fields(copied=TEXT), mode))[0].startswith("breaking ")


# -- any schemas ------------------------------------------------------------------

NAMES = ["a", "b", "c", "error_code"]
SCALARS = [0, 1, 2, 1.5, "x", "y", "xa", True, False, None, ""]
TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"]
REFERENCES = ["#/$defs/A", "#/$defs/B", "#A", "#/$defs/R", "res", "res#/$defs/I", "res#I"]
LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
MAPS = ("properties", "patternProperties", "dependentSchemas", "$defs")
NO_SCHEMAS = ("const", "dependentRequired", "uniqueItems", "x-unknown")
#: Places in which more admitted inside can be less, or something else, outside.
TURNING = ("not", "if", "oneOf", "contains", "$dynamicRef")
KEYWORDS = [
    *["type", "enum", "const", "required", "additionalProperties", "patternProperties", "items"],
    *["type", "properties", "properties", "properties", "additionalProperties", "$ref", "$ref"],
    *["contains", "not", "if", *LISTS, "dependentSchemas", "dependentRequired", "propertyNames"],
    *["unevaluatedProperties", "unevaluatedItems", "minimum", "maximum", "minLength", "maxItems"],
    *["minProperties", "pattern", "$dynamicRef", "x-unknown", "uniqueItems"],
]


class Maker:
    """Schemas, variants of them and documents, all small, from a generator of random numbers."""

    def __init__(self, rng):
        self.rng = rng

    def value(self, depth):
        kind = self.rng.random()
        if depth == 0 or kind < 0.35:
            return self.rng.choice(SCALARS)
        if kind < 0.8:
            return {name: self.value(depth - 1) for name in NAMES if self.rng.random() < 0.4}
        return [self.value(depth - 1) for _ in range(self.rng.randrange(4))]

    def result(self):
        if self.rng.random() < 0.3:
            return self.value(3)
        return {name: self.value(2) for name in NAMES if self.rng.random() < 0.5}

    def schema(self, depth):
        rng = self.rng
        if depth <= 0 or rng.random() < 0.07:
            return rng.choice(
                [
                    rng.choice([True, False, {}]),
                    {"type": rng.choice(TYPES)},
                    {"const": rng.choice(SCALARS)},
                    {"$ref": rng.choice(REFERENCES)},
                    {"enum": rng.sample(SCALARS, 2)},
                ]
            )
        keywords = [rng.choice(KEYWORDS) for _ in range(rng.choice([1, 1, 2, 2, 3]))]
        made = {keyword: self.keyword(keyword, depth - 1) for keyword in keywords}
        if "contains" in made and rng.random() < 0.4:
            made["maxContains"] = 1
        for keyword in ("then", "else"):
            if "if" in made and rng.random() < 0.7:
                made[keyword] = self.schema(depth - 1)
        return made

    def keyword(self, keyword, depth):
        rng = self.rng
        if keyword in ("additionalProperties", "unevaluatedProperties") and rng.random() < 0.5:
            return rng.choice([False, False, True])
        simple = {
            "type": lambda: rng.choice([rng.choice(TYPES), rng.sample(TYPES, 2)]),
            "enum": lambda: rng.sample(SCALARS, rng.randrange(1, 4)),
            "const": lambda: self.value(1),
            "required": lambda: rng.sample(NAMES, rng.randrange(1, 3)),
            "dependentRequired": lambda: {rng.choice(NAMES): rng.sample(NAMES, 1)},
            "properties": lambda: {
                name: self.schema(depth) for name in rng.sample(NAMES, rng.randrange(1, 4))
            },
            "dependentSchemas": lambda: {rng.choice(NAMES): self.schema(depth)},
            "patternProperties": lambda: {rng.choice(["^a", "b|c", "^x"]): self.schema(depth)},
            "$ref": lambda: rng.choice(REFERENCES),
            "$dynamicRef": lambda: rng.choice(["#D", "#A"]),
            "pattern": lambda: rng.choice(["x", "^x$", "y"]),
            "uniqueItems": lambda: True,
            **dict.fromkeys(
                LISTS, lambda: [self.schema(depth) for _ in range(rng.randrange(1, 4))]
            ),
            **dict.fromkeys(
                ("minimum", "maximum", "minLength", "maxItems", "minProperties", "x-unknown"),
                lambda: rng.randrange(3),
            ),
        }
        return simple[keyword]() if keyword in simple else self.schema(depth)

    def document(self):
        """A schema with what its references name: pointers, anchors, an embedded resource."""
        rng = self.rng
        whole = self.schema(3)
        if not isinstance(whole, dict) or rng.random() < 0.5:
            closing = rng.choice(["additionalProperties", "unevaluatedProperties", "x-unknown"])
            whole = {"properties": self.keyword("properties", 2), closing: rng.choice([False, {}])}
        marked = self.schema(1)
        marked = {**(marked if isinstance(marked, dict) else {}), "$anchor": "A"}
        inside = self.schema(1)
        inside = {**(inside if isinstance(inside, dict) else {}), "$anchor": "I"}
        for part in (marked, inside):
            if rng.random() < 0.5:
                part["$dynamicAnchor"] = "D"
        resource = {"$id": "res", "$defs": {"I": inside}, "$ref": rng.choice(["#/$defs/I", "#I"])}
        whole["$defs"] = {"A": marked, "B": self.schema(1), "R": resource}
        return whole

    def variant(self, document):
        """The document after a few edits of the kinds that people make, or of others."""
        rng, document = self.rng, copy.deepcopy(document)
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            holder, key = rng.choice(list(_places(document)))
            part = holder[key]
            edit = rng.choice([self._new_field, self._close, self._more_values, self._edit_list])
            if rng.random() < 0.4 or not isinstance(part, dict):
                edit = rng.choice([self._drop, self._set, self._replace, self._move])
            edit(document, holder, key)
        return document

    def _new_field(self, document, holder, key):
        holder[key].setdefault("properties", {})[self.rng.choice(NAMES)] = self.schema(1)

    def _close(self, document, holder, key):
        holder[key]["additionalProperties"] = self.rng.choice([True, False, {}])

    def _more_values(self, document, holder, key):
        listed = [part[key]["enum"] for part, key in _places(document) if _has(part[key], "enum")]
        if listed:
            self.rng.choice(listed).append(self.rng.choice(SCALARS))

    def _edit_list(self, document, holder, key):
        keywords = [one for one in (*LISTS, "enum", "required") if one in holder[key]]
        if keywords:
            items = holder[key][self.rng.choice(keywords)]
            self.rng.shuffle(items)
            if self.rng.random() < 0.5 and len(items) > 1:
                items.pop()

    def _drop(self, document, holder, key):
        if isinstance(holder[key], dict) and holder[key]:
            name = self.rng.choice(list(holder[key]))
            if name != "$defs":
                del holder[key][name]

    def _set(self, document, holder, key):
        if isinstance(holder[key], dict):
            keyword = self.rng.choice(KEYWORDS)
            holder[key][keyword] = self.keyword(keyword, 1)

    def _replace(self, document, holder, key):
        if key is not None:
            holder[key] = self.schema(1)

    def _move(self, document, holder, key):
        if key is not None:
            document["$defs"]["N"], holder[key] = holder[key], {"$ref": "#/$defs/N"}


def _has(part, keyword):
    return isinstance(part, dict) and keyword in part


def _places(document):
    """Holder and key of every schema in a document; of the document itself, one that holds it."""
    todo = [({None: document}, None)]
    while todo:
        holder, key = todo.pop()
        yield holder, key
        for keyword, value in holder[key].items() if isinstance(holder[key], dict) else ():
            if keyword in MAPS:
                todo += [(value, name) for name in value]
            elif keyword in LISTS:
                todo += [(value, index) for index in range(len(value))]
            elif isinstance(value, (dict, bool)) and keyword not in NO_SCHEMAS:
                todo.append((holder[key], keyword))


def endless(document):
    """Whether references lead nowhere or back in place, which no validator can bear."""
    parts = list(subschemas(document))
    targets = Targets(parts)
    dynamic = [part.schema for part in parts if part.schema.get("$dynamicAnchor") == "D"]
    edges = {id(part.schema): [] for part in parts}
    for part in parts:
        for keyword in ("allOf", "anyOf", "oneOf"):
            edges[id(part.schema)] += part.schema.get(keyword, [])
        for keyword in ("not", "if", "then", "else"):
            edges[id(part.schema)].append(part.schema.get(keyword))
        edges[id(part.schema)] += part.schema.get("dependentSchemas", {}).values()
        for _, keyword, uri in references([part]):
            target = targets.find(uri)
            if target is None:
                return True
            edges[id(part.schema)].append(target.schema)
            if keyword == "$dynamicRef":
                edges[id(part.schema)] += dynamic
    left = {key: {id(one) for one in found if id(one) in edges} for key, found in edges.items()}
    while done := {key for key, further in left.items() if not further}:
        left = {key: further - done for key, further in left.items() if key not in done}
    return bool(left)


def judge(document):
    return Draft202012Validator(document, registry=Registry()).is_valid


def relaxed(old, changes):
    """The old schema with what an additive change may do: open objects, and those error codes."""
    old = copy.deepcopy(old)
    for holder, key in _places(old):
        for keyword in ("additionalProperties", "unevaluatedProperties"):
            if _has(holder[key], keyword) and holder[key][keyword] is False:
                holder[key][keyword] = True
    for change in changes:
        if change.pointer.endswith("/enum"):
            try:
                resolve_pointer(old, change.pointer).extend(SCALARS)
            except KeyError:
                return None
    return old


ROUNDS = 1500


@pytest.mark.parametrize("part", range(4))
def test_nothing_that_breaks_a_consumer_is_missed(part):
    """A result that the old schema refuses and the new one admits shows in the changes."""
    rng = fixed_random("semantic", part)
    maker, counts = Maker(rng), {"same": 0, "additive": 0}
    for _ in range(ROUNDS * EFFORT // 4):
        old = maker.document()
        new = maker.variant(old)
        if endless(old) or endless(new):
            continue
        changes = diff_schemas(old, new)
        if any(change.effect != ADDITIVE for change in changes):
            continue
        counts["additive" if changes else "same"] += 1
        before, after = judge(old), judge(new)
        allowed = relaxed(old, changes) if changes else old
        turning = any(_has(holder[key], word) for holder, key in _places(old) for word in TURNING)
        if allowed is None or (changes and turning):
            continue
        admits = judge(allowed)
        for _ in range(30):
            result = maker.result()
            admitted = after(result)
            shown = json.dumps([old, new, result, list(map(str, changes))])
            if changes:
                assert not admitted or admits(result), shown
            else:
                assert admitted is before(result), shown
    assert min(counts.values()) > ROUNDS // 400


@examples(60)
@given(seeds)
def test_a_schema_has_no_changes_to_itself_in_any_order(rng):
    document = Maker(rng).document()
    assert told(document, copy.deepcopy(document)) == []
    assert told(document, reordered(document, rng)) == []
    assert told(reordered(document, rng), document) == []


def reordered(value, rng):
    """A copy with the members of every object in another order."""
    if isinstance(value, list):
        return [reordered(item, rng) for item in value]
    if not isinstance(value, dict):
        return value
    names = list(value)
    rng.shuffle(names)
    return {name: reordered(value[name], rng) for name in names}


def everyday(rng, depth):
    """A schema as people write them: objects of fields, arrays, references, conditions."""
    if depth == 0:
        return {"type": rng.choice(TYPES)}
    kind = rng.randrange(5)
    if kind == 0:
        return {"type": "array", "items": everyday(rng, depth - 1)}
    if kind == 1:
        return {"anyOf": [everyday(rng, depth - 1), {"type": "null"}]}
    if kind == 2:
        return {"if": {"required": ["a"]}, "then": everyday(rng, depth - 1)}
    if kind == 3:
        return {"$ref": "#/$defs/node"}
    return fields(**{name: everyday(rng, depth - 1) for name in ("a", "b")})


@examples(60)
@given(seeds)
def test_an_optional_field_anywhere_is_one_additive_change_and_its_removal_breaks(rng):
    old = fields(a=everyday(rng, 3), b={"$ref": "#/$defs/node"})
    old["$defs"] = {"node": fields(next={"$ref": "#/$defs/node"}, value=everyday(rng, 1))}
    places = [part for part in subschemas(old) if "properties" in part.schema]
    new = copy.deepcopy(old)
    chosen = rng.choice(places)
    pointer = f"{chosen.pointer}/properties"
    resolve_pointer(new, pointer)["novel"] = everyday(rng, 2)
    assert told(old, new) == [f"additive {pointer}/novel"]
    assert told(new, old) == [f"breaking {pointer}/novel"]


@examples(150)
@given(json_values, json_values)
def test_any_json_is_compared(old, new):
    assert told(old, copy.deepcopy(old)) == []
    for change in diff_schemas(old, new) + diff_schemas({"properties": {"a": old}}, {"items": new}):
        assert change.effect in (BREAKING, ADDITIVE, UNDECIDED)
        assert change.message.isascii()


keywords = st.sampled_from([*KEYWORDS, "$defs", "$id", "$anchor", "then", "items", "dependencies"])
nonsense = st.recursive(
    json_values | st.sampled_from(["#", "#/$defs/a", "", "x", "http://[", "%", "#%zz", "#/a/0"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keywords, inner, max_size=4),
    max_leaves=20,
)


@examples(200)
@given(nonsense, nonsense)
def test_nonsense_in_every_keyword_is_compared(old, new):
    assert told(old, copy.deepcopy(old)) == []
    told(old, new)
    told({"$ref": "#/$defs/a", "$defs": {"a": old}}, {"$ref": "#/$defs/a", "$defs": {"a": new}})


# -- bounds -----------------------------------------------------------------------

COUNT = 5000


def loop(length):
    """Schemas that name each other in a circle through a field."""
    names = [f"d{number}" for number in range(length)]
    following = names[1:] + names[:1]
    return {
        "$ref": "#/$defs/d0",
        "$defs": {
            name: fields(next={"$ref": f"#/$defs/{other}"})
            for name, other in zip(names, following, strict=True)
        },
    }


def branches(depth, innermost):
    for _ in range(depth):
        innermost = {"anyOf": [{"type": "null"}, innermost]}
    return innermost


LARGE = {
    "references to one place": (
        fields(**{f"f{n}": {"$ref": "#/$defs/a"} for n in range(COUNT)}) | {"$defs": {"a": TEXT}},
        fields(**{f"f{n}": {"$ref": "#/$defs/a"} for n in range(COUNT)}) | {"$defs": {"a": NUMBER}},
        ["breaking /$defs/a/type"],
    ),
    "references by id": (
        fields(**{f"f{n}": {"$ref": "urn:x:a"} for n in range(COUNT)})
        | {"$defs": {"a": {"$id": "urn:x:a", **TEXT}}},
        fields(**{f"f{n}": TEXT for n in range(COUNT)}),
        [],
    ),
    "chains of references": (
        fields(**{f"f{n}": {"$ref": f"#/$defs/{n}"} for n in range(COUNT)})
        | {
            "$defs": {f"{n}": {"$ref": f"#/$defs/{n + 1}"} for n in range(COUNT)} | {f"{COUNT}": {}}
        },
        fields(**{f"f{n}": True for n in range(COUNT)}),
        [],
    ),
    "a circle of references": (
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
        [],
    ),
    "out of a circle": ({"$ref": "#"}, TEXT, ["breaking /type", "undecided /$ref"]),
    "circles of one length": (loop(700), loop(700), []),
    "circles of different lengths": (loop(700), loop(701), ["undecided "]),
    "deep": (nested(512, "{"), nested(511, "{"), ["undecided /a"]),
    "deep branches": (
        branches(250, TEXT),
        branches(250, NUMBER),
        ["breaking " + "/anyOf/1" * 250 + "/type"],
    ),
    "a large enum": (
        {"enum": list(range(100_000))},
        {"enum": list(range(1, 100_001))},
        ["breaking /enum"] * 2,
    ),
    "large numbers that doubles do not tell apart": (
        {"enum": [10**300 + n for n in range(20_000)]},
        {"enum": [10**300 + n for n in range(20_000, 0, -1)]},
        ["breaking /enum"] * 2,
    ),
    "many names": (
        {"required": [f"{n}" for n in range(50_000)]},
        {"required": [f"{n}" for n in range(49_999, -1, -1)]},
        [],
    ),
}


@pytest.mark.parametrize("what", LARGE)
def test_large_schemas_take_bounded_time(what):
    old, new, changes = LARGE[what]
    start = time.process_time()
    assert told(old, new) == changes
    assert time.process_time() - start < 10


def test_there_is_an_end_to_the_list():
    changes = diff_schemas({"enum": list(range(2 * MAX_CHANGES))}, {"enum": [-1]})
    assert len(changes) == MAX_CHANGES + 1
    assert str(changes[-1]) == "undecided at the root: there are more than 10000 changes"


def test_a_change_is_a_json_object_and_a_line_without_control_characters():
    (change,) = diff_schemas(fields(), fields(**{"\x1b[31m\n\u202e": {}}))
    assert list(change.to_dict()) == ["effect", "pointer", "message"]
    assert change.message == r"the optional field '\x1b[31m\n\u202e' is new"
    (change,) = diff_schemas({"type": "\x1b"}, {"type": "\n"})
    assert change.message == r"the type is changed from \x1b to \n"
