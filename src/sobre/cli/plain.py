"""The plain command line, read without argparse, which takes longer to import than we run.

A command declares its options once, to an object with the methods of an
`ArgumentParser`. `Declared` is such an object: it reads words that are plain
(options in full, each value behind its option, operands) exactly as argparse
would. Whatever else there is, from `--help` to a mistake, it leaves to argparse,
which then gets the same declaration. So this may only ever be too careful.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


# How many words an operand takes: one, perhaps one, any number.
_COUNTS = (None, "?", "*")


class NotPlain(Exception):
    """This is for argparse."""


class Options:
    """What the command line said, as attributes."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)


class Declared:
    """A declaration of options and operands."""

    def __init__(self, prog: str) -> None:
        self.prog = prog
        self.usage = ""
        self._options: dict[str, dict[str, Any]] = {}
        self._operands: list[dict[str, Any]] = []
        self._values: dict[str, Any] = {}

    def add_argument(self, *names: str, **settings: Any) -> None:
        """Declare an option or an operand, as for argparse."""
        long = next((name for name in names if name.startswith("--")), names[0])
        settings["dest"] = settings.get("dest") or long.lstrip("-")
        if names[0].startswith("-"):
            settings["dest"] = settings["dest"].replace("-", "_")
            self._options.update(dict.fromkeys(names, settings))
        else:
            self._operands.append(settings)
        default = False if settings.get("action") == "store_true" else None
        self._values[settings["dest"]] = settings.get("default", default)

    def set_defaults(self, **values: Any) -> None:
        """Declare values that no word of the command line sets."""
        self._values.update(values)

    def add_subparsers(self, **_: Any) -> NoReturn:
        """Leave commands that have parts to argparse."""
        raise NotPlain

    def read(self, words: list[str]) -> Options:
        """The options that plain words give. Raises `NotPlain` for anything else."""
        values, seen = dict(self._values), set()
        operands: list[str] = []
        position = 0
        while position < len(words):
            word = words[position]
            if word == "-" or not word.startswith("-"):
                operands.append(word)
            elif word in self._options:
                settings = self._options[word]
                seen.add(settings["dest"])
                if settings.get("action") == "store_true":
                    values[settings["dest"]] = True
                else:
                    position += 1
                    values[settings["dest"]] = _value(settings, words[position : position + 1])
            else:
                raise NotPlain
            position += 1
        if any(one.get("required") and one["dest"] not in seen for one in self._options.values()):
            raise NotPlain
        self._place(operands, values)
        return Options(values)

    def _place(self, operands: list[str], values: dict[str, Any]) -> None:
        """Give the operands to those that were declared, in order."""
        for settings in self._operands:
            many = settings.get("nargs")
            if many not in _COUNTS or (many == "*" and settings is not self._operands[-1]):
                raise NotPlain
            if many == "*" and operands:
                values[settings["dest"]] = [_value(settings, [word]) for word in operands]
                operands = []
            elif operands:
                values[settings["dest"]] = _value(settings, operands[:1])
                operands = operands[1:]
            elif many is None:
                raise NotPlain
        if operands:
            raise NotPlain


def _value(settings: dict[str, Any], words: list[str]) -> Any:
    """The value of an option or operand, converted and among its choices."""
    if not words or (words[0].startswith("-") and words[0] != "-"):
        raise NotPlain
    if settings.get("action", "store") != "store" or settings.get("nargs") not in _COUNTS:
        raise NotPlain
    try:
        value = settings.get("type", str)(words[0])
    except Exception:
        raise NotPlain from None
    if settings.get("choices") is not None and value not in settings["choices"]:
        raise NotPlain
    return value
