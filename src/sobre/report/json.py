"""The report for a machine: one contract object."""

from __future__ import annotations

from ..contract.result import Result
from .model import Report


def render(report: Report) -> bytes:
    """The report's document on one line."""
    return (Result(report.document).to_json() + "\n").encode()
