"""Asking a server: one session a revision, with what came of each request.

Nothing is judged here. What a session could not learn is in its `trouble`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...contract.findings import Finding
from .limits import MESSAGE_BYTES, Clock
from .listing import Listing, list_tools
from .requests import REVISIONS, Speech
from .wire import Journal, Message, Trouble, quoted, told_error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .http import HttpLink
    from .stdio import StdioLink

#: The name of a tool that no server has.
NO_TOOL = "sobre_probe_no_such_tool"


class Target:
    """The server that is probed: `command` or `url`, and the headers it is sent."""

    __slots__ = ("command", "headers", "url")

    def __init__(
        self,
        command: Sequence[str] | None = None,
        url: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.command = list(command or ())
        self.url = url
        self.headers = dict(headers or {})


class Case:
    """A tool with the arguments of a call that succeeds and of one that fails.

    `name` tells it from other cases of the same tool.
    """

    __slots__ = ("arguments", "name", "tool")

    def __init__(
        self, tool: str, success: dict[str, Any], failure: dict[str, Any], name: str = ""
    ) -> None:
        self.tool = tool
        self.name = name or tool
        self.arguments = {"success": success, "failure": failure}


class Call:
    """A call and what came of it: the answer as it came, or the trouble."""

    __slots__ = ("answer", "trouble")

    def __init__(self, answer: Message | None, trouble: Trouble | None = None) -> None:
        self.answer = answer
        self.trouble = trouble


class Session:
    """What came of one revision.

    `refusal` says in a sentence why the server does not speak it, or is None.
    `again` are the names of the tools, asked for once more. `calls` are by case
    and "success" or "failure"; `unknown` is the call of a tool that does not
    exist. `trouble` is what ended it early, as findings.
    """

    def __init__(self, revision: str) -> None:
        self.revision = revision
        self.refusal: str | None = None
        self.server: dict[str, str] = {}
        self.listing: Listing | None = None
        self.again: list[str | None] | None = None
        self.calls: dict[tuple[str, str], Call] = {}
        self.unknown: Call | None = None
        self.trouble: list[Finding] = []
        self.events: list[Finding] = []
        self.stderr = b""

    @property
    def spoken(self) -> bool:
        """Whether the server agreed to the revision."""
        return self.refusal is None


def observe(
    target: Target,
    cases: Sequence[Case],
    clock: Clock,
    *,
    revisions: Sequence[str] = REVISIONS,
    max_bytes: int = MESSAGE_BYTES,
) -> list[Session]:
    """Ask the server in each revision, in a session of its own.

    Ends when the clock says so, but for the seconds that ending a process
    takes. Whatever the server does is in the sessions; nothing is raised.
    """
    sessions = []
    for number, revision in enumerate(revisions):
        session = Session(revision)
        sessions.append(session)
        if not clock.left:
            session.refusal = "there was no time left to ask"
            continue
        share = clock.share(len(revisions) - number)
        journal = Journal()
        speech = Speech(revision)
        try:
            link = _link(target, speech, journal, max_bytes)
        except Trouble as trouble:
            session.refusal = trouble.reason
            session.trouble.append(trouble.finding)
        else:
            try:
                _converse(link, speech, session, cases, share)
            except Trouble as trouble:
                session.trouble.append(trouble.finding)
            finally:
                link.close(share)
                session.stderr = link.stderr
        session.events = journal.findings()
    return sessions


def _link(target: Target, speech: Speech, journal: Journal, max_bytes: int) -> StdioLink | HttpLink:
    if target.url:
        from .http import HttpLink

        return HttpLink(target.url, speech, journal, max_bytes, target.headers)
    from .stdio import StdioLink

    return StdioLink(target.command, speech, journal, max_bytes)


def _converse(
    link: StdioLink | HttpLink,
    speech: Speech,
    session: Session,
    cases: Sequence[Case],
    clock: Clock,
) -> None:
    """The whole of a session. What one call may not do is take the time of the others."""
    _negotiate(link, speech, session, clock.share(1.5))
    if not session.spoken:
        return

    def ask(params: dict[str, Any], clock: Clock) -> Message:
        return link.ask(speech.request("tools/list", params), clock)

    session.listing = list_tools(ask, clock.share(2))
    try:
        again = list_tools(ask, clock.share(2))
        session.again = None if again.findings else again.names
    except Trouble as trouble:
        session.trouble.append(trouble.finding)
    wanted = [(one, name) for one in cases for name in one.arguments]
    for number, (case, name) in enumerate(wanted):
        tool = session.listing.find(case.tool)
        if tool is None:
            continue
        request = speech.request(
            "tools/call",
            {"name": case.tool, "arguments": case.arguments[name]},
            tool.schema("inputSchema"),
        )
        # The last share is for the tool that does not exist.
        share = clock.share(len(wanted) + 1 - number)
        session.calls[case.name, name] = _call(link, request, share)
    if cases and session.calls:
        request = speech.request("tools/call", {"name": NO_TOOL, "arguments": {}})
        session.unknown = _call(link, request, clock)


def _call(link: StdioLink | HttpLink, request: Any, clock: Clock) -> Call:
    try:
        answer = link.ask(request, clock)
        answer.forget()
        return Call(answer)
    except Trouble as trouble:
        return Call(None, trouble)


def _negotiate(link: StdioLink | HttpLink, speech: Speech, session: Session, clock: Clock) -> None:
    """Agree on the revision, or learn that the server does not speak it."""
    session.refusal = "it was not settled"
    try:
        answer = link.ask(speech.opening(), clock)
    except Trouble as trouble:
        session.refusal = trouble.reason
        # How a server of the other kind refuses over HTTP is not a fault of its own.
        if trouble.rule != "server.http":
            session.trouble.append(trouble.finding)
        return
    if answer.error is not None:
        session.refusal = f"it answers with {told_error(answer.error)}"
        return
    result = answer.result
    if result is None:
        raise Trouble("server.answer", "the answer to the opening request has no `result` object")
    session.refusal = _refusal(result, speech)
    session.server = _implementation(result, speech)
    if session.refusal is None:
        session.trouble += [
            Finding("server.message", "", f"the opening answer: {defect.message}")
            for defect in answer.defects
        ]
        done = speech.initialized()
        if done is not None:
            link.tell(done, clock.share(4))


def _refusal(result: dict[str, Any], speech: Speech) -> str | None:
    """Why an answer does not agree to the revision, or None if it does."""
    if speech.enveloped:
        versions = result.get("supportedVersions")
        if isinstance(versions, list) and speech.revision in versions:
            return None
        return "its answer to server/discover does not list the revision"
    version = result.get("protocolVersion")
    if version == speech.revision:
        return None
    if isinstance(version, str):
        return f"it answers with the revision {quoted(version)}"
    return "its answer to initialize names no revision"


def _implementation(result: dict[str, Any], speech: Speech) -> dict[str, str]:
    """The name and the version that the server gives itself."""
    info = result.get("serverInfo")
    if speech.enveloped:
        meta = result.get("_meta")
        key = "io.modelcontextprotocol/serverInfo"
        info = meta.get(key) if isinstance(meta, dict) else None
    if not isinstance(info, dict):
        return {}
    told = {name: info.get(name) for name in ("name", "version")}
    return {name: text[:200] for name, text in told.items() if isinstance(text, str)}
