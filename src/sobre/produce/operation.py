"""Functions as operations: whatever happens, a conforming result comes out.

A function says its outcome by returning a `Result`, or a mapping that is one.
An outcome that nobody stated is never taken for a success.
"""

from __future__ import annotations

from contextvars import ContextVar
from functools import partial, wraps
from time import perf_counter_ns

from ..contract.check import WHITE_SPACE, check
from ..contract.convert import scalar_text
from ..contract.result import Result, conforming, failure, success
from ..overloads import overload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping
    from typing import Any, ParamSpec, Protocol, TypeAlias

    P = ParamSpec("P")
    AsyncOperation: TypeAlias = Callable[P, Coroutine[Any, Any, Result]]
    Returns: TypeAlias = str | Mapping[str, str | Callable[[Any], Any]]
    Message: TypeAlias = str | Callable[[Any], str]
    Errors: TypeAlias = Mapping[type[BaseException], str]

    class Decorator(Protocol):
        """Makes a function an operation, and keeps what it takes."""

        @overload
        def __call__(
            self, function: Callable[P, Coroutine[Any, Any, Any]], /
        ) -> AsyncOperation[P]: ...
        @overload
        def __call__(self, function: Callable[P, Any], /) -> Callable[P, Result]: ...


#: What an `OSError` is called where the operation does not say.
OS_ERRORS: dict[type[BaseException], str] = {
    FileNotFoundError: "path_not_found",
    FileExistsError: "path_exists",
    PermissionError: "permission_denied",
    IsADirectoryError: "not_a_file",
    NotADirectoryError: "not_a_folder",
    TimeoutError: "timeout",
    ConnectionRefusedError: "connection_refused",
    ConnectionError: "connection_failed",
    BlockingIOError: "would_block",
    InterruptedError: "interrupted",
    OSError: "os_error",
}

# Of `code.co_flags`, as documented with the `inspect` module.
_GENERATOR, _COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x200

_warnings: ContextVar[list[str] | None] = ContextVar("sobre_warnings", default=None)


@overload
def operation(function: Callable[P, Coroutine[Any, Any, Any]], /) -> AsyncOperation[P]: ...


@overload
def operation(function: Callable[P, Any], /) -> Callable[P, Result]: ...


@overload
def operation(
    *,
    command: str | None = None,
    errors: Errors | None = None,
    returns: Returns | None = None,
    message: Message | None = None,
) -> Decorator: ...


@overload
def operation(
    function: Callable[P, Any],
    /,
    *,
    command: str | None = None,
    errors: Errors | None = None,
    returns: Returns | None = None,
    message: Message | None = None,
) -> Callable[P, Result]: ...


def operation(
    function: Callable[P, Any] | None = None,
    /,
    *,
    command: str | None = None,
    errors: Errors | None = None,
    returns: Returns | None = None,
    message: Message | None = None,
) -> Any:
    """Make a function, sync or async, an operation that always returns a `Result`.

    `command` is its name in `meta.command` (default: the function's). `errors`
    maps exception classes to error codes, the most specific class first;
    `OSError` and its kinds have codes of their own (`OS_ERRORS`), anything else
    is `unexpected_error`. The exception's text becomes `error`; its traceback
    goes to the logger `sobre`. `KeyboardInterrupt`, `SystemExit` and
    cancellation pass through.

    A function that returns plain values says how they become fields: `returns`
    is the name of the field for the value, or a mapping of field names to a
    key, an attribute or a function of the value. `message` is then needed: a
    text, a format string over those fields, or a function of the value.

    `meta` gets `command`, `schema_version` and `duration_ms`, as far as the
    function's own result does not have them. Raises `TypeError` for a generator
    and for `returns` without `message`.
    """
    _check_declaration(command, errors, returns, message)

    def decorate(inner: Callable[P, Any]) -> Any:
        if not callable(inner):
            raise TypeError(f"an operation is made of a function, not of {type(inner).__name__}")
        name = _name_of(inner) if command is None else command
        run = _Run(name, {**OS_ERRORS, **(errors or {})}, returns, message)
        performed = _wrapped(inner, run)
        if not hasattr(inner, "__name__"):
            performed.__name__ = name
        return performed

    return decorate if function is None else decorate(function)


