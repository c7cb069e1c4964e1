"""Probing one command line: as many runs as were asked for, and what they show together."""

from __future__ import annotations

import os

from ..pseudoterminal import open_terminal
from .command import ProbedExhibit, judge_run
from .credentials import masked_words
from .observe import OUTPUT_BYTES, SECONDS, Observation, observe
from .repeat import compare_runs, compare_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..contract.findings import Finding

#: Most times that a command is run.
MAX_RUNS = 1000


class ProbedCommand:
    """A command line with its first run, and what was found in all of its runs.

    `role` is "success" or "failure" in a pair, else "". `shown` is the command
    line with credentials masked, `runs` how often it was run.
    """

    def __init__(
        self, role: str, seen: Observation, exhibit: ProbedExhibit, shown: list[str], runs: int
    ) -> None:
        self.role = role
        self.seen = seen
        self.exhibit = exhibit
        self.shown = shown
        self.runs = runs


def probe_command(
    words: Sequence[str],
    *,
    role: str = "",
    expected: bool | None = None,
    file: str = "stdout",
    timeout: float = SECONDS,
    max_output: int = OUTPUT_BYTES,
    input_file: str | None = None,
    repeat: int = 1,
    terminal: bool = False,
    secrets: Mapping[str, bytes] | None = None,
) -> ProbedCommand:
    """Run a command `repeat` times, and with `terminal` once more at a terminal; judge it.

    The first run is the evidence. The others are compared with it, one at a
    time, and forgotten. Raises `OSError` if the input file cannot be opened or
    there are no terminals.
    """
    if terminal:  # Better to know before anything was run.
        for descriptor in open_terminal():
            os.close(descriptor)
    seen = observe(words, timeout=timeout, max_output=max_output, input_file=input_file)
    more: list[Finding] = []
    runs = 1
    while runs < repeat and seen.unstarted is None and not (seen.timed_out or more):
        again = observe(words, timeout=timeout, max_output=max_output, input_file=input_file)
        more += compare_runs(seen, again)
        runs += 1
    if terminal and seen.unstarted is None and not seen.timed_out:
        shown = observe(words, timeout=timeout, max_output=max_output, terminal=True)
        runs += 1
        more += compare_terminal(seen, shown)
        seen.pagers = sorted({*seen.pagers, *shown.pagers})
        if shown.waited and not seen.waited and not shown.pagers:
            seen.waited = seen.waited_at_terminal = True
    exhibit = judge_run(seen, expected=expected, file=file, secrets=secrets, more=more)
    return ProbedCommand(role, seen, exhibit, masked_words(words, secrets or {}), runs)
