"""Reading and writing inside one process."""

import json
from collections.abc import Callable
from typing import Any

import careful
import fastjsonschema
import jsonschema
import jsonschema_rs
import orjson
from rows import Row
from timing import race

import documents
import sobre
from sobre.contract.schemas import schema

Reader = Callable[[bytes], Any]
WORST_ROUNDS = 8  # One takes some 0.6 seconds for the slowest.
# Keyword arguments of sobre.success and sobre.failure, and which of the two.
Call = tuple[Callable[..., sobre.Result], str, dict[str, Any]]


def read_rows() -> list[Row]:
    """read against a decoder that walks; read and check against other validators."""
    walkers = {
        "decoder that walks": careful.decoder(careful.by_encoding),
        "decoder that walks characters": careful.decoder(careful.by_character),
    }
    validators = _validators()
    ours = {"read": sobre.read, "read + check": _read_and_check}
    rows = []
    for size in documents.SIZES:
        data = documents.texts(documents.dictionaries(size))
        readers = {**ours, **walkers, **validators}
        seconds = race({name: _over(data, reader) for name, reader in readers.items()})
        rate = {name: len(data) / value for name, value in seconds.items()}
        mean = sum(map(len, data)) / len(data) / 1000
        group = f"Documents of {size} (mean {mean:.2f}): reads a second"
        rows += [Row(group, "read", rate["read"], name, rate[name]) for name in walkers]
        rows[-len(walkers)].at_least = 2.3
        rows += [
            Row(group, "read + check", rate["read + check"], name, rate[name])
            for name in validators
        ]
    return rows


def write_rows() -> list[Row]:
    """Building, validating and writing a result against only writing its dictionary."""
    rows = []
    for size in documents.SIZES:
        dictionaries = documents.dictionaries(size)
        data = documents.texts(dictionaries)
        seconds = race(
            {
                "build": _over([_call(document) for document in dictionaries], _build_and_write),
                "dumps": _over(dictionaries, json.dumps),
                "from_json": _over(data, sobre.Result.from_json),
                "loads": _over(data, json.loads),
            }
        )
        each = {name: value / len(data) * 1e6 for name, value in seconds.items()}
        group = f"Results of {size}: microseconds each"
        build = Row(group, "build, validate, write", each["build"], "json.dumps", each["dumps"])
        build.at_most = 3.0
        rows += [
            build,
            Row(group, "Result.from_json", each["from_json"], "json.loads", each["loads"]),
        ]
    return rows


def worst_rows() -> list[Row]:
    """read of what costs it most, and json.loads of the same, which accepts some of it."""
    rows = []
    for name, data in documents.worst_cases().items():
        readers = {"read": sobre.read, "json.loads": json.loads}
        seconds = race(
            {key: _over([data], _reads(reader)) for key, reader in readers.items()}, WORST_ROUNDS
        )
        rate = {key: len(data) / 1e6 / value for key, value in seconds.items()}
        verdicts = [_reads(reader)(data) for reader in readers.values()]
        note = {(True, True): "", (False, False): "both refuse it"}.get(
            tuple(verdicts), "read alone refuses it"
        )
        group = "Documents of 1 MB, to be hard: megabytes a second"
        rows.append(Row(group, name, rate["read"], "json.loads", rate["json.loads"], note=note))
    return rows


GROUPS = {"read": read_rows, "write": write_rows, "worst": worst_rows}


def _validators() -> dict[str, Reader]:
    """What else reads a document and judges it, each prepared once."""
    contract = schema("contract")
    general = jsonschema.Draft202012Validator(contract).is_valid
    compiled = fastjsonschema.compile(contract)
    native = jsonschema_rs.validator_for(contract).is_valid
    return {
        "json.loads alone": json.loads,
        "json.loads, jsonschema": lambda data: general(json.loads(data)),
        "json.loads, fastjsonschema": lambda data: compiled(json.loads(data)),
        "orjson, jsonschema-rs": lambda data: native(orjson.loads(data)),
    }


def _over(items: list[Any], function: Callable[[Any], Any]) -> Callable[[], None]:
    def call() -> None:
        for item in items:
            function(item)

    return call


def _read_and_check(data: bytes) -> bool:
    return not sobre.check(sobre.read(data))


def _call(document: dict[str, Any]) -> Call:
    """The call of `success` or `failure` that builds a document."""
    build = sobre.success if document["success"] else sobre.failure
    rest = {name: value for name, value in document.items() if name not in ("success", "message")}
    return build, document["message"], rest


def _build_and_write(call: Call) -> str:
    build, message, rest = call
    return build(message, **rest).to_json()


def _reads(reader: Reader) -> Callable[[bytes], bool]:
    def reads(data: bytes) -> bool:
        try:
            reader(data)
        except (ValueError, RecursionError):
            return False
        return True

    return reads
