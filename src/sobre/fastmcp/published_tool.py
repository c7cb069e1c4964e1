"""Tools as tools/list gives them, with an output schema that stays theirs."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastmcp.tools import Tool


class _KeepsOutputSchema:
    """Mixed into a tool's own class: copies keep the output schema, whatever they update.

    Each FastMCP server takes `$ref`s out of the schemas of its tools, in a
    middleware of its own that may stand further out than any other. It cannot
    follow the one to the contract, and would leave a schema that says nothing.
    """

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Any:
        kept = {name: value for name, value in (update or {}).items() if name != "output_schema"}
        return super().model_copy(update=kept, deep=deep)  # type: ignore[misc]


def with_output_schema(tool: Tool, schema: dict[str, Any]) -> Tool:
    """A copy of a tool that publishes another output schema, and of the tool's own class."""
    copy = tool.model_copy(update={"output_schema": schema})
    if isinstance(copy, _KeepsOutputSchema):  # Another such middleware stands further in.
        copy.__dict__["output_schema"] = schema
    else:
        object.__setattr__(copy, "__class__", _keeping(type(copy)))
    return copy


@lru_cache(maxsize=256)
def _keeping(kind: type[Tool]) -> type[Tool]:
    return type(kind.__name__, (_KeepsOutputSchema, kind), {"__module__": kind.__module__})
