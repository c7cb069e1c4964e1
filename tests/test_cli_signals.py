"""Ctrl-C and other signals: a short message, no traceback, and the right status."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from command import (
    complaint,
    document,
    finish,
    inject,
    is_full,
    opening,
    pipe_holds,
    posix,
    run,
    start,
    wait_until,
)

pytestmark = posix


def signalled(number, *words):
    """Send a signal to `sobre validate`, which waits in the middle of its standard input."""
    reader, writer = os.pipe()
    try:
        os.write(writer, b'{"success": ')
        with start(
            "validate", *words, stdin=reader, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            wait_until(lambda: pipe_holds(reader) == 0, process)
            process.send_signal(number)
            return finish(process)
    finally:
        os.close(reader)
        os.close(writer)


def test_ctrl_c_while_waiting_for_input():
    done = signalled(signal.SIGINT, "-")
    assert done.status == 130
    assert "interrupted" in complaint(done)


def test_ctrl_c_if_json_was_asked_for():
    done = signalled(signal.SIGINT, "-", "--json")
    answer = document(done)
    assert (done.status, answer["error_code"]) == (130, "interrupted")
    assert answer["meta"]["command"] == "validate"


def test_ctrl_c_while_the_answer_goes_out(tmp_path):
    (tmp_path / "big.txt").write_text("x" * 1_000_000)
    reader, writer = os.pipe()
    try:
        with start(
            "readFile", "big.txt", "--json", cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE
        ) as process:
            wait_until(lambda: is_full(writer), process)
            process.send_signal(signal.SIGINT)
            done = finish(process)
    finally:
        os.close(reader)
        os.close(writer)
    assert done.status == 130
    assert "interrupted" in complaint(done)


@pytest.mark.parametrize("words", [["readFile", "f.txt"], ["validate", "f.txt"]], ids=" ".join)
@pytest.mark.parametrize("json", [True, False])
def test_ctrl_c_in_an_operation(tmp_path, words, json):
    (tmp_path / "f.txt").write_text("text")
    code = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
    env = inject(tmp_path, code, opening("f.txt"))
    done = run(*words, *["--json"] * json, cwd=tmp_path, env=env)
    assert done.status == 130
    if json:
        assert document(done)["error_code"] == "interrupted"
    else:
        assert "interrupted" in complaint(done)


def test_ctrl_c_leaves_no_temporary_file(tmp_path):
    (tmp_path / "a.json").write_text('{"success": true, "message": "m"}')
    code = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
    env = inject(tmp_path, code, "event == 'os.rename'")
    words = ["evidence", "--success", "a.json", "--failure", "a.json", "--report", "receipt.json"]
    done = run(*words, cwd=tmp_path, env=env)
    assert done.status == 130
    assert {*os.listdir(tmp_path)} - {"receipt.json"} == {"a.json", "injected"}


def test_termination_is_quiet():
    done = signalled(signal.SIGTERM, "-")
    assert done.status in (-signal.SIGTERM, 128 + signal.SIGTERM)
    assert done.out == b""
    assert "Traceback" not in done.err
