"""What the MCP profiles say of an answer that was mapped."""

from __future__ import annotations

from sobre.contract.findings import violations
from sobre.json_write import compact
from sobre.profiles import PROFILES, judge

MCP = [profile for profile, revision in PROFILES.items() if revision]


def findings(answer, revision):
    """What the profile of a revision finds in an answer, as it goes over the wire."""
    if revision == "mcp-2026-07-28":
        answer = {**answer, "resultType": "complete"}
    response = {"jsonrpc": "2.0", "id": 1, "result": answer}
    return judge(revision, compact(response)).findings


def conforming(answer):
    """The result in an answer, which conforms in each revision of the protocol."""
    for revision in MCP:
        assert violations(findings(answer, revision)) == []
    return answer["structuredContent"]
