"""What crosses the wire: messages as bytes, and what went wrong on the way."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from ...contract.findings import Finding, violations
from ...profiles.core import read_with_findings
from ...report.escape import bounded
from .limits import EVENTS_EACH, MESSAGE_BYTES

#: Most characters of a piece of output that a finding quotes.
QUOTED = 80


class Message:
    """One message of the server's: its bytes as they came, and its value.

    `defects` are the json.* findings of the strict reader. A message that only
    a lenient reader takes has its value all the same, so that the conversation
    can go on; one that none takes has None. A value may take fifty times the
    memory of its bytes, so whoever is done with it forgets it.
    """

    __slots__ = ("_max_bytes", "_read", "_value", "data", "defects")

    def __init__(self, data: bytes, max_bytes: int = MESSAGE_BYTES) -> None:
        self.data = data
        self._max_bytes = max_bytes
        self._read = False
        self.defects: list[Finding] = []
        self._value: Any = None
        self._ensure()

    @property
    def value(self) -> Any:
        """What the bytes say; read anew if it was forgotten."""
        self._ensure()
        return self._value

    def forget(self) -> None:
        """Keep the bytes alone."""
        self._value, self._read = None, False

    def _ensure(self) -> None:
        if self._read:
            return
        self.defects, self._value = read_with_findings(self.data, max_bytes=self._max_bytes)
        if violations(self.defects):
            self._value = _leniently(self.data)
        self._read = True

    @property
    def result(self) -> dict[str, Any] | None:
        """The `result` of a response, if it is an object."""
        found = self.value.get("result") if isinstance(self.value, dict) else None
        return found if isinstance(found, dict) else None

    @property
    def error(self) -> Any:
        """The `error` of a response, or None."""
        return self.value.get("error") if isinstance(self.value, dict) else None

    @property
    def is_response(self) -> bool:
        """Whether it is an answer to a request, of whatever id."""
        value = self.value
        return isinstance(value, dict) and ("result" in value or "error" in value)

    @property
    def is_message(self) -> bool:
        """Whether it is anything that JSON-RPC has, however badly written."""
        value = self.value
        return isinstance(value, dict) and ("method" in value or self.is_response)


def _leniently(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError, MemoryError):
        return None


class Trouble(Exception):
    """Why a request got no answer: a rule of the table, and a sentence."""

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(reason)
        self.rule = rule
        self.reason = reason

    @property
    def finding(self) -> Finding:
        """The same as a finding."""
        return Finding(self.rule, "", self.reason)


class Journal:
    """What happened in a session beside its answers, each kind a bounded number of times."""

    def __init__(self) -> None:
        self._findings: list[Finding] = []
        self._counts: Counter[str] = Counter()

    def note(self, rule: str, reason: str) -> None:
        """Note that a rule was broken."""
        self._counts[rule] += 1
        if self._counts[rule] <= EVENTS_EACH:
            self._findings.append(Finding(rule, "", reason))

    def findings(self) -> list[Finding]:
        """What was noted, and how much more there was."""
        found = list(self._findings)
        for rule, count in self._counts.items():
            if count > EVENTS_EACH:
                more = count - EVENTS_EACH
                found.append(Finding(rule, "", f"and {more:,} more of the same kind"))
        return found


def quoted(data: bytes | str) -> str:
    """The beginning of something from outside, in quotes, for a sentence."""
    if isinstance(data, bytes):
        data = data[: 4 * QUOTED].decode("utf-8", "replace")
    return f'"{bounded(data, QUOTED)}"'


def told_error(error: Any) -> str:
    """A JSON-RPC error in a few words."""
    if not isinstance(error, dict):
        return "an error that is no object"
    code, message = error.get("code"), error.get("message")
    shown = quoted(message) if isinstance(message, str) else "no message"
    number = code if type(code) is int and abs(code) < 10**9 else "without a code"
    return f"error {number}, {shown}"
