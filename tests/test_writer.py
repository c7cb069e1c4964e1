"""Writing: compact, pretty and canonical bytes, and what counts as the same value."""

from __future__ import annotations

import json
import math
import shutil
import struct
import subprocess
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sobre.json_text import read
from sobre.json_write import canonical, compact, ecmascript_number, equal, pretty
from strategies import (
    EFFORT,
    NEAR_VALUES,
    examples,
    fixed_random,
    identity,
    json_values,
    nested,
    seeds,
    single_changes,
)

WRITERS = {"compact": compact, "pretty": pretty, "canonical": canonical}
each_writer = pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
#: `compact` is for values that are known to be JSON, and does not look at these things.
each_strict_writer = pytest.mark.parametrize(
    "write", [pretty, canonical], ids=["pretty", "canonical"]
)


# -- values survive ----------------------------------------------------------


@examples(400)
@given(json_values)
def test_what_is_written_reads_as_the_same_value(value):
    assert identity(read(compact(value))) == identity(value)
    assert identity(read(pretty(value))) == identity(value)


@examples(400)
@given(json_values)
def test_form(value):
    assert compact(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    assert pretty(value) == (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


@pytest.mark.parametrize("kinds", ["[", "{", "[{"])
def test_deepest_values(kinds):
    value = nested(512, kinds)
    for write in WRITERS.values():
        assert equal(read(write(value)), value)


def test_exact_integers():
    for number in (2**53 + 1, 2**63, 2**64, -(2**63) - 1, 10**300, -(10**308)):
        assert compact(number) == str(number).encode()
        assert pretty([number]) == f"[\n  {number}\n]\n".encode()


# -- canonical form (RFC 8785) --------------------------------------------------

#: RFC 8785, appendix B: the bits of a double, and its text.
APPENDIX_B = """
0000000000000000 0
8000000000000000 0
0000000000000001 5e-324
8000000000000001 -5e-324
7fefffffffffffff 1.7976931348623157e+308
ffefffffffffffff -1.7976931348623157e+308
4340000000000000 9007199254740992
c340000000000000 -9007199254740992
4430000000000000 295147905179352830000
44b52d02c7e14af5 9.999999999999997e+22
44b52d02c7e14af6 1e+23
44b52d02c7e14af7 1.0000000000000001e+23
444b1ae4d6e2ef4e 999999999999999700000
444b1ae4d6e2ef4f 999999999999999900000
444b1ae4d6e2ef50 1e+21
3eb0c6f7a0b5ed8c 9.999999999999997e-7
3eb0c6f7a0b5ed8d 0.000001
41b3de4355555553 333333333.3333332
41b3de4355555554 333333333.33333325
41b3de4355555555 333333333.3333333
41b3de4355555556 333333333.3333334
41b3de4355555557 333333333.33333343
becbf647612f3696 -0.0000033333333333333333
43143ff3c1cb0959 1424953923781206.2
"""


def double(bits):
    return struct.unpack(">d", bytes.fromhex(bits))[0]


def node(script, lines):
    """What Node prints for the lines, which it finds as an array of strings `lines`."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("node is not installed, so there is no ECMAScript to compare with")
    prelude = "const lines = require('fs').readFileSync(0, 'utf8').split('\\n');\n"
    command = [program, "-e", prelude + script]
    ran = subprocess.run(
        command, input="\n".join(lines).encode(), capture_output=True, check=True, timeout=60
    )
    return ran.stdout.decode().split("\n")[:-1]


def sample_doubles():
    """Doubles of every size, and around every border of ECMAScript's notations."""
    rng = fixed_random("doubles")
    for _ in range(10_000 * EFFORT):
        yield struct.unpack(">d", rng.randbytes(8))[0]
        yield rng.uniform(-1, 1) * 10.0 ** rng.randrange(-9, 25)
        yield float(rng.randrange(-(10 ** rng.randrange(1, 25)), 10**22))
        yield round(rng.uniform(-1000, 1000), rng.randrange(8))
    for exponent in range(-324, 309):
        power = float(f"1e{exponent}")
        yield from (power, -power, math.nextafter(power, 0), math.nextafter(power, math.inf))
    for exponent in range(-1074, 1024):
        power = math.ldexp(1.0, exponent)
        yield from (power, math.nextafter(power, 0), math.nextafter(power, math.inf))


@pytest.mark.parametrize(
    "line", APPENDIX_B.strip().split("\n"), ids=lambda line: line.partition(" ")[0]
)
def test_numbers_of_the_rfc(line):
    bits, _, expected = line.partition(" ")
    assert ecmascript_number(double(bits)) == expected
    assert canonical([double(bits)]) == f"[{expected}]".encode()


@pytest.mark.parametrize("bits", ["7fffffffffffffff", "7ff0000000000000", "fff0000000000000"])
def test_no_numbers_of_the_rfc(bits):
    with pytest.raises(ValueError):
        ecmascript_number(double(bits))


NUMBERS_IN_NODE = """
for (const bits of lines) console.log(JSON.stringify(Buffer.from(bits, "hex").readDoubleBE()));
"""


def test_numbers_are_those_of_node():
    numbers = [number for number in sample_doubles() if math.isfinite(number)]
    theirs = node(NUMBERS_IN_NODE, [struct.pack(">d", number).hex() for number in numbers])
    assert len(theirs) == len(numbers)
    ours = [ecmascript_number(number) for number in numbers]
    assert [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]] == []


CANONICAL_IN_NODE = """
const canonical = (value) =>
  Array.isArray(value) ? "[" + value.map(canonical).join() + "]"
  : value === null || typeof value !== "object" ? JSON.stringify(value)
  : "{" + Object.keys(value).sort().map((key) => member(key, value[key])).join() + "}";
const member = (key, value) => JSON.stringify(key) + ":" + canonical(value);
for (const line of lines) console.log(canonical(JSON.parse(line)));
"""


def test_documents_are_those_of_node():
    rng = fixed_random("documents")
    alphabet = 'ab01\x00\x1f"\\/\x7f\x80\u00e9\u0eff\u2028\u20ac\ud7ff\ue000\ufb33\uffff'
    alphabet += "\U00010000\U0001f600"

    def value(depth):
        kind = rng.randrange(7 if depth else 5)
        if kind < 2:
            return "".join(rng.choices(alphabet, k=rng.randrange(4)))
        if kind < 4:
            return rng.choice(
                [rng.randrange(10**20), rng.uniform(-1, 1), 10**300, 2**53 + 1, -0.0, 1e21, 5e-324]
            )
        if kind == 4:
            return rng.choice([None, True, False])
        if kind == 5:
            return [value(depth - 1) for _ in range(rng.randrange(4))]
        names = [
            "".join(rng.choices(alphabet, k=rng.randrange(3))) for _ in range(rng.randrange(7))
        ]
        return {name: value(depth - 1) for name in [*names, "__proto__"]}

    documents = [value(4) for _ in range(1500 * EFFORT)]
    theirs = node(CANONICAL_IN_NODE, [compact(document).decode() for document in documents])
    assert [canonical(document).decode() for document in documents] == theirs


def test_members_are_sorted_by_utf_16():
    """RFC 8785, section 3.2.3."""
    names = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    expected = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    assert list(read(canonical(dict.fromkeys(names)))) == expected
    assert list(read(canonical([{"a": dict.fromkeys(reversed(names))}]))[0]["a"]) == expected


def test_example_of_the_rfc():
    """RFC 8785, section 3.2.2 and 3.2.4."""
    data = rb"""{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }"""
    expected = (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
    assert canonical(read(data)) == expected.encode()


@examples(300)
@given(json_values, seeds)
def test_canonical_form_is_one_for_all_orders(value, rng):
    def shuffled(part):
        if isinstance(part, list):
            return [shuffled(item) for item in part]
        if isinstance(part, dict):
            return {name: shuffled(part[name]) for name in rng.sample(list(part), len(part))}
        return part

    assert canonical(shuffled(value)) == canonical(value)
    assert canonical(read(canonical(value))) == canonical(value)


# -- refusals ----------------------------------------------------------------

#: Where a value can stand.
HOLDERS = [
    lambda value: value,
    lambda value: [1, value],
    lambda value: {"b": 1, "a": value},
    lambda value: [{"a": [value]}],
]
FOREIGN = [
    set(),
    frozenset([1]),
    b"a",
    bytearray(b"a"),
    object(),
    1j,
    Decimal(1),
    Fraction(1),
    range(2),
    int,
    len,
    ...,
    {}.keys(),
    iter([]),
]


@each_writer
@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, -math.nan], ids=str)
def test_numbers_that_json_lacks_are_refused(write, number):
    for hold in HOLDERS:
        with pytest.raises(ValueError):
            write(hold(number))


