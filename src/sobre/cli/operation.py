"""`sobre getCurrentDateTime`, `sobre readFile`, ...: the built-in operations."""

from __future__ import annotations

import sys

from ..files import tell
from ..operations import operation
from ..produce.command_line import human_text
from ..report.escape import for_terminal
from .arguments import add_json, refused
from .commands import EXIT_CONFORMS, EXIT_FAILURE, EXIT_USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable
    from typing import Any

    from ..contract.result import Result
    from ..operations.declaration import Operation, Parameter


def add_arguments(parser: ArgumentParser) -> None:
    """The operation's own parameters, from its declaration."""
    declared = operation(parser.prog.split()[-1])
    parser.set_defaults(operation=declared)
    for parameter in declared.parameters:
        _add_parameter(parser, parameter)
    add_json(parser)


def _add_parameter(parser: ArgumentParser, parameter: Parameter) -> None:
    words: dict[str, Any] = {"help": parameter.help.replace("%", "%%"), "default": None}
    if parameter.kind is bool:
        parser.add_argument(parameter.option, action="store_true", **words)
        return
    if parameter.default not in (None, []):
        words["help"] += f" (default: {parameter.default})"
    if parameter.kind is list:
        words["action"] = "append"
        words["help"] += "; can be repeated"
    if parameter.choices:
        words["choices"] = parameter.choices
    else:
        words["metavar"] = parameter.name.upper()
    if parameter.positional and not parameter.required:
        words["nargs"] = "?"
    name = parameter.name if parameter.positional else parameter.option
    parser.add_argument(name, type=_reader(parameter), **words)


def _reader(parameter: Parameter) -> Callable[[str], Any]:
    """An argparse type: text -> a value that the parameter takes."""

    def read(text: str) -> Any:
        if parameter.kind not in (int, float):
            return text
        value = _number(text, parameter.kind)
        problem = parameter.problem(value)
        if problem:
            raise refused(f"{text!a} cannot be used: {problem}")
        return value

    return read


def _number(text: str, kind: type) -> Any:
    """The number that a text of plain digits writes, or None."""
    whole, point, fraction = text.removeprefix("-").partition(".")
    parts = [whole, fraction] if point and kind is float else [text.removeprefix("-")]
    plain = all(part.isascii() and part.isdigit() and len(part) <= 18 for part in parts)
    return kind(text) if plain else None


def run(options: Namespace) -> tuple[bytes, int]:
    """Perform it. As text, a success goes to standard output, a failure to standard error."""
    declared: Operation = options.operation
    given = {one.name: getattr(options, one.name) for one in declared.parameters}
    result = _perform(declared, {name: value for name, value in given.items() if value is not None})
    status = EXIT_CONFORMS if result.success else EXIT_FAILURE
    if result.error_code == "invalid_arguments":
        status = EXIT_USAGE
    if options.json:
        return (result.to_json() + "\n").encode(), status
    text, notes = _text(declared, result)
    tell(notes)
    return (for_terminal(text, lines=True) if options.to_terminal else text).encode(), status


def _perform(declared: Operation, given: dict[str, Any]) -> Result:
    """The result. A person at a terminal sees how far a long operation has come."""
    if not declared.tells_progress or sys.stderr is None or not sys.stderr.isatty():
        return declared.run(given)
    from .progress import ProgressLine

    with ProgressLine(sys.stderr) as line:
        return declared.run(given, line.show)


def _text(declared: Operation, result: Result) -> tuple[str, str]:
    """What a person sees on standard output and on standard error, each note on its own line."""
    lines = [f"warning: {warning}" for warning in result.warnings]
    if not result.success:
        lines += [result.message, f"  {result.error}", f"  error code: {result.error_code}"]
    notes = "".join(f"{for_terminal(line)}\n" for line in lines)
    if not result.success:
        return "", notes
    return declared.human(result) if declared.human else human_text(result)[0], notes
