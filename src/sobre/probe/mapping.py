"""What a document that is no contract object already says: which fields look like which.

Advice for whoever writes the program. Nothing is rewritten, and no verdict depends on it.
"""

from __future__ import annotations

from ..contract.check import WHITE_SPACE
from ..contract.findings import Finding, pointer_to
from ..report.escape import bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    _Fields = dict[str, list[tuple[tuple[str, ...], Any]]]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


#: Field of the contract -> names under which other formats have it, in lower case and
#: without `_` and `-`, the likeliest first.
LOOKS_LIKE: dict[str, tuple[str, ...]] = {
    "success": _words(
        "success succeeded successful issuccess ok passed valid healthy result status state "
        "outcome iserror error failed failure errored exitcode exitstatus returncode rc"
    ),
    "message": _words("message msg summary description title text detail reason info output"),
    "error": _words(
        "error errormessage errmsg err stderr reason detail exception errors failure fault"
    ),
    "error_code": _words(
        "errorcode code errcode errno errortype type kind status reason name statuscode exitcode"
    ),
    "warnings": _words("warnings warning warns notices"),
}
#: Values that state an outcome, in lower case.
GOOD = _words("ok yes success succeeded successful passed pass true done completed complete")
BAD = _words(
    "error no failed failure fail false errored aborted cancelled canceled timeout invalid"
)
# Names whose true value says that something went wrong.
_NEGATIVE = _words("error iserror failed failure errored")
_STATUSES = _words("exitcode exitstatus returncode rc")


def mapping(document: Any) -> list[Finding]:
    """Advice (`command.mapping`), a finding for each field that looks like one of the contract.

    Looks at the root of an object and at an `error` or `result` object in it. A
    document that states an outcome as the contract wants needs no advice.
    """
    if not isinstance(document, dict):
        told = "it is no object; the whole value would be a field of one, such as `output`"
        return [Finding("command.mapping", "", told)]
    if isinstance(document.get("success"), bool):
        return []
    fields = _fields(document)
    found, used, failed = [], set(), False
    for field, names in LOOKS_LIKE.items():
        if field in ("error", "error_code") and not failed:
            continue  # A success has neither, and many a `name` would look like a code.
        free = (one for one in _candidates(field, names, fields) if one[0] not in used)
        path, told = next(free, ((), ""))
        if told:
            used.add(path)
            found.append(Finding("command.mapping", pointer_to(path), told))
            failed = failed or told.endswith("`success` would be false")
    if not any("`success`" in one.message for one in found):
        told = "no field states the outcome: `success` would have to be added"
        found.insert(0, Finding("command.mapping", "", told))
    return found


def _fields(document: dict[str, Any]) -> _Fields:
    """Plain name -> the fields that have it: at the root, and in objects that tell an outcome."""
    places: list[tuple[tuple[str, ...], dict[str, Any]]] = [((), document)]
    for name in ("error", "result", "status"):
        if isinstance(document.get(name), dict):
            places.append(((name,), document[name]))
    fields: _Fields = {}
    for path, members in places:
        for member, value in members.items():
            plain = member.lower().replace("_", "").replace("-", "")
            fields.setdefault(plain, []).append(((*path, member), value))
    return fields


def _candidates(
    field: str, names: tuple[str, ...], fields: _Fields
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Paths of fields that look like one of the contract's, with a sentence on each."""
    for name in names:
        for path, value in fields.get(name, ()):
            told = _told(field, name, value)
            if told is not None:
                yield path, told


def _told(field: str, name: str, value: Any) -> str | None:
    """How a field's value would be said in the contract, or None if it cannot be."""
    if field == "success":
        outcome = _outcome(name, value)
        if outcome is None:
            return None
        return f"it looks like the outcome: `success` would be {str(outcome).lower()}"
    if field == "warnings":
        good = isinstance(value, list)
        return "it looks like warnings: `warnings` would be an array of strings" if good else None
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        return None
    text = str(value)
    if not text.strip(WHITE_SPACE):
        return None
    if field == "error_code":
        code = _code(text)
        return f"it looks like a code: `error_code` would be `{code}`" if code else None
    if isinstance(value, int):
        return None
    what = "a message for a person" if field == "message" else "the text of an error"
    return f'it looks like {what}, `{field}`: "{bounded(text, 80)}"'


def _outcome(name: str, value: Any) -> bool | None:
    """The outcome that a value states, or None."""
    if isinstance(value, bool):
        return value is not (name in _NEGATIVE)
    if name in _STATUSES and isinstance(value, int):
        return value == 0
    if name in _NEGATIVE:
        if value is None:
            return True
        return False if isinstance(value, (dict, str)) and value else None
    word = value.lower() if isinstance(value, str) else ""
    return True if word in GOOD else False if word in BAD else None


def _code(text: str) -> str | None:
    """A text as an error code, if it is short enough to be one."""
    import re

    if len(text) > 60:
        return None
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text)
    code = re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")
    if not code or not code.isascii():
        return None
    return code if code[0].isalpha() else f"code_{code}"
