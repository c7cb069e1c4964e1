"""Judging what a command did: observation -> findings (specification section 3).

Each detector of the table is a small function over what was seen. To find more,
write one more, with a row in `contract/rules.py`.
"""

from __future__ import annotations

from hashlib import sha256

from ..contract.findings import Finding, violations
from ..evidence.exhibit import Exhibit
from ..json_exact import locate_all
from ..json_text import DocumentError, read
from ..profiles import Judgement, judge
from ..report.escape import bounded
from . import credentials
from .mapping import mapping
from .stdout import Dissection, dissect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from .observe import Observation


#: Bytes of the output that are looked into where the command did not end in its time.
UNFINISHED_BYTES = 64 * 1024


class Probed:
    """A run with what its output is made of.

    `expected` is the outcome that the person expects, or None. `success` is the
    outcome that the output states, or None. `partial` is whether there is more of it than
    was looked into. `secrets` are what must not be shown, `shown` is the output
    without them and whatever else looks like a credential (`spans`).
    """

    def __init__(
        self, seen: Observation, expected: bool | None, secrets: Mapping[str, bytes]
    ) -> None:
        self.seen = seen
        self.expected = expected
        # What did not end has no result yet, and has used up its time.
        data = seen.stdout[:UNFINISHED_BYTES] if seen.timed_out else seen.stdout
        self.partial = seen.cut or len(data) < len(seen.stdout)
        self.spans = credentials.spans(data, secrets)
        self.shown = credentials.masked(data, self.spans)
        self.dissection: Dissection = dissect(data, self.shown)
        self.core = _judge_document(data, self.dissection)
        self.success = self.core.success
        self.stderr_document = _document_on_stderr(seen, self.dissection, secrets)

    @property
    def ran(self) -> bool:
        """Whether it started and ended by itself."""
        return self.seen.unstarted is None and not self.seen.timed_out


class ProbedExhibit(Exhibit):
    """Standard output as evidence. `data`, for showing, has credentials masked."""

    __slots__ = ("digest",)

    def __init__(self, file: str, shown: bytes, judgement: Judgement, digest: str) -> None:
        super().__init__(file, shown, judgement)
        self.digest = digest

    @property
    def sha256(self) -> str:
        """The digest of the exact bytes, as far as they were kept."""
        return self.digest


def judge_run(
    seen: Observation,
    *,
    expected: bool | None = None,
    file: str = "stdout",
    secrets: Mapping[str, bytes] | None = None,
    more: list[Finding] | None = None,
) -> ProbedExhibit:
    """What is wrong with a run, as an exhibit of its standard output.

    `expected` is the outcome that it should have, `file` the name it is shown
    by, `more` further findings on it, such as those of a comparison.
    """
    hidden = secrets or {}
    probed = Probed(seen, expected, hidden)
    found = [finding for detector in DETECTORS for finding in detector(probed)]
    found += more or []
    known = {seen.stdout[start:end] for start, end, _ in probed.spans} | {*hidden.values()}
    found = [_without(known, finding) for finding in found]
    judgement = Judgement(None, found, probed.success)
    return ProbedExhibit(file, probed.shown, judgement, sha256(seen.stdout).hexdigest())


def _without(known: set[bytes], finding: Finding) -> Finding:
    """The finding, its sentence without any credential that was seen or that it shows."""
    message = finding.message
    for secret in known:
        message = message.replace(secret.decode("utf-8", "replace"), "***")
    data = message.encode("utf-8", "backslashreplace")
    message = credentials.masked(data, credentials.spans(data, {})).decode("utf-8", "replace")
    return Finding(finding.rule, finding.pointer, message, finding.offset)


def _judge_document(data: bytes, dissection: Dissection) -> Judgement:
    """What the core says of the result document, with offsets into the whole output."""
    piece = dissection.result
    if piece is None:
        return Judgement(None, [])
    alone = not violations(dissection.findings)
    document = data if alone else data[piece.start : piece.end]
    judgement = judge("core", document)
    if not alone:
        found = judgement.findings
        offsets = [finding.offset for finding in found]
        located = locate_all(document, [finding.pointer for finding in found])
        judgement.findings = [
            Finding(one.rule, one.pointer, one.message, piece.start + (known or place or 0))
            for one, known, place in zip(found, offsets, located, strict=True)
        ]
    return judgement


def _document_on_stderr(
    seen: Observation, dissection: Dissection, secrets: Mapping[str, bytes]
) -> Finding | None:
    """The finding that the document went to standard error."""
    if dissection.result is not None or not seen.stderr.strip():
        return None
    other = dissect(seen.stderr).result
    if other is None or not other.readable:
        return None
    if not other.contract and dissection.pieces:
        return None
    shown = credentials.masked(seen.stderr, credentials.spans(seen.stderr, secrets))
    text = shown[other.start : min(other.end, other.start + 400)].decode("utf-8", "replace")
    told = f'a document stands on standard error: "{bounded(text, 120)}"'
    return Finding("command.stderr.document", "", told)


