"""Running one operation: whatever happens, a conforming result comes out."""

from __future__ import annotations

from time import perf_counter_ns

from ..contract.convert import to_json_value
from ..contract.result import Result, conforming, failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def perform(command: str, function: Callable[[], Any]) -> Result:
    """Call a function that returns a result, and complete the result's `meta`.

    `meta.command`, `meta.schema_version` and `meta.duration_ms` (monotonic
    clock) are set where the function did not set them. What does not conform
    becomes `invalid_result_contract`, an exception `unexpected_error` with its
    text and no traceback, which goes to the `sobre` logger. `KeyboardInterrupt`
    and `SystemExit` pass.
    """
    start = perf_counter_ns()
    try:
        outcome = function()
    except Exception as error:
        from logging import getLogger

        getLogger("sobre").debug("%s raised", command, exc_info=True)
        outcome = failure(
            f"{command} ended with an unexpected error.",
            error=f"{type(error).__name__}: {error}"
            if str(error).strip()
            else type(error).__name__,
            error_code="unexpected_error",
        )
    meta = {
        "command": command,
        "duration_ms": round((perf_counter_ns() - start) / 1e6, 3),
        "schema_version": 1,
    }
    result = conforming(outcome)
    document = {name: result[name] for name in result}
    document["meta"] = {**meta, **result.meta}
    return Result(to_json_value(document))
