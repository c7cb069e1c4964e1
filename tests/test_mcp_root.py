"""The root of `sobre serve`: no path and no link leads a file operation out of it."""

from __future__ import annotations

import os
import threading
from itertools import count

import pytest

from command import linux, posix
from sobre.operations import OPERATIONS, operation
from sobre.operations.root import OutsideRoot, Root

READ = operation("readFile")
FIND = operation("findFiles")
#: Every operation that takes a path.
WITH_PATH = [
    operation(name)
    for name in OPERATIONS
    if any(parameter.path for parameter in operation(name).parameters)
]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A root with a file, beside a secret; relative paths start in the root."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("secret")
    (tmp_path / "rooted").mkdir()  # Its name begins as that of the root does.
    (tmp_path / "rooted" / "secret.txt").write_text("secret")
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    (root / "folder" / "inside.txt").write_text("inside")
    monkeypatch.chdir(root)
    return root


def refused(result):
    assert result.error_code == "path_outside_root", result
    assert "secret" not in (result.get("output") or "")
    return True


def test_every_path_parameter_is_declared_as_one():
    """A new operation with a path would not be confined if it forgot to say so."""
    named = {
        (name, parameter.name)
        for name in OPERATIONS
        for parameter in operation(name).parameters
        if "path" in parameter.name or "file" in parameter.name or "folder" in parameter.name
    }
    declared = {(one.name, p.name) for one in WITH_PATH for p in one.parameters if p.path}
    assert declared == named


@pytest.mark.parametrize("declared", WITH_PATH, ids=lambda declared: declared.name)
def test_paths_that_lead_out(place, declared):
    root = Root(str(place))
    outside = place.parent / "outside" / "secret.txt"
    for path in (
        str(outside),
        "../outside/secret.txt",
        "folder/../../outside/secret.txt",
        "..",
        "/",
        "/etc/passwd",
        str(place.parent),
        str(place) + "ed/secret.txt",
        "../none",
        "../" * 50 + "etc",
    ):
        assert refused(declared.run({"path": path}, root=root)), path


@posix
@pytest.mark.parametrize("declared", WITH_PATH, ids=lambda declared: declared.name)
def test_links_that_lead_out(place, declared):
    outside = place.parent / "outside"
    links = {
        "file": outside / "secret.txt",
        "folder-link": outside,
        "relative": "../outside/secret.txt",
        "dangling": outside / "none",
        "first": "second",
        "second": outside / "secret.txt",
        "up": "..",
        "top": "/",
    }
    for name, target in links.items():
        (place / name).symlink_to(target)
    root = Root(str(place))
    for path in (*links, "folder-link/secret.txt", "up/outside/secret.txt", "top/etc/passwd"):
        assert refused(declared.run({"path": path}, root=root)), path


@posix
def test_links_that_stay_inside(place):
    (place / "link").symlink_to("folder/inside.txt")
    (place / "way").symlink_to(place / "folder")
    root = Root(str(place))
    for path in (
        "link",
        "way/inside.txt",
        "folder/../folder/inside.txt",
        "./link",
        str(place / "link"),
    ):
        assert READ.run({"path": path}, root=root)["output"] == "inside"


@posix
def test_a_root_that_is_a_link_itself(place):
    (place.parent / "alias").symlink_to(place)
    root = Root(str(place.parent / "alias"))
    assert READ.run({"path": str(place.parent / "alias" / "folder" / "inside.txt")}, root=root)
    assert READ.run({"path": str(place / "folder" / "inside.txt")}, root=root)
    assert refused(READ.run({"path": str(place.parent / "outside" / "secret.txt")}, root=root))


@posix
def test_the_root_of_everything_holds_everything(place):
    secret = place.parent / "outside" / "secret.txt"
    assert READ.run({"path": str(secret)}, root=Root("/"))["output"] == "secret"


@linux
def test_links_of_the_kernel(place):
    root = Root(str(place))
    for path in (
        "/proc/self/root/etc/passwd",
        "/proc/self/cwd/../outside/secret.txt",
        "/dev/stdin",
    ):
        assert refused(READ.run({"path": path}, root=root))
    (place / "proc").symlink_to("/proc/self/root")
    assert refused(READ.run({"path": "proc/etc/passwd"}, root=root))


def test_what_is_no_path_is_told_as_without_a_root(place):
    root = Root(str(place))
    for path in (
        "none",
        "folder/none",
        "folder",
        "nul\0byte",
        "x" * 5000,
        "",
        "folder/inside.txt/x",
    ):
        arguments = {"path": path}
        with_root, without = READ.run(arguments, root=root), READ.run(arguments)
        assert not with_root
        assert with_root.error_code == without.error_code, path


@posix
def test_links_in_a_circle(place):
    (place / "one").symlink_to("two")
    (place / "two").symlink_to("one")
    assert not READ.run({"path": "one"}, root=Root(str(place)))


@posix
def test_a_search_that_follows_links_does_not_leave(place):
    (place / "out").symlink_to(place.parent / "outside")
    (place / "file-out").symlink_to(place.parent / "outside" / "secret.txt")
    (place / "in").symlink_to("folder")
    arguments = {"path": ".", "follow_links": True, "type": "any"}
    result = FIND.run(arguments, root=Root(str(place)))
    names = {one["name"]: one["type"] for one in result["files"]}
    assert names == {
        "folder": "folder",
        "inside.txt": "file",
        "out": "link",
        "file-out": "link",
        "in": "folder",
    }
    assert result.warnings == (
        "2 links lead out of the root, and what is there was not looked at.",
    )
    assert "secret.txt" in {one["name"] for one in FIND.run(arguments)["files"]}


@posix
def test_a_folder_that_is_swapped_for_a_link_meanwhile(place):
    """A racing process can make a read fail, and never make it lead out."""
    (place / "real").mkdir()
    (place / "real" / "secret.txt").write_text("harmless")
    (place / "swap").mkdir()
    (place / "swap" / "secret.txt").write_text("harmless")
    stop = threading.Event()

    def swap():
        while not stop.is_set():
            os.rename(place / "swap", place / "away")
            os.symlink(place.parent / "outside", place / "swap")
            os.unlink(place / "swap")
            os.rename(place / "away", place / "swap")

    racer = threading.Thread(target=swap)
    racer.start()
    try:
        root, seen, turns = Root(str(place)), set(), count()
        while next(turns) < 3000:
            result = READ.run({"path": "swap/secret.txt"}, root=root)
            seen.add(result.get("output") or result.error_code)
    finally:
        stop.set()
        racer.join()
    assert "secret" not in seen
    assert READ.run({"path": "swap/secret.txt"}, root=root)["output"] == "harmless"


def test_a_root_that_cannot_be_one(place):
    with pytest.raises(FileNotFoundError):
        Root("none")
    with pytest.raises(NotADirectoryError):
        Root("folder/inside.txt")
    with pytest.raises(ValueError, match="null"):
        Root("nul\0byte")


def test_opening_outside_raises(place):
    with pytest.raises(OutsideRoot):
        Root(str(place)).open("..", os.O_RDONLY)
