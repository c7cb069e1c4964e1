"""Running the command line as its users do: in a process of its own."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from sobre import check, read

ROOT = Path(__file__).resolve().parent.parent
#: No command here takes longer, unless it hangs.
SECONDS = 30

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX files, signals or descriptors")
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's /dev or /proc")
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")

SUCCESS = b'{"success": true, "message": "It worked.", "output": [1, 2.50, "\xc3\xa9"]}\n'
FAILURE = b'{"success": false, "message": "It did not.", "error_code": "not_today"}\n'


class Done(NamedTuple):
    """How a process ended, and what it wrote."""

    status: int
    out: bytes
    err: str


def environment(**changes):
    """The environment without what would change an interpreter; None takes a variable out."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    kept.update(changes)
    return {name: value for name, value in kept.items() if value is not None}


def execute(words, *, env=None, seconds=SECONDS, **options):
    """Run a program to its end, with nothing to read unless `input` or `stdin` says so."""
    if "input" not in options:
        options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    done = subprocess.run(words, env=environment(**(env or {})), timeout=seconds, **options)
    return Done(done.returncode, done.stdout or b"", _text(done.stderr or b""))


def run(*words, **options):
    """Run `sobre` with these words."""
    return execute([sys.executable, "-m", "sobre", *words], **options)


def start(*words, env=None, **options):
    """Start `sobre` and go on; the caller ends it (`with start(...) as process`)."""
    return subprocess.Popen(
        [sys.executable, "-m", "sobre", *words], env=environment(**(env or {})), **options
    )


def finish(process, seconds=SECONDS):
    """Wait for a started process; one that hangs is killed, and the test fails."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return Done(process.returncode, out or b"", _text(err or b""))


def shell(line, *words, program="sh", **options):
    """Run one shell line; `"$@"` in it is `sobre` with these words."""
    python = [sys.executable, "-m", "sobre", *words]
    return execute([program, "-c", line, program, *python], **options)


def document(done, *, crashed=False):
    """The one contract object on standard output, which agrees with the exit status.

    Only a crash, of an operation or our own, may tell its traceback on standard error.
    """
    assert crashed or "Traceback" not in done.err, done.err
    assert done.out.endswith(b"\n"), done
    assert done.out.count(b"\n") == 1, done.out
    value = read(done.out)
    assert check(value) == [], done.out
    assert value["success"] is (done.status == 0), done
    return value


def complaint(done):
    """The one line on standard error with which a command ended; it wrote nothing else."""
    assert done.out == b""
    assert done.err.endswith("\n"), done
    assert done.err.count("\n") == 1, done.err
    assert done.err.startswith("sobre: "), done.err
    return done.err


def write_pair(folder, success=SUCCESS, failure=FAILURE):
    """An evidence pair in a folder, as success.json and failure.json."""
    (folder / "success.json").write_bytes(success)
    (folder / "failure.json").write_bytes(failure)


def make_device(folder):
    """A character device. Root gets one of its own, so that no defect can harm the real ones."""
    if os.geteuid() != 0:
        return "/dev/full"
    path = str(folder / "device")
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 7))
    return path


def powerless():
    """Options for a process that may not read or write past permissions, even if we are root."""
    if os.geteuid() != 0:
        return {}
    if sys.platform != "linux":
        pytest.skip("root is refused nothing")
    return {"preexec_fn": _drop_overrides}


def _drop_overrides():
    import ctypes

    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def limited(**limits):
    """Options for a process under resource limits, such as `AS=2**29` for its memory."""

    def set_limits():
        import resource

        for name, value in limits.items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))

    return {"preexec_fn": set_limits}


def inject(folder, code, when):
    """An environment in which sobre runs `code` once, at the moment that `when` describes.

    `when` is an expression over an audit event: its name `event` and its `values`.
    Code that raises does so out of whatever the event reports.
    """
    place = folder / "injected"
    place.mkdir()
    lines = "\n".join(f"    {line}" for line in code.strip().splitlines())
    (place / "sitecustomize.py").write_text(
        "import sys\n"
        "done = []\n"
        f"def act():\n{lines}\n"
        "def hook(event, values):\n"
        f"    if not done and {when}:\n"
        "        done.append(1)\n"
        "        act()\n"
        "sys.addaudithook(hook)\n",
        encoding="utf-8",
    )
    return {"PYTHONPATH": str(place)}


def opening(name):
    """The moment at which a file of this name is opened, for `inject`."""
    return f"event == 'open' and str(values[0]).endswith({name!r})"


def pipe_holds(descriptor):
    """How many bytes a pipe holds that nobody has read yet."""
    import fcntl
    import struct
    import termios

    (count,) = struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, b"\0" * 4))
    return count


def is_full(descriptor):
    """Whether a pipe takes no more before somebody reads from it."""
    from select import select

    return select([], [descriptor], [], 0)[1] == []


def wait_until(condition, process=None):
    """Look again and again until something holds, for as long as the process lives."""
    import time

    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        assert process is None or process.poll() is None, "the process ended before"
        time.sleep(0.001)


def _text(data):
    return data.decode("utf-8", "backslashreplace")


def gone(pid):
    """Whether a process ends within a few seconds; one that was killed takes a moment."""
    deadline = time.monotonic() + SECONDS
    while _alive(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def _alive(pid):
    """Whether a process is there and has not ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
