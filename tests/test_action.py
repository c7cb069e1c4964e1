"""The Action: what it answers, by running the `run:` lines of action.yml under bash."""

from __future__ import annotations

import json
import os
import re
import sys

import jsonschema
import pytest
import yaml

from command import posix, powerless
from command import run as sobre
from github_runner import (
    ACTION,
    MCP,
    OUTPUTS,
    PAIR,
    REPORT,
    ROOT,
    TOOL,
    Runner,
    bash,
    evidence,
    operational,
    parsed_outputs,
    rewritten,
    script,
)
from sobre import check
from sobre.contract.check import MAX_ITEM_FINDINGS
from sobre.contract.schemas import schema
from sobre.profiles import PROFILES

pytestmark = pytest.mark.skipif(bash() is None, reason="needs bash")


@pytest.fixture
def runner(tmp_path):
    return Runner(tmp_path)


# -- verdicts --------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
def test_a_pair_that_conforms(runner, profile):
    ran = runner.run(evidence(runner, profile))
    mode = "not_applicable" if profile == "core" else "canonical_ref"
    assert ran.outputs == {**OUTPUTS, "profile": profile, "output_schema_mode": mode}
    assert (ran.status, ran.commands, ran.stderr) == (0, [], "")
    assert ran.summary.startswith(f"# PASS: QZX Result Contract v1, {profile} profile\n")
    receipt = runner.receipt()
    jsonschema.Draft202012Validator(schema("receipt")).validate(receipt)
    assert check(receipt) == []
    assert [case["file"] for case in receipt["details"]["cases"]] == list(PAIR.values())
    assert sobre("verify", REPORT, cwd=runner.workspace).status == 0
    assert sobre("verify", REPORT, "--root", ".", cwd=runner.workspace).status == 0


@pytest.mark.parametrize("profile", PROFILES)
def test_a_pair_that_does_not_conform(runner, profile):
    inputs = evidence(runner, profile)
    if profile == "core":
        runner.write(PAIR["failure"], b'{"success": false, "error": "e",\n "message": " "}')
        place = {"line": "2", "col": "13"}
    else:
        rewritten(runner, "failure.json", lambda answer: answer.update(isError=False))
        place = {"line": "1"}
    ran = runner.run(inputs)
    mode = "not_applicable" if profile == "core" else "canonical_ref"
    told = {"conformant": "false", "failure_kind": "conformance", "output_schema_mode": mode}
    assert ran.outputs == {**OUTPUTS, "profile": profile, **told}
    assert ran.status == 1
    assert ran.summary.startswith(f"# FAIL: QZX Result Contract v1, {profile} profile\n")
    assert {command.name for command in ran.commands} == {"error"}
    for command in ran.commands:
        assert command.properties["file"] == PAIR["failure"]
        assert place.items() <= command.properties.items()
        assert command.data.startswith(command.properties["title"] + " at ")
    assert runner.receipt()["error_code"] == "conformance_failed"
    assert sobre("verify", REPORT, "--allow-nonconformant", cwd=runner.workspace).status == 0


@pytest.mark.parametrize("missing", ["success", "failure", "tool-definition"])
def test_a_file_that_is_missing_does_not_conform(runner, missing):
    inputs = evidence(runner, MCP[0])
    (runner.workspace / inputs[missing]).unlink()
    ran = runner.run(inputs)
    assert ran.status == 1
    assert ran.outputs["failure_kind"] == "conformance"
    assert (ran.outputs["output_schema_mode"] == "none") is (missing == "tool-definition")
    assert len(ran.errors) >= 1
    assert runner.receipt()["success"] is False


def test_a_folder_as_evidence_does_not_conform(runner):
    evidence(runner, "core")
    ran = runner.run({**PAIR, "success": "evidence"})
    assert (ran.status, ran.outputs["failure_kind"]) == (1, "conformance")


def test_a_swapped_pair_does_not_conform(runner):
    evidence(runner, "core")
    ran = runner.run({"success": PAIR["failure"], "failure": PAIR["success"]})
    assert (ran.status, ran.outputs["conformant"]) == (1, "false")
    titles = [command.properties["title"] for command in ran.commands]
    assert titles == ["evidence.success_case.outcome", "evidence.failure_case.outcome"]


@pytest.mark.parametrize("profile", MCP)
def test_an_mcp_profile_needs_the_tool_definition(runner, profile):
    evidence(runner, profile)
    ran = runner.run({**PAIR, "profile": profile})
    told = (ran.status, ran.outputs["output_schema_mode"], ran.outputs["failure_kind"])
    assert told == (1, "none", "conformance")
    assert len(ran.errors) == 1
    assert ran.errors[0].startswith("evidence.tool_definition.missing")


