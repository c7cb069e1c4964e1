"""Python values on their way into a result: what converts to what, and what is refused where."""

from __future__ import annotations

import array
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import io
import math
import pathlib
import re
import types
import typing
import uuid

import pytest
from hypothesis import given

from sobre import ContractError, Result, conforming, success
from sobre.contract.convert import to_json_value
from strategies import examples, identity, json_values, nested

D = decimal.Decimal
F = fractions.Fraction
UTC = datetime.UTC


class Colour(enum.Enum):
    RED = "red"
    PAIR = (1, 2)
    DAY = datetime.date(2026, 8, 7)
    SIZES = {"a": 1}
    NONE = None


class Level(enum.IntEnum):
    LOW = 1


class Word(enum.StrEnum):
    YES = "yes"


class Access(enum.Flag):
    READ = 1
    WRITE = 2


class Mode(enum.IntFlag):
    A = 1
    B = 4


class Outer(enum.Enum):
    INNER = Colour.RED


@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.5


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    start: Point
    tags: tuple[str, ...] = ()


@dataclasses.dataclass
class WithClassVariable:
    x: int
    shared: typing.ClassVar[str] = "of the class"


@dataclasses.dataclass
class WithInitArgument:
    x: int
    seed: dataclasses.InitVar[int]


@dataclasses.dataclass
class WithInitDefault:
    x: int
    seed: dataclasses.InitVar[int] = 3


class Pair(typing.NamedTuple):
    left: int
    right: object


Old = collections.namedtuple("Old", "a b")


class Index:
    """What foreign integers, such as numpy's, have."""

    def __index__(self):
        return 7


class Text(str):
    def __str__(self):
        return "another text"

    def upper(self):
        raise RuntimeError


class Number(int):
    def __repr__(self):
        return "another number"


class Double(float):
    def __repr__(self):
        return "another number"


class Table(collections.abc.Mapping):
    def __getitem__(self, key):
        return {"a": (1,), "b": Text("t")}[key]

    def __iter__(self):
        return iter(["b", "a"])

    def __len__(self):
        return 2


class Pathlike:
    def __fspath__(self):
        return "/a/b"


CONVERSIONS = [
    (datetime.datetime(2026, 8, 7, 21, 45, 0, 5, UTC), "2026-08-07T21:45:00.000005+00:00"),
    (datetime.datetime(2026, 8, 7, 21, 45), "2026-08-07T21:45:00"),
    (
        datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=-5))),
        "2026-01-01T00:00:00-05:00",
    ),
    (datetime.date(2026, 8, 7), "2026-08-07"),
    (datetime.time(1, 2, 3), "01:02:03"),
    (datetime.time(1, 2, tzinfo=UTC), "01:02:00+00:00"),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (pathlib.Path("a") / "b.txt", str(pathlib.Path("a") / "b.txt")),
    (pathlib.PurePosixPath("/a/b"), "/a/b"),
    (pathlib.PureWindowsPath("C:/a"), "C:\\a"),
    (Pathlike(), "/a/b"),
    (Colour.RED, "red"),
    (Colour.PAIR, [1, 2]),
    (Colour.DAY, "2026-08-07"),
    (Colour.SIZES, {"a": 1}),
    (Colour.NONE, None),
    (Outer.INNER, "red"),
    (Level.LOW, 1),
    (Word.YES, "yes"),
    (Access.READ, 1),
    (Access.READ | Access.WRITE, 3),
    (Mode.A | Mode.B, 5),
    (Mode(0), 0),
    (re.IGNORECASE, 2),
    (Point(1), {"x": 1, "y": 0.5}),
    (Line(Point(1, 2.0), ("a",)), {"start": {"x": 1, "y": 2.0}, "tags": ["a"]}),
    (Pair(1, Pair(2, None)), {"left": 1, "right": {"left": 2, "right": None}}),
    (Old(1, (2,)), {"a": 1, "b": [2]}),
    ((), []),
    ((1, [2, (3,)]), [1, [2, [3]]]),
    (D("3"), 3),
    (D("3.00"), 3),
    (D("-1E+3"), -1000),
    (D("1E+300"), 10**300),
    (D(0), 0),
    (D(2**70), 2**70),
    (F(6, 2), 3),
    (F(-4), -4),
    (Index(), 7),
    (Text("text"), "text"),
    (Number(5), 5),
    (Double(1.5), 1.5),
    (types.MappingProxyType({"a": 1}), {"a": 1}),
    (collections.OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
    (collections.UserDict({"a": {"b": (1,)}}), {"a": {"b": [1]}}),
    (collections.ChainMap({"a": 1}, {"a": 2}), {"a": 1}),
    (collections.Counter("a"), {"a": 1}),
    (collections.defaultdict(list, a=[1]), {"a": [1]}),
    (Table(), {"b": "t", "a": [1]}),
    ({Text("key"): 1, Word.YES: 2}, {"key": 1, "yes": 2}),
    (success("Inner.", value=(1, 2)), {"success": True, "message": "Inner.", "value": [1, 2]}),
    (True, True),
    (-0.0, -0.0),
    (2**63, 2**63),
]
ids_of_conversions = [
    f"{index}-{type(value).__name__}" for index, (value, _) in enumerate(CONVERSIONS)
]


