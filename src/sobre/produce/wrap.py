"""Programs as operations: run one, and say honestly how it ended.

A program that prints one contract document speaks for itself, as long as its
exit status agrees. Any other is judged by its exit status alone; what it
printed is evidence.
"""

from __future__ import annotations

from ..contract import CONTRACT_URL
from ..contract.check import WHITE_SPACE, check
from ..contract.findings import violations
from ..contract.result import Result, failure, success
from ..files import reason_of, shown_path
from ..json_exact import locate
from ..json_text import BOM, DocumentError, read
from ..processes import KEPT_BYTES, Completed, Stream, run
from .parse import UnparsableOutput, parsed, parser_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from threading import Event
    from typing import Any

#: Bytes of standard error's end that are kept.
TAIL_BYTES = 8192


class Wrapped:
    """A wrapped command's result, and the exact bytes it printed if they are that result."""

    __slots__ = ("document", "result")

    def __init__(self, result: Result, document: bytes | None = None) -> None:
        self.result = result
        self.document = document


def wrap(
    command: Sequence[str],
    *,
    name: str | None = None,
    timeout: float | None = None,
    ok_exit: Collection[int] = (0,),
    max_output: int = KEPT_BYTES,
    parse: str | None = None,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    share_stdin: bool = False,
) -> Result:
    """Run a command without a shell and give its outcome as a result.

    `ok_exit` are the exit statuses of a success, `timeout` seconds,
    `max_output` the bytes of standard output that are kept, `parse` one of
    json, ndjson, lines, jc:PARSER. The result has `output` (text, a parsed
    value, or base64 where it is not UTF-8) and `details` on how the command
    ended. Failures: `command_not_found`, `permission_denied`,
    `command_timeout`, `command_signalled`, `command_failed`,
    `output_unparsable`, `outcome_contradiction`, `folder_not_found`, `os_error`.
    A contract document that the command prints is the result, unchanged, if its exit
    status agrees. Raises `ValueError` or
    `TypeError` for arguments that cannot be meant, such as an unknown parser.
    """
    return wrap_program(
        command,
        name=name,
        timeout=timeout,
        ok_exit=ok_exit,
        max_output=max_output,
        parse=parse,
        cwd=cwd,
        env=env,
        share_stdin=share_stdin,
    ).result


async def wrap_async(
    command: Sequence[str],
    *,
    name: str | None = None,
    timeout: float | None = None,
    ok_exit: Collection[int] = (0,),
    max_output: int = KEPT_BYTES,
    parse: str | None = None,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    share_stdin: bool = False,
) -> Result:
    """`wrap` for asyncio: takes the same options. Cancelling it ends the command's processes."""
    import asyncio
    from threading import Event

    cancelled = Event()
    work = asyncio.ensure_future(
        asyncio.to_thread(
            wrap_program,
            command,
            name=name,
            timeout=timeout,
            ok_exit=ok_exit,
            max_output=max_output,
            parse=parse,
            cwd=cwd,
            env=env,
            share_stdin=share_stdin,
            cancelled=cancelled,
        )
    )
    try:
        return (await asyncio.shield(work)).result
    except asyncio.CancelledError:
        cancelled.set()
        await asyncio.wait([work])
        raise


def wrap_program(
    command: Sequence[str],
    *,
    name: str | None = None,
    timeout: float | None = None,
    ok_exit: Collection[int] = (0,),
    max_output: int = KEPT_BYTES,
    parse: str | None = None,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    share_stdin: bool = False,
    show_errors_on: int | None = None,
    cancelled: Event | None = None,
) -> Wrapped:
    """`wrap`, with the exact bytes of a document that is passed on.

    `show_errors_on` is a descriptor that gets standard error as it comes.
    """
    words = _checked(command, timeout, max_output, ok_exit)
    told = _base_name(words[0]) if name is None else shown_path(name)
    if not told.strip(WHITE_SPACE):
        raise ValueError("the name of a command is not blank")
    parser = None if parse is None else parser_named(parse)
    stdout = Stream(max_output)
    stderr = Stream(TAIL_BYTES, tail=True, show_on=show_errors_on)
    try:
        done = run(
            words,
            timeout=timeout,
            stdout=stdout,
            stderr=stderr,
            share_stdin=share_stdin,
            cwd=cwd,
            env=env,
            cancelled=cancelled,
        )
    except (OSError, ValueError) as error:
        return Wrapped(_not_started(told, words[0], cwd, error))
    return _Ended(told, done, timeout, frozenset(ok_exit)).wrapped(parse, parser)


