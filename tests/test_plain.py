"""The quick reading of plain command lines gives what argparse gives, or leaves it to argparse."""

from __future__ import annotations

from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sobre.cli.arguments import HelpAsked, UsageError
from sobre.cli.commands import COMMANDS
from sobre.cli.parser import Parser
from sobre.cli.plain import Declared, NotPlain

QUICK = [name for name in COMMANDS if name not in ("probe", "schema", "wrap", "unwrap")]
VALUES = ["x", "-", "", "a b", "core", "mcp-2025-06-18", "text", "json", "iso", "full", "9", "-5"]
VALUES += ["0", "1.5", "--", "--json", "--jso", "-h", "--help", "--format=json", "-o", "-ofile"]


def words_of(name):
    """Words that mean something to a command, mixed with some that mean nothing."""
    declared = Declared(f"sobre {name}")
    import_module(f"sobre.cli.{COMMANDS[name][0]}").add_arguments(declared)
    return st.lists(st.sampled_from([*declared._options, *VALUES]), max_size=7)


@pytest.mark.parametrize("name", QUICK)
def test_both_ways_agree(name):
    module = import_module(f"sobre.cli.{COMMANDS[name][0]}")

    @settings(max_examples=150, deadline=None, derandomize=True)
    @given(words=words_of(name))
    def check(words):
        declared = Declared(f"sobre {name}")
        module.add_arguments(declared)
        try:
            quick = vars(declared.read(words))
        except NotPlain:
            return
        parser = Parser(f"sobre {name}")
        module.add_arguments(parser)
        assert vars(parser.read(words)) == quick

    check()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("validate", ["a.json"]),
        ("validate", ["a.json", "--json", "b.json"]),
        ("validate", ["--profile", "core", "-"]),
        ("evidence", ["--success", "a", "--failure", "b", "--report", "c"]),
        ("getCurrentDateTime", ["--output-format", "iso", "--json"]),
        ("readFile", ["--json", "a.txt"]),
    ],
)
def test_what_people_type_is_plain(name, words):
    declared = Declared(f"sobre {name}")
    import_module(f"sobre.cli.{COMMANDS[name][0]}").add_arguments(declared)
    assert declared.read(words)


@pytest.mark.parametrize("words", [["--help"], ["--bogus"], ["--profile"], ["--max-bytes", "x"]])
def test_everything_else_is_for_argparse(words):
    declared = Declared("sobre validate")
    module = import_module("sobre.cli.validate")
    module.add_arguments(declared)
    with pytest.raises(NotPlain):
        declared.read(words)
    parser = Parser("sobre validate")
    module.add_arguments(parser)
    with pytest.raises((UsageError, HelpAsked)):
        parser.read(words)
