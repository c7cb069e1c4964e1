"""MCP tool results of any shape -> tool results that are contract results (section 4).

One answer to tools/call in, one out, both as JSON values; nothing of MCP is
imported. A tool's own statement decides: a contract object first, then a
boolean `success`, then `isError`. An answer that contradicts itself is a
failure that says so.
"""

from __future__ import annotations

from ..contract.check import WHITE_SPACE, check, type_name
from ..contract.convert import ContractError, scalar_text, to_json_value
from ..contract.findings import violations
from ..contract.result import conforming_document
from ..json_text import DocumentError, read
from ..json_write import compact_text, equal
from .tool_definition import OUTPUT, WRAPPED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from re import Pattern
    from typing import Any, TypeAlias

    #: Says why a success is none that the tool's output schema takes; empty if it is.
    Refuse: TypeAlias = Callable[[dict[str, Any]], str]

#: The stable codes of failures that are made here.
TOOL_ERROR = "tool_error"
OUTCOME_CONTRADICTION = "outcome_contradiction"
OUTPUT_SCHEMA_MISMATCH = "output_schema_mismatch"
INVALID_TOOL_RESULT = "invalid_tool_result"
#: Most characters of a tool's text that `message` repeats.
MAX_MESSAGE = 200
#: Most characters of each text that an `error_text` pattern is searched in.
MAX_SEARCHED = 65_536

# Most levels around what a tool gave: response, result, structuredContent, details.
_LEVELS = 4
_MAPPED = ("content", "structuredContent", "isError")
_NOUNS = {
    "text": "text",
    "image": "image",
    "audio": "audio clip",
    "resource": "embedded resource",
    "resource_link": "resource link",
}


def contract_tool_result(
    result: Mapping[str, Any],
    tool: str,
    *,
    duration_ms: float | None = None,
    error_text: Pattern[str] | None = None,
    refuse: Refuse | None = None,
) -> dict[str, Any]:
    """The answer of a tool to one call, as a contract result in `structuredContent`.

    `isError` agrees with it, and one text block of `content` serializes it.
    Other content blocks, `_meta` and `resultType` stay. `meta` gets the tool's
    name as `command`, `duration_ms` in milliseconds and `schema_version`, as far
    as a contract object of the tool does not have them. An answer that is not
    complete (`input_required`, a task) comes back as it is. The answer that is
    given out shares nothing with `result`.

    `error_text` makes a failure of a success that only its text could deny;
    `refuse` is asked of a success before it is given out. Never raises.
    """
    if not is_complete(result):
        return dict(result)
    answer = _Answer(result, tool)
    meta: dict[str, Any] = {"schema_version": 1}
    if duration_ms is not None:
        meta = {"duration_ms": duration_ms, **meta}
    if tool.strip(WHITE_SPACE):
        meta = {"command": scalar_text(tool), **meta}
    document = _document(answer, error_text)
    whole = _whole(answer, document, meta)
    if document["success"] is True and refuse is not None:
        reason = refuse(whole)
        if reason:
            # A tool that states `meta` itself may have a schema that takes no more of it.
            whole = _whole(answer, document, {})
            if refuse(whole):
                whole = _whole(answer, _mismatch(answer, document, reason), meta)
    if violations(check(whole)):
        whole = conforming_document(whole, meta)
    return {
        **answer.others,
        "content": _with_text(answer, compact_text(whole)),
        "structuredContent": whole,
        "isError": not whole["success"],
    }


def is_complete(result: Mapping[str, Any]) -> bool:
    """Whether an answer to tools/call is a completed result, in any revision of the protocol."""
    if result.get("resultType") not in (None, "complete"):
        return False
    return "content" in result or "task" not in result


def unexpected(tool: str, error: BaseException) -> dict[str, Any]:
    """The answer of a tool that let an exception out. Its text may not be for the client."""
    told = f"{tool} ended with an unexpected {type(error).__name__}."
    return {
        "content": [],
        "structuredContent": {
            "success": False,
            "message": scalar_text(told),
            "error_code": "unexpected_error",
        },
    }


