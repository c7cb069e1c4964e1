"""The producers of examples/, run for real: every language says the same of every file.

What is expected of a file is written here once, so that all languages are held
to the same document. Only `error`, the system's own words, may differ.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import ROOT, document, execute, linux, powerless, run
from strategies import examples

EXAMPLES = ROOT / "examples"
RECEIPT = "qzx-result-contract-conformance.json"
#: Seconds to compile; a Go without a cache compiles its library first.
BUILD_SECONDS = 120

#: Language -> the programs that must be there, and how to build (if at all) and start it.
LANGUAGES = {
    "bash": (("bash", "jq"), None, "bash/count-lines.sh"),
    "node": (("node",), None, "node/count-lines.mjs"),
    "go": (("go",), ["go", "build", "-o", "{out}", "go/count-lines.go"], "{out}"),
    "rust": (
        ("rustc", "cc"),
        ["rustc", "--edition", "2021", "-o", "{out}", "rust/count-lines.rs"],
        "{out}",
    ),
}

pytestmark = linux  # Other systems have other file names and other words for what is wrong.


def build(language, folder):
    """The path of a language's program; skips where its toolchain is missing."""
    needs, compile_it, program = LANGUAGES[language]
    missing = [name for name in needs if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    out = str(folder / f"count-lines-{language}")
    if compile_it is not None:
        cache = str(ROOT / ".cache" / "go")
        words = [word.format(out=out) for word in compile_it]
        env = {"GOCACHE": cache, "GOTOOLCHAIN": "local", "GOFLAGS": None, "GO111MODULE": "off"}
        done = execute(words, cwd=EXAMPLES, env=env, seconds=BUILD_SECONDS)
        assert done.status == 0, done.err
    return str(EXAMPLES / program.format(out=out))


@pytest.fixture(scope="session", params=LANGUAGES)
def producer(request, tmp_path_factory):
    """The language and the path of its program."""
    return request.param, build(request.param, tmp_path_factory.mktemp("producer"))


def ask(program, *words, **options):
    """What it says with --json, as the one document that the profile allows."""
    done = execute([program, "--json", *words], **options)
    assert done.err == ""
    return document(done)


def success(path, count):
    return {
        "success": True,
        "message": f"Lines in {path}: {count}.",
        "path": path,
        "line_count": count,
    }


def failure(path, code):
    told = {
        "path_not_found": "was not found",
        "permission_denied": "may not be read",
        "not_a_file": "is a folder",
        "os_error": "could not be read",
    }
    return {
        "success": False,
        "message": f"{path} {told[code]}.",
        "error_code": code,
        "path": path,
    }


USAGE = {
    "success": False,
    "message": "Name one file: count-lines [--json] [--] FILE",
    "error_code": "usage_error",
}
NOT_TEXT = {
    "success": False,
    "message": "The file's name is not UTF-8, so no result can tell it.",
    "error_code": "path_not_text",
}


def without_error(result):
    """A result without the system's words, which it has if a system call failed."""
    assert ("error" in result) is (not result["success"] and "path" in result)
    return {name: value for name, value in result.items() if name != "error"}


CONTENTS = {
    "empty": (b"", 0),
    "no line feed": (b"a", 1),
    "one": (b"a\n", 1),
    "unended": (b"a\nb", 2),
    "blank": (b"\n\n\n", 3),
    "crlf": (b"a\r\nb\r\n", 2),
    "cr": (b"a\rb\r", 1),
    "separators": ("a\u2028b\u2029c\u0085d\x0be\x0c".encode(), 1),
    "binary": (b"\0\xff\n\0\x80\n\xfe", 3),
    "utf-16": ("a\nb\n".encode("utf-16"), 3),
    "full buffer": (b"x" * 65_535 + b"\n", 1),
    "over the buffer": (b"x" * 65_535 + b"\ny", 2),
    "long line": (b"x" * 3_000_000, 1),
    "many": (b"\n" * 1_000_000, 1_000_000),
}


@pytest.mark.parametrize("content", CONTENTS)
def test_it_counts(producer, content, tmp_path):
    data, count = CONTENTS[content]
    (tmp_path / "file").write_bytes(data)
    assert ask(producer[1], "file", cwd=tmp_path) == success("file", count)


#: Names that break what is made of format strings, shell words, patterns or parts of messages.
NAMES = [
    *["two words.txt", " ", "\n", "ends with a line feed\n", "line\nfeed", "tab\tbell\x07\x1b[31m"],
    *["quote\"s and 'more'", "back\\slash\\n\\u0041", "{}", "%s%d%n", "${path}", "$(exit 3)"],
    *["`exit 3`;&|<>", "*", "?[a-z]", "a=b", "~", "#", "!x", "\x01\x1f\x7f", "<b>&amp;<b>"],
    *["é", "e\u0301", "€\U0001f600", "\u2028\u2029\ufeff\u0085", "\uffff\ufdd0", "\u202egpj.exe"],
    *["x: Is a directory", "(Permission denied)", "null", "true", "1e999", "a" * 255, "é" * 127],
]
#: Names that need `--` before them.
DASHED = ["--", "-", "--json", "-x", "-\n", "--help"]


#: Names that could be taken for a part of what the system says of them.
MISSING = [name for name in NAMES if set(name) & set("\n:(%{")]


@pytest.mark.parametrize("there", [True, False], ids=["there", "missing"])
def test_it_tells_any_name(producer, there, tmp_path):
    for name in [*NAMES, *DASHED] if there else [*MISSING, "-"]:
        if there:
            (tmp_path / name).write_bytes(b"a\nb\n")
        dash = ["--"] if name in DASHED else []
        found = ask(producer[1], *dash, name, cwd=tmp_path)
        wanted = success(name, 2) if there else failure(name, "path_not_found")
        assert without_error(found) == wanted


@examples(12)
@given(name=st.binary(min_size=1, max_size=12).filter(lambda name: not {0, 47} & {*name}))
def test_it_tells_names_that_nobody_thought_of(producer, name):
    language, program = producer
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(os.fsencode(folder), name)
        if name not in (b".", b".."):
            with open(path, "wb") as file:
                file.write(b"line\n")
        found = ask(program, "--", name, cwd=folder)
    assert found == expected(language, name)


def expected(language, name):
    try:
        text = name.decode()
    except UnicodeDecodeError:
        return NOT_TEXT
    if name in (b".", b".."):
        return failure(text, "not_a_file")
    return NOT_TEXT if language == "node" and "\ufffd" in text else success(text, 1)


@pytest.mark.parametrize(
    "name", [b"\xff", b"a\xffb", b"\xed\xa0\x80", b"\xc3", b"\xf4\x90\x80\x80"]
)
def test_it_refuses_a_name_that_is_no_text(producer, name, tmp_path):
    (tmp_path / os.fsdecode(name)).write_bytes(b"a\n")
    assert ask(producer[1], name, cwd=tmp_path) == NOT_TEXT


def test_a_name_with_the_replacement_character_is_a_name_but_in_node(producer, tmp_path):
    language, program = producer
    (tmp_path / "a\ufffd").write_bytes(b"a\n")
    wanted = NOT_TEXT if language == "node" else success("a\ufffd", 1)
    assert ask(program, "a\ufffd", cwd=tmp_path) == wanted


def test_it_says_why_a_file_cannot_be_read(producer, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"a\n")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    wanted = {
        "": "path_not_found",
        "missing": "path_not_found",
        "folder": "not_a_file",
        "folder/": "not_a_file",
        ".": "not_a_file",
        "folder/missing": "path_not_found",
        "dangling": "path_not_found",
        "loop": "os_error",
        "file/below": "os_error",
        "a" * 256: "os_error",
    }
    for path, code in wanted.items():
        assert without_error(ask(producer[1], path, cwd=tmp_path)) == failure(path, code)


def test_it_says_that_permission_is_denied(producer, tmp_path):
    (tmp_path / "secret").write_bytes(b"a\n")
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed" / "file").write_bytes(b"a\n")
    (tmp_path / "secret").chmod(0)
    (tmp_path / "closed").chmod(0)
    try:
        for path in ("secret", "closed/file", "closed"):
            found = ask(producer[1], path, cwd=tmp_path, **powerless())
            assert without_error(found) == failure(path, "permission_denied")
    finally:
        (tmp_path / "closed").chmod(0o700)


WRONG = [
    [],
    ["--"],
    ["a", "b"],
    ["--bogus"],
    ["--bogus", "a"],
    ["a", "--bogus"],
    ["-"],
    ["--json=yes", "a"],
    ["--help"],
    ["--", "a", "--json"],
    ["a", b"\xff"],
    [b"-\xff"],
]


@pytest.mark.parametrize("words", WRONG, ids=map(str, range(len(WRONG))))
def test_wrong_usage_is_a_result_too(producer, words, tmp_path):
    done = execute([producer[1], "--json", *words], cwd=tmp_path)
    assert (done.status, done.err) == (2, "")
    assert document(done) == USAGE


@pytest.mark.parametrize(
    "words", [["file", "--json"], ["--json", "--", "file"], ["--json", "file", "--json", "--"]]
)
def test_json_may_stand_anywhere_before_the_dashes(producer, words, tmp_path):
    (tmp_path / "file").write_bytes(b"a\n")
    assert document(execute([producer[1], *words], cwd=tmp_path)) == success("file", 1)


def test_it_talks_to_people_without_json(producer, tmp_path):
    (tmp_path / "--json").write_bytes(b"a\n")
    good = execute([producer[1], "--", "--json"], cwd=tmp_path)
    assert good == (0, b"Lines in --json: 1.\n", "")
    assert execute([producer[1], "x"], cwd=tmp_path) == (1, b"", "x was not found.\n")
    assert execute([producer[1]], cwd=tmp_path) == (2, b"", USAGE["message"] + "\n")


@pytest.mark.parametrize("words", [["--json"], []], ids=["json", "text"])
def test_what_could_not_be_told_did_not_succeed(producer, words, tmp_path):
    (tmp_path / "file").write_bytes(b"a\n")
    with open("/dev/full", "wb") as full:
        assert execute([producer[1], *words, "file"], cwd=tmp_path, stdout=full).status != 0


def test_nobody_who_reads_it_means_no_success(producer, tmp_path):
    (tmp_path / "file").write_bytes(b"a\n")
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = execute([producer[1], "--json", "file"], cwd=tmp_path, stdout=writer)
    finally:
        os.close(writer)
    assert done.status != 0


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "tr_TR.UTF-8", "de_DE.ISO-8859-1"])
def test_no_locale_changes_it(producer, locale, tmp_path):
    (tmp_path / "€").write_bytes(b"\xff\n")
    env = {"LC_ALL": locale, "LANG": locale, "LANGUAGE": "de"}
    # Bash itself warns, on standard error, of a locale that is not installed.
    good, bad = (execute([producer[1], "--json", x], cwd=tmp_path, env=env) for x in ("€", "x"))
    assert document(good) == success("€", 1)
    assert without_error(document(bad)) == failure("x", "path_not_found")


