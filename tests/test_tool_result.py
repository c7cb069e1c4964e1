"""What holds for whatever a tool answers: arbitrary JSON, almost valid results, and worse."""

from __future__ import annotations

import copy
import json
import re

from hypothesis import given
from hypothesis import strategies as st

from mapped import MCP, findings
from sobre.contract.check import check
from sobre.contract.findings import violations
from sobre.json_text import read
from sobre.json_write import equal
from sobre.produce.tool_result import contract_tool_result, is_complete
from strategies import examples, json_values, names, near_misses, objects, results, text

# -- what tools answer ---------------------------------------------------------

written = st.builds(
    lambda value: json.dumps(value, indent=1), json_values | results | near_misses()
)
texts = st.builds(
    lambda said, more: {"type": "text", "text": said, **more},
    text | written | st.sampled_from(["Error: no", " \ufeff", "\ufeff{}"]),
    st.just({}) | st.just({"annotations": {"priority": 1}, "_meta": {"a": [1]}}),
)
blocks = texts | st.sampled_from(
    [
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
        {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "file:///a", "name": "a"},
        {"type": "resource", "resource": {"uri": "file:///a", "text": "a"}},
        {"type": "hologram"},
    ]
)
structured = results | near_misses() | objects | json_values
structured |= st.builds(lambda value: {"result": value}, structured)
is_error = st.sampled_from([True, False, True, False, None, 0, 1, "true", [], {}])


def echoed(answer, at):
    """An answer with a text block that repeats its structured content somewhere."""
    block = {"type": "text", "text": json.dumps(answer["structuredContent"], indent=2)}
    content = answer.get("content", [])
    return {**answer, "content": [*content[:at], block, *content[at:]]}


almost = st.fixed_dictionaries(
    {},
    optional={
        "content": st.lists(blocks, max_size=4) | st.lists(blocks | json_values, max_size=4),
        "structuredContent": structured,
        "isError": is_error,
        "resultType": st.just("complete"),
        "_meta": objects,
        "x": json_values,
    },
)
echoing = st.builds(
    echoed,
    st.fixed_dictionaries(
        {"structuredContent": structured, "content": st.lists(blocks, max_size=3)},
        optional={"isError": st.booleans()},
    ),
    st.integers(0, 3),
)
worse = st.dictionaries(
    names | st.sampled_from(["content", "structuredContent", "isError", "resultType", "task"]),
    json_values | st.lists(blocks, max_size=2),
    max_size=4,
)
answers = almost | echoing | worse
tools = st.sampled_from(["copy", "c\u00f3pia", " ", "", "a\nb", "\ud83d"]) | text


def well_formed(answer):
    content = answer.get("content")
    if not isinstance(content, (list, tuple)):
        return []
    return [block for block in content if is_block(block)]


def is_block(block):
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        return False
    return block["type"] != "text" or isinstance(block.get("text"), str)


def parsed(block):
    try:
        return read(block["text"].encode()) if block["type"] == "text" else None
    except ValueError:
        return None


# -- properties ----------------------------------------------------------------


@examples(150)
@given(answers, tools)
def test_any_answer_becomes_a_conforming_result(answer, tool):
    before = copy.deepcopy(answer)
    mapped = contract_tool_result(answer, tool, duration_ms=1.5)
    assert answer == before
    if not is_complete(answer):
        assert mapped == answer
        return
    assert violations(check(mapped["structuredContent"])) == []
    assert mapped["isError"] is not mapped["structuredContent"]["success"]
    mapped.pop("resultType", None)
    for revision in MCP:
        assert violations(findings(mapped, revision)) == []
        rules = {finding.rule for finding in findings(mapped, revision)}
        assert rules <= {"core.whitespace_portability"}


