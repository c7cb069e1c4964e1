"""`sobre schema`: the project's own JSON Schemas, output schemas of tools, and their changes."""

from __future__ import annotations

from ..contract.schemas import SCHEMAS, schema_bytes
from .arguments import UsageError, add_json
from .commands import EXIT_CONFORMS, EXIT_FAILURE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any


def add_arguments(parser: ArgumentParser) -> None:
    """contract, receipt, tool, operation, diff."""
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    for name, what in (("contract", "the contract"), ("receipt", "the receipt")):
        summary = f"the schema of {what}, as this project states it"
        kinds.add_parser(name, summary=summary, help=summary)
    summary = "an outputSchema for an MCP tool, ready to publish"
    tool = kinds.add_parser("tool", summary=summary, help=summary)
    tool.add_argument(
        "--domain", metavar="FILE", help="a JSON Schema for the fields of a success beside the core"
    )
    tool.add_argument(
        "--mode",
        choices=("ref", "allof", "structural"),
        default="ref",
        help="how it holds the contract (default: ref, bundled)",
    )
    summary = "the schema of the fields of an operation's success"
    fields = kinds.add_parser("operation", summary=summary, help=summary)
    fields.add_argument("name", metavar="NAME", help="as `sobre operations` lists it")
    summary = "what a schema's change does to consumers; exit status 1 if it breaks them"
    diff = kinds.add_parser("diff", summary=summary, help=summary)
    diff.add_argument("old", metavar="OLD", help="the schema, or tool definition, as it was")
    diff.add_argument("new", metavar="NEW", help="the schema, or tool definition, as it is now")
    add_json(diff)


def run(options: Namespace) -> tuple[bytes, int]:
    """Print the schema that was asked for, or the changes."""
    if options.kind in SCHEMAS:
        return schema_bytes(options.kind), EXIT_CONFORMS
    kinds = {"tool": _tool, "operation": _operation, "diff": _diff}
    return kinds[options.kind](options)


def _operation(options: Namespace) -> tuple[bytes, int]:
    from ..operations import OPERATIONS
    from ..operations.schemas import schema_bytes

    if options.name not in OPERATIONS:
        raise UsageError(
            f"there is no operation {options.name!a}; there are {', '.join(OPERATIONS)}"
        )
    return schema_bytes(options.name), EXIT_CONFORMS


def _tool(options: Namespace) -> tuple[bytes, int]:
    from ..contract.compose import DomainSchemaError, tool_output_schema
    from ..json_write import pretty

    domain = None if options.domain is None else _read_schema(options.domain)
    try:
        return pretty(tool_output_schema(domain, options.mode)), EXIT_CONFORMS
    except DomainSchemaError as error:
        from ..report.escape import for_terminal

        reason = for_terminal(str(error))
        raise UsageError(f"the domain schema {options.domain!a} cannot be used: {reason}") from None


def _diff(options: Namespace) -> tuple[bytes, int]:
    from ..contract.schema_diff import ADDITIVE, BREAKING, UNDECIDED, diff_schemas

    changes = diff_schemas(_schema(options.old), _schema(options.new))
    counts = {
        effect: sum(change.effect == effect for change in changes)
        for effect in (BREAKING, ADDITIVE, UNDECIDED)
    }
    breaks = counts[BREAKING] > 0
    told = ", ".join(f"{count} {effect}" for effect, count in counts.items() if count)
    message = f"{len(changes)} changes: {told}." if changes else "Nothing changed for consumers."
    message = message.replace("1 changes", "1 change", 1) if len(changes) == 1 else message
    status = EXIT_FAILURE if breaks else EXIT_CONFORMS
    if not options.json:
        from ..report.escape import for_log

        lines = [for_log(str(change)) for change in changes]
        return "".join(f"{line}\n" for line in [*lines, message]).encode(), status
    from ..contract.result import Result

    document: dict[str, Any] = {"success": not breaks, "message": message}
    if breaks:
        document["error_code"] = "breaking_change"
    document["warnings"] = [str(change) for change in changes if change.effect == UNDECIDED]
    document["details"] = {"counts": counts, "changes": [change.to_dict() for change in changes]}
    document["meta"] = {"command": "schema", "schema_version": 1}
    return (Result(document).to_json() + "\n").encode(), status


def _schema(path: str) -> Any:
    """The schema in a file: the document, or its `outputSchema` if it is a tool definition."""
    document = _read_schema(path)
    if isinstance(document, bool) or "name" not in document:
        return document
    if "inputSchema" not in document and "outputSchema" not in document:
        return document
    schema = document.get("outputSchema")
    if not isinstance(schema, (dict, bool)):
        found = "is neither an object nor a boolean" if "outputSchema" in document else "is missing"
        raise UsageError(f"the `outputSchema` of the tool definition {path!a} {found}")
    return schema


def _read_schema(path: str) -> dict[str, Any] | bool:
    from ..files import read_bounded, reason_of
    from ..json_text import DocumentError, read

    try:
        document = read(read_bounded(path))
    except OSError as error:
        raise UsageError(f"{path!a} cannot be read: {reason_of(error)}") from None
    except DocumentError as error:
        raise UsageError(f"{path!a} is not strict JSON: {error}") from None
    if not isinstance(document, (dict, bool)):
        raise UsageError(f"{path!a} holds no JSON Schema: it is neither an object nor a boolean")
    return document
