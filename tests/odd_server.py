"""An MCP server made by hand that can do one thing wrong, over stdio and over HTTP.

Without a fault it is a good one in all three revisions. A fault is a name; some
are about messages and show over both transports, some about one transport.
`python odd_server.py FAULT...` serves standard input and output; `serving` is
the same behind a loopback URL.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from sobre.contract.compose import tool_output_schema

REVISIONS = ("2025-06-18", "2025-11-25", "2026-07-28")
META = "io.modelcontextprotocol/"
SECRET = "hunter2-hunter2"
TREE = {"type": "object", "properties": {"inner": {"$ref": "#"}}}
#: Fault -> what the definition of the tool is changed by.
DEFINITIONS = {
    "no output schema": {"outputSchema": None},
    "no root type": {"outputSchema": {"$ref": "#/$defs/x", "$defs": {"x": {"type": "object"}}}},
    "unresolved reference": {"outputSchema": {"type": "object", "$ref": "#/$defs/missing"}},
    "recursive": {"outputSchema": TREE},
    "recursive without end": {"outputSchema": {"type": "object", "allOf": [{"$ref": "#"}]}},
    "invalid schema": {"outputSchema": {"type": "objekt"}},
    "unknown dialect": {"outputSchema": {"type": "object", "$schema": "https://x.example/y"}},
    "failures refused": {"outputSchema": {"type": "object", "required": ["temperature"]}},
    "catastrophic pattern": {
        "outputSchema": {
            "type": "object",
            "properties": {"message": {"pattern": "^((((((.+)+)+)+)+)+)+!$"}},
        }
    },
    "name with space": {"name": "say hello"},
    "no name": {"name": None},
    "no input schema": {"inputSchema": None},
    "input schema without type": {"inputSchema": {}},
    "input schema refuses": {"inputSchema": {"type": "object", "required": ["other"]}},
    "own schema refuses": {
        "outputSchema": {"type": "object", "properties": {"message": {"maxLength": 1}}}
    },
}


def definition(faults):
    tool = {
        "name": "greet",
        "description": "Greets someone by name.",
        "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
        "outputSchema": tool_output_schema(),
    }
    for fault in faults:
        tool.update(DEFINITIONS.get(fault, {}))
    return {name: value for name, value in tool.items() if value is not None}


class Server:
    """Answers messages. `faults` are what it does wrong."""

    def __init__(self, *faults):
        self.faults = faults
        self.lists = 0

    def has(self, fault):
        return fault in self.faults

    def answers(self, message):
        """What is sent for a message: each as a value, or as bytes that are no JSON value."""
        if "id" not in message or "method" not in message:
            return []
        if self.has("never answers") and message["method"] == self.slow():
            return []
        found = self.answer(message)
        sent = [{"jsonrpc": "2.0", "id": message["id"], **found}]
        if message["method"] == "tools/list":
            return self.around(sent, message)
        return sent

    def slow(self):
        return "tools/call"

    def around(self, sent, message):
        """The answer to a request, and what a fault sends with it."""
        answer = sent[0]
        if self.has("foreign id"):
            return [{"jsonrpc": "2.0", "id": 4711, "result": {}}, answer]
        if self.has("id as text"):
            return [{**answer, "id": str(answer["id"])}]
        if self.has("duplicate name"):
            text = json.dumps(answer)
            return [text.replace('"result":', '"jsonrpc": "2.0", "result":', 1).encode()]
        if self.has("asks back"):
            ping = {"jsonrpc": "2.0", "id": "p", "method": "ping"}
            root = {"jsonrpc": "2.0", "id": 1, "method": "roots/list"}
            return [ping, root, {"jsonrpc": "2.0", "method": "notifications/progress"}, answer]
        if self.has("deep"):
            return [b'{"jsonrpc":"2.0","id":2,"result":' + b"[" * 1000000 + b"]" * 1000000 + b"}"]
        if self.has("wide"):
            return [b'{"jsonrpc":"2.0","id":2,"result":{"tools":[' + b"[]," * 690000 + b"[]]}}"]
        return sent

    def answer(self, message):
        method, params = message["method"], message.get("params", {})
        modern = META + "protocolVersion" in params.get("_meta", {})
        known = {"initialize": self.initialize, "server/discover": self.discover}
        known |= {"tools/list": self.list, "tools/call": self.call}
        other = "initialize" if modern else "server/discover"
        if method not in known or method == other:
            return {"error": {"code": -32601, "message": "Method not found"}}
        answer = known[method](params)
        if modern and "result" in answer:
            answer["result"] = {"resultType": "complete", **answer["result"]}
        return answer

    def initialize(self, params):
        asked = params["protocolVersion"]
        version = "2024-11-05" if self.has("another revision") else asked
        if self.has("modern only"):
            return {"error": {"code": -32022, "message": "no", "data": {"supported": ["x"]}}}
        info = {"name": "odd", "version": "1.0"}
        return {"result": {"protocolVersion": version, "capabilities": {}, "serverInfo": info}}

    def discover(self, params):
        if self.has("legacy only") or self.has("another revision"):
            return {"error": {"code": -32601, "message": "Method not found"}}
        info = {META + "serverInfo": {"name": "odd", "version": "1.0"}}
        return {"result": {"supportedVersions": [REVISIONS[-1]], "_meta": info}}

    def list(self, params):
        self.lists += 1
        tools = [definition(self.faults)]
        if self.has("duplicate tool"):
            tools *= 2
        if self.has("unstable order"):
            tools += [{**definition(()), "name": name} for name in ("b", "c")]
            tools = tools[:: -1 if self.lists % 2 else 1]
        if self.has("many tools"):
            tools = [{"name": f"t{n}", "inputSchema": {"type": "object"}} for n in range(3000)]
        result = {"tools": tools}
        if self.has("tools no array"):
            result = {"tools": {}}
        if self.has("endless pages"):
            result["nextCursor"] = str(self.lists)
        if self.has("same cursor"):
            result["nextCursor"] = "again"
        if self.has("list error"):
            return {"error": {"code": -32603, "message": "\x1b[31mred"}}
        if self.has("two pages") and "cursor" not in params:
            return {"result": {"tools": [], "nextCursor": "2"}}
        return {"result": result}

    def call(self, params):
        tool, arguments = params["name"], params.get("arguments", {})
        if tool != definition(self.faults).get("name"):
            if self.has("unknown as result"):
                text = [{"type": "text", "text": "Tool not found"}]
                return {"result": {"content": text, "isError": True}}
            return {"error": {"code": -32602, "message": f"Unknown tool: {tool}"}}
        if "name" in arguments:
            value = {"success": True, "message": f"Hello, {arguments['name']}!"}
            if self.has("credential"):
                value["note"] = "ghp_" + "a1B2" * 9
            if self.has("echoes header"):
                value["note"] = SECRET
            if self.has("success failed"):
                return {"result": {"content": [{"type": "text", "text": "no"}], "isError": True}}
        else:
            value = {"success": False, "message": "Nobody to greet.", "error_code": "no_name"}
            if self.has("protocol error"):
                return {"error": {"code": -32000, "message": "Nobody to greet."}}
        failed = not value["success"]
        if self.has("error as success") and failed:
            return {"result": {"content": [{"type": "text", "text": "Error: nobody to greet"}]}}
        if self.has("error in JSON text") and failed:
            text = '{"status": "error", "reason": "nobody"}'
            return {"result": {"content": [{"type": "text", "text": text}]}}
        if self.has("failure unstructured") and failed:
            text = [{"type": "text", "text": "nobody"}]
            return {"result": {"content": text, "isError": True}}
        text = json.dumps({"other": 1} if self.has("text disagrees") else value)
        result = {"content": [{"type": "text", "text": text}], "structuredContent": value}
        if failed and not self.has("not an error"):
            result["isError"] = True
        return {"result": result}


def encoded(sent):
    return sent if isinstance(sent, bytes) else json.dumps(sent).encode()


# -- stdio --------------------------------------------------------------------


def on_start(server):
    """What a fault does before anything is asked."""
    if server.has("ends at once"):
        print("cannot find my configuration", file=sys.stderr)
        sys.exit(3)
    if server.has("noise"):
        os.write(1, b"Listening \x1b[31mnow\x1b[0m\n\n")
    if server.has("floods"):
        while True:
            os.write(1, b"x" * 65536)
    if server.has("floods lines"):
        while True:
            os.write(1, b'{"jsonrpc":"2.0","method":"notifications/x"}\n' * 1000)
    if server.has("floods errors"):
        threading.Thread(target=_errors, daemon=True).start()
    if server.has("hangs"):
        time.sleep(600)
    if server.has("ignores signals"):
        for number in (1, 2, 3, 13, 15):
            signal.signal(number, signal.SIG_IGN)
    if server.has("leaves a process"):
        subprocess.Popen(
            [sys.executable, "-c", "import time; time.sleep(600)", *sys.argv[1:]],
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    if server.has("forks"):
        for _ in range(4):
            os.fork()
        os.setsid() if os.getpgrp() != os.getpid() else None
    if server.has("closes its input"):
        os.close(0)
        time.sleep(600)


def _errors():
    while True:
        os.write(2, b"e" * 65536)


def serve_stdio(server):
    on_start(server)
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if server.has("ends in a call") and message.get("method") == "tools/call":
            sys.exit(1)
        for sent in server.answers(message):
            data = encoded(sent) + b"\n"
            if server.has("slowly"):
                for byte in data:
                    os.write(1, bytes([byte]))
                    time.sleep(0.2)
            while data:
                data = data[os.write(1, data) :]
    while server.has("does not end") or server.has("ignores signals"):
        time.sleep(600)


# -- HTTP ---------------------------------------------------------------------


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "odd"

    def log_message(self, *_):
        pass

    def do_DELETE(self):
        self.send(200, b"", None)

    def do_GET(self):
        self.send(405, b"", None)

    def do_POST(self):
        odd = self.server.odd
        self.server.seen.append((self.path, dict(self.headers)))
        body = self.rfile.read(int(self.headers["Content-Length"]))
        message = json.loads(body)
        answers = odd.answers(message)
        self.server.posted.append(message)
        called = message.get("method") == "tools/list"
        redirect = self.server.redirects.get(self.path)
        if redirect is not None:
            self.send(redirect[0], b"", None, Location=redirect[1])
        elif odd.has("status") and called:
            self.send(500, b"<h1>oops</h1>", "text/html")
        elif odd.has("html") and called:
            self.send(200, b"<h1>hello</h1>", "text/html")
        elif odd.has("accepted") and called:
            self.send(202, b"", None)
        elif odd.has("gzip") and called:
            self.send(200, b"\x1f\x8b", "application/json", **{"Content-Encoding": "gzip"})
        elif odd.has("big body") and called:
            self.endless(b"x" * 65536, "application/json", 0)
        elif odd.has("endless events") and called:
            self.endless(b": still here\n\n" * 5000, "text/event-stream", 0)
        elif odd.has("dripping events") and called:
            self.endless(b"data", "text/event-stream", 0.05)
        elif odd.has("dripping headers") and called:
            self.drip()
        elif odd.has("hangs") and called:
            self.server.over.wait(60)
        elif not answers:
            self.send(202, b"", None)
        elif odd.has("events"):
            head = b"\xef\xbb\xbf: hello\r\n\r\nevent: message\rid: 1\rdata:\r\r"
            data = head + b"".join(b"data: " + encoded(one) + b"\n\n" for one in answers)
            self.send(200, data, "text/event-stream; charset=utf-8")
        else:
            self.send(200, encoded(answers[-1]), "application/json", **self.session(message))

    def session(self, message):
        odd = self.server.odd
        if message.get("method") != "initialize" or not odd.has("session"):
            return {}
        return {"Mcp-Session-Id": "session-1"}

    def send(self, status, body, kind, **headers):
        self.send_response(status)
        if kind is not None:
            self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def endless(self, piece, kind, pause):
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()
        with contextlib.suppress(OSError):
            while not self.server.over.wait(pause) if pause else not self.server.over.is_set():
                self.wfile.write(piece)

    def drip(self):
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
            while not self.server.over.wait(0.05):
                self.wfile.write(b"x")


@contextlib.contextmanager
def serving(*faults, redirects=None):
    """The server at a loopback URL: gives the HTTP server, with its `url`."""
    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    http.odd, http.seen, http.posted = Server(*faults), [], []
    http.over, http.redirects = threading.Event(), redirects or {}
    http.url = f"http://127.0.0.1:{http.server_port}/mcp"
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield http
    finally:
        http.over.set()
        http.shutdown()
        http.server_close()
        thread.join()


if __name__ == "__main__":
    serve_stdio(Server(*sys.argv[1:]))
