"""What tests ask in Node: `npm ci` into a folder of tests, once, by whichever test is first."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

#: Validators that ours is compared with.
HERE = Path(__file__).parent / "node"
#: The official MCP clients and suites. They are large, so they have a folder of their own.
MCP = Path(__file__).parent / "node_mcp"
CACHE = HERE.parent.parent / ".cache" / "npm"
#: Seconds for npm, which may have to fetch.
SECONDS = 300


def node(folder=HERE):
    """The path of Node, with the packages of the folder's package-lock.json there to be required.

    Skips the test if Node or npm is not installed. If the packages cannot be
    had, that is a failure in CI and a reason to skip elsewhere.
    """
    program, npm = shutil.which("node"), shutil.which("npm")
    if program is None or npm is None:
        missing = "node" if program is None else "npm"
        pytest.skip(f"{missing} is not installed, so there is nothing to ask in {folder.name}")
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / f"{folder.name}.lock", "w") as lock:  # Tests run in several processes.
        _wait_for(lock)
        _install(npm, folder)
    return program


def _wait_for(lock):
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(lock, fcntl.LOCK_EX)


def _install(npm, folder):
    wanted = hashlib.sha256((folder / "package-lock.json").read_bytes()).hexdigest()
    installed = folder / "node_modules" / ".installed"
    if installed.is_file() and installed.read_text() == wanted:
        return
    done = subprocess.run(
        [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
        cwd=folder,
        env=os.environ | {"npm_config_cache": str(CACHE), "npm_config_update_notifier": "false"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    if done.returncode == 0:
        installed.write_text(wanted)
        return
    reason = f"npm ci could not install {folder}: " + " ".join(done.stderr.split())[:400]
    if os.environ.get("CI", "").lower() in ("true", "1"):
        pytest.fail(reason)
    pytest.skip(reason)
