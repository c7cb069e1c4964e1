"""What `sobre probe mcp` leaves, its plans, its reports, and its judgement of our own servers."""

from __future__ import annotations

import hashlib
import json
import shlex
import sys

import pytest

from command import run
from mcp_table import HTTP as LISTEN
from mcp_table import SOBRE
from mcp_table import serving as listening
from odd_server import REVISIONS, Server, encoded, serving
from probing import CALL, ONE, SERVER, probe, rules, stdio

FILES = {
    "README.md",
    "failure.json",
    "qzx-conformance.json",
    "success.json",
    "tool-definition.json",
}


def written(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


# -- the folder ---------------------------------------------------------------


@pytest.mark.parametrize("transport", ["stdio", "http", "events"])
def test_the_evidence_is_what_crossed_the_wire(transport, tmp_path):
    out = tmp_path / "out"
    words = [*CALL, "--out", str(out)]
    if transport == "stdio":
        found = probe(*stdio(), *words)
    else:
        with serving(*(["events"] if transport == "events" else [])) as server:
            found = probe("--url", server.url, *words)
    assert found["success"]
    assert written(out) == {"README.md"} | {f"{rev}/{file}" for rev in REVISIONS for file in FILES}
    for revision in REVISIONS:
        for role, arguments in (("success", {"name": "Ada"}), ("failure", {})):
            data = (out / revision / f"{role}.json").read_bytes()
            asked = {"jsonrpc": "2.0", "id": json.loads(data)["id"], "method": "tools/call"}
            asked["params"] = {"name": "greet", "arguments": arguments}
            if revision == REVISIONS[-1]:
                key = "io.modelcontextprotocol/protocolVersion"
                asked["params"]["_meta"] = {key: revision}
            assert data == encoded(Server().answers(asked)[0])
        tool = (out / revision / "tool-definition.json").read_bytes()
        listed = encoded(Server().list({})["result"]["tools"][0])
        assert tool == listed


def test_the_receipt_is_verified_where_it_lies_and_after_it_moved(tmp_path):
    out = tmp_path / "out"
    probe(*stdio(), *CALL, "--out", str(out))
    for revision in REVISIONS:
        moved = tmp_path / f"moved {revision}"
        (out / revision).rename(moved)
        assert run("verify", "qzx-conformance.json", cwd=moved).status == 0
        receipt = json.loads((moved / "qzx-conformance.json").read_bytes())
        assert receipt["details"]["mcp_specification"] == revision
        assert receipt["details"]["tool_definition"]["file"] == "tool-definition.json"
        for case in receipt["details"]["cases"]:
            assert case["file"] == f"{case['name']}.json"
            data = (moved / case["file"]).read_bytes()
            assert case["sha256"] == hashlib.sha256(data).hexdigest()


def test_a_call_without_an_answer_is_in_the_receipt_too(tmp_path):
    out = tmp_path / "out"
    probe(*stdio("ends in a call"), *CALL, *ONE, "--out", str(out))
    place = out / "2025-11-25"
    assert written(place) == FILES - {"success.json", "failure.json"}
    done = run("verify", "--allow-nonconformant", "qzx-conformance.json", cwd=place)
    assert done.status == 0, done


def test_what_nobody_told_stays_blank(tmp_path):
    out = tmp_path / "out"
    probe(*stdio("legacy only"), *CALL, "--out", str(out))
    page = (out / "2025-06-18" / "README.md").read_text()
    for line in (
        "- Implementation: `odd`",
        "- Version: `1.0`",
        "- Protocol revision: `2025-06-18`",
    ):
        assert line in page
    overview = (out / "README.md").read_text()
    assert "- 2026-07-28 is not spoken: " in overview
    assert str(tmp_path) not in page.replace(str(SERVER.parent.parent), "")


def test_nothing_is_written_over(tmp_path):
    out = tmp_path / "out"
    words = (*stdio(), *CALL, *ONE, "--out", str(out))
    probe(*words)
    before = (out / "2025-11-25" / "success.json").stat().st_mtime_ns
    done = run("probe", "mcp", *words)
    assert done.status == 2
    assert "already there" in done.err
    assert (out / "2025-11-25" / "success.json").stat().st_mtime_ns == before
    assert probe(*words, "--replace")["success"]
    (out / "README.md").write_text("mine")
    assert run("probe", "mcp", *words, "--replace").status == 2
    assert (out / "README.md").read_text() == "mine"


def test_an_answer_of_an_earlier_probe_does_not_stay(tmp_path):
    out = tmp_path / "out"
    probe(*stdio(), *CALL, *ONE, "--out", str(out))
    probe(*stdio("ends in a call"), *CALL, *ONE, "--out", str(out), "--replace")
    assert not (out / "2025-11-25" / "success.json").exists()


def test_a_list_alone_is_evidence_without_a_receipt(tmp_path):
    out = tmp_path / "out"
    probe(*stdio("two pages"), "--out", str(out))
    pages = {f"{rev}/tools-list{page}.json" for rev in REVISIONS for page in ("", "-2")}
    assert written(out) == {"README.md"} | pages
    page = (out / "2025-06-18" / "tools-list-2.json").read_bytes()
    assert json.loads(page)["result"]["tools"][0]["name"] == "greet"


# -- reports ------------------------------------------------------------------


@pytest.mark.parametrize("form", ["text", "json", "markdown", "html", "sarif", "junit"])
@pytest.mark.parametrize("more", [(), CALL], ids=["listed", "called"])
@pytest.mark.parametrize("fault", ["", "invalid schema"])
def test_every_format(form, more, fault):
    done = run("probe", "mcp", *stdio(*[fault][: bool(fault)]), *ONE, *more, "--format", form)
    assert done.status == (1 if fault else 0)
    assert done.err == ""
    assert b"greet" in done.out
    assert (b"tool.schema.invalid" in done.out) is bool(fault)


def test_the_table_has_a_row_a_tool_the_worst_first():
    done = run("probe", "mcp", *stdio("unstable order", "invalid schema"), *ONE)
    lines = done.out.decode().splitlines()
    assert lines[0].split("  ")[0] == "Tool"
    assert [line.split()[0] for line in lines[1:4]] == ["greet", "b", "c"]
    assert "Correct the keyword" in lines[1]
    assert lines[2].endswith("Nothing to do.")


def test_the_command_line_that_checks_again_is_whole():
    done = run("probe", "mcp", *stdio(), *ONE, *CALL, "--timeout", "9", "--format", "markdown")
    line = next(one for one in done.out.decode().splitlines() if "sobre probe mcp" in one)
    words = shlex.split(line.split("`")[1])
    assert words[:3] == ["sobre", "probe", "mcp"]
    assert words[3:] == [*stdio(), *ONE, *CALL, "--timeout", "9"]


# -- plans --------------------------------------------------------------------

PLAN = """\
[server]
stdio = {command!r}
revisions = ["2025-11-25"]
timeout = 30

[[case]]
tool = "greet"
success = {{ name = "Ada" }}
failure = {{}}

[[case]]
tool = "greet"
name = "a long / name"
[case.success]
name = "Grace"
[case.failure]
"""


def plan(folder, text):
    (folder / "plan.toml").write_text(text)
    return ("--plan", "plan.toml")


def test_a_plan_holds_many_cases(tmp_path):
    command = shlex.join([sys.executable, str(SERVER)])
    words = plan(tmp_path, PLAN.format(command=command))
    found = probe(*words, "--out", "out", cwd=tmp_path)
    assert found["success"], found
    assert [pair["case"] for pair in found["details"]["pairs"]] == ["greet", "a long / name"]
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names[0] == "README.md"
    assert names[2] == "greet"
    assert names[1].startswith("case-")
    data = (tmp_path / "out" / names[1] / "2025-11-25" / "success.json").read_bytes()
    assert b"Grace" in data


def test_a_plan_takes_header_values_from_the_environment(tmp_path):
    with serving() as server:
        text = (
            f'[server]\nurl = "{server.url}"\nheaders = {{ X-Key = "env:KEY_OF_MINE" }}\n'
            '[[case]]\ntool = "greet"\nsuccess = {name = "Ada"}\nfailure = {}\n'
        )
        words = plan(tmp_path, text)
        found = probe(*words, cwd=tmp_path, env={"KEY_OF_MINE": "open sesame"})
        assert found["success"]
        assert {headers["X-Key"] for _, headers in server.seen} == {"open sesame"}
        done = run("probe", "mcp", *words, cwd=tmp_path)
    assert done.status == 2
    assert "plan.toml:3: the header X-Key takes the variable KEY_OF_MINE" in done.err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[server]\nstdio = 'x'\n", "plan.toml:1: a plan has at least one case"),
        ("[server\n", "plan.toml:1:8: this is no TOML"),
        ("[server]\nstdoi = 'x'\n", "plan.toml:2: there is no 'stdoi' here"),
        ("[server]\nstdio = 'x'\nurl = 'y'\n", "plan.toml:3: give `stdio` or `url`"),
        ('[server]\nstdio = "\'"\n', "plan.toml:2: no closing quotation"),
        ("[server]\nrevisions = ['2024-11-05']\n", "plan.toml:2: `revisions` is an array of"),
        ("[server]\ntimeout = true\n", "plan.toml:2: `timeout` is a number"),
        ("[[case]]\ntool = 'a'\nsuccess = {}\n", "plan.toml:1: the case has no `failure`"),
        (
            "[[case]]\ntool = 'a'\nsuccess = {}\nfailure = {}\n\n"
            "[[case]]\ntool = 'a'\nsuccess = {}\nfailure = {}\n",
            "plan.toml:6: there is another case 'a'",
        ),
        (
            "[[case]]\ntool = 'a'\nsuccess = {}\nfailure = {}\n"
            "[[case]]\ntool = 'b'\nfailure = []\nsuccess = {}\n",
            "plan.toml:7: `failure` is a table",
        ),
        (
            "[[case]]\ntool = 'a'\nsuccess = {x = 2026-01-01}\nfailure = {}\n",
            "plan.toml:3: `success` holds a date",
        ),
        ("[[case]]\ntool = 1\nsuccess = {}\nfailure = {}\n", "plan.toml:2: `tool` is a text"),
        ("a = " + "[" * 5000, "plan.toml:1: this is no TOML"),
        ("\x1b = 1\n", "this is no TOML"),
    ],
)
def test_what_is_wrong_with_a_plan_is_told_by_its_line(text, told, tmp_path):
    done = run("probe", "mcp", *plan(tmp_path, text), cwd=tmp_path)
    assert done.status == 2
    assert told in done.err
    assert "\x1b" not in done.err


