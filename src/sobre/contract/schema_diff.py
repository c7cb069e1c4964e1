"""What a change of a schema does to those who consume results (section 2, Evolution).

A schema grows by addition: new optional fields, new error codes. Whatever
removes, retypes, narrows or unbinds what a consumer could count on breaks it.
What cannot be decided by looking at the two schemas is said, not guessed.
"""

from __future__ import annotations

from ..json_write import canonical, compact, equal
from .findings import pointer_to
from .schema_sides import FREE, Side
from .schema_walk import Subschema, is_small

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from typing import Any

    Path = tuple[str | int, ...]

BREAKING, ADDITIVE, UNDECIDED = "breaking", "additive", "undecided"
#: Most changes that are listed.
MAX_CHANGES = 10_000

_HANDLED = FREE | {"additionalProperties", "enum", "items", "properties", "required", "type"}
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
_REFERENCES = frozenset(("$dynamicRef", "$recursiveRef", "$ref"))
# How far a change inside a keyword tells what it does to the whole: as it is
# (less admitted inside is less admitted), not if it is additive, or not at all.
_PLAIN, _CAREFUL, _BLIND = 2, 1, 0
_ONE = {
    "additionalItems": _PLAIN,
    "contains": _CAREFUL,
    "contentSchema": _PLAIN,
    "else": _PLAIN,
    "if": _BLIND,
    "not": _BLIND,
    "propertyNames": _PLAIN,
    "then": _PLAIN,
    "unevaluatedItems": _PLAIN,
    "unevaluatedProperties": _PLAIN,
}
_MAPS = frozenset(("dependencies", "dependentSchemas", "patternProperties"))
_LISTS = {"allOf": _PLAIN, "anyOf": _PLAIN, "items": _PLAIN, "oneOf": _CAREFUL}
_LISTS["prefixItems"] = _PLAIN
# What the value is that a schema describes: the result itself, its `error_code`, another.
_RESULT, _CODE, _OTHER = "result", "error_code", "other"
_IN_PLACE = frozenset(("allOf", "anyOf", "dependentSchemas", "else", "if", "not", "oneOf", "then"))
_MOST_ALIKE = 64


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
    if equal(old, new):
        return changes
    for change in _Comparison(old, new).run():
        if len(changes) == MAX_CHANGES:
            changes.append(Change(UNDECIDED, (), f"there are more than {MAX_CHANGES} changes"))
            break
        changes.append(change)
    return changes


