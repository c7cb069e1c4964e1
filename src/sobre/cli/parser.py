"""The whole command line: argparse, with its exits turned into exceptions."""

from __future__ import annotations

import os
from argparse import PARSER, REMAINDER, ArgumentParser, Namespace, RawDescriptionHelpFormatter

from .arguments import HelpAsked, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


class Parser(ArgumentParser):
    """The parser of a subcommand, or of a part of one."""

    def __init__(self, prog: str, summary: str = "") -> None:
        super().__init__(
            prog=prog,
            description=summary[:1].upper() + summary[1:] + ".",
            formatter_class=_Help,
            allow_abbrev=False,
        )

    def read(self, words: list[str]) -> Namespace:
        """The options that words give; options may stand between operands.

        Raises `UsageError` and `HelpAsked`.
        """
        whole = any(action.nargs in (REMAINDER, PARSER) for action in self._actions)
        if whole or "--" in words:
            return self.parse_args(words)
        return self.parse_intermixed_args(words)

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError` where argparse would exit."""
        raise UsageError(message)

    def print_help(self, file: Any = None) -> NoReturn:
        """Raise `HelpAsked` where argparse would print."""
        raise HelpAsked(self.format_help())


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