def _check_declaration(
    command: str | None, errors: Errors | None, returns: Returns | None, message: Message | None
) -> None:
    """Raise for a declaration that could only fail later, in a call."""
    if (returns is None) is not (message is None):
        raise TypeError("`returns` and `message` go together: which field, and what to tell")
    if command is not None and not command.strip(WHITE_SPACE):
        raise ValueError("`command` is a name, and not blank")
    for kind, code in (errors or {}).items():
        if not issubclass(kind, BaseException):
            raise TypeError(f"`errors` maps exception classes to codes, and {kind!r} is none")
        if check({"success": False, "message": "m", "error_code": code}):
            raise ValueError(f"{code!r} is no error code: write it as in path_not_found")


def warn(text: str) -> None:
    """Add a warning to the result of the operation that is running.

    Outside of any operation it is an ordinary Python warning. A new thread does
    not belong to the operation that started it, unless it runs in a copy of its
    context; a task does. Raises `ValueError`
    for blank text and `TypeError` for what is no text.
    """
    if not str.strip(text, WHITE_SPACE):
        raise ValueError("a warning needs text")
    collected = _warnings.get()
    if collected is not None:
        collected.append(text)
        return
    from warnings import warn as warn_in_python

    warn_in_python(text, stacklevel=2)


def _name_of(function: Any) -> str:
    """What a function is called, or else its class: of a partial, the function's."""
    while isinstance(function, partial):
        function = function.func
    name: str = getattr(function, "__name__", type(function).__name__)
    return name


def _wrapped(inner: Any, run: _Run) -> Any:
    flags = _code_flags(inner)
    if flags & (_GENERATOR | _ASYNC_GENERATOR):
        raise TypeError(f"{run.command} is a generator; an operation returns once")
    shown = _returning_result(inner)
    if flags & _COROUTINE:

        @wraps(shown, updated=())
        async def perform_async(*args: Any, **kwargs: Any) -> Result:
            with run.started() as started:
                started.outcome = await inner(*args, **kwargs)
            return started.result()

        return perform_async

    @wraps(shown, updated=())
    def perform(*args: Any, **kwargs: Any) -> Result:
        with run.started() as started:
            started.outcome = inner(*args, **kwargs)
        return started.result()

    return perform


def _returning_result(function: Any) -> Any:
    """A stand-in that does the same and is annotated to return a `Result`, for who reads that.

    Frameworks follow `__wrapped__` to the signature, and check what is returned
    against it. What is no Python code stands for itself.
    """
    if isinstance(function, partial):
        return partial(_returning_result(function.func), *function.args, **function.keywords)
    called = function
    if not hasattr(function, "__code__"):  # An object with a method for being called.
        called = getattr(function, "__call__", function)  # noqa: B004
    plain = getattr(called, "__func__", called)
    is_method = plain is not called
    while hasattr(plain, "__wrapped__") and not hasattr(plain, "__signature__"):
        plain = plain.__wrapped__  # Other decorators stand between.
    try:
        annotations = {**plain.__annotations__, "return": Result}
        copy = type(plain)(
            plain.__code__, plain.__globals__, plain.__name__, plain.__defaults__, plain.__closure__
        )
    except (AttributeError, NameError, TypeError):  # No function, or names only checkers know.
        return function
    copy.__kwdefaults__ = plain.__kwdefaults__
    for name in ("__doc__", "__kwdefaults__", "__module__", "__qualname__"):
        setattr(copy, name, getattr(plain, name))
    copy.__annotations__ = annotations
    if hasattr(plain, "__signature__"):
        copy.__signature__ = plain.__signature__.replace(return_annotation=Result)
    return copy.__get__(called.__self__) if is_method else copy