class _Comparison:
    """Two schema documents. Pairs of subschemas that were compared are not compared again."""

    def __init__(self, old: Any, new: Any) -> None:
        self.old, self.new = Side(old), Side(new)
        self.seen: set[tuple[int, int, int, str]] = set()
        self.todo = [(self.old.root, self.new.root, _PLAIN, _RESULT)]
        # Schemas whose references form loops of different lengths have more pairs than parts.
        self.room = 10_000 + 8 * (self.old.size + self.new.size)
        self.trust, self.role = _PLAIN, _RESULT

    def run(self) -> Iterator[Change]:
        yield from self.dialects(self.old.root, self.new.root)
        while self.todo:
            if self.room == 0:
                yield Change(UNDECIDED, (), "the schemas are too entangled to be compared in full")
                return
            self.room -= 1
            later = len(self.todo) - 1
            old, new, self.trust, self.role = self.todo.pop()
            for change in self.compare(old, new):
                if self.trust == _BLIND or (self.trust == _CAREFUL and change.effect == ADDITIVE):
                    change.effect = UNDECIDED
                yield change
            self.todo[later:] = reversed(self.todo[later:])

    def leave(self, old: Subschema, new: Subschema, role: str, trust: int = _PLAIN) -> None:
        """Leave two schemas for later."""
        self.todo.append((old, new, min(self.trust, trust), role))

    def compare(self, old: Subschema, new: Subschema) -> Iterator[Change]:
        old, new = self.old.follow(old), self.new.follow(new)
        if not isinstance(old.schema, dict) or not isinstance(new.schema, dict):
            yield from _no_objects(old, new)
            return
        key = (id(old.schema), id(new.schema), self.trust, self.role)
        if key in self.seen and old.schema and new.schema:
            return
        self.seen.add(key)
        if not new.is_root and ("$schema" in old.schema or "$schema" in new.schema):
            yield from self.dialects(old, new)
        yield from _types(old, new)
        yield from _enums(old, new, self.role == _CODE)
        yield from _required(old, new)
        yield from self.properties(old, new)
        yield from self.others(old, new)
        for keyword in sorted({*old.schema, *new.schema} - _HANDLED):
            yield from self.keyword(keyword, old, new)

    def dialects(self, old: Subschema, new: Subschema) -> Iterator[Change]:
        """Whether the keywords of two schemas mean the same."""
        if self.old.dialect(old) != self.new.dialect(new):
            yield Change(UNDECIDED, (*new.path, "$schema"), "the schema is of another dialect now")

    def properties(self, old: Subschema, new: Subschema) -> Iterator[Change]:
        was, now = _members(old, "properties"), _members(new, "properties")
        for name, schema in was.items():
            if name in now:
                role = _CODE if self.role == _RESULT and name == "error_code" else _OTHER
                before = old.child(schema, "properties", name)
                self.leave(before, new.child(now[name], "properties", name), role)
            else:
                place = (*old.path, "properties", name)
                yield Change(BREAKING, place, f"the field {name!a} is gone")
        others = old.schema.get("additionalProperties", True)
        expected = set(_names(old.schema.get("required")))
        required = set(_names(new.schema.get("required")))
        for name, schema in now.items():
            if name in was:
                continue
            if name in expected or (isinstance(others, dict) and not self.old.admits_all(others)):
                # It was there before, or could be, as one of those that are not listed.
                before = old.child(others, "additionalProperties")
                self.leave(before, new.child(schema, "properties", name), _OTHER)
            if name not in required and name not in expected:
                # A schema for whatever is not evaluated elsewhere may have bound it.
                effect = UNDECIDED if self.old.binds_unevaluated else ADDITIVE
                place = (*new.path, "properties", name)
                yield Change(effect, place, f"the optional field {name!a} is new")

    def others(self, old: Subschema, new: Subschema) -> Iterator[Change]:
        """Fields and items that the schema does not list."""
        for keyword, what in (("additionalProperties", "fields"), ("items", "items")):
            was, now = old.schema.get(keyword, True), new.schema.get(keyword, True)
            place = (*(new if keyword in new.schema else old).path, keyword)
            if isinstance(was, list) or isinstance(now, list):
                yield from self.keyword(keyword, old, new)
            elif isinstance(was, dict) and isinstance(now, dict):
                self.leave(old.child(was, keyword), new.child(now, keyword), _OTHER)
            elif self.old.admits_all(was) and self.new.admits_all(now):
                listed = (keyword in old.schema) is (keyword in new.schema)
                if not listed and (self.old.has_unevaluated or self.new.has_unevaluated):
                    reason = f"other {what} count as evaluated, or no longer do"
                    yield Change(UNDECIDED, place, reason)
            elif not equal(was, now):
                opens = was is False or self.new.admits_all(now)
                message = f"other {what} are {'admitted' if opens else 'refused or narrowed'} now"
                fits = was is False and keyword == "additionalProperties"
                yield Change(ADDITIVE if fits else BREAKING, place, message)

    def keyword(self, keyword: str, old: Subschema, new: Subschema) -> Iterator[Change]:
        """A keyword that has no rule of its own above."""
        was, now = old.schema.get(keyword), new.schema.get(keyword)
        place = (*(new if keyword in new.schema else old).path, keyword)
        verb = "is gone" if keyword in old.schema else "is new"
        if keyword in old.schema and keyword in new.schema:
            verb = "changed"
            if (yield from self.inner(keyword, old, new)):
                return
            if equal(was, now) and keyword not in _REFERENCES:
                return
        if keyword in _BOUNDS and _is_number(was) and _is_number(now):
            yield _bound(place, keyword, was, now)
        elif (
            keyword in _BOUNDS or keyword == "const" or (keyword == "pattern" and verb != "changed")
        ):
            yield Change(BREAKING, place, f"`{keyword}` {verb}")
        else:
            message = f"`{ascii(keyword)[1:-1]}` {verb}; its effect is not decided here"
            yield Change(UNDECIDED, place, message)

    def inner(self, keyword: str, old: Subschema, new: Subschema) -> Generator[Change, None, bool]:
        """Leave the schemas in a keyword for later, each with its partner, if they have one."""
        was, now = old.schema[keyword], new.schema[keyword]
        role = self.role if keyword in _IN_PLACE else _OTHER
        if keyword in _REFERENCES:
            return self.referenced(keyword, old, new)
        if keyword in _ONE and isinstance(was, (dict, bool)) and isinstance(now, (dict, bool)):
            self.leave(old.child(was, keyword), new.child(now, keyword), role, _ONE[keyword])
            return True
        if keyword in _MAPS and isinstance(was, dict) and isinstance(now, dict):
            for name in [*was, *(name for name in now if name not in was)]:
                if name in was and name in now:
                    before = old.child(was[name], keyword, name)
                    self.leave(before, new.child(now[name], keyword, name), role)
                else:
                    place = (*(new if name in now else old).path, keyword, name)
                    how = "new" if name in now else "gone"
                    yield Change(UNDECIDED, place, f"this part of `{keyword}` is {how}")
            return True
        if keyword in _LISTS and isinstance(was, list) and isinstance(now, list):
            for index, other in _partners(was, now, keyword in _IN_PLACE):
                before = old.child(was[index], keyword, index)
                after = new.child(now[other], keyword, other)
                self.leave(before, after, role, _LISTS[keyword])
            return len(was) == len(now)
        return False

    def referenced(self, keyword: str, old: Subschema, new: Subschema) -> bool:
        """Leave what two references name; whether they name something, or the same from outside."""
        before, after = self.old.targets(old, keyword), self.new.targets(new, keyword)
        if not before and not after:
            was, now = self.old.uri(old, keyword), self.new.uri(new, keyword)
            if was is None or now is None:
                return equal(old.schema[keyword], new.schema[keyword])
            return was == now and not self.old.is_own(was) and not self.new.is_own(now)
        for target, other in zip(before, after, strict=False):
            self.leave(target, other, self.role)
        return len(before) == len(after)


