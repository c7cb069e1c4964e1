"""Documents to start from, and what is found in one."""

from __future__ import annotations

from sobre.contract.check import check

#: A success and failures with every field of the contract, and a document without an outcome.
BASES = [
    {
        "success": True,
        "message": "Copied 3 files.",
        "details": {"path": "a"},
        "warnings": ["One was empty.", "Another too."],
        "meta": {
            "schema_version": 1,
            "command": "copy",
            "duration_ms": 2.5,
            "command_maturity": {"level": "stable"},
        },
        "output": [1, None],
    },
    {
        "success": False,
        "message": "No.",
        "error": "Path not found",
        "error_code": "path_not_found",
        "meta": {},
    },
    {"success": False, "message": "No.", "error": "Path not found", "warnings": []},
    {"success": False, "message": "No.", "error_code": "e"},
    {"message": "No outcome."},
]


def rules_and_pointers(document):
    """The findings of the core, without their words."""
    return [(finding.rule, finding.pointer) for finding in check(document)]
