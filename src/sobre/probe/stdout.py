"""The bytes of standard output, dissected: documents, and what stands around them.

Pure: bytes -> pieces -> findings. The command profile (specification section 3)
wants exactly one document and nothing else.
"""

from __future__ import annotations

import re

from ..contract.findings import Finding
from ..json_text import BOM, DocumentError, read
from ..report.escape import bounded
from .likely import ESCAPES, likely_source, likely_text, without_escapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    _Known = dict[tuple[int, int], DocumentError]

#: Most documents that are told apart. What follows the last of them is not looked into.
MAX_DOCUMENTS = 10_000
#: Bytes that may be gone over again in search of documents, beyond once for each byte:
#: where brackets open and never close, each could be tried in vain.
EXTRA_BYTES = 1024 * 1024
#: Most characters of a text that are shown.
SHOWN = 160

# Where a document may begin: at the beginning of a line, or where a carriage return or
# a terminal escape makes one. `{` alone may also stand behind other text.
_LINE_START = re.compile(rb"(?:^|[\n\r])[ \t]*(?:" + ESCAPES + rb"[ \t]*)*([\[{])")
_NEXT = re.compile(rb"\s*([\[{])")
_ANYWHERE = re.compile(rb"(\{)")
# A string that does not end is a token, too, so that no byte is gone over twice.
_TOKEN = re.compile(rb'"(?:[^"\\\n]|\\.)*+"?|[\[\]{}]')
_OPENS = re.compile(rb'\{\s*(?:"|\})|\[\s*(?:[\[{"\]]|-?[0-9]|true|false|null)')
_STEPS = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}
_SPACE = b" \t\r\n"


class Piece:
    """A part of the output: a document or text, from byte `start` to `end`.

    `readable` is whether a document reads strictly; `contract` whether it is an
    object that states an outcome.
    """

    __slots__ = ("contract", "document", "end", "readable", "start")

    def __init__(self, start: int, end: int, *, document: bool = False) -> None:
        self.start = start
        self.end = end
        self.document = document
        self.readable = self.contract = False


class Dissection:
    """What the bytes are made of: `pieces` in order, white space between them left out.

    `findings` are what is wrong with them as the output of a command, with byte
    offsets; what is wrong inside a document is not among them. `result` is the
    document that a reader would take for the result, if there is one.
    """

    __slots__ = ("findings", "pieces", "result")

    def __init__(self, pieces: list[Piece], findings: list[Finding]) -> None:
        self.pieces = pieces
        self.findings = findings
        documents = [piece for piece in pieces if piece.document]
        self.result = max(
            documents,
            key=lambda one: (one.contract, one.readable, one.start),
            default=None,
        )


def dissect(data: bytes, shown: bytes | None = None) -> Dissection:
    """Tell documents from text in the bytes of a command's standard output.

    `shown` are bytes of the same length, of which pieces stand in findings, such
    as the same without credentials.
    Linear in time and memory, whatever the bytes. Nothing is decided on the
    contract here: `command.judge_run` does that.
    """
    if not data.removeprefix(BOM).strip(_SPACE):
        reason = "there is nothing on standard output"
        if data:
            reason = "there is nothing but white space on standard output"
        return Dissection([], [Finding("command.stdout.empty", "", reason, 0)])
    wrong = _encoding(data)
    if wrong is not None:
        return Dissection([Piece(0, len(data))], [wrong])
    pieces = list(_pieces(data))
    told = data if shown is None else shown
    return Dissection(pieces, [*_around(data, pieces, told), *_line_ends(data)])


# -- encodings ----------------------------------------------------------------


def _encoding(data: bytes) -> Finding | None:
    """The finding that the bytes are in another encoding than UTF-8."""
    told = None
    at = 0
    for mark, name in ((b"\xff\xfe\0\0", "UTF-32"), (b"\0\0\xfe\xff", "UTF-32")):
        told = name if data.startswith(mark) else told
    if told is None and data.startswith((b"\xff\xfe", b"\xfe\xff")):
        told = "UTF-16"
    head = data[:64]
    if told is None and len(head) > 3 and head.count(0) * 3 >= len(head):
        told = "UTF-16 or UTF-32, without a mark"
    if told is None:
        try:
            data.decode()
        except UnicodeDecodeError as error:
            at = error.start
            told = _single_byte(data)
        else:
            return None
    reason = f"standard output is not UTF-8; it looks like {told}"
    return Finding("command.stdout.encoding", "", reason, at)


def _single_byte(data: bytes) -> str:
    if len(data.translate(None, bytes(range(9)) + bytes(range(14, 27)) + b"\x7f")) < len(data):
        return "binary data"
    return "an encoding with one byte a character, such as Windows-1252 or ISO 8859-1"


def _line_ends(data: bytes) -> list[Finding]:
    at = data.find(b"\r\n")
    if at < 0:
        return []
    lines = data.count(b"\r\n")
    reason = f"{lines:,} {'line ends' if lines == 1 else 'lines end'} in CR LF"
    return [Finding("command.stdout.crlf", "", reason, at)]


# -- pieces -------------------------------------------------------------------


def _pieces(data: bytes) -> Iterator[Piece]:
    """Documents, and the text between them that is more than white space."""
    end = len(BOM) if data.startswith(BOM) else 0
    documents = _documents(data, end)
    for document in documents:
        yield from _text(data, end, document.start)
        yield document
        end = document.end
    if len(documents) < MAX_DOCUMENTS:
        yield from _text(data, end, len(data))


