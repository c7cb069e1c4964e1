"""`sobre getCurrentDateTime`, `sobre readFile`, ...: the built-in operations."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from ..operations import operation
from ..produce.command_line import human_text
from ..report.escape import for_terminal
from .arguments import add_json, positive
from .commands import EXIT_CONFORMS, EXIT_FAILURE


def add_arguments(parser: ArgumentParser) -> None:
    """The operation's own parameters, from its declaration."""
    declared = operation(parser.prog.split()[-1])
    parser.set_defaults(operation=declared)
    for parameter in declared.parameters:
        flag = "--" + parameter.name.replace("_", "-")
        parser.add_argument(
            *([parameter.name] if parameter.required else [flag]),
            help=parameter.help,
            type=positive if parameter.kind is int else str,
            choices=parameter.choices or None,
            metavar=parameter.name.upper() if not parameter.choices else None,
            default=parameter.default,
        )
    add_json(parser)


def run(options: Namespace) -> tuple[bytes, int]:
    """Perform it. As text, a success is its `output`, and a failure goes to standard error."""
    declared = options.operation
    names = [parameter.name for parameter in declared.parameters]
    result = declared.run({name: getattr(options, name) for name in names})
    status = EXIT_CONFORMS if result.success else EXIT_FAILURE
    if options.json:
        return (result.to_json() + "\n").encode(), status
    text, notes = human_text(result)
    sys.stderr.write(for_terminal(notes, lines=True))
    return (for_terminal(text, lines=True) if options.to_terminal else text).encode(), status
