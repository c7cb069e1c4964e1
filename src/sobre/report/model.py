"""What a report says, apart from how it looks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..contract.findings import Finding
    from ..evidence.exhibit import Exhibit
    from ..evidence.verify import Claim

INDEPENDENT = "Compatible with QZX Result Contract v1; an independent implementation."

#: Subcommand -> the title of its report, and its verdict for a good and for a bad outcome.
_WORDS = {
    "validate": ("Validation report", "Conforms", "Does not conform"),
    "evidence": ("Evidence report", "Conforms", "Does not conform"),
    "verify": ("Verification report", "Verified", "Not verified"),
    "probe": ("Probe report", "Conforms", "Does not conform"),
}


class Table:
    """Rows of text under headings.

    With `in_place` it tells enough of the exhibits that a terminal shows no more of them.
    """

    __slots__ = ("headings", "in_place", "rows", "title")

    def __init__(
        self, title: str, headings: list[str], rows: list[list[str]], *, in_place: bool = False
    ) -> None:
        self.title = title
        self.headings = headings
        self.rows = rows
        self.in_place = in_place


class Report:
    """What one command found, for any renderer.

    `document` is the contract object that says the same to a machine, `command`
    the subcommand whose report it is. `title` names the report and `verdict` is
    its outcome, each in a few words; `summary` is one sentence. `profile` is
    what was judged by, or "" if it never came to that.

    `exhibits` are the files with their roles ("" if a file has none),
    `findings` what concerns them as a whole, `claims` those of a verification,
    `notes` further lines. `subject` is the file that claims and findings as a
    whole are about, if there is one. Where `conformance_counts` is false, what
    is wrong with the exhibits does not change the verdict.

    `table` is an overview. `again` are the command lines that check the same
    again, as lists of words.
    """

    __slots__ = (
        "again",
        "claims",
        "command",
        "conformance_counts",
        "conformant",
        "document",
        "exhibits",
        "findings",
        "notes",
        "profile",
        "subject",
        "summary",
        "table",
        "title",
        "verdict",
    )

    def __init__(
        self,
        document: dict[str, Any],
        *,
        command: str,
        profile: str,
        exhibits: list[tuple[str, Exhibit]],
        findings: list[Finding] | None = None,
        claims: list[Claim] | None = None,
        notes: list[str] | None = None,
        verdict: str | None = None,
        subject: str | None = None,
        conformance_counts: bool = True,
        again: list[list[str]] | None = None,
        table: Table | None = None,
    ) -> None:
        self.document = document
        self.conformant: bool = document["success"]
        self.summary: str = document["message"]
        self.command = command
        self.title, good, bad = _WORDS[command]
        self.verdict = verdict or (good if self.conformant else bad)
        self.profile = profile
        self.exhibits = exhibits
        self.findings = findings or []
        self.claims = claims or []
        self.notes = notes or []
        self.subject = subject
        self.conformance_counts = conformance_counts
        self.again = again or []
        self.table = table

    @property
    def boundary(self) -> str:
        """What the report claims, and what it does not."""
        who = "This report" if self.command in ("validate", "probe") else "A receipt"
        return (
            f"{who} claims conformance to a shape. It certifies no security, no authorisation, "
            "no correctness in the domain, no endorsement."
        )

    def counts(self, claim: Claim) -> bool:
        """Whether the verdict depends on a claim."""
        return self.conformance_counts or claim.name != "conforms"
