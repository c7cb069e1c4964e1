"""`sobre.wrap`, `sobre wrap` and `sobre unwrap`, with programs that behave and that do not."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import shutil
import signal
import sys
import threading
import time

import pytest

import sobre
from command import document, execute, gone, linux, posix, run
from sobre.processes import HELD_SECONDS, TERM_SECONDS, Stream
from sobre.produce.wrap import wrap_program

pytestmark = posix


def python(code, *words):
    return [sys.executable, "-c", code, *words]


def printing(data, status=0):
    code = "import os,sys; os.write(1, bytes.fromhex(sys.argv[1])); sys.exit(int(sys.argv[2]))"
    return python(code, data.hex(), str(status))


def test_text_and_evidence_of_how_it_ended():
    result = sobre.wrap(python("import sys; print('héllo'); print('note', file=sys.stderr)"))
    assert result.success
    assert result["output"] == "héllo\n"
    details = result.details
    assert (details["exit_status"], details["signal"], details["timed_out"]) == (0, None, False)
    assert details["stdout_sha256"] == hashlib.sha256("héllo\n".encode()).hexdigest()
    assert (details["stdout_bytes"], details["stdout_cut"]) == (7, False)
    assert details["stderr_tail"] == "note\n"
    assert result.meta["duration_ms"] > 0


@pytest.mark.parametrize(
    ("command", "options", "code"),
    [
        (["no-such-program-here"], {}, "command_not_found"),
        (["/"], {}, "permission_denied"),
        ([__file__], {}, "permission_denied"),
        (["ls"], {"cwd": "/no/such/folder"}, "folder_not_found"),
        (["bad\0name"], {}, "os_error"),
        (python("raise SystemExit(3)"), {}, "command_failed"),
        (python("import os; os.kill(os.getpid(), 9)"), {}, "command_signalled"),
        (python("import os; os.abort()"), {}, "command_signalled"),
        (python("input()"), {"timeout": 20}, "command_failed"),
        (printing(b'{"a": 1'), {"parse": "json"}, "output_unparsable"),
        (printing(b"[1]\n{]\n"), {"parse": "ndjson"}, "output_unparsable"),
        (printing(b"\xff\n"), {"parse": "lines"}, "output_unparsable"),
        (
            printing(b"[" + b"1," * 99 + b"1]"),
            {"parse": "json", "max_output": 50},
            "output_unparsable",
        ),
        (printing(b'{"success":true,"message":"m"}', 1), {}, "outcome_contradiction"),
        (printing(b'{"success":false,"message":"m","error":"e"}'), {}, "outcome_contradiction"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_way_to_fail_has_its_code(command, options, code):
    result = sobre.wrap(command, **options)
    assert result.error_code == code
    assert sobre.check(result.to_dict()) == []
    assert result.error


def test_statuses_that_are_a_success():
    assert not sobre.wrap(printing(b"x", 1)).success
    assert sobre.wrap(printing(b"x", 1), ok_exit=(0, 1)).success
    assert not sobre.wrap(printing(b"x", 0), ok_exit=(1,)).success


def test_parsed_output():
    assert sobre.wrap(printing(b' {"a": [1, 2]}\n'), parse="json")["output"] == {"a": [1, 2]}
    assert sobre.wrap(printing(b"1\n\n[2]\r\n"), parse="ndjson")["output"] == [1, [2]]
    assert sobre.wrap(printing("a\r\nü\n\n".encode()), parse="lines")["output"] == ["a", "ü", ""]
    assert sobre.wrap(printing(b""), parse="lines")["output"] == []
    with pytest.raises(ValueError, match="no parser"):
        sobre.wrap(["true"], parse="yaml")
    with pytest.raises(ValueError, match="no command"):
        sobre.wrap([])


def test_jc_parsers():
    pytest.importorskip("jc")
    result = sobre.wrap(["df"], parse="jc:df")
    assert result.success
    assert {"filesystem", "mounted_on"} <= set(result["output"][0])
    text = b"PING 127.0.0.1 (127.0.0.1) 56(84) bytes of data.\n64 bytes from 127.0.0.1: icmp_seq=1"
    text += b" ttl=64 time=0.02 ms\n\n--- 127.0.0.1 ping statistics ---\n1 packets transmitted, "
    text += (
        b"1 received, 0% packet loss, time 0ms\nrtt min/avg/max/mdev = 0.02/0.02/0.02/0.000 ms\n"
    )
    assert sobre.wrap(printing(text), parse="jc:ping")["output"]["packets_received"] == 1
    with pytest.raises(ValueError, match="jc has no parser"):
        sobre.wrap(["true"], parse="jc:../../etc")
    listed = run("wrap", "--list-parsers")
    assert listed.status == 0
    assert listed.out.count(b"\n") > 150


def test_without_jc_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "jc", None)
    with pytest.raises(ValueError, match=r"pip install 'sobre\[jc\]'"):
        sobre.wrap(["true"], parse="jc:df")


def test_output_that_is_not_utf8_is_base64_and_a_cut_character_is_not():
    result = sobre.wrap(printing(b"\xff\x00a"))
    assert base64.b64decode(result["output"]) == b"\xff\x00a"
    assert result["output_encoding"] == "base64"
    cut = sobre.wrap(printing("aé".encode() * 9), max_output=8)
    assert (cut["output"], cut.details["stdout_cut"]) == ("aéaéa", True)


def test_a_conforming_document_is_passed_on_unchanged():
    data = b' {"message": "m", "success": true, "big": 12345678901234567890123, "n": 1.50}\n'
    wrapped = wrap_program(printing(data))
    assert wrapped.document == data
    assert wrapped.result == sobre.Result.from_json(data)
    failed = b'{"success":false,"message":"m","error_code":"own_code"}'
    assert sobre.wrap(printing(failed, 7)).error_code == "own_code"
    done = run("wrap", "--json", "--", *printing(data))
    assert done.out == data.strip() + b"\n" or done.out == data.rstrip() + b"\n"


def test_almost_a_document_is_only_output():
    for data in (b'{"success":true}', b'{"success":true,"message":"m"}\n{}', b"[]", b'{"a":1}'):
        result = sobre.wrap(printing(data))
        assert result.success
        assert result["output"] == data.decode()


@linux
def test_a_flood_is_bounded_in_memory_and_hashed_whole():
    flood = python(
        "import sys\nblock = b'x' * 1048576\nfor _ in range(1024): sys.stdout.buffer.write(block)"
    )
    script = (
        "import json,sys,sobre\n"
        "result = sobre.wrap(json.loads(sys.argv[1]))\n"
        "status = open('/proc/self/status').read().split()\n"
        "print(status[status.index('VmHWM:') + 1], result.details['stdout_bytes'],"
        " len(result['output']), result.details['stdout_sha256'])"
    )
    done = execute(python(script, json.dumps(flood)), seconds=120)
    peak, total, kept, digest = done.out.split()
    assert int(peak) < 200 * 1024
    assert (int(total), int(kept)) == (1 << 30, 1 << 20)
    expected = hashlib.sha256()
    for _ in range(1024):
        expected.update(b"x" * 1048576)
    assert digest.decode() == expected.hexdigest()


def test_the_tail_of_standard_error_is_kept():
    code = "import sys; sys.stderr.write('a' * 100000 + '\\nthe end\\n'); sys.exit(1)"
    result = sobre.wrap(python(code))
    assert result.error == "the end"
    assert result.details["stderr_bytes"] == 100009
    assert len(result.details["stderr_tail"]) == 8192
    assert result.details["stderr_cut"] is True


def test_one_that_ignores_signals_ends_with_its_group(tmp_path):
    code = (
        "import os, signal, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = os.fork()\n"
        "open(sys.argv[1] + ('/child' if child == 0 else '/parent'), 'w').write(str(os.getpid()))\n"
        "time.sleep(600)"
    )
    start = time.monotonic()
    result = sobre.wrap(python(code, str(tmp_path)), timeout=1.5)
    assert time.monotonic() - start < 1.5 + TERM_SECONDS + HELD_SECONDS + 5
    assert result.error_code == "command_timeout"
    assert result.details["signal"] == "SIGKILL"
    for name in ("parent", "child"):
        assert gone(int((tmp_path / name).read_text()))


def test_one_that_forks_and_exits_does_not_hold_us(tmp_path):
    code = (
        "import os, sys, time\n"
        "print('started', flush=True)\n"
        "child = os.fork()\n"
        "if child: open(sys.argv[1], 'w').write(str(child)); os._exit(0)\n"
        "time.sleep(600)"
    )
    start = time.monotonic()
    result = sobre.wrap(python(code, str(tmp_path / "pid")))
    child = int((tmp_path / "pid").read_text())
    try:
        assert time.monotonic() - start < HELD_SECONDS + 10
        assert result.success
        assert result["output"] == "started\n"
        assert any("held" in warning for warning in result.warnings)
    finally:
        os.kill(child, signal.SIGKILL)


def test_one_that_closes_its_output_is_waited_for():
    code = "import os, time; os.close(1); os.close(2); time.sleep(0.3); os._exit(4)"
    assert sobre.wrap(python(code)).details["exit_status"] == 4
    endless = python("import os, time; os.close(1); os.close(2); time.sleep(600)")
    assert sobre.wrap(endless, timeout=0.5).error_code == "command_timeout"


def test_a_document_of_one_that_had_to_be_ended_does_not_count():
    code = 'import time; print(\'{"success":true,"message":"m"}\', flush=True); time.sleep(600)'
    assert sobre.wrap(python(code), timeout=1).error_code == "command_timeout"


def test_async_wrap_and_its_cancellation(tmp_path):
    pid = tmp_path / "pid"
    code = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"

    async def cancel():
        good = await sobre.wrap_async(["echo", "hi"], parse="lines")
        assert good["output"] == ["hi"]
        task = asyncio.ensure_future(sobre.wrap_async(python(code, str(pid))))
        while not (pid.exists() and pid.read_text()):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert gone(int(pid.read_text()))


def test_no_shell_and_no_expansion():
    words = ["$HOME", "*", ";", "echo hi", "`id`", "", "a\nb"]
    code = "import json, sys; print(json.dumps(sys.argv[1:]))"
    assert sobre.wrap(python(code, *words), parse="json")["output"] == words


def test_streams_keep_a_beginning_or_an_end():
    head, tail, none = Stream(5), Stream(5, tail=True), Stream(0, tail=True)
    for piece in (b"abc", b"defgh", b"i" * 200_000, b"XYZ"):
        for stream in (head, tail, none):
            stream.take(piece)
    assert (head.kept, tail.kept, none.kept) == (b"abcde", b"iiXYZ", b"")
    assert head.total == tail.total == none.total == 200_011
    assert head.sha256 == tail.sha256


# -- the command line ---------------------------------------------------------


def test_wrap_as_text_and_as_json():
    done = run("wrap", "--", "echo", "hi")
    assert (done.status, done.out) == (0, b"hi\n")
    failed = run("wrap", "--", "sh", "-c", "echo live >&2; exit 3")
    assert failed.status == 1
    assert failed.out == b""
    assert failed.err.startswith("live\n")
    assert "failed with exit status 3" in failed.err
    value = document(run("wrap", "--json", "--name", "mine", "--", "false"))
    assert (value["error_code"], value["meta"]["command"]) == ("command_failed", "mine")


def test_standard_input_is_passed_on():
    done = run("wrap", "--", "cat", input=b"through\n")
    assert done.out == b"through\n"


@pytest.mark.parametrize(
    "words",
    [
        ["wrap"],
        ["wrap", "--"],
        ["wrap", "--timeout", "0", "--", "true"],
        ["wrap", "--timeout", "nan", "--", "true"],
        ["wrap", "--ok-exit", "x", "--", "true"],
        ["wrap", "--max-output", "-1", "--", "true"],
        ["wrap", "--parse", "yaml", "--", "true"],
        ["unwrap", "--field", "message", "--", "true"],
        ["unwrap", "--"],
    ],
)
def test_wrong_usage(words):
    done = run(*words)
    assert done.status == 2
    assert done.out == b""
    assert "Traceback" not in done.err


def test_interrupting_wrap_ends_the_command(tmp_path):
    from command import finish, start

    pid = tmp_path / "pid"
    code = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"
    with start("wrap", "--json", "--", *python(code, str(pid)), stdout=-1, stderr=-1) as process:
        while not (pid.exists() and pid.read_text()):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        done = finish(process)
    assert done.status == 130
    assert document(done)["error_code"] == "interrupted"
    assert gone(int(pid.read_text()))


@pytest.mark.parametrize(
    ("data", "status", "words", "printed", "ends"),
    [
        (b'{"success":true,"message":"m","n":[1,{"a/b":"x"}]}', 0, [], b"m\n", 0),
        (
            b'{"success":true,"message":"m","n":[1,{"a/b":"x"}]}',
            0,
            ["--field", "/n/1/a~1b"],
            b"x\n",
            0,
        ),
        (b'{"success":true,"message":"m","n":[1, 2.5]}', 0, ["--field", "/n"], b"[1,2.5]\n", 0),
        (
            b'{"success":true,"message":"m"}',
            0,
            ["--field", ""],
            b'{"success":true,"message":"m"}\n',
            0,
        ),
        (b'{"success":true,"message":"m"}', 0, ["--field", "/x"], b"", 1),
        (b'{"success":true,"message":"m","n":[1]}', 0, ["--field", "/n/01"], b"", 1),
        (b'{"success":false,"message":"m","error_code":"c"}', 1, [], b"m\n", 1),
        (b'{"success":false,"message":"m","error_code":"c"}', 0, [], b"", 1),
        (b'{"success":true,"message":"m"}', 1, [], b"", 1),
        (b'{"success":true,"message":" "}', 0, [], b"", 1),
        (b"all good", 0, [], b"", 1),
        (b"", 0, [], b"", 1),
        (b'{"success":true,"message":"m"} {}', 0, [], b"", 1),
    ],
)
def test_unwrap_never_guesses(data, status, words, printed, ends):
    done = run("unwrap", *words, "--", *printing(data, status))
    assert (done.out, done.status) == (printed, ends)
    assert bool(done.err) is (not printed)
    assert "Traceback" not in done.err


def test_unwrap_reads_standard_input():
    assert run("unwrap", input=b'{"success":true,"message":"m"}').out == b"m\n"
    assert run("unwrap", "--max-bytes", "9", input=b'{"success":true,"message":"m"}').status == 1
    assert run("unwrap", "--", "no-such-program-here").status == 1
    assert run("unwrap", "--timeout", "0.3", "--", "sleep", "600").status == 1


@pytest.mark.parametrize("program", ["git", "df", "ps", "ls"])
def test_real_programs(program):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    words = {"git": ["--version"], "df": ["-k"], "ps": ["-e"], "ls": ["-l", "/"]}[program]
    result = sobre.wrap([program, *words], parse="lines")
    assert result.success
    assert result["output"]


@pytest.mark.parametrize(
    ("arguments", "options", "error"),
    [
        ("ls -l", {}, TypeError),
        (b"ls", {}, TypeError),
        (["ls"], {"timeout": 0}, ValueError),
        (["ls"], {"timeout": -1}, ValueError),
        (["ls"], {"max_output": -1}, ValueError),
        (["ls"], {"ok_exit": "0"}, TypeError),
        (["ls"], {"name": " "}, ValueError),
    ],
)
def test_arguments_that_cannot_be_meant_run_nothing(arguments, options, error):
    with pytest.raises(error):
        sobre.wrap(arguments, **options)


def test_a_stated_failure_is_no_success_even_if_it_does_not_conform():
    result = sobre.wrap(printing(b'{"success": false, "message": "boom"}'))
    assert result.error_code == "outcome_contradiction"
    assert result.details["stated_result"] == {"success": False, "message": "boom"}
    assert sobre.wrap(printing(b'{"success": "no"}')).success


def test_what_was_cut_or_encoded_is_said():
    assert any("goes on" in text for text in sobre.wrap(printing(b"x" * 20), max_output=9).warnings)
    assert any("base64" in text for text in sobre.wrap(printing(b"\xff")).warnings)
    assert sobre.wrap(printing(b"x")).warnings == ()


@pytest.mark.parametrize(
    ("parser", "data"), [("jc:yaml", b"a: .nan\n"), ("jc:yaml", b"1: 2\n"), ("jc:toml", b"a = inf")]
)
def test_parsed_values_that_are_no_json_are_refused(parser, data):
    pytest.importorskip("jc")
    assert sobre.wrap(printing(data), parse=parser).error_code == "output_unparsable"


def test_parsed_output_as_text_and_parsers_as_json():
    assert run("wrap", "--parse", "json", "--", "echo", '{"a":[1]}').out == (
        b'{\n  "a": [\n    1\n  ]\n}\n'
    )
    assert document(run("wrap", "--list-parsers", "--json"))["parsers"][0]["name"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("command", ["wrap", "unwrap", "vectors"])
def test_being_asked_to_end_ends_what_was_started(tmp_path, command, number):
    from command import finish, start

    pid, folder = tmp_path / "pid", tmp_path / "temporary"
    folder.mkdir()
    code = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"
    words = python(code, str(pid))
    if command == "vectors":
        script = tmp_path / "validator.py"
        script.write_text(code)
        words = ["--command", f"'{sys.executable}' '{script}' '{pid}' {{file}}"]
    else:
        words = ["--", *words]
    env = {"TMPDIR": str(folder)}
    with start(command, *words, stdout=-1, stderr=-1, env=env) as process:
        while not (pid.exists() and pid.read_text()):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        done = finish(process)
    assert done.status == 128 + number
    assert "Traceback" not in done.err
    assert gone(int(pid.read_text()))
    assert list(folder.iterdir()) == []


def test_cancelling_leaves_no_error_behind(tmp_path, caplog):
    async def cancel(**options):
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(sobre.wrap_async(["sleep", "600"], **options), 0.2)

    for options in ({}, {"timeout": 60}):
        asyncio.run(cancel(**options))
    assert caplog.text == ""
    stop = threading.Event()
    stop.set()
    for timeout in (None, 60):
        done = wrap_program(["sleep", "600"], timeout=timeout, cancelled=stop)
        assert done.result.error_code == "command_cancelled"


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (
            b'{"success":false,"message":"m","error":"e","pad":"' + b"y" * 99 + b'"}',
            {"max_output": 40},
        ),
        (b'\xef\xbb\xbf{"success":false,"message":"m","error":"e"}', {}),
        (b'{"success":false,"success":false,"message":"m","error":"e"}', {}),
        (b'{"success":false,"message":"m","n":NaN}', {}),
        (b'{"message":"m","success": false', {}),
    ],
)
def test_a_failure_that_is_stated_badly_is_no_success(data, options):
    assert sobre.wrap(printing(data), **options).error_code == "outcome_contradiction"


@pytest.mark.parametrize(
    "data",
    [b'{"items":[{"success":false}', b'{"a":{"success":false}}', b"{ not json", b'"success"'],
)
def test_what_only_looks_like_a_stated_failure_is_output(data):
    assert sobre.wrap(printing(data)).success


def test_words_of_the_wrapped_command_are_not_options_of_ours():
    done = run("unwrap", "--field", "nope", "--", "echo", "--json")
    assert (done.status, done.out) == (2, b"")
    done = run("wrap", "--bogus", "--", "echo", "--json")
    assert (done.status, done.out) == (2, b"")
