"""The requests of a client, in the form that each revision has for them."""

from __future__ import annotations

import base64
import re
from typing import Any

from ... import __version__
from ...json_write import compact

#: The revisions that are asked for, the oldest first.
REVISIONS = ("2025-06-18", "2025-11-25", "2026-07-28")
#: Those in which every request carries its own envelope, and there is no handshake.
ENVELOPED = frozenset(("2026-07-28",))

_META = "io.modelcontextprotocol/"
_CLIENT = {"name": "sobre-probe", "version": __version__}
# What a field value may hold as it is (RFC 9110, section 5.5).
_PLAIN = re.compile(r"(?!=\?)[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}")


class Request:
    """A message of ours: `data` is one line of JSON, `headers` those that HTTP adds to it.

    `id` is None for a notification or a reply.
    """

    __slots__ = ("data", "headers", "id", "method")

    def __init__(self, message: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        self.data = compact(message)
        self.headers = headers or {}
        self.id = message.get("id") if "method" in message else None
        self.method = message.get("method", "a reply")


class Speech:
    """Makes the messages of one session, each request with an id of its own."""

    def __init__(self, revision: str) -> None:
        self.revision = revision
        self.enveloped = revision in ENVELOPED
        self._last = 0
        self._greeted = False

    def opening(self) -> Request:
        """The request that a session begins with."""
        if self.enveloped:
            return self.request("server/discover", {})
        params = {"protocolVersion": self.revision, "capabilities": {}, "clientInfo": _CLIENT}
        opening = self.request("initialize", params)
        self._greeted = True
        return opening

    def initialized(self) -> Request | None:
        """What tells the server that the handshake is over, if there is one."""
        if self.enveloped:
            return None
        method = "notifications/initialized"
        return Request({"jsonrpc": "2.0", "method": method}, self._headers(method, {}, {}))

    def request(self, method: str, params: dict[str, Any], input_schema: Any = None) -> Request:
        """A request. `input_schema` is that of the tool, if it is a call of one."""
        self._last += 1
        if self.enveloped:
            meta = {"protocolVersion": self.revision, "clientInfo": _CLIENT}
            meta["clientCapabilities"] = {}
            params = {**params, "_meta": {_META + name: meta[name] for name in meta}}
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": self._last, "method": method}
        if params:
            message["params"] = params
        return Request(message, self._headers(method, params, input_schema))

    def reply(self, asked: dict[str, Any]) -> Request:
        """The answer to a request of the server's: it gets its ping, and nothing else."""
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": asked.get("id")}
        if asked.get("method") == "ping":
            answer["result"] = {}
        else:
            answer["error"] = {"code": -32601, "message": "A probe has no such method."}
        return Request(answer, self._headers("", {}, {}))

    def _headers(self, method: str, params: dict[str, Any], schema: Any) -> dict[str, str]:
        if not self.enveloped:
            return {"MCP-Protocol-Version": self.revision} if self._greeted else {}
        headers = {"MCP-Protocol-Version": self.revision, "Mcp-Method": method}
        if method == "tools/call":
            headers["Mcp-Name"] = field_value(params["name"])
            headers.update(_parameter_headers(schema, params.get("arguments")))
        return headers


def field_value(text: str) -> str:
    """Text as the value of a header of 2026-07-28: as it is, or in the form for any text."""
    if _PLAIN.fullmatch(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode()}?="


def _parameter_headers(schema: Any, arguments: Any) -> dict[str, str]:
    """The `Mcp-Param-` headers for the arguments that a tool's schema marks."""
    found: dict[str, str] = {}
    todo = [(schema, arguments)]
    while todo:
        schema, value = todo.pop()
        properties = schema.get("properties") if isinstance(schema, dict) else None
        if not isinstance(properties, dict) or not isinstance(value, dict):
            continue
        for name, inner in properties.items():
            if not isinstance(inner, dict) or value.get(name) is None:
                continue
            todo.append((inner, value[name]))
            mark, given = inner.get("x-mcp-header"), value[name]
            if isinstance(mark, str) and _TOKEN.fullmatch(mark):
                if isinstance(given, bool):
                    given = str(given).lower()
                if isinstance(given, (str, int)):
                    found[f"Mcp-Param-{mark}"] = field_value(str(given))
    return found
