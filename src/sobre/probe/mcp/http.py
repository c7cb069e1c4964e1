"""Talking to a server over streamable HTTP: each message a POST, its answer JSON or events.

Bodies are taken as they come, undecoded. No redirect is followed to another
origin, and nothing waits longer than its clock, whatever the server does: the
work runs in a thread that is left behind if even cancelling it takes too long.
"""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING, Any

import anyio
import httpx2

from .limits import MAX_REPLIES, REDIRECTS, SESSION_MESSAGES, Clock
from .sse import Events
from .wire import Journal, Message, Trouble, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .requests import Request, Speech

# Seconds that cancelling may take before it is left behind.
_CANCEL_SECONDS = 0.5
_KEEPS_METHOD = (307, 308)


class HttpLink:
    """A server at a URL. `headers` are what the caller wants sent, never told to anyone else."""

    def __init__(
        self,
        url: str,
        speech: Speech,
        journal: Journal,
        max_bytes: int,
        headers: Mapping[str, str],
    ) -> None:
        self._url = url
        self._speech = speech
        self._journal = journal
        self._max_bytes = max_bytes
        self._headers = dict(headers)
        self._left = max_bytes * SESSION_MESSAGES
        self._session: str | None = None
        self._replies = 0
        self.stderr = b""

    def tell(self, message: Request, clock: Clock) -> None:
        """Send a message that has no answer."""
        self._run(message, clock)

    def ask(self, request: Request, clock: Clock) -> Message:
        """Send a request and wait for its answer. Raises `Trouble` if there is none."""
        answer = self._run(request, clock)
        if answer is None:
            reason = f"the response to {request.method} ended without its answer"
            raise Trouble("server.no_answer", reason)
        return answer

    def close(self, clock: Clock) -> None:
        """End the session, if the server has one."""
        if self._session is not None:
            try:
                self._in_thread(self._delete, clock, "the end of the session")
            except Trouble:
                pass

    def _run(self, request: Request, clock: Clock) -> Message | None:
        if not clock.left:
            raise Trouble("server.no_answer", f"there was no time left for {request.method}")

        async def post() -> Message | None:
            return await self._post(request, clock)

        answer: Message | None = self._in_thread(post, clock, request.method)
        return answer

    def _in_thread(self, work: Any, clock: Clock, what: str) -> Any:
        """Run the work in a thread and an event loop of its own, for as long as the clock says."""
        outcome: list[Any] = []

        async def within() -> Any:
            with anyio.fail_after(clock.left):
                return await work()

        def run() -> None:
            try:
                outcome.extend((True, anyio.run(within)))
            except BaseException as error:  # It is raised where it is waited for.
                outcome.extend((False, error))

        thread = Thread(target=run, daemon=True)
        thread.start()
        thread.join(clock.left + _CANCEL_SECONDS)
        if len(outcome) < 2 or isinstance(outcome[1], TimeoutError):
            raise Trouble("server.no_answer", f"there was no answer to {what} in time")
        good, value = outcome
        if good:
            return value
        if isinstance(value, Trouble):
            raise value
        if isinstance(value, httpx2.ConnectError):
            raise Trouble("server.not_started", f"nothing answers at the URL: {_why(value)}")
        if isinstance(value, (httpx2.HTTPError, httpx2.InvalidURL, ValueError, OSError)):
            raise Trouble("server.http", f"{what} got no HTTP response: {_why(value)}")
        raise value

    def _client(self, clock: Clock) -> httpx2.AsyncClient:
        # The limits of its own would come too early, or for each byte anew.
        return httpx2.AsyncClient(timeout=clock.left + 1, follow_redirects=False, trust_env=False)

    def _all_headers(self, request: Request | None) -> dict[str, str]:
        headers = {
            "Accept": "application/json, text/event-stream",
            "Accept-Encoding": "identity",
            "User-Agent": "sobre-probe",
            **(request.headers if request else {}),
            **self._headers,
        }
        if request is not None:
            headers["Content-Type"] = "application/json"
        if self._session is not None:
            headers["Mcp-Session-Id"] = self._session
        return headers

    async def _delete(self) -> None:
        headers = self._all_headers(None)
        headers["MCP-Protocol-Version"] = self._speech.revision
        async with (
            self._client(Clock.of(1)) as client,
            client.stream("DELETE", self._url, headers=headers),
        ):
            pass

    async def _post(self, request: Request, clock: Clock) -> Message | None:
        url = httpx2.URL(self._url)
        headers = self._all_headers(request)
        async with self._client(clock) as client:
            for _ in range(REDIRECTS + 1):
                async with client.stream(
                    "POST", url, content=request.data, headers=headers
                ) as response:
                    if not 300 <= response.status_code < 400:
                        return await self._read(response, request, clock)
                    url = _redirected(response, url)
        reason = f"the URL redirects more than {REDIRECTS} times"
        raise Trouble("server.redirect", reason)

    async def _read(
        self, response: httpx2.Response, request: Request, clock: Clock
    ) -> Message | None:
        """The answer in a response, as its type has it."""
        status = response.status_code
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        coding = response.headers.get("content-encoding", "identity").strip().lower()
        if request.method == "initialize" and status < 400:
            self._note_session(response.headers.get("mcp-session-id"))
        if request.id is None:
            return None
        if coding != "identity":
            reason = f"the response is in the coding {quoted(coding)}, which nobody asked for"
            raise Trouble("server.http", reason)
        if kind == "text/event-stream" and status < 400:
            return await self._read_events(response, request, clock)
        if kind == "application/json":
            return self._whole(await self._body(response), request, status)
        if status >= 400 or status == 202:
            await self._body(response, most=65536)
            raise Trouble("server.http", f"{request.method} got the HTTP status {status}")
        reason = f"{request.method} was answered with the type {quoted(kind or 'none')}"
        raise Trouble("server.http", reason)

    def _note_session(self, session: str | None) -> None:
        if session is None:
            return
        if session and len(session) <= 1024 and session.isascii() and session.isprintable():
            self._session = session
        else:
            self._journal.note("server.http", "the Mcp-Session-Id is not visible ASCII")

    async def _body(self, response: httpx2.Response, most: int | None = None) -> bytes:
        body = bytearray()
        async for chunk in response.aiter_raw():
            self._count(chunk)
            body += chunk
            if most is not None and len(body) > most:
                break
            if len(body) > self._max_bytes:
                reason = f"a response has more than {self._max_bytes:,} bytes (--max-bytes)"
                raise Trouble("server.flood", reason)
        return bytes(body)

    def _count(self, chunk: bytes) -> None:
        self._left -= len(chunk)
        if self._left < 0:
            most = self._max_bytes * SESSION_MESSAGES
            reason = f"more than {most:,} bytes came in one session ({SESSION_MESSAGES} times "
            raise Trouble("server.flood", reason + "--max-bytes)")

    def _whole(self, body: bytes, request: Request, status: int) -> Message:
        """A body of JSON as the answer to a request."""
        message = Message(body, self._max_bytes)
        if not message.is_response:
            if status >= 400:
                raise Trouble("server.http", f"{request.method} got the HTTP status {status}")
            rule = "server.message" if message.value is None else "server.answer"
            reason = f"the response to {request.method} is no JSON-RPC response: {quoted(body)}"
            raise Trouble(rule, reason)
        answered = message.value.get("id")
        # An error about a request whose id could not be read has null for it.
        unread = answered is None and message.error is not None
        if not unread and not _is_same(answered, request.id):
            self._note_foreign(answered, request)
            raise Trouble("server.no_answer", f"the response to {request.method} is to another")
        return message

    async def _read_events(
        self, response: httpx2.Response, request: Request, clock: Clock
    ) -> Message | None:
        """The answer among the events of a stream; what else is there is noted."""
        events = Events(self._max_bytes)
        async for chunk in response.aiter_raw():
            self._count(chunk)
            for data in events.take(chunk):
                message = Message(data, self._max_bytes)
                if not message.is_message:
                    self._journal.note("server.message", f"an event is no message: {quoted(data)}")
                elif message.is_response:
                    if _is_same(message.value.get("id"), request.id):
                        return message
                    self._note_foreign(message.value.get("id"), request)
                elif "id" in message.value:
                    await self._reply(message, clock)
                await anyio.lowlevel.checkpoint()
            if events.too_long:
                reason = f"an event has more than {self._max_bytes:,} bytes (--max-bytes)"
                raise Trouble("server.flood", reason)
        return None

    async def _reply(self, message: Message, clock: Clock) -> None:
        self._replies += 1
        if self._replies <= MAX_REPLIES:
            reply = self._speech.reply(message.value)
            try:
                await self._post(reply, clock)
            except (httpx2.HTTPError, Trouble):
                pass

    def _note_foreign(self, answered: Any, request: Request) -> None:
        shown = quoted(str(answered)[:200]) if isinstance(answered, (str, int)) else "none"
        reason = f"a response came with the id {shown} while {request.method} had {request.id}"
        self._journal.note("server.foreign_id", reason)


def _is_same(answered: Any, asked: Any) -> bool:
    return type(answered) is int and answered == asked


def _redirected(response: httpx2.Response, url: httpx2.URL) -> httpx2.URL:
    """Where a redirect leads, if that may be followed."""
    status, place = response.status_code, response.headers.get("location", "")
    try:
        target = url.join(place)
    except (httpx2.InvalidURL, ValueError):
        target = None
    if target is None or not place:
        raise Trouble("server.redirect", f"the status {status} leads to no URL")
    if status not in _KEEPS_METHOD:
        raise Trouble("server.redirect", f"the status {status} does not keep a POST a POST")
    origin = (target.scheme, target.host, target.port)
    if origin != (url.scheme, url.host, url.port):
        shown = quoted(f"{target.scheme}://{target.host}")
        raise Trouble("server.redirect", f"it redirects to another origin, {shown}")
    return target


def _why(error: BaseException) -> str:
    return quoted(str(error) or type(error).__name__)
