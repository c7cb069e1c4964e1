"""FastMCP servers with the middleware: what tools/list publishes and what calls answer."""

from __future__ import annotations

import json
import logging

import pytest
from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools import Tool, ToolResult
from fastmcp.tools.base import RawStructuredToolResult
from fastmcp.utilities.types import Audio, File, Image
from mcp_types import CallToolResult, ResourceLink, TextContent
from pydantic import BaseModel

import sobre
from documents import BASES
from fastmcp_wire import REVISIONS, called, judged, listed, run, wire
from sobre.fastmcp import ContractMiddleware

each_revision = pytest.mark.parametrize("revision", REVISIONS)


def answers(function, *, revision="2026-07-28", arguments=None, error_text=None, **settings):
    """What the wire carries for a call of a function as the only tool: the judged result."""

    async def main():
        server = FastMCP("test", middleware=[ContractMiddleware(error_text=error_text)], **settings)
        server.tool(function, name="work")
        async with wire(server, revision) as ask:
            return await called(ask, "work", **(arguments or {}))

    return judged(revision, run(main))


# -- conforming results --------------------------------------------------------


@each_revision
@pytest.mark.parametrize("document", BASES[:-1])
@pytest.mark.parametrize("annotation", [dict, None, dict | None, object, sobre.Result])
def test_a_contract_object_passes_through(document, revision, annotation):
    def work():
        return sobre.Result(document) if annotation is sobre.Result else document

    work.__annotations__["return"] = annotation
    if annotation is None:
        del work.__annotations__["return"]
    result = answers(work, revision=revision)
    structured = result["structuredContent"]
    meta = structured.pop("meta")
    assert structured == {name: value for name, value in document.items() if name != "meta"}
    assert meta == {"command": "work", **meta, **document.get("meta", {}), "schema_version": 1}
    assert result["isError"] is not document["success"]
    assert len(result["content"]) == 1
    assert "fastmcp" not in result.get("_meta", {})


@each_revision
def test_an_outcome_that_contradicts_itself_is_reported(revision):
    said = {"success": True, "message": "Done."}
    result = answers(lambda: ToolResult(structured_content=said, is_error=True), revision=revision)
    structured = result["structuredContent"]
    assert structured["error_code"] == "outcome_contradiction"
    assert structured["details"] == {"result": said}


@each_revision
def test_a_failure_makes_is_error_agree(revision):
    said = {"success": False, "message": "No.", "error_code": "no"}
    result = answers(lambda: CallToolResult(content=[], structured_content=said), revision=revision)
    assert (result["isError"], result["structuredContent"]["error_code"]) == (True, "no")


def test_what_does_not_map_without_loss_says_so():
    structured = answers(lambda: {"success": True, "message": " "})["structuredContent"]
    assert structured["output"] == {"success": True, "message": " "}
    assert "no contract object" in structured["warnings"][0]


