"""docs/adopting.md: what it tells people to copy does what it says."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from command import posix, shell
from command import run as sobre
from github_runner import ACTION, ROOT, Runner, bash
from sobre import check, read
from sobre.profiles import PROFILES

TEXT = (ROOT / "docs" / "adopting.md").read_text(encoding="utf-8")
#: What step 1 of the page asks for, as a program.
TOOL = """#!/bin/sh
if [ -e "$2" ]; then echo '{}'; else echo "not there" >&2; echo '{}'; exit 1; fi
"""


def blocks(kind):
    """The code blocks of a kind, in their order."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture
def runner(tmp_path):
    """A workspace with a program that prints the page's two objects."""
    runner = Runner(tmp_path)
    success, failure = blocks("json")
    lines = [json.dumps(read(text.encode())) for text in (success, failure)]
    runner.write("your-tool", TOOL.format(*lines).encode())
    (runner.workspace / "your-tool").chmod(0o755)
    runner.write("README.md", b"")
    return runner


def configurations():
    """The blocks of YAML: the workflow, the inputs for MCP, and pre-commit's."""
    workflow, mcp, hooks = map(yaml.safe_load, blocks("yaml"))
    return workflow, mcp["with"], hooks


def steps():
    """The steps of the workflow."""
    return configurations()[0]["jobs"]["evidence"]["steps"]


def test_the_two_objects_conform():
    documents = [read(text.encode()) for text in blocks("json")]
    assert [check(document) for document in documents] == [[], []]
    assert [document["success"] for document in documents] == [True, False]


@posix
@pytest.mark.skipif(bash() is None, reason="needs bash")
def test_the_workflow_from_the_first_step_to_the_review(runner):
    _, save, judge, _ = steps()
    done = shell(save["run"], program="bash", cwd=runner.workspace)
    assert (done.status, done.out) == (0, b"")
    ran = runner.run(judge["with"])
    assert (ran.status, ran.outputs["report"]) == (0, judge["with"]["report"])
    layout = re.findall(r"^  (\S+)", blocks("text")[0], re.MULTILINE)
    found = {path.name for path in (runner.workspace / "evidence").iterdir()}
    assert set(layout) == found | {"tool-definition.json"}
    (words,) = re.findall(r"-m sobre (verify .*)", TEXT)
    verified = sobre(*words.split(), cwd=runner.workspace)
    assert verified.status == 0
    assert verified.out.count(b"  yes ") == 4


@posix
@pytest.mark.skipif(bash() is None, reason="needs bash")
def test_the_commands_to_type(runner):
    save, validate, _ = blocks("sh")
    assert save == steps()[1]["run"]
    assert shell(save, cwd=runner.workspace).status == 0
    line = validate.replace("../sobre/src", str(ROOT / "src"))
    assert shell(line, cwd=runner.workspace).status == 0


@posix
def test_a_tool_that_crashes_is_no_failure_of_its_own(runner):
    runner.write("your-tool", TOOL.replace("exit 1", "exit 3").encode())
    assert shell(f"set -e\n{blocks('sh')[0]}", cwd=runner.workspace).status != 0


def test_the_workflow_keeps_the_receipt_when_conformance_fails():
    kept = steps()[-1]
    assert kept["if"] == "always()"
    assert steps()[2]["with"]["report"].startswith(kept["with"]["path"])


def test_the_workflow_pins_what_this_repository_pins():
    ours = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    pins = re.findall(r"uses: (actions/.*)", TEXT)
    assert len(pins) == 2
    for pin in pins:
        assert f"uses: {pin}\n" in ours
    assert steps()[2]["uses"] == "OWNER/sobre@COMMIT-SHA"


def test_inputs_and_outputs_are_those_of_the_action():
    mcp = configurations()[1]
    assert set(steps()[2]["with"]) < set(mcp) == set(ACTION["inputs"])
    assert mcp["profile"] in PROFILES
    named = set(re.findall(r"`(\w+)`", TEXT)) & set(ACTION["outputs"])
    assert named >= {"failure_kind", "conformant", "report", "profile", "output_schema_mode"}


def test_the_pre_commit_configuration_names_a_hook_and_the_evidence():
    (repository,) = configurations()[2]["repos"]
    (hook,) = repository["hooks"]
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["id"] in [one["id"] for one in hooks]
    evidence = ["success.json", "failure.json", "tool-definition.json"]
    matched = [bool(re.search(hook["files"], f"evidence/{name}")) for name in evidence]
    assert matched == [True, True, False]
