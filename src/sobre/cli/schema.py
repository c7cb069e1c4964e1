"""`sobre schema`: the project's own JSON Schemas."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ..contract.schemas import SCHEMAS, schema_bytes
from .commands import EXIT_CONFORMS


def add_arguments(parser: ArgumentParser) -> None:
    """The name of a schema."""
    parser.add_argument("name", choices=tuple(SCHEMAS), help="which schema to print")


def run(options: Namespace) -> tuple[bytes, int]:
    """Print the schema's file, byte for byte."""
    return schema_bytes(options.name), EXIT_CONFORMS
