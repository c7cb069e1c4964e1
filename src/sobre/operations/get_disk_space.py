"""getDiskSpace: how full the mounted file systems are."""

from __future__ import annotations

import os

from ..contract.result import Result, success
from ..files import reason_of
from .declaration import Operation, Parameter
from .refusals import path_failure
from .texts import columns, counted, plain, size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def get_disk_space(path: str | None = None, all: bool = False) -> Result:
    """The space of the file system that holds a path, or of every one that is mounted.

    One that forbids to be asked makes the result `partial`, with a warning.
    """
    import psutil

    if path is not None:
        return _of_path(path, psutil.disk_partitions(all=True))
    disks, refusals = [], []
    for mount in _mounts(psutil, all):
        try:
            disks.append(_disk(mount.mountpoint, mount))
        except FileNotFoundError:  # It was unmounted meanwhile.
            continue
        except OSError as error:
            refusals.append(f"{plain(mount.mountpoint)} was left out: {reason_of(error)}.")
    told = f"Found {counted(len(disks), 'file system')}"
    return success(
        f"{told}; not all could be asked." if refusals else f"{told}.",
        count=len(disks),
        disks=disks,
        partial=bool(refusals),
        warnings=refusals,
    )


def _mounts(psutil: Any, all: bool) -> list[Any]:
    """What is mounted, in the order of the places. Its root belongs to it, whatever it is."""
    every = psutil.disk_partitions(all=True)
    chosen = every if all else psutil.disk_partitions(all=False)
    if not any(mount.mountpoint == os.sep for mount in chosen):
        chosen = chosen + [mount for mount in every if mount.mountpoint == os.sep][-1:]
    last = {mount.mountpoint: mount for mount in chosen}  # A later mount covers an earlier one.
    return [last[place] for place in sorted(last)]


def _of_path(path: str, mounts: list[Any]) -> Result:
    try:
        os.stat(path)
        real = os.path.realpath(path, strict=True)
        last = {os.path.normcase(mount.mountpoint): mount for mount in mounts}
        place = real
        while os.path.normcase(place) not in last and os.path.dirname(place) != place:
            place = os.path.dirname(place)
        mount = last.get(os.path.normcase(place))
        disk = _disk(real, mount)
    except (OSError, ValueError) as error:
        return path_failure(path, error)
    return success(
        f"{plain(path)}: {_told(disk)}.", count=1, disks=[disk], partial=False, warnings=[]
    )


def _disk(place: str, mount: Any) -> dict[str, Any]:
    """The space of the file system at a place. Raises `OSError`."""
    import psutil

    usage = psutil.disk_usage(place)
    return {
        "mount_point": plain(mount.mountpoint) if mount else None,
        "device": plain(mount.device) if mount else None,
        "file_system": mount.fstype or None if mount else None,
        "read_only": "ro" in mount.opts.split(",") if mount else None,
        "total_bytes": usage.total,
        "used_bytes": usage.used,
        "free_bytes": usage.free,
        "used_percent": usage.percent,
    }


def _told(disk: dict[str, Any]) -> str:
    return f"{size(disk['free_bytes'])} free of {size(disk['total_bytes'])}"


def _human(result: Result) -> str:
    rows = [("MOUNT POINT", "FREE", "TOTAL", "USED", "TYPE", "DEVICE")]
    for disk in result["disks"]:
        rows.append(
            (
                disk["mount_point"] or "?",
                size(disk["free_bytes"]),
                size(disk["total_bytes"]),
                f"{disk['used_percent']:g} %",
                disk["file_system"] or "",
                disk["device"] or "",
            )
        )
    return columns(rows, right=(1, 2, 3))


OPERATION = Operation(
    "getDiskSpace",
    "how full the file systems are",
    (
        Parameter(
            "path",
            "only the file system that holds this file or folder (default: every disk)",
            positional=True,
            path=True,
        ),
        Parameter("all", "list file systems that are no disks, too, such as proc", kind=bool),
    ),
    get_disk_space,
    description="Tell how large, how full and how free the mounted file systems are, in bytes. "
    "`free_bytes` is what an ordinary user can still write. `partial` is true if one could not "
    "be asked (see `warnings`).",
    extra="operations",
    needs="psutil",
    human=_human,
)
