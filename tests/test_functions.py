"""`@sobre.operation`, `sobre.warn` and `sobre.command_line`."""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import sobre
from command import gone
from sobre.produce.operation import OS_ERRORS


class Refused(Exception):
    pass


class RefusedByName(Refused):
    pass


def raising(error, **options):
    @sobre.operation(command="op", **options)
    def function():
        raise error

    return function()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RefusedByName("no"), "by_name"),
        (Refused("no"), "refused"),
        (KeyError("k"), "unexpected_error"),
        (FileNotFoundError(2, "No such file", "x"), "path_not_found"),
        (ConnectionResetError(104, "reset"), "connection_failed"),
        (OSError("?"), "os_error"),
        (TimeoutError(), "timeout"),
    ],
)
def test_the_most_specific_class_names_the_code(error, code):
    result = raising(error, errors={Refused: "refused", RefusedByName: "by_name"})
    assert result.error_code == code
    assert not result.success
    assert result.error


def test_an_operation_may_rename_the_kinds_of_os_error():
    assert raising(FileNotFoundError("x"), errors={FileNotFoundError: "gone"}).error_code == "gone"
    assert raising(FileNotFoundError("x"), errors={OSError: "io"}).error_code == "path_not_found"


def test_the_text_is_kept_and_the_traceback_is_logged(caplog):
    with caplog.at_level(logging.DEBUG, logger="sobre"):
        result = raising(ZeroDivisionError("secret place"))
    assert result.error == "ZeroDivisionError: secret place"
    assert "Traceback" not in result.to_json()
    assert "raise error" in caplog.text


@pytest.mark.parametrize("error", [Refused(""), Refused("  \n"), Refused("\ud800")])
def test_any_text_of_an_exception_gives_a_conforming_failure(error, monkeypatch):
    monkeypatch.setattr(logging.getLogger("sobre"), "disabled", True)  # No report can carry it.
    assert sobre.check(raising(error, errors={Refused: "refused"}).to_dict()) == []
    assert sobre.check(raising(error).to_dict()) == []


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
def test_what_is_no_error_passes_through(stop):
    with pytest.raises(stop):
        raising(stop())


@pytest.mark.parametrize(
    "outcome", [None, 0, True, "done", [], {}, {"message": "m"}, {"success": 1, "message": "m"}]
)
def test_an_unstated_outcome_is_never_a_success(outcome):
    result = sobre.operation(lambda: outcome)()
    assert result.error_code == "invalid_result_contract"
    assert result["details"]["contract"] == sobre.CONTRACT_URL
    assert result["details"]["violations"]


def test_a_mapping_that_is_a_result_is_taken():
    result = sobre.operation(lambda: {"success": True, "message": "m", "x": (1,)})()
    assert (result.success, result["x"]) == (True, [1])


def test_plain_values_by_field_and_by_mapping():
    add = sobre.operation(lambda a, b: a + b, returns="total", message="It is {total}.")
    assert add(1, 2)["total"] == 3
    assert add(1, 2).message == "It is 3."
    split = sobre.operation(
        lambda text: {"words": text.split()},
        returns={"words": "words", "count": lambda value: len(value["words"])},
        message=lambda value: f"{len(value['words'])} words",
    )
    assert (split("a b")["count"], split("a b").message) == (2, "2 words")
    part = sobre.operation(lambda: complex(1, 2), returns={"real": "real"}, message="m")
    assert part()["real"] == 1.0
    assert add(sobre.Result, 1).error_code == "unexpected_error"
    kept = sobre.operation(lambda: sobre.failure("no", error_code="x"), returns="y", message="m")
    assert kept().error_code == "x"


def test_a_message_that_cannot_be_made_is_a_failure():
    broken = sobre.operation(lambda: 1, returns="n", message="{missing}")
    assert broken().error_code == "unexpected_error"
    blank = sobre.operation(lambda: 1, returns="n", message=" ")
    assert blank().success is False


def test_wrong_use_is_an_error_at_once():
    with pytest.raises(TypeError):
        sobre.operation(lambda: 1, returns="x")
    with pytest.raises(TypeError):
        sobre.operation(lambda: (yield))

    async def stream():
        yield 1

    with pytest.raises(TypeError):
        sobre.operation(stream)


def test_async_functions_methods_partials_and_callables():
    @sobre.operation(errors={ValueError: "bad"})
    async def wait(fail):
        await asyncio.sleep(0)
        sobre.warn("waited")
        if fail:
            raise ValueError("x")
        return sobre.success("ok")

    async def both():
        return await asyncio.gather(wait(False), wait(True))

    good, bad = asyncio.run(both())
    assert (good.success, bad.error_code) == (True, "bad")
    assert good.warnings == bad.warnings == ("waited",)
    assert (wait.__name__, good.meta["command"]) == ("wait", "wait")

    class Tool:
        @sobre.operation
        def method(self, n):
            return sobre.success("ok", n=n)

        def __call__(self):
            return sobre.success("called")

    assert Tool().method(3)["n"] == 3
    assert sobre.operation(Tool())().message == "called"
    assert sobre.operation(functools.partial(Tool().method, 4))()["n"] == 4