@pytest.mark.parametrize(("value", "expected"), CONVERSIONS, ids=ids_of_conversions)
def test_conversion(value, expected):
    for given_value, wanted in (
        (value, expected),
        ([value], [expected]),
        ({"a": value}, {"a": expected}),
    ):
        result = success("Done.", value=given_value, details={"value": given_value})
        assert identity(result.to_dict()["value"]) == identity(wanted)
        assert identity(result.to_dict()["details"]["value"]) == identity(wanted)


@pytest.mark.parametrize(
    "value",
    [WithClassVariable(1), WithInitArgument(1, seed=2), WithInitDefault(1, seed=2)],
    ids=lambda value: type(value).__name__,
)
def test_dataclasses_give_their_fields_alone(value):
    """As `dataclasses.fields` has them: no class variable, no argument of the initialiser."""
    assert success("Done.", value=value)["value"] == {"x": 1}


@examples(300)
@given(json_values)
def test_json_values_stay_as_they_are(value):
    assert identity(to_json_value(value)) == identity(value)


# -- refusals ----------------------------------------------------------------


class OddEnum(enum.Enum):
    SET = frozenset([1])


class BytesPath:
    def __fspath__(self):
        return b"/a"


def generator():
    yield 1


UNTYPED = [
    *[
        {1},
        frozenset(),
        b"a",
        bytearray(b"a"),
        memoryview(b"a"),
        1j,
        object(),
        range(3),
        len,
        int,
        Point,
        generator(),
    ],
    *[
        datetime.timedelta(1),
        UTC,
        D("1.5"),
        D("NaN"),
        D("sNaN"),
        D("Infinity"),
        D("-Infinity"),
        F(1, 3),
        OddEnum.SET,
    ],
    *[
        BytesPath(),
        io.StringIO(),
        array.array("i", [1]),
        collections.deque([1]),
        {}.keys(),
        iter([]),
        ...,
        NotImplemented,
    ],
    *[
        re.compile("a"),
        ValueError("a"),
        types.SimpleNamespace(a=1),
        pathlib,
        slice(1),
        collections.UserList([1]),
    ],
]
NOT_FINITE = [math.nan, math.inf, -math.inf, Double("nan")]
TOO_LARGE = [
    2**1024,
    -(2**1024),
    10**400,
    10**5000,
    D("1E+309"),
    D("1E+400"),
    F(10**400),
    Number(10**400),
]
HALF = ["\ud800", "a\udfff", "\ude00\ud83d", Text("\ud800"), pathlib.PurePosixPath("a\udcff")]
REFUSALS = [
    *(("produce.type", value) for value in UNTYPED),
    *(("json.non_finite_number", value) for value in NOT_FINITE),
    *(("json.number_range", value) for value in TOO_LARGE),
    *(("json.unpaired_surrogate", value) for value in HALF),
]
ids_of_refusals = [f"{index}-{type(value).__name__}" for index, (_, value) in enumerate(REFUSALS)]


