"""MCP tool definitions -> definitions whose output schema holds the contract (section 4).

What a tool says of its own output becomes the domain part of a success, so
that a failure stays valid, and no official client is broken.
"""

from __future__ import annotations

from ..contract import CONTRACT_URL
from ..contract.compose import DomainSchemaError, tool_output_schema
from ..contract.output_schema import judge_output_schema
from ..contract.schema_walk import normal_uri, subschemas
from ..json_text import read
from ..json_write import compact, equal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Where both SDKs put a returned value whose annotation is not of an object alone.
WRAPPED = "result"
#: Where structured content stands in a result if it is no result itself.
OUTPUT = "output"

_FASTMCP_WRAPS = "x-fastmcp-wrap-result"
_ANNOTATIONS = {"$defs", "$schema", "default", "description", "title"}


def contract_output_schema(own: Any = None) -> tuple[dict[str, Any], str]:
    """The bundled output schema of a tool, and why its own could not be part of it, or "".

    `own` is the tool's own `outputSchema`, None if it has none. One that holds
    the contract, or restates it, describes the whole result; any other
    describes `output`, unless a result that the tool itself states, with an
    `output` of its own, fits it as well. One that was composed here before is
    left as it is, or put right if a server in between took its references out.
    """
    bare = tool_output_schema()
    if own is None:
        return bare, ""
    if not isinstance(own, dict):
        return bare, "it is not an object"
    try:
        own = _copy(own)
        # FastMCP takes these out where it mounts another server or stands before one.
        repaired = {"$ref": bare["$ref"], "$defs": bare["$defs"], **own}
        if not _is_composed(own) and _is_composed(repaired):
            own = repaired
        mode, _ = judge_output_schema(own)
        if mode == "canonical_inline" or _is_free(own) or _is_free_wrapper(own):
            return bare, ""
        if mode is None and _states_output(own):
            return bare, "it has an `output` beside `success` and `message`"
        if mode is None:
            return tool_output_schema(own, member=OUTPUT), ""
        composed = tool_output_schema(_without_copies(own))
        return (own if _is_composed(own) else composed), ""
    except DomainSchemaError as error:
        return bare, str(error)


def _is_free_wrapper(own: dict[str, Any]) -> bool:
    """Whether a schema only wraps a value, as both SDKs do, which may be any contract object."""
    properties, required = own.get("properties"), own.get("required", [])
    if not isinstance(properties, dict) or properties.keys() != {WRAPPED}:
        return False
    says_more = own.keys() - _ANNOTATIONS - {"type", "properties", "required", _FASTMCP_WRAPS}
    return not says_more and required in ([], [WRAPPED]) and _is_free(properties[WRAPPED])


def _is_free(schema: Any) -> bool:
    """Whether every contract object fits a schema, as is plain to see."""
    structural = tool_output_schema(mode="structural")
    todo = [schema]
    while todo:
        part = todo.pop()
        if part is True or equal(part, structural):
            return True
        if not isinstance(part, dict):
            continue
        said, kind = part.keys() - _ANNOTATIONS, part.get("type", "object")
        if said == {"anyOf"} and isinstance(part["anyOf"], list):
            todo += part["anyOf"]
        elif said <= {"type", "additionalProperties"}:
            is_open = part.get("additionalProperties", True) in (True, {})
            if is_open and (kind == "object" or (isinstance(kind, list) and "object" in kind)):
                return True
    return False


def _states_output(own: dict[str, Any]) -> bool:
    """Whether a schema describes results of the tool's own making that have an `output`."""
    properties = own.get("properties")
    if not isinstance(properties, dict) or not {"success", "message", OUTPUT} <= properties.keys():
        return False
    success = properties["success"]
    return isinstance(success, dict) and success.get("type") == "boolean"


def _is_composed(schema: dict[str, Any]) -> bool:
    """Whether a schema is the bundled form as this project composes it, with any domain part."""
    bare = tool_output_schema()
    if "then" not in schema:
        return equal(schema, bare)
    head = {name: value for name, value in schema.items() if name != "then"}
    return equal(head, {**bare, "if": tool_output_schema({})["if"]})


def _without_copies(schema: dict[str, Any]) -> dict[str, Any]:
    """A copy in which each embedded copy of the contract refers to the one around it."""
    copy = _copy(schema)
    for part in list(subschemas(copy)):
        if part.has_id and not part.is_root and normal_uri(part.base) == CONTRACT_URL:
            part.schema.clear()
            part.schema["$ref"] = CONTRACT_URL
    return copy


def _copy(schema: dict[str, Any]) -> dict[str, Any]:
    try:
        copy: dict[str, Any] = read(compact(schema))
    except (TypeError, ValueError) as error:
        raise DomainSchemaError(f"it cannot be written as JSON here: {error}") from None
    return copy
