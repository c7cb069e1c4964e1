"""Where a receipt may be written, and that it is written whole or not at all."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time

import jsonschema
import pytest

from command import (
    FAILURE,
    SUCCESS,
    document,
    environment,
    inject,
    limited,
    linux,
    make_device,
    posix,
    powerless,
    run,
    shell,
    wait_until,
    write_pair,
)
from sobre import check, files, read
from sobre.contract.schemas import schema
from sobre.evidence.pair import judge_pair
from sobre.evidence.receipt import build_receipt, write_receipt
from sobre.json_write import pretty

PAIR = ["--success", "success.json", "--failure", "failure.json"]


@pytest.fixture
def pair(tmp_path):
    """A folder of its own with a conforming pair."""
    folder = tmp_path / "pair"
    folder.mkdir()
    write_pair(folder)
    return folder


def bind(folder, destination, *words, **options):
    return run("evidence", *PAIR, "--json", "--report", destination, *words, cwd=folder, **options)


def refused(done, code):
    """The receipt that says why none was written; it is a sound one all the same."""
    receipt = document(done)
    jsonschema.Draft202012Validator(schema("receipt")).validate(receipt)
    assert (done.status, receipt["error_code"]) == (1, code), receipt["message"]
    assert receipt["details"]["violations"]
    assert [case["conformant"] for case in receipt["details"]["cases"]] == [True, True]
    return receipt


def untouched(folder, *more):
    """The evidence is as it was, and nothing else is there, temporary files least of all."""
    assert sorted(os.listdir(folder)) == sorted(["success.json", "failure.json", *more])
    assert (folder / "success.json").read_bytes() == SUCCESS
    assert (folder / "failure.json").read_bytes() == FAILURE


# -- never over its own evidence ----------------------------------------------


@pytest.mark.parametrize("name", ["success", "failure"])
@pytest.mark.parametrize("spelling", ["{}.json", "./{}.json", "../pair/{}.json", ".//{}.json"])
def test_the_evidence_by_another_spelling(pair, name, spelling):
    refused(bind(pair, spelling.format(name)), "receipt_path_conflict")
    untouched(pair)


def test_the_evidence_by_its_absolute_path(pair):
    refused(bind(pair, str(pair / "success.json")), "receipt_path_conflict")
    untouched(pair)


def test_absolute_evidence_by_its_relative_path(pair):
    words = ["--success", str(pair / "success.json"), "--failure", "failure.json", "--json"]
    done = run("evidence", *words, "--report", "success.json", cwd=pair)
    refused(done, "receipt_path_conflict")
    untouched(pair)


@posix
@pytest.mark.parametrize("target", ["success.json", "./failure.json", "other link"])
def test_a_symbolic_link_to_the_evidence(pair, target):
    (pair / "other link").symlink_to("success.json")
    (pair / "receipt.json").symlink_to(target)
    refused(bind(pair, "receipt.json"), "receipt_path_conflict")
    untouched(pair, "other link", "receipt.json")
    assert os.readlink(pair / "receipt.json") == target


@posix
def test_a_hard_link_to_the_evidence(pair):
    (pair / "receipt.json").hardlink_to(pair / "failure.json")
    refused(bind(pair, "receipt.json"), "receipt_path_conflict")
    untouched(pair, "receipt.json")
    assert (pair / "receipt.json").samefile(pair / "failure.json")


@posix
def test_the_evidence_through_a_link_to_its_folder(pair, tmp_path):
    (tmp_path / "elsewhere").symlink_to("pair")
    done = bind(pair, str(tmp_path / "elsewhere" / "success.json"))
    refused(done, "receipt_path_conflict")
    untouched(pair)


@posix
def test_evidence_that_is_itself_a_link(pair):
    (pair / "link").symlink_to("success.json")
    words = ["--success", "link", "--failure", "failure.json", "--json", "--report"]
    for destination in ("success.json", "link"):
        refused(run("evidence", *words, destination, cwd=pair), "receipt_path_conflict")
    untouched(pair, "link")


@posix
def test_a_hard_link_of_the_evidence_under_another_name(pair):
    (pair / "twin").hardlink_to(pair / "success.json")
    words = ["--success", "twin", "--failure", "failure.json", "--json"]
    done = run("evidence", *words, "--report", "success.json", cwd=pair)
    refused(done, "receipt_path_conflict")
    untouched(pair, "twin")


@pytest.mark.parametrize("destination", ["nowhere.json", "./nowhere.json", "no/../nowhere.json"])
def test_evidence_that_does_not_exist(pair, destination):
    words = ["--success", "nowhere.json", "--failure", "failure.json", "--json"]
    done = run("evidence", *words, "--report", destination, cwd=pair)
    assert document(done)["error_code"] == "receipt_path_conflict"
    untouched(pair)


@posix
def test_a_dangling_link_to_evidence_that_does_not_exist(pair):
    (pair / "link").symlink_to("nowhere.json")
    words = ["--success", "nowhere.json", "--failure", "failure.json", "--json"]
    done = run("evidence", *words, "--report", "link", cwd=pair)
    assert document(done)["error_code"] == "receipt_path_conflict"
    untouched(pair, "link")


def test_the_tool_definition_is_evidence_too(pair):
    (pair / "tool.json").write_text("{}")
    done = bind(pair, "./tool.json", "--tool-definition", "tool.json")
    assert document(done)["error_code"] == "receipt_path_conflict"
    assert (pair / "tool.json").read_text() == "{}"


@linux
def test_evidence_from_standard_input_by_its_device(pair):
    line = '"$@" <success.json'
    words = ["--success", "/dev/stdin", "--failure", "failure.json", "--json"]
    done = shell(line, "evidence", *words, "--report", "success.json", cwd=pair)
    refused(done, "receipt_path_conflict")
    untouched(pair)


# -- where it goes ------------------------------------------------------------


def written(done, path):
    """The receipt was written there: the one on standard output, and sound."""
    receipt = document(done)
    assert read(path.read_bytes()) == receipt
    assert path.read_bytes() == pretty(receipt)
    assert (done.status, check(receipt)) == (0, [])


@pytest.mark.parametrize("old", [None, b"", b"an old receipt\n" * 1000])
def test_an_old_receipt_is_replaced(pair, old):
    if old is not None:
        (pair / "receipt.json").write_bytes(old)
    written(bind(pair, "receipt.json"), pair / "receipt.json")
    untouched(pair, "receipt.json")


def test_an_absolute_path_and_another_folder(pair, tmp_path):
    written(bind(pair, str(tmp_path / "r.json")), tmp_path / "r.json")
    written(bind(pair, "../s.json"), tmp_path / "s.json")
    untouched(pair)


@posix
@pytest.mark.parametrize("target", ["other.txt", "nowhere", ".", "loop"])
def test_a_symbolic_link_is_replaced_and_not_followed(pair, target):
    (pair / "other.txt").write_bytes(b"mine")
    name = "loop" if target == "loop" else "receipt.json"
    (pair / name).symlink_to(target)
    written(bind(pair, name), pair / name)
    assert not (pair / name).is_symlink()
    assert (pair / "other.txt").read_bytes() == b"mine"
    untouched(pair, "other.txt", name)


@posix
def test_a_hard_link_to_another_file_is_replaced(pair):
    (pair / "other.txt").write_bytes(b"mine")
    (pair / "receipt.json").hardlink_to(pair / "other.txt")
    written(bind(pair, "receipt.json"), pair / "receipt.json")
    assert (pair / "other.txt").read_bytes() == b"mine"


@posix
def test_the_mode_is_that_of_any_new_file(pair):
    shell('umask 027; "$@"', "evidence", *PAIR, "--report", "receipt.json", cwd=pair)
    assert (pair / "receipt.json").stat().st_mode & 0o777 == 0o640


@linux
@pytest.mark.parametrize(
    "name",
    [
        b"\xff.json",
        b"a\nb",
        b"--json=",
        "\u00e9 \u8a9e".encode(),
        b"x" * 255,
        "\u8a9e".encode() * 85,
        "\U0001f600".encode() * 63,
        b"." * 200,
    ],
    ids=["not UTF-8", "line feed", "option", "letters", "255", "255 in 3s", "252 in 4s", "dots"],
)
def test_any_name_that_the_system_takes(pair, name):
    done = run("evidence", *PAIR, "--json", b"--report=" + name, cwd=pair)
    receipt = document(done)
    assert done.status == 0, receipt["message"]
    with open(os.path.join(os.fsencode(pair), name), "rb") as file:
        assert read(file.read()) == receipt
    assert len(os.listdir(pair)) == 3


# -- where it cannot go -------------------------------------------------------


@pytest.mark.parametrize("destination", ["folder", "folder/", ".", "", "no/such/r.json", "x/"])
def test_folders_and_what_is_not_there(pair, destination):
    (pair / "folder").mkdir()
    refused(bind(pair, destination), "receipt_write_failed")
    untouched(pair, "folder")
    assert os.listdir(pair / "folder") == []


def test_a_file_as_a_folder(pair):
    refused(bind(pair, "success.json/receipt.json"), "receipt_write_failed")
    untouched(pair)


@posix
def test_a_pipe_is_not_replaced(pair):
    os.mkfifo(pair / "pipe")
    refused(bind(pair, "pipe", seconds=10), "receipt_write_failed")
    assert (pair / "pipe").is_fifo()
    untouched(pair, "pipe")


@linux
def test_a_device_is_not_replaced(pair):
    device = make_device(pair)
    before = sorted(os.listdir(pair))
    refused(bind(pair, device), "receipt_write_failed")
    assert sorted(os.listdir(pair)) == before
    assert os.path.exists(device)
    assert not os.path.isfile(device)


@linux
@pytest.mark.parametrize("destination", ["/dev/fd/1", "/proc/self/fd/2", "/dev/fd/0"])
def test_a_descriptor_is_no_destination(pair, tmp_path, destination):
    with open(tmp_path / "log", "wb") as log:
        done = bind(pair, destination, stderr=log)
    refused(done, "receipt_write_failed")
    untouched(pair)


@posix
@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/stderr", "/dev/../dev/stdout"])
def test_nothing_is_ever_made_or_replaced_in_dev(pair, tmp_path, monkeypatch, path):
    """Whoever is root would replace the link for all programs, if it leads to a file just then."""
    touched = []

    def refuse(name):
        def function(*arguments, **_):
            touched.append((name, arguments))
            raise PermissionError(13, "Permission denied")

        return function

    opened = os.open
    monkeypatch.setattr(
        files.os, "open", lambda p, f, *m: refuse("open")(p) if f & os.O_CREAT else opened(p, f, *m)
    )
    for name in ("replace", "rename", "unlink"):
        monkeypatch.setattr(files.os, name, refuse(name))
    log = opened(tmp_path / "log", os.O_RDWR | os.O_CREAT)
    kept = os.dup(1), os.dup(2)
    try:
        os.dup2(log, 1)
        os.dup2(log, 2)
        with pytest.raises(OSError):
            files.write_atomically(path, b"{}")
    finally:
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)
        for descriptor in (log, *kept):
            os.close(descriptor)
    assert touched == []


@posix
def test_a_folder_that_may_not_be_written(pair, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0o500)
    try:
        refused(bind(pair, str(closed / "r.json"), **powerless()), "receipt_write_failed")
        assert os.listdir(closed) == []
    finally:
        closed.chmod(0o700)


@posix
def test_a_full_disk_leaves_the_old_receipt(pair):
    (pair / "receipt.json").write_bytes(b"old")
    refused(bind(pair, "receipt.json", **limited(FSIZE=100)), "receipt_write_failed")
    assert (pair / "receipt.json").read_bytes() == b"old"
    untouched(pair, "receipt.json")


@posix
@pytest.mark.parametrize("code", ["raise OSError(5, 'Input/output error')", "raise MemoryError"])
def test_a_failure_at_the_last_step_leaves_the_old_receipt(pair, tmp_path, code):
    (pair / "receipt.json").write_bytes(b"old")
    env = inject(tmp_path, code, "event == 'os.rename'")
    done = bind(pair, "receipt.json", env=env)
    assert done.status == 1
    assert (pair / "receipt.json").read_bytes() == b"old"
    untouched(pair, "receipt.json")


def test_a_path_that_can_name_nothing(pair, monkeypatch):
    monkeypatch.chdir(pair)
    receipt = build_receipt(judge_pair("core", "success.json", "failure.json"))
    answer = write_receipt(receipt, "a\0b", ["success.json", "failure.json"])
    assert answer["error_code"] == "receipt_write_failed"


def test_what_was_refused_is_said_in_text(pair):
    done = run("evidence", *PAIR, "--report", "success.json", cwd=pair)
    assert done.status == 1
    assert b"No receipt was written" in done.out
    assert b"Receipt:" not in done.out
    untouched(pair)


# -- killed while writing -----------------------------------------------------

#: Writes two receipts in turn, each of some 200 KB, for as long as it lives.
WRITER = """
import sys
from sobre.evidence.pair import judge_pair
from sobre.evidence.receipt import build_receipt, write_receipt
receipt = build_receipt(judge_pair("core", "success.json", "failure.json"))
receipts = []
for letter in "ab":
    details = dict(receipt["details"], violations=[letter * 1000] * 200)
    receipts.append(dict(receipt, details=details))
