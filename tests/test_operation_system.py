"""getDiskSpace and listProcesses: what they tell, and what the system does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import namedtuple
from datetime import UTC, datetime, timedelta

import psutil
import pytest

from command import document, linux, posix, powerless, run
from operation_results import conforming, failed, succeeded
from sobre.operations import list_processes

# -- getDiskSpace -------------------------------------------------------------

Mount = namedtuple("Mount", "device mountpoint fstype opts")
Usage = namedtuple("Usage", "total used free percent")


@pytest.fixture
def mounts(monkeypatch):
    """Three file systems, of which one is no disk; the last forbids to be asked."""
    disks = [
        Mount("/dev/b", "/", "ext4", "rw,relatime"),
        Mount("/dev/c", "/locked", "", "ro"),
    ]
    others = [Mount("proc", "/proc", "proc", "rw"), Mount("over", "/gone", "tmpfs", "rw")]

    def usage(place):
        if place == "/locked":
            raise PermissionError(13, "Permission denied", place)
        if place == "/gone":
            raise FileNotFoundError(2, "No such file or directory", place)
        return Usage(1000, 600, 300, 66.7)

    monkeypatch.setattr(psutil, "disk_partitions", lambda all: disks + others if all else disks)
    monkeypatch.setattr(psutil, "disk_usage", usage)
    return disks


def test_one_that_may_not_be_asked(mounts):
    answer = succeeded("getDiskSpace")
    assert answer["partial"] is True
    assert answer["warnings"] == ["/locked was left out: permission denied."]
    assert answer["disks"] == [
        {
            "mount_point": "/",
            "device": "/dev/b",
            "file_system": "ext4",
            "read_only": False,
            "total_bytes": 1000,
            "used_bytes": 600,
            "free_bytes": 300,
            "used_percent": 66.7,
        }
    ]


def test_one_that_is_unmounted_meanwhile(mounts):
    answer = succeeded("getDiskSpace", all=True)
    assert [one["mount_point"] for one in answer["disks"]] == ["/", "/proc"]


@posix
def test_the_root_is_there_though_it_is_no_disk(mounts, monkeypatch):
    mounts[:] = [Mount("/dev/d", "/data", "xfs", "rw")]
    root = Mount("overlay", "/", "overlay", "rw")
    monkeypatch.setattr(
        psutil, "disk_partitions", lambda all: [*mounts, root] if all else list(mounts)
    )
    answer = succeeded("getDiskSpace")
    assert [one["mount_point"] for one in answer["disks"]] == ["/", "/data"]


def test_a_mount_over_another_hides_it(mounts):
    mounts.append(Mount("/dev/e", "/", "btrfs", "ro"))
    (one,) = succeeded("getDiskSpace")["disks"]
    assert (one["device"], one["read_only"]) == ("/dev/e", True)


def test_the_disk_of_a_path(tmp_path):
    answer = succeeded("getDiskSpace", path=str(tmp_path))
    (one,) = answer["disks"]
    usage = shutil.disk_usage(tmp_path)
    assert one["total_bytes"] == usage.total
    assert abs(one["free_bytes"] - usage.free) < 2**30
    if one["mount_point"] is not None and os.name == "posix":
        assert os.path.ismount(one["mount_point"])
        assert os.stat(one["mount_point"]).st_dev == os.stat(tmp_path).st_dev


@posix
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("nope", "path_not_found"),
        ("", "path_not_found"),
        ("f/x", "not_a_folder"),
        ("a\0b", "invalid_path"),
        ("\ud800", "invalid_path"),
    ],
    ids=ascii,
)
def test_a_path_that_is_not_there(tmp_path, monkeypatch, path, code):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f").touch()
    failed("getDiskSpace", code, path=path)


@posix
def test_a_path_that_may_not_be_looked_at(tmp_path):
    (tmp_path / "closed").mkdir(0)
    try:
        done = run("getDiskSpace", "closed/x", "--json", cwd=tmp_path, **powerless())
    finally:
        (tmp_path / "closed").chmod(0o700)
    assert conforming(document(done))["error_code"] == "permission_denied"


def test_the_disks_of_this_machine():
    answer = conforming(document(run("getDiskSpace", "--json")))
    assert answer["count"] == len(answer["disks"]) >= 1
    done = run("getDiskSpace")
    assert done.status == 0
    assert done.out.startswith(b"MOUNT POINT")
    assert len(done.out.splitlines()) == answer["count"] + 1


# -- listProcesses ------------------------------------------------------------


def test_this_process_is_among_them():
    answer = succeeded("listProcesses", max_results=100_000)
    (own,) = [one for one in answer["processes"] if one["pid"] == os.getpid()]
    assert own["ppid"] == os.getppid()
    assert own["memory_bytes"] > 2**20
    assert own["cpu_seconds"] > 0
    assert own["user"] == psutil.Process().username()
    started = datetime.fromisoformat(own["started"])
    assert timedelta() < datetime.now(UTC) - started < timedelta(hours=2)
    assert "command_line" not in own
    assert answer["count"] == answer["matched"] == len(answer["processes"])
    assert [one["pid"] for one in answer["processes"]] == sorted(
        one["pid"] for one in answer["processes"]
    )


SECRET = "a-secret-that-nobody-should-see"


@pytest.fixture
def child():
    """A process with a secret in its arguments and in its environment."""
    code = "import sys, time; print(flush=True); time.sleep(60)"
    environment = {**os.environ, "SECRET": SECRET}
    with subprocess.Popen(
        [sys.executable, "-c", code, SECRET], env=environment, stdout=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        yield process
        process.kill()


def test_command_lines_are_told_only_if_asked_for(child):
    quiet = run("listProcesses", "--max-results", "100000", "--json")
    assert SECRET.encode() not in quiet.out
    assert SECRET not in run("listProcesses", "--max-results", "100000").out.decode()
    told = run("listProcesses", "--max-results", "100000", "--command-line", "--json")
    (one,) = [one for one in conforming(document(told))["processes"] if one["pid"] == child.pid]
    assert one["command_line"][-1] == SECRET
    assert str(told.out).count(SECRET) == 1
    assert SECRET.encode() in run("listProcesses", "--max-results", "100000", "--command-line").out


class Fake:
    """A process as psutil has it. What is an exception is raised."""

    def __init__(self, pid, **facts):
        memory, cpu = namedtuple("M", "rss"), namedtuple("C", "user system")
        self.facts = {
            "name": f"p{pid}",
            "ppid": 1,
            "status": "sleeping",
            "username": "ada",
            "memory_info": memory(1000 - pid),
            "cpu_times": cpu(0.5, pid),
            "create_time": 1e9 + pid,
            "cmdline": [f"p{pid}", "x"],
            **facts,
        }

    def oneshot(self):
        from contextlib import nullcontext

        return nullcontext()

    def __getattr__(self, fact):
        def tell():
            value = self.facts[fact]
            if isinstance(value, Exception):
                raise value
            return value

        return tell


@pytest.fixture
def processes(monkeypatch):
    """A function that sets which processes there are."""

    def are(**facts):
        table = {int(name[1:]): given for name, given in facts.items()}

        def process(pid):
            if isinstance(table[pid], Exception):
                raise table[pid]
            return Fake(pid, **table[pid])

        monkeypatch.setattr(psutil, "pids", lambda: list(table))
        monkeypatch.setattr(psutil, "Process", process)

    return are


def pids(**arguments):
    return [one["pid"] for one in succeeded("listProcesses", **arguments)["processes"]]


def test_what_is_told(processes):
    processes(p7={})
    answer = succeeded("listProcesses", command_line=True)
    assert answer["processes"] == [
        {
            "pid": 7,
            "ppid": 1,
            "name": "p7",
            "status": "sleeping",
            "user": "ada",
            "memory_bytes": 993,
            "cpu_seconds": 7.5,
            "started": "2001-09-09T01:46:47.000000Z",
            "command_line": ["p7", "x"],
        }
    ]
    assert answer["message"] == "Listed 1 process."
    assert (answer["partial"], answer["truncated"], answer["warnings"]) == (False, False, [])


def test_one_that_ends_meanwhile(processes):
    processes(p1={}, p2=psutil.NoSuchProcess(2), p3={"memory_info": psutil.NoSuchProcess(3)})
    answer = succeeded("listProcesses")
    assert [one["pid"] for one in answer["processes"]] == [1]
    assert answer["scanned"] == {"processes": 3, "ended": 2, "incomplete": 0}
    assert answer["partial"] is False
    assert answer["warnings"] == ["2 processes ended meanwhile."]


def test_one_that_forbids_access(processes):
    denied = psutil.AccessDenied(2)
    processes(p1={}, p2={"memory_info": denied, "username": OSError(5, "Input/output error")})
    answer = succeeded("listProcesses")
    assert answer["processes"][1]["memory_bytes"] is None
    assert answer["processes"][1]["user"] is None
    assert answer["processes"][1]["name"] == "p2"
    assert answer["partial"] is True
    assert answer["warnings"] == ["This process does not let everything be seen: 2."]
    assert answer["message"] == "Listed 2 processes; some did not tell everything."


def test_one_that_forbids_everything(processes):
    denied = psutil.AccessDenied(2)
    facts = dict.fromkeys(Fake(2).facts, denied)
    processes(p1={}, p2=facts, p3=denied)
    answer = succeeded("listProcesses", command_line=True)
    assert [one["pid"] for one in answer["processes"]] == [1, 2, 3]
    assert {name for name, value in answer["processes"][1].items() if value is not None} == {"pid"}
    assert {name for name, value in answer["processes"][2].items() if value is not None} == {"pid"}
    answer = succeeded("listProcesses", name="p")
    assert [one["pid"] for one in answer["processes"]] == [1]
    assert answer["partial"] is True  # The name that is not known could be one.


def test_a_zombie(processes):
    gone = psutil.ZombieProcess(2)
    processes(p2={"status": "zombie", "memory_info": gone, "cmdline": gone})
    answer = succeeded("listProcesses", command_line=True)
    assert answer["processes"][0]["status"] == "zombie"
    assert answer["processes"][0]["command_line"] is None
    assert (answer["partial"], answer["warnings"]) == (False, [])


def test_many_that_forbid_access_are_one_warning(processes):
    processes(**{f"p{pid}": {"memory_info": psutil.AccessDenied(pid)} for pid in range(1, 31)})
    (warning,) = succeeded("listProcesses")["warnings"]
    assert warning.endswith("8, 9, 10 and 20 more.")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, [1, 2, 3]),
        ({"reverse": True}, [3, 2, 1]),
        ({"sort": "memory"}, [3, 1, 2]),
        ({"sort": "memory", "reverse": True}, [1, 3, 2]),
        ({"sort": "cpu"}, [1, 2, 3]),
        ({"sort": "started", "reverse": True}, [3, 2, 1]),
        ({"sort": "name"}, [3, 1, 2]),
        ({"name": "P"}, [1, 2]),
        ({"name": "nope"}, []),
        ({"max_results": 2}, [1, 2]),
        ({"sort": "name", "max_results": 1, "reverse": True}, [2]),
    ],
    ids=str,
)
def test_choice_and_order(processes, arguments, expected):
    processes(p1={}, p2={"memory_info": psutil.AccessDenied(2)}, p3={"name": "bash"})
    assert pids(**arguments) == expected


def test_more_than_are_listed(processes):
    processes(p1={}, p2={}, p3={})
    answer = succeeded("listProcesses", max_results=2)
    assert (answer["count"], answer["matched"], answer["truncated"]) == (2, 3, True)
    assert "--max-results" in answer["warnings"][0]
    assert answer["message"] == "Listed 2 of 3 processes."


def test_names_that_are_not_text(processes):
    processes(p1={"name": "a\udcff\n\x1b[31m", "cmdline": ["\udcff", "\n"], "username": "\udcff"})
    (one,) = succeeded("listProcesses", command_line=True)["processes"]
    assert (one["name"], one["user"]) == ("a\\xff\n\x1b[31m", "\\xff")
    text = list_processes._human({"processes": [one]})
    assert text.count("\n") == 2


@linux
def test_a_process_that_is_really_a_zombie():
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        while psutil.Process(process.pid).status() != psutil.STATUS_ZOMBIE:
            pass
        (one,) = [
            one
            for one in succeeded("listProcesses", max_results=100_000, command_line=True)[
                "processes"
            ]
            if one["pid"] == process.pid
        ]
    assert one["status"] == "zombie"


def test_as_text():
    done = run("listProcesses", "--max-results", "3")
    assert done.status == 0
    head, *lines = done.out.decode().splitlines()
    assert head.split()[:4] == ["PID", "PPID", "USER", "STATUS"]
    assert len(lines) <= 3
    assert "STARTED" in head
