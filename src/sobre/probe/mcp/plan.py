"""Plans: a server, and many tools and cases of it, in a TOML file.

    [server]
    stdio = "my-server --root ."       # or: url = "http://127.0.0.1:8000/mcp"
    headers = { Authorization = "env:MY_TOKEN" }     # with url
    revisions = ["2025-11-25"]
    timeout = 60

    [[case]]
    tool = "read_file"
    name = "a file that is not there"  # needed for a second case of one tool
    success = { path = "README.md" }
    failure = { path = "missing" }

Whatever is not in this list is an error, which names the line.
"""

from __future__ import annotations

import os
import re
import shlex
import tomllib
from typing import TYPE_CHECKING, Any

from ...files import read_bounded, reason_of, shown_path
from ...report.escape import bounded
from .requests import REVISIONS
from .session import Case

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: Most bytes of a plan.
MAX_BYTES = 1024 * 1024
#: What comes before the name of an environment variable that holds a header's value.
FROM_ENVIRONMENT = "env:"

_TABLE = re.compile(r"\s*(\[\[?)\s*([\w.\"'-]+)\s*\]")
_KEY = re.compile(r"\s*([\w\"'-]+)\s*[.=]")


class PlanError(Exception):
    """A plan cannot be used. The argument says where, what was expected, and what to do."""


class Plan:
    """What a plan says. `command` and `url` are None where it leaves the server open."""

    __slots__ = ("cases", "command", "headers", "revisions", "timeout", "url")

    def __init__(self) -> None:
        self.command: list[str] | None = None
        self.url: str | None = None
        self.headers: dict[str, str] = {}
        self.revisions: list[str] = []
        self.timeout: float | None = None
        self.cases: list[Case] = []


def read_plan(path: str, environment: Mapping[str, str] | None = None) -> Plan:
    """Read and check a plan. Raises `PlanError`."""
    try:
        data = read_bounded(path, MAX_BYTES)
    except (OSError, ValueError) as error:
        raise PlanError(f"{shown_path(path)}: it cannot be read: {reason_of(error)}") from None
    if len(data) > MAX_BYTES:
        raise PlanError(f"{shown_path(path)}: it has more than {MAX_BYTES:,} bytes")
    try:
        text = data.decode()
        document = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PlanError(f"{shown_path(path)}:{line}: TOML is UTF-8, and this is not") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise PlanError(f"{shown_path(path)}:{_line_in(error, text)}") from None
    reader = _Reader(path, text, os.environ if environment is None else environment)
    return reader.plan(document)


def _line_in(error: Exception, text: str) -> str:
    """Line and message of a TOML error; Python says the place in its message alone."""
    told = bounded(str(error), 200)
    found = re.search(r" \(at line (\d+), column (\d+)\)$", told)
    if found is not None:
        return f"{found[1]}:{found[2]}: this is no TOML: {told[: found.start()]}"
    return f"{len(text.splitlines()) or 1}: this is no TOML: {told}"


