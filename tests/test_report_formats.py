"""`--format` and `-o`: every command in every format, and what is never written over."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import sys
from pathlib import Path
from xml.etree import ElementTree

import html5lib
import pytest

import sobre.report
from command import FAILURE, SUCCESS, document, execute, linux, needs_bash, posix, run, write_pair
from report_cases import HOSTILE
from sobre.cli.rendering import FORMATS
from sobre.contract.check import MAX_ITEM_FINDINGS

TOOL = json.dumps(
    {"name": "t", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}
)
BAD = b'{"success": true, "message": " ", "warnings": ["", 1]}'
WITHOUT_JINJA2 = """
import sys
sys.modules["jinja2"] = None
from sobre.cli import main
sys.exit(main(sys.argv[1:]))
"""
COMMANDS = {
    "validate": ["validate", "success.json", "bad.json", "gone.json"],
    "evidence": ["evidence", "--success", "success.json", "--failure", "failure.json"],
    "evidence, bad": ["evidence", "--success", "bad.json", "--failure", "gone.json"],
    "evidence, MCP": [
        *["evidence", "--profile", "mcp-2026-07-28", "--tool-definition", "tool.json"],
        *["--success", "mcp.json", "--failure", "failure.json", "--report", "new.json"],
    ],
    "verify": ["verify", "receipt.json"],
    "verify, bad": ["verify", "bad-receipt.json"],
    "verify, aside": ["verify", "bad-receipt.json", "--allow-nonconformant"],
    "verify, gone": ["verify", "gone.json"],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A good pair with its receipt, a bad file with its receipt, and MCP evidence."""
    folder = tmp_path_factory.mktemp("made")
    write_pair(folder)
    (folder / "bad.json").write_bytes(BAD)
    (folder / "tool.json").write_text(TOOL, encoding="utf-8")
    mcp = b'{"resultType": "complete", "structuredContent": %s}' % SUCCESS
    (folder / "mcp.json").write_bytes(mcp)
    for success, receipt in (("success.json", "receipt.json"), ("bad.json", "bad-receipt.json")):
        words = ["--success", success, "--failure", "failure.json", "--report", receipt]
        run("evidence", *words, cwd=folder)
    return folder


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    """A copy of what was made, as the current directory."""
    monkeypatch.chdir(shutil.copytree(made, tmp_path, dirs_exist_ok=True))
    return tmp_path


def parse(form, data):
    """Read a report in its format, as far as to know that it is one."""
    text = data.decode()
    assert text.endswith("\n")
    if form in ("json", "sarif"):
        value = json.loads(text)
        assert value["success" if form == "json" else "runs"] is not None
    elif form == "junit":
        assert ElementTree.fromstring(data).tag == "testsuites"
    elif form == "html":
        html5lib.HTMLParser(strict=True).parse(text)
    else:
        assert text.isprintable() or all(line.isprintable() for line in text.split("\n"))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_every_command_in_every_format(folder, words, form):
    first, second = (run(*words, "--format", form) for _ in range(2))
    assert first == second, "the same evidence gives other bytes"
    assert first.err == ""
    parse(form, first.out)
    assert first.status == run(*words).status
    done = run(*words, "--format", form, "-o", "report.out")
    assert (done.status, done.out) == (first.status, b"")
    assert done.err.startswith("sobre: ")
    assert done.err.count("\n") == 1
    assert done.err.endswith(f"the {form} report is in report.out\n")
    assert Path("report.out").read_bytes() == first.out
    assert not list(folder.glob(".*"))


def test_formats_are_files_of_their_own():
    room = Path(sobre.report.__file__).parent
    found = {
        path.stem
        for path in room.glob("*.py")
        if "\ndef render(report: Report)" in path.read_text()
    }
    assert found == set(FORMATS.values())
    code = f"""
import sys
from sobre.cli import main
main(sys.argv[1:])
loaded = {{name.rpartition(".")[2] for name in sys.modules if name.startswith("sobre.report.")}}
others = ["jinja2" in sys.modules, "xml" in sys.modules]
print(*sorted(loaded & {set(FORMATS.values())}), *others, file=sys.stderr)
"""
    for form, module in FORMATS.items():
        done = execute([sys.executable, "-c", code, "validate", "--format", form], input=SUCCESS)
        assert done.err == f"{module} {form == 'html'} {form == 'junit'}\n"


