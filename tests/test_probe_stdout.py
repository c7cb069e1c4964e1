"""Standard output dissected: the vectors, the agreement with the core's verdict, the bounds."""

from __future__ import annotations

import base64
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sobre.contract.findings import violations
from sobre.contract.rules import RULES
from sobre.probe.command import judge_run
from sobre.probe.likely import SOURCES, TEXTS, likely_source, likely_text
from sobre.probe.observe import OUTPUT_BYTES, Observation
from sobre.probe.stdout import MAX_DOCUMENTS, dissect
from sobre.profiles import judge
from vector_cases import CORE, VECTORS, by_id, data_of

CASES = [
    case
    for path in sorted((VECTORS / "command").glob("*.json"))
    for case in json.loads(path.read_bytes())["cases"]
]


def seen(data):
    """The observation of a command that wrote this and ended as its result says."""
    observation = Observation(["command"])
    observation.stdout, observation.stdout_bytes = data, len(data)
    states_failure = judge("core", data).success is False
    observation.status = 1 if states_failure else 0
    return observation


@by_id(CASES)
def test_vector(case):
    found = dissect(base64.b64decode(case["bytes_base64"], validate=True))
    pieces = [
        {"kind": "document" if one.document else "text", "start": one.start, "end": one.end}
        for one in found.pieces
    ]
    assert pieces == case["pieces"], case["why"]
    assert [one.rule for one in found.findings] == case["rules"], case["why"]
    assert [one.offset for one in found.findings] == case["offsets"], case["why"]
    documents = [one for one in found.pieces if one.document]
    place = documents.index(found.result) if found.result else None
    assert place == case.get("result"), case["why"]


def test_vectors_are_well_formed():
    identifiers = [case["id"] for case in CASES]
    assert len(set(identifiers)) == len(identifiers) >= 60
    assert all(case["why"].strip() for case in CASES)
    used = {rule for case in CASES for rule in case["rules"]}
    there = {rule for rule in RULES if rule.startswith("command.stdout.")}
    assert used == there - {"command.stdout.size"}  # That one is about how much was kept.


@by_id(CORE)
def test_the_verdict_is_never_milder_than_that_of_the_core(case):
    data = data_of(case)
    assert judge_run(seen(data)).conformant is judge("core", data).conformant


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
).map(lambda value: json.dumps(value).encode())
RESULT = st.sampled_from(
    [b'{"success": true, "message": "m"}', b'{"success": false, "message": "m", "error": "e"}']
)
SCRAPS = st.sampled_from(
    [b"", b"\n", b"\r\n", b" ", b"{", b"}", b"[", b"]", b'"', b"\\", b"\x1b[0m", b"log\n", b"\xff"]
) | st.binary(max_size=3)


@given(st.lists(JSON | RESULT | SCRAPS, max_size=8).map(b"".join))
def test_any_bytes(data):
    found = dissect(data)
    # The verdict is that of the core: neither milder nor harsher.
    assert judge_run(seen(data)).conformant is judge("core", data).conformant
    at = 0
    for piece in found.pieces:
        assert at <= piece.start < piece.end <= len(data)
        assert not data[at : piece.start].strip(b" \t\r\n\xef\xbb\xbf")
        at = piece.end
    assert all(0 <= one.offset <= len(data) for one in found.findings)
    text = [one for one in found.pieces if not one.document]
    assert bool(violations(found.findings)) >= bool(text)


@pytest.mark.parametrize(
    "unit",
    [
        "[\n",
        "[",
        "{",
        '{"a',
        '{"a":',
        '\n{"a":{',
        '\n["',
        '\n{""',
        "{}{",
        '"\\',
        "[1]x\n",
        "\x1b[",
        "{}\n",
    ],
    ids=repr,
)
def test_hostile_bytes_take_time_in_proportion(unit):
    def seconds(size):
        data = (unit * (size // len(unit))).encode()
        start = time.process_time()
        dissect(data)
        return time.process_time() - start

    # What grows with the square of the size would take 64 times as long.
    assert seconds(OUTPUT_BYTES) < 24 * max(seconds(OUTPUT_BYTES // 8), 0.02)


def test_many_documents_are_counted_so_far():
    found = dissect(b"{}\n" * (MAX_DOCUMENTS + 5))
    assert [one.rule for one in found.findings] == ["command.stdout.documents"]
    assert "10,000 or more" in found.findings[0].message


# -- who likely printed it ----------------------------------------------------

PRINTED = {
    "a Python traceback": 'Traceback (most recent call last):\n  File "x"',
    "a crash of a Go program": "panic: runtime error\n\ngoroutine 1 [running]:",
    "a crash of a Rust program": "thread 'main' panicked at src/main.rs:2:5:",
    "a stack trace of Java": 'Exception in thread "main" java.lang.Error',
    "a stack trace of JavaScript": "Error: x\n    at f (/srv/x.js:1:2)",
    "a deprecation warning": "(node:1) DeprecationWarning: Buffer() is deprecated",
    "a progress bar": "Downloading  42%|████▏     |",
    "a prompt": "Overwrite? [y/N]",
    "a notice of a new version": "npm notice New major version of npm available!",
    "a log line": "2026-01-02 10:11:12,345 - root - INFO - ready",
    "a warning": "/usr/lib/x.py:3: UserWarning: careful\nwarning: no config",
    "the trace of a shell (set -x)": "+ ls -l",
    "terminal escapes": "\x1b[?25l",
    "an error message": "fatal: not a git repository",
}
TOLD = {
    "an HTML page": "<!DOCTYPE html>\n<html>",
    "XML": '<?xml version="1.0"?><a/>',
    "a Python object as repr() prints it": "{'a': 1}",
    "Python's True, False or None": '{"a": True}',
    "a JavaScript object as console.log() prints it": "{ a: 1 }",
    "JSON with comments": '{ // here\n"a": 1}',
    "a table": "+----+----+\n| a  | b  |",
    "YAML": "a: 1\nb: 2",
    "INI or TOML": "[a]\nb = 1",
    "lines of name=value": "A=1\nB=2",
    "JSON that breaks off or has a mistake": '{"a": 1, "b"',
}


def test_every_guess_has_an_example():
    assert set(PRINTED) == {name for name, _ in SOURCES}
    assert set(TOLD) == {name for name, _ in TEXTS}


@pytest.mark.parametrize(("likely", "text"), PRINTED.items())
def test_likely_source(likely, text):
    assert likely_source(text) == likely


@pytest.mark.parametrize(("likely", "text"), TOLD.items())
def test_likely_text(likely, text):
    assert likely_text(text) == likely


@pytest.mark.parametrize("text", ["Done.", "hello world", "42", "processed 3 files", "x: y"])
def test_no_guess_without_a_sign(text):
    assert (likely_source(text), likely_text(text)) == (None, None)


@pytest.mark.parametrize(
    "unit", ["a", " ", "[", "=", "\r", "1%", "a: \n", "A=", "'", "- ", "|", "a.", "[="]
)
def test_guesses_are_quick(unit):
    start = time.process_time()
    likely_source(unit * 4096)
    likely_text(unit * 4096)
    assert time.process_time() - start < 1
