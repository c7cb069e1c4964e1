"""A report as the bytes and the exit status that a command answers with."""

from __future__ import annotations

from argparse import Namespace

from ..report.model import Report
from .commands import EXIT_CONFORMS, EXIT_FAILURE


def render(report: Report, options: Namespace) -> tuple[bytes, int]:
    """The report in the format that was asked for; status 0 only if it conforms."""
    status = EXIT_CONFORMS if report.conformant else EXIT_FAILURE
    if options.json:
        from ..contract.result import Result

        return (Result(report.document).to_json() + "\n").encode(), status
    from ..report.text import render as render_text

    return render_text(report), status
