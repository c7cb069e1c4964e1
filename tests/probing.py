"""Probing a server in a test, in a process of its own, as its users do."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

from command import document, run

SERVER = Path(__file__).parent / "odd_server.py"
CALL = ("--tool", "greet", "--success", '{"name": "Ada"}', "--failure", "{}")
#: One revision, for what does not depend on it.
ONE = ("--revision", "2025-11-25")


def stdio(*faults):
    """The options that probe the odd server over stdio."""
    return ("--stdio", shlex.join([sys.executable, str(SERVER), *faults]))


def probe(*words, **options):
    """The one document that a probe answers with."""
    return document(run("probe", "mcp", *words, "--json", **options))


def rules(found):
    """The rules of all findings."""
    return {finding["rule"] for finding in found["details"]["findings"]}


def message(found, rule):
    """The sentence of the first finding of a rule."""
    return next(one["message"] for one in found["details"]["findings"] if one["rule"] == rule)


def plain(value):
    return json.dumps(value)
