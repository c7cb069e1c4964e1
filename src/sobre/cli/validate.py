"""`sobre validate`: documents against the contract."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from ..evidence.exhibit import examine
from ..files import STANDARD_INPUT
from ..report.build import of_validation
from .arguments import UsageError, add_json, add_max_bytes
from .rendering import render


def add_arguments(parser: ArgumentParser) -> None:
    """FILE..., --json, --max-bytes."""
    parser.add_argument(
        "files",
        nargs="*",
        default=[STANDARD_INPUT],
        metavar="FILE",
        help="a JSON document; - is standard input (default)",
    )
    add_max_bytes(parser)
    add_json(parser)


def run(options: Namespace) -> tuple[bytes, int]:
    """Judge each file alone; status 0 only if all conform."""
    if options.files.count(STANDARD_INPUT) > 1:
        raise UsageError("standard input can be read only once")
    if STANDARD_INPUT in options.files and sys.stdin is not None and sys.stdin.isatty():
        sys.stderr.write("Reading a document from the terminal; end it with Ctrl-D.\n")
    exhibits = [examine(file, "core", max_bytes=options.max_bytes) for file in options.files]
    return render(of_validation(exhibits, "core"), options)
