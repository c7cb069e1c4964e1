"""Hostile commands: a probe ends in time, within its memory, alone, and says what it saw."""

from __future__ import annotations

import signal
import subprocess
import sys
import uuid

import pytest

from command import document, execute, finish, gone, linux, posix, start, wait_until
from sobre.descendants import GRACE_SECONDS, Family, tree
from sobre.processes import Stream
from sobre.processes import run as run_process

pytestmark = linux

PYTHON = sys.executable
#: Seconds beyond its limit in which a probe must be over, and the memory it may take.
SPARE_SECONDS, MOST_MIB = 5, 200
TIMEOUT = 1
#: A program that is sobre, and then says how much memory, in MiB, and time it took itself.
MEASURED = """
import resource, sys
from sobre.cli import main
status = main(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
memory = used.ru_maxrss
try:  # Linux counts there what the process had been before it was this program.
    lines = open("/proc/self/status").read().splitlines()
    memory = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
except OSError:
    pass
print(memory // 1024, used.ru_utime + used.ru_stime, file=sys.stderr)
sys.exit(status)
"""

START = "import os, signal, subprocess, sys, time\n"
CASES = {
    "floods": "while True: os.write(1, b'x' * 65536)",
    "floods with brackets": "while True: os.write(1, b'{\"\":' * 16384)",
    "floods both": "while True: os.write(1, b'x' * 65536); os.write(2, b'y' * 65536)",
    "hangs": "time.sleep(600)",
    "hangs after a document": "print('{\"success\": true}', flush=True); time.sleep(600)",
    "ignores signals": (
        "for n in (1, 2, 3, 13, 15): signal.signal(n, signal.SIG_IGN)\n"
        "os.write(1, b'here')\nwhile True: time.sleep(1)"
    ),
    "closes its output": "os.close(1); os.close(2); time.sleep(600)",
    "writes after its request to end": (
        "signal.signal(15, lambda *_: None)\nwhile True: os.write(1, b'x'); time.sleep(0.01)"
    ),
    "nests deep": "print('[' * 1000000 + ']' * 1000000)",
    "nests objects deep": "print('{\"a\":' * 250000 + '1' + '}' * 250000)",
    "opens and never closes": "print('{\"\"\\n' * 400000)",
    "many documents": "print('{}\\n' * 600000)",
    "many values": "print('[' + ','.join(['{}'] * 690000) + ']')",
    "many values, read slowly": "print('[' + ','.join(['{}'] * 690000) + ',NaN]')",
    "long name": "print('{\"' + 'x' * 2000000 + '\": 1}')",
    "many names": "print('{' + ','.join(f'\"{n}\":1' for n in range(170000)) + '}')",
    "many numbers": 'print(\'{"success":true,"message":"m","a":[\' + \'1e5,\' * 500000 + \'1]}\')',
    "many credentials": 'print(\'"password":"hunter22",\' * 80000)',
    "many escapes": "print('\\x1b[' * 1000000)",
    "no text": "os.write(1, bytes(range(256)) * 4000)",
    "reads": "sys.stdin.read(); print('x' * 100000)",
    "forks": "for _ in range(7): os.fork()\ntime.sleep(600)",
    "forks out of its session": (
        "for _ in range(5):\n  if os.fork() == 0: os.setsid()\n"
        "print('{}', flush=True)\ntime.sleep(600)"
    ),
    "goes from process to process": (
        "while True:\n  if os.fork(): time.sleep(0.02); os._exit(0)\n  os.setsid()"
    ),
    "daemon": (
        "if os.fork() == 0:\n  os.setsid()\n  if os.fork(): os._exit(0)\n  time.sleep(600)\n"
        "print('{}')"
    ),
    "daemon that ignores signals": (
        "if os.fork() == 0:\n  os.setsid(); signal.signal(15, signal.SIG_IGN); time.sleep(600)\n"
        "print('{}')"
    ),
}


def marked(mark):
    """The processes whose command line holds this mark."""
    found = execute(["pgrep", "-f", mark])
    return found.out.split()