@pytest.mark.parametrize(
    ("output_schema", "mode"),
    [
        (schema("contract"), None),
        ({"type": "object"}, "none"),
        ({"$ref": schema("contract")["$id"]}, "canonical_ref"),
        ({"type": "object", "allOf": [{"$ref": schema("contract")["$id"]}]}, "canonical_allof"),
    ],
    ids=["structural", "none", "ref", "allof"],
)
def test_the_output_schema_mode(runner, output_schema, mode):
    inputs = evidence(runner, MCP[-1])
    rewritten(runner, "tool-definition.json", lambda tool: tool.update(outputSchema=output_schema))
    ran = runner.run(inputs)
    facts = runner.receipt()["details"]["cases"][0]["profile_facts"]
    assert ran.outputs["output_schema_mode"] == (facts["output_schema_mode"] or "none")
    assert mode is None or ran.outputs["output_schema_mode"] == mode
    assert ran.status == (mode == "none")
    assert {command.properties["file"] for command in ran.commands} == {TOOL["tool-definition"]}


def test_core_ignores_a_tool_definition_with_a_warning(runner):
    evidence(runner, "core")
    ran = runner.run({**PAIR, **TOOL})
    assert (ran.status, ran.outputs) == (0, OUTPUTS)
    assert [command.name for command in ran.commands] == ["warning"]


def test_the_same_evidence_gives_the_same_receipt(runner):
    evidence(runner, "core")
    receipts = []
    for report in ("one.json", "two.json"):
        assert runner.run({**PAIR, "report": report}).outputs["report"] == report
        receipts.append((runner.workspace / report).read_bytes())
    assert receipts[0] == receipts[1]


# -- what cannot be done -----------------------------------------------------------


@pytest.mark.parametrize("profile", ["", "mcp", "Core", "core\n", "core::", "2026-07-28"])
def test_a_profile_that_does_not_exist(runner, profile):
    evidence(runner, "core")
    ran = runner.run({**PAIR, "profile": profile})
    assert "core, mcp-2025-06-18, mcp-2025-11-25, mcp-2026-07-28" in operational(ran)
    assert (ran.outputs["profile"], ran.outputs["output_schema_mode"]) == ("", "none")
    assert not (runner.workspace / REPORT).exists()


@posix
@pytest.mark.parametrize("profile", ["core", MCP[0]])
def test_a_workspace_that_cannot_be_written(runner, profile):
    inputs = evidence(runner, profile)
    runner.workspace.chmod(0o555)
    try:
        ran = runner.run(inputs, **powerless())
    finally:
        runner.workspace.chmod(0o755)
    assert "permission denied" in operational(ran)
    assert ran.outputs["profile"] == profile
    assert sorted(os.listdir(runner.workspace)) == ["evidence"]


def test_no_workspace(runner):
    evidence(runner, "core")
    assert "GITHUB_WORKSPACE" in operational(runner.run(PAIR, {"GITHUB_WORKSPACE": ""}))
    gone = str(runner.workspace / "gone")
    assert "cannot be entered" in operational(runner.run(PAIR, {"GITHUB_WORKSPACE": gone}))


def test_outputs_that_cannot_be_written_fail_the_job(runner):
    evidence(runner, "core")
    ran = runner.run(PAIR, {"GITHUB_OUTPUT": str(runner.workspace)})
    assert (ran.status, ran.outputs) == (2, {})
    assert "GITHUB_OUTPUT" in ran.stderr


def test_a_summary_that_cannot_be_written_changes_no_verdict(runner):
    evidence(runner, "core")
    ran = runner.run(PAIR, {"GITHUB_STEP_SUMMARY": str(runner.workspace)})
    assert (ran.status, ran.outputs) == (0, OUTPUTS)
    assert "GITHUB_STEP_SUMMARY" in ran.stderr


def test_without_files_for_outputs_and_summary_the_verdict_stands(runner):
    evidence(runner, "core")
    ran = runner.run(PAIR, {"GITHUB_OUTPUT": "", "GITHUB_STEP_SUMMARY": ""})
    assert (ran.status, ran.outputs, ran.summary) == (0, {}, "")