# -- the evidence ----------------------------------------------------------------


def evidence_of(folder):
    names = ("success.json", "failure.json", RECEIPT)
    return {name: (folder / name).read_bytes() for name in names}


def test_the_committed_evidence_is_what_running_it_gives(producer, tmp_path):
    language, program = producer
    (tmp_path / "bin").mkdir()
    sobre = tmp_path / "bin" / "sobre"
    sobre.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sobre "$@"\n')
    sobre.chmod(0o755)
    shutil.copy(EXAMPLES / "poem.txt", tmp_path)
    make = [str(EXAMPLES / "make-evidence.sh"), f"{language}/evidence", program]
    path = os.pathsep.join([str(sobre.parent), os.environ["PATH"]])
    done = execute(make, cwd=tmp_path, env={"PATH": path})
    assert done.status == 0, done.err
    made = evidence_of(tmp_path / language / "evidence")
    assert made == evidence_of(EXAMPLES / language / "evidence")


@pytest.mark.parametrize("language", LANGUAGES)
def test_sobre_verifies_the_receipt(language):
    receipt = EXAMPLES / language / "evidence" / RECEIPT
    done = run("verify", str(receipt), "--root", str(EXAMPLES), "--json")
    assert document(done)["success"] is True


@pytest.mark.parametrize("language", LANGUAGES)
def test_evidence_names_no_place_of_any_machine(language):
    for data in evidence_of(EXAMPLES / language / "evidence").values():
        assert not re.search(rb'"(/|[A-Za-z]:\\\\)|/(home|root|tmp|usr|Users)/', data)


