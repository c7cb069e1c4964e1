"""`sobre probe mcp`: ask an MCP server, judge what it says, and leave evidence."""

from __future__ import annotations

import os
import shlex

from ..files import shown_path, tell
from ..report.escape import for_terminal
from ..signals import end_with_children
from .arguments import UsageError, header, missing_extra, positive, seconds, url
from .commands import EXIT_FAILURE
from .rendering import add_format, prepare, render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any

    from ..probe.mcp.folder import Plot
    from ..probe.mcp.session import Case, Target

_REVISIONS = ("2025-06-18", "2025-11-25", "2026-07-28")
# As in probe.mcp.limits, which is not imported for help.
_SECONDS, _MESSAGE_BYTES = 60.0, 2 * 1024 * 1024
_NOTE = """\
Without --tool nothing is called: the tools are listed and judged. With --tool that tool is
called twice in each revision, and once a tool that does not exist; so choose arguments
that do no harm. The server is run in this folder, without a shell, with this environment,
once for each revision; when it has been asked, everything that it started is ended.
Header values and secrets of the environment are never shown or written.
sobre is no sandbox: do not probe what you would not run."""


def add_arguments(parser: ArgumentParser) -> None:
    """The server, the revisions, the tool with its arguments, the bounds, how to report."""
    parser.usage = (
        "%(prog)s [options] (--stdio 'CMD ARGS...' | --url URL)\n"
        "       %(prog)s [options] (--stdio 'CMD ARGS...' | --url URL) --tool NAME "
        "--success '{...}' --failure '{...}'\n"
        "       %(prog)s [options] --plan FILE"
    )
    parser.epilog = _NOTE
    parser.add_argument(
        "--stdio",
        metavar="'CMD ARGS...'",
        help="run this server; its words are parted as by a shell, none is run",
    )
    parser.add_argument("--url", type=url, metavar="URL", help="ask the server at this URL")
    parser.add_argument(
        "--header",
        type=header,
        action="append",
        default=[],
        metavar="NAME:VALUE",
        help="send this header to the URL with each request; can be repeated",
    )
    parser.add_argument(
        "--revision",
        choices=_REVISIONS,
        action="append",
        default=[],
        help="ask in this revision of MCP; can be repeated (default: in all that it speaks)",
    )
    parser.add_argument("--tool", metavar="NAME", help="call this tool")
    for name, what in (("success", "succeeds"), ("failure", "fails")):
        parser.add_argument(
            f"--{name}", metavar="JSON", help=f"the arguments of a call that {what}: an object"
        )
    parser.add_argument(
        "--plan", metavar="FILE", help="take the server and many tools from this TOML file"
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        metavar="S",
        help=f"ask and judge for at most S seconds in all (default: {_SECONDS:g})",
    )
    parser.add_argument(
        "--max-bytes",
        type=positive,
        default=_MESSAGE_BYTES,
        metavar="N",
        help=f"read no message larger than N bytes (default: {_MESSAGE_BYTES})",
    )
    parser.add_argument(
        "--out", metavar="DIR", help="leave what crossed the wire, and receipts, in this folder"
    )
    parser.add_argument(
        "--replace", action="store_true", help="write over the files of an earlier probe in --out"
    )
    add_format(parser)


def run(options: Namespace) -> tuple[bytes, int]:
    """Ask, judge, write the folder, report; status 0 only if nothing is a violation."""
    target, cases, revisions, timeout = _settle(options)
    try:
        from ..probe.mcp import trials  # noqa: F401

        if target.url:
            from ..probe.mcp import http  # noqa: F401
    except ImportError as error:
        tell(missing_extra("probe mcp", "mcp", error))
        return b"", EXIT_FAILURE
    from ..probe.mcp.folder import Plot

    plot = None
    files: list[str] = [] if options.plan is None else [options.plan]
    if options.out is not None:
        plot = Plot(options.out, cases, revisions or _REVISIONS)
        files += list(plot.files().values())
    prepare(options, files)
    reason = plot.in_the_way(options.replace) if plot is not None else None
    if reason is not None:
        raise UsageError(f"--out: {for_terminal(reason)}")
    end_with_children()
    return _probe(options, target, cases, revisions, timeout, plot)


