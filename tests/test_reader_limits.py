"""Reading at its limits (section 1): depth and the range of numbers, in every disguise."""

from __future__ import annotations

import json
import sys

import pytest

from reading import BOM, outcome, refusal
from sobre.json_exact import read_exactly
from sobre.json_text import read
from sobre.json_write import compact, equal
from strategies import identity, nested

LARGEST = int(sys.float_info.max)
#: The first integer that rounds to infinity as a double.
TOO_LARGE = 2**1024 - 2**970


# -- structure ---------------------------------------------------------------


@pytest.mark.parametrize("kinds", ["[", "{", "[{", "[[{", "{{["])
@pytest.mark.parametrize("depth", [510, 511, 512])
def test_depth_up_to_the_limit(kinds, depth):
    value = nested(depth, kinds)
    for data in (compact(value), json.dumps(value, indent=1).encode(), BOM + compact(value)):
        assert equal(read(data), value)
        assert equal(read_exactly(data), value)


STRINGS_ON_THE_WAY = [
    "",
    "\\",
    "\\\\",
    '\\"',
    '"',
    "[" * 600,
    "]" * 600,
    '"' + "[{" * 300,
    '\\"[' * 300,
    "\\" * 301 + "[" * 600,
    "[\\",
    '"]',
]


@pytest.mark.parametrize("string", STRINGS_ON_THE_WAY, ids=range(len(STRINGS_ON_THE_WAY)))
@pytest.mark.parametrize("kinds", ["[", "{", "[{"])
def test_depth_is_not_seen_in_strings_nor_hidden_by_them(string, kinds):
    def around(inner, depth):
        for level in range(depth):
            kind = kinds[level % len(kinds)]
            inner = [string, inner, string] if kind == "[" else {"a" + string: inner, "b": string}
        return inner

    for depth in (1, 511, 512):
        value = around(string, depth)
        assert equal(read(compact(value)), value)
        assert equal(read_exactly(compact(value)), value)
    for depth in (513, 700):
        too_deep = json.dumps(around(string, depth)).encode()
        assert outcome(read, too_deep) == outcome(read_exactly, too_deep)
        assert refusal(too_deep).rule == "json.depth"


