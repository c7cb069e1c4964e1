"""Trying schemas from outside, each for a bounded time, in a process that may be lost."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from queue import Empty, Queue
from typing import Any

from ...conversation import Conversation
from ...json_write import compact
from .limits import TRIAL_SECONDS, Clock

# The process that needs it is another one; what is missing is told before that is started.
if find_spec("jsonschema") is None:
    raise ModuleNotFoundError("No module named 'jsonschema'", name="jsonschema")

#: Longest question whose answer is kept, in bytes, and how many of them are.
KEPT_LINE, KEPT_LINES = 8192, 4096
#: What stands for "the schema itself" where a value is expected.
NO_VALUE: Any = object()


class Untried(Exception):
    """A schema could not be tried; the argument says why."""


class Trials:
    """One process that tries schemas, started when it is first needed and anew if it is lost."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._child: Conversation | None = None
        self._answers: Queue[bytes] = Queue()
        self._part = b""
        self._known: dict[bytes, str | None] = {}

    def refusal(self, schema: Any, value: Any = NO_VALUE) -> str | None:
        """Why the value is not valid by the schema, or the schema not by its dialect, or None.

        Raises `Untried`.
        """
        job = {"schema": schema} if value is NO_VALUE else {"schema": schema, "value": value}
        line = compact(job) + b"\n"
        if line in self._known:
            return self._known[line]
        clock = Clock.of(min(TRIAL_SECONDS, self._clock.left))
        if not clock.left:
            raise Untried("there was no time left")
        try:
            child = self._child or self._start()
            child.send(line, clock.deadline)
            answer = self._answer(child, clock)
        except (OSError, Empty) as error:
            self.close()
            took = isinstance(error, (Empty, TimeoutError))
            why = f"more than {TRIAL_SECONDS:g} s" if took else "more than its process had"
            raise Untried(f"a validator took {why}") from None
        if isinstance(answer, dict):
            raise Untried(str(answer["failed"]))
        told = None if answer is None else str(answer)
        if len(line) <= KEPT_LINE and len(self._known) < KEPT_LINES:
            self._known[line] = told
        return told

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.close(0.0)
            self._child = None

    def _start(self) -> Conversation:
        self._answers, self._part = Queue(), b""
        command = [sys.executable, "-m", f"{__package__}.trial"]
        self._child = Conversation(command, self._take)
        return self._child

    def _take(self, data: bytes) -> None:
        *lines, self._part = (self._part + data).split(b"\n")
        for line in lines:
            self._answers.put(line)

    def _answer(self, child: Conversation, clock: Clock) -> Any:
        import json

        while True:
            is_open = child.open
            try:
                return json.loads(self._answers.get(timeout=min(0.05, clock.left)))
            except Empty:
                if not clock.left:
                    raise
                if not is_open and self._answers.empty():
                    raise BrokenPipeError from None
