"""`sobre proxy` loses nothing: whatever the protocol has passes, in both directions."""

from __future__ import annotations

import base64
from contextlib import contextmanager, nullcontext

import anyio
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from mcp_talk import COMPLETE, ERAS, SOBRE, listening, over_stdio, run, serving_http, structured


class Seen:
    """What a client was told and asked, and what it answers."""

    def __init__(self, folder):
        self.folder = folder
        self.logs = []
        self.changes = []
        self.asked = []

    def options(self, era):
        level = {"log_level": "warning"} if era == "auto" else {}
        return {
            "logging_callback": self._log,
            "message_handler": self._message,
            "elicitation_callback": self._elicit,
            "sampling_callback": self._sample,
            "list_roots_callback": self._roots,
            "cache": None,
            **level,
        }

    async def _log(self, params):
        self.logs.append((params.level, params.logger, params.data))

    async def _message(self, message):
        if isinstance(message, types.ServerNotification.__args__):
            self.changes.append((message.method, getattr(message.params, "uri", None)))

    async def _elicit(self, ctx, params):
        self.asked.append(params.message)
        return types.ElicitResult(action="accept", content={"name": "Ad\u00e0"})

    async def _sample(self, ctx, params):
        text = types.TextContent(type="text", text=f"{params.messages[0].content.text} yourself")
        return types.CreateMessageResult(role="assistant", content=text, model="m")

    async def _roots(self, ctx):
        return types.ListRootsResult(roots=[types.Root(uri="file:///somewhere")])


@contextmanager
def proxied(front, behind, *options):
    """A function that connects a client, given its era, through a proxy."""
    with serving_http("complete.py") if behind == "http" else nullcontext() as url:
        words = ["proxy", *options, *(["--url", url] if url else ["--", *COMPLETE])]
        if front == "stdio":
            yield lambda era, **more: over_stdio(*SOBRE, *words, era=era, **more)
            return
        with listening(*words) as (_, address):
            # The client's own limit on an event is a mebibyte.
            yield lambda era, **more: Client(
                streamable_http_client(address, max_sse_event_size=None), mode=era, **more
            )


async def until(condition):
    """Wait for what a client is told beside the answers."""
    with anyio.fail_after(10):
        while not condition():
            await anyio.sleep(0.005)


# -- what passes ------------------------------------------------------------------


async def lists_and_pages(client, seen, era):
    tools, cursor = [], None
    while True:
        listed = await client.list_tools(cursor=cursor)
        tools += listed.tools
        cursor = listed.next_cursor
        if cursor is None:
            break
    assert len(tools) == len({tool.name for tool in tools}) > 15
    assert all(tool.output_schema["type"] == "object" for tool in tools)
    second = await client.list_resources(cursor="2")
    assert [(str(one.uri), one.size) for one in second.resources] == [("data://2", 2)]
    assert second.next_cursor == "3"
    templates = await client.list_resource_templates(cursor="3")
    assert [one.uri_template for one in templates.resource_templates] == ["data://3/{name}"]
    assert templates.next_cursor is None
    (prompt,) = (await client.list_prompts()).prompts
    assert (prompt.name, prompt.title) == ("prompt 1", "\u00e9")


async def resources_prompts_and_completion(client, seen, era):
    read = await client.read_resource("data://1")
    assert read.contents[0].text == "text \U0001f600"
    assert base64.b64decode(read.contents[1].blob) == b"\x00\xff"
    assert read.meta["example.com/read"] == 1
    with pytest.raises(MCPError) as caught:
        await client.read_resource("data://none")
    assert (caught.value.code, caught.value.data) == (-32602, {"uri": "data://none"})
    prompt = await client.get_prompt("p", {"a": "\u4e2d"})
    assert prompt.messages[0].content.text == "p {'a': '\u4e2d'}"
    reference = types.PromptReference(type="ref/prompt", name="p")
    done = await client.complete(reference, {"name": "a", "value": "x"})
    assert (done.completion.values, done.completion.total) == (["xa", "xb"], 7)
    assert done.completion.has_more is True


async def meta_and_unicode(client, seen, era):
    arguments = {"\u00e9": ["\U0001f600", None, 1.5, 2**60, {"": "\x00\u2028"}]}
    result = await client.call_tool("echo", arguments, meta={"example.com/there": {"a": [1]}})
    output = structured(result)["output"]
    assert output["arguments"] == arguments
    assert output["meta"]["example.com/there"] == {"a": [1]}
    assert result.meta["example.com/back"] == {"deep": [1, None, "\u00e9"]}


