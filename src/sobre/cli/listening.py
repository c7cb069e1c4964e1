"""What `sobre serve` and `sobre proxy` have in common: where they listen."""

from __future__ import annotations

from ..files import reason_of, tell
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
