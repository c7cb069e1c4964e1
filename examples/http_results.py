"""Results over HTTP, both ways: copy this file. Needs nothing but sobre.

`answer(result, accept)` gives the status, the media type and the body to send;
`from_answer(status, content_type, body)` gives the result back. A failure goes out
as `application/problem+json` (RFC 9457) if the client asks for that, else as the
document that it is. Nothing is lost either way: a problem keeps the members of the
result beside its own, and is itself a conforming result.
"""

from __future__ import annotations

import re
from http.client import responses
from typing import TYPE_CHECKING, Any

import sobre

if TYPE_CHECKING:
    from collections.abc import Mapping

JSON = "application/json"
PROBLEM = "application/problem+json"

#: error code -> HTTP status. 4xx: another request may succeed. 5xx: it is not the client's fault.
STATUSES: dict[str, int] = {
    "usage_error": 400,
    "invalid_json_input": 400,
    "permission_denied": 403,
    "path_outside_root": 403,
    "path_not_found": 404,
    "path_exists": 409,
    "invalid_arguments": 422,
    "invalid_name": 422,
    "not_a_file": 422,
    "not_a_folder": 422,
    "connection_refused": 502,
    "connection_failed": 502,
    "would_block": 503,
    "interrupted": 503,
    "timeout": 504,
    "command_timeout": 504,
}
#: Of a failure whose code is not in the table, or that has none: nobody said whose fault it is.
UNKNOWN = 500

#: The members that RFC 9457 defines. Where a result has one of its own, it is set aside.
MEMBERS = ("type", "title", "status", "detail", "instance")
SET_ASIDE = "result_members"

#: Bytes of an `Accept` header that are read. A longer one counts as none.
MAX_ACCEPT = 4096
#: Characters of an answer that is no result which the failure about it repeats.
MAX_TOLD = 2000


def http_status(result: sobre.Result, statuses: Mapping[str, int] | None = None) -> int:
    """The status of a result: 200, or what its `error_code` has in `statuses` or `STATUSES`."""
    if result.success:
        return 200
    return {**STATUSES, **(statuses or {})}.get(result.error_code or "", UNKNOWN)


def answer(
    result: sobre.Result,
    accept: str = "",
    *,
    status: int | None = None,
    statuses: Mapping[str, int] | None = None,
    type_base: str = "",
) -> tuple[int, str, bytes]:
    """The status, the media type and the body of the answer that a result is.

    `accept` is the request's `Accept` header. Send `Vary: Accept` with a failure. A
    client that takes neither form gets the document all the same: the operation has
    been carried out, and 406 would hide how it ended. Raises `ValueError` for a status
    that says something else than the result, or that carries no body.
    """
    code = http_status(result, statuses) if status is None else status
    first, last = (200, 299) if result.success else (400, 599)
    if not first <= code <= last or code in (204, 205):
        raise ValueError(f"{code} is no status for the {result!r}")
    if not result.success and wants_problem(accept):
        try:
            return code, PROBLEM, problem(result, code, type_base).to_json().encode()
        except sobre.ContractError:  # Setting aside made it nest deeper than JSON is read.
            pass
    return code, JSON, result.to_json().encode()


def problem(result: sobre.Result, status: int, type_base: str = "") -> sobre.Result:
    """A failure as a problem (RFC 9457), which conforms to the contract as well.

    `detail` is the message. `type` is `type_base` followed by the error code, if there
    are both, such as `https://example.com/problems/path_not_found`.
    """
    document = result.to_dict()
    aside = {name: document.pop(name) for name in (*MEMBERS, SET_ASIDE) if name in document}
    named = bool(type_base and result.error_code)
    members: dict[str, Any] = {
        "type": f"{type_base}{result.error_code}" if named else "about:blank",
        "title": str(result.error_code) if named else responses.get(status, "Failure"),
        "status": status,
        "detail": result.message,
    }
    return sobre.Result({**members, **document, **({SET_ASIDE: aside} if aside else {})})