@each_revision
def test_operations_are_tools_with_the_input_that_their_signature_gives(revision):
    @sobre.operation(errors={ValueError: "bad_value"})
    async def half(of: int, *, exact: bool = True) -> sobre.Result:
        """Half of a number."""
        if exact and of % 2:
            raise ValueError(f"{of} is odd")
        sobre.warn("Rounded.")
        return sobre.success(f"It is {of // 2}.", half=of // 2)

    @sobre.operation(returns="size", message="{size} characters")
    def size(text: str):
        return len(text)

    async def main():
        server = FastMCP("test", middleware=[ContractMiddleware()])
        server.tool(half)
        server.tool(size)
        async with wire(server, revision) as ask:
            tools = await listed(ask)
            return tools, [
                judged(revision, await called(ask, "half", of=5)),
                judged(revision, await called(ask, "half", of=5, exact=False)),
                judged(revision, await called(ask, "size", text="four")),
            ]

    tools, (refused, halved, sized) = run(main)
    assert tools["half"]["description"] == "Half of a number."
    assert tools["half"]["inputSchema"] == {
        "type": "object",
        "properties": {"of": {"type": "integer"}, "exact": {"type": "boolean", "default": True}},
        "required": ["of"],
        "additionalProperties": False,
    }
    assert refused["structuredContent"]["error_code"] == "bad_value"
    assert halved["structuredContent"]["half"] == 2
    assert halved["structuredContent"]["warnings"] == ["Rounded."]
    assert sized["structuredContent"]["message"] == "4 characters"
    assert sized["structuredContent"]["meta"]["command"] == "size"


# -- other results -------------------------------------------------------------


class Point(BaseModel):
    x: int
    up: Point | None = None


def number() -> int:
    return 5


def text() -> str:
    return "five"


def numbers() -> list[int]:
    return [5]


def point() -> Point:
    return Point(x=1, up=Point(x=2))


def anything() -> dict:
    return {"a": None, "success": "perhaps"}


def nothing() -> None:
    return None


OUTPUTS = [
    (number, {"result": 5}),
    (text, {"result": "five"}),
    (numbers, {"result": [5]}),
    (point, {"x": 1, "up": {"x": 2, "up": None}}),
    (anything, {"a": None, "success": "perhaps"}),
]


@each_revision
@pytest.mark.parametrize(("function", "output"), OUTPUTS)
def test_other_structured_content_goes_under_output(function, output, revision):
    result = answers(function, revision=revision)
    assert result["structuredContent"]["output"] == output
    assert (result["structuredContent"]["success"], result["isError"]) == (True, False)
    assert "warnings" not in result["structuredContent"]


class Listing(Tool):
    output_schema: dict | None = {"type": "array", "items": {"type": "integer"}}

    async def run(self, arguments):
        return RawStructuredToolResult(content=[], structured_content=[5])


@each_revision
def test_structured_content_that_is_no_object_goes_there_too(revision):
    async def main():
        server = FastMCP("test", middleware=[ContractMiddleware()])
        server.add_tool(Listing(name="numbers", parameters={"type": "object"}))
        async with wire(server, revision) as ask:
            tools = await listed(ask)
            return tools["numbers"]["outputSchema"], await called(ask, "numbers")

    published, data = run(main)
    result = judged(revision, data)
    assert (result["isError"], result["structuredContent"]["output"]) == (False, [5])
    assert published["then"]["properties"]["output"]["type"] == "array"


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
@pytest.mark.parametrize("function", [function for function, _ in OUTPUTS] + [nothing])
def test_the_client_of_fastmcp_reads_it(function, mode, caplog):
    async def main():
        server = FastMCP("test", middleware=[ContractMiddleware()])
        server.tool(function, name="work")
        async with Client(server, mode=mode) as client:
            return await client.call_tool("work")

    with caplog.at_level(logging.WARNING):
        result = run(main)
    assert "parsing structured content" not in caplog.text
    assert result.structured_content["success"] is True
    assert result.data is not None


@each_revision
def test_content_is_kept(revision):
    def work():
        return [
            "A line.",
            Image(data=b"i", format="png"),
            Audio(data=b"a", format="wav"),
            File(data=b"f", format="text", name="f"),
            ResourceLink(type="resource_link", uri="file:///f", name="f"),
        ]

    async def bare():
        server = FastMCP("test")
        server.tool(work)
        async with wire(server, revision) as ask:
            return json.loads(await called(ask, "work"))["result"]["content"]

    result = answers(work, revision=revision)
    assert result["content"][:-1] == run(bare)
    assert result["structuredContent"]["message"] == "A line."


@each_revision
def test_meta_and_annotations_are_kept(revision):
    def work() -> ToolResult:
        block = TextContent(
            type="text", text="hi", annotations={"audience": ["user"]}, _meta={"b": 1}
        )
        return ToolResult(content=[block], meta={"trace": "t", "fastmcp": {"other": 1}})

    result = answers(work, revision=revision)
    assert result["_meta"]["trace"] == "t"
    assert result["_meta"]["fastmcp"] == {"other": 1}
    assert result["content"][0]["_meta"] == {"b": 1}
    assert result["content"][0]["annotations"] == {"audience": ["user"]}


def test_the_note_of_a_wrapper_that_is_gone_goes_alone():
    def work() -> ToolResult:
        meta = {"trace": "t", "fastmcp": {"wrap_result": True, "other": 1}}
        return ToolResult(structured_content={"result": 1}, meta=meta)

    meta = answers(work)["_meta"]
    assert (meta["trace"], meta["fastmcp"]) == ("t", {"other": 1})


def test_meta_says_what_was_called_and_for_how_long():
    meta = answers(number)["structuredContent"]["meta"]
    assert meta.keys() == {"command", "duration_ms", "schema_version"}
    assert (meta["command"], meta["schema_version"]) == ("work", 1)
    assert 0 <= meta["duration_ms"] < 60_000


# -- failures ------------------------------------------------------------------


def raising(error):
    def work():
        raise error

    return work


@each_revision
@pytest.mark.parametrize(
    ("error", "masked", "told"),
    [
        (ToolError("No such city."), False, "No such city."),
        (ToolError("No such city."), True, "No such city."),
        (ToolError(), False, "The tool gave no reason."),
        (ValueError("secret"), False, "Error calling tool 'work': secret"),
        (ValueError("secret"), True, "Error calling tool 'work'"),
        (TimeoutError("late"), True, "Error calling tool 'work'"),
    ],
)
def test_a_tool_that_raises_has_failed_in_the_words_of_fastmcp(error, masked, told, revision):
    result = answers(raising(error), revision=revision, mask_error_details=masked)
    structured = result["structuredContent"]
    assert (structured["success"], result["isError"]) == (False, True)
    assert (structured["error"], structured["error_code"]) == (told, "tool_error")
    assert result["content"][0]["text"] == ("" if not error.args else told)
    assert "secret" not in json.dumps(result) or not masked


@each_revision
def test_an_error_result_is_a_failure_with_its_texts(revision):
    texts = [TextContent(type="text", text=text) for text in ("One.", "Two.")]
    result = answers(lambda: ToolResult(content=texts, is_error=True), revision=revision)
    structured = result["structuredContent"]
    assert structured["error"] == "One.\nTwo."
    assert structured["message"] == "work failed: One."
    assert [block["text"] for block in result["content"][:2]] == ["One.", "Two."]


@each_revision
def test_arguments_that_do_not_fit_are_a_failure_as_fastmcp_has_it(revision):
    def work(n: int) -> int:
        return n

    structured = answers(work, revision=revision, arguments={"n": "many"})["structuredContent"]
    assert structured["error_code"] == "tool_error"
    assert "valid integer" in structured["error"]


@each_revision
def test_a_success_that_breaks_its_own_schema_is_reported_where_the_client_would_hide_it(revision):
    async def main():
        server = FastMCP("test", middleware=[ContractMiddleware()])
        schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
        server.tool(anything, output_schema=schema)
        async with wire(server, revision) as ask:
            return await called(ask, "anything")

    structured = judged(revision, run(main))["structuredContent"]
    assert structured["error_code"] == "output_schema_mismatch"
    assert structured["output"] == anything()


@pytest.mark.parametrize(
    ("pattern", "code"), [(None, None), ("^Error:", "tool_error"), ("^Warning:", None)]
)
def test_error_text_is_opt_in(pattern, code):
    structured = answers(lambda: "Error: no file", error_text=pattern)["structuredContent"]
    assert structured.get("error_code") == code
    assert ("warnings" in structured) is (code is not None)


def test_error_text_leaves_a_contract_object_alone():
    said = {"success": True, "message": "Error: found 3 in the log."}
    assert answers(lambda: said, error_text="Error")["structuredContent"]["success"] is True


def test_an_error_text_that_is_no_pattern_is_refused_at_once():
    with pytest.raises(Exception, match="unterminated"):
        ContractMiddleware(error_text="(")


@pytest.mark.parametrize(
    "returned", ["\ud800", {"a": "\ud800"}, {"a": float("nan")}, {"a": 10**400}, b"\xff", {1: 2}]
)
def test_what_no_json_holds_still_ends_in_a_conforming_result_or_a_protocol_error(returned):
    async def main():
        server = FastMCP("test", middleware=[ContractMiddleware()])
        server.tool(lambda: returned, name="work")
        async with wire(server, "2025-11-25") as ask:
            return await called(ask, "work")

    data = run(main)
    if "error" not in json.loads(data):
        judged("2025-11-25", data)


@pytest.mark.parametrize("depth", [250, 253, 255, 600])
def test_a_result_too_deep_for_pydantic_is_a_failure(depth):
    value = []
    for _ in range(depth):
        value = [value]
    result = answers(lambda: {"a": value})
    assert result["isError"] is (depth > 250)
