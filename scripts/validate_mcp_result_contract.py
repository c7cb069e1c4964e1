#!/usr/bin/env python3
"""Check MCP tool results from a bare checkout: `sobre validate` with an MCP profile.

--spec-version names the protocol revision (default: 2026-07-28).
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "src"))

from sobre.cli import program


def profile_words(words: list[str]) -> list[str]:
    """The words of `sobre validate` for those of this script."""
    revision, rest, words = "2026-07-28", [], list(words)
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if word == "--":
            rest += [word, *words]
            break
        if name == "--spec-version" and (equals or words):
            revision = value if equals else words.pop(0)
        else:
            rest.append(word)
    return ["--profile", f"mcp-{revision}", *rest]


if __name__ == "__main__":
    program(["validate", *profile_words(sys.argv[1:])])
