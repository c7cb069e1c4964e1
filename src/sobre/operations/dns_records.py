"""Records of an answer as JSON values."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The types that can be asked for.
TYPES = (
    *("A", "AAAA", "CAA", "CNAME", "DNSKEY", "DS", "HTTPS", "MX", "NAPTR"),
    *("NS", "PTR", "SOA", "SRV", "SSHFP", "SVCB", "TLSA", "TXT"),
)

#: Type -> where its main value stands.
_VALUES = {
    "A": "address",
    "AAAA": "address",
    "CNAME": "target",
    "NS": "target",
    "PTR": "target",
    "MX": "exchange",
    "SRV": "target",
    "CAA": "value",
}
#: Type -> our field -> dnspython's.
_FIELDS = {
    "MX": {"preference": "preference"},
    "SRV": {"priority": "priority", "weight": "weight", "port": "port"},
    "CAA": {"flags": "flags", "tag": "tag"},
    "SOA": {
        "primary": "mname",
        "contact": "rname",
        "serial": "serial",
        "refresh_seconds": "refresh",
        "retry_seconds": "retry",
        "expire_seconds": "expire",
        "minimum_seconds": "minimum",
    },
}


def records(rrset: Any) -> list[dict[str, Any]]:
    """The records of one set, in the order of the answer."""
    import dns.rdatatype

    kind = dns.rdatatype.to_text(rrset.rdtype)
    return [
        {
            "type": kind,
            "name": name_text(rrset.name),
            "ttl_seconds": rrset.ttl,
            "value": _value(kind, record),
            **{
                ours: _text(getattr(record, theirs))
                for ours, theirs in _FIELDS.get(kind, {}).items()
            },
        }
        for record in rrset
    ]


def name_text(name: Any) -> str:
    """A name without its final dot; the root is a dot."""
    return str(name.to_text(omit_final_dot=True))


def _value(kind: str, record: Any) -> str:
    if kind == "TXT":
        return b"".join(record.strings).decode("utf-8", "backslashreplace")
    if kind in _VALUES:
        return str(_text(getattr(record, _VALUES[kind])))
    return str(record.to_text())


def _text(value: Any) -> Any:
    """A part of a record as text or a number."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return name_text(value) if hasattr(value, "labels") else value