class _Ended:
    """A command that ran, on its way to a result."""

    def __init__(
        self, told: str, done: Completed, timeout: float | None, ok_exit: frozenset[int]
    ) -> None:
        self.told = told
        self.done = done
        self.timeout = timeout
        self.was_ended = done.timed_out or done.cancelled
        self.ok = done.status in ok_exit and not self.was_ended
        self.meta = {
            "command": told,
            "duration_ms": round(done.seconds * 1000, 3),
            "schema_version": 1,
        }
        self.details: dict[str, Any] = {
            "exit_status": done.status,
            "signal": done.signal,
            "timed_out": done.timed_out,
            "stdout_bytes": done.stdout.total,
            "stdout_sha256": done.stdout.sha256,
            "stdout_cut": done.stdout.cut,
            "stderr_bytes": done.stderr.total,
            "stderr_cut": done.stderr.cut,
            "stderr_tail": done.stderr.kept.decode("utf-8", "replace"),
        }
        held = (("output", done.stdout), ("error output", done.stderr))
        self.warnings = [
            f"Another process still held the {what} open, so there may be more of it."
            for what, stream in held
            if stream.held
        ]
        if done.stdout.cut:
            limit = done.stdout.limit
            self.warnings.append(
                f"The output goes on after {limit} bytes, which is all that is kept."
            )

    def wrapped(self, parse: str | None, parser: Callable[[bytes], Any] | None) -> Wrapped:
        """The result: the document that was printed, or one about how the command ended."""
        document, conforms = self.stated()
        if document is not None and not self.was_ended:
            if conforms and document["success"] is self.ok:
                data = self.done.stdout.kept
                return Wrapped(Result.from_json(data), data)
            return Wrapped(self.contradiction(document))
        if not self.ok:
            return Wrapped(self.failed())
        if parser is None or parse is None:
            return Wrapped(self.succeeded(self.output()))
        try:
            if self.done.stdout.cut:
                limit = f"the output is larger than the limit of {self.done.stdout.limit} bytes"
                raise UnparsableOutput(f"{limit} (--max-output)")
            value = {"output": parsed(parser, self.done.stdout.kept), "output_encoding": parse}
        except UnparsableOutput as error:
            return Wrapped(self.unparsable(error, parse))
        return Wrapped(self.succeeded(value))

    def stated(self) -> tuple[dict[str, Any] | None, bool]:
        """The document with an outcome that was printed, if that is all that was.

        And whether it conforms. One that does not is none, unless it states a
        failure where the command ended well: that is not to be taken for a success.
        """
        data = self.done.stdout.kept
        if not data.removeprefix(BOM).lstrip().startswith(b"{"):
            return None, False
        try:
            document = None if self.done.stdout.cut else read(data)
        except DocumentError:
            document = None
        if document is None:  # What cannot be read to its end may still have stated a failure.
            place = locate(data, "/success") if self.ok else None
            states = place is not None and data.startswith(b"false", place)
            return ({"success": False} if states else None), False
        if not violations(check(document)):
            return document, True
        return (document if document.get("success") is False and self.ok else None), False

    def output(self) -> dict[str, Any]:
        """What was printed, as text where it is that."""
        data, cut = self.done.stdout.kept, self.done.stdout.cut
        try:
            return {"output": data.decode(), "output_encoding": "utf-8"}
        except UnicodeDecodeError as error:
            if cut and len(data) - error.start < 4 and error.reason == "unexpected end of data":
                return {"output": data[: error.start].decode(), "output_encoding": "utf-8"}
        from base64 import b64encode

        self.warnings.append("The output is not UTF-8 and is given in base64.")
        return {"output": b64encode(data).decode(), "output_encoding": "base64"}

    def succeeded(self, output: dict[str, Any]) -> Result:
        status = self.done.status
        return success(
            f"{self.told} succeeded (exit status {status}).",
            **output,
            details=self.details,
            warnings=self.warnings,
            meta=self.meta,
        )

    def failed(self) -> Result:
        done = self.done
        if done.cancelled:
            told, code = "was cancelled", "command_cancelled"
        elif done.timed_out:
            told, code = f"did not end within {self.timeout:g} seconds", "command_timeout"
        elif done.signal is not None:
            told, code = f"was ended by {done.signal}", "command_signalled"
        else:
            told, code = f"failed with exit status {done.status}", "command_failed"
        message = f"{self.told} {told}."
        lines = self.details["stderr_tail"].strip(WHITE_SPACE).splitlines()
        return failure(
            message,
            error=lines[-1] if lines and lines[-1].strip(WHITE_SPACE) else message,
            error_code=code,
            **self.output(),
            details=self.details,
            warnings=self.warnings,
            meta=self.meta,
        )

    def unparsable(self, error: UnparsableOutput, parse: str) -> Result:
        return failure(
            f"{self.told} succeeded, and its output cannot be parsed as {parse}.",
            error=error.reason,
            error_code="output_unparsable",
            **self.output(),
            details={**self.details, "parse": parse, "parse_error": error.details},
            warnings=self.warnings,
            meta=self.meta,
        )

    def contradiction(self, document: dict[str, Any]) -> Result:
        """A document that says one thing and an exit status that says another."""
        how = f"exit status {self.done.status}"
        how = f"signal {self.done.signal}" if self.done.signal is not None else how
        stated = str(document["success"]).lower()
        return failure(
            f"{self.told} states `success: {stated}` and ended with {how}.",
            error="The stated outcome and the exit status contradict each other.",
            error_code="outcome_contradiction",
            details={
                **self.details,
                "stated_success": document["success"],
                "stated_result": document,
                "contract": CONTRACT_URL,
            },
            warnings=self.warnings,
            meta=self.meta,
        )


