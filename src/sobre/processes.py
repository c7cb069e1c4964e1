"""Running a child process: the one place that does.

No shell, a session of its own, output read as it comes with bounded memory,
and an end within bounds whatever the child does: it may flood, hang, ignore
signals, close its output early or leave it open to a process of its own.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from hashlib import sha256
from io import FileIO
from threading import Event, Thread
from time import monotonic

from .files import write_all
from .pseudoterminal import open_terminal, take_terminal
from .signals import Deferred

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .descendants import Family

#: Seconds between asking a process group to end and ending it.
TERM_SECONDS = 2.0
#: Seconds to go on reading after a command ended while another process holds its output.
HELD_SECONDS = 1.0
#: Bytes of a stream that are kept unless the caller sets another limit.
KEPT_BYTES = 1024 * 1024


class Stream:
    """What came out of one stream: all of it counted and hashed, a part of it kept.

    `kept` is the beginning, or with `tail` the end, of at most `limit` bytes;
    `total` the number of bytes there were; `held` whether reading stopped while
    another process still had the stream open.
    """

    def __init__(self, limit: int, *, tail: bool = False, show_on: int | None = None) -> None:
        self.limit = limit
        self.total = 0
        self.held = False
        self._tail = tail
        self._kept = bytearray()
        self._hash = sha256()
        self._show_on = show_on

    @property
    def kept(self) -> bytes:
        """The bytes that were kept."""
        return bytes(self._kept[max(0, len(self._kept) - self.limit) :])

    @property
    def cut(self) -> bool:
        """Whether there was more than was kept."""
        return self.total > self.limit

    @property
    def sha256(self) -> str:
        """The digest of everything that came, in lower-case hexadecimal."""
        return self._hash.hexdigest()

    def take(self, data: bytes) -> None:
        """Count, hash, keep and show what came."""
        self.total += len(data)
        self._hash.update(data)
        if self._tail:
            self._kept += data
            if len(self._kept) > self.limit + 1048576:
                del self._kept[: len(self._kept) - self.limit]
        elif len(self._kept) < self.limit:
            self._kept += data[: self.limit - len(self._kept)]
        if self._show_on is not None:
            try:
                write_all(self._show_on, data)
            except OSError:
                self._show_on = None


class Sink:
    """Where what is read from a stream goes as it comes, for someone who wants it at once."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        self.take = take
        self.held = False


class Completed:
    """How a command ended: `status` (exit status) or `signal` (its name).

    `cancelled` and `timed_out` say that it was ended, and why. `left` are the
    names of processes that it left running, if those were looked for.
    """

    def __init__(
        self,
        code: int,
        stdout: Stream,
        stderr: Stream,
        seconds: float,
        *,
        timed_out: bool,
        cancelled: bool,
        left: Sequence[str] = (),
    ) -> None:
        self.timed_out = timed_out
        self.cancelled = cancelled
        self.status = code if code >= 0 else None
        self.signal = _signal_name(-code) if code < 0 else None
        self.stdout = stdout
        self.stderr = stderr
        self.seconds = seconds
        self.left = list(left)


def run(
    command: Sequence[str],
    *,
    timeout: float | None = None,
    stdout: Stream | None = None,
    stderr: Stream | None = None,
    share_stdin: bool = False,
    stdin: int | None = None,
    terminal: bool = False,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    cancelled: Event | None = None,
    watch: Callable[[int], None] | None = None,
    whole_tree: bool = False,
) -> Completed:
    """Run a command to its end, or to the end of its time.

    `timeout` is in seconds; when it passes, or `cancelled` is set, or an
    exception such as `KeyboardInterrupt` comes, the command's whole process
    group is ended. Without `share_stdin` or a descriptor `stdin` the command
    reads from nothing; with `terminal` it reads from and writes to a terminal
    of its own (standard error stays a pipe), where the system has those.
    `watch` is called with the process id about every 50 ms while the command
    runs. With `whole_tree` all that it started is ended, too, when it has ended:
    for a program that starts nothing else meanwhile. Raises `OSError` if it
    cannot be started.
    """
    out, err = stdout or Stream(KEPT_BYTES), stderr or Stream(KEPT_BYTES, tail=True)
    start = monotonic()
    process: subprocess.Popen[bytes] | None = None
    readers: list[_Reader] = []
    left: list[str] = []
    stopping = Event()
    family = _family() if whole_tree else None
    try:
        with Deferred():  # Else what was just started could be left alone.
            process, pipes = _start(command, share_stdin, stdin, terminal, cwd, env)
            for pipe, stream in zip(pipes, (out, err), strict=True):
                readers.append(_Reader(pipe, stream, stopping))
        deadline = None if timeout is None else start + timeout
        in_time = _wait(process, readers, deadline, cancelled, watch)
        if not in_time:
            _end(process)
        if family is not None:
            left = family.linger() if in_time else []
            family.end()
        if not in_time:
            _wait(process, readers, None, None)
    except BaseException:
        if process is not None:
            _end(process)
        raise
    finally:
        stopping.set()
        if family is not None:
            family.end()
            family.close()
        for reader in readers:
            reader.close()
    gave_up = not in_time and cancelled is not None and cancelled.is_set()
    return Completed(
        process.wait(),
        out,
        err,
        monotonic() - start,
        timed_out=not in_time and not gave_up,
        cancelled=gave_up,
        left=left,
    )


