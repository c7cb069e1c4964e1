"""`sobre vectors`: the conformance vectors of the core, run against anybody's validator."""

from __future__ import annotations

import os
import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from tempfile import TemporaryDirectory
from threading import Event

from ..contract import CONTRACT_URL
from ..contract.result import Result, failure
from ..files import read_bounded, reason_of, tell
from ..json_text import read
from ..json_write import compact
from ..processes import Completed, Stream
from ..processes import run as run_process
from ..report.escape import for_terminal
from ..signals import end_with_children
from .arguments import UsageError, add_json, seconds
from .commands import EXIT_CONFORMS, EXIT_FAILURE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any

#: The folders whose cases any validator can be asked: one file in, one verdict out.
FOLDERS = ("core", "reader")
#: Seconds that the command may take for one case unless the caller sets another limit.
SECONDS = 10.0
#: Most cases at a time, however many processors there are.
AT_A_TIME = 8
#: What the command's arguments name the file by.
PLACE = "{file}"
# What is kept of a command's output, in bytes, and shown of it, in characters.
_KEPT = 8192
_SHOWN = 200


class Case:
    """One vector: its file below `vectors/`, its id, why it is there, its bytes and its verdict."""

    __slots__ = ("conformant", "data", "file", "id", "why")

    def __init__(self, file: str, case: dict[str, Any]) -> None:
        self.file = file
        self.id: str = case["id"]
        self.why: str = case["why"]
        self.conformant: bool = case["conformant"]
        if "document" in case:
            self.data = compact(case["document"])
        else:
            from binascii import a2b_base64

            self.data = a2b_base64(case["bytes_base64"])


class Answer:
    """What the command made of a case: conforms, does not, or no verdict (None).

    `ending` says how the command ended, `output` the last line that it wrote.
    """

    __slots__ = ("agrees", "case", "ending", "found", "output")

    def __init__(self, case: Case, found: bool | None, ending: str, output: str = "") -> None:
        self.case = case
        self.found = found
        self.agrees = found is case.conformant
        self.ending = ending
        self.output = output


def add_arguments(parser: ArgumentParser) -> None:
    """--command, --timeout, --json."""
    parser.add_argument(
        "--command",
        required=True,
        metavar=f"'CMD {PLACE}'",
        help=f"how to run your validator; {PLACE} becomes the path of a document. Its words "
        "are parted as by a shell, and none is run. Exit status 0 is read as: it conforms",
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=SECONDS,
        metavar="S",
        help=f"end the command after S seconds a case (default: {SECONDS:g})",
    )
    add_json(parser)


def run(options: Namespace) -> tuple[bytes, int]:
    """Run the command on every case; status 0 only if it agrees on all."""
    end_with_children()
    words = _words(options.command)
    try:
        cases, left_out = load()
    except FileNotFoundError as error:
        reason = f"the vectors are not there: {error}"
        tell(f"sobre vectors: {for_terminal(reason)}\n")
        missing = failure("The vectors are not there.", error=reason, error_code="no_vectors")
        return (missing.to_json() + "\n").encode() if options.json else b"", EXIT_FAILURE
    if sys.stderr is not None and sys.stderr.isatty():
        tell(f"Running the command on {len(cases)} cases.\n")
    answers = ask_all(words, cases, options.timeout)
    document = _document(options.command, answers, left_out)
    status = EXIT_CONFORMS if document["success"] else EXIT_FAILURE
    if options.json:
        return (Result(document).to_json() + "\n").encode(), status
    lines = [*_details(answers), *_totals(document), document["message"]]
    return ("\n".join(lines) + "\n").encode("utf-8", "backslashreplace"), status


def _words(command: str) -> list[str]:
    """The command's words. Raises `UsageError` if it could not be asked about a file."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--command {command!a}: {str(error).lower()}") from None
    if not words:
        raise UsageError("--command is empty: write your validator's command line")
    if not any(PLACE in word for word in words[1:]):
        reason = f"--command {command!a} has no {PLACE} among its arguments, so it reads no case"
        raise UsageError(reason)
    if PLACE in words[0]:
        raise UsageError(f"--command {command!a} would run the document itself as a program")
    return words


# -- the cases ----------------------------------------------------------------


def load() -> tuple[list[Case], dict[str, int]]:
    """The cases in the order of their files, and how many of each file are left out.

    Left out is a case with a size limit of its own: no command line that is
    common to all validators could tell it. Raises `FileNotFoundError` if there
    are no vectors.
    """
    cases, left_out = [], {}
    root = _folder()
    for folder in FOLDERS:
        for name in sorted(os.listdir(os.path.join(root, folder))):
            if not name.endswith(".json"):
                continue
            rows = read(read_bounded(os.path.join(root, folder, name)))["cases"]
            kept = [row for row in rows if "max_bytes" not in row]
            cases += [Case(f"{folder}/{name}", row) for row in kept]
            left_out[f"{folder}/{name}"] = len(rows) - len(kept)
    return cases, left_out


def _folder() -> str:
    """Where the vectors are: in the installed package, or beside `src` in a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    checkout = os.path.dirname(os.path.dirname(package))
    places = [os.path.join(package, "_vectors"), os.path.join(checkout, "vectors")]
    for place in places:
        if all(os.path.isdir(os.path.join(place, folder)) for folder in FOLDERS):
            return place
    raise FileNotFoundError(f"neither {places[0]} nor {places[1]} has them")


