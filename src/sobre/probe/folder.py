"""The evidence folder that a probe leaves: the pair, its receipt, and a page that explains them.

The evidence is the exact bytes from the wire. The receipt names the files
relative to its own folder, so that the folder can be moved and published.
"""

from __future__ import annotations

import os
import sys

from .. import __version__
from ..contract.findings import Finding, violations
from ..evidence.pair import Pair, judge_pair
from ..evidence.receipt import build_receipt, write_receipt
from ..files import read_bounded, reason_of, shown_path, write_atomically
from ..json_text import DocumentError, read
from ..report.escape import shell_line
from ..report.markdown import code, prose
from .report import unwritten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .runs import ProbedCommand

RECEIPT, README = "qzx-conformance.json", "README.md"
EVIDENCE = {"success": "success.json", "failure": "failure.json"}
#: With this line begins a README.md that a probe wrote, and may write over.
MARK = "<!-- Written by sobre probe. -->"


class Written:
    """What became of the folder: `names` of files, `findings` and `notes` about it."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.findings: list[Finding] = []
        self.notes: list[str] = []


def in_the_way(folder: str, *, replace: bool = False) -> str | None:
    """Why a folder cannot be written to without harm, or None. Nothing is changed.

    With `replace`, an earlier probe's files may be there, but no README.md of
    somebody else's.
    """
    if os.path.exists(folder) and not os.path.isdir(folder):
        return f"{shown_path(folder)} is not a folder"
    for name in (*EVIDENCE.values(), RECEIPT, README):
        path = os.path.join(folder, name)
        if not os.path.lexists(path):
            continue
        if not replace:
            return f"{shown_path(path)} is already there (--replace writes over an earlier probe)"
        if name == README and not _is_ours(path):
            return f"{shown_path(path)} was not written by a probe, and is not written over"
    return None


def _is_ours(path: str) -> bool:
    try:
        return read_bounded(path, 4096, regular=True).startswith(MARK.encode())
    except OSError:
        return False


def write_folder(
    folder: str, probed: Sequence[ProbedCommand], *, name: str | None, version: str | None
) -> Written:
    """Write the pair, its receipt and its page; what cannot be written is a finding.

    `name` and `version` are the implementation's, where a person told them.
    """
    written = Written()
    for one in probed:
        reason = _unfit(one)
        if reason is not None:
            written.findings.append(unwritten(f"the {one.role} command {reason}"))
    if written.findings:
        return written
    try:
        _write(folder, probed, written, name, version)
    except (OSError, ValueError) as error:
        where = shown_path(getattr(error, "filename", None) or folder)
        written.findings.append(unwritten(f"{where}: {reason_of(error)}"))
    return written


def _unfit(one: ProbedCommand) -> str | None:
    """Why what a run wrote is no evidence, or None."""
    seen = one.seen
    if seen.unstarted is not None or seen.timed_out:
        return seen.ending
    if seen.cut:
        return "wrote more than what is kept (--max-output)"
    if any(found.rule == "command.environment" for found in one.exhibit.judgement.findings):
        return "wrote a secret of the environment"
    return None


def _write(
    folder: str,
    probed: Sequence[ProbedCommand],
    written: Written,
    name: str | None,
    version: str | None,
) -> None:
    os.makedirs(folder, exist_ok=True)
    paths = {role: os.path.join(folder, file) for role, file in EVIDENCE.items()}
    for one in probed:
        write_atomically(paths[one.role], one.seen.stdout)
    pair = judge_pair("core", paths["success"], paths["failure"])
    for role, exhibit in pair.cases.items():
        exhibit.file = EVIDENCE[role]
    receipt_path = os.path.join(folder, RECEIPT)
    receipt = write_receipt(build_receipt(pair), receipt_path, list(paths.values()))
    if receipt.get("error_code") in ("receipt_path_conflict", "receipt_write_failed"):
        written.findings.append(unwritten(receipt["message"].rstrip(".")))
        return
    page = os.path.join(folder, README)
    write_atomically(page, _page(pair, probed, name, version).encode("utf-8", "backslashreplace"))
    written.names = {
        "folder": shown_path(folder),
        **EVIDENCE,
        "receipt": RECEIPT,
        "readme": README,
    }
    written.notes = [f"Evidence: {shown_path(folder)} ({', '.join([*EVIDENCE.values(), RECEIPT])})"]


# -- the page -----------------------------------------------------------------


def _page(
    pair: Pair, probed: Sequence[ProbedCommand], name: str | None, version: str | None
) -> str:
    observed = _observed(probed[0].seen.stdout)
    verdict = "conforms" if pair.conformant else "does not conform"
    told = [("Implementation", name or observed[0]), ("Version", version or observed[1])]
    told += [("Probed with", f"sobre {__version__}"), ("System", sys.platform)]
    blocks = [
        MARK,
        "# Evidence of a success and a failure",
        "One run that succeeded and one that failed, as the program wrote them to standard output,"
        f" and a receipt that binds them by their SHA-256. The pair {verdict} to the core of"
        " QZX Result Contract v1.",
        "\n".join(f"- {label}:{f' {code(text)}' if text else ''}" for label, text in told),
        "## What was run",
        *(_run(one) for one in probed),
        "## What the probe found",
        *(_found(one) for one in probed),
        "## Verify it",
        f"In this folder:\n\n    sobre verify {RECEIPT}",
        "## Limits of the claim",
        "The receipt claims conformance to a shape, for these two runs. It certifies no security,"
        " no authorisation, no correctness in the domain, no endorsement. What the program does"
        " with other arguments was not seen. sobre is an independent implementation, compatible"
        " with QZX Result Contract v1.",
    ]
    return "\n\n".join(blocks) + "\n"


def _observed(data: bytes) -> tuple[str, str]:
    """The implementation's name and version, as far as its own result tells them."""
    try:
        document: Any = read(data)
    except DocumentError:
        return "", ""
    places = [document] if isinstance(document, dict) else []
    places += [place["meta"] for place in places if isinstance(place.get("meta"), dict)]
    found = []
    for names in (
        ("implementation", "implementation_name", "tool", "program"),
        ("implementation_version", "tool_version", "program_version", "version"),
    ):
        texts = [place[name] for place in places for name in names if name in place]
        found.append(next((text for text in texts if isinstance(text, str)), ""))
    return found[0], found[1]


def _run(one: ProbedCommand) -> str:
    """A command line and how it ended."""
    lines = [f"{one.role.capitalize()}: {code(shell_line(one.shown), 4096)}"]
    lines.append(f"It {one.seen.ending}; {EVIDENCE[one.role]} has its {_size(one)}.")
    return "\\\n".join(lines)


def _size(one: ProbedCommand) -> str:
    return f"{one.seen.stdout_bytes:,} bytes"


def _found(one: ProbedCommand) -> str:
    """What is wrong with a run, a line a finding."""
    found = one.exhibit.judgement.findings
    if not found:
        return f"{one.role.capitalize()}: nothing."
    count = len(violations(found))
    lines = [f"{one.role.capitalize()}: {count} of {len(found)} findings are violations."]
    rows = [f"- {item.severity} `{item.rule}`: {prose(item.message)}" for item in found[:50]]
    return "\n\n".join([lines[0], "\n".join(rows)])
