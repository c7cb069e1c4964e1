"""checkDns: the records of a name, as a name server answers now."""

from __future__ import annotations

import re
import struct

from ..contract.result import Result, failure, success
from .declaration import Operation, Parameter, invalid_arguments
from .dns_records import TYPES
from .texts import columns, counted, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .dns_query import Reply, Server

#: Seconds it takes at most, unless the caller sets another limit.
SECONDS = 5.0

#: Error code -> message. If several types fail, the first of these that there is: what
#: a server said is worth more than silence, and what is not known more than "none".
_MESSAGES = {
    "name_not_found": "The name {name} does not exist.",
    "resolver_unreachable": "The name server could not be reached.",
    "invalid_response": "The name server sent no valid answer about {name}.",
    "refused": "The name server refuses to answer about {name}.",
    "server_failure": "The name server failed to answer about {name}.",
    "dns_timeout": "No name server answered about {name} in time.",
    "no_answer": "The name {name} has no records of this kind.",
}
# In these, the 2003 and the 2008 rules for international names lead to different names.
_AMBIGUOUS = "\u00df\u1e9e\u03c2\u200c\u200d"
_LABEL = re.compile(rb"[A-Za-z0-9_-]*")
_SERVER = r"(\[[^\]]+\]|[^:\[\]]+)(?::([0-9]{1,5}))?"


def check_dns(
    name: str,
    record_type: list[str] | None = None,
    resolver: str | None = None,
    timeout: float = SECONDS,
) -> Result:
    """The records of a name, by type.

    It is a success if there is a record of any of the types. What could not be
    learnt about the others makes it `partial`, with a warning.
    """
    from time import monotonic

    from .dns_query import ask

    try:
        asked, types = _question(name.strip(), record_type or [])
    except ValueError as error:
        return _invalid_name(name, error)
    try:
        servers = _system_servers() if resolver is None else [_server(resolver)]
    except ValueError as error:
        return invalid_arguments([("resolver", str(error))])
    if not servers:
        return failure(
            "This system names no name server.",
            error="there is no name server in the system's configuration (--resolver)",
            error_code="no_resolver",
        )
    end = monotonic() + timeout
    replies: dict[str, Reply] = {}
    for kind in types:
        replies[kind] = ask(asked, kind, servers, end)
        if replies[kind].outcome == "name_not_found":  # It has no records of any type.
            break
    return _result(asked, replies)


def _question(name: str, types: list[str]) -> tuple[Any, list[str]]:
    """The name and the types to ask for. Raises `ValueError` for what is no name."""
    import dns.exception
    import dns.name
    import dns.reversename

    if not name:
        raise ValueError("it is empty")
    if "://" in name:
        raise ValueError("it is a URL; give the name of the host alone")
    address = _address(name)
    if address is not None:
        if set(types) - {"PTR"}:
            raise ValueError("it is an address, for which there are PTR records alone")
        return dns.reversename.from_address(address), ["PTR"]
    if not set(name).isdisjoint(_AMBIGUOUS):
        raise ValueError("it has a letter that two standards read differently; write its xn-- form")
    try:
        asked = dns.name.from_text(name)
    except (dns.exception.DNSException, ValueError, struct.error) as error:
        raise ValueError(str(error) or type(error).__name__) from None
    if not name.isascii() and not all(map(_LABEL.fullmatch, asked.labels)):
        raise ValueError("it has a character that stands for others, which no host name has")
    return asked, list(dict.fromkeys(types or ["A", "AAAA"]))


def _address(text: str) -> str | None:
    """An IP address in its plain form, or None if it is none."""
    from ipaddress import ip_address

    try:
        return str(ip_address(text))
    except ValueError:
        return None


def _server(text: str) -> Server:
    """The address and port of `1.2.3.4`, `1.2.3.4:53`, `::1` or `[::1]:53`."""
    match = re.fullmatch(_SERVER, text)
    host, port = match.groups("53") if match else (text, "53")
    address = _address(host.strip("[]") if match else host)
    if address is None or not 0 < int(port) < 65536:
        raise ValueError("expected an IP address, with a port or without, such as 192.0.2.1:5353")
    return address, int(port)


def _system_servers() -> list[Server]:
    import dns.exception
    import dns.resolver

    try:
        system = dns.resolver.Resolver()
    except (dns.exception.DNSException, OSError):
        return []
    return [(server, system.port) for server in map(str, system.nameservers) if _address(server)]


