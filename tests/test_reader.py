"""Reading (section 1): the quick way, the exact one and readers of others agree."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deep_stack import call_with_frames_left
from reading import BOM, assert_one_verdict, outcome, refusal
from sobre import Result
from sobre.json_exact import read_exactly
from sobre.json_text import MAX_BYTES, read
from sobre.json_write import canonical, compact, equal, pretty
from sobre.profiles.core import judge
from strategies import (
    EFFORT,
    examples,
    fixed_random,
    identity,
    mutated,
    nested,
    seeds,
    spelled,
    spelled_string,
    spellings,
)

# -- one verdict -------------------------------------------------------------


@examples(400)
@given(spellings)
def test_every_spelling_of_a_value_reads_as_it(pair):
    value, data = pair
    assert identity(read(data)) == identity(value) == identity(json.loads(data))
    assert identity(read_exactly(data)) == identity(value)
    assert identity(read(BOM + data)) == identity(value)


@examples(1500)
@given(spellings, seeds)
def test_broken_bytes_get_one_verdict(pair, rng):
    assert_one_verdict(mutated(pair[1], rng))


@examples(400)
@given(st.binary(max_size=40))
def test_random_bytes_get_one_verdict(data):
    assert_one_verdict(data)


STRING_PIECES = st.sampled_from(
    [
        *["a", "u", "\\", "\\\\", '\\"', "\\n", "\\/", "\\u", "\\u0041", "\\u005C", "\\u0022"],
        *["\\ud83d", "\\ude00", "\\uD83D\\uDE00", "\\ud8", "\\ud8zz", "ud800", "\\x", "\t", "\x7f"],
        *["\u00e9", "\U0001f600", "[", "]", "{", "}", ":", ",", "NaN"],
    ]
)


@examples(1500)
@given(
    st.lists(STRING_PIECES, max_size=7).map("".join), st.sampled_from(['["%s"]', '{"%s":1}', '"%s'])
)
def test_strings_with_every_kind_of_escape_get_one_verdict(string, frame):
    assert_one_verdict((frame % string).encode())


NUMBER_PIECES = st.sampled_from(
    ["0", "1", "17", "-", "+", ".", "e", "E", "308", "309", "400", "0" * 200]
)


@examples(800)
@given(
    st.lists(NUMBER_PIECES, min_size=1, max_size=7).map("".join),
    st.sampled_from(["%s", "[%s]", "[1,%s]"]),
)
def test_numbers_of_every_form_get_one_verdict(number, frame):
    assert_one_verdict((frame % number).encode())


@examples(800)
@given(
    st.lists(st.sampled_from('[]{},:"a1') | st.sampled_from([" ", "\n", '"a":', "true"])).map(
        "".join
    )
)
def test_structure_of_every_form_gets_one_verdict(text):
    assert_one_verdict(text.encode())


@examples(300)
@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", "", "\u00e9", '"']), st.booleans()), max_size=4),
    seeds,
)
def test_repeated_names_get_one_verdict(names, rng):
    """Spelled in any way, in the outer object or in ones inside it."""
    members, inner = [], {"a": {"a": 1}, "b": []}
    for name, nests in names:
        value = spelled(inner, rng) if nests else "1"
        members.append(f"{spelled_string(name, rng)} : {value}")
    rule = assert_one_verdict(("[{" + ",".join(members) + "}]").encode())
    repeated = len({name for name, _ in names}) < len(names)
    assert rule == ("json.duplicate_name" if repeated else "value")


def test_what_is_read_is_json_to_a_strict_reader_of_others():
    """Never more lenient than orjson; stricter where section 1 says so."""
    stricter = {"json.duplicate_name", "json.depth"}
    rng = fixed_random("orjson")
    seen = set()
    for _ in range(6000 * EFFORT):
        value = rng.choice(
            [{"a": [1, -2.5e300, 'x\\"\u20ac'], "b": {"a": None}}, [[], {}, "\U0001f600", True]]
        )
        data = mutated(spelled(value, rng).encode(), rng)
        rule = outcome(read, data)[0]
        seen.add(rule)
        try:
            theirs = orjson.loads(data.removeprefix(BOM))
        except orjson.JSONDecodeError:
            assert rule != "value", data
        else:
            assert rule == "value" or rule in stricter | {"json.number_range"}, (data, rule)
            if rule == "value":
                assert equal(read(data), json.loads(data.removeprefix(BOM)))
                assert list(theirs) == list(read(data)) if isinstance(theirs, dict) else True
    assert {"value", "json.syntax", "json.trailing_data", "json.encoding"} <= seen


# -- what comes out ----------------------------------------------------------


@pytest.mark.parametrize("data", ["{}", None, 1, ["{}"], {}], ids=repr)
def test_only_bytes_are_read(data):
    with pytest.raises(TypeError):
        read(data)


def test_every_kind_of_bytes_is_read():
    class Named(bytes):
        pass

    data = '{"a":"\u20ac","b":[1.5,10000000000000000000000]}'.encode()
    for kind in (bytearray, memoryview, Named):
        assert identity(read(kind(data))) == identity(read(data))
        assert outcome(read, kind(data + b"x")) == outcome(read, data + b"x")
    assert read(memoryview(b"[.1.]")[::2]) == [1]


def test_input_is_left_alone():
    data = bytearray(b'{"a":1}')
    value = read(data)
    data[2:3] = b"b"
    assert value == {"a": 1}


def test_size_limit():
    data = '{"a":"\u20ac"}'.encode()
    assert read(data, max_bytes=len(data)) == {"a": "\u20ac"}
    error = refusal(data, max_bytes=len(data) - 1)
    assert (error.rule, error.offset, error.line) == ("json.size", len(data) - 1, 1)
    assert str(len(data) - 1) in str(error)
    assert refusal(b"", max_bytes=0).rule == "json.empty"
    for limit in range(len(data)):
        assert refusal(data, max_bytes=limit).offset == limit
        assert refusal(bytearray(data), max_bytes=limit).rule == "json.size"
    assert refusal(BOM + b"1", max_bytes=3).rule == "json.size"


def test_size_limit_comes_before_everything_else():
    for data in (b"    ", b"\xff\xff\xff\xff", b"[[[[", b"x" * 99):
        assert refusal(data, max_bytes=3).rule == "json.size"


def test_size_limit_by_default():
    blank = b" " * MAX_BYTES
    assert refusal(blank).rule == "json.empty"
    assert refusal(blank + b" ").rule == "json.size"


def test_errors_can_be_copied_and_sent_between_processes():
    error = refusal(b'{"a":\n x}')
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert vars(twin) == vars(error)
        assert str(twin) == str(error)


# -- deep in a call stack -------------------------------------------------------

DEEP = nested(512, "[{")
DEEP_RESULT = {"success": True, "message": "Done.", "value": nested(511, "{[")}
CALLS = {
    "read": lambda: read(compact(DEEP)),
    "read_exactly": lambda: read_exactly(compact(DEEP)),
    "refuse": lambda: outcome(read, b"[" * 600),
    "compact": lambda: compact(DEEP),
    "pretty": lambda: pretty(DEEP),
    "canonical": lambda: canonical(DEEP),
    "equal": lambda: equal(DEEP, nested(512, "[{")),
    "judge": lambda: judge(compact(DEEP_RESULT)).conformant,
    "judge_bad": lambda: judge(b'{"success":1,"meta":{"duration_ms":-1}}').findings,
    "from_json": lambda: Result.from_json(compact(DEEP_RESULT)).message,
    "result": lambda: Result(DEEP_RESULT).to_json(),
}


@pytest.mark.parametrize("name", CALLS)
def test_near_the_end_of_the_call_stack(name):
    call = CALLS[name]
    expected = call()  # Also imports what is imported when first needed.
    for frames in (30, 45, 80, 200):
        assert equal(call_with_frames_left(frames, call), expected)
    for frames in range(1, 30):
        try:
            found = call_with_frames_left(frames, call)
        except RecursionError:
            continue
        assert equal(found, expected)


def test_near_the_end_of_the_call_stack_for_the_first_time():
    """What is imported late costs some frames more, once."""
    script = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from deep_stack import call_with_frames_left\n"
        "from sobre.json_text import read\n"
        "print(len(call_with_frames_left(100, read, b'[' * 512 + b']' * 512)))\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (ran.stdout, ran.stderr) == ("1\n", "")
