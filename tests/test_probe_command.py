"""`sobre probe command`: each finding, shown by a command that misbehaves, and its good twin."""

from __future__ import annotations

import os
import sys

import pytest

from command import document, inject, linux, posix, run
from sobre.contract.rules import RULES

PYTHON = sys.executable
GOOD = '{"success": true, "message": "Done."}'
BAD = '{"success": false, "message": "No.", "error_code": "no"}'


def script(text):
    """A command that runs this Python text; `GOOD` and `BAD` in it are documents."""
    start = f"import os, subprocess, sys, time\nGOOD, BAD = {GOOD!r}, {BAD!r}\n"
    return [PYTHON, "-c", start + text]


def write(expression):
    """A command that writes these bytes and ends well."""
    return script(f"sys.stdout.buffer.write({expression})")


def probe(words, *options, **more):
    """The document that a probe of a command gives."""
    return document(run("probe", "command", "--json", *options, "--", *words, **more))


def rules(answer):
    return [finding["rule"] for finding in answer["details"]["findings"]]


def finding(answer, rule):
    """The one finding of a rule."""
    (found,) = [one for one in answer["details"]["findings"] if one["rule"] == rule]
    return found


#: Rule -> a command that shows it, its good twin, options.
TWINS = {
    "command.not_started": (["./no-such-program"], script("print(GOOD)"), ()),
    "command.timeout": (
        script("print(GOOD, flush=True); time.sleep(600)"),
        script("print(GOOD, flush=True)"),
        ("--timeout", "1"),
    ),
    "command.stdout.empty": (script("pass"), script("print(GOOD)"), ()),
    "command.stdout.text": (script("print('Name  Size')"), script("print(GOOD)"), ()),
    "command.stdout.before": (
        script("print('INFO starting'); print(GOOD)"),
        script("print('INFO starting', file=sys.stderr); print(GOOD)"),
        (),
    ),
    "command.stdout.between": (
        script("print(GOOD); print('and'); print(GOOD)"),
        script("print('and', file=sys.stderr); print(GOOD)"),
        (),
    ),
    "command.stdout.after": (
        script("print(GOOD); print('Done in 3 s.')"),
        script("print(GOOD); print('Done in 3 s.', file=sys.stderr)"),
        (),
    ),
    "command.stdout.documents": (
        script('print(\'{"event": "start"}\'); print(GOOD)'),
        script("print(GOOD)"),
        (),
    ),
    "command.stdout.colour": (
        script("print(GOOD.replace(':', '\\x1b[0m:'))"),
        script("print(GOOD)"),
        (),
    ),
    "command.stdout.encoding": (
        write("GOOD.encode('utf-16')"),
        write("GOOD.replace('Done', 'Hecho, ni\\u00f1o').encode()"),
        (),
    ),
    "json.byte_order_mark": (write("GOOD.encode('utf-8-sig')"), write("GOOD.encode()"), ()),
    "command.stdout.crlf": (
        write("GOOD.encode() + b'\\r\\n'"),
        write("GOOD.encode() + b'\\n'"),
        (),
    ),
    "command.stdout.size": (
        script("print(GOOD[:-1] + ', \"x\": \"' + 'x' * 5000 + '\"}')"),
        script("print(GOOD)"),
        ("--max-output", "1000"),
    ),
    "command.stderr.document": (
        script("print(BAD, file=sys.stderr); sys.exit(1)"),
        script("print(BAD); print('no', file=sys.stderr); sys.exit(1)"),
        (),
    ),
    "command.exit_status": (script("print(BAD)"), script("print(BAD); sys.exit(1)"), ()),
    "command.outcome": (
        script("print(BAD); sys.exit(1)"),
        script("print(GOOD)"),
        ("--expect", "success"),
    ),
    "command.input.waits": (script("sys.stdin.read(); print(GOOD)"), script("print(GOOD)"), ()),
    "command.repeat.output": (
        script("print(GOOD[:-1] + f', \"id\": {os.getpid()}}}')"),
        script('print(GOOD[:-1] + f\', "started_at": {time.time()}, "n": 1}}\')'),
        ("--repeat", "3"),
    ),
    "command.mapping": (
        script('print(\'{"ok": true, "msg": "Done."}\')'),
        script("print(GOOD)"),
        (),
    ),
    "command.credential": (
        script("print(GOOD[:-1] + ', \"key\": \"AKIA' + 'ABCDEFGHIJKLMNOP\"}')"),
        script('print(GOOD[:-1] + \', "key": "AKI"}\')'),
        (),
    ),
}
#: Those that need more than any system has.
POSIX_TWINS = {
    "command.signal": (script("os.kill(os.getpid(), 9)"), script("print(GOOD)"), ()),
    "command.terminal": (
        script("print(('\\x1b[1m%s\\x1b[0m' if sys.stdout.isatty() else '%s') % GOOD)"),
        script("print(GOOD)"),
        ("--terminal",),
    ),
}
LINUX_TWINS = {
    "command.processes.left": (
        script("subprocess.Popen(['sleep', '600'], start_new_session=True); print(GOOD)"),
        script("subprocess.Popen(['sleep', '0']).wait(); print(GOOD)"),
        (),
    ),
}
ELSEWHERE = {
    "command.pager": "test_a_pager_is_seen_at_a_terminal",
    "command.repeat.outcome": "test_another_ending_is_told",
    "command.environment": "test_a_secret_of_the_environment_is_named_and_never_shown",
    "command.evidence.unwritten": "test_probe_folder.py",
}


