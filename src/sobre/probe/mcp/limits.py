"""The bounds of a probe. What is probed may hang, flood, or never come to an end."""

from __future__ import annotations

from time import monotonic

#: Seconds that a probe may take unless --timeout says another number.
PROBE_SECONDS = 60.0
#: Most bytes of one message, unless --max-bytes says another number.
MESSAGE_BYTES = 2 * 1024 * 1024
#: Most bytes that are read in one session, as a multiple of those of one message.
SESSION_MESSAGES = 8
#: Most messages that wait to be looked at; then the server has to wait.
PENDING = 256
#: Most events of one kind in a session that are told one by one.
EVENTS_EACH = 5
#: Most pages of a list of tools, and most tools that are judged.
MAX_PAGES, MAX_TOOLS = 100, 1000
#: Most requests of the server's own that are answered in a session.
MAX_REPLIES = 100
#: Bytes of standard error that are kept: the last ones.
STDERR_BYTES = 8192
#: Seconds that a server gets to end after its input was closed.
GRACE_SECONDS = 2.0
#: Seconds of a probe's time, and the most of it, that judging may take.
JUDGING_SECONDS, JUDGING_SHARE = 5.0, 0.25
#: Seconds that one schema, with one value, may take a validator.
TRIAL_SECONDS = 2.0
#: Bytes of memory of the process in which schemas are tried, where the system can bound it.
TRIAL_MEMORY = 256 * 1024 * 1024
#: Most redirects within the origin that one request follows.
REDIRECTS = 3


class Clock:
    """A time that is up at `deadline`, and shares of what is left of it."""

    __slots__ = ("deadline",)

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline

    @classmethod
    def of(cls, seconds: float) -> Clock:
        """A time of so many seconds from now."""
        return cls(monotonic() + seconds)

    @property
    def left(self) -> float:
        """The seconds that are left, not below 0."""
        return max(0.0, self.deadline - monotonic())

    def share(self, parts: float) -> Clock:
        """One of so many equal parts of what is left, from now."""
        return Clock(monotonic() + self.left / parts)
