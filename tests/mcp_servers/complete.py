"""A server that uses whatever the protocol has, for a proxy to lose: `complete.py [--http]`.

Its tools do what a test asks them, and answer with what they were asked.
"""

from __future__ import annotations

import base64
import os
import sys
import warnings
from pathlib import Path

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError

PAGES = 3
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}

bus = InMemorySubscriptionBus()
state = {"level": None, "subscribed": [], "roots_changed": 0, "kept": None}
tools = {}


def tool(function):
    tools[function.__name__] = function
    return function


def text(value):
    return types.CallToolResult(content=[types.TextContent(type="text", text=str(value))])


def structured(**values):
    return types.CallToolResult(content=[], structured_content=values)


@tool
async def echo(ctx, params, arguments):
    """Arguments and `_meta` as they came, and a `_meta` back."""
    meta = {name: value for name, value in (ctx.meta or {}).items() if "modelcontext" not in name}
    answer = structured(arguments=arguments, meta=meta)
    answer.meta = {"example.com/back": {"deep": [1, None, "\u00e9"]}}
    return answer


@tool
async def steps(ctx, params, arguments):
    for step in range(1, arguments["count"] + 1):
        await ctx.session.report_progress(step, arguments["count"], f"step {step}")
    return text("done")


@tool
async def log(ctx, params, arguments):
    for level in ("debug", "warning"):
        data = {"level": level, "who": arguments.get("who")}
        await ctx.session.send_log_message(
            level, data, "a logger", related_request_id=ctx.request_id
        )
    return text("logged")


@tool
async def log_later(ctx, params, arguments):
    """Log when two such calls are there at the same time."""
    state.setdefault("waiting", []).append(event := anyio.Event())
    if len(state["waiting"]) == 2:
        for other in state.pop("waiting"):
            other.set()
    await event.wait()
    return await log(ctx, params, arguments)


@tool
async def ask(ctx, params, arguments):
    answer = await ctx.session.elicit_form("Your name?", NAME, ctx.request_id)
    return structured(action=answer.action, content=answer.content)


@tool
async def sample(ctx, params, arguments):
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text="Hi"))
    answer = await ctx.session.create_message(
        [message], max_tokens=5, related_request_id=ctx.request_id
    )
    return text(answer.content.text)


@tool
async def roots(ctx, params, arguments):
    answer = await ctx.session.list_roots()
    return structured(roots=[str(root.uri) for root in answer.roots])


@tool
async def input(ctx, params, arguments):
    """What 2026-07-28 has in place of requests from a server: an answer that asks."""
    if params.input_responses is None:
        request = {
            "method": "elicitation/create",
            "params": {"message": "?", "requestedSchema": NAME},
        }
        asked = {"inputRequests": {"name": request}, "requestState": "state \u00e9 1"}
        return types.InputRequiredResult.model_validate(asked)
    answer = params.input_responses["name"].model_dump(mode="json", exclude_none=True)
    return structured(answer=answer, state=params.request_state)


@tool
async def binary(ctx, params, arguments):
    data = base64.b64encode(bytes(range(256))).decode()
    blob = types.BlobResourceContents(uri="data://blob", mime_type="x/y", blob=data)
    return types.CallToolResult(
        content=[
            types.ImageContent(type="image", data=data, mime_type="image/png"),
            types.AudioContent(type="audio", data=data, mime_type="audio/wav"),
            types.EmbeddedResource(type="resource", resource=blob),
            types.ResourceLink(type="resource_link", name="there", uri="data://there"),
        ]
    )


@tool
async def large(ctx, params, arguments):
    return text("\u00e9" * arguments["count"])


@tool
async def wait(ctx, params, arguments):
    """Wait for ever; who cancels it finds that in a file."""
    place = Path(arguments["place"])
    place.write_text("waiting")
    try:
        await anyio.sleep_forever()
    finally:
        place.write_text("freed")


@tool
async def change(ctx, params, arguments):
    """Tell that everything changed, as each era tells it."""
    if ctx.protocol_version >= "2026":
        for event in (ToolsListChanged(), PromptsListChanged(), ResourcesListChanged()):
            await bus.publish(event)
        await bus.publish(ResourceUpdated(uri="data://1"))
    else:
        await ctx.session.send_tool_list_changed()
        await ctx.session.send_prompt_list_changed()
        await ctx.session.send_resource_list_changed()
        for uri in state["subscribed"]:
            await ctx.session.send_resource_updated(uri)
    return text("changed")


