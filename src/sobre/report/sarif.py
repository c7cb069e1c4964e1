"""The report as SARIF 2.1.0, for code scanning and editors.

Every finding and every problem of a claim is a result. Nothing is left out;
only excerpts are bounded.
"""

from __future__ import annotations

import os
from hashlib import sha256
from urllib.parse import quote

from .. import __version__
from ..contract.rules import meaning, severity
from ..files import STANDARD_INPUT
from ..json_write import pretty
from .excerpt import excerpt
from .model import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..contract.findings import Finding
    from ..evidence.exhibit import Exhibit

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {"violation": "error", "warning": "warning"}
# What RFC 3986 allows in a path segment as it is. A colon could end a scheme.
_PLAIN = "/!$&'()*+,;=@"


def render(report: Report) -> bytes:
    """One run with its rules, artifacts and results."""
    log = _Log(report)
    for _, exhibit in report.exhibits:
        file = log.artifact(_artifact(exhibit))
        for finding, place in zip(exhibit.judgement.findings, exhibit.places(), strict=True):
            log.add_finding(finding, {**file, **_regions(exhibit, place)})
    # What no file has alone stands at the first one, since viewers want a place.
    first = log.artifact(_artifact(report.exhibits[0][1])) if report.exhibits else {}
    for finding in report.findings:
        log.add_finding(finding, first)
    subject = log.artifact(_file(report.subject)) if report.subject is not None else {}
    for claim in report.claims:
        for problem in claim.problems:
            level = "error" if report.counts(claim) else "note"
            log.add(problem.code, level, problem.message, subject, (claim.statement, ""))
    return pretty({"$schema": _SCHEMA, "version": "2.1.0", "runs": [log.run()]})


class _Log:
    """The parts of a run while they are collected."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.results: list[dict[str, Any]] = []
        self.rules: list[dict[str, Any]] = []
        self.rule_indices: dict[str, int] = {}
        self.seen: dict[str, int] = {}
        self.artifacts: list[dict[str, Any]] = []
        self.indices: dict[str, int] = {}

    def artifact(self, artifact: dict[str, Any]) -> dict[str, Any]:
        """A file, listed once however often it was named, as a physical location."""
        name = artifact["location"]["uri"]
        if name not in self.indices:
            self.indices[name] = len(self.artifacts)
            self.artifacts.append(artifact)
        return {"artifactLocation": {"uri": name, "index": self.indices[name]}}

    def add_finding(self, finding: Finding, physical: dict[str, Any]) -> None:
        """A finding at its place."""
        level = _LEVELS[finding.severity] if self.report.conformance_counts else "note"
        explained = meaning(finding.rule), finding.fix
        self.add(finding.rule, level, finding.message, physical, explained, finding.pointer)

    def add(
        self,
        rule: str,
        level: str,
        message: str,
        physical: dict[str, Any],
        explained: tuple[str, str],
        pointer: str = "",
    ) -> None:
        """One result. `explained` is what its rule means and how to fix what breaks it."""
        if rule not in self.rule_indices:
            self.rule_indices[rule] = len(self.rules)
            self.rules.append(_rule(rule, *explained))
        location: dict[str, Any] = {"physicalLocation": physical} if physical else {}
        if pointer:
            location["logicalLocations"] = [{"fullyQualifiedName": pointer}]
        file = physical["artifactLocation"]["uri"] if physical else ""
        result: dict[str, Any] = {
            "ruleId": rule,
            "ruleIndex": self.rule_indices[rule],
            "level": level,
            "message": {"text": _message(message)},
        }
        if location:
            result["locations"] = [location]
        result["partialFingerprints"] = {"sobre/v1": self._fingerprint(rule, file, pointer)}
        self.results.append(result)

    def _fingerprint(self, *parts: str) -> str:
        """The same for the same rule at the same place, wherever its line has moved."""
        digest = sha256("\0".join(parts).encode()).hexdigest()
        self.seen[digest] = self.seen.get(digest, 0) + 1
        return f"{digest[:32]}:{self.seen[digest]}"

    def run(self) -> dict[str, Any]:
        """The run, complete."""
        driver = {"name": "sobre", "semanticVersion": __version__, "rules": self.rules}
        return {
            "tool": {"driver": driver},
            "invocations": [{"executionSuccessful": True}],
            "columnKind": "unicodeCodePoints",
            "artifacts": self.artifacts,
            "results": self.results,
            "properties": {
                "verdict": self.report.verdict,
                "conformant": self.report.conformant,
                "profile": self.report.profile or None,
                "boundary": self.report.boundary,
            },
        }


def uri(path: str) -> str:
    """A path as typed as a relative URI reference, or an absolute one as a file URI."""
    if os.sep == "\\":
        path = path.replace("\\", "/")
    if path.startswith("//") and os.sep == "\\":
        return "file:" + quote(path, safe=_PLAIN)
    if os.path.isabs(path):
        start = "" if path.startswith("/") else "/"
        return "file://" + start + quote(path, safe=_PLAIN + ":")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return quote("/".join(parts) or ".", safe=_PLAIN)


def _file(path: str) -> dict[str, Any]:
    return {"location": {"uri": uri(path)}, "roles": ["analysisTarget"]}


def _artifact(exhibit: Exhibit) -> dict[str, Any]:
    artifact = _file(exhibit.file)
    if exhibit.file == STANDARD_INPUT:
        artifact["location"]["description"] = {"text": "standard input"}
    if exhibit.data is not None:
        artifact["length"] = len(exhibit.data)
        artifact["hashes"] = {"sha-256": exhibit.sha256}
    return artifact


def _regions(exhibit: Exhibit, place: tuple[int, int, int] | None) -> dict[str, Any]:
    """The token at a place, and the piece of its line around it."""
    around = excerpt(exhibit, place)
    if around is None:
        return {}
    line, column, end = around.line, around.column, around.column + len(around.marked)
    regions: dict[str, Any] = {
        "region": {
            "startLine": line,
            "startColumn": column,
            "endColumn": end,
            "snippet": {"text": around.marked},
        }
    }
    if around.before or around.after:
        regions["contextRegion"] = {
            "startLine": line,
            "startColumn": column - len(around.before),
            "endColumn": end + len(around.after),
            "snippet": {"text": around.before + around.marked + around.after},
        }
    return regions


def _rule(rule: str, means: str, how: str) -> dict[str, Any]:
    text = {"text": _message(means or rule)}
    return {
        "id": rule,
        "shortDescription": text,
        "fullDescription": text,
        "help": {"text": _message(how or means or rule)},
        "defaultConfiguration": {"level": _LEVELS[severity(rule)]},
    }


def _message(text: str) -> str:
    """Text as a SARIF message in which nothing is a placeholder or a link (3.11.5, 3.11.6)."""
    text = text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return text.replace("{", "{{").replace("}", "}}")
