"""What property and fuzz tests draw from: JSON values, spellings of them, results, near misses."""

from __future__ import annotations

import copy
import os
import random
from decimal import Decimal

from hypothesis import settings
from hypothesis import strategies as st

EFFORT = int(os.environ.get("TEST_EFFORT", "1"))


def examples(count):
    """Hypothesis settings for so many examples, or more if TEST_EFFORT says so."""
    return settings(max_examples=count * EFFORT)


def fixed_random(*seed):
    """A generator of random numbers that is the same at each run, unless TEST_EFFORT is set."""
    return random.Random(repr(seed) if EFFORT == 1 else None)


# -- values ------------------------------------------------------------------

#: ECMA-262 white space, then what Python or others would add to it or leave out.
SPACES = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
NEARLY_SPACES = "\x00\x1b\x1c\x1d\x1e\x1f\x7f\x85\u180e\u200b\u200c\u200d\u2060\u2800\u3164"

integers = st.one_of(
    st.integers(-(10**6), 10**6),
    st.integers(-(2**70), 2**70),
    st.sampled_from([2**53 - 1, 2**53, 2**53 + 1, 2**63, 2**64, -(2**63), 10**22, 10**300]),
    st.integers(1, 308).map(lambda digits: 10**digits - 1),
)
floats = st.floats(allow_nan=False, allow_infinity=False)
text = st.text(max_size=12) | st.text(
    '"\\/[]{}:, \t\n\u00e9\u20ac\U0001f600\ufeff\x7f', max_size=12
)
scalars = st.none() | st.booleans() | integers | floats | text
names = text | st.sampled_from(["a", "b", "__proto__", "constructor", "success", "0", "a/b", "~1"])


def _containers(children):
    return st.lists(children, max_size=5) | st.dictionaries(names, children, max_size=5)


json_values = st.recursive(scalars, _containers, max_leaves=20)
objects = st.dictionaries(names, json_values, max_size=4)
seeds = st.integers(0, 2**32).map(random.Random)


def identity(value):
    """A text that two values share only if they are the same, types and order included."""
    if isinstance(value, list):
        return "[" + ",".join(map(identity, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{name!r}:{identity(item)}" for name, item in value.items()) + "}"
    return f"{type(value).__name__}({value!r})"


def nested(depth, kinds="[{", innermost=0):
    """A value that has `depth` containers inside each other, of the kinds in turn."""
    value = innermost
    for level in range(depth):
        value = [value] if kinds[level % len(kinds)] == "[" else {"a": value}
    return value


# -- spellings ---------------------------------------------------------------

SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f"} | {
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
}


def spelled(value, rng):
    """One of the many JSON texts of a value: white space, escapes, forms of numbers."""

    def gap():
        return "".join(rng.choices(" \t\r\n", k=rng.choice([0, 0, 0, 1, 3])))

    def joined(parts, opening, closing):
        return opening + gap() + ",".join(gap() + part + gap() for part in parts) + closing

    if isinstance(value, dict):
        members = [
            spelled_string(name, rng) + gap() + ":" + gap() + spelled(item, rng)
            for name, item in value.items()
        ]
        return joined(members, "{", "}")
    if isinstance(value, list):
        return joined([spelled(item, rng) for item in value], "[", "]")
    if isinstance(value, str):
        return spelled_string(value, rng)
    if isinstance(value, float):
        return spelled_float(value, rng)
    return {None: "null", True: "true", False: "false"}[value] if is_word(value) else str(value)


def is_word(value):
    return value is None or value is True or value is False


def spelled_string(value, rng):
    odds = rng.choice([0, 0.2, 1])
    return '"' + "".join(_spelled_character(c, rng, odds) for c in value) + '"'


def _spelled_character(character, rng, odds):
    if character in '"\\' or character < " " or rng.random() < odds:
        if character in SHORT_ESCAPES and rng.random() < 0.5:
            return SHORT_ESCAPES[character]
        units = character.encode("utf-16-be").hex()
        units = units.upper() if rng.random() < 0.5 else units
        return "".join("\\u" + units[at : at + 4] for at in range(0, len(units), 4))
    return character


def spelled_float(value, rng):
    """The float's shortest digits, or the same decimal number in another form."""
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    digits = "".join(map(str, digits))
    minus = "-" if sign else ""
    form = rng.randrange(4)
    if form == 0:
        return repr(value)
    if form == 1:
        return f"{minus}{digits}e{exponent}"
    zeros = "0" * rng.randrange(3)
    if form == 2:
        letter = rng.choice(["e", "E", "e+", "E+"]) if exponent >= 0 else rng.choice(["e-", "E-"])
        return f"{minus}{digits}{letter}{zeros}{abs(exponent)}"
    exponent += len(digits) - 1
    letter = rng.choice("eE") + ("-" if exponent < 0 else rng.choice(["", "+"]))
    return f"{minus}{digits[0]}.{digits[1:]}0{zeros}{letter}{zeros}{abs(exponent)}"


spellings = st.tuples(json_values, seeds).map(lambda pair: (pair[0], spelled(*pair).encode()))


# -- broken bytes ------------------------------------------------------------

