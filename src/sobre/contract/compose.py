"""Output schemas ready to publish: the contract, with a domain part for successes.

The bundled form carries the contract schema under its own `$id`, so that no
client has to fetch anything and every copy is identical (specification
section 4, Clients). The domain part binds successes alone: a failure stays
valid without the fields of a success.
"""

from __future__ import annotations

from . import CONTRACT_URL
from .output_schema import constraints
from .schema_walk import DIALECT, Targets, references, subschemas
from .schemas import schema as own_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: How an output schema holds the contract: what is asked for -> its `output_schema_mode`.
MODES = {"ref": "canonical_ref", "allof": "canonical_allof", "structural": "structural_core"}

_CORE_NAMES = ("success", "message", "details", "warnings", "meta")
# Dialects whose schemas mean the same here, and the keywords that do not.
_OLDER_DIALECTS = {
    "http://json-schema.org/draft-07/schema": ("additionalItems", "dependencies"),
    "https://json-schema.org/draft/2019-09/schema": ("additionalItems", "$recursiveRef"),
}


class DomainSchemaError(ValueError):
    """A domain schema that cannot be part of an output schema; the text says why and where."""


def tool_output_schema(domain: Any = None, mode: str = "ref") -> dict[str, Any]:
    """An `outputSchema` that holds the contract in a mode of `MODES`.

    `domain` is a JSON Schema for the fields of a success beside the core's. Its
    local references are kept working, and where it closes itself to other
    fields it is opened for those of the core. Raises `DomainSchemaError` if it
    cannot be composed, `KeyError` for another mode.
    """
    MODES[mode]
    contract = constraints(own_schema("contract"))
    core = {name: value for name, value in contract.items() if not name.startswith("$")}
    composed: dict[str, Any] = {"$schema": DIALECT, "type": "object"}
    bundle = {"$defs": {"result-contract-v1": {"$id": CONTRACT_URL, **core}}}
    if mode == "ref":
        return {**composed, "$ref": CONTRACT_URL, **_success_part(domain, "", bundle), **bundle}
    if mode == "allof":
        parts = _success_part(domain, "/allOf/1", bundle)
        return {
            **composed,
            "allOf": [{"$ref": CONTRACT_URL}, *([parts] if parts else [])],
            **bundle,
        }
    parts = _success_part(domain, f"/allOf/{len(core['allOf'])}", {})
    return {**composed, **core, "allOf": [*core["allOf"], *([parts] if parts else [])]}


def _success_part(domain: Any, place: str, bundle: dict[str, Any]) -> dict[str, Any]:
    """The condition, standing at `place`, that applies a domain schema to successes; or nothing."""
    is_success = {"required": ["success"], "properties": {"success": {"const": True}}}
    if domain is None or domain is True:
        return {}
    if not isinstance(domain, dict):
        raise DomainSchemaError("a domain schema is an object, such as one with `properties`")
    _refuse_unfit(domain, {CONTRACT_URL} if bundle else set())
    return {"if": is_success, "then": _moved(_opened(domain), f"{place}/then")}


def _refuse_unfit(domain: dict[str, Any], bundled: set[str]) -> None:
    """Raise for a schema that no success can meet, or that means something else here."""
    if domain.get("type", "object") != "object":
        raise DomainSchemaError('at /type: a result is an object, so `type` must be "object"')
    parts = list(subschemas(domain))
    targets = Targets(parts)
    dialect = domain.get("$schema", DIALECT)
    dialect = dialect.removesuffix("#") if isinstance(dialect, str) else ""
    if dialect != DIALECT and dialect not in _OLDER_DIALECTS:
        raise DomainSchemaError(f"at /$schema: the dialect must be {DIALECT}")
    for part in parts:
        for keyword in _OLDER_DIALECTS.get(dialect, ()):
            if keyword in part.schema or isinstance(part.schema.get("items"), list):
                reason = "write `prefixItems`, `dependentRequired` or `$dynamicRef` instead"
                raise DomainSchemaError(
                    f"at {part.pointer or '/'}: {keyword} is of {dialect}: {reason}"
                )
        if part.base == CONTRACT_URL:
            raise DomainSchemaError(f"at {part.pointer}/$id: that is the contract's own URL")
    for part, keyword, uri in references(parts):
        if uri not in targets and uri not in bundled:
            reason = "it does not resolve inside the schema, and nothing is fetched"
            raise DomainSchemaError(f"at {part.pointer}/{keyword}: {uri!a}: {reason}")
    for name in ("error", "error_code"):
        required = domain.get("required")
        if isinstance(required, list) and name in required:
            raise DomainSchemaError(f"at /required: a success may not carry `{name}`")


def _opened(domain: dict[str, Any]) -> dict[str, Any]:
    """The schema, without its dialect, with room for the core where it admits no other field."""
    bare = {name: value for name, value in domain.items() if name != "$schema"}
    closed = (bare.get(name, True) for name in ("additionalProperties", "unevaluatedProperties"))
    if all(admits is True for admits in closed):
        return bare
    properties = bare.get("properties")
    own = properties if isinstance(properties, dict) else {}
    core = {name: True for name in _CORE_NAMES if name not in own}
    return {**bare, "properties": {**core, **own}}


def _moved(schema: dict[str, Any], place: str) -> dict[str, Any]:
    """A copy whose references into itself still hold when it stands at `place` of another."""
    from ..json_text import compact, read

    copy: dict[str, Any] = read(compact(schema))
    for part in subschemas(copy):
        if part.base:  # Under an `$id` of its own, a reference goes by that.
            continue
        for keyword in ("$ref", "$dynamicRef"):
            reference = part.schema.get(keyword)
            if isinstance(reference, str) and (reference == "#" or reference.startswith("#/")):
                part.schema[keyword] = f"#{place}{reference[1:]}"
    return copy
