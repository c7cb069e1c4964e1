"""`sobre probe command`: run a command as it is, judge it, and leave evidence."""

from __future__ import annotations

import os
import shlex
import stat

from ..files import reason_of, shown_path
from ..probe.credentials import environment_secrets
from ..probe.folder import EVIDENCE, README, RECEIPT, in_the_way, write_folder
from ..probe.observe import OUTPUT_BYTES, SECONDS
from ..probe.report import of_probe
from ..probe.runs import MAX_RUNS, ProbedCommand, probe_command
from ..report.escape import for_terminal
from ..signals import end_with_children
from .arguments import REST, UsageError, command_after, positive, refused, seconds
from .rendering import add_format, prepare, render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

_OUTCOMES = {"success": True, "failure": False}
_NOTE = """\
The command is run once, in this folder, without a shell, with this environment; --repeat
and --terminal run it more often, so use them only where that does no harm. Nothing
comes on its standard input. When it has ended, everything that it started is ended, too.
sobre is no sandbox: do not probe what you would not run."""


def add_arguments(parser: ArgumentParser) -> None:
    """What to run, what is expected of it, the bounds, the folder, how to report."""
    parser.usage = (
        "%(prog)s [options] -- CMD ARGS...\n"
        "       %(prog)s [options] --success 'CMD ARGS...' --failure 'CMD ARGS...'"
    )
    parser.epilog = _NOTE
    parser.add_argument(
        "--expect", choices=tuple(_OUTCOMES), help="the outcome that the command should have"
    )
    for name, what in (("success", "succeed"), ("failure", "fail")):
        parser.add_argument(
            f"--{name}",
            metavar="'CMD ARGS...'",
            help=f"a command that should {what}; its words are parted as by a shell, none is run",
        )
    parser.add_argument(
        "--out", metavar="DIR", help="leave the pair, its receipt and a README.md in this folder"
    )
    parser.add_argument(
        "--replace", action="store_true", help="write over the files of an earlier probe in --out"
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=SECONDS,
        metavar="S",
        help=f"end the command, and all it started, after S seconds (default: {SECONDS:g})",
    )
    parser.add_argument(
        "--repeat",
        type=_runs,
        default=1,
        metavar="N",
        help="run each command N times and say what differs, times aside (default: 1)",
    )
    parser.add_argument(
        "--terminal",
        action="store_true",
        help="run each command once more at a terminal: does it page, colour, wait for keys?",
    )
    parser.add_argument(
        "--input", metavar="FILE", help="what the command reads from standard input"
    )
    parser.add_argument(
        "--max-output",
        type=positive,
        default=OUTPUT_BYTES,
        metavar="N",
        help=f"keep and judge N bytes of standard output (default: {OUTPUT_BYTES})",
    )
    parser.add_argument("--implementation", metavar="NAME", help="for README.md: whose results")
    parser.add_argument("--implementation-version", metavar="V", help="for README.md: its version")
    add_format(parser)
    parser.add_argument("command", nargs=REST, metavar="CMD", help="after --: what to run")


def run(options: Namespace) -> tuple[bytes, int]:
    """Run, judge, write the folder, report; status 0 only if nothing is a violation."""
    commands = _commands(options)
    files = [] if options.input is None else [options.input]
    files += [os.path.join(options.out, name) for name in _files()] if options.out else []
    prepare(options, files)
    _check_input(options.input)
    if options.out is not None:
        reason = in_the_way(options.out, replace=options.replace)
        if reason is not None:
            raise UsageError(f"--out: {for_terminal(reason)}")
    end_with_children()
    secrets = environment_secrets()
    probed = [_probe(role, words, options, secrets) for role, words in commands.items()]
    written = None
    if options.out is not None:
        name, version = options.implementation, options.implementation_version
        written = write_folder(options.out, probed, name=name, version=version)
    again = [_again(options, probed)]
    if written is not None and written.names:
        receipt = os.path.join(options.out, RECEIPT)
        again.append(["sobre", "verify", shown_path(receipt), "--root", shown_path(options.out)])
    return render(of_probe(probed, written, secrets, again), options)


def _files() -> tuple[str, ...]:
    return (*EVIDENCE.values(), RECEIPT, README)


def _commands(options: Namespace) -> dict[str, list[str]]:
    """Role -> the words of a command: one of no role, or a pair. Raises `UsageError`."""
    pair = {role: getattr(options, role) for role in _OUTCOMES}
    if all(line is None for line in pair.values()):
        if options.out is not None:
            raise UsageError("--out needs a pair: --success 'CMD...' --failure 'CMD...'")
        return {"": command_after(options.command)}
    missing = [role for role, line in pair.items() if line is None]
    if missing:
        raise UsageError(f"--{missing[0]} is missing: a pair is one success and one failure")
    if options.command:
        raise UsageError("there is a pair and a command after --; choose one of them")
    if options.expect is not None:
        raise UsageError("--expect is for one command; of a pair it is known what is expected")
    return {role: _words(role, line) for role, line in pair.items()}


def _words(role: str, line: str) -> list[str]:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"--{role} {line!a}: {str(error).lower()}") from None
    if not words:
        raise UsageError(f"--{role} is empty: write a command line")
    return words


def _probe(
    role: str, words: list[str], options: Namespace, secrets: dict[str, bytes]
) -> ProbedCommand:
    file = "stdout"
    if options.out is not None:
        file = shown_path(os.path.join(options.out, EVIDENCE[role]))
    try:
        return probe_command(
            words,
            role=role,
            expected=_OUTCOMES.get(role or options.expect),
            file=file,
            timeout=options.timeout,
            max_output=options.max_output,
            input_file=options.input,
            repeat=options.repeat,
            terminal=options.terminal,
            secrets=secrets,
        )
    except OSError as error:
        raise UsageError(f"--terminal: {reason_of(error)}") from None


def _check_input(path: str | None) -> None:
    """Raise `UsageError` for an input that cannot be read, or at which one may wait for ever."""
    if path is None:
        return
    try:
        mode = os.stat(path).st_mode
        reason = "" if stat.S_ISREG(mode) or stat.S_ISCHR(mode) else "is no file"
        os.close(os.open(path, os.O_RDONLY)) if not reason else None
    except (OSError, ValueError) as error:
        reason = reason_of(error)
    if reason:
        raise UsageError(for_terminal(f"--input {shown_path(path)}: {reason}"))


def _again(options: Namespace, probed: list[ProbedCommand]) -> list[str]:
    """The command line that probes the same again, credentials masked."""
    words = ["sobre", "probe", "command"]
    for name, plain in (("timeout", SECONDS), ("repeat", 1), ("max_output", OUTPUT_BYTES)):
        value = getattr(options, name)
        if value != plain:
            words += [
                "--" + name.replace("_", "-"),
                f"{value:g}" if name == "timeout" else str(value),
            ]
    words += ["--terminal"] if options.terminal else []
    words += ["--input", shown_path(options.input)] if options.input is not None else []
    words += ["--expect", options.expect] if options.expect is not None else []
    for one in probed:
        words += [f"--{one.role}", shlex.join(one.shown)] if one.role else ["--", *one.shown]
    return words


def _runs(text: str) -> int:
    """How often to run a command, as an argparse type."""
    number = positive(text)
    if number > MAX_RUNS:
        raise refused(f"{text!a}: a command is run at most {MAX_RUNS} times")
    return number
