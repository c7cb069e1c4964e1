"""Bytes of every kind through the whole core profile: findings come out, and nothing else."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from sobre.contract.findings import Finding, violations
from sobre.contract.rules import RULES, severity
from sobre.json_exact import locate
from sobre.json_text import read
from sobre.json_write import compact, pretty
from sobre.profiles.core import judge
from strategies import EFFORT, TOKENS, fixed_random, mutated

VECTORS = Path(__file__).parent.parent / "vectors"
BOM = b"\xef\xbb\xbf"


def vector_documents():
    """The bytes of every vector that is not very large."""
    for path in sorted(VECTORS.glob("*/*.json")):
        for case in json.loads(path.read_bytes()).get("cases", []):
            if "document" in case:
                data = json.dumps(case["document"]).encode()
            elif "bytes_base64" in case:
                data = base64.b64decode(case["bytes_base64"])
            else:
                continue
            if len(data) < 2000:
                yield data


SEEDS = list(vector_documents())


def judged(data, **limits):
    """The judgement, after a look at everything it promises."""
    judgement = judge(data, **limits)
    rules = [finding.rule for finding in judgement.findings]
    reading = [rule for rule in rules if rule.startswith("json.") and severity(rule) == "violation"]
    assert set(rules) <= set(RULES)
    assert all(type(finding) is Finding for finding in judgement.findings)
    assert judgement.conformant is not bool(violations(judgement.findings))
    assert ("json.byte_order_mark" in rules) is data.startswith(BOM)
    if reading:
        assert judgement.document is None
        assert judgement.success is None
        assert rules == ["json.byte_order_mark"] * data.startswith(BOM) + reading
        assert len(reading) == 1
        assert 0 <= judgement.findings[-1].offset <= len(data)
    else:
        stated = judgement.document.get("success") if isinstance(judgement.document, dict) else None
        assert judgement.success is (stated if isinstance(stated, bool) else None)
        for finding in judgement.findings:
            assert 0 <= locate(data, finding.pointer) < len(data)
    for finding in judgement.findings:
        assert str(finding).isprintable()
        compact(finding.to_dict())
    return judgement


def test_there_are_seeds():
    assert len(SEEDS) > 300


@pytest.mark.parametrize("size", [0, 1, 2, 3, 8, 40, 300])
def test_random_bytes(size):
    rng = fixed_random("bytes", size)
    for _ in range(600 * EFFORT):
        assert not judged(rng.randbytes(size)).conformant
        judged(b'{"success":true,"message":"' + rng.randbytes(size) + b'"}')


@pytest.mark.parametrize("count", [1, 2, 4, 10, 40])
def test_random_tokens(count):
    rng = fixed_random("tokens", count)
    for _ in range(1500 * EFFORT):
        judged(b"".join(rng.choices(TOKENS, k=count)))


@pytest.mark.parametrize("part", range(4))
def test_mutations_of_vectors(part):
    rng = fixed_random("vectors", part)
    seen = set()
    for data in SEEDS[part::4]:
        for _ in range(80 * EFFORT):
            seen |= {finding.rule for finding in judged(mutated(data, rng)).findings}
    assert {"json.syntax", "json.encoding", "json.trailing_data", "core.message.blank"} <= seen


def test_vectors_spliced_together():
    rng = fixed_random("splices")
    for _ in range(10_000 * EFFORT):
        first, second = rng.choices(SEEDS, k=2)
        judged(first[: rng.randrange(len(first) + 1)] + second[rng.randrange(len(second) + 1) :])


def test_every_size_limit():
    rng = fixed_random("limits")
    for data in rng.sample(SEEDS, 40):
        for limit in range(0, len(data), 7):
            assert judged(data, max_bytes=limit).findings[-1].rule == "json.size"
        assert [f.rule for f in judged(data, max_bytes=len(data)).findings] == [
            f.rule for f in judge(data).findings
        ]


# -- cut short ---------------------------------------------------------------

WHOLE = {
    "success": True,
    "message": "Copied 3 files: \u00e9\u20ac\U0001f600.",
    "details": {"a/b": [1, -2.5e-3, True, False, None], "": {"": []}},
    "warnings": ['\t"\\\u0001', "[{"],
    "meta": {"schema_version": 1, "duration_ms": 1.5e3},
    "zero": 0,
}
ESCAPED = (
    rb' { "success" : false , "message" : "\u00e9\u20AC\ud83d\ude00\uD83D\uDE01 '
    rb'\\\"\/\b\f\n\r\t\\u0041" , "err\u006Fr_code" : "no" , '
    rb'"a\\" : [ [ ] , { } , "\\\\" , -0.0 , 1E+2 ] } '
)
DOCUMENTS = {
    "compact": compact(WHOLE),
    "pretty": pretty(WHOLE),
    "ascii": json.dumps(WHOLE).encode(),
    "escaped": ESCAPED,
    "with_mark": BOM + compact(WHOLE),
}


def is_cut_inside_a_character(data):
    """Whether the bytes of a document stop within a UTF-8 sequence."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return False


