"""What can be seen of a schema without trying it: its dialect, and whether it refers to itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...contract.schema_walk import Subschema, Targets, references, subschemas

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The dialects that the common validators know.
DIALECTS = frozenset(
    (
        "http://json-schema.org/draft-04/schema",
        "http://json-schema.org/draft-06/schema",
        "http://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
    )
)
# Keywords that hold schemas for the very same value, not for a part of it.
_SAME_VALUE = frozenset(
    ("allOf", "anyOf", "dependentSchemas", "else", "if", "not", "oneOf", "then")
)


def foreign_dialect(schema: Any) -> str | None:
    """The dialect that a schema names, if it is not one of `DIALECTS`."""
    named = schema.get("$schema") if isinstance(schema, dict) else None
    if named is None:
        return None
    if isinstance(named, str) and named.removesuffix("#") in DIALECTS:
        return None
    return named if isinstance(named, str) else "no URI at all"


class Recursion:
    """A reference that comes back to where it stands: `pointer` is its place.

    `endless`: it does so for the very same value, so that no validator comes to an end.
    """

    __slots__ = ("endless", "pointer")

    def __init__(self, pointer: str, endless: bool) -> None:
        self.pointer = pointer
        self.endless = endless


def recursion(schema: Any) -> Recursion | None:
    """The first recursion of a schema, an endless one if there is one, or None."""
    parts = list(subschemas(schema))
    targets = Targets(parts)
    inner: dict[int, list[tuple[int, bool, str]]] = {}
    for part in parts:
        if part.parent is not None:
            same = part.keyword in _SAME_VALUE
            inner.setdefault(id(part.parent.schema), []).append((id(part.schema), same, ""))
    for part, keyword, uri in references(parts):
        target: Subschema | None = targets.find(uri)
        if target is not None and isinstance(target.schema, dict):
            pointer = f"{part.pointer}/{keyword}"
            inner.setdefault(id(part.schema), []).append((id(target.schema), True, pointer))
    for same_only in (True, False):
        place = _cycle([id(part.schema) for part in parts], inner, same_only)
        if place is not None:
            return Recursion(place, same_only)
    return None


def _cycle(
    nodes: list[int], inner: dict[int, list[tuple[int, bool, str]]], same_only: bool
) -> str | None:
    """Where a reference closes a cycle, or None. Depth costs no call stack."""
    done: set[int] = set()
    for start in nodes:
        if start in done:
            continue
        path: dict[int, Iterator[tuple[int, bool, str]]] = {start: iter(inner.get(start, ()))}
        via: list[str] = [""]
        while path:
            node, edges = next(reversed(path.items()))
            for target, same, pointer in edges:
                if same_only and not same:
                    continue
                if target in path:
                    among = list(path).index(target)
                    return next(filter(None, [pointer, *reversed(via[among + 1 :])]), pointer)
                if target not in done:
                    path[target] = iter(inner.get(target, ()))
                    via.append(pointer)
                    break
            else:
                done.add(node)
                del path[node]
                via.pop()
    return None
