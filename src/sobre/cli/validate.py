"""`sobre validate`: documents against the contract."""

from __future__ import annotations

import sys

from ..evidence.exhibit import examine, examine_tool_definition
from ..files import STANDARD_INPUT, tell
from ..profiles import PROFILES
from ..report.build import of_validation
from .arguments import UsageError, add_max_bytes
from .rendering import add_format, again, operands, prepare, render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """FILE..., --profile, --tool-definition, --max-bytes, --format, --json, -o."""
    parser.add_argument(
        "files",
        nargs="*",
        default=[STANDARD_INPUT],
        metavar="FILE",
        help="a JSON document; - is standard input (default)",
    )
    parser.add_argument(
        "--profile", choices=tuple(PROFILES), default="core", help="what to judge by (core)"
    )
    parser.add_argument(
        "--tool-definition", metavar="FILE", help="the tool's definition (MCP profiles)"
    )
    add_max_bytes(parser)
    add_format(parser)


def run(options: Namespace) -> tuple[bytes, int]:
    """Judge each file alone; status 0 only if all conform."""
    inputs = [*options.files]
    if options.tool_definition is not None:
        inputs.append(options.tool_definition)
    prepare(options, inputs)
    if inputs.count(STANDARD_INPUT) > 1:
        raise UsageError("standard input can be read only once")
    if STANDARD_INPUT in options.files and sys.stdin is not None and sys.stdin.isatty():
        tell("Reading a document from the terminal; end it with Ctrl-D.\n")
    profile, limit = options.profile, options.max_bytes
    exhibits = [examine(file, profile, max_bytes=limit) for file in options.files]
    if options.tool_definition is not None:
        if PROFILES[profile] is None:
            raise UsageError("a tool definition goes with an MCP profile (--profile mcp-...)")
        exhibits.append(examine_tool_definition(options.tool_definition, max_bytes=limit))
    words = again(
        options, "validate", profile=profile, tool_definition=options.tool_definition
    ) + operands(options.files)
    return render(of_validation(exhibits, profile, again=[words]), options)
