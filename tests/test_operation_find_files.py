"""findFiles: what it finds, what it leaves out and says so, and how it ends."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta, timezone

import pytest

from command import document, linux, posix, powerless, run
from operation_results import conforming, failed, succeeded
from sobre.operations import operation, scan
from sobre.operations.find_files import MAX_RESULTS

TREE = {
    "a.txt": b"12345",
    "b.py": b"1",
    "src/c.py": b"123",
    "src/.hidden": b"",
    "src/deep/er/d.py": b"1234567",
    "docs/e.md": b"12",
}


@pytest.fixture
def tree(tmp_path):
    for path, data in TREE.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    return tmp_path


def found(folder, **arguments):
    """The paths that are found, relative to the folder and with slashes."""
    answer = succeeded("findFiles", path=str(folder), **arguments)
    assert answer["count"] == len(answer["files"])
    return [os.path.relpath(one["path"], folder).replace(os.sep, "/") for one in answer["files"]]


# -- what it finds ------------------------------------------------------------


def test_all_files_are_found(tree):
    assert found(tree) == sorted(TREE)


def test_what_it_tells(tree):
    moment = 1_700_000_000.123456
    os.utime(tree / "a.txt", (0, moment))
    answer = succeeded("findFiles", path=str(tree), pattern=["a.txt"])
    assert answer["files"] == [
        {
            "path": str(tree / "a.txt"),
            "name": "a.txt",
            "type": "file",
            "size_bytes": 5,
            "modified": "2023-11-14T22:13:20.123456Z",
        }
    ]
    assert answer["message"] == f"Found 1 file in {tree}."
    assert answer["scanned"] == {
        "folders": 5,
        "entries": 10,
        "unreadable": 0,
        "vanished": 0,
        "repeated": 0,
    }
    assert (answer["path"], answer["matched"]) == (str(tree), 1)
    assert (answer["partial"], answer["truncated"], answer["warnings"]) == (False, False, [])


def test_nothing_found_is_a_success(tree):
    assert succeeded("findFiles", path=str(tree), pattern=["nope"])["files"] == []


def test_paths_begin_as_the_folder_was_given(tree, monkeypatch):
    monkeypatch.chdir(tree)
    for path in (".", "src", "src" + os.sep, os.path.join("src", "..", "src")):
        answer = succeeded("findFiles", path=path, pattern=["c.py" if path != "." else "a.txt"])
        (one,) = answer["files"]
        assert one["path"] == os.path.join(path, one["name"])
        assert os.path.isfile(one["path"])
    assert succeeded("findFiles")["path"] == "."


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"pattern": ["*.py"]}, "b.py src/c.py src/deep/er/d.py"),
        ({"pattern": ["*.py", "*.md"]}, "b.py docs/e.md src/c.py src/deep/er/d.py"),
        ({"pattern": ["src/*.py"]}, "src/c.py"),
        ({"pattern": ["src/**/*.py"]}, "src/c.py src/deep/er/d.py"),
        ({"pattern": ["*.PY"]}, ""),
        ({"pattern": ["*.PY"], "ignore_case": True}, "b.py src/c.py src/deep/er/d.py"),
        ({"exclude": ["src"]}, "a.txt b.py docs/e.md"),
        ({"exclude": ["SRC"], "ignore_case": True}, "a.txt b.py docs/e.md"),
        ({"exclude": ["src/deep/**", "*.md"]}, "a.txt b.py src/.hidden src/c.py"),
        ({"pattern": ["*.py"], "exclude": ["c.*"]}, "b.py src/deep/er/d.py"),
        ({"max_depth": 1}, "a.txt b.py"),
        ({"max_depth": 2}, "a.txt b.py docs/e.md src/.hidden src/c.py"),
        ({"max_depth": 10**30}, " ".join(sorted(TREE))),
        ({"type": "folder"}, "docs src src/deep src/deep/er"),
        ({"type": "folder", "max_depth": 1}, "docs src"),
        ({"type": "any", "max_depth": 1}, "a.txt b.py docs src"),
        ({"type": "link"}, ""),
        ({"min_size": 3}, "a.txt src/c.py src/deep/er/d.py"),
        ({"max_size": 1}, "b.py src/.hidden"),
        ({"min_size": 2, "max_size": 3}, "docs/e.md src/c.py"),
        ({"type": "any", "min_size": 0, "max_depth": 1}, "a.txt b.py"),
        ({"sort": "size"}, "src/.hidden b.py docs/e.md src/c.py a.txt src/deep/er/d.py"),
        ({"sort": "size", "max_results": 2, "reverse": True}, "src/deep/er/d.py a.txt"),
        ({"sort": "name", "max_depth": 2}, "src/.hidden a.txt b.py src/c.py docs/e.md"),
        ({"reverse": True, "max_depth": 1}, "b.py a.txt"),
    ],
    ids=str,
)
def test_each_condition(tree, arguments, names):
    assert found(tree, **arguments) == names.split()


def test_an_excluded_folder_is_not_entered(tree):
    answer = succeeded("findFiles", path=str(tree), exclude=["src"])
    assert answer["scanned"]["folders"] == 2


# -- moments ------------------------------------------------------------------

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def aged(tmp_path):
    """Files of three moments, an hour apart, the middle one at noon in UTC."""
    for name, hours in (("early", -1), ("noon", 0), ("late", 1)):
        (tmp_path / name).touch()
        stamp = (NOON + timedelta(hours=hours)).timestamp()
        os.utime(tmp_path / name, (stamp, stamp))
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"modified_after": "2026-03-01T12:00:00Z"}, "late noon"),
        ({"modified_after": "2026-03-01T12:00:00.000001Z"}, "late"),
        ({"modified_before": "2026-03-01T12:00:00Z"}, "early"),
        ({"modified_before": "2026-03-01T13:00:00+01:00"}, "early"),
        ({"modified_after": "20260301T1130Z", "modified_before": "2026-03-01 12:30Z"}, "noon"),
        ({"modified_after": "0001-01-02"}, "early late noon"),
        ({"modified_before": "9999-12-30"}, "early late noon"),
        ({"sort": "modified"}, "early noon late"),
        ({"sort": "modified", "reverse": True}, "late noon early"),
    ],
    ids=str,
)
def test_moments(aged, arguments, names):
    assert found(aged, **arguments) == names.split()


@posix
@pytest.mark.parametrize(("zone", "names"), [("UTC0", "late"), ("XYZ-1", "late noon")])
def test_a_moment_without_offset_is_local_time(aged, zone, names):
    words = ["--modified-after", "2026-03-01T12:30", "--json"]
    answer = document(run("findFiles", *words, cwd=aged, env={"TZ": zone}))
    assert [one["name"] for one in answer["files"]] == names.split()


@pytest.mark.parametrize(
    "text", ["", "yesterday", "12:00", "2026-13-01", "1", "0001-01-01T00:00+14:00", "\ud800", "a\0"]
)
def test_what_is_no_moment(tree, text):
    for name in ("modified_after", "modified_before"):
        details = failed("findFiles", "invalid_arguments", path=str(tree), **{name: text})[
            "details"
        ]
        assert [one["name"] for one in details["arguments"]] == [name]


@posix
@pytest.mark.parametrize("seconds", [-1.5, -(2**31), 2**31, 2**33])
def test_moments_of_files_that_are_unusual(tmp_path, seconds):
    (tmp_path / "f").touch()
    try:
        os.utime(tmp_path / "f", (0, seconds))
    except OSError:
        pytest.skip("the file system takes no such moment")
    (one,) = succeeded("findFiles", path=str(tmp_path))["files"]
    stamp = (tmp_path / "f").stat().st_mtime
    assert datetime.fromisoformat(one["modified"]).timestamp() == pytest.approx(stamp, abs=1e-5)


def test_a_moment_beyond_the_calendar():
    from sobre.operations.moments import utc

    assert utc(10**30) is None
    assert utc(-(10**30)) is None
    assert utc(-1) == "1969-12-31T23:59:59.999999Z"


# -- limits -------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 5, 6, 7])
def test_the_limit_of_results(tree, limit):
    answer = succeeded("findFiles", path=str(tree), max_results=limit)
    assert [one["name"] for one in answer["files"]] == [
        os.path.basename(path) for path in sorted(TREE)[:limit]
    ]
    assert answer["matched"] == 6
    assert answer["truncated"] is (limit < 6)
    assert any("--max-results" in text for text in answer["warnings"]) is (limit < 6)


def test_no_more_is_kept_than_the_limit_needs(tmp_path, monkeypatch):
    for number in range(1000):
        (tmp_path / f"{number:04}").touch()
    sizes = []
    cut = scan.Scan._cut

    def watched(self):
        sizes.append(len(self.found))
        cut(self)

    monkeypatch.setattr(scan.Scan, "_cut", watched)
    assert found(tmp_path, max_results=3, reverse=True) == ["0999", "0998", "0997"]
    assert max(sizes) <= 2 * 3 + 101
    assert len(sizes) > 5


def test_without_a_limit_there_is_one():
    (parameter,) = [one for one in operation("findFiles").parameters if one.name == "max_results"]
    assert parameter.default == MAX_RESULTS


def test_the_time_is_up(tree):
    answer = succeeded("findFiles", path=str(tree), timeout=0)
    assert (answer["partial"], answer["files"]) == (True, [])
    assert "--timeout" in answer["warnings"][0]
    assert answer["message"].endswith("the search is incomplete.")


def test_the_time_is_up_within_a_large_folder(tmp_path, monkeypatch):
    for number in range(50):
        (tmp_path / f"{number:04}").touch()
    monkeypatch.setattr(scan, "_ENTRIES_BETWEEN_LOOKS", 0)
    clock = iter(range(10_000))
    monkeypatch.setattr(scan, "monotonic", lambda: next(clock))
    answer = succeeded("findFiles", path=str(tmp_path), timeout=20)
    assert answer["partial"] is True
    assert 5 < answer["count"] < 20


# -- links --------------------------------------------------------------------


@pytest.fixture
def linked(tree):
    """The tree, with links to a file, to a folder, upwards, in a circle, to nowhere."""
    try:
        (tree / "to-file").symlink_to("a.txt")
    except OSError:
        pytest.skip("no symbolic links here")
    (tree / "to-docs").symlink_to("docs", target_is_directory=True)
    (tree / "src" / "up").symlink_to("..", target_is_directory=True)
    (tree / "circle").symlink_to("circle")
    (tree / "nowhere").symlink_to("nope")
    return tree


LINKS = "circle nowhere src/up to-docs to-file"


def test_links_are_links(linked):
    assert found(linked) == sorted(TREE)
    assert found(linked, type="link") == LINKS.split()
    answer = succeeded("findFiles", path=str(linked), type="link")
    assert {(one["type"], one["size_bytes"]) for one in answer["files"]} == {("link", None)}


def test_followed_links_are_what_they_lead_to(linked):
    arguments = {"path": str(linked), "follow_links": True}
    assert found(linked, follow_links=True) == sorted([*TREE, "to-file"])
    assert found(linked, follow_links=True, type="link") == ["circle", "nowhere"]
    answer = succeeded("findFiles", **arguments, type="folder", sort="name")
    names = [one["name"] for one in answer["files"]]
    assert names == ["deep", "docs", "er", "src", "to-docs", "up"]
    assert answer["scanned"]["repeated"] == 2
    assert answer["partial"] is False
    (one,) = succeeded("findFiles", **arguments, pattern=["to-file"])["files"]
    assert (one["type"], one["size_bytes"]) == ("file", 5)


def test_the_folder_itself_may_be_a_link(linked):
    assert found(linked / "to-docs") == ["e.md"]
    assert found(linked / "src" / "up", max_depth=1) == ["a.txt", "b.py"]


@posix
def test_many_ways_to_one_folder_are_no_more_work(tmp_path):
    for level in range(30):
        (tmp_path / f"{level}").mkdir()
        for name in ("left", "right"):
            (tmp_path / f"{level}" / name).symlink_to(f"../{level + 1}")
    (tmp_path / "30").mkdir()
    (tmp_path / "30" / "end").touch()
    answer = succeeded("findFiles", path=str(tmp_path / "0"), follow_links=True)
    assert [one["name"] for one in answer["files"]] == ["end"]
    assert answer["scanned"]["folders"] == 31
    assert answer["scanned"]["repeated"] == 30


@posix
def test_the_way_without_links_comes_first(tmp_path):
    (tmp_path / "z").mkdir()
    (tmp_path / "z" / "f").touch()
    (tmp_path / "a").symlink_to("z")
    assert found(tmp_path, follow_links=True) == ["z/f"]


# -- what refuses, and what disappears ----------------------------------------


@posix
def test_folders_that_may_not_be_read(tree):
    (tree / "src" / "deep").chmod(0)
    (tree / "docs").chmod(0o400)  # Its names can be read, and nothing else about them.
    try:
        done = run("findFiles", "--json", cwd=tree, **powerless())
    finally:
        (tree / "src" / "deep").chmod(0o700)
        (tree / "docs").chmod(0o700)
    answer = conforming(document(done))
    assert [one["path"] for one in answer["files"]] == [
        "./a.txt",
        "./b.py",
        "./src/.hidden",
        "./src/c.py",
    ]
    assert answer["partial"] is True
    assert answer["scanned"]["unreadable"] == 2
    assert sorted(answer["warnings"]) == [
        "./docs/e.md was left out: permission denied.",
        "./src/deep was left out: permission denied.",
    ]


@posix
def test_the_folder_itself_may_not_be_read(tree):
    (tree / "src").chmod(0)
    try:
        done = run("findFiles", "src", "--json", cwd=tree, **powerless())
    finally:
        (tree / "src").chmod(0o700)
    answer = conforming(document(done))
    assert (answer["error_code"], answer["details"]) == ("permission_denied", {"path": "src"})


def test_no_number_of_refusals_floods_the_result(tmp_path, monkeypatch):
    for number in range(70):
        (tmp_path / f"{number:02}").mkdir()
    scandir = os.scandir

    def refusing(path):
        if os.path.basename(path).isdigit():
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    answer = succeeded("findFiles", path=str(tmp_path) + os.sep + ".")
    assert answer["scanned"]["unreadable"] == 70
    assert len(answer["warnings"]) == scan.MAX_WARNINGS + 1
    assert answer["warnings"][-1] == "20 more were left out."


def test_what_disappears_is_counted(tree, monkeypatch):
    entry = scan.Scan._entry

    def vanishing(self, one, parts):
        if one.name == "a.txt":
            os.unlink(one.path)
        entry(self, one, parts)
        if one.name == "docs":
            (tree / "docs" / "e.md").unlink()
            (tree / "docs").rmdir()

    monkeypatch.setattr(scan.Scan, "_entry", vanishing)
    if os.name == "nt":
        pytest.skip("Windows knows the state of what has gone")
    answer = succeeded("findFiles", path=str(tree), max_depth=2)
    assert [one["name"] for one in answer["files"]] == ["b.py", ".hidden", "c.py"]
    assert answer["scanned"]["vanished"] == 2
    assert answer["partial"] is False


def test_a_folder_that_turns_into_a_file(tree, monkeypatch):
    entry = scan.Scan._entry

    def turning(self, one, parts):
        entry(self, one, parts)
        if one.name == "docs":
            (tree / "docs" / "e.md").unlink()
            (tree / "docs").rmdir()
            (tree / "docs").touch()

    monkeypatch.setattr(scan.Scan, "_entry", turning)
    answer = succeeded("findFiles", path=str(tree), exclude=["src"])
    assert (answer["scanned"]["vanished"], answer["partial"]) == (1, False)


def test_a_folder_that_fails_half_way(tree, monkeypatch):
    entry = scan.Scan._entry

    def failing(self, one, parts):
        if one.name == "e.md":
            raise OSError(5, "Input/output error")
        entry(self, one, parts)

    monkeypatch.setattr(scan.Scan, "_entry", failing)
    answer = succeeded("findFiles", path=str(tree))
    assert answer["partial"] is True
    assert "docs was left out: input/output error." in answer["warnings"][0]


@posix
def test_what_lies_deeper_than_a_path_can_say(tmp_path):
    fd = os.open(tmp_path, os.O_RDONLY)
    for _ in range(25):
        os.mkdir("d" * 200, dir_fd=fd)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    os.close(fd)
    answer = succeeded("findFiles", path=str(tmp_path), type="folder")
    assert answer["partial"] is True
    assert 15 < answer["count"] < 25
    assert all("too long" in text for text in answer["warnings"])


# -- names --------------------------------------------------------------------


@linux
def test_names_that_are_not_utf_8(tmp_path):
    for name in (b"\xff.txt", b"b\xc3\xa9", b"c\\xff", b"d\ne", b"\x1b[31m"):
        with open(os.path.join(os.fsencode(tmp_path), name), "wb"):
            pass
    answer = conforming(document(run("findFiles", "--json", cwd=tmp_path)))
    names = {one["name"]: one.get("escaped", False) for one in answer["files"]}
    assert names == {
        "\\xff.txt": True,
        "b\u00e9": False,
        "c\\xff": False,
        "d\ne": False,
        "\x1b[31m": False,
    }


@linux
def test_a_folder_whose_name_is_not_utf_8(tmp_path):
    os.mkdir(os.path.join(os.fsencode(tmp_path), b"\xff"))
    with open(os.path.join(os.fsencode(tmp_path), b"\xff", b"f"), "wb"):
        pass
    answer = conforming(document(run("findFiles", b"\xff", "--json", cwd=tmp_path)))
    assert answer["path"] == "\\xff"
    assert answer["files"][0]["path"] == "\\xff/f"
    answer = document(run("findFiles", "--pattern", b"\xff/*", "--json", cwd=tmp_path))
    assert answer["count"] == 1


# -- failures -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("nope", "path_not_found"),
        ("", "path_not_found"),
        ("a.txt", "not_a_folder"),
        ("a\0b", "invalid_path"),
        ("\ud800", "invalid_path"),
    ],
    ids=ascii,
)
def test_what_is_no_folder(tree, monkeypatch, path, code):
    monkeypatch.chdir(tree)
    answer = performed_failure(path)
    if os.name == "posix":
        assert answer["error_code"] == code
    assert "path" in answer["details"]


def performed_failure(path):
    answer = conforming(operation("findFiles").run({"path": path}).to_dict())
    assert answer["success"] is False
    return answer


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"pattern": [""]}, ["pattern"]),
        ({"exclude": ["../x"]}, ["exclude"]),
        ({"min_size": 2, "max_size": 1}, ["min_size"]),
        ({"pattern": ["/"], "modified_after": "x"}, ["pattern", "modified_after"]),
    ],
    ids=str,
)
def test_arguments_that_cannot_be_used(tree, arguments, names):
    details = failed("findFiles", "invalid_arguments", path=str(tree), **arguments)["details"]
    assert [one["name"] for one in details["arguments"]] == names


# -- as text ------------------------------------------------------------------


@posix
def test_one_path_a_line(tree):
    (tree / "src" / "with\nline feed").touch()
    (tree / "docs" / "e.md").unlink()
    done = run("findFiles", "--pattern", "*.py", "--pattern", "with*", cwd=tree)
    assert done == (0, b"./b.py\n./src/c.py\n./src/deep/er/d.py\n./src/with\\nline feed\n", "")


def test_nothing_found_is_no_line(tree):
    assert run("findFiles", "--pattern", "nope", cwd=tree) == (0, b"", "")


def test_warnings_go_to_standard_error(tree):
    done = run("findFiles", "--max-results", "1", cwd=tree)
    assert (done.status, done.out.split()) == (0, [os.path.join(".", "a.txt").encode()])
    assert done.err == "warning: The limit is 1 result (--max-results).\n"


def test_a_failure_as_text(tree):
    done = run("findFiles", "nope", cwd=tree)
    assert (done.status, done.out) == (1, b"")
    assert "nope" in done.err
    assert "error code: path_not_found" in done.err


# -- all of it at once --------------------------------------------------------


@posix
def test_a_walk_of_the_system_agrees(tmp_path):
    """On a tree with all kinds of entries, each kind is found where os.walk has it."""
    for number in range(200):
        folder = tmp_path.joinpath(*f"{number:03}"[: number % 3 + 1])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"f{number}").write_bytes(b"x" * number)
    os.mkfifo(tmp_path / "0" / "pipe")
    expected = {"file": set(), "folder": set(), "other": set()}
    for folder, folders, files in os.walk(tmp_path):
        expected["folder"] |= {os.path.join(folder, name) for name in folders}
        for name in files:
            expected["other" if name == "pipe" else "file"].add(os.path.join(folder, name))
    answer = succeeded("findFiles", path=str(tmp_path), type="any")
    listed = {kind: set() for kind in expected}
    for one in answer["files"]:
        listed[one["type"]].add(one["path"])
    assert listed == expected


def test_the_offset_of_a_moment_counts():
    from sobre.operations.moments import nanoseconds

    moment = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=5, minutes=45)))
    assert nanoseconds(moment.isoformat()) == int(moment.timestamp()) * 10**9