def refusal(document):
    with pytest.raises(ContractError) as caught:
        Result(document)
    (finding,) = caught.value.findings
    assert finding.severity == "violation"
    assert finding.fix
    assert finding.rule in str(caught.value)
    return finding.rule, finding.pointer


def with_value(value):
    return {"success": True, "message": "Done.", "value": value}


@pytest.mark.parametrize(("rule", "value"), REFUSALS, ids=ids_of_refusals)
def test_refusal(rule, value):
    assert refusal(with_value(value)) == (rule, "/value")
    assert refusal(with_value([0, value])) == (rule, "/value/1")
    assert refusal(with_value({"a/b": ({"~": value},)})) == (rule, "/value/a~1b/0/~0")
    assert refusal(with_value(Pair(1, value))) == (rule, "/value/right")
    assert refusal(with_value(Line(value))) == (rule, "/value/start")
    assert refusal({"success": True, "message": "Done.", "meta": {"command": value}}) == (
        rule,
        "/meta/command",
    )


@pytest.mark.parametrize("name", [1, 1.5, True, None, b"a", (1,), Level.LOW, Colour.RED], ids=str)
def test_names_are_strings(name):
    assert refusal(with_value({name: 1})) == ("produce.name", "/value")
    assert refusal(with_value([{"a": {name: 1}}])) == ("produce.name", "/value/0/a")
    assert refusal({"success": True, "message": "Done.", name: 1}) == ("produce.name", "")
    assert refusal(with_value(types.MappingProxyType({name: 1}))) == ("produce.name", "/value")


def test_names_are_whole_text():
    assert refusal(with_value([{"\ud800": 1}])) == ("json.unpaired_surrogate", "/value/0")


@dataclasses.dataclass
class Node:
    next: object = None


def cycles():
    """Values that contain themselves, with the place where they first do."""
    own = []
    own.append(own)
    yield own, "/value/0"
    members = {"a": {}}
    members["a"]["b"] = members
    yield members, "/value/a/b"
    crossed = [1]
    crossed.append((crossed,))
    yield crossed, "/value/1/0"
    node = Node()
    node.next = node
    yield node, "/value/next"
    user = collections.UserDict()
    user["a"] = [user]
    yield user, "/value/a/0"
    later = [[[own]]]
    yield later, "/value/0/0/0/0"


@pytest.mark.parametrize(("value", "pointer"), list(cycles()), ids=range(6))
def test_cycles_are_refused(value, pointer):
    assert refusal(with_value(value)) == ("produce.cycle", pointer)


def test_the_document_inside_itself_is_refused():
    document = {"success": True, "message": "Done."}
    document["details"] = document
    assert refusal(document) == ("produce.cycle", "/details")


def test_the_same_value_twice_is_no_cycle():
    shared = [1]
    value = {"a": shared, "b": [shared, shared]}
    assert success("Done.", value=value)["value"] == {"a": [1], "b": [[1], [1]]}


@pytest.mark.parametrize("kinds", ["[", "{", "[{"])
def test_depth(kinds):
    """512 with the result itself, as for reading."""
    result = success("Done.", value=nested(511, kinds))
    assert Result.from_json(result.to_json()) == result
    for depth in (512, 5000, 100_000):
        rule, pointer = refusal(with_value(nested(depth, kinds)))
        assert (rule, pointer[:6]) == ("json.depth", "/value")
    as_tuples = nested(600, "[")
    for _ in range(100):
        as_tuples = (as_tuples,)
    assert refusal(with_value(as_tuples))[0] == "json.depth"


def test_a_value_that_raises_while_it_is_read_is_refused_like_another():
    @dataclasses.dataclass
    class Unset:
        text: str = dataclasses.field(init=False)

    class Broken(enum.Enum):
        A = 1

        @property
        def value(self):
            raise RuntimeError

    for value in (Unset(), Broken.A):
        with pytest.raises(ContractError) as caught:
            success("m", x=[value])
        assert [(one.rule, one.pointer) for one in caught.value.findings] == [
            ("produce.type", "/x/0")
        ]


def test_a_replaced_result_stands_even_if_its_meta_does_not():
    assert conforming({}, meta={"duration_ms": -1}).error_code == "invalid_result_contract"
    assert conforming({}, meta={"command": "c"}).meta == {"command": "c"}
