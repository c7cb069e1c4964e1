"""The part of the field report on MCP servers: see field_report.py."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from field_servers import ENVIRONMENT, PORT, SERVERS, Server, environment, place


def probe(words: list[str], folder: Path) -> dict[str, Any]:
    """What `sobre probe mcp` says of a server, as a document."""
    done = subprocess.run(
        [sys.executable, "-m", "sobre", "probe", "mcp", "--json", *words],
        cwd=folder,
        env=environment(),
        capture_output=True,
        timeout=120,
    )
    document: dict[str, Any] = json.loads(done.stdout)
    return document


class Seen:
    """A server that was listed and perhaps called, in the words of the table."""

    def __init__(self, listed: dict[str, Any], called: dict[str, Any] | None) -> None:
        self.listed = listed["details"]
        self.called = called["details"] if called else None
        self.rules = {one["rule"] for one in self.listed["findings"]}

    @property
    def revisions(self) -> str:
        spoken = [one["revision"] for one in self.listed["revisions"] if one["spoken"]]
        return ", ".join(spoken) or "none"

    @property
    def schemas(self) -> str:
        """How many tools there are, and how many of them say what they return."""
        names = {tool["name"] for tool in self.listed["tools"]}
        missing = {
            one["file"]
            for one in self.listed["findings"]
            if one["rule"] == "mcp.output_schema.missing"
        }
        return f"{len(names - missing)} of {len(names)}"

    def call(self, role: str) -> str:
        """What came back of a call, by the findings on it."""
        if self.called is None:
            return "not called"
        found = {
            one["rule"]
            for one in self.called["findings"]
            if str(one["file"]).endswith(f"/{role}.json")
        }
        if "mcp.protocol_error" in found:
            return "a protocol error"
        flag = "`isError`"
        if role == "success":
            flag = "`isError`!" if "call.success_failed" in found else ""
        elif "call.failure_succeeded" in found:
            flag = "**a success**"
        text = "text alone" if "mcp.structured_content.missing" in found else "structured"
        if text == "structured" and "mcp.text.mismatch" in found:
            text = "structured, and other text"
        if "call.error_as_success" in found:
            text += " that tells an error"
        return f"{flag}, {text}" if flag else text

    @property
    def unknown(self) -> str:
        """How a tool that does not exist is answered."""
        if self.called is None:
            return "not called"
        rules = {one["rule"] for one in self.called["findings"]}
        return "a failure of a tool" if "call.unknown_tool" in rules else "a protocol error"

    @property
    def besides(self) -> str:
        """The other rules that were broken on the wire, or by the tools."""
        told = self.rules | {one["rule"] for one in (self.called or {}).get("findings", [])}
        shown = sorted(
            rule
            for rule in told
            if re.match(r"server\.|tool\.|mcp\.client\.|call\.output", rule)
            and rule != "server.does_not_end"  # Some servers only take their time to end.
        )
        return ", ".join(f"`{rule}`" for rule in shown)


def look(server: Server, folder: Path, port: str) -> Seen | None:
    """Probe a server, or None if it is not installed here."""
    program = server.program
    if program is None:
        return None
    options = server.options(program, port=port)
    called = probe(options, folder) if server.tool else None
    return Seen(probe(options[:2], folder), called)


def servers() -> Iterator[str]:
    """The table of MCP servers, and how to reproduce it."""
    rows: list[tuple[Server, list[str]]] = []
    with TemporaryDirectory(prefix="sobre-field-") as name, place(Path(name)) as port:
        for server in SERVERS:
            seen = look(server, Path(name), port)
            if seen is None:
                continue
            cells = [
                f"`{server.package}` ({server.source})",
                server.version,
                seen.revisions,
                seen.schemas,
                seen.call("success"),
                seen.call("failure"),
                seen.unknown,
                seen.besides,
            ]
            rows.append((server, cells))
            print(f"{server.package}: measured", file=sys.stderr)
    yield ""
    yield "## MCP servers"
    yield ""
    yield f"{len(rows)} servers, each listed in every revision of MCP that it speaks. One tool of"
    yield "each is called once so that it succeeds and once so that it fails, if that can be done"
    yield "without a network or an account, and a tool that does not exist is called, too."
    yield "*Schemas* says how many of its tools say what they return. *Found besides* are the"
    yield "[rules](../src/sobre/contract/server_rules.py) that it breaks on the wire or by its"
    yield "definitions, beside those of the contract."
    yield ""
    yield (
        "| server | version | revisions | schemas | a success | a failure | an unknown tool "
        "| found besides |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    yield from (f"| {' | '.join(cells)} |" for _, cells in rows)
    yield ""
    yield from counted([cells for server, cells in rows if server.tool])
    yield ""
    yield from reproduce([server for server, _ in rows])


def counted(rows: list[list[str]]) -> Iterator[str]:
    """What the table says in all."""
    alone = sum("text alone" in row[5] for row in rows)
    unknown = sum(row[6] == "a failure of a tool" for row in rows)
    yield f"Of the {len(rows)} that were called, {alone} tell a failure in text alone, so that a"
    yield f"program cannot tell what failed, and {unknown} answer a tool that does not exist as if"
    yield "it had failed."


def reproduce(measured: list[Server]) -> Iterator[str]:
    """The command lines, for an empty folder."""
    yield "### Reproduce it with MCP servers"
    yield ""
    yield "In an empty folder:"
    yield ""
    yield "```sh"
    yield "git init --quiet && printf '# Field\\n' > README.md"
    yield f"python3 -m http.server {PORT} --bind 127.0.0.1 &"
    yield from (f"export {name}={value}" for name, value in ENVIRONMENT.items())
    for server in measured:
        yield server.install
        runner = ["npx"] if server.source == "npm" else []
        options = server.options(*runner, server.words[0])
        yield f"sobre probe mcp {shlex.join(options[:2])}"
        if server.tool:
            yield f"sobre probe mcp {shlex.join(options)}"
    yield "```"
