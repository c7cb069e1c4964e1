"""What the subcommands declare their options with."""

from __future__ import annotations

from ..json_text import MAX_BYTES
from .commands import COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser


#: For argparse, an operand that takes every word that is left.
REST = "..."


class UsageError(Exception):
    """The command line is not one that the command takes."""


class HelpAsked(Exception):
    """Help was asked for; its text is the argument."""


def overview() -> str:
    """The help of the program as a whole."""
    width = max(map(len, COMMANDS))
    rows = "\n".join(f"  {name:<{width}}  {summary}" for name, (_, summary) in COMMANDS.items())
    return f"""\
usage: sobre COMMAND ...

Results that say for themselves whether a command succeeded: produce, check and
prove them. Compatible with QZX Result Contract v1; an independent implementation.

{rows}

`sobre COMMAND --help` says more, `sobre --version` which version this is.
Exit status: 0 success or conforms, 1 failure or does not conform, 2 wrong usage.
"""


def add_json(parser: ArgumentParser) -> None:
    """The option that every command with a machine-readable answer has."""
    parser.add_argument(
        "--json", action="store_true", help="write one contract object instead of text"
    )


def add_max_bytes(parser: ArgumentParser) -> None:
    """The limit on how much of a file is read."""
    parser.add_argument(
        "--max-bytes",
        type=positive,
        default=MAX_BYTES,
        metavar="N",
        help=f"read no document larger than N bytes (default: {MAX_BYTES})",
    )


def add_http(parser: ArgumentParser) -> None:
    """Where a server listens, if not on standard input and output."""
    parser.add_argument(
        "--http",
        type=address,
        metavar="HOST:PORT",
        help="listen for streamable HTTP there instead of on standard input and output; a port "
        "alone is one of the loopback, and port 0 any that is free",
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="answer requests that call the server by this name, too; can be repeated "
        "(default: the loopback's names and HOST)",
    )


def address(text: str) -> tuple[str, int]:
    """HOST:PORT, [IPV6]:PORT or PORT, as an argparse type."""
    host, colon, port = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise refused(f"{text!a} is no address: write an IPv6 host in brackets")
    if colon and not host:
        raise refused(f"{text!a} is no address such as 127.0.0.1:8000")
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= 65535):
        raise refused(f"{text!a} is no address such as 127.0.0.1:8000")
    return host or "127.0.0.1", int(port)


def missing_extra(command: str, extra: str, error: ImportError) -> str:
    """What a person is told whose installation lacks an extra."""
    return f"sobre {command}: {error}\n  pip install 'sobre[{extra}]' brings what is missing\n"


def refused(reason: str) -> Exception:
    """What an argparse type raises for a text it does not take, with the reason."""
    from argparse import ArgumentTypeError

    return ArgumentTypeError(reason)


def command_after(words: list[str]) -> list[str]:
    """The command that follows the options, with or without `--` before it."""
    words = words[1:] if words[:1] == ["--"] else words
    if not words:
        raise UsageError("there is no command to run: put it after --")
    return words


def seconds(text: str) -> float:
    """A time above 0, in seconds, as an argparse type."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1e9:
        raise refused(f"{text!a} is not a time above 0, in seconds, of less than 1e9")
    return number


def positive(text: str) -> int:
    """A whole number above 0, as an argparse type."""
    if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) == 0:
        raise refused(f"{text!a} is not a whole number above 0, of at most 18 digits")
    return int(text)


def url(text: str) -> str:
    """An http or https URL, as an argparse type."""
    scheme, slashes, rest = text.partition("://")
    if scheme.lower() not in ("http", "https") or not slashes or not rest.strip("/"):
        raise refused(f"{text!a} is no URL such as http://127.0.0.1:8000/mcp")
    return text


def header(text: str) -> tuple[str, str]:
    """NAME:VALUE, as an argparse type. What is wrong is told without the value."""
    name, colon, value = text.partition(":")
    is_name = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    if not colon or not is_name or not value.isprintable():
        raise refused("a header is written NAME:VALUE, on one line")
    return name, value.strip()