def test_every_finding_has_twins():
    named = {*TWINS, *POSIX_TWINS, *LINUX_TWINS, *ELSEWHERE}
    assert {rule for rule in RULES if rule.startswith("command.")} <= named


def assert_twins(rule, twins):
    bad, good, options = twins[rule]
    shown = probe(bad, *options)
    assert rule in rules(shown)
    assert shown["success"] is (RULES[rule][0] == "warning" and not shown["details"]["violations"])
    twin = probe(good, *options)
    assert rule not in rules(twin)
    assert rules(twin) == [], twin["details"]["findings"]


@pytest.mark.parametrize("rule", TWINS)
def test_twins(rule):
    assert_twins(rule, TWINS)


@posix
@pytest.mark.parametrize("rule", POSIX_TWINS)
def test_posix_twins(rule):
    assert_twins(rule, POSIX_TWINS)


@linux
@pytest.mark.parametrize("rule", LINUX_TWINS)
def test_linux_twins(rule):
    assert_twins(rule, LINUX_TWINS)


# -- what is told -------------------------------------------------------------


def test_text_is_shown_with_what_likely_printed_it():
    answer = probe(script("print('\\x1b[33mWARN\\x1b[0m old'); print(GOOD)"))
    found = finding(answer, "command.stdout.before")
    assert r"\x1b[33mWARN\x1b[0m old" in found["message"]
    assert "likely a log line" in found["message"]
    assert (found["line"], found["column"]) == (1, 1)
    assert "standard error" in found["fix"]


def test_what_is_wrong_inside_the_document_is_told_as_well_at_its_place():
    answer = probe(script('print(\'log\'); print(\'{"success": "yes", "message": "m"}\')'))
    assert rules(answer)[:2] == ["command.stdout.before", "core.success.type"]
    assert finding(answer, "core.success.type")["line"] == 2
    assert finding(answer, "core.success.type")["column"] == 13


