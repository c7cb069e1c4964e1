"""How an operation declares itself: one place for its options and what runs it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..contract.result import Result


class Parameter:
    """One input of an operation.

    `name` is in snake_case; on the command line `output_format` is
    `--output-format`, and a required one stands in its place. `kind` is `str`
    or `int`, `choices` the only values there are, if not empty.
    """

    __slots__ = ("choices", "default", "help", "kind", "name", "required")

    def __init__(
        self,
        name: str,
        help: str,
        *,
        kind: type = str,
        default: Any = None,
        choices: tuple[str, ...] = (),
        required: bool = False,
    ) -> None:
        self.name = name
        self.help = help
        self.kind = kind
        self.default = default
        self.choices = choices
        self.required = required


class Operation:
    """A built-in operation: its name, its inputs, and the function that takes them by name."""

    __slots__ = ("function", "name", "parameters", "summary")

    def __init__(
        self,
        name: str,
        summary: str,
        parameters: tuple[Parameter, ...],
        function: Callable[..., Result],
    ) -> None:
        self.name = name
        self.summary = summary
        self.parameters = parameters
        self.function = function

    def run(self, arguments: dict[str, Any]) -> Result:
        """Perform the operation with inputs by name; always a conforming result."""
        from ..produce.operation import operation

        result: Result = operation(self.function, command=self.name)(**arguments)
        return result
