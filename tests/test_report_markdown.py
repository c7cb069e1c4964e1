"""The report as Markdown, rendered by GitHub's own renderer."""

from __future__ import annotations

import re

import html5lib
import pytest
from cmarkgfm import github_flavored_markdown_to_html
from cmarkgfm.cmark import Options
from hypothesis import given
from hypothesis import strategies as st

from report_cases import HOSTILE, REPORTS, files, malformed, many, texts, validation
from sobre.report.escape import bounded, for_log
from sobre.report.markdown import code, prose, render
from strategies import examples
from test_report_text import COMMAND

#: Nothing else may come out, and none with an attribute.
ELEMENTS = {"h2", "h3", "p", "ul", "li", "code", "strong", "br"}
#: In plain text GitHub would see mentions, issues, commits, links and emoji.
MEANS_SOMETHING = re.compile(r"[@#<>\[\]*|&~!\\]|//|www\.|\b[0-9a-f]{7,40}\b|\bGH-|:[\w+-]+:")
#: A longer run of backticks than this is written as escapes.
LONG = re.compile("`{32,}")


def rendered(data):
    """The elements that GitHub would make of Markdown. Raw HTML is let through to be seen."""
    page = github_flavored_markdown_to_html(data.decode(), Options.CMARK_OPT_UNSAFE)
    return html5lib.parse(page, namespaceHTMLElements=False).find("body")


def shape(body):
    return [element.tag for element in body.iter()]


def spans(body):
    return [element.text for element in body.iter("code")]


def shown(text, limit=300):
    """How a text reads in a code span."""
    text = LONG.sub(lambda run: r"\x60" * len(run[0]), for_log(bounded(text, limit)))
    return text or " "


def assert_harmless(data):
    body = rendered(data)
    for element in body.iter():
        assert element.tag in ELEMENTS | {"body"}, element.tag
        assert element.attrib == {}
        if element.tag != "code":
            assert not MEANS_SOMETHING.search(element.text or ""), element.text
        assert not MEANS_SOMETHING.search(element.tail or ""), element.tail
    for line in data.decode().split("\n"):
        assert line.isprintable()
        assert not COMMAND.search(line)
    return body


@pytest.mark.parametrize("kind", REPORTS)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_stays_text(kind, name):
    text = HOSTILE[name]
    body = assert_harmless(render(REPORTS[kind](text)))
    assert shown(text) in spans(body)


@examples(150)
@given(st.sampled_from(sorted(REPORTS)), texts)
def test_any_text_is_shown_as_text(kind, text):
    body = assert_harmless(render(REPORTS[kind](text)))
    assert shown(text) in "".join(body.itertext())


@examples(400)
@given(texts)
def test_a_code_span_holds_exactly_its_text(text):
    for before, after in (("- x ", " y"), ("", ""), ("# ", " `x`"), ("**a** `b` ", "\\\nc")):
        body = rendered(f"{before}{code(text)}{after}\n".encode())
        assert shown(text) in spans(body)
        assert [tag for tag in shape(body) if tag not in ELEMENTS | {"body", "h1"}] == []


@examples(400)
@given(
    texts
    | st.text("ab 1.-=+`_'\",:/", max_size=12)
    | st.from_regex(r"`?[a-z_.]{1,8}`? [a-z]+", fullmatch=True)
)
def test_prose_reads_as_it_is_or_is_a_code_span(text):
    body = assert_harmless(f"{prose(text)}\n".encode())
    told = "".join(body.itertext()).removesuffix("\n")
    assert told in (shown(text), shown(text).rstrip(" ").replace("`", ""))
    assert set(shape(body)) <= {"body", "p", "code"}


@pytest.mark.parametrize(
    "text",
    [
        "`message` has only white space",
        "1 of 2 documents conform to the core profile.",
        "out/some_file.json conforms to the core profile.",
        "The receipt r.json is not verified: the evidence files are others.",
        '`resultType` must be "complete", found a string',
    ],
)
def test_usual_sentences_are_prose(text):
    assert "<code>" + text not in github_flavored_markdown_to_html(prose(text))
    assert prose(text).replace("\\_", "_") == text


def test_what_is_long_is_bounded_and_says_so():
    text = render(many(10_000)).decode()
    assert text.count("`core.warnings.item.blank`") == 50
    assert "- and 9,950 more; the JSON report lists them" in text
    assert "Does not conform: 10,000 violations." in text
    assert "And 600 more files." in render(files(800)).decode()
    assert (
        "- and 49,900 more; the JSON report lists them" in render(malformed("x", 50_000)).decode()
    )


@pytest.mark.parametrize("text", ["\U0001f600" * 300_000, "\U000e0041" * 300_000, "`" * 300_000])
def test_a_job_summary_holds_every_report(text):
    assert len(render(many(300, text))) < 2**20
    assert len(render(validation(text, text.encode()))) < 2**20
