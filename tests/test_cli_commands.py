"""The program as a whole: the documented command lines, help, versions and wrong usage."""

from __future__ import annotations

import os
import shlex
import shutil
import sys

import pytest

from command import (
    FAILURE,
    ROOT,
    SUCCESS,
    document,
    execute,
    linux,
    needs_bash,
    posix,
    run,
    shell,
    write_pair,
)
from sobre import __version__
from sobre.cli.commands import COMMANDS
from sobre.contract.schemas import schema_bytes

VALIDATE = "validate_result_contract.py"
EVIDENCE = "validate_result_contract_evidence.py"


@pytest.fixture
def checkout(tmp_path):
    """A bare checkout: sources and scripts, in a folder with a space in its name."""
    place = tmp_path / "bare checkout"
    clean = shutil.ignore_patterns("__pycache__")
    for name in ("src", "scripts"):
        shutil.copytree(ROOT / name, place / name, ignore=clean)
    return place


@pytest.fixture
def bare(tmp_path):
    """A PATH on which `python` knows no installed package, sobre included."""
    place = tmp_path / "bin"
    place.mkdir()
    python = place / "python"
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -S "$@"\n')
    python.chmod(0o755)
    return f"{place}{os.pathsep}{os.environ['PATH']}"


# -- the command lines that the documentation promises ------------------------


@posix
def test_a_result_piped_into_the_validator(checkout, bare):
    line = """python -m sobre getCurrentDateTime --output-format iso --json \\
      | python scripts/validate_result_contract.py -"""
    done = execute(["sh", "-c", line], cwd=checkout, env={"PATH": bare, "PYTHONPATH": "src"})
    assert done == (0, b"-: conforms\n", "")


@posix
@pytest.mark.parametrize(("data", "status"), [(SUCCESS, 0), (FAILURE, 0), (b"[]", 1)])
def test_a_file_validated_by_the_script(checkout, bare, data, status):
    (checkout / "result.json").write_bytes(data)
    line = "python scripts/validate_result_contract.py result.json --json"
    done = execute(["sh", "-c", line], cwd=checkout, env={"PATH": bare})
    assert document(done)["details"]["files"] == [
        {"file": "result.json", "conformant": status == 0}
    ]
    assert done.status == status


@posix
@pytest.mark.parametrize("conforms", [True, False])
def test_a_pair_bound_by_the_script(checkout, bare, conforms):
    line = """python scripts/validate_result_contract_evidence.py --profile core \\
      --success evidence/success.json --failure evidence/failure.json \\
      --report evidence/qzx-conformance.json"""
    folder = checkout / "evidence"
    folder.mkdir()
    write_pair(folder, failure=FAILURE if conforms else SUCCESS)
    done = execute(["sh", "-c", line], cwd=checkout, env={"PATH": bare})
    assert done.status == (0 if conforms else 1), done
    assert (folder / "qzx-conformance.json").is_file()
    assert b"Receipt: evidence/qzx-conformance.json\n" in done.out
    assert done.err == ""


@pytest.mark.parametrize("script", [VALIDATE, EVIDENCE])
def test_scripts_are_wrong_usage_when_used_wrongly(checkout, tmp_path, script):
    words = [sys.executable, "-S", str(checkout / "scripts" / script), "--bogus"]
    assert execute(words, cwd=tmp_path).status == 2


def test_scripts_run_from_another_folder(checkout, tmp_path):
    write_pair(tmp_path)
    script = str(checkout / "scripts" / VALIDATE)
    done = execute([sys.executable, "-S", script, "success.json"], cwd=tmp_path)
    assert done == (0, b"success.json: conforms\n", "")


@posix
def test_scripts_run_through_a_symbolic_link(checkout, tmp_path):
    write_pair(tmp_path)
    link = tmp_path / "check.py"
    link.symlink_to(checkout / "scripts" / VALIDATE)
    done = execute([sys.executable, "-S", str(link), "success.json"], cwd=tmp_path)
    assert done == (0, b"success.json: conforms\n", "")


# -- help and version ---------------------------------------------------------


@pytest.mark.parametrize("word", ["--help", "-h", "help"])
def test_overview_lists_every_command(word):
    done = run(word)
    assert (done.status, done.err) == (0, "")
    for name in COMMANDS:
        assert f"  {name} ".encode() in done.out


