"""The table of speed ratios: `make bench`. docs/benchmark.md says what each row means."""

import argparse
import platform
import sys
from time import perf_counter

import find_files
import mcp_calls
import throughput
from rows import Row, table
from startup import startup_rows

from sobre import success

GROUPS = ("startup", *throughput.GROUPS, "find", "mcp")


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/run.py", description=__doc__)
    parser.add_argument("--json", action="store_true", help="write one contract object instead")
    parser.add_argument(
        "--only", action="append", choices=GROUPS, help="measure this part alone (repeatable)"
    )
    parser.add_argument(
        "--python",
        default=sys.executable,
        metavar="PATH",
        help="the interpreter of the start-up rows (default: the one that runs this)",
    )
    options = parser.parse_args()
    start = perf_counter()
    rows = []
    groups = {
        "startup": lambda: startup_rows(options.python),
        **throughput.GROUPS,
        "find": find_files.rows,
        "mcp": mcp_calls.mcp_rows,
    }
    for group in options.only or GROUPS:
        rows += groups[group]()
    report(rows, perf_counter() - start, as_json=options.json)
    return 0


def report(rows: list[Row], seconds: float, *, as_json: bool) -> None:
    """Print the rows. A goal that is missed is one of the facts, not a failure to measure."""
    judged = [row for row in rows if row.goal]
    missed = [row for row in judged if row.verdict == "misses"]
    summary = f"{len(judged) - len(missed)} of {len(judged)} goals hold."
    python = f"{platform.python_implementation()} {platform.python_version()}"
    if not as_json:
        print(table(rows))
        print(f"{summary} Measured in {seconds:.0f} seconds with {python}.")
        return
    result = success(
        summary,
        python=python,
        rows=[row.to_dict() for row in rows],
        warnings=[
            f"{row.group}, {row.name}: the ratio is {row.ratio}, the goal {row.goal}."
            for row in missed
        ],
        meta={"command": "bench", "duration_ms": round(seconds * 1e3), "schema_version": 1},
    )
    print(result.to_json())


if __name__ == "__main__":
    sys.exit(main())