async def progress(client, seen, era):
    """In order, and all of it before the result."""
    steps = []

    async def on_progress(done, total, message):
        steps.append((done, total, message))

    result = await client.call_tool("steps", {"count": 100}, progress_callback=on_progress)
    assert steps == [(step, 100, f"step {step}") for step in range(1, 101)]
    assert structured(result)["success"]


async def log_messages(client, seen, era):
    seen.logs.clear()
    await client.call_tool("log", {"who": 1})
    wanted = ["debug", "warning"] if era == "legacy" else ["warning"]
    await until(lambda: len(seen.logs) >= len(wanted))
    assert seen.logs == [(one, "a logger", {"level": one, "who": 1}) for one in wanted]


async def binary_and_large(client, seen, era):
    content = (await client.call_tool("binary", {})).content
    assert [base64.b64decode(one.data) for one in content[:2]] == [bytes(range(256))] * 2
    assert base64.b64decode(content[2].resource.blob) == bytes(range(256))
    assert (content[3].type, content[3].uri) == ("resource_link", "data://there")
    large = await client.call_tool("large", {"count": 2_500_000})  # Five million bytes.
    assert large.content[0].text == "\u00e9" * 2_500_000


async def protocol_errors(client, seen, era):
    for name, code in (("none", types.INVALID_PARAMS), ("refuse", -32000)):
        with anyio.fail_after(5), pytest.raises(MCPError) as caught:
            await client.call_tool(name, {})
        assert caught.value.code == code
    assert (caught.value.message, caught.value.data) == ("Not today", {"why": ["because"]})


async def questions(client, seen, era):
    if era == "auto":
        output = structured(await client.call_tool("input", {}))["output"]
        assert output["answer"] == {"action": "accept", "content": {"name": "Ad\u00e0"}}
        assert output["state"] == "state \u00e9 1"
        return
    output = structured(await client.call_tool("ask", {}))["output"]
    assert output == {"action": "accept", "content": {"name": "Ad\u00e0"}}
    sampled = await client.call_tool("sample", {})
    assert sampled.content[0].text == "Hi yourself"
    output = structured(await client.call_tool("roots", {}))["output"]
    assert output == {"roots": ["file:///somewhere"]}


async def changes(client, seen, era):
    names = ["tools/list_changed", "prompts/list_changed", "resources/list_changed"]
    if era == "auto":
        asked = dict.fromkeys((name.replace("/", "_") for name in names), True)
        async with client.listen(**asked, resource_subscriptions=["data://1"]) as events:
            assert events.honored.resource_subscriptions == ["data://1"]
            await client.call_tool("change", {})
            told = [type(await anext(events)).__name__ for _ in range(4)]
        wanted = ["ToolsListChanged", "PromptsListChanged", "ResourcesListChanged"]
        assert sorted(told) == sorted([*wanted, "ResourceUpdated"])
        return
    seen.changes.clear()
    await client.subscribe_resource("data://1")
    await client.call_tool("change", {})
    wanted = [(f"notifications/{name}", None) for name in names]
    wanted.append(("notifications/resources/updated", "data://1"))
    await until(lambda: len(seen.changes) >= len(wanted))
    assert sorted(map(str, seen.changes)) == sorted(map(str, wanted))
    await client.unsubscribe_resource("data://1")
    await client.set_logging_level("error")
    await client.send_roots_list_changed()
    await client.send_ping()
    output = structured(await client.call_tool("tell", {}))["output"]
    assert (output["level"], output["subscribed"], output["roots_changed"]) == ("error", [], 1)


async def cancellation(client, seen, era):
    """It reaches the server, and frees it."""
    place = seen.folder / f"{era} was cancelled"
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(client.call_tool, "wait", {"place": str(place)})
        await until(lambda: place.exists() and place.read_text() == "waiting")
        tasks.cancel_scope.cancel()
    await until(lambda: place.read_text() == "freed")
    assert structured(await client.call_tool("echo", {}))["success"]


CHECKS = [
    lists_and_pages,
    resources_prompts_and_completion,
    meta_and_unicode,
    progress,
    log_messages,
    binary_and_large,
    protocol_errors,
    questions,
    changes,
    cancellation,
]


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
@pytest.mark.parametrize("behind", ["stdio", "http"])
@pytest.mark.parametrize("front", ["stdio", "http"])
def test_everything_passes(front, behind, tmp_path):
    async def main(connect, era):
        seen = Seen(tmp_path)
        async with connect(era, **seen.options(era)) as client:
            assert client.protocol_version == ERAS[era]
            assert (client.server_info.name, client.server_info.version) == ("complete", "7")
            assert client.instructions == "Lose nothing."
            for check in CHECKS:
                await check(client, seen, era)

    with proxied(front, behind) as connect:
        for era in ERAS:
            run(lambda: main(connect, era))  # noqa: B023
