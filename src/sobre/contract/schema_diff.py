"""What a change of a schema does to those who consume results (section 2, Evolution).

A schema grows by addition: new optional fields, new error codes. Whatever
removes, retypes, narrows or unbinds what a consumer could count on breaks it.
What cannot be decided by looking at the two schemas is said, not guessed.
"""

from __future__ import annotations

from ..json_text import canonical, compact, equal
from .findings import pointer_to
from .schema_walk import subschemas

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Path = tuple[str | int, ...]

BREAKING, ADDITIVE, UNDECIDED = "breaking", "additive", "undecided"
#: Most changes that are listed.
MAX_CHANGES = 10_000

_EXPLAINS = frozenset(
    [
        "$comment",
        "$id",
        "$schema",
        "default",
        "deprecated",
        "description",
        "examples",
        "readOnly",
        "title",
        "writeOnly",
    ]
)
_HANDLED = frozenset(
    [
        "$defs",
        "additionalProperties",
        "definitions",
        "enum",
        "items",
        "properties",
        "required",
        "type",
    ]
)
# Bounds whose new value tells by itself which way they moved: +1 if more is narrower.
_BOUNDS = {
    "exclusiveMaximum": -1,
    "exclusiveMinimum": 1,
    "maxItems": -1,
    "maxLength": -1,
    "maxProperties": -1,
    "maximum": -1,
    "minItems": 1,
    "minLength": 1,
    "minProperties": 1,
    "minimum": 1,
}
# Lists of schemas, and whether one may be held against the one in its place
# although the lists differ.
_LISTS = {"allOf": True, "anyOf": False, "oneOf": False, "prefixItems": True}


class Change:
    """One difference: `effect` (breaking, additive, undecided), `pointer`, `message`."""

    __slots__ = ("effect", "message", "pointer")

    def __init__(self, effect: str, path: Path, message: str) -> None:
        self.effect = effect
        self.pointer = pointer_to(path)
        self.message = message

    def __str__(self) -> str:
        return f"{self.effect} at {self.pointer or 'the root'}: {self.message}"

    def to_dict(self) -> dict[str, str]:
        """The change as a JSON object."""
        return {"effect": self.effect, "pointer": self.pointer, "message": self.message}


def diff_schemas(old: Any, new: Any) -> list[Change]:
    """Every change from one schema to another, in document order; explanations do not count.

    Pointers are into the new schema, or into the old one for what is gone. At
    most `MAX_CHANGES` are listed; more are said to be undecided.
    """
    changes: list[Change] = []
    comparison = _Comparison(old, new)
    for change in comparison.run():
        if len(changes) == MAX_CHANGES:
            changes.append(Change(UNDECIDED, (), f"there are more than {MAX_CHANGES} changes"))
            break
        changes.append(change)
    return changes


class _Comparison:
    """Two schema documents. Pairs of subschemas that were compared are not compared again."""

    def __init__(self, old: Any, new: Any) -> None:
        self.old = old
        self.new = new
        self.seen: set[tuple[int, int]] = set()
        self.todo: list[tuple[Path, Any, Any]] = [((), old, new)]

    def run(self) -> Iterator[Change]:
        while self.todo:
            path, old, new = self.todo.pop()
            later = len(self.todo)
            yield from self.compare(path, old, new)
            self.todo[later:] = reversed(self.todo[later:])

    def compare(self, path: Path, old: Any, new: Any) -> Iterator[Change]:
        old, new = self.target(old, self.old), self.target(new, self.new)
        if (id(old), id(new)) in self.seen:
            return
        self.seen.add((id(old), id(new)))
        if not isinstance(old, dict) or not isinstance(new, dict):
            yield from _boolean_schemas(path, old, new)
            return
        yield from _types(path, old, new)
        yield from _enums(path, old, new)
        yield from _required(path, old, new)
        yield from self.properties(path, old, new)
        yield from self.others(path, old, new)
        for keyword in sorted({*old, *new} - _HANDLED - _EXPLAINS):
            yield from self.keyword(path, keyword, old, new)

    def target(self, schema: Any, root: Any) -> Any:
        """What a schema that only refers within its document stands for."""
        for _ in range(64):
            if not isinstance(schema, dict) or set(schema) - _EXPLAINS != {"$ref"}:
                break
            reference = schema["$ref"]
            found = _local(root, reference) if isinstance(reference, str) else None
            if found is None:
                break
            schema = found
        return schema

    def properties(self, path: Path, old: Any, new: Any) -> Iterator[Change]:
        was, now = _members(old, "properties"), _members(new, "properties")
        required = _names(new.get("required"))
        for name in was:
            if name not in now:
                message = f"the field {name!a} is gone"
                yield Change(BREAKING, (*path, "properties", name), message)
            else:
                self.todo.append(((*path, "properties", name), was[name], now[name]))
        for name in now:
            if name not in was and name not in required:
                message = f"the optional field {name!a} is new"
                yield Change(ADDITIVE, (*path, "properties", name), message)

    def others(self, path: Path, old: Any, new: Any) -> Iterator[Change]:
        """Fields and items that the schema does not list."""
        for keyword, what in (("additionalProperties", "fields"), ("items", "items")):
            was, now = old.get(keyword, True), new.get(keyword, True)
            if isinstance(was, dict) and isinstance(now, dict):
                self.todo.append(((*path, keyword), was, now))
            elif not equal(was, now):
                opens = now is True or (was is False and isinstance(now, dict))
                message = f"other {what} are {'admitted' if opens else 'refused or narrowed'} now"
                effect = ADDITIVE if opens and was is False else BREAKING
                yield Change(effect, (*path, keyword), message)

    def keyword(self, path: Path, keyword: str, old: Any, new: Any) -> Iterator[Change]:
        """A keyword that has no rule of its own above."""
        was, now = old.get(keyword), new.get(keyword)
        place = (*path, keyword)
        if self.pair(place, keyword, was, now) or equal(was, now):
            return
        verb = "is new" if keyword not in old else "is gone" if keyword not in new else "changed"
        if keyword in _BOUNDS and _is_number(was) and _is_number(now):
            yield _bound(place, keyword, was, now)
        elif (
            keyword in _BOUNDS or keyword == "const" or (keyword == "pattern" and verb != "changed")
        ):
            yield Change(BREAKING, place, f"`{keyword}` {verb}")
        else:
            yield Change(UNDECIDED, place, f"`{keyword}` {verb}; its effect is not decided here")

    def pair(self, place: Path, keyword: str, was: Any, now: Any) -> bool:
        """Leave the subschemas of a keyword for later, one by one, if they can be paired."""
        if keyword == "$ref" and isinstance(was, str) and isinstance(now, str):
            was, now = _local(self.old, was), _local(self.new, now)
            if was is not None and now is not None:
                self.todo.append((place, was, now))
            return was is not None and now is not None
        if (
            keyword in ("contains", "else", "then")
            and isinstance(was, dict)
            and isinstance(now, dict)
        ):
            self.todo.append((place, was, now))
            return True
        if keyword not in _LISTS or not isinstance(was, list) or not isinstance(now, list):
            return False
        if len(was) != len(now) or not (_LISTS[keyword] or equal(was, now)):
            return False
        for index, (before, after) in enumerate(zip(was, now, strict=True)):
            self.todo.append(((*place, index), before, after))
        return True