def _family() -> Family:
    from .descendants import Family

    return Family()


def _start(
    command: Sequence[str],
    share_stdin: bool,
    stdin: int | None,
    terminal: bool,
    cwd: str | None,
    env: Mapping[str, str] | None,
) -> tuple[subprocess.Popen[bytes], tuple[object, object]]:
    """Start the command; the process and what its output and its error output are read from."""
    master = slave = None
    if terminal:
        master, slave = open_terminal()
    given = slave if terminal else stdin
    try:
        process = subprocess.Popen(
            list(command),
            stdin=given if given is not None else None if share_stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE if slave is None else slave,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=env,
            bufsize=0,
            start_new_session=True,
            preexec_fn=take_terminal if terminal else None,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except BaseException:
        if master is not None:
            os.close(master)
        raise
    finally:
        if slave is not None:
            os.close(slave)
    output = process.stdout if master is None else FileIO(master)
    return process, (output, process.stderr)


def _wait(
    process: subprocess.Popen[bytes],
    readers: list[_Reader],
    deadline: float | None,
    cancelled: Event | None,
    watch: Callable[[int], None] | None = None,
) -> bool:
    """Wait until the process and its output have ended; False if the time was up first."""
    ended_at: float | None = None
    pause = 0.001
    while True:
        reading = [reader for reader in readers if reader.is_alive()]
        if ended_at is None and process.poll() is not None:
            ended_at = monotonic()
        if ended_at is not None:
            if not reading:
                return True
            if monotonic() - ended_at > HELD_SECONDS:
                for reader in reading:
                    reader.stream.held = True
                return True
        elif deadline is not None and monotonic() >= deadline:
            return False
        if watch is not None and ended_at is None:
            watch(process.pid)
        if cancelled is not None and cancelled.is_set():
            return False
        if reading:
            reading[0].join(0.05)
        else:  # The child closed its output and goes on.
            Event().wait(pause)
            pause = min(2 * pause, 0.05)


class _Reader(Thread):
    """Reads one pipe to its end, or until it is told to stop."""

    def __init__(self, pipe: object, stream: Stream | Sink, stopping: Event) -> None:
        super().__init__(daemon=True)
        self.pipe = pipe
        self.stream = stream
        self.stopping = stopping
        self.start()

    def run(self) -> None:
        descriptor: int = self.pipe.fileno()  # type: ignore[attr-defined]
        ready = _readiness(descriptor)
        while not self.stopping.is_set():
            if not ready():
                continue
            try:
                data = os.read(descriptor, 65536)
            except OSError:
                return
            if not data:
                return
            self.stream.take(data)

    def close(self) -> None:
        """Close the pipe, if reading it has ended."""
        self.join(0.5)
        if not self.is_alive():
            self.pipe.close()  # type: ignore[attr-defined]


def _readiness(descriptor: int) -> Callable[[], object]:
    """A function that waits a moment for data, where the system can do that with pipes."""
    if not hasattr(select, "poll"):
        return lambda: True
    poller = select.poll()
    poller.register(descriptor, select.POLLIN | select.POLLHUP)
    return lambda: poller.poll(100)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and its group: by asking first."""
    try:
        _signal_group(process, signal.SIGTERM)
        process.wait(TERM_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    finally:
        _signal_group(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    process.wait()


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    try:
        if sys.platform == "win32":
            process.terminate()
        else:
            os.killpg(process.pid, number)
    except OSError:
        pass


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
