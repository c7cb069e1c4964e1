"""Walking a JSON Schema from outside: its subschemas, their base URIs, its references.

Nothing is retrieved. Only the places where JSON Schema 2020-12 (and the drafts
before it) puts a schema are walked, so a `$ref` in an example or a `const` is
data. The walk keeps its own list, so depth costs no call stack.
"""

from __future__ import annotations

from urllib.parse import unquote, urldefrag, urljoin

from .findings import pointer_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Path = tuple[str | int, ...]

#: The dialect that MCP means where a schema names none.
DIALECT = "https://json-schema.org/draft/2020-12/schema"

_ONE = frozenset(
    [
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    ]
)
_LIST = frozenset(("allOf", "anyOf", "items", "oneOf", "prefixItems"))
_MAP = frozenset(
    ("$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties")
)


class Subschema:
    """A schema object inside a schema: where it stands and the URI it resolves from."""

    __slots__ = ("base", "path", "schema")

    def __init__(self, path: Path, schema: dict[str, Any], base: str) -> None:
        self.path = path
        self.schema = schema
        self.base = base

    @property
    def pointer(self) -> str:
        """The JSON Pointer of the place in the root schema."""
        return pointer_to(self.path)


def subschemas(root: Any) -> Iterator[Subschema]:
    """Every schema object in a schema, the root first, each once."""
    todo: list[tuple[Path, Any, str]] = [((), root, "")]
    while todo:
        path, schema, base = todo.pop()
        if not isinstance(schema, dict):
            continue
        if isinstance(schema.get("$id"), str):
            base = resolve(base, schema["$id"])
        yield Subschema(path, schema, base)
        inner = [((*path, *place), value, base) for place, value in _inner(schema)]
        todo += reversed(inner)


def _inner(schema: dict[str, Any]) -> Iterator[tuple[Path, Any]]:
    """The direct subschemas of a schema, in document order, with their places in it."""
    for keyword, value in schema.items():
        if keyword in _ONE and isinstance(value, dict):
            yield (keyword,), value
        elif keyword in _LIST and isinstance(value, list):
            for index, item in enumerate(value):
                yield (keyword, index), item
        elif keyword in _MAP and isinstance(value, dict):
            for name, item in value.items():
                yield (keyword, name), item


def resolve(base: str, reference: str) -> str:
    """A URI reference against a base, without an empty fragment."""
    try:
        return urljoin(base, reference).removesuffix("#")
    except ValueError:  # No URI at all, such as an unclosed bracket in its host.
        return reference


def references(parts: list[Subschema]) -> Iterator[tuple[Subschema, str, str]]:
    """Every `$ref` and `$dynamicRef`: where it stands, its keyword, and the URI it names."""
    for part in parts:
        for keyword in ("$ref", "$dynamicRef"):
            reference = part.schema.get(keyword)
            if isinstance(reference, str):
                yield part, keyword, resolve(part.base, reference)


class Targets:
    """What references of one schema document can reach inside it."""

    def __init__(self, parts: list[Subschema]) -> None:
        self._resources: dict[str, Any] = {}
        self._anchors: set[str] = set()
        for part in parts:
            if part.path == () or isinstance(part.schema.get("$id"), str):
                self._resources.setdefault(part.base, part.schema)
            for keyword in ("$anchor", "$dynamicAnchor"):
                if isinstance(part.schema.get(keyword), str):
                    self._anchors.add(f"{part.base}#{part.schema[keyword]}")
        if parts:
            self._resources.setdefault("", parts[0].schema)

    def __contains__(self, uri: str) -> bool:
        """Whether a resolved URI names a schema of the document, or the dialect itself."""
        if uri in self._resources or uri == DIALECT or uri in self._anchors:
            return True
        resource, fragment = urldefrag(uri)
        if resource not in self._resources or not fragment.startswith("/"):
            return False
        target = self._resources[resource]
        for part in unquote(fragment).split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if isinstance(target, dict) and name in target:
                target = target[name]
            elif isinstance(target, list) and name.isdecimal() and int(name[:9]) < len(target):
                target = target[int(name[:9])]
            else:
                return False
        return isinstance(target, (dict, bool))
