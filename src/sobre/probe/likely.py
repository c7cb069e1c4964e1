"""Guesses at what printed a text, in a few words for a person. No verdict depends on them."""

from __future__ import annotations

import re

#: Terminal escapes (ECMA-48 control sequences, and operating system commands), over bytes.
ESCAPES = rb"(?:\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_=>])"
_ESCAPES = re.compile(ESCAPES)

_LEVELS = r"TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL"
_TIME = r"[\[(]?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?\b"


def without_escapes(data: bytes) -> bytes:
    """Bytes without their terminal escapes."""
    return _ESCAPES.sub(b"", data) if b"\x1b" in data else data


#: What a piece of text beside a document likely is: the first that fits. Regular expressions
#: over at most 4,096 characters.
SOURCES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("a Python traceback", re.compile(r"Traceback \(most recent call last\)")),
    ("a crash of a Go program", re.compile(r"^(?:panic: |goroutine \d+ \[)", re.MULTILINE)),
    ("a crash of a Rust program", re.compile(r"thread '[^'\n]*'.{0,20} panicked at")),
    ("a stack trace of Java", re.compile(r"Exception in thread \"|^\tat [\w.$]+\(", re.MULTILINE)),
    ("a stack trace of JavaScript", re.compile(r"^ {4}at .{1,200}:\d+:\d+\)?$", re.MULTILINE)),
    (
        "a deprecation warning",
        re.compile(r"\b(?:Pending)?DeprecationWarning\b|\bdeprecat(?:ed|ion)\b", re.IGNORECASE),
    ),
    (
        "a progress bar",
        re.compile(
            r"\d{1,3} ?% ?[|\[\u2588#=.]|[\u2588\u2591\u2592\u2593]{2}|\[[#=>. -]{5,}\]"
            r"|[\u2800-\u28ff] |\x08|\r[^\n]*\d ?%|\d ?%[^\n]*\r|\d{1,3} ?%\s*$"
        ),
    ),
    (
        "a prompt",
        re.compile(
            r"\[[yY]/[nN]\]|\([yY](?:es)?/[nN]o?\)"
            r"|\b(?:password|passphrase|username)[^\n]{0,60}: *$"
            r"|\bpress (?:any key|enter|return)\b|\?[ \xa0]*$",
            re.IGNORECASE,
        ),
    ),
    (
        "a notice of a new version",
        re.compile(
            r"\bnew (?:\w+ ){0,3}(?:version|release)\b|\bupdate available\b"
            r"|\bnpm notice\b|\[notice\]",
            re.IGNORECASE,
        ),
    ),
    (
        "a log line",
        re.compile(
            rf"^\W{{0,3}}(?:{_TIME})?.{{0,40}}?(?<![A-Za-z])(?:{_LEVELS})(?![A-Za-z])"
            rf"|^{_TIME}|\blevel=\w+|^\W{{0,3}}(?:debug|info|warn|error):",
            re.MULTILINE,
        ),
    ),
    ("a warning", re.compile(r"\bwarn(?:ing)?\b", re.IGNORECASE)),
    ("the trace of a shell (set -x)", re.compile(r"^\++ \S", re.MULTILINE)),
    ("terminal escapes", re.compile(r"\x1b")),
    ("an error message", re.compile(r"^\S{0,40} ?(?:error|fatal)\b", re.IGNORECASE | re.MULTILINE)),
)

#: What text without any document likely is.
TEXTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("an HTML page", re.compile(r"\A\s*<(?:!doctype html|html)\b", re.IGNORECASE)),
    ("XML", re.compile(r"\A\s*<(?:\?xml|!DOCTYPE|[A-Za-z][\w:.-]*[ >/])")),
    ("a Python object as repr() prints it", re.compile(r"\A\s*[\[{(]+\s*(?:'[^'\n]*'\s*[:,\]])")),
    ("Python's True, False or None", re.compile(r"\A\s*[\[{][^\n]*[:\[,] *(?:True|False|None)\b")),
    (
        "a JavaScript object as console.log() prints it",
        re.compile(r"\A\s*\[?\s*\{\s*[A-Za-z_$][\w$]*: "),
    ),
    ("JSON with comments", re.compile(r"\A\s*(?:/[/*]|[\[{]\s*/[/*])")),
    (
        "a table",
        re.compile(r"^\s*\|.*\|\s*$|^[+|][-+=]{3,}|[\u2500-\u257f]{2}|^\S.* {2,}\S.*\n-{3}", re.M),
    ),
    (
        "YAML",
        re.compile(
            r"\A(?:---\s*\n|(?:[A-Za-z_][\w-]*:(?: \S[^\n]*)?(?:\n|\Z)"
            r"(?:[ -]+\S[^\n]*(?:\n|\Z))*){2})"
        ),
    ),
    ("INI or TOML", re.compile(r"\A\s*\[[\w. -]+\]\s*\n\s*[\w.-]+\s*=")),
    ("lines of name=value", re.compile(r"\A(?:[A-Za-z_][\w.-]*=[^\n]*\n?){2}")),
    ("JSON that breaks off or has a mistake", re.compile(r"\A\s*[\[{]\s*(?:[\[{\"\]}]|-?\d)")),
)


def likely_source(text: str) -> str | None:
    """What likely printed a text beside a document, or None if nothing speaks for anything."""
    plain = without_escapes(text[:4096].encode("utf-8", "replace")).decode()
    return _first(SOURCES, plain) or _first(SOURCES, text)


def likely_text(text: str) -> str | None:
    """What a text likely is that stands where a document should."""
    return _first(TEXTS, text)


def _first(table: tuple[tuple[str, re.Pattern[str]], ...], text: str) -> str | None:
    text = text[:4096]
    return next((name for name, pattern in table if pattern.search(text)), None)
