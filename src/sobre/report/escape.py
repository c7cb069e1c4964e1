"""Text from outside, made harmless for the place where it is shown."""

from __future__ import annotations


def for_terminal(text: str, *, lines: bool = False) -> str:
    """Text without characters that a terminal obeys or hides, each as its escape.

    Control characters, bidirectional overrides, invisible and unassigned
    characters. `lines` keeps line feeds and tabs.
    """
    if text.isprintable():
        return text
    kept = "\n\t" if lines else ""
    return "".join(
        character
        if character.isprintable() or character in kept
        else character.encode("unicode_escape").decode()
        for character in text
    )


def for_log(text: str) -> str:
    """Text for a line of a terminal or of a CI log, where it can be no workflow command.

    The runners of GitHub and Azure obey a line that begins with `::`, and
    `##[group]` or `##vso[task.setvariable]` anywhere in a line.
    """
    text = for_terminal(text)
    if text.lstrip(" ").startswith("::"):
        text = text.replace(":", r"\x3a", 1)
    if "##" in text:
        import re

        text = re.sub(r"##(?=\w*\[)", r"#\\x23", text)
    return text


def bounded(text: str, limit: int = 400) -> str:
    """Text for a person: like `for_terminal`, and no longer than about `limit` characters."""
    shown = for_terminal(text[:limit])
    if len(text) <= limit and len(shown) <= limit:
        return shown
    return f"{shown[:limit]}\u2026 ({len(text):,} characters)"


def shell_line(words: list[str]) -> str:
    """A command line for a POSIX shell, on one line and without hidden characters."""
    return " ".join(map(_shell_word, words))


def _shell_word(word: str) -> str:
    if word.isprintable():
        from shlex import quote

        return quote(word)
    from os import fsencode

    plain = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b"'\\" else f"\\x{byte:02x}"
        for byte in fsencode(word)
    )
    return f"$'{plain}'"  # Bash, Zsh, Ksh and POSIX.1-2024.
