"""Make the evidence of an MCP profile from real results of the package's own readFile.

    python scripts/make_mcp_evidence.py REVISION FOLDER

writes success.json, failure.json (a CallToolResult each) and
tool-definition.json into FOLDER. Nothing needs to be installed.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "src"))

from sobre.contract.compose import tool_output_schema
from sobre.contract.result import Result
from sobre.files import write_atomically
from sobre.json_write import pretty
from sobre.operations import operation
from sobre.profiles import PROFILES

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..")
READ_FILE = operation("readFile")
KINDS = {str: "string", int: "integer"}


def main(words: list[str]) -> int:
    if len(words) != 2 or words[0] not in filter(None, PROFILES.values()):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    revision, folder = words
    folder = os.path.abspath(folder)
    os.makedirs(folder, exist_ok=True)
    os.chdir(ROOT)  # so that the results name no place of this machine
    success = READ_FILE.run({"path": "action.yml"})
    failure = READ_FILE.run({"path": "missing.txt"})
    documents = {
        "success.json": tool_result(success, revision),
        "failure.json": tool_result(failure, revision),
        "tool-definition.json": tool_definition(),
    }
    for name, document in documents.items():
        write_atomically(os.path.join(folder, name), pretty(document))
    return 0


def tool_result(result: Result, revision: str) -> dict:
    """The CallToolResult that carries a result, as a revision has it."""
    answer = {
        "content": [{"type": "text", "text": result.to_json()}],
        "structuredContent": result.to_dict(),
        "isError": not result.success,
    }
    return {"resultType": "complete", **answer} if revision == "2026-07-28" else answer


def tool_definition() -> dict:
    """The operation as tools/list would give it."""
    return {
        "name": READ_FILE.name,
        "description": READ_FILE.summary,
        "inputSchema": {
            "type": "object",
            "properties": {
                one.name: {"type": KINDS[one.kind], "description": one.help}
                for one in READ_FILE.parameters
            },
            "required": [one.name for one in READ_FILE.parameters if one.required],
            "additionalProperties": False,
        },
        "outputSchema": tool_output_schema(),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
