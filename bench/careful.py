"""A strict JSON decoder as a careful person writes it: plainly, walking every value in Python.

It keeps to the same rules as `sobre.read` and stands here to be compared with.
Two ways of looking for halves of surrogate pairs in a text are about: having
the text encoded, which is the quickest there is, and looking at each character.
"""

import json
import math
from collections.abc import Callable

MAX_DEPTH = 512
MAX_BYTES = 64 * 1024 * 1024


def by_encoding(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("a string holds half of a surrogate pair") from None


def by_character(text: str) -> None:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("a string holds half of a surrogate pair")


def decoder(refuse_surrogates: Callable[[str], None]) -> Callable[[bytes], object]:
    """A function from bytes to a value, which raises `ValueError` if they are not strict JSON."""

    def loads(data: bytes) -> object:
        if len(data) > MAX_BYTES:
            raise ValueError("the document is too large")
        text = data.decode("utf-8").removeprefix("\ufeff")
        try:
            value = json.loads(text, object_pairs_hook=members, parse_constant=refuse_constant)
            walk(value, 1)
        except RecursionError:
            raise ValueError("values are nested too deep") from None
        return value

    def members(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = {}
        for name, value in pairs:
            if name in found:
                raise ValueError(f"the name {name!r} stands twice in one object")
            found[name] = value
        return found

    def refuse_constant(name: str) -> object:
        raise ValueError(f"{name} is not JSON")

    def walk(value: object, depth: int) -> None:
        if isinstance(value, str):
            refuse_surrogates(value)
        elif isinstance(value, dict):
            refuse_depth(depth)
            for name, member in value.items():
                refuse_surrogates(name)
                walk(member, depth + 1)
        elif isinstance(value, list):
            refuse_depth(depth)
            for item in value:
                walk(item, depth + 1)
        elif isinstance(value, float):
            if not math.isfinite(value):
                raise ValueError("a number is beyond the range of a double")
        elif isinstance(value, int):  # A boolean is one, too, and passes.
            try:
                float(value)
            except OverflowError:
                raise ValueError("a number is beyond the range of a double") from None

    def refuse_depth(depth: int) -> None:
        if depth > MAX_DEPTH:
            raise ValueError("values are nested too deep")

    return loads
