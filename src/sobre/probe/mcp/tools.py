"""Detectors: what is wrong with a tool as it is listed, and with the list."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ...contract.findings import Finding
from .schemas import foreign_dialect, recursion
from .trials import Trials, Untried
from .wire import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .listing import Listing, Tool
    from .session import Session

#: Plain failures: a schema that refuses all of them refuses failures.
FAILURES: tuple[dict[str, Any], ...] = (
    {"success": False, "message": "It failed.", "error": "Why.", "error_code": "failed"},
    {"success": False, "message": "It failed.", "error_code": "failed"},
    {"success": False, "message": "It failed.", "error": "Why."},
)
#: Rules in the order of what hurts most: a tool's first one gives the advice of its row.
WORST_FIRST = (
    "tool.name.missing",
    "tool.name.duplicate",
    "tool.input_schema",
    "tool.schema.invalid",
    "mcp.output_schema.type",
    "mcp.client.root_type",
    "mcp.client.unresolved_ref",
    "mcp.output_schema.shadowed_id",
    "tool.schema.recursive",
    "tool.schema.dialect",
    "tool.schema.failure_refused",
    "mcp.output_schema.none",
    "mcp.output_schema.missing",
)
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_SCHEMAS = ("inputSchema", "outputSchema")


def tool_findings(tool: Tool, trials: Trials) -> list[Finding]:
    """What all detectors find in one tool, beside what the profile says of its output schema."""
    if not isinstance(tool.value, dict):
        return []
    return [finding for detector in TOOL_DETECTORS for finding in detector(tool, trials)]


def rank(rule: str) -> int:
    """Where a rule stands in `WORST_FIRST`; the same number for all that do not."""
    return WORST_FIRST.index(rule) if rule in WORST_FIRST else len(WORST_FIRST)


def _name(tool: Tool, _: Trials) -> Iterator[Finding]:
    if tool.name is None:
        yield Finding("tool.name.missing", "/name", "the tool has no name that is a string")
    elif not _NAME.fullmatch(tool.name):
        reason = f"the name {quoted(tool.name)} is not one to 128 of A-Z, a-z, 0-9, `_`, `-`, `.`"
        yield Finding("tool.name.form", "/name", reason)


def _input_schema(tool: Tool, _: Trials) -> Iterator[Finding]:
    schema = tool.schema("inputSchema")
    if not isinstance(schema, dict):
        yield Finding("tool.input_schema", "/inputSchema", "`inputSchema` is not an object")
    elif schema.get("type") != "object":
        reason = 'the root of `inputSchema` has no `type: "object"`'
        yield Finding("tool.input_schema", "/inputSchema", reason)


def _dialect(tool: Tool, _: Trials) -> Iterator[Finding]:
    for name in _SCHEMAS:
        named = foreign_dialect(tool.schema(name))
        if named is not None:
            reason = f"`$schema` names {quoted(named)}, which common validators do not know"
            yield Finding("tool.schema.dialect", f"/{name}/$schema", reason)


def _recursive(tool: Tool, _: Trials) -> Iterator[Finding]:
    for name in _SCHEMAS:
        schema = tool.schema(name)
        found = recursion(schema) if isinstance(schema, dict) else None
        if found is not None:
            how = "for the same value, without end" if found.endless else "for a part of the value"
            reason = f"the reference leads back to where it stands, {how}"
            yield Finding("tool.schema.recursive", f"/{name}{found.pointer}", reason)


def _valid(tool: Tool, trials: Trials) -> Iterator[Finding]:
    """Both schemas by their dialects, and then failures by the output schema."""
    sound = True
    for name in _SCHEMAS:
        schema = tool.schema(name)
        if not isinstance(schema, dict) or foreign_dialect(schema) is not None:
            sound = False
            continue
        try:
            refusal = trials.refusal(schema)
        except Untried as error:
            sound = False
            yield Finding("tool.schema.unchecked", f"/{name}", f"`{name}`: {error}")
            continue
        if refusal is not None:
            sound = False
            reason = f"`{name}` is not valid by its dialect: {quoted(refusal)}"
            yield Finding("tool.schema.invalid", f"/{name}", reason)
    if sound:
        yield from _failures(tool, trials)


def _failures(tool: Tool, trials: Trials) -> Iterator[Finding]:
    schema, refusals = tool.schema("outputSchema"), []
    for failure in FAILURES:
        try:
            refusal = trials.refusal(schema, failure)
        except Untried as error:
            if "does not resolve" not in str(error):  # mcp.client.unresolved_ref tells that.
                yield Finding("tool.schema.unchecked", "/outputSchema", f"`outputSchema`: {error}")
            return
        if refusal is None:
            return
        refusals.append(refusal)
    reason = f"the schema refuses a plain failure: {quoted(refusals[0])}"
    yield Finding("tool.schema.failure_refused", "/outputSchema", reason)


TOOL_DETECTORS = (_name, _input_schema, _dialect, _recursive, _valid)


# -- the list -----------------------------------------------------------------


def list_findings(session: Session) -> list[Finding]:
    """What is wrong with the list of tools of one session as a whole."""
    if session.listing is None:
        return []
    found = list(session.listing.findings)
    found += _duplicates(session.listing)
    again = session.again
    if again is not None and not session.listing.findings:
        found += _order(session.listing.names, again, "asked again")
    return found


def order_across(sessions: list[Session]) -> list[Finding]:
    """Whether sessions of their own, which are other processes of the server, agree."""
    lists = [one.listing for one in sessions if one.listing and not one.listing.findings]
    for first, second in pairwise(lists):
        found = _order(first.names, second.names, "another session")
        if found:
            return found
    return []


def _duplicates(listing: Listing) -> Iterator[Finding]:
    counts = Counter(name for name in listing.names if name is not None)
    for name, count in counts.items():
        if count > 1:
            reason = f"{count:,} tools have the name {quoted(name)}"
            yield Finding("tool.name.duplicate", "", reason)


def _order(names: list[Any], again: list[Any], when: str) -> list[Finding]:
    if names == again or Counter(names) != Counter(again):
        return []
    at = next(at for at, pair in enumerate(zip(names, again, strict=True)) if pair[0] != pair[1])
    first, second = quoted(str(names[at])), quoted(str(again[at]))
    reason = f"tool {at + 1} of the list is {first}, and in {when} it is {second}"
    return [Finding("server.tools_order", "", reason)]
