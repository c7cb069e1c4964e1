"""`sobre verify`: a receipt against the files it names (specification section 5)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import pytest

from command import (
    FAILURE,
    SUCCESS,
    document,
    finish,
    limited,
    linux,
    needs_bash,
    posix,
    powerless,
    run,
    shell,
    start,
    write_pair,
)
from sobre import CONTRACT_URL
from sobre.evidence.pair import judge_pair
from sobre.evidence.receipt import build_receipt

CLAIMS = ["well_formed", "files", "reproduced", "conforms"]
NONE_HELD = [False, None, None, None]


def receipt_of(folder):
    """The receipt of the folder's pair, by the names that it has inside of the folder."""
    receipt = build_receipt(
        judge_pair("core", str(folder / "success.json"), str(folder / "failure.json"))
    )
    for case in receipt["details"]["cases"]:
        case["file"] = f"{case['name']}.json"
    return receipt


def write(folder, receipt):
    data = receipt if isinstance(receipt, bytes) else json.dumps(receipt, indent=2).encode()
    (folder / "receipt.json").write_bytes(data)


@pytest.fixture
def folder(tmp_path):
    """A folder with a conforming pair and its receipt."""
    place = tmp_path / "evidence"
    place.mkdir()
    write_pair(place)
    write(place, receipt_of(place))
    return place


def verify(folder, *words, **options):
    return run("verify", "receipt.json", "--json", *words, cwd=folder, **options)


def held(done):
    """Which of the four claims hold: True, False, or None for one that was not checked."""
    claims = document(done)["details"]["claims"]
    assert [claim["name"] for claim in claims] == CLAIMS
    return [claim["holds"] for claim in claims]


def codes(done):
    """The codes of all problems; the first is that of the report."""
    answer = document(done)
    found = [
        problem["code"] for claim in answer["details"]["claims"] for problem in claim["problems"]
    ]
    assert done.status == 1
    assert found[0] == answer["error_code"]
    return found


# -- all is well --------------------------------------------------------------


def test_a_true_receipt(folder):
    done = verify(folder)
    answer = document(done)
    assert held(done) == [True] * 4
    assert (done.status, done.err) == (0, "")
    assert answer["message"] == "The receipt receipt.json is verified."
    assert answer["details"]["receipt"] == "receipt.json"
    assert answer["details"]["contract"] == CONTRACT_URL
    assert answer["meta"]["command"] == "verify"


def test_the_text_of_a_true_receipt(folder):
    done = run("verify", "receipt.json", cwd=folder)
    lines = done.out.decode().splitlines()
    assert (done.status, done.err) == (0, "")
    assert [line.split()[0] for line in lines].count("yes") == 4
    assert "The receipt receipt.json is verified." in lines


def test_the_text_of_a_false_receipt(folder):
    (folder / "success.json").write_bytes(FAILURE)
    done = run("verify", "receipt.json", cwd=folder)
    assert done.status == 1
    assert "evidence_changed: " in done.out.decode()
    assert "(not checked)" in done.out.decode()


def test_what_evidence_writes_is_what_verify_takes(folder):
    words = ["--success", "success.json", "--failure", "failure.json", "--report", "receipt.json"]
    assert run("evidence", *words, cwd=folder).status == 0
    assert held(verify(folder)) == [True] * 4


def test_a_receipt_from_standard_input(folder):
    data = (folder / "receipt.json").read_bytes()
    done = run("verify", "-", "--json", cwd=folder, input=data)
    assert held(done) == [True] * 4


@needs_bash
@posix
def test_a_receipt_from_a_pipe(folder):
    line = '"$@" <(cat receipt.json)'
    assert shell(line, "verify", "--json", program="bash", cwd=folder).status == 0


def test_the_layout_of_a_receipt_does_not_matter(folder):
    receipt = receipt_of(folder)
    write(folder, json.dumps(receipt, sort_keys=True).encode())
    assert held(verify(folder)) == [True] * 4
    write(folder, b"\xef\xbb\xbf" + json.dumps(receipt).encode())
    assert held(verify(folder)) == [True] * 4


