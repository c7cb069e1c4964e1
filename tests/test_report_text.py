"""The report for a terminal, and text made harmless for terminals and logs."""

from __future__ import annotations

import re
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import execute, posix
from report_cases import HOSTILE, REPORTS, evidence, files, malformed, many, texts, validation
from sobre.report.escape import bounded, for_log, for_terminal, shell_line
from sobre.report.text import render
from strategies import examples

#: What the runners of GitHub and Azure would take for a command in a line of a log.
COMMAND = re.compile(r"^\s*::|##\w*\[")


def lines_of(data):
    text = data.decode()
    assert text.endswith("\n")
    return text[:-1].split("\n")


@pytest.mark.parametrize("kind", REPORTS)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_stays_text(kind, name):
    for line in lines_of(render(REPORTS[kind](HOSTILE[name]))):
        assert line.isprintable()
        assert not COMMAND.search(line)


@examples(100)
@given(st.sampled_from(sorted(REPORTS)), texts)
def test_any_text_is_shown_as_text(kind, text):
    plain = len(lines_of(render(REPORTS[kind]("plain"))))
    shown = lines_of(render(REPORTS[kind](text)))
    assert len(shown) in (plain, plain - 1)  # An empty pointer is not shown.
    assert all(line.isprintable() and not COMMAND.search(line) for line in shown)
    if text.isprintable() and "##" not in text and not text.lstrip().startswith("::"):
        assert any(text in line for line in shown)


def test_digests_are_shown_for_evidence_and_verification_only():
    digest = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"  # of {}
    assert f"  sha256 {digest}".encode() in render(evidence())
    assert digest.encode() not in render(validation())


def test_what_is_long_is_bounded_and_says_so():
    report = many(10_000)
    shown = render(report).decode()
    assert shown.count("core.warnings.item.blank") == 100
    assert "  and 9,900 more; --format json lists them\n" in shown
    assert "many.json: does not conform (10,000 violations)" in shown
    assert "  and 300 more files\n" in render(files(800)).decode()
    assert "        and 49,900 more; --format json" in render(malformed("x", 50_000)).decode()
    assert len(render(validation("\u202e" * 1_000_000))) < 100_000


def test_violations_are_shown_before_warnings_where_not_all_fit():
    report = many(200)
    findings = report.exhibits[0][1].judgement.findings
    warning = type(findings[0])("core.whitespace_portability", "/message", "x")
    findings[:0] = [warning] * 100
    assert b"whitespace_portability" not in render(report)


@examples(300)
@given(texts)
def test_escaping_is_idempotent_and_leaves_plain_text_alone(text):
    for escape in (for_terminal, for_log):
        once = escape(text)
        assert once.isprintable()
        assert escape(once) == once
    if text.isprintable():
        assert for_terminal(text) == text


@examples(300)
@given(texts | texts.map(lambda text: text * 300), st.integers(1, 500))
def test_bounded_text_is_its_beginning(text, limit):
    shown = bounded(text, limit)
    assert shown.isprintable()
    assert len(shown) <= limit + 25
    if len(for_terminal(text)) <= limit:
        assert shown == for_terminal(text)
    else:
        assert shown.startswith(for_terminal(text)[:limit])
        assert shown.endswith(f"\u2026 ({len(text):,} characters)")


@posix
@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_a_shown_command_line_is_the_one_that_was_typed():
    words = [text.replace("\0", "") for text in HOSTILE.values()]
    words += ["", "-x", "~", "$HOME", "a b", "!!", "\udcff\udc80'\\", "caf\u00e9", "\u202e'\"$(id)"]
    line = shell_line(["printf", "%s\\0", *words])
    assert line.isprintable()
    done = execute(["bash", "-c", line])
    assert done.out == b"".join(word.encode("utf-8", "surrogateescape") + b"\0" for word in words)
