"""A GitHub runner, as far as a composite action can tell: it runs what action.yml says."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import yaml

from command import write_pair
from sobre import RECEIPT_URL, read
from sobre.contract.schemas import schema_bytes
from sobre.profiles import PROFILES

ROOT = Path(__file__).resolve().parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
SECONDS = 60

REPORT = "qzx-result-contract-conformance.json"
PAIR = {"success": "evidence/success.json", "failure": "evidence/failure.json"}
TOOL = {"tool-definition": "evidence/tool-definition.json"}
MCP = [profile for profile in PROFILES if profile != "core"]
OUTPUTS = {
    "report": REPORT,
    "conformant": "true",
    "profile": "core",
    "receipt_schema": RECEIPT_URL,
    "contract_schema_sha256": hashlib.sha256(schema_bytes("contract")).hexdigest(),
    "output_schema_mode": "not_applicable",
    "failure_kind": "none",
}

#: The commands that a runner obeys in a line of a log.
COMMANDS = {
    *("add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "error", "group"),
    *("internal-set-repo-path", "notice", "remove-matcher", "save-state", "set-env"),
    *("set-output", "stop-commands", "warning"),
}
_EXPRESSION = re.compile(r"\$\{\{\s*(.+?)\s*\}\}")


def bash():
    """The bash that a runner would take, or None. On Windows it is the one beside git."""
    if os.name != "nt":
        return shutil.which("bash")
    git = shutil.which("git")
    found = git and Path(git).parent.parent / "bin" / "bash.exe"
    return str(found) if found and found.is_file() else None


class Command(NamedTuple):
    """A workflow command, as a runner takes it out of a log."""

    name: str
    properties: dict[str, str]
    data: str


class Ran(NamedTuple):
    """How the action's own step ended, and what it told."""

    status: int
    outputs: dict[str, str]
    summary: str
    commands: list[Command]
    log: str
    out: str
    stderr: str

    @property
    def errors(self):
        """The data of every error annotation."""
        return [command.data for command in self.commands if command.name == "error"]


