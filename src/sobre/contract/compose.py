"""Output schemas ready to publish: the contract, with a domain part for successes.

The bundled form carries the contract schema under its own `$id`, so that no
client has to fetch anything and every copy is identical (specification
section 4, Clients). The domain part binds successes alone: a failure stays
valid without the fields of a success.
"""

from __future__ import annotations

from ..json_text import read
from ..json_write import compact
from . import CONTRACT_URL
from .findings import pointer_to
from .output_schema import constraints
from .schema_sides import FREE
from .schema_walk import DIALECT, Subschema, Targets, normal_uri, references, resolve, subschemas
from .schemas import schema as own_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: How an output schema holds the contract: what is asked for -> its `output_schema_mode`.
MODES = {"ref": "canonical_ref", "allof": "canonical_allof", "structural": "structural_core"}

_CORE_NAMES = ("success", "message", "details", "warnings", "meta")
# How much deeper a domain schema stands in an answer to tools/list, with some to spare.
_LEVELS = 10
# Dialects whose schemas mean the same here, and the keywords that do not.
_DRAFT_07 = "http://json-schema.org/draft-07/schema"
_OLDER_DIALECTS = {
    _DRAFT_07: (
        "$anchor",
        "$dynamicRef",
        "additionalItems",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "maxContains",
        "minContains",
        "prefixItems",
        "unevaluatedItems",
        "unevaluatedProperties",
    ),
    "https://json-schema.org/draft/2019-09/schema": (
        "$dynamicRef",
        "$recursiveRef",
        "additionalItems",
        "prefixItems",
        "unevaluatedItems",
    ),
}
_IN_PLACE_LISTS = ("allOf", "anyOf", "oneOf")
_IN_PLACE = ("if", "then", "else", "not")
_CLOSES = ("additionalProperties", "unevaluatedProperties")
_ANY_NAME = {"type": "string"}


class DomainSchemaError(ValueError):
    """A domain schema that cannot be part of an output schema; the text says why and where."""


def tool_output_schema(
    domain: Any = None, mode: str = "ref", member: str | None = None
) -> dict[str, Any]:
    """An `outputSchema` that holds the contract in a mode of `MODES`.

    `domain` is a JSON Schema for the fields of a success beside the core's; with
    `member`, it is one for the value of the field with that name instead, where
    that stands. Its local references are kept working, and where it closes a
    result to other fields it is opened for those of the core. Raises
    `DomainSchemaError` if it cannot be composed, `KeyError` for another mode.
    """
    MODES[mode]
    contract = constraints(own_schema("contract"))
    core = {name: value for name, value in contract.items() if not name.startswith("$")}
    composed: dict[str, Any] = {"$schema": DIALECT, "type": "object"}
    bundle = {"$defs": {"result-contract-v1": {"$id": CONTRACT_URL, **core}}}
    if mode == "ref":
        part = _success_part(domain, "", bundle, member)
        return {**composed, "$ref": CONTRACT_URL, **part, **bundle}
    if mode == "allof":
        parts = _success_part(domain, "/allOf/1", bundle, member)
        return {
            **composed,
            "allOf": [{"$ref": CONTRACT_URL}, *([parts] if parts else [])],
            **bundle,
        }
    parts = _success_part(domain, f"/allOf/{len(core['allOf'])}", {}, member)
    return {**composed, **core, "allOf": [*core["allOf"], *([parts] if parts else [])]}


def _success_part(
    domain: Any, place: str, bundle: dict[str, Any], member: str | None
) -> dict[str, Any]:
    """The condition, standing at `place`, that applies a domain schema to successes; or nothing."""
    if domain is None or domain is True:
        return {}
    if not isinstance(domain, dict):
        raise DomainSchemaError("a domain schema is an object, such as one with `properties`")
    own = _copy(domain)
    parts = list(subschemas(own))
    if member is None:
        _refuse_unfit(own)
    dialect = _refuse_dialect(own)
    for part in parts:
        _refuse_part(part, dialect)
    _refuse_names(parts)
    _refuse_references(parts, {CONTRACT_URL} if bundle else set())
    for part in parts:
        _settle(part)
    parts = list(subschemas(own))
    targets = Targets(parts)
    _refuse_loops(parts, targets)
    own.pop("$schema", None)
    then = own if member is None else {"properties": {member: own}}
    if member is None:
        _open(parts[0], targets)
    _move(parts, f"{place}/then" + ("" if member is None else pointer_to(("properties", member))))
    return {
        "if": {"required": ["success"], "properties": {"success": {"const": True}}},
        "then": then,
    }


