"""Section 1 once more, as plainly as can be: one character after another, no scanner, no speed.

`naive_outcome` gives ("value", value) or (rule, offset). The offset is None
where `vectors/README.md` leaves the place to taste. For shallow documents only:
it recurses.
"""

from __future__ import annotations

import re

NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
HEX = set("0123456789abcdefABCDEF")
TASTE = object()
EITHER = "json.syntax or json.unpaired_surrogate"


class Refused(Exception):
    def __init__(self, rule, index):
        super().__init__(rule)
        self.rule = rule
        self.index = index


def naive_outcome(data):
    body = data.removeprefix(b"\xef\xbb\xbf")
    start = len(data) - len(body)
    if not body.strip(b" \t\r\n"):
        return "json.empty", len(data)
    if body[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in body[:2]:
        return "json.encoding", None
    text = ""
    for index in range(1, len(body) + 1):  # Character by character: the first that is none.
        try:
            text += body[len(text.encode()) : index].decode()
        except UnicodeDecodeError as error:
            if index == len(body) or error.reason != "unexpected end of data":
                return "json.encoding", start + len(text.encode())
    try:
        return "value", whole_document(text)
    except Refused as refused:
        at = refused.index
        return refused.rule, None if at is TASTE else start + len(text[:at].encode())


def whole_document(text):
    value, index = one_value(text, skip(text, 0), 0)
    index = skip(text, index)
    if index < len(text):
        raise Refused("json.trailing_data", index)
    return value


def skip(text, index):
    while index < len(text) and text[index] in " \t\r\n":
        index += 1
    return index


def one_value(text, index, depth):
    character = text[index : index + 1]
    if character and character in "[{":
        if depth == 512:
            raise Refused("json.depth", index)
        return (array if character == "[" else an_object)(text, index, depth + 1)
    if character == '"':
        return a_string(text, index)
    end = index
    while end < len(text) and (text[end].isalnum() or text[end] in "_+-."):
        end += 1
    if end == index:
        raise Refused("json.syntax", index)
    return a_word(text[index:end], index), end


def a_word(word, index):
    if word in ("true", "false", "null"):
        return {"true": True, "false": False, "null": None}[word]
    if word in ("NaN", "Infinity", "-Infinity"):
        raise Refused("json.non_finite_number", index)
    number = NUMBER.fullmatch(word)
    if not number:
        raise Refused("json.syntax", TASTE)
    if abs(float(word)) == float("inf"):
        raise Refused("json.number_range", index)
    return float(word) if number[2] or number[3] else int(word)


def array(text, index, depth):
    items = []
    index = skip(text, index + 1)
    if text[index : index + 1] == "]":
        return items, index + 1
    while True:
        item, index = one_value(text, index, depth)
        items.append(item)
        index = skip(text, index)
        if text[index : index + 1] == "]":
            return items, index + 1
        if text[index : index + 1] != ",":
            raise Refused("json.syntax", index)
        index = skip(text, index + 1)


def an_object(text, index, depth):
    members = {}
    index = skip(text, index + 1)
    if text[index : index + 1] == "}":
        return members, index + 1
    while True:
        if text[index : index + 1] != '"':
            raise Refused("json.syntax", index)
        quote = index
        name, index = a_string(text, index)
        if name in members:
            raise Refused("json.duplicate_name", quote)
        index = skip(text, index)
        if text[index : index + 1] != ":":
            raise Refused("json.syntax", index)
        members[name], index = one_value(text, skip(text, index + 1), depth)
        index = skip(text, index)
        if text[index : index + 1] == "}":
            return members, index + 1
        if text[index : index + 1] != ",":
            raise Refused("json.syntax", index)
        index = skip(text, index + 1)


def a_string(text, quote):
    """The string; its first defect if it has an end, and its opening quote if it has none."""
    units = b""
    defects = []
    index = quote + 1
    half = None  # The index of a high surrogate that waits for its low one.
    while text[index : index + 1] != '"':
        if index >= len(text):
            raise without_end(defects, quote)
        escape = text[index + 1 : index + 2] if text[index] == "\\" else None
        step, unit, wrong, cut = 1, text[index], text[index] < " ", escape == ""
        if escape == "u":
            step, digits = 6, text[index + 2 : index + 6]
            wrong = len(digits) < 4 or not set(digits) <= HEX
            cut = wrong and set(digits) <= HEX
            unit = "\0" if wrong else chr(int(digits, 16))
        elif escape is not None:
            step, unit, wrong = 2, ESCAPES.get(escape, "\0"), escape not in ESCAPES
        low = escape == "u" and "\udc00" <= unit <= "\udfff"
        if half is not None and not low and not cut:
            defects.append(Refused("json.unpaired_surrogate", half))
        if low and half is None:
            defects.append(Refused("json.unpaired_surrogate", index))
        if wrong:
            defects.append(Refused("json.syntax", index))
            step = 1
        half = index if escape == "u" and "\ud800" <= unit <= "\udbff" else None
        units += unit.encode("utf-16-be", "surrogatepass")
        index += step
    if half is not None:
        defects.append(Refused("json.unpaired_surrogate", half))
    if defects:
        raise defects[0]
    return units.decode("utf-16-be"), index + 1


def without_end(defects, quote):
    """What a string without a closing quote is refused for.

    That is its opening quote, which comes before all else. But a reader that
    meets a bad escape, or one cut short, may stop there and never miss the end.
    """
    rules = [defect.rule for defect in defects]
    if "json.syntax" not in rules:
        return Refused("json.syntax", quote)
    return Refused(rules[0] if rules[0] == "json.syntax" else EITHER, TASTE)
