"""The rows and columns of the MCP matrix: servers, clients, revisions, transports."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import contextmanager
from typing import NamedTuple

from command import ROOT, document, environment, execute, finish, run, wait_until
from mcp_wire import Relay, piped
from node_packages import MCP, node

SERVERS_HERE = ROOT / "tests" / "mcp_servers"
CLIENTS_HERE = ROOT / "tests" / "mcp_clients"
SOBRE = [sys.executable, "-m", "sobre"]
HTTP = ["--http", "127.0.0.1:0"]
#: Seconds for a client that starts a server and makes its calls.
SECONDS = 90

REVISIONS = ("2025-06-18", "2025-11-25", "2026-07-28")
TRANSPORTS = ("stdio", "http")
INVALID_PARAMS = -32602


class Call(NamedTuple):
    name: str
    arguments: dict


class Server(NamedTuple):
    """How a server is started, and what to call."""

    stdio: list
    http: list
    succeeds: Call
    fails: Call
    #: Not a completed call: the server answers with a JSON-RPC error.
    refused: Call
    code: int = INVALID_PARAMS


def _python(name, *words):
    return [sys.executable, str(SERVERS_HERE / name), *words]


SERVE = [*SOBRE, "serve", "--root", str(ROOT / "tests" / "node")]
PROXIED = _python("misbehaving.py", "fine", "errorObject", "errorTextAsSuccess")
LIMA, OSLO = {"place": "Lima"}, {"place": "Oslo"}
ABSENT = Call("absent", {})

SERVERS = {
    "serve": Server(
        SERVE,
        [*SERVE, *HTTP],
        Call("readFile", {"path": "package.json"}),
        Call("readFile", {"path": "absent.txt"}),
        ABSENT,
    ),
    # Both SDKs answer the call of an unknown tool with a completed failure.
    "sdk": Server(
        _python("sdk_middleware.py"),
        _python("sdk_middleware.py", "--http"),
        Call("weather", LIMA),
        Call("weather", OSLO),
        Call("closed", {}),
    ),
    "fastmcp": Server(
        _python("fastmcp_middleware.py"),
        _python("fastmcp_middleware.py", "--http"),
        Call("weather", LIMA),
        Call("weather", OSLO),
        Call("closed", {}),
    ),
    "proxy": Server(
        [*SOBRE, "proxy", "--", *PROXIED],
        [*SOBRE, "proxy", *HTTP, "--", *PROXIED],
        Call("fine", {}),
        Call("errorObject", {}),
        ABSENT,
    ),
}


def _python_client(name):
    return lambda: [sys.executable, str(CLIENTS_HERE / name)]


def _node_client(name):
    return lambda: [node(MCP), str(MCP / name)]


CLIENTS = {
    "python-sdk": _python_client("python_sdk.py"),
    "typescript-1": _node_client("client_1.mjs"),
    "typescript-2": _node_client("client_2.mjs"),
    "fastmcp": _python_client("fastmcp_client.py"),
}

#: What a client does not speak -> the revision that it falls back to, when it is told to.
NOT_SPOKEN = {("typescript-1", "2026-07-28"): "2025-11-25"}

CELLS = [
    (server, client, revision, transport)
    for transport in TRANSPORTS
    for server in SERVERS
    for client in CLIENTS
    for revision in REVISIONS
    if (client, revision) not in NOT_SPOKEN
]


def ask(client, job, *, seconds=SECONDS):
    """Run a client to its end, and return its document."""
    done = execute(CLIENTS[client](), input=json.dumps(job).encode(), seconds=seconds)
    assert done.status == 0, done.err
    return json.loads(done.out)


def talk(client, revision, calls, *, folder, command=None, port=None):
    """One client's conversation with a server: its document, and what went over the wire.

    The server is a command, which the client starts, or it serves HTTP on a port.
    """
    calls = [{"name": name, "arguments": arguments} for name, arguments in calls]
    job = {"revision": revision, "calls": calls}
    if command is not None:
        tee = [sys.executable, str(CLIENTS_HERE / "tee.py"), str(folder)]
        job |= {"transport": "stdio", "command": [*tee, *command]}
        return ask(client, job), list(piped(folder))
    with Relay(port) as relay:
        job |= {"transport": "http", "url": f"http://127.0.0.1:{relay.port}/mcp"}
        document = ask(client, job)
    return document, list(relay.exchanges())


def evidence(folder, revision, success, failure, tool):
    """What `sobre evidence` says of two messages and a tool definition, by their exact bytes."""
    (folder / "success.json").write_bytes(success)
    (folder / "failure.json").write_bytes(failure)
    (folder / "tool-definition.json").write_bytes(tool.encode())
    words = ["--success", "success.json", "--failure", "failure.json"]
    words += ["--tool-definition", "tool-definition.json", "--json"]
    return document(run("evidence", "--profile", f"mcp-{revision}", *words, cwd=folder))


@contextmanager
def serving(command, folder):
    """A server over HTTP, for as long as the block lasts: its port, which it says itself."""
    log = folder / "stderr"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            env=environment(),
        )
    try:
        wait_until(lambda: _address(log) or process.poll() is not None)
        assert _address(log), log.read_text("utf-8", "replace")
        yield int(_address(log)[1])
    finally:
        process.terminate()
        finish(process)


def _address(log):
    return re.search(r"http://127\.0\.0\.1:(\d+)/mcp\s", log.read_text("utf-8", "replace"))
