"""The built-in operations: name -> module. Each declares itself in one `OPERATION`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .declaration import Operation

#: Operation -> the module that declares it.
OPERATIONS = {
    "getCurrentDateTime": "get_current_date_time",
    "readFile": "read_file",
}


def operation(name: str) -> Operation:
    """The declaration of an operation of `OPERATIONS`. Raises `KeyError` for another name."""
    from importlib import import_module

    declared: Operation = import_module(f".{OPERATIONS[name]}", __name__).OPERATION
    return declared