# -- asking -------------------------------------------------------------------


def ask_all(words: list[str], cases: list[Case], timeout: float) -> list[Answer]:
    """The answers to all cases, in their order, a few asked at a time."""
    cancelled = Event()
    with TemporaryDirectory(prefix="sobre-vectors-", ignore_cleanup_errors=True) as folder:
        pool = ThreadPoolExecutor(min(AT_A_TIME, os.cpu_count() or 1))
        try:
            asked = [
                pool.submit(_ask, words, case, f"{folder}/{number:04}.json", timeout, cancelled)
                for number, case in enumerate(cases)
            ]
            return [answer.result() for answer in asked]
        finally:  # After an interruption, end what runs and start nothing more.
            cancelled.set()
            pool.shutdown(cancel_futures=True)


def _ask(words: list[str], case: Case, path: str, timeout: float, cancelled: Event) -> Answer:
    """Write a case to a file, run the command on it, and read its exit status as a verdict."""
    with open(path, "wb") as file:
        file.write(case.data)
    command = [words[0], *(word.replace(PLACE, path) for word in words[1:])]
    out, err = Stream(_KEPT, tail=True), Stream(_KEPT, tail=True)
    try:
        done = run_process(command, timeout=timeout, stdout=out, stderr=err, cancelled=cancelled)
    except (OSError, ValueError) as error:
        return Answer(case, None, f"it cannot be started: {reason_of(error)}")
    found = None if done.timed_out or done.status is None else done.status == 0
    output = _last_line(err.kept) or _last_line(out.kept)
    return Answer(case, found, _ending(done, timeout), output.replace(path, PLACE)[:_SHOWN])


def _ending(done: Completed, timeout: float) -> str:
    if done.timed_out:
        return f"it did not end within {timeout:g} seconds (--timeout)"
    return f"it was ended by {done.signal}" if done.signal else f"exit status {done.status}"


def _last_line(output: bytes) -> str:
    """The last line with something on it."""
    lines = output.decode("utf-8", "backslashreplace").splitlines()
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


# -- telling ------------------------------------------------------------------


def _document(command: str, answers: list[Answer], left_out: dict[str, int]) -> dict[str, Any]:
    """The whole comparison as a contract object."""
    agree = all(answer.agrees for answer in answers)
    files = [
        _counts([answer for answer in answers if answer.case.file == file], count, file=file)
        for file, count in left_out.items()
    ]
    totals = _counts(answers, sum(left_out.values()))
    document: dict[str, Any] = {"success": agree, "message": f"The command {_said(totals)}."}
    if not agree:
        document["error_code"] = "vectors_disagree"
    document["details"] = {
        "contract": CONTRACT_URL,
        "command": command,
        **totals,
        "files": files,
        "cases": [_row(answer) for answer in answers],
    }
    document["meta"] = {"command": "vectors", "schema_version": 1}
    return document


def _counts(answers: list[Answer], left_out: int, **more: str) -> dict[str, Any]:
    agree = sum(answer.agrees for answer in answers)
    no_verdict = sum(answer.found is None for answer in answers)
    return {
        **more,
        "asked": len(answers),
        "agree": agree,
        "disagree": len(answers) - agree - no_verdict,
        "no_verdict": no_verdict,
        "left_out": left_out,
    }


def _row(answer: Answer) -> dict[str, Any]:
    """A case for a machine: `conformant` is the vector's verdict, `found` the command's."""
    case = answer.case
    return {
        "file": case.file,
        "id": case.id,
        "conformant": case.conformant,
        "found": answer.found,
        "agrees": answer.agrees,
        "ending": answer.ending,
        "output": answer.output,
        "why": case.why,
    }


def _said(counts: dict[str, Any]) -> str:
    """What a set of counts says, for a sentence."""
    said = f"agrees with {counts['agree']} of {counts['asked']} vectors"
    if counts["disagree"]:
        said += f", disagrees with {counts['disagree']}"
    if counts["no_verdict"]:
        said += f", gives no verdict on {counts['no_verdict']}"
    if counts["left_out"]:
        said += f"; {counts['left_out']} with a size limit of their own were left out"
    return said


def _details(answers: list[Answer]) -> list[str]:
    """The cases without agreement, one after the other; a fault that all have in common, once."""
    endings = {answer.ending for answer in answers}
    if len(endings) == 1 and all(answer.found is None for answer in answers):
        return [f"No verdict on any case: {for_terminal(endings.pop())}."]
    lines = []
    for answer in answers:
        if not answer.agrees:
            lines += _disagreement(answer)
    return lines


def _disagreement(answer: Answer) -> list[str]:
    words = {True: "conforms", False: "does not conform"}
    case, found = answer.case, answer.found
    told = (
        "the command gives no verdict" if found is None else f"the command says it {words[found]}"
    )
    lines = [
        f"{case.file} {case.id}: {words[case.conformant]}; {told}: {for_terminal(answer.ending)}",
        f"    {case.why}",
    ]
    if answer.output:
        lines.append(f"    it wrote: {for_terminal(answer.output)}")
    return lines


def _totals(document: dict[str, Any]) -> list[str]:
    files = document["details"]["files"]
    width = max((len(counts["file"]) for counts in files), default=0)
    return [f"{counts['file']:<{width}}  {_said(counts)}" for counts in files]