def _result(asked: Any, replies: dict[str, Reply]) -> Result:
    from .dns_records import name_text, records

    name = name_text(asked)
    found: list[dict[str, Any]] = []
    queries, warnings = [], []
    for kind, reply in replies.items():
        rows = records(reply.chain.answer) if reply.outcome == "answered" else []
        found += rows
        queries.append(_query(kind, reply, len(rows)))
        if reply.outcome not in ("answered", "no_answer"):
            warnings.append(f"{kind}: {reply.reason} ({reply.outcome}).")
    dnssec = _dnssec(list(replies.values()))
    outcomes = {reply.outcome: reply for reply in reversed(replies.values())}
    if "answered" in outcomes:
        return success(
            f"Found {counted(len(found), 'record')} of {name}"
            + ("; the answer is incomplete." if warnings else "."),
            name=name,
            count=len(found),
            records=found,
            queries=queries,
            dnssec=dnssec,
            partial=bool(warnings),
            warnings=warnings,
        )
    code = next(code for code in _MESSAGES if code in outcomes)
    return failure(
        _MESSAGES[code].format(name=name),
        error=f"{name}: {outcomes[code].reason}",
        error_code=code,
        details={"name": name, "queries": queries, "dnssec": dnssec},
    )


def _query(kind: str, reply: Reply, count: int) -> dict[str, Any]:
    """What became of the question for one type."""
    from .dns_records import name_text

    query: dict[str, Any] = {
        "record_type": kind,
        "outcome": reply.outcome,
        "count": count,
        "dnssec": reply.dnssec,
        "authoritative": reply.authoritative,
        "resolver": None if reply.server is None else _server_text(reply.server),
        "transport": reply.transport,
        "aliases": [],
    }
    if reply.chain is not None:
        query["aliases"] = [name_text(one[0].target) for one in reply.chain.cnames]
    if reply.outcome != "answered":
        query["reason"] = reply.reason
    return query


def _server_text(server: Server) -> str:
    address, port = server
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _dnssec(replies: list[Reply]) -> str:
    """What all answers have in common: the weakest that any of them says."""
    states = {reply.dnssec for reply in replies}
    return next(state for state in ("not_validated", "unknown", "validated") if state in states)


def _invalid_name(name: str, error: ValueError) -> Result:
    shown = plain(name)[:400]
    return failure(
        "The name cannot be one in the domain name system.",
        error=f"{shown or 'an empty name'}: {error}",
        error_code="invalid_name",
        details={"name": shown},
    )


def _human(result: Result) -> str:
    rows: list[tuple[str, ...]] = []
    for record in result["records"]:
        own = ("type", "name", "ttl_seconds", "value")
        more = " ".join(f"{field}={value}" for field, value in record.items() if field not in own)
        value = record["value"] if record["type"] != "SOA" else ""
        text = f"{value}  {more}".strip() if more else value
        rows.append((record["name"], record["type"], str(record["ttl_seconds"]), text))
    return columns(rows, right=(2,)) + f"DNSSEC: {result['dnssec'].replace('_', ' ')}\n"


OPERATION = Operation(
    "checkDns",
    "the records of a name in the domain name system",
    (
        Parameter("name", "the name, or an IP address for its PTR records", required=True),
        Parameter(
            "record_type",
            "the type of record to ask for (default: A and AAAA, for an address PTR)",
            kind=list,
            choices=TYPES,
        ),
        Parameter(
            "resolver",
            "the name server to ask: an IP address, with a port if it is not 53, such as "
            "192.0.2.1:5353 or [2001:db8::1]:53 (default: the system's)",
        ),
        Parameter(
            "timeout",
            "take at most this many seconds for all of it",
            kind=float,
            minimum=0.1,
            maximum=300,
            default=SECONDS,
        ),
    ),
    check_dns,
    description="Ask a name server for the records of a name, without search lists or caches of "
    "our own. Codes tell a name that does not exist (name_not_found) from one without such records "
    "(no_answer) and from servers that fail (dns_timeout, server_failure, refused, "
    "resolver_unreachable, invalid_response). `dnssec` repeats what the server claims by its AD "
    "flag, which is worth as much as the way to that server.",
    extra="operations",
    needs="dns",
    hints={"open_world": True},
    human=_human,
)