@pytest.mark.parametrize("broken", ["judge_pair", "render_markdown"])
def test_an_unexpected_error_is_operational(runner, monkeypatch, capfdbinary, broken):
    action = script("action")
    evidence(runner, "core")
    monkeypatch.chdir(runner.workspace)
    output = runner.write("output", b"", runner.temp)
    names = {"PROFILE": "core", **{name.upper(): path for name, path in PAIR.items()}}
    for name, value in {**names, "REPORT": REPORT}.items():
        monkeypatch.setenv(f"SOBRE_{name}", value)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(runner.workspace))
    monkeypatch.setenv("GITHUB_OUTPUT", str(output))
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)

    def fail(*words):
        raise RuntimeError("::error::%0A\nbroken")

    monkeypatch.setattr(action, broken, fail)
    assert action.main() == 2
    sys.stdout.flush()
    out = capfdbinary.readouterr().out.decode()
    assert out.count("\n") == 1
    assert out.startswith("::error title=sobre::unexpected RuntimeError: ::error::%250A\\nbroken")
    written = broken == "render_markdown"
    told = {"report": REPORT if written else "", "conformant": "false"}
    outputs = parsed_outputs(output.read_text(encoding="utf-8"))
    assert outputs == {**OUTPUTS, **told, "failure_kind": "operational"}
    assert (runner.workspace / REPORT).exists() is written
    assert ("No receipt was written" in out) is not written


# -- bounds ------------------------------------------------------------------------


def test_many_findings_are_shown_in_part(runner):
    evidence(runner, "core")
    many = {"success": True, "message": "\u0085", "warnings": [1] * 20_000}
    runner.write(PAIR["success"], json.dumps(many).encode())
    ran = runner.run(PAIR)
    assert ran.status == 1
    assert len(ran.errors) == 50
    assert "and 952 more" in ran.summary
    assert len(ran.summary) < 100_000
    assert len(runner.receipt()["details"]["cases"][0]["violations"]) == MAX_ITEM_FINDINGS


def test_the_summary_is_never_larger_than_github_takes(runner):
    inputs = evidence(runner, MCP[0])
    long = "\U0001f4e8" * 60_000
    schemas = {f"{long}{number}": {"$ref": f"#/{long}"} for number in range(60)}
    rewritten(
        runner, "tool-definition.json", lambda tool: tool["outputSchema"].update(properties=schemas)
    )
    broken = {"content": [], "structuredContent": {"success": long, "warnings": [long, ""] * 60}}
    for path in PAIR.values():
        runner.write(path, json.dumps(broken, ensure_ascii=False).encode())
    ran = runner.run(inputs)
    assert ran.status == 1
    assert 10_000 < len(ran.summary.encode()) < 1024 * 1024
    assert all(len(command.data) < 3000 for command in ran.commands)


# -- action.yml and the workflow -----------------------------------------------------


def test_inputs_reach_the_shell_as_variables_only():
    runs = [step for step in ACTION["runs"]["steps"] if "run" in step]
    assert runs
    for step in runs:
        assert "${{" not in step["run"]
    declared = {match for step in runs for match in re.findall(r"inputs\.([\w-]+)", str(step))}
    assert declared == set(ACTION["inputs"])


def test_every_output_is_one_that_the_step_sets():
    values = {name: output["value"] for name, output in ACTION["outputs"].items()}
    assert values == {name: f"${{{{ steps.judge.outputs.{name} }}}}" for name in OUTPUTS}


def test_every_action_is_pinned_and_python_is_3_13():
    setup, _ = ACTION["runs"]["steps"]
    assert setup["with"]["python-version"] == "3.13"
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    for text in (workflow, (ROOT / "action.yml").read_text(encoding="utf-8")):
        for used in re.findall(r"uses: (.*)", text):
            assert used == "./" or re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used)
    assert f"uses: {setup['uses']} #" in workflow


def test_the_workflow_uses_the_action_for_every_profile_and_keeps_the_evidence():
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    profiles = set()
    for job in yaml.safe_load(text)["jobs"].values():
        (used,) = [step for step in job["steps"] if step.get("uses") == "./"] or [None]
        if used is None:
            continue
        assert set(used["with"]) <= set(ACTION["inputs"])
        folder = os.path.dirname(used["with"]["report"])
        kept = [step for step in job["steps"] if "upload-artifact" in step.get("uses", "")]
        assert [step["if"] for step in kept] == ["always()"]
        assert kept[0]["with"]["path"].strip("/") == folder
        profile = used["with"].get("profile", "core")
        for revision in job.get("strategy", {}).get("matrix", {}).get("revision", [""]):
            profiles.add(profile.replace("${{ matrix.revision }}", revision))
    assert profiles == set(PROFILES)


@pytest.mark.parametrize("words", [[], ["2024-11-05", "x"], ["2025-06-18"], ["core", "x"]])
def test_making_evidence_for_what_is_no_revision(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert script("make_mcp_evidence").main(words) == 2
    assert "REVISION FOLDER" in capsys.readouterr().err
    assert os.listdir(tmp_path) == []
