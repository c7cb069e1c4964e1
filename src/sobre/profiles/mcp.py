"""The MCP profiles, one per protocol revision (specification section 4).

`judge` is for the answer to tools/call, `judge_tool_definition` for the tool
as tools/list gives it. Both read bytes; nothing is reconstructed.
"""

from __future__ import annotations

from ..contract import CONTRACT_URL
from ..contract.check import check, type_name
from ..contract.findings import Finding, violations
from ..contract.output_schema import judge_output_schema
from ..json_text import MAX_BYTES, DocumentError, read
from ..json_write import equal
from . import Judgement
from .core import read_with_findings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ABSENT = object()
_RESPONSE_MEMBERS = frozenset(("jsonrpc", "result", "error"))


def judge(revision: str, data: bytes, *, max_bytes: int = MAX_BYTES) -> Judgement:
    """Read and judge a bare CallToolResult or a whole JSON-RPC response of a revision."""
    findings, document = read_with_findings(data, max_bytes=max_bytes)
    facts = facts_before(revision)
    if violations(findings):
        return Judgement(None, findings, None, facts)
    result, place = _result(document, findings)
    if result is None:
        return Judgement(document, findings, None, facts)
    if result.get("resultType") == "input_required" and revision == "2026-07-28":
        reason = "the answer asks for input, so the call has no result yet"
        findings.append(Finding("mcp.result_type.input_required", f"{place}/resultType", reason))
        return Judgement(document, findings, None, facts)
    success = _judge_result(result, place, revision, findings, facts)
    return Judgement(document, findings, success, facts)


def facts_before(revision: str) -> dict[str, Any]:
    """The `profile_facts` of a result of which nothing is known yet."""
    return {
        "mcp_specification": revision,
        "mcp_tools_spec": f"https://modelcontextprotocol.io/specification/{revision}/server/tools",
        "contract": CONTRACT_URL,
        "output_schema_checked": False,
        "output_schema_mode": None,
        "backcompat_text_matches": False,
        "mcp_is_error_explicit": False,
        "mcp_is_error_effective": False,
    }


def _result(document: Any, findings: list[Finding]) -> tuple[dict[str, Any] | None, str]:
    """The CallToolResult in the evidence and the pointer to it, or None if there is none."""
    if not isinstance(document, dict):
        reason = f"expected a tool result or a JSON-RPC response, found {type_name(document)}"
        findings.append(Finding("mcp.envelope.type", "", reason))
        return None, ""
    if _RESPONSE_MEMBERS.isdisjoint(document):
        return document, ""
    if document.get("jsonrpc") != "2.0":
        reason = 'a JSON-RPC response needs `jsonrpc: "2.0"`'
        findings.append(Finding("mcp.envelope.jsonrpc", "/jsonrpc", reason))
    if not _is_id(document.get("id")):
        found = type_name(document["id"]) if "id" in document else "none"
        reason = f"`id` must be a string or an integer, found {found}"
        findings.append(Finding("mcp.envelope.id", "/id", reason))
    if ("result" in document) == ("error" in document):
        both = "both" if "result" in document else "neither"
        reason = f"a response has exactly one of `result` and `error`, found {both}"
        findings.append(Finding("mcp.envelope.outcome", "", reason))
        return None, ""
    if "error" in document:
        reason = "this is a protocol error, which is no completed result"
        findings.append(Finding("mcp.protocol_error", "/error", reason))
        return None, ""
    result = document["result"]
    if not isinstance(result, dict):
        reason = f"`result` must be an object, found {type_name(result)}"
        findings.append(Finding("mcp.envelope.result", "/result", reason))
        return None, ""
    return result, "/result"


def _is_id(value: object) -> bool:
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _judge_result(
    result: dict[str, Any],
    place: str,
    revision: str,
    findings: list[Finding],
    facts: dict[str, Any],
) -> object:
    """Find what is wrong with a completed result and fill its facts; its stated outcome."""
    structured = result.get("structuredContent", _ABSENT)
    success: object = None
    if structured is _ABSENT:
        reason = "`structuredContent` is missing; the contract object stands there"
        missing = f"{place}/structuredContent"
        findings.append(Finding("mcp.structured_content.missing", missing, reason))
    else:
        for finding in check(structured):
            pointer = f"{place}/structuredContent{finding.pointer}"
            findings.append(Finding(finding.rule, pointer, finding.message))
        success = structured.get("success") if isinstance(structured, dict) else None
    _judge_is_error(result, place, success, findings, facts)
    _judge_content(result, place, structured, findings, facts)
    _judge_result_type(result, place, revision, findings)
    return success


