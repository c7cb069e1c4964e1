"""checkDns, asked of a name server that runs on the loopback in this process."""

from __future__ import annotations

import socket
import struct
import threading
import time
from contextlib import contextmanager

import dns.edns
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.resolver
import dns.rrset
import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import document, run
from operation_results import conforming, failed, performed, succeeded
from sobre.operations import check_dns
from sobre.operations.dns_records import TYPES
from strategies import examples

ZONE = """
example.test. 300 A 192.0.2.1
example.test. 300 A 192.0.2.2
example.test. 300 AAAA 2001:db8::1
example.test. 600 MX 10 mail.example.test.
example.test. 600 MX 20 .
example.test. 60 TXT "v=spf1 " "-all"
bytes.test. 60 TXT "a\\255b"
example.test. 3600 NS ns.example.test.
example.test. 3600 SOA ns.example.test. admin.example.test. 2026120101 7200 900 1209600 300
_sip._tcp.example.test. 30 SRV 1 2 5060 sip.example.test.
example.test. 30 CAA 128 issue "ca.test"
example.test. 30 HTTPS 1 . alpn="h2"
example.test. 30 TLSA 3 1 0 00112233
www.example.test. 120 CNAME web.example.test.
web.example.test. 120 CNAME example.test.
dangling.test. 120 CNAME gone.test.
1.2.0.192.in-addr.arpa. 30 PTR example.test.
1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa. 30 PTR six.test.
xn--mnchen-3ya.test. 30 A 192.0.2.3
big.test. 30 TXT "{big}"
""".replace("{big}", '" "'.join(["x" * 250] * 10))


def zone():
    sets = {}
    for line in ZONE.strip().splitlines():
        owner, ttl, kind, data = line.split(" ", 3)
        sets.setdefault((owner, kind), []).append((int(ttl), data))
    return {
        (dns.name.from_text(owner), kind): dns.rrset.from_text(
            owner, rows[0][0], "IN", kind, *(data for _, data in rows)
        )
        for (owner, kind), rows in sets.items()
    }


RECORDS = zone()


def honest(query, transport):
    """What a resolver answers from the zone: chains of aliases, and a short answer over UDP."""
    response = dns.message.make_response(query, recursion_available=True)
    name, kind = query.question[0].name, dns.rdatatype.to_text(query.question[0].rdtype)
    while (name, "CNAME") in RECORDS and kind != "CNAME":
        response.answer.append(RECORDS[name, "CNAME"])
        name = RECORDS[name, "CNAME"][0].target
    if (name, kind) in RECORDS:
        response.answer.append(RECORDS[name, kind])
    elif all(owner != name for owner, _ in RECORDS):
        response.set_rcode(dns.rcode.NXDOMAIN)
    if transport == "udp" and len(response.to_wire(max_size=65535)) > 1232:
        response.answer.clear()
        response.flags |= dns.flags.TC
    return response


class NameServer:
    """A UDP and TCP server on one port. `answer(query, transport)` gives messages or bytes."""

    def __init__(self, answer=honest, family=socket.AF_INET):
        self.answer = answer
        self.queries = []
        self.tcp = socket.socket(family, socket.SOCK_STREAM)
        self.tcp.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0))
        self.tcp.listen()
        self.udp = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self.udp.bind(self.tcp.getsockname())
        except OSError:
            self.tcp.close()
            self.udp.close()
            raise
        host, port = self.tcp.getsockname()[:2]
        self.address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self.server = (host, port)

    def answers(self, data, transport):
        query = dns.message.from_wire(data)
        self.queries.append((query, transport))
        found = self.answer(query, transport)
        for one in found if isinstance(found, list) else [found]:
            if one is not None:
                yield one if isinstance(one, bytes) else one.to_wire(max_size=65535)

    def serve_udp(self):
        while True:
            data, sender = self.udp.recvfrom(65535)
            if not data:
                return
            for one in self.answers(data, "udp"):
                self.udp.sendto(one, sender)

    def serve_tcp(self):
        while True:
            connection, _ = self.tcp.accept()
            with connection:
                connection.settimeout(5)
                head = connection.recv(2)
                if not head:
                    return
                (length,) = struct.unpack("!H", head)
                for one in self.answers(connection.recv(length), "tcp"):
                    connection.sendall(struct.pack("!H", len(one)) + one)

    def stop(self):
        with socket.socket(self.udp.family, socket.SOCK_DGRAM) as last:
            last.sendto(b"", self.server)
        with socket.create_connection(self.server):
            pass