def test_a_receipt_by_another_implementation(folder):
    """It words things in its own way, and says with what it validated."""
    write_pair(folder, failure=b'{"success": false, "message": " "}')
    receipt = receipt_of(folder)
    receipt["message"] = "Evidencia no conforme."
    receipt["details"]["cases"][1]["violations"] = ["message: blank", "one of error, error_code"]
    receipt["details"]["cases"][1]["warnings"] = ["anything"]
    receipt["details"]["violations"] = ["failure case rejected"]
    receipt["warnings"] = ["more"]
    material = {"sha256": "0" * 64}
    source = "src/qzx/resources/schemas/result-contract"
    receipt["details"]["validation_materials"] = {
        "contract_schema": {**material, "repository_path": f"{source}-v1.schema.json"},
        "receipt_schema": {
            **material,
            "repository_path": f"{source}-conformance-receipt-v1.schema.json",
        },
        "core_validator": {**material, "repository_path": "src/qzx/core/result_contract.py"},
        "mcp_validator": {
            **material,
            "repository_path": "scripts/validate_mcp_result_contract.py",
        },
        "evidence_validator": {
            **material,
            "repository_path": "scripts/validate_result_contract_evidence.py",
        },
    }
    write(folder, receipt)
    done = verify(folder, "--allow-nonconformant")
    assert held(done) == [True, True, True, False]
    assert done.status == 0


def test_verifying_changes_nothing(folder):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    verify(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


# -- the receipt is well formed -----------------------------------------------


def test_a_receipt_that_is_not_there(folder):
    (folder / "receipt.json").unlink()
    done = verify(folder)
    assert codes(done) == ["receipt_unreadable"]
    assert held(done) == NONE_HELD


def test_a_folder_as_a_receipt(folder):
    done = run("verify", ".", "--json", cwd=folder)
    assert codes(done) == ["receipt_unreadable"]


@posix
def test_a_receipt_without_permission(folder):
    (folder / "receipt.json").chmod(0)
    assert codes(verify(folder, **powerless())) == ["receipt_unreadable"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not JSON",
        b'{"success": true,}',
        b"{} {}",
        b'{"a": NaN}',
        b'{"a": 1, "a": 2}',
        b"\xff\xfe{\x00}\x00",
        b"[" * 100_000,
    ],
    ids=["empty", "text", "comma", "two", "NaN", "twice", "UTF-16", "deep"],
)
def test_a_receipt_that_is_not_strict_json(folder, data):
    write(folder, data)
    done = verify(folder)
    assert codes(done) == ["invalid_json_input"]
    assert held(done) == NONE_HELD


def test_a_receipt_that_is_too_large(folder):
    assert codes(verify(folder, "--max-bytes", "100")) == ["invalid_json_input"]


def change(path, value):
    """An edit of the receipt: the member at a path gets a value, or goes if that is `...`."""

    def edit(receipt):
        part = receipt
        for name in path[:-1]:
            part = part[name]
        if value is ...:
            del part[path[-1]]
        else:
            part[path[-1]] = value

    return edit


def both(*edits):
    def edit(receipt):
        for one in edits:
            one(receipt)

    return edit


FIRST = ("details", "cases", 0)
MALFORMED = {
    "no schema named": change(["receipt_schema"], ...),
    "another schema": change(["receipt_schema"], CONTRACT_URL),
    "no details": change(["details"], ...),
    "a member more": change(["host"], "here"),
    "a detail more": change(["details", "time"], 0),
    "a case member more": change([*FIRST, "size"], 0),
    "a fact for core": change([*FIRST, "profile_facts", "mood"], "good"),
    "no warnings": change(["warnings"], ...),
    "a blank warning": change(["warnings"], [" "]),
    "a blank message": change(["message"], "\u3000"),
    "version 1 as text": change(["details", "report_schema_version"], "1"),
    "version true": change(["details", "report_schema_version"], True),
    "another version": change(["details", "contract_version"], "v2"),
    "no such profile": change(["details", "profile"], "mcp-1999-01-01"),
    "a short digest": change([*FIRST, "sha256"], "ab12"),
    "an upper-case digest": change([*FIRST, "sha256"], "A" * 64),
    "a digest and a line feed": change([*FIRST, "sha256"], "a" * 64 + "\n"),
    "a file that is no text": change([*FIRST, "file"], 7),
    "another case name": change([*FIRST, "name"], "failure"),
    "another expectation": change([*FIRST, "expected_success"], False),
    "one case": lambda receipt: receipt["details"]["cases"].pop(),
    "three cases": lambda receipt: receipt["details"]["cases"].append(
        receipt["details"]["cases"][0]
    ),
    "cases in another order": lambda receipt: receipt["details"]["cases"].reverse(),
    "a failure without a code": change(["success"], False),
}
CONTRADICTING = {
    "a success with a code": change(["error_code"], "conformance_failed"),
    "an MCP revision for core": change(["details", "mcp_specification"], "2025-06-18"),
    "a pair violation in a success": change(["details", "violations"], ["something"]),
    "a broken case in a success": change([*FIRST, "conformant"], False),
    "a conforming case with violations": change([*FIRST, "violations"], ["something"]),
    "a conforming case that failed": change([*FIRST, "actual_success"], False),
    "a conforming case that said nothing": change([*FIRST, "actual_success"], None),
}
EDITS = {**MALFORMED, **CONTRADICTING}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_a_malformed_receipt(folder, edit):
    receipt = receipt_of(folder)
    edit(receipt)
    write(folder, receipt)
    done = verify(folder)
    assert set(codes(done)) == {"receipt_malformed"}
    assert held(done) == NONE_HELD


