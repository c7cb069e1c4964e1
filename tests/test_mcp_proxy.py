"""`sobre proxy` in front of a server that uses what a proxy must not lose."""

from __future__ import annotations

import json
import os
import signal
import subprocess

import anyio
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from command import SECONDS, finish, linux, posix, start
from command import run as sobre
from mcp_talk import (
    ERAS,
    SOBRE,
    TALKATIVE,
    children_of,
    is_there,
    listening,
    over_stdio,
    run,
    structured,
)

PROXY = [*SOBRE, "proxy", "--", *TALKATIVE]

each_era = pytest.mark.parametrize("era", ERAS)


@pytest.fixture(scope="module")
def url():
    with listening("proxy", "--", *TALKATIVE) as (_, url):
        yield url


@pytest.fixture(params=["stdio", "http", "http behind"])
def through(request):
    """Opens a client that talks to the talkative server through the proxy, in each way there is."""
    if request.param == "stdio":
        yield lambda **options: over_stdio(*PROXY, era=options.pop("era"), **options)
        return
    url = request.getfixturevalue("url")
    if request.param == "http":
        yield lambda **options: Client(url, mode=options.pop("era"), **options)
        return
    words = [*SOBRE, "proxy", "--url", url]
    yield lambda **options: over_stdio(*words, era=options.pop("era"), **options)


@each_era
def test_everything_else_passes(through, era):
    async def main():
        async with through(era=era) as client:
            assert client.protocol_version == ERAS[era]
            assert client.instructions == "Be rich."
            assert client.server_info.name == "talkative"
            resources = (await client.list_resources()).resources
            templates = (await client.list_resource_templates()).resource_templates
            one = (await client.read_resource("data://one")).contents[0]
            two = (await client.read_resource("data://two")).contents[0]
            prompts = (await client.list_prompts()).prompts
            greeting = await client.get_prompt("greet", {"name": "Ada"})
            with pytest.raises(MCPError):
                await client.get_prompt("none", {})
            return (
                [str(resource.uri) for resource in resources],
                [template.uri_template for template in templates],
                (one.blob, one.mime_type),
                two.text,
                [prompt.name for prompt in prompts],
                greeting.messages[0].content.text,
            )

    assert run(main) == (
        ["data://one"],
        ["data://{name}"],
        ("AP8=", "application/octet-stream"),
        "the data of two",
        ["greet"],
        "Greet Ada.",
    )


@each_era
def test_outcomes_progress_and_large_answers(through, era):
    told = []

    async def on_progress(*progress):
        told.append(progress)

    async def main():
        async with through(era=era) as client:
            counted = await client.call_tool("count", {}, progress_callback=on_progress)
            assert told == [(step, 5, f"step {step}") for step in range(1, 6)]
            failed = await client.call_tool("fail", {})
            large = await client.call_tool("large", {"size": 100_000})
            return counted, failed, large

    counted, failed, large = map(structured, run(main))
    assert counted["message"] == "counted"
    assert failed["error_code"] == "tool_error"
    assert "what only the server may know" not in json.dumps(failed)
    assert large["output"]["result"] == "\u00e9" * 100_000


def test_the_server_asks_the_client_during_a_call(through):
    async def elicit(_, params):
        assert params.message == "Your name?"
        return types.ElicitResult(action="accept", content={"name": "Ada"})

    async def sample(_, params):
        assert params.messages[0].content.text == "Hi"
        text = types.TextContent(type="text", text="Hello")
        return types.CreateMessageResult(role="assistant", content=text, model="none")

    logged = []

    async def log(params):
        logged.append((params.level, params.data))

    async def main():
        callbacks = {
            "elicitation_callback": elicit,
            "sampling_callback": sample,
            "logging_callback": log,
        }
        async with through(era="legacy", **callbacks) as client:
            asked = await client.call_tool("ask", {})
            sampled = await client.call_tool("sample", {})
            await client.call_tool("log", {})
            return asked, sampled

    asked, sampled = map(structured, run(main))
    assert (asked["message"], sampled["message"]) == ("accept Ada", "Hello")
    assert logged == [("info", "a line")]


def test_notices_of_the_server_reach_the_client(through):
    async def main():
        noticed = anyio.Event()

        async def handle(message):
            if isinstance(message, types.ToolListChangedNotification):
                noticed.set()

        async with through(era="legacy", message_handler=handle) as client:
            before = len((await client.list_tools()).tools)
            await client.call_tool("more", {})
            await noticed.wait()
            return before, len((await client.list_tools()).tools)

    before, after = run(main)
    assert after >= before


@each_era
def test_a_cancelled_call_frees_the_server(era, tmp_path):
    async def main():
        with open(tmp_path / "errors", "w") as errors:
            async with over_stdio(*PROXY, era=era, errors=errors) as client:
                async with anyio.create_task_group() as group:
                    group.start_soon(client.call_tool, "wait", {})
                    await said(tmp_path / "errors", "waiting")
                    group.cancel_scope.cancel()
                await said(tmp_path / "errors", "freed")
                return structured(await client.call_tool("count", {}))

    assert run(main)["message"] == "counted"


async def said(path, text):
    """Wait until a file holds a text; the bound is that of the test."""
    while text not in path.read_text():
        await anyio.sleep(0.01)


