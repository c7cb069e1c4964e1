"""What `sobre validate FILE` imports: a set that must not grow.

Start-up time is what a person waits for, and each of the modules below that is
ruled out costs up to a tenth of a whole start. A set can be tested; a time
cannot.
"""

from __future__ import annotations

import sys

import pytest

import sobre
from command import FAILURE, SUCCESS, execute

NEVER = {
    "dataclasses",
    "datetime",
    "hashlib",
    "importlib.metadata",
    "inspect",
    "json",
    "logging",
    "pathlib",
    "subprocess",
    "tempfile",
    "typing",
}

#: What the interpreter's own start with `site` has, or may have, already.
START = {
    "_collections_abc",
    "_stat",
    "genericpath",
    "importlib._bootstrap",
    "importlib._bootstrap_external",
    "ntpath",
    "os",
    "os.path",
    "posixpath",
    "stat",
}
#: What a verdict needs beyond that. Everything in the second part comes with
#: argparse: options are read by it, and it imports these.
NEEDED = {"__future__", "_json", "importlib"}
NEEDED |= {
    "_collections",
    "_functools",
    "_locale",
    "_operator",
    "_sre",
    "argparse",
    "collections",
    "copyreg",
    "enum",
    "errno",
    "functools",
    "gettext",
    "itertools",
    "keyword",
    "locale",
    "operator",
    "re",
    "re._casefix",
    "re._compiler",
    "re._constants",
    "re._parser",
    "reprlib",
    "types",
    "warnings",
}
# Without `site`, so that nothing an environment imports at its start is missed.
RUNNER = """
import sys
before = set(sys.modules)
sys.path.insert(0, {source!r})
from sobre.cli import main
status = main(sys.argv[1:])
print(status, *sorted(set(sys.modules) - before), file=sys.stderr)
"""


def imported(*words):
    """The standard modules that a run brings in, and its exit status."""
    source = sobre.__file__.rpartition("sobre")[0]
    runner = RUNNER.format(source=source)
    done = execute([sys.executable, "-S", "-I", "-c", runner, *words])
    status, *names = done.err.splitlines()[-1].split()
    return {name for name in names if name.partition(".")[0] != "sobre"}, int(status)


@pytest.fixture
def files(tmp_path):
    """A file that conforms, one that fails in its rules, one that is no JSON."""
    for name, data in (("good", SUCCESS), ("bad", b"{}"), ("broken", b'{"a": 1,}')):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "failure").write_bytes(FAILURE)
    return tmp_path


def test_a_verdict_imports_nothing_else(files):
    names, status = imported("validate", str(files / "good"))
    assert status == 0
    assert names - START - NEEDED == set()


def test_a_verdict_imports_nothing_slow(files):
    names, status = imported("validate", str(files / "good"))
    assert status == 0
    assert names & NEVER == set()


@pytest.mark.parametrize("name", ["bad", "broken"])
def test_the_place_of_a_violation_may_cost_json_alone(files, name):
    names, status = imported("validate", str(files / name))
    assert status == 1
    assert names & NEVER <= {"json"}


def test_json_may_bring_in_json_alone(files):
    names, status = imported("validate", str(files / "good"), "--json")
    assert status == 0
    assert names & NEVER <= {"json"}


def test_evidence_imports_little_more(files):
    words = ["--success", str(files / "good"), "--failure", str(files / "failure")]
    names, status = imported("evidence", *words)
    assert status == 0
    assert names & NEVER <= {"hashlib"}


def test_the_clock_imports_little_more():
    names, status = imported("getCurrentDateTime", "--json")
    assert status == 0
    assert names & NEVER <= {"datetime", "json"}


def test_importing_the_package_imports_nothing():
    runner = "import sys; before = set(sys.modules); sys.path.insert(0, sys.argv[1])\n"
    runner += "import sobre; print(*set(sys.modules) - before)"
    source = sobre.__file__.rpartition("sobre")[0]
    done = execute([sys.executable, "-S", "-I", "-c", runner, source])
    assert set(done.out.decode().split()) <= {"sobre", "__future__"}