# -- asking for a format -------------------------------------------------------


def test_json_is_a_short_form(folder):
    short = run("validate", "bad.json", "--json")
    assert document(short)["success"] is False
    for words in (["--format", "json"], ["--format=json"], ["--json", "--format", "json"]):
        assert run("validate", "bad.json", *words) == short
    usage = run("validate", "--bogus", "--format", "json")
    assert (usage.status, document(usage)["error_code"]) == (2, "usage_error")


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_json_and_another_format_contradict_each_other(folder, words):
    before = sorted(folder.iterdir())
    done = run(*words, "--json", "--format", "html", "-o", "report.out")
    assert (done.status, document(done)["error_code"]) == (2, "usage_error")
    assert "--json and --format html contradict each other" in done.err
    assert sorted(folder.iterdir()) == before


def test_an_unknown_format_is_wrong_usage(folder):
    done = run("validate", "bad.json", "--format", "docx")
    assert (done.status, done.out) == (2, b"")
    assert all(form in done.err for form in FORMATS)


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_page_without_jinja2_says_what_to_install(folder, words):
    before = sorted(folder.iterdir())
    done = execute(
        [sys.executable, "-c", WITHOUT_JINJA2, *words, "--format", "html", "-o", "report.out"]
    )
    assert (done.status, done.out) == (2, b"")
    assert "--format html needs jinja2: pip install 'sobre[report]'" in done.err
    assert "Traceback" not in done.err
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("form", sorted(set(FORMATS) - {"html"}))
def test_the_other_formats_need_nothing(folder, form):
    words = ["verify", "bad-receipt.json", "--format", form]
    done = execute([sys.executable, "-c", WITHOUT_JINJA2, *words])
    assert done == run(*words)


# -- writing -------------------------------------------------------------------


def assert_refused(words, output):
    before = {path: path.read_bytes() for path in Path().iterdir()}
    done = run(*words, "-o", output)
    assert (done.status, done.out) == (2, b"")
    assert "-o would write the report over" in done.err
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


OVER = [
    (COMMANDS["validate"], ["success.json", "./bad.json", "gone.json"]),
    (COMMANDS["evidence"], ["success.json", "failure.json"]),
    ([*COMMANDS["evidence"], "--report", "new.json"], ["new.json", "./new.json"]),
    (COMMANDS["evidence, MCP"], ["tool.json", "mcp.json", "new.json"]),
    (COMMANDS["verify"], ["receipt.json", "success.json", "./failure.json"]),
    (["verify", "receipt.json", "--root", "."], ["success.json"]),
]


@pytest.mark.parametrize(
    ("words", "output"), [(words, output) for words, outputs in OVER for output in outputs]
)
def test_no_input_is_written_over(folder, words, output):
    assert_refused(words, output)
    assert_refused(words, str(folder / output))


@posix
@pytest.mark.parametrize("words", [COMMANDS["validate"], COMMANDS["evidence"], COMMANDS["verify"]])
def test_no_input_is_written_over_by_another_name(folder, words):
    os.link("success.json", "hard.json")
    os.symlink("success.json", "soft.json")
    os.symlink(".", "here")
    for output in ("hard.json", "soft.json", "here/success.json"):
        done = run(*words, "-o", output)
        assert (done.status, done.out) == (2, b"")
        assert Path("success.json").read_bytes() == SUCCESS


@posix
def test_a_link_is_replaced_and_not_followed(folder):
    Path("other").write_bytes(b"kept")
    os.symlink("other", "link")
    assert run("validate", "success.json", "-o", "link").status == 0
    assert Path("other").read_bytes() == b"kept"
    assert not Path("link").is_symlink()


