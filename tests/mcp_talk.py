"""Real servers in processes of their own, and the official Python client to talk to them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from command import SECONDS, environment

SERVERS = Path(__file__).parent / "mcp_servers"
#: How the client starts a connection -> the revision that comes of it.
ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}

SOBRE = [sys.executable, "-m", "sobre"]
TALKATIVE = [sys.executable, str(SERVERS / "talkative.py")]
COMPLETE = [sys.executable, str(SERVERS / "complete.py")]


def run(main):
    """Run an async function to its end; one that hangs fails the test."""

    async def bounded():
        with anyio.fail_after(SECONDS):
            return await main()

    return anyio.run(bounded)


def over_stdio(*command, era="auto", errors=None, env=None, cwd=None, **options):
    """A client of a command that is started for it. `errors` is a file for its standard error."""
    program = StdioServerParameters(
        command=command[0], args=list(command[1:]), env=environment(**(env or {})), cwd=cwd
    )
    transport = stdio_client(program, errlog=errors or sys.__stderr__)
    return Client(transport, mode=era, **options)


@contextmanager
def listening(*words, **options):
    """`sobre serve` or `sobre proxy` over HTTP: its process and its URL. It is ended after."""
    words = [words[0], "--http", "127.0.0.1:0", *words[1:]]
    with subprocess.Popen(
        [*SOBRE, *words], stderr=subprocess.PIPE, env=environment(), text=True, **options
    ) as process:
        try:
            line = process.stderr.readline()
            url = re.fullmatch(rf"sobre {words[0]}: (http://127\.0\.0\.1:\d+/mcp)\n", line)
            assert url, line + process.stderr.read()
            yield process, url[1]
        finally:
            process.terminate()
            process.communicate(timeout=SECONDS)


def structured(result):
    """The contract object of a result, which agrees with what the client was told."""
    content = result.structured_content
    assert content["success"] is not result.is_error
    return content


def children_of(process):
    """The processes that a process started and that are still there."""
    listed = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(number) for number in listed.split()]


def is_there(process):
    """Whether a process still runs."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


@contextmanager
def serving_http(name, *words):
    """The URL of a server in `mcp_servers` that listens for HTTP. It is ended after."""
    with subprocess.Popen(
        [sys.executable, str(SERVERS / name), "--http", *words],
        stderr=subprocess.PIPE,
        env=environment(),
        text=True,
    ) as process:
        try:
            yield process.stderr.readline().partition(": ")[2].strip()
        finally:
            process.terminate()
            process.communicate(timeout=SECONDS)
