"""The project's own JSON Schemas, constraint-equivalent to the published ones."""

from __future__ import annotations

import os

from ...json_text import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Name -> file beside this one.
SCHEMAS = {"contract": "result-contract-v1.schema.json", "receipt": "receipt-v1.schema.json"}


def schema_bytes(name: str) -> bytes:
    """The exact bytes of a schema file of `SCHEMAS`. Raises `KeyError` for another name."""
    with open(os.path.join(os.path.dirname(__file__), SCHEMAS[name]), "rb") as file:
        return file.read()


def schema(name: str) -> dict[str, Any]:
    """A schema of `SCHEMAS` as a document of the caller's own."""
    document: dict[str, Any] = read(schema_bytes(name))
    return document