@contextmanager
def serving(answer=honest, family=socket.AF_INET):
    for _ in range(20):  # The port may be taken for UDP.
        try:
            server = NameServer(answer, family)
            break
        except OSError:
            continue
    else:
        pytest.skip("no address of this kind here")
    threads = [threading.Thread(target=one) for one in (server.serve_udp, server.serve_tcp)]
    for thread in threads:
        thread.start()
    try:
        yield server
    finally:
        server.stop()
        for thread in threads:
            thread.join(10)
        server.udp.close()
        server.tcp.close()


@pytest.fixture(scope="module")
def server():
    with serving() as one:
        yield one


def asked(server, name, *types, **arguments):
    arguments.setdefault("timeout", 10)
    if types:
        arguments["record_type"] = list(types)
    return performed("checkDns", name=name, resolver=server.address, **arguments)


def values(answer):
    """What the records say; a server may give those of one type in any order."""
    return sorted(one["value"] for one in answer["records"])


# -- records ------------------------------------------------------------------


def test_addresses_are_asked_for_unless_something_else_is(server):
    answer = asked(server, "example.test")
    assert values(answer) == ["192.0.2.1", "192.0.2.2", "2001:db8::1"]
    assert answer["message"] == "Found 3 records of example.test."
    assert {
        "type": "A",
        "name": "example.test",
        "ttl_seconds": 300,
        "value": "192.0.2.1",
    } in answer["records"]
    assert answer["queries"][0] == {
        "record_type": "A",
        "outcome": "answered",
        "count": 2,
        "dnssec": "not_validated",
        "authoritative": False,
        "resolver": server.address,
        "transport": "udp",
        "aliases": [],
    }
    assert (answer["name"], answer["count"], answer["partial"]) == ("example.test", 3, False)


@pytest.mark.parametrize(
    ("name", "kind", "records"),
    [
        (
            "example.test.",
            "MX",
            [
                {"value": ".", "preference": 20},
                {"value": "mail.example.test", "preference": 10},
            ],
        ),
        ("example.test", "TXT", [{"value": "v=spf1 -all"}]),
        ("bytes.test", "TXT", [{"value": "a\\xffb"}]),
        ("EXAMPLE.test", "NS", [{"value": "ns.EXAMPLE.test"}]),
        ("www.example.test", "CNAME", [{"value": "web.example.test"}]),
        (
            "_sip._tcp.example.test",
            "SRV",
            [{"value": "sip.example.test", "priority": 1, "weight": 2, "port": 5060}],
        ),
        ("example.test", "CAA", [{"value": "ca.test", "flags": 128, "tag": "issue"}]),
        ("example.test", "HTTPS", [{"value": '1 . alpn="h2"'}]),
        ("example.test", "TLSA", [{"value": "3 1 0 00112233"}]),
        ("192.0.2.1", "PTR", [{"value": "example.test"}]),
        ("2001:db8::1", "PTR", [{"value": "six.test"}]),
        ("1.2.0.192.in-addr.arpa", "PTR", [{"value": "example.test"}]),
        ("m\u00fcnchen.test", "A", [{"value": "192.0.2.3"}]),
    ],
)
def test_each_type(server, name, kind, records):
    answer = asked(server, name, kind)
    assert answer["success"], answer
    found = sorted(answer["records"], key=lambda one: one["value"])
    for one, expected in zip(found, records, strict=True):
        own = {field: one[field] for field in one if field not in ("type", "name", "ttl_seconds")}
        assert own == expected
        assert one["type"] == kind


