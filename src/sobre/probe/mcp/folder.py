"""The evidence folder of an MCP probe: one folder a revision, each with a receipt of its own.

    DIR/README.md
    DIR/2025-06-18/success.json, failure.json, tool-definition.json,
                   qzx-conformance.json, README.md

With a plan of more than one case there is a folder for each case in between.
Without a case, DIR/REVISION holds the list of tools alone, page by page.
"""

from __future__ import annotations

import os
import re
import sys
from hashlib import sha256
from typing import TYPE_CHECKING

from ... import __version__
from ...contract.findings import Finding
from ...evidence.receipt import build_receipt, write_receipt
from ...files import reason_of, shown_path, write_atomically
from ...report.escape import shell_line
from ...report.markdown import code, prose
from ..folder import MARK, README, RECEIPT, Written, in_the_way
from ..report import unwritten
from .judge import FILES, Judged, JudgedPair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .secrets import Secrets
    from .session import Case, Session

_SAFE = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}")
#: Most findings that a page lists.
PAGE_FINDINGS = 50


class Plot:
    """Where everything of a probe goes: known before it begins."""

    def __init__(self, folder: str, cases: Sequence[Case], revisions: Sequence[str]) -> None:
        self.folder = folder
        self.revisions = list(revisions)
        self._inner = {case.name: "" for case in cases}
        if len(cases) > 1:
            taken: set[str] = set()
            for case in cases:
                name = _folder_name(case.name, taken)
                taken.add(name.lower())
                self._inner[case.name] = name

    def place(self, case: str, revision: str) -> str:
        """The folder of a case in a revision."""
        return os.path.join(self.folder, self._inner.get(case, ""), revision)

    def files(self) -> dict[tuple[str, str, str], str]:
        """The paths of evidence by (revision, case, role)."""
        return {
            (revision, case, role): os.path.join(self.place(case, revision), file)
            for case in self._inner
            for revision in self.revisions
            for role, file in FILES.items()
        }

    def shown_files(self) -> dict[tuple[str, str, str], str]:
        """The same paths as text."""
        return {key: shown_path(path) for key, path in self.files().items()}

    def in_the_way(self, replace: bool) -> str | None:
        """Why it cannot be written without harm, or None. Nothing is changed."""
        places = [self.folder]
        places += [self.place(case, one) for case in self._inner or [""] for one in self.revisions]
        reasons = (in_the_way(place, replace=replace) for place in places)
        return next((reason for reason in reasons if reason is not None), None)


def _folder_name(name: str, taken: set[str]) -> str:
    if _SAFE.fullmatch(name) and name.lower() not in taken:
        return name
    return f"case-{sha256(name.encode('utf-8', 'replace')).hexdigest()[:12]}"


def write_folders(plot: Plot, judged: Judged, ran: list[str], secrets: Secrets) -> Written:
    """Write the evidence, the receipts and the pages; what cannot be written is a finding.

    `ran` is the command line of the probe, fit to be shown.
    """
    written = Written()
    try:
        os.makedirs(plot.folder, exist_ok=True)
        for pair in judged.pairs:
            _write_pair(plot, pair, judged, ran, secrets)
        if not judged.pairs:
            for session in judged.sessions:
                _write_list(plot, session, secrets)
        page = os.path.join(plot.folder, README)
        _write_page(page, _overview(plot, judged, ran, secrets))
    except (OSError, ValueError) as error:
        where = shown_path(getattr(error, "filename", None) or plot.folder)
        written.findings.append(unwritten(f"{where}: {reason_of(error)}"))
        return written
    written.names = {"folder": shown_path(plot.folder), "readme": README}
    written.notes = [f"Evidence: {shown_path(plot.folder)} (see README.md there)"]
    return written


def _write_pair(
    plot: Plot, pair: JudgedPair, judged: Judged, ran: list[str], secrets: Secrets
) -> None:
    folder = plot.place(pair.case.name, pair.revision)
    os.makedirs(folder, exist_ok=True)
    paths = []
    for role, exhibit in pair.exhibits().items():
        path = os.path.join(folder, FILES[role])
        paths.append(path)
        if exhibit.data is not None:
            write_atomically(path, exhibit.data)
        elif os.path.lexists(path):  # Of an earlier probe, which got an answer.
            os.unlink(path)
    receipt = os.path.join(folder, RECEIPT)
    told = write_receipt(build_receipt(pair.pair), receipt, paths)
    if told.get("error_code") in ("receipt_path_conflict", "receipt_write_failed"):
        raise OSError(5, told["message"].rstrip("."), receipt)
    _write_page(os.path.join(folder, README), _page(pair, judged, ran, secrets))


