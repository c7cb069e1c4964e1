"""Answers of tools that JSON lacks a form for, or that are made to cost much."""

from __future__ import annotations

import datetime
import decimal
import json

import pytest

from mapped import conforming
from sobre.json_text import MAX_DEPTH
from sobre.produce import tool_result
from sobre.produce.tool_result import contract_tool_result
from strategies import nested

# -- what JSON lacks -----------------------------------------------------------


def cycle():
    value = {}
    value["a"] = [value]
    return value


class Odd:
    def __eq__(self, other):
        raise RuntimeError("compared")

    __hash__ = None


UNWRITABLE = {
    "nan": float("nan"),
    "infinity": [float("inf")],
    "bytes": b"\xff",
    "surrogate": "\ud83d",
    "surrogate name": {"\ud83d": 1},
    "digits": 10**5000,
    "name": {1: 2},
    "cycle": cycle(),
    "set": {1},
    "object": object(),
    "odd": [Odd()],
    "decimal": decimal.Decimal("0.1"),
    "deep": nested(MAX_DEPTH, "["),
    "very deep": nested(100_000, "[{"),
}
by_value = pytest.mark.parametrize("value", UNWRITABLE.values(), ids=UNWRITABLE)


@by_value
def test_structured_content_that_json_lacks_is_no_success(value):
    for said in (value, {"a": value}, {"success": True, "message": "m", "a": value}):
        answer = {"content": [{"type": "text", "text": "Done."}], "structuredContent": said}
        result = conforming(contract_tool_result(answer, "copy"))
        assert result["error_code"] == "invalid_result_contract"
        assert "is no JSON" in result["error"]
        assert "is no JSON" in result["warnings"][0]


@by_value
def test_a_failure_whose_structured_content_json_lacks_still_says_why(value):
    answer = {
        "content": [{"type": "text", "text": "No space."}],
        "structuredContent": {"a": value},
        "isError": True,
    }
    mapped = contract_tool_result(answer, "copy")
    result = conforming(mapped)
    assert (result["error"], result["error_code"]) == ("No space.", "tool_error")
    assert "left out" in result["warnings"][0]
    assert mapped["content"][0] == answer["content"][0]


@by_value
@pytest.mark.parametrize("kind", ["image", "text"])
def test_a_block_that_json_lacks_is_left_out_and_its_neighbours_stay(value, kind):
    broken = {"type": kind, "text": "a", "data": "", "_meta": {"a": value}}
    kept = {"type": "text", "text": "b"}
    for content in ([broken, kept], (broken, kept), [value, kept]):
        mapped = contract_tool_result({"content": content}, "copy")
        result = conforming(mapped)
        assert mapped["content"][0] == kept
        assert result["success"] is True
        assert "left out" in result["warnings"][0]


@by_value
def test_any_other_member_that_json_lacks_is_left_out(value):
    mapped = contract_tool_result({"content": [], "_meta": {"a": value}, "x": 1}, "copy")
    result = conforming(mapped)
    assert "_meta" not in mapped
    assert mapped["x"] == 1
    assert "left out" in result["warnings"][0]


@by_value
def test_an_is_error_that_json_lacks_states_nothing(value):
    result = conforming(contract_tool_result({"content": [], "isError": value}, "copy"))
    assert result["error_code"] == "invalid_tool_result"


@pytest.mark.parametrize("name", [5, None, (1,), 10**5000, "\ud83d"], ids=type)
def test_a_name_that_json_lacks_is_left_out_with_its_member(name):
    mapped = contract_tool_result({"content": [], name: 1}, "copy")
    result = conforming(mapped)
    assert mapped.keys() == {"content", "structuredContent", "isError"}
    assert len(result["warnings"]) == 1


def test_what_has_a_form_in_json_is_written_in_it():
    day = datetime.date(2026, 1, 2)
    answer = {
        "content": ({"type": "text", "text": "a", "_meta": {"t": (1, day)}},),
        "structuredContent": {"when": day, "pair": (1, 2)},
    }
    mapped = contract_tool_result(answer, "copy")
    assert conforming(mapped)["output"] == {"when": "2026-01-02", "pair": [1, 2]}
    assert mapped["content"][0]["_meta"] == {"t": [1, "2026-01-02"]}


