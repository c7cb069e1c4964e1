"""The main job, end to end: run an operation both ways, judge, bind, verify.

Everything is a real command; each line that begins with $ is one that anyone
can type. The receipt stays in build/demo.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path("build") / "demo"


def run(*words: str, into: Path | None = None, status: int = 0) -> None:
    """Run one sobre command, show it, and insist on its exit status."""
    shown = " ".join(map(shlex.quote, ["sobre", *words]))
    print(f"\n$ {shown}" + (f" > {into.as_posix()}" if into else ""), flush=True)
    done = subprocess.run([sys.executable, "-m", "sobre", *words], stdout=subprocess.PIPE)
    if into is None:
        sys.stdout.write(done.stdout.decode())
    else:
        into.write_bytes(done.stdout)
        print(f"  exit status {done.returncode}, {len(done.stdout)} bytes")
    sys.stdout.flush()
    if done.returncode != status:
        sys.exit(f"demo: expected exit status {status}, found {done.returncode}")


def main() -> None:
    """Make a success and a failure, then prove them."""
    os.chdir(ROOT)
    FOLDER.mkdir(parents=True, exist_ok=True)
    success, failure = FOLDER / "success.json", FOLDER / "failure.json"
    receipt = FOLDER / "qzx-conformance.json"
    print("A real success and a real failure of one operation, each as one JSON document:")
    run("readFile", "README.md", "--json", into=success)
    run("readFile", "missing.txt", "--json", into=failure, status=1)
    print("\nWhat a consumer gets when it fails:")
    print(f"  {failure.read_text(encoding='utf-8').strip()}")
    print("\nEach is checked against the contract, strictly:")
    run("validate", success.as_posix(), failure.as_posix())
    print("\nBoth are bound into a receipt by their SHA-256:")
    pair = ["--success", success.as_posix(), "--failure", failure.as_posix()]
    run("evidence", "--profile", "core", *pair, "--report", receipt.as_posix())
    print("\nA stranger can verify it against the same files:")
    run("verify", receipt.as_posix())
    print(f"\nThe receipt says that the pair conforms. It lies in {receipt.as_posix()}")


if __name__ == "__main__":
    main()
