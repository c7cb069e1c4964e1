"""One question to name servers, and what came of it. Needs dnspython."""

from __future__ import annotations

from time import monotonic

from ..files import reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    #: Address and port.
    Server = tuple[str, int]

#: Seconds until a question is asked again; twice as long each time.
FIRST_WAIT = 1.0
#: Bytes of an answer that fit in one datagram everywhere; longer ones come over TCP.
_DATAGRAM = 1232

#: Outcomes that say something about the name.
ANSWERS = ("answered", "no_answer", "name_not_found")
#: Response codes that are a failure of the server -> our code.
_SERVER_CODES = {2: "server_failure", 5: "refused"}


class Reply:
    """What a question came to: `outcome` is one of `ANSWERS` or another error code.

    An answer counts only if it comes from the server that was asked, with the
    right id and the right question; all else that arrives is ignored, since
    anyone can send it.
    """

    def __init__(self, outcome: str, server: Server | None = None, reason: str = "") -> None:
        self.outcome = outcome
        self.server = server
        self.reason = reason
        self.response: Any = None
        self.chain: Any = None
        self.transport: str | None = None

    @property
    def dnssec(self) -> str:
        """What the server says about DNSSEC, by its AD flag; nothing is concluded from it.

        A server that does not resolve for others sets no AD flag, so that its
        absence says nothing.
        """
        import dns.flags

        if self.outcome not in ANSWERS:
            return "unknown"
        if self.response.flags & dns.flags.AD:
            return "validated"
        return "not_validated" if self.response.flags & dns.flags.RA else "unknown"

    @property
    def authoritative(self) -> bool | None:
        """Whether the server answers from its own knowledge; None without an answer."""
        import dns.flags

        return None if self.response is None else bool(self.response.flags & dns.flags.AA)


def ask(name: Any, kind: str, servers: Sequence[Server], end: float) -> Reply:
    """Ask the servers in turn, those that are silent again and again, until one knows or `end`.

    A server that fails is not asked twice; a failure that was told is worth more
    than silence.
    """
    wait = min(FIRST_WAIT, max(end - monotonic(), 0) / 2)
    failed: Reply | None = None
    silent = Reply("dns_timeout", None, "the time was up before it could be asked")
    remaining = list(servers)
    while remaining:
        for server in list(remaining):
            seconds = min(wait, end - monotonic())
            if seconds <= 0:
                return failed or silent
            reply = _ask_one(name, kind, server, seconds, end)
            if reply.outcome in ANSWERS:
                return reply
            if reply.outcome == "dns_timeout":
                silent = reply
            else:
                failed = failed or reply
                remaining.remove(server)
        wait *= 2
    return failed or silent


def _ask_one(name: Any, kind: str, server: Server, seconds: float, end: float) -> Reply:
    import dns.exception

    try:
        reply = _exchange(name, kind, server, seconds, end)
    except dns.exception.Timeout:
        return Reply("dns_timeout", server, "no valid answer came in time")
    except EOFError:
        return Reply("invalid_response", server, "the connection ended before the answer")
    except OSError as error:
        return Reply("resolver_unreachable", server, reason_of(error))
    except dns.exception.DNSException as error:
        return Reply("invalid_response", server, str(error) or type(error).__name__)
    return _judged(reply)


def _exchange(name: Any, kind: str, server: Server, seconds: float, end: float) -> Reply:
    """One answer over UDP, or over TCP if it is too long for that."""
    import dns.flags
    import dns.message
    import dns.query

    query = dns.message.make_query(name, kind, use_edns=0, payload=_DATAGRAM)
    query.flags |= dns.flags.AD  # Asks for the flag (RFC 6840, 5.7).
    address, port = server
    reply = Reply("", server)
    try:
        reply.response = dns.query.udp(
            query,
            address,
            timeout=seconds,
            port=port,
            ignore_unexpected=True,
            ignore_errors=True,
            raise_on_truncation=True,
        )
        reply.transport = "udp"
    except dns.message.Truncated:
        left = max(end - monotonic(), 0.001)
        reply.response = dns.query.tcp(query, address, timeout=left, port=port)
        reply.transport = "tcp"
    return reply


def _judged(reply: Reply) -> Reply:
    """The reply with what its response says."""
    import dns.exception
    import dns.rcode

    code = reply.response.rcode()
    if code not in (dns.rcode.NOERROR, dns.rcode.NXDOMAIN):
        reply.outcome = _SERVER_CODES.get(int(code), "server_failure")
        reply.reason = f"the server answered {dns.rcode.to_text(code)}{_explained(reply.response)}"
        return reply
    try:
        reply.chain = reply.response.resolve_chaining()
    except dns.exception.DNSException as error:
        reply.outcome, reply.reason = "invalid_response", str(error) or type(error).__name__
        return reply
    if code == dns.rcode.NXDOMAIN:
        reply.outcome, reply.reason = "name_not_found", "no such name exists"
    elif reply.chain.answer is None:
        reply.outcome, reply.reason = "no_answer", "the name has no records of this type"
    else:
        reply.outcome = "answered"
    return reply


def _explained(response: Any) -> str:
    """Extended errors (RFC 8914), such as a signature that does not hold."""
    import dns.edns

    texts = [
        option.to_text() for option in response.options if isinstance(option, dns.edns.EDEOption)
    ]
    return f" ({'; '.join(texts)[:400]})" if texts else ""