@pytest.mark.parametrize("value", [None, [], "receipt", 1, True, {}], ids=repr)
def test_another_value_than_a_receipt(folder, value):
    write(folder, json.dumps(value).encode())
    assert set(codes(verify(folder))) == {"receipt_malformed"}


# -- the files are the ones it names ------------------------------------------


@pytest.mark.parametrize("name", ["success", "failure"])
def test_evidence_that_is_gone(folder, name):
    (folder / f"{name}.json").unlink()
    done = verify(folder)
    assert codes(done) == ["evidence_missing"]
    assert held(done) == [True, False, None, None]


def test_both_gone(folder):
    (folder / "success.json").unlink()
    (folder / "failure.json").unlink()
    assert codes(verify(folder)) == ["evidence_missing"] * 2


def test_a_folder_in_its_place(folder):
    (folder / "success.json").unlink()
    (folder / "success.json").mkdir()
    assert codes(verify(folder)) == ["evidence_missing"]


@posix
def test_evidence_without_permission(folder):
    (folder / "success.json").chmod(0)
    assert codes(verify(folder, **powerless())) == ["evidence_missing"]


@pytest.mark.parametrize("name", ["success", "failure"])
@pytest.mark.parametrize("place", [0, 20, -1])
def test_one_byte_changed(folder, name, place):
    path = folder / f"{name}.json"
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
    done = verify(folder)
    assert codes(done) == ["evidence_changed"]
    assert held(done) == [True, False, None, None]


def test_a_line_feed_more(folder):
    (folder / "success.json").write_bytes(SUCCESS + b"\n")
    assert codes(verify(folder)) == ["evidence_changed"]


def test_both_changed(folder):
    write_pair(folder, SUCCESS + b" ", FAILURE + b" ")
    assert codes(verify(folder)) == ["evidence_changed"] * 2


def test_one_file_in_the_place_of_the_other(folder):
    (folder / "failure.json").write_bytes(SUCCESS)
    assert codes(verify(folder)) == ["evidence_changed"]


def test_the_files_swapped(folder):
    write_pair(folder, FAILURE, SUCCESS)
    done = verify(folder)
    assert codes(done) == ["evidence_swapped"]
    assert held(done) == [True, False, None, None]


def test_the_names_swapped_in_the_receipt(folder):
    receipt = receipt_of(folder)
    first, second = receipt["details"]["cases"]
    first["file"], second["file"] = second["file"], first["file"]
    write(folder, receipt)
    assert codes(verify(folder)) == ["evidence_swapped"]


def test_evidence_that_was_unreadable_then_and_is_not_now(folder):
    (folder / "success.json").unlink()
    write(folder, receipt_of(folder))
    (folder / "success.json").write_bytes(SUCCESS)
    assert codes(verify(folder, "--allow-nonconformant")) == ["evidence_changed"]


def test_evidence_that_was_unreadable_and_still_is(folder):
    (folder / "success.json").unlink()
    write(folder, receipt_of(folder))
    assert codes(verify(folder)) == ["not_conformant"]


# -- judging them now gives its verdict ---------------------------------------


def nonconforming(receipt):
    receipt["success"], receipt["error_code"] = False, "conformance_failed"


UNTRUE = {
    "a failure that is none": nonconforming,
    "a case that conforms": both(
        nonconforming, change([*FIRST, "conformant"], False), change([*FIRST, "violations"], ["x"])
    ),
    "an outcome that was stated": both(
        nonconforming,
        change([*FIRST, "conformant"], False),
        change([*FIRST, "actual_success"], None),
    ),
    "a fact of another profile": change([*FIRST, "profile_facts"], {"output_schema_checked": True}),
}


