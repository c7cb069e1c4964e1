"""Reading the command line: argparse, with its exits turned into values."""

from __future__ import annotations

import os
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter

from ..json_text import MAX_BYTES
from .commands import COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


class UsageError(Exception):
    """The command line is not one that the command takes."""


class HelpAsked(Exception):
    """Help was asked for; its text is the argument."""


class _Help(RawDescriptionHelpFormatter):
    """Help as wide as the terminal. argparse would import `shutil` to find that out."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    try:
        columns = int(os.environ.get("COLUMNS", "")) or os.get_terminal_size(2).columns
    except (ValueError, OSError):
        columns = 80
    return max(columns, 40)


class Parser(ArgumentParser):
    """The parser of a subcommand, or of a part of one."""

    def __init__(self, prog: str, summary: str = "") -> None:
        super().__init__(
            prog=prog,
            description=summary[:1].upper() + summary[1:] + ".",
            formatter_class=_Help,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError` where argparse would exit."""
        raise UsageError(message)

    def print_help(self, file: Any = None) -> NoReturn:
        """Raise `HelpAsked` where argparse would print."""
        raise HelpAsked(self.format_help())


def overview() -> str:
    """The help of the program as a whole."""
    width = max(map(len, COMMANDS))
    rows = "\n".join(f"  {name:<{width}}  {summary}" for name, (_, summary) in COMMANDS.items())
    return f"""\
usage: sobre COMMAND ...

Results that say for themselves whether a command succeeded: produce, check and
prove them. Compatible with QZX Result Contract v1; an independent implementation.

{rows}

`sobre COMMAND --help` says more. Exit status: 0 success or conforms, 1 failure or
does not conform, 2 wrong usage.
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
        raise ArgumentTypeError(f"{text!a} is not a time above 0, in seconds")
    return number


def positive(text: str) -> int:
    """A whole number above 0, as an argparse type."""
    if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) == 0:
        raise ArgumentTypeError(f"{text!a} is not a whole number above 0")
    return int(text)
