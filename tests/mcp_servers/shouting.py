"""An old server, written by hand, that writes more than messages: `shouting.py [MODE]`.

It only knows the handshake. MODE says what server/discover does to it:
`refuse` (the default), `crash`, `hang` or `nothing` (an empty answer).
"""

from __future__ import annotations

import json
import os
import sys

out = sys.stdout.buffer
mode = sys.argv[1] if len(sys.argv) > 1 else "refuse"


def write(data):
    out.write(data)
    out.flush()


def answer(message, **outcome):
    write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **outcome}).encode() + b"\n")


def fine(message):
    answer(message, result={"content": [{"type": "text", "text": "fine"}]})


def call(message):
    """What the arguments say: write this text, or so many mebibytes in one line, before it."""
    arguments = message["params"].get("arguments") or {}
    if "text" in arguments:
        write(arguments["text"].encode("latin-1") + b"\n")
    for _ in range(arguments.get("mebibytes", 0)):
        out.write(b"x" * 2**20)
    if "mebibytes" in arguments:
        write(b"\n")
    if "raw" in arguments:  # The answer itself, of which JSON may know nothing.
        write(
            arguments["raw"].encode("latin-1").replace(b"ID", str(message["id"]).encode()) + b"\n"
        )
    elif "exit" in arguments:
        os._exit(3)
    elif "silent" not in arguments:
        fine(message)


def respond(message):
    method = message["method"]
    if method == "server/discover" and mode == "crash":
        os._exit(7)
    elif method == "server/discover" and mode == "hang":
        pass
    elif method == "server/discover" and mode == "nothing":
        answer(message, result={})
    elif method == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {}}
        answer(message, result={**result, "serverInfo": {"name": "old", "version": "1"}})
    elif method == "tools/list":
        tools = [{"name": "call", "inputSchema": {"type": "object"}}]
        answer(message, result={"tools": tools})
    elif method == "tools/call":
        call(message)
    else:
        answer(message, error={"code": -32601, "message": f"no method {method}"})


for line in sys.stdin.buffer:
    received = json.loads(line)
    if "id" in received and "method" in received:
        respond(received)