@pytest.mark.parametrize("word", ["--version", "-V"])
def test_version(word):
    assert run(word) == (0, f"sobre {__version__}\n".encode(), "")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command(command):
    done = run(command, "--help")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"usage: sobre {command}".encode())


@pytest.mark.parametrize("name", ["contract", "receipt"])
def test_schemas_are_printed_byte_for_byte(name):
    assert run("schema", name) == (0, schema_bytes(name), "")


# -- wrong usage --------------------------------------------------------------

WRONG = [
    ["validate", "--bogus"],
    ["validate", "--max-bytes", "0", "x.json"],
    ["validate", "--max-bytes", "many", "x.json"],
    ["validate", "--max-bytes", "-5", "x.json"],
    ["validate", "--max-bytes", "9" * 5000, "x.json"],
    ["validate", "-", "-"],
    ["validate", "--js", "x.json"],
    ["evidence"],
    ["evidence", "--success", "x"],
    ["evidence", "--profile", "nonsense", "--success", "x", "--failure", "y"],
    ["evidence", "--success", "-", "--failure", "x"],
    ["evidence", "--success", "x", "--failure", "y", "--report", "-"],
    ["verify"],
    ["verify", "one", "two"],
    ["getCurrentDateTime", "--output-format", "roman"],
    ["getCurrentDateTime", "extra"],
    ["readFile"],
    ["readFile", "one", "two"],
    ["readFile", "one", "--max-bytes", "1.5"],
    ["schema", "nonsense"],
    ["nonsense"],
    ["--bogus"],
]


@pytest.mark.parametrize("words", WRONG, ids=" ".join)
def test_wrong_usage_says_why(words):
    done = run(*words)
    assert (done.status, done.out) == (2, b"")
    assert done.err.strip()
    assert "Traceback" not in done.err


@pytest.mark.parametrize("words", [w for w in WRONG if w[0] != "schema"], ids=" ".join)
def test_wrong_usage_is_one_document_if_json_was_asked_for(words):
    done = run(*words, "--json")
    answer = document(done)
    assert (done.status, answer["error_code"]) == (2, "usage_error")
    assert done.err.strip()


def test_nothing_at_all_is_wrong_usage():
    done = run()
    assert (done.status, done.out) == (2, b"")
    assert "usage: sobre COMMAND" in done.err


def test_json_alone_is_wrong_usage_in_one_document():
    done = run("--json")
    assert document(done)["error_code"] == "usage_error"
    assert done.status == 2


@posix
@pytest.mark.parametrize("word", [b"--\xff", b"--\xed\xa0\x80", b"--\x1b[31m", b"--a\nb"])
def test_wrong_usage_in_any_bytes_is_still_one_document(word):
    done = run("validate", "--json", word)
    assert document(done)["error_code"] == "usage_error"
    assert done.status == 2


@posix
@pytest.mark.parametrize("words", [["validate"], ["nonsense"], []], ids=str)
def test_wrong_usage_shows_no_control_characters(words):
    done = run(*words, b"--\x1b[31m\xc2\x9b\x07")
    assert done.status == 2
    assert not {"\x1b", "\x9b", "\x07"} & set(done.err), ascii(done.err)


def test_options_may_stand_between_files(tmp_path):
    write_pair(tmp_path)
    done = run("validate", "success.json", "--json", "failure.json", cwd=tmp_path)
    assert len(document(done)["details"]["files"]) == 2


# -- where words end ----------------------------------------------------------


def test_a_file_named_like_an_option(tmp_path):
    (tmp_path / "--json").write_bytes(SUCCESS)
    done = run("validate", "--", "--json", cwd=tmp_path)
    assert (done.status, done.out.strip()) == (0, b"--json: conforms")


@needs_bash
@linux
def test_process_substitution_is_a_file(tmp_path):
    write_pair(tmp_path)
    line = '"$@" --json <(cat success.json) <(cat failure.json)'
    done = shell(line, "validate", program="bash", cwd=tmp_path)
    assert [row["conformant"] for row in document(done)["details"]["files"]] == [True, True]
