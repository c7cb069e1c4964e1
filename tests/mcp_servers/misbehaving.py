"""An MCP server in which something is wrong with each tool: `misbehaving.py [--http] [TOOL...]`.

It is written by hand because no SDK would let these answers out. It speaks the
handshake revisions and the one without, over pipes or HTTP (JSON answers).
"""

from __future__ import annotations

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HANDSHAKE = ("2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
ME = {"name": "misbehaving", "version": "1"}

STRICT = {
    "type": "object",
    "properties": {"celsius": {"type": "number"}, "place": {"type": "string"}},
    "required": ["celsius", "place"],
    "additionalProperties": False,
}


def answer(text, structured=None, is_error=None):
    result = {"content": [{"type": "text", "text": text}]}
    if structured is not None:
        result["structuredContent"] = structured
    if is_error is not None:
        result["isError"] = is_error
    return result


def crash():
    os._exit(3)


def chatty():
    log("INFO a line that is no message")
    return answer("Done.")


def log(line):
    """Write to standard output, where over pipes only messages may be."""
    print(line, flush=True)


WARM = {"celsius": 21.5, "place": "Lima"}
LOST = {"error": "station not found"}
DANGLING = {"type": "object", "$ref": "#/$defs/absent"}
FAR = {"type": "object", "$ref": "https://example.invalid/far.schema.json"}
UNTYPED = {key: value for key, value in STRICT.items() if key != "type"}

#: Name -> output schema, and the result of a call (None: it never answers).
TOOLS = {
    "fine": (STRICT, lambda: answer("21.5 in Lima", WARM)),
    "errorTextAsSuccess": (None, lambda: answer("Error: station not found")),
    "errorObject": (STRICT, lambda: answer("station not found", LOST, True)),
    "errorObjectAsSuccess": (STRICT, lambda: answer("station not found", LOST, False)),
    "schemaWithoutType": (UNTYPED, lambda: answer("21.5 in Lima", WARM)),
    "danglingReference": (DANGLING, lambda: answer("21.5 in Lima", WARM)),
    "farReference": (FAR, lambda: answer("21.5 in Lima", WARM)),
    "missingField": (STRICT, lambda: answer("21.5", {"celsius": 21.5})),
    "noStructuredContent": (STRICT, lambda: answer("21.5 in Lima")),
    "crash": (None, crash),
    "silent": (None, lambda: None),
    "chatty": (None, chatty),
}


class Refused(Exception):
    def __init__(self, code, message, **data):
        self.error = {"code": code, "message": message} | ({"data": data} if data else {})


def respond(names, message):
    """The response to one message, or None if none is due."""
    if "id" not in message or "method" not in message:
        return None
    head = {"jsonrpc": "2.0", "id": message["id"]}
    try:
        result = handle(names, message["method"], message.get("params") or {})
    except Refused as refused:
        return head | {"error": refused.error}
    return None if result is None else head | {"result": result}


def handle(names, method, params):
    version = params.get("_meta", {}).get(VERSION_KEY)
    if version not in (None, MODERN):
        raise Refused(-32022, "unsupported revision", supported=[MODERN], requested=version)
    if method == "tools/call":
        name = params.get("name")
        if name not in names:
            raise Refused(-32602, f"Unknown tool: {name}")
        result = TOOLS[name][1]()
        return result and result | complete(version)
    if method == "tools/list":
        listed = {"tools": [definition(name) for name in names]}
        return listed | complete(version) | lasting(version)
    if method == "server/discover" and version:
        offer = {"supportedVersions": [MODERN], "capabilities": {"tools": {}}}
        return offer | complete(version) | lasting(version)
    if method == "initialize" and not version:
        wanted = params.get("protocolVersion")
        chosen = wanted if wanted in HANDSHAKE else HANDSHAKE[-1]
        return {"protocolVersion": chosen, "capabilities": {"tools": {}}, "serverInfo": ME}
    if method == "ping" and not version:
        return {}
    raise Refused(-32601, f"Unknown method: {method}")


def definition(name):
    tool = {"name": name, "inputSchema": {"type": "object"}}
    schema = TOOLS[name][0]
    return tool if schema is None else tool | {"outputSchema": schema}


def complete(version):
    return {"resultType": "complete"} if version else {}


def lasting(version):
    return {"ttlMs": 0, "cacheScope": "private"} if version else {}


def serve_pipes(names):
    for line in sys.stdin.buffer:
        response = respond(names, json.loads(line))
        if response is not None:
            print(json.dumps(response), flush=True)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    names = ()

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        response = respond(self.names, message)
        if response is None and "id" in message and "method" in message:
            threading.Event().wait()  # Never; the thread ends with the process.
        if response is None:
            self.reply(202, b"")
        else:
            self.reply(200, json.dumps(response).encode())

    def do_GET(self):
        self.reply(405, b"")

    do_DELETE = do_GET

    def reply(self, status, body):
        self.send_response(status)
        if body:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


def serve_http(names):
    Handler.names = names
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(f"misbehaving: http://127.0.0.1:{server.server_port}/mcp", file=sys.stderr, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    words = sys.argv[1:]
    chosen = [word for word in words if word != "--http"] or list(TOOLS)
    serve_http(chosen) if "--http" in words else serve_pipes(chosen)
