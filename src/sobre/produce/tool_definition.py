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

_ANNOTATIONS = {"$defs", "$schema", "default", "description", "title"}


def contract_output_schema(own: Any = None) -> tuple[dict[str, Any], str]:
    """The bundled output schema of a tool, and why its own could not be part of it, or "".

    `own` is the tool's own `outputSchema`, None if it has none. One that holds
    the contract, or restates it, describes the whole result; any other
    describes `output`, unless a result that the tool itself states, with an
    `output` of its own, fits it as well. One that was composed here before is
    left as it is, or put right if a server in between took its references out.
    """
    if own is None or equal(own, tool_output_schema(mode="structural")):
        return tool_output_schema(), ""
    if not isinstance(own, dict):
        return tool_output_schema(), "it is not an object"
    if _is_free_wrapper(own):
        return tool_output_schema(), ""
    if _is_composed(own):
        return own, ""
    bare = tool_output_schema()
    # FastMCP takes these out where it mounts another server or stands before one.
    repaired = {"$ref": bare["$ref"], "$defs": bare["$defs"], **own}
    if _is_composed(repaired):
        return repaired, ""
    mode, _ = judge_output_schema(own)
    try:
        if mode == "canonical_inline":
            return tool_output_schema(), ""
        if mode is None and _states_output(own):
            return tool_output_schema(), "it has an `output` beside `success` and `message`"
        if mode is None and not _is_free(own):
            return tool_output_schema(own, member=OUTPUT), ""
        return tool_output_schema(_without_copies(own)), ""
    except DomainSchemaError as error:
        return tool_output_schema(), str(error)


def _is_free_wrapper(own: dict[str, Any]) -> bool:
    """Whether every contract object fits a schema that wraps a value as both SDKs do."""
    properties = own.get("properties")
    if not isinstance(properties, dict) or properties.keys() != {WRAPPED}:
        return False
    return _is_free(properties[WRAPPED])


def _is_free(schema: Any) -> bool:
    """Whether every contract object fits a schema, as is plain to see."""
    if schema is True or equal(schema, tool_output_schema(mode="structural")):
        return True
    if not isinstance(schema, dict):
        return False
    said = schema.keys() - _ANNOTATIONS
    if said in ({"anyOf"}, {"oneOf"}):
        parts = schema[said.pop()]
        return isinstance(parts, list) and any(map(_is_free, parts))
    kind = schema.get("type", "object")
    admits = "object" in kind if isinstance(kind, list) else kind == "object"
    return admits and said <= {"type", "additionalProperties"} and _is_open(schema)


def _is_open(schema: dict[str, Any]) -> bool:
    return schema.get("additionalProperties", True) in (True, {})


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
    try:
        copy = read(compact(schema))
    except (TypeError, ValueError) as error:
        raise DomainSchemaError(f"it cannot be written as JSON here: {error}") from None
    for part in list(subschemas(copy)):
        if part.has_id and not part.is_root and normal_uri(part.base) == CONTRACT_URL:
            part.schema.clear()
            part.schema["$ref"] = CONTRACT_URL
    result: dict[str, Any] = copy
    return result