def _write_list(plot: Plot, session: Session, secrets: Secrets) -> None:
    """The list of tools as it came, but for a page with a secret in it."""
    pages = session.listing.pages if session.listing is not None else []
    folder = plot.place("", session.revision)
    if pages:
        os.makedirs(folder, exist_ok=True)
    for number, page in enumerate(pages, 1):
        if secrets.holder(page.data) is None:
            name = "tools-list.json" if number == 1 else f"tools-list-{number}.json"
            write_atomically(os.path.join(folder, name), page.data)


def _write_page(path: str, text: str) -> None:
    write_atomically(path, text.encode("utf-8", "backslashreplace"))


# -- the pages ----------------------------------------------------------------


def _facts(pairs: list[tuple[str, str]]) -> str:
    return "\n".join(f"- {label}:{f' {code(text)}' if text else ''}" for label, text in pairs)


def _server(judged: Judged, revision: str | None = None) -> dict[str, str]:
    """The name and version that the server gives itself, as far as it does."""
    for session in judged.sessions:
        if session.server and revision in (None, session.revision):
            return session.server
    return {}


def _limits(what: str) -> str:
    return (
        f"A receipt claims conformance to a shape, for {what}. It certifies no security, no"
        " authorisation, no correctness in the domain, no endorsement. What the server does with"
        " other arguments, and its other tools, was not judged. sobre is an independent"
        " implementation, compatible with QZX Result Contract v1."
    )


def _page(pair: JudgedPair, judged: Judged, ran: list[str], secrets: Secrets) -> str:
    server = _server(judged, pair.revision)
    verdict = "conforms" if pair.pair.conformant else "does not conform"
    facts = [
        ("Implementation", secrets.without(server.get("name", ""))),
        ("Version", secrets.without(server.get("version", ""))),
        ("Protocol revision", pair.revision),
        ("Tool", secrets.without(pair.case.tool)),
        ("Probed with", f"sobre {__version__}"),
        ("System", sys.platform),
    ]
    blocks = [
        MARK,
        "# Evidence of a success and a failure of an MCP tool",
        "Two answers to `tools/call`, byte for byte as the server sent them, the tool's definition"
        " as it stands in the answer to `tools/list`, and a receipt that binds them by their"
        f" SHA-256. The pair {verdict} to the profile mcp-{pair.revision} of QZX Result"
        " Contract v1.",
        _facts(facts),
        "## What was run",
        code(shell_line(ran), 4096),
        *(_answer(role, pair) for role in pair.pair.cases),
        "## What the probe found",
        *(_found(role, pair) for role in pair.exhibits()),
        "## Verify it",
        f"In this folder:\n\n    sobre verify {RECEIPT}",
        "## Limits of the claim",
        _limits("these two calls in this revision"),
    ]
    return "\n\n".join(blocks) + "\n"


def _answer(role: str, pair: JudgedPair) -> str:
    exhibit = pair.exhibits()[role]
    if exhibit.data is None:
        return f"{role.capitalize()}: no evidence."
    return f"{role.capitalize()}: {FILES[role]} has {len(exhibit.data):,} bytes."


def _found(role: str, pair: JudgedPair) -> str:
    found = pair.with_all_findings(role, FILES[role]).judgement.findings
    label = role.capitalize()
    if not found:
        return f"{label}: nothing."
    return f"{label}:\n\n" + _listed(found)


def _listed(found: Sequence[Finding]) -> str:
    rows = [f"- {one.severity} `{one.rule}`: {prose(one.message)}" for one in found]
    if len(rows) > PAGE_FINDINGS:
        rows[PAGE_FINDINGS:] = [f"- and {len(rows) - PAGE_FINDINGS:,} more"]
    return "\n".join(rows)


def _overview(plot: Plot, judged: Judged, ran: list[str], secrets: Secrets) -> str:
    server = _server(judged)
    facts = [
        ("Implementation", secrets.without(server.get("name", ""))),
        ("Version", secrets.without(server.get("version", ""))),
        ("Revisions", ", ".join(judged.spoken)),
        ("Probed with", f"sobre {__version__}"),
        ("System", sys.platform),
    ]
    rows = [
        f"- {prose(os.path.relpath(plot.place(pair.case.name, pair.revision), plot.folder))}: "
        + ("conforms" if pair.pair.conformant else "does not conform")
        for pair in judged.pairs
    ]
    rows += [
        f"- {session.revision} is not spoken: {prose(secrets.without(session.refusal or ''))}"
        for session in judged.sessions
        if not session.spoken
    ]
    blocks = [
        MARK,
        "# Evidence of what an MCP server answers",
        "One folder a protocol revision, with what crossed the wire, byte for byte.",
        _facts(facts),
        "## What was run",
        code(shell_line(ran), 4096),
        "## Pairs",
        "\n".join(rows) if rows else "None: no tool was called.",
        "## What concerns the server as a whole",
        _listed(judged.findings) if judged.findings else "Nothing was found.",
        "## Limits of the claim",
        _limits("the calls that were made"),
    ]
    return "\n\n".join(blocks) + "\n"