def test_cancelling_an_async_operation_cancels_it():
    @sobre.operation
    async def forever():
        await asyncio.Event().wait()

    async def cancel():
        task = asyncio.ensure_future(forever())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())


def test_meta_is_completed_and_what_is_there_is_kept():
    result = sobre.operation(lambda: sobre.success("m", meta={"duration_ms": 5, "trace": "t"}))()
    assert result.meta == {
        "command": "<lambda>",
        "duration_ms": 5,
        "schema_version": 1,
        "trace": "t",
    }


def test_warnings_belong_to_the_operation_that_runs():
    @sobre.operation
    def inner():
        sobre.warn("inner")
        return sobre.success("m")

    @sobre.operation
    def outer():
        sobre.warn("before")
        nested = inner()
        sobre.warn("after")
        return sobre.success("m", warnings=["own"], nested=nested)

    result = outer()
    assert result.warnings == ("own", "before", "after")
    assert result["nested"]["warnings"] == ["inner"]
    with pytest.warns(UserWarning, match="outside"):
        sobre.warn("outside")
    with pytest.raises(ValueError):
        sobre.warn(" \ufeff")


def test_operations_in_threads_do_not_share_warnings():
    @sobre.operation
    def work(name):
        sobre.warn(name)
        return sobre.success("m")

    results = {}
    threads = [
        threading.Thread(target=lambda n=n: results.update({n: work(str(n))})) for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {n: result.warnings for n, result in results.items()} == {n: (str(n),) for n in range(8)}


def test_every_os_error_code_is_one():
    for kind, code in OS_ERRORS.items():
        assert raising(kind("x")).error_code == code


PROGRAM = """
import os, subprocess, sys
import sobre

@sobre.command_line(name="prog", errors={{ValueError: "bad_value"}})
{async_}def main(arguments):
    print("printed")
    os.write(1, b"written\\n")
    subprocess.run([sys.executable, "-c", "print('child')"])
    {body}

sys.exit(main())
"""


def program(body, *words, async_=""):
    script = PROGRAM.format(body=body, async_=async_)
    return subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("async_", ["", "async "])
@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ("return sobre.success('m', words=arguments)", 0, None),
        ("raise ValueError('x')", 1, "bad_value"),
        ("raise RuntimeError('x')", 1, "unexpected_error"),
        ("return None", 1, "invalid_result_contract"),
        ("sys.exit(2)", 2, "usage_error"),
        ("sys.exit(0)", 1, "no_result"),
        ("sys.exit('stopped')", 1, "no_result"),
    ],
)
def test_a_program_writes_one_document_whatever_else_prints(async_, body, status, code):
    done = program(body, "--json", "a", async_=async_)
    document = sobre.read(done.stdout.encode())
    assert sobre.check(document) == []
    assert done.stdout.count("\n") == 1
    assert document.get("error_code") == code
    assert document["success"] is (status == 0)
    assert done.returncode == status
    assert {"printed", "written", "child"} <= set(done.stderr.split())
    if not status:
        assert document["words"] == ["a"]


def test_a_program_without_json_speaks_to_a_person():
    good = program("return sobre.success('m', output='the output')")
    assert good.stdout.splitlines()[-1] == "the output"
    bad = program("return sobre.failure('It broke.', error='why', error_code='broke')")
    assert bad.returncode == 1
    assert "It broke.\n  why\n  error code: broke\n" in bad.stderr
    helped = program("import argparse; argparse.ArgumentParser('prog').parse_args(['-h'])", "-h")
    assert helped.returncode == 0
    assert "usage: prog" in helped.stdout


def test_recipes_for_argparse_click_and_typer():
    click = pytest.importorskip("click")
    typer = pytest.importorskip("typer")

    @click.command()
    @click.argument("name")
    def command(name):
        return sobre.success(f"Hello, {name}.", name=name)

    app = typer.Typer()

    @app.command()
    def hello(name: str):
        return sobre.success(f"Hello, {name}.", name=name)

    for call in (command.main, app):
        errors = {click.UsageError: "usage_error"}
        run = sobre.operation(
            lambda words, call=call: call(words, standalone_mode=False), errors=errors
        )
        assert run(["Ada"])["name"] == "Ada"
        assert not run([]).success


def test_in_process_a_program_leaves_standard_output_as_it_was(capfd):
    @sobre.command_line(name="prog")
    def main(arguments):
        print("noise")
        return sobre.success("m")

    before = sys.stdout
    assert main(["--json"]) == 0
    assert sys.stdout is before
    print("after")
    sys.stdout.flush()
    captured = capfd.readouterr()
    first, second = captured.out.splitlines()
    assert json.loads(first)["message"] == "m"
    assert second == "after"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"command": " "}, ValueError),
        ({"errors": {ValueError: "Bad Code"}}, ValueError),
        ({"errors": {ValueError: 1}}, ValueError),
        ({"errors": {"ValueError": "x"}}, TypeError),
        ({"errors": {int: "x"}}, TypeError),
    ],
)
def test_a_declaration_that_could_only_fail_later_fails_at_once(options, error):
    with pytest.raises(error):
        sobre.operation(lambda: None, **options)


