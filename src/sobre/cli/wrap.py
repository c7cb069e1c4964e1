"""`sobre wrap`: any program, with a conforming result."""

from __future__ import annotations

from ..files import tell
from ..json_write import pretty
from ..processes import KEPT_BYTES
from ..produce.command_line import human_text
from ..produce.parse import UnknownParser, jc_parsers
from ..produce.wrap import wrap_program
from ..report.escape import for_terminal
from ..signals import end_with_children
from .arguments import REST, UsageError, add_json, command_after, positive, refused, seconds
from .commands import EXIT_CONFORMS, EXIT_FAILURE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Options, then -- CMD ARGS..."""
    parser.usage = "%(prog)s [options] -- CMD ARGS..."
    parser.add_argument("--name", help="the command's name in the result (default: the program's)")
    parser.add_argument(
        "--timeout", type=seconds, metavar="S", help="end it and all it started after S seconds"
    )
    parser.add_argument(
        "--ok-exit",
        type=_statuses,
        default=(0,),
        metavar="N,N",
        help="the exit statuses of a success (default: 0)",
    )
    parser.add_argument(
        "--max-output",
        type=positive,
        default=KEPT_BYTES,
        metavar="N",
        help=f"keep at most N bytes of standard output (default: {KEPT_BYTES})",
    )
    parser.add_argument(
        "--parse",
        metavar="HOW",
        help="read standard output as json, ndjson, lines or jc:PARSER (extra sobre[jc])",
    )
    parser.add_argument("--cwd", metavar="DIR", help="run it in this folder")
    parser.add_argument(
        "--list-parsers", action="store_true", help="list the parsers that jc:PARSER takes"
    )
    add_json(parser)
    parser.add_argument("command", nargs=REST, metavar="CMD", help="after --: what to run")


def run(options: Namespace) -> tuple[bytes, int]:
    """Run the command; status 0 only if the result is a success."""
    end_with_children()
    try:
        if options.list_parsers:
            return _parsers(options.json), EXIT_CONFORMS
        wrapped = wrap_program(
            command_after(options.command),
            name=options.name,
            timeout=options.timeout,
            ok_exit=options.ok_exit,
            max_output=options.max_output,
            parse=options.parse,
            cwd=options.cwd,
            share_stdin=True,
            show_errors_on=2,
        )
    except (UnknownParser, ValueError) as error:
        raise UsageError(str(error)) from None
    result = wrapped.result
    status = EXIT_CONFORMS if result.success else EXIT_FAILURE
    if options.json:
        document = wrapped.document or result.to_json().encode()
        return document.rstrip() + b"\n", status
    text, notes = human_text(result)
    if result.success and not isinstance(result.get("output", ""), str):
        text = pretty(result["output"]).decode()
    tell(for_terminal(notes, lines=True))
    return (for_terminal(text, lines=True) if options.to_terminal else text).encode(), status


def _parsers(as_json: bool) -> bytes:
    """The parsers that jc has, as rows of text or as one document."""
    parsers = jc_parsers()
    if as_json:
        from ..contract.result import success

        meta = {"command": "wrap", "schema_version": 1}
        listed = success(f"jc has {len(parsers)} parsers.", parsers=parsers, meta=meta)
        return (listed.to_json() + "\n").encode()
    return "".join(f"{one['name']:<24} {one['description']}\n" for one in parsers).encode()


def _statuses(text: str) -> tuple[int, ...]:
    """Exit statuses separated by commas, as an argparse type."""
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and len(part) <= 10 for part in parts):
        raise refused(f"{text!a} is not a list of exit statuses such as 0,1")
    statuses = tuple(map(int, parts))
    if max(statuses) > 255:
        raise refused(f"{text!a}: an exit status is a number from 0 to 255")
    return statuses
