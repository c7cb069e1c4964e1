"""What the official conformance suite calls on a server, as far as a proxy relays it.

The suite looks for these names and answers. It stands behind `sobre proxy`, so
that the suite sees whether a proxy in front changes what it must not change.
"""

from __future__ import annotations

import base64
import sys

from mcp.server.mcpserver import Audio, Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import (
    Completion,
    EmbeddedResource,
    ImageContent,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
    TextResourceContents,
)
from pydantic import BaseModel

server = MCPServer("everything")

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
WAV = (
    b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0"
)


def embedded(uri, text, mime_type="text/plain"):
    contents = TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    return EmbeddedResource(type="resource", resource=contents)


def image():
    data = base64.b64encode(PNG).decode()
    return ImageContent(type="image", data=data, mime_type="image/png")


@server.tool()
def test_simple_text() -> str:
    """Test simple text."""
    return "This is a simple text response for testing."


@server.tool(structured_output=False)
def test_image_content() -> Image:
    """Test image content."""
    return Image(data=PNG, format="png")


@server.tool(structured_output=False)
def test_audio_content() -> Audio:
    """Test audio content."""
    return Audio(data=WAV, format="wav")


@server.tool(structured_output=False)
def test_embedded_resource() -> EmbeddedResource:
    """Test embedded resource."""
    return embedded("test://embedded-resource", "This is an embedded resource content.")


@server.tool(structured_output=False)
def test_multiple_content_types() -> list:
    """Test multiple content types."""
    text = TextContent(type="text", text="Multiple content types test:")
    data = '{"test":"data","value":123}'
    return [text, image(), embedded("test://mixed-content-resource", data, "application/json")]


@server.tool()
def test_error_handling() -> str:
    """Test error handling."""
    raise ToolError("This tool intentionally returns an error for testing")


@server.tool()
async def test_tool_with_logging(ctx: Context) -> str:
    """Test tool with logging."""
    for text in ("started", "processing data", "execution completed"):
        await ctx.info(f"Tool {text}")
    return "It logged three times."


@server.tool()
async def test_tool_with_progress(ctx: Context) -> str:
    """Test tool with progress."""
    for done in (0, 50, 100):
        await ctx.report_progress(done, 100)
    return "It reported three times."


@server.tool()
async def test_sampling(prompt: str, ctx: Context) -> str:
    """Test sampling."""
    question = SamplingMessage(role="user", content=TextContent(type="text", text=prompt))
    answer = await ctx.session.create_message([question], max_tokens=100)
    return f"LLM response: {answer.content.text}"


NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
FRANCE = {"role": "user", "content": {"type": "text", "text": "What is the capital of France?"}}


def once_more(ctx, name, method, params):
    """The client's answer of that name; or, without one, the result that asks for it."""
    answers = ctx.input_responses or {}
    if name in answers:
        return f"Answer: {answers[name].model_dump_json(by_alias=True)}"
    asked = {"inputRequests": {name: {"method": method, "params": params}}}
    return InputRequiredResult.model_validate(asked)


@server.tool(structured_output=False)
def test_input_required_result_elicitation(ctx: Context) -> str | InputRequiredResult:
    """Ask for a name."""
    form = {"message": "What is your name?", "requestedSchema": NAME}
    return once_more(ctx, "user_name", "elicitation/create", form)


@server.tool(structured_output=False)
def test_input_required_result_sampling(ctx: Context) -> str | InputRequiredResult:
    """Ask a model."""
    question = {"messages": [FRANCE], "maxTokens": 100}
    return once_more(ctx, "capital_question", "sampling/createMessage", question)


@server.tool(structured_output=False)
def test_input_required_result_list_roots(ctx: Context) -> str | InputRequiredResult:
    """Ask for the client's roots."""
    return once_more(ctx, "client_roots", "roots/list", {})


class User(BaseModel):
    username: str
    email: str


@server.tool()
async def test_elicitation(message: str, ctx: Context) -> str:
    """Test elicitation."""
    answer = await ctx.elicit(message, User)
    return f"User response: {answer.action}"


@server.resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    return "This is the content of the static text resource."


@server.resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    return PNG


@server.resource("test://template/{id}/data", mime_type="application/json")
def template(id: str) -> str:
    return f'{{"id":"{id}","templateTest":true,"data":"Data for ID: {id}"}}'


@server.prompt()
def test_simple_prompt() -> str:
    """Test simple prompt."""
    return "This is a simple prompt for testing."


@server.prompt()
def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """Test prompt with arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


@server.prompt()
def test_prompt_with_embedded_resource(resourceUri: str) -> list:
    """Test prompt with embedded resource."""
    return [embedded(resourceUri, "Embedded resource content for testing."), "Please process it."]


@server.prompt()
def test_prompt_with_image() -> list:
    """Test prompt with image."""
    return [image(), "Please analyze the image above."]


@server.completion()
async def complete(reference, argument, context) -> Completion:
    return Completion(values=[], total=0, has_more=False)


if __name__ == "__main__":
    if sys.argv[1:] == ["--http"]:
        from over_http import serve

        serve(server.streamable_http_app())
    else:
        server.run()