@pytest.mark.parametrize("edit", UNTRUE.values(), ids=UNTRUE)
def test_a_verdict_that_is_not_that_of_the_files(folder, edit):
    receipt = receipt_of(folder)
    edit(receipt)
    write(folder, receipt)
    done = verify(folder)
    assert set(codes(done)) == {"verdict_differs"}
    assert held(done) == [True, True, False, True]
    assert verify(folder, "--allow-nonconformant").status == 1


def test_a_verdict_made_better_than_the_files(folder):
    good = receipt_of(folder)
    write_pair(folder, failure=b'{"success": false, "message": "No reason."}')
    bad = receipt_of(folder)
    good["details"]["cases"][1]["sha256"] = bad["details"]["cases"][1]["sha256"]
    write(folder, good)
    done = verify(folder)
    assert codes(done) == ["verdict_differs", "verdict_differs", "not_conformant"]
    assert held(done) == [True, True, False, False]
    assert verify(folder, "--allow-nonconformant").status == 1


def test_a_message_that_is_edited_is_no_claim(folder):
    receipt = receipt_of(folder)
    receipt["message"] = "Certified secure."
    write(folder, receipt)
    done = verify(folder)
    assert done.status == 0
    assert "secure" not in done.out.decode()


# -- the implementation conforms ----------------------------------------------


def test_a_true_receipt_of_a_failure(folder):
    write_pair(folder, failure=b'{"success": false, "message": "No reason."}')
    write(folder, receipt_of(folder))
    done = verify(folder)
    assert codes(done) == ["not_conformant"]
    assert held(done) == [True, True, True, False]


def test_a_true_receipt_of_a_failure_where_that_is_allowed(folder):
    write_pair(folder, FAILURE, SUCCESS)
    write(folder, receipt_of(folder))
    done = verify(folder, "--allow-nonconformant")
    assert (done.status, held(done)) == (0, [True, True, True, False])
    assert run("verify", "receipt.json", "--allow-nonconformant", cwd=folder).status == 0


# -- the root -----------------------------------------------------------------


def named(folder, file, edits=()):
    """Write a receipt that names this file as the success, edited further."""
    receipt = receipt_of(folder)
    both(change([*FIRST, "file"], file), *edits)(receipt)
    write(folder, receipt)


def test_names_are_taken_from_the_root(folder, tmp_path):
    words = ["verify", "evidence/receipt.json", "--json"]
    assert held(run(*words, "--root", "evidence", cwd=tmp_path)) == [True] * 4
    assert codes(run(*words, cwd=tmp_path)) == ["evidence_missing"] * 2
    assert run(*words, "--root", str(folder), cwd="/").status == 1  # The receipt is not there.
    done = run("verify", str(folder / "receipt.json"), "--root", str(folder), "--json", cwd="/")
    assert held(done) == [True] * 4


@pytest.mark.parametrize("root", [".", "", "./", "../evidence"])
def test_any_spelling_of_the_root(folder, root):
    assert held(verify(folder, "--root", root)) == [True] * 4


@posix
def test_the_whole_system_as_the_root(folder):
    receipt = receipt_of(folder)
    for case in receipt["details"]["cases"]:
        case["file"] = str(folder / case["file"]).lstrip("/")
    write(folder, receipt)
    assert held(verify(folder, "--root", "/")) == [True] * 4


@posix
def test_a_root_that_is_a_link(folder, tmp_path):
    (tmp_path / "link").symlink_to("evidence")
    assert held(verify(folder, "--root", str(tmp_path / "link"))) == [True] * 4


def test_a_root_that_is_not_there(folder):
    assert codes(verify(folder, "--root", "nowhere")) == ["root_not_found"]


OUTSIDE = [
    "../success.json",
    "../evidence-too/success.json",
    "x/../../success.json",
    "/etc/passwd",
    "..",
    "/",
]


@posix
@pytest.mark.parametrize("file", OUTSIDE)
def test_a_path_out_of_the_root(folder, tmp_path, file):
    (tmp_path / "evidence-too").mkdir()
    for place in (tmp_path, tmp_path / "evidence-too"):
        shutil.copy(folder / "success.json", place)
    named(folder, file)
    done = verify(folder, "--root", ".")
    assert codes(done) == ["path_outside_root"]
    assert held(done) == [True, False, None, None]


