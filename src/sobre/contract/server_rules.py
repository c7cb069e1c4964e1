"""The rows of the rule table about MCP servers that were asked (specification section 4).

A part of `RULES` in `rules.py`, which says what a row is. `server.*` is about
what a server does on the wire, `tool.*` about a tool as it is listed, `call.*`
about the answers of one tool.
"""

from __future__ import annotations

from . import VIOLATION, WARNING

#: rule id -> (severity, what it means, how to fix it)
SERVER_RULES: dict[str, tuple[str, str, str]] = {
    # On the wire
    "server.not_started": (
        VIOLATION,
        "The server cannot be reached: it does not start, or nobody listens at its URL.",
        "Check the command or the URL; no shell reads the command.",
    ),
    "server.ended": (
        VIOLATION,
        "The server ended, or closed its output, while it was being asked.",
        "See what it wrote to standard error; an error in one request must not end a server.",
    ),
    "server.no_answer": (
        VIOLATION,
        "The server did not answer a request in time.",
        "Answer each request; a tool that may take long needs a time limit of its own. "
        "Raise the limit with --timeout.",
    ),
    "server.revision": (
        VIOLATION,
        "The server speaks no revision of MCP that was asked for.",
        "Upgrade the server's SDK, or ask for the revision it speaks (--revision).",
    ),
    "server.answer": (
        VIOLATION,
        "An answer is not one that the protocol has for its request.",
        "Build answers with an MCP SDK of the revision.",
    ),
    "server.message": (
        VIOLATION,
        "A message is not strict JSON, so clients differ in what they read, if they read it.",
        "Write messages with a JSON library, one object each, with each member name once.",
    ),
    "server.stdout_noise": (
        VIOLATION,
        "Standard output holds something else than messages; clients refuse or misread it.",
        "Send logs, banners and what libraries print to standard error.",
    ),
    "server.foreign_id": (
        VIOLATION,
        "A response has an id that no request had, or had again.",
        "Answer each request once, with its own id, as the type it came in.",
    ),
    "server.flood": (
        VIOLATION,
        "The server sent more than the limit in force, so the rest was not read.",
        "Send less, in pages where the protocol has them. Raise the limit with --max-bytes.",
    ),
    "server.redirect": (
        VIOLATION,
        "The URL redirects to another origin, or in a way that loses the request.",
        "Give the URL that is meant; headers and calls are not carried elsewhere.",
    ),
    "server.http": (
        VIOLATION,
        "The HTTP response is none that the transport has: its status, type or encoding.",
        "Answer with application/json or text/event-stream, and errors as JSON-RPC errors.",
    ),
    "server.does_not_end": (
        WARNING,
        "The server goes on after its input was closed, so that clients must kill it.",
        "End when standard input ends.",
    ),
    "server.left_processes": (
        WARNING,
        "The server left processes running when it ended.",
        "End what was started before ending; clients end only the server itself.",
    ),
    "server.tools_order": (
        WARNING,
        "The same list of tools comes in another order when it is asked for again.",
        "Sort the tools, so that caches and prompts that hold the list stay valid.",
    ),
    "server.tools_pages": (
        VIOLATION,
        "The list of tools has no end: a cursor comes again, or there are too many pages.",
        "Leave `nextCursor` out on the last page, and give each page a cursor of its own.",
    ),
    # Tools as they are listed
    "tool.name.missing": (
        VIOLATION,
        "A tool has no name that is a string.",
        "Give each tool a name of its own.",
    ),
    "tool.name.form": (
        WARNING,
        "The name is not one that MCP recommends, so some clients refuse it.",
        "Use 1 to 128 of A-Z, a-z, 0-9, `_`, `-` and `.`, and no others.",
    ),
    "tool.name.duplicate": (
        VIOLATION,
        "Two tools have one name, so a call of it may reach either.",
        "Give each tool a name of its own.",
    ),
    "tool.missing": (
        VIOLATION,
        "The server lists no tool of the name that was asked for.",
        "Compare the name with the list, which the probe prints without --tool.",
    ),
    "tool.input_schema": (
        VIOLATION,
        'A tool\'s `inputSchema` is an object with `type: "object"`; clients refuse the list else.',
        'Publish {"type": "object"} for a tool without parameters.',
    ),
    "tool.schema.invalid": (
        VIOLATION,
        "The schema is not valid by its own dialect, so validators refuse it.",
        "Correct the keyword that is named; without `$schema` the dialect is 2020-12.",
    ),
    "tool.schema.dialect": (
        WARNING,
        "The schema names a dialect that common validators do not know.",
        "Leave `$schema` out, or name https://json-schema.org/draft/2020-12/schema.",
    ),
    "tool.schema.recursive": (
        WARNING,
        "The schema refers to itself; some clients cannot take such a schema, or never end.",
        "Describe as many levels as there are, or leave the inner ones open.",
    ),
    "tool.schema.failure_refused": (
        WARNING,
        "No plain failure is valid by the output schema, and many clients validate failures too.",
        "Ask for the fields of a success only where `success` is true: "
        "`sobre schema tool --domain FILE` prints that form.",
    ),
    "tool.schema.unchecked": (
        WARNING,
        "The schema could not be tried: a validator failed on it or took too long.",
        "Simplify its patterns and references; clients' validators meet the same.",
    ),
    # Answers of one tool
    "call.arguments": (
        WARNING,
        "The tool's own `inputSchema` refuses arguments that are meant to succeed.",
        "Correct the arguments of --success, or the schema.",
    ),
    "call.error_as_success": (
        WARNING,
        "The answer says in its text that something failed, and comes as a success.",
        "Set `isError: true` and say `success: false` in `structuredContent`.",
    ),
    "call.failure_succeeded": (
        VIOLATION,
        "The call that is meant to fail came back as a success.",
        "Report the failure with `isError: true`, or give arguments that fail (--failure).",
    ),
    "call.success_failed": (
        VIOLATION,
        "The call that is meant to succeed came back as a failure.",
        "Give arguments that succeed (--success), or mend the tool.",
    ),
    "call.output_schema": (
        VIOLATION,
        "The tool's own `outputSchema` refuses the structured content, and so do its clients.",
        "Correct the schema or what the tool returns, in failures too.",
    ),
    "call.output_unchecked": (
        WARNING,
        "The structured content could not be held against the tool's `outputSchema`.",
        "Simplify the schema's patterns and references; clients' validators meet the same.",
    ),
    "call.unknown_tool": (
        WARNING,
        "A call of a tool that does not exist came back as a result; MCP has an error for it.",
        "Answer with the JSON-RPC error -32602 where there is no such tool.",
    ),
    "call.secret_echoed": (
        VIOLATION,
        "The answer holds a value that the probe keeps secret, so it is not written or shown.",
        "Return no header and no environment variable of the server's to its clients.",
    ),
    "call.credential": (
        WARNING,
        "The answer holds what looks like a credential: look before you publish the evidence.",
        "Probe with arguments and accounts that show nothing secret.",
    ),
}