class Runner:
    """A job with a workspace, at a step that uses the action."""

    def __init__(self, folder, workspace="work space ñ"):
        self.workspace = folder / workspace
        self.workspace.mkdir(parents=True)
        self.temp = folder / "runner temp"
        self.temp.mkdir()

    def write(self, name, data, folder=None):
        """Put a file into the workspace, or into another folder."""
        path = (folder or self.workspace) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def receipt(self, name="qzx-result-contract-conformance.json"):
        """The document of a receipt in the workspace."""
        return read((self.workspace / name).read_bytes())

    def run(self, inputs, env=None, cwd=None, **options):
        """Run the action with these inputs, whose names are those of action.yml."""
        (step,) = [step for step in ACTION["runs"]["steps"] if "run" in step]
        assert step["shell"] == "bash"
        files = {
            name: self.temp / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")
        }
        for path in files.values():
            path.write_bytes(b"")
        script = self.temp / "script.sh"
        script.write_text(step["run"], encoding="utf-8", newline="\n")
        kept = ("COMSPEC", "HOME", "PATH", "PATHEXT", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP")
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        environment.update({name: str(path) for name, path in files.items()})
        environment.update(GITHUB_WORKSPACE=str(self.workspace), GITHUB_ACTION_PATH=str(ROOT))
        environment.update(env or {})
        environment.update(evaluated(step["env"], inputs))
        done = subprocess.run(
            [bash(), "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=cwd or self.workspace,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            **options,
        )
        out, stderr = done.stdout.decode(), done.stderr.decode()
        commands, log = obeyed(out)
        assert "Traceback" not in stderr, stderr
        outputs = parsed_outputs(files["GITHUB_OUTPUT"].read_bytes().decode())
        summary = files["GITHUB_STEP_SUMMARY"].read_bytes().decode()
        return Ran(done.returncode, outputs, summary, commands, log, out, stderr)


def evaluated(env, inputs):
    """The `env:` of a step with its expressions replaced, as GitHub replaces them."""
    assert set(inputs) <= set(ACTION["inputs"]), inputs
    values = {
        "github.action_path": str(ROOT),
        "steps.python.outputs.python-path": sys.executable,
    }
    for name, declared in ACTION["inputs"].items():
        values[f"inputs.{name}"] = inputs.get(name, declared.get("default", ""))
    return {
        name: _EXPRESSION.sub(lambda match: values[match[1]], text) for name, text in env.items()
    }


def parsed_outputs(text):
    """The outputs in the text of a GITHUB_OUTPUT file, read as the runner reads it."""
    outputs, lines = {}, iter(re.split(r"\r\n|\r|\n", text))
    for line in lines:
        if not line:
            continue
        name, heredoc, delimiter = line.partition("<<")
        if not heredoc or "=" in name:
            name, equals, value = line.partition("=")
            assert equals, line
        else:
            value = "\n".join(iter(lambda: next(lines), delimiter))
        assert name not in outputs, name
        outputs[name] = value
    return outputs


def obeyed(text):
    """The commands that a runner obeys in a log, and the lines that it only shows."""
    commands, shown, token = [], [], None
    for line in re.split(r"\r\n|\r|\n", text):
        command = _new_style(line, token) or _old_style(line)
        if token is not None:
            if command and command.name == token:
                token = None
            else:
                shown.append(line)
        elif command is None:
            shown.append(line)
        elif command.name == "stop-commands":
            token = command.data
        else:
            commands.append(command)
    assert token is None, "commands stay stopped for the steps after this one"
    return commands, "\n".join(shown)


def _new_style(line, token):
    """`::name key=value,key=value::data`, after any white space."""
    if not line.lstrip().startswith("::"):
        return None
    head, end, data = line.lstrip()[2:].partition("::")
    name, _, rest = head.partition(" ")
    if not end or name not in {*COMMANDS, token}:
        return None
    properties = {}
    for pair in filter(None, rest.split(",")):
        key, _, value = pair.partition("=")
        properties[key.strip()] = _unescaped(value, {"%3A": ":", "%2C": ","})
    return Command(name, properties, _unescaped(data, {}))


def _old_style(line):
    """`##[name key=value;key=value]data`, anywhere in a line."""
    match = re.search(r"##\[([^\] ]+)[^\]]*\](.*)", line)
    return Command(match[1], {}, match[2]) if match and match[1] in COMMANDS else None


def _unescaped(text, more):
    codes = {"%0D": "\r", "%0A": "\n", **more, "%25": "%"}
    return re.sub("|".join(codes), lambda match: codes[match[0]], text)


# -- what the tests of the action share ------------------------------------------------


def script(name):
    """A module of scripts/."""
    specification = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    path = list(sys.path)
    specification.loader.exec_module(module)
    sys.path[:] = path
    return module


def evidence(runner, profile):
    """Write the profile's evidence into the workspace; the inputs that name it."""
    folder = runner.workspace / "evidence"
    folder.mkdir()
    if profile == "core":
        write_pair(folder)
        return PAIR
    before = os.getcwd()
    try:
        assert script("make_mcp_evidence").main([PROFILES[profile], str(folder)]) == 0
    finally:
        os.chdir(before)
    return {**PAIR, **TOOL, "profile": profile}


def rewritten(runner, name, change):
    """Change a JSON file of the evidence."""
    path = runner.workspace / "evidence" / name
    document = json.loads(path.read_bytes())
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")


def operational(ran):
    """The sentence with which the action refused; it told so everywhere."""
    assert ran.status == 2, ran
    told = {"report": "", "conformant": "false", "failure_kind": "operational"}
    assert told.items() <= ran.outputs.items()
    assert set(ran.outputs) == set(OUTPUTS)
    assert ran.summary.startswith("# FAIL")
    assert ran.errors
    return ran.errors[0]
