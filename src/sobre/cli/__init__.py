"""The command line: parse, call, print. What is right and wrong is decided on lower floors.

Each subcommand is a module with `add_arguments(parser)` and `run(options)`,
which returns what goes to standard output and the exit status. Only the module
of the subcommand that was asked for is imported. While it runs, standard
output is held back (`produce.standard_output`), so that nothing but its answer
can come out there.
"""

from __future__ import annotations

import sys

from ..produce.standard_output import StandardOutput
from .commands import COMMANDS, EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status: 0, 1 (does not conform, failed), 2 (usage)."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    output = StandardOutput()
    output.take()
    try:
        try:
            answer, status = _answer(words, output)
        except KeyboardInterrupt:
            answer, status = _failed(words, "interrupted", "The command was interrupted.")
            status = EXIT_INTERRUPTED
        if answer:
            output.write(answer)
    except OSError as error:
        from ..files import reason_of

        _complain(f"cannot write to standard output: {reason_of(error)}")
        return EXIT_FAILURE
    except KeyboardInterrupt:
        _complain("interrupted")
        return EXIT_INTERRUPTED
    return status


def _answer(words: list[str], output: StandardOutput) -> tuple[bytes, int]:
    """What to write and the exit status."""
    from .arguments import HelpAsked, Parser, UsageError, overview

    if not words or words[0] in ("-h", "--help", "help"):
        return (overview().encode(), 0) if words else _usage(words, overview())
    if words[0] in ("-V", "--version"):
        from .. import __version__

        return f"sobre {__version__}\n".encode(), 0
    if words[0] not in COMMANDS:
        reason = f"there is no command {words[0]!a}; `sobre --help` lists them"
        return _usage(words, f"sobre: {reason}\n")
    from importlib import import_module

    module = import_module(f".{COMMANDS[words[0]][0]}", __name__)
    parser = Parser(f"sobre {words[0]}", COMMANDS[words[0]][1])
    module.add_arguments(parser)
    try:
        options = parser.parse_args(words[1:])
        options.to_terminal = output.is_terminal
        answer: tuple[bytes, int] = module.run(options)
    except HelpAsked as asked:
        return str(asked).encode(), 0
    except UsageError as error:
        return _usage(words, f"{parser.format_usage()}sobre {words[0]}: {error}\n", str(error))
    return answer


def _usage(words: list[str], text: str, reason: str = "") -> tuple[bytes, int]:
    sys.stderr.write(text)
    if "--json" not in words:
        return b"", EXIT_USAGE
    answer, _ = _failed(words, "usage_error", reason or text.strip(), complain=False)
    return answer, EXIT_USAGE


def _failed(words: list[str], code: str, message: str, complain: bool = True) -> tuple[bytes, int]:
    """A failure that is no result of the command itself: as a document if one was asked for."""
    if complain:
        _complain(message)
    if "--json" not in words:
        return b"", EXIT_FAILURE
    from ..contract.result import failure

    meta = {"command": words[0], "schema_version": 1} if words[0] in COMMANDS else None
    return (failure(message, error_code=code, meta=meta).to_json() + "\n").encode(), EXIT_FAILURE


def _complain(text: str) -> None:
    try:
        sys.stderr.write(f"sobre: {text}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        pass
