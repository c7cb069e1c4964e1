"""The built-in operations on the command line: `getCurrentDateTime` and `readFile`."""

from __future__ import annotations

import os
import re
import time
from datetime import UTC, datetime, timedelta

import pytest

from command import SUCCESS, document, linux, make_device, posix, powerless, run, shell
from sobre.operations.read_file import MAX_FILE_BYTES

# -- getCurrentDateTime -------------------------------------------------------

FORMATS = {
    "full": r"[A-Z][a-z]+day, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC[+-]\d{4}",
    "simple": r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d",
    "iso": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d",
}

#: TZ -> the offset it stands for at any time of the year.
ZONES = {
    "UTC0": 0,
    "NPT-5:45": 20700,
    "NST+3:30": -12600,
    "ABC+12": -43200,
    "XYZ-14": 50400,
    "Nowhere/At_All": 0,
    "": 0,
}


@pytest.mark.parametrize("form", FORMATS)
def test_the_text_of_each_format(form):
    done = run("getCurrentDateTime", "--output-format", form)
    assert (done.status, done.err) == (0, "")
    assert re.fullmatch(FORMATS[form] + "\n", done.out.decode())


def test_full_is_the_default():
    assert document(run("getCurrentDateTime", "--json"))["output_format"] == "full"


@pytest.mark.parametrize("form", FORMATS)
def test_every_part_is_the_same_moment(form):
    before = time.time()
    answer = document(run("getCurrentDateTime", "--json", "--output-format", form))
    moment = datetime.fromisoformat(answer["iso"])
    assert before - 0.001 <= answer["unix_seconds"] <= time.time() + 0.001
    assert abs(moment.timestamp() - answer["unix_seconds"]) < 1e-6
    assert answer["date"] == moment.date().isoformat()
    assert answer["time"] == moment.time().isoformat("seconds")
    assert answer["weekday"] == moment.strftime("%A")
    assert moment.utcoffset() == timedelta(seconds=answer["utc_offset_seconds"])
    assert re.fullmatch(FORMATS[form], answer["output"])
    assert answer["output_format"] == form
    assert (
        answer["output"]
        == {
            "full": moment.strftime("%A, %Y-%m-%d %H:%M:%S UTC%z"),
            "simple": moment.strftime("%Y-%m-%d %H:%M:%S"),
            "iso": moment.isoformat(timespec="seconds"),
        }[form]
    )
    assert answer["meta"]["command"] == "getCurrentDateTime"
    assert answer["meta"]["schema_version"] == 1
    assert answer["meta"]["duration_ms"] >= 0


@posix
@pytest.mark.parametrize(("zone", "offset"), ZONES.items())
def test_the_local_time_zone(zone, offset):
    answer = document(run("getCurrentDateTime", "--json", env={"TZ": zone}))
    moment = datetime.fromisoformat(answer["iso"])
    assert answer["utc_offset_seconds"] == offset
    assert moment.utcoffset() == timedelta(seconds=offset)
    assert abs(moment - datetime.now(UTC)) < timedelta(seconds=30)


@posix
def test_an_offset_with_seconds_keeps_them():
    answer = document(run("getCurrentDateTime", "--json", env={"TZ": "LMT-0:00:33"}))
    assert answer["utc_offset_seconds"] == 33
    assert datetime.fromisoformat(answer["iso"]).utcoffset() == timedelta(seconds=33)


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "nowhere", "LANG": "de_DE.UTF-8"},
        {"PYTHONIOENCODING": "utf-16"},
    ],
    ids=str,
)
def test_the_locale_changes_nothing(locale):
    answer = document(run("getCurrentDateTime", "--json", env=locale))
    assert answer["weekday"] == datetime.fromisoformat(answer["iso"]).strftime("%A")
    assert re.fullmatch(FORMATS["full"], answer["output"])


# -- readFile: what it reads --------------------------------------------------

TEXTS = {
    "empty": (b"", 0),
    "one line": (b"text\n", 1),
    "no final line feed": (b"one\ntwo", 2),
    "blank lines": (b"\n\n\n", 3),
    "CRLF": (b"one\r\ntwo\r\n", 2),
    "lone carriage returns": (b"one\rtwo\r", 1),
    "byte order mark": (b"\xef\xbb\xbftext\n", 1),
    "NUL bytes": (b"a\0b\n\0", 2),
    "controls": (b"\x1b[31m\x07\x08\x7f\xc2\x9b\n", 1),
    "unusual line ends": ("a\u2028b\u0085c\x0bd\x0ce\n".encode(), 1),
    "the whole of Unicode": ("\u00e9\u8a9e\U0001f600\uffff\ufdd0\U0010ffff".encode(), 1),
}