@each_era
def test_a_call_without_answer_is_a_failure(era, tmp_path):
    async def main():
        words = [*SOBRE, "proxy", "--timeout", "0.5", "--", *TALKATIVE]
        with open(tmp_path / "errors", "w") as errors:
            async with over_stdio(*words, era=era, errors=errors) as client:
                waited = structured(await client.call_tool("wait", {}))
                await said(tmp_path / "errors", "freed")
                return waited, structured(await client.call_tool("count", {}))

    waited, counted = run(main)
    assert waited["error_code"] == "timeout"
    assert "gave no answer and no progress within 0.5 seconds" in waited["message"]
    assert counted["success"]


@each_era
def test_a_server_that_dies_in_a_call_is_a_failure_and_is_started_again(through, era):
    async def main():
        async with through(era=era) as client:
            before = structured(await client.call_tool("process", {}))
            died = structured(await client.call_tool("leave", {}))
            after = structured(await client.call_tool("process", {}))
            return before, died, after

    before, died, after = run(main)
    assert died["error_code"] == "server_exited"
    assert before["output"] != after["output"]


@linux
def test_each_session_has_a_server_of_its_own_which_ends_with_it(url):
    async def main():
        async with Client(url, mode="legacy") as one, Client(url, mode="legacy") as two:
            first = structured(await one.call_tool("process", {}))["output"]["result"]
            second = structured(await two.call_tool("process", {}))["output"]["result"]
            assert first != second
            assert is_there(first)
        while is_there(first) or is_there(second):
            await anyio.sleep(0.01)

    run(main)


def test_what_the_client_set_for_the_server_reaches_it():
    async def main():
        async with over_stdio(*PROXY, env={"A_TOKEN_OF_ITS_OWN": "1234"}) as client:
            return structured(await client.call_tool("variable", {"name": "A_TOKEN_OF_ITS_OWN"}))

    assert run(main)["message"] == "1234"


def test_many_calls_at_once_are_neither_lost_nor_crossed(url):
    async def main():
        async with Client(url) as client:
            limit, sizes = anyio.Semaphore(50), []

            async def call(size):
                async with limit:
                    result = structured(await client.call_tool("large", {"size": size}))
                assert result["output"]["result"] == "\u00e9" * size
                sizes.append(size)

            async with anyio.create_task_group() as group:
                for size in range(200):
                    group.start_soon(call, size)
            return sizes

    assert sorted(run(main)) == list(range(200))


@linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_a_signal_ends_it_and_the_server_behind(way, number):
    words = ["--http", "127.0.0.1:0"] if way == "http" else []
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with start("proxy", *words, "--", *TALKATIVE, **pipes) as process:
        if way == "http":
            url = process.stderr.readline().decode().partition(": ")[2].strip()
            _keep_a_session(url)
        else:
            process.stdin.write(json.dumps(HELLO).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == 1
        (child,) = children_of(process.pid)
        process.send_signal(number)
        assert process.wait(timeout=SECONDS) == 128 + number
        assert not is_there(child)


HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def _keep_a_session(url):
    import httpx2

    headers = {"Accept": "application/json, text/event-stream"}
    answer = httpx2.post(url, json=HELLO, headers=headers, timeout=SECONDS)
    assert answer.status_code == 200
    assert "2025-06-18" in answer.text


@linux
def test_it_ends_with_its_client_and_so_does_the_server_behind():
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with start("proxy", "--", *TALKATIVE, **pipes) as process:
        process.stdin.write(json.dumps(HELLO).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["result"]["protocolVersion"] == "2025-06-18"
        (child,) = children_of(process.pid)
        done = finish(process)
        assert done.status == 0
        assert not is_there(child)


@posix
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--", "sh", "-c", "exit 3"], "it ended before it had answered"),
        (["--", "cat", "/dev/null"], "it ended before it had answered"),
        (["--url", "http://a:secret@127.0.0.1:9/mcp?key=secret"], "connection"),
    ],
    ids=["it fails", "it ends", "nothing listens"],
)
def test_a_server_that_is_not_there(words, reason):
    async def main():
        with open(os.devnull, "w") as errors:
            async with over_stdio(*SOBRE, "proxy", *words, era="legacy", errors=errors):
                pass

    with pytest.raises(ExceptionGroup) as caught:
        run(main)
    error = caught.value
    while isinstance(error, ExceptionGroup):
        (error,) = error.exceptions
    assert isinstance(error, MCPError)
    said = error.message.partition(" cannot be used: ")
    assert reason in said[2]
    assert "secret" not in error.message


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "there is no command to run: put it after --"),
        (["--", "no-such-program-anywhere"], "there is no program 'no-such-program-anywhere'"),
        (["--url", "http://127.0.0.1/mcp", "--", "true"], "give --url or a command, not both"),
        (["--url", "ftp://127.0.0.1/mcp"], "is no URL such as http://127.0.0.1:8000/mcp"),
        (["--url", "http://"], "is no URL such as"),
        (["--header", "A: b", "--", "true"], "--header is for a --url"),
        (["--url", "http://127.0.0.1/", "--header", "secret-value"], "is written NAME:VALUE"),
        (["--error-text", "(", "--", "true"], "--error-text: '(' is no regular expression"),
        (["--timeout", "0", "--", "true"], "--timeout"),
    ],
)
def test_wrong_usage(words, reason):
    done = sobre("proxy", *words)
    assert (done.status, done.out) == (2, b"")
    assert reason in done.err
    assert "secret-value" not in done.err
