"""One declaration of an operation: its options, its input schema, its checks, its needs."""

from __future__ import annotations

import json
import re
import sys

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sobre
from command import document, execute, run
from operation_results import conforming, failed
from sobre.cli.commands import COMMANDS
from sobre.operations import OPERATIONS, operation
from sobre.operations.declaration import MAX_PROBLEMS, Operation, Parameter
from sobre.operations.schemas import schema_bytes
from strategies import examples

ALL = [operation(name) for name in OPERATIONS]
IDS = list(OPERATIONS)

SAMPLE = Operation(
    "sample",
    "a sample",
    (
        Parameter("text", "a text", required=True),
        Parameter("word", "a word", choices=("a", "b"), default="a"),
        Parameter("count", "a count", kind=int, minimum=1, maximum=9, default=3),
        Parameter("share", "a share", kind=float, minimum=0.5),
        Parameter("flag", "a flag", kind=bool),
        Parameter("items", "items", kind=list),
        Parameter("kinds", "kinds", kind=list, choices=("x", "y")),
    ),
    lambda **values: sobre.success("Done.", values=values),
)


def outcome(**arguments):
    return SAMPLE.run(arguments)


# -- the declarations ---------------------------------------------------------


@pytest.mark.parametrize("declared", ALL, ids=IDS)
def test_each_has_what_the_command_line_and_mcp_need(declared):
    assert COMMANDS[declared.name] == ("operation", declared.summary)
    assert declared.description.endswith(".")
    assert set(declared.hints) == {"read_only", "destructive", "idempotent", "open_world"}
    assert declared.hints["read_only"] is True
    assert bool(declared.extra) is bool(declared.needs)
    for parameter in declared.parameters:
        assert re.fullmatch("[a-z]+(_[a-z]+)*", parameter.name)
        assert parameter.help
        assert parameter.default is None or parameter.problem(parameter.default) == ""


@pytest.mark.parametrize("declared", [*ALL, SAMPLE], ids=[*IDS, "sample"])
def test_the_input_schema_is_one(declared):
    schema = declared.input_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False
    assert list(schema["properties"]) == [one.name for one in declared.parameters]
    for part in schema["properties"].values():
        assert part["description"]
        if "default" in part:
            jsonschema.Draft202012Validator(part).validate(part["default"])
    json.dumps(schema)


