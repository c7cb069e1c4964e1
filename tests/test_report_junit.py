"""The report as JUnit XML, read by an XML parser and by a reader of JUnit files."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Skipped

from report_cases import (
    HOSTILE,
    REPORTS,
    evidence,
    files,
    malformed,
    many,
    texts,
    validation,
    verification,
)
from sobre.report.escape import for_terminal
from sobre.report.junit import render
from strategies import examples


def read(report):
    """The cases by name, after both readers agree and every count is right."""
    data = render(report)
    root = ElementTree.fromstring(data)
    cases = root.findall("testsuite/testcase")
    failures, skipped = root.findall(".//failure"), root.findall(".//skipped")
    for element in (root, root[0]):
        assert element.get("tests") == str(len(cases))
        assert element.get("failures") == str(len(failures))
        assert element.get("skipped") == str(len(skipped))
        assert element.get("errors") == "0"
    (suite,) = JUnitXml.fromstring(data)
    found = list(suite)
    assert suite.name == f"sobre {report.command}"
    assert [case.name for case in found] == [case.get("name") for case in cases]
    assert suite.failures == sum(isinstance(one, Failure) for case in found for one in case.result)
    assert not any(isinstance(one, Error) for case in found for one in case.result)
    assert all(len(case.result) <= 1 for case in found)
    assert bool(failures) is not report.conformant
    return found


def everything(data):
    root = ElementTree.fromstring(data)
    values = [value for element in root.iter() for value in element.attrib.values()]
    return [*root.itertext(), *values]


@pytest.mark.parametrize("kind", REPORTS)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_stays_text(kind, name):
    report = REPORTS[kind](HOSTILE[name])
    if kind != "verification aside":  # Made up: its verdict is bad without a reason that counts.
        read(report)
    assert any(for_terminal(HOSTILE[name]) in text for text in everything(render(report)))


@examples(150)
@given(st.sampled_from(sorted(REPORTS)), texts)
def test_any_text_is_text(kind, text):
    data = render(REPORTS[kind](text))
    shape = [element.tag for element in ElementTree.fromstring(data).iter()]
    assert shape == [
        element.tag for element in ElementTree.fromstring(render(REPORTS[kind]())).iter()
    ]
    assert any(for_terminal(text) in shown for shown in everything(data))


def test_a_case_for_each_file():
    good, bad, gone = read(validation("name"))
    assert [case.classname for case in (good, bad, gone)] == ["core"] * 3
    assert [case.name for case in (good, bad, gone)] == ["good.json", "name", "name"]
    assert good.result == []
    (failure,) = bad.result
    assert (failure.message, failure.type) == ("3 violations", "core.message.blank")
    assert "name:1:4: json.syntax: name" in failure.text
    assert "name:1:1: unknown.rule: name" in failure.text
    assert "whitespace_portability" not in failure.text
    assert "core.whitespace_portability at /message: name" in bad.system_out
    assert isinstance(gone.result[0], Failure)


def test_a_case_for_each_claim():
    names = [(case.classname, case.name) for case in read(verification("name"))]
    assert names == [
        ("mcp-2026-07-28", "success: success.json"),
        ("mcp-2026-07-28", "failure: name"),
        ("mcp-2026-07-28", "tool definition: name"),
        ("mcp-2026-07-28", "as a whole"),
        ("receipt", "The receipt is well formed."),
        ("receipt", "The evidence files are the ones it names."),
        ("receipt", "Judging the files now gives its verdict."),
        ("receipt", "The implementation conforms."),
    ]
    (failure,) = list(read(verification("name")))[-1].result
    assert failure.type == "not_conformant"


def test_what_does_not_count_fails_nothing():
    report = verification("name", conforms=False)
    report.conformant = True
    cases = {case.name: case for case in read(report)}
    assert isinstance(cases["failure: name"].result[0], Skipped)
    assert "core.message.blank" in cases["failure: name"].system_out
    assert isinstance(cases["The implementation conforms."].result[0], Skipped)
    assert cases["The receipt is well formed."].result == []


def test_what_was_not_checked_is_skipped():
    results = [case.result for case in read(malformed("x", 3)) if case.classname == "receipt"]
    assert [type(one[0]) for one in results] == [Failure, Skipped, Skipped, Skipped]
    assert results[0][0].message == "3 problems"


def test_a_receipt_that_was_not_written_fails_a_case():
    cases = {case.name: case for case in read(evidence("name"))}
    assert "receipt_path_conflict: name" in cases["as a whole"].result[0].text


def test_nothing_is_left_out():
    (case,) = read(many(10_000))
    assert case.result[0].text.count("core.warnings.item.blank") == 10_000
    assert len(read(files(800))) == 800
