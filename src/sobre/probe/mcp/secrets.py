"""Values that must not get out, and how answers are shown without what looks like one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ...contract.findings import Finding
from ..credentials import MAX_FINDINGS, environment_secrets, masked, spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: Fewest characters of a header's value that is looked for.
SHORTEST_HEADER = 4


class Secrets:
    """What a probe keeps to itself: the headers it sends and the secrets of its environment."""

    def __init__(
        self, headers: Mapping[str, str], environment: Mapping[str, str] | None = None
    ) -> None:
        kept: dict[bytes, str] = {}
        for name, secret in environment_secrets(environment).items():
            kept[secret] = f"the environment variable {name}"
        for name, value in headers.items():
            for text in (value, value.partition(" ")[2]):
                if len(text) >= SHORTEST_HEADER:
                    kept[text.encode("utf-8", "surrogateescape")] = f"the header {name}"
        # The longest first, so that none hides a part of another.
        self._kept = dict(sorted(kept.items(), key=lambda one: -len(one[0])))

    def holder(self, data: bytes) -> str | None:
        """Whose value stands in these bytes, as it is or as JSON writes it; or None."""
        for secret, whose in self._kept.items():
            if any(form in data for form in _forms(secret)):
                return whose
        return None

    def without(self, text: str) -> str:
        """Text in which no secret stands, and nothing that looks like a credential."""
        data = text.encode("utf-8", "surrogatepass")
        for secret, whose in self._kept.items():
            for form in _forms(secret):
                data = data.replace(form, f"({whose})".encode())
        return masked(data, spans(data, {})).decode("utf-8", "replace")


def _forms(secret: bytes) -> set[bytes]:
    """A value as it is, and as writers of JSON escape it."""
    text = secret.decode("utf-8", "replace")
    forms = {json.dumps(text, ensure_ascii=plain)[1:-1].encode() for plain in (True, False)}
    return {secret, *forms, *(form.replace(b"/", b"\\/") for form in forms)}


def credentials(data: bytes, file: str) -> Iterator[Finding]:
    """What in the bytes looks like a credential, each with its place and never its value."""
    for start, end, what in spans(data, {})[:MAX_FINDINGS]:
        reason = f"{file}: the {end - start} bytes from byte {start} on look like {what}"
        yield Finding("call.credential", "", reason)