def test_the_start_of_a_zone(server):
    (one,) = asked(server, "example.test", "SOA")["records"]
    assert {field: one[field] for field in one if field not in ("type", "name", "value")} == {
        "ttl_seconds": 3600,
        "primary": "ns.example.test",
        "contact": "admin.example.test",
        "serial": 2026120101,
        "refresh_seconds": 7200,
        "retry_seconds": 900,
        "expire_seconds": 1209600,
        "minimum_seconds": 300,
    }


@pytest.mark.parametrize("kind", TYPES)
def test_each_type_can_be_asked_for(server, kind):
    assert asked(server, "example.test", kind).get("error_code") in (None, "no_answer")


def test_an_address_has_a_name(server):
    answer = asked(server, "192.0.2.1")
    assert (values(answer), answer["name"]) == (["example.test"], "1.2.0.192.in-addr.arpa")


def test_aliases_are_told(server):
    answer = asked(server, "www.example.test", "A")
    assert {one["name"] for one in answer["records"]} == {"example.test"}
    assert answer["queries"][0]["aliases"] == ["web.example.test", "example.test"]


def test_a_type_that_is_asked_for_twice_is_asked_once(server):
    assert len(asked(server, "example.test", "A", "A")["queries"]) == 1


def test_over_ipv6():
    with serving(family=socket.AF_INET6) as server:
        answer = asked(server, "example.test", "A")
    assert answer["queries"][0]["resolver"] == server.address


# -- outcomes -----------------------------------------------------------------


def test_a_name_that_does_not_exist(server):
    before = len(server.queries)
    answer = asked(server, "nope.test", "A", "MX", "TXT")
    assert (answer["error_code"], answer["error"]) == (
        "name_not_found",
        "nope.test: no such name exists",
    )
    assert len(server.queries) == before + 1


def test_an_alias_to_a_name_that_does_not_exist(server):
    answer = asked(server, "dangling.test", "A")
    assert answer["error_code"] == "name_not_found"
    assert answer["details"]["queries"][0]["aliases"] == ["gone.test"]


def test_a_name_without_such_records(server):
    answer = asked(server, "bytes.test", "A", "AAAA")
    assert answer["error_code"] == "no_answer"
    assert [one["outcome"] for one in answer["details"]["queries"]] == ["no_answer"] * 2


def test_some_types_are_not_there(server):
    answer = asked(server, "bytes.test", "A", "TXT")
    assert (answer["success"], answer["partial"], answer["warnings"]) == (True, False, [])
    assert [one["outcome"] for one in answer["queries"]] == ["no_answer", "answered"]


def with_code(code, *, only=None, reason=None):
    def answer(query, transport):
        if only is not None and query.question[0].rdtype != only:
            return honest(query, transport)
        response = dns.message.make_response(query, recursion_available=True)
        if reason is not None:
            response.use_edns(options=[dns.edns.EDEOption(6, reason)])
        response.set_rcode(code)
        return response

    return answer


@pytest.mark.parametrize(
    ("rcode", "code"),
    [
        (dns.rcode.SERVFAIL, "server_failure"),
        (dns.rcode.REFUSED, "refused"),
        (dns.rcode.FORMERR, "server_failure"),
        (dns.rcode.NOTIMP, "server_failure"),
        (dns.rcode.YXDOMAIN, "server_failure"),
    ],
)
def test_the_server_fails(rcode, code):
    with serving(with_code(rcode)) as server:
        answer = asked(server, "example.test", "A")
        assert len(server.queries) == 1
    assert answer["error_code"] == code
    assert dns.rcode.to_text(rcode) in answer["error"]
    assert answer["details"]["dnssec"] == "unknown"


def test_the_server_says_why_it_fails():
    with serving(with_code(dns.rcode.SERVFAIL, reason="bad\x1b signature")) as server:
        answer = asked(server, "example.test", "A")
        done = run("checkDns", "example.test", "--resolver", server.address)
    assert "EDE 6" in answer["error"]
    assert "\x1b" not in done.err


