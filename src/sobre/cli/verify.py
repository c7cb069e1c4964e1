"""`sobre verify`: a receipt against the files it names."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ..evidence.verify import verify_receipt
from ..files import shown_path
from ..report.build import of_verification
from .arguments import add_json, add_max_bytes
from .rendering import render


def add_arguments(parser: ArgumentParser) -> None:
    """RECEIPT, --root, --allow-nonconformant, --json, --max-bytes."""
    parser.add_argument("receipt", metavar="RECEIPT", help="the receipt to verify")
    parser.add_argument(
        "--root",
        metavar="DIR",
        help="take the receipt's paths from here, and none that leads out of it "
        "(default: as typed, from the current directory)",
    )
    parser.add_argument(
        "--allow-nonconformant",
        action="store_true",
        help="do not ask that the implementation conforms, only that the receipt is true",
    )
    add_max_bytes(parser)
    add_json(parser)


def run(options: Namespace) -> tuple[bytes, int]:
    """Check the four claims; status 0 only if all that count hold."""
    verification = verify_receipt(options.receipt, root=options.root, max_bytes=options.max_bytes)
    file = shown_path(options.receipt)
    report = of_verification(verification, file, conforms=not options.allow_nonconformant)
    return render(report, options)