@posix
@pytest.mark.parametrize("target", ["../outside.json", "/etc/passwd", "other link"])
def test_a_link_out_of_the_root(folder, tmp_path, target):
    (tmp_path / "outside.json").write_bytes(SUCCESS)
    (folder / "other link").symlink_to("../outside.json")
    (folder / "success.json").unlink()
    (folder / "success.json").symlink_to(target)
    assert codes(verify(folder, "--root", ".")) == ["path_outside_root"]


@posix
def test_a_folder_that_links_out_of_the_root(folder, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "success.json").write_bytes(SUCCESS)
    (folder / "sub").symlink_to("../outside")
    named(folder, "sub/success.json")
    assert codes(verify(folder, "--root", ".")) == ["path_outside_root"]


@posix
@pytest.mark.parametrize("file", ["./success.json", "sub/../success.json", "sub/link.json"])
def test_a_path_that_stays_inside(folder, file):
    (folder / "sub").mkdir()
    (folder / "sub" / "link.json").symlink_to("../success.json")
    named(folder, file)
    assert held(verify(folder, "--root", ".")) == [True] * 4


def test_without_a_root_paths_are_as_they_were_typed(folder, tmp_path):
    (tmp_path / "success.json").write_bytes(SUCCESS)
    named(folder, "../success.json")
    assert held(verify(folder)) == [True] * 4


# -- a receipt that means harm ------------------------------------------------


unread = both(
    nonconforming,
    change([*FIRST, "conformant"], False),
    change([*FIRST, "sha256"], None),
    change([*FIRST, "actual_success"], None),
)


@linux
@pytest.mark.parametrize("digest", ["same", None])
@pytest.mark.parametrize("root", [[], ["--root", "."], ["--root", "/"]], ids=" ".join)
@pytest.mark.parametrize(
    "file", ["pipe", "/dev/zero", "/dev/stdin", "/dev/tty", "/proc/self/mem", "sub"]
)
def test_what_is_no_file_is_not_opened(folder, file, root, digest):
    os.mkfifo(folder / "pipe")
    (folder / "sub").mkdir()
    named(folder, file, [unread] * (digest is None))
    done = verify(folder, *root, seconds=10, **limited(AS=2**29))
    assert codes(done)[0] in ("evidence_missing", "path_outside_root", "not_conformant")


@posix
@pytest.mark.parametrize("there", [True, False], ids=["a file", "no file"])
@pytest.mark.parametrize("digest", ["same", None])
def test_minus_is_not_standard_input_in_a_receipt(folder, there, digest):
    """It is a file of that name; otherwise whoever verifies would wait for a terminal."""
    if there:
        (folder / "-").write_bytes(SUCCESS)
    named(folder, "-", [unread] * (digest is None))
    reader, writer = os.pipe()
    try:
        with start(
            "verify", "receipt.json", "--json", cwd=folder,
            stdin=reader, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as process:  # fmt: skip
            done = finish(process, seconds=10)
    finally:
        os.close(reader)
        os.close(writer)
    document(done)
    assert (done.status == 0) is (there and digest == "same")


@pytest.mark.parametrize(
    "file", ["a\0b", "\x1b[31m\n", "x" * 5000, "", "\u202e", "~", "$HOME/success.json", "*.json"]
)
@pytest.mark.parametrize("root", [[], ["--root", "."]], ids=["no root", "root"])
def test_names_that_name_nothing(folder, file, root):
    named(folder, file)
    assert codes(verify(folder, *root)) == ["evidence_missing"]
    done = run("verify", "receipt.json", *root, cwd=folder)
    assert done.status == 1
    assert done.out.decode().replace("\n", "").isprintable()


@posix
@pytest.mark.parametrize("root", [[], ["--root", "."]], ids=["no root", "root"])
def test_names_that_the_locale_cannot_spell(folder, root):
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    name = "\u00e9.json"
    (folder / name).write_bytes(SUCCESS)
    receipt = receipt_of(folder)
    receipt["details"]["cases"][0]["file"] = name
    write(folder, json.dumps(receipt, ensure_ascii=False).encode())
    assert held(verify(folder, *root)) == [True] * 4
    assert held(verify(folder, *root, env=locale)) == [True] * 4


def test_many_problems_are_all_told(folder):
    receipt = receipt_of(folder)
    receipt["details"]["violations"] = [7] * 1000
    write(folder, receipt)
    assert codes(verify(folder)) == ["receipt_malformed"] * 1000


def test_a_huge_receipt_is_soon_judged(folder):
    receipt = receipt_of(folder)
    receipt["warnings"] = ["w" * 100] * 50_000
    write(folder, receipt)
    assert held(verify(folder, seconds=10)) == [True] * 4
