"""The recipes of examples/ for agent frameworks, with the real packages, no model and no network.

Each framework has its own sign of a failed call. A recipe is right if that sign
is there for a failure and not for a success, and the document comes through whole.
"""

from __future__ import annotations

import asyncio
import json
import logging
import pathlib
import socket
import sys
from typing import Literal

import pytest

import sobre
from command import ROOT

Unit = Literal["lines", "bytes"]


@sobre.operation(command="count", errors={UnicodeDecodeError: "not_text"})
def count(path: pathlib.PurePath, unit: Unit = "lines"):
    """Count what a file holds."""
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    number = len(text.splitlines()) if unit == "lines" else len(text.encode())
    sobre.warn("Counted in “text” mode.")
    return sobre.success(f"{path} has {number} {unit}.", path=path, number=number, big=2**70)


@sobre.operation(command="count", errors={UnicodeDecodeError: "not_text"})
async def count_async(path: pathlib.PurePath, unit: Unit = "lines"):
    """Count what a file holds."""
    return count(path, unit)


OPERATIONS = pytest.mark.parametrize("operation", [count, count_async], ids=["sync", "async"])


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    """Whoever asks for the network fails the test."""

    def refuse(*asked, **_):
        raise AssertionError(f"a recipe asked for the network: {asked}")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture
def recipe(monkeypatch, request):
    """A recipe as a module, if its framework is installed."""

    def load(name, *needs):
        for package in needs:
            pytest.importorskip(package, reason=f"{package} is not installed (group recipes)")
        monkeypatch.syspath_prepend(str(ROOT / "examples"))
        request.addfinalizer(lambda: sys.modules.pop(name, None))
        return __import__(name)

    return load


@pytest.fixture
def files(tmp_path):
    """A file that can be counted, one that cannot, and one that is not there."""
    (tmp_path / "good").write_bytes(b"a\nb\n")
    (tmp_path / "bad").write_bytes(b"\xff")
    return {name: str(tmp_path / name) for name in ("good", "bad", "missing")}


CODES = {"good": None, "bad": "not_text", "missing": "path_not_found"}


def judged(text, name):
    """The document that a framework passed on, judged; it is the operation's own."""
    document = sobre.read(text.encode())
    assert sobre.check(document) == []
    assert document["success"] is (name == "good")
    assert document.get("error_code") == CODES[name]
    assert document["meta"]["command"] == "count"
    if name == "good":
        assert document["big"] == 2**70
        assert document["warnings"] == ["Counted in “text” mode."]
    return document


# -- LangChain -------------------------------------------------------------------


@OPERATIONS
@pytest.mark.parametrize("name", CODES)
def test_langchain_sees_the_failure(recipe, operation, name, files):
    tool = recipe("langchain_tool", "langchain_core").result_tool(operation)
    call = {"type": "tool_call", "id": "7", "name": tool.name, "args": {"path": files[name]}}
    ask = tool.invoke if operation is count else lambda call: asyncio.run(tool.ainvoke(call))
    message = ask(call)
    assert (type(message).__name__, message.tool_call_id) == ("ToolMessage", "7")
    assert message.status == ("success" if name == "good" else "error")
    judged(message.content, name)
    judged(ask({"path": files[name]}), name)  # called by hand, there is only the content


def test_langchain_takes_a_failure_for_a_success_without_the_recipe(recipe, files):
    recipe("langchain_tool", "langchain_core")
    from langchain_core.tools import StructuredTool

    tool = StructuredTool.from_function(count)
    call = {"type": "tool_call", "id": "7", "name": "count", "args": {"path": files["missing"]}}
    assert tool.invoke(call).status == "success"


@OPERATIONS
def test_langchain_knows_the_arguments(recipe, operation):
    tool = recipe("langchain_tool", "langchain_core").result_tool(operation, name="other")
    assert (tool.name, tool.description) == ("other", "Count what a file holds.")
    assert tool.args["path"]["type"] == "string"
    assert tool.args["unit"]["enum"] == ["lines", "bytes"]


# -- OpenAI Agents SDK -------------------------------------------------------------


class Spans:
    """A trace processor that keeps what went wrong in function calls."""

    def __init__(self):
        self.errors = []

    def on_span_end(self, span):
        if span.span_data.type == "function":
            self.errors.append(span.error)

    def on_trace_start(self, trace):
        pass

    on_trace_end = on_span_start = on_trace_start

    def shutdown(self):
        pass

    force_flush = shutdown


def run_agent(tool, arguments):
    """What the model was told of its one call, and the error of the call's span."""
    from agents import Agent, Runner, set_trace_processors
    from agents.testing import ScriptedModel, assistant_message, function_call

    spans = Spans()
    set_trace_processors([spans])
    steps = [[function_call(tool.name, arguments, call_id="7")], [assistant_message("Done.")]]
    model = ScriptedModel(steps)
    agent = Agent(name="counter", model=model, tools=[tool])
    try:
        done = asyncio.run(Runner.run(agent, "Count."))
    finally:
        set_trace_processors([])
    assert done.final_output == "Done."
    (told,) = [i for i in model.last_call.input if i.get("type") == "function_call_output"]
    (error,) = spans.errors
    return told["output"], error