@tool
async def keep(ctx, params, arguments):
    """What was kept before, and the process that keeps it."""
    before, state["kept"] = state["kept"], arguments["value"]
    return structured(before=before, process=os.getpid())


@tool
async def tell(ctx, params, arguments):
    return structured(**state)


@tool
async def variable(ctx, params, arguments):
    return structured(value=os.environ.get(arguments["name"]), folder=os.getcwd())


@tool
async def leave(ctx, params, arguments):
    if arguments.get("after_progress"):
        await ctx.session.report_progress(1, 2, "soon")
        await anyio.sleep(0.1)  # So that the step is out before the process is gone.
    os._exit(3)


@tool
async def refuse(ctx, params, arguments):
    """A protocol error, with the code that the SDK gives to a connection that was closed."""
    raise MCPError(code=-32000, message="Not today", data={"why": ["because"]})


def page(params, kind, maker):
    """One of several pages, each with one item."""
    number = int(params.cursor) if params and params.cursor else 1
    return {kind: [maker(number)], "next_cursor": str(number + 1) if number < PAGES else None}


async def list_tools(ctx, params):
    names = list(tools)
    start = int(params.cursor) if params and params.cursor else 0
    end = start + 5
    listed = [types.Tool(name=n, input_schema={"type": "object"}) for n in names[start:end]]
    more = str(end) if end < len(names) else None
    return types.ListToolsResult(tools=listed, next_cursor=more)


async def call_tool(ctx, params):
    if params.name not in tools:
        raise MCPError(code=types.INVALID_PARAMS, message=f"no tool {params.name}")
    return await tools[params.name](ctx, params, params.arguments or {})


async def list_resources(ctx, params):
    def maker(number):
        return types.Resource(uri=f"data://{number}", name=f"resource {number}", size=number)

    return types.ListResourcesResult(**page(params, "resources", maker))


async def list_templates(ctx, params):
    def maker(number):
        return types.ResourceTemplate(uri_template=f"data://{number}/{{name}}", name=f"t{number}")

    return types.ListResourceTemplatesResult(**page(params, "resource_templates", maker))


async def read_resource(ctx, params):
    if params.uri == "data://none":
        raise MCPError(code=-32602, message="Resource not found", data={"uri": params.uri})
    blob = base64.b64encode(b"\x00\xff").decode()
    return types.ReadResourceResult(
        contents=[
            types.TextResourceContents(uri=params.uri, text="text \U0001f600"),
            types.BlobResourceContents(uri=params.uri, blob=blob, mime_type="x/y"),
        ],
        _meta={"example.com/read": 1},
    )


async def list_prompts(ctx, params):
    def maker(number):
        return types.Prompt(name=f"prompt {number}", title="\u00e9")

    return types.ListPromptsResult(**page(params, "prompts", maker))


async def get_prompt(ctx, params):
    told = types.TextContent(type="text", text=f"{params.name} {params.arguments}")
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=told)])


async def complete(ctx, params):
    values = [params.argument.value + end for end in "ab"]
    return types.CompleteResult(completion=types.Completion(values=values, total=7, has_more=True))


async def subscribe(ctx, params):
    state["subscribed"].append(str(params.uri))
    return types.EmptyResult()


async def unsubscribe(ctx, params):
    state["subscribed"].remove(str(params.uri))
    return types.EmptyResult()


async def set_level(ctx, params):
    state["level"] = params.level
    return types.EmptyResult()


async def roots_changed(ctx, params):
    state["roots_changed"] += 1


def make():
    warnings.simplefilter("ignore")  # Some of it is deprecated, and passes all the same.
    return Server(
        "complete",
        version="7",
        instructions="Lose nothing.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
        on_subscribe_resource=subscribe,
        on_unsubscribe_resource=unsubscribe,
        on_set_logging_level=set_level,
        on_roots_list_changed=roots_changed,
        on_subscriptions_listen=ListenHandler(bus),
    )


async def pipes():
    from mcp.server.stdio import stdio_server

    server = make()
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    if sys.argv[1:2] == ["--http"]:
        from over_http import serve

        serve(make().streamable_http_app())
    else:
        anyio.run(pipes)
