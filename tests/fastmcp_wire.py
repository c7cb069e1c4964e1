"""Servers of both SDKs asked over HTTP without a network, so that the very bytes can be judged."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager

import httpx2

from sobre.contract.findings import violations
from sobre.profiles.mcp import judge, judge_tool_definition

REVISIONS = ("2025-06-18", "2025-11-25", "2026-07-28")

_ENVELOPE = {
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}


def run(main):
    """The outcome of an async function that takes nothing, if it comes within a minute."""

    async def bounded():
        async with asyncio.timeout(60):
            return await main()

    return asyncio.run(bounded())


@asynccontextmanager
async def wire(server, revision):
    """A function that asks a server for a method and gives the bytes of the answer."""
    app_of = server.http_app if hasattr(server, "http_app") else server.streamable_http_app
    app = app_of(stateless_http=True, json_response=True)
    async with app.router.lifespan_context(app):
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://127.0.0.1:8000"
        ) as http:

            async def ask(method, **params):
                headers = {
                    "accept": "application/json, text/event-stream",
                    "mcp-protocol-version": revision,
                    "mcp-method": method,
                    "mcp-name": str(params.get("name", "")),
                }
                if revision == "2026-07-28":
                    envelope = {**_ENVELOPE, "io.modelcontextprotocol/protocolVersion": revision}
                    params["_meta"] = {**envelope, **params.get("_meta", {})}
                message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
                return (await http.post("/mcp", json=message, headers=headers)).content

            yield ask


async def called(ask, name, **arguments):
    """The bytes that answer a call."""
    return await ask("tools/call", name=name, arguments=arguments)


async def listed(ask):
    """The tools of a server by their names, all pages."""
    tools, cursor = {}, {}
    while cursor is not None:
        result = json.loads(await ask("tools/list", **cursor))["result"]
        tools.update((tool["name"], tool) for tool in result["tools"])
        cursor = {"cursor": result["nextCursor"]} if "nextCursor" in result else None
    return tools


def judged(revision, data):
    """The result in an answer, which conforms and gives no cause for a warning."""
    judgement = judge(revision, data)
    assert judgement.findings == [], data
    result = judgement.document["result"]
    echoes = [b for b in result["content"] if _says(b, result["structuredContent"])]
    assert len(echoes) == 1
    return result


def judged_tool(tool):
    """The output schema of a tool definition, which conforms and breaks no client."""
    judgement = judge_tool_definition(json.dumps(tool).encode())
    assert judgement.findings == []
    assert judgement.facts["output_schema_mode"] == "canonical_ref"
    assert not violations(judgement.findings)
    return tool["outputSchema"]


def _says(block, structured):
    try:
        return block["type"] == "text" and json.loads(block["text"]) == structured
    except ValueError:
        return False
