"""What really went over the wire between an MCP client and a server, kept below both SDKs.

Over pipes `mcp_clients/tee.py` stands between them, over HTTP a `Relay`. Both
pass bytes on as they are; what they mean is read afterwards, here.
"""

from __future__ import annotations

import http.client
import io
import json
import re
import selectors
import socket
import threading
from typing import NamedTuple

#: Seconds for a thread of a relay to end once its sockets are closed.
SECONDS = 10
_SIZE = 65536


class Exchange(NamedTuple):
    """A request, parsed, and the exact bytes of the JSON-RPC message that answered it."""

    request: dict
    response: bytes


class Relay:
    """A port of the loopback in front of another one, which keeps what went each way."""

    def __init__(self, port):
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        #: For each connection what the client sent and what the server did.
        self.connections = []
        self._stop, self._stopped = socket.socketpair()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stop.close()
        self._thread.join(SECONDS)

    def _run(self):
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ, self._accept)
            selector.register(self._stopped, selectors.EVENT_READ, None)
            while True:
                for key, _ in selector.select():
                    if key.data is None:
                        for open_one in list(selector.get_map().values()):
                            open_one.fileobj.close()
                        return
                    key.data(selector, key.fileobj)

    def _accept(self, selector, listener):
        client = listener.accept()[0]
        server = socket.create_connection(self._target)
        kept = (bytearray(), bytearray())
        self.connections.append(kept)
        for source, sink, copy in ((client, server, kept[0]), (server, client, kept[1])):
            selector.register(source, selectors.EVENT_READ, _pump(sink, copy))

    def exchanges(self):
        """Every request that was answered, over all connections."""
        for sent, answered in self.connections:
            requests = [json.loads(body) for body in _request_bodies(bytes(sent)) if body]
            yield from pair(requests, _response_messages(bytes(answered)))


def _pump(sink, copy):
    def move(selector, source):
        try:
            data = source.recv(_SIZE)
            copy.extend(data)
            if data:
                sink.sendall(data)
        except OSError:
            data = b""
        if not data:  # Whoever closes, the whole connection is over.
            for end in (source, sink):
                if end.fileno() != -1:
                    selector.unregister(end)
                    end.close()

    return move


def piped(folder):
    """Every request that was answered, of all servers that a tee wrote into a folder."""
    for sent in sorted(folder.glob("*.in")):
        requests = [json.loads(line) for line in sent.read_bytes().splitlines()]
        answered = sent.with_suffix(".out").read_bytes()
        yield from pair(requests, answered.splitlines())


def pair(requests, messages):
    """The requests of one connection with the messages that answer them, by their ids."""
    answers = {}
    for message in messages:
        value = json.loads(message)
        if "method" not in value and ("result" in value or "error" in value):
            answers.setdefault(repr(value.get("id")), []).append(message)
    for request in requests:
        if "id" in request and "method" in request and answers.get(repr(request["id"])):
            yield Exchange(request, answers[repr(request["id"])].pop(0))


class _Kept(io.BytesIO):
    """A recording that http.client reads one response of after another."""

    def makefile(self, _mode):
        return self

    def close(self):
        """It says that after each response; the next one is behind it."""


def _request_bodies(data):
    source = io.BytesIO(data)
    while source.readline():
        headers = http.client.parse_headers(source)
        if "chunked" in headers.get("Transfer-Encoding", ""):
            yield _chunked(source)
        else:
            yield source.read(int(headers.get("Content-Length", 0)))


def _chunked(source):
    body = b""
    while size := int(source.readline() or b"0", 16):
        body += source.read(size)
        source.readline()
    source.readline()
    return body


def _response_messages(data):
    source = _Kept(data)
    while source.tell() < len(data):
        response = http.client.HTTPResponse(source)
        response.begin()
        try:
            body = response.read()
        except http.client.IncompleteRead as cut:  # A stream that was open at the end.
            body = cut.partial
        kind = response.headers.get_content_type()
        if kind == "application/json" and body:
            yield body
        elif kind == "text/event-stream":
            yield from _events(body)


def _events(body):
    """The data of server-sent events, without those that have none."""
    for event in body.replace(b"\r\n", b"\n").split(b"\n\n"):
        lines = [line[5:].removeprefix(b" ") for line in event.split(b"\n") if line[:5] == b"data:"]
        if data := b"\n".join(lines):
            yield data


def answer(wire, name, arguments):
    """The exact bytes of the message that answered a call of a tool, which was made once."""
    (exchange,) = [
        exchange
        for exchange in wire
        if exchange.request["method"] == "tools/call"
        and exchange.request["params"]["name"] == name
        and exchange.request["params"].get("arguments", {}) == arguments
    ]
    return exchange.response


def definition(wire, name):
    """The exact text of a tool's definition in the list of tools, which came in one page."""
    (listed,) = [exchange for exchange in wire if exchange.request["method"] == "tools/list"]
    text = listed.response.decode()
    (tool,) = [tool for tool in json.loads(text)["result"]["tools"] if tool["name"] == name]
    return _member(text, tool)


def _member(text, value):
    """The exact text of an object inside a JSON text, found by its value."""
    decoder = json.JSONDecoder()
    for place in re.finditer("{", text):
        try:
            found, end = decoder.raw_decode(text, place.start())
        except ValueError:  # It is part of a string.
            continue
        if found == value:
            return text[place.start() : end]
    raise AssertionError("it is not in that text")
