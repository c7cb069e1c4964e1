"""The cases of `vectors/`, for the tests that run them."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from sobre.evidence.pair import judge_pair

VECTORS = Path(__file__).parent.parent / "vectors"
#: Folder -> least number of cases.
FOLDERS = {"core": 120, "reader": 80, "mcp": 500, "evidence": 90}
CASES = {
    folder: [
        case
        for path in sorted((VECTORS / folder).glob("*.json"))
        for case in json.loads(path.read_bytes())["cases"]
    ]
    for folder in FOLDERS
}
CORE = CASES["core"] + CASES["reader"]
LOCATED = [case for case in CORE if "at" in case]


def by_id(cases):
    return pytest.mark.parametrize("case", cases, ids=lambda case: case["id"])


def data_of(case, name="document"):
    """The bytes of a case, of its tool definition (`tool_definition`), or of one of its files."""
    if name in case:
        return json.dumps(case[name]).encode()
    encoded = case["bytes_base64" if name == "document" else f"{name}_base64"]
    return base64.b64decode(encoded, validate=True)


def judged_pair(case, folder):
    """The pair that a case describes, from files in a folder, and the bytes of each file."""
    data = {
        name: None if case[name] is None else data_of(case[name])
        for name in ("success", "failure", "tool_definition")
        if name in case
    }
    paths = {name: str(folder / f"{name}.json") for name in data}
    for name, content in data.items():
        if content is not None:
            (folder / f"{name}.json").write_bytes(content)
    pair = judge_pair(
        case["profile"], paths["success"], paths["failure"], paths.get("tool_definition")
    )
    return pair, data
