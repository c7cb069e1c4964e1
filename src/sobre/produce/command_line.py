"""A function that returns a result, as a program with the whole command-line profile."""

from __future__ import annotations

import sys
from functools import wraps

from ..contract.result import Result, failure
from ..files import reason_of, tell
from ..overloads import overload
from ..signals import end_with_children, exit_status
from .operation import operation
from .standard_output import StandardOutput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol

    class Program(Protocol):
        """A program: takes its arguments, or those of the process, and gives its exit status."""

        def __call__(self, arguments: Sequence[str] | None = None, /) -> int:
            """The exit status."""


_HELP = frozenset(("-h", "--help"))


@overload
def command_line(main: Callable[[list[str]], Any], /) -> Program: ...


@overload
def command_line(
    *, name: str | None = None, errors: Mapping[type[BaseException], str] | None = None
) -> Callable[[Callable[[list[str]], Any]], Program]: ...


def command_line(
    main: Callable[[list[str]], Any] | None = None,
    /,
    *,
    name: str | None = None,
    errors: Mapping[type[BaseException], str] | None = None,
) -> Any:
    """Make `main(arguments) -> Result` a program: `sys.exit(main())` (section 3).

    The program takes `--json` out of its arguments. With it, standard output
    carries exactly one contract document: what `main`, its children and its
    libraries print goes to standard error. Without it, a success prints its
    `output` if that is text, else its `message`, and a failure goes to standard
    error. The exit status is 0 if and only if the result is a success.

    Called without arguments it is the program, and standard output stays held
    back to the end of the process; called with a list it puts everything back.

    `main` may be a coroutine function; it gets the other arguments as a list.
    If it exits by itself, as argparse does for wrong usage, that status is
    kept, and with `--json` a `usage_error` (2) or `no_result` says so; a usage
    error that Click or Typer raises has status 2, too. `name`
    is `meta.command` (default: the program's name), `errors` as in
    `sobre.operation`.
    """

    def decorate(inner: Callable[[list[str]], Any]) -> Program:
        @wraps(inner)
        def program(arguments: Sequence[str] | None = None) -> int:
            words = list(sys.argv[1:] if arguments is None else arguments)
            told = _program_name() if name is None else name
            return _run(inner, words, told, errors, ends=arguments is None)

        return program

    return decorate if main is None else decorate(main)


def human_text(result: Result) -> tuple[str, str]:
    """What a person sees of a result: on standard output, and on standard error."""
    notes = "".join(f"warning: {warning}\n" for warning in result.warnings)
    if result.success:
        output = result.get("output")
        text = output if isinstance(output, str) else result.message
        return (text if text.endswith("\n") else text + "\n"), notes
    lines = [result.message]
    if result.error and result.error not in result.message:
        lines.append(f"  {result.error}")
    if result.error_code:
        lines.append(f"  error code: {result.error_code}")
    return "", notes + "\n".join(lines) + "\n"


def _run(inner: Any, words: list[str], name: str, errors: Any, *, ends: bool) -> int:
    """Run the program once; its exit status. `ends`: whether the process then ends."""
    options = words[: words.index("--")] if "--" in words else words
    if not _HELP.isdisjoint(options):  # Help is text, whatever else was asked for.
        answer = _call(inner, [word for word in words if word != "--json"])
        return answer if isinstance(answer, int) else 0
    as_json = "--json" in options
    perform = operation(_call, command=name, errors=errors)
    output = StandardOutput()
    if ends:
        end_with_children()
    if as_json:
        words.remove("--json")
        output.take()
    try:
        status, result = 1, None
        try:
            result = perform(inner, words)
            status = 0 if result.success else 2 if result.error_code == "usage_error" else 1
        except SystemExit as stop:
            status, result = _stopped(stop, name, as_json)
        except KeyboardInterrupt as stop:
            status, result = exit_status(stop), _interrupted(name)
        if as_json and result is not None:
            output.write((result.to_json() + "\n").encode())
        elif result is not None:
            text, notes = human_text(result)
            tell(notes)
            sys.stdout.write(text)
            sys.stdout.flush()
    except OSError as error:
        tell(f"{name}: cannot write to standard output: {reason_of(error)}\n")
        return 1
    finally:
        if not ends:  # Else what still comes, at exit or from a thread, is no part of the answer.
            output.give_back()
    return status


def _call(inner: Any, words: list[str]) -> Any:
    try:
        answer = inner(words)
    except Exception as error:
        # Click and Typer raise, where they do not exit, with the status that they would use.
        if not hasattr(error, "exit_code") or not hasattr(error, "format_message"):
            raise
        code = "usage_error" if error.exit_code == 2 else "command_failed"
        return failure(error.format_message(), error_code=code)
    if type(answer) is int:  # Or they return it.
        raise SystemExit(answer)
    if hasattr(answer, "__await__"):
        import asyncio

        async def wait() -> Any:
            return await answer

        return asyncio.run(wait())
    return answer


def _interrupted(name: str) -> Result:
    meta = {"command": name, "schema_version": 1}
    return failure(f"{name} was interrupted.", error_code="interrupted", meta=meta)


def _stopped(stop: SystemExit, name: str, as_json: bool) -> tuple[int, Result | None]:
    """What it means that the function exited by itself: a status, and no stated outcome."""
    status = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    if isinstance(stop.code, str):
        tell(f"{stop.code}\n")
    if not as_json:
        return status, None
    code, told = ("usage_error", "was called wrongly") if status == 2 else ("no_result", "ended")
    meta = {"command": name, "schema_version": 1}
    message = f"{name} {told} and gave no result."
    return status or 1, failure(message, error_code=code, meta=meta)


def _program_name() -> str:
    """The name by which the program was called."""
    base = sys.argv[0].replace("\\", "/").rsplit("/", 1)[-1] if sys.argv and sys.argv[0] else ""
    return base.removesuffix(".py") or "program"
