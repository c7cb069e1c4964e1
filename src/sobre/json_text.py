"""JSON text: bytes -> value, strictly (specification section 1). `json_write` goes back.

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

from .json_place import (
    BOM,
    MAX_BYTES,
    MAX_DEPTH,
    WHITE_SPACE,
    DocumentError,
    document_error,
    position,
    positions,
)

try:  # What is behind `json`, without the cost of importing the rest of it.
    from _json import make_scanner
except ImportError:  # An interpreter without the C module.
    from json.scanner import make_scanner

# Where something is wrong, the scanner of CPython 3.11 looks for `json.decoder`
# and, if nobody has imported it, ends in a SystemError: a doubt like any other.
# A debug build would abort instead.
if hasattr(sys, "gettotalrefcount"):
    import json.decoder  # noqa: F401

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "BOM",
    "MAX_BYTES",
    "MAX_DEPTH",
    "WHITE_SPACE",
    "DocumentError",
    "document_error",
    "position",
    "positions",
    "read",
]


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
