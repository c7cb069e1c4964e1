"""Walking a JSON Schema from outside: its subschemas, their base URIs, its references.

Nothing is retrieved. Only the places where JSON Schema 2020-12 (and the drafts
before it) puts a schema are walked, so a `$ref` in an example or a `const` is
data. The walk keeps its own list, so depth costs no call stack.
"""

from __future__ import annotations

from unicodedata import normalize
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

from ..json_write import resolve_pointer
from .findings import pointer_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    Path = tuple[str | int, ...]

#: The dialect that MCP means where a schema names none.
DIALECT = "https://json-schema.org/draft/2020-12/schema"
#: Longest URI that is told from others, its fragment aside. A longer one names nothing here.
MAX_URI = 1024

_TOO_LONG = "urn:longer-than-any-uri-that-is-read"
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
# What even the validators that take any object for a schema take for data.
_DATA = frozenset(("const", "default", "enum"))


class Subschema:
    """A schema inside a schema: where it stands and the URI it resolves from."""

    __slots__ = ("_place", "base", "parent", "schema")

    def __init__(
        self, schema: Any, base: str = "", parent: Subschema | None = None, place: Path = ()
    ) -> None:
        self.schema = schema
        self.base = base
        self.parent = parent
        self._place = place
        if self.has_id:
            self.base = resolve(base, schema["$id"])

    @property
    def has_id(self) -> bool:
        """Whether it is a resource of its own."""
        return isinstance(self.schema, dict) and isinstance(self.schema.get("$id"), str)

    @property
    def is_root(self) -> bool:
        """Whether it is the whole schema."""
        return self.parent is None

    @property
    def keyword(self) -> str | None:
        """The keyword of the schema around it that it stands under; None for the root."""
        return str(self._place[0]) if self._place else None

    @property
    def path(self) -> Path:
        """The place in the root schema. Kept as steps: a whole path each would cost too much."""
        steps, part = [], self
        while part.parent is not None:
            steps.append(part._place)
            part = part.parent
        return tuple(name for place in reversed(steps) for name in place)

    @property
    def pointer(self) -> str:
        """The JSON Pointer of the place in the root schema."""
        return pointer_to(self.path)

    def child(self, schema: Any, *place: str | int) -> Subschema:
        """The schema that stands at a place in this one."""
        return Subschema(schema, self.base, self, place)


def subschemas(root: Any, *, everywhere: bool = False) -> Iterator[Subschema]:
    """Every schema object in a schema, the root first, each once, in document order.

    `everywhere`: also what stands under a keyword that takes no schema, where
    some validators (Ajv among them) still look for an `$id`.
    """
    todo = [Subschema(root)]
    while todo:
        part = todo.pop()
        if isinstance(part.schema, dict):
            yield part
            inner = _inner(part.schema, everywhere)
            todo += [part.child(value, *place) for place, value in inner][::-1]


def innermost_resources(parts: Iterable[Subschema]) -> Iterator[Subschema]:
    """The parts that have an `$id` and hold no other that has one. No two of them overlap."""
    named = [part for part in parts if part.has_id]
    outer: set[int] = set()
    for part in named:
        above = part.parent
        while above is not None and id(above) not in outer:
            outer.add(id(above))
            above = above.parent
    return (part for part in named if id(part) not in outer)


def _inner(schema: dict[str, Any], everywhere: bool) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The schema objects directly in a schema, in document order, with their places in it."""
    for keyword, value in schema.items():
        among: Iterable[tuple[Path, Any]] = ()
        if keyword in _LIST and isinstance(value, list):
            among = (((keyword, index), item) for index, item in enumerate(value))
        elif keyword in _MAP and isinstance(value, dict):
            among = (((keyword, name), item) for name, item in value.items())
        elif keyword in _ONE or (everywhere and keyword not in _DATA):
            among = (((keyword,), value),)
        for place, item in among:
            if isinstance(item, dict):
                yield place, item


def resolve(base: str, reference: str) -> str:
    """A URI reference against a base, without an empty fragment."""
    if reference.startswith("#"):  # Python leaves the base out where its scheme is not for files.
        return (base.partition("#")[0] + reference).removesuffix("#")
    if len(base) + len(reference) > MAX_URI:
        return _TOO_LONG
    try:
        return urljoin(base, reference).removesuffix("#")
    except ValueError:  # No URI at all, such as an unclosed bracket in its host.
        return reference


def is_small(value: Any, members: int, text: int) -> bool:
    """Whether a value has at most so many members and items, and characters in its strings.

    Looking costs no more than that, however large the value is.
    """
    todo = [value]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            text -= len(value)
        elif isinstance(value, (dict, list)):
            members -= len(value)
            if members >= 0:
                todo += [*value, *value.values()] if isinstance(value, dict) else value
        if members < 0 or text < 0:
            return False
    return True


def normal_uri(uri: str) -> str:
    """A URI as RFC 3986 section 6.2.2 would have it spelled, for comparing it with another.

    Case, escapes and dot segments that mean nothing are gone; an escaped slash
    stays one.
    """
    try:
        scheme, host, path, query, fragment = urlsplit(uri)
        host = normalize("NFKC", unquote(host)).lower()
        path = unquote(path.replace("%2F", "%252F").replace("%2f", "%252F"))
        return urlunsplit((scheme, host, urljoin("/", path), query, fragment))
    except ValueError:
        return uri


def references(parts: Iterable[Subschema]) -> Iterator[tuple[Subschema, str, str]]:
    """Every `$ref` and `$dynamicRef`: where it stands, its keyword, and the URI it names."""
    for part in parts:
        for keyword in ("$ref", "$dynamicRef"):
            reference = part.schema.get(keyword)
            if isinstance(reference, str):
                yield part, keyword, resolve(part.base, reference)


class Targets:
    """What references of one schema document can reach inside it."""

    def __init__(self, parts: list[Subschema]) -> None:
        self._found: dict[str, Subschema | None] = {}
        self._parts = {id(part.schema): part for part in parts}
        for part in parts:
            if part.is_root or part.has_id:
                self._found.setdefault(part.base, part)
            for keyword in ("$anchor", "$dynamicAnchor"):
                if isinstance(part.schema.get(keyword), str):
                    self._found.setdefault(f"{part.base}#{part.schema[keyword]}", part)
        if parts:
            self._found.setdefault("", parts[0])

    def __contains__(self, uri: str) -> bool:
        """Whether a resolved URI names a schema of the document."""
        return self.find(uri) is not None

    def find(self, uri: str) -> Subschema | None:
        """The schema of the document that a resolved URI names: by `$id`, anchor or pointer."""
        if uri not in self._found:
            self._found[uri] = self._by_pointer(*uri.partition("#")[::2])
        return self._found[uri]

    def _by_pointer(self, resource: str, fragment: str) -> Subschema | None:
        within = self._found.get(resource)
        pointer = unquote(fragment)
        if within is None or not pointer.startswith("/"):
            return None
        try:
            target = resolve_pointer(within.schema, pointer)
        except KeyError:
            return None
        if id(target) in self._parts:
            return self._parts[id(target)]
        place = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
        return within.child(target, *place) if isinstance(target, (dict, bool)) else None