def _judge_result_type(
    result: dict[str, Any], place: str, revision: str, findings: list[Finding]
) -> None:
    """2026-07-28 needs `resultType: "complete"`; the revisions of 2025 also go without."""
    kind = result.get("resultType", _ABSENT)
    pointer = f"{place}/resultType"
    if kind is _ABSENT:
        if revision == "2026-07-28":
            reason = '`resultType` is missing; a completed result says "complete"'
            findings.append(Finding("mcp.result_type.missing", pointer, reason))
    elif kind != "complete":
        reason = f'`resultType` must be "complete", found {type_name(kind)}'
        findings.append(Finding("mcp.result_type.value", pointer, reason))


def _judge_content(
    result: dict[str, Any],
    place: str,
    structured: object,
    findings: list[Finding],
    facts: dict[str, Any],
) -> None:
    pointer = f"{place}/content"
    content = result.get("content", _ABSENT)
    if content is _ABSENT:
        reason = "`content` is missing; it is an array, which may be empty"
        findings.append(Finding("mcp.content.missing", pointer, reason))
    elif not isinstance(content, list):
        reason = f"`content` must be an array, found {type_name(content)}"
        findings.append(Finding("mcp.content.type", pointer, reason))
    elif structured is not _ABSENT:
        facts["backcompat_text_matches"] = any(_says(block, structured) for block in content)
        if not facts["backcompat_text_matches"]:
            reason = "no text block parses to the same JSON value as `structuredContent`"
            findings.append(Finding("mcp.text.mismatch", pointer, reason))


def _says(block: object, structured: object) -> bool:
    """Whether a content block is text that parses to the same JSON value."""
    if not isinstance(block, dict) or block.get("type") != "text":
        return False
    text = block.get("text")
    if not isinstance(text, str):
        return False
    try:
        return equal(read(text.encode()), structured)
    except DocumentError:
        return False


def _judge_is_error(
    result: dict[str, Any],
    place: str,
    success: object,
    findings: list[Finding],
    facts: dict[str, Any],
) -> None:
    pointer = f"{place}/isError"
    is_error = result.get("isError", _ABSENT)
    facts["mcp_is_error_explicit"] = is_error is not _ABSENT
    if is_error is not _ABSENT and not isinstance(is_error, bool):
        reason = f"`isError` must be true or false, found {type_name(is_error)}"
        findings.append(Finding("mcp.is_error.type", pointer, reason))
        return
    facts["mcp_is_error_effective"] = effective = is_error is True
    if isinstance(success, bool) and effective is success:
        shown = f"is {str(effective).lower()}" if is_error is not _ABSENT else "is absent (false)"
        reason = f"`isError` {shown} and `success` is {str(success).lower()}; they are opposites"
        findings.append(Finding("mcp.is_error.mismatch", pointer, reason))


def judge_tool_definition(data: bytes, *, max_bytes: int = MAX_BYTES) -> Judgement:
    """Read a tool definition and judge its output schema. It states no outcome.

    The facts are those of a case that depend on the definition; there are none
    if it could not be read.
    """
    findings, document = read_with_findings(data, max_bytes=max_bytes)
    if violations(findings):
        return Judgement(None, findings)
    mode, found = None, []
    if not isinstance(document, dict):
        reason = f"a tool definition is an object, found {type_name(document)}"
        found = [Finding("mcp.tool_definition.type", "", reason)]
    elif "outputSchema" not in document:
        reason = "the tool definition has no `outputSchema`"
        found = [Finding("mcp.output_schema.missing", "/outputSchema", reason)]
    else:
        mode, found = judge_output_schema(document["outputSchema"])
    facts = {"output_schema_checked": True, "output_schema_mode": mode}
    return Judgement(document, findings + found, None, facts)
