"""Real commands, which nobody here wrote: a probe of each ends and tells the truth."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command import ROOT, document, execute, posix

sys.path.insert(0, str(ROOT / "scripts"))

from field_commands import COMMANDS, ENVIRONMENT, environment, prepare

pytestmark = posix
PAGE = ROOT / "docs" / "field-report.md"
#: What an interpreter that lies beside these programs has on its path.
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
#: Their output changes from run to run, or with what else happens on the machine.
CHANGING = {"cargo check", "curl", "findmnt", "ip addr", "lsns", "lscpu", "jc"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("field")
    prepare(place)
    return place


def by_name(command):
    return command.name


@pytest.fixture(params=COMMANDS, ids=by_name)
def command(request):
    """A command that is installed here; npm and others start only where they can."""
    if shutil.which(request.param.program, path=PATH) is None:
        pytest.skip(f"{request.param.program} is not installed")
    words = request.param.version
    done = subprocess.run(words, capture_output=True, env={**environment(), "PATH": PATH})
    if done.returncode != 0:
        pytest.skip(f"{' '.join(words)} fails: {done.stderr.decode(errors='replace')[-200:]}")
    return request.param


def probe(words, folder):
    line = [sys.executable, "-m", "sobre", "probe", "command", "--json", "--", *words]
    env = {**ENVIRONMENT, "PATH": PATH, "PYTHONPATH": str(ROOT / "src")}
    return document(execute(line, cwd=folder, env=env, seconds=120))


def test_a_failure_is_told_from_a_success(command, folder):
    good, bad = probe(command.success, folder), probe(command.failure, folder)
    (succeeded,), (failed,) = good["details"]["runs"], bad["details"]["runs"]
    if succeeded["exit_status"] != 0:
        pytest.skip(f"{command.name} cannot succeed here")
    assert failed["exit_status"] != 0
    for seen in (succeeded, failed):
        assert seen["started"]
        assert not seen["timed_out"]
        assert not seen["waited_for_input"]
        assert seen["stated_success"] in (None, seen["exit_status"] == 0)
    rules = {finding["rule"] for finding in good["details"]["findings"]}
    assert not rules & {"command.processes.left", "command.signal", "command.timeout"}


def test_the_bytes_are_those_that_the_command_writes(command, folder):
    if command.name in CHANGING:
        pytest.skip("its output changes by itself")
    env = {**environment(), "PATH": PATH}
    direct = subprocess.run(
        command.success, cwd=folder, env=env, capture_output=True, stdin=subprocess.DEVNULL
    )
    (seen,) = probe(command.success, folder)["details"]["runs"]
    assert seen["exit_status"] == direct.returncode
    assert seen["stdout_sha256"] == hashlib.sha256(direct.stdout).hexdigest()


# -- the page -----------------------------------------------------------------


def rows():
    commands, _, _ = PAGE.read_text(encoding="utf-8").partition("\n## MCP servers\n")
    lines = commands.splitlines()
    return [line.split(" | ") for line in lines if line.startswith("| `")]


def test_the_page_has_rows_that_the_table_of_commands_has():
    names = [row[0].removeprefix("| ").strip("`") for row in rows()]
    assert len(names) >= 12
    assert set(names) <= {command.name for command in COMMANDS}
    assert len(set(names)) == len(names)


def test_every_row_has_a_version_and_two_outcomes():
    for row in rows():
        assert re.search(r"\d+\.\d+", row[1]), row
        assert row[3].startswith("exit 0: "), row
        assert re.match(r"exit [1-9]\d*: ", row[4]), row


def test_every_command_of_the_page_can_be_reproduced():
    text = PAGE.read_text(encoding="utf-8")
    assert text.count("\nsobre probe command -- ") == 2 * len(rows())


def test_the_page_names_no_place_of_the_machine_that_measured():
    text = PAGE.read_text(encoding="utf-8")
    for place in (str(ROOT), os.path.expanduser("~"), "/tmp/", "/home/", "/root", ".venv"):
        assert place not in text
