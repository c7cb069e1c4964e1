"""What a tool said is not lost on the way: in a wrapper of an SDK, or in a text.

Functions annotated to return `Result | None` or `dict | None` answer with `{"result": ...}`.
"""

from __future__ import annotations

import json

import pytest

from documents import BASES
from sobre.produce.tool_result import contract_tool_result


def mapped(returned: object, **members: object) -> dict:
    answer = {
        "content": [{"type": "text", "text": json.dumps(returned, indent=2)}],
        "structuredContent": {"result": returned},
        "isError": False,
        **members,
    }
    return contract_tool_result(answer, "tool")


@pytest.mark.parametrize("document", BASES[:-1])
def test_a_contract_object_passes_without_the_wrapper(document):
    answer = mapped(document)
    written = {**answer["structuredContent"]}
    written.pop("meta")
    assert written == {name: value for name, value in document.items() if name != "meta"}
    assert answer["isError"] is not document["success"]
    (block,) = answer["content"]
    assert json.loads(block["text"]) == answer["structuredContent"]


def test_a_stated_failure_is_none_the_less_one_for_the_lack_of_a_reason():
    answer = mapped({"success": False, "found": 3})
    structured = answer["structuredContent"]
    assert (structured["success"], structured["error_code"]) == (False, "tool_error")
    assert structured["output"] == {"result": {"success": False, "found": 3}}
    assert answer["isError"] is True
    assert "no contract object" in structured["warnings"][0]


def test_a_stated_success_is_contradicted_by_is_error():
    structured = mapped({"success": True, "message": "Done."}, isError=True)["structuredContent"]
    assert structured["error_code"] == "outcome_contradiction"
    assert structured["details"] == {"result": {"success": True, "message": "Done."}}


@pytest.mark.parametrize("returned", [5, "text", None, [{"success": False}], {"success": 1}, {}])
def test_any_other_wrapped_value_is_output_as_it_came(returned):
    structured = mapped(returned)["structuredContent"]
    assert (structured["success"], structured["output"]) == (True, {"result": returned})
    assert "warnings" not in structured


def test_an_object_with_more_in_it_is_no_wrapper():
    answer = {
        "content": [],
        "structuredContent": {"result": {"success": False, "message": "m", "error": "e"}, "of": 7},
    }
    structured = contract_tool_result(answer, "lastRun")["structuredContent"]
    assert (structured["success"], structured["output"]) == (True, answer["structuredContent"])


def test_a_text_that_no_json_holds_is_changed_and_the_answer_says_so():
    kept = {"type": "text", "text": "\U0001f600", "_meta": {"a": 1}}
    lost = {"type": "text", "text": "half \ud83d", "annotations": {"priority": 1}}
    answer = contract_tool_result({"content": [kept, lost]}, "tool")
    assert answer["content"][:2] == [kept, {**lost, "text": "half \\ud83d"}]
    json.dumps(answer, ensure_ascii=False).encode()
    (warning,) = answer["structuredContent"]["warnings"]
    assert "surrogates" in warning
