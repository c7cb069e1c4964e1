"""Real JSON Schema validators to compare with.

jsonschema-rs compiles `pattern` as ECMA-262 has it, white space included
(`test_check.py` makes sure of that); `jsonschema` would use Python's `re`.
"""

from __future__ import annotations

import json
from pathlib import Path

from jsonschema_rs import Draft202012Validator

from sobre.contract.schemas import schema

#: The published schemas, where they are at hand. They are not part of the project.
OFFICIAL = Path(__file__).parent.parent.parent / "shared" / "official"
_OFFICIAL_NAMES = {
    "contract": "result-contract-v1.schema.json",
    "receipt": "result-contract-conformance-receipt-v1.schema.json",
}


def validators(name):
    """A validator of our schema, and one of the published schema if it is there, by name."""
    found = {"our schema": Draft202012Validator(schema(name))}
    path = OFFICIAL / _OFFICIAL_NAMES[name]
    if path.is_file():
        found["the published schema"] = Draft202012Validator(json.loads(path.read_bytes()))
    return found