def _partners(was: list[Any], now: list[Any], sort: bool) -> Iterator[tuple[int, int]]:
    """Which items of two lists are held against each other; none if one list is longer.

    Where order means nothing (`sort`), equal items first, then the rest in order.
    """
    count = len(was)
    if count != len(now):
        return
    partners: dict[int, int] = {}
    if sort:
        places: dict[bytes, list[int]] = {}
        for index in reversed(range(count)):
            places.setdefault(_mark(now[index]), []).append(index)
        for index, schema in enumerate(was):
            if (mark := _mark(schema)) and places.get(mark):
                partners[index] = places[mark].pop()
    taken = set(partners.values())
    rest = iter([index for index in range(count) if index not in taken])
    for index in range(count):
        yield index, partners[index] if index in partners else next(rest)


def _mark(schema: Any) -> bytes:
    """A text that equal schemas share; empty if the schema is too large to look at in full."""
    return canonical(schema) if is_small(schema, 64, 1024) else b""


def _no_objects(old: Subschema, new: Subschema) -> Iterator[Change]:
    """Two schemas of which one at least is no object."""
    if equal(old.schema, new.schema):
        return
    if old.schema is False and isinstance(new.schema, dict):
        yield Change(BREAKING, new.path, "values are admitted where none was before")
    elif new.schema is False and isinstance(old.schema, dict):
        yield Change(BREAKING, new.path, "no value is admitted now")
    else:
        yield Change(UNDECIDED, new.path, "this is no schema")


