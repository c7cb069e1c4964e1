"""From what a server said to what is found in it: sessions in, a `Judged` out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ...contract.findings import Finding, violations
from ...evidence.exhibit import Exhibit, exhibit_of
from ...evidence.pair import CASES, Pair, mcp_pair
from ...profiles import Judgement
from ...profiles.mcp import judge_tool_definition
from ...report.escape import bounded
from ..command import ProbedExhibit
from ..credentials import masked, spans
from .answers import Answered, call_findings, unknown_findings
from .secrets import Secrets, credentials
from .tools import list_findings, order_across, rank, tool_findings
from .trials import Trials

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .listing import Tool
    from .session import Call, Case, Session

#: The names of the files of a pair.
FILES = {
    "success": "success.json",
    "failure": "failure.json",
    "tool definition": "tool-definition.json",
}


class JudgedTool:
    """A tool as one or more revisions list it, where the same is found in all of them.

    The exhibit is that of the first of them. `number` tells tools of one name apart.
    """

    __slots__ = ("exhibit", "name", "number", "revisions")

    def __init__(self, name: str, number: int, exhibit: Exhibit, revision: str) -> None:
        self.name = name
        self.number = number
        self.exhibit = exhibit
        self.revisions = [revision]

    @property
    def key(self) -> tuple[Any, ...]:
        """What is the same for a tool in two revisions that differ in nothing that matters."""
        return self.name, self.number, tuple(self.exhibit.judgement.findings)

    @property
    def worst(self) -> Finding | None:
        """The finding that hurts most."""
        found = self.exhibit.judgement.findings
        return min(found, key=_weight, default=None)

    @property
    def weight(self) -> tuple[int, int]:
        """What tools are sorted by, the worst first."""
        worst = self.worst
        return (2, 0) if worst is None else _weight(worst)


class JudgedPair:
    """The two answers of one tool in one revision.

    `pair` is what the receipt is made of: the profile's own findings. `extra`
    are those of the detectors, by role.
    """

    __slots__ = ("case", "extra", "pair", "revision")

    def __init__(self, revision: str, case: Case, pair: Pair) -> None:
        self.revision = revision
        self.case = case
        self.pair = pair
        self.extra: dict[str, list[Finding]] = {}

    def exhibits(self) -> dict[str, Exhibit]:
        """The exhibits of the pair by role, with nothing of the detectors."""
        definition = self.pair.tool_definition
        return self.pair.cases | ({"tool definition": definition} if definition else {})

    def with_all_findings(self, role: str, file: str) -> Exhibit:
        """An exhibit under the name of a file, to be shown: with what the detectors found, too."""
        exhibit = self.exhibits()[role]
        told = exhibit.judgement
        found = told.findings + self.extra.get(role, [])
        again = Judgement(told.document, found, told.success, told.facts)
        if exhibit.data is None or exhibit.sha256 is None:
            return Exhibit(file, None, again)
        shown = masked(exhibit.data, spans(exhibit.data, {}))
        return ProbedExhibit(file, shown, again, exhibit.sha256)

    @property
    def conformant(self) -> bool:
        """Whether nothing that was found is a violation."""
        extra = [finding for found in self.extra.values() for finding in found]
        return self.pair.conformant and not violations(extra)


class Judged:
    """All that was found. `findings` concern the server as a whole."""

    def __init__(self, sessions: Sequence[Session]) -> None:
        self.sessions = list(sessions)
        self.tools: list[JudgedTool] = []
        self.pairs: list[JudgedPair] = []
        self.findings: list[Finding] = []

    @property
    def spoken(self) -> list[str]:
        """The revisions that the server speaks."""
        return [session.revision for session in self.sessions if session.spoken]

    @property
    def conformant(self) -> bool:
        """Whether nothing that was found is a violation, and something was judged."""
        judged = self.pairs or self.tools
        good = all(tool.exhibit.conformant for tool in self.tools)
        good = good and all(pair.conformant for pair in self.pairs)
        return bool(judged) and good and not violations(self.findings)


def judge(
    sessions: Sequence[Session],
    cases: Sequence[Case],
    trials: Trials,
    secrets: Secrets,
    *,
    asked: Sequence[str] = (),
) -> Judged:
    """Judge the sessions: the pairs of the cases, or all tools if there is no case.

    `asked` are the revisions that a person asked for by name: for those it is a
    fault not to be spoken.
    """
    judged = Judged(sessions)
    for session in sessions:
        if not cases:
            _judge_tools(session, judged, trials, secrets)
        for case in cases:
            _judge_case(session, case, judged, trials, secrets)
    judged.tools.sort(key=lambda tool: (tool.weight, tool.name))
    judged.findings = [
        Finding(one.rule, secrets.without(one.pointer), secrets.without(one.message))
        for one in [*judged.findings, *_as_a_whole(judged, cases, asked)]
    ]
    return judged


def _weight(finding: Finding) -> tuple[int, int]:
    return (0 if finding.severity == "violation" else 1), rank(finding.rule)


# -- tools --------------------------------------------------------------------


def _judge_tools(session: Session, judged: Judged, trials: Trials, secrets: Secrets) -> None:
    """Judge what one revision lists. What is no different from another revision is one tool."""
    known = {tool.key: tool for tool in judged.tools}
    counts: Counter[str] = Counter()
    for number, tool in enumerate(session.listing.tools if session.listing else (), 1):
        name = tool.name if tool.name is not None else f"(tool {number})"
        name = bounded(secrets.without(name), 128)
        counts[name] += 1
        data, why = _kept(tool.data, "the definition", secrets)
        judgement = judge_tool_definition(tool.to_judge)
        found = [*judgement.findings, *tool_findings(tool, trials), *why]
        judgement.findings = _scrubbed(found, secrets)
        judgement.document = None
        new = JudgedTool(name, counts[name], Exhibit(name, data, judgement), session.revision)
        same = known.get(new.key)
        if same is not None:
            same.revisions.append(session.revision)
        else:
            judged.tools.append(new)


# -- pairs --------------------------------------------------------------------


def _judge_case(
    session: Session, case: Case, judged: Judged, trials: Trials, secrets: Secrets
) -> None:
    if session.listing is None:
        return
    tool = session.listing.find(case.tool)
    if tool is None:
        reason = f"{session.revision}: there is no tool {case.tool!a} in the list"
        judged.findings.append(Finding("tool.missing", "", reason))
        return
    profile = f"mcp-{session.revision}"
    extra: dict[str, list[Finding]] = {}
    exhibits = {}
    for role in CASES:
        call = session.calls.get((case.name, role))
        exhibits[role], extra[role] = _exhibit(call, role, profile, secrets)
        if call is not None and call.answer is not None:
            answered = Answered(role, case.arguments[role], call.answer, tool)
            extra[role] += call_findings(answered, trials)
            call.answer.forget()
            judged.findings += credentials(call.answer.data, f"{session.revision} {role}")
    definition, extra["tool definition"] = _definition(tool, secrets)
    extra["tool definition"] += tool_findings(tool, trials)
    pair = mcp_pair(profile, exhibits["success"], exhibits["failure"], definition)
    judged_pair = JudgedPair(session.revision, case, pair)
    for exhibit in judged_pair.exhibits().values():
        exhibit.judgement.findings = _scrubbed(exhibit.judgement.findings, secrets)
        exhibit.judgement.document = None  # It may take fifty times the memory of the bytes.
    judged_pair.extra = {role: _scrubbed(found, secrets) for role, found in extra.items()}
    judged.pairs.append(judged_pair)


def _exhibit(
    call: Call | None, role: str, profile: str, secrets: Secrets
) -> tuple[Exhibit, list[Finding]]:
    """The exhibit of an answer, and what is wrong with how it came, or did not."""
    if call is None or call.answer is None:
        trouble = call.trouble if call is not None else None
        found = [trouble.finding] if trouble is not None else []
        return exhibit_of(FILES[role], None, profile, "there was no answer"), found
    data, found = _kept(call.answer.data, "the answer", secrets)
    exhibit = exhibit_of(FILES[role], data, profile, "the answer holds a secret of the prober's")
    return exhibit, found


def _definition(tool: Tool, secrets: Secrets) -> tuple[Exhibit, list[Finding]]:
    data, found = _kept(tool.data, "the definition", secrets)
    absence = "the list of tools is no strict JSON" if tool.data is None else "it holds a secret"
    return exhibit_of(FILES["tool definition"], data, None, absence), found


def _kept(data: bytes | None, what: str, secrets: Secrets) -> tuple[bytes | None, list[Finding]]:
    """The bytes, unless a secret stands in them: then None, and the finding that tells it."""
    whose = secrets.holder(data) if data is not None else None
    if whose is None:
        return data, []
    reason = f"{what} holds the value of {whose}, so it is not written or shown"
    return None, [Finding("call.secret_echoed", "", reason)]


def _scrubbed(found: list[Finding], secrets: Secrets) -> list[Finding]:
    return [
        Finding(one.rule, secrets.without(one.pointer), secrets.without(one.message), one.offset)
        for one in found
    ]


# -- as a whole ---------------------------------------------------------------


def _as_a_whole(judged: Judged, cases: Sequence[Case], asked: Sequence[str]) -> list[Finding]:
    """What concerns the server, each finding with the revisions in which it was made."""
    places: dict[tuple[str, str], list[str]] = {}
    for session in judged.sessions:
        found = [*session.events, *list_findings(session)]
        # How a server meets a revision that it need not speak is no fault where it speaks another.
        if session.spoken or not judged.spoken or session.revision in asked:
            found += session.trouble
        if cases:
            found += unknown_findings(session)
        if session.revision in asked and not session.spoken:
            found.append(Finding("server.revision", "", f"not spoken: {session.refusal}"))
        for one in found:
            places.setdefault((one.rule, one.message), []).append(session.revision)
    told = [
        Finding(rule, "", f"{', '.join(dict.fromkeys(revisions))}: {message}")
        for (rule, message), revisions in places.items()
    ]
    if not judged.spoken and not told:
        why = "; ".join(f"{one.revision}: {one.refusal}" for one in judged.sessions)
        told.append(Finding("server.revision", "", f"no revision is spoken ({why})"))
    told += order_across(judged.sessions)
    return sorted(told, key=lambda one: one.severity != "violation")
