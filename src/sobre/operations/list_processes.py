"""listProcesses: the processes that run, without what may be secret."""

from __future__ import annotations

from ..contract.result import Result, success
from .declaration import Operation, Parameter
from .texts import columns, counted, plain, size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Process = dict[str, Any]

#: Processes that are listed unless the caller sets another limit, and the most there can be.
MAX_RESULTS, MOST_RESULTS = 1_000, 100_000

#: What a list is sorted by -> the field. What is not known comes last.
_SORTS = {
    "pid": "pid",
    "name": "name",
    "memory": "memory_bytes",
    "cpu": "cpu_seconds",
    "started": "started",
}
_FIELDS = ("ppid", "name", "status", "user", "memory_bytes", "cpu_seconds", "started")
_NAMED = 10  # Processes that a warning names, at most.


def list_processes(
    name: str | None = None,
    sort: str = "pid",
    reverse: bool = False,
    max_results: int = MAX_RESULTS,
    command_line: bool = False,
) -> Result:
    """The processes whose name contains a text, or all.

    A process that ends meanwhile is counted; what one does not tell is null,
    and makes the result `partial`.
    """
    import psutil

    processes: list[Process] = []
    ended, incomplete = 0, []
    pids = psutil.pids()
    for pid in pids:
        try:
            process, refused = _process(psutil, pid, name, command_line)
        except psutil.NoSuchProcess:
            ended += 1
            continue
        if process is not None:
            processes.append(process)
        if refused:
            incomplete.append(pid)
    matched = len(processes)
    processes = _sorted(processes, _SORTS[sort], reverse)[:max_results]
    truncated = matched > len(processes)
    listed = f"{len(processes):,} of {matched:,}" if truncated else f"{matched:,}"
    message = f"Listed {listed} {'process' if matched == 1 else 'processes'}"
    return success(
        message + ("; some did not tell everything." if incomplete else "."),
        count=len(processes),
        matched=matched,
        processes=processes,
        scanned={"processes": len(pids), "ended": ended, "incomplete": len(incomplete)},
        partial=bool(incomplete),
        truncated=truncated,
        warnings=_warnings(ended, incomplete, max_results if truncated else None),
    )


def _process(
    psutil: Any, pid: int, name: str | None, command_line: bool
) -> tuple[Process | None, bool]:
    """One process, or None if its name is another, and whether it refused a part.

    Raises `psutil.NoSuchProcess`.
    """
    from .moments import utc

    refused = False

    def ask(what: Callable[[], Any]) -> Any:
        nonlocal refused
        try:
            return what()
        except psutil.ZombieProcess:  # It has ended, and has no such thing any more.
            return None
        except (psutil.AccessDenied, OSError):
            refused = True
            return None

    told: Process = {"pid": pid, **dict.fromkeys(_FIELDS)}
    process = ask(lambda: psutil.Process(pid))
    called = None if process is None else ask(process.name)
    if name is not None and name.casefold() not in (called or "").casefold():
        return None, refused
    if command_line:
        told["command_line"] = None
    if process is None:
        return told, refused
    with process.oneshot():
        memory, cpu = ask(process.memory_info), ask(process.cpu_times)
        started, user = ask(process.create_time), ask(process.username)
        status = ask(process.status)
        told["ppid"] = ask(process.ppid)
        told["name"] = None if called is None else plain(called)
        told["status"] = None if status is None else str(status)
        told["user"] = None if user is None else plain(user)
        told["memory_bytes"] = None if memory is None else memory.rss
        told["cpu_seconds"] = None if cpu is None else round(cpu.user + cpu.system, 3)
        told["started"] = None if started is None else utc(round(started * 1e9))
        if command_line:
            words = ask(process.cmdline)
            told["command_line"] = None if words is None else list(map(plain, words))
    return told, refused


def _sorted(processes: list[Process], field: str, reverse: bool) -> list[Process]:
    known = [process for process in processes if process[field] is not None]
    unknown = [process for process in processes if process[field] is None]
    return sorted(known, key=lambda one: (one[field], one["pid"]), reverse=reverse) + unknown


def _warnings(ended: int, incomplete: list[int], limit: int | None) -> list[str]:
    warnings = []
    if incomplete:
        named = ", ".join(map(str, incomplete[:_NAMED]))
        more = f" and {len(incomplete) - _NAMED:,} more" if len(incomplete) > _NAMED else ""
        noun = "This process does" if len(incomplete) == 1 else "These processes do"
        warnings.append(f"{noun} not let everything be seen: {named}{more}.")
    if ended:
        warnings.append(f"{counted(ended, 'process', 'processes')} ended meanwhile.")
    if limit is not None:
        warnings.append(f"The limit is {counted(limit, 'result')} (--max-results).")
    return warnings


def _human(result: Result) -> str:
    rows = [("PID", "PPID", "USER", "STATUS", "MEMORY", "CPU SECONDS", "STARTED", "NAME")]
    for one in result["processes"]:
        memory, cpu = one["memory_bytes"], one["cpu_seconds"]
        ppid, started = one["ppid"], one["started"]
        words = one.get("command_line")
        rows.append(
            (
                str(one["pid"]),
                "-" if ppid is None else str(ppid),
                one["user"] or "-",
                one["status"] or "-",
                "-" if memory is None else size(memory),
                "-" if cpu is None else f"{cpu:.2f}",
                "-" if started is None else f"{started[:19]}Z",
                " ".join(words) if words else one["name"] or "-",
            )
        )
    return columns(rows, right=(0, 1, 4, 5))


OPERATION = Operation(
    "listProcesses",
    "the processes that run",
    (
        Parameter(
            "name",
            "only processes whose name contains this text, in capital or small letters",
            positional=True,
        ),
        Parameter("sort", "the order of the list", choices=tuple(_SORTS), default="pid"),
        Parameter("reverse", "turn the order round", kind=bool),
        Parameter(
            "max_results",
            "list at most this many, the first in the order",
            kind=int,
            minimum=1,
            maximum=MOST_RESULTS,
            default=MAX_RESULTS,
        ),
        Parameter(
            "command_line",
            "tell the command lines, too; they can hold passwords and other secrets",
            kind=bool,
        ),
    ),
    list_processes,
    description="List the processes that run, with memory, processor time, state and user. "
    "Command lines are left out unless asked for, since they can hold secrets, and environments "
    "always. What a process does not tell is null, and makes the result `partial`.",
    extra="operations",
    needs="psutil",
    human=_human,
)
