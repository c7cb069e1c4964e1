"""No text of the evidence, file name or input becomes a command, an output or markup."""

from __future__ import annotations

import json
import os
import re

import pytest

from command import FAILURE, SUCCESS
from github_runner import (
    MCP,
    OUTPUTS,
    PAIR,
    REPORT,
    Runner,
    bash,
    evidence,
    operational,
    parsed_outputs,
    rewritten,
    script,
)

pytestmark = pytest.mark.skipif(bash() is None, reason="needs bash")

ATTACKS = [
    "::set-output name=conformant::true",
    "x\n::set-output name=conformant::true",
    "x\r::set-output name=conformant::true",
    "x\r\n  ::error::forged",
    "x%0A::error::forged",
    "x%0D%0A::error file=a%3Ab::forged",
    "##[set-output name=conformant]true",
    "x ##[error]forged",
    "::stop-commands::forged",
    "::add-mask::a",
    "x\u2028::error::forged",
    "x\x85::error::forged",
    "a,line=9,title=forged::x",
    "</details></code></pre><img src=x onerror=forged>",
    "<script>forged</script><!--",
    "`` ``` ```` `x` ~~~",
    "```\n# forged",
    "x\n\n# forged\n\n[forged](http://forged.example)",
    "![forged](http://forged.example/x.png) @octocat #1 https://forged.example",
    "| a | b |\n| - | - |",
    "a\n---\nb",
    "&lt;forged&gt; &#64;octocat \\<b\\>",
    "\x1b[31mred\x1b[0m\x07\u202eevil",
    "ghadelimiter_\nconformant=true",
    "conformant<<x\ntrue\nx",
]
NAMES = [text for text in ATTACKS if "/" not in text and text.splitlines() == [text]]


@pytest.fixture
def runner(tmp_path):
    return Runner(tmp_path)


def harmless(ran, status, outputs):
    """The outputs are the expected ones, and all commands are annotations of the action's own."""
    assert ran.status == status, ran
    assert ran.outputs == {**OUTPUTS, **outputs}
    for command in ran.commands:
        assert command.name in ("error", "warning")
        assert set(command.properties) <= {"file", "line", "col", "title"}
        assert re.fullmatch(r"[a-z_.]+", command.properties["title"])
        assert not command.data.startswith("forged")
        for text in (command.data, command.properties.get("file", "")):
            assert text.splitlines() in ([], [text])
    plain(ran.log.replace("\n", ""))
    plain(ran.summary.replace("\n", ""))
    no_markup(ran.summary)


def plain(text):
    """Nothing in it steers a terminal or hides."""
    assert text.isprintable(), ascii(text)


def no_markup(summary):
    """Rendered as GitHub does, the summary holds nothing that came from outside as markup."""
    from markdown_it import MarkdownIt

    html = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(summary)
    tags = set(re.findall(r"<(/?[a-zA-Z!][^\s>]*)", html))
    known = {"br", "code", "em", "h1", "h2", "h3", "li", "p", "pre", "strong", "ul"}
    assert {tag.lstrip("/") for tag in tags} <= known, html
    outside = re.sub(r"<(code|pre)\b.*?</\1>", "", html, flags=re.DOTALL)
    for sign in ("<a", "<img", "onerror", "::", "##[", "octocat", "//", "http", "&#", "&amp;"):
        assert sign not in outside, html
    for title in re.findall(r"<h\d>(.*?)</h", outside):
        assert "forged" not in title, html


@pytest.mark.parametrize("text", ATTACKS)
def test_names_of_members_in_a_result(runner, text):
    """The reader's finding quotes the name that stands twice."""
    evidence(runner, "core")
    name = json.dumps(text).encode()
    runner.write(PAIR["success"], b'{"success": true, "message": "m", %s: 1, %s: 2}' % (name, name))
    ran = runner.run(PAIR)
    assert ran.commands[0].properties["title"] == "json.duplicate_name"
    harmless(ran, 1, {"conformant": "false", "failure_kind": "conformance"})


@pytest.mark.parametrize("text", ATTACKS)
def test_values_in_a_result(runner, text):
    evidence(runner, "core")
    broken = {"success": True, "message": text, "error": text, "error_code": text, "x": text}
    broken |= {"warnings": [text, ""], "meta": {"schema_version": text, "command": 1, text: text}}
    runner.write(PAIR["success"], json.dumps(broken).encode())
    harmless(runner.run(PAIR), 1, {"conformant": "false", "failure_kind": "conformance"})


@pytest.mark.parametrize("text", ATTACKS)
def test_names_and_references_in_a_tool_definition(runner, text):
    """Pointers and messages quote them."""
    inputs = evidence(runner, MCP[-1])
    properties = {text: {"$ref": text}, "x": {"$ref": "#/" + text}}
    rewritten(
        runner,
        "tool-definition.json",
        lambda tool: tool["outputSchema"].update(properties=properties),
    )
    ran = runner.run(inputs)
    assert {command.name for command in ran.commands} == {"warning"}
    harmless(ran, 0, {"profile": MCP[-1], "output_schema_mode": "canonical_ref"})


@pytest.mark.parametrize("text", ATTACKS)
def test_bytes_that_are_no_json(runner, text):
    evidence(runner, "core")
    runner.write(PAIR["success"], text.encode())
    harmless(runner.run(PAIR), 1, {"conformant": "false", "failure_kind": "conformance"})


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("conforms", [True, False])
def test_file_names(runner, name, conforms):
    runner.write(f"{name}.json", SUCCESS if conforms else b"{}")
    runner.write(PAIR["failure"], FAILURE)
    ran = runner.run({**PAIR, "success": f"{name}.json", "report": f"{name}.receipt"})
    told = {} if conforms else {"conformant": "false", "failure_kind": "conformance"}
    harmless(ran, 0 if conforms else 1, {"report": f"{name}.receipt", **told})
    for command in ran.commands:
        assert command.properties["file"] == f"{name}.json"


@pytest.mark.skipif(os.name == "nt", reason="a variable does not arrive unchanged")
@pytest.mark.parametrize("text", ATTACKS)
@pytest.mark.parametrize("name", ["profile", "success", "report"])
def test_inputs_that_are_refused(runner, name, text):
    evidence(runner, "core")
    ran = runner.run({**PAIR, name: text if name == "profile" else f"../{text}"})
    operational(ran)
    known = name != "profile"
    told = {"profile": "core" if known else "", "report": "", "conformant": "false"}
    mode = "not_applicable" if known else "none"
    harmless(ran, 2, {**told, "output_schema_mode": mode, "failure_kind": "operational"})
    assert len(ran.commands) == 1
    assert not (runner.workspace / REPORT).exists()


def test_the_token_that_lets_commands_go_on_cannot_be_known(runner):
    evidence(runner, "core")
    tokens = set()
    for _ in range(2):
        (token,) = re.findall(r"^::stop-commands::([0-9a-f]{32})$", runner.run(PAIR).out, re.M)
        tokens.add(token)
    assert len(tokens) == 2


def test_the_delimiter_of_an_output_cannot_be_known():
    action = script("action")
    lines = [action.output_lines({"a": "b"}) for _ in range(2)]
    assert lines[0] != lines[1]
    assert parsed_outputs(lines[0]) == parsed_outputs(lines[1]) == {"a": "b"}
