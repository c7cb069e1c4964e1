"""The report as a page in a browser: nothing runs, everything fits, everyone can read it."""

from __future__ import annotations

import html
import sys
from importlib.metadata import distribution

import html5lib
import pytest

from browser import browse, chromium, framed, told
from report_cases import HOSTILE, REPORTS, files, many
from sobre.report.html import render

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="knows Chromium on Linux")

ATTACKS = "\n".join(HOSTILE.values())
LONG = "x" * 3000
#: What an attack would leave behind, in its own page or above it.
TRACES = """
    const pwned = page.documentElement.dataset.pwned || null;
    return [pwned, page.title, page.querySelectorAll("*").length];
"""
TOO_WIDE = """
    const wide = [...page.querySelectorAll("body *")].filter(
      item => item.getBoundingClientRect().right > window.innerWidth + 0.5
        || item.getBoundingClientRect().left < -0.5
        || (item.clientWidth && item.scrollWidth > item.clientWidth + 1));
    return [page.documentElement.scrollWidth, page.documentElement.scrollHeight,
      wide.map(item => item.outerHTML.slice(0, 80))];
"""


def pages(text):
    return {kind: render(make(text)).decode() for kind, make in REPORTS.items()}


def elements(page):
    return len(list(html5lib.parse(page, namespaceHTMLElements=False).iter()))


def test_no_script_runs_and_nothing_is_injected(tmp_path):
    hostile = pages(ATTACKS)
    head, body = hostile["validation"].split("<header>")
    injected = f"<script>document.documentElement.dataset.pwned=1</script>{HOSTILE['closes style']}"
    unguarded = f"<!doctype html><title>x</title>{injected}{body}"
    guarded = f"{head}{injected}<header>{body}"
    found = told(tmp_path, framed([*hostile.values(), unguarded, guarded], 800, TRACES))
    for page, (pwned, title, count) in zip(hostile.values(), found, strict=False):
        assert pwned is None
        assert f"<title>{title}</title>" in page
        assert count == elements(page)
    assert found[-2][0] == "1", "the test would not see a script that runs"
    assert found[-1][0] is None, "the policy lets scripts run"


def test_what_a_browser_reads_is_what_was_written(tmp_path):
    page = render(REPORTS["evidence"](ATTACKS)).decode()
    dom = browse(tmp_path, page, "--dump-dom")

    def read(text):
        return [
            (item.tag, item.attrib, item.text, (item.tail or "").strip("\n"))
            for item in html5lib.parse(text, namespaceHTMLElements=False).iter()
        ]

    assert read(dom.rstrip()) == read(page.rstrip())


@pytest.mark.parametrize("width", [320, 360, 1280])
def test_nothing_is_wider_than_the_page(tmp_path, width):
    shown = [*pages(ATTACKS).values(), *pages(LONG).values()]
    shown += [render(many(120, "m" * 500)).decode(), render(files(3)).decode()]
    control = shown[0].replace(
        "<main>", '<main><p style="white-space:nowrap">' + "w" * 400 + "</p>"
    )
    *found, bad = told(tmp_path, framed([*shown, control], width, TOO_WIDE))
    for page, (scroll_width, height, wide) in zip(shown, found, strict=True):
        assert wide == [], page[:100]
        assert scroll_width == width
        assert height > 300
    assert bad[0] > width, "the test would not see what is too wide"


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_everyone_can_read_it(tmp_path, scheme):
    """axe finds nothing: contrast, names, order, structure."""
    axe = (
        distribution("axe-core-python").locate_file("axe_core_python/axe.min.js").read_text("utf-8")
    )
    shown = [*pages("made-up.json").values(), render(files(1)).decode()]
    if scheme == "print":
        shown = [page.replace("@media print {", "@media all {") for page in shown]
    dark = "matchMedia('(prefers-color-scheme: dark)').matches"
    bodies = []
    for page in shown:
        policy = page[page.index('<meta http-equiv="Content') : page.index('<meta name="viewport"')]
        assert page.count(policy) == 1
        run = f"""<script>{axe}</script><script>
        axe.run({{rules: {{"region": {{enabled: true}}}}}}).then(found => parent.postMessage(
          [{dark}, found.passes.length, found.violations.concat(found.incomplete).map(
            item => [item.id, item.nodes.map(node => node.html.slice(0, 200))])], "*"));
        </script>"""
        bodies.append(page.replace(policy, "").replace("</body>", f"{run}</body>"))
    frames = "".join(
        f'<iframe style="width:900px;height:3000px" srcdoc="{html.escape(body)}"></iframe>'
        for body in bodies
    )
    page = f"""<!doctype html><pre id="told"></pre><script>
    const answers = [];
    addEventListener("message", event => {{
      answers.push(event.data);
      document.getElementById("told").textContent = JSON.stringify(answers);
    }});</script>{frames}"""
    flags = ["--force-dark-mode"] if scheme == "dark" else []
    found = told(tmp_path, page, *flags)
    assert len(found) == len(shown)
    for is_dark, passes, problems in found:
        assert is_dark is (scheme == "dark")
        assert passes > 15
        assert problems == []


def test_it_can_be_printed(tmp_path):
    page = render(REPORTS["verification"]("made-up.json")).decode()
    target = tmp_path / "page.pdf"
    browse(tmp_path, page, f"--print-to-pdf={target}")
    assert target.read_bytes().startswith(b"%PDF-")
    assert chromium()
