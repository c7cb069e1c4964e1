"""A tool of an operation for the OpenAI Agents SDK: copy this file. Needs openai-agents.

The SDK's own sign of a failed call is an exception: it marks the call's span in
the trace and asks `failure_error_function` what to tell the model. A tool that
merely returns a failure leaves a span without an error. The model gets the whole
document either way.
"""

from __future__ import annotations

from functools import update_wrapper
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any

from agents import FunctionTool, RunContextWrapper, default_tool_error_function, function_tool

import sobre

if TYPE_CHECKING:
    from collections.abc import Callable


def result_tool(operation: Callable[..., Any], **options: Any) -> FunctionTool:
    """The tool. `options` are those of `function_tool`, such as `name_override`."""
    if iscoroutinefunction(operation):

        async def call(*args: Any, **kwargs: Any) -> str:
            return (await operation(*args, **kwargs)).unwrap().to_json()

    else:

        def call(*args: Any, **kwargs: Any) -> str:
            return operation(*args, **kwargs).unwrap().to_json()

    update_wrapper(call, operation)
    # The SDK checks what programs get against this; the operation's own says `Result`.
    call.__annotations__ = {**call.__annotations__, "return": str}
    return function_tool(call, failure_error_function=told, **options)


def told(context: RunContextWrapper[Any], error: Exception) -> str:
    """What the model is told of an exception: a failed result's document, or the SDK's words."""
    if isinstance(error, sobre.ResultError):
        return error.result.to_json()
    return default_tool_error_function(context, error)
