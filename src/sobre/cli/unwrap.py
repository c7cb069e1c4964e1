"""`sobre unwrap`: a result's message or one of its fields, for a shell script."""

from __future__ import annotations

from ..contract.convert import ContractError
from ..contract.result import Result
from ..files import STANDARD_INPUT, read_bounded, reason_of, tell
from ..json_text import DocumentError
from ..json_write import compact, resolve_pointer
from ..processes import Stream
from ..processes import run as run_process
from ..report.escape import for_terminal
from ..signals import end_with_children
from .arguments import REST, UsageError, add_max_bytes, command_after, seconds
from .commands import EXIT_CONFORMS, EXIT_FAILURE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """--field, then -- CMD ARGS..., or a document on standard input."""
    parser.usage = "%(prog)s [--field POINTER] [options] [-- CMD ARGS...]"
    parser.add_argument(
        "--field",
        metavar="POINTER",
        default="/message",
        help="the field to print, as a JSON Pointer such as /details/path (default: /message)",
    )
    parser.add_argument(
        "--timeout", type=seconds, metavar="S", help="end the command after S seconds"
    )
    add_max_bytes(parser)
    parser.add_argument(
        "command", nargs=REST, metavar="CMD", help="after --: what to run (or standard input)"
    )


def run(options: Namespace) -> tuple[bytes, int]:
    """Print the field; status 0 only if the result says that the operation succeeded."""
    end_with_children()
    if options.field and not options.field.startswith("/"):
        raise UsageError(f"--field {options.field!a} is no JSON Pointer: it begins with /")
    try:
        result = _result(options)
    except _NoResult as problem:
        tell(f"sobre unwrap: {for_terminal(str(problem))}\n")
        return b"", EXIT_FAILURE
    status = EXIT_CONFORMS if result.success else EXIT_FAILURE
    try:
        value = resolve_pointer(result.to_dict(), options.field)
    except KeyError:
        shown = for_terminal(options.field)
        tell(f"sobre unwrap: the result has no {shown}: {result.message!a}\n")
        return b"", EXIT_FAILURE
    text = value if isinstance(value, str) else compact(value).decode()
    if options.to_terminal:
        text = for_terminal(text, lines=True)
    return f"{text}\n".encode(), status


class _NoResult(Exception):
    """There is no conforming result; the text says why."""


def _result(options: Namespace) -> Result:
    try:
        if not options.command:
            return Result.from_json(
                _bounded(read_bounded(STANDARD_INPUT, options.max_bytes), options)
            )
        done = run_process(
            command_after(options.command),
            timeout=options.timeout,
            stdout=Stream(options.max_bytes + 1),
            stderr=Stream(0, tail=True, show_on=2),
            share_stdin=True,
        )
        if done.timed_out:
            raise _NoResult(f"the command did not end within {options.timeout:g} seconds")
        result = Result.from_json(_bounded(done.stdout.kept, options))
    except OSError as error:
        what = "standard input cannot be read"
        if options.command:
            what = f"{command_after(options.command)[0]!a} cannot be started"
        raise _NoResult(f"{what}: {reason_of(error)}") from None
    except (DocumentError, ContractError) as error:
        raise _NoResult(f"the output is no conforming result: {error}") from None
    if (done.status == 0) is not result.success:
        how = done.signal or f"exit status {done.status}"
        stated = str(result.success).lower()
        raise _NoResult(f"the result says `success: {stated}`, and the command ended with {how}")
    return result


def _bounded(data: bytes, options: Namespace) -> bytes:
    if len(data) > options.max_bytes:
        raise _NoResult(f"the output is larger than {options.max_bytes} bytes (--max-bytes)")
    return data
