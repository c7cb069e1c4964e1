"""`check` never raises, whatever Python value it is given (section 2)."""

from __future__ import annotations

import enum
import math
from collections import OrderedDict

import pytest

from documents import BASES, rules_and_pointers
from sobre.contract.check import check
from sobre.contract.findings import Finding


class Trap(Exception):
    pass


def spring(*_, **__):
    raise Trap


#: What Python code may call on a value.
METHODS = [
    "__eq__",
    "__ne__",
    "__hash__",
    "__bool__",
    "__len__",
    "__iter__",
    "__contains__",
    "__getitem__",
    "__str__",
    "__repr__",
    "__lt__",
    "__gt__",
    "__le__",
    "__sub__",
    "__rsub__",
    "__int__",
    "__float__",
    "__index__",
    "__format__",
    "__reversed__",
    "get",
    "keys",
    "items",
    "values",
    "copy",
    "strip",
    "isascii",
    "encode",
    "is_integer",
    "bit_length",
    "__getattribute__",
    "__missing__",
]


def trapped(base):
    """A subclass on which every method raises."""
    return type(f"Trapped{base.__name__}", (base,), dict.fromkeys(METHODS, spring))


class Liar:
    """Says that it is a dictionary."""

    __class__ = dict


class Shy:
    @property
    def __class__(self):
        raise Trap


class Contrary(type):
    __instancecheck__ = __subclasscheck__ = __eq__ = __hash__ = __repr__ = spring


class Strange(metaclass=Contrary):
    __eq__ = __hash__ = __repr__ = spring


class Colliding:
    """A key that is taken for one of the contract's names, and raises when compared."""

    def __init__(self, name):
        self.hash = hash(name)

    def __hash__(self):
        return self.hash

    __eq__ = spring


def itself():
    array = []
    array.append(array)
    return array


def inside_itself():
    members = {"success": True, "message": "Done."}
    members["details"] = members["meta"] = members
    return members


HOSTILE = [
    *[
        object(),
        Liar(),
        Shy(),
        Strange(),
        Strange,
        Liar,
        spring,
        iter([]),
        1j,
        b"a",
        (),
        ("a",),
        {"a"},
        range(3),
        ...,
    ],
    *[
        trapped(object)(),
        trapped(dict)(),
        trapped(list)(),
        trapped(str)("a"),
        trapped(int)(1),
        trapped(float)(1),
    ],
    *[
        trapped(str)(" "),
        trapped(list)([" ", 1, None]),
        trapped(dict)({"schema_version": 2}),
        trapped(tuple)(),
    ],
    *[
        math.nan,
        math.inf,
        -math.inf,
        10**5000,
        -(10**5000),
        "\ud800",
        "\udfff ",
        "\x00",
        "a" * 10**6,
    ],
    *[itself(), inside_itself(), [itself()], {Colliding("meta"): 1}, {1: 2, None: 3, ("a",): 4}],
    *[
        enum.IntEnum("One", "ONE").ONE,
        enum.Enum("Plain", "A").A,
        OrderedDict(a=1),
        type("E", (), {"__slots__": ()})(),
    ],
]


def documents_with(value):
    """The value at the root, and in every place that the contract names."""
    yield value
    for name in (
        "success",
        "message",
        "error",
        "error_code",
        "details",
        "warnings",
        "meta",
        "other",
    ):
        yield {**BASES[0], name: value}
        yield {"success": False, name: value}
    for name in BASES[0]["meta"]:
        yield {**BASES[0], "meta": {name: value}}
    yield {**BASES[0], "warnings": ["Fine.", value, "Fine."]}


@pytest.mark.parametrize("index", range(len(HOSTILE)))
def test_check_never_raises(index):
    for document in documents_with(HOSTILE[index]):
        findings = check(document)
        assert all(type(finding) is Finding for finding in findings)
        assert all(len(str(finding)) < 500 for finding in findings)
        assert check(document) == findings


NAMES = [
    "success",
    "message",
    "error",
    "error_code",
    "details",
    "warnings",
    "meta",
    "schema_version",
    "command",
]


@pytest.mark.parametrize("name", NAMES)
def test_keys_that_raise_count_as_other_members(name):
    """The plain members still decide."""
    for base in BASES:
        others = {key: value for key, value in base.items() if key != name}
        assert check({Colliding(name): 1, **others}) == check(others)
        if isinstance(base.get("meta"), dict):
            meta = {key: value for key, value in base["meta"].items() if key != name}
            hostile = {**others, "meta": {Colliding(name): 1, **meta}}
            if name != "meta":
                assert check(hostile) == check({**others, "meta": meta})


@pytest.mark.parametrize("base", BASES, ids=range(len(BASES)))
def test_dictionaries_that_raise_count_by_their_members(base):
    kind = trapped(dict)
    assert check(kind(base)) == check(base)
    if "meta" in base:
        broken = {**base, "meta": {"duration_ms": -1, "command": ""}}
        assert check({**broken, "meta": kind(broken["meta"])}) == check(broken)


def test_subclasses_of_json_types_count_as_those():
    class Text(str):
        pass

    class Items(list):
        pass

    document = OrderedDict(
        success=False, message=Text("No."), error_code=Text("no"), warnings=Items([Text("a")])
    )
    assert check(document) == []
    assert rules_and_pointers({**document, "message": Text("\t")}) == [
        ("core.message.blank", "/message")
    ]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_lacks_are_of_the_wrong_type(number):
    document = {
        "success": True,
        "message": "Done.",
        "meta": {"duration_ms": number, "schema_version": number},
    }
    assert rules_and_pointers(document) == [
        ("core.meta.schema_version", "/meta/schema_version"),
        ("core.meta.duration_ms.type", "/meta/duration_ms"),
    ]
