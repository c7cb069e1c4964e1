"""Values held against the project's own schemas, without a validator library.

Only the keywords that those schemas use are known, and an unknown one is an
error: this is no general validator, and no schema from outside comes here.
"""

from __future__ import annotations

import re

from ..json_write import compact, equal
from .check import WHITE_SPACE
from .findings import Finding, pointer_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Path = tuple[str | int, ...]
    Problems = Iterator[tuple[Path, str]]
    Keyword = Callable[[Any, Any, Path, Any, Any], Problems]

_ANNOTATIONS = frozenset({"$schema", "$id", "$defs", "title", "description", "then"})


def check_schema(rule: str, schema: dict[str, Any], document: object) -> list[Finding]:
    """Findings of one rule, in document order of the schema; empty if the document is valid."""
    return [
        Finding(rule, pointer_to(path), reason)
        for path, reason in _problems(schema, document, (), schema)
    ]


def _problems(schema: Any, value: Any, path: Path, root: Any) -> Problems:
    if schema is True:
        return
    if schema is False:
        yield path, "this may not be here"
        return
    for keyword, wanted in schema.items():
        if keyword not in _ANNOTATIONS:
            yield from _KEYWORDS[keyword](wanted, value, path, schema, root)


def _shown(value: Any) -> str:
    return compact(value).decode()


def _is_type(value: Any, name: str) -> bool:
    if name == "boolean":
        return isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    kinds: dict[str, type] = {"object": dict, "array": list, "string": str, "null": type(None)}
    return isinstance(value, kinds[name])


def _type(wanted: Any, value: Any, path: Path, _: Any, __: Any) -> Problems:
    names = [wanted] if isinstance(wanted, str) else wanted
    if not any(_is_type(value, name) for name in names):
        yield path, f"expected {' or '.join(names)}"


def _const(wanted: Any, value: Any, path: Path, _: Any, __: Any) -> Problems:
    if not equal(wanted, value):
        yield path, f"expected {_shown(wanted)}"


def _enum(wanted: Any, value: Any, path: Path, _: Any, __: Any) -> Problems:
    if not any(equal(choice, value) for choice in wanted):
        yield path, f"expected one of {', '.join(map(_shown, wanted))}"


def _pattern(wanted: Any, value: Any, path: Path, _: Any, __: Any) -> Problems:
    if not isinstance(value, str):
        return
    if wanted == r"\S":
        matches = bool(value.strip(WHITE_SPACE))
    else:  # The other patterns are anchored, ASCII, and mean the same to ECMA-262 and `re`.
        matches = re.fullmatch(wanted.removeprefix("^").removesuffix("$"), value) is not None
    if not matches:
        yield path, f"expected text that matches {wanted}"


def _min_length(wanted: Any, value: Any, path: Path, _: Any, __: Any) -> Problems:
    if isinstance(value, str) and len(value) < wanted:
        yield path, f"expected at least {wanted} character"


def _minimum(wanted: Any, value: Any, path: Path, _: Any, __: Any) -> Problems:
    if _is_type(value, "number") and value < wanted:
        yield path, f"expected at least {wanted}"


def _required(wanted: Any, value: Any, path: Path, _: Any, __: Any) -> Problems:
    if isinstance(value, dict):
        for name in wanted:
            if name not in value:
                yield (*path, name), f"`{name}` is missing"


def _properties(wanted: Any, value: Any, path: Path, _: Any, root: Any) -> Problems:
    if isinstance(value, dict):
        for name, schema in wanted.items():
            if name in value:
                yield from _problems(schema, value[name], (*path, name), root)


def _additional(wanted: Any, value: Any, path: Path, schema: Any, root: Any) -> Problems:
    if isinstance(value, dict):
        for name in value:
            if name not in schema.get("properties", {}):
                yield from _problems(wanted, value[name], (*path, name), root)


def _items(wanted: Any, value: Any, path: Path, schema: Any, root: Any) -> Problems:
    if isinstance(value, list):
        first = len(schema.get("prefixItems", ()))
        for index, item in enumerate(value[first:], first):
            yield from _problems(wanted, item, (*path, index), root)


def _prefix_items(wanted: Any, value: Any, path: Path, _: Any, root: Any) -> Problems:
    if isinstance(value, list):
        for index, (schema, item) in enumerate(zip(wanted, value, strict=False)):
            yield from _problems(schema, item, (*path, index), root)


def _count(fits: Callable[[int, int], bool], words: str) -> Keyword:
    def count(wanted: Any, value: Any, path: Path, _: Any, __: Any) -> Problems:
        if isinstance(value, list) and not fits(len(value), wanted):
            yield path, f"expected {words} {wanted} items, found {len(value)}"

    return count


def _all_of(wanted: Any, value: Any, path: Path, _: Any, root: Any) -> Problems:
    for schema in wanted:
        yield from _problems(schema, value, path, root)


def _any_of(wanted: Any, value: Any, path: Path, _: Any, root: Any) -> Problems:
    branches = [list(_problems(schema, value, path, root)) for schema in wanted]
    if all(branches):
        yield from min(branches, key=len)


def _if(wanted: Any, value: Any, path: Path, schema: Any, root: Any) -> Problems:
    if next(_problems(wanted, value, path, root), None) is None:
        yield from _problems(schema["then"], value, path, root)


def _ref(wanted: Any, value: Any, path: Path, _: Any, root: Any) -> Problems:
    yield from _problems(root["$defs"][wanted.removeprefix("#/$defs/")], value, path, root)


_KEYWORDS: dict[str, Keyword] = {
    "type": _type,
    "const": _const,
    "enum": _enum,
    "pattern": _pattern,
    "minLength": _min_length,
    "minimum": _minimum,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _additional,
    "prefixItems": _prefix_items,
    "items": _items,
    "minItems": _count(lambda found, wanted: found >= wanted, "at least"),
    "maxItems": _count(lambda found, wanted: found <= wanted, "at most"),
    "allOf": _all_of,
    "anyOf": _any_of,
    "if": _if,
    "$ref": _ref,
}
