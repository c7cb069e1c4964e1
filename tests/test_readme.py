"""The examples of the README and the docs, run as they stand and their output compared.

A `python` block is run, and the `text` block after it is what it prints. In a
`console` block each line after `$ ` is a command of a POSIX shell, and the lines
up to the next one are what it prints.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples" / "README.md"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), EXAMPLES]
BLOCK = re.compile(r"^```(python|text|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ ", re.MULTILINE)


def blocks(page):
    return [(match[1], match[2]) for match in BLOCK.finditer(page.read_text(encoding="utf-8"))]


def environment(folder):
    """A `sobre` on the path that is this checkout's, and the recipes where copies would be."""
    command = folder / "bin" / "sobre"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sobre "$@"\n')
    command.chmod(0o755)
    path = os.pathsep.join([str(command.parent), os.environ["PATH"]])
    modules = os.pathsep.join([str(ROOT / "src"), str(EXAMPLES.parent)])
    return {**os.environ, "PATH": path, "PYTHONPATH": modules}


@pytest.mark.skipif(os.name == "nt", reason="console examples are for a POSIX shell")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_examples(page, tmp_path):
    where, env = tmp_path / "work", environment(tmp_path)
    if page == EXAMPLES:
        if sys.platform != "linux" or shutil.which("jq") is None:
            pytest.skip("the example in Bash needs jq, and GNU grep")
        shutil.copytree(page.parent, where)
    else:
        where.mkdir()
    found = blocks(page)
    for index, (kind, text) in enumerate(found):
        if kind == "python":
            printed = run([sys.executable, "-c", text], where, env)
            if index + 1 < len(found) and found[index + 1][0] == "text":
                assert printed == found[index + 1][1]
        elif kind == "console":
            for example in COMMAND.split(text)[1:]:
                command, _, expected = example.partition("\n")
                assert run([shutil.which("sh"), "-c", command], where, env) == expected, command


def run(command, where, env):
    done = subprocess.run(command, cwd=where, env=env, capture_output=True, text=True, timeout=60)
    if command[0] == sys.executable:
        assert done.returncode == 0, done.stderr
    else:
        assert "Traceback" not in done.stderr
    return done.stdout


def test_readme_names_the_setup_commands_that_the_makefile_has():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^    make (\w+)", readme, re.MULTILINE)
    assert named == ["demo", "test"]
    assert all(re.search(rf"^{name}:", makefile, re.MULTILINE) for name in named)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target