def test_the_server_fails_for_one_type():
    with serving(with_code(dns.rcode.SERVFAIL, only=dns.rdatatype.AAAA)) as server:
        answer = asked(server, "example.test")
    assert answer["success"]
    assert answer["partial"] is True
    assert "AAAA: the server answered SERVFAIL" in answer["warnings"][0]
    assert answer["dnssec"] == "not_validated"


def test_what_is_not_known_is_more_than_no_answer():
    with serving(with_code(dns.rcode.REFUSED, only=dns.rdatatype.MX)) as server:
        assert asked(server, "bytes.test", "A", "MX")["error_code"] == "refused"


def test_silence():
    with serving(lambda *_: None) as server:
        begin = time.monotonic()
        answer = asked(server, "example.test", timeout=1)
        assert time.monotonic() - begin < 3
        assert len(server.queries) >= 2
    assert answer["error_code"] == "dns_timeout"
    assert [one["outcome"] for one in answer["details"]["queries"]] == ["dns_timeout"] * 2
    assert answer["details"]["dnssec"] == "unknown"


def test_a_datagram_that_is_lost_is_sent_again():
    lost = []

    def answer(query, transport):
        if not lost:
            lost.append(query)
            return None
        return honest(query, transport)

    with serving(answer) as server:
        assert asked(server, "example.test", "A", timeout=2)["success"]


def test_nobody_listens():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    arguments = {"name": "example.test", "resolver": f"127.0.0.1:{port}", "timeout": 0.5}
    answer = performed("checkDns", **arguments)
    assert answer["error_code"] in ("dns_timeout", "resolver_unreachable")


# -- what arrives beside the answer -------------------------------------------


def wrong_id(query):
    response = honest(query, "udp")
    response.id = query.id ^ 1
    return response


def wrong_question(query):
    other = dns.message.make_query("other.test", "A", id=query.id)
    return dns.message.make_response(other)


GARBAGE = {
    "another id": wrong_id,
    "another question": wrong_question,
    "not a message": lambda query: b"garbage",
    "half a message": lambda query: honest(query, "udp").to_wire()[:20],
    "a query": lambda query: query,
    "nothing": lambda query: b"",
    "loops": lambda query: struct.pack("!6H", query.id, 0x8180, 1, 1, 0, 0) + b"\xc0\x0c" * 8,
    "noise": lambda query: struct.pack("!H", query.id) + b"\xff" * 500,
}


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
def test_what_is_no_answer_is_not_taken_for_one(garbage):
    with serving(lambda query, _: garbage(query)) as server:
        answer = asked(server, "example.test", "A", timeout=0.6)
    assert answer["error_code"] == "dns_timeout"


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
def test_the_answer_still_counts(garbage):
    def answer(query, transport):
        return [garbage(query), honest(query, transport)]

    with serving(answer) as server:
        assert values(asked(server, "example.test", "A")) == ["192.0.2.1", "192.0.2.2"]
        assert len(server.queries) == 1


# -- long answers -------------------------------------------------------------


def test_a_long_answer_comes_over_tcp(server):
    before = len(server.queries)
    answer = asked(server, "big.test", "TXT")
    assert values(answer) == ["x" * 2500]
    assert answer["queries"][0]["transport"] == "tcp"
    assert [transport for _, transport in server.queries[before:]] == ["udp", "tcp"]


BROKEN_TCP = {
    "nothing": (lambda query: None, "invalid_response"),
    "not a message": (lambda query: b"garbage", "invalid_response"),
    "noise": (lambda query: struct.pack("!H", query.id) + b"\xff" * 500, "invalid_response"),
    "another id": (wrong_id, "invalid_response"),
}


@pytest.mark.parametrize(("broken", "code"), BROKEN_TCP.values(), ids=BROKEN_TCP)
def test_a_broken_answer_over_tcp(broken, code):
    def answer(query, transport):
        return honest(query, transport) if transport == "udp" else broken(query)

    with serving(answer) as server:
        assert asked(server, "big.test", "TXT")["error_code"] == code


def test_tcp_that_never_answers():
    def answer(query, transport):
        if transport == "tcp":
            time.sleep(2)
        return honest(query, transport)

    with serving(answer) as server:
        begin = time.monotonic()
        assert asked(server, "big.test", "TXT", timeout=0.5)["error_code"] == "dns_timeout"
        assert time.monotonic() - begin < 1.5


