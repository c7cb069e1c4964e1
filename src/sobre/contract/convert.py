"""Python values -> JSON values, where that is lossless and expected.

The walk copies, so that a result shares nothing with the values it was made
from. It keeps its own list of what is left to do: depth costs no call stack.
"""

from __future__ import annotations

import sys
from operator import index as exact_int
from os import fspath

from ..json_text import MAX_DEPTH
from .findings import Finding, pointer_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    # A container on its way: the place in its parent, its parent, the value it copies.
    Place = tuple[str | int, "Place | None", object]


class ContractError(ValueError):
    """A value that cannot be a result. `findings` says what is wrong, and where."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__("; ".join(map(str, findings)))
        self.findings = findings

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.findings,)


def to_json_value(value: Any, *, above: int = 0) -> Any:
    """A copy of a value in the types of JSON: dict, list, str, int, float, bool, None.

    Converted are: tuples to arrays; named tuples, dataclasses and mappings to
    objects; enum members to their values; datetimes, dates and times to ISO
    8601; UUIDs and paths to text; integral decimals, fractions and foreign
    integers to integers. Raises `ContractError` for anything else, and for NaN
    and infinities, numbers no double holds, keys that are not strings, unpaired
    surrogates, cycles, and nesting deeper than 512, counted with the levels
    `above` that it is to stand below.
    """
    holder: list[Any] = []
    todo: list[tuple[Any, Any, Place | None, int]] = []
    _copy_items((("", value),), holder, None, above, todo)
    while todo:
        source, copy, place, depth = todo.pop()
        if depth > MAX_DEPTH:
            _refuse_depth(place)
        _copy_items(_items(source), copy, place, depth, todo)
    return holder[0]


def scalar_text(text: str) -> str:
    """Text that JSON can carry: half a surrogate pair becomes its escape."""
    return text.encode("utf-8", "backslashreplace").decode()


def _items(source: Any) -> Any:
    return dict.items(source) if issubclass(type(source), dict) else enumerate(source)


def _copy_items(items: Any, copy: Any, place: Place | None, depth: int, todo: list[Any]) -> None:
    """Copy the items of one container. Containers among them are left for later, in place."""
    is_object = type(copy) is dict
    for key, item in items:
        if is_object and (type(key) is not str or not key.isascii()):
            key = _name(key, place)
        kind = type(item)
        if kind is str:
            if not item.isascii():
                _refuse_surrogates(item, (key, place, item))
        elif kind is float:
            if item - item != 0.0:
                _refuse("json.non_finite_number", (key, place, item), f"{item} is no JSON number")
        elif kind is int:
            if item.bit_length() > 1000:
                _refuse_range(item, (key, place, item))
        elif item is not None and kind is not bool:
            here = (key, place, item)
            if kind is not dict and kind is not list:
                item = _convert(item, here)
            if type(item) is dict or type(item) is list or type(item) is tuple:
                source, item = item, [] if type(item) is not dict else {}
                todo.append((source, item, here, depth + 1))
        if is_object:
            copy[key] = item
        else:
            copy.append(item)


def _name(key: Any, place: Place | None) -> str:
    """A member's name as an exact string."""
    if not isinstance(key, str):
        reason = f"a member's name must be a string, found {type(key).__name__}"
        _refuse("produce.name", place, reason)
    name: str = str.__str__(key)
    _refuse_surrogates(name, place)
    return name


def _convert(value: Any, place: Place) -> Any:
    """The JSON value of a Python value of another type: a scalar, or a dict, list or tuple."""
    for _ in range(8):  # An enum member's value may need converting, too.
        try:
            value = _converted(value, type(value), place)
        except ContractError:
            raise
        except Exception as error:  # Such as a field of a dataclass that was never set.
            shown = type(error).__name__
            _refuse("produce.type", place, f"a {type(value).__qualname__} raised {shown}")
        if type(value) in (dict, list, tuple):
            return value
        if value is None or type(value) in (str, int, float, bool):
            holder: list[Any] = []
            _copy_items(((place[0], value),), holder, place[1], 0, [])
            return holder[0]
    return _refuse_type(value, place)


def _converted(value: Any, kind: type, place: Place) -> Any:
    """One step towards JSON: by the class's name, or by what it can do."""
    for name, convert in _CONVERSIONS:
        if any(f"{base.__module__}.{base.__qualname__}" == name for base in kind.__mro__):
            return convert(value)
    if hasattr(kind, "__dataclass_fields__"):
        # Its class made `dataclasses` be imported, which is too slow to import for nothing.
        fields = sys.modules["dataclasses"].fields(value)
        return {field.name: getattr(value, field.name) for field in fields}
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return dict(zip(kind._fields, value, strict=False))
    for plain, exact in _BUILT_IN:
        if issubclass(kind, plain):
            return exact(value)
    if hasattr(kind, "__fspath__"):
        return fspath(value)
    if hasattr(kind, "__index__"):
        return exact_int(value)
    if hasattr(kind, "keys") and hasattr(kind, "__getitem__"):
        return {key: value[key] for key in value.keys()}  # noqa: SIM118 - it may not iterate
    return _refuse_type(value, place)


def _integral(value: Any) -> Any:
    """A decimal or fraction that is a whole number a double can hold, else itself."""
    if hasattr(value, "adjusted"):
        if not value.is_finite() or value.adjusted() > 400:
            return value
        whole = value == value.to_integral_value()
    else:
        whole = value.denominator == 1
    return int(value) if whole else value


def _isoformat(value: Any) -> str:
    text: str = value.isoformat()
    return text


#: Qualified name of a class -> what its instances become. By name, so that
#: nothing is imported for a value that never comes.
_CONVERSIONS: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("enum.Enum", lambda value: value.value),
    ("datetime.date", _isoformat),
    ("datetime.time", _isoformat),
    ("uuid.UUID", str),
    ("decimal.Decimal", _integral),
    ("fractions.Fraction", _integral),
)
_BUILT_IN: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
    (dict, dict),
    (list, list),
    (tuple, tuple),
)


def _refuse(rule: str, place: Place | None, reason: str) -> NoReturn:
    path: list[str | int] = []
    while place is not None:
        key, place, _ = place
        path.append(key)
    path.pop()  # The walk's own holder of the root.
    raise ContractError([Finding(rule, pointer_to(reversed(path)), reason)])


def _refuse_type(value: Any, place: Place) -> NoReturn:
    kind = type(value)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    reason = f"a value of type {module}{kind.__qualname__} has no lossless form in JSON"
    _refuse("produce.type", place, reason)


def _refuse_range(value: int, place: Place) -> None:
    try:
        float(value)
    except OverflowError:
        _refuse("json.number_range", place, "the integer is beyond the range of a double")


def _refuse_surrogates(text: str, place: Place | None) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        reason = f"the text holds half of a surrogate pair (U+{ord(text[error.start]):04X})"
        _refuse("json.unpaired_surrogate", place, reason)


def _refuse_depth(place: Place | None) -> NoReturn:
    """Nested too deep: at the place where a value first stands inside itself, if one does."""
    chain: list[Place] = []
    while place is not None:
        chain.append(place)
        place = place[1]
    seen: set[int] = set()
    for here in reversed(chain):
        if id(here[2]) in seen:
            _refuse("produce.cycle", here, "the value contains itself")
        seen.add(id(here[2]))
    outermost = chain[-2] if len(chain) > 1 else chain[-1]
    _refuse("json.depth", outermost, f"values are nested deeper than {MAX_DEPTH} levels")
