"""`sobre attest`: a receipt as an in-toto Statement, ready for someone to sign."""

from __future__ import annotations

from ..contract.result import failure, success
from ..evidence.attestation import build_statement
from ..evidence.verify import verify_receipt
from ..files import STANDARD_INPUT, reason_of, same_file, shown_path, tell, write_atomically
from ..json_write import pretty
from ..report.build import of_verification
from .arguments import UsageError, add_json, add_max_bytes
from .commands import EXIT_CONFORMS, EXIT_FAILURE
from .rendering import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


_META = {"command": "attest", "schema_version": 1}


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

    The statement goes to standard output or to a file. With `--json` standard
    output carries a contract object, with the statement in it if no file is named.
    """
    verification = verify_receipt(options.receipt, root=options.root, max_bytes=options.max_bytes)
    file = shown_path(options.receipt)
    report = of_verification(verification, file, conforms=False)
    if options.output == STANDARD_INPUT:
        raise UsageError("-o takes a file; without it the statement goes to standard output")
    if not report.conformant:
        # The output is for a statement, and a report of why there is none is not one.
        options.format, options.output = "json" if options.json else "text", None
        return render(report, options)
    document = build_statement(verification, file)
    statement = pretty(document)
    if options.output is None:
        if options.json:
            result = success(f"Stated {file}.", statement=document, meta=_META)
            return (result.to_json() + "\n").encode(), EXIT_CONFORMS
        return statement, EXIT_CONFORMS
    inputs = [options.receipt, *verification.paths.values()]
    if any(path != STANDARD_INPUT and same_file(options.output, path) for path in inputs):
        raise UsageError(f"{shown_path(options.output)!a} is an input and is not written over")
    return _write(options, statement)


def _write(options: Namespace, statement: bytes) -> tuple[bytes, int]:
    """Write the statement to the file that was asked for, and say so in JSON if that was."""
    shown = shown_path(options.output)
    try:
        write_atomically(options.output, statement)
    except OSError as error:
        message = f"cannot write {shown!a}: {reason_of(error)}"
        if not options.json:
            tell(f"sobre attest: {message}\n")
            return b"", EXIT_FAILURE
        result = failure(message, error_code="statement_write_failed", meta=_META)
        return (result.to_json() + "\n").encode(), EXIT_FAILURE
    if not options.json:
        tell(f"sobre: the statement is in {shown!a}\n")
        return b"", EXIT_CONFORMS
    result = success(f"The statement is in {shown!a}.", details={"statement": shown}, meta=_META)
    return (result.to_json() + "\n").encode(), EXIT_CONFORMS
