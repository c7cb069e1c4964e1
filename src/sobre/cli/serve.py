"""`sobre serve`: the built-in operations as an MCP server."""

from __future__ import annotations

import os

from ..files import reason_of, shown_path, tell
from ..operations import OPERATIONS
from ..operations.root import Root
from .arguments import UsageError, add_http, missing_extra
from .commands import EXIT_FAILURE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Where to listen, and what to offer."""
    add_http(parser)
    parser.add_argument(
        "--only",
        metavar="NAMES",
        help="offer only these operations, separated by commas (default: all that can run here)",
    )
    parser.add_argument(
        "--root",
        metavar="DIR",
        default=".",
        help="confine file operations to this folder; links out of it are refused, and relative "
        "paths start there (default: the current directory)",
    )


def run(options: Namespace) -> tuple[bytes, int]:
    """Serve until the client leaves or a signal comes."""
    names = _names(options.only)
    try:
        root = Root(options.root)
        os.chdir(root.real)
    except (OSError, ValueError) as error:
        raise UsageError(f"--root {shown_path(options.root)}: {reason_of(error)}") from None
    try:
        from ..mcp.operations_server import operations_server
    except ImportError as error:
        tell(missing_extra("serve", "mcp", error))
        return b"", EXIT_FAILURE
    from .listening import listen

    return b"", listen(options, "serve", operations_server(names, root))


def _names(only: str | None) -> list[str]:
    """The operations to offer. One that is named is offered even if it cannot run."""
    if only is None:
        from ..operations import operation

        return [name for name in OPERATIONS if operation(name).is_available()]
    names = [name.strip() for name in only.split(",")]
    for name in names:
        if name not in OPERATIONS:
            there_are = ", ".join(OPERATIONS)
            raise UsageError(f"--only: there is no operation {name!a}; there are {there_are}")
    return list(dict.fromkeys(names))
