"""Timing on a machine that other work disturbs.

Contestants take turns in batches so short that many of them meet no
disturbance, and in an order that turns from round to round, so that none always
follows the same one. Each contestant's time is that of its best batch:
disturbances only ever add time. What is compared is compared within one race.
"""

import gc
from collections.abc import Callable
from time import perf_counter

ROUNDS = 160
BATCH_SECONDS = 0.001


def race(contestants: dict[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """Seconds a call takes, by contestant."""
    gc.collect()
    gc.freeze()  # What the program already holds is no work of theirs; their own garbage is.
    calls = {name: _calls_in_a_batch(function) for name, function in contestants.items()}
    best = dict.fromkeys(contestants, float("inf"))
    names = list(contestants)
    for _ in range(rounds):
        names.append(names.pop(0))
        for name in names:
            best[name] = min(best[name], _batch(contestants[name], calls[name]))
    return best


def _batch(function: Callable[[], object], calls: int) -> float:
    turns = range(calls)
    start = perf_counter()
    for _ in turns:
        function()
    return (perf_counter() - start) / calls


def _calls_in_a_batch(function: Callable[[], object]) -> int:
    function()
    return max(1, round(BATCH_SECONDS / min(_batch(function, 1) for _ in range(3))))
