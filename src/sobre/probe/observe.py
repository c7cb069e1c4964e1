"""Running a command once and keeping what it did, as a value.

A run ends within its time and a few seconds, whatever the command does, and
leaves no process behind (`processes.run`). Its environment is the caller's,
unchanged, and is kept nowhere.
"""

from __future__ import annotations

import os
from threading import Event

from ..files import reason_of
from ..processes import Completed, Stream, run
from .waiting import Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Seconds that a command may take unless the caller sets another limit.
SECONDS = 30.0
#: Bytes of standard output that are kept and judged unless the caller sets another limit.
#: A document takes up to thirty times its size in memory while it is judged.
OUTPUT_BYTES = 2 * 1024 * 1024
#: What a terminal is called where the environment does not say.
TERM = "xterm-256color"
#: Bytes of standard error that are kept.
ERROR_BYTES = 256 * 1024


class Observation:
    """What one run of a command did.

    `words` is the command; `stdout` and `stderr` are the exact bytes, from the
    beginning, of which there were `stdout_bytes` and `stderr_bytes`. It ended
    with `status` (exit status) or by `signal` (a name), after `seconds`, or was
    ended when its `timeout` was over (`timed_out`). `unstarted` says why it did
    not start. `waited` is whether it waited for input; `pagers` are the pagers
    seen among its processes, `left` the processes that it left running,
    `held` whether one of them still held its output. `waited_at_terminal` is
    whether it waited only when it ran at a terminal.
    """

    def __init__(self, words: Sequence[str], timeout: float = SECONDS) -> None:
        self.words = list(words)
        self.timeout = timeout
        self.stdout = b""
        self.stderr = b""
        self.stdout_bytes = 0
        self.stderr_bytes = 0
        self.status: int | None = None
        self.signal: str | None = None
        self.seconds = 0.0
        self.timed_out = False
        self.unstarted: str | None = None
        self.waited = False
        self.pagers: list[str] = []
        self.left: list[str] = []
        self.held = False
        self.waited_at_terminal = False

    @property
    def cut(self) -> bool:
        """Whether there was more on standard output than was kept."""
        return self.stdout_bytes > len(self.stdout)

    @property
    def ending(self) -> str:
        """How the run ended, for a sentence about the command."""
        if self.unstarted is not None:
            return f"could not be started: {self.unstarted}"
        if self.timed_out:
            return f"did not end within {self.timeout:g} seconds"
        if self.signal is not None:
            return f"was ended by {self.signal}"
        return f"ended with exit status {self.status}"


def observe(
    words: Sequence[str],
    *,
    timeout: float = SECONDS,
    max_output: int = OUTPUT_BYTES,
    input_file: str | None = None,
    terminal: bool = False,
) -> Observation:
    """Run a command once, without a shell. It is never run again by itself.

    Without `input_file` nothing comes on its standard input: that stays open
    until the command is seen to wait for it, and then ends. With `terminal` it
    runs at a terminal of its own, and is ended when it waits for keys. What
    stops the command from starting is part of the observation. Raises `OSError`
    if the input file cannot be opened or there are no terminals.
    """
    seen = Observation(words, timeout)
    out, err = Stream(max_output), Stream(ERROR_BYTES)
    cancelled = Event()
    reader = writer = None
    if input_file is not None:
        reader = os.open(input_file, os.O_RDONLY)
    elif not terminal:
        reader, writer = os.pipe()
    watch = Watch(writer, [out, err], cancelled if terminal else None)
    try:
        done = run(
            seen.words,
            timeout=timeout,
            stdout=out,
            stderr=err,
            stdin=reader,
            terminal=terminal,
            env={**os.environ, "TERM": os.environ.get("TERM") or TERM} if terminal else None,
            cancelled=cancelled,
            watch=watch,
            whole_tree=True,
        )
    except (OSError, ValueError) as error:
        seen.unstarted = reason_of(error)
        return seen
    finally:
        if reader is not None:
            os.close(reader)
        watch.release()
    _fill(seen, done, watch)
    return seen


def _fill(seen: Observation, done: Completed, watch: Watch) -> None:
    seen.stdout, seen.stdout_bytes = done.stdout.kept, done.stdout.total
    seen.stderr, seen.stderr_bytes = done.stderr.kept, done.stderr.total
    seen.status, seen.signal = done.status, done.signal
    seen.seconds, seen.timed_out = done.seconds, done.timed_out
    seen.left, seen.held = done.left, done.stdout.held
    seen.waited = watch.conclude()
    seen.pagers = sorted(watch.pagers)
