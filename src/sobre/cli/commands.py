"""The subcommands: name -> (module, one line for the overview)."""

from __future__ import annotations

#: The exit statuses of every command (specification section 5).
EXIT_CONFORMS, EXIT_FAILURE, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130

COMMANDS = {
    "validate": ("validate", "check documents against the contract"),
    "evidence": ("evidence", "judge a success and a failure and bind them into a receipt"),
    "verify": ("verify", "verify a receipt against the files it names"),
    "attest": ("attest", "state a receipt as an in-toto Statement for someone to sign"),
    "probe": ("probe", "run a command or ask an MCP server, and say if its answers can be trusted"),
    "wrap": ("wrap", "run any program and give its outcome as a result"),
    "unwrap": ("unwrap", "print a result's message or field; exit 0 only on success"),
    "schema": ("schema", "print a JSON Schema, compose one for a tool, compare two"),
    "vectors": ("vectors", "run the conformance vectors of the core against any validator"),
    "serve": ("serve", "the built-in operations as an MCP server"),
    "proxy": ("proxy", "an MCP server in front of another, that says what happened"),
    "operations": ("operations", "list the built-in operations, which are the commands below"),
    "getCurrentDateTime": ("operation", "the current local date and time"),
    "readFile": ("operation", "the text of a file"),
    "findFiles": ("operation", "find files and folders by name, size and age"),
    "getDiskSpace": ("operation", "how full the file systems are"),
    "listProcesses": ("operation", "the processes that run"),
    "checkDns": ("operation", "the records of a name in the domain name system"),
}
