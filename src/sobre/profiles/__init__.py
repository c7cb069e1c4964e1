"""Profiles: what each way of carrying a result adds to the core."""

from __future__ import annotations

from ..contract.findings import Finding, violations
from ..json_text import MAX_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Every profile that evidence can be judged by -> the MCP revision it is for, if any.
PROFILES: dict[str, str | None] = {
    "core": None,
    "mcp-2025-06-18": "2025-06-18",
    "mcp-2025-11-25": "2025-11-25",
    "mcp-2026-07-28": "2026-07-28",
}


class Judgement:
    """What a profile found in the bytes of one completed result.

    `document` is the value that was read, or None if reading failed. `success`
    is the outcome it states, or None if it states none. `facts` are what the
    profile records of it (`profile_facts` of a receipt, section 5).
    """

    __slots__ = ("document", "facts", "findings", "success")

    def __init__(
        self,
        document: Any,
        findings: list[Finding],
        success: object = None,
        facts: dict[str, Any] | None = None,
    ) -> None:
        self.document = document
        self.findings = findings
        self.success = success if success is True or success is False else None
        self.facts = facts or {}

    @property
    def conformant(self) -> bool:
        """Whether no finding is a violation."""
        return not self.findings or not violations(self.findings)


def facts_before(profile: str) -> dict[str, Any]:
    """The `profile_facts` of a result that could not be read."""
    revision = PROFILES[profile]
    if revision is None:
        return {}
    from .mcp import facts_before as mcp_facts_before

    return mcp_facts_before(revision)


def judge(profile: str, data: bytes, *, max_bytes: int = MAX_BYTES) -> Judgement:
    """Judge one result's bytes by a profile of `PROFILES`. Raises `ValueError` for another name."""
    if profile not in PROFILES:
        raise ValueError(f"there is no profile {profile!r}; choose from {', '.join(PROFILES)}")
    revision = PROFILES[profile]
    if revision is None:
        from .core import judge as judge_core

        return judge_core(data, max_bytes=max_bytes)
    from .mcp import judge as judge_mcp

    return judge_mcp(revision, data, max_bytes=max_bytes)
