"""The official Python SDK's client: a job on standard input, what its user sees on standard output.

Every client beside this one, and those in tests/node_mcp, take the same job and
give the same document:

    {"transport": "stdio" or "http", "command": [...], "url": "...",
     "revision": "...", "calls": [{"name": "...", "arguments": {...}}, ...]}

    {"revision": what was negotiated, "tools": [...],
     "calls": [{"result": {...}} or {"raised": {"class", "code", "message"}}, ...]}
"""

from __future__ import annotations

import asyncio
import json
import sys

import mcp.client.session
from mcp import Client, MCPError, StdioServerParameters

SECONDS = 30


def pin(revision):
    """Make clients of this SDK offer this revision, and return their `mode`.

    The SDK has no option for an older handshake: it offers the newest revision
    that has one, by this name. A newer revision is found by asking the server.
    """
    if revision not in mcp.client.session.HANDSHAKE_PROTOCOL_VERSIONS:
        return "auto"
    mcp.client.session.LATEST_HANDSHAKE_VERSION = revision
    return "legacy"


def raised(error):
    """An exception as the document tells it."""
    code = error.code if isinstance(error, MCPError) else None
    return {"raised": {"class": type(error).__name__, "code": code, "message": str(error)}}


def seen(model):
    """What a model of the SDK holds, by the names of the protocol."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def talk(job):
    server = job.get("url")
    if job["transport"] == "stdio":
        program, *words = job["command"]
        server = StdioServerParameters(command=program, args=words)
    mode = pin(job["revision"])
    async with Client(server, mode=mode, read_timeout_seconds=SECONDS) as client:
        tools = (await client.list_tools()).tools
        calls = []
        for call in job["calls"]:
            try:
                calls.append(
                    {"result": seen(await client.call_tool(call["name"], call["arguments"]))}
                )
            except Exception as error:  # Whatever it is, its user sees it.
                calls.append(raised(error))
        return {
            "revision": client.protocol_version,
            "tools": [seen(tool) for tool in tools],
            "calls": calls,
        }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(talk(json.load(sys.stdin)))))