def from_answer(status: int, content_type: str | None, body: bytes) -> sobre.Result:
    """The result that an HTTP answer states. Never raises, whatever a server sends.

    A problem of someone else's, or an answer that is no result at all, becomes a
    failure that tells it in `details`: an outcome that nobody stated is no success.
    A document that says `success: false` is a failure under any status.
    """
    is_problem = (content_type or "").partition(";")[0].strip().lower() == PROBLEM
    try:
        document = sobre.read(body)
    except sobre.DocumentError as error:
        told = body[: 4 * MAX_TOLD].decode("utf-8", "backslashreplace")[:MAX_TOLD]
        return _no_result(status, f"It is no JSON: {error}", {"body": told})
    try:
        result = sobre.Result(_without_members(document) if is_problem else document)
    except sobre.ContractError as error:
        return _no_result(status, str(error), {"problem" if is_problem else "document": document})
    if result.success and (is_problem or status >= 400):
        return sobre.failure(
            "The server's answer says both that it succeeded and that it failed.",
            error_code="outcome_contradiction",
            details={"status": status, "message": result.message},
        )
    return result


def _without_members(document: Any) -> Any:
    """The result in a problem of ours; anything else as it is."""
    if not isinstance(document, dict) or "success" not in document:
        return document
    kept = {name: value for name, value in document.items() if name not in MEMBERS[:4]}
    aside = kept.get(SET_ASIDE)
    if isinstance(aside, dict):
        del kept[SET_ASIDE]
        kept.update(aside)
    return kept


def _no_result(status: int, reason: str, told: dict[str, Any]) -> sobre.Result:
    """The failure that an answer is which states no result."""
    said = told.get("problem")
    said = said if isinstance(said, dict) else {}
    summary = f"The server answered with {status} {responses.get(status, '')}".rstrip()
    summary = f"{summary} and no result."
    code = f"http_{status}" if status >= 400 else "not_a_result"
    # The first of these that makes a result: a foreign `detail` may be blank or no text,
    # and a document may be nested as deep as JSON is read, so that it fits nowhere else.
    for message in (said.get("detail"), said.get("title"), summary):
        try:
            details = {"status": status, **told}
            return sobre.failure(message, error=reason, error_code=code, details=details)
        except sobre.ContractError:
            pass
    return sobre.failure(summary, error=reason, error_code=code, details={"status": status})


# -- content negotiation (RFC 9110, section 12.5.1) ------------------------------

_QUOTED = re.compile(r'"(?:\\.|[^"\\])*("|$)')
_WEIGHT = re.compile(r"0(\.[0-9]{0,3})?|1(\.0{0,3})?")


def wants_problem(accept: str) -> bool:
    """Whether a failure goes out as a problem: it is asked for, and plain JSON is not preferred.

    A wildcard takes both, and gets plain JSON. Where both are named alike, as in
    `application/json, application/problem+json`, the client means one for successes
    and the other for failures.
    """
    ranges = _ranges(accept) if len(accept) <= MAX_ACCEPT else {}
    as_problem, named = _weight_of(PROBLEM, ranges)
    as_json, _ = _weight_of(JSON, ranges)
    return as_problem > as_json or (named and as_problem == as_json > 0)


def _ranges(accept: str) -> dict[str, float]:
    """Media range -> weight. Parameters other than the weight make no difference here."""
    found: dict[str, float] = {}
    for element in _QUOTED.sub("", accept).split(","):
        name, *parameters = (part.strip(" \t").lower() for part in element.split(";"))
        weights = [p.partition("=")[2] for p in parameters if p.partition("=")[0] == "q"]
        if not weights:
            found[name] = max(1.0, found.get(name, 0.0))
        elif _WEIGHT.fullmatch(weights[0]):  # A weight that is none makes the range none.
            found[name] = max(float(weights[0]), found.get(name, 0.0))
    return found


def _weight_of(media_type: str, ranges: dict[str, float]) -> tuple[float, bool]:
    """The weight of the range that fits best, and whether it names the type itself."""
    for name in (media_type, "application/*", "*/*"):
        if name in ranges:
            return ranges[name], name == media_type
    return 0.0, False
