"""Start-up: whole commands against the bare interpreter.

The package is built as a wheel and installed by pip, with its bytecode, into an
environment of its own: what a person has after `pip install sobre`, and not the
development environment with its links and hooks. The bare interpreter is the
one of that environment.
"""

import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from rows import Row
from timing import race

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 60

_BARE = "python -c pass"
_EVIDENCE = "evidence --success success.json --failure failure.json"
#: Command -> the goal: at most so many times as long as the bare interpreter.
_COMMANDS: dict[str, float | None] = {
    "validate success.json": 2.2,
    "getCurrentDateTime --json": 2.6,
    "readFile success.json --json": None,
    _EVIDENCE: None,
    "verify receipt.json": None,
}
_DOCUMENTS = {
    "success": {"success": True, "message": "Copied one file.", "meta": {"schema_version": 1}},
    "failure": {"success": False, "message": "Not copied.", "error_code": "path_not_found"},
}
_COUNT = (
    "import sys; before = len(sys.modules); from sobre.cli import main; main(sys.argv[1:]); "
    "sys.stderr.write(str(len(sys.modules) - before))"
)
_VERSION = "import platform as p; print(p.python_implementation(), p.python_version(), end='')"


class _Environment:
    """An installed sobre and a folder to run it in, away from PYTHON* variables."""

    def __init__(self, interpreter: str, folder: Path) -> None:
        scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        self.python = str(scripts / "python")
        self.sobre = str(scripts / "sobre")
        self.work = folder / "work"
        self.work.mkdir()
        self.variables = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        wheel = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
        self.run(wheel, cwd=ROOT, stderr=subprocess.DEVNULL)
        self.run([interpreter, "-m", "venv", "--without-pip", str(folder / "venv")])
        pip = [sys.executable, "-m", "pip", "--python", self.python, "install", "-qq"]
        self.run([*pip, "--no-deps", "--no-index", str(next(folder.glob("*.whl")))])
        for name, document in _DOCUMENTS.items():
            (self.work / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")

    def run(self, command: list[str], **options: object) -> None:
        subprocess.run(
            command,
            check=True,
            **{"cwd": self.work, "env": self.variables, "stdout": subprocess.DEVNULL, **options},
        )

    def modules(self, words: list[str]) -> int:
        """How many modules a command imports that the bare interpreter does not."""
        with open(self.work / "modules", "w+b") as file:
            self.run([self.python, "-c", _COUNT, *words], stderr=file)
            file.seek(0)
            return int(file.read())

    def version(self) -> str:
        with open(self.work / "version", "w+b") as file:
            self.run([self.python, "-c", _VERSION], stdout=file)
            file.seek(0)
            return file.read().decode()


def startup_rows(interpreter: str) -> list[Row]:
    """A row for each command, with the interpreter at this path."""
    with tempfile.TemporaryDirectory(prefix="sobre-bench-") as folder:
        place = _Environment(interpreter, Path(folder))
        commands = {_BARE: [place.python, "-c", "pass"]}
        commands |= {words: [place.sobre, *words.split()] for words in _COMMANDS}
        # Once with a receipt, for verify. Timed without: that would be to time the disk.
        place.run([*commands[_EVIDENCE], "--report", "receipt.json"])
        contestants = {name: partial(place.run, words) for name, words in commands.items()}
        seconds = race(contestants, ROUNDS)
        return [
            Row(
                f"Start-up, {place.version()}: milliseconds",
                f"sobre {'evidence ...' if words is _EVIDENCE else words}",
                seconds[words] * 1e3,
                _BARE,
                seconds[_BARE] * 1e3,
                at_most=goal,
                note=f"{place.modules(words.split())} modules imported",
            )
            for words, goal in _COMMANDS.items()
        ]
