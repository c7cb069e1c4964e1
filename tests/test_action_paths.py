"""The Action keeps to the workspace: which paths it takes, and which it refuses."""

from __future__ import annotations

import os

import pytest

from command import FAILURE, SUCCESS, posix, write_pair
from github_runner import PAIR, REPORT, Runner, bash, operational, script
from sobre.files import same_file

pytestmark = pytest.mark.skipif(bash() is None, reason="needs bash")

INPUTS = ("success", "failure", "tool-definition", "report")
PROFILE = {"profile": "mcp-2026-07-28", "tool-definition": "evidence/tool-definition.json"}


def link(path, target):
    """A symbolic link, where the system lets us make one."""
    try:
        path.symlink_to(target, target_is_directory=os.path.isdir(target))
    except OSError:
        pytest.skip("no symbolic links here")


@pytest.fixture
def runner(tmp_path):
    """A workspace with a core pair, and a folder outside with the same."""
    runner = Runner(tmp_path)
    for folder in (runner.workspace / "evidence", tmp_path / "outside"):
        folder.mkdir()
        write_pair(folder)
        (folder / "tool-definition.json").write_bytes(b"{}")
    return runner


@pytest.fixture
def outside(tmp_path):
    return tmp_path / "outside"


def snapshot(*folders):
    """Everything that lies in some folders."""
    found = {}
    for folder in folders:
        for place, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(place, name)
                target = os.readlink(path) if os.path.islink(path) else None
                data = b""
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        data = file.read()
                found[path] = (target, data)
            found[place] = None
    return found


def refused(runner, name, value):
    """The sentence with which one input was refused; nothing in reach has changed."""
    before = snapshot(runner.workspace, runner.workspace.parent / "outside")
    ran = runner.run({**PAIR, **PROFILE, name: value})
    assert snapshot(runner.workspace, runner.workspace.parent / "outside") == before
    assert len(ran.commands) == 1
    reason = operational(ran)
    assert f"the input `{name}` " in reason
    assert reason.endswith(". No receipt was written.")
    return reason


# -- refused: nothing is written -----------------------------------------------------


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize(
    "value",
    [
        "../outside/success.json",
        "evidence/../../outside/success.json",
        "../outside/new.json",
        "missing/../../outside/new.json",
        "missing/../missing/../../outside/new.json",
        "{outside}/success.json",
        "{outside}/new/new.json",
        "{workspace}/../outside/success.json",
        "{workspace}-neighbour/success.json",
    ],
)
def test_a_path_that_leads_out(runner, outside, name, value):
    value = value.format(outside=outside, workspace=runner.workspace)
    assert "leads out of the workspace" in refused(runner, name, value)


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize(
    "value",
    [
        "folder/success.json",
        "folder/new.json",
        "folder/new/new.json",
        "evidence/../folder/success.json",
        "chain/success.json",
        "file.json",
        "dangling.json",
        "up/outside/success.json",
        "itself",
    ],
)
def test_a_symbolic_link_that_leads_out(runner, outside, name, value):
    link(runner.workspace / "folder", outside)
    link(runner.workspace / "chain", "folder")
    link(runner.workspace / "file.json", outside / "success.json")
    link(runner.workspace / "dangling.json", outside / "new.json")
    link(runner.workspace / "up", "..")
    link(runner.workspace / "itself", ".")
    assert "leads out of the workspace" in refused(runner, name, value)


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize(
    "value", [".", "./", "..", "evidence/", "evidence/..", "{workspace}/", "/"]
)
def test_a_path_that_names_a_folder(runner, name, value):
    value = value.format(workspace=runner.workspace)
    assert "names a folder" in refused(runner, name, value)


@pytest.mark.parametrize("name", INPUTS)
def test_the_workspace_itself(runner, name):
    refused(runner, name, str(runner.workspace))


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize(
    "value",
    [
        "evidence/success.json\n",
        "\nevidence/success.json",
        "a\n::error::b",
        "a\rb",
        "a\r\nb",
        "a\u2028b",
        "a\x85b",
        "a\vb",
    ],
)
def test_a_line_break(runner, name, value):
    if os.name == "nt" and "\r" in value:
        pytest.skip("the variable does not arrive unchanged")
    assert "line break or NUL" in refused(runner, name, value)


