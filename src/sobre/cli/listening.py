"""What `sobre serve` and `sobre proxy` have in common: where they listen."""

from __future__ import annotations

import logging

from ..files import reason_of, tell
from ..report.escape import bounded, for_terminal
from .arguments import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Awaitable, Callable
    from typing import Any


def listen(
    options: Namespace,
    command: str,
    server: Any,
    close: Callable[[], Awaitable[None]] | None = None,
) -> int:
    """Serve at the address of `--http`, or on standard input and output; the exit status.

    Over HTTP, one line on standard error says where, once it can be asked.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(_Line())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    from ..mcp.listening import bind, run_until_signal, serve_http, serve_stdio, url_of

    if options.http is None:
        options.standard_output.give_back()
        return run_until_signal(lambda: serve_stdio(server), close)
    host, port = options.http
    try:
        bound = bind(host, port)
    except OSError as error:
        raise UsageError(f"--http {host}:{port}: {reason_of(error)}") from None

    def ready() -> None:
        tell(f"sobre {command}: {url_of(host, bound)}\n")

    return run_until_signal(
        lambda: serve_http(server, host, bound, options.allow_host, ready), close
    )


class _Line(logging.Formatter):
    """A line for each thing to tell, harmless for a terminal; with a traceback if it is ours."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, and perhaps the traceback."""
        line = f"sobre: {bounded(record.getMessage())}"
        if not record.exc_info or record.exc_info[1] is None:
            return line
        if record.name == "sobre":
            return f"{line}\n{for_terminal(self.formatException(record.exc_info), lines=True)}"
        return f"{line} ({type(record.exc_info[1]).__name__})"