def _code_flags(function: Any) -> int:
    """The flags of a function's code, as `inspect` reads them, which is slow to import."""
    while isinstance(function, partial):
        function = function.func
    if not hasattr(function, "__code__"):
        function = getattr(type(function), "__call__", function)  # noqa: B004
    flags: int = getattr(getattr(function, "__code__", None), "co_flags", 0)
    return flags


class _Run:
    """How one operation turns what its function does into a result."""

    def __init__(
        self, command: str, errors: Errors, returns: Returns | None, message: Message | None
    ) -> None:
        self.command = command
        self.errors = errors
        self.returns = returns
        self.message = message

    def started(self) -> _Started:
        return _Started(self)

    def outcome_of(self, value: Any) -> Any:
        """What a returned value states: itself, or a success with it as fields."""
        if self.returns is None or isinstance(value, Result):
            return value
        if isinstance(self.returns, str):
            fields = {self.returns: value}
        else:
            fields = {name: _part(value, of) for name, of in self.returns.items()}
        told = self.message
        try:
            told = told(value) if callable(told) else str(told).format_map(fields)
        except (LookupError, AttributeError) as error:
            where = f"the message of {self.command} cannot be made of its fields"
            raise ValueError(f"{where}: {type(error).__name__}: {error}") from error
        return success(told, **fields)

    def failure_of(self, error: BaseException) -> Result:
        """The failure that an exception is."""
        code = next((self.errors[kind] for kind in type(error).__mro__ if kind in self.errors), "")
        _log(self.command, error, expected=bool(code))
        text = _text_of(error)
        if not code:
            return failure(
                f"{self.command} ended with an unexpected error.",
                error=scalar_text(f"{type(error).__name__}: {text}"),
                error_code="unexpected_error",
            )
        return failure(
            scalar_text(f"{self.command} failed: {text}"),
            error=scalar_text(text),
            error_code=code,
        )


class _Started:
    """One call of an operation, from its start to its result."""

    def __init__(self, run: _Run) -> None:
        self.run = run
        self.outcome: Any = None
        self.warnings: list[str] = []

    def __enter__(self) -> _Started:
        self.token = _warnings.set(self.warnings)
        self.start = perf_counter_ns()
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        self.duration_ms = round((perf_counter_ns() - self.start) / 1e6, 3)
        _warnings.reset(self.token)
        if isinstance(error, Exception):
            self.outcome = self.run.failure_of(error)
            return True
        return False

    def result(self) -> Result:
        """The conforming result, with warnings and `meta`."""
        try:
            outcome = self.run.outcome_of(self.outcome)
        except Exception as error:
            outcome = self.run.failure_of(error)
        result = conforming(outcome)
        meta = {"command": self.run.command, "duration_ms": self.duration_ms, "schema_version": 1}
        members: dict[str, Any] = {"meta": {**meta, **result.meta}}
        if self.warnings:
            members["warnings"] = [*result.warnings, *map(scalar_text, self.warnings)]
        return result.replace(**members)


def _part(value: Any, of: str | Callable[[Any], Any]) -> Any:
    """A part of a returned value: by a function, a key or an attribute."""
    if callable(of):
        return of(value)
    return value[of] if hasattr(type(value), "__getitem__") else getattr(value, of)


def _text_of(error: BaseException) -> str:
    """What an exception says, or its class where it says nothing or fails at that, too."""
    try:
        text = str(error)
    except Exception:
        text = ""
    return text if text.strip(WHITE_SPACE) else type(error).__name__


def _log(command: str, error: BaseException, *, expected: bool) -> None:
    from logging import DEBUG, ERROR, getLogger

    level, told = (DEBUG, "failed") if expected else (ERROR, "ended with an unexpected error")
    getLogger("sobre").log(level, "%s %s", command, told, exc_info=error)
