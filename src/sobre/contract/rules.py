"""The table of rules: what each one refuses or warns of, and how to fix it.

A rule id is stable: reports, receipts and vectors name it. The code that finds
a rule broken carries the id as a literal, so one search leads from a report to
the code and to this table.
"""

from __future__ import annotations

from . import VIOLATION as VIOLATION
from . import WARNING as WARNING
from .command_rules import COMMAND_RULES
from .server_rules import SERVER_RULES

#: rule id -> (severity, what it means, how to fix it)
RULES: dict[str, tuple[str, str, str]] = {
    # Reading JSON (specification section 1)
    "json.empty": (
        VIOLATION,
        "There are no bytes to read, or only white space.",
        "Write one JSON object; an empty output says nothing about the outcome.",
    ),
    "json.encoding": (
        VIOLATION,
        "The bytes are not UTF-8.",
        "Write UTF-8. On Windows PowerShell, redirect with an explicit UTF-8 encoding.",
    ),
    "json.byte_order_mark": (
        WARNING,
        "The text begins with a UTF-8 byte order mark, which many JSON readers refuse.",
        "Write UTF-8 without a byte order mark.",
    ),
    "json.syntax": (
        VIOLATION,
        "The text is not JSON as RFC 8259 defines it.",
        "Write the document with a JSON library rather than by joining strings.",
    ),
    "json.trailing_data": (
        VIOLATION,
        "Something follows the first JSON value.",
        "Write exactly one document; send logs and progress to standard error.",
    ),
    "json.duplicate_name": (
        VIOLATION,
        "One object holds the same member name twice, so readers may disagree on its value.",
        "Give each member of an object its own name.",
    ),
    "json.non_finite_number": (
        VIOLATION,
        "NaN, Infinity and -Infinity are not JSON numbers.",
        "Leave the member out, or say it with a string or a field of its own.",
    ),
    "json.number_range": (
        VIOLATION,
        "The number is larger than any IEEE 754 double, so most readers cannot hold it.",
        "Write so large a number as a string.",
    ),
    "json.unpaired_surrogate": (
        VIOLATION,
        "A \\uD800-\\uDFFF escape stands without its partner, so the text is not Unicode.",
        "Write whole characters, or replace the broken one with U+FFFD.",
    ),
    "json.depth": (
        VIOLATION,
        "Values are nested deeper than 512 levels.",
        "Flatten the document, or refer to deep parts by name.",
    ),
    "json.size": (
        VIOLATION,
        "The document is larger than the limit in force.",
        "Write less, put bulk data in a file and name it, or raise the limit (--max-bytes).",
    ),
    # The core (section 2)
    "core.type": (
        VIOLATION,
        "A result is one JSON object.",
        'Wrap the value: {"success": true, "message": "...", "output": ...}.',
    ),
    "core.success.missing": (
        VIOLATION,
        "`success` is required.",
        "Say the outcome: true only if the operation completed successfully.",
    ),
    "core.success.type": (
        VIOLATION,
        "`success` is a boolean.",
        "Write true or false, not a string, a number or null.",
    ),
    "core.message.missing": (
        VIOLATION,
        "`message` is required.",
        "Add one sentence that tells a person the whole outcome.",
    ),
    "core.message.type": (
        VIOLATION,
        "`message` is a string.",
        "Write text; structured data belongs in `details` or a field of its own.",
    ),
    "core.message.blank": (
        VIOLATION,
        "`message` needs at least one character that is not white space.",
        "Add one sentence that tells a person the whole outcome.",
    ),
    "core.error.type": (
        VIOLATION,
        "`error` is a string.",
        "Write the failure as text; put a structured error in `details`.",
    ),
    "core.error.blank": (
        VIOLATION,
        "`error` needs at least one character that is not white space.",
        "Describe the failure, or leave `error` out and give `error_code`.",
    ),
    "core.error_code.type": (
        VIOLATION,
        "`error_code` is a string.",
        "Name the failure in words, such as path_not_found; a number belongs in `details`.",
    ),
    "core.error_code.pattern": (
        VIOLATION,
        "`error_code` begins with a-z and goes on with a-z, 0-9 and _ alone.",
        "Write it in snake_case ASCII, such as path_not_found.",
    ),
    "core.details.type": (
        VIOLATION,
        "`details` is an object.",
        "Give each detail a name, or leave `details` out.",
    ),
    "core.warnings.type": (
        VIOLATION,
        "`warnings` is an array of strings.",
        "Write an array, even for one warning; leave it out or empty if there is none.",
    ),
    "core.warnings.item.type": (
        VIOLATION,
        "Each warning is a string.",
        "Write each warning as a sentence.",
    ),
    "core.warnings.item.blank": (
        VIOLATION,
        "Each warning needs at least one character that is not white space.",
        "Leave blank warnings out.",
    ),
    "core.warnings.more": (
        WARNING,
        "`warnings` has so many items that are wrong that the others were not looked at.",
        "Put right what was found, and look again.",
    ),
    "core.meta.type": (
        VIOLATION,
        "`meta` is an object.",
        "Give each piece of metadata a name, or leave `meta` out.",
    ),
    "core.meta.schema_version": (
        VIOLATION,
        "`meta.schema_version` is the number 1.",
        "Write 1 as a number, or leave it out.",
    ),
    "core.meta.command.type": (
        VIOLATION,
        "`meta.command` is a string.",
        "Write the command's name as text, or leave it out.",
    ),
    "core.meta.command.blank": (
        VIOLATION,
        "`meta.command` needs at least one character that is not white space.",
        "Write the command's name, or leave it out.",
    ),
    "core.meta.duration_ms.type": (
        VIOLATION,
        "`meta.duration_ms` is a number.",
        "Write milliseconds as a number, or leave it out.",
    ),
    "core.meta.duration_ms.negative": (
        VIOLATION,
        "`meta.duration_ms` is not below 0.",
        "Measure with a monotonic clock; the wall clock can run backwards.",
    ),
    "core.meta.command_maturity.type": (
        VIOLATION,
        "`meta.command_maturity` is an object.",
        "Write an object, or leave it out.",
    ),
    "core.failure.unexplained": (
        VIOLATION,
        "A failure needs `error` or `error_code`.",
        "Add a stable `error_code`, an `error` text, or both.",
    ),
    "core.success.error": (
        VIOLATION,
        "A success may not carry `error`, whatever its value.",
        "Leave `error` out of a success; use `warnings` for what was not fatal.",
    ),
    "core.success.error_code": (
        VIOLATION,
        "A success may not carry `error_code`, whatever its value.",
        "Leave `error_code` out of a success; use `warnings` for what was not fatal.",
    ),
    "core.whitespace_portability": (
        WARNING,
        "The text has only characters on whose blankness implementations disagree.",
        "Write visible text.",
    ),
    # Python values on their way into a result
    "produce.type": (
        VIOLATION,
        "The value has no lossless, expected form in JSON.",
        "Convert it yourself: sort a set into a list, encode bytes, choose a unit for a duration.",
    ),
    "produce.name": (
        VIOLATION,
        "The names of an object's members are strings.",
        "Convert each key to the text that its consumers should see.",
    ),
    "produce.cycle": (
        VIOLATION,
        "The value contains itself.",
        "Refer to the outer value by a name or an id.",
    ),
    "produce.reserved_name": (
        VIOLATION,
        "The field's name belongs to the core of the contract.",
        "Give a domain field another name.",
    ),
    # The MCP profiles (section 4)
    "mcp.envelope.type": (
        VIOLATION,
        "MCP evidence is a CallToolResult or a whole JSON-RPC response: an object.",
        "Save the response to tools/call, or its `result`.",
    ),
    "mcp.envelope.jsonrpc": (
        VIOLATION,
        'A JSON-RPC response has `jsonrpc: "2.0"`.',
        "Save the whole response as it came, or its `result` alone.",
    ),
    "mcp.envelope.id": (
        VIOLATION,
        "The `id` of a JSON-RPC response is a string or an integer.",
        "Save the whole response as it came, or its `result` alone.",
    ),
    "mcp.envelope.outcome": (
        VIOLATION,
        "A JSON-RPC response has exactly one of `result` and `error`.",
        "Save the whole response as it came.",
    ),
    "mcp.envelope.result": (
        VIOLATION,
        "The `result` of a call is an object.",
        "Save the response to tools/call.",
    ),
    "mcp.protocol_error": (
        VIOLATION,
        "A JSON-RPC error is no completed result, so it says nothing of the tool's outcome.",
        "Return tool failures as results with `isError: true`; keep errors for the protocol.",
    ),
    "mcp.result_type.missing": (
        VIOLATION,
        'In 2026-07-28 every result has `resultType`; a completed one says "complete".',
        "Keep `resultType` as the server sent it; upgrade the server's SDK if it sends none.",
    ),
    "mcp.result_type.value": (
        VIOLATION,
        'The `resultType` of a completed result is "complete".',
        "Save the answer that completes the call.",
    ),
    "mcp.result_type.input_required": (
        VIOLATION,
        "An answer that asks for input is an interim one: the call has no result yet.",
        "Give the input that is asked for and save the answer that completes the call.",
    ),
    "mcp.structured_content.missing": (
        VIOLATION,
        "The contract object stands in `structuredContent`.",
        "Return the result as structured content, in failures too.",
    ),
    "mcp.content.missing": (
        VIOLATION,
        "A tool result has `content`.",
        "Send an array, with a text block of the same JSON for older clients.",
    ),
    "mcp.content.type": (
        VIOLATION,
        "`content` is an array.",
        "Send an array, even for one block.",
    ),
    "mcp.is_error.type": (
        VIOLATION,
        "`isError` is a boolean.",
        "Write true or false, not a string, a number or null.",
    ),
    "mcp.is_error.mismatch": (
        VIOLATION,
        "`isError` (false if absent) is the opposite of `success`.",
        "Set `isError: true` in every failure, and leave it out or false in a success.",
    ),
    "mcp.text.mismatch": (
        WARNING,
        "No text block holds the same JSON value as `structuredContent`.",
        "Serialize the structured content into one text block for clients that read text alone.",
    ),
    "mcp.tool_definition.type": (
        VIOLATION,
        "A tool definition is an object.",
        "Save one tool of the answer to tools/list.",
    ),
    "mcp.output_schema.missing": (
        VIOLATION,
        "The tool definition has no `outputSchema`.",
        "Publish one: `sobre schema tool` prints it.",
    ),
    "mcp.output_schema.type": (
        VIOLATION,
        "`outputSchema` is an object.",
        "Publish a schema object: `sobre schema tool` prints one.",
    ),
    "mcp.output_schema.none": (
        VIOLATION,
        "The output schema neither refers to the contract nor holds its core.",
        "Publish what `sobre schema tool` prints, with your own fields by --domain.",
    ),
    "mcp.output_schema.shadowed_id": (
        VIOLATION,
        "A schema that is not the contract takes its URL as `$id` and captures the reference.",
        "Embed the contract schema unchanged: `sobre schema tool` prints it so.",
    ),
    "mcp.output_schema.structural": (
        WARNING,
        "The output schema restates a part of the contract, which is the weaker form.",
        "Refer to the contract instead: `sobre schema tool` prints that form.",
    ),
    "mcp.output_schema.superseded": (
        WARNING,
        "The output schema holds an earlier form of the contract schema.",
        "Replace it by the form in force: `sobre schema tool` prints it.",
    ),
    "mcp.client.root_type": (
        WARNING,
        'Official clients refuse a tool whose output schema has no `type: "object"` at its root.',
        'Add `type: "object"`; it changes nothing else.',
    ),
    "mcp.client.unresolved_ref": (
        WARNING,
        "Official clients fail on a reference that does not resolve inside the schema.",
        "Bundle what is referred to under `$defs`: `sobre schema tool` prints that form.",
    ),
    **COMMAND_RULES,
    **SERVER_RULES,
    # Evidence (section 5)
    "evidence.tool_definition.missing": (
        VIOLATION,
        "Evidence for an MCP profile has the tool's definition.",
        "Save the tool from the answer to tools/list and pass it with --tool-definition.",
    ),
    "evidence.unreadable": (
        VIOLATION,
        "The evidence file cannot be read.",
        "Check the path and its permissions, and that it is a file.",
    ),
    "evidence.success_case.outcome": (
        VIOLATION,
        "The success evidence must say `success: true`.",
        "Save the output of a run that succeeded; the two files may be swapped.",
    ),
    "evidence.failure_case.outcome": (
        VIOLATION,
        "The failure evidence must say `success: false`.",
        "Save the output of a run that failed; the two files may be swapped.",
    ),
    "evidence.receipt.schema": (
        VIOLATION,
        "The receipt is not what the receipt schema describes.",
        "Write it again with `sobre evidence`; receipts are not edited by hand.",
    ),
    "evidence.tool_definition.ignored": (
        WARNING,
        "The core profile has no use for a tool definition.",
        "Leave it out, or choose the MCP profile of the revision the tool speaks.",
    ),
}


def severity(rule: str) -> str:
    """`violation` or `warning`. A rule that is not in the table is a violation."""
    return RULES[rule][0] if rule in RULES else VIOLATION


def meaning(rule: str) -> str:
    """What the rule refuses or warns of, in a sentence; empty if it is not in the table."""
    return RULES[rule][1] if rule in RULES else ""


def fix(rule: str) -> str:
    """How to fix what breaks the rule, in a sentence; empty if it is not in the table."""
    return RULES[rule][2] if rule in RULES else ""