TWICE = [name for name in CASES if name.startswith("many")]


@pytest.mark.parametrize(
    ("name", "options"),
    [(name, ()) for name in CASES] + [(name, ("--repeat", "2")) for name in TWICE],
)
def test_bounds(name, options):
    mark = f"mark-{uuid.uuid4().hex}"
    words = [PYTHON, "-c", START + CASES[name], mark]
    options = ["--json", "--timeout", str(TIMEOUT), *options]
    done = execute([PYTHON, "-c", MEASURED, "probe", "command", *options, "--", *words], seconds=90)
    *notes, used = done.err.splitlines()
    assert notes == []
    memory, seconds = map(float, used.split())
    assert memory < MOST_MIB
    answer = document(done._replace(err=""))
    (seen,) = answer["details"]["runs"]
    assert seen["started"] is True
    # The time of the run, and that of the processor for all else: what a machine
    # takes on which nothing else runs. The one on which tests run may be busy.
    times = 2 if "--repeat" in options else 1
    assert seen["duration_ms"] / 1000 + seconds / times < TIMEOUT + SPARE_SECONDS
    assert len(done.out) < 100_000
    assert answer["details"]["findings"] or answer["success"]
    assert marked(mark) == []


def test_what_was_seen_of_a_hanging_command_is_told():
    words = [PYTHON, "-c", START + CASES["hangs after a document"]]
    done = execute(
        [PYTHON, "-m", "sobre", "probe", "command", "--json", "--timeout", "1", "--", *words]
    )
    (seen,) = document(done)["details"]["runs"]
    assert seen["timed_out"] is True
    assert seen["stated_success"] is True
    assert seen["stdout_bytes"] > 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_probe_leaves_no_process(number, tmp_path):
    text = (
        "if os.fork() == 0:\n  os.setsid()\n"
        "open(f'{os.getpid()}.pid', 'w').close()\ntime.sleep(600)"
    )
    with start(
        "probe", "command", "--", PYTHON, "-c", START + text, cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        wait_until(lambda: len(list(tmp_path.glob("*.pid"))) == 2, process)
        process.send_signal(number)
        done = finish(process)
    assert done.status == 128 + number
    assert "interrupted" in done.err
    assert all(gone(int(path.stem)) for path in tmp_path.glob("*.pid"))


@posix
def test_terminal_runs_are_bound_as_well():
    text = (
        START + "os.write(1, b'{}')\nif sys.stdout.isatty(): os.fork(); os.fork(); time.sleep(600)"
    )
    words = ["probe", "command", "--json", "--terminal", "--timeout", "1", "--", PYTHON, "-c", text]
    (seen,) = document(execute([PYTHON, "-m", "sobre", *words]))["details"]["runs"]
    assert (seen["runs"], seen["timed_out"]) == (2, False)


# -- the family ---------------------------------------------------------------


def test_children_from_before_are_left_alone():
    with subprocess.Popen(["sleep", "600"]) as before:
        try:
            done = run_process(["sh", "-c", "(setsid sleep 600 &)"], whole_tree=True)
            assert done.left == ["sleep"]
            assert before.poll() is None
            assert [one.name for one in tree(before.pid)] == ["sleep"]
        finally:
            before.kill()


def test_what_ends_by_itself_in_a_moment_was_not_left():
    seconds = GRACE_SECONDS / 5
    line = f"(setsid sleep {seconds} >/dev/null 2>&1 &)"
    assert run_process(["sh", "-c", line], whole_tree=True).left == []


def test_without_being_asked_nothing_else_is_ended():
    family = Family()
    try:
        line = "setsid sleep 600 >/dev/null 2>&1 & echo $!"
        out = Stream(100)
        assert run_process(["sh", "-c", line], stdout=out).left == []
        wait_until(lambda: [one.name for one in family.members()] == ["sleep"])
    finally:
        family.end()
        family.close()
    assert gone(int(out.kept))
