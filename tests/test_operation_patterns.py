"""Glob patterns of findFiles: what they match, and that none takes long."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sobre.operations.patterns import MAX_PATTERN, PatternError, Patterns
from strategies import examples


def matches(pattern, path, **options):
    *folders, name = path.split("/")
    return Patterns([pattern], **options).match(tuple(folders), name)


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.py", "a.py x/a.py .py .a.py x/y/.py", "a.pyc A.PY a.py.txt a.py/x"),
        ("a?c", "abc a.c x/abc", "ac abbc a/c"),
        ("[ab].txt", "a.txt b.txt", "c.txt ab.txt"),
        ("[!ab].txt", "c.txt ..txt", "a.txt .txt"),
        ("[a-c]x", "ax cx", "dx -x"),
        ("[]]", "]", "[]]"),
        ("[", "[", "a"),
        ("*", "a .a x/.a", ""),
        ("**", "a x/y/a", ""),
        ("a**b", "ab axb x/axxb", "a/b"),
        ("build/", "build x/build", "builds"),
        ("src/*.py", "src/a.py src/.py", "a.py src/x/a.py x/src/a.py src"),
        ("/a.py", "a.py", "x/a.py"),
        ("./a.py", "a.py", "x/a.py"),
        ("**/a.py", "a.py x/a.py x/y/a.py", "x/b.py a.py/x"),
        ("src/**/a.py", "src/a.py src/x/a.py src/x/y/a.py", "a.py x/src/a.py"),
        ("src/**", "src/a src/x/y", "src a/src"),
        ("src/**/", "src/a src/x/y", "src"),
        ("**/test/**", "test/a x/test/y/a", "test x/test"),
        ("**/x/**/y", "x/y a/x/b/y x/x/y/y", "y x/yy y/x"),
        ("a//b", "a/b", "a/x/b"),
        ("*/*", "a/b", "a a/b/c"),
    ],
)
def test_what_matches(pattern, yes, no):
    assert [path for path in yes.split() if not matches(pattern, path)] == []
    assert [path for path in no.split() if matches(pattern, path)] == []


def test_capital_and_small_letters():
    assert matches("*.PY", "a.py", ignore_case=True)
    assert matches("SRC/*", "src/a", ignore_case=True)
    assert not matches("SRC/*", "src/a")


def test_any_of_several():
    patterns = Patterns(["*.py", "docs/*", "*.md"])
    assert patterns.match((), "a.md")
    assert patterns.match(("docs",), "x")
    assert patterns.match(("x",), "a.py")
    assert not patterns.match(("x", "docs"), "x")


def test_names_with_line_feeds_and_bytes():
    assert matches("a*b", "a\nb")
    assert not matches("a", "a\n")
    assert matches("*\udcff*", "a\udcffb")


@pytest.mark.parametrize("pattern", ["", "/", ".", "./.", "../a", "a/../b", "..", "x" * 5000])
def test_what_is_no_pattern(pattern):
    with pytest.raises(PatternError):
        Patterns(["ok", pattern])


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 100 + "*b", "a" * 255),
        ("**/" + "*a" * 50 + "*b", "/".join(["a" * 255] * 20)),
        ("**/a/" * 400 + "b", "/".join(["a"] * 2000)),
        ("**/*/" * 400 + "b", "/".join(["a"] * 2000)),
        ("?*" * 200 + "b", "a" * 255),
    ],
)
def test_no_pattern_takes_long(pattern, path):
    assert len(pattern) < MAX_PATTERN
    begin = time.process_time()
    assert not matches(pattern, path)
    assert time.process_time() - begin < 2


def naive(parts, path):
    """What a pattern of parts means, said as shortly as can be."""
    if not parts:
        return not path
    if parts[0] == "**":
        return naive(parts[1:], path) or (bool(path) and naive(parts, path[1:]))
    expression = re.escape(parts[0]).replace(r"\*", ".*").replace(r"\?", ".")
    return bool(path) and bool(re.fullmatch(expression, path[0])) and naive(parts[1:], path[1:])


PARTS = st.lists(st.sampled_from(["**", "*", "a", "b", "a*", "?b", "*a*"]), min_size=2, max_size=6)
PATHS = st.lists(st.sampled_from(["a", "b", "ab", "bb", "aab"]), min_size=1, max_size=6)


@examples(400)
@given(PARTS, PATHS)
def test_the_quick_way_finds_what_the_naive_one_does(parts, path):
    meant = [*parts, "*"] if parts[-1] == "**" else parts
    assert matches("/".join(parts), "/".join(path)) is naive(meant, path)
