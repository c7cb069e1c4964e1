"""Hostile servers: a probe ends in time, within its memory, alone, and says what it saw."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
import uuid

import pytest

from command import document, execute, finish, linux, start, wait_until
from odd_server import serving
from probing import CALL, rules, stdio

pytestmark = linux

PYTHON = sys.executable
#: Seconds beyond its limit in which a probe must be over, and the memory it may take.
SPARE_SECONDS, MOST_MIB = 5, 200
TIMEOUT = 4
#: A program that is sobre, and then says how much memory it took at most.
MEASURED = """
import resource, sys
from sobre.cli import main
status = main(sys.argv[1:])
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:  # Linux counts there what the process had been before it was this program.
    lines = open("/proc/self/status").read().splitlines()
    memory = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
except OSError:
    pass
print("MiB", memory // 1024, file=sys.stderr)
sys.exit(status)
"""
STDIO = (
    "hangs",
    "floods",
    "floods lines",
    "floods errors",
    "ignores signals",
    "leaves a process",
    "forks",
    "closes its input",
    "slowly",
    "deep",
    "wide",
    "endless pages",
    "many tools",
    "catastrophic pattern",
    "recursive without end",
    "noise",
    "ends at once",
)
HTTP = (
    "hangs",
    "big body",
    "endless events",
    "dripping events",
    "dripping headers",
    "deep",
    "wide",
    "endless pages",
    "many tools",
)


def measured(*words):
    """Probe, and hold the probe to its bounds."""
    begin = time.monotonic()
    words = ("probe", "mcp", *words, "--json", "--timeout", str(TIMEOUT))
    done = execute([PYTHON, "-c", MEASURED, *words], seconds=60)
    seconds = time.monotonic() - begin
    assert seconds < TIMEOUT + SPARE_SECONDS, seconds
    *notes, memory = done.err.splitlines()
    assert notes == []
    assert int(memory.removeprefix("MiB ")) < MOST_MIB
    assert len(done.out) < 2_000_000
    return document(done._replace(err=""))


def marked(mark):
    """The processes whose command line holds this mark."""
    return execute(["pgrep", "-f", mark]).out.split()


@pytest.mark.parametrize("fault", STDIO)
def test_bounds_over_stdio(fault):
    mark = f"mark-{uuid.uuid4().hex}"
    found = measured(*stdio(fault, mark), *CALL)
    assert found["details"]["findings"] or found["success"]
    assert marked(mark) == []


@pytest.mark.parametrize("fault", HTTP)
def test_bounds_over_http(fault):
    with serving(fault) as server:
        found = measured("--url", server.url)
    assert found["details"]["findings"]


@pytest.mark.parametrize("fault", ["wide", "deep"])
def test_bounds_of_events(fault):
    with serving(fault, "events") as server:
        assert measured("--url", server.url)["details"]["findings"]


def test_what_came_before_is_told():
    found = measured(*stdio("never answers"), *CALL)
    assert "server.no_answer" in rules(found)
    assert found["details"]["revisions"][0]["tools"] == 1
    assert [pair["conformant"] for pair in found["details"]["pairs"]] == [False] * 3


def test_what_a_server_wrote_to_standard_error_is_told():
    done = execute([PYTHON, "-m", "sobre", "probe", "mcp", *stdio("ends at once")])
    assert b"cannot find my configuration" in done.out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_probe_leaves_no_process(number):
    mark = f"mark-{uuid.uuid4().hex}"
    with start(
        "probe", "mcp", *stdio("hangs", "leaves a process", mark),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        # The server, not the probe, which has the mark on its command line, too.
        wait_until(
            lambda: set(marked(f"python.* hangs .*{mark}$")) - {str(process.pid).encode()}, process
        )
        process.send_signal(number)
        done = finish(process)
    assert done.status == 128 + number
    assert "interrupted" in done.err
    assert marked(mark) == []


@pytest.mark.parametrize("form", ["text", "json", "markdown", "html", "sarif", "junit"])
@pytest.mark.parametrize("faults", [("noise",), ("list error",), ("name with space", "noise")])
def test_no_terminal_escape_comes_through(faults, form):
    done = execute([PYTHON, "-m", "sobre", "probe", "mcp", *stdio(*faults), "--format", form])
    assert b"\x1b" not in done.out
    assert done.status == 1
