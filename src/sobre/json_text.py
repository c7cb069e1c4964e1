"""JSON text: bytes -> value, strictly, and value -> bytes (specification section 1).

Reading has two speeds and one verdict. The interpreter's own scanner, written
in C, reads what a few cheap tests over the bytes show it will read rightly.
Whatever those tests doubt or the scanner refuses goes to `json_exact`, which
reads slowly, iteratively and without any leniency, and which alone decides
what is wrong and where. So the quick way may only ever be too careful.

Python values stand for JSON values: `dict`, `list`, `str`, `int`, `float`,
`bool`, `None`. Integers stay exact.
"""

from __future__ import annotations

import sys
from itertools import accumulate

try:  # What is behind `json`, without the cost of importing the rest of it.
    from _json import encode_basestring as quote
    from _json import make_encoder, make_scanner
except ImportError:  # An interpreter without the C module.
    from json.encoder import JSONEncoder
    from json.encoder import encode_basestring as quote
    from json.scanner import make_scanner

    def make_encoder(*settings: Any) -> Any:  # type: ignore[no-redef]
        """The encoder in Python, with the same call."""
        encoder = JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return lambda value, _: encoder.iterencode(value)


# Where something is wrong, the scanner of CPython 3.11 looks for `json.decoder`
# and, if nobody has imported it, ends in a SystemError: a doubt like any other.
# A debug build would abort instead.
if hasattr(sys, "gettotalrefcount"):
    import json.decoder  # noqa: F401

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, NoReturn

#: Deepest nesting of arrays and objects that is read.
MAX_DEPTH = 512
#: Most bytes one document may have, unless the caller sets another limit.
MAX_BYTES = 64 * 1024 * 1024
#: The UTF-8 byte order mark. One is tolerated at the start of a document.
BOM = b"\xef\xbb\xbf"
#: The characters that JSON allows between tokens.
WHITE_SPACE = " \t\n\r"


class DocumentError(ValueError):
    """Bytes that are not one strict JSON document (specification section 1).

    `rule` is the json.* rule, `reason` a sentence. `offset` is the byte, from
    0, where reading stopped; `line` and `column` are the same place for a
    person, from 1: lines end at a line feed, columns count Unicode characters,
    and a byte order mark counts as no column.
    """

    def __init__(self, rule: str, reason: str, offset: int, line: int, column: int) -> None:
        super().__init__(f"{rule}: {reason} (line {line}, column {column}, byte {offset})")
        self.rule = rule
        self.reason = reason
        self.offset = offset
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.rule, self.reason, self.offset, self.line, self.column)


class _Doubt(Exception):
    """The quick way met something that the exact reader must judge."""


def read(data: bytes | bytearray | memoryview, *, max_bytes: int = MAX_BYTES) -> Any:
    """The JSON value that `data` holds, read strictly (specification section 1).

    One leading byte order mark is passed over. Raises `DocumentError` for
    anything that breaks a json.* rule, and `TypeError` if `data` is not bytes.
    """
    if not isinstance(data, bytes):
        data = _as_bytes(data)
    if len(data) > max_bytes:
        reason = f"the document is larger than the limit of {max_bytes} bytes"
        raise document_error(data, "json.size", reason, max_bytes)
    if data.startswith(BOM):
        body = data[len(BOM) :]
    else:
        body = data
    try:
        return _read_quickly(body)
    except (_Doubt, ValueError, StopIteration, RecursionError, OverflowError, SystemError):
        from .json_exact import read_exactly

        return read_exactly(data)


def document_error(data: bytes, rule: str, reason: str, offset: int) -> DocumentError:
    """A `DocumentError` at a byte offset of `data`, with its line and column."""
    line, column = position(data, offset)
    return DocumentError(rule, reason, offset, line, column)


def position(data: bytes, offset: int) -> tuple[int, int]:
    """Line and column, from 1, of a byte offset (see `DocumentError` for the units)."""
    start = data.rfind(b"\n", 0, offset) + 1
    line = data.count(b"\n", 0, start) + 1
    if start == 0 and data.startswith(BOM):
        start = min(len(BOM), offset)
    return line, len(data[start:offset].decode("utf-8", "replace")) + 1


def positions(data: bytes, offsets: list[int]) -> list[tuple[int, int]]:
    """What `position` says of each offset, with one pass for all of them.

    An offset is where a character begins, or the end.
    """
    at = len(BOM) if data.startswith(BOM) else 0
    line, column, found = 1, 1, {}
    for offset in sorted(set(offsets)):
        start = data.rfind(b"\n", at, max(at, offset)) + 1
        if start:
            line += data.count(b"\n", at, start)
            at, column = start, 1
        column += len(data[at:offset].decode("utf-8", "replace"))
        at = max(at, offset)
        found[offset] = line, column
    return [found[offset] for offset in offsets]


