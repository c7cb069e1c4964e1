"""Where something stands: byte offset -> line and column, JSON Pointer -> byte offset."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading import BOM, outcome, refusal
from sobre.contract.findings import pointer_to
from sobre.json_exact import locate, locate_all
from sobre.json_text import position, read
from sobre.json_write import resolve_pointer
from strategies import examples, identity, json_values, mutated, places, seeds, spelled

MARK = "the place"


# -- line and column ---------------------------------------------------------


@examples(300)
@given(
    st.lists(
        st.sampled_from(
            ["a", "\n", "\r", "\t", "\u00e9", "\u20ac", "\U0001f600", "e\u0301", "\u2028"]
        )
    )
)
def test_position_counts_line_feeds_and_characters(characters):
    for mark in (b"", BOM):
        data = mark + "".join(characters).encode()
        offset, line, column = len(mark), 1, 1
        for character in [*"".join(characters), ""]:
            assert position(data, offset) == (line, column)
            offset += len(character.encode())
            line, column = (line + 1, 1) if character == "\n" else (line, column + 1)


@examples(300)
@given(st.lists(st.sampled_from([*BOM, *b"a\n\r", 0xC3, 0xE2, 0x80, 0xF0, 0xFF])).map(bytes))
def test_position_of_any_bytes(data):
    for offset in range(len(data) + 1):
        before = data[:offset].removeprefix(BOM) if data.startswith(BOM) else data[:offset]
        if data.startswith(BOM) and offset < len(BOM):
            before = b""
        *lines, last = before.split(b"\n")
        assert position(data, offset) == (len(lines) + 1, len(last.decode(errors="replace")) + 1)


@examples(300)
@given(json_values, seeds)
def test_errors_say_the_position_of_their_offset(value, rng):
    data = mutated(spelled(value, rng).encode(), rng)
    found = outcome(read, data)
    if found[0] != "value":
        error = refusal(data)
        assert 0 <= error.offset <= len(data)
        assert (error.line, error.column) == position(data, error.offset)
        assert f"line {error.line}, column {error.column}, byte {error.offset}" in str(error)


# -- pointers ----------------------------------------------------------------


def value_at(document, path):
    for part in path:
        document = document[part]
    return document


def with_value_at(document, path, value):
    if not path:
        return value
    twin = dict(document) if isinstance(document, dict) else list(document)
    twin[path[0]] = with_value_at(twin[path[0]], path[1:], value)
    return twin


def end_of_value(data, offset):
    """The offset after the JSON value that begins at an offset."""
    text = data[offset:].decode()
    _, end = json.JSONDecoder().raw_decode(text)
    return offset + len(text[:end].encode())


@examples(400)
@given(json_values, seeds, st.sampled_from([b"", BOM]))
def test_every_value_is_found_where_it_begins(document, rng, mark):
    data = mark + spelled([document] if rng.random() < 0.1 else document, rng).encode()
    document = read(data)
    pointers = [pointer_to(path) for path in places(document)]
    assert locate_all(data, pointers) == [locate(data, pointer) for pointer in pointers]
    for path in places(document):
        offset = locate(data, pointer_to(path))
        end = end_of_value(data, offset)
        assert identity(read(data[offset:end])) == identity(value_at(document, path))
        marked = data[:offset] + json.dumps(MARK).encode() + data[end:]
        assert identity(read(marked)) == identity(with_value_at(document, path, MARK))
        assert resolve_pointer(document, pointer_to(path)) is value_at(document, path)


@examples(150)
@given(json_values, seeds)
def test_what_is_missing_is_placed_at_the_deepest_value_there_is(document, rng):
    data = spelled(document, rng).encode()
    for path in places(document):
        pointer = pointer_to(path)
        inner = value_at(document, path)
        there = (
            inner
            if isinstance(inner, dict)
            else map(str, range(len(inner)))
            if isinstance(inner, list)
            else ()
        )
        for name in {"missing", "-", "00", "-1", "999", ""} - set(there):
            with pytest.raises(KeyError):
                resolve_pointer(document, f"{pointer}/{name}")
            assert locate(data, f"{pointer}/{name}") == locate(data, pointer)
            assert locate(data, f"{pointer}/{name}/0") == locate(data, pointer)


@examples(300)
@given(json_values, seeds)
def test_broken_documents_are_located_as_far_as_they_can_be_read(document, rng):
    data = mutated(spelled(document, rng).encode(), rng)
    for path in [*places(document)][:10]:
        offset = locate(data, pointer_to(path))
        assert offset is None or 0 <= offset <= len(data)


@pytest.mark.parametrize("pointer", ["a", " /a", "#/a", "~"])
def test_what_is_no_pointer_is_refused(pointer):
    with pytest.raises(ValueError):
        resolve_pointer({"a": 1}, pointer)


@pytest.mark.parametrize("data", [b"", b" ", BOM, b"\xff", b'{"a":"\xff"}', b"{\x00}\x00"])
def test_bytes_that_are_no_text_have_no_places(data):
    assert locate(data, "") is None
    assert locate(data, "/a") is None


@pytest.mark.parametrize(
    ("data", "pointer", "offset"),
    [
        (b'{"a":{"a":1}}', "/a/a", 10),
        (b'{"a/b":1,"a~b":2}', "/a~1b", 7),
        (b'{"a/b":1,"a~b":2}', "/a~0b", 15),
        (b'{"~1":1,"/":2}', "/~01", 6),
        (b'{"~1":1,"/":2}', "/~1", 12),
        (b'{"":{"":1}}', "/", 4),
        (b'{"":{"":1}}', "//", 8),
        (b'{"\\u0061":1}', "/a", 10),
        (b'{"\\ud83d\\ude00":1}', "/\U0001f600", 16),
        (b'{"0":[5,6]}', "/0/1", 8),
        (b"[[1],[2]]", "/1/0", 6),
        (b"[1, 2 ,3]", "/2", 7),
        (b"  7", "", 2),
        (b'{"a":1,"b":]', "/a", 5),
    ],
)
def test_places_by_hand(data, pointer, offset):
    assert locate(data, pointer) == offset