def _text(data: bytes, start: int, end: int) -> Iterator[Piece]:
    while start < end and data[start] in _SPACE:
        start += 1
    while end > start and data[end - 1] in _SPACE:
        end -= 1
    if start < end:
        yield Piece(start, end)


def _documents(data: bytes, start: int) -> list[Piece]:
    """The documents at the beginnings of lines, or else those behind other text."""
    piece = next(_text(data, start, len(data)))
    try:  # All of it, whatever its type.
        value = read(data[piece.start : piece.end])
    except DocumentError as error:
        # What cannot be read is read slowly, so not twice.
        known = {(piece.start, piece.end): error}
        return _search(data, start, _LINE_START, known) or _search(data, start, _ANYWHERE, known)
    piece.document = piece.readable = True
    piece.contract = _states_outcome(value)
    return [piece]


def _states_outcome(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("success"), bool)


def _search(data: bytes, position: int, starts: re.Pattern[bytes], known: _Known) -> list[Piece]:
    """The documents that begin where a pattern says. `known` is what is known to be broken."""
    found: list[Piece] = []
    budget = len(data) + EXTRA_BYTES
    while budget > 0 and len(found) < MAX_DOCUMENTS:
        match = (_NEXT.match(data, position) if found else None) or starts.search(data, position)
        if match is None:
            break
        start = match.start(1)
        end = _end_of(data, start) if _OPENS.match(data, start) else None
        budget -= (len(data) if end is None else end) - start
        piece = None if end is None else _document(data, start, end, known)
        if piece is None:
            position = start + 1
        else:
            found.append(piece)
            position = piece.end
    return found


def _end_of(data: bytes, start: int) -> int | None:
    """Where the value that begins here ends by its brackets; None if it does not."""
    depth = 0
    for token in _TOKEN.finditer(data, start):
        text = token[0]
        step = _STEPS.get(text)
        if step is not None:
            depth += step
            if depth <= 0:
                return token.end()
        elif len(text) == 1 or not text.endswith(b'"'):
            return None
    return None


def _document(data: bytes, start: int, end: int, known: _Known) -> Piece | None:
    """The document between two places, or None if it is text with brackets in it."""
    piece = Piece(start, end, document=True)
    try:
        if (start, end) in known:
            raise known[start, end]
        value = read(data[start:end])
    except DocumentError as error:
        # An object that a JSON library could have written but for one mistake.
        broken = error.rule != "json.syntax" or (error.offset or 0) > (end - start) // 2
        alone = data[start : start + 1] == b"{" or _fills_its_line(data, end)
        return piece if broken and alone else None
    if isinstance(value, list) and not _fills_its_line(data, end):
        return None  # `[1] 4711`, `[10:30] started`
    piece.readable = True
    piece.contract = _states_outcome(value)
    return piece


def _fills_its_line(data: bytes, end: int) -> bool:
    after = data[end : end + 256].split(b"\n", 1)[0]
    return not without_escapes(after).strip(_SPACE)


# -- what is wrong ------------------------------------------------------------


def _around(data: bytes, pieces: list[Piece], shown: bytes) -> Iterator[Finding]:
    """The findings on text around documents, and on more documents than one."""
    places = [at for at, piece in enumerate(pieces) if piece.document]
    if not places:
        yield _no_document(data, shown)
        return
    parts = {
        "before": pieces[: places[0]],
        "between": [one for one in pieces[places[0] : places[-1]] if not one.document],
        "after": pieces[places[-1] + 1 :],
    }
    for name, texts in parts.items():
        if texts:
            yield _stray(shown, name, texts, len(places))
    if len(places) > 1:
        second = pieces[places[1]]
        more = " or more" if len(places) == MAX_DOCUMENTS else ""
        told = f"there are {len(places):,}{more} documents on standard output"
        if len(pieces) == len(places) and _is_ndjson(data, pieces):
            told += ", one a line (NDJSON)"
        yield Finding("command.stdout.documents", "", told, second.start)


def _is_ndjson(data: bytes, documents: list[Piece]) -> bool:
    return all(
        one.readable and b"\n" not in data[one.start : one.end] and _fills_its_line(data, one.end)
        for one in documents[:1000]
    )


def _stray(shown: bytes, name: str, texts: list[Piece], documents: int) -> Finding:
    text = _decoded(shown, texts[0])
    noun = "document" if name != "between" and documents == 1 else "documents"
    told = f"there is text {name} the {noun}: {_quoted(text)}{_likely(likely_source(text))}"
    if len(texts) > 1:
        told += f", and {len(texts) - 1:,} more such"
    return Finding(f"command.stdout.{name}", "", told, texts[0].start)


def _no_document(data: bytes, shown: bytes) -> Finding:
    """There is text alone: coloured JSON, or something else."""
    escape = re.search(ESCAPES, data)
    if escape is not None:
        try:
            read(without_escapes(data))
        except DocumentError:
            pass
        else:
            told = "the document is coloured: there are terminal escapes between its tokens"
            return Finding("command.stdout.colour", "", told, escape.start())
    start = len(BOM) if data.startswith(BOM) else 0
    piece = next(_text(data, start, len(data)))
    text = _decoded(shown, piece)
    likely = likely_text(text) or likely_source(text)
    told = f"there is text instead of a JSON document: {_quoted(text)}{_likely(likely)}"
    return Finding("command.stdout.text", "", told, piece.start)


def _decoded(data: bytes, piece: Piece) -> str:
    return data[piece.start : min(piece.end, piece.start + 4096)].decode("utf-8", "replace")


def _quoted(text: str) -> str:
    return f'"{bounded(text, SHOWN)}"'


def _likely(likely: str | None) -> str:
    return f", likely {likely}" if likely else ""
