"""Results as values: built, read, relayed, compared, matched, and never changed or invalid."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sobre import (
    CONTRACT_URL,
    ContractError,
    DocumentError,
    Result,
    ResultError,
    check,
    conforming,
    failure,
    success,
)
from sobre.contract.findings import violations
from sobre.json_write import equal
from strategies import (
    codes,
    examples,
    identity,
    json_values,
    metas,
    names,
    near_misses,
    nested,
    objects,
    results,
    visible,
)

RESERVED = ("success", "message", "error", "error_code", "details", "warnings", "meta")
domains = st.dictionaries(names.filter(lambda name: name not in RESERVED), json_values, max_size=3)
shared_fields = st.fixed_dictionaries(
    {}, optional={"details": objects, "warnings": st.lists(visible, max_size=3), "meta": metas}
)


def refusals(call, *arguments, **keywords):
    with pytest.raises(ContractError) as caught:
        call(*arguments, **keywords)
    assert str(caught.value)
    return [(finding.rule, finding.pointer) for finding in caught.value.findings]


# -- building ----------------------------------------------------------------


@examples(200)
@given(visible, shared_fields, domains)
def test_a_success_has_what_it_was_built_from(message, fields, domain):
    result = success(message, **fields, **domain)
    expected = {"success": True, "message": message, **domain, **fields}
    assert equal(result.to_dict(), expected)
    assert violations(check(result.to_dict())) == []
    assert (result.success, result.message, result.error, result.error_code) == (
        True,
        message,
        None,
        None,
    )
    assert bool(result)
    assert equal(dict(result.domain), domain)
    assert equal(dict(result.details), fields.get("details", {}))
    assert equal(dict(result.meta), fields.get("meta", {}))
    assert result.warnings == tuple(fields.get("warnings", ()))


@examples(200)
@given(visible, visible | st.none(), codes, shared_fields, domains)
def test_a_failure_has_what_it_was_built_from(message, error, code, fields, domain):
    result = failure(message, error=error, error_code=code, **fields, **domain)
    assert violations(check(result.to_dict())) == []
    assert (result.success, result.message, result.error, result.error_code) == (
        False,
        message,
        error,
        code,
    )
    assert not result
    assert equal(dict(result.domain), domain)


@examples(300)
@given(results)
def test_results_survive_being_written_and_read(document):
    result = Result(document)
    for indent in (False, True):
        twin = Result.from_json(result.to_json(indent=indent))
        assert twin == result
        assert hash(twin) == hash(result)
        assert identity(twin.to_dict()) == identity(document)
    assert Result.from_json(result.to_json().encode()) == Result(result) == result


@examples(400)
@given(near_misses())
def test_a_result_is_built_exactly_if_the_document_conforms(document):
    broken = violations(check(document))
    if broken:
        assert refusals(Result, document) == [(finding.rule, finding.pointer) for finding in broken]
        assert refusals(Result.from_json, json.dumps(document)) == refusals(Result, document)
        replaced = conforming(document, meta={"command": "copy"})
        assert violations(check(replaced.to_dict())) == []
        assert replaced.error_code == "invalid_result_contract"
        assert replaced.details["contract"] == CONTRACT_URL
        assert replaced.details["violations"] == [str(finding) for finding in broken]
        assert replaced.meta == {"command": "copy"}
    else:
        assert conforming(document) == Result(document)
        assert identity(Result(document).to_dict()) == identity(document)


def test_core_fields_come_first_and_members_keep_their_order():
    result = failure(
        "No.", z=1, a=2, error="Why", error_code="no", warnings=["w"], meta={}, details={}
    )
    assert list(result)[:4] == ["success", "message", "error", "error_code"]
    assert list(result.domain) == ["z", "a"]
    read = Result.from_json('{"z":1,"message":"Done.","a":{"y":1,"x":2},"success":true}')
    assert list(read) == list(read.keys()) == ["z", "message", "a", "success"]
    assert read.to_json() == '{"z":1,"message":"Done.","a":{"y":1,"x":2},"success":true}'


def test_none_for_an_optional_argument_means_absent():
    assert success("Done.", details=None, warnings=None, meta=None).to_dict() == {
        "success": True,
        "message": "Done.",
    }
    built = failure("No.", error_code="no", error=None).to_dict()
    assert built == {"success": False, "message": "No.", "error_code": "no"}
    assert success("Done.", value=None).to_dict()["value"] is None


def test_warnings_may_be_any_iterable_of_texts():
    for warnings in (
        ["a", "b"],
        ("a", "b"),
        iter(["a", "b"]),
        {"a": 1, "b": 2},
        (text for text in "ab"),
    ):
        assert success("Done.", warnings=warnings).warnings == ("a", "b")
    assert success("Done.", warnings="One whole text").warnings == ("One whole text",)
    assert success("Done.", warnings=[]).to_dict()["warnings"] == []


@pytest.mark.parametrize("name", RESERVED)
def test_core_names_are_reserved(name):
    taken = {name: 1}
    if name in ("success", "message"):
        assert refusals(success, "Done.", **taken) == [("produce.reserved_name", "/" + name)]
        assert refusals(failure, "No.", error_code="no", **taken) == [
            ("produce.reserved_name", "/" + name)
        ]
    if name in ("error", "error_code"):
        assert refusals(success, "Done.", **taken) == [("produce.reserved_name", "/" + name)]
    assert success("Done.", value=taken)["value"] == taken


def test_all_reserved_names_are_reported():
    taken = {"error_code": "no", "success": True, "error": "x", "message": "m"}
    expected = [
        ("produce.reserved_name", "/" + name)
        for name in ("success", "message", "error", "error_code")
    ]
    assert refusals(success, "Done.", **taken) == expected


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda: success(""), [("core.message.blank", "/message")]),
        (lambda: success(None), [("core.message.type", "/message")]),
        (lambda: success("\ufeff"), [("core.message.blank", "/message")]),
        (lambda: success("Done.", details=[1]), [("core.details.type", "/details")]),
        (lambda: success("Done.", meta=[]), [("core.meta.type", "/meta")]),
        (
            lambda: success("Done.", warnings=["", 1]),
            [
                ("core.warnings.item.blank", "/warnings/0"),
                ("core.warnings.item.type", "/warnings/1"),
            ],
        ),
        (
            lambda: success("Done.", meta={"duration_ms": -1}),
            [("core.meta.duration_ms.negative", "/meta/duration_ms")],
        ),
        (lambda: failure("No."), [("core.failure.unexplained", "")]),
        (lambda: failure("No.", error=""), [("core.error.blank", "/error")]),
        (lambda: failure("No.", error_code="No"), [("core.error_code.pattern", "/error_code")]),
        (lambda: failure("No.", error_code="no\n"), [("core.error_code.pattern", "/error_code")]),
        (lambda: failure("No.", error_code=404), [("core.error_code.type", "/error_code")]),
        (lambda: Result([]), [("core.type", "")]),
        (lambda: Result(None), [("core.type", "")]),
        (
            lambda: Result({}),
            [("core.success.missing", "/success"), ("core.message.missing", "/message")],
        ),
        (lambda: Result.from_json("null"), [("core.type", "")]),
    ],
)
def test_what_does_not_conform_is_never_built(build, expected):
    assert refusals(build) == expected


@pytest.mark.parametrize("warnings", [1, 1.5, True, Ellipsis], ids=repr)
def test_warnings_that_are_no_texts_are_refused_as_other_fields_are(warnings):
    with pytest.raises(ContractError):
        success("Done.", warnings=warnings)


def test_text_that_is_not_json_is_refused():
    for data in (
        "",
        b"",
        "{",
        '{"success":true,"success":true}',
        '{"success":true,"message":"\ud800"}',
        b"\xff",
    ):
        with pytest.raises(DocumentError):
            Result.from_json(data)
    for data in (None, 1, {"success": True}):
        with pytest.raises(TypeError):
            Result.from_json(data)
    assert Result.from_json('\ufeff{"success":true,"message":"Done."}').success


# -- a producer's last line of defence -----------------------------------------


def with_value(value):
    return {"success": True, "message": "Done.", "value": value}


NOT_CONFORMING = [
    *[None, [], "text", object(), {}, {"success": True}, {"success": 1, "message": ""}],
    *[{"success": True, "message": {1}}, {"success": False, "message": "No."}, {"\ud800": 1}],
    *[{"success": True, "message": "\ud800"}, {"success": True, "message": "Done.", 1: 2}],
    *[with_value(float("nan")), with_value(nested(600)), with_value(10**5000)],
]


@pytest.mark.parametrize("document", NOT_CONFORMING)
def test_whatever_does_not_conform_is_replaced(document):
    result = conforming(document)
    assert violations(check(result.to_dict())) == []
    assert not result
    assert result.error_code == "invalid_result_contract"
    assert set(result.details) == {"violations", "contract"}
    assert result.details["contract"] == CONTRACT_URL
    assert result.details["violations"]
    assert Result.from_json(result.to_json()) == result


def test_results_pass_through():
    result = failure("No.", error_code="no")
    assert conforming(result) is result


# -- relaying ----------------------------------------------------------------

RELAYED = (
    '{"first":[],"success":true,"message":"Done.","big":9223372036854775808,"bigger":1'
    + "0" * 300
    + ',"negative":-9223372036854775809,"zero":-0.0,"tiny":1e-400,"third":0.30000000000000004'
    + ',"large":1e+300,"":null,"a/b":{"z":1,"a":[true,1,1.0]},"__proto__":{"x":{}}'
    + ',"\\u0001\\"\\\\":"\u20ac\U0001f600\x7f","meta":{"z":1,"a":2}}'
)


def test_unknown_fields_are_relayed_in_order_and_exactly():
    result = Result.from_json(RELAYED)
    relayed = Result.from_json(
        Result(Result.from_json(result.to_json(indent=True)).to_dict()).to_json()
    )
    assert relayed.to_json() == RELAYED.replace("1e-400", "0.0")
    assert list(relayed.domain) == [name for name in json.loads(RELAYED) if name not in RESERVED]
    assert type(relayed["big"]) is int
    assert relayed["bigger"] == 10**300
    assert str(relayed["zero"]) == "-0.0"
    assert relayed["tiny"] == 0


# -- another like it -----------------------------------------------------------


@examples(100)
@given(results, metas, json_values)
def test_replacing_members_makes_another_result(document, meta, value):
    result = Result(document)
    other = result.replace(meta=meta, output=(value,))
    assert identity(other.to_dict()) == identity({**document, "meta": meta, "output": [value]})
    assert identity(result.to_dict()) == identity(document)


def test_replacing_members_cannot_break_the_contract():
    result = success("Done.", value=[1])
    assert result.replace() == result
    assert refusals(result.replace, message=" ") == [("core.message.blank", "/message")]
    assert refusals(result.replace, success=False) == [("core.failure.unexplained", "")]
    assert refusals(result.replace, error="x") == [("core.success.error", "/error")]
    assert refusals(result.replace, meta={"a": {1}}) == [("produce.type", "/meta/a")]
    assert refusals(result.replace, value=nested(512))[0][0] == "json.depth"
    value = [1]
    other = result.replace(value=value)
    value.append(2)
    assert other["value"] == [1]


# -- comparing, matching, unwrapping ----------------------------------------------

DOCUMENT = {
    "success": False,
    "message": "No.",
    "error": "Not found",
    "error_code": "not_found",
    "details": {"path": "a", "inner": {"list": [1, {"deep": []}]}},
    "warnings": ["One."],
    "meta": {"command": "copy", "more": [[0]]},
    "items": [1, [2], {"a": 3}],
    "object": {"a": {"b": []}},
}


@pytest.fixture
def result():
    return Result(DOCUMENT)


def test_equality_is_that_of_json():
    def built(value):
        return success("Done.", value=value)

    assert built(1) == built(1.0)
    assert hash(built(1)) == hash(built(1.0))
    assert built({"a": 1, "b": 2}) == built({"b": 2, "a": 1})
    for left, right in (
        (True, 1),
        (False, 0),
        ([True], [1]),
        (None, False),
        ("1", 1),
        (2**53 + 1, float(2**53)),
        ([1, 2], [2, 1]),
    ):
        assert built(left) != built(right)
        assert (built(left) == built(right)) is False
    assert len({built(1), built(1.0), built(True), built(True)}) == 2
    assert Result({"message": "Done.", "success": True}) == success("Done.")
    assert failure("Done.", error_code="a") != success("Done.")


def test_equality_with_other_things(result):
    for other in (result.to_dict(), result.to_json(), None, True, False, 1, object()):
        assert result != other
        assert (result == other) is False


def test_equality_leaves_room_for_the_other_side(result):
    """What compares itself with anything, as `unittest.mock.ANY`, is asked from both sides."""

    class Anything:
        def __eq__(self, other):
            return True

        __hash__ = None

    assert Anything() == result
    assert result == Anything()


@examples(200)
@given(results, results)
def test_equal_results_have_one_hash(left, right):
    assert (Result(left) == Result(right)) is equal(left, right)
    if Result(left) == Result(right):
        assert hash(Result(left)) == hash(Result(right))


def described(value):
    match value:
        case Result(True, "Exactly."):
            return "exactly"
        case Result(True, message):
            return f"success {message}"
        case Result(False, _, "not_found" | "gone" as code):
            return f"missing {code}"
        case Result(success=False, error=str(error), error_code=None):
            return f"text {error}"
        case Result(False, _, code):
            return f"failure {code}"
    return "something else"


def test_match():
    assert described(success("Exactly.")) == "exactly"
    assert described(success("Done.")) == "success Done."
    assert described(failure("No.", error_code="gone")) == "missing gone"
    assert described(failure("No.", error="Broken")) == "text Broken"
    assert described(failure("No.", error_code="other")) == "failure other"
    assert described({"success": True}) == "something else"


def test_unwrap(result):
    done = success("Done.")
    assert done.unwrap() is done
    with pytest.raises(ResultError) as caught:
        result.unwrap()
    error = caught.value
    assert error.result is result
    assert (error.code, error.message, error.details) == ("not_found", "No.", DOCUMENT["details"])
    assert str(error) == "not_found: No. Not found"


def test_words_of_an_unwrapped_failure():
    assert str(ResultError(failure("No.", error_code="no"))) == "no: No."
    assert str(ResultError(failure("No.", error="No."))) == "No."
    assert str(ResultError(failure("No.", error="Why"))) == "No. Why"
    assert ResultError(failure("No.", error="Why")).code == ""


def test_reading_members(result):
    assert len(result) == len(DOCUMENT)
    assert list(result) == list(DOCUMENT)
    assert "items" in result
    assert "missing" not in result
    assert 1 not in result
    assert result.get("missing") is None
    assert result.get("missing", 7) == 7
    assert dict(result) == DOCUMENT
    assert {**result} == DOCUMENT
    with pytest.raises(KeyError):
        result["missing"]


def test_repr_is_short_and_says_the_outcome(result):
    assert repr(success("Done.")) == '<Result success {"success":true,"message":"Done."}>'
    assert repr(result).startswith("<Result failure {")
    assert len(repr(success("Done.", value="x" * 10_000))) < 400
    assert repr(success("Done.", value=nested(511)))


def test_reads_as_text(result):
    assert result.to_json(indent=True) == json.dumps(DOCUMENT, indent=2) + "\n"
    assert result.to_json() == json.dumps(DOCUMENT, separators=(",", ":"))
