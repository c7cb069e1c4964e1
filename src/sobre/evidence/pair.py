"""An evidence pair: one completed success and one completed failure (specification section 5)."""

from __future__ import annotations

from ..contract.findings import Finding
from ..files import shown_path
from ..json_text import MAX_BYTES
from .exhibit import Exhibit, examine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    CaseName = Literal["success", "failure"]

#: The cases of a pair in their order: name -> the outcome it must state.
CASES: dict[CaseName, bool] = {"success": True, "failure": False}
_OUTCOME_RULES = {
    "success": "evidence.success_case.outcome",
    "failure": "evidence.failure_case.outcome",
}


class Pair:
    """What was found in a pair. `findings` are about the pair as a whole."""

    __slots__ = ("cases", "findings", "profile", "tool_definition")

    def __init__(
        self,
        profile: str,
        cases: dict[CaseName, Exhibit],
        tool_definition: Exhibit | None,
        findings: list[Finding],
    ) -> None:
        self.profile = profile
        self.cases = cases
        self.tool_definition = tool_definition
        self.findings = findings

    @property
    def conformant(self) -> bool:
        """Whether both cases conform, each with its outcome, and the pair as a whole does."""
        return all(case.conformant for case in self.cases.values()) and not any(
            finding.severity == "violation" for finding in self.findings
        )


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
    raises only for a profile that does not exist (`ValueError`).
    """
    findings = []
    if tool_definition is not None:
        reason = f"the core profile has no use for a tool definition: {shown_path(tool_definition)}"
        findings.append(Finding("evidence.tool_definition.ignored", "", reason))
    paths: dict[CaseName, str] = {"success": success, "failure": failure}
    cases = {name: _examine_case(name, paths[name], profile, max_bytes) for name in CASES}
    return Pair(profile, cases, None, findings)


def _examine_case(name: CaseName, path: str, profile: str, max_bytes: int) -> Exhibit:
    """The exhibit of one case, with the finding that its outcome is the other one."""
    exhibit = examine(path, profile, max_bytes=max_bytes)
    expected, stated = CASES[name], exhibit.judgement.success
    if stated is not None and stated is not expected:
        told = str(expected).lower()
        reason = f"the {name} evidence must say `success: {told}`; it says the opposite"
        exhibit.judgement.findings.append(Finding(_OUTCOME_RULES[name], "/success", reason))
    return exhibit
