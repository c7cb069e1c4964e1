#!/usr/bin/env python3
"""Check MCP tool results from a bare checkout.

usage: validate_mcp_result_contract.py FILE... [--spec-version R] [--tool-definition F] [--json]

FILE is the answer of a tool, a whole JSON-RPC response or its result; - is
standard input. R is the protocol revision: 2025-06-18, 2025-11-25 or 2026-07-28
(default). F is the tool as tools/list gives it. Other options are those of
`sobre validate`. Exit status: 0 conforms, 1 does not, 2 wrong usage.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "src"))

from sobre.cli import program
from sobre.profiles import PROFILES

REVISIONS = [revision for revision in PROFILES.values() if revision]


def words_for_validate(words: list[str]) -> list[str]:
    """The words of `sobre validate` for those of this script."""
    revision, rest, words = REVISIONS[-1], [], list(words)
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if word == "--":
            rest += [word, *words]
            break
        if name in ("-h", "--help"):
            print(__doc__.strip())
            sys.exit(0)
        if name == "--profile":
            sys.exit(refuse("the revision is chosen by --spec-version, not by --profile"))
        if name == "--spec-version":
            revision = value if equals else words.pop(0) if words else ""
        else:
            rest.append(word)
    if revision not in REVISIONS:
        known = ", ".join(REVISIONS)
        sys.exit(refuse(f"--spec-version {revision!a} is none of {known}"))
    return ["--profile", f"mcp-{revision}", *rest]


def refuse(reason: str) -> int:
    """Say what is wrong with the command line, as a document too if one was asked for."""
    print(f"validate_mcp_result_contract.py: {reason}", file=sys.stderr)
    if "--json" in sys.argv:
        from sobre import failure

        print(failure(reason, error_code="usage_error").to_json())
    return 2


if __name__ == "__main__":
    program(["validate", *words_for_validate(sys.argv[1:])])