def _copy(domain: dict[str, Any]) -> dict[str, Any]:
    """A copy that may be changed, and is shallow enough to be published."""
    wrapped: Any = domain
    for _ in range(_LEVELS):
        wrapped = [wrapped]
    try:
        wrapped = read(compact(wrapped))
    except (TypeError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise DomainSchemaError(f"it cannot be written as JSON here: {reason}") from None
    for _ in range(_LEVELS):
        (wrapped,) = wrapped
    own: dict[str, Any] = wrapped
    return own


# -- what cannot be composed ---------------------------------------------------


def _refuse_unfit(domain: dict[str, Any]) -> None:
    """Raise for a schema that no success can meet."""
    if domain.get("type", "object") != "object":
        raise DomainSchemaError('at /type: a result is an object, so `type` must be "object"')
    required = domain.get("required")
    for name in ("error", "error_code"):
        if isinstance(required, list) and name in required:
            raise DomainSchemaError(f"at /required: a success may not carry `{name}`")


def _refuse_dialect(domain: dict[str, Any]) -> str:
    """The dialect of a domain schema; raise for one that is not understood."""
    dialect = domain.get("$schema", DIALECT)
    dialect = dialect.removesuffix("#") if isinstance(dialect, str) else ""
    if dialect != DIALECT and dialect not in _OLDER_DIALECTS:
        raise DomainSchemaError(f"at /$schema: the dialect must be {DIALECT}")
    return dialect


def _refuse_part(part: Subschema, dialect: str) -> None:
    """Raise for what means something else in an output schema than it does here."""
    schema, place = part.schema, part.pointer
    for keyword in _OLDER_DIALECTS.get(dialect, ()):
        if keyword in schema:
            reason = f"it does not mean in {dialect} what it means in {DIALECT}"
            advice = "write `prefixItems`, `dependentRequired` or `$dynamicRef` and declare that"
            raise DomainSchemaError(f"at {place}/{keyword}: {reason}; {advice}")
    if isinstance(schema.get("items"), list):
        raise DomainSchemaError(f"at {place}/items: a list of schemas is written `prefixItems`")
    if dialect == _DRAFT_07 and "$ref" in schema and schema.keys() - FREE > {"$ref"}:
        reason = f"what stands beside it means nothing in {dialect}; write both into an `allOf`"
        raise DomainSchemaError(f"at {place}/$ref: {reason}")
    if not part.is_root and schema.get("$schema", DIALECT) != DIALECT:
        raise DomainSchemaError(f"at {place}/$schema: the dialect must be {DIALECT}")


def _refuse_names(parts: list[Subschema]) -> None:
    """Raise for a name that is taken, by another part or by the contract, or that is none."""
    names: set[str] = set()
    for part in parts:
        said = part.schema.get("$id", "id")
        if not isinstance(said, str) or not said.removesuffix("#") or "#" in said[:-1]:
            reason = "it must be a URI without a fragment; a name in the schema is an `$anchor`"
            raise DomainSchemaError(f"at {part.pointer}/$id: {reason}")
        if part.has_id and normal_uri(part.base) == CONTRACT_URL:
            raise DomainSchemaError(f"at {part.pointer}/$id: that is the contract's own URL")
        for keyword in ("$id", "$anchor", "$dynamicAnchor"):
            name = part.schema.get(keyword)
            if not isinstance(name, str):
                continue
            uri = part.base if keyword == "$id" else f"{part.base}#{name}"
            if uri in names:
                raise DomainSchemaError(f"at {part.pointer}/{keyword}: {name!a} stands there twice")
            names.add(uri)


def _refuse_references(parts: list[Subschema], bundled: set[str]) -> None:
    """Raise for a reference that leads out of the output schema, or to more than one place."""
    targets = Targets(parts)
    named = [part.schema.get("$dynamicAnchor") for part in parts if "$dynamicAnchor" in part.schema]
    for part, keyword, uri in references(parts):
        if uri not in targets and uri not in bundled:
            reason = "it does not resolve inside the schema, and nothing is fetched"
            shown = uri if len(uri) <= 120 else uri[:117] + "..."
            raise DomainSchemaError(f"at {part.pointer}/{keyword}: {shown!a}: {reason}")
        name = uri.partition("#")[2]
        if keyword == "$dynamicRef" and name in named and named.count(name) > 1:
            reason = "several parts have this name, and clients differ in which one they take"
            raise DomainSchemaError(f"at {part.pointer}/{keyword}: {name!a}: {reason}")


def _refuse_loops(parts: list[Subschema], targets: Targets) -> None:
    """Raise for references that lead back to where they stand: no validator comes to an end."""
    done: set[int] = set()
    for start in parts:
        way = [(start, _in_place(start, targets))]
        on_it = {id(start.schema)}
        while way and id(start.schema) not in done:
            part, further = way[-1]
            following = next(further, None)
            if following is None:
                way.pop()
                on_it.discard(id(part.schema))
                done.add(id(part.schema))
            elif id(following.schema) in on_it:
                reason = "its references lead back to it, so that no validator comes to an end"
                raise DomainSchemaError(f"at {following.pointer or 'the root'}: {reason}")
            elif id(following.schema) not in done:
                way.append((following, _in_place(following, targets)))
                on_it.add(id(following.schema))


# -- making it fit -------------------------------------------------------------


def _settle(part: Subschema) -> None:
    """Write a part's references in the way that Ajv follows, without a change in meaning.

    A `$dynamicRef` with one place to go is a `$ref`. Beside an `$id`, a `$ref`
    that stands alone sends Ajv round in a circle; in an `allOf` it does not.
    """
    schema = part.schema
    for keyword in ("$ref", "$dynamicRef"):
        reference = schema.get(keyword)
        if not isinstance(reference, str) or (keyword == "$ref" and not part.has_id):
            continue
        del schema[keyword]
        if part.has_id or "$ref" in schema:
            items = schema.get("allOf")
            schema["allOf"] = [*(items if isinstance(items, list) else ()), {"$ref": reference}]
        else:
            schema["$ref"] = reference


def _in_place(part: Subschema, targets: Targets) -> Iterator[Subschema]:
    """The schema objects that a part applies to the very value that it describes."""
    schema = part.schema
    for keyword in _IN_PLACE_LISTS:
        items = schema.get(keyword)
        for index, item in enumerate(items if isinstance(items, list) else ()):
            if isinstance(item, dict):
                yield part.child(item, keyword, index)
    for keyword in _IN_PLACE:
        if isinstance(schema.get(keyword), dict):
            yield part.child(schema[keyword], keyword)
    named = schema.get("dependentSchemas")
    for name, item in named.items() if isinstance(named, dict) else ():
        if isinstance(item, dict):
            yield part.child(item, "dependentSchemas", name)
    for _, _, uri in references([part]):
        target = targets.find(uri)
        if target is not None and isinstance(target.schema, dict):
            yield target


def _open(root: Subschema, targets: Targets) -> None:
    """Make room for the core wherever a schema closes the result to other fields.

    A schema that describes a field too, as a recursive one does, is opened there as well.
    """
    seen, todo = {id(root.schema)}, [root]
    while todo:
        part = todo.pop()
        for other in _in_place(part, targets):
            if id(other.schema) not in seen:
                seen.add(id(other.schema))
                todo.append(other)
        schema = part.schema
        closed = (schema.get(name, True) for name in _CLOSES)
        if not all(admits is True or admits == {} for admits in closed):
            properties = schema.get("properties")
            own = properties if isinstance(properties, dict) else {}
            core = {name: True for name in _CORE_NAMES if name not in own}
            schema["properties"] = {**core, **own}
        if schema.get("propertyNames", _ANY_NAME) not in (_ANY_NAME, True, {}):
            names = {"enum": list(_CORE_NAMES)}
            schema["propertyNames"] = {"anyOf": [names, schema["propertyNames"]]}


def _move(parts: list[Subschema], place: str) -> None:
    """Change references into the schema so that they hold when it stands at `place`."""
    for part in parts:
        if part.base:  # Under an `$id` of its own, a reference goes by that.
            continue
        for keyword in ("$ref", "$dynamicRef"):
            reference = part.schema.get(keyword)
            if isinstance(reference, str) and resolve("", reference)[:2] in ("", "#/"):
                part.schema[keyword] = f"#{place}{reference[1:]}"
