"""The JSON Schemas of what each operation answers: the fields of a success beside the core's."""

from __future__ import annotations

import os

from ...json_text import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def schema_bytes(name: str) -> bytes:
    """The exact bytes of an operation's schema file. Raises `KeyError` for another name."""
    from .. import OPERATIONS

    if name not in OPERATIONS:
        raise KeyError(name)
    folder = os.path.dirname(__file__)
    with open(os.path.join(folder, f"{name}.schema.json"), "rb") as file:
        return file.read()


def schema(name: str) -> dict[str, Any]:
    """An operation's schema as a document of the caller's own."""
    document: dict[str, Any] = read(schema_bytes(name))
    return document
