"""`sobre proxy` in front of programs that write more, less or other than messages."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import anyio
import psutil
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from command import gone, linux, posix, start
from mcp_talk import ERAS, SERVERS, SOBRE, over_stdio, run, structured
from sobre.mcp import program, proxy
from sobre.mcp.proxy import Proxy
from sobre.mcp.upstream import Target

SHOUTING = [sys.executable, str(SERVERS / "shouting.py")]
ANSWER = '{"jsonrpc": "2.0", "id": ID, "result": {"content": [], "structuredContent": %s}}'

each_era = pytest.mark.parametrize("era", ERAS)


def in_process(client, *words, **options):
    """Talk through a proxy in this process to the shouting server."""

    async def main():
        server = Proxy(Target([*SHOUTING, *words]), **options).server
        async with Client(server) as connected:
            return await client(connected)

    return run(main)


@each_era
def test_noise_is_a_line_each_and_costs_nothing(era, tmp_path):
    """Whatever it is: a log line, terminal sequences, bytes that are no text, JSON, very long."""
    noise = [
        "INFO listening",
        "\x1b[31mred\x1b]0;title\x07",
        "\xff\xfe\x00",
        '{"log": "in JSON"}',
        "[1, 2]",
        "x" * 100_000,
        "",
        "\r",
    ]

    async def main(errors):
        words = ["proxy", "--", *SHOUTING]
        async with over_stdio(*SOBRE, *words, era=era, errors=errors) as client:
            for text in noise:
                assert structured(await client.call_tool("call", {"text": text}))["success"]

    with open(tmp_path / "errors", "w") as errors:
        run(lambda: main(errors))
    data = (tmp_path / "errors").read_bytes()
    lines = data.decode().splitlines()
    assert len(lines) == len(noise) - 2  # An empty line is not worth a word.
    assert all(line.startswith(f"sobre: {sys.executable} wrote something") for line in lines)
    assert max(map(len, lines)) < 1000
    assert lines[0].endswith("that is no message: INFO listening")
    assert r"\x1b[31mred" in lines[1]
    assert not set(data) & (set(range(32)) - {10})


def test_a_line_without_end_is_read_in_bounded_memory(monkeypatch, caplog):
    monkeypatch.setattr(program, "MAX_MESSAGE_BYTES", 2**20)
    memory = []

    async def client(connected):
        before = psutil.Process().memory_info().rss
        for _ in range(2):
            result = await connected.call_tool("call", {"mebibytes": 150})
            memory.append(psutil.Process().memory_info().rss - before)
            assert structured(result)["success"]

    in_process(client)
    assert max(memory) < 50 * 2**20
    assert "a line of 157,286,400 bytes, of which 1,048,576 are read at most" in caplog.text


@pytest.mark.parametrize(
    "raw",
    [
        ANSWER % '{"text": "\\ud800"}',
        ANSWER % '{"text": "\xff"}',
        ANSWER % f'{{"number": {"1" * 4000}.0e1}}'.replace(".0e1", "1" * 400),
        '{"jsonrpc": "2.0", "id": ID, "result": [1]}',
        '{"id": ID, "result": {}}',
    ],
    ids=["surrogate", "no UTF-8", "digits", "no object", "no version"],
)
def test_an_answer_that_cannot_be_read_is_an_error_and_not_a_long_wait(raw):
    async def client(connected):
        with anyio.fail_after(10), pytest.raises(MCPError, match=r"cannot be read|digit"):
            await connected.call_tool("call", {"raw": raw})
        assert structured(await connected.call_tool("call", {}))["success"]

    in_process(client)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e999", "-1e999"])
def test_a_number_that_json_lacks_is_a_failure(value):
    async def client(connected):
        result = await connected.call_tool("call", {"raw": ANSWER % f'{{"n": {value}}}'})
        assert structured(result)["error_code"] == "invalid_result_contract"

    in_process(client)


@pytest.mark.parametrize("mode", ["refuse", "crash", "nothing", "hang"])
def test_an_old_server_whatever_server_discover_does_to_it(mode, monkeypatch):
    monkeypatch.setattr(proxy, "PROBE_SECONDS", 0.5)

    async def client(connected):
        assert connected.protocol_version == "2026-07-28"
        assert connected.server_info.name == "old"
        assert structured(await connected.call_tool("call", {}))["success"]
        died = structured(await connected.call_tool("call", {"exit": True}))
        assert died["error_code"] == "server_exited"
        assert structured(await connected.call_tool("call", {}))["success"]

    in_process(client, mode)


def test_a_server_that_never_answers(monkeypatch):
    async def client(connected):
        late = structured(await connected.call_tool("call", {"silent": True}))
        assert late["error_code"] == "timeout"
        assert "within 0.3 seconds" in late["message"]
        assert structured(await connected.call_tool("call", {}))["success"]

    in_process(client, call_seconds=0.3)


def test_a_program_that_does_not_read(monkeypatch):
    """Nothing is answered, and the program ends with the proxy all the same."""
    monkeypatch.setattr(proxy, "START_SECONDS", 1.0)
    monkeypatch.setattr(proxy, "PROBE_SECONDS", 0.3)
    monkeypatch.setattr(program, "GRACE_SECONDS", 0.3)
    target = Target([sys.executable, "-c", "import signal; signal.pause()"])

    async def main():
        async with Client(Proxy(target).server, mode="2026-07-28") as client:
            with pytest.raises(MCPError, match="cannot be used: it took too long"):
                await client.list_tools()
            assert psutil.Process().children() == []

    run(main)


@linux
def test_a_killed_proxy_leaves_no_server_that_reads():
    """Nobody can tell a server that its proxy was killed; the end of its input does."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with start("proxy", "--", *SHOUTING, **pipes) as process:
        process.stdin.write(
            b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": '
            b'"2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}\n'
        )
        process.stdin.flush()
        assert b'"2025-06-18"' in process.stdout.readline()
        (child,) = psutil.Process(process.pid).children()
        process.send_signal(signal.SIGKILL)
        assert gone(child.pid)


@posix
def test_what_the_server_started_ends_with_it(monkeypatch):
    """A server that outlives its input is asked to end, with its own children."""
    monkeypatch.setattr(program, "GRACE_SECONDS", 0.3)
    line = 'sleep 600 & trap "" TERM; "$@"; wait'
    target = Target(["sh", "-c", line, "sh", *SHOUTING])
    children = []

    async def main():
        async with Client(Proxy(target).server) as client:
            assert structured(await client.call_tool("call", {}))["success"]
            children.extend(psutil.Process().children(recursive=True))

    run(main)
    assert len(children) == 3
    assert all(gone(child.pid) for child in children)
    assert os.getpid()
