"""An evidence pair: one completed success and one completed failure (specification section 5)."""

from __future__ import annotations

from ..contract.findings import Finding, violations
from ..files import shown_path
from ..json_text import MAX_BYTES
from ..profiles import PROFILES
from .exhibit import Exhibit, examine, examine_tool_definition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The cases of a pair in their order: name -> the outcome it must state.
CASES = {"success": True, "failure": False}
_OUTCOME_RULES = {
    "success": "evidence.success_case.outcome",
    "failure": "evidence.failure_case.outcome",
}


class Pair:
    """What was found in a pair.

    `cases` are the exhibits by name, `tool_definition` the third one or None,
    `findings` those about the pair as a whole. What is wrong with a tool's
    output schema is wrong with each case: a result is judged against it.
    """

    __slots__ = ("cases", "findings", "profile", "tool_definition")

    def __init__(
        self,
        profile: str,
        cases: dict[str, Exhibit],
        tool_definition: Exhibit | None,
        findings: list[Finding],
    ) -> None:
        self.profile = profile
        self.cases = cases
        self.tool_definition = tool_definition
        self.findings = findings

    def case_findings(self, name: str) -> list[Finding]:
        """The findings of a case, then those of the tool definition if it could be read."""
        return self.cases[name].judgement.findings + self._definition_findings()

    def case_facts(self, name: str) -> dict[str, Any]:
        """The `profile_facts` of a case."""
        facts = self.cases[name].judgement.facts
        return {**facts, **self.tool_definition.judgement.facts} if self.tool_definition else facts

    def case_conformant(self, name: str) -> bool:
        """Whether a case has no violation."""
        return not violations(self.case_findings(name))

    @property
    def conformant(self) -> bool:
        """Whether both cases conform, each with its outcome, and the pair as a whole does."""
        return all(map(self.case_conformant, self.cases)) and not violations(self.findings)

    def _definition_findings(self) -> list[Finding]:
        definition = self.tool_definition
        return definition.judgement.findings if definition and definition.judgement.facts else []


def judge_pair(
    profile: str,
    success: str,
    failure: str,
    tool_definition: str | None = None,
    *,
    max_bytes: int = MAX_BYTES,
) -> Pair:
    """Read and judge the files of a pair, each once.

    Paths are as they were typed. What cannot be read is a finding, so this
    raises only for a profile that does not exist (`KeyError`).
    """
    paths = {"success": success, "failure": failure}
    cases = {
        name: _as_case(
            name, profile, examine(paths[name], profile, max_bytes=max_bytes, regular=True)
        )
        for name in CASES
    }
    exhibit, findings = _tool_definition(profile, tool_definition, max_bytes)
    return Pair(profile, cases, exhibit, findings)


def mcp_pair(profile: str, success: Exhibit, failure: Exhibit, tool_definition: Exhibit) -> Pair:
    """The pair that exhibits of an MCP profile make: the same as `judge_pair` of their files."""
    cases = {"success": success, "failure": failure}
    cases = {name: _as_case(name, profile, exhibit) for name, exhibit in cases.items()}
    return Pair(profile, cases, tool_definition, _unread(tool_definition))


def _as_case(name: str, profile: str, exhibit: Exhibit) -> Exhibit:
    """The exhibit of one case, with the finding that its outcome is the other one."""
    expected, stated = CASES[name], exhibit.judgement.success
    if stated is not None and stated is not expected:
        told = str(expected).lower()
        reason = f"the {name} evidence must say `success: {told}`; it says the opposite"
        pointer = "/success" if PROFILES[profile] is None else "/structuredContent/success"
        if PROFILES[profile] is not None and "result" in exhibit.judgement.document:
            pointer = "/result" + pointer
        exhibit.judgement.findings.append(Finding(_OUTCOME_RULES[name], pointer, reason))
    return exhibit


def _tool_definition(
    profile: str, path: str | None, max_bytes: int
) -> tuple[Exhibit | None, list[Finding]]:
    """The exhibit of the tool definition, and what is wrong with there being one or none."""
    if PROFILES[profile] is None:
        if path is None:
            return None, []
        reason = f"the core profile has no use for a tool definition: {shown_path(path)}"
        return None, [Finding("evidence.tool_definition.ignored", "", reason)]
    if path is None:
        reason = "the profile needs the tool's definition"
        return None, [Finding("evidence.tool_definition.missing", "", reason)]
    exhibit = examine_tool_definition(path, max_bytes=max_bytes, regular=True)
    return exhibit, _unread(exhibit)


def _unread(exhibit: Exhibit) -> list[Finding]:
    """Why a tool definition could not be read, as findings of the pair."""
    unread = [] if exhibit.judgement.facts else exhibit.judgement.findings
    reason = f"the tool definition {exhibit.file}"
    return [Finding(one.rule, "", f"{reason}: {one.message}") for one in unread]
