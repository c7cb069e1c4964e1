"""How far a long operation has come: on a terminal alone, and gone at the end."""

from __future__ import annotations

import io
import os
import threading

import pytest

from command import document, finish, inject, posix, run, start
from sobre.cli import progress
from sobre.cli.progress import ProgressLine
from sobre.operations import operation


@pytest.fixture
def tree(tmp_path):
    """Four folders, one in the other, and a file in the last."""
    place = tmp_path.joinpath("tree", "1", "2", "3", "4")
    place.mkdir(parents=True)
    (place / "f").touch()
    return tmp_path / "tree"


SLOW = "import time\ntime.sleep(0.6)"
ENTERING = "event == 'os.scandir' and str(values[0]).endswith('2')"

INTERRUPTED = """
import os, signal, time
def later(event, values):
    if event == 'os.scandir' and str(values[0]).endswith('4'):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(20)
sys.addaudithook(later)
time.sleep(0.6)
"""


def with_terminal(*words, env, cwd, columns=80):
    """A run whose standard error is a terminal: how it ended, and what the terminal received."""
    import fcntl
    import struct
    import termios
    import tty

    master, slave = os.openpty()
    tty.setraw(slave)
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    received = []

    def receive():
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:
                return
            if not piece:
                return
            received.append(piece)

    reader = threading.Thread(target=receive)
    reader.start()
    try:
        with start(*words, env=env, cwd=cwd, stdout=-1, stdin=-3, stderr=slave) as process:
            os.close(slave)
            done = finish(process)
    finally:
        reader.join(10)
        os.close(master)
    return done, b"".join(received).decode()


def screen(text):
    """What stands on the terminal's lines after all was written."""
    lines, column = [""], 0
    for character in text:
        if character == "\r":
            column = 0
        elif character == "\n":
            lines.append("")
            column = 0
        else:
            lines[-1] = lines[-1][:column].ljust(column) + character + lines[-1][column + 1 :]
            column += 1
    return [line.rstrip() for line in lines]


@posix
def test_a_long_search_shows_one_line_and_takes_it_back(tree):
    env = inject(tree.parent, SLOW, ENTERING)
    done, text = with_terminal("findFiles", "--json", env=env, cwd=tree)
    assert document(done)["count"] == 1
    assert "0 matches among 3 entries of 3 folders" in text
    assert "\n" not in text
    assert text.startswith("\r0 matches")
    assert text.endswith("\r")
    assert screen(text) == [""]


@posix
def test_a_narrow_terminal_has_one_line_too(tree):
    env = inject(tree.parent, SLOW, ENTERING)
    _, text = with_terminal("findFiles", env=env, cwd=tree, columns=24)
    assert max(map(len, text.split("\r"))) < 24
    assert screen(text) == [""]


@posix
def test_a_short_search_shows_nothing(tree):
    done, text = with_terminal("findFiles", "--json", env={}, cwd=tree)
    assert (done.status, text) == (0, "")


@posix
def test_nothing_is_shown_in_a_pipe(tree):
    env = inject(tree.parent, SLOW, ENTERING)
    done = run("findFiles", env=env, cwd=tree)
    assert (done.status, done.err) == (0, "")


@posix
@pytest.mark.parametrize("words", [[], ["--json"]])
def test_an_interrupt_leaves_a_clean_line(tree, words):
    env = inject(tree.parent, INTERRUPTED, ENTERING)
    done, text = with_terminal("findFiles", *words, env=env, cwd=tree)
    assert done.status == 130
    assert "matches among" in text
    assert "Traceback" not in text
    assert screen(text) == ["sobre: The command was interrupted.", ""]
    if words:
        assert document(done)["error_code"] == "interrupted"
    else:
        assert done.out == b""


@posix
def test_warnings_come_after_it(tree):
    env = inject(tree.parent, SLOW, ENTERING)
    (tree / "1" / "g").touch()
    _, text = with_terminal("findFiles", "--max-results", "1", env=env, cwd=tree)
    assert screen(text) == ["warning: The limit is 1 result (--max-results).", ""]


# -- the line itself ----------------------------------------------------------


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test sets."""
    now = [100.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_a_shorter_text_covers_a_longer_one(clock):
    stream = io.StringIO()
    with ProgressLine(stream) as line:
        line.show("too early")
        clock[0] += 1
        line.show("a long text")
        line.show("short")
        assert screen(stream.getvalue()) == ["short"]
    assert screen(stream.getvalue()) == [""]


def test_a_terminal_that_has_gone_away_stops_nothing(clock):
    class Gone(io.StringIO):
        def flush(self):
            raise OSError(5, "Input/output error")

    with ProgressLine(Gone()) as line:
        clock[0] += 1
        line.show("text")


def test_a_library_can_listen(tree):
    told = []
    result = operation("findFiles").run({"path": str(tree), "timeout": 0.0001}, told.append)
    assert result.success
    assert all("folder" in text for text in told)


def test_an_operation_that_tells_nothing_takes_a_listener_too():
    assert operation("getCurrentDateTime").run({}, print).success


@posix
def test_what_is_found_is_harmless_on_a_terminal(tree):
    import tty

    (tree / "\x1b[31m\nname").touch()
    master, slave = os.openpty()
    tty.setraw(slave)
    try:
        done = run("findFiles", "--max-depth", "1", cwd=tree, stdout=slave)
        assert (done.status, done.err) == (0, "")
        assert os.read(master, 1000) == b"./\\x1b[31m\\nname\n"
    finally:
        os.close(slave)
        os.close(master)
