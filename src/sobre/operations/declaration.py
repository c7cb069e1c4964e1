"""How an operation declares itself: one place for its inputs, its needs and what runs it.

The command line, the input schema for MCP and the checks of a call from a
library all read the same declaration.
"""

from __future__ import annotations

from ..contract.result import Result, failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, TypeAlias

    from .root import Root

    #: Takes a short line about how far a long operation has come.
    Progress: TypeAlias = Callable[[str], None]

#: Wrong arguments that a failure names, at most.
MAX_PROBLEMS = 20

#: Kind -> how JSON Schema calls it, and how a person does.
_KINDS: dict[type, tuple[str, str]] = {
    str: ("string", "text"),
    int: ("integer", "a whole number"),
    float: ("number", "a number"),
    bool: ("boolean", "true or false"),
    list: ("array", "a list of texts"),
}
_HINTS = {"read_only": True, "destructive": False, "idempotent": True, "open_world": False}


class Parameter:
    """One input of an operation.

    `name` is in snake_case; on the command line `output_format` is
    `--output-format`. A required one stands in its place there, and so does one
    that is `positional`. One that is a `path` of a file or folder can be confined
    to a root. `kind` is `str`, `int`, `float`, `bool` (a switch that
    is off) or `list` (of texts; an option that can be repeated). `choices` are
    the only values there are, if not empty: of a list, the only items. A
    default of None stands for "not given".
    """

    __slots__ = (
        "choices",
        "default",
        "help",
        "kind",
        "maximum",
        "minimum",
        "name",
        "path",
        "positional",
        "required",
    )

    def __init__(
        self,
        name: str,
        help: str,
        *,
        kind: type = str,
        default: Any = None,
        choices: tuple[str, ...] = (),
        minimum: float | None = None,
        maximum: float | None = None,
        required: bool = False,
        positional: bool = False,
        path: bool = False,
    ) -> None:
        self.name = name
        self.help = help
        self.kind = kind
        self.default = default
        if default is None and kind in (bool, list):
            self.default = kind()
        self.choices = choices
        self.minimum = minimum
        self.maximum = maximum
        self.required = required
        self.positional = required or positional
        self.path = path

    @property
    def option(self) -> str:
        """What it is on the command line: `--output-format`, or `PATH` in its place."""
        if self.positional:
            return self.name.upper()
        return "--" + self.name.replace("_", "-")

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its values."""
        schema: dict[str, Any] = {"type": _KINDS[self.kind][0], "description": self.help}
        values = schema
        if self.kind is list:
            values = schema["items"] = {"type": "string"}
        if self.choices:
            values["enum"] = list(self.choices)
        if self.minimum is not None:
            schema["minimum"] = self.minimum
        if self.maximum is not None:
            schema["maximum"] = self.maximum
        if self.default is not None:
            schema["default"] = list(self.default) if self.kind is list else self.default
        return schema

    def problem(self, value: object) -> str:
        """Why it does not take a value; empty if it does. By the rules of its schema."""
        if not self._fits(value):
            return f"expected {self._expected()}"
        if self.kind is list:
            items: Any = value
            wrong = any(not isinstance(item, str) for item in items) or (
                self.choices and not set(items) <= set(self.choices)
            )
        else:
            wrong = bool(self.choices) and value not in self.choices
        return f"expected {self._expected()}" if wrong else ""

    def _fits(self, value: Any) -> bool:
        if self.kind is list:
            return isinstance(value, (list, tuple))
        if self.kind is str or self.kind is bool:
            return isinstance(value, self.kind)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return False
        if self.kind is int and isinstance(value, float) and not value.is_integer():
            return False
        too_low = self.minimum is not None and not value >= self.minimum
        too_high = self.maximum is not None and not value <= self.maximum
        return not (too_low or too_high or value - value != 0)

    def _expected(self) -> str:
        if self.choices:
            each = "items among " if self.kind is list else "one of "
            return each + ", ".join(self.choices)
        text = _KINDS[self.kind][1]
        bounds = (("at least", self.minimum), ("at most", self.maximum))
        told = " and ".join(f"{words} {bound}" for words, bound in bounds if bound is not None)
        return f"{text} of {told}" if told else text


class Operation:
    """A built-in operation: its name, its inputs, and the function that takes them by name.

    `summary` is one line, `description` says what a caller must know to use it
    and its result. `extra` is the extra of this package that brings the module
    it `needs`. `hints` are those of MCP, in snake_case: `read_only`,
    `destructive`, `idempotent`, `open_world`. `human` makes of a successful
    result the text that a person sees instead of `output` or `message`. A
    function that `tells_progress` takes a keyword `progress`: a function of a
    short text, or None. One that `takes_root` takes a keyword `root`: the folder
    it may not leave on its way, or None.
    """

    __slots__ = (
        "description",
        "extra",
        "function",
        "hints",
        "human",
        "name",
        "needs",
        "parameters",
        "summary",
        "takes_root",
        "tells_progress",
    )

    def __init__(
        self,
        name: str,
        summary: str,
        parameters: tuple[Parameter, ...],
        function: Callable[..., Result],
        *,
        description: str = "",
        extra: str = "",
        needs: str = "",
        hints: Mapping[str, bool] | None = None,
        human: Callable[[Result], str] | None = None,
        tells_progress: bool = False,
        takes_root: bool = False,
    ) -> None:
        self.name = name
        self.summary = summary
        self.description = description or f"{summary[:1].upper()}{summary[1:]}."
        self.parameters = parameters
        self.function = function
        self.extra = extra
        self.needs = needs
        self.hints = {**_HINTS, **(hints or {})}
        self.human = human
        self.tells_progress = tells_progress
        self.takes_root = takes_root

    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema (draft 2020-12) of the arguments, as MCP's `inputSchema` has it."""
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {parameter.name: parameter.schema() for parameter in self.parameters},
            "required": [parameter.name for parameter in self.parameters if parameter.required],
            "additionalProperties": False,
        }

    def domain_schema(self) -> dict[str, Any]:
        """The JSON Schema of the fields of a success beside those of the contract."""
        from .schemas import schema

        return schema(self.name)

    def is_available(self) -> bool:
        """Whether what it needs is installed; nothing of that is imported."""
        if not self.needs:
            return True
        from importlib.util import find_spec

        try:
            return find_spec(self.needs) is not None
        except ValueError:  # The module is in `sys.modules` in some half-made form.
            return False

    def run(
        self,
        arguments: Mapping[str, Any] | None = None,
        progress: Progress | None = None,
        root: Root | None = None,
    ) -> Result:
        """Perform the operation with inputs by name; always a conforming result.

        Arguments that its input schema refuses are a failure
        `invalid_arguments`, an extra that is not installed one
        `missing_dependency`, a path out of the root one `path_outside_root`.
        """
        from ..produce.operation import operation

        result: Result = operation(self._perform, command=self.name)(arguments, progress, root)
        return result

    def _perform(self, arguments: Any, progress: Progress | None, root: Root | None) -> Result:
        given = {} if arguments is None else arguments
        problems = list(self.problems(given))
        if problems:
            return invalid_arguments(problems)
        if self.needs:
            missing = self._missing()
            if missing is not None:
                return missing
        values: dict[str, Any] = {"progress": progress} if self.tells_progress else {}
        if self.takes_root:
            values["root"] = root
        for parameter in self.parameters:
            value = given.get(parameter.name, parameter.default)
            if parameter.path and root is not None and value is not None and not root.holds(value):
                from .root import outside_root

                return outside_root(value)
            values[parameter.name] = (
                value if value is None or parameter.kind is str else parameter.kind(value)
            )
        return self.function(**values)

    def problems(self, given: Any) -> Iterator[tuple[str, str]]:
        """Name and reason of each argument that the input schema refuses."""
        if not hasattr(given, "keys"):
            yield "arguments", "expected an object with the arguments by name"
            return
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            if name in known:
                problem = known[name].problem(given[name])
                if problem:
                    yield name, problem
            else:
                yield (
                    name if isinstance(name, str) else repr(name),
                    f"there is no such argument; there are {', '.join(known)}",
                )
        for parameter in self.parameters:
            if parameter.required and parameter.name not in given:
                yield parameter.name, "it is required"

    def _missing(self) -> Result | None:
        """The failure that says what to install, unless all is there."""
        from importlib import import_module

        try:
            import_module(self.needs)
        except ImportError as error:
            advice = f"pip install 'sobre[{self.extra}]'"
            return failure(
                f"{self.name} needs an optional part of sobre that is not installed.",
                error=f"{error}: {advice}",
                error_code="missing_dependency",
                details={"module": self.needs, "extra": self.extra, "install": advice},
            )
        return None


def invalid_arguments(problems: Iterable[tuple[str, str]]) -> Result:
    """The failure for arguments that cannot be used: name and reason of each."""
    from .texts import plain

    listed = [{"name": plain(name[:100]), "reason": reason} for name, reason in problems]
    kept = listed[:MAX_PROBLEMS]
    error = "; ".join(f"{one['name']}: {one['reason']}" for one in kept)
    if len(listed) > len(kept):
        error += f"; and {len(listed) - len(kept)} more"
    noun = "An argument" if len(listed) == 1 else f"{len(listed)} arguments"
    return failure(
        f"{noun} cannot be used.",
        error=error,
        error_code="invalid_arguments",
        details={"arguments": kept},
    )
