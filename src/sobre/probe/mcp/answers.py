"""Detectors: what is wrong with the answers of one tool, beside what its profile says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...contract.findings import Finding
from ...json_text import DocumentError, read
from .trials import Trials, Untried
from .wire import Message, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .listing import Tool
    from .session import Session

# How a text begins that tells of a failure. Looked for in a bounded beginning.
_ERROR = re.compile(
    r"\W*(?:(?:\w+ )?(?:error|exception|failure|fault)\b(?!s? (?:codes?|rates?|handling|free))"
    r"|traceback \(most recent|failed\b|fatal\b|panic\b|unable to\b|could ?n[o']t\b|can ?not\b"
    r"|can't\b|permission denied|access denied|not found\b|no such\b|unknown tool|invalid\b"
    r"|unexpected\b|forbidden\b|unauthori[sz]ed\b|timed out\b|\w*(?:error|exception):)",
    re.IGNORECASE,
)
_BEGINNING = 200
# A member of a document that tells of a failure by its value.
_TELLS = {"status": ("error", "failed", "failure", "fail"), "ok": (False,), "success": (False,)}


class Answered:
    """One answered call: `name` is "success" or "failure"."""

    __slots__ = ("arguments", "message", "name", "tool")

    def __init__(self, name: str, arguments: Any, message: Message, tool: Tool) -> None:
        self.name = name
        self.arguments = arguments
        self.message = message
        self.tool = tool

    @property
    def failed(self) -> bool:
        """Whether the wire calls it a failure: by `isError`, or as a protocol error."""
        result = self.message.result
        return result is None or result.get("isError") is True

    @property
    def structured(self) -> Any:
        """The structured content, or None."""
        return (self.message.result or {}).get("structuredContent")

    @property
    def text(self) -> str:
        """The first text block, or nothing."""
        return next(texts(self.message), "")


def texts(message: Message) -> Iterator[str]:
    """The text blocks of a result."""
    content = (message.result or {}).get("content")
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            yield block["text"]


def call_findings(answered: Answered, trials: Trials) -> list[Finding]:
    """What all detectors find in one answer."""
    return [one for detector in CALL_DETECTORS for one in detector(answered, trials)]


def _outcome(answered: Answered, _: Trials) -> Iterator[Finding]:
    """The other outcome than the one that was asked for, where the wire tells it."""
    structured = answered.structured
    if isinstance(structured, dict) and isinstance(structured.get("success"), bool):
        return  # evidence.*_case.outcome and mcp.is_error.mismatch tell it.
    if answered.name == "failure" and not answered.failed:
        reason = "the call that is meant to fail came back without `isError: true`"
        yield Finding("call.failure_succeeded", "/result/isError", reason)
    elif answered.name == "success" and answered.failed and answered.message.result is not None:
        shown = quoted(answered.text)
        reason = f"the call that is meant to succeed came back as a failure: {shown}"
        yield Finding("call.success_failed", "/result/isError", reason)


def _error_as_success(answered: Answered, _: Trials) -> Iterator[Finding]:
    if answered.failed:
        return
    structured = answered.structured
    if isinstance(structured, dict) and structured.get("success") is False:
        return  # mcp.is_error.mismatch tells it.
    for text in texts(answered.message):
        why = _tells_failure(text)
        if why is not None:
            reason = f"the answer comes as a success, and {why}"
            yield Finding("call.error_as_success", "/result/content", reason)
            return


def _tells_failure(text: str) -> str | None:
    """Why a text is taken for a failure's, or None."""
    beginning = text[:_BEGINNING].lstrip()
    if not beginning.startswith(("{", "[")):
        found = _ERROR.match(beginning)
        return None if found is None else f"its text begins with {quoted(beginning)}"
    try:
        value = read(text.encode("utf-8", "replace"))
    except DocumentError:
        return None
    if not isinstance(value, dict):
        return None
    if value.get("error") not in (None, False, "", [], {}):
        return "the JSON in its text has an `error`"
    for member, values in _TELLS.items():
        told = value.get(member)
        if any(type(told) is type(one) and told == one for one in values):
            return f"the JSON in its text has `{member}`: {quoted(str(told))}"
    return None


def _output_schema(answered: Answered, trials: Trials) -> Iterator[Finding]:
    schema = answered.tool.schema("outputSchema")
    result = answered.message.result
    if not isinstance(schema, dict) or result is None or "structuredContent" not in result:
        return
    place = "/result/structuredContent"
    try:
        refusal = trials.refusal(schema, result["structuredContent"])
    except Untried as error:
        reason = f"the content could not be held against `outputSchema`: {error}"
        yield Finding("call.output_unchecked", place, reason)
        return
    if refusal is not None:
        reason = f"`outputSchema` refuses the content: {quoted(refusal)}"
        yield Finding("call.output_schema", place, reason)


def _arguments(answered: Answered, trials: Trials) -> Iterator[Finding]:
    schema = answered.tool.schema("inputSchema")
    if answered.name != "success" or not isinstance(schema, dict):
        return
    try:
        refusal = trials.refusal(schema, answered.arguments)
    except Untried:
        return  # tool.schema.unchecked tells it.
    if refusal is not None:
        reason = f"`inputSchema` refuses the arguments: {quoted(refusal)}"
        yield Finding("call.arguments", "", reason)


CALL_DETECTORS = (_outcome, _error_as_success, _output_schema, _arguments)


def unknown_findings(session: Session) -> list[Finding]:
    """What is wrong with how a tool that does not exist was answered."""
    call = session.unknown
    if call is None:
        return []
    if call.trouble is not None:
        return [call.trouble.finding]
    answer = call.answer
    if answer is None or answer.error is not None:
        return []
    told = "a failure of a tool" if (answer.result or {}).get("isError") is True else "a success"
    shown = quoted(next(texts(answer), ""))
    reason = f"a tool that does not exist is answered as {told}: {shown}"
    return [Finding("call.unknown_tool", "", reason)]
