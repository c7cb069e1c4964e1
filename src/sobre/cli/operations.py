"""`sobre operations`: the built-in operations, what they take and what they need."""

from __future__ import annotations

from ..contract.result import success
from ..operations import OPERATIONS, operation
from .arguments import add_json
from .commands import EXIT_CONFORMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any

    from ..operations.declaration import Operation


def add_arguments(parser: ArgumentParser) -> None:
    """--json alone."""
    add_json(parser)


def run(options: Namespace) -> tuple[bytes, int]:
    """List them. Nothing that an extra brings is imported for it."""
    listed = [_described(operation(name)) for name in OPERATIONS]
    missing = sorted({one["extra"] for one in listed if not one["available"]})
    message = f"There are {len(listed)} operations."
    warnings = [
        f"Some need what is not installed: pip install 'sobre[{extra}]'" for extra in missing
    ]
    if options.json:
        result = success(
            message,
            operations=listed,
            warnings=warnings,
            meta={"command": "operations", "schema_version": 1},
        )
        return (result.to_json() + "\n").encode(), EXIT_CONFORMS
    width = max(len(one["name"]) for one in listed)
    lines = [_line(one, width) for one in listed]
    lines += ["", "`sobre NAME --help` says more, `sobre schema operation NAME` what it answers."]
    return "".join(f"{line}\n" for line in [*lines, *warnings]).encode(), EXIT_CONFORMS


def _described(declared: Operation) -> dict[str, Any]:
    return {
        "name": declared.name,
        "summary": declared.summary,
        "description": declared.description,
        "parameters": [
            {
                "name": parameter.name,
                "option": parameter.option,
                "required": parameter.required,
                "schema": parameter.schema(),
            }
            for parameter in declared.parameters
        ],
        "hints": declared.hints,
        "extra": declared.extra or None,
        "available": declared.is_available(),
    }


def _line(one: dict[str, Any], width: int) -> str:
    options = " ".join(
        parameter["option"] if parameter["required"] else f"[{parameter['option']}]"
        for parameter in one["parameters"]
    )
    needs = "" if one["available"] else f"\n{'':{width}}  not installed: sobre[{one['extra']}]"
    return f"{one['name']:<{width}}  {one['summary']}\n{'':{width}}  {options}{needs}"
