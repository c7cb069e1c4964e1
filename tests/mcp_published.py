"""The JSON Schema that each revision of MCP publishes, and what of a wire message breaks it."""

from __future__ import annotations

import json
from functools import cache

import jsonschema

from command import execute
from node_packages import MCP, node

RESULTS = {
    "initialize": "InitializeResult",
    "server/discover": "DiscoverResult",
    "tools/call": "CallToolResult",
    "tools/list": "ListToolsResult",
}


@cache
def _schemas():
    done = execute([node(MCP), str(MCP / "schemas.mjs")])
    assert done.status == 0, done.err
    return json.loads(done.out)


def faults(revision, exchange):
    """What the revision's schema says against the answer to a request; skips without Node."""
    schema = _schemas()[revision]
    place = "$defs" if "$defs" in schema else "definitions"
    answer = json.loads(exchange.response)
    if "error" in answer:
        kinds = [("JSONRPCErrorResponse", "JSONRPCError")]
    else:
        kinds = [
            ("JSONRPCResultResponse", "JSONRPCResponse"),
            (RESULTS[exchange.request["method"]],),
        ]
    found = []
    for names in kinds:
        name = next(name for name in names if name in schema[place])
        validator = jsonschema.validators.validator_for(schema)(
            {**schema, "$ref": f"#/{place}/{name}"}
        )
        value = answer if name.startswith("JSONRPC") else answer["result"]
        found += [
            f"{name}: {error.json_path}: {error.message}" for error in validator.iter_errors(value)
        ]
    return found
