"""FastMCP's client: the same job and document as python_sdk.py."""

from __future__ import annotations

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from python_sdk import SECONDS, pin, raised, seen


async def talk(job):
    if job["transport"] == "stdio":
        program, *words = job["command"]
        transport = StdioTransport(program, words, keep_alive=False)
    else:
        transport = StreamableHttpTransport(job["url"])
    async with Client(transport, mode=pin(job["revision"]), timeout=SECONDS) as client:
        tools = await client.list_tools()
        calls = []
        for call in job["calls"]:
            try:
                # A failure is a result here. By default this client makes an exception of it,
                # by its own choice and for every failing tool.
                result = await client.call_tool(
                    call["name"], call["arguments"], raise_on_error=False
                )
            except Exception as error:  # Whatever it is, its user sees it.
                calls.append(raised(error))
                continue
            answer = {
                "content": [seen(block) for block in result.content],
                "structuredContent": result.structured_content,
                "isError": result.is_error,
            }
            calls.append({"result": answer})
        return {
            "revision": client.protocol_version,
            "tools": [seen(tool) for tool in tools],
            "calls": calls,
        }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(talk(json.load(sys.stdin)))))
