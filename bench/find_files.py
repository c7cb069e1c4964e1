"""findFiles beside `find`, on a tree of 100,000 files.

Both are whole commands, start-up included, and both tell path, size and time of
each file they find. Without a `find` of GNU there is nothing to compare with.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from rows import Row

ROOT = Path(__file__).resolve().parent.parent
FOLDERS, FILES = 1_000, 100
ROUNDS = 3

#: What is found -> options of ours, conditions of find's.
_SEARCHES = {
    "all": (f"--max-results {FOLDERS * FILES} --json", ""),
    "one in a hundred": ("--pattern *42.txt --json", "-name *42.txt"),
}


def rows() -> list[Row]:
    """A row for each search; none where there is no such `find`."""
    if sys.platform != "linux" or shutil.which("find") is None:
        return []
    with tempfile.TemporaryDirectory(prefix="sobre-bench-") as folder:
        _make_tree(Path(folder))
        return [_row(folder, name, *options) for name, options in _SEARCHES.items()]


def _make_tree(folder: Path) -> None:
    """Ten folders of ten folders of ten, with a hundred small files in each of these."""
    for number in range(FOLDERS):
        digits = f"{number:03}"
        place = folder.joinpath(*digits)
        place.mkdir(parents=True)
        for file in range(FILES):
            (place / f"file-{file:02}.txt").touch()


def _row(folder: str, name: str, ours: str, theirs: str) -> Row:
    sobre = [sys.executable, "-m", "sobre", "findFiles", folder, *ours.split()]
    find = ["find", folder, "-type", "f", *theirs.split(), "-printf", r"%p\t%s\t%T@\n"]
    _seconds(find)  # From now on the system has the tree in memory.
    turns = [(_seconds(sobre), _seconds(find)) for _ in range(ROUNDS)]
    return Row(
        f"Finding files among {FOLDERS * FILES:,}: milliseconds",
        f"sobre findFiles --json, {name}",
        min(seconds for seconds, _ in turns) * 1e3,
        "find -printf",
        min(seconds for _, seconds in turns) * 1e3,
    )


def _seconds(command: list[str]) -> float:
    variables = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    variables["PYTHONPATH"] = str(ROOT / "src")
    start = perf_counter()
    subprocess.run(command, check=True, env=variables, stdout=subprocess.DEVNULL)
    return perf_counter() - start
