"""A LangChain tool of an operation: copy this file. Needs langchain-core.

LangChain's own sign of a failed call is `ToolMessage.status == "error"`. A tool
that merely returns a failure gets "success" there, so a failure is raised as
the exception that LangChain has for it. The content is the whole document
either way: `sobre.Result.from_json(message.content)` is the result again.
"""

from __future__ import annotations

from functools import update_wrapper
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any

from langchain_core.tools import StructuredTool, ToolException

if TYPE_CHECKING:
    from collections.abc import Callable

    import sobre


def result_tool(operation: Callable[..., Any], **options: Any) -> StructuredTool:
    """The tool. `options` are those of `StructuredTool.from_function`, such as `name`."""
    if iscoroutinefunction(operation):

        async def call(*args: Any, **kwargs: Any) -> str:
            return told(await operation(*args, **kwargs))

    else:

        def call(*args: Any, **kwargs: Any) -> str:
            return told(operation(*args, **kwargs))

    given = {
        "coroutine" if iscoroutinefunction(operation) else "func": update_wrapper(call, operation)
    }
    return StructuredTool.from_function(**given, handle_tool_error=True, **options)


def told(result: sobre.Result) -> str:
    """The document of a success; raises for a failure, with the document as what to tell."""
    if not result.success:
        raise ToolException(result.to_json())
    return result.to_json()
