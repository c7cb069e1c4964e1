"""Headless Chromium, which shows pages as people see them."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess

import pytest

SECONDS = 60
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--hide-scrollbars",
)


def chromium():
    """The browser's path. Without one the test is skipped, but in CI it fails."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        reason = "there is no chromium (on Debian: apt-get install chromium)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return path


def browse(folder, page, *flags):
    """Open a page of HTML in a browser without a past; its standard output."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    profile = folder / "profile"
    shutil.rmtree(profile, ignore_errors=True)
    words = [chromium(), *FLAGS, f"--user-data-dir={profile}", *flags, path.as_uri()]
    done = subprocess.run(words, capture_output=True, timeout=SECONDS, check=True)
    return done.stdout.decode()


def told(folder, page, *flags):
    """What a page's own script puts into `<pre id="told">` as JSON."""
    dom = browse(folder, page, "--dump-dom", "--virtual-time-budget=20000", *flags)
    found = re.search('<pre id="told">(.*?)</pre>', dom, re.DOTALL)
    assert found, dom[:2000]
    return json.loads(html.unescape(found[1]))


def framed(pages, width, script):
    """A page that holds others in frames of a width, and then runs a script over `frames`."""
    frames = "".join(
        f'<iframe style="border:0;width:{width}px;height:800px" '
        f'srcdoc="{html.escape(page)}"></iframe>'
        for page in pages
    )
    return f"""<!doctype html><meta charset="utf-8"><body>{frames}<pre id="told"></pre><script>
    addEventListener("load", () => {{
      const frames = [...document.querySelectorAll("iframe")];
      const answer = frames.map(frame => {{
        const page = frame.contentDocument, window = frame.contentWindow;
        {script}
      }});
      document.getElementById("told").textContent = JSON.stringify(answer);
    }});
    </script>"""