def _local(root: Any, reference: str) -> Any:
    """What a reference names in a document: by pointer, or by the `$id` of an embedded schema."""
    if reference == "#":
        return root
    if not reference.startswith("#/"):
        ids = (part.schema for part in subschemas(root) if part.base == reference)
        return next((schema for schema in ids if "$id" in schema), None)
    for part in reference[2:].split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(root, dict) and name in root:
            root = root[name]
        elif isinstance(root, list) and name.isdecimal() and int(name[:9]) < len(root):
            root = root[int(name[:9])]
        else:
            return None
    return root if isinstance(root, (dict, bool)) else None


def _boolean_schemas(path: Path, old: Any, new: Any) -> Iterator[Change]:
    if equal(old, new) or (old in ({}, True) and new in ({}, True)):
        return
    if new in ({}, True):
        yield Change(BREAKING, path, "any value is admitted now")
    elif isinstance(old, (dict, bool)) and isinstance(new, (dict, bool)):
        yield Change(BREAKING, path, "the values that are admitted changed")
    else:
        yield Change(UNDECIDED, path, "this is no schema")


def _types(path: Path, old: Any, new: Any) -> Iterator[Change]:
    was, now = _type_names(old), _type_names(new)
    if was == now:
        return
    if was is None or now is None:
        how = "is bound to a type now" if was is None else "is no longer bound to a type"
        yield Change(BREAKING, (*path, "type"), f"the value {how}")
        return
    told = f"from {' or '.join(sorted(was))} to {' or '.join(sorted(now))}"
    how = "narrowed" if now < was else "widened" if now > was else "changed"
    yield Change(BREAKING, (*path, "type"), f"the type is {how} {told}")


def _type_names(schema: Any) -> frozenset[str] | None:
    kind = schema.get("type")
    if isinstance(kind, str):
        return frozenset((kind,))
    return frozenset(map(str, kind)) if isinstance(kind, list) else None


def _enums(path: Path, old: Any, new: Any) -> Iterator[Change]:
    was, now = old.get("enum"), new.get("enum")
    place = (*path, "enum")
    if not isinstance(was, list) or not isinstance(now, list):
        if not equal(was, now):
            how = "one of a list" if isinstance(now, list) else "free of its list"
            yield Change(BREAKING, place, f"the value is {how} now")
        return
    before, after = {canonical(value) for value in was}, {canonical(value) for value in now}
    for value in was:
        if canonical(value) not in after:
            yield Change(BREAKING, place, f"the value {_shown(value)} is gone")
    codes = path[-1:] == ("error_code",)
    why = "" if codes else ", and consumers may know no other than the old ones"
    for value in now:
        if canonical(value) not in before:
            effect = ADDITIVE if codes else BREAKING
            yield Change(effect, place, f"the value {_shown(value)} is new{why}")


def _required(path: Path, old: Any, new: Any) -> Iterator[Change]:
    was, now = _names(old.get("required")), _names(new.get("required"))
    for name in was:
        if name not in now:
            message = f"the field {name!a} may be left out now"
            yield Change(BREAKING, (*path, "required"), message)
    for name in now:
        if name not in was:
            message = f"the field {name!a} is required now, and older results lack it"
            yield Change(BREAKING, (*path, "required"), message)


def _bound(place: Path, keyword: str, was: Any, now: Any) -> Change:
    narrower = (now > was) is (_BOUNDS[keyword] > 0)
    how = "narrowed" if narrower else "widened"
    return Change(BREAKING, place, f"`{keyword}` is {how} from {_shown(was)} to {_shown(now)}")


def _members(schema: Any, keyword: str) -> dict[str, Any]:
    value = schema.get(keyword)
    return value if isinstance(value, dict) else {}


def _names(value: Any) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    text = compact(value).decode()
    return ascii(text if len(text) <= 60 else text[:57] + "...")[1:-1]
