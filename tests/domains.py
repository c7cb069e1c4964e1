"""Domain schemas as people and libraries write them, with what they admit and refuse."""

from __future__ import annotations

from sobre import CONTRACT_URL
from sobre.contract.compose import MODES

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
