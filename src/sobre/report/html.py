"""The report as one HTML page that a reviewer can read, print and keep.

The page holds all it needs, runs no script and fetches nothing. Its form is in
`report.html.jinja`; every text goes through one place here, which bounds it
and makes hidden characters visible, before the template escapes it.
"""

from __future__ import annotations

import os
import re

from jinja2 import Environment, StrictUndefined

from .escape import bounded, shell_line
from .excerpt import excerpt
from .model import INDEPENDENT, Report
from .view import count, first, parts, plural

# A name in backticks, as messages write it. Anything else in them stays as it is.
_NAME = re.compile(r"(?<!`)`([\w.$: \"{}-]{1,60})`(?!`)", re.ASCII)
#: Most characters of any one text.
_LIMIT = 4096


def render(report: Report) -> bytes:
    """The whole page."""
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update(
        count=count, excerpt=excerpt, first=first, pieces=_pieces, plural=plural
    )
    shown = list(parts(report))
    page = environment.from_string(_template()).render(
        report=report,
        parts=shown,
        hidden_files=len(report.exhibits) - len(shown),
        found=[item for _, exhibit in report.exhibits for item in exhibit.judgement.findings],
        again=list(map(shell_line, report.again)),
        independent=INDEPENDENT,
    )
    return page.encode("utf-8", "backslashreplace")


def _template() -> str:
    path = os.path.join(os.path.dirname(__file__), "report.html.jinja")
    with open(path, encoding="utf-8") as file:
        return file.read()


def _pieces(text: str) -> list[tuple[str, bool]]:
    """A sentence in pieces, each with whether it is a name that stood in backticks."""
    return [(piece, at % 2 == 1) for at, piece in enumerate(_NAME.split(text))]


def _shown(value: object) -> object:
    return bounded(value, _LIMIT) if type(value) is str else value
