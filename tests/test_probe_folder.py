"""The evidence folder of a probe: the exact bytes, a receipt that can be verified, a page."""

from __future__ import annotations

import hashlib
import json
import os
import sys

import pytest

from command import document, posix, powerless, run
from sobre.probe.folder import MARK
from test_probe_command import BAD, GOOD

PYTHON = sys.executable
NAMES = {"success.json", "failure.json", "qzx-conformance.json", "README.md"}


@pytest.fixture
def pair(tmp_path):
    """Options for a pair of programs in a folder, each as `print_..` files to change."""
    (tmp_path / "good.py").write_text(f"print({GOOD!r})")
    (tmp_path / "bad.py").write_text(f"import sys; print({BAD!r}); sys.exit(1)")
    success, failure = f"'{PYTHON}' good.py", f"'{PYTHON}' bad.py"
    return tmp_path, ["probe", "command", "--success", success, "--failure", failure]


def probe(pair, *options, status=0, **more):
    folder, words = pair
    done = run(*words, "--out", "out", "--json", *options, cwd=folder, **more)
    assert done.status == status, done
    return document(done)


def page(pair):
    return (pair[0] / "out" / "README.md").read_text()


def test_it_leaves_what_a_reviewer_needs(pair):
    answer = probe(pair)
    out = pair[0] / "out"
    assert set(os.listdir(out)) == NAMES
    assert (out / "success.json").read_bytes() == f"{GOOD}\n".encode()
    assert (out / "failure.json").read_bytes() == f"{BAD}\n".encode()
    assert answer["details"]["evidence"]["receipt"] == "qzx-conformance.json"
    digest = hashlib.sha256((out / "failure.json").read_bytes()).hexdigest()
    assert answer["details"]["runs"][1]["stdout_sha256"] == digest


def test_its_receipt_verifies_where_it_lies_and_where_it_is_moved(pair, tmp_path):
    probe(pair)
    (pair[0] / "out").rename(tmp_path / "moved")
    assert run("verify", "qzx-conformance.json", cwd=tmp_path / "moved").status == 0
    there = ["moved/qzx-conformance.json", "--root", "moved"]
    assert run("verify", *there, cwd=tmp_path).status == 0
    assert str(tmp_path) not in (tmp_path / "moved" / "qzx-conformance.json").read_text()


def test_the_receipt_is_the_one_that_evidence_writes(pair):
    probe(pair)
    out = pair[0] / "out"
    words = ["--success", "success.json", "--failure", "failure.json", "--report", "other.json"]
    assert run("evidence", *words, cwd=out).status == 0
    assert (out / "other.json").read_bytes() == (out / "qzx-conformance.json").read_bytes()


def test_the_page_tells_what_was_observed_and_leaves_the_rest_blank(pair):
    probe(pair)
    text = page(pair)
    assert "- Implementation:\n- Version:\n" in text
    assert "good.py" in text
    assert "It ended with exit status 1; failure.json has its" in text
    assert "Limits of the claim" in text
    assert "no endorsement" in text
    assert "Probed with: `sobre " in text


def test_the_page_tells_what_it_is_told(pair):
    probe(pair, "--implementation", "tool *x*", "--implementation-version", "1.2")
    assert "- Implementation: `tool *x*`\n- Version: `1.2`\n" in page(pair)


def test_the_page_takes_name_and_version_from_the_result(pair):
    result = {"success": True, "message": "m", "meta": {"tool": "t", "tool_version": "3"}}
    (pair[0] / "good.py").write_text(f"print({json.dumps(result)!r})")
    probe(pair)
    assert "- Implementation: `t`\n- Version: `3`\n" in page(pair)


def test_the_page_tells_what_is_wrong(pair):
    (pair[0] / "bad.py").write_text(f"print('<log>'); print({BAD!r})")
    probe(pair, status=1)
    text = page(pair)
    assert "does not conform" in text
    assert "- violation `command.stdout.before`" in text
    assert "- violation `command.exit_status`" in text
    receipt = json.loads((pair[0] / "out" / "qzx-conformance.json").read_bytes())
    assert receipt["success"] is False
    words = ["verify", "--allow-nonconformant", "qzx-conformance.json"]
    assert run(*words, cwd=pair[0] / "out").status == 0