def test_the_last_document_that_states_an_outcome_is_the_result():
    answer = probe(script("print(GOOD); print(BAD); sys.exit(1)"))
    assert rules(answer) == ["command.stdout.documents"]
    assert "NDJSON" in finding(answer, "command.stdout.documents")["message"]
    assert answer["details"]["runs"][0]["stated_success"] is False


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ('{"ok": false, "error": "gone", "code": "E404"}', {"/ok", "/error", "/code"}),
        ('{"status": "error", "msg": "No."}', {"/status", "/msg"}),
        (
            '{"error": {"code": "ENOENT", "summary": "no"}}',
            {"/error", "/error/code", "/error/summary"},
        ),
        ('{"exit_code": 3, "Message": "m"}', {"/exit_code", "/Message"}),
        ('{"version": 1}', {""}),
        ("[1, 2]", {""}),
        ('{"success": "yes", "message": "m"}', {"/success", "/message"}),
    ],
)
def test_advice_on_a_document_that_is_no_contract_object(text, advice):
    answer = probe(script(f"print({text!r})"))
    found = [one for one in answer["details"]["findings"] if one["rule"] == "command.mapping"]
    assert {one["pointer"] for one in found} == advice
    assert {one["severity"] for one in found} == {"warning"}
    assert answer["success"] is False  # By the core's own rules, not by the advice.


@pytest.mark.parametrize("status", [0, 3])
def test_without_a_document_the_exit_status_is_the_outcome(status):
    answer = probe(script(f"sys.exit({status})"), "--expect", "failure")
    assert ("command.outcome" in rules(answer)) is (status == 0)


def test_an_error_code_says_what_hindered():
    codes = {
        rule: probe(TWINS[rule][0], *TWINS[rule][2])["error_code"]
        for rule in ("command.not_started", "command.timeout", "command.stdout.before")
    }
    assert list(codes.values()) == ["command_not_started", "command_timeout", "contract_violation"]


def test_it_is_run_once_unless_more_is_asked_for(tmp_path):
    words = script("open('runs', 'a').write('x'); print(GOOD)")
    probe(words, cwd=tmp_path)
    assert (tmp_path / "runs").read_text() == "x"
    probe(words, "--repeat", "3", cwd=tmp_path)
    assert (tmp_path / "runs").read_text() == "xxxx"


def test_another_ending_is_told(tmp_path):
    words = script("print(GOOD); n = os.path.exists('n'); open('n', 'w'); sys.exit(n)")
    answer = probe(words, "--repeat", "2", cwd=tmp_path)
    assert "exit status 0" in finding(answer, "command.repeat.outcome")["message"]
    assert "exit status 1" in finding(answer, "command.repeat.outcome")["message"]


# -- waiting, pagers, terminals -----------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "input()",
        "sys.stdin.read()",
        "subprocess.run([sys.executable, '-c', 'input()'])",
        "import selectors; s = selectors.DefaultSelector(); s.register(0, 1); s.select()",
        "import threading; threading.Thread(target=sys.stdin.read).start()",
    ],
)
@linux
def test_waiting_for_input_is_seen(text):
    assert "command.input.waits" in rules(probe(script(text)))


@linux
@pytest.mark.parametrize("text", ["time.sleep(2.3)", "subprocess.run(['sleep', '2.3'])"])
def test_taking_time_is_not_waiting_for_input(text):
    assert rules(probe(script(f"{text}; print(GOOD)"))) == []


def test_what_it_reads_can_be_given(tmp_path):
    (tmp_path / "in.json").write_text(GOOD)
    answer = probe(script("print(sys.stdin.read())"), "--input", "in.json", cwd=tmp_path)
    assert rules(answer) == []
    assert answer["success"] is True


@linux
def test_a_pager_is_seen_at_a_terminal(tmp_path):
    pager = tmp_path / "less"
    pager.write_text("#!/bin/sh\nread line </dev/tty\n")
    pager.chmod(0o755)
    text = f"subprocess.run([{str(pager)!r}]) if sys.stdout.isatty() else 0; print(GOOD)"
    answer = probe(script(text), "--terminal")
    assert rules(answer) == ["command.pager"]
    assert "less" in finding(answer, "command.pager")["message"]
    assert answer["details"]["runs"][0]["runs"] == 2


@linux
def test_waiting_for_keys_is_seen_at_a_terminal():
    answer = probe(script("input() if sys.stdin.isatty() else 0; print(GOOD)"), "--terminal")
    assert rules(answer) == ["command.input.waits"]
    assert "at a terminal" in finding(answer, "command.input.waits")["message"]


