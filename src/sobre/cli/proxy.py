"""`sobre proxy`: an MCP server in front of another, that says what happened."""

from __future__ import annotations

from ..files import tell
from ..signals import end_with_children
from .arguments import (
    REST,
    UsageError,
    add_http,
    command_after,
    header,
    missing_extra,
    seconds,
    url,
)
from .commands import EXIT_FAILURE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

#: Seconds that a call may take unless --timeout says another number.
CALL_SECONDS = 600.0


def add_arguments(parser: ArgumentParser) -> None:
    """Options, then what is behind: -- CMD ARGS..., or --url."""
    parser.usage = "%(prog)s [options] (-- CMD ARGS... | --url URL)"
    add_http(parser)
    parser.add_argument(
        "--url", type=url, metavar="URL", help="relay to the streamable HTTP server at this URL"
    )
    parser.add_argument(
        "--header",
        type=header,
        action="append",
        default=[],
        metavar="NAME:VALUE",
        help="send this header to the URL with each request; can be repeated",
    )
    parser.add_argument(
        "--error-text",
        metavar="REGEX",
        help="take a success whose text matches for a failure, with a warning (default: off)",
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=CALL_SECONDS,
        metavar="S",
        help="a call without answer and without progress for S seconds is a failure "
        f"(default: {CALL_SECONDS:g})",
    )
    parser.add_argument("command", nargs=REST, metavar="CMD", help="after --: the server to run")


def run(options: Namespace) -> tuple[bytes, int]:
    """Relay until the client leaves or a signal comes."""
    command = _command(options)
    if options.error_text is not None:
        _check_pattern(options.error_text)
    try:
        from ..mcp.proxy import Proxy
        from ..mcp.upstream import Target
    except ImportError as error:
        tell(missing_extra("proxy", "mcp", error))
        return b"", EXIT_FAILURE
    from .listening import listen

    target = Target(command, options.url or "", dict(options.header))
    proxy = Proxy(target, error_text=options.error_text, call_seconds=options.timeout)
    end_with_children()
    return b"", listen(options, "proxy", proxy.server, proxy.close)


def _command(options: Namespace) -> list[str] | None:
    """The command to relay to, or None if it is a URL."""
    if options.url is not None:
        if options.command:
            raise UsageError("give --url or a command, not both")
        return None
    if options.header:
        raise UsageError("--header is for a --url")
    command = command_after(options.command)
    from shutil import which

    if which(command[0]) is None:
        raise UsageError(f"there is no program {command[0]!a} to run")
    return command


def _check_pattern(text: str) -> None:
    import re

    try:
        re.compile(text)
    except re.error as error:
        raise UsageError(f"--error-text: {text!a} is no regular expression: {error}") from None
