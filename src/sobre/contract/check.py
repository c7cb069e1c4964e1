"""The core rules over a document (specification section 2).

Each row of `_CORE` and `_META` is a field, the check of its value and the rules
it can break; `check` reads the tables from top to bottom, and that is the order
of the findings. A sound field costs one look-up and one comparison.
"""

from __future__ import annotations

from .findings import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Check = Callable[[Any, str, str, str, list[Finding]], None]

#: White space as ECMA-262 has it, which is what JSON Schema means by `\\S`.
WHITE_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
# Characters that are white space to ECMA-262 or to Python and not to the other.
_DISPUTED = "\x1c\x1d\x1e\x1f\x85\ufeff"
_EITHER_SPACE = WHITE_SPACE + _DISPUTED
#: Findings about items of `warnings` after which the others are only counted.
MAX_ITEM_FINDINGS = 1000
_LOWER = "abcdefghijklmnopqrstuvwxyz"
_CODE = _LOWER + "0123456789_"
_ABSENT = object()


def check(document: object) -> list[Finding]:
    """Every way in which a JSON value breaks the core, in the order of the specification.

    An empty list, or one of warnings alone, means that it conforms. Never
    raises, whatever the value; one that JSON lacks counts as the wrong type.
    """
    if not issubclass(type(document), dict):
        found = type_name(document)
        return [Finding("core.type", "", f"a result is one JSON object, found {found}")]
    try:
        return _check_object(document)
    except Exception:  # A subclass or a key that interferes: go by the plain members.
        return _check_object(_plain(document))


def _check_object(document: Any) -> list[Finding]:
    findings: list[Finding] = []
    success = document.get("success", _ABSENT)
    if success is not True and success is not False:
        if success is _ABSENT:
            reason = "`success` is missing; every result says whether the operation succeeded"
            findings.append(Finding("core.success.missing", "/success", reason))
        else:
            findings.append(_wrong_type("core.success.type", "/success", "true or false", success))
    if "message" not in document:
        reason = "`message` is missing; every result has a whole summary for a person"
        findings.append(Finding("core.message.missing", "/message", reason))
    for name, examine, type_rule, value_rule in _CORE:
        value = document.get(name, _ABSENT)
        if value is not _ABSENT:
            examine(value, "/" + name, type_rule, value_rule, findings)
    explained = "error" in document or "error_code" in document
    if success is True and explained:
        _refuse_explanation(document, findings)
    elif success is False and not explained:
        reason = "`success` is false, and neither `error` nor `error_code` says why"
        findings.append(Finding("core.failure.unexplained", "", reason))
    return findings


def _refuse_explanation(document: Any, findings: list[Finding]) -> None:
    """What a success may not carry, whatever its value."""
    for name, rule in (("error", "core.success.error"), ("error_code", "core.success.error_code")):
        if name in document:
            reason = f"`success` is true, so `{name}` may not be there"
            findings.append(Finding(rule, "/" + name, reason))


def _text(value: Any, pointer: str, type_rule: str, blank: str, findings: list[Finding]) -> None:
    """A string with at least one character that ECMA-262 does not call white space."""
    if type(value) is not str:
        if not issubclass(type(value), str):
            findings.append(_wrong_type(type_rule, pointer, "a string", value))
            return
        value = str.__str__(value)
    if value.strip(_EITHER_SPACE):
        return
    if not value.strip(WHITE_SPACE):
        reason = "has only white space" if value else "is empty"
        findings.append(Finding(blank, pointer, f"`{_name(pointer)}` {reason}"))
    disputed = sorted({character for character in value if character in _DISPUTED})
    if disputed:
        names = ", ".join(f"U+{ord(character):04X}" for character in disputed)
        reason = f"`{_name(pointer)}` has no other text than {names}; validators disagree on it"
        findings.append(Finding("core.whitespace_portability", pointer, reason))


def _code(value: Any, pointer: str, type_rule: str, pattern: str, findings: list[Finding]) -> None:
    """A string that matches `^[a-z][a-z0-9_]*$` over its whole length."""
    if not issubclass(type(value), str):
        findings.append(_wrong_type(type_rule, pointer, "a string", value))
        return
    value = str.__str__(value)
    if value.strip(_CODE) or not value or value[0] not in _LOWER:
        shown = ascii(value if len(value) <= 40 else value[:37] + "...")
        reason = f"`{_name(pointer)}` is {shown}; it takes a-z first, then a-z, 0-9 and _ alone"
        findings.append(Finding(pattern, pointer, reason))