@each_writer
@pytest.mark.parametrize("value", FOREIGN, ids=lambda value: type(value).__name__)
def test_types_that_json_lacks_are_refused(write, value):
    for hold in HOLDERS:
        with pytest.raises(TypeError):
            write(hold(value))


@each_strict_writer
def test_tuples_are_refused(write):
    for value in ((), (1, 2)):
        for hold in HOLDERS:
            with pytest.raises(TypeError):
                write(hold(value))


@each_strict_writer
@pytest.mark.parametrize("name", [1, True, None, b"a", (1, 2)], ids=str)
def test_names_that_are_no_strings_are_refused(write, name):
    for members in ({name: 1}, {"1": 0, name: 1, "true": 0}):
        with pytest.raises((ValueError, TypeError)):
            write([members])


@each_writer
@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\ude00\ud83d"], ids=ascii)
def test_unpaired_surrogates_are_refused(write, text):
    for hold in HOLDERS:
        for value in (text, {text: 1}):
            with pytest.raises(ValueError):
                write(hold(value))


@each_writer
def test_cycles_are_refused(write):
    array, members, crossed = [], {}, []
    array += [1, array]
    members["a"] = [members]
    crossed += [{"a": crossed}, {"b": crossed}]
    for value in (array, members, crossed, [array], {"a": members}):
        with pytest.raises(ValueError):
            write(value)


