"""The exact reader of JSON: what is wrong with a document, and where.

It reads left to right without recursion and stops at the first defect. `json_text.read`
comes here with what its quick way doubts, so what is decided here is the
verdict; `locate` finds the place of a JSON Pointer with the same steps.
"""

from __future__ import annotations

import re
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]

from .json_place import BOM, MAX_DEPTH, WHITE_SPACE, document_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    Path = list[str | int]
    Visitor = Callable[[Path, int], bool]

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[-+.\w]+")
_LITERALS = {"true": True, "false": False, "null": None}
_NON_FINITE = frozenset({"NaN", "Infinity", "-Infinity"})
# What is taken from left to right so that no escape is seen from its middle:
# an escaped backslash, a whole surrogate pair, and then half a pair.
_ESCAPES = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F])"
)
_WHOLE_ESCAPES = re.compile(_ESCAPES.pattern.rpartition("|")[0])
# An escape that the end of the text cuts off, or that ends with it.
_CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,4})?\Z")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class _Defect(Exception):
    """A broken json.* rule at an index of the text."""

    def __init__(self, rule: str, reason: str, index: int) -> None:
        self.rule = rule
        self.reason = reason
        self.index = index


def read_exactly(data: bytes) -> Any:
    """The value of `data` as `json_text.read` gives it, or the first defect as `DocumentError`."""
    return _run(data, None)


def locate(data: bytes, pointer: str) -> int | None:
    """The byte offset of what a JSON Pointer (RFC 6901) names in a document, or None.

    For a member that is the place of its value. Where only the beginning of the
    pointer exists, as for a missing member, it is the place of the deepest
    value that does. None if the document cannot be read so far.
    """
    return locate_all(data, [pointer])[0]


def locate_all(data: bytes, pointers: list[str]) -> list[int | None]:
    """What `locate` says of each pointer, with one reading of the document for all of them."""
    root = _Wanted()
    ends = [root.reach(pointer) for pointer in pointers]
    missing = {id(end) for end in ends}
    # The node that each open container stands at, or None where no pointer leads.
    nodes: list[_Wanted | None] = []

    def visit(path: Path, index: int) -> bool:
        depth = len(path)
        del nodes[depth:]
        outer = nodes[-1] if nodes else None
        node = root if depth == 0 else outer.inner.get(str(path[-1])) if outer else None
        nodes.append(node)
        if node is not None and node.index is None:
            node.index = index
            missing.discard(id(node))
        return not missing

    try:
        _run(data, visit)
    except ValueError:
        pass
    return _offsets(data, [end.deepest() for end in ends])


class _Wanted:
    """A part of some wanted pointers, and the index at which its value was found."""

    __slots__ = ("index", "inner", "outer")

    def __init__(self, outer: _Wanted | None = None) -> None:
        self.outer = outer
        self.inner: dict[str, _Wanted] = {}
        self.index: int | None = None

    def reach(self, pointer: str) -> _Wanted:
        """The node at the end of a pointer, with those on the way there."""
        node = self
        for part in pointer.split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if name not in node.inner:
                node.inner[name] = _Wanted(node)
            node = node.inner[name]
        return node

    def deepest(self) -> int | None:
        """The index of the deepest value on the way here that was found."""
        node = self
        while node.index is None and node.outer is not None:
            node = node.outer
        return node.index


def _offsets(data: bytes, indices: list[int | None]) -> list[int | None]:
    """Byte offsets in a document for indices of its text."""
    start = _start(data)
    text = data[start:].decode("utf-8", "replace")
    offsets, offset, at = {}, start, 0
    for index in sorted({index for index in indices if index is not None}):
        offset += len(text[at:index].encode())
        at = index
        offsets[index] = offset
    return [None if index is None else offsets[index] for index in indices]


def unpaired_surrogate(text: str) -> int | None:
    """The index of the first \\uD800-\\uDFFF escape without a partner in JSON text, or None."""
    if "\\u" not in text or not _HALF.search(_WHOLE_ESCAPES.sub("", text)):
        return None
    return next(match.start(1) for match in _ESCAPES.finditer(text) if match[1])


def _start(data: bytes) -> int:
    return len(BOM) if data.startswith(BOM) else 0


def _run(data: bytes, visit: Visitor | None) -> Any:
    start = _start(data)
    body = data[start:]
    if not body.strip(WHITE_SPACE.encode()):
        raise document_error(data, "json.empty", "there is nothing to read", len(data))
    if _is_wide(body):
        reason = "the bytes are UTF-16 or UTF-32; JSON is UTF-8"
        raise document_error(data, "json.encoding", reason, 0)
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        reason = f"byte 0x{body[error.start]:02x} is not UTF-8 here ({error.reason})"
        raise document_error(data, "json.encoding", reason, start + error.start) from None
    try:
        return _Reader(text, visit).document()
    except _Defect as defect:
        offset = start + len(text[: defect.index].encode())
        raise document_error(data, defect.rule, defect.reason, offset) from None


def _is_wide(body: bytes) -> bool:
    """Whether JSON text is UTF-16 or UTF-32: its first character is ASCII, so a NUL shows it."""
    if body[:2] in (b"\xff\xfe", b"\xfe\xff") or body[:4] == b"\x00\x00\xfe\xff":
        return True
    if len(body) < 2 or len(body) % 2:
        return False
    return (body[0] == 0) != (body[1] == 0) or (body[:3] == b"\0\0\0" and len(body) >= 4)