@pytest.mark.parametrize(("data", "lines"), TEXTS.values(), ids=TEXTS)
def test_a_file_in_json(tmp_path, data, lines):
    (tmp_path / "f.txt").write_bytes(data)
    answer = document(run("readFile", "f.txt", "--json", cwd=tmp_path))
    assert answer["output"].encode() == data
    assert (answer["size_bytes"], answer["line_count"]) == (len(data), lines)
    assert (answer["path"], answer["encoding"]) == ("f.txt", "utf-8")
    assert answer["meta"]["command"] == "readFile"


@pytest.mark.parametrize("data", [data for data, _ in TEXTS.values()], ids=TEXTS)
def test_a_file_as_text_is_the_file(tmp_path, data):
    (tmp_path / "f.txt").write_bytes(data)
    assert run("readFile", "f.txt", cwd=tmp_path) == (0, data, "")


@posix
@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}]
)
def test_text_does_not_depend_on_the_locale(tmp_path, locale):
    data = "\u00e9\u8a9e\U0001f600\n".encode()
    (tmp_path / "f.txt").write_bytes(data)
    assert run("readFile", "f.txt", cwd=tmp_path, env=locale) == (0, data, "")
    done = run("readFile", "f.txt", "--json", cwd=tmp_path, env=locale)
    assert document(done)["output"].encode() == data


def at_terminal(*words, **options):
    """What a terminal receives, byte for byte."""
    import tty

    master, slave = os.openpty()
    try:
        tty.setraw(slave)
        done = run(*words, stdout=slave, **options)
        os.write(slave, b"<end>")
        shown = b""
        while not shown.endswith(b"<end>"):
            shown += os.read(master, 65536)
    finally:
        os.close(slave)
        os.close(master)
    return done._replace(out=shown.removesuffix(b"<end>"))


@posix
def test_a_terminal_is_not_obeyed(tmp_path):
    (tmp_path / "f.txt").write_bytes(
        b"plain \xc3\xa9\n\tred \x1b[31m bell \x07 \xc2\x9b \xe2\x80\xae\r\n"
    )
    done = at_terminal("readFile", "f.txt", cwd=tmp_path)
    assert (done.status, done.err) == (0, "")
    assert done.out.decode() == ("plain \u00e9\n\tred \\x1b[31m bell \\x07 \\x9b \\u202e\\r\n")


@posix
def test_json_at_a_terminal_is_still_the_document(tmp_path):
    (tmp_path / "f.txt").write_bytes(b"\x1b[31m\x7f\xc2\x9b")
    done = at_terminal("readFile", "f.txt", "--json", cwd=tmp_path)
    assert document(done)["output"] == "\x1b[31m\x7f\x9b"


@linux
@pytest.mark.parametrize(
    "name", [b"a\xff.txt", b"a\nb", b"\x1b[31m", "\u00e9 \u8a9e".encode(), b" ", b"-"]
)
def test_any_name(tmp_path, name):
    with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
        file.write(SUCCESS)
    answer = document(run("readFile", "--json", "--", name, cwd=tmp_path))
    assert answer["path"] == name.decode("utf-8", "backslashreplace")
    assert answer["output"].encode() == SUCCESS


@linux
def test_a_file_whose_size_the_system_does_not_tell():
    answer = document(run("readFile", "/proc/self/status", "--json"))
    assert answer["size_bytes"] == len(answer["output"].encode()) > 0


# -- readFile: how it fails ---------------------------------------------------


def failure(done, code, path=None):
    answer = document(done)
    assert (done.status, answer["success"], answer["error_code"]) == (1, False, code), answer
    assert answer["meta"]["command"] == "readFile"
    if path is not None:
        assert answer["details"]["path"] == path
    return answer


@pytest.mark.parametrize("path", ["nope.txt", "no/such/folder.txt", "f.txt/below", ""])
def test_path_not_found(tmp_path, path):
    (tmp_path / "f.txt").write_bytes(b"")
    failure(run("readFile", path, "--json", cwd=tmp_path), "path_not_found", path)


@posix
def test_a_dangling_link_is_not_found(tmp_path):
    (tmp_path / "link").symlink_to("nowhere")
    failure(run("readFile", "link", "--json", cwd=tmp_path), "path_not_found")


@pytest.mark.parametrize("path", [".", ".."])
def test_a_folder_is_not_a_file(tmp_path, path):
    failure(run("readFile", path, "--json", cwd=tmp_path), "not_a_file", path)