def test_tcp_that_is_refused():
    with serving() as server, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))  # A port with UDP alone: it answers by the server's hand.
        port = other.getsockname()[1]

        def serve():
            data, sender = other.recvfrom(65535)
            other.sendto(next(server.answers(data, "udp")), sender)

        thread = threading.Thread(target=serve)
        thread.start()
        answer = performed(
            "checkDns",
            name="big.test",
            record_type=["TXT"],
            resolver=f"127.0.0.1:{port}",
            timeout=5,
        )
        thread.join(10)
    assert answer["error_code"] == "resolver_unreachable"


# -- DNSSEC -------------------------------------------------------------------


def flagged(*, ad, ra, aa=False, only=None):
    def answer(query, transport):
        response = honest(query, transport)
        response.flags &= ~dns.flags.RA
        response.flags |= dns.flags.RA if ra else 0
        response.flags |= dns.flags.AA if aa else 0
        if only is None or query.question[0].rdtype == only:
            response.flags |= dns.flags.AD if ad else 0
        return response

    return answer


@pytest.mark.parametrize(
    ("flags", "state"),
    [
        ({"ad": True, "ra": True}, "validated"),
        ({"ad": False, "ra": True}, "not_validated"),
        ({"ad": False, "ra": False}, "unknown"),
        ({"ad": False, "ra": False, "aa": True}, "unknown"),
        ({"ad": True, "ra": True, "only": dns.rdatatype.A}, "not_validated"),
    ],
    ids=str,
)
def test_dnssec_is_what_the_server_says(flags, state):
    with serving(flagged(**flags)) as server:
        answer = asked(server, "example.test")
        query, _ = server.queries[0]
    assert answer["dnssec"] == state
    assert answer["queries"][0]["authoritative"] is flags.get("aa", False)
    assert query.flags & dns.flags.AD
    assert query.flags & dns.flags.RD
    if "only" in flags:
        assert [one["dnssec"] for one in answer["queries"]] == ["validated", "not_validated"]


def test_dnssec_of_a_name_that_does_not_exist():
    with serving(flagged(ad=True, ra=True)) as server:
        assert asked(server, "nope.test")["details"]["dnssec"] == "validated"


def test_dnssec_is_not_known_of_what_failed():
    def answer(query, transport):
        if query.question[0].rdtype == dns.rdatatype.AAAA:
            return None
        return flagged(ad=True, ra=True)(query, transport)

    with serving(answer) as server:
        answer = asked(server, "example.test", timeout=1)
    assert (answer["success"], answer["partial"], answer["dnssec"]) == (True, True, "unknown")


# -- several servers ----------------------------------------------------------