class _Answer:
    """What a tool said, sorted: content blocks, texts, structured content, doubts about it."""

    def __init__(self, result: Mapping[str, Any], tool: str) -> None:
        self.tool = scalar_text(tool) if tool.strip(WHITE_SPACE) else "The tool"
        self.warnings: list[str] = []
        self.is_error = result.get("isError")
        self.unwritable = ""
        self.structured = self._structured(result)
        self.said = _unwrapped(self.structured)
        self.has_content = isinstance(result.get("content"), (list, tuple))
        self.blocks = self._blocks(result)
        self.echo = self._echo()
        self.own = self._own()
        self.others = self._others(result)

    def _structured(self, result: Mapping[str, Any]) -> Any:
        """The structured content; None if there is none that JSON can hold."""
        try:
            return to_json_value(result.get("structuredContent"), above=_LEVELS)
        except ContractError as error:
            self.unwritable = f"structured content is no JSON, and is left out: {error}"
            self.warnings.append(f"The tool's {self.unwritable}")
            return None

    def _others(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """The members of the answer that stay as they are."""
        others: dict[str, Any] = {}
        for name, value in result.items():
            if name not in _MAPPED:
                try:
                    others.update(to_json_value({name: value}, above=1))
                except ContractError as error:
                    self.warnings.append(f"A member of the answer was left out: {error}")
        return others

    def _blocks(self, result: Mapping[str, Any]) -> list[dict[str, Any]]:
        content = result.get("content")
        if not isinstance(content, (list, tuple)):
            found = "missing" if content is None else "no array, and is left out"
            self.warnings.append(f"The tool's `content` was {found}.")
            return []
        blocks = [block for block in map(self._block, content) if block is not None]
        left_out = len(content) - len(blocks)
        if left_out:
            noun = "content block was" if left_out == 1 else "content blocks were"
            self.warnings.append(f"{left_out} {noun} not well formed, and left out.")
        return blocks

    def _block(self, block: Any) -> dict[str, Any] | None:
        """A content block as it can be written; None if it is none in any revision."""
        if not isinstance(block, dict) or not isinstance(block.get("type"), str):
            return None
        if block["type"] == "text":
            text = block.get("text")
            if not isinstance(text, str):
                return None
            block = {**block, "text": scalar_text(text)}
            told = "A text with unpaired surrogates, which no JSON holds, was changed."
            if block["text"] != text and told not in self.warnings:
                self.warnings.append(told)
        try:
            written: dict[str, Any] = to_json_value(block, above=_LEVELS)
            return written
        except ContractError:
            return None

    def _echo(self) -> int | None:
        """The index of the text block that repeats the structured content."""
        if self.structured is not None:
            for index, block in enumerate(self.blocks):
                value = _json_of(block)
                if value is not None and (equal(value, self.structured) or equal(value, self.said)):
                    return index
        return None

    def _own(self) -> dict[str, Any] | None:
        """The contract object that the tool itself gave: as structured content, or as one text."""
        if self.structured is not None:
            return self.said if _conforms(self.said) else None
        found = None
        for index, block in enumerate(self.blocks):
            value = _json_of(block)
            if _conforms(value):
                if found is not None:  # Which of the two it is, nobody said.
                    self.echo = None
                    return None
                self.echo, found = index, value
        try:
            to_json_value(found, above=_LEVELS)
        except ContractError:  # It is too deep to stand as structured content.
            self.echo = found = None
        return found

    @property
    def texts(self) -> list[str]:
        """The texts that say something besides the structured content."""
        told = [b for index, b in enumerate(self.blocks) if index != self.echo]
        return [b["text"] for b in told if b["type"] == "text" and _is_told(b["text"])]

    def stated(self, name: str) -> Any:
        """A member of structured content that is an object; None if there is none."""
        return self.said.get(name) if isinstance(self.said, dict) else None


# -- what the answer says ------------------------------------------------------


def _document(answer: _Answer, error_text: Pattern[str] | None) -> dict[str, Any]:
    """The contract object that an answer amounts to, without what is added to any."""
    said = answer.own["success"] if answer.own is not None else answer.stated("success")
    if said is True and answer.is_error is True:
        return _contradiction(answer, "`isError` is true and `success` is true")
    if said is True and _is_code(answer.stated("error_code")):
        return _contradiction(answer, "`success` is true and there is an `error_code`")
    if not isinstance(answer.is_error, (bool, type(None))):
        found = f"`isError` is neither true nor false but {type_name(answer.is_error)}."
        if not isinstance(said, bool):
            return _unclear(answer, found)
        answer.warnings.append(f"The tool's {found}")
    if answer.own is not None:
        return dict(answer.own)
    if answer.structured is not None and isinstance(said, bool):
        reasons = "; ".join(map(str, violations(check(answer.said))))
        answer.warnings.append(
            f"The tool's structured content is no contract object ({reasons}): "
            f"it stands under `{OUTPUT}`."
        )
    if answer.is_error is True or said is False:
        return _told_failure(answer)
    if answer.unwritable:
        return _unclear(answer, f"Its {answer.unwritable}", "invalid_result_contract")
    if error_text is not None:
        searched = (text[:MAX_SEARCHED] for text in answer.texts)
        if any(error_text.search(text) for text in searched):
            answer.warnings.append(
                "The tool said success; its text matches the pattern for error text "
                f"{_shortened(error_text.pattern)!a}, so this is a failure."
            )
            return _told_failure(answer)
    if answer.structured is None and not answer.has_content:
        return _unclear(answer, "There is neither `content`, which is an array, nor anything else.")
    document: dict[str, Any] = {"success": True, "message": _summary(answer)}
    if answer.structured is not None:
        document[OUTPUT] = answer.structured
    return document


def _told_failure(answer: _Answer) -> dict[str, Any]:
    """A failure in the tool's own words: its texts, else what its structured content says."""
    code = answer.stated("error_code")
    if not _is_code(code):
        code = TOOL_ERROR
    message = answer.stated("message")
    told = ["\n".join(answer.texts), answer.stated("error"), message, "The tool gave no reason."]
    error = next(text for text in told if _is_told(text))
    if not _is_told(message):
        message = f"{answer.tool} failed: {_shortened(error)}"
    return _failure(answer, code, message, error)


def _unclear(answer: _Answer, reason: str, code: str = INVALID_TOOL_RESULT) -> dict[str, Any]:
    message = f"{answer.tool} answered in a way that leaves its outcome unknown."
    return _failure(answer, code, message, reason)


def _contradiction(answer: _Answer, reason: str) -> dict[str, Any]:
    document = _failure(
        answer,
        OUTCOME_CONTRADICTION,
        f"{answer.tool} said both that it succeeded and that it failed.",
        f"{reason}, so the outcome is unknown.",
    )
    document.pop(OUTPUT, None)
    document["details"] = {"result": answer.own or answer.structured}
    return document


def _mismatch(answer: _Answer, document: dict[str, Any], reason: str) -> dict[str, Any]:
    failed = _failure(
        answer,
        OUTPUT_SCHEMA_MISMATCH,
        f"{answer.tool} answered with output that breaks its own output schema.",
        reason,
    )
    if OUTPUT not in failed:
        failed["details"] = {"result": document}
    return failed


def _whole(answer: _Answer, document: dict[str, Any], meta: dict[str, Any]) -> dict[str, Any]:
    """A document with the warnings about the answer, and what `meta` lacks."""
    whole = dict(document)
    if answer.warnings:
        whole["warnings"] = [*document.get("warnings", ()), *map(scalar_text, answer.warnings)]
    if meta:
        own = document.get("meta", {})
        whole["meta"] = {**own, **meta, **own}  # Its own come first, and win.
    return whole


def _failure(answer: _Answer, code: str, message: str, error: str) -> dict[str, Any]:
    document: dict[str, Any] = {
        "success": False,
        "message": scalar_text(message),
        "error": scalar_text(error),
        "error_code": code,
    }
    if answer.structured is not None and answer.own is None:
        document[OUTPUT] = answer.structured
    return document


# -- content -------------------------------------------------------------------


def _with_text(answer: _Answer, text: str) -> list[dict[str, Any]]:
    """The blocks, with one text that serializes the result: in place of its echo, or at the end."""
    blocks = list(answer.blocks)
    if answer.echo is None:
        blocks.append({"type": "text", "text": text})
    else:
        blocks[answer.echo] = {**blocks[answer.echo], "text": text}
    return blocks


def _summary(answer: _Answer) -> str:
    """What a success amounts to: the tool's own line, or what its answer consists of."""
    texts = answer.texts
    if len(texts) == 1 and len(texts[0]) <= MAX_MESSAGE and len(texts[0].splitlines()) == 1:
        return scalar_text(texts[0])
    kinds: dict[str, int] = {}
    for index, block in enumerate(answer.blocks):
        if index != answer.echo:
            noun = _NOUNS.get(block["type"], "other block")
            kinds[noun] = kinds.get(noun, 0) + 1
    told = [f"{count} {noun}{'s' if count > 1 else ''}" for noun, count in kinds.items()]
    return f"{answer.tool} succeeded" + (f" with {', '.join(told)} in `content`." if told else ".")


def _unwrapped(structured: Any) -> Any:
    """Structured content without the wrapper around an object that states its outcome.

    A function annotated to return `Result | None` gives `{"result": {...}}`, and
    a failure in there is no success.
    """
    if isinstance(structured, dict) and structured.keys() == {WRAPPED}:
        inner = structured[WRAPPED]
        if isinstance(inner, dict) and isinstance(inner.get("success"), bool):
            return inner
    return structured


def _json_of(block: dict[str, Any]) -> Any:
    """The object or array that a text block writes, or None."""
    text = block["text"] if block["type"] == "text" else ""
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
        return None
    try:
        return read(text.encode())
    except DocumentError:
        return None


def _is_told(text: object) -> bool:
    return isinstance(text, str) and text.strip(WHITE_SPACE) != ""


def _is_code(value: object) -> bool:
    return not check({"success": False, "message": "m", "error_code": value})


def _conforms(value: object) -> bool:
    if not isinstance(value, dict) or "success" not in value:
        return False
    return not violations(check(value))


def _shortened(text: str) -> str:
    """The first line of a text, not too long for a message."""
    line = text.strip(WHITE_SPACE).partition("\n")[0].rstrip(WHITE_SPACE)
    return line if len(line) <= MAX_MESSAGE else line[: MAX_MESSAGE - 3] + "..."