def test_text_from_outside_stays_text_in_the_page(pair):
    (pair[0] / "good.py").write_text(
        f"print('[x](http://x.example) <img> \\x1b[1m'); print({GOOD!r})"
    )
    probe(pair, status=1)
    text = page(pair)
    assert "\x1b" not in text
    line = next(line for line in text.splitlines() if "x.example" in line)
    assert line.count("`") >= 4  # The rule, and the sentence in a code span.


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import time; time.sleep(600)", "did not end within 1 seconds"),
        (f"print({GOOD!r}, 'x' * 5000)", "--max-output"),
        ("import os; print(os.environ['MY_SECRET'])", "wrote a secret of the environment"),
        (None, "could not be started"),
    ],
)
def test_what_is_no_evidence_is_not_written(pair, program, reason):
    options = ["--timeout", "1", "--max-output", "1000"]
    if program is None:
        options += ["--success", "./missing"]
    else:
        (pair[0] / "good.py").write_text(program)
    answer = probe(pair, *options, status=1, env={"MY_SECRET": "value-4711-secret"})
    found = [one for one in answer["details"]["findings"] if "unwritten" in one["rule"]]
    assert [one["rule"] for one in found] == ["command.evidence.unwritten"]
    assert reason in found[0]["message"]
    assert answer["details"]["evidence"] is None
    assert not (pair[0] / "out").exists()


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_file_that_is_there_is_not_written_over(pair, name):
    out = pair[0] / "out"
    out.mkdir()
    (out / name).write_text("mine")
    done = run(*pair[1], "--out", "out", cwd=pair[0])
    assert done.status == 2
    assert name in done.err
    assert os.listdir(out) == [name]
    assert (out / name).read_text() == "mine"


def test_an_earlier_probe_is_written_over_if_that_is_asked_for(pair):
    probe(pair)
    assert run(*pair[1], "--out", "out", cwd=pair[0]).status == 2
    probe(pair, "--replace", "--implementation", "second")
    assert page(pair).startswith(MARK)
    assert "second" in page(pair)


def test_a_page_of_somebody_else_is_never_written_over(pair):
    (pair[0] / "out").mkdir()
    (pair[0] / "out" / "README.md").write_text("# My project\n")
    done = run(*pair[1], "--out", "out", "--replace", cwd=pair[0])
    assert done.status == 2
    assert "not written by a probe" in done.err
    assert page(pair) == "# My project\n"


def test_a_file_is_no_folder(pair):
    (pair[0] / "out").write_text("mine")
    done = run(*pair[1], "--out", "out", cwd=pair[0])
    assert (done.status, (pair[0] / "out").read_text()) == (2, "mine")


def test_the_report_is_not_written_over_the_evidence(pair):
    done = run(*pair[1], "--out", "out", "-o", "out/success.json", cwd=pair[0])
    assert done.status == 2
    assert not (pair[0] / "out").exists()


@posix
def test_a_link_is_replaced_and_not_followed(pair):
    probe(pair)
    (pair[0] / "victim").write_text("mine")
    (pair[0] / "out" / "success.json").unlink()
    (pair[0] / "out" / "success.json").symlink_to(pair[0] / "victim")
    probe(pair, "--replace")
    assert (pair[0] / "victim").read_text() == "mine"


@posix
def test_a_folder_that_takes_nothing_is_told(pair):
    (pair[0] / "closed").mkdir(mode=0o555)
    words = [*pair[1], "--out", "closed/out", "--json"]
    done = run(*words, cwd=pair[0], **powerless())
    answer = document(done)
    assert "permission denied" in answer["details"]["violations"][-1]


def test_a_credential_is_told_in_the_page_and_not_shown(pair):
    code = f"print({GOOD!r}[:-1] + ', \"password\": \"hunter2' + '-hunter2\"}}')"
    (pair[0] / "good.py").write_text(code)
    answer = probe(pair)
    assert answer["success"] is True
    assert "command.credential" in page(pair)
    assert "hunter2-hunter2" not in page(pair)
    assert "hunter2-hunter2" not in json.dumps(answer)
