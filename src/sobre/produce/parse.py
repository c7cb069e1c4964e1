"""What a program printed, as a value: strictly, or not at all."""

from __future__ import annotations

from ..contract.convert import ContractError, to_json_value
from ..contract.findings import Finding
from ..json_text import DocumentError, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: The prefix of a parser of the `jc` library.
JC = "jc:"


class UnparsableOutput(Exception):
    """Output that a parser refuses. `reason` is a sentence, `details` the place if known."""

    def __init__(self, reason: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.details = details or {}


class UnknownParser(ValueError):
    """There is no parser of that name here; the text says what to do."""


def parser_named(name: str) -> Callable[[bytes], Any]:
    """The parser for `json`, `ndjson`, `lines` or `jc:PARSER`: bytes -> value.

    It raises `UnparsableOutput`. Raises `UnknownParser` for another name, or if
    the `jc` library is missing.
    """
    if name in _PARSERS:
        return _PARSERS[name]
    if name.startswith(JC):
        return _jc_parser(name.removeprefix(JC))
    known = ", ".join(_PARSERS)
    raise UnknownParser(f"there is no parser {name!a}: choose {known}, or {JC}PARSER")


def parsed(parser: Callable[[bytes], Any], data: bytes) -> Any:
    """The JSON value that a parser makes of output; raises `UnparsableOutput` if there is none."""
    try:
        return to_json_value(parser(data))
    except ContractError as error:
        reason = f"what the parser makes of the output is no JSON value: {error.findings[0]}"
        raise UnparsableOutput(reason) from None


def jc_parsers() -> list[dict[str, str]]:
    """Name and description of every parser of the `jc` library that takes whole output."""
    jc = _import_jc()
    rows = [jc.parser_info(name) for name in jc.standard_parser_mod_list()]
    return [{"name": row["name"], "description": row["description"]} for row in rows]


def _parse_json(data: bytes) -> Any:
    try:
        return read(data)
    except DocumentError as error:
        raise UnparsableOutput(str(error), _place(error)) from None


def _parse_lines(data: bytes) -> list[str]:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise UnparsableOutput(f"byte {error.start} of the output is not UTF-8") from None
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _parse_ndjson(data: bytes) -> list[Any]:
    values = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            values.append(read(line))
        except DocumentError as error:
            place = {**_place(error), "line": number}
            raise UnparsableOutput(f"line {number} of the output: {error}", place) from None
    return values


def _place(error: DocumentError) -> dict[str, Any]:
    finding = Finding(error.rule, "", error.reason)
    return {"rule": finding.rule, "line": error.line, "column": error.column}


_PARSERS: dict[str, Callable[[bytes], Any]] = {
    "json": _parse_json,
    "ndjson": _parse_ndjson,
    "lines": _parse_lines,
}


def _jc_parser(name: str) -> Callable[[bytes], Any]:
    jc = _import_jc()
    module = name.replace("-", "_")
    if module not in {known.replace("-", "_") for known in jc.standard_parser_mod_list()}:
        raise UnknownParser(f"jc has no parser {name!a}; `sobre wrap --list-parsers` lists them")

    def parse(data: bytes) -> Any:
        try:
            text: str | bytes = data.decode()
        except UnicodeDecodeError:
            text = data
        try:
            return jc.parse(module, text, quiet=True)
        except Exception as error:
            reason = f"jc's parser {name} refuses the output: {type(error).__name__}: {error}"
            raise UnparsableOutput(reason) from None

    return parse


def _import_jc() -> Any:
    try:
        import jc
    except ImportError:
        raise UnknownParser("jc is not installed: pip install 'sobre[jc]'") from None
    return jc