def _probe(
    options: Namespace,
    target: Target,
    cases: list[Case],
    revisions: list[str],
    timeout: float,
    plot: Plot | None,
) -> tuple[bytes, int]:
    from ..probe.mcp.folder import write_folders
    from ..probe.mcp.judge import judge
    from ..probe.mcp.limits import JUDGING_SECONDS, JUDGING_SHARE, Clock
    from ..probe.mcp.secrets import Secrets
    from ..probe.mcp.session import observe
    from ..probe.mcp.summary import summarize
    from ..probe.mcp.trials import Trials

    clock = Clock.of(timeout)
    asking = Clock(clock.deadline - min(JUDGING_SECONDS, timeout * JUDGING_SHARE))
    sessions = observe(
        target, cases, asking, revisions=revisions or _REVISIONS, max_bytes=options.max_bytes
    )
    secrets = Secrets(target.headers)
    trials = Trials(clock)
    try:
        judged = judge(sessions, cases, trials, secrets, asked=revisions)
    finally:
        trials.close()
    again, notes = [_again(options, target)], []
    if plot is not None:
        written = write_folders(plot, judged, again[0], secrets)
        judged.findings += written.findings
        notes = written.notes
        again += [_verify(plot, pair.case.name, pair.revision) for pair in judged.pairs]
    report = summarize(
        judged,
        secrets,
        files=plot.shown_files() if plot is not None else None,
        written=notes,
        again=again,
    )
    return render(report, options)


def _settle(options: Namespace) -> tuple[Target, list[Case], list[str], float]:
    """The server, the cases, the revisions that were asked for and the time."""
    from ..probe.mcp.session import Target

    command = None if options.stdio is None else _words(options.stdio)
    headers, address = dict(options.header), options.url
    revisions, timeout = list(dict.fromkeys(options.revision)), options.timeout
    if options.plan is not None:
        for name in ("tool", "success", "failure"):
            if getattr(options, name) is not None:
                raise UsageError(f"--{name} is for one tool; with --plan the file says it")
        plan = _plan(options.plan)
        if command is None and address is None:
            command, address = plan.command, plan.url
        headers = {**plan.headers, **headers}
        revisions = revisions or plan.revisions
        timeout = timeout or plan.timeout
        cases = plan.cases
    else:
        cases = _cases(options)
    if (command is None) == (address is None):
        both = "not both" if command is not None else "or a --plan that has one"
        raise UsageError(f"give the server by --stdio or --url, {both}")
    if command is not None and headers:
        raise UsageError("--header is for a --url")
    return Target(command, address or "", headers), cases, revisions, timeout or _SECONDS


def _plan(path: str) -> Any:
    from ..probe.mcp.plan import PlanError, read_plan

    try:
        return read_plan(path)
    except PlanError as error:
        raise UsageError(for_terminal(str(error))) from None


def _words(line: str) -> list[str]:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"--stdio {line!a}: {str(error).lower()}") from None
    if not words:
        raise UsageError("--stdio is empty: write a command line")
    return words


def _cases(options: Namespace) -> list[Case]:
    """The one case that the options give, or none."""
    from ..probe.mcp.session import Case

    given = [name for name in ("tool", "success", "failure") if getattr(options, name) is not None]
    if not given:
        return []
    if len(given) < 3:
        raise UsageError("--tool, --success and --failure go together")
    success, failure = _arguments(options, "success"), _arguments(options, "failure")
    return [Case(options.tool, success, failure)]


def _arguments(options: Namespace, name: str) -> dict[str, Any]:
    from ..json_text import DocumentError, read

    try:
        value = read(os.fsencode(getattr(options, name)))
    except DocumentError as error:
        raise UsageError(f"--{name} is no strict JSON: {error}") from None
    if not isinstance(value, dict):
        raise UsageError(f"--{name} holds the tool's arguments: a JSON object")
    return value


def _again(options: Namespace, target: Target) -> list[str]:
    """The command line that probes the same again, without values that are secret."""
    from ..probe.credentials import environment_secrets, masked_words

    known = environment_secrets()
    words = ["sobre", "probe", "mcp"]
    if options.plan is not None:
        words += ["--plan", shown_path(options.plan)]
    if options.stdio is not None:
        words += ["--stdio", shlex.join(masked_words(target.command, known))]
    if options.url is not None:
        words += ["--url", masked_words([options.url], known)[0]]
    for name, _ in options.header:
        words += ["--header", f"{name}:***"]
    for revision in options.revision:
        words += ["--revision", revision]
    for name in ("tool", "success", "failure"):
        if getattr(options, name) is not None:
            words += [f"--{name}", masked_words([getattr(options, name)], known)[0]]
    if options.timeout is not None:
        words += ["--timeout", f"{options.timeout:g}"]
    return words


def _verify(plot: Plot, case: str, revision: str) -> list[str]:
    from ..probe.folder import RECEIPT

    folder = plot.place(case, revision)
    receipt = shown_path(os.path.join(folder, RECEIPT))
    return ["sobre", "verify", receipt, "--root", shown_path(folder)]