@OPERATIONS
@pytest.mark.parametrize("name", CODES)
def test_the_openai_sdk_sees_the_failure(recipe, operation, name, files, caplog):
    module = recipe("openai_agents_tool", "agents")
    with caplog.at_level(logging.CRITICAL, "openai.agents"):
        told, error = run_agent(
            module.result_tool(operation), {"path": files[name], "unit": "lines"}
        )
    judged(told, name)
    if name == "good":
        assert error is None
    else:
        assert error["data"]["tool_name"] == operation.__name__
        assert CODES[name] in error["data"]["error"]


def test_the_openai_sdk_sees_no_failure_without_the_recipe(recipe, files):
    recipe("openai_agents_tool", "agents")
    from agents import function_tool

    told, error = run_agent(function_tool(count), {"path": files["missing"], "unit": "lines"})
    assert error is None
    assert told.startswith("<Result failure")  # and not the document either


def test_the_openai_sdk_keeps_its_words_for_its_own_errors(recipe, caplog):
    module = recipe("openai_agents_tool", "agents")
    with caplog.at_level(logging.CRITICAL, "openai.agents"):
        told, error = run_agent(module.result_tool(count), {"path": 3, "unit": "miles"})
    assert error is not None
    assert "error occurred" in told


@OPERATIONS
def test_programs_that_call_the_tool_get_the_document(recipe, operation, files):
    module = recipe("openai_agents_tool", "agents")
    tool = module.result_tool(operation, allowed_callers=["direct", "programmatic"])
    told, error = run_agent(tool, {"path": files["good"], "unit": "bytes"})
    assert judged(told, "good")["number"] == 4
    assert error is None


@OPERATIONS
def test_the_openai_sdk_knows_the_arguments(recipe, operation):
    tool = recipe("openai_agents_tool", "agents").result_tool(operation, name_override="other")
    assert (tool.name, tool.description) == ("other", "Count what a file holds.")
    assert tool.params_json_schema["properties"]["unit"]["enum"] == ["lines", "bytes"]


# -- Pydantic AI -------------------------------------------------------------------


def run_pydantic(tool, paths, *, comes_back=True):
    """The parts that answer a model's calls with these paths in turn.

    `comes_back`: the history is the same again after it was written as JSON.
    """
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    left = list(paths)

    def model(messages, info):
        if left:
            return ModelResponse(parts=[ToolCallPart(tool.name, {"path": left.pop(0)})])
        return ModelResponse(parts=[TextPart("Done.")])

    done = asyncio.run(Agent(FunctionModel(model), tools=[tool]).run("Count."))
    messages = done.all_messages()
    history = ModelMessagesTypeAdapter.validate_json(done.all_messages_json())
    assert (history == messages) is comes_back
    parts = [part for message in messages for part in message.parts]
    return [part for part in parts if part.part_kind in ("tool-return", "retry-prompt")]


@OPERATIONS
@pytest.mark.parametrize("name", CODES)
def test_pydantic_ai_sees_the_failure(recipe, operation, name, files):
    tool = recipe("pydantic_ai_tool", "pydantic_ai").result_tool(operation)
    (part,) = run_pydantic(tool, [files[name]])
    assert part.outcome == ("success" if name == "good" else "failed")
    judged(part.content, name)


def test_pydantic_ai_asks_the_model_again_where_told_to(recipe, files):
    module = recipe("pydantic_ai_tool", "pydantic_ai")
    tool = module.result_tool(count, retry={"path_not_found"})
    first, second = run_pydantic(tool, [files["missing"], files["good"]])
    assert first.outcome == "retried"
    judged(first.content, "missing")
    assert second.outcome == "success"
    judged(second.content, "good")
    (only,) = run_pydantic(tool, [files["bad"]])
    assert only.outcome == "failed"


def test_pydantic_ai_ends_a_run_that_only_repeats_itself(recipe, files):
    module = recipe("pydantic_ai_tool", "pydantic_ai")
    from pydantic_ai import UnexpectedModelBehavior

    tool = module.result_tool(count, retry={"path_not_found"}, max_retries=1)
    with pytest.raises(UnexpectedModelBehavior):
        run_pydantic(tool, [files["missing"]] * 3)


def test_pydantic_ai_takes_a_failure_for_a_success_without_the_recipe(recipe, files):
    recipe("pydantic_ai_tool", "pydantic_ai")
    from pydantic_ai import Tool

    (part,) = run_pydantic(Tool(count), [files["missing"]], comes_back=False)
    assert part.outcome == "success"


@OPERATIONS
def test_pydantic_ai_knows_the_arguments(recipe, operation):
    tool = recipe("pydantic_ai_tool", "pydantic_ai").result_tool(operation, name="other")
    assert (tool.name, tool.description) == ("other", "Count what a file holds.")
    assert tool.function_schema.json_schema["properties"]["unit"]["enum"] == ["lines", "bytes"]


def test_no_recipe_changes_the_operation(recipe):
    before = json.dumps({n: repr(a) for n, a in count.__annotations__.items()})
    for name, package in [
        ("langchain_tool", "langchain_core"),
        ("openai_agents_tool", "agents"),
        ("pydantic_ai_tool", "pydantic_ai"),
    ]:
        recipe(name, package).result_tool(count)
    assert json.dumps({n: repr(a) for n, a in count.__annotations__.items()}) == before
