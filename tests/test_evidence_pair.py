"""`sobre evidence`: how a pair is judged, and what its receipt says (specification section 5)."""

from __future__ import annotations

import hashlib
import json
import os

import jsonschema
import pytest

from command import (
    FAILURE,
    SUCCESS,
    document,
    limited,
    linux,
    posix,
    powerless,
    run,
    write_pair,
)
from sobre import CONTRACT_URL, RECEIPT_URL, check, read
from sobre.contract.schemas import schema

PAIR = ["--success", "success.json", "--failure", "failure.json"]
RECEIPT = jsonschema.Draft202012Validator(schema("receipt"))


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def bind(folder, *words, **options):
    """Write the receipt of the folder's pair: how it went, and the receipt."""
    done = run("evidence", *PAIR, "--report", "receipt.json", *words, cwd=folder, **options)
    receipt = read((folder / "receipt.json").read_bytes())
    sound(receipt)
    return done, receipt


def sound(receipt):
    RECEIPT.validate(receipt)
    assert check(receipt) == []


# -- a pair that conforms -----------------------------------------------------


def test_the_receipt_of_a_conforming_pair(tmp_path):
    write_pair(tmp_path)
    done, receipt = bind(tmp_path)
    assert (done.status, done.err) == (0, "")
    assert receipt == {
        "receipt_schema": RECEIPT_URL,
        "success": True,
        "message": "The evidence pair conforms to the core profile.",
        "warnings": [],
        "details": {
            "report_schema_version": 1,
            "contract_version": "v1",
            "contract_schema": CONTRACT_URL,
            "profile": "core",
            "mcp_specification": None,
            "tool_definition": None,
            "violations": [],
            "cases": [
                {
                    "name": name,
                    "file": f"{name}.json",
                    "sha256": sha256(data),
                    "expected_success": expected,
                    "actual_success": expected,
                    "conformant": True,
                    "violations": [],
                    "warnings": [],
                    "profile_facts": {},
                }
                for name, data, expected in [
                    ("success", SUCCESS, True),
                    ("failure", FAILURE, False),
                ]
            ],
        },
    }


def test_the_text_says_what_and_where(tmp_path):
    write_pair(tmp_path)
    done, _ = bind(tmp_path)
    lines = done.out.decode().splitlines()
    assert "success: success.json: conforms" in lines
    assert "failure: failure.json: conforms" in lines
    assert lines[-2:] == [
        "The evidence pair conforms to the core profile.",
        "Receipt: receipt.json",
    ]


def test_without_a_report_nothing_is_written(tmp_path):
    write_pair(tmp_path)
    done = run("evidence", *PAIR, cwd=tmp_path)
    assert done.status == 0
    assert b"--report" in done.out
    assert sorted(os.listdir(tmp_path)) == ["failure.json", "success.json"]


@pytest.mark.parametrize("failure", [FAILURE, b"{}"], ids=["conforms", "does not"])
def test_json_output_is_the_receipt_itself(tmp_path, failure):
    write_pair(tmp_path, failure=failure)
    done, receipt = bind(tmp_path, "--json")
    assert document(done) == receipt
    assert document(run("evidence", *PAIR, "--json", cwd=tmp_path)) == receipt


def test_the_form_of_the_file(tmp_path):
    write_pair(tmp_path)
    (tmp_path / "success.json").rename(tmp_path / "\u00e9 \U0001f600.json")
    words = ["--success", "\u00e9 \U0001f600.json", "--failure", "failure.json"]
    assert run("evidence", *words, "--report", "receipt.json", cwd=tmp_path).status == 0
    data = (tmp_path / "receipt.json").read_bytes()
    assert "\u00e9 \U0001f600.json".encode() in data
    expected = json.dumps(json.loads(data), indent=2, ensure_ascii=False) + "\n"
    assert data == expected.encode()


def test_a_tool_definition_is_ignored_with_a_warning(tmp_path):
    write_pair(tmp_path)
    done, receipt = bind(tmp_path, "--tool-definition", "tool.json")
    assert done.status == 0
    assert receipt["details"]["tool_definition"] is None
    (warning,) = receipt["warnings"]
    assert "tool.json" in warning
    assert b"evidence.tool_definition.ignored" in done.out


