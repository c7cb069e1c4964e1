"""What a report says, apart from how it looks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..contract.findings import Finding
    from ..evidence.exhibit import Exhibit
    from ..evidence.verify import Claim


class Report:
    """What one command found, for any renderer.

    `document` is the contract object that says the same to a machine. `summary`
    is one sentence. `exhibits` are the files with their roles ("" if a file has
    none), `findings` what concerns them as a whole, `claims` those of a
    verification, `notes` further lines.
    """

    __slots__ = ("claims", "conformant", "document", "exhibits", "findings", "notes", "summary")

    def __init__(
        self,
        document: dict[str, Any],
        *,
        exhibits: list[tuple[str, Exhibit]],
        findings: list[Finding] | None = None,
        claims: list[Claim] | None = None,
        notes: list[str] | None = None,
    ) -> None:
        self.document = document
        self.conformant: bool = document["success"]
        self.summary: str = document["message"]
        self.exhibits = exhibits
        self.findings = findings or []
        self.claims = claims or []
        self.notes = notes or []
