"""Write docs/field-report.md: what real programs say today about their outcomes.

Every row is measured now, by `sobre probe` on programs that are installed here;
what is missing is left out. A table of another kind is a function in SECTIONS
that gives the lines of its part.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import field_mcp
from field_commands import COMMANDS, ENVIRONMENT, FILES, Command, environment, prepare

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "field-report.md"
INTRO = """\
# Field report

What programs say today about whether they succeeded. Nobody of this project
wrote them. Each line was measured by `sobre probe` on the versions that it names;
`make field-report` measures again on what is installed where you are. None of
these programs claims to follow the contract, so nothing here is a fault of
theirs: it is what someone who calls them has to deal with.
"""


def probe(words: list[str], folder: Path) -> dict[str, Any]:
    """What `sobre probe` says of a command, as a document."""
    done = subprocess.run(
        [sys.executable, "-m", "sobre", "probe", "command", "--json", "--", *words],
        cwd=folder,
        env={**environment(), "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        timeout=120,
    )
    document: dict[str, Any] = json.loads(done.stdout)
    return document


class Run:
    """One run of a command, in the words of the table."""

    def __init__(self, document: dict[str, Any]) -> None:
        (self.seen,) = document["details"]["runs"]
        self.findings = document["details"]["findings"]
        self.rules = [finding["rule"] for finding in self.findings]

    @property
    def shape(self) -> str:
        """What stands on standard output."""
        shapes = {
            "command.stdout.empty": "nothing",
            "command.stdout.text": "text",
            "command.stderr.document": "nothing (JSON on standard error)",
            "command.stdout.documents": "several JSON documents",
            "core.type": "JSON, no object",
        }
        first = next((shapes[rule] for rule in shapes if rule in self.rules), "a JSON object")
        around = {f"command.stdout.{place}" for place in ("before", "between", "after")}
        return f"{first}, text around it" if around & set(self.rules) else first

    @property
    def told(self) -> bool | None:
        """The outcome that the document states, or that a field of it looks like."""
        if self.seen["stated_success"] is not None:
            return bool(self.seen["stated_success"])
        for finding in self.findings:
            match = re.search(r"`success` would be (true|false)", finding["message"])
            if finding["rule"] == "command.mapping" and match:
                return match[1] == "true"
        return None

    @property
    def cell(self) -> str:
        status = self.seen["exit_status"]
        told = "" if self.told is None else f"; a field says {'good' if self.told else 'bad'}"
        return f"exit {status}: {self.shape}{told}"


def commands() -> Iterator[str]:
    """The table of commands, and how to reproduce it."""
    rows, left_out = [], []
    with TemporaryDirectory(prefix="sobre-field-") as name:
        folder = Path(name)
        prepare(folder)
        for command in COMMANDS:
            if shutil.which(command.program) is None:
                left_out.append(command.name)
                continue
            rows.append(measured(command, folder))
            print(f"{command.name}: measured", file=sys.stderr)
    yield "## Commands"
    yield ""
    yield f"{len(rows)} command lines with a machine-readable mode, each once so that it succeeds"
    yield "and once so that it fails. *JSON* says how JSON is asked for."
    yield ""
    yield "| command | version | JSON | a success | a failure | who tells the outcome |"
    yield "| --- | --- | --- | --- | --- | --- |"
    yield from (f"| {' | '.join(row)} |" for _, row in rows)
    yield ""
    yield from counted([row for _, row in rows])
    yield ""
    yield from reproduce([command for command, _ in rows])


def measured(command: Command, folder: Path) -> tuple[Command, list[str]]:
    good, bad = Run(probe(command.success, folder)), Run(probe(command.failure, folder))
    how = f"`{command.json}`" if command.json.startswith("-") else command.json or "no such mode"
    name = f"`{command.name}`"
    cells = [name, version(command, folder), how, good.cell, bad.cell, teller(good, bad)]
    return command, [cell.replace("|", "\\|") for cell in cells]


def version(command: Command, folder: Path) -> str:
    """The first number with dots in what a program says of its version."""
    done = subprocess.run(
        command.version, cwd=folder, env=environment(), capture_output=True, text=True, timeout=60
    )
    found = re.search(r"\d+\.\d+(?:\.\d+)*|iproute2-[\d.]+", done.stdout + done.stderr)
    return found[0] if found else ""


def teller(good: Run, bad: Run) -> str:
    """By what a caller can tell the failure from the success."""
    if good.told is True and bad.told is False:
        return "the document"
    if bad.told is False:
        return "the document of a failure; the exit status"
    if good.seen["exit_status"] == 0 and bad.seen["exit_status"] != 0:
        return "the exit status alone"
    return "nothing"


def counted(rows: list[list[str]]) -> Iterator[str]:
    alone = sum(row[5] == "the exit status alone" for row in rows)
    empty = sum(": nothing" in row[4] for row in rows)
    numbers = sorted({re.match(r"exit (\d+)", row[4])[1] for row in rows}, key=int)  # type: ignore[index]
    yield f"Of these {len(rows)}, {alone} tell their outcome by the exit status alone, and {empty}"
    yield "write nothing to standard output when they fail. For a failure there are"
    yield f"{len(numbers)} exit statuses: {', '.join(numbers)}."


def reproduce(measured_here: list[Command]) -> Iterator[str]:
    yield "### Reproduce it"
    yield ""
    yield "In an empty folder:"
    yield ""
    yield "```sh"
    yield from (f"export {name}={value}" for name, value in ENVIRONMENT.items())
    yield "mkdir src examples && git init --quiet"
    for name, text in FILES.items():
        quoted = shlex.quote(text.replace("\n", "\\n"))
        yield f"printf {quoted} > {name}"
    for command in measured_here:
        for words in (command.success, command.failure):
            yield f"sobre probe command -- {shlex.join(words)}"
    yield "```"


#: The parts of the page, in order.
SECTIONS = [commands, field_mcp.servers]


def main() -> None:
    lines = [INTRO]
    for section in SECTIONS:
        lines += section()
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"Wrote {PAGE.relative_to(ROOT)}.", file=sys.stderr)


if __name__ == "__main__":
    main()
