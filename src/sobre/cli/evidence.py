"""`sobre evidence`: a success and a failure, judged and bound into a receipt."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ..evidence.pair import judge_pair
from ..evidence.receipt import build_receipt, write_receipt
from ..files import STANDARD_INPUT, shown_path
from ..profiles import PROFILES
from ..report.build import of_evidence
from .arguments import UsageError, add_json, add_max_bytes
from .rendering import render


def add_arguments(parser: ArgumentParser) -> None:
    """--profile, --success, --failure, --tool-definition, --report, --json, --max-bytes."""
    parser.add_argument(
        "--profile", choices=tuple(PROFILES), default="core", help="what to judge by (core)"
    )
    for name, what in (("success", "that succeeded"), ("failure", "that failed")):
        parser.add_argument(
            f"--{name}", required=True, metavar="FILE", help=f"the saved result of a run {what}"
        )
    parser.add_argument(
        "--tool-definition", metavar="FILE", help="the tool's definition (MCP profiles)"
    )
    parser.add_argument("--report", metavar="FILE", help="write the receipt to this file")
    add_max_bytes(parser)
    add_json(parser)


def run(options: Namespace) -> tuple[bytes, int]:
    """Judge the pair and write its receipt; status 0 only if it conforms and was written."""
    paths = [options.success, options.failure]
    if options.tool_definition is not None:
        paths.append(options.tool_definition)
    if STANDARD_INPUT in paths or options.report == STANDARD_INPUT:
        raise UsageError("evidence and receipt are files: `-` is none (write ./- for that name)")
    pair = judge_pair(options.profile, *paths, max_bytes=options.max_bytes)
    receipt = build_receipt(pair)
    notes = ["No receipt was written; --report FILE writes one."]
    if options.report is not None:
        receipt = write_receipt(receipt, options.report, paths)
        written = receipt.get("error_code") not in ("receipt_path_conflict", "receipt_write_failed")
        notes = [f"Receipt: {shown_path(options.report)}"] if written else []
    return render(of_evidence(pair, receipt, notes), options)