def _checked(
    command: Sequence[str], timeout: float | None, max_output: int, ok_exit: Collection[int]
) -> list[str]:
    """The command's words. Raises for arguments that cannot be meant."""
    if isinstance(command, (str, bytes)):
        raise TypeError("a command is a list of words, such as ['ls', '-l']; no shell reads it")
    words = [str(word) for word in command]
    if not words:
        raise ValueError("there is no command to run")
    if timeout is not None and not timeout > 0:
        raise ValueError(f"a timeout is a time above 0, in seconds, not {timeout!r}")
    if max_output < 0:
        raise ValueError(f"max_output is a number of bytes, not {max_output!r}")
    if not all(type(status) is int for status in ok_exit):
        raise TypeError("ok_exit are whole numbers, such as (0, 1)")
    return words


def _not_started(told: str, program: str, cwd: str | None, error: OSError | ValueError) -> Result:
    import os

    why = reason_of(error)
    code, subject = "os_error", program
    if cwd is not None and not os.path.isdir(cwd):
        code, subject = "folder_not_found", cwd
    elif isinstance(error, FileNotFoundError):
        code = "command_not_found"
    elif isinstance(error, (PermissionError, NotADirectoryError)):
        code = "permission_denied"
    shown = shown_path(subject)
    return failure(
        f"{told} could not be started.",
        error=f"{shown or 'an empty name'}: {why}",
        error_code=code,
        details={"program": shown_path(program)},
        meta={"command": told, "schema_version": 1},
    )


def _base_name(program: str) -> str:
    base = shown_path(program).replace("\\", "/").rsplit("/", 1)[-1]
    return base if base.strip(WHITE_SPACE) else "command"