def test_warnings_of_a_case_stay_with_it(tmp_path):
    write_pair(tmp_path, success=b"\xef\xbb\xbf" + SUCCESS)
    done, receipt = bind(tmp_path)
    first, second = receipt["details"]["cases"]
    assert done.status == 0
    assert first["conformant"] is True
    assert first["sha256"] == sha256(b"\xef\xbb\xbf" + SUCCESS)
    assert len(first["warnings"]) == 1
    assert second["warnings"] == []


# -- pairs that do not conform ------------------------------------------------

#: How a case can be wrong: its bytes, the outcome it states, whether it was read.
BROKEN = {
    "empty": (b"", None),
    "not JSON": (b"success", None),
    "not UTF-8": (b'{"success": true, "message": "\xff"}', None),
    "two documents": (SUCCESS + FAILURE, None),
    "a log line before": (b"starting\n" + SUCCESS, None),
    "a name twice": (b'{"success": true, "success": false, "message": "m"}', None),
    "not an object": (b"[true]", None),
    "an empty object": (b"{}", None),
    "success as text": (b'{"success": "true", "message": "m"}', None),
    "success as a number": (b'{"success": 1, "message": "m"}', None),
    "no message": (b'{"success": %s, "error_code": "a"}', ...),
    "a blank message": (b'{"success": %s, "message": "\\u00a0"}', ...),
    "a bad code": (b'{"success": %s, "message": "m", "error_code": "Not-Snake"}', ...),
    "details as text": (b'{"success": %s, "message": "m", "error": "e", "details": ""}', ...),
}


@pytest.mark.parametrize("name", ["success", "failure"])
@pytest.mark.parametrize(("data", "stated"), BROKEN.values(), ids=BROKEN)
def test_one_case_broken(tmp_path, name, data, stated):
    expected = name == "success"
    if stated is ...:
        data, stated = data % (b"true" if expected else b"false"), expected
    write_pair(tmp_path, **{name: data})
    done, receipt = bind(tmp_path)
    cases = {case["name"]: case for case in receipt["details"]["cases"]}
    broken = cases.pop(name)
    (other,) = cases.values()
    assert (done.status, receipt["success"]) == (1, False)
    assert receipt["error_code"] == "conformance_failed"
    assert f"the {name} case" in receipt["message"]
    assert broken["conformant"] is False
    assert broken["violations"]
    assert (broken["sha256"], broken["actual_success"]) == (sha256(data), stated)
    assert (other["conformant"], other["violations"]) == (True, [])


@pytest.mark.parametrize(
    ("success", "failure", "broken"),
    [
        (FAILURE, SUCCESS, ["success", "failure"]),
        (SUCCESS, SUCCESS, ["failure"]),
        (FAILURE, FAILURE, ["success"]),
    ],
    ids=["swapped", "two successes", "two failures"],
)
def test_the_wrong_outcome(tmp_path, success, failure, broken):
    write_pair(tmp_path, success, failure)
    done, receipt = bind(tmp_path)
    cases = receipt["details"]["cases"]
    assert done.status == 1
    assert [case["name"] for case in cases if not case["conformant"]] == broken
    for case in cases:
        if not case["conformant"]:
            assert case["actual_success"] is not case["expected_success"]
            assert f"evidence.{case['name']}_case.outcome" in case["violations"][0]


def test_one_file_cannot_be_both(tmp_path):
    write_pair(tmp_path)
    words = ["--success", "success.json", "--failure", "success.json", "--json"]
    receipt = document(run("evidence", *words, cwd=tmp_path))
    assert [case["conformant"] for case in receipt["details"]["cases"]] == [True, False]


@pytest.mark.parametrize("name", ["success", "failure"])
def test_a_missing_file(tmp_path, name):
    write_pair(tmp_path)
    (tmp_path / f"{name}.json").unlink()
    done, receipt = bind(tmp_path)
    (case,) = [case for case in receipt["details"]["cases"] if case["name"] == name]
    assert done.status == 1
    assert (case["sha256"], case["actual_success"]) == (None, None)
    assert (case["conformant"], len(case["violations"])) == (False, 1)