@pytest.mark.parametrize("output", ["no/such/folder/x", ".", "", "x" * 300])
def test_a_report_that_cannot_be_written_is_a_failure(folder, output):
    before = sorted(folder.iterdir())
    done = run("validate", "success.json", "-o", output)
    assert (done.status, done.out) == (1, b"")
    assert re.fullmatch(r"sobre: the report cannot be written to .*: .*\n", done.err)
    assert sorted(folder.iterdir()) == before


@linux
def test_a_device_is_not_replaced(folder):
    done = run("validate", "success.json", "-o", "/dev/null")
    assert (done.status, done.out) == (1, b"")
    assert Path("/dev/null").is_char_device()


def test_standard_output_is_no_file(folder):
    done = run("validate", "success.json", "-o", "-")
    assert (done.status, done.out) == (2, b"")
    assert "without it the report goes to standard output" in done.err


# -- hostile evidence, end to end ------------------------------------------------


@posix
@pytest.mark.parametrize("form", FORMATS)
def test_hostile_names_and_evidence(tmp_path, monkeypatch, form):
    monkeypatch.chdir(tmp_path)
    names = []
    for index, text in enumerate(HOSTILE.values()):
        name = text.replace("/", "\u2215").replace("\0", "\x01").lstrip("-")[:80]
        data = json.dumps({"success": text, "message": text, "error_code": text, text: 1})
        Path(name).write_text(data if index % 2 else data[:-5], encoding="utf-8")
        names.append(name)
    Path(os.fsdecode(b"not \xff utf-8")).write_bytes(b"\xff")
    names.append(os.fsdecode(b"not \xff utf-8"))
    done = run("validate", "--format", form, "--", *names)
    assert (done.status, done.err) == (1, "")
    parse(form, done.out)


@pytest.mark.parametrize("form", FORMATS)
def test_a_large_and_deep_and_long_document(tmp_path, form):
    path = tmp_path / "large.json"
    deep = "[" * 500 + "]" * 500
    path.write_text(
        f'{{"success": true, "message": "", "x": {deep}, "warnings": {json.dumps([""] * 10_000)}, '
        f'"long": "{"x" * 1_000_000}", "error_code": "{"<" * 1_000_000}"}}',
        encoding="utf-8",
    )
    done = run("validate", str(path), "--format", form)
    assert (done.status, done.err) == (1, "")
    parse(form, done.out)
    if form in ("text", "markdown", "html"):
        assert len(done.out) < 200_000
        assert b"more" in done.out
    else:
        assert done.out.count(b"core.warnings.item.blank") >= MAX_ITEM_FINDINGS


# -- again ---------------------------------------------------------------------


@needs_bash
@posix
@pytest.mark.parametrize("command", ["validate", "evidence", "written", "verify", "root"])
def test_the_command_line_that_is_shown_gives_the_same_verdict(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    good, bad = "-a 'b\"\u202e.json", "$(id)`\n\\.json"
    Path(good).write_bytes(SUCCESS)
    Path(bad).write_bytes(FAILURE)
    pair = [f"--success={good}", f"--failure={bad}"]
    run(
        "evidence", *pair, "--report", "-receipt *.json" if command == "written" else "receipt.json"
    )
    words = {
        "validate": ["validate", "--max-bytes", "50", "--", good, bad],
        "evidence": ["evidence", *pair],
        "written": ["evidence", *pair, "--report=-receipt *.json"],
        "verify": ["verify", "receipt.json", "--allow-nonconformant"],
        "root": ["verify", "receipt.json", "--root", str(tmp_path)],
    }[command]
    first = run(words[0], "--format", "html", *words[1:])
    (line,) = re.findall(
        r"<h2>Check it again</h2>\n<pre><code>(.*)</code></pre>", first.out.decode()
    )
    line = html.unescape(line).replace("sobre ", '"$0" -m sobre ', 1)
    again = execute(["bash", "-c", line, sys.executable])
    assert again.err == ""
    assert again.status == first.status
    if command != "written":
        assert again.out == run(*words).out
