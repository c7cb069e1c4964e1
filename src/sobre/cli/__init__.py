"""The command line: parse, call, print. What is right and wrong is decided on lower floors.

Each subcommand is a module with `add_arguments(parser)` and `run(options)`,
which returns what goes to standard output and the exit status. Only the module
of the subcommand that was asked for is imported. While it runs, standard
output is held back (`produce.standard_output`), so that nothing but its answer
can come out there.
"""

from __future__ import annotations

import os
import sys
from itertools import pairwise

from ..files import reason_of, tell
from ..produce.standard_output import StandardOutput
from .arguments import HelpAsked, UsageError, overview
from .commands import COMMANDS, EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn


def program(arguments: Sequence[str] | None = None) -> NoReturn:
    """Be the program, to the end of the process.

    The process ends without waiting for threads that an operation left behind:
    the answer is out, and one that goes on printing would crash the interpreter.
    """
    status = main(arguments)
    import atexit

    try:
        atexit._run_exitfuncs()
    except Exception as error:
        tell(f"sobre: at exit: {type(error).__name__}\n")
    if "ctypes" in sys.modules:
        from ..produce.standard_output import flush_c_streams

        flush_c_streams()
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            pass
    os._exit(status)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0, 1 (does not conform, failed), 2 (usage).

    Standard output stays held back: this is for a process that then ends.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    output = StandardOutput()
    output.take()
    try:
        answer, status = _answer(words, output)
        if answer:
            output.write(answer)
    except KeyboardInterrupt:
        tell("sobre: interrupted\n")
        return EXIT_INTERRUPTED
    except OSError as error:
        tell(f"sobre: cannot write to standard output: {reason_of(error)}\n")
        return EXIT_FAILURE
    return status


def _answer(words: list[str], output: StandardOutput) -> tuple[bytes, int]:
    """What to write and the exit status, whatever happens."""
    try:
        return _run(words, output)
    except KeyboardInterrupt as stop:
        from ..signals import exit_status

        return _failed(words, "interrupted", "The command was interrupted."), exit_status(stop)
    except BaseException as error:  # An operation that exits, or a defect of our own.
        place = error.__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        where = f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place else "?"
        text = f"An unexpected {type(error).__name__} ended the command, at {where}."
        return _failed(words, "unexpected_error", text), EXIT_FAILURE


def _run(words: list[str], output: StandardOutput) -> tuple[bytes, int]:
    if not words or words[0] in ("-h", "--help", "help"):
        return (overview().encode(), 0) if words else _usage(words, overview(), "no command")
    if words[0] in ("-V", "--version"):
        from .. import __version__

        return f"sobre {__version__}\n".encode(), 0
    if words[0] not in COMMANDS:
        near = [name for name in COMMANDS if name.lower() == words[0].lower()]
        advice = f"did you mean {near[0]}?" if near else "`sobre --help` lists them"
        reason = f"there is no command {words[0]!a}; {advice}"
        return _usage(words, f"sobre: {reason}\n", reason)
    from importlib import import_module

    name, summary = COMMANDS[words[0]]
    module = import_module(f".{name}", __name__)
    try:
        options = _options(module, words, summary)
        options.to_terminal = output.is_terminal
        options.standard_output = output
        answer: tuple[bytes, int] = module.run(options)
    except HelpAsked as asked:
        return str(asked).encode(), 0
    except UsageError as error:
        from .parser import Parser

        parser = Parser(f"sobre {words[0]}", summary)
        module.add_arguments(parser)
        text = f"{parser.format_usage()}sobre {words[0]}: {error}\n"
        return _usage(words, text, str(error))
    return answer


def _options(module: Any, words: list[str], summary: str) -> Any:
    """What the words behind the command say: by the quick way, or by argparse."""
    from .plain import Declared, NotPlain

    prog = f"sobre {words[0]}"
    try:
        declared = Declared(prog)
        module.add_arguments(declared)
        return declared.read(words[1:])
    except NotPlain:
        from .parser import Parser

        parser = Parser(prog, summary)
        module.add_arguments(parser)
        return parser.read(words[1:])


def _usage(words: list[str], text: str, reason: str) -> tuple[bytes, int]:
    """The answer to a command line that cannot be taken."""
    from ..report.escape import for_terminal

    tell(for_terminal(text, lines=True))
    if not _asks_for_json(words):
        return b"", EXIT_USAGE
    return _document(words, "usage_error", reason), EXIT_USAGE


def _failed(words: list[str], code: str, message: str) -> bytes:
    """The answer where there is no result: a message, and a document if one was asked for."""
    tell(f"sobre: {message}\n")
    return _document(words, code, message) if _asks_for_json(words) else b""


def _document(words: list[str], code: str, message: str) -> bytes:
    from ..contract.result import failure

    meta = {"command": words[0], "schema_version": 1} if words[0] in COMMANDS else None
    told = message.encode("utf-8", "backslashreplace").decode()
    return (failure(told, error_code=code, meta=meta).to_json() + "\n").encode()


def _asks_for_json(words: list[str]) -> bool:
    """Whether the answer is a document, as far as can be told before options are read."""
    words = words[: words.index("--")] if "--" in words else words
    if "--json" in words or "--format=json" in words:
        return True
    return any(pair == ("--format", "json") for pair in pairwise(words))
