"""Real MCP servers, which nobody here wrote: a probe of each ends and tells the truth."""

from __future__ import annotations

import os
import sys

import pytest

from command import ROOT, document, execute, posix
from node_packages import node

sys.path.insert(0, str(ROOT / "scripts"))

from field_mcp import Seen
from field_servers import NODE, SERVERS, environment, place

pytestmark = posix
PAGE = ROOT / "docs" / "field-report.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder to run in, and the port at which it is shown."""
    path = tmp_path_factory.mktemp("servers")
    with place(path) as port:
        yield path, port


def by_package(server):
    return server.package


@pytest.fixture(params=SERVERS, ids=by_package)
def server(request):
    """A server that is installed, or can be."""
    if request.param.source == "npm":
        node(NODE)
    assert request.param.program is not None
    return request.param


def probe(server, folder, *, call, more=()):
    path, port = folder
    options = server.options(server.program, port=port)
    words = [sys.executable, "-m", "sobre", "probe", "mcp", "--json", *more]
    words += options if call else options[:2]
    return document(execute(words, cwd=path, env=environment(), seconds=90))


def row_of(server):
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    (row,) = [line for line in lines if line.startswith(f"| `{server.package}` (")]
    return [cell.strip() for cell in row.strip("| ").split(" | ")]


def test_what_a_server_lists_is_what_the_page_says(server, folder):
    found = probe(server, folder, call=False)
    seen, row = Seen(found, None), row_of(server)
    assert [server.version, seen.revisions, seen.schemas] == row[1:4]
    assert seen.revisions.startswith("2025-06-18, 2025-11-25")
    for tool in found["details"]["tools"]:
        assert tool["advice"]
    assert not {"server.ended", "server.no_answer", "server.left_processes"} & seen.rules


def test_what_a_tool_answers_is_what_the_page_says(server, folder):
    if not server.tool:
        pytest.skip("its tools need a network, a browser or an account")
    called = probe(server, folder, call=True)
    listed = {"details": {"findings": [], "revisions": [], "tools": []}}
    seen, row = Seen(listed, called), row_of(server)
    assert [seen.call("success"), seen.call("failure"), seen.unknown] == row[4:7]


def test_its_evidence_can_be_verified(server, folder, tmp_path):
    if not server.tool:
        pytest.skip("its tools need a network, a browser or an account")
    out = tmp_path / "evidence"
    found = probe(server, folder, call=True, more=("--out", str(out)))
    spoken = [one["revision"] for one in found["details"]["revisions"] if one["spoken"]]
    for revision in spoken:
        words = [sys.executable, "-m", "sobre", "verify", "--allow-nonconformant"]
        done = execute([*words, "qzx-conformance.json"], cwd=out / revision)
        assert done.status == 0, done


# -- the page -----------------------------------------------------------------


def test_the_page_has_at_least_eight_servers():
    packages = {server.package for server in SERVERS}
    text = PAGE.read_text(encoding="utf-8")
    assert len(packages) >= 8
    for package in packages:
        assert f"\n| `{package}` (" in text
        assert f"install {package}" in text


def test_the_page_names_no_place_of_the_machine_that_measured():
    text = PAGE.read_text(encoding="utf-8")
    for part in (str(ROOT), os.path.expanduser("~"), "/tmp/", "/home/", "/root", "node_modules"):
        assert part not in text
