"""Small schemas of every kind, variants of them, and documents, from random numbers."""

from __future__ import annotations

import copy

from sobre.contract.schema_walk import Targets, references, subschemas

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
            holder, key = rng.choice(list(places(document)))
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
        listed = [part[key]["enum"] for part, key in places(document) if has(part[key], "enum")]
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


def has(part, keyword):
    return isinstance(part, dict) and keyword in part


def places(document):
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


def dangling(document):
    """Whether a reference leads nowhere."""
    parts = list(subschemas(document))
    targets = Targets(parts)
    return any(uri not in targets for _, _, uri in references(parts))


def endless(document):
    """Whether references lead nowhere or back in place, which no validator can bear."""
    if dangling(document):
        return True
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
            edges[id(part.schema)].append(targets.find(uri).schema)
            if keyword == "$dynamicRef":
                edges[id(part.schema)] += dynamic
    left = {key: {id(one) for one in found if id(one) in edges} for key, found in edges.items()}
    while done := {key for key, further in left.items() if not further}:
        left = {key: further - done for key, further in left.items() if key not in done}
    return bool(left)