def unread(folder, **options):
    done, receipt = bind(folder, **options)
    case = receipt["details"]["cases"][0]
    assert (done.status, case["sha256"], case["conformant"]) == (1, None, False)


def test_a_folder_as_evidence(tmp_path):
    write_pair(tmp_path)
    (tmp_path / "success.json").unlink()
    (tmp_path / "success.json").mkdir()
    unread(tmp_path)


@posix
def test_a_file_without_permission(tmp_path):
    write_pair(tmp_path)
    (tmp_path / "success.json").chmod(0)
    unread(tmp_path, **powerless())


def test_a_file_that_is_too_large(tmp_path):
    write_pair(tmp_path, success=SUCCESS + b" " * 1000)
    done, receipt = bind(tmp_path, "--max-bytes", "500")
    case = receipt["details"]["cases"][0]
    assert (done.status, case["conformant"], case["sha256"]) == (1, False, None)
    assert "json.size" in case["violations"][0]


@linux
def test_endless_evidence_is_not_read_whole(tmp_path):
    write_pair(tmp_path)
    words = ["--success", "/dev/zero", "--failure", "failure.json", "--json"]
    receipt = document(run("evidence", *words, cwd=tmp_path, **limited(AS=2**29)))
    assert receipt["details"]["cases"][0]["sha256"] is None


@linux
def test_names_are_shown_harmlessly(tmp_path):
    write_pair(tmp_path)
    words = ["--success", b"\x1b[31m\n", "--failure", "failure.json"]
    done = run("evidence", *words, "--report", b"\x1b]0;\x07", cwd=tmp_path)
    assert done.out.decode().replace("\n", "").isprintable()
    receipt = read((tmp_path / "\x1b]0;\x07").read_bytes())
    sound(receipt)
    assert receipt["details"]["cases"][0]["file"] == "\x1b[31m\n"


@linux
def test_a_receipt_names_no_file_that_it_could_not_find_again(tmp_path):
    write_pair(tmp_path)
    words = ["--success", b"\xff.json", "--failure", "failure.json"]
    done = run("evidence", *words, "--report", "receipt.json", cwd=tmp_path)
    assert (done.status, done.out) == (2, b"")
    assert "is not UTF-8" in done.err
    assert not (tmp_path / "receipt.json").exists()
    assert run("evidence", *words, "--json", cwd=tmp_path).status == 1


# -- determinism --------------------------------------------------------------

ELSEWHERE = [
    {"PYTHONHASHSEED": "0"},
    {"PYTHONHASHSEED": "12345"},
    {"TZ": "XYZ-14"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"LANG": "de_DE.UTF-8", "LANGUAGE": "de", "LC_ALL": None},
    {"USER": "someone", "LOGNAME": "someone", "HOME": "/nowhere", "HOSTNAME": "elsewhere"},
    {"COLUMNS": "20", "TERM": "dumb"},
    {"PYTHONOPTIMIZE": "2"},
]


@pytest.mark.parametrize("failure", [FAILURE, b'{"success": 0, "warnings": [1, ""], "meta": []}'])
def test_the_same_evidence_gives_the_same_bytes(tmp_path, failure):
    seen = set()
    for number, env in enumerate(ELSEWHERE):
        folder = tmp_path / f"run {number}"
        folder.mkdir()
        write_pair(folder, failure=failure)
        bind(folder, env=env)
        bind(folder, env=env)
        seen.add((folder / "receipt.json").read_bytes())
    assert len(seen) == 1
    assert str(tmp_path).encode() not in seen.pop()


@posix
def test_the_reason_for_an_unreadable_file_is_the_same_in_any_language(tmp_path):
    seen = set()
    for env in ELSEWHERE:
        words = ["--success", "\u00e9", "--failure", "missing", "--report", "receipt.json"]
        run("evidence", *words, cwd=tmp_path, env=env)
        seen.add((tmp_path / "receipt.json").read_bytes())
    assert len(seen) == 1


def test_paths_are_kept_as_they_were_typed(tmp_path):
    write_pair(tmp_path)
    words = ["--success", "./success.json", "--failure", str(tmp_path / "failure.json"), "--json"]
    receipt = document(run("evidence", *words, cwd=tmp_path))
    assert [case["file"] for case in receipt["details"]["cases"]] == [words[1], words[3]]
