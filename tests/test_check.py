"""The core rules (section 2) against real validators and against the table of the contract."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator

from documents import BASES, rules_and_pointers
from sobre.contract.check import check
from sobre.contract.findings import pointer_to, violations
from sobre.contract.rules import RULES
from strategies import (
    NEAR_VALUES,
    NEARLY_SPACES,
    SPACES,
    examples,
    json_values,
    near_misses,
    results,
    seeds,
    single_changes,
)
from validators import validators

VALIDATORS = validators("contract")


# -- as validators see it --------------------------------------------------------


def test_the_validators_know_white_space_as_ecma_262_has_it():
    validator = Draft202012Validator({"pattern": r"\S"})
    characters = [chr(code) for code in range(0x11000) if not 0xD800 <= code < 0xE000]
    assert {c for c in characters if not validator.is_valid(c)} == set(SPACES)


def assert_agreement(document):
    broken = violations(check(document))
    for name, validator in VALIDATORS.items():
        assert validator.is_valid(document) is not bool(broken), (name, document, broken)


@examples(300)
@given(results)
def test_results_conform_to_all(document):
    assert violations(check(document)) == []
    assert_agreement(document)


@examples(900)
@given(near_misses())
def test_near_misses_get_the_verdict_of_validators(document):
    assert_agreement(document)
    assert rules_and_pointers(document) == expected_findings(document)


@examples(200)
@given(json_values)
def test_any_value_gets_the_verdict_of_validators(value):
    assert_agreement(value)
    assert rules_and_pointers(value) == expected_findings(value)


@pytest.mark.parametrize("base", BASES, ids=range(len(BASES)))
def test_every_single_change_gets_the_verdict_of_validators(base):
    for document in single_changes(base, NEAR_VALUES):
        assert_agreement(document)
        assert rules_and_pointers(document) == expected_findings(document)


@examples(300)
@given(near_misses())
def test_violations_are_where_validators_see_them(document):
    wrong = {
        finding.pointer
        for finding in violations(check(document))
        if not finding.rule.endswith(".missing")
    }
    wrong.discard("")  # What a validator says of the root stands for several rules.
    errors = VALIDATORS["our schema"].iter_errors(document)
    assert wrong == {pointer_to(error.instance_path) for error in errors} - {""}


# -- as the table of the contract has it ----------------------------------------

#: White space to ECMA-262 or to Python, and not to the other.
DISPUTED = {chr(code) for code in range(0x11000) if chr(code).isspace() != (chr(code) in SPACES)}


def text_findings(value, pointer, stem):
    if not isinstance(value, str):
        return [(f"core.{stem}.type", pointer)]
    found = []
    if set(value) <= set(SPACES):
        found.append((f"core.{stem}.blank", pointer))
    if set(value) & DISPUTED and set(value) <= DISPUTED | set(SPACES):
        found.append(("core.whitespace_portability", pointer))
    return found


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def expected_findings(document):
    """(rule, pointer) of everything in a JSON value that breaks section 2, in its order."""
    if not isinstance(document, dict):
        return [("core.type", "")]
    found = []
    success = document.get("success")
    if "success" not in document:
        found.append(("core.success.missing", "/success"))
    elif not isinstance(success, bool):
        found.append(("core.success.type", "/success"))
    if "message" not in document:
        found.append(("core.message.missing", "/message"))
    else:
        found += text_findings(document["message"], "/message", "message")
    if "error" in document:
        found += text_findings(document["error"], "/error", "error")
    if "error_code" in document:
        code = document["error_code"]
        if not isinstance(code, str):
            found.append(("core.error_code.type", "/error_code"))
        elif not re.fullmatch("[a-z][a-z0-9_]*", code):
            found.append(("core.error_code.pattern", "/error_code"))
    if not isinstance(document.get("details", {}), dict):
        found.append(("core.details.type", "/details"))
    if not isinstance(document.get("warnings", []), list):
        found.append(("core.warnings.type", "/warnings"))
    else:
        for index, item in enumerate(document.get("warnings", [])):
            found += text_findings(item, f"/warnings/{index}", "warnings.item")
    found += expected_meta_findings(document.get("meta", {}))
    explanations = [name for name in ("error", "error_code") if name in document]
    if success is False and not explanations:
        found.append(("core.failure.unexplained", ""))
    if success is True:
        found += [(f"core.success.{name}", f"/{name}") for name in explanations]
    return found


def expected_meta_findings(meta):
    if not isinstance(meta, dict):
        return [("core.meta.type", "/meta")]
    found = []
    version = meta.get("schema_version", 1)
    if not is_number(version) or version != 1:
        found.append(("core.meta.schema_version", "/meta/schema_version"))
    if "command" in meta:
        found += text_findings(meta["command"], "/meta/command", "meta.command")
    duration = meta.get("duration_ms", 0)
    if not is_number(duration):
        found.append(("core.meta.duration_ms.type", "/meta/duration_ms"))
    elif duration < 0:
        found.append(("core.meta.duration_ms.negative", "/meta/duration_ms"))
    if not isinstance(meta.get("command_maturity", {}), dict):
        found.append(("core.meta.command_maturity.type", "/meta/command_maturity"))
    return found


def test_every_character_alone_and_beside_white_space():
    for code in range(0x3100):
        character = chr(code)
        for text in (character, character + " ", "\ufeff" + character, character + "\u200b"):
            document = {"success": True, "message": text}
            assert rules_and_pointers(document) == expected_findings(document)


@examples(300)
@given(st.text(SPACES + NEARLY_SPACES, max_size=6))
def test_blank_text_in_every_field_of_text(text):
    document = {
        "success": False,
        "message": text,
        "error": text,
        "warnings": [text],
        "meta": {"command": text},
    }
    assert_agreement(document)
    assert rules_and_pointers(document) == expected_findings(document)


@examples(300)
@given(st.text("abzAZ019_-. \n\u00e0\u0131\u0661\u212a\x00", max_size=5))
def test_error_codes(code):
    document = {"success": False, "message": "No.", "error_code": code}
    assert_agreement(document)
    assert rules_and_pointers(document) == expected_findings(document)


# -- findings ----------------------------------------------------------------


@examples(400)
@given(near_misses(), seeds)
def test_findings_do_not_depend_on_the_order_of_members(document, rng):
    findings = check(document)
    assert check(document) == findings
    shuffled = {name: document[name] for name in rng.sample(list(document), len(document))}
    if isinstance(shuffled.get("meta"), dict):
        meta = shuffled["meta"]
        shuffled["meta"] = {name: meta[name] for name in rng.sample(list(meta), len(meta))}
    assert check(shuffled) == findings


@examples(300)
@given(near_misses())
def test_findings_say_what_a_person_needs(document):
    for finding in check(document):
        assert finding.rule in RULES
        assert finding.message.strip()
        assert finding.fix
        assert str(finding).isprintable()
        assert finding.rule in str(finding)
        assert finding.to_dict()["severity"] in ("violation", "warning")


def test_check_leaves_the_document_alone():
    for document in single_changes(BASES[0], [None, " ", 1]):
        before = repr(document)
        check(document)
        assert repr(document) == before


def test_every_finding_of_a_document_that_is_wrong_everywhere():
    document = {
        "meta": {"command_maturity": 1, "duration_ms": -1, "command": " ", "schema_version": 2},
        "warnings": ["\x1c", 1, "\ufeff"],
        "details": [],
        "error_code": "A",
        "error": "",
        "message": "\t",
        "success": True,
    }
    assert rules_and_pointers(document) == [
        ("core.message.blank", "/message"),
        ("core.error.blank", "/error"),
        ("core.error_code.pattern", "/error_code"),
        ("core.details.type", "/details"),
        ("core.whitespace_portability", "/warnings/0"),
        ("core.warnings.item.type", "/warnings/1"),
        ("core.warnings.item.blank", "/warnings/2"),
        ("core.whitespace_portability", "/warnings/2"),
        ("core.meta.schema_version", "/meta/schema_version"),
        ("core.meta.command.blank", "/meta/command"),
        ("core.meta.duration_ms.negative", "/meta/duration_ms"),
        ("core.meta.command_maturity.type", "/meta/command_maturity"),
        ("core.success.error", "/error"),
        ("core.success.error_code", "/error_code"),
    ]