@posix
@pytest.mark.parametrize("name", INPUTS)
def test_bytes_that_are_no_text(runner, name):
    assert "not Unicode text" in refused(runner, name, "a\udcffb")


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("value", ["a\0b", "\0", "evidence/success.json\0"])
def test_nul(name, value):
    # No variable can hold NUL, so that only the function itself can be asked.
    action = script("action")
    with pytest.raises(action.Refused, match=f"the input `{name}` holds a line break or NUL"):
        action.refuse_text(name, value)


@pytest.mark.parametrize("name", ["success", "failure", "report"])
@pytest.mark.parametrize("value", ["", " ", "\t"])
def test_a_required_input_that_is_empty(runner, name, value):
    assert "is empty" in refused(runner, name, value)


@pytest.mark.parametrize("name", ["success", "failure"])
def test_a_required_input_that_is_missing(runner, name):
    assert "is empty" in operational(runner.run({name: PAIR[name]}))


@posix
@pytest.mark.parametrize("name", INPUTS)
def test_a_pipe_is_not_waited_for(runner, name):
    os.mkfifo(runner.workspace / "pipe")
    assert "device or a pipe" in refused(runner, name, "pipe")


# -- refused: the receipt would go over the evidence -----------------------------------


@pytest.mark.parametrize("role", PAIR)
@pytest.mark.parametrize(
    "spelling",
    ["{}", "./{}", "evidence/../{}", "evidence//./" + "../{}", "{workspace}/{}"],
)
def test_the_receipt_never_goes_over_the_evidence(runner, role, spelling):
    before = snapshot(runner.workspace)
    report = spelling.format(PAIR[role], workspace=runner.workspace)
    reason = operational(runner.run({**PAIR, "report": report}))
    assert "the receipt's path is the evidence file" in reason
    assert snapshot(runner.workspace) == before


@pytest.mark.parametrize("make", [os.link, os.symlink], ids=["hard link", "symbolic link"])
def test_nor_over_a_link_to_it(runner, make):
    try:
        make(runner.workspace / PAIR["success"], runner.workspace / "link.json")
    except OSError:
        pytest.skip("no links here")
    before = snapshot(runner.workspace)
    operational(runner.run({**PAIR, "report": "link.json"}))
    assert snapshot(runner.workspace) == before


def test_nor_over_the_path_of_evidence_that_is_missing(runner):
    before = snapshot(runner.workspace)
    operational(runner.run({**PAIR, "success": "new/a.json", "report": "./new//a.json"}))
    assert snapshot(runner.workspace) == before


def test_nor_over_the_tool_definition(runner):
    before = snapshot(runner.workspace)
    operational(runner.run({**PAIR, **PROFILE, "report": PROFILE["tool-definition"]}))
    assert snapshot(runner.workspace) == before


# -- taken -----------------------------------------------------------------------------


def recorded(runner, inputs, status=0):
    """The file names in the receipt of a run that ended so."""
    ran = runner.run(inputs)
    assert ran.status == status, ran
    receipt = runner.receipt(ran.outputs["report"])
    return [case["file"] for case in receipt["details"]["cases"]]


@pytest.mark.parametrize("spelling", ["./{}", "evidence/../{}", "missing/../{}", "{workspace}/{}"])
def test_every_spelling_is_recorded_relative_to_the_workspace(runner, spelling):
    inputs = {
        name: spelling.format(path, workspace=runner.workspace) for name, path in PAIR.items()
    }
    assert recorded(runner, inputs) == list(PAIR.values())


def test_paths_are_taken_from_the_workspace_wherever_the_step_runs(runner, outside):
    assert runner.run(PAIR, cwd=outside).status == 0
    assert (runner.workspace / REPORT).exists()
    assert not (outside / REPORT).exists()


def test_an_absolute_report_is_told_relative(runner):
    ran = runner.run({**PAIR, "report": str(runner.workspace / "evidence" / "receipt.json")})
    assert (ran.status, ran.outputs["report"]) == (0, "evidence/receipt.json")
    assert str(runner.workspace) not in (runner.workspace / "evidence/receipt.json").read_text()