# -- the command line ---------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "--stdio or --url"),
        (("--stdio", "x", "--url", "http://x/"), "not both"),
        (("--stdio", ""), "--stdio is empty"),
        (("--stdio", "'"), "no closing quotation"),
        (("--url", "x"), "no URL"),
        (("--stdio", "x", "--header", "A: b"), "--header is for a --url"),
        (("--stdio", "x", "--header", "secret"), "NAME:VALUE"),
        (("--stdio", "x", "--tool", "t"), "go together"),
        (("--stdio", "x", "--tool", "t", "--success", "[]", "--failure", "{}"), "JSON object"),
        (("--stdio", "x", "--tool", "t", "--success", "{", "--failure", "{}"), "strict JSON"),
        (("--stdio", "x", "--revision", "2024-11-05"), "2024-11-05"),
        (("--plan", "missing.toml"), "cannot be read"),
        (("--plan", "x", "--tool", "t"), "--tool is for one tool"),
    ],
)
def test_wrong_usage(words, told, tmp_path):
    done = run("probe", "mcp", *words, cwd=tmp_path)
    assert done.status == 2
    assert told in done.err
    assert "secret" not in done.err


def test_what_is_missing_is_told(tmp_path):
    (tmp_path / "jsonschema.py").write_text("raise ModuleNotFoundError('no jsonschema')")
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util\nfind = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name: None if name == 'jsonschema' else find(name)\n"
    )
    done = run("probe", "mcp", *stdio(), env={"PYTHONPATH": str(tmp_path)})
    assert done.status == 1
    assert "pip install 'sobre[mcp]'" in done.err


# -- our own servers ----------------------------------------------------------


@pytest.mark.parametrize("called", [False, True], ids=["listed", "called"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_our_own_server_is_clean(transport, called, tmp_path):
    (tmp_path / "note.txt").write_text("A note.\n")
    words = ["--tool", "readFile", "--success", '{"path": "note.txt"}']
    words = [*words, "--failure", '{"path": "missing.txt"}'] if called else []
    serve = [*SOBRE, "serve", "--root", str(tmp_path)]
    if transport == "stdio":
        found = probe("--stdio", shlex.join(serve), *words, cwd=tmp_path)
    else:
        with listening([*serve, *LISTEN], tmp_path) as port:
            found = probe("--url", f"http://127.0.0.1:{port}/mcp", *words)
    assert rules(found) == set()
    assert found["success"]
    assert all(one["spoken"] for one in found["details"]["revisions"])
