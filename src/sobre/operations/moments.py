"""Moments of the system as ISO 8601, and back: nanoseconds since 1970 in between."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)


def utc(nanoseconds: int) -> str | None:
    """A moment in ISO 8601, in UTC and to the microsecond; None beyond the calendar."""
    try:
        moment = _EPOCH + timedelta(microseconds=nanoseconds // 1000)
    except OverflowError:
        return None
    return moment.isoformat(timespec="microseconds") + "Z"


def nanoseconds(text: str) -> int:
    """A moment in ISO 8601; without an offset it is local time.

    A date alone is the moment at which it begins. Raises `ValueError` if it is
    no such text.
    """
    try:
        moment = datetime.fromisoformat(text).astimezone(UTC)
    except (OverflowError, OSError):
        raise ValueError("the moment is beyond the calendar") from None
    return (moment.replace(tzinfo=None) - _EPOCH) // _MICROSECOND * 1000
