"""Results of operations, held against the schemas that are published for them."""

from __future__ import annotations

from functools import cache

import jsonschema

from sobre import check
from sobre.contract.compose import tool_output_schema
from sobre.operations import OPERATIONS, operation


@cache
def validators(name):
    """The operation's own schema, and the output schemas of a tool made of it."""
    domain = operation(name).domain_schema()
    composed = (tool_output_schema(domain, mode) for mode in ("ref", "allof", "structural"))
    return [jsonschema.Draft202012Validator(schema) for schema in (domain, *composed)]


def conforming(document):
    """A document of an operation that is valid by all that is published about it."""
    name = document["meta"]["command"]
    assert name in OPERATIONS
    assert check(document) == []
    own, *composed = validators(name)
    for validator in [own, *composed] if document["success"] else composed:
        validator.validate(document)
    return document


def performed(name, /, **arguments):
    """The document of one call."""
    return conforming(operation(name).run(arguments).to_dict())


def succeeded(name, /, **arguments):
    """The document of a call that is a success."""
    document = performed(name, **arguments)
    assert document["success"], document
    return document


def failed(name, code, /, **arguments):
    """The document of a call that fails with this code."""
    document = performed(name, **arguments)
    assert (document["success"], document.get("error_code")) == (False, code), document
    return document
