"""`sobre probe`: the real thing, run and judged."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any

#: What can be probed -> (module, one line for the help).
KINDS = {
    "command": ("probe_command", "run a command as it is and judge what it writes and how it ends"),
    "mcp": ("probe_mcp", "ask an MCP server and judge its tools and what they answer"),
}


def add_arguments(parser: ArgumentParser) -> None:
    """One sub-subcommand for each kind of thing."""
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    for kind, (_, summary) in KINDS.items():
        _module(kind).add_arguments(kinds.add_parser(kind, summary=summary, help=summary))


def run(options: Namespace) -> tuple[bytes, int]:
    """Probe; status 0 only if nothing is a violation."""
    answer: tuple[bytes, int] = _module(options.kind).run(options)
    return answer


def _module(kind: str) -> Any:
    return import_module(f".{KINDS[kind][0]}", __package__)
