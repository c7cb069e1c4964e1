"""The built-in operations: name -> module. Each declares itself in one `OPERATION`.

from sobre.operations import operation

result = operation("findFiles").run({"path": "src", "pattern": ["*.py"]})
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .declaration import Operation

#: Operation -> the module that declares it.
OPERATIONS = {
    "getCurrentDateTime": "get_current_date_time",
    "readFile": "read_file",
    "findFiles": "find_files",
    "getDiskSpace": "get_disk_space",
    "listProcesses": "list_processes",
    "checkDns": "check_dns",
}


def operation(name: str) -> Operation:
    """The declaration of an operation of `OPERATIONS`. Raises `KeyError` for another name."""
    from importlib import import_module

    declared: Operation = import_module(f".{OPERATIONS[name]}", __name__).OPERATION
    return declared