def test_an_operation_is_made_of_a_function_and_a_warning_of_text():
    with pytest.raises(TypeError):
        sobre.operation(3)
    with pytest.raises(TypeError):
        sobre.warn(1)


def test_a_message_that_names_no_field_says_so():
    broken = sobre.operation(lambda: 1, command="op", returns="n", message="{missing}")()
    assert "the message of op cannot be made of its fields" in broken.error


LATE = """
import atexit, sys, threading, time
import sobre

@sobre.command_line(name="prog")
def main(arguments):
    atexit.register(print, "at exit")
    def late():
        sys.stdin.read()
        print("from a thread")
    threading.Thread(target=late).start()
    return sobre.success("m")

sys.exit(main())
"""


def test_nothing_follows_the_document_to_the_end_of_the_process():
    done = subprocess.run(
        [sys.executable, "-c", LATE, "--json"], input="", capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0
    assert sobre.check(sobre.read(done.stdout.encode())) == []
    assert done.stderr.split() == ["from", "a", "thread", "at", "exit"]


CLICK = """
import sys
import click, typer
import sobre

@click.command()
@click.argument("name")
def command(name):
    return sobre.success(f"Hello, {name}.", name=name)

app = typer.Typer(add_completion=False)

@app.command()
def hello(name: str):
    return sobre.success(f"Hello, {name}.", name=name)

run = {"click": command.main, "typer": app}[sys.argv.pop(1)]

@sobre.command_line(name="greet")
def main(arguments):
    return run(arguments, standalone_mode=False)

sys.exit(main())
"""


@pytest.mark.parametrize("library", ["click", "typer"])
def test_the_recipes_for_click_and_typer_as_programs(library):
    def greet(*words):
        command = [sys.executable, "-c", CLICK, library, *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    good = greet("--json", "Ada")
    assert sobre.read(good.stdout.encode())["name"] == "Ada"
    bad = greet("--json")
    assert bad.returncode == 2
    assert sobre.read(bad.stdout.encode())["error_code"] == "usage_error"
    assert "Traceback" not in bad.stderr
    assert "Usage" in greet("--help").stdout
    named = greet("--", "--json")
    assert named.stdout == "Hello, --json.\n"


TYPED = """
import sobre

@sobre.operation(command="add", errors={ValueError: "bad"})
def add(left: int, right: int) -> sobre.Result:
    return sobre.success("m", total=left + right)

@sobre.operation
async def wait(name: str) -> sobre.Result:
    return sobre.success(name)

@sobre.command_line(name="prog")
def main(arguments: list[str]) -> sobre.Result:
    return add(1, 2)

async def use() -> str:
    status: int = main(["--json"])
    return (await wait("x")).message + add(1, right=2).message + str(status)
"""


def test_decorated_functions_keep_their_types(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "typed.py").write_text(TYPED)
    (tmp_path / "wrong.py").write_text(TYPED + "\nadd('a', 'b')\nadd(1, 2).no_such_member\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    good = subprocess.run([*command, "typed.py"], cwd=tmp_path, capture_output=True, text=True)
    assert good.returncode == 0, good.stdout
    wrong = subprocess.run([*command, "wrong.py"], cwd=tmp_path, capture_output=True, text=True)
    assert wrong.stdout.count("error:") == 3, wrong.stdout


WRAPPER = """
import sys
import sobre

@sobre.command_line(name="prog")
def main(arguments):
    code = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"
    return sobre.wrap([sys.executable, "-c", code, *arguments])

sys.exit(main())
"""


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_program_that_is_asked_to_end_ends_with_a_document(tmp_path, number):
    pid = tmp_path / "pid"
    command = [sys.executable, "-c", WRAPPER, str(pid), "--json"]
    with subprocess.Popen(command, stdout=-1, stderr=-1) as process:
        while not (pid.exists() and pid.read_text()):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert sobre.read(out)["error_code"] == "interrupted"
    assert b"Traceback" not in err
    assert gone(int(pid.read_text()))


@pytest.mark.parametrize("library", ["click", "typer"])
def test_an_exit_that_a_library_returns_keeps_its_status(library):
    script = CLICK.replace(
        "def hello(name: str):\n", "def hello(name: str):\n    raise typer.Exit(3)\n"
    )
    script = script.replace(
        "def command(name):\n", "def command(name):\n    raise click.exceptions.Exit(3)\n"
    )
    command = [sys.executable, "-c", script, library, "Ada"]
    assert subprocess.run(command, capture_output=True).returncode == 3
    done = subprocess.run([*command, "--json"], capture_output=True)
    assert done.returncode == 3
    assert sobre.read(done.stdout)["error_code"] == "no_result"
