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
