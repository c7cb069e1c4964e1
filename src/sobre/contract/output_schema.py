"""What a tool's `outputSchema` has to do with the contract (specification section 4).

`judge_output_schema` names the mode, which is one of a fixed table, and finds
what is wrong with the schema and which official clients it would break.
Identity is by the canonical form of RFC 8785; comparison is JSON equality.
"""

from __future__ import annotations

from hashlib import sha256

from ..json_write import canonical_pieces, equal
from . import CONTRACT_URL
from .findings import Finding
from .schema_walk import (
    DIALECT,
    Subschema,
    Targets,
    innermost_resources,
    is_small,
    normal_uri,
    references,
    subschemas,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: SHA-256 of the canonical form of the published contract schema.
PUBLISHED = "f33d4b1f168622f92bc773d032483729c28d48e05e63c75d59b532918ed600d0"
#: The same of its published predecessors.
SUPERSEDED = frozenset(
    (
        "cc73db452559e1cf72becde0a115c814aff1145ecadef2959db71c7e8d83619e",
        "87be11b599576ff430047a3d38a082f7541a58bd542b1fdd1f042aed6b4f56ae",
    )
)
#: Most findings of one rule that are listed.
MAX_FINDINGS = 100

# No form of the contract schema has as many characters, or members and items.
_LONGEST_FORM, _MOST_MEMBERS = 16_384, 256
_ANNOTATIONS = frozenset(("$comment", "description", "examples", "title"))


def judge_output_schema(schema: Any) -> tuple[str | None, list[Finding]]:
    """The `output_schema_mode` of a schema, or None, and what was found in it.

    Pointers are into the tool definition. Never raises; the work is bounded by
    the size of the schema.
    """
    if not isinstance(schema, dict):
        reason = "`outputSchema` is not an object"
        return None, [Finding("mcp.output_schema.type", "/outputSchema", reason)]
    parts = list(subschemas(schema))
    # The forms that we know hold no other `$id`. So whatever is compared with them is
    # compared once, however it is nested.
    known = {id(part.schema): fingerprint(part.schema) for part in innermost_resources(parts)}
    mode = _mode(schema, known)
    findings = _shadowing(schema, mode)
    if mode is None:
        missing = _missing_from_structure(schema)
        if missing:
            reason = f"the schema does not hold the contract: {'; '.join(missing)}"
            findings.append(Finding("mcp.output_schema.none", "/outputSchema", reason))
        else:
            mode = "structural_core"
            reason = "the schema restates a part of the contract instead of referring to it"
            findings.append(Finding("mcp.output_schema.structural", "/outputSchema", reason))
    findings += _superseded(parts, known)
    findings += _client_breakers(schema, parts)
    return mode, findings


def _mode(schema: dict[str, Any], known: dict[int, str | None]) -> str | None:
    """The first canonical mode that fits, or None. `known`: fingerprints by the schema's id()."""
    if schema.get("$ref") == CONTRACT_URL:
        return "canonical_ref"
    if known.get(id(schema)) == PUBLISHED:
        return "canonical_inline"
    todo = [schema]
    while todo:
        items = todo.pop().get("allOf")
        for item in items if isinstance(items, list) else ():
            if not isinstance(item, dict):
                continue
            if item.get("$ref") == CONTRACT_URL or known.get(id(item)) == PUBLISHED:
                return "canonical_allof"
            todo.append(item)
    return None


def fingerprint(schema: dict[str, Any]) -> str | None:
    """SHA-256 of a schema's canonical form, or None if that is longer than any we know."""
    if not is_small(schema, _MOST_MEMBERS, _LONGEST_FORM):
        return None
    try:
        return sha256("".join(canonical_pieces(schema)).encode()).hexdigest()
    except (TypeError, ValueError):  # JSON has no such value, or none as deep.
        return None


def _shadowing(schema: dict[str, Any], mode: str | None) -> list[Finding]:
    """Schemas that take the contract's name, in any spelling, and are not the contract.

    Validators differ in which spellings of a URL they take for the same, and
    Ajv finds an `$id` under any keyword: what captures the reference in one of
    them captures it. The root can only capture a reference that is there.
    """
    findings = []
    for part in subschemas(schema, everywhere=True):
        if not part.has_id or normal_uri(part.base) != CONTRACT_URL:
            continue
        if part.is_root and mode not in ("canonical_ref", "canonical_allof"):
            continue
        if fingerprint(part.schema) != PUBLISHED and not _is_ours(part.schema):
            reason = "a schema takes the contract's URL as its `$id` without being the contract"
            place = "/outputSchema" + part.pointer
            findings.append(Finding("mcp.output_schema.shadowed_id", place, reason))
            if len(findings) == MAX_FINDINGS:
                break
    return findings


def _is_ours(schema: dict[str, Any]) -> bool:
    """Whether the constraints are those of this project's own contract schema."""
    from .schemas import schema as own_schema

    if fingerprint(schema) is None:
        return False
    found = {**constraints(schema), "$id": CONTRACT_URL}  # However its `$id` is spelled.
    return equal(found, constraints(own_schema("contract")))


def constraints(schema: Any) -> Any:
    """A schema without what only explains it. Called on schemas of bounded size."""
    bare: dict[str, Any] = {}
    todo: list[tuple[Any, Any, bool]] = [(schema, bare, True)]
    while todo:
        source, copy, is_schema = todo.pop()
        for key, value in source.items() if isinstance(source, dict) else enumerate(source):
            explains = key in _ANNOTATIONS or (key == "$schema" and value == DIALECT)
            if explains and is_schema and isinstance(source, dict):
                continue
            inner = value
            if isinstance(value, (dict, list)):
                inner = {} if isinstance(value, dict) else []
                names_members = is_schema and key in ("properties", "$defs", "const", "enum")
                todo.append((value, inner, not names_members))
            if isinstance(copy, dict):
                copy[key] = inner
            else:
                copy.append(inner)
    return bare


def _missing_from_structure(schema: dict[str, Any]) -> list[str]:
    """What keeps a schema from being `structural_core`, in words; empty if nothing does."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        properties = {}
    missing = []
    if schema.get("type") != "object":
        missing.append('`type` is not "object"')
    required = schema.get("required")
    for name in ("success", "message"):
        if not isinstance(required, list) or name not in required:
            missing.append(f"`required` lacks {name}")
    success = properties.get("success")
    if not isinstance(success, dict) or success.get("type") != "boolean":
        missing.append('`properties.success.type` is not "boolean"')
    if not _is_text(properties.get("message")):
        missing.append("`properties.message` is not a string with minLength 1 and pattern \\S")
    if not _is_text(properties.get("error")) and not _is_code(properties.get("error_code")):
        missing.append("neither `properties.error` nor `properties.error_code` has its form")
    return missing


def _is_text(schema: Any) -> bool:
    """A string with at least one character that is not white space, in exactly this form."""
    if not isinstance(schema, dict):
        return False
    least = schema.get("minLength")
    return (
        schema.get("type") == "string"
        and isinstance(least, (int, float))
        and not isinstance(least, bool)
        and least >= 1
        and least % 1 == 0
        and schema.get("pattern") == r"\S"
    )


def _is_code(schema: Any) -> bool:
    return (
        isinstance(schema, dict)
        and schema.get("type") == "string"
        and schema.get("pattern") == "^[a-z][a-z0-9_]*$"
    )


def _superseded(parts: list[Subschema], known: dict[int, str | None]) -> list[Finding]:
    reason = "this is an earlier form of the contract schema, which has been superseded"
    return [
        Finding("mcp.output_schema.superseded", "/outputSchema" + part.pointer, reason)
        for part in parts
        if part.has_id and known.get(id(part.schema)) in SUPERSEDED
    ]


def _client_breakers(schema: dict[str, Any], parts: list[Subschema]) -> list[Finding]:
    """What the table of modes allows and an official client does not."""
    findings = []
    if schema.get("type") != "object":
        reason = 'the root has no `type: "object"`, so clients refuse the tool list'
        findings.append(Finding("mcp.client.root_type", "/outputSchema", reason))
    targets = Targets(parts)
    rule = "mcp.client.unresolved_ref"
    unresolved = 0
    for part, keyword, uri in references(parts):
        if uri in targets:
            continue
        unresolved += 1
        if unresolved <= MAX_FINDINGS:
            shown = uri if len(uri) <= 120 else uri[:117] + "..."
            reason = f"`{keyword}` names {shown!a}, which the schema does not hold"
            findings.append(Finding(rule, f"/outputSchema{part.pointer}/{keyword}", reason))
    if unresolved > MAX_FINDINGS:
        reason = f"{unresolved - MAX_FINDINGS} more references name what the schema does not hold"
        findings.append(Finding(rule, "/outputSchema", reason))
    return findings
