"""The evidence around a place, and places of many findings at once."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report_cases import exhibit
from sobre.contract.findings import Finding, pointer_to
from sobre.evidence.exhibit import examine
from sobre.json_exact import locate, locate_all
from sobre.json_text import position, positions
from sobre.report.excerpt import AFTER, BEFORE, BESIDE, Excerpt
from strategies import examples, json_values, mutated, places, seeds, spelled

BOM = b"\xef\xbb\xbf"
lines = st.lists(
    st.text('ab"\\{}[]:, 1-\u00e9\u20ac\U0001f600\t\r', max_size=12)
    | st.sampled_from(["x" * 300, "\u20ac" * 200, '"' + "\U0001f600" * 150 + '"']),
    max_size=5,
)


def at(data, offset):
    return Excerpt(data, (offset, *position(data, offset)))


@examples(300)
@given(lines, st.sampled_from([b"", BOM]), st.data())
def test_an_excerpt_is_its_line_cut_at_the_bounds(rows, mark, draw):
    text = "\n".join(rows)
    index = draw.draw(st.integers(0, len(text)))
    data = mark + text.encode()
    found = at(data, len(mark) + len(text[:index].encode()))
    number, before = text.count("\n", 0, index), text[:index].rpartition("\n")[2]
    line = text.split("\n")[number]
    after = line[len(before) :].removesuffix("\r")
    assert (found.line, found.column) == (number + 1, len(before) + 1)
    assert found.before == before[-BEFORE:]
    assert found.begins is (len(before) <= BEFORE)
    assert found.marked + found.after == after[:AFTER]
    assert found.ends is (len(after) <= AFTER)


@examples(200)
@given(lines, st.data())
def test_lines_beside_are_the_real_ones(rows, draw):
    text = "\n".join(rows)
    index = draw.draw(st.integers(0, len(text)))
    found = at(text.encode(), len(text[:index].encode()))
    all_lines = [line.removesuffix("\r") for line in text.split("\n")]

    def is_beginning(shown, line):
        return shown in (line, line[:BESIDE] + "\u2026")

    if found.above is not None:
        assert is_beginning(found.above, all_lines[found.line - 2])
    if found.below is not None:
        assert is_beginning(found.below, all_lines[found.line])
    if found.line == 1:
        assert found.above is None
    if all(len(line) < 30 for line in all_lines):
        assert (found.above is None) is (found.line == 1)


@pytest.mark.parametrize(
    ("data", "offset", "marked"),
    [
        (b'{"a": "x y"}', 6, '"x y"'),
        (b'{"a": "x\\"y", "b"', 6, '"x\\"y"'),
        (b'{"a": -1.5e+3}', 6, "-1.5e+3"),
        (b'{"a": {"b": 1}}', 6, "{"),
        (b'{"a": "never ends', 6, '"never ends'),
        (b'{"a": "x"', 9, ""),
        (b"", 0, ""),
        (BOM, 0, ""),
        (BOM + b"null", 0, "null"),
        (b"\xff\xfe", 1, "\ufffd"),
    ],
)
def test_the_token_at_the_place_is_marked(data, offset, marked):
    assert at(data, offset).marked == marked


@examples(200)
@given(st.binary(max_size=40) | st.binary(max_size=5).map(lambda piece: piece * 200), st.data())
def test_any_bytes_have_a_bounded_excerpt(data, draw):
    found = at(data, draw.draw(st.integers(0, len(data))))
    assert len(found.text) <= BEFORE + AFTER + 2
    assert all(len(line or "") <= BESIDE + 1 for line in (found.above, found.below))


# -- many places at once -------------------------------------------------------


@examples(200)
@given(json_values, seeds, st.sampled_from([b"", BOM]), st.booleans())
def test_many_pointers_are_located_as_each_alone(document, rng, mark, broken):
    data = mark + spelled(document, rng).encode()
    data = mutated(data, rng) if broken else data
    pointers = [pointer_to(path) for path in places(document)]
    pointers += [f"{pointer}/{name}" for pointer in pointers for name in ("", "0", "no", "~1")]
    rng.shuffle(pointers)
    assert locate_all(data, pointers) == [locate(data, pointer) for pointer in pointers]
    assert locate_all(data, []) == []


@examples(200)
@given(st.text("a\n\r\u00e9\u20ac\U0001f600"), st.sampled_from([b"", BOM]), seeds)
def test_many_positions_are_those_of_each_alone(text, mark, rng):
    data = mark + text.encode()
    offsets = [0, *(len(mark) + len(text[:index].encode()) for index in range(len(text) + 1))]
    rng.shuffle(offsets)
    assert positions(data, offsets) == [position(data, offset) for offset in offsets]


def test_places_and_place_agree():
    data = BOM + b'{"message":\n  "", "warnings": [1]}'
    findings = [
        Finding("core.warnings.item.type", "/warnings/0", "x"),
        Finding("json.byte_order_mark", "", "x", 0),
        Finding("core.success.missing", "/success", "x"),
        Finding("core.message.blank", "/message", "x"),
    ]
    shown = exhibit("f", data, findings)
    assert [place and place[1:] for place in shown.places()] == [(2, 20), (1, 1), (1, 1), (2, 3)]
    assert [shown.place(finding) for finding in findings] == [(2, 20), (1, 1), (1, 1), (2, 3)]
    assert exhibit("f", None, findings).places() == [None] * 4
    assert exhibit("f", b"\xff", findings).places() == [None, (0, 1, 1), None, None]


@pytest.mark.parametrize("gap", ["", "\n"], ids=["one line", "many lines"])
def test_a_file_with_very_many_findings_takes_no_long_time(tmp_path, gap, monkeypatch):
    monkeypatch.setattr("sobre.contract.check.MAX_ITEM_FINDINGS", 1_000_000)
    document = json.dumps({"success": True, "message": "m", "warnings": [""] * 100_000})
    path = tmp_path / "many.json"
    path.write_text(document.replace(" ", gap), encoding="utf-8")
    shown = examine(str(path), "core")
    start = time.process_time()
    rows = shown.findings()
    assert time.process_time() - start < 10, "the work grows with the square of the findings"
    assert len(rows) == 100_000
    assert [row["line"] for row in rows] == (list(range(6, 100_006)) if gap else [1] * 100_000)