@pytest.mark.parametrize("kinds", ["[", "{", "[{"])
@pytest.mark.parametrize("depth", [513, 514, 600, 767, 768, 769, 1025])
def test_whole_documents_beyond_the_limit_are_refused(kinds, depth):
    inner = compact(nested(500, kinds))
    for level in range(500, depth):
        inner = b"[" + inner + b"]" if kinds[level % len(kinds)] == "[" else b'{"a":' + inner + b"}"
    assert refusal(inner).rule == "json.depth"
    assert outcome(read_exactly, inner) == outcome(read, inner)


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":', b'["[",', b'{"\\"":"}","a":'])
@pytest.mark.parametrize("levels", [513, 600, 1024, 5000, 100_000])
def test_depth_beyond_the_limit_stops_at_the_513th_bracket(opening, levels):
    brackets = opening.count(b"[") - opening.count(b'"["') + opening.count(b"{")
    data = opening * (levels // brackets + 1)
    error = refusal(data)
    assert error.rule == "json.depth"
    whole, rest = divmod(512, brackets)
    places = [
        at
        for at in range(len(opening))
        if opening[at : at + 1] in (b"[", b"{") and opening[at - 1 : at] != b'"'
    ]
    assert error.offset == len(opening) * whole + places[rest]
    assert outcome(read_exactly, data) == outcome(read, data)


def test_many_brackets_side_by_side_are_not_depth():
    items = [[[], {}, "[{", {"a": [0] * 3}] for _ in range(2000)]
    for value in (items, {str(index): item for index, item in enumerate(items)}):
        assert equal(read(compact(value)), value)


def test_depth_errors_and_syntax_errors_come_in_order():
    for data in (
        b"[" * 512 + b"x" + b"[" * 9,
        b"[" * 513 + b"x",
        b"[" * 500 + b"]" * 501 + b"[" * 600,
        b"[}" + b"[" * 2000,
    ):
        assert outcome(read, data) == outcome(read_exactly, data)


# -- numbers -----------------------------------------------------------------


def spellings_of_integer(number):
    """The same integer with and without point and exponent."""
    digits = str(number)
    yield digits
    yield digits + ".0"
    yield digits + "e0"
    yield digits + "E+000"
    yield f"{digits[0]}.{digits[1:]}e{len(digits) - 1}"
    yield f"{digits[0]}.{digits[1:]}E+0000{len(digits) - 1}"
    yield f"0.{digits}e{len(digits)}"
    yield f"{digits[:200]}.{digits[200:]}e{len(digits) - 200}"
    yield f"{digits}000e-3"
    yield f"{digits}{'0' * 90}e-90"
    yield f"0.{'0' * 250}{digits}e{len(digits) + 250}"


IN_RANGE = [*spellings_of_integer(LARGEST), *spellings_of_integer(TOO_LARGE - 1)]
OUT_OF_RANGE = [
    *spellings_of_integer(TOO_LARGE),
    *spellings_of_integer(10**309),
    "1e400",
    "1E+0000309",
    "9e308",
]
OUT_OF_RANGE += [
    "1" + "0" * 400,
    "9" * 5000,
    "1" + "0" * 309 + ".5",
    "0.1e310",
    "1e999999999999999999",
    "123456789e301",
]


@pytest.mark.parametrize("frame", ["%s", "-%s", '[{"a":-%s},1]', '["3e123",%s]'])
def test_numbers_at_the_end_of_the_range(frame):
    for number in IN_RANGE:
        data = (frame % number).encode()
        assert identity(read(data)) == identity(json.loads(data))
        assert identity(read_exactly(data)) == identity(json.loads(data))
    for number in OUT_OF_RANGE:
        data = (frame % number).encode()
        error = refusal(data)
        assert error.rule == "json.number_range", number
        assert error.offset == len(frame.partition("%s")[0].removesuffix("-"))
        assert outcome(read_exactly, data) == outcome(read, data)


@pytest.mark.parametrize(
    "number",
    ["0e999", "-0E+999", "0.0e99999999999999", "1e-400", "-1e-999999999", "1E-0000400", "0e0"],
)
def test_zeros_and_underflow_pass(number):
    for data in (number.encode(), f'["0e999",{number}]'.encode()):
        assert identity(read(data)) == identity(read_exactly(data)) == identity(json.loads(data))


@pytest.mark.parametrize("count", [*range(197, 204), 255, 256, 300, 308, 309])
def test_long_runs_of_digits(count):
    run = "1" * count
    for text in (
        f'"{run}"',
        run,
        f"-{run}",
        f'["{run}",1.{run}]',
        f'{{"{run}":{run}}}',
        f'["e{run}","{run}e309"]',
    ):
        data = text.encode()
        assert identity(read(data)) == identity(read_exactly(data)) == identity(json.loads(data))


@pytest.mark.parametrize("count", [310, 311, 400, 4300, 4301, 100_000])
def test_runs_of_digits_that_no_double_holds(count):
    run = "1" * count
    assert read(f'["{run}",0.{run}]'.encode()) == [run, float("0." + run)]
    for text in (run, f"-{run}", f"{run}.0", f"[{run}e-1]" if count > 310 else run):
        assert refusal(text.encode()).rule == "json.number_range"


@pytest.mark.parametrize(
    "string", ["3e123", "0x3e123", "e400", "1E999", "deadbeef9e1234", "NaN", "-Infinity", "9" * 400]
)
def test_strings_that_look_like_numbers(string):
    for value in (string, [string], {string: string}):
        assert read(compact(value)) == value
        assert read_exactly(compact(value)) == value
