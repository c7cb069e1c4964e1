"""A server of the official SDK that uses what a proxy must not lose."""

import os
import sys

import anyio
import mcp_types as types
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.prompts.base import UserMessage
from pydantic import BaseModel

server = MCPServer("talkative", instructions="Be rich.", log_level="CRITICAL")


class Name(BaseModel):
    name: str


@server.tool()
async def count(ctx: Context) -> str:
    for step in range(1, 6):
        await ctx.report_progress(step, 5, f"step {step}")
    return "counted"


@server.tool()
async def log(ctx: Context) -> str:
    await ctx.session.send_log_message("info", "a line", related_request_id=ctx.request_id)
    return "logged"


@server.tool()
async def ask(ctx: Context) -> str:
    answer = await ctx.elicit("Your name?", Name)
    return f"{answer.action} {answer.data.name}"


@server.tool()
async def sample(ctx: Context) -> str:
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text="Hi"))
    answer = await ctx.session.create_message(
        messages=[message], max_tokens=5, related_request_id=ctx.request_id
    )
    return answer.content.text


@server.tool()
def leave() -> str:
    os._exit(3)


@server.tool()
async def wait() -> str:
    try:
        print("waiting", file=sys.stderr, flush=True)
        await anyio.sleep_forever()
    finally:
        print("freed", file=sys.stderr, flush=True)


@server.tool()
def process() -> int:
    return os.getpid()


@server.tool()
def variable(name: str) -> str:
    return os.environ.get(name, "")


@server.tool()
def large(size: int) -> str:
    return "\u00e9" * size


@server.tool()
def fail() -> str:
    raise ValueError("what only the server may know")


@server.tool()
async def more(ctx: Context) -> str:
    server.add_tool(fail, name="fail_too")
    await ctx.session.send_tool_list_changed()
    return "added"


@server.resource("data://one", mime_type="application/octet-stream")
def one() -> bytes:
    return b"\x00\xff"


@server.resource("data://{name}")
def named(name: str) -> str:
    return f"the data of {name}"


@server.prompt()
def greet(name: str) -> list[UserMessage]:
    return [UserMessage(f"Greet {name}.")]


server.run()