def test_links_inside_the_workspace_are_followed(runner):
    link(runner.workspace / "folder", runner.workspace / "evidence")
    link(runner.workspace / "failed.json", "evidence/failure.json")
    inputs = {"success": "folder/success.json", "failure": "failed.json"}
    assert recorded(runner, inputs) == ["evidence/success.json", "failed.json"]


def test_a_workspace_behind_a_link(runner):
    link(runner.workspace.parent / "link", runner.workspace)
    env = {"GITHUB_WORKSPACE": str(runner.workspace.parent / "link")}
    absolute = str(runner.workspace.parent / "link" / PAIR["success"])
    ran = runner.run({**PAIR, "success": absolute}, env)
    assert ran.status == 0
    assert runner.receipt()["details"]["cases"][0]["file"] == PAIR["success"]


def test_a_link_at_the_receipt_is_replaced_and_not_followed(runner):
    target = runner.write("target.json", b"precious")
    link(runner.workspace / REPORT, target)
    assert runner.run(PAIR).status == 0
    assert not (runner.workspace / REPORT).is_symlink()
    assert target.read_bytes() == b"precious"


def test_an_earlier_receipt_is_replaced(runner):
    runner.write(REPORT, b"old")
    assert runner.run(PAIR).status == 0
    assert runner.receipt()["success"] is True


def test_the_folder_of_the_receipt_is_made(runner):
    ran = runner.run({**PAIR, "report": "a/b/receipt.json"})
    assert (ran.status, ran.outputs["report"]) == (0, "a/b/receipt.json")
    assert runner.receipt("a/b/receipt.json")["success"] is True


@pytest.mark.parametrize("report", ["evidence", "evidence/success.json/receipt.json", "x" * 300])
def test_a_receipt_that_cannot_be_written(runner, report):
    before = snapshot(runner.workspace)
    assert "cannot be written" in operational(runner.run({**PAIR, "report": report}))
    assert snapshot(runner.workspace) == before


@posix
@pytest.mark.parametrize(
    "name", ["-", "--help", "~", "$HOME", "*", "a\\b", "'", '"', "é ☃", "a\tb"]
)
def test_names_that_mean_something_elsewhere(runner, name):
    runner.write(name, SUCCESS)
    shown = "./-" if name == "-" else name
    assert recorded(runner, {**PAIR, "success": name}) == [shown, PAIR["failure"]]
    ran = runner.run({**PAIR, "report": "out" + name})
    assert (ran.status, ran.outputs["report"]) == (0, "out" + name)


@pytest.mark.parametrize(
    "text", ["$(touch pwned)", "`touch pwned`", '"; touch pwned; "', "'; touch pwned; '", "a & b|c"]
)
@pytest.mark.parametrize("name", ["profile", *INPUTS])
def test_no_input_is_shell_text(runner, name, text):
    ran = runner.run({**PAIR, name: text})
    assert ran.status == {"profile": 2, "success": 1, "failure": 1}.get(name, 0)
    assert not (runner.workspace / "pwned").exists()


@pytest.mark.parametrize("workspace", ["plain", "with space", "ünïcode ☃", "$(touch x)", "a'b"])
def test_any_workspace(tmp_path, workspace):
    runner = Runner(tmp_path, workspace)
    runner.write(PAIR["success"], SUCCESS)
    runner.write(PAIR["failure"], FAILURE)
    absolute = {name: str(runner.workspace / path) for name, path in PAIR.items()}
    assert recorded(runner, absolute) == list(PAIR.values())
    assert same_file(str(runner.workspace / REPORT), str(runner.workspace / "." / REPORT))


def test_nothing_in_the_workspace_or_the_environment_is_imported(runner):
    for name in ("json.py", "sobre/__init__.py", "sitecustomize.py", "os.py", "secrets.py"):
        runner.write(name, b"open('pwned', 'w').close()")
    env = {"PYTHONPATH": str(runner.workspace), "PYTHONSTARTUP": "json.py", "PYTHONHOME": ""}
    assert runner.run(PAIR, env).status == 0
    assert not (runner.workspace / "pwned").exists()