def _as_bytes(data: bytearray | memoryview) -> bytes:
    if isinstance(data, (bytearray, memoryview)):
        return bytes(data)
    raise TypeError(f"expected bytes, found {type(data).__name__}; encode text as UTF-8 first")


# -- the quick way -----------------------------------------------------------

# Digits as 0, the letter of an exponent as e (its sign is dropped), that of a
# surrogate escape as d.
_SHAPES = bytes.maketrans(b"123456789ED", b"000000000ed")
# A double ends below 1.8e308, so a number beyond it has an exponent of three
# digits or, with a shorter one, more than 200 digits before it. Shorter runs
# are quicker to look for and still rare.
_LONG_EXPONENT = b"0e000"
_LONG_NUMBER = b"0" * 24
_SURROGATE = b"\\ud"
_NOT_BRACKETS = bytes(range(256)).translate(None, b"[]{}")
_NOT_STRUCTURE = _NOT_BRACKETS.replace(b'"', b"")
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


def _read_quickly(data: bytes) -> Any:
    """The value of `data`, or an exception if there is the slightest doubt."""
    text = data.decode().strip(WHITE_SPACE)
    if len(data) > 2 * MAX_DEPTH and _depth(data) > MAX_DEPTH:
        raise _Doubt
    shapes = data.translate(_SHAPES, b"+")
    large = shapes.find(_LONG_EXPONENT) >= 0 or shapes.find(_LONG_NUMBER) >= 0
    value, end = (_scan_with_range if large else _scan)(text, 0)
    if end != len(text):
        raise _Doubt
    if shapes.find(_SURROGATE) >= 0:
        _refuse_surrogates(text)
    return value


def _depth(data: bytes) -> int:
    """How deep arrays and objects nest: a bound above it, exact where it is not small.

    It holds as far as the text is JSON, and the scanner stops where it is not.
    """
    if len(data.translate(None, _NOT_BRACKETS)) <= 2 * MAX_DEPTH:
        return 0
    if b"\\" in data:
        data = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    brackets = data.translate(None, _NOT_STRUCTURE).replace(b'""', b"")
    if b'"' in brackets:  # Some string holds brackets: keep what lies between strings.
        brackets = b"".join(data.split(b'"')[::2]).translate(None, _NOT_STRUCTURE)
    rest = brackets
    for passes in range(8):  # Most documents are shallow. A pass takes one or two levels off.
        if not rest:
            return 2 * passes
        rest = rest.replace(b"[]", b"").replace(b"{}", b"")
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0)


def _refuse_surrogates(text: str) -> None:
    from .json_exact import unpaired_surrogate

    if unpaired_surrogate(text) is not None:
        raise _Doubt


def _refuse_constant(name: str) -> Any:
    raise _Doubt


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _Doubt
    return members


def _finite_float(text: str) -> float:
    number = float(text)
    if number - number != 0.0:
        raise _Doubt
    return number


def _finite_int(text: str) -> int:
    if len(text) < 309:
        return int(text)
    if len(text) > 310:
        raise _Doubt
    number = int(text)
    float(number)  # An OverflowError is a doubt, too.
    return number


class _Rules:
    """What the C scanner reads its settings from, as `json.JSONDecoder` is."""

    strict = True
    object_hook = None
    object_pairs_hook = staticmethod(_object)
    parse_constant = staticmethod(_refuse_constant)
    parse_float: Any = float
    parse_int: Any = int
    memo: dict[str, str] = {}


class _RangeRules(_Rules):
    parse_float = staticmethod(_finite_float)
    parse_int = staticmethod(_finite_int)


_scan: Any = make_scanner(_Rules())  # type: ignore[arg-type]
_scan_with_range: Any = make_scanner(_RangeRules())  # type: ignore[arg-type]


# -- writing -----------------------------------------------------------------


def compact(value: Any) -> bytes:
    """The value as one line of JSON without spaces, in UTF-8.

    Raises `ValueError` or `TypeError` for what JSON cannot say (NaN, a cycle,
    an unpaired surrogate, another type).
    """
    return compact_text(value).encode()


def compact_text(value: Any) -> str:
    """What `compact` says, as text. Raises as it does, but for unpaired surrogates."""
    try:
        return _encode(value)
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
    number = float(number)
    if number - number != 0.0:
        raise ValueError("JSON has no NaN and no infinity")
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
    return name.encode("utf-16-be", "surrogatepass")


def _refuse_type(value: object) -> NoReturn:
    raise TypeError(f"JSON has no {type(value).__name__}")


def _encode(value: Any) -> str:
    """The value as one line of text, by the encoder behind `json`; it knows cycles by a dict."""
    encoder = make_encoder({}, _refuse_type, quote, None, ":", ",", False, False, False)
    return "".join(encoder(value, 0))


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
        return int.__repr__(number)
    if number - number != 0.0:
        raise ValueError("JSON has no NaN and no infinity")
    return float.__repr__(number)
