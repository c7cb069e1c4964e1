"""What the tools of one server publish as output schemas, and whether a success fits."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match

from ..contract.convert import scalar_text
from ..json_write import equal
from ..produce.tool_definition import OUTPUT, contract_output_schema

if TYPE_CHECKING:
    from collections.abc import Callable

#: Most characters of a validator's reason that a result repeats.
MAX_REASON = 500

_log = logging.getLogger("sobre")


class OutputSchemas:
    """Tool name -> the output schema that is published for it, and the check that clients make.

    Official clients refuse a success that breaks its tool's output schema, and
    hide it. So it is checked here first, by the same schema.
    """

    def __init__(self) -> None:
        self._refusals: dict[str, Callable[[dict[str, Any]], str]] = {}
        self._published: dict[str, tuple[Any, dict[str, Any]]] = {}
        self._told: set[tuple[str, str]] = set()

    def knows(self, name: str) -> bool:
        """Whether the tool was listed."""
        return name in self._refusals

    def published(self, name: str, own: Any) -> dict[str, Any]:
        """The output schema to publish for a tool whose own is `own`, None for no schema."""
        known = self._published.get(name)
        if known is None or not equal(known[0], own):
            known = self._published[name] = (own, self._compose(name, own))
        return known[1]

    def _compose(self, name: str, own: Any) -> dict[str, Any]:
        published, reason = contract_output_schema(own)
        if not reason and "then" in published:
            try:
                Draft202012Validator.check_schema(published)
            except SchemaError as error:
                reason = f"it is no JSON Schema: {error.message}"
            except RecursionError:
                reason = "it is too deep to be checked"
            if reason:
                published = contract_output_schema()[0]
        if reason and (name, reason) not in self._told:
            self._told.add((name, reason))
            told = reason[:MAX_REASON]  # Of what is not ours, and may hold control characters.
            _log.warning("The output schema of the tool %a is left out: %a", name, told)
        self._refusals[name] = _refusal(published)
        return published

    def refuse(self, name: str) -> Callable[[dict[str, Any]], str] | None:
        """Says why a success of the tool breaks its schema; None if the tool was never listed."""
        return self._refusals.get(name)


def published_tool(tool: Any, schemas: OutputSchemas) -> Any:
    """A tool as tools/list gives it, with the output schema that is published for it."""
    if not isinstance(tool, dict):  # What it is, the client may say.
        return tool
    own = tool.get("outputSchema")
    return {**tool, "outputSchema": schemas.published(str(tool.get("name")), own)}


def _refusal(published: dict[str, Any]) -> Callable[[dict[str, Any]], str]:
    """The check of a success by the domain part; the contract's part is held to already."""
    if "then" not in published:
        return lambda document: ""
    domain = published["then"]
    validator = Draft202012Validator(published)
    if domain.keys() == {"properties"} and domain["properties"].keys() == {OUTPUT}:
        of_output = domain["properties"][OUTPUT]
        return lambda document: (
            _reason(validator, of_output, document[OUTPUT], f"$.{OUTPUT}")
            if OUTPUT in document
            else ""
        )
    return lambda document: _reason(validator, domain, document, "$")


def _reason(validator: Any, part: Any, value: Any, place: str) -> str:
    """Why a value that stands at a place breaks a part of a schema; empty if it does not."""
    try:
        # Not by a validator of the part: under an `$id` of its own, its references go by that.
        if next(validator.descend(value, part), None) is None:
            return ""
        error = best_match(validator.descend(value, part))
    except Exception as unable:  # Such as a pattern that Python's `re` does not take.
        _log.debug("An output schema could not be applied", exc_info=unable)
        return ""
    reason = scalar_text(f"at {place}{error.json_path[1:]}: {error.message}")
    return reason if len(reason) <= MAX_REASON else reason[: MAX_REASON - 3] + "..."
