"""`sobre schema`: what it prints, what it compares, and how it refuses."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry

from command import FAILURE, SUCCESS, document, posix, run
from sobre.contract.compose import MODES, tool_output_schema
from sobre.contract.output_schema import judge_output_schema
from sobre.contract.schemas import SCHEMAS, schema_bytes
from sobre.json_text import read
from sobre.json_write import pretty
from strategies import nested

COPY = {"type": "object", "properties": {"copied": {"type": "integer"}}, "required": ["copied"]}
COPIED = {"success": True, "message": "Copied.", "copied": 3}


def write(folder, name, value):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    (folder / name).write_bytes(data)
    return name


def usage(done):
    """What a refusal says: the last line; before it comes how the command is used."""
    assert (done.status, done.out) == (2, b"")
    *before, last = done.err.splitlines()
    assert [line.partition(" ")[0] for line in before] == ["usage:"]
    assert last.startswith("sobre schema: ")
    return last.removeprefix("sobre schema: ")


# -- printing ---------------------------------------------------------------------


@pytest.mark.parametrize("name", SCHEMAS)
def test_our_own_schemas_are_printed_as_they_are(name):
    assert run("schema", name) == (0, schema_bytes(name), "")


@pytest.mark.parametrize("mode", [None, *MODES])
@pytest.mark.parametrize("domain", [None, COPY])
def test_an_output_schema_ready_to_publish(tmp_path, mode, domain):
    words = ["--mode", mode] if mode else []
    if domain:
        words += ["--domain", write(tmp_path, "domain.json", domain)]
    done = run("schema", "tool", *words, cwd=tmp_path)
    assert done == (0, pretty(tool_output_schema(domain, mode or "ref")), "")
    schema = read(done.out)
    assert judge_output_schema(schema)[0] == MODES[mode or "ref"]
    admits = Draft202012Validator(schema, registry=Registry()).is_valid
    assert admits(COPIED)
    assert admits(read(FAILURE))
    assert admits(read(SUCCESS)) is (domain is None)
    assert not admits({**COPIED, "error": "why"})


def test_a_tool_definition_with_it_conforms(tmp_path):
    write(tmp_path, "domain.json", COPY)
    printed = run("schema", "tool", "--domain", "domain.json", cwd=tmp_path).out
    tool = {"name": "copy", "inputSchema": {"type": "object"}, "outputSchema": read(printed)}
    result = {
        "structuredContent": COPIED,
        "content": [{"type": "text", "text": json.dumps(COPIED)}],
    }
    write(tmp_path, "tool.json", tool)
    write(tmp_path, "result.json", result)
    words = ["--profile", "mcp-2025-11-25", "--tool-definition", "tool.json", "--json"]
    answer = document(run("validate", "result.json", *words, cwd=tmp_path))
    assert answer["success"]
    assert answer["details"]["findings"] == []


def test_the_domain_schema_can_come_from_standard_input():
    done = run("schema", "tool", "--domain", "-", input=json.dumps(COPY).encode())
    assert done == (0, pretty(tool_output_schema(COPY)), "")


def test_the_fields_of_our_own_operations_compose():
    from sobre.operations import OPERATIONS

    for name in OPERATIONS:
        fields = run("schema", "operation", name)
        assert fields.status == 0
        assert tool_output_schema(read(fields.out), "structural")
        assert judge_output_schema(tool_output_schema(read(fields.out))) == ("canonical_ref", [])


# -- domain schemas that cannot be used ------------------------------------------------

BAD_DOMAINS = {
    "nothing": (b"", "'domain.json' is not strict JSON: json.empty: "),
    "no JSON": (b"{,}", "'domain.json' is not strict JSON: json.syntax: "),
    "a name twice": (b'{"type":"object","type":"object"}', "json.duplicate_name: "),
    "half a character": (b'{"title":"\\ud800"}', "json.unpaired_surrogate: "),
    "too deep to read": (pretty(nested(512)).rstrip() + b"]", "is not strict JSON: json."),
    "513 levels": (b"[" * 513 + b"]" * 513, "json.depth: "),
    "512 levels": (b'{"enum":' + b"[" * 511 + b"]" * 511 + b"}", "cannot be used: it cannot be"),
    "an array": (b"[]", "'domain.json' holds no JSON Schema: it is neither an object nor"),
    "null": (b"null", "'domain.json' holds no JSON Schema"),
    "a number": (b"1", "'domain.json' holds no JSON Schema"),
    "false": (b"false", "the domain schema 'domain.json' cannot be used: a domain schema is an"),
    "a circle": (
        b'{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}',
        "the domain schema 'domain.json' cannot be used: at /$defs/a: its references lead back",
    ),
    "an outside reference": (
        b'{"properties":{"a":{"$ref":"https://example.com/\\u001b[31m"}}}',
        r"at /properties/a/$ref: 'https://example.com/\x1b[31m': it does not resolve inside",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD_DOMAINS)
def test_a_domain_schema_that_cannot_be_used_is_wrong_usage(tmp_path, what):
    data, text = BAD_DOMAINS[what]
    write(tmp_path, "domain.json", data)
    assert text in usage(run("schema", "tool", "--domain", "domain.json", cwd=tmp_path))


def test_a_pointer_in_a_refusal_reaches_no_terminal_as_it_is(tmp_path):
    write(tmp_path, "domain.json", {"properties": {"\x1b[31m\n": {"$ref": "x"}}})
    text = usage(run("schema", "tool", "--domain", "domain.json", cwd=tmp_path))
    assert "\x1b" not in text
    assert r"at /properties/\x1b[31m\n/$ref: 'x'" in text


def test_a_domain_schema_that_is_not_there(tmp_path):
    done = run("schema", "tool", "--domain", "nothing.json", cwd=tmp_path)
    assert usage(done) == "'nothing.json' cannot be read: no such file or directory"
    assert "cannot be read: " in usage(run("schema", "tool", "--domain", ".", cwd=tmp_path))


@pytest.mark.parametrize("words", [["tool", "--mode", "inline"], ["tool", "x"], [], ["other"]])
def test_wrong_usage(words):
    assert usage(run("schema", *words))


LARGE = {
    "ten megabytes": {
        "properties": {f"field_{n}": {"type": "string", "title": "x" * 100} for n in range(70_000)}
    },
    "fifty thousand references": {
        "properties": {f"field_{n}": {"$ref": "#/$defs/a"} for n in range(50_000)},
        "$defs": {"a": {"type": "string"}},
    },
    "a chain of ten thousand": {
        "$ref": "#/$defs/d0",
        "$defs": {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(10_000)} | {"d10000": {}},
    },
}


@pytest.mark.parametrize("what", LARGE)
def test_large_domain_schemas_take_bounded_time(tmp_path, what):
    write(tmp_path, "domain.json", LARGE[what])
    done = run("schema", "tool", "--domain", "domain.json", cwd=tmp_path)
    assert (done.status, done.err) == (0, "")
    done = run("schema", "diff", "domain.json", "domain.json", cwd=tmp_path)
    assert done == (0, b"Nothing changed for consumers.\n", "")


# -- comparing ------------------------------------------------------------------------

MORE = {**COPY, "properties": {**COPY["properties"], "skipped": {"type": "integer"}}}
OTHER = {**COPY, "properties": {"copied": {"type": "string", "format": "date"}}}
SKIPPED = "additive at /properties/skipped: the optional field 'skipped' is new"
COPIED_TYPE = "breaking at /properties/copied/type: the type is changed from integer to string"
COPIED_FORMAT = (
    "undecided at /properties/copied/format: `format` is new; its effect is not decided here"
)


def diff(folder, old, new, *words, **options):
    write(folder, "old.json", old)
    write(folder, "new.json", new)
    return run("schema", "diff", "old.json", "new.json", *words, cwd=folder, **options)


def test_no_change(tmp_path):
    assert diff(tmp_path, COPY, {"title": "Copy", **COPY}) == (
        0,
        b"Nothing changed for consumers.\n",
        "",
    )
    answer = document(diff(tmp_path, COPY, COPY, "--json"))
    assert answer["message"] == "Nothing changed for consumers."
    assert answer["details"] == {
        "counts": {"breaking": 0, "additive": 0, "undecided": 0},
        "changes": [],
    }


def test_an_addition(tmp_path):
    lines = f"{SKIPPED}\n1 change: 1 additive.\n"
    assert diff(tmp_path, COPY, MORE) == (0, lines.encode(), "")
    answer = document(diff(tmp_path, COPY, MORE, "--json"))
    assert answer == {
        "success": True,
        "message": "1 change: 1 additive.",
        "warnings": [],
        "details": {
            "counts": {"breaking": 0, "additive": 1, "undecided": 0},
            "changes": [
                {
                    "effect": "additive",
                    "pointer": "/properties/skipped",
                    "message": "the optional field 'skipped' is new",
                }
            ],
        },
        "meta": {"command": "schema", "schema_version": 1},
    }


def test_a_break_is_a_failure_and_what_is_undecided_a_warning(tmp_path):
    done = diff(tmp_path, COPY, OTHER)
    lines = [COPIED_TYPE, COPIED_FORMAT, "2 changes: 1 breaking, 1 undecided."]
    assert (done.status, done.out.decode().splitlines(), done.err) == (1, lines, "")
    done = diff(tmp_path, COPY, OTHER, "--json")
    answer = document(done)
    assert (done.status, answer["error_code"]) == (1, "breaking_change")
    assert answer["warnings"] == [COPIED_FORMAT]
    assert [change["effect"] for change in answer["details"]["changes"]] == [
        "breaking",
        "undecided",
    ]


def test_what_is_only_undecided_breaks_nothing(tmp_path):
    done = diff(tmp_path, {}, {"format": "date"})
    assert (done.status, done.out.decode().splitlines()[-1]) == (0, "1 change: 1 undecided.")


@pytest.mark.parametrize("both", [True, False])
def test_tool_definitions_stand_for_their_output_schemas(tmp_path, both):
    old = {"name": "copy", "outputSchema": COPY}
    new = {"name": "copy", "description": "x", "outputSchema": MORE} if both else MORE
    assert diff(tmp_path, old, new).out.decode().splitlines()[0] == SKIPPED


def test_a_schema_with_a_field_called_outputschema_is_one_itself(tmp_path):
    done = diff(tmp_path, {"outputSchema": 1}, {"outputSchema": 2})
    assert done.out.startswith(b"undecided at /outputSchema: ")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"[]", "'new.json' holds no JSON Schema: it is neither an object nor a boolean"),
        (b"{", "'new.json' is not strict JSON: json.syntax: "),
        (
            b'{"name":"x","outputSchema":[]}',
            "the `outputSchema` of the tool definition 'new.json' is neither an object",
        ),
        (
            b'{"name":"x","inputSchema":{"type":"object"}}',
            "the `outputSchema` of the tool definition 'new.json' is missing",
        ),
    ],
)
def test_what_is_no_schema_cannot_be_compared(tmp_path, data, text):
    assert text in usage(diff(tmp_path, COPY, data))
    done = diff(tmp_path, COPY, data, "--json")
    answer = document(done)
    assert (done.status, answer["error_code"]) == (2, "usage_error")
    assert text in answer["message"]


def test_a_file_that_is_not_there_cannot_be_compared(tmp_path):
    write(tmp_path, "old.json", COPY)
    done = run("schema", "diff", "old.json", "new.json", cwd=tmp_path)
    assert usage(done) == "'new.json' cannot be read: no such file or directory"


def test_names_from_a_schema_reach_no_terminal_and_no_log_as_they_are(tmp_path):
    name = "\x1b[31m\n::error::\u202e##[group]x"
    done = diff(tmp_path, {}, {"properties": {name: {}}, name: 1})
    text = done.out.decode()
    assert len(text.splitlines()) == 3
    assert text.isascii()
    assert "\x1b" not in text
    assert "##[" not in text


@posix
def test_names_of_files_that_are_no_text(tmp_path):
    path = tmp_path / "\udcff\x1b.json"
    write(tmp_path, path.name, COPY)
    assert run("schema", "diff", path, path).status == 0
    path.unlink()
    assert r"\udcff\x1b.json' cannot be read" in usage(run("schema", "diff", path, path))


def test_many_changes_are_told_up_to_a_number(tmp_path):
    wide = {"properties": {f"field_{n}": {} for n in range(20_000)}}
    answer = document(diff(tmp_path, {}, wide, "--json"))
    assert answer["details"]["counts"] == {"breaking": 0, "additive": 10_000, "undecided": 1}
    assert answer["warnings"] == ["undecided at the root: there are more than 10000 changes"]
