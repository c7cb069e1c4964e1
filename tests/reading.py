"""What a reader makes of bytes, so that two readers can be compared."""

from __future__ import annotations

import pytest

from naive_reader import naive_outcome
from sobre.json_exact import read_exactly
from sobre.json_text import DocumentError, read
from strategies import identity

BOM = b"\xef\xbb\xbf"


def outcome(reader, data):
    """The exact value, or every part of the error."""
    try:
        return "value", identity(reader(data))
    except DocumentError as error:
        return error.rule, error.reason, error.offset, error.line, error.column


def refusal(data, **limits):
    """The error with which the bytes are refused."""
    with pytest.raises(DocumentError) as caught:
        read(data, **limits)
    return caught.value


def assert_one_verdict(data):
    """Both ways say the same, and so does the naive reader of the tests. Gives the rule."""
    found = outcome(read, data)
    assert outcome(read_exactly, data) == found
    rule, expected = naive_outcome(data)
    if rule == "value":
        assert found == ("value", identity(expected))
        return rule
    tolerated = rule.split(" or ")
    if b"\0" in data.removeprefix(BOM)[:2]:  # Wide text or a stray NUL: a matter of taste.
        tolerated = ["json.encoding", "json.syntax", "json.trailing_data"]
    assert found[0] in tolerated
    if found[0] == rule and expected is not None:
        assert found[2] == expected
    return found[0]
