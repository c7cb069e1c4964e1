"""The core profile: the document is the result (specification sections 1 and 2)."""

from __future__ import annotations

from ..contract.check import check
from ..contract.findings import Finding
from ..json_text import BOM, MAX_BYTES, DocumentError, read
from . import Judgement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def judge(data: bytes, *, max_bytes: int = MAX_BYTES) -> Judgement:
    """Read a document strictly and check it against the core."""
    findings, document = read_with_findings(data, max_bytes=max_bytes)
    if findings and findings[-1].severity == "violation":
        return Judgement(None, findings)
    findings += check(document)
    success = document.get("success") if isinstance(document, dict) else None
    return Judgement(document, findings, success)


def read_with_findings(data: bytes, *, max_bytes: int = MAX_BYTES) -> tuple[list[Finding], Any]:
    """What section 1 says of the bytes, and their value if no finding is a violation."""
    findings = []
    if data.startswith(BOM):
        reason = "the document begins with a byte order mark, which some readers refuse"
        findings.append(Finding("json.byte_order_mark", "", reason, 0))
    try:
        return findings, read(data, max_bytes=max_bytes)
    except DocumentError as error:
        findings.append(Finding(error.rule, "", error.reason, error.offset))
        return findings, None
