"""One side of a comparison of two schemas: what its parts stand for.

A `$ref` alone is what it names, wherever that stands. What only explains or
names a schema has no part in its meaning.
"""

from __future__ import annotations

from .schema_walk import DIALECT, Subschema, Targets, resolve, subschemas

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The keywords that admit and refuse nothing by themselves.
FREE = frozenset(
    [
        "$anchor",
        "$comment",
        "$defs",
        "$dynamicAnchor",
        "$id",
        "$recursiveAnchor",
        "$schema",
        "default",
        "definitions",
        "deprecated",
        "description",
        "examples",
        "readOnly",
        "title",
        "writeOnly",
    ]
)


class Side:
    """A schema document: its root, its references, and what it says of unevaluated fields."""

    def __init__(self, document: Any) -> None:
        parts = list(subschemas(document))
        self.root = parts[0] if parts else Subschema(document)
        self.size = len(parts)
        self._targets = Targets(parts)
        self._ends: dict[int, Subschema] = {}
        self._dynamic: dict[str | None, list[Subschema]] = {}
        self.has_unevaluated = self.binds_unevaluated = self._has_old_ids = False
        for part in subschemas(document, everywhere=True):
            fields = part.schema.get("unevaluatedProperties")
            if fields is not None or "unevaluatedItems" in part.schema:
                self.has_unevaluated = True
            self.binds_unevaluated |= isinstance(fields, dict) and not self.admits_all(fields)
            self._has_old_ids |= isinstance(part.schema.get("id"), str)
        for part in parts:
            name = part.schema.get("$dynamicAnchor")
            if isinstance(name, str):
                self._dynamic.setdefault(name, []).append(part)
            if part.schema.get("$recursiveAnchor") is True:
                self._dynamic.setdefault(None, []).append(part)

    def dialect(self, part: Subschema) -> Any:
        """The `$schema` of a part: its own, or that of the document."""
        for schema in (part.schema, self.root.schema):
            named = schema.get("$schema") if isinstance(schema, dict) else None
            if named is not None:
                return named.removesuffix("#") if isinstance(named, str) else repr(named)
        return DIALECT

    def follow(self, part: Subschema) -> Subschema:
        """What a part stands for that only refers within its document; `{}` for `true`."""
        passed: dict[int, None] = {}
        while (place := id(part.schema)) not in passed and place not in self._ends:
            further = self._stands_for(part)
            if further is None:
                break
            passed[place] = None
            part = further
        part = self._ends.get(id(part.schema), part)
        for place in passed:
            self._ends[place] = part
        return part.child({}) if part.schema is True else part

    def _stands_for(self, part: Subschema) -> Subschema | None:
        if not isinstance(part.schema, dict):
            return None
        said = part.schema.keys() - FREE
        if said == {"$ref"}:
            found = self.targets(part, "$ref")
            return found[0] if found else None
        if said == {"allOf"}:
            items = part.schema["allOf"]
            if isinstance(items, list) and len(items) == 1:
                return part.child(items[0], "allOf", 0)
        return None

    def uri(self, part: Subschema, keyword: str) -> str | None:
        """The URI that a reference of a part names."""
        reference = part.schema.get(keyword)
        return resolve(part.base, reference) if isinstance(reference, str) else None

    def is_own(self, uri: str) -> bool:
        """Whether a URI that names nothing in the document may be meant to.

        Its resource is here; or names are given as draft-04 does, by `id`, which is not read.
        """
        return self._has_old_ids or uri.partition("#")[0] in self._targets

    def targets(self, part: Subschema, keyword: str) -> list[Subschema]:
        """What a reference of a part may name in the document, in an order of their own."""
        uri = self.uri(part, keyword)
        if uri is None:
            return []
        found = self._targets.find(uri)
        named = None if keyword == "$recursiveRef" else uri.partition("#")[2]
        others = self._dynamic.get(named, []) if keyword != "$ref" else []
        return ([found] if found else []) + sorted(others, key=lambda other: other.pointer)

    def admits_all(self, schema: Any) -> bool:
        """Whether a schema refuses nothing."""
        return schema is True or (isinstance(schema, dict) and schema.keys() <= FREE)
