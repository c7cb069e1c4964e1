"""Commands that no one here wrote, with a machine-readable mode: what the field report is about.

None needs the network, and each works in the folder that `prepare` makes. A
row for another command is all that it takes to have it in the report and in the
tests, which skip what is not installed.
"""

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

#: The files of the folder in which the commands run.
FILES = {
    "package.json": '{"name": "field", "version": "1.0.0"}\n',
    "Cargo.toml": '[package]\nname = "field"\nversion = "1.0.0"\nedition = "2021"\n',
    "src/lib.rs": "pub fn one() -> u32 {\n    1\n}\n",
    "examples/bad.rs": "fn main() -> u32 {}\n",
    "good.c": "int one(void) { return 1; }\n",
    "good.py": "ONE = 1\n",
    "good.json": '{"one": 1}\n',
    "main.tf": "",
}
#: What keeps the commands from asking the network, and from greeting.
ENVIRONMENT = {
    "CARGO_NET_OFFLINE": "true",
    "CHECKPOINT_DISABLE": "1",
    "DOCKER_CONTEXT": "default",
    "NO_UPDATE_NOTIFIER": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "npm_config_offline": "true",
    "npm_config_update_notifier": "false",
}


class Command(NamedTuple):
    """A program with a command line that succeeds and one that fails.

    `version` asks it for its version; `json` says how JSON is asked for, or ""
    if the program has no such mode.
    """

    name: str
    success: list[str]
    failure: list[str]
    version: list[str]
    json: str

    @property
    def program(self) -> str:
        return self.success[0]


def _command(name: str, json: str, success: str, failure: str, version: str) -> Command:
    return Command(name, _words(success), _words(failure), _words(version), json)


def _words(line: str) -> list[str]:
    from shlex import split

    return split(line)


_PIP = "pip install --dry-run --quiet --no-index --report -"
COMMANDS = [
    _command(
        "cargo metadata",
        "--format-version 1",
        "cargo metadata --format-version 1 --offline",
        "cargo metadata --format-version 1 --offline --manifest-path missing/Cargo.toml",
        "cargo --version",
    ),
    _command(
        "cargo check",
        "--message-format json",
        "cargo check --quiet --offline --message-format json",
        "cargo check --quiet --offline --message-format json --example bad",
        "cargo --version",
    ),
    _command(
        "cmake -E capabilities",
        "always",
        "cmake -E capabilities",
        "cmake -E capabilities extra",
        "cmake --version",
    ),
    _command(
        "curl",
        "--write-out %{json}",
        "curl --silent --output /dev/null --write-out '%{json}' file:///dev/null",
        "curl --silent --output /dev/null --write-out '%{json}' file:///missing",
        "curl --version",
    ),
    _command(
        "docker context",
        "--format json",
        "docker context ls --format json",
        "docker context inspect --format json missing",
        "docker --version",
    ),
    _command("findmnt", "-J", "findmnt -J /", "findmnt -J /missing", "findmnt --version"),
    _command(
        "gcc",
        "-fdiagnostics-format=json",
        "gcc -fdiagnostics-format=json -fsyntax-only good.c",
        "gcc -fdiagnostics-format=json -fsyntax-only missing.c",
        "gcc --version",
    ),
    _command("git status", "", "git status --porcelain=v2", "git status --wrong", "git --version"),
    _command("ip addr", "-j", "ip -j addr show dev lo", "ip -j addr show dev missing", "ip -V"),
    _command("jc", "always", "jc uname -a", "jc missing", "jc --version"),
    _command(
        "json.tool of Python",
        "always",
        "python3 -m json.tool good.json",
        "python3 -m json.tool missing.json",
        "python3 --version",
    ),
    _command(
        "kubectl",
        "-o json",
        "kubectl version --client -o json",
        "kubectl create --dry-run=client -o json -f missing.yaml",
        "kubectl version --client -o yaml",
    ),
    _command("lsblk", "-J", "lsblk -J", "lsblk -J /dev/missing", "lsblk --version"),
    _command("lscpu", "-J", "lscpu -J", "lscpu -J --sysroot missing", "lscpu --version"),
    _command("lsns", "-J", "lsns -J", "lsns -J missing", "lsns --version"),
    _command(
        "mypy", "-O json", "mypy -O json good.py", "mypy -O json missing.py", "mypy --version"
    ),
    _command(
        "node",
        "-p JSON.stringify",
        "node -p 'JSON.stringify(process.versions)'",
        "node -p 'JSON.stringify(missing)'",
        "node --version",
    ),
    _command("npm ls", "--json", "npm ls --json", "npm ls missing --json", "npm --version"),
    _command(
        "npm pkg",
        "--json",
        "npm pkg get name --json",
        "npm --prefix missing pkg get name --json",
        "npm --version",
    ),
    _command("pip install", "--report -", f"{_PIP} pip", f"{_PIP} missing", "pip --version"),
    _command(
        "pip inspect", "always", "pip inspect --local", "pip inspect --wrong", "pip --version"
    ),
    _command(
        "ruff check",
        "--output-format json",
        "ruff check --no-cache --output-format json good.py",
        "ruff check --no-cache --output-format json missing.py",
        "ruff --version",
    ),
    _command(
        "rustc",
        "--error-format json",
        "rustc --error-format json --crate-type lib --emit metadata -o ok.rmeta src/lib.rs",
        "rustc --error-format json --crate-type lib --emit metadata missing.rs",
        "rustc --version",
    ),
    _command(
        "sqlite3",
        "-json",
        "sqlite3 -json :memory: 'select 1 as one'",
        "sqlite3 -json :memory: 'select missing'",
        "sqlite3 --version",
    ),
    _command(
        "terraform validate",
        "-json",
        "terraform validate -json",
        "terraform -chdir=missing validate -json",
        "terraform version",
    ),
]


def prepare(folder: Path) -> None:
    """Make the files that the commands work on, and a repository if there is git."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    try:
        subprocess.run(["git", "init", "--quiet"], cwd=folder, env=environment(), check=True)
    except (OSError, subprocess.CalledProcessError):
        pass


def environment() -> dict[str, str]:
    """The environment in which the commands run."""
    return {**os.environ, **ENVIRONMENT}
