"""Reading server-sent events from bytes, without changing a byte of their data."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Events:
    """Takes bytes as they come and gives the data of each whole event of type `message`.

    `limit` is the most bytes that one event may have; `too_long` says that one
    had more, and then no more come. Lines end at LF, CR or CR LF.
    """

    def __init__(self, limit: int) -> None:
        self.too_long = False
        self._limit = limit
        self._line = bytearray()
        self._data: list[bytes] = []
        self._size = 0
        self._type = b""
        self._after_cr = False
        self._first = True

    def take(self, chunk: bytes) -> Iterator[bytes]:
        """The data of the events that end in this piece."""
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        self._after_cr = chunk.endswith(b"\r") if chunk else self._after_cr
        *lines, rest = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        for line in lines:
            self._line += line
            whole = bytes(self._line)
            self._line.clear()
            if self._first:
                whole = whole.removeprefix(b"\xef\xbb\xbf")
                self._first = False
            yield from self._end_of_line(whole)
        self._line += rest
        self.too_long = self.too_long or len(self._line) + self._size > self._limit

    def _end_of_line(self, line: bytes) -> Iterator[bytes]:
        if not line:
            if self._data and self._type in (b"", b"message") and not self.too_long:
                data = b"\n".join(self._data)
                if data:
                    yield data
            self._data, self._size, self._type = [], 0, b""
            return
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._size += len(value) + 1
            self.too_long = self.too_long or self._size > self._limit
            if not self.too_long:
                self._data.append(value)
        elif name == b"event":
            self._type = value[:64]
