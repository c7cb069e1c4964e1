"""Findings: what a check saw, where, in words."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class Finding:
    """One rule broken, or one warning, at one place. An immutable value.

    `rule` is a rule id, `pointer` a JSON Pointer (RFC 6901) to the place in the
    document, `message` one plain sentence. `offset` is the byte offset of the
    place in the file where the reader knows it (json.* rules), else None.
    `severity` is "violation" or "warning".
    """

    __slots__ = ("message", "offset", "pointer", "rule")
    rule: str
    pointer: str
    message: str
    offset: int | None

    def __init__(self, rule: str, pointer: str, message: str, offset: int | None = None) -> None:
        for name, value in zip(
            ("rule", "pointer", "message", "offset"), (rule, pointer, message, offset), strict=True
        ):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Finding does not change; make another instead of setting {name}")

    __delattr__ = __setattr__  # type: ignore[assignment]

    @property
    def severity(self) -> str:
        """`violation` or `warning`, by the rule."""
        from .rules import severity

        return severity(self.rule)

    @property
    def fix(self) -> str:
        """How to fix what was found, in a sentence."""
        from .rules import fix

        return fix(self.rule)

    def to_dict(self) -> dict[str, Any]:
        """The finding as a JSON object: `rule`, `severity`, `pointer`, `message`, `fix`."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "pointer": self.pointer,
            "message": self.message,
            "fix": self.fix,
        }

    def _key(self) -> tuple[str, str, str, int | None]:
        return self.rule, self.pointer, self.message, self.offset

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Finding) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"Finding({self.rule!r}, {self.pointer!r}, {self.message!r})"

    def __str__(self) -> str:
        return f"{self.rule} at {self.pointer or 'the root'}: {self.message}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Finding, self._key()


def violations(findings: Iterable[Finding]) -> list[Finding]:
    """Those that make a document not conform."""
    return [finding for finding in findings if finding.severity == "violation"]


def warnings(findings: Iterable[Finding]) -> list[Finding]:
    """Those that a person should know and that change no verdict."""
    return [finding for finding in findings if finding.severity == "warning"]


def pointer_to(path: Iterable[str | int]) -> str:
    """The JSON Pointer (RFC 6901) of a path of member names and array indices."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)
