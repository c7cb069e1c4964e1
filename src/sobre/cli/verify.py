"""`sobre verify`: a receipt against the files it names."""

from __future__ import annotations

from ..evidence.verify import verify_receipt
from ..files import shown_path
from ..report.build import of_verification
from .arguments import add_max_bytes
from .rendering import add_format, again, operands, prepare, refuse_overwriting, render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """RECEIPT, --root, --allow-nonconformant, --max-bytes, --format, --json, -o."""
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
    add_format(parser)


def run(options: Namespace) -> tuple[bytes, int]:
    """Check the four claims; status 0 only if all that count hold."""
    prepare(options, [options.receipt])
    verification = verify_receipt(options.receipt, root=options.root, max_bytes=options.max_bytes)
    file = shown_path(options.receipt)
    refuse_overwriting(options, list(verification.paths.values()))
    words = again(options, "verify", root=options.root)
    words += ["--allow-nonconformant"] if options.allow_nonconformant else []
    report = of_verification(
        verification,
        file,
        conforms=not options.allow_nonconformant,
        again=[words + operands([options.receipt])],
    )
    return render(report, options)