def _object(value: Any, pointer: str, type_rule: str, _: str, findings: list[Finding]) -> None:
    if not issubclass(type(value), dict):
        findings.append(_wrong_type(type_rule, pointer, "an object", value))


def _texts(value: Any, pointer: str, type_rule: str, _: str, findings: list[Finding]) -> None:
    if not issubclass(type(value), list):
        findings.append(_wrong_type(type_rule, pointer, "an array of strings", value))
        return
    most = len(findings) + MAX_ITEM_FINDINGS
    for index, item in enumerate(list.__iter__(value)):
        if len(findings) >= most:
            rest = list.__len__(value) - index
            reason = (
                f"the other {rest} items were not looked at, after {MAX_ITEM_FINDINGS} findings"
            )
            findings.append(Finding("core.warnings.more", pointer, reason))
            return
        place = f"{pointer}/{index}"
        _text(item, place, "core.warnings.item.type", "core.warnings.item.blank", findings)


def _version(value: Any, pointer: str, rule: str, _: str, findings: list[Finding]) -> None:
    """The number 1, which `1.0` is too and `true` is not."""
    if not _is_number(value) or value != 1:
        findings.append(_wrong_type(rule, pointer, "the number 1", value))


def _duration(value: Any, pointer: str, type_rule: str, low: str, findings: list[Finding]) -> None:
    """A number that is not below 0; `-0.0` is not."""
    if not _is_number(value):
        findings.append(_wrong_type(type_rule, pointer, "a number", value))
    elif value < 0:
        findings.append(Finding(low, pointer, f"`{_name(pointer)}` is below 0"))


def _meta(value: Any, pointer: str, type_rule: str, _: str, findings: list[Finding]) -> None:
    if not issubclass(type(value), dict):
        findings.append(_wrong_type(type_rule, pointer, "an object", value))
        return
    for name, examine, rule, value_rule in _META:
        member = value.get(name, _ABSENT)
        if member is not _ABSENT:
            examine(member, f"{pointer}/{name}", rule, value_rule, findings)


#: Field, its check, and the rules of its type and of its value.
_CORE: tuple[tuple[str, Check, str, str], ...] = (
    ("message", _text, "core.message.type", "core.message.blank"),
    ("error", _text, "core.error.type", "core.error.blank"),
    ("error_code", _code, "core.error_code.type", "core.error_code.pattern"),
    ("details", _object, "core.details.type", ""),
    ("warnings", _texts, "core.warnings.type", ""),
    ("meta", _meta, "core.meta.type", ""),
)
_META: tuple[tuple[str, Check, str, str], ...] = (
    ("schema_version", _version, "core.meta.schema_version", ""),
    ("command", _text, "core.meta.command.type", "core.meta.command.blank"),
    ("duration_ms", _duration, "core.meta.duration_ms.type", "core.meta.duration_ms.negative"),
    ("command_maturity", _object, "core.meta.command_maturity.type", ""),
)


def _plain(document: Any) -> dict[str, Any]:
    """The members of a dictionary, and of its `meta`, without what its class or keys add."""
    members = {key: value for key, value in dict.items(document) if type(key) is str}
    meta: Any = members.get("meta")
    if issubclass(type(meta), dict):
        members["meta"] = {key: value for key, value in dict.items(meta) if type(key) is str}
    return members


def _is_number(value: object) -> bool:
    """Whether it is a JSON number: finite, and no boolean."""
    if type(value) is int:
        return True
    return type(value) is float and value - value == 0.0


def _wrong_type(rule: str, pointer: str, expected: str, value: object) -> Finding:
    return Finding(
        rule, pointer, f"`{_name(pointer)}` must be {expected}, found {type_name(value)}"
    )


def _name(pointer: str) -> str:
    return pointer[1:].replace("/", ".")


def type_name(value: object) -> str:
    """The JSON type of a value for a sentence, with a short value where that helps."""
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if type(value) is int:
        return f"the number {value}" if value.bit_length() <= 64 else "a number"
    if type(value) is float:
        return f"the number {value!r}" if _is_number(value) else "NaN or an infinity"
    for kind, name in ((str, "a string"), (dict, "an object"), (list, "an array")):
        if issubclass(type(value), kind):
            return name
    return "a value that JSON lacks"