@pytest.mark.parametrize("name", DOCUMENTS)
def test_cut_at_every_byte(name):
    """What was valid so far breaks no rule but that it ends: never, say, that of surrogates."""
    data = DOCUMENTS[name]
    assert judged(data).conformant
    for end in range(len(data.rstrip())):
        judgement = judged(data[:end])
        assert not judgement.conformant
        expected = "json.syntax"
        if not data[:end].removeprefix(BOM).strip():
            expected = "json.empty"
        if is_cut_inside_a_character(data[:end]):
            expected = "json.encoding"
        assert judgement.findings[-1].rule == expected, data[:end]


def places_of_cuts(data):
    """(end, the opening quote of the string that is open there or None, inside an escape)."""
    quote, escape_until = None, 0
    for at, byte in enumerate(data):
        yield at, quote, at < escape_until
        if at < escape_until:
            continue
        if byte == ord("\\"):
            escape_until = at + (6 if data[at + 1 : at + 2] == b"u" else 2)
        elif byte == ord('"'):
            quote = at if quote is None else None


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_string_that_is_cut_is_reported_at_its_opening_quote(name):
    data = DOCUMENTS[name]
    for end, quote, inside_escape in places_of_cuts(data):
        if quote is None or inside_escape or is_cut_inside_a_character(data[:end]):
            continue
        assert judge(data[:end]).findings[-1].offset == quote, data[:end]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_one_byte_gone_or_changed_or_doubled(name):
    data = DOCUMENTS[name]
    rng = fixed_random("single", name)
    for at in range(len(data)):
        judged(data[:at] + data[at + 1 :])
        judged(data[:at] + data[at : at + 1] + data[at:])
        for byte in (
            0,
            0x22,
            0x5C,
            0x7B,
            0x80,
            0xC3,
            0xFF,
            rng.randrange(256),
            data[at] ^ 0x20,
            data[at] ^ 0x80,
        ):
            judged(data[:at] + bytes([byte]) + data[at + 1 :])


@pytest.mark.parametrize(
    "encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-16", "utf-32"]
)
def test_other_encodings_are_named_as_such(encoding):
    data = DOCUMENTS["ascii"].decode().encode(encoding)
    assert judged(data).findings[-1].rule == "json.encoding"
    for end in range(4, 200, 4):
        assert judged(data[:end]).findings[-1].rule == "json.encoding"


def test_large_and_hostile_documents_are_judged_soon():
    """No blow-up: each of these is some hundred kilobytes, and takes a fraction of a second."""
    size = 2**18
    for data in (
        b"[" * size,
        b'{"a":' * (size // 5),
        b'"' + b"\\" * size,
        b'"' + b"\\u" * (size // 2),
        b'"' + b"\\ud800" * (size // 6) + b'"',
        b'"' + b"\\ud83d\\ude00" * (size // 12) + b'"',
        b"9" * size,
        b"0." + b"9" * size,
        b"1e" + b"9" * size,
        b"-" * size,
        b" " * size + b"x",
        b"\n" * size + b"x",
        b"[" + b"[]," * (size // 3) + b"x",
        b"[" + b"1," * (size // 2) + b"1e400]",
        b"{" + b",".join(b'"%d":0' % number for number in range(size // 10)) + b',"7":0}',
        b"a" * size,
        b"[" + b'"",' * (size // 3),
        b"\xef\xbb\xbf" * (size // 3),
    ):
        assert not judged(data).conformant


def test_reading_leaves_nothing_behind():
    """A failure does not change how the next document is read."""
    rng = fixed_random("after")
    expected = read(DOCUMENTS["escaped"])
    for data in rng.sample(SEEDS, 100):
        judge(data)
        assert read(DOCUMENTS["escaped"]) == expected