class _Reader:
    """One pass over a text. The open containers stand in a list, not on the call stack."""

    def __init__(self, text: str, visit: Visitor | None) -> None:
        self.text = text
        self.visit = visit
        self.open: list[Any] = []
        self.path: Path = []

    def document(self) -> Any:
        index = self.skip(0)
        root, index, entered = self.value(index)
        if entered:
            index = self.contents(root, index)
        index = self.skip(index)
        if index < len(self.text):
            raise _Defect("json.trailing_data", "something follows the first value", index)
        return root

    def contents(self, root: Any, index: int) -> int:
        """Read on from inside the root container to its end; the index after it."""
        text = self.text
        first = True
        while self.open:
            holder = self.open[-1]
            closing = "}" if type(holder) is dict else "]"
            index = self.skip(index)
            if text.startswith(closing, index):
                self.open.pop()
                self.path.pop()
                index += 1
                first = False
                continue
            if not first:
                if not text.startswith(",", index):
                    self.refuse(index, f"expected ',' or '{closing}'")
                index = self.skip(index + 1)
            if closing == "}":
                index = self.name(holder, index)
            else:
                self.path[-1] = len(holder)
            value, index, first = self.value(index)
            if closing == "}":
                holder[self.last_name] = value
            else:
                holder.append(value)
        return index

    def name(self, members: dict[str, Any], index: int) -> int:
        """Read a member's name and its colon; the index where its value begins."""
        if not self.text.startswith('"', index):
            self.refuse(index, "expected a member name in double quotes")
        name, end = self.string(index)
        if name in members:
            shown = name if len(name) <= 60 else name[:57] + "..."
            reason = f"the name {shown!a} stands twice in one object"
            raise _Defect("json.duplicate_name", reason, index)
        end = self.skip(end)
        if not self.text.startswith(":", end):
            self.refuse(end, "expected ':' after a member name")
        self.path[-1] = self.last_name = name
        return self.skip(end + 1)

    def value(self, index: int) -> tuple[Any, int, bool]:
        """The value that begins here, the index after what was read, whether a container opened."""
        if self.visit is not None and self.visit(self.path, index):
            raise _Defect("json.syntax", "the place was found", index)
        text = self.text
        character = text[index : index + 1]
        if character == '"':
            return *self.string(index), False
        if character in ("[", "{"):
            if len(self.open) == MAX_DEPTH:
                reason = f"values are nested deeper than {MAX_DEPTH} levels"
                raise _Defect("json.depth", reason, index)
            container: Any = {} if character == "{" else []
            self.open.append(container)
            self.path.append("")
            return container, index + 1, True
        word = _WORD.match(text, index)
        if word is None:
            self.refuse(index, "expected a value")
        return self.word(word[0], index), word.end(), False

    def word(self, word: str, index: int) -> Any:
        """The literal or number that a run of letters, digits and signs spells."""
        if (
            len(word) < 16
            and word.isdecimal()
            and word.isascii()
            and (word[0] > "0" or word == "0")
        ):
            return int(word)  # Most of the words there are.
        if word in _LITERALS:
            return _LITERALS[word]
        if word in _NON_FINITE:
            raise _Defect("json.non_finite_number", f"{word} is not a JSON number", index)
        number = _NUMBER.match(word)
        if number is None or number.end() != len(word):
            at = number.end() if number else 0
            if word[0].isalpha():
                self.refuse(index, "expected a value; the only words are true, false and null")
            self.refuse(
                index + at, "a number is malformed (no leading 0 or +, digits around the point)"
            )
        if number[1] or number[2]:
            value: float | int = float(word)
        else:
            value = int(word) if len(word) <= 310 else float("inf")
        try:
            finite = abs(float(value)) != float("inf")
        except OverflowError:
            finite = False
        if not finite:
            shown = word if len(word) <= 24 else f"{word[:20]}... ({len(word)} characters)"
            reason = f"{shown} is beyond the range of a double (about 1.8e308)"
            raise _Defect("json.number_range", reason, index)
        return value

    def string(self, index: int) -> tuple[str, int]:
        """The string whose opening quote is here, and the index after its closing one."""
        try:
            value, end = scanstring(self.text, index + 1, True)
        except JSONDecodeError as error:
            self.refuse_string(index, error)
        self.refuse_half(index, end)
        return value, end

    def refuse_half(self, index: int, end: int) -> None:
        """Raise the defect of an unpaired surrogate escape in a part of the text, if any."""
        half = unpaired_surrogate(self.text[index:end])
        if half is not None:
            escape = self.text[index + half : index + half + 6]
            reason = f"the escape {escape} is half of a surrogate pair"
            raise _Defect("json.unpaired_surrogate", reason, index + half)

    def refuse_string(self, index: int, error: JSONDecodeError) -> NoReturn:
        """Raise the defect that the scanner met in the string that opens at `index`."""
        escape = self.text.rfind("\\", index, error.pos + 1)
        if error.msg.startswith("Invalid control"):
            self.refuse_half(index, error.pos)
            code = ord(self.text[error.pos])
            reason = f"a string holds the control character U+{code:04X}; write it as an escape"
            raise _Defect("json.syntax", reason, error.pos)
        if error.msg.startswith("Unterminated") or _CUT_ESCAPE.match(self.text, escape):
            raise _Defect("json.syntax", "a string has no closing quote", index)
        self.refuse_half(index, error.pos)
        raise _Defect("json.syntax", "a string holds an escape that JSON does not have", escape)

    def skip(self, index: int) -> int:
        """The index of the next character that is not JSON white space."""
        if self.text[index : index + 1] > " ":
            return index
        match = _SPACE.match(self.text, index)
        return match.end() if match else index

    def refuse(self, index: int, reason: str) -> NoReturn:
        """Raise json.syntax, naming what stands at the index."""
        if index >= len(self.text):
            raise _Defect("json.syntax", f"{reason}, found the end of the document", len(self.text))
        raise _Defect("json.syntax", f"{reason}, found {self.text[index]!a}", index)
