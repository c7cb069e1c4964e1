"""A Pydantic AI tool of an operation: copy this file. Needs pydantic-ai-slim 2.

Pydantic AI's own signs of a failed call are two exceptions. `ToolFailed` tells the
model and lets the run go on: the part's `outcome` is "failed". `ModelRetry` asks
the model to call again with other arguments, and ends the run when it has done so
too often. Which of them a failure is depends on its code: say which codes the
model can put right. The content is the whole document in any case.
"""

from __future__ import annotations

from functools import update_wrapper
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any

from pydantic_ai import ModelRetry, Tool, ToolFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    import sobre


def result_tool(
    operation: Callable[..., Any], *, retry: Container[str] = (), **options: Any
) -> Tool[Any]:
    """The tool. `retry` holds the error codes to try again on; `options` are those of `Tool`."""

    def told(result: sobre.Result) -> str:
        if result.success:
            return result.to_json()
        raise (ModelRetry if result.error_code in retry else ToolFailed)(result.to_json())

    if iscoroutinefunction(operation):

        async def call(*args: Any, **kwargs: Any) -> str:
            return told(await operation(*args, **kwargs))

    else:

        def call(*args: Any, **kwargs: Any) -> str:
            return told(operation(*args, **kwargs))

    update_wrapper(call, operation)
    call.__annotations__ = {**call.__annotations__, "return": str}
    return Tool(call, **options)