@pytest.mark.parametrize("depth", range(MAX_DEPTH - 6, MAX_DEPTH + 2))
@pytest.mark.parametrize("stated", [False, True])
def test_nothing_is_nested_deeper_than_the_whole_response_can_be_read(depth, stated):
    said = {"a": nested(depth - 1)}
    if stated:
        said |= {"success": True, "message": "m"}
    block = {"type": "text", "text": json.dumps(said), "_meta": {"a": nested(depth - 2)}}
    answers = [
        {"content": [], "structuredContent": said},
        {"content": [], "structuredContent": said, "isError": True},
        {"content": [block]},
        {"content": [block], "isError": True},
        {"content": [], "_meta": said},
    ]
    for answer in answers:
        conforming(contract_tool_result(answer, "copy"))


@pytest.mark.parametrize("duration", [float("nan"), float("inf"), -1, "5"])
def test_a_duration_that_is_none_does_not_get_out(duration):
    answer = contract_tool_result({"content": []}, "copy", duration_ms=duration)
    assert conforming(answer)["error_code"] == "invalid_result_contract"


# -- hostile size --------------------------------------------------------------


class Calls:
    """Counts the calls of a function, and the characters or values that it is given."""

    def __init__(self, monkeypatch, name):
        self.count = self.size = 0
        inner = getattr(tool_result, name)

        def counted(*args, **kwargs):
            self.count += 1
            self.size += len(args[0]) if isinstance(args[0], (bytes, str)) else 1
            return inner(*args, **kwargs)

        monkeypatch.setattr(tool_result, name, counted)


@pytest.mark.parametrize("structured", [None, {"n": 1}, [1]])
def test_each_text_is_parsed_at_most_once(structured, monkeypatch):
    reads = Calls(monkeypatch, "read")
    content = [{"type": "text", "text": json.dumps({"n": n})} for n in range(2, 2000)]
    content += [{"type": "text", "text": "x" * 1000}] * 1000
    contract_tool_result({"content": content, "structuredContent": structured}, "copy")
    assert reads.count == 1998


def test_a_text_is_compared_no_further_than_it_reaches(monkeypatch):
    compared = []

    class Noted(dict):
        def __getitem__(self, name):
            compared.append(name)
            return super().__getitem__(name)

    monkeypatch.setattr(tool_result, "to_json_value", lambda value, **_: value)
    large = Noted((f"n{n}", n) for n in range(10_000))
    content = [{"type": "text", "text": '{"n": 1}'}] * 1000
    answer = tool_result._Answer({"content": content, "structuredContent": large}, "copy")
    assert answer.echo is None
    assert compared == []


def test_the_pattern_is_searched_once_in_the_beginning_of_each_text():
    searched = []

    class Pattern:
        pattern = "x"

        def search(self, text):
            searched.append(len(text))

    content = [{"type": "text", "text": "a" * 10**6}, {"type": "text", "text": "b"}] * 10
    contract_tool_result({"content": content}, "copy", error_text=Pattern())
    assert searched == [tool_result.MAX_SEARCHED, 1] * 10


def test_many_bad_blocks_and_texts_make_few_warnings():
    content = [{"type": "text", "text": "\ud83d"}, {"type": "text"}] * 5000
    result = conforming(contract_tool_result({"content": content}, "copy"))
    assert len(result["warnings"]) == 2
    assert "5000 content blocks were" in result["warnings"][1]


@pytest.mark.parametrize("size", [10, 1000])
def test_a_success_is_asked_about_at_most_twice(size):
    asked = []

    def refuse(document):
        asked.append(document)
        return "no"

    answer = {"content": [], "structuredContent": {"a": ["x"] * size}}
    result = contract_tool_result(answer, "copy", refuse=refuse)["structuredContent"]
    assert result["error_code"] == "output_schema_mismatch"
    assert len(asked) == 2
    contract_tool_result({**answer, "isError": True}, "copy", refuse=refuse)
    assert len(asked) == 2
