"""A server's list of tools: the pages as they came, and each tool's own bytes in them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ...contract.check import type_name
from ...contract.findings import Finding
from ...json_exact import locate_all
from ...json_write import compact
from .limits import MAX_PAGES, MAX_TOOLS, Clock
from .wire import Message, Trouble, told_error

if TYPE_CHECKING:
    from collections.abc import Callable

_DECODER = json.JSONDecoder()


class Tool:
    """A tool as it is listed.

    `data` are the bytes that define it, just as they stand in the answer, or
    None if that answer is no strict JSON, so that they cannot be told apart;
    `value` is what they say.
    """

    __slots__ = ("data", "value")

    def __init__(self, data: bytes | None, value: Any) -> None:
        self.data = data
        self.value = value

    @property
    def name(self) -> str | None:
        """Its name, if it has one."""
        name = self.value.get("name") if isinstance(self.value, dict) else None
        return name if isinstance(name, str) else None

    @property
    def to_judge(self) -> bytes:
        """Its bytes, or some that say the same."""
        return compact(self.value) if self.data is None else self.data

    def schema(self, which: str) -> Any:
        """Its `inputSchema` or `outputSchema`, or None."""
        return self.value.get(which) if isinstance(self.value, dict) else None


class Listing:
    """All pages of a list of tools. `findings` are about the list, not about a tool."""

    __slots__ = ("findings", "pages", "tools")

    def __init__(self) -> None:
        self.pages: list[Message] = []
        self.tools: list[Tool] = []
        self.findings: list[Finding] = []

    @property
    def names(self) -> list[str | None]:
        """The names in their order."""
        return [tool.name for tool in self.tools]

    def find(self, name: str) -> Tool | None:
        """The first tool of a name."""
        return next((tool for tool in self.tools if tool.name == name), None)


def list_tools(ask: Callable[[dict[str, Any], Clock], Message], clock: Clock) -> Listing:
    """Ask for every page. Trouble after the first page is a finding; before it, it is raised."""
    listing, params = Listing(), dict[str, Any]()
    cursors: set[str] = set()
    while True:
        try:
            page = ask(params, clock)
            cursor = _take(page, listing)
            page.forget()
        except Trouble as trouble:
            if not listing.pages:
                raise
            listing.findings.append(trouble.finding)
            return listing
        if cursor is None:
            return listing
        why = None
        if cursor in cursors:
            why = f"the cursor of page {len(listing.pages)} came before"
        elif len(listing.pages) >= MAX_PAGES:
            why = f"there are more than {MAX_PAGES} pages"
        elif len(listing.tools) >= MAX_TOOLS:
            why = f"there are more than {MAX_TOOLS:,} tools, and the others are not judged"
        if why is not None:
            listing.findings.append(Finding("server.tools_pages", "", why))
            return listing
        cursors.add(cursor)
        params = {"cursor": cursor}


def _take(page: Message, listing: Listing) -> str | None:
    """Add the tools of a page; the cursor of the next one, if there is one."""
    if page.error is not None:
        reason = f"tools/list was answered with {told_error(page.error)}"
        raise Trouble("server.answer", reason)
    result = page.result
    tools = result.get("tools") if result is not None else None
    if not isinstance(tools, list):
        found = "no `result`" if result is None else type_name(tools)
        reason = f"the answer to tools/list needs an array `tools`, found {found}"
        raise Trouble("server.answer", reason)
    listing.pages.append(page)
    listing.findings += [
        Finding("server.message", "", f"the answer to tools/list: {defect.message}")
        for defect in page.defects
    ]
    left = MAX_TOOLS - len(listing.tools)
    if len(tools) > left:
        reason = f"there are more than {MAX_TOOLS:,} tools, and the others are not judged"
        listing.findings.append(Finding("server.tools_pages", "", reason))
        tools = tools[:left]
    if page.defects:
        listing.tools += [Tool(None, tool) for tool in tools]
    else:
        listing.tools += map(Tool, _slices(page.data, len(tools)), tools)
    cursor = result.get("nextCursor") if result is not None else None
    if cursor is not None and not isinstance(cursor, str):
        reason = f"`nextCursor` must be a string, found {type_name(cursor)}"
        listing.findings.append(Finding("server.answer", "", reason))
        return None
    return cursor


def _slices(data: bytes, count: int) -> list[bytes | None]:
    """The bytes of the first tools of an answer, exactly as they stand in it."""
    starts = locate_all(data, [f"/result/tools/{index}" for index in range(count)])
    slices: list[bytes | None] = []
    for start, end in zip(starts, [*starts, len(data)][1:], strict=True):
        if start is None or end is None:
            slices.append(None)
            continue
        text = data[start:end].decode("utf-8", "replace")
        _, stop = _DECODER.raw_decode(text)
        slices.append(text[:stop].encode())
    return slices