while True:
    for each in receipts:
        assert write_receipt(each, "out/receipt.json", ["success.json"]) is each
"""
KILLS = 40


@posix
def test_a_killed_writer_leaves_the_old_or_the_new_receipt(pair, monkeypatch):
    monkeypatch.chdir(pair)
    folder = pair / "out"
    folder.mkdir()
    path = folder / "receipt.json"
    receipt = build_receipt(judge_pair("core", "success.json", "failure.json"))
    whole = []
    for letter in "ab":
        details = dict(receipt["details"], violations=[letter * 1000] * 200)
        whole.append(pretty(dict(receipt, details=details)))
    moments = random.Random(40)
    found = []
    for _ in range(KILLS):
        before = path.stat().st_ino if path.exists() else None
        with subprocess.Popen([sys.executable, "-c", WRITER], env=environment()) as writer:
            wait_until(lambda: path.exists() and path.stat().st_ino != before, writer)  # noqa: B023
            end = time.perf_counter() + moments.uniform(0, 0.02)
            while time.perf_counter() < end:
                pass
            writer.kill()
        found.append(path.read_bytes())
        assert found[-1] in whole
    assert set(found) == set(whole)
    # Some were killed in the middle of writing, or else this would prove nothing.
    assert len(os.listdir(folder)) > 1