@contextmanager
def system_servers(monkeypatch, *answers):
    """The system's configuration, with these servers."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        servers = [stack.enter_context(serving(answer)) for answer in answers]
        monkeypatch.setattr(
            check_dns, "_system_servers", lambda: [server.server for server in servers]
        )
        yield servers


def test_the_next_server_is_asked(monkeypatch):
    answers = (with_code(dns.rcode.SERVFAIL), with_code(dns.rcode.REFUSED), honest)
    with system_servers(monkeypatch, *answers) as servers:
        answer = succeeded("checkDns", name="example.test", record_type=["A"])
    assert answer["queries"][0]["resolver"] == servers[2].address
    assert [len(server.queries) for server in servers] == [1, 1, 1]


def test_the_first_failure_is_told(monkeypatch):
    answers = (lambda *_: None, with_code(dns.rcode.SERVFAIL), with_code(dns.rcode.REFUSED))
    with system_servers(monkeypatch, *answers):
        failed("checkDns", "server_failure", name="example.test", timeout=0.6)


def test_no_server_is_asked_after_one_that_knows(monkeypatch):
    with system_servers(monkeypatch, honest, honest) as servers:
        failed("checkDns", "name_not_found", name="nope.test")
        assert servers[1].queries == []


def test_the_system_names_no_server(monkeypatch):
    def raising(*_, **__):
        raise dns.resolver.NoResolverConfiguration

    monkeypatch.setattr(dns.resolver, "Resolver", raising)
    failed("checkDns", "no_resolver", name="example.test")


def test_the_servers_of_the_system(monkeypatch):
    class Configured:
        nameservers = ["192.0.2.1", "2001:db8::1", "https://dns.test/query"]
        port = 53

    monkeypatch.setattr(dns.resolver, "Resolver", Configured)
    assert check_dns._system_servers() == [("192.0.2.1", 53), ("2001:db8::1", 53)]


# -- arguments ----------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "a..b",
        ".a",
        "x" * 64 + ".test",
        ".".join(["x" * 60] * 5),
        "https://example.test/",
        "a\\300.test",
        "fa\u00df.test",
        "\ud800.test",
        "\u2024\u2024",
        "\u2100.test",
        "\u00e9 .test",
    ],
    ids=ascii,
)
def test_what_is_no_name(server, name):
    before = len(server.queries)
    assert asked(server, name)["error_code"] == "invalid_name"
    assert len(server.queries) == before


@examples(500)
@given(
    st.text(st.sampled_from("a.\\09-_@*\u00e9\u2024\uff0e\u0130\u200d\0\ud800xn"))
    | st.text(max_size=70),
)
def test_any_text_is_a_name_or_is_not(text):
    try:
        name, types = check_dns._question(text, [])
    except ValueError:
        return
    assert name.is_absolute()
    assert types


def test_an_address_has_no_address(server):
    assert asked(server, "192.0.2.1", "A")["error_code"] == "invalid_name"


@pytest.mark.parametrize(
    "resolver",
    [
        "",
        "dns.test",
        "127.0.0.1:",
        "127.0.0.1:0",
        "127.0.0.1:65536",
        "127.0.0.1:x",
        "127.0.0.1:53:53",
        "[::1",
        "[::1]x",
        "[::1]:",
        "[127.0.0.1",
        "::1]:53",
        "127.0.0.256",
        "\u0661.1.1.1",
        ":53",
    ],
)
def test_what_is_no_resolver(resolver):
    answer = failed("checkDns", "invalid_arguments", name="example.test", resolver=resolver)
    assert answer["details"]["arguments"][0]["name"] == "resolver"


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("192.0.2.1", ("192.0.2.1", 53)),
        ("192.0.2.1:5353", ("192.0.2.1", 5353)),
        ("2001:DB8::1", ("2001:db8::1", 53)),
        ("[2001:db8::1]", ("2001:db8::1", 53)),
        ("[2001:db8::1]:5353", ("2001:db8::1", 5353)),
        ("fe80::1%eth0", ("fe80::1%eth0", 53)),
    ],
)
def test_what_is_a_resolver(text, server):
    assert check_dns._server(text) == server


# -- the command --------------------------------------------------------------


def test_the_command(server):
    words = ["checkDns", "example.test", "--record-type", "A", "--record-type", "MX"]
    words += ["--resolver", server.address]
    answer = conforming(document(run(*words, "--json")))
    assert answer["count"] == 4
    done = run(*words)
    assert (done.status, done.err) == (0, "")
    *lines, last = done.out.decode().splitlines()
    assert sorted(lines) == [
        "example.test  A   300  192.0.2.1",
        "example.test  A   300  192.0.2.2",
        "example.test  MX  600  .  preference=20",
        "example.test  MX  600  mail.example.test  preference=10",
    ]
    assert last == "DNSSEC: not validated"


def test_every_type_as_text(server):
    words = [word for kind in TYPES for word in ("--record-type", kind)]
    done = run("checkDns", "example.test", *words, "--resolver", server.address)
    assert (done.status, done.err) == (0, "")
    assert "primary=ns.example.test" in done.out.decode()


def test_a_failed_command(server):
    done = run("checkDns", "nope.test", "--resolver", server.address)
    assert (done.status, done.out) == (1, b"")
    assert "error code: name_not_found" in done.err
