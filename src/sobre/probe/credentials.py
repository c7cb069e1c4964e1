"""Values that look like credentials: found before someone publishes them, and not shown.

A pattern proves nothing and misses much. It is a last look, not a safeguard.
"""

from __future__ import annotations

import os
import re

from ..contract.findings import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Span = tuple[int, int, str]

#: The shortest value of an environment variable that is looked for.
SHORTEST = 8
#: Most places that are told.
MAX_FINDINGS = 20

#: What it is -> how it looks, over bytes.
PATTERNS: tuple[tuple[str, re.Pattern[bytes]], ...] = (
    ("a private key", re.compile(rb"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,8192}")),
    ("a token of GitHub", re.compile(rb"\b(?:gh[pousr]_\w{30,255}|github_pat_\w{40,255})")),
    ("a token of GitLab", re.compile(rb"\bglpat-[\w-]{20,255}")),
    ("a key of AWS", re.compile(rb"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    ("a token of Slack", re.compile(rb"\bxox[abeoprs]-[\w-]{10,255}")),
    ("a key of Google", re.compile(rb"\bAIza[\w-]{35}")),
    ("a key of Stripe", re.compile(rb"\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,255}")),
    ("a key of an AI service", re.compile(rb"\bsk-[\w-]{20,255}")),
    ("a token of npm", re.compile(rb"\bnpm_[0-9A-Za-z]{36}")),
    ("a token of PyPI", re.compile(rb"\bpypi-[\w-]{50,512}")),
    ("a JSON Web Token", re.compile(rb"\beyJ[\w-]{10,2048}\.eyJ[\w-]{10,4096}\.[\w-]{10,2048}")),
    (
        "a password in a URL",
        re.compile(rb"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"]{0,100}:([^\s/:@\"]{3,200})@"),
    ),
    (
        "the value of a field with a telling name",
        re.compile(
            rb"\"[\w.-]{0,40}(?:passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key"
            rb"|auth[_-]?token|access[_-]?token|refresh[_-]?token|private[_-]?key)[\w-]{0,20}\""
            rb"\s{0,8}:\s{0,8}\"((?:[^\"\\]|\\.){4,4096})\"",
            re.IGNORECASE,
        ),
    ),
    ("an Authorization header", re.compile(rb"\b(?:Bearer|Basic) ([\w+/=.~-]{16,4096})")),
)
_TELLING = re.compile(
    r"passw(?:or)?d|passphrase|secret|token|api_?key|access_?key|private_?key|credential|(?<![a-z])auth(?![a-z])",
    re.IGNORECASE,
)
# Values that stand for one that is not told, and values of variables that are no secret.
_HARMLESS = re.compile(
    rb"[*xX.-]+|<[^>]*>|\$\{?\w+\}?|(?:redacted|hidden|none|null|true|false)", re.I
)
_ORDINARY = re.compile(r"/|[\d.]+|[a-z]{1,12}|(?:true|false|yes|no)")


def environment_secrets(environment: Mapping[str, str] | None = None) -> dict[str, bytes]:
    """The variables whose name tells of a secret: name -> value. For looking up alone."""
    found = os.environ if environment is None else environment
    return {
        name: os.fsencode(value)
        for name, value in found.items()
        if _TELLING.search(name) and len(value) >= SHORTEST and not _is_ordinary(value)
    }


def _is_ordinary(value: str) -> bool:
    """Whether a value is a path, a number or a plain word, as `SSH_AUTH_SOCK` has one."""
    return value.startswith("/") or _ORDINARY.fullmatch(value) is not None


def spans(data: bytes, secrets: Mapping[str, bytes]) -> list[Span]:
    """Where credentials stand in bytes: start, end, what it is. In order, none in another."""
    found = list(_patterns(data))
    for name, value in secrets.items():
        at = data.find(value)
        while at >= 0 and len(found) < 1000:
            found.append((at, at + len(value), f"the environment variable {name}"))
            at = data.find(value, at + len(value))
    found.sort(key=lambda span: (span[0], -span[1]))
    apart: list[Span] = []
    for span in found:
        if not apart or span[0] >= apart[-1][1]:
            apart.append(span)
    return apart


def _patterns(data: bytes) -> Iterator[Span]:
    for what, pattern in PATTERNS:
        for count, match in enumerate(pattern.finditer(data)):
            if count >= 1000:
                break
            group = 1 if pattern.groups else 0
            if not _HARMLESS.fullmatch(match[group]):
                yield match.start(group), match.end(group), what


def masked(data: bytes, found: Sequence[Span]) -> bytes:
    """The bytes with a `*` for every byte of a credential, so that all places stay the same."""
    if not found:
        return data
    shown = bytearray(data)
    for start, end, _ in found:
        shown[start:end] = b"*" * (end - start)
    return bytes(shown)


def findings(found: Sequence[Span]) -> list[Finding]:
    """A warning for each credential; a violation for what came out of the environment."""
    told = []
    for start, end, what in found[:MAX_FINDINGS]:
        leaked = what.startswith("the environment variable ")
        rule = "command.environment" if leaked else "command.credential"
        verb = "this is the value of" if leaked else "this looks like"
        told.append(Finding(rule, "", f"{verb} {what} ({end - start} bytes)", start))
    return told


def masked_words(words: Sequence[str], secrets: Mapping[str, bytes]) -> list[str]:
    """A command line with `***` for what looks like a credential, for showing."""
    shown: list[str] = []
    for word in words:
        name, sign, value = word.partition("=")
        if shown and words[len(shown) - 1].startswith("-") and "=" not in words[len(shown) - 1]:
            before = words[len(shown) - 1]
        else:
            before = ""
        if sign and value and _TELLING.search(name):
            shown.append(f"{name}=***")
        elif _TELLING.search(before) and not word.startswith("-"):
            shown.append("***")
        elif spans(os.fsencode(word), secrets):
            data = os.fsencode(word)
            for start, end, _ in reversed(spans(data, secrets)):
                data = data[:start] + b"***" + data[end:]
            shown.append(os.fsdecode(data))
        else:
            shown.append(word)
    return shown