def _types(old: Subschema, new: Subschema) -> Iterator[Change]:
    was, now = _type_names(old.schema), _type_names(new.schema)
    place = (*(new if "type" in new.schema else old).path, "type")
    if was == now:
        if was is None and not equal(old.schema.get("type"), new.schema.get("type")):
            yield Change(UNDECIDED, place, "this is no type")
        return
    if was is None or now is None:
        how = "is bound to a type now" if was is None else "is no longer bound to a type"
        yield Change(BREAKING, place, f"the value {how}")
        return
    told = ascii(f"from {' or '.join(sorted(was))} to {' or '.join(sorted(now))}")[1:-1]
    how = "narrowed" if now < was else "widened" if now > was else "changed"
    yield Change(BREAKING, place, f"the type is {how} {told}")


def _type_names(schema: dict[str, Any]) -> frozenset[str] | None:
    kind = schema.get("type")
    if isinstance(kind, str):
        return frozenset((kind,))
    names = _names(kind)
    return frozenset(names) if isinstance(kind, list) and len(names) == len(kind) else None


def _enums(old: Subschema, new: Subschema, codes: bool) -> Iterator[Change]:
    was, now = old.schema.get("enum"), new.schema.get("enum")
    if ("enum" in old.schema) is ("enum" in new.schema) and equal(was, now):
        return
    place = (*(new if "enum" in new.schema else old).path, "enum")
    if not isinstance(was, list) or not isinstance(now, list):
        how = "one of a list" if isinstance(now, list) else "free of its list"
        yield Change(BREAKING, place, f"the value is {how} now")
        return
    for value in _lacking(was, now):
        yield Change(BREAKING, place, f"the value {_shown(value)} is gone")
    why = "" if codes else ", and consumers may know no other than the old ones"
    for value in _lacking(now, was):
        effect = ADDITIVE if codes else BREAKING
        yield Change(effect, place, f"the value {_shown(value)} is new{why}")


def _lacking(values: list[Any], others: list[Any]) -> Iterator[Any]:
    """The values that are not among the others."""
    alike: dict[Any, list[Any]] = {}
    for other in others:
        alike.setdefault(_key(other), []).append(other)
    for value in values:
        if not any(equal(value, other) for other in alike.get(_key(value), ())[:_MOST_ALIKE]):
            yield value


def _key(value: Any) -> Any:
    """What equal values share, and few others do."""
    return value if isinstance(value, (str, int, float)) or value is None else canonical(value)


def _required(old: Subschema, new: Subschema) -> Iterator[Change]:
    was, now = _names(old.schema.get("required")), _names(new.schema.get("required"))
    before, after = set(was), set(now)
    for name in was:
        if name not in after:
            place = (*(new if "required" in new.schema else old).path, "required")
            yield Change(BREAKING, place, f"the field {name!a} may be left out now")
    for name in now:
        if name not in before:
            message = f"the field {name!a} is required now, and older results lack it"
            yield Change(BREAKING, (*new.path, "required"), message)


def _bound(place: Path, keyword: str, was: Any, now: Any) -> Change:
    narrower = (now > was) is (_BOUNDS[keyword] > 0)
    how = "narrowed" if narrower else "widened"
    return Change(BREAKING, place, f"`{keyword}` is {how} from {_shown(was)} to {_shown(now)}")


def _members(part: Subschema, keyword: str) -> dict[str, Any]:
    value = part.schema.get(keyword)
    return value if isinstance(value, dict) else {}


def _names(value: Any) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    text = compact(value).decode()
    return ascii(text if len(text) <= 60 else text[:57] + "...")[1:-1]
