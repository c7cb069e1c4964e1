"""The command-line profile (specification section 3), held against everything.

Standard output holds one document or nothing, whatever runs meanwhile and
whatever it is connected to; the exit status agrees with the document.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import pytest

from command import (
    complaint,
    document,
    execute,
    finish,
    inject,
    is_full,
    linux,
    opening,
    posix,
    run,
    shell,
    start,
    wait_until,
    write_pair,
)
from sobre import read

# -- noise --------------------------------------------------------------------

CHILD = '[sys.executable, "-S", "-c", "print(\'NOISE\')"]'

#: What may write to standard output while a command runs.
NOISE = {
    "print": "print('NOISE')",
    "print without a line feed": "print('NOISE', end='')",
    "the first sys.stdout": "sys.__stdout__.write('NOISE')",
    "the first sys.stdout, flushed": "print('NOISE', file=sys.__stdout__, flush=True)",
    "its buffer": "sys.__stdout__.buffer.write(b'NOISE')",
    "another writer of the descriptor": "open(1, 'w', closefd=False).write('NOISE')",
    "the descriptor": "import os; os.write(1, b'NOISE')",
    "the device": "open('/dev/stdout', 'w').write('NOISE')",
    "a shell": "import os; os.system('echo NOISE')",
    "a child": f"import subprocess; subprocess.run({CHILD})",
    "a child that outlives us": f"import subprocess; subprocess.Popen({CHILD})",
    "a fork": "import os\nif not os.fork():\n    os.write(1, b'NOISE')\n    os._exit(0)",
    "C, in its buffer": "import ctypes; ctypes.CDLL(None).puts(b'NOISE')",
    "C, formatted": "import ctypes; ctypes.CDLL(None).printf(b'NOISE %d', 7)",
    "C, flushed": "import ctypes; c = ctypes.CDLL(None); c.puts(b'NOISE'); c.fflush(None)",
    "the end of the interpreter": "import atexit; atexit.register(print, 'NOISE')",
    "the end, by its descriptor": "import atexit, os; atexit.register(os.write, 1, b'NOISE')",
    "a thread that goes on": (
        "import threading\n"
        "threading.Thread(target=lambda: [print('NOISE') for _ in range(3000)]).start()"
    ),
    "a warning": "import warnings; warnings.warn('NOISE')",
    "a log": "import logging; logging.basicConfig(stream=sys.stdout); logging.error('NOISE')",
    "a stolen sys.stdout": "sys.stdout = sys.__stdout__; print('NOISE')",
    "a lot": "print('NOISE' * 100_000)",
}
#: Every kind at once that leaves the process as it was.
LOUD = "\n".join(NOISE[kind] for kind in ("print", "the descriptor", "a shell", "C, in its buffer"))


@posix
@pytest.mark.parametrize("code", NOISE.values(), ids=NOISE)
def test_noise_goes_to_standard_error(tmp_path, code):
    (tmp_path / "loud.txt").write_text("quiet")
    env = inject(tmp_path, code, opening("loud.txt"))
    done = run("readFile", "loud.txt", "--json", cwd=tmp_path, env=env)
    answer = document(done)
    assert (answer["success"], answer["output"]) == (True, "quiet")
    assert "NOISE" in done.err


@posix
@pytest.mark.parametrize(
    "code",
    ["sys.stdout.close()", "import os; os.close(1)", "sys.stdout = None", "sys.stderr = None"],
)
def test_an_operation_that_breaks_the_streams(tmp_path, code):
    (tmp_path / "loud.txt").write_text("quiet")
    env = inject(tmp_path, code, opening("loud.txt"))
    done = run("readFile", "loud.txt", "--json", cwd=tmp_path, env=env)
    assert document(done)["output"] == "quiet"


@posix
@pytest.mark.parametrize(
    "words",
    [
        ["readFile", "success.json", "--json"],
        ["validate", "success.json", "--json"],
        ["evidence", "--success", "success.json", "--failure", "failure.json", "--json"],
        ["verify", "success.json", "--json"],
    ],
    ids=lambda words: words[0],
)
def test_every_command_keeps_its_standard_output(tmp_path, words):
    write_pair(tmp_path)
    env = inject(tmp_path, LOUD, opening("success.json"))
    done = run(*words, cwd=tmp_path, env=env)
    document(done)
    assert done.err.count("NOISE") == 4


@posix
def test_the_clock_keeps_its_standard_output(tmp_path):
    env = inject(tmp_path, LOUD, "event == 'import' and values[0] == 'datetime'")
    done = run("getCurrentDateTime", "--json", env=env)
    assert document(done)["success"] is True
    assert done.err.count("NOISE") == 4


@posix
def test_text_is_kept_clean_too(tmp_path):
    (tmp_path / "loud.txt").write_text("quiet\n")
    env = inject(tmp_path, LOUD, opening("loud.txt"))
    done = run("readFile", "loud.txt", cwd=tmp_path, env=env)
    assert (done.status, done.out) == (0, b"quiet\n")


@posix
def test_noise_stays_out_when_both_streams_are_one(tmp_path):
    """With 2>&1 the noise is there, as it was asked for, and the document is whole and last."""
    (tmp_path / "loud.txt").write_text("quiet")
    env = inject(tmp_path, NOISE["print"], opening("loud.txt"))
    done = run("readFile", "loud.txt", "--json", cwd=tmp_path, env=env, stderr=subprocess.STDOUT)
    lines = sorted(done.out.splitlines())
    assert lines[0] == b"NOISE"
    assert read(lines[1])["output"] == "quiet"


# -- crashes ------------------------------------------------------------------

CRASHES = {
    "an error": "raise RuntimeError('NOISE')",
    "an error after noise": "print('NOISE'); import os; os.write(1, b'NOISE'); 1 / 0",
    "no text": "raise RuntimeError",
    "blank text": "raise RuntimeError(' \\t ')",
    "half a surrogate pair": "raise RuntimeError('bad \\udcff name')",
    "control characters": "raise RuntimeError('\\x1b[31m\\0\\n')",
    "a very long text": "raise RuntimeError('x' * 1_000_000)",
    "no text to be had": (
        "class Odd(Exception):\n    def __str__(self):\n        raise ValueError\nraise Odd"
    ),
    "endless recursion": "def deeper():\n    return deeper() + 1\ndeeper()",
    "no memory": "raise MemoryError",
    "an exit that says success": "sys.exit()",
    "an exit with a status": "sys.exit(3)",
    "an exit with a text": "sys.exit('NOISE')",
    "a cancelled task": "import asyncio; raise asyncio.CancelledError",
}


@posix
@pytest.mark.parametrize("code", CRASHES.values(), ids=CRASHES)
def test_an_operation_that_crashes_is_a_failure(tmp_path, code):
    (tmp_path / "loud.txt").write_text("quiet")
    env = inject(tmp_path, code, opening("loud.txt"))
    done = run("readFile", "loud.txt", "--json", cwd=tmp_path, env=env)
    answer = document(done, crashed=True)
    assert done.status == 1
    assert (answer["error_code"], answer["meta"]["command"]) == ("unexpected_error", "readFile")


@posix
def test_an_operation_that_crashes_in_text(tmp_path):
    (tmp_path / "loud.txt").write_text("quiet")
    env = inject(tmp_path, "raise RuntimeError('\\x1b[31mred')", opening("loud.txt"))
    done = run("readFile", "loud.txt", cwd=tmp_path, env=env)
    assert (done.status, done.out) == (1, b"")
    assert "RuntimeError: \\x1b[31mred\n  error code: unexpected_error\n" in done.err


@posix
@pytest.mark.parametrize(
    "words",
    [
        ["validate", "success.json"],
        ["evidence", "--success", "success.json", "--failure", "failure.json"],
        ["verify", "success.json"],
    ],
    ids=lambda words: words[0],
)
def test_a_defect_of_our_own_is_a_failure_too(tmp_path, words):
    write_pair(tmp_path)
    env = inject(tmp_path, "raise RuntimeError('NOISE')", opening("success.json"))
    done = run(*words, "--json", cwd=tmp_path, env=env)
    assert document(done, crashed=True)["success"] is False
    assert done.status == 1


# -- closed streams -----------------------------------------------------------

CLOSED = [
    closed for size in (1, 2, 3) for closed in itertools.combinations(("<&-", ">&-", "2>&-"), size)
]
#: Words and the exit status when nothing is closed.
ANY_ANSWER = [
    (["readFile", "loud.txt", "--json"], 0),
    (["readFile", "missing.txt", "--json"], 1),
    (["validate", "loud.txt", "--json"], 1),
    (["validate", "--bogus", "--json"], 2),
    (["--json"], 2),
    (["--version"], 0),
]


@posix
@pytest.mark.parametrize("closed", CLOSED, ids=" ".join)
@pytest.mark.parametrize(("words", "status"), ANY_ANSWER, ids=lambda value: str(value))
def test_closed_streams(tmp_path, closed, words, status):
    (tmp_path / "loud.txt").write_text("quiet")
    env = inject(tmp_path, LOUD, opening("loud.txt"))
    done = shell(f'exec "$@" {" ".join(closed)}', *words, cwd=tmp_path, env=env)
    assert "Traceback" not in done.err
    assert b"NOISE" not in done.out
    if ">&-" in closed:
        assert done.out == b""
        assert done.status in (1, 2)
        if "2>&-" not in closed:
            assert "sobre: cannot write to standard output" in done.err
    else:
        assert done.status == status
        if "--json" in words:
            document(done)


@posix
@pytest.mark.parametrize("words", [["readFile", "missing.txt"], ["validate", "--bogus"], []])
def test_text_without_standard_error(tmp_path, words):
    done = shell('exec "$@" 2>&-', *words, cwd=tmp_path)
    assert (done.status, done.out) == (run(*words, cwd=tmp_path).status, b"")


@posix
def test_standard_input_that_is_closed_cannot_be_read():
    answer = document(shell('exec "$@" <&-', "validate", "-", "--json"))
    assert answer["error_code"] == "unreadable_input"


@posix
def test_what_is_written_stays_free_of_noise_when_all_is_closed(tmp_path):
    """A file that is opened then may get the number of a standard stream."""
    write_pair(tmp_path)
    words = ["evidence", "--success", "success.json", "--failure", "failure.json"]
    clean = run(*words, "--json", cwd=tmp_path).out
    env = inject(tmp_path, LOUD, "event == 'os.rename'")
    line = 'exec "$@" <&- >&- 2>&-'
    shell(line, *words, "--report", "receipt.json", cwd=tmp_path, env=env)
    assert read((tmp_path / "receipt.json").read_bytes()) == read(clean)


# -- streams that take nothing ------------------------------------------------


@linux
@pytest.mark.parametrize(
    "words",
    [["--version"], ["--help"], ["getCurrentDateTime"], ["getCurrentDateTime", "--json"]],
    ids=" ".join,
)
def test_a_full_disk(words):
    with open("/dev/full", "wb") as full:
        done = run(*words, stdout=full)
    assert done.status == 1
    assert "no space left" in complaint(done)


def broken_pipe():
    reader, writer = os.pipe()
    os.close(reader)
    return writer


@posix
@pytest.mark.parametrize("words", [["--version"], ["getCurrentDateTime", "--json"]], ids=" ".join)
def test_a_reader_that_left_before(words):
    writer = broken_pipe()
    try:
        done = run(*words, stdout=writer)
    finally:
        os.close(writer)
    assert done.status == 1
    assert "broken pipe" in complaint(done)


@posix
@pytest.mark.parametrize("blocking", [True, False])
def test_a_reader_that_leaves_in_the_middle(tmp_path, blocking):
    (tmp_path / "big.txt").write_text("x" * 1_000_000)
    reader, writer = os.pipe()
    os.set_blocking(writer, blocking)
    with start(
        "readFile", "big.txt", "--json", cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE
    ) as process:
        os.close(writer)
        assert os.read(reader, 10) == b'{"success"'
        os.close(reader)
        done = finish(process)
    assert done.status == 1
    assert "broken pipe" in complaint(done)


@posix
@pytest.mark.parametrize("stream", ["full", "broken"])
@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["validate", "success.json"], 0),
        (["validate", "missing.json", "--json"], 1),
        (["validate", "--bogus"], 2),
        (["validate", "--bogus", "--json"], 2),
        (["readFile", "missing.txt"], 1),
        (["readFile", "missing.txt", "--json"], 1),
        ([], 2),
    ],
    ids=lambda value: str(value),
)
def test_standard_error_that_takes_nothing(tmp_path, words, status, stream):
    write_pair(tmp_path)
    if stream == "full" and not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    writer = os.open("/dev/full", os.O_WRONLY) if stream == "full" else broken_pipe()
    try:
        done = run(*words, cwd=tmp_path, stderr=writer)
    finally:
        os.close(writer)
    assert done.status == status
    if "--json" in words:
        document(done)


@linux
def test_both_streams_full():
    with open("/dev/full", "wb") as full:
        assert run("--version", stdout=full, stderr=full).status == 1


# -- slow readers -------------------------------------------------------------


@posix
@pytest.mark.parametrize("blocking", [True, False])
def test_a_slow_reader_gets_it_all(tmp_path, blocking):
    text = "".join(f"line {number}\n" for number in range(90_000))
    (tmp_path / "big.txt").write_bytes(text.encode())
    reader, writer = os.pipe()
    os.set_blocking(writer, blocking)
    with start(
        "readFile", "big.txt", "--json", cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE
    ) as process:
        wait_until(lambda: is_full(writer), process)
        os.close(writer)
        pieces = []
        while piece := os.read(reader, 70_000):
            pieces.append(piece)
        os.close(reader)
        done = finish(process)._replace(out=b"".join(pieces))
    assert document(done)["output"] == text


# -- a library's standard output ----------------------------------------------

GIVE_BACK = """
import os, subprocess, sys
from sobre.produce.standard_output import StandardOutput
print("before")
output = StandardOutput()
stream = sys.stdout
output.take()
print("NOISE")
os.write(1, b"NOISE\\n")
os.system("echo NOISE")
if {c}:
    import ctypes
    ctypes.CDLL(None).puts(b"NOISE")
output.write(b"document\\n")
output.give_back()
output.give_back()
assert sys.stdout is stream
print("after", flush=True)
os.write(1, b"after\\n")
os.system("echo after")
"""


@posix
@pytest.mark.parametrize("c", [False, True])
def test_standard_output_is_given_back(c):
    done = execute([sys.executable, "-c", GIVE_BACK.format(c=c)])
    assert done.status == 0, done.err
    assert done.out == b"before\ndocument\nafter\nafter\nafter\n"
    assert done.err.count("NOISE") == 3 + c


@posix
def test_no_descriptor_is_left_over():
    code = """
import os
from sobre.produce.standard_output import StandardOutput
before = os.listdir("/dev/fd")
for _ in range(5):
    output = StandardOutput()
    output.take()
    output.give_back()
assert os.listdir("/dev/fd") == before
"""
    assert execute([sys.executable, "-c", code]) == (0, b"", "")
