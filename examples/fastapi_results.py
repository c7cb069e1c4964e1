"""Results as answers of a FastAPI or Starlette app: copy this file and http_results.py.

    app = FastAPI(exception_handlers=exception_handlers())

    @app.get("/lines")
    def lines(path: str) -> sobre.Result:
        return count_lines(path).unwrap()

A success goes out as it is; `unwrap` raises a failure, and the handler gives it its
status and, where the client asks for it, the form of a problem (RFC 9457). Wrong
arguments, unknown paths and exceptions that nobody caught become failures, too: every
answer of the app is a result. In Starlette, `respond(request, result)` is the answer.
"""

from __future__ import annotations

from http.client import responses
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import Response

import sobre
from http_results import answer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request

try:
    from fastapi.exceptions import RequestValidationError as WrongArguments
except ModuleNotFoundError:  # Starlette alone has no such thing.
    WrongArguments = None


def respond(
    request: Request,
    result: sobre.Result,
    *,
    headers: Mapping[str, str] | None = None,
    **options: Any,
) -> Response:
    """The answer to a request that a result is. `options` are those of `http_results.answer`."""
    accept = ", ".join(request.headers.getlist("accept"))
    status, media_type, body = answer(result, accept, **options)
    told = {**(headers or {}), "Vary": "Accept", "Content-Type": media_type}
    return Response(body, status, told)


def exception_handlers(
    statuses: Mapping[str, int] | None = None, type_base: str = ""
) -> dict[Any, Callable[..., Any]]:
    """What an app needs for each of its answers to be a result.

    `statuses` adds to `http_results.STATUSES` and goes before it. `type_base` is the
    start of each problem's `type`. Raises `ValueError` for what is no status of a failure.
    """
    for code in statuses or ():
        answer(sobre.failure("To see whether it can be told.", error_code=code), statuses=statuses)

    async def failed(request: Request, error: sobre.ResultError) -> Response:
        return respond(request, error.result, statuses=statuses, type_base=type_base)

    async def refused(request: Request, error: HTTPException) -> Response:
        if error.status_code < 400:  # A redirect, say, is no completed result.
            return Response(status_code=error.status_code, headers=error.headers)
        result = _failure_of(error.status_code, error.detail)
        options = {"status": error.status_code, "type_base": type_base}
        return respond(request, result, headers=error.headers, **options)

    async def wrong(request: Request, error: Any) -> Response:
        # Not the values themselves: they may be secret, and need not be JSON.
        kept = [{name: one[name] for name in ("loc", "msg", "type")} for one in error.errors()]
        message = "The request's arguments are not what they should be."
        details = {"errors": kept}
        result = sobre.failure(message, error_code="invalid_arguments", details=details)
        return respond(request, result, statuses=statuses, type_base=type_base)

    async def crashed(request: Request, error: Exception) -> Response:
        # Its text may not be for the client. The server logs it: the handler answers only.
        message = "The request ended with an unexpected error."
        result = sobre.failure(message, error_code="unexpected_error")
        return respond(request, result, statuses=statuses, type_base=type_base)

    handlers = {sobre.ResultError: failed, HTTPException: refused, Exception: crashed}
    return handlers if WrongArguments is None else {**handlers, WrongArguments: wrong}


def _failure_of(status: int, detail: Any) -> sobre.Result:
    """The failure that an HTTPException is."""
    code, phrase = f"http_{status}", responses.get(status, f"HTTP {status}")
    try:
        return sobre.failure(detail, error_code=code)
    except sobre.ContractError:  # FastAPI takes any value there.
        pass
    try:
        return sobre.failure(f"{phrase}.", error_code=code, details={"detail": detail})
    except sobre.ContractError:
        return sobre.failure(f"{phrase}.", error_code=code)
