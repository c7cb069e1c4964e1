"""Changes of a schema, one by one: what each does to consumers, and what is no change."""

from __future__ import annotations

import pytest

from sobre.contract.compose import MODES, tool_output_schema
from sobre.contract.schema_diff import ADDITIVE, BREAKING, UNDECIDED, diff_schemas
from sobre.contract.schemas import SCHEMAS, schema

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
    "a name that draft-04 gives": (
        {"$ref": "#a", "definitions": {"a": {"id": "#a", "type": "string"}}},
        {"$ref": "#a", "definitions": {"a": {"id": "#a", "type": "number"}}},
        ["undecided /$ref"],
    ),
    "a URL that draft-04 gives": (
        {"$ref": "https://example.com/a", "id": "https://example.com/b"}
        | {"definitions": {"a": {"id": "a", "type": "string"}}},
        {"$ref": "https://example.com/a", "id": "https://example.com/b"}
        | {"definitions": {"a": {"id": "a", "type": "number"}}},
        ["undecided /$ref"],
    ),
    "a name where no schema is": (
        {"$ref": "#a", "x-shared": [{"$anchor": "a", "type": "string"}]},
        {"$ref": "#a", "x-shared": [{"$anchor": "a", "type": "number"}]},
        ["undecided /$ref", "undecided /x-shared"],
    ),
    "what counts as evaluated, where no schema is": (
        {"$ref": "#/x-a", "x-a": {"allOf": [{}], "unevaluatedProperties": False}},
        {"$ref": "#/x-a", "x-a": {"unevaluatedProperties": False}}
        | {"x-a": {"allOf": [{"additionalProperties": True}], "unevaluatedProperties": False}},
        ["undecided /x-a", "undecided /x-a/allOf/0/additionalProperties"],
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