def test_the_input_schema_of_the_sample():
    assert SAMPLE.input_schema() == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "a text"},
            "word": {
                "type": "string",
                "description": "a word",
                "enum": ["a", "b"],
                "default": "a",
            },
            "count": {
                "type": "integer",
                "description": "a count",
                "minimum": 1,
                "maximum": 9,
                "default": 3,
            },
            "share": {"type": "number", "description": "a share", "minimum": 0.5},
            "flag": {"type": "boolean", "description": "a flag", "default": False},
            "items": {
                "type": "array",
                "description": "items",
                "items": {"type": "string"},
                "default": [],
            },
            "kinds": {
                "type": "array",
                "description": "kinds",
                "items": {"type": "string", "enum": ["x", "y"]},
                "default": [],
            },
        },
        "required": ["text"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize("declared", ALL, ids=IDS)
def test_the_domain_schema_is_one_and_explains_every_field(declared):
    schema = declared.domain_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["title"] == declared.name

    def walk(part):
        for name, one in part.get("properties", {}).items():
            assert one.get("description") or name == "type", name
            walk(one)
            walk(one.get("items", {}))

    walk(schema)
    assert run("schema", "operation", declared.name) == (0, schema_bytes(declared.name), "")


def test_the_schema_of_what_is_no_operation():
    with pytest.raises(KeyError):
        schema_bytes("../nope")
    done = run("schema", "operation", "nope")
    assert (done.status, done.out) == (2, b"")
    assert "findFiles" in done.err


# -- arguments ----------------------------------------------------------------


def test_defaults_and_given_values():
    defaults = {
        "text": "t",
        "word": "a",
        "count": 3,
        "share": None,
        "flag": False,
        "items": [],
        "kinds": [],
    }
    assert outcome(text="t")["values"] == defaults
    others = {
        "text": "",
        "word": "b",
        "count": 9,
        "share": 0.5,
        "flag": True,
        "items": ["", "i"],
        "kinds": ["y", "y"],
    }
    assert outcome(**others)["values"] == others


def test_numbers_are_numbers_as_json_has_them():
    values = outcome(text="t", count=4.0, share=2)["values"]
    assert repr((values["count"], values["share"])) == "(4, 2.0)"


def test_a_default_is_not_shared():
    first = SAMPLE.parameters[5].default
    Operation("o", "s", (SAMPLE.parameters[5],), lambda items: items.append(1)).run()
    assert first == []


WRONG = {
    "unknown": {"nonsense": 1},
    "no text": {"text": 1},
    "null": {"count": None},
    "other choice": {"word": "c"},
    "choice of another type": {"word": ["a"]},
    "too small": {"count": 0},
    "too large": {"count": 10},
    "no whole number": {"count": 1.5},
    "number as text": {"count": "3"},
    "true is no number": {"count": True},
    "one is not true": {"flag": 1},
    "share too small": {"share": 0},
    "not a number": {"share": float("nan")},
    "infinite": {"share": float("inf")},
    "text is no list": {"items": "abc"},
    "list of numbers": {"items": ["a", 1]},
    "list of lists": {"kinds": [["x"]]},
    "item that is no choice": {"kinds": ["x", "z"]},
    "a name that is no text": {3: 4},
    "a name that is half a pair": {"\ud800": 1},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_wrong_argument_is_named(wrong):
    result = SAMPLE.run({"text": "t", **wrong})
    assert result.error_code == "invalid_arguments"
    (problem,) = result.details["arguments"]
    (name,) = wrong
    assert problem["name"] == (r"\ud800" if name == "\ud800" else str(name))
    assert problem["reason"]
    assert problem["name"] in result.error


def test_all_wrong_arguments_are_named():
    result = SAMPLE.run({"word": "c", "nope": 1})
    assert [one["name"] for one in result.details["arguments"]] == ["word", "nope", "text"]


def test_no_number_of_wrong_arguments_floods_the_result():
    result = SAMPLE.run({"x" * 1000 + str(number): 1 for number in range(1000)})
    assert len(result.details["arguments"]) == MAX_PROBLEMS
    assert len(result.to_json()) < 20_000
    assert "981 more" in result.error


@pytest.mark.parametrize("arguments", [[], "text", 1, [("text", "t")]], ids=repr)
def test_what_holds_no_arguments(arguments):
    assert SAMPLE.run(arguments).error_code == "invalid_arguments"


@pytest.mark.parametrize("name", IDS)
def test_each_refuses_an_unknown_argument(name):
    failed(name, "invalid_arguments", nonsense=1)


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["a", "b", "x", "A", "MX", "file", "path", ""]),
    st.lists(st.sampled_from(["x", "y", "A", "MX", 1, None]), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


@pytest.mark.parametrize("declared", [*ALL, SAMPLE], ids=[*IDS, "sample"])
@examples(150)
@given(st.data())
def test_the_checks_agree_with_the_schema(declared, data):
    names = st.sampled_from([*(one.name for one in declared.parameters), "other"])
    arguments = data.draw(st.dictionaries(names, VALUES, max_size=4))
    valid = jsonschema.Draft202012Validator(declared.input_schema()).is_valid(arguments)
    assert valid is (list(declared.problems(arguments)) == [])


# -- the command line ---------------------------------------------------------


@pytest.mark.parametrize("declared", ALL, ids=IDS)
def test_help_names_every_parameter(declared):
    done = run(declared.name, "--help", env={"COLUMNS": "200"})
    assert (done.status, done.err) == (0, "")
    for parameter in declared.parameters:
        assert parameter.option in done.out.decode()


@pytest.mark.parametrize(
    "words",
    [
        ["--max-depth", "0"],
        ["--max-depth", "1.5"],
        ["--max-depth", "x"],
        ["--max-depth", "\u0661"],
        ["--max-depth", "9" * 30],
        ["--max-depth", ""],
        ["--max-results", "200001"],
        ["--min-size", "-1"],
        ["--timeout", "nan"],
        ["--timeout", "1e3"],
        ["--timeout", " 1"],
        ["--timeout", "-1"],
        ["--type", "socket"],
        ["--type", "File"],
        ["--no-such-option"],
        ["one", "two"],
    ],
    ids=" ".join,
)
def test_wrong_usage(tmp_path, words):
    done = run("findFiles", *words, "--json", cwd=tmp_path)
    assert done.status == 2
    assert json.loads(done.out)["error_code"] == "usage_error"
    assert "Traceback" not in done.err


def test_every_kind_of_option(tmp_path):
    (tmp_path / "b.txt").write_bytes(b"12345")
    (tmp_path / "a.txt").write_bytes(b"123")
    (tmp_path / "c.py").write_bytes(b"1234")
    words = "findFiles . --pattern *.txt --pattern *.py --exclude b* --min-size 3 --timeout 2.5"
    done = run(*words.split(), "--reverse", "--json", cwd=tmp_path)
    assert [one["name"] for one in conforming(document(done))["files"]] == ["c.py", "a.txt"]


def test_the_list_of_operations():
    answer = document(run("operations", "--json"))
    assert [one["name"] for one in answer["operations"]] == IDS
    assert answer["warnings"] == []
    for one, declared in zip(answer["operations"], ALL, strict=True):
        assert one["available"] is True
        assert one["extra"] == (declared.extra or None)
        assert [each["name"] for each in one["parameters"]] == [
            each.name for each in declared.parameters
        ]
    text = run("operations").out.decode()
    assert all(f"{name} " in text for name in IDS)
    assert "--output-format" in text


# -- without the extra --------------------------------------------------------

# Without `site` there is the standard library alone, and sobre.
BARE = """
import sys
sys.path.insert(0, {source!r})
from sobre.cli import main
status = main(sys.argv[1:])
print(*sorted({{name.partition(".")[0] for name in sys.modules}}), file=sys.stderr)
sys.exit(status)
"""


def bare(*words):
    source = sobre.__file__.rpartition("sobre")[0]
    return execute([sys.executable, "-S", "-I", "-c", BARE.format(source=source), *words])


@pytest.mark.parametrize(
    ("words", "module"),
    [
        (["checkDns", "example.org"], "dns"),
        (["getDiskSpace"], "psutil"),
        (["listProcesses", "--sort", "memory"], "psutil"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else value,
)
def test_a_missing_extra_says_what_to_install(words, module):
    answer = conforming(document(bare(*words, "--json")))
    assert answer["error_code"] == "missing_dependency"
    assert "pip install 'sobre[operations]'" in answer["error"]
    assert answer["details"]["module"] == module
    done = bare(*words)
    assert (done.status, done.out) == (1, b"")
    assert "pip install 'sobre[operations]'" in done.err


@pytest.mark.parametrize("name", IDS)
def test_help_needs_no_extra(name):
    assert bare(name, "--help").status == 0


def test_the_list_needs_no_extra():
    answer = document(bare("operations", "--json"))
    missing = {one["name"] for one in answer["operations"] if not one["available"]}
    assert missing == {"checkDns", "getDiskSpace", "listProcesses"}
    assert "sobre[operations]" in answer["warnings"][0]
    assert "not installed" in bare("operations").out.decode()


def test_wrong_arguments_come_first():
    done = bare("checkDns", "example.org", "--record-type", "NONE", "--json")
    assert done.status == 2


@pytest.mark.parametrize("words", [["findFiles", "--max-depth", "1"], ["operations", "--json"]])
def test_nothing_else_is_imported(words):
    modules = bare(*words).err.splitlines()[-1].split()
    assert {name for name in modules if name not in sys.stdlib_module_names} <= {
        "sobre",
        "__main__",
    }


def test_the_modules_of_other_operations_stay_out():
    code = (
        "import sys; from sobre.cli import main; main(sys.argv[1:]); "
        "print(*(name for name in sys.modules if name.startswith('sobre.operations.')), "
        "file=sys.stderr)"
    )
    done = execute([sys.executable, "-c", code, "getCurrentDateTime", "--json"])
    assert set(done.err.split()) == {
        "sobre.operations.declaration",
        "sobre.operations.get_current_date_time",
    }
