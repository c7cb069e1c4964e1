"""sobre: results that say for themselves whether a command succeeded.

An independent implementation of QZX Result Contract v1: build results
(`success`, `failure`, `Result`), read them strictly (`read`), check them
(`check`). Names load when they are first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .contract import CONTRACT_URL, RECEIPT_URL
    from .contract.check import check
    from .contract.convert import ContractError
    from .contract.findings import Finding
    from .contract.result import Result, ResultError, conforming, failure, success
    from .json_text import DocumentError, read
    from .produce.command_line import command_line
    from .produce.operation import operation, warn
    from .produce.wrap import wrap, wrap_async

__version__ = "0.1.0"

#: Public name -> the module that has it.
_HOMES = {
    "CONTRACT_URL": "contract",
    "RECEIPT_URL": "contract",
    "ContractError": "contract.convert",
    "DocumentError": "json_text",
    "Finding": "contract.findings",
    "Result": "contract.result",
    "ResultError": "contract.result",
    "check": "contract.check",
    "command_line": "produce.command_line",
    "conforming": "contract.result",
    "failure": "contract.result",
    "operation": "produce.operation",
    "read": "json_text",
    "success": "contract.result",
    "warn": "produce.operation",
    "wrap": "produce.wrap",
    "wrap_async": "produce.wrap",
}

__all__ = [
    "CONTRACT_URL",
    "RECEIPT_URL",
    "ContractError",
    "DocumentError",
    "Finding",
    "Result",
    "ResultError",
    "__version__",
    "check",
    "command_line",
    "conforming",
    "failure",
    "operation",
    "read",
    "success",
    "warn",
    "wrap",
    "wrap_async",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sobre' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
