"""Operations as functions: whatever they do, a conforming result comes out."""

from __future__ import annotations

import logging
import os

import pytest

from command import linux
from sobre import CONTRACT_URL, Result, check, success
from sobre.operations import OPERATIONS, operation
from sobre.operations.declaration import Operation
from sobre.operations.get_current_date_time import get_current_date_time
from sobre.operations.read_file import read_file


def perform(name, function):
    return Operation(name, "a test", (), function).run({})


def raising(error):
    def function():
        raise error

    return function


# -- performing ---------------------------------------------------------------


def test_a_result_gets_its_meta():
    result = perform("test", lambda: success("Done.", output=1))
    assert result.success
    assert result["output"] == 1
    assert (result.meta["command"], result.meta["schema_version"]) == ("test", 1)
    assert result.meta["duration_ms"] >= 0


def test_meta_that_is_there_stays():
    meta = {"command": "mine", "duration_ms": 5, "more": [1]}
    assert perform("test", lambda: success("Done.", meta=meta)).meta == {
        **meta,
        "schema_version": 1,
    }


def test_a_mapping_is_a_result_too():
    result = perform("test", lambda: {"success": False, "message": "No.", "error_code": "no"})
    assert isinstance(result, Result)
    assert result.error_code == "no"


@pytest.mark.parametrize(
    "outcome",
    [
        None,
        True,
        "text",
        [],
        {},
        {"success": True},
        {"success": "yes", "message": "m"},
        {"success": False, "message": "m"},
        {"success": True, "message": "m", "error": "e"},
        {"success": True, "message": "m", "output": {1}},
        {"success": True, "message": "m", "output": float("nan")},
        {"success": True, "message": "m", "output": "\udc80"},
        {"success": True, "message": "m", 1: 2},
    ],
    ids=repr,
)
def test_what_does_not_conform_is_never_emitted(outcome):
    result = perform("test", lambda: outcome)
    assert (result.success, result.error_code) == (False, "invalid_result_contract")
    assert result.details["violations"]
    assert result.details["contract"] == CONTRACT_URL
    assert result.meta["command"] == "test"


def test_a_result_that_contains_itself():
    outcome = {"success": True, "message": "m"}
    outcome["output"] = outcome
    assert perform("test", lambda: outcome).error_code == "invalid_result_contract"


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError("no text")


class Textless(Exception):
    def __str__(self):
        return None


ERRORS = {
    "plain": ValueError("wrong"),
    "no text": ValueError(),
    "blank text": ValueError(" \n\ufeff"),
    "text that raises": Unprintable(),
    "text that is none": Textless(),
    "a group": ExceptionGroup("several", [ValueError("a"), KeyError("b")]),
    "undecodable": UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
}


@pytest.mark.parametrize("error", ERRORS.values(), ids=ERRORS)
def test_an_exception_is_a_failure(error):
    result = perform("test", raising(error))
    assert (result.success, result.error_code) == (False, "unexpected_error")
    assert type(error).__name__ in result.error
    assert "Traceback" not in result.to_json()
    assert check(result.to_dict()) == []


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (FileNotFoundError(2, "No such file or directory", "a\udc80"), "path_not_found"),
        (PermissionError(13, "Permission denied", "/x"), "permission_denied"),
        (OSError(28, "No space left on device"), "os_error"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_the_system_refuses_has_a_code(error, code):
    result = perform("test", raising(error))
    assert (result.success, result.error_code) == (False, code)
    assert error.strerror in result.error


def test_the_traceback_goes_to_the_log(caplog):
    with caplog.at_level(logging.DEBUG, logger="sobre"):
        perform("test", raising(ValueError("wrong")))
    (record,) = caplog.records
    assert "test" in record.getMessage()
    assert record.exc_info is not None


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)], ids=repr)
def test_what_is_no_error_passes(error):
    with pytest.raises(type(error)):
        perform("test", raising(error))


# -- declarations -------------------------------------------------------------


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_operation_declares_itself(name):
    declared = operation(name)
    assert declared.name == name
    assert declared.summary
    for parameter in declared.parameters:
        assert parameter.name.isidentifier()
        assert parameter.help


def test_an_operation_that_does_not_exist():
    with pytest.raises(KeyError):
        operation("deleteEverything")


def test_wrong_arguments_are_a_failure():
    for arguments in ({"nonsense": 1}, {}, {"path": 7}):
        assert operation("readFile").run(arguments).success is False


@pytest.mark.parametrize("form", ["full", "simple", "iso"])
def test_the_time(form):
    assert get_current_date_time(form)["output_format"] == form


# -- readFile as a function ---------------------------------------------------


@pytest.mark.parametrize("path", ["a\0b", "\0", "\ud800", "a\udfffb"])
def test_a_path_that_can_name_nothing(path):
    result = read_file(path)
    assert (result.success, result.error_code) == (False, "invalid_path")
    assert result.details["path"]


def test_no_bytes_at_all(tmp_path):
    (tmp_path / "f.txt").write_bytes(b"")
    assert read_file(str(tmp_path / "f.txt"), max_bytes=0).success
    (tmp_path / "f.txt").write_bytes(b"x")
    assert read_file(str(tmp_path / "f.txt"), max_bytes=0).error_code == "file_too_large"


@linux
@pytest.mark.parametrize("name", ["", "f.txt", "pipe", "nope"])
def test_no_descriptor_is_left_open(tmp_path, name):
    (tmp_path / "f.txt").write_bytes(b"text")
    os.mkfifo(tmp_path / "pipe")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(10):
        read_file(str(tmp_path / name))
    assert len(os.listdir("/proc/self/fd")) == before
