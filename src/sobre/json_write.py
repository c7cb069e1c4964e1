"""Value -> JSON text: compact, pretty and canonical; and values held against each other.

`compact` is the quick one, by the encoder that the interpreter has in C. The
others spell a value out piece by piece, without recursion.
"""

from __future__ import annotations

from .json_place import MAX_DEPTH

try:  # What is behind `json`, without the cost of importing the rest of it.
    from _json import encode_basestring as quote
    from _json import make_encoder
except ImportError:  # An interpreter without the C module.
    from json.encoder import JSONEncoder
    from json.encoder import encode_basestring as quote

    def make_encoder(*settings: Any) -> Any:  # type: ignore[no-redef]
        """The encoder in Python, with the same call."""
        encoder = JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return lambda value, _: encoder.iterencode(value)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, NoReturn


def compact(value: Any) -> bytes:
    """The value as one line of JSON without spaces, in UTF-8.

    Raises `ValueError` or `TypeError` for what JSON cannot say (NaN, a cycle,
    an unpaired surrogate, another type). The quickest of the writers takes a
    value for what it is given as: it does not look for tuples, for names that
    are no strings, for depth, or for integers that no double holds.
    """
    return compact_text(value).encode()


def compact_text(value: Any) -> str:
    """What `compact` says, as text. Raises as it does, but for unpaired surrogates."""
    try:
        return "".join(_encoder(value, 0))
    except RecursionError:  # Deep in someone's call stack: without recursion, then.
        return "".join(_spell(value, _python_number))


def pretty(value: Any) -> bytes:
    """The value as indented JSON: two spaces a level, UTF-8, a line feed at the end.

    Members keep their order. Raises as `compact` does.
    """
    return ("".join(_spell(value, _python_number, indent="  ")) + "\n").encode()


def canonical(value: Any) -> bytes:
    """The value in the canonical form of RFC 8785, whose hash identifies it.

    Members are sorted by UTF-16 code units and numbers are written as
    ECMAScript writes doubles, so an integer beyond 2**53 may share its form
    with its neighbours; `equal` tells them apart. Raises as `compact` does.
    """
    return "".join(canonical_pieces(value)).encode()


def canonical_pieces(value: Any) -> Iterator[str]:
    """The canonical form piece by piece, for a caller that may stop before its end."""
    return _spell(value, ecmascript_number, order=_utf16)


def ecmascript_number(number: float | int) -> str:
    """A finite number as ECMAScript's Number::toString writes the double nearest to it."""
    number = _double(number)
    if number == 0.0:
        return "0"
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = int(exponent or 0) + len(whole) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    sign = "-" if number < 0 else ""
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{point - 1:+d}"


def _double(number: float | int) -> float:
    """The double nearest to a number; `ValueError` if there is none that is finite."""
    try:
        double = float(number)
    except OverflowError:
        raise ValueError("the integer is beyond the range of a double") from None
    if double - double != 0.0:
        raise ValueError("JSON has no NaN and no infinity")
    return double


def equal(left: Any, right: Any) -> bool:
    """Whether two values are the same JSON value.

    Numbers by value (1 and 1.0, integers exactly), `true` never equal to 1,
    objects regardless of order. Never raises, however deep the values are.
    """
    pairs = [(left, right)]
    while pairs:
        left, right = pairs.pop()
        kind = _kind(left)
        if kind is not _kind(right):
            return False
        if kind is dict:
            if left.keys() != right.keys():
                return False
            pairs.extend((value, right[name]) for name, value in left.items())
        elif kind is list:
            if len(left) != len(right):
                return False
            pairs.extend(zip(left, right, strict=True))
        elif left != right:
            return False
    return True


def _kind(value: Any) -> type:
    """The JSON type of a value, with one type for all numbers."""
    for kind in (str, bool, float, int, dict, list):
        if isinstance(value, kind):
            return float if kind is int else kind
    return type(value)


def resolve_pointer(document: Any, pointer: str) -> Any:
    """What a JSON Pointer (RFC 6901) names in a document.

    Raises `KeyError` if there is nothing, and `ValueError` if it is no pointer.
    """
    if pointer and not pointer.startswith("/"):
        raise ValueError(f"{pointer!a} is no JSON Pointer")
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(document, list):
            index = int(name[:18]) if name.isascii() and name.isdigit() else len(document)
            if index >= len(document) or str(index) != name:
                raise KeyError(pointer)
            document = document[index]
        elif isinstance(document, dict) and name in document:
            document = document[name]
        else:
            raise KeyError(pointer)
    return document


def _utf16(name: str) -> bytes:
    return str.encode(name, "utf-16-be", "surrogatepass")


def _refuse_type(value: object) -> NoReturn:
    raise TypeError(f"JSON has no {type(value).__name__}")


# The encoder behind `json`, made once. It keeps no record of the containers it is in:
# a value that contains itself ends in a RecursionError, and is then refused for its depth.
_encoder = make_encoder(None, _refuse_type, quote, None, ":", ",", False, False, False)


def _spell(
    value: Any,
    number: Callable[[Any], str],
    order: Callable[[str], Any] | None = None,
    indent: str = "",
) -> Iterator[str]:
    """The pieces of a value's JSON text, without recursion.

    `number` spells numbers, `order` is the sort key of member names, `indent`
    puts each item on a line of its own.
    """
    colon = ": " if indent else ":"
    items, closing, comma = iter([("", value)]), "", ""
    outer: list[tuple[Iterator[tuple[str, Any]], str]] = []
    while True:
        entry = next(items, None)
        if entry is None:
            if not outer:
                return
            items, after = outer.pop()
            yield ("\n" + indent * len(outer) if indent else "") + closing
            closing, comma = after, ","
            continue
        label, value = entry
        yield comma + ("\n" + indent * len(outer) if indent and outer else "") + label
        kind = _kind(value)
        if kind not in (dict, list) or not value:
            yield _scalar(value, kind, number, quote)
            comma = ","
            continue
        if len(outer) == MAX_DEPTH:
            raise ValueError(f"values are nested deeper than {MAX_DEPTH} levels")
        outer.append((items, closing))
        comma = ""
        if kind is list:
            items, closing = iter([("", item) for item in value]), "]"
            yield "["
        else:
            names = sorted(value, key=order) if order else value
            items, closing = iter([(quote(name) + colon, value[name]) for name in names]), "}"
            yield "{"


def _scalar(
    value: Any, kind: type, number: Callable[[Any], str], quote: Callable[[str], str]
) -> str:
    if kind is str:
        return quote(value)
    if kind is float:
        return number(value)
    if kind is dict or kind is list:
        return "{}" if kind is dict else "[]"
    if value is None or kind is bool:
        return "null" if value is None else "true" if value else "false"
    raise TypeError(f"JSON has no {type(value).__name__}")


def _python_number(number: float | int) -> str:
    if isinstance(number, int):
        if abs(number) >= 1 << 1023:
            _double(number)
        return int.__repr__(number)
    if number - number != 0.0:
        raise ValueError("JSON has no NaN and no infinity")
    return float.__repr__(number)