@posix
@pytest.mark.parametrize(
    ("there", "told"),
    [
        ("'text for people'", "text instead of the document"),
        ("GOOD.replace('Done', 'Other')", "differs"),
    ],
)
def test_how_a_terminal_changes_the_output(there, told):
    words = script(f"print({there} if sys.stdout.isatty() else GOOD)")
    assert told in finding(probe(words, "--terminal"), "command.terminal")["message"]


@posix
def test_another_layout_at_a_terminal_is_no_finding():
    words = script("print(GOOD.replace(',', ',\\n' if sys.stdout.isatty() else ','))")
    assert rules(probe(words, "--terminal")) == []


# -- secrets ------------------------------------------------------------------

TOKEN = "tok-4711-abcDEF-99"


@pytest.mark.parametrize("form", ["text", "json", "markdown", "sarif", "junit", "html"])
def test_a_secret_of_the_environment_is_named_and_never_shown(form):
    words = script(
        "print(os.environ['MY_TOKEN'], GOOD); print(os.environ['MY_TOKEN'], file=sys.stderr)"
    )
    env = {"MY_TOKEN": TOKEN}
    done = run("probe", "command", "--format", form, "--", *words, env=env)
    assert done.status == 1
    assert TOKEN.encode() not in done.out
    assert TOKEN not in done.err
    assert b"command.environment" in done.out
    assert b"MY_TOKEN" in done.out


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_the_environment_is_not_told(form):
    env = {"MY_TOKEN": TOKEN, "PLAIN_NAME_77": "plain-value-77"}
    done = run("probe", "command", "--format", form, "--", *script("print(GOOD)"), env=env)
    assert done.status == 0
    for word in (TOKEN, "MY_TOKEN", "plain-value-77", "PLAIN_NAME_77"):
        assert word.encode() not in done.out


@pytest.mark.parametrize(
    ("arguments", "hidden"),
    [
        (["--token", "s3cr3t-value"], "s3cr3t-value"),
        (["--password=s3cr3t-value"], "s3cr3t-value"),
        (["https://me:s3cr3t-value@example.com/"], "s3cr3t-value"),
        (["ghp_" + "a1B2" * 9], "a1B2a1B2"),
    ],
)
def test_credentials_on_the_command_line_are_masked(arguments, hidden):
    for form in ("text", "json", "markdown"):
        words = [*script("print(GOOD)"), *arguments]
        done = run("probe", "command", "--format", form, "--", *words)
        assert done.status == 0
        assert hidden.encode() not in done.out
        assert b"***" in done.out


def test_a_credential_in_the_output_is_told_and_not_shown():
    words = script("print(GOOD[:-1] + ', \"password\": \"hunter2' + '-hunter2\"}')")
    for form in ("text", "json", "markdown", "html", "sarif", "junit"):
        done = run("probe", "command", "--format", form, "--", *words)
        assert done.status == 0
        assert b"command.credential" in done.out
        assert b"hunter2-hunter2" not in done.out


def test_a_credential_among_other_text_is_not_shown():
    words = script("print('password is', 'ghp_' + 'a1B2' * 9); print(GOOD)")
    for form in ("text", "json", "markdown", "html", "sarif", "junit"):
        done = run("probe", "command", "--format", form, "--", *words)
        assert b"command.credential" in done.out
        assert b"a1B2a1B2" not in done.out


