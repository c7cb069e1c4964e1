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