@each_strict_writer
@pytest.mark.parametrize("depth", [513, 2000, 100_000])
def test_values_deeper_than_any_reader_takes_are_refused(write, depth):
    for kinds in ("[", "[{"):
        with pytest.raises(ValueError):
            write(nested(depth, kinds))


@each_strict_writer
@pytest.mark.parametrize("power", [1024, 1329, 20_000])
def test_integers_that_no_double_holds_are_refused(write, power):
    for number in (2**power, -(2**power)):
        for hold in HOLDERS:
            with pytest.raises(ValueError):
                write(hold(number))


# -- equality ----------------------------------------------------------------


def naively_equal(left, right):
    if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
        return left is right
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return Fraction(left) == Fraction(right)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(naively_equal, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return set(left) == set(right) and all(
            naively_equal(left[name], right[name]) for name in left
        )
    return type(left) is type(right) and left == right


@examples(300)
@given(json_values, json_values)
def test_equality_of_any_values(left, right):
    assert equal(left, left)
    assert equal(left, right) is equal(right, left) is naively_equal(left, right)


@examples(60)
@given(json_values)
def test_equality_of_values_that_differ_in_one_place(value):
    for twin in single_changes(value, [0, 1, 1.0, True, False, None, "", "1", [], {}]):
        assert equal(value, twin) is equal(twin, value) is naively_equal(value, twin)


def test_equality_of_near_values():
    for left in NEAR_VALUES:
        for right in NEAR_VALUES:
            assert equal([left], [right]) is naively_equal(left, right)
            assert equal({"a": left}, {"a": right}) is naively_equal(left, right)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1.0, True),
        (0, -0.0, True),
        (True, 1, False),
        (False, 0.0, False),
        ([True], [1], False),
        (1, "1", False),
        (None, False, False),
        ([], {}, False),
        (2**53 + 1, 2**53, False),
        (2**53 + 1, float(2**53), False),
        (2**53, float(2**53), True),
        (10**300, 1e300, False),
        (int(1e300), 1e300, True),
        (10**400, 1e300, False),
        ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}, True),
        ({"a": None}, {}, False),
        ({"a": None}, {"b": None}, False),
        ([1, 2], [2, 1], False),
        ("\u00e9", "e\u0301", False),
    ],
)
def test_equality_by_hand(left, right, same):
    assert equal(left, right) is same
    assert equal(right, left) is same


def test_equality_at_any_depth():
    for kinds in ("[", "[{"):
        assert equal(nested(100_000, kinds), nested(100_000, kinds))
        assert not equal(nested(100_000, kinds, True), nested(100_000, kinds, 1))
        assert not equal(nested(100_000, kinds), nested(99_999, kinds))


@examples(100)
@given(st.lists(json_values, max_size=3))
def test_equal_values_have_one_canonical_form(values):
    for left in values:
        for right in values:
            if equal(left, right):
                assert canonical(left) == canonical(right)
