"""The official suites: the conformance suite over HTTP, and MCP Inspector's command line.

What does not apply, and why, is in tests/node_mcp/baseline.
"""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack

import pytest

from command import execute
from mcp_table import (
    CLIENTS_HERE,
    HTTP,
    REVISIONS,
    SERVE,
    SERVERS_HERE,
    SOBRE,
    evidence,
    serving,
)
from mcp_wire import answer, definition, piped
from node_packages import MCP, node

#: Seconds for all scenarios of a revision.
SECONDS = 240
PACKAGES = MCP / "node_modules" / "@modelcontextprotocol"
EVERYTHING = [sys.executable, str(SERVERS_HERE / "everything.py"), "--http"]
BASELINES = {"serve": "serve.yml", "behind": "proxy.yml", "proxy": "proxy.yml"}


@pytest.fixture(scope="module")
def ports(tmp_path_factory):
    """The port of `sobre serve`, of a server with much to offer, or of the proxy before that."""
    with ExitStack() as stack:
        started = {}

        def port(name):
            if name not in started:
                command = {
                    "serve": lambda: [*SERVE, *HTTP],
                    "behind": lambda: EVERYTHING,
                    "proxy": lambda: [*SOBRE, "proxy", *HTTP, "--url", url("behind")],
                }[name]()
                folder = tmp_path_factory.mktemp(name)
                started[name] = stack.enter_context(serving(command, folder))
            return started[name]

        def url(name):
            return f"http://127.0.0.1:{port(name)}/mcp"

        yield url


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("name", BASELINES)
def test_the_conformance_suite_finds_only_what_does_not_apply(name, revision, ports, tmp_path):
    words = [node(MCP), "--import", (MCP / "fs_of_node_20.mjs").as_uri()]
    words += [str(PACKAGES / "conformance" / "dist" / "index.js"), "server", "--url", ports(name)]
    # The suite has no list of requirements for the oldest revision: all that it knows of it.
    scope = "--spec-version" if revision == REVISIONS[0] else "--requirements"
    words += [scope, revision, "--output-dir", str(tmp_path)]
    words += ["--expected-failures", str(MCP / "baseline" / BASELINES[name])]
    done = execute(words, seconds=SECONDS, cwd=tmp_path)
    told = done.out.decode()
    assert done.status == 0, told[told.find("=== SUMMARY") :]
    assert "all failures are expected" in told


@pytest.mark.parametrize(("era", "revision"), [("legacy", "2025-11-25"), ("modern", "2026-07-28")])
def test_the_inspector_gets_conforming_results(era, revision, tmp_path):
    listed, wire = _inspect("--method", "tools/list", era=era, folder=tmp_path)
    assert listed.status == 0, listed.err
    tool = definition(wire, "readFile")
    (shown,) = [one for one in _result(listed)["tools"] if one["name"] == "readFile"]
    assert shown["outputSchema"] == json.loads(tool)["outputSchema"]

    answers = []
    for path, outcome in (("package.json", True), ("absent.txt", False)):
        words = ["--method", "tools/call", "--tool-name", "readFile", "--tool-arg", f"path={path}"]
        called, wire = _inspect(*words, era=era, folder=tmp_path)
        # It ends with a status of its own after a result that is an error, and shows it.
        assert (called.status == 0) is outcome, called.err
        answers.append(answer(wire, "readFile", {"path": path}))
        on_the_wire = json.loads(answers[-1])["result"]["structuredContent"]
        assert _result(called)["structuredContent"] == on_the_wire
        assert on_the_wire["success"] is outcome
    judged = evidence(tmp_path, revision, *answers, tool)
    assert judged["success"] is True, judged
    assert judged["warnings"] == []


def _inspect(*words, era, folder):
    """Run the Inspector's command line, which starts `sobre serve` over pipes itself."""
    launcher = PACKAGES / "inspector" / "clients" / "launcher" / "build" / "index.js"
    wire = folder / f"wire-{len(list(folder.iterdir()))}"
    wire.mkdir()
    server = [sys.executable, str(CLIENTS_HERE / "tee.py"), str(wire), *SERVE]
    options = ["--protocol-era", era, "--format", "json", "--quiet", *words]
    home = {"HOME": str(folder), "USERPROFILE": str(folder)}  # It may keep files there.
    command = [node(MCP), str(launcher), "--cli", *server, *options]
    return execute(command, env=home, cwd=folder), list(piped(wire))


def _result(done):
    return json.loads(done.out)["result"]
