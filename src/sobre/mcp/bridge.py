"""Between a client of 2026-07-28 and a server of an older revision, and back.

And what no client takes in any revision: content blocks that are none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_types import SERVER_INFO_META_KEY
from mcp_types import methods as surfaces
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from ..json_write import compact_text

if TYPE_CHECKING:
    from collections.abc import Mapping

_RESERVED = "io.modelcontextprotocol/"
#: Methods whose results say in 2026-07-28 for how long they hold.
_CACHEABLE = (
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
)


def for_older(params: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Parameters without the envelope that 2026-07-28 puts into each request."""
    if params is None or not isinstance(params.get("_meta"), dict):
        return None if params is None else dict(params)
    meta = {n: v for n, v in params["_meta"].items() if not n.startswith(_RESERVED)}
    rest = {name: value for name, value in params.items() if name != "_meta"}
    return {**rest, "_meta": meta} if meta else rest


def for_modern(method: str, result: dict[str, Any], greeting: Mapping[str, Any]) -> dict[str, Any]:
    """A result with what 2026-07-28 asks for, from a server that knows nothing of it."""
    answer = {**result, "resultType": "complete"}
    if method in _CACHEABLE:
        answer = {"ttlMs": 0, "cacheScope": "private", **answer}
    if isinstance(greeting.get("serverInfo"), dict):
        meta = result.get("_meta") if isinstance(result.get("_meta"), dict) else {}
        answer["_meta"] = {**(meta or {}), SERVER_INFO_META_KEY: greeting["serverInfo"]}
    return answer


def discovered(greeting: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to server/discover of a server that was greeted with a handshake."""
    answer = {
        "supportedVersions": list(MODERN_PROTOCOL_VERSIONS),
        "capabilities": _without_pushing(greeting.get("capabilities")),
    }
    if isinstance(greeting.get("instructions"), str):
        answer["instructions"] = greeting["instructions"]
    return for_modern("server/discover", answer, greeting)


def _without_pushing(capabilities: Any) -> dict[str, Any]:
    """The capabilities without what takes a subscription, which the proxy cannot make for it."""
    kept = dict(capabilities) if isinstance(capabilities, dict) else {}
    for name in ("tools", "prompts", "resources"):
        if isinstance(kept.get(name), dict):
            pushing = ("listChanged", "subscribe")
            kept[name] = {n: v for n, v in kept[name].items() if n not in pushing}
    return kept


def with_sound_blocks(result: dict[str, Any], version: str) -> dict[str, Any]:
    """A tool's result in which each content block is one in a revision of the protocol.

    One that is none would have a client refuse the whole answer; it becomes a
    text block that shows it.
    """
    content = result.get("content")
    if not isinstance(content, list) or _is_sound(content, version):
        return result
    blocks = [block if _is_sound([block], version) else _shown(block) for block in content]
    return {**result, "content": blocks}


def _is_sound(blocks: list[Any], version: str) -> bool:
    result: dict[str, Any] = {"content": blocks}
    if version in MODERN_PROTOCOL_VERSIONS:
        result["resultType"] = "complete"
    try:
        surfaces.validate_server_result("tools/call", version, result)
    except (ValidationError, ValueError, KeyError):
        return False
    return True


def _shown(block: Any) -> dict[str, Any]:
    return {"type": "text", "text": f"(no content block) {compact_text(block)}"}
