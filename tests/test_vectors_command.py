"""`sobre vectors`: what it runs, what it makes of that, and what it tells.

The vectors as a whole are run in `test_vectors_validators.py`.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import signal
import subprocess
import sys
import zipfile
from argparse import Namespace

import pytest

from command import ROOT, document, execute, gone, posix, run, start, wait_until
from sobre.cli import vectors
from sobre.cli.arguments import UsageError
from sobre.json_text import read
from vector_cases import CORE, data_of

#: Seconds for all cases on a busy machine.
LONG = 900
ASKED = [case for case in CORE if "max_bytes" not in case]
PYTHON = shlex.quote(sys.executable)


def ask(script, *, cases=None, timeout=30.0, words=()):
    """The answers to some cases of a validator that is a Python script; `path` is the file."""
    program = f"import os, sys, time\npath = sys.argv[1]\n{script}"
    command = [sys.executable, "-c", program, "{file}", *words]
    return vectors.ask_all(command, (cases or vectors.load()[0])[:5], timeout)


def some(monkeypatch, count=4):
    """Have the command know only some cases, two of which conform."""
    cases, left_out = vectors.load()
    sound = [case for case in cases if case.conformant][: count // 2]
    broken = [case for case in cases if not case.conformant][: count // 2]
    kept = sorted(sound + broken, key=cases.index)
    left_out = {name: n for name, n in left_out.items() if name in {one.file for one in kept}}
    monkeypatch.setattr(vectors, "load", lambda: (kept, left_out))
    return kept


def told(command, timeout=30.0, as_json=True):
    """What the command answers: its document or text, and its status."""
    answer, status = vectors.run(Namespace(command=command, timeout=timeout, json=as_json))
    return (read(answer) if as_json else answer.decode()), status


def python(script):
    """A command line whose validator is a Python script; `sys.argv[1]` is the file."""
    return f"{PYTHON} -c {shlex.quote(script)} {{file}}"


# -- how a command ends --------------------------------------------------------


@pytest.mark.parametrize("status", [0, 1, 2, 3, 77, 126, 127, 255])
def test_only_exit_status_0_is_conforms(status):
    answers = ask(f"sys.exit({status})")
    assert {answer.found for answer in answers} == {status == 0}
    assert {answer.ending for answer in answers} == {f"exit status {status}"}


def test_a_hanging_validator_gives_no_verdict(monkeypatch):
    kept = some(monkeypatch)
    found, status = told(python("import time; time.sleep(600)"), timeout=0.3)
    cases = found["details"]["cases"]
    assert status == 1
    assert [case["id"] for case in cases] == [case.id for case in kept]
    assert [case["conformant"] for case in cases].count(False) == 2
    assert not any(case["agrees"] for case in cases)
    assert {case["found"] for case in cases} == {None}
    assert {case["ending"] for case in cases} == {"it did not end within 0.3 seconds (--timeout)"}


@posix
@pytest.mark.parametrize("name", ["SIGSEGV", "SIGKILL", "SIGTERM", "SIGABRT"])
def test_a_crashing_validator_gives_no_verdict(name, monkeypatch):
    some(monkeypatch)
    found, status = told(python(f"import os, signal; os.kill(os.getpid(), signal.{name})"))
    cases = found["details"]["cases"]
    assert status == 1
    assert found["details"]["no_verdict"] == len(cases) == 4
    assert not any(case["agrees"] for case in cases)
    assert {case["ending"] for case in cases} == {f"it was ended by {name}"}


def test_no_verdict_on_some_cases(monkeypatch):
    """It hangs on one case and is right on the rest."""
    kept = some(monkeypatch)
    verdicts = {case.data: 0 if case.conformant else 1 for case in kept}
    script = (
        "import sys, time\n"
        "data = open(sys.argv[1], 'rb').read()\n"
        f"if data == {kept[0].data!r}: time.sleep(600)\n"
        f"sys.exit({verdicts!r}[data])"
    )
    found, status = told(python(script), timeout=5)
    assert status == 1
    assert [case["agrees"] for case in found["details"]["cases"]] == [False, True, True, True]
    assert found["details"]["agree"] == 3
    assert found["message"].startswith(
        "The command agrees with 3 of 4 vectors, gives no verdict on 1"
    )


@posix
def test_a_timeout_ends_all_that_the_validator_started(tmp_path):
    note = tmp_path / "pid"
    script = (
        "import subprocess\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(note)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(600)"
    )
    answers = ask(script, cases=vectors.load()[0][:1], timeout=5)
    assert [answer.found for answer in answers] == [None]
    child = int(note.read_text())
    assert gone(child)


@posix
def test_an_interruption_ends_everything(tmp_path):
    script = (
        f"import os, time; open({str(tmp_path)!r} + '/' + str(os.getpid()), 'w'); time.sleep(600)"
    )
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with start(
        "vectors",
        "--command",
        python(script),
        env={"TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        wait_until(lambda: any(path.name.isdigit() for path in tmp_path.iterdir()), process)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    for path in tmp_path.iterdir():
        if path.name.isdigit():
            assert gone(int(path.name))
    assert list(scratch.iterdir()) == []


# -- what the command is given -------------------------------------------------


def test_the_bytes_are_exact():
    cases = [case for case in vectors.load()[0] if not case.data.isascii()][:3]
    cases += [case for case in vectors.load()[0] if b"\r" in case.data or not case.data][:3]
    script = "import hashlib\nprint(hashlib.sha256(open(path, 'rb').read()).hexdigest())"
    found = [answer.output for answer in ask(script, cases=cases)]
    assert found == [hashlib.sha256(case.data).hexdigest() for case in cases[:5]]


def test_loaded_cases_are_those_of_the_files():
    loaded, left_out = vectors.load()
    assert [case.id for case in loaded] == [case["id"] for case in ASKED]
    assert [case.conformant for case in loaded] == [case["conformant"] for case in ASKED]
    assert left_out["reader/size.json"] == sum(left_out.values()) == len(CORE) - len(ASKED)
    for case, expected in zip(loaded, ASKED, strict=True):
        if "document" in expected:
            assert read(case.data) == read(data_of(expected))
        else:
            assert case.data == data_of(expected)


def test_the_path_stands_wherever_the_command_wants_it(monkeypatch):
    some(monkeypatch)
    script = "import sys; print(sys.argv[1:])"
    words = "--in={file} '{file} twice {file}' '{}' {files} '$HOME' '*' \\; '{\"a\": 1}'"
    found, _ = told(f"{PYTHON} -c {shlex.quote(script)} {words}")
    expected = (
        "['--in={file}', '{file} twice {file}', '{}', '{files}', '$HOME', '*', ';', '{\"a\": 1}']"
    )
    assert {case["output"] for case in found["details"]["cases"]} == {expected}


def test_no_shell_is_run(monkeypatch, tmp_path):
    some(monkeypatch)
    monkeypatch.chdir(tmp_path)
    found, _ = told(f"{PYTHON} -c pass {{file}} ; touch made && touch made $(touch made) > made")
    assert found["details"]["agree"] == 2
    assert list(tmp_path.iterdir()) == []


def test_standard_input_is_empty():
    assert {answer.output for answer in ask("print(repr(sys.stdin.buffer.read()))")} == {"b''"}


def test_the_working_folder_is_the_callers(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    found = {answer.output for answer in ask("print(os.getcwd())")}
    assert found == {os.path.realpath(tmp_path)}


def test_nothing_is_left_behind(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ask("os.unlink(path) if path.endswith('1.json') else open(path, 'a').write('x')", timeout=30)
    assert list(tmp_path.iterdir()) == []


# -- what is told --------------------------------------------------------------


def test_text_tells_the_disagreements(monkeypatch):
    kept = some(monkeypatch)
    text, status = told(python("print('looks', 'good')"), as_json=False)
    lines = text.splitlines()
    assert status == 1
    for case in kept:
        assert (f" {case.id}: " in text) is not case.conformant
        assert (case.why in text) is not case.conformant
    wrong = [case for case in kept if not case.conformant]
    said = "does not conform; the command says it conforms: exit status 0"
    assert lines[:3] == [
        f"{wrong[0].file} {wrong[0].id}: {said}",
        f"    {wrong[0].why}",
        "    it wrote: looks good",
    ]
    assert lines[-1].startswith("The command agrees with 2 of 4 vectors, disagrees with 2")
    for file in {case.file for case in kept}:
        assert any(line.startswith(file + " ") and "agrees with" in line for line in lines)


def test_text_of_agreement_is_totals_alone(monkeypatch):
    kept = [case for case in some(monkeypatch) if case.conformant]
    monkeypatch.setattr(vectors, "load", lambda: (kept, {kept[0].file: 0}))
    text, status = told(python("pass"), as_json=False)
    assert status == 0
    assert text == (
        f"{kept[0].file}  agrees with 2 of 2 vectors\nThe command agrees with 2 of 2 vectors.\n"
    )


def test_output_is_escaped_and_bounded(monkeypatch):
    some(monkeypatch)
    script = (
        "import sys; sys.stderr.write('a' * 10**6 + '\\n\\x1b[31m\\u202e' + 'b' * 500 + '\\n\\n')"
    )
    text, _ = told(python(script), as_json=False)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "it wrote: \\x1b[31m" in text
    assert len(text) < 10_000


def test_a_flood_of_output_is_bounded():
    script = "while True: sys.stdout.write('x' * 65536)"
    answers = ask(script, cases=vectors.load()[0][:1], timeout=1)
    assert answers[0].found is None
    assert len(answers[0].output) <= 200


def test_the_answer_is_the_same_each_time(monkeypatch):
    some(monkeypatch)
    command = python("import sys; print(sys.argv[1]); sys.exit(1)")
    assert told(command) == told(command)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("validator", "has no {file}"),
        ("validator {files}", "has no {file}"),
        ("validator { file }", "has no {file}"),
        ("", "is empty"),
        ("   ", "is empty"),
        ("validator '{file}", "no closing quotation"),
        ("{file}", "has no {file} among its arguments"),
        ("{file} {file}", "would run the document itself"),
        ("./{file} --in {file}", "would run the document itself"),
    ],
)
def test_commands_that_cannot_be_asked(command, reason):
    with pytest.raises(UsageError, match=reason.replace("{", r"\{")):
        told(command)
    done = run("vectors", "--command", command)
    assert (done.status, done.out) == (2, b"")
    assert reason in done.err
    done = run("vectors", "--json", "--command", command)
    assert done.status == 2
    assert document(done)["error_code"] == "usage_error"


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--command"],
        ["--command", "x {file}", "--timeout", "0"],
        ["--command", "x {file}", "--timeout", "-1"],
        ["--command", "x {file}", "--timeout", "nan"],
        ["--command", "x {file}", "--timeout", "soon"],
        ["--command", "x {file}", "more"],
        ["--comm", "x {file}"],
    ],
    ids=" ".join,
)
def test_wrong_usage(words):
    done = run("vectors", *words)
    assert (done.status, done.out) == (2, b"")
    assert "sobre vectors: " in done.err


def test_help_says_how():
    done = run("vectors", "--help")
    assert done.status == 0
    assert b"'CMD {file}'" in done.out


def test_without_vectors(monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(vectors, "__file__", str(tmp_path / "a" / "b" / "cli" / "vectors.py"))
    found, status = told(python("pass"))
    assert (status, found["error_code"]) == (1, "no_vectors")
    assert "the vectors are not there" in capfd.readouterr().err
    assert vectors.run(Namespace(command=python("pass"), timeout=1.0, json=False)) == (b"", 1)


# -- the installed package -----------------------------------------------------


def test_the_wheel_has_the_vectors(tmp_path):
    """Through the source archive, as an index builds it; and nothing of the rest is needed."""
    done = execute(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)],
        seconds=LONG,
    )
    assert done.status == 0, done.err
    (wheel,) = tmp_path.glob("*.whl")
    place = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
        names = archive.namelist()
    assert not [name for name in names if "node_modules" in name or name.startswith("tests/")]
    script = (
        "import sobre\nfrom sobre.cli.vectors import load\n"
        "print(sobre.__file__)\nprint(*[case.id for case in load()[0]])"
    )
    asked = execute([sys.executable, "-S", "-c", script], env={"PYTHONPATH": str(place)})
    file, ids = asked.out.decode().splitlines()
    assert file.startswith(str(place))
    assert ids.split() == [case["id"] for case in ASKED]