# -- detectors ----------------------------------------------------------------


def _start(probed: Probed) -> Iterator[Finding]:
    if probed.seen.unstarted is not None:
        told = f"the command could not be started: {probed.seen.unstarted}"
        yield Finding("command.not_started", "", told)


def _end(probed: Probed) -> Iterator[Finding]:
    seen = probed.seen
    if seen.timed_out:
        told = f"the command did not end within {seen.timeout:g} seconds and was ended"
        if seen.stdout_bytes or seen.stderr_bytes:
            told += f"; by then it had written {seen.stdout_bytes + seen.stderr_bytes:,} bytes"
        yield Finding("command.timeout", "", told)
    elif seen.signal is not None:
        told = f"the command was ended by {seen.signal}, so it has no exit status"
        yield Finding("command.signal", "", told)


def _output(probed: Probed) -> Iterator[Finding]:
    """Text around the document, other encodings, no document, no output."""
    seen = probed.seen
    if seen.cut:
        told = f"there are {seen.stdout_bytes:,} bytes on standard output"
        yield Finding("command.stdout.size", "", f"{told}; {len(seen.stdout):,} were kept")
    if seen.unstarted is not None:
        return
    if probed.stderr_document is not None:
        yield probed.stderr_document
    for finding in probed.dissection.findings:
        elsewhere = probed.stderr_document is not None and finding.rule == "command.stdout.empty"
        if not (elsewhere or (probed.partial and finding.rule == "command.stdout.text")):
            yield finding


def _document(probed: Probed) -> Iterator[Finding]:
    """What the core says; of a document that was cut off, nothing can be said."""
    if not probed.partial:
        yield from probed.core.findings


def _exit_status(probed: Probed) -> Iterator[Finding]:
    seen = probed.seen
    if not probed.ran or seen.status is None or probed.success is None:
        return
    if (seen.status == 0) is not probed.success:
        stated = str(probed.success).lower()
        told = f"`success` is {stated} and the exit status is {seen.status}"
        yield Finding("command.exit_status", "", told, _offset_of_success(probed))


def _outcome(probed: Probed) -> Iterator[Finding]:
    seen = probed.seen
    if probed.expected is None or seen.unstarted is not None:
        return
    if probed.success is not None:
        found, told = probed.success, f"the result says `success: {str(probed.success).lower()}`"
    elif seen.status is not None:
        found, told = seen.status == 0, f"the exit status is {seen.status}"
    else:
        return
    if found is not probed.expected:
        wanted = "a success" if probed.expected else "a failure"
        where = _offset_of_success(probed)
        yield Finding("command.outcome", "", f"{wanted} was expected, and {told}", where)


def _offset_of_success(probed: Probed) -> int | None:
    piece = probed.dissection.result
    if piece is None:
        return None
    place = locate_all(probed.seen.stdout[piece.start : piece.end], ["/success"])[0]
    return piece.start + (place or 0)


def _waiting(probed: Probed) -> Iterator[Finding]:
    if probed.seen.waited and not probed.seen.pagers:
        only = ", at a terminal" if probed.seen.waited_at_terminal else ""
        yield Finding("command.input.waits", "", f"the command waited for input{only}")


def _pager(probed: Probed) -> Iterator[Finding]:
    if probed.seen.pagers:
        told = f"a pager ran among its processes: {', '.join(probed.seen.pagers)}"
        yield Finding("command.pager", "", told)


def _left(probed: Probed) -> Iterator[Finding]:
    seen = probed.seen
    if seen.left:
        names = bounded(", ".join(sorted(set(seen.left))), 200)
        held = " and held its output open" if seen.held else ""
        count = len(seen.left)
        what = "a process" if count == 1 else f"{count} processes"
        told = f"{what} that it started went on when it had ended{held}: {names}"
        yield Finding("command.processes.left", "", told)


def _mapping(probed: Probed) -> Iterator[Finding]:
    """Advice for a document that is JSON but states no outcome as the contract wants."""
    piece, value = probed.dissection.result, probed.core.document
    if piece is None or not piece.readable or piece.contract or probed.partial:
        return
    data = probed.seen.stdout[piece.start : piece.end]
    if probed.spans:
        try:
            value = read(probed.shown[piece.start : piece.end])
        except DocumentError:  # What looks like a credential goes over the end of a string.
            return
    found = mapping(value)
    places = locate_all(data, [finding.pointer for finding in found])
    for finding, place in zip(found, places, strict=True):
        yield Finding(finding.rule, finding.pointer, finding.message, piece.start + (place or 0))


def _credentials(probed: Probed) -> Iterator[Finding]:
    yield from credentials.findings(probed.spans)


#: Everything that is looked for, in the order in which it is told.
DETECTORS: tuple[Callable[[Probed], Iterator[Finding]], ...] = (
    _start,
    _end,
    _output,
    _document,
    _exit_status,
    _outcome,
    _waiting,
    _pager,
    _left,
    _mapping,
    _credentials,
)
