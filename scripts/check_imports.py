"""Check what each room of the package imports from outside the package.

import-linter watches the floors. It can forbid only outside packages that are
named, so two rules that name none, or few, stand here:

- No third-party package, except where an optional extra allows one.
- No standard module that is slow to import, on the way from the start of the
  interpreter to a verdict. Each costs up to a tenth of a whole start.

Imports under `if TYPE_CHECKING:` do not happen at run time and are free.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "sobre"

#: Room -> third-party packages that its extra brings.
_SDK = {"anyio", "httpx2", "jsonschema", "mcp", "mcp_types", "starlette", "uvicorn"}
_SDK |= {"pydantic", "pydantic_core"}
ALLOWED = {
    "fastmcp": {*_SDK, "fastmcp"},
    "mcp": _SDK,
    "operations": {"dns", "psutil"},
    "probe": {"anyio", "httpx2", "jsonschema", "referencing"},
    "produce": {"jc"},
    "report": {"jinja2"},
}
#: Rooms on the quick path. `__init__` and `__main__` are the package's own.
QUICK = {
    "__init__",
    "__main__",
    "cli",
    "contract",
    "evidence",
    "files",
    "json_exact",
    "json_place",
    "json_text",
    "json_write",
    "profiles",
    "report",
}
SLOW = ("dataclasses", "importlib.metadata", "inspect", "pathlib", "typing")


def imports(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of each outside module that is imported at run time."""
    if isinstance(node, ast.If) and _is_type_checking(node.test):
        children: list[ast.AST] = list(node.orelse)
    else:
        children = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Import):
        yield from ((node.lineno, alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
        for alias in node.names:
            yield node.lineno, f"{node.module}.{alias.name}"
    for child in children:
        yield from imports(child)


def _is_type_checking(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
    return name == "TYPE_CHECKING"


def problem(room: str, name: str) -> str:
    """What is wrong with this import in this room, or nothing."""
    top = name.partition(".")[0]
    if top != "sobre" and top not in sys.stdlib_module_names:
        if top not in ALLOWED.get(room, ()):
            return f"sobre.{room} imports the third-party package {top}"
    elif room in QUICK and any(f"{name}.".startswith(f"{slow}.") for slow in SLOW):
        return f"sobre.{room} imports {name}, which is slow; use `if TYPE_CHECKING:` or do without"
    return ""


def main() -> int:
    status = 0
    for path in sorted(SOURCE.rglob("*.py")):
        room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        for line, name in imports(ast.parse(path.read_bytes(), path)):
            text = problem(room, name)
            if text:
                print(f"{path.relative_to(ROOT).as_posix()}:{line}: {text}", file=sys.stderr)
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
