"""getCurrentDateTime: the current local date and time, as text and as typed parts."""

from __future__ import annotations

from ..contract.result import Result, success
from .declaration import Operation, Parameter

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def get_current_date_time(output_format: str = "full") -> Result:
    """The current local date and time; `output` is its text in the chosen format."""
    from datetime import datetime

    now = datetime.now().astimezone()
    day = _DAYS[now.weekday()]
    texts = {
        "full": f"{day}, {now:%Y-%m-%d %H:%M:%S} UTC{now:%z}",
        "simple": f"{now:%Y-%m-%d %H:%M:%S}",
        "iso": now.isoformat(timespec="seconds"),
    }
    return success(
        f"The current local date and time is {texts['simple']}.",
        output=texts[output_format],
        output_format=output_format,
        iso=now.isoformat(timespec="microseconds"),
        date=f"{now:%Y-%m-%d}",
        time=f"{now:%H:%M:%S}",
        weekday=day,
        utc_offset_seconds=int((now.utcoffset() or now - now).total_seconds()),
        unix_seconds=now.timestamp(),
    )


OPERATION = Operation(
    "getCurrentDateTime",
    "the current local date and time",
    (
        Parameter(
            "output_format",
            "how `output` reads: with the day's name, plain, or ISO 8601",
            choices=("full", "simple", "iso"),
            default="full",
        ),
    ),
    get_current_date_time,
)