#: What breaks JSON, or almost does: text parted by spaces, bytes that are no text, long runs.
TOKENS = [
    *rb"""" \ \" \\ [ ] { } : , [] {} "" "[" ,, """.split(),
    *rb"\ud800 \udc00 \ud83d\ude00 \u0000 \u00 \x".split(),
    *b"NaN Infinity -Infinity - + 1e999 -1E400 1e308 1.8e308 0e999 1E+0000309 1e-400 . .5".split(),
    *b'1. 01 -0 +1 1e 0x10 true nul False // /* \' "a":1,"a":2 "a":1,"\\u0061":2'.split(),
    *[b" ", b"\n", b"\r", b"\t", b"\x00", b"\x0b", b"\x0c", b"\x1f", b"\x7f"],
    *[b"\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80"],
    *[b"\xef\xbb\xbf", b"\xc2\xa0", b"\xe2\x80\xa8", b"\xc2\x85"],
    *[b"9" * 199, b"9" * 200, b"9" * 309, b"9" * 400, b"[" * 513],
]


def mutated(data, rng, times=None):
    """The bytes after a few random edits."""
    for _ in range(times or rng.choice([1, 1, 1, 2, 4])):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice([0, 0, 1, 1, 2, 5, 20]))
        piece = rng.choice(
            [
                b"",
                rng.choice(TOKENS),
                bytes([rng.randrange(256)]),
                data[start:end] * 2,
                data[: rng.randrange(12)],
            ]
        )
        data = data[:start] + piece + data[end:]
        if rng.random() < 0.05:
            data = data[:start]
    return data


# -- results and near misses ---------------------------------------------------

visible = st.text(min_size=1, max_size=8).filter(lambda string: string.strip(SPACES))
codes = st.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True)
metas = st.fixed_dictionaries(
    {},
    optional={
        "schema_version": st.sampled_from([1, 1.0]),
        "command": visible,
        "duration_ms": st.integers(0, 2**70) | st.floats(0, 1e308) | st.just(-0.0),
        "command_maturity": objects,
        "other": json_values,
    },
)
_shared = {
    "details": objects,
    "warnings": st.lists(visible, max_size=3),
    "meta": metas,
    "output": json_values,
}
successes = st.fixed_dictionaries({"success": st.just(True), "message": visible}, optional=_shared)
failures = st.one_of(
    st.fixed_dictionaries(
        {"success": st.just(False), "message": visible} | explained, optional=_shared
    )
    for explained in (
        {"error": visible},
        {"error_code": codes},
        {"error": visible, "error_code": codes},
    )
)
results = successes | failures

#: One value of each kind, and the ones that lie next to what some field takes.
NEAR_VALUES = [
    *[None, True, False, 0, 1, 2, -1, 1.0, 0.0, -0.0, 1.5, -0.1, 5e-324, -5e-324, 2**53 + 1, 2**63],
    *[-(2**63), 10**300, -(10**300), 1.7976931348623157e308, "", " ", "1", "true", "null", "text"],
    *[
        "a",
        "A",
        "a_1",
        "_a",
        "1a",
        "a-b",
        "a b",
        " a",
        "a\n",
        "\na",
        "a\nb",
        "\u00e0",
        "a\u0661",
        "a\x00",
    ],
    *[
        [],
        [""],
        [" "],
        ["text"],
        [None],
        [1],
        ["text", "\ufeff"],
        [[]],
        {},
        {"a": 1},
        {"message": ""},
    ],
    *[SPACES, *SPACES, *NEARLY_SPACES, *(space + "\ufeff" for space in "\x1c\x85 "), "\u200b x"],
]

_FIELDS = ["success", "message", "error", "error_code", "details", "warnings", "meta"]
_META_FIELDS = ["schema_version", "command", "duration_ms", "command_maturity"]
near_values = (
    st.sampled_from(NEAR_VALUES) | json_values | st.text(SPACES + NEARLY_SPACES, max_size=3)
)


@st.composite
def near_misses(draw):
    """A result in which a field or two are gone or have another value. It may still conform."""
    document = copy.deepcopy(draw(results))
    for _ in range(draw(st.sampled_from([1, 1, 2, 3]))):
        holder = document
        name = draw(st.sampled_from(_FIELDS))
        if name == "meta" and draw(st.booleans()):
            holder, name = document.setdefault("meta", {}), draw(st.sampled_from(_META_FIELDS))
        elif name == "warnings" and draw(st.booleans()):
            document.setdefault("warnings", [])
            if isinstance(document["warnings"], list):
                document["warnings"].insert(0, draw(near_values))
            continue
        if not isinstance(holder, dict):
            continue
        if draw(st.integers(0, 4)) == 0:
            holder.pop(name, None)
        else:
            holder[name] = draw(near_values)
    return document


# -- changes to a document, one at a time -------------------------------------


def places(document, path=()):
    """The path of every value in a document, outside first."""
    yield path
    if isinstance(document, dict):
        for name in document:
            yield from places(document[name], (*path, name))
    if isinstance(document, list):
        for index, item in enumerate(document):
            yield from places(item, (*path, index))


def changed(document, path, change):
    """A copy in which `change(holder, key)` was done at a path."""
    holder = [copy.deepcopy(document)]
    inner, key = holder, 0
    for part in path:
        inner, key = inner[key], part
    change(inner, key)
    return holder[0] if holder else None


def single_changes(document, values):
    """The document with each value in turn replaced, removed, doubled or given a neighbour."""
    for path in places(document):
        for value in values:
            yield changed(
                document, path, lambda holder, key, value=value: holder.__setitem__(key, value)
            )
        if path:
            yield changed(document, path, lambda holder, key: holder.__delitem__(key))
        yield changed(document, path, _add_a_neighbour)


def _add_a_neighbour(holder, key):
    if isinstance(holder[key], dict):
        holder[key]["other"] = 1
    elif isinstance(holder[key], list):
        holder[key].append(copy.deepcopy(holder[key][-1]) if holder[key] else "other")
    elif isinstance(holder, list):
        holder[key] = [holder[key]]
    else:
        holder[key + "2"] = holder[key]