@posix
def test_a_pipe_is_not_a_file_and_nobody_waits(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    failure(run("readFile", "pipe", "--json", cwd=tmp_path, seconds=10), "not_a_file")


@posix
@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero", "/dev/tty"])
def test_a_device_is_not_a_file(path):
    done = run("readFile", path, "--json", seconds=10, start_new_session=True)
    if path == "/dev/tty":  # Without a terminal it cannot even be opened.
        assert document(done)["success"] is False
    else:
        failure(done, "not_a_file")


@linux
def test_a_device_of_ones_own(tmp_path):
    failure(run("readFile", make_device(tmp_path), "--json"), "not_a_file")


@posix
def test_a_socket_is_not_a_file(tmp_path, monkeypatch):
    import socket

    monkeypatch.chdir(tmp_path)  # The names of sockets must be short.
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        failure(run("readFile", "socket", "--json", cwd=tmp_path), "not_a_file")


@posix
def test_permission_denied(tmp_path):
    (tmp_path / "f.txt").write_bytes(b"secret")
    (tmp_path / "f.txt").chmod(0)
    done = run("readFile", "f.txt", "--json", cwd=tmp_path, **powerless())
    failure(done, "permission_denied", "f.txt")


@posix
def test_permission_denied_by_a_folder(tmp_path):
    (tmp_path / "closed").mkdir(0)
    try:
        done = run("readFile", "closed/f.txt", "--json", cwd=tmp_path, **powerless())
    finally:
        (tmp_path / "closed").chmod(0o700)
    failure(done, "permission_denied")


@pytest.mark.parametrize("limit", [1, 5, 4096])
def test_the_largest_file_that_is_read(tmp_path, limit):
    (tmp_path / "f.txt").write_bytes(b"x" * limit)
    (tmp_path / "more.txt").write_bytes(b"x" * (limit + 1))
    words = ["--max-bytes", str(limit), "--json"]
    assert document(run("readFile", "f.txt", *words, cwd=tmp_path))["size_bytes"] == limit
    answer = failure(run("readFile", "more.txt", *words, cwd=tmp_path), "file_too_large")
    assert answer["details"] == {
        "path": "more.txt",
        "size_bytes": limit + 1,
        "max_bytes": limit,
    }
    assert "--max-bytes" in answer["error"]


@posix
def test_the_limit_without_an_option(tmp_path):
    with open(tmp_path / "f.txt", "wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    answer = failure(run("readFile", "f.txt", "--json", cwd=tmp_path), "file_too_large")
    assert answer["details"]["max_bytes"] == MAX_FILE_BYTES


@pytest.mark.parametrize(
    ("data", "offset"),
    [(b"\xff", 0), (b"ok \xc3", 3), (b"a\xed\xa0\x80", 1), (b"\xc0\xaf", 0), (b"{\0}\0\xfe", 4)],
)
def test_not_text(tmp_path, data, offset):
    (tmp_path / "f.bin").write_bytes(data)
    answer = failure(run("readFile", "f.bin", "--json", cwd=tmp_path), "not_text")
    assert answer["details"] == {"path": "f.bin", "size_bytes": len(data), "offset": offset}


@posix
@pytest.mark.parametrize("path", ["loop", "x" * 300, "x/" * 3000])
def test_what_no_system_opens(tmp_path, path):
    (tmp_path / "loop").symlink_to("loop")
    done = run("readFile", path, "--json", cwd=tmp_path)
    assert document(done)["error_code"] in ("read_failed", "path_not_found")


def test_a_failure_as_text(tmp_path):
    done = run("readFile", "nope.txt", cwd=tmp_path)
    assert (done.status, done.out) == (1, b"")
    assert "nope.txt" in done.err
    assert "path_not_found" in done.err


@linux
def test_a_failure_as_text_is_harmless(tmp_path):
    done = run("readFile", b"\x1b[31m\n\xff\xc2\x9b", cwd=tmp_path)
    assert done.status == 1
    assert done.err.replace("\n", "").isprintable()
    assert done.err.count("\n") == 3


@posix
def test_standard_input_is_no_name(tmp_path):
    failure(run("readFile", "-", "--json", cwd=tmp_path, input=b"text"), "path_not_found", "-")


@posix
def test_standard_output_may_be_the_file_itself(tmp_path):
    (tmp_path / "f.txt").write_bytes(b"text\n")
    assert shell('"$@" >>f.txt', "readFile", "f.txt", cwd=tmp_path).status == 0
    assert (tmp_path / "f.txt").read_bytes() == b"text\ntext\n"
