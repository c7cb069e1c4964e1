"""`sobre evidence`: a success and a failure, judged and bound into a receipt."""

from __future__ import annotations

from ..evidence.pair import judge_pair
from ..evidence.receipt import build_receipt, write_receipt
from ..files import STANDARD_INPUT, path_of, shown_path
from ..profiles import PROFILES
from ..report.build import of_evidence
from .arguments import UsageError, add_max_bytes
from .rendering import add_format, again, operands, prepare, render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """--profile, --success, --failure, --tool-definition, --report, and how to report."""
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
    add_format(parser)


def run(options: Namespace) -> tuple[bytes, int]:
    """Judge the pair and write its receipt; status 0 only if it conforms and was written."""
    paths = [options.success, options.failure]
    if options.tool_definition is not None:
        paths.append(options.tool_definition)
    if STANDARD_INPUT in paths or options.report == STANDARD_INPUT:
        raise UsageError("evidence and receipt are files: `-` is none (write ./- for that name)")
    for path in paths if options.report is not None else ():
        if path_of(shown_path(path)) != path:
            raise UsageError(f"{path!a} is not UTF-8, so no receipt can name that file")
    prepare(options, paths if options.report is None else [*paths, options.report])
    words = again(
        options,
        "evidence",
        profile=options.profile,
        success=options.success,
        failure=options.failure,
        tool_definition=options.tool_definition,
    )
    pair = judge_pair(options.profile, *paths, max_bytes=options.max_bytes)
    receipt = build_receipt(pair)
    notes = ["No receipt was written; --report FILE writes one."]
    if options.report is not None:
        receipt = write_receipt(receipt, options.report, paths)
        written = receipt.get("error_code") not in ("receipt_path_conflict", "receipt_write_failed")
        notes = [f"Receipt: {shown_path(options.report)}"] if written else []
        words = again(options, "verify") + operands([options.report]) if written else words
    return render(of_evidence(pair, receipt, notes, again=[words]), options)