class _Reader:
    def __init__(self, path: str, text: str, environment: Mapping[str, str]) -> None:
        self._path = path
        self._environment = environment
        self._lines = _key_lines(text)

    def plan(self, document: dict[str, Any]) -> Plan:
        plan = Plan()
        self._names(document, ("server", "case"), ())
        server = document.get("server", {})
        if not isinstance(server, dict):
            raise self._error(("server",), "`server` is a table: write [server]")
        known = ("stdio", "url", "headers", "revisions", "timeout")
        self._names(server, known, ("server",))
        self._server(server, plan)
        cases = document.get("case")
        if not isinstance(cases, list) or not all(isinstance(one, dict) for one in cases):
            reason = "a plan has at least one case: write [[case]] with tool, success and failure"
            raise self._error(("case",), reason)
        for number, case in enumerate(cases):
            plan.cases.append(self._case(case, ("case", str(number)), plan))
        return plan

    def _server(self, server: dict[str, Any], plan: Plan) -> None:
        if "stdio" in server and "url" in server:
            raise self._error(("server", "url"), "give `stdio` or `url`, not both")
        if "stdio" in server:
            line = self._text(server, "stdio", ("server",))
            try:
                plan.command = shlex.split(line)
            except ValueError as error:
                raise self._error(("server", "stdio"), str(error).lower()) from None
            if not plan.command:
                raise self._error(("server", "stdio"), "there is no command in `stdio`")
        if "url" in server:
            plan.url = self._text(server, "url", ("server",))
        headers = server.get("headers", {})
        if not isinstance(headers, dict):
            raise self._error(("server", "headers"), "`headers` is a table of texts")
        for name in headers:
            plan.headers[name] = self._header(headers, name)
        plan.revisions = self._revisions(server)
        timeout = server.get("timeout")
        if timeout is not None:
            if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or timeout <= 0:
                raise self._error(("server", "timeout"), "`timeout` is a number of seconds above 0")
            plan.timeout = float(timeout)

    def _header(self, headers: dict[str, Any], name: str) -> str:
        value = self._text(headers, name, ("server", "headers"))
        if not value.startswith(FROM_ENVIRONMENT):
            return value
        variable = value.removeprefix(FROM_ENVIRONMENT)
        if variable not in self._environment:
            reason = f"the header {name} takes the variable {variable}, which is not set"
            raise self._error(("server", "headers"), reason)
        return self._environment[variable]

    def _revisions(self, server: dict[str, Any]) -> list[str]:
        revisions = server.get("revisions", [])
        if not isinstance(revisions, list) or not all(one in REVISIONS for one in revisions):
            reason = f"`revisions` is an array of {', '.join(REVISIONS)}"
            raise self._error(("server", "revisions"), reason)
        return list(dict.fromkeys(revisions))

    def _case(self, case: dict[str, Any], place: tuple[str, ...], plan: Plan) -> Case:
        self._names(case, ("tool", "name", "success", "failure"), place)
        for name in ("tool", "success", "failure"):
            if name not in case:
                raise self._error(place, f"the case has no `{name}`")
        for name in ("success", "failure"):
            if not isinstance(case[name], dict):
                reason = f"`{name}` is a table of arguments, such as {{ path = 'x' }}"
                raise self._error((*place, name), reason)
            if not _is_json(case[name]):
                reason = f"`{name}` holds a date, a time, inf or nan, which JSON has not"
                raise self._error((*place, name), reason)
        tool = self._text(case, "tool", place)
        name = self._text(case, "name", place) if "name" in case else tool
        if any(name == other.name for other in plan.cases):
            reason = f"there is another case {name!a}: give this one a `name` of its own"
            raise self._error(place, reason)
        return Case(tool, case["success"], case["failure"], name)

    def _text(self, table: dict[str, Any], name: str, place: tuple[str, ...]) -> str:
        value = table[name]
        if not isinstance(value, str) or not value.strip():
            raise self._error((*place, name), f"`{name}` is a text")
        return value

    def _names(self, table: dict[str, Any], known: tuple[str, ...], place: tuple[str, ...]) -> None:
        for name in table:
            if name not in known:
                there_are = ", ".join(known)
                reason = f"there is no {bounded(name, 80)!a} here; there are {there_are}"
                raise self._error((*place, name), reason)

    def _error(self, place: tuple[str, ...], reason: str) -> PlanError:
        """The error at the line of a place, or of what holds it."""
        while place and place not in self._lines:
            place = place[:-1]
        return PlanError(f"{shown_path(self._path)}:{self._lines.get(place, 1)}: {reason}")


def _is_json(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_json, value.values()))
    if isinstance(value, list):
        return all(map(_is_json, value))
    if isinstance(value, float):
        return value - value == 0
    return isinstance(value, (str, int, bool))


def _key_lines(text: str) -> dict[tuple[str, ...], int]:
    """The line at which each table, array item and key first stands."""
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    counts: dict[str, int] = {}
    strip: Callable[[str], str] = lambda name: name.strip("\"'")  # noqa: E731
    for number, line in enumerate(text.splitlines(), 1):
        header = _TABLE.match(line)
        if header is not None:
            names = tuple(map(strip, header[2].split(".")))
            if header[1] == "[[":
                count = counts.get(header[2], 0)
                counts[header[2]] = count + 1
                table = (*names, str(count))
            elif names[0] in counts:  # A table inside of the last item of an array.
                table = (names[0], str(counts[names[0]] - 1), *names[1:])
            else:
                table = names
            lines.setdefault(table, number)
            continue
        key = _KEY.match(line)
        if key is not None:
            lines.setdefault((*table, strip(key[1])), number)
    return lines
