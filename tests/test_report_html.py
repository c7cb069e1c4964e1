"""The report as a page: what a parser of HTML makes of it. `test_report_page.py` looks at it."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from report_cases import HOSTILE, REPORTS, evidence, exhibit, files, malformed, many, texts
from sobre.contract.findings import Finding
from sobre.report.build import of_validation
from sobre.report.escape import bounded
from sobre.report.html import render
from strategies import examples

CLASSES = """
    badge bad boundary card claims facts finding findings fix good head here line more note
    number overview summary text unknown verdict violation warning what where why word
"""
#: Every element of the body with the attributes that it may have.
ELEMENTS = {
    "header": "",
    "main": "",
    "footer": "",
    "article": "class",
    "div": "class",
    "span": "class",
    "h1": "",
    "h2": "id",
    "h3": "",
    "p": "class",
    "ul": "class role",
    "li": "class",
    "table": "class aria-label aria-labelledby",
    "thead": "",
    "tbody": "",
    "tr": "class",
    "th": "scope",
    "td": "colspan",
    "code": "",
    "pre": "",
    "mark": "",
    "strong": "",
    "svg": "viewBox aria-hidden focusable",
    "path": "d",
}


def parsed(report):
    page = render(report).decode()
    return html5lib.HTMLParser(namespaceHTMLElements=False, strict=True).parse(page)


def shape(page):
    return [(element.tag, sorted(element.attrib)) for element in page.iter()]


def name(tag):
    return tag.rpartition("}")[2]


def assert_harmless(page):
    """The page has the elements of the template and no others, in well-formed HTML."""
    head, body = page
    assert [element.tag for element in head] == ["meta"] * 5 + ["title", "style"]
    assert "content" in head[1].attrib
    for element in body.iter():
        tag = name(element.tag)
        if tag == "body":
            assert element.attrib == {}
            continue
        assert set(element.attrib) <= set(ELEMENTS[tag].split()), tag
        assert set(element.get("class", "").split()) <= set(CLASSES.split())
    return "".join(body.itertext())


@pytest.mark.parametrize("kind", REPORTS)
@pytest.mark.parametrize("trick", HOSTILE)
def test_hostile_text_stays_text(kind, trick):
    shown = assert_harmless(parsed(REPORTS[kind](HOSTILE[trick])))
    assert bounded(HOSTILE[trick], 4096) in shown


@examples(40)
@given(st.sampled_from(sorted(REPORTS)), texts)
def test_any_text_is_shown_as_text(kind, text):
    page = parsed(REPORTS[kind](text))
    assert bounded(text, 4096) in assert_harmless(page)
    quiet = [item for item in shape(page) if item[0] not in ("code", "p", "pre", "span", "mark")]
    usual = [
        item
        for item in shape(parsed(REPORTS[kind]()))
        if item[0] not in ("code", "p", "pre", "span", "mark")
    ]
    assert quiet == usual


@examples(60)
@given(st.binary(max_size=60) | texts.map(str.encode), st.integers(0, 60))
def test_any_evidence_is_shown_as_text(data, offset):
    findings = [Finding("json.syntax", "", "x", min(offset, len(data)))]
    page = parsed(of_validation([exhibit("f", data, findings)], "core"))
    assert_harmless(page)
    rows = page.findall(".//pre/code/span")
    assert 1 <= len(rows) <= 3
    (here,) = [row for row in rows if row.get("class") == "line here"]
    around = "".join(here[1].itertext())
    assert around.isprintable()


@pytest.mark.parametrize("kind", REPORTS)
def test_nothing_is_fetched_and_nothing_runs(kind):
    page = render(REPORTS[kind]()).decode()
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in page
    assert not re.search(r"<script|\bsrc=|\bhref=|url\(|@import|<link|<base|<iframe|\bon\w+=", page)
    assert page.index("Content-Security-Policy") < page.index("<style>")


@pytest.mark.parametrize("kind", REPORTS)
def test_headings_are_in_order_and_tables_have_headers(kind):
    page = parsed(REPORTS[kind]())
    levels = [int(item.tag[1]) for item in page.iter() if re.fullmatch("h[1-6]", str(item.tag))]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.get("lang") == "en"
    for table in page.iter("table"):
        assert table.get("aria-label") or table.get("aria-labelledby")
        for row in table.iter("tr"):
            first = "td" if row.get("class") == "why" else "th"
            assert row[0].tag == first
            assert row[0].get("scope") in {"td": (None,), "th": ("row", "col")}[first]
    ids = Counter(item.get("id") for item in page.iter() if item.get("id"))
    assert set(ids.values()) <= {1}


def test_the_verdict_is_said_in_words():
    for kind, word in (
        ("validation", "Does not conform"),
        ("verification", "Not verified"),
        ("evidence", "No receipt was written"),
    ):
        page = parsed(REPORTS[kind]())
        assert page.find(".//title").text.endswith(f": {word.lower()}")
        assert page.find(".//header/div/p").findtext("{*}svg", "").strip() == ""
        assert word in "".join(page.find(".//header/div/p").itertext())
        badges = page.findall(".//span[@class='badge bad']")
        assert badges
        assert all("".join(badge.itertext()).strip() for badge in badges)


def test_what_it_says_of_a_pair():
    shown = " ".join(" ".join(parsed(evidence("made-up")).itertext()).split())
    for part in (
        "Evidence report · mcp-2026-07-28 profile",
        "Success: success.json",
        "Failure: made-up",
        "Tool definition: made-up",
        "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
        "Output schema mode canonical_ref",
        "States the outcome failure",
        "A receipt claims conformance to a shape. It certifies no security, no authorisation, "
        "no correctness in the domain, no endorsement.",
        "Check it again sobre made-up",
        "an independent implementation",
    ):
        assert part in shown


def test_the_place_is_marked_in_its_line():
    data = b'{\n  "success": true,\n  "message": "  "\n}\n'
    findings = [Finding("core.message.blank", "/message", "`message` has only white space")]
    page = parsed(of_validation([exhibit("f", data, findings)], "core"))
    rows = [[part.text for part in row] for row in page.findall(".//pre/code/span")]
    assert [row[0] for row in rows] == ["2", "3", "4"]
    assert page.find(".//mark").text == '"  "'
    assert "Line 3, column 14" in "".join(page.itertext())
    assert page.findall(".//li/p/code")[1].text == "message"


def test_what_is_long_is_bounded_and_says_so():
    page = render(many(10_000)).decode()
    assert page.count("core.warnings.item.blank") == 100
    assert "And 9,900 more findings, which the JSON report lists." in page
    assert "10,000 violations" in page
    assert "And 300 more files, which" in render(files(800)).decode()
    assert "and 49,900 more problems, which" in render(malformed("x", 50_000)).decode()


@pytest.mark.parametrize("text", ["x" * 300_000, "\u202e<b>" * 100_000])
@pytest.mark.parametrize("kind", REPORTS)
def test_very_long_text_is_cut(kind, text):
    page = render(REPORTS[kind](text))
    assert len(page) < 150_000
    assert f"{len(text):,} characters)".encode() in page
