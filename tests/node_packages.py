"""What tests compare with in Node: `npm ci` into tests/node, once, by whichever test is first."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "node"
CACHE = HERE.parent.parent / ".cache" / "npm"
#: Seconds for npm, which may have to fetch.
SECONDS = 300


def node():
    """The path of Node, with the packages of package-lock.json there to be required.

    Skips the test if Node or npm is not installed. If the packages cannot be
    had, that is a failure in CI and a reason to skip elsewhere.
    """
    program, npm = shutil.which("node"), shutil.which("npm")
    if program is None or npm is None:
        missing = "node" if program is None else "npm"
        pytest.skip(f"{missing} is not installed, so there is no Ajv to compare with")
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "tests.lock", "w") as lock:  # Tests run in several processes.
        _wait_for(lock)
        _install(npm)
    return program


def _wait_for(lock):
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(lock, fcntl.LOCK_EX)


def _install(npm):
    wanted = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
    installed = HERE / "node_modules" / ".installed"
    if installed.is_file() and installed.read_text() == wanted:
        return
    done = subprocess.run(
        [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
        cwd=HERE,
        env=os.environ | {"npm_config_cache": str(CACHE), "npm_config_update_notifier": "false"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    if done.returncode == 0:
        installed.write_text(wanted)
        return
    reason = f"npm ci could not install {HERE}: " + " ".join(done.stderr.split())[:400]
    if os.environ.get("CI", "").lower() in ("true", "1"):
        pytest.fail(reason)
    pytest.skip(reason)
