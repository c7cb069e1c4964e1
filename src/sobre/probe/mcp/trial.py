"""The process in which schemas from outside are tried with jsonschema.

A schema can take a validator for ever, or all memory, by its patterns and
references; so this is a process of its own, which `trials` ends when it has
taken long enough. It reads a line of JSON, {"schema", "value"} or {"schema"},
and answers with a line: null if the value is valid, or the schema itself if
there is no value; a string that says why not; or {"failed": why} if that could
not be found out. No reference is retrieved from anywhere.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import jsonschema
from jsonschema.exceptions import SchemaError
from jsonschema.validators import validator_for
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from ...contract import CONTRACT_URL
from ...contract.schemas import schema as own_schema
from .limits import TRIAL_MEMORY

_MOST = 300


def _bound_memory() -> None:
    try:
        import resource
    except ImportError:
        return
    for name in ("RLIMIT_AS", "RLIMIT_CORE"):
        most = TRIAL_MEMORY if name == "RLIMIT_AS" else 0
        resource.setrlimit(getattr(resource, name), (most, most))


def _registry() -> Registry[Any]:
    """The contract alone, for schemas that refer to it by its URL. Nothing is retrieved."""
    contract = Resource.from_contents(own_schema("contract"), default_specification=DRAFT202012)
    registry: Registry[Any] = Registry().with_resource(CONTRACT_URL, contract)
    return registry


def _try(job: dict[str, Any], registry: Registry[Any]) -> Any:
    schema = job["schema"]
    kind = validator_for(schema, default=jsonschema.Draft202012Validator)
    if "value" not in job:
        try:
            kind.check_schema(schema)
        except SchemaError as error:
            return _told(error)
        return None
    found = next(kind(schema, registry=registry).iter_errors(job["value"]), None)
    return None if found is None else _told(found)


def _told(error: Any) -> str:
    place = "".join(f"/{part}" for part in error.absolute_path) or "the root"
    return f"{error.message[:_MOST]} (at {place[:_MOST]})"


def main() -> None:
    """Answer line by line, to the end of the input."""
    _bound_memory()
    registry = _registry()
    for line in sys.stdin.buffer:
        try:
            answer = _try(json.loads(line), registry)
        except Unresolvable as error:
            answer = {"failed": f"a reference does not resolve: {str(error)[:_MOST]}"}
        except RecursionError:
            answer = {"failed": "a validator goes around in it without end"}
        except MemoryError:
            answer = {"failed": "a validator takes too much memory for it"}
        except Exception as error:  # Whatever a schema of any form does to the library.
            answer = {"failed": f"a validator fails on it: {type(error).__name__}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
