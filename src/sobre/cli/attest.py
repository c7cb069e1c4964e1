"""`sobre attest`: a receipt as an in-toto Statement, ready for someone to sign."""

from __future__ import annotations

from ..evidence.attestation import build_statement
from ..evidence.verify import verify_receipt
from ..files import reason_of, same_file, shown_path, tell, write_atomically
from ..json_write import pretty
from ..report.build import of_verification
from .arguments import UsageError, add_json, add_max_bytes
from .commands import EXIT_CONFORMS, EXIT_FAILURE
from .rendering import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """RECEIPT, -o, --root, --json, --max-bytes."""
    parser.add_argument("receipt", metavar="RECEIPT", help="the receipt to attest")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write the statement here (default: standard output)"
    )
    parser.add_argument("--root", metavar="DIR", help="take the receipt's paths from here")
    add_max_bytes(parser)
    add_json(parser)


def run(options: Namespace) -> tuple[bytes, int]:
    """Verify the receipt but for its verdict's being good, then state it; else say what is wrong.

    The statement is what is printed or written; `--json` is for what goes wrong.
    """
    verification = verify_receipt(options.receipt, root=options.root, max_bytes=options.max_bytes)
    file = shown_path(options.receipt)
    report = of_verification(verification, file, conforms=False)
    if not report.conformant:
        options.format = "json" if options.json else "text"
        return render(report, options)
    statement = pretty(build_statement(verification, file))
    if options.output is None:
        return statement, EXIT_CONFORMS
    inputs = [options.receipt, *verification.paths.values()]
    if any(same_file(options.output, path) for path in inputs):
        raise UsageError(f"{shown_path(options.output)!a} is an input and is not written over")
    try:
        write_atomically(options.output, statement)
    except OSError as error:
        shown = ascii(shown_path(options.output))
        tell(f"sobre attest: cannot write {shown}: {reason_of(error)}\n")
        return b"", EXIT_FAILURE
    return b"", EXIT_CONFORMS
