"""Calls of MCP tools over stdio: with the middleware, through the proxy, and without.

One call at a time is timed at the pipes, below any client: a line is written, a
line is read. The official client then has its share shown beside it, since it
validates each answer by the output schema that it was given.
"""

import asyncio
import json
import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from time import perf_counter

import psutil
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from rows import Row
from timing import race

HERE = Path(__file__).resolve().parent
ROUNDS = 300
CALLS, AT_ONCE, WARM = 2000, 50, 200

_SERVER = [sys.executable, str(HERE / "mcp_server.py")]
_SERVERS = {
    "bare": [*_SERVER, "bare"],
    "middleware": [*_SERVER, "middleware"],
    "proxy": [sys.executable, "-m", "sobre", "proxy", "--", *_SERVER, "bare"],
}
_NAMES = {"middleware": "with the middleware", "proxy": "through the proxy"}
_CLIENT = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


def mcp_rows() -> list[Row]:
    """One call at a time, and many at once."""
    with AllAtPipes() as pipes:
        wire = race(pipes.calls, ROUNDS)
    client, load = asyncio.run(_with_the_client())
    rows = []
    for group, seconds in (
        ("An MCP call over stdio, at the pipes: milliseconds", wire),
        ("The same with the official client, which validates: milliseconds", client),
    ):
        bare = seconds["bare"] * 1000
        rows += [
            Row(group, told, seconds[name] * 1000, "bare", bare) for name, told in _NAMES.items()
        ]
        rows[-2].at_most = 1.05
    group = f"{CALLS:,} MCP calls over stdio, {AT_ONCE} at a time: calls a second"
    rows += [
        Row(group, told, load[name][0], "bare", load["bare"][0], note=load[name][1])
        for name, told in _NAMES.items()
    ]
    return rows


class AllAtPipes:
    """Every server, spoken to by nothing but lines. `calls` has one call of each."""

    def __enter__(self):
        self.servers = {name: AtPipes(command) for name, command in _SERVERS.items()}
        self.calls = {name: server.call for name, server in self.servers.items()}
        return self

    def __exit__(self, *_):
        for server in self.servers.values():
            server.end()


class AtPipes:
    def __init__(self, command):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL, **pipes)
        self.id = 0
        self.ask("initialize", _CLIENT)
        self.write({"method": "notifications/initialized"})
        self.ask("tools/list", {})

    def write(self, message):
        line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()

    def ask(self, method, params):
        self.id += 1
        self.write({"id": self.id, "method": method, "params": params})
        answer = json.loads(self.process.stdout.readline())
        if answer["id"] != self.id:
            raise RuntimeError(f"an answer to {answer['id']} instead of {self.id}")
        return answer["result"]

    def call(self):
        return self.ask("tools/call", {"name": "measure", "arguments": {"path": "12345"}})

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=20)
        self.process.stdout.close()


async def _with_the_client():
    """Seconds of one call, and calls a second of many at once with a note, by server."""
    async with AsyncExitStack() as stack:
        clients, processes = {}, {}
        for name, (command, *words) in _SERVERS.items():
            before = set(psutil.Process().children())
            program = stdio_client(StdioServerParameters(command=command, args=words))
            clients[name] = await stack.enter_async_context(Client(program, mode="legacy"))
            (processes[name],) = set(psutil.Process().children()) - before
            await clients[name].list_tools()
        single = await _race(clients)
        load = {}
        for name, client in clients.items():
            load[name] = await _load(client, processes[name])
        return single, load


async def _race(clients):
    """As `race`, one call each in turn."""
    best = dict.fromkeys(clients, float("inf"))
    names = list(clients)
    for _ in range(ROUNDS):
        names.append(names.pop(0))
        for name in names:
            start = perf_counter()
            await clients[name].call_tool("measure", {"path": "12345"})
            best[name] = min(best[name], perf_counter() - start)
    return best


async def _load(client, process):
    """Many calls at once: how many a second, and what the server's process grew by."""
    await _calls(client, WARM)
    before = process.memory_info().rss
    start = perf_counter()
    await _calls(client, CALLS)
    rate = CALLS / (perf_counter() - start)
    grown = max(0, process.memory_info().rss - before) / 1024
    return rate, f"none lost or crossed; memory +{grown:.0f} KiB"


async def _calls(client, number):
    limit = asyncio.Semaphore(AT_ONCE)

    async def one(path):
        async with limit:
            result = await client.call_tool("measure", {"path": path})
        content = result.structured_content
        if content.get("output", content)["number"] != int(path):
            raise RuntimeError(f"the answer to {path} is another's: {content}")

    await asyncio.gather(*(one(str(100_000 + index)) for index in range(number)))
