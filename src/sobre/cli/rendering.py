"""A report as the bytes and the exit status that a command answers with."""

from __future__ import annotations

from importlib import import_module

from ..files import STANDARD_INPUT, reason_of, same_file, shown_path, tell
from ..json_text import MAX_BYTES
from ..report.escape import for_log
from ..report.model import Report
from .arguments import UsageError, add_json
from .commands import EXIT_CONFORMS, EXIT_FAILURE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any

#: Format -> its module in report/, with a function `render(report)` that gives bytes.
FORMATS = {
    "text": "text",
    "json": "json",
    "markdown": "markdown",
    "html": "html",
    "sarif": "sarif",
    "junit": "junit",
}


def add_format(parser: ArgumentParser) -> None:
    """--format, -o, and --json as a short form."""
    parser.add_argument(
        "--format", choices=tuple(FORMATS), help="how to write the report (default: text)"
    )
    add_json(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write the report to this file, whole or not at all"
    )


def prepare(options: Namespace, inputs: list[str]) -> None:
    """Settle the format and the output before anything is read or written.

    Raises `UsageError` for options that contradict each other, an output that
    is one of the inputs, and a format that needs what is not installed.
    """
    if options.json and options.format not in (None, "json"):
        raise UsageError(f"--json and --format {options.format} contradict each other")
    options.format = "json" if options.json else options.format or "text"
    if options.output == STANDARD_INPUT:
        raise UsageError("-o takes a file; without it the report goes to standard output")
    refuse_overwriting(options, inputs)
    try:
        _renderer(options.format)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("sobre"):
            raise
        reason = f"--format {options.format} needs {error.name}: pip install 'sobre[report]'"
        raise UsageError(reason) from None


def refuse_overwriting(options: Namespace, inputs: list[str]) -> None:
    """Raise `UsageError` if the report would be written over one of these files."""
    if options.output is None:
        return
    for path in inputs:
        if path != STANDARD_INPUT and same_file(options.output, path):
            shown = for_log(shown_path(path))
            raise UsageError(f"-o would write the report over {shown}")


def render(report: Report, options: Namespace) -> tuple[bytes, int]:
    """The report in the format that was asked for; status 0 only if it conforms.

    With an output file it is written there, and nothing is left to print.
    """
    status = EXIT_CONFORMS if report.conformant else EXIT_FAILURE
    data = _renderer(options.format)(report)
    if options.output is None:
        return data, status
    from ..files import write_atomically

    shown = for_log(shown_path(options.output))
    try:
        write_atomically(options.output, data)
    except (OSError, ValueError) as error:
        reason = f"the report cannot be written to {shown}: {reason_of(error)}"
        tell(f"sobre: {reason}\n")
        if options.format != "json":
            return b"", EXIT_FAILURE
        from ..contract.result import failure

        failed = failure("No report was written.", error=reason, error_code="report_write_failed")
        return (failed.to_json() + "\n").encode(), EXIT_FAILURE
    tell(f"sobre: {report.verdict.lower()}; the {options.format} report is in {shown}\n")
    return b"", status


def _renderer(name: str) -> Any:
    return import_module(f"...report.{FORMATS[name]}", __name__).render


def again(options: Namespace, command: str, **values: str | None) -> list[str]:
    """The command line that judges the same again: options with values, and then files."""
    words = ["sobre", command]
    if options.max_bytes != MAX_BYTES:
        words += ["--max-bytes", str(options.max_bytes)]
    for name, value in values.items():
        if value is not None:
            flag = "--" + name.replace("_", "-")
            words += [f"{flag}={value}"] if value.startswith("-") else [flag, value]
    return words


def operands(files: list[str]) -> list[str]:
    """Files as the last words of a command line, none of which is taken for an option."""
    dashed = any(file.startswith("-") and file != STANDARD_INPUT for file in files)
    return ["--", *files] if dashed else files