@examples(150)
@given(answers, tools)
def test_mapping_again_changes_nothing(answer, tool):
    once = contract_tool_result(answer, tool, duration_ms=1.5)
    again = contract_tool_result(once, "another", duration_ms=2.5, error_text=re.compile(""))
    if is_complete(answer) and "command" not in once["structuredContent"]["meta"]:
        assert again["structuredContent"]["meta"].pop("command") == "another"
        again["content"] = once["content"]
    assert again == once
    assert equal(again, once)


@examples(150)
@given(answers, st.sampled_from([None, re.compile("Error"), re.compile("")]))
def test_a_stated_failure_is_never_a_success(answer, error_text):
    if not is_complete(answer):
        return
    mapped = contract_tool_result(answer, "copy", error_text=error_text)
    said = answer.get("structuredContent")
    said = said if isinstance(said, dict) else {}
    code = said.get("error_code")
    has_code = isinstance(code, str) and re.fullmatch("[a-z][a-z0-9_]*", code)
    contradicts_itself = said.get("success") is True and has_code
    if answer.get("isError") is True or said.get("success") is False or contradicts_itself:
        assert mapped["structuredContent"]["success"] is False
        assert mapped["isError"] is True


@examples(150)
@given(answers)
def test_every_block_that_is_no_echo_is_there_in_order(answer):
    mapped = contract_tool_result(answer, "copy")
    if not is_complete(answer):
        return
    given_blocks, out = well_formed(answer), mapped["content"]
    echoes = [i for i, b in enumerate(out) if equal(parsed(b), mapped["structuredContent"])]
    assert len(echoes) == 1
    (at,) = echoes
    rest = out[:at] + out[at + 1 :]
    assert rest == given_blocks or (rest == given_blocks[:at] + given_blocks[at + 1 :])
    if rest != given_blocks:  # One was replaced: it repeated what the tool itself stated.
        replaced = given_blocks[at]
        said = answer.get("structuredContent")
        inner = said.get("result") if isinstance(said, dict) else None
        if said is None:
            assert violations(check(parsed(replaced))) == []
        else:
            assert equal(parsed(replaced), said) or equal(parsed(replaced), inner)
        assert {**out[at], "text": ""} == {**replaced, "text": ""}


@examples(150)
@given(answers)
def test_structured_content_and_other_members_are_somewhere_in_the_result(answer):
    mapped = contract_tool_result(answer, "copy")
    if not is_complete(answer):
        return
    for name in answer.keys() - {"content", "structuredContent", "isError"}:
        assert equal(mapped[name], answer[name])
    said, result = answer.get("structuredContent"), mapped["structuredContent"]
    if said is None:
        return
    is_wrapper = isinstance(said, dict) and said.keys() == {"result"}
    inner = said["result"] if is_wrapper else said
    places = [result.get("output"), result.get("details", {}).get("result")]
    if not any(equal(place, value) for place in places for value in (said, inner)):
        assert {**result, "meta": 0, "warnings": 0} == {**inner, "meta": 0, "warnings": 0}


@examples(200)
@given(st.builds(lambda document, error: (document, error), results, st.sampled_from([None, 0, 1])))
def test_a_contract_object_passes_with_all_that_it_has(case):
    document, error = case
    answer = {"content": [], "structuredContent": document}
    if error is not None:
        answer["isError"] = not document["success"] if error else False
    mapped = contract_tool_result(answer, "copy")["structuredContent"]
    meta = document.get("meta", {})
    assert {**mapped, "meta": 0} == {**document, "meta": 0}
    assert {**mapped["meta"], **meta} == mapped["meta"]
    assert mapped["meta"].keys() == {"command", "schema_version"} | meta.keys()


@examples(100)
@given(answers)
def test_what_is_given_out_shares_nothing_with_what_came(answer):
    def containers(value):
        todo, seen = [value], set()
        while todo:
            part = todo.pop()
            if isinstance(part, (dict, list)):
                seen.add(id(part))
                todo += part.values() if isinstance(part, dict) else part
        return seen

    if is_complete(answer):
        mapped = contract_tool_result(answer, "copy")
        assert containers(mapped).isdisjoint(containers(answer))
