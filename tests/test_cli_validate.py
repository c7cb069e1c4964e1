"""`sobre validate`: which files it takes, what it says of them, and its exit status."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from command import (
    FAILURE,
    SUCCESS,
    document,
    limited,
    linux,
    needs_bash,
    posix,
    powerless,
    run,
    shell,
    write_pair,
)
from sobre import CONTRACT_URL

BLANK = b'{\n  "success": true,\n  "message": " "\n}\n'


def validate(tmp_path, data, *words, name="result.json"):
    (tmp_path / name).write_bytes(data)
    return run("validate", name, *words, cwd=tmp_path)


def codes(answer):
    return [finding["rule"] for finding in answer["details"]["findings"]]


# -- verdicts -----------------------------------------------------------------


@pytest.mark.parametrize("data", [SUCCESS, FAILURE])
def test_a_conforming_document(tmp_path, data):
    assert validate(tmp_path, data) == (0, b"result.json: conforms\n", "")


def test_a_broken_document_is_told_with_place_rule_and_fix(tmp_path):
    done = validate(tmp_path, BLANK)
    lines = done.out.decode().splitlines()
    assert (done.status, done.err) == (1, "")
    assert lines[0] == "result.json: does not conform (1 violation)"
    assert lines[1] == "  3:14 core.message.blank at /message"
    assert lines[3].startswith("      fix: ")


def test_the_json_report_of_a_conforming_document(tmp_path):
    answer = document(validate(tmp_path, SUCCESS, "--json"))
    assert answer["details"] == {
        "contract": CONTRACT_URL,
        "profile": "core",
        "files": [{"file": "result.json", "conformant": True}],
        "violations": [],
        "findings": [],
    }
    assert answer["meta"]["command"] == "validate"


def test_the_json_report_of_a_broken_document(tmp_path):
    done = validate(tmp_path, BLANK, "--json")
    answer = document(done)
    details = answer["details"]
    assert (done.status, answer["error_code"]) == (1, "contract_violation")
    assert details["contract"] == CONTRACT_URL
    assert details["violations"] == [
        "core.message.blank at /message: `message` has only white space"
    ]
    (finding,) = details["findings"]
    assert finding.pop("message")
    assert finding.pop("fix")
    assert finding == {
        "rule": "core.message.blank",
        "severity": "violation",
        "pointer": "/message",
        "file": "result.json",
        "line": 3,
        "column": 14,
    }


@pytest.mark.parametrize(
    ("data", "rule", "place"),
    [
        (b'{"success": true,\n "message": "m", }', "json.syntax", (2, 18)),
        (b'{"success": true, "message": "m"}\n\n  {}', "json.trailing_data", (3, 3)),
        (b'{"a": 1,\n"\xc3\xa9\xf0\x9f\x98\x80": 2, "a": 3}', "json.duplicate_name", (2, 10)),
        (b'{"a":\n\n  NaN}', "json.non_finite_number", (3, 3)),
        (b'\xef\xbb\xbf{"a" 1}', "json.syntax", (1, 6)),
        (b"", "json.empty", (1, 1)),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_line_and_column_of_what_cannot_be_read(tmp_path, data, rule, place):
    answer = document(validate(tmp_path, data, "--json"))
    finding = answer["details"]["findings"][-1]
    assert answer["error_code"] == "invalid_json_input"
    assert (finding["rule"], (finding["line"], finding["column"])) == (rule, place)


@pytest.mark.parametrize(
    ("pointer", "place"),
    [("/success", (1, 13)), ("/warnings/1", (3, 3)), ("/meta/duration_ms", (4, 27))],
)
def test_line_and_column_of_a_broken_rule(tmp_path, pointer, place):
    data = b"""{"success": "yes", "message": "m",
"warnings": ["fine",
  7],
"meta": { "duration_ms" : -1}}"""
    rows = document(validate(tmp_path, data, "--json"))["details"]["findings"]
    (found,) = [(row["line"], row["column"]) for row in rows if row["pointer"] == pointer]
    assert found == place


def test_a_byte_order_mark_is_a_warning(tmp_path):
    done = validate(tmp_path, b"\xef\xbb\xbf" + SUCCESS, "--json")
    answer = document(done)
    assert codes(answer) == ["json.byte_order_mark"]
    assert answer["details"]["violations"] == []
    assert len(answer["warnings"]) == 1
    assert b"warning json.byte_order_mark" in run("validate", "result.json", cwd=tmp_path).out


@pytest.mark.parametrize(
    "data",
    [b"\x00" * 500, bytes(range(256)) * 20, b"\x7fELF\x02\x01", b"\xff\xfe{\x00}\x00", b"[" * 9999],
    ids=["zeros", "every byte", "a program", "UTF-16", "deep"],
)
def test_binary_garbage_is_a_verdict(tmp_path, data):
    done = validate(tmp_path, data, "--json")
    assert document(done)["error_code"] == "invalid_json_input"


# -- several files ------------------------------------------------------------


def test_each_file_has_its_verdict(tmp_path):
    write_pair(tmp_path, failure=b"{}")
    done = run("validate", "success.json", "failure.json", "missing.json", cwd=tmp_path)
    lines = done.out.decode().splitlines()
    assert done.status == 1
    assert lines[0] == "success.json: conforms"
    assert lines[1] == "failure.json: does not conform (2 violations)"
    assert "missing.json: does not conform (1 violation)" in lines
    assert lines[-1] == "1 of 3 documents conform to the core profile."


def test_several_files_in_one_document(tmp_path):
    write_pair(tmp_path, failure=b"{}")
    answer = document(run("validate", "failure.json", "success.json", "--json", cwd=tmp_path))
    assert answer["error_code"] == "contract_violation"
    assert answer["details"]["files"] == [
        {"file": "failure.json", "conformant": False},
        {"file": "success.json", "conformant": True},
    ]
    assert {row["file"] for row in answer["details"]["findings"]} == {"failure.json"}
    assert all(line.startswith("failure.json: ") for line in answer["details"]["violations"])


def test_the_same_file_twice_is_judged_twice(tmp_path):
    write_pair(tmp_path)
    answer = document(run("validate", "success.json", "success.json", "--json", cwd=tmp_path))
    assert len(answer["details"]["files"]) == 2


# -- standard input -----------------------------------------------------------


@pytest.mark.parametrize("words", [["-"], []], ids=["named", "by default"])
def test_standard_input(words):
    assert run("validate", *words, input=SUCCESS) == (0, b"-: conforms\n", "")
    assert run("validate", *words, input=b"{}").status == 1


def test_standard_input_among_files(tmp_path):
    write_pair(tmp_path)
    done = run("validate", "success.json", "-", "--json", cwd=tmp_path, input=b"[]")
    answer = document(done)
    assert [row["conformant"] for row in answer["details"]["files"]] == [True, False]


def test_standard_input_twice_is_wrong_usage():
    done = run("validate", "-", "-", input=SUCCESS)
    assert (done.status, done.out) == (2, b"")
    assert "standard input" in done.err


def test_a_file_named_minus(tmp_path):
    (tmp_path / "-").write_bytes(SUCCESS)
    assert run("validate", "./-", cwd=tmp_path, input=b"[]").status == 0


@posix
def test_a_terminal_is_told_how_to_end():
    master, slave = os.openpty()
    try:
        os.write(master, SUCCESS + b"\x04")
        done = run("validate", stdin=slave)
    finally:
        os.close(slave)
        os.close(master)
    assert (done.status, done.out) == (0, b"-: conforms\n")
    assert "Ctrl-D" in done.err


@posix
def test_a_terminal_without_standard_error():
    master, slave = os.openpty()
    try:
        os.write(master, SUCCESS + b"\x04")
        done = shell('exec "$@" 2>&-', "validate", "--json", stdin=slave)
    finally:
        os.close(slave)
        os.close(master)
    assert document(done)["success"] is True


# -- what is no readable file -------------------------------------------------


def unreadable(done):
    answer = document(done)
    (finding,) = answer["details"]["findings"]
    assert (done.status, answer["error_code"]) == (1, "unreadable_input")
    assert (finding["rule"], finding["line"]) == ("evidence.unreadable", None)
    return answer["details"]["violations"][0]


def test_a_missing_file(tmp_path):
    assert "no such file" in unreadable(run("validate", "nope.json", "--json", cwd=tmp_path))
    assert run("validate", "nope.json", cwd=tmp_path).status == 1


def test_an_empty_name():
    unreadable(run("validate", "", "--json"))


def test_a_folder(tmp_path):
    unreadable(run("validate", str(tmp_path), "--json"))


@posix
def test_a_file_without_permission(tmp_path):
    write_pair(tmp_path)
    (tmp_path / "success.json").chmod(0)
    done = run("validate", "success.json", "--json", cwd=tmp_path, **powerless())
    assert "permission denied" in unreadable(done)


@posix
def test_a_link_to_itself(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    unreadable(run("validate", "loop", "--json", cwd=tmp_path))


@posix
def test_a_socket(tmp_path):
    with socket.socket(socket.AF_UNIX) as server:
        before = os.getcwd()
        os.chdir(tmp_path)  # The names of sockets must be short.
        try:
            server.bind("socket")
        finally:
            os.chdir(before)
        unreadable(run("validate", "socket", "--json", cwd=tmp_path))


@posix
def test_nothing_in_dev_null():
    answer = document(run("validate", "/dev/null", "--json"))
    assert codes(answer) == ["json.empty"]


@needs_bash
@posix
def test_a_pipe_is_read_to_its_end(tmp_path):
    done = shell(
        '"$@" --json <(for i in 1 2 3; do printf "[1,"; done; echo "2]]]")',
        "validate",
        program="bash",
    )
    assert codes(document(done)) == ["core.type"]


# -- limits -------------------------------------------------------------------


@pytest.mark.parametrize(("spare", "status"), [(0, 0), (-1, 1)])
def test_max_bytes_is_the_last_size_that_passes(tmp_path, spare, status):
    done = validate(tmp_path, SUCCESS, "--json", "--max-bytes", str(len(SUCCESS) + spare))
    assert done.status == status
    assert codes(document(done)) == ["json.size"] * status


@linux
def test_a_huge_file_is_not_read_whole(tmp_path):
    path = tmp_path / "huge.json"
    with open(path, "wb") as file:
        file.truncate(2**33)
    done = run("validate", "huge.json", "--json", cwd=tmp_path, **limited(AS=2**29))
    path.unlink()
    assert codes(document(done)) == ["json.size"]


@linux
@pytest.mark.parametrize("words", [["/dev/zero"], ["-"]], ids=["a file", "standard input"])
def test_an_endless_file_is_not_read_whole(words):
    with open("/dev/zero", "rb") as zeros:
        done = run("validate", *words, "--json", stdin=zeros, **limited(AS=2**29))
    assert codes(document(done)) == ["json.size"]


# -- names --------------------------------------------------------------------

#: Bytes of a name, and how a person sees them.
NAMES = {
    "letters": ("\u00e9\u8a9e \U0001f600.json".encode(), "\u00e9\u8a9e \U0001f600.json"),
    "not UTF-8": (b"a\xff\xfe.json", "a\\xff\\xfe.json"),
    "colour": (b"\x1b[31mred.json", "\\x1b[31mred.json"),
    "line feed": (b"a\nb.json: conforms", "a\\nb.json: conforms"),
    "carriage return": (b"a\rb", "a\\rb"),
    "C1 control": (b"\xc2\x9b31m", "\\x9b31m"),
    "bidirectional": ("\u202egnp.json".encode(), "\\u202egnp.json"),
    "bell and delete": (b"\x07\x7f", "\\x07\\x7f"),
}


@linux
@pytest.mark.parametrize(("name", "shown"), NAMES.values(), ids=NAMES)
def test_names_are_shown_harmlessly(tmp_path, name, shown):
    with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
        file.write(SUCCESS)
    assert run("validate", name, cwd=tmp_path) == (0, f"{shown}: conforms\n".encode(), "")


@linux
@pytest.mark.parametrize("name", [name for name, _ in NAMES.values()], ids=NAMES)
def test_names_in_the_json_report(tmp_path, name):
    done = run("validate", name, "--json", cwd=tmp_path)
    (file,) = document(done)["details"]["files"]
    assert file["file"] == name.decode("utf-8", "backslashreplace")


@linux
@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "C", "PYTHONIOENCODING": "ascii:strict"},
        {"LC_ALL": "nowhere.ISO-8859-1", "PYTHONUTF8": "0"},
    ],
    ids=str,
)
def test_names_do_not_depend_on_the_locale(tmp_path, locale):
    name = "\u00e9.json".encode()
    with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
        file.write(SUCCESS)
    assert run("validate", name, cwd=tmp_path, env=locale) == (0, name + b": conforms\n", "")


@pytest.mark.parametrize("text", [rb"\u001b[31m", rb"\n\n", rb"\u009b", rb"\u202e"])
def test_text_from_a_document_is_shown_harmlessly(tmp_path, text):
    data = b'{"%s": 1, "%s": 2}' % (text, text)
    done = validate(tmp_path, data)
    assert done.status == 1
    assert done.out.decode().replace("\n", "").isprintable()
    assert done.out.count(b"\n") == 4


def test_the_interpreter_gives_the_same_answer_in_any_mode(tmp_path):
    """Optimised, isolated, in development mode with every warning an error."""
    write_pair(tmp_path)
    for flags in (["-O"], ["-OO"], ["-I"], ["-X", "dev", "-W", "error"], ["-bb"]):
        words = [sys.executable, *flags, "-m", "sobre", "validate", "success.json"]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, timeout=30)
        assert (done.returncode, done.stdout, done.stderr) == (
            0,
            b"success.json: conforms\n",
            b"",
        ), flags