# -- the script that someone copies ----------------------------------------------


def test_without_jq_bash_says_nothing_on_standard_output(tmp_path):
    program = build("bash", tmp_path)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("bash", "env", "grep"):
        (tools / name).symlink_to(shutil.which(name))
    done = execute([program, "--json", "x"], env={"PATH": str(tools)})
    assert done.status != 0
    assert done.out == b""
    assert "jq" in done.err


def test_go_and_rust_are_written_as_their_formatters_write():
    found = []
    if shutil.which("gofmt"):
        found.append(execute(["gofmt", "-l", "go"], cwd=EXAMPLES))
    options = ["--edition", "2021", "--check", "--config"]
    width = "max_width=100,use_small_heuristics=Max"
    if shutil.which("rustfmt"):
        found.append(execute(["rustfmt", *options, width, "rust/count-lines.rs"], cwd=EXAMPLES))
    if not found:
        pytest.skip("neither gofmt nor rustfmt is installed")
    assert [(done.status, done.out) for done in found] == [(0, b"")] * len(found)


def test_the_readme_lists_every_language_and_every_code():
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"\| \[`count-lines\.\w+`\]\((\w+)/", text)
    assert listed == list(LANGUAGES)
    codes = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) - {"error_code"}
    told = (EXAMPLES / "go" / "count-lines.go").read_text(encoding="utf-8")
    assert codes == {c for c in re.findall(r'"([a-z]+(?:_[a-z]+)+)"', told) if c != "error_code"}


def test_only_what_runs_as_it_is_is_executable():
    files = [path for path in EXAMPLES.rglob("*") if path.is_file()]
    assert sorted(path.name for path in files if os.access(path, os.X_OK)) == [
        "count-lines.mjs",
        "count-lines.sh",
        "make-evidence.sh",
    ]