# -- the command line ---------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), "there is no command"),
        (("--out", "x", "--", "true"), "--out needs a pair"),
        (("--success", "true"), "--failure is missing"),
        (("--success", "true", "--failure", "false", "--", "true"), "choose one"),
        (("--success", "true", "--failure", "'"), "no closing quotation"),
        (("--success", "true", "--failure", ""), "--failure is empty"),
        (("--success", "true", "--failure", "false", "--expect", "success"), "--expect is for one"),
        (("--repeat", "0", "--", "true"), "whole number above 0"),
        (("--repeat", "1001", "--", "true"), "at most 1000 times"),
        (("--timeout", "0", "--", "true"), "time above 0"),
        (("--input", "missing", "--", "true"), "--input missing: no such file"),
        (("--input", ".", "--", "true"), "--input .: is no file"),
    ],
)
def test_wrong_usage(words, reason, tmp_path):
    done = run("probe", "command", *words, cwd=tmp_path)
    assert (done.status, done.out) == (2, b"")
    assert reason in done.err
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("words", [(), ("nothing",)])
def test_a_kind_is_needed(words):
    done = run("probe", *words)
    assert done.status == 2
    assert "Traceback" not in done.err


@posix
def test_an_input_at_which_one_may_wait_for_ever_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    done = run("probe", "command", "--input", "pipe", "--", "true", cwd=tmp_path)
    assert (done.status, done.out) == (2, b"")
    assert "--input pipe: is no file" in done.err


@posix
def test_without_terminals_nothing_is_run(tmp_path):
    env = inject(tmp_path, "raise ImportError", "event == 'import' and values[0] == 'pty'")
    words = script("open('ran', 'w'); print(GOOD)")
    done = run("probe", "command", "--terminal", "--", *words, cwd=tmp_path, env=env)
    assert (done.status, done.out) == (2, b"")
    assert "--terminal: this system has no pseudo-terminals" in done.err
    assert not (tmp_path / "ran").exists()


@posix
def test_a_terminal_has_a_name():
    words = script("print(GOOD[:-1] + ', \"term\": \"%s\"}' % os.environ.get('TERM'))")
    found = finding(probe(words, "--terminal", env={"TERM": None}), "command.terminal")
    assert "differs" in found["message"]


def test_help_says_what_is_run_and_how_often():
    text = run("probe", "command", "--help").out.decode()
    assert "run once" in text
    assert "no sandbox" in text


@pytest.mark.parametrize("form", ["text", "json", "markdown", "html", "sarif", "junit"])
def test_formats(form):
    words = script("print('<b>\\x1b[31m::error::'); print(GOOD)")
    done = run("probe", "command", "--format", form, "--", *words)
    assert done.status == 1
    assert b"command.stdout.before" in done.out
    assert b"\x1b" not in done.out
    assert run("probe", "command", "--format", form, "--", *script("print(GOOD)")).status == 0


@posix
def test_words_that_are_no_text_do_no_harm():
    done = run("probe", "command", "--", os.fsdecode(b"\xff\x1b[31m"), "\u202e")
    assert done.status == 1
    assert b"\x1b" not in done.out
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "text",
    [
        "print('x' * 140, SECRET); print(GOOD)",  # Cut in the middle by the bound on what is shown.
        "print('{\"ok\": true, \"message\": \"' + 'x' * 60 + ' ' + SECRET + '\"}')",
        "print(GOOD[:-1] + ', \"error_code\": \"' + SECRET + '\"}')",
        'print(\'{"ok": false, "message": "\' + SECRET + \'"}\', file=sys.stderr)',
        "print(SECRET, file=sys.stderr)",
    ],
)
def test_no_part_of_a_credential_is_shown(text):
    words = script("SECRET = 'ghp_' + 'a1B2' * 9\n" + text)
    for form in ("text", "json", "markdown", "html", "sarif", "junit"):
        done = run("probe", "command", "--format", form, "--", *words)
        assert b"ghp_a1" not in done.out
        assert b"1B2a1B" not in done.out


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GIT_AUTHOR_NAME", "Ada Lovelace"),
        ("SSH_AUTH_SOCK", "/tmp/agent.4711"),
        ("XTOKENS", "4096"),
    ],
)
def test_what_is_no_secret_may_be_printed(name, value):
    words = script(f"print(GOOD[:-1] + ', \"x\": \"' + os.environ[{name!r}] + '\"}}')")
    assert rules(probe(words, env={name: value})) == []
