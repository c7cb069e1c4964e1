"""`sobre vectors` with whole validators of several kinds: ours, a foreign one, and useless ones."""

from __future__ import annotations

import shlex
import shutil
import sys

import pytest

from command import document, execute, posix, run
from node_packages import HERE as NODE
from node_packages import node
from sobre.contract.schemas import schema_bytes
from vector_cases import CORE

#: Seconds for all cases on a busy machine.
LONG = 900
ASKED = [case for case in CORE if "max_bytes" not in case]
SOUND = [case["id"] for case in ASKED if case["conformant"]]

#: What JSON.parse lets pass, or refuses, so that no schema can put it right.
AJV_DISAGREES = {
    "a byte order mark is refused": """
        bom-good-document bom-then-space
    """,
    "a name twice: the last one is taken": """
        duplicate-nested-object duplicate-object-in-array else-sound-duplicate-message
        else-sound-duplicate-success else-sound-duplicate-outcomes else-sound-duplicate-escaped
        else-sound-duplicate-unknown else-sound-duplicate-details else-sound-duplicate-deep
        else-sound-duplicate-empty-name else-sound-duplicate-proto else-sound-duplicate-letters
    """,
    "bytes that are not UTF-8 are replaced": """
        encoding-ff encoding-fe encoding-c0 encoding-c1 encoding-f5 encoding-five-byte-form
        encoding-overlong-slash encoding-overlong-quote encoding-overlong-three
        encoding-overlong-three-edge encoding-overlong-four encoding-overlong-four-edge
        encoding-modified-nul encoding-surrogate-high encoding-surrogate-low
        encoding-surrogate-pair-cesu encoding-beyond-unicode encoding-continuation-alone
        encoding-continuation-extra encoding-truncated-two encoding-truncated-three
        encoding-truncated-four encoding-latin-1 encoding-windows-1252-quotes else-sound-latin-1
        else-sound-overlong else-sound-encoded-surrogate
    """,
    "numbers become infinities": """
        range-rounds-to-infinity range-rounds-to-minus-infinity range-e400 range-minus-e400
        range-capital-e-plus range-e309 range-exponent-leading-zeros range-exponent-huge
        range-large-mantissa-exponent-308 range-long-integer-fraction range-integer-309-nines
        range-integer-310-digits range-integer-first-out-of-range
        range-integer-first-out-of-range-negative range-integer-2-1024 range-integer-5000-digits
        range-integer-20000-digits range-in-named-field range-nested else-sound-exponent-400
        else-sound-minus-exponent-400 else-sound-integer-400-digits
    """,
    "halves of surrogate pairs are kept": """
        else-sound-half-pair else-sound-half-pair-name surrogate-high surrogate-high-last
        surrogate-low surrogate-low-last surrogate-reversed surrogate-high-high
        surrogate-high-high-low surrogate-pair-low surrogate-split-by-letter
        surrogate-split-by-escape surrogate-split-by-escaped-backslash
        surrogate-high-then-bmp-escape surrogate-high-then-raw-emoji
        surrogate-after-escaped-backslash surrogate-after-text surrogate-low-in-nested-name
        surrogate-split-over-strings surrogate-in-unknown-field
    """,
    "nothing is too deep": """
        depth-513-with-root-object depth-513-objects depth-513-mixed
        depth-513-mixed-innermost-array depth-520-mixed else-sound-depth
    """,
}


def test_ours_agrees_with_every_vector():
    command = f"{shlex.quote(sys.executable)} -m sobre validate {{file}}"
    done = run("vectors", "--command", command, "--json", "--timeout", "60", seconds=LONG)
    found = document(done)
    assert found["success"], [case for case in found["details"]["cases"] if not case["agrees"]]
    assert [case["id"] for case in found["details"]["cases"]] == [case["id"] for case in ASKED]
    assert found["details"]["asked"] == found["details"]["agree"] == len(ASKED)
    assert found["details"]["left_out"] == len(CORE) - len(ASKED) > 0


def test_ajv_disagrees_where_json_parse_does(tmp_path):
    program = node()
    (tmp_path / "schema.json").write_bytes(schema_bytes("contract"))
    module = str(tmp_path / "compiled.cjs")
    paths = {"NODE_PATH": str(NODE / "node_modules")}
    compiled = execute(
        [program, str(NODE / "compile.cjs"), str(tmp_path / "schema.json"), module], env=paths
    )
    assert compiled == (0, b"", "")
    command = shlex.join([program, str(NODE / "validate.cjs"), module, "{file}"])
    done = run(
        "vectors", "--command", command, "--json", "--timeout", "60", env=paths, seconds=LONG
    )
    cases = document(done)["details"]["cases"]
    known = [id for ids in AJV_DISAGREES.values() for id in ids.split()]
    assert len(known) == len(set(known))
    assert sorted(case["id"] for case in cases if not case["agrees"]) == sorted(known)
    assert all(case["ending"] in ("exit status 0", "exit status 1") for case in cases)
    assert all(case["agrees"] for case in cases if case["file"].startswith("core/"))


@posix
@pytest.mark.parametrize("program", ["true", "false"])
def test_a_validator_that_always_says_the_same(program):
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program}")
    command = f"{program} {{file}}"
    done = run("vectors", "--command", command, "--json", "--timeout", "60", seconds=LONG)
    details = document(done)["details"]
    says = program == "true"
    assert {case["found"] for case in details["cases"]} == {says}
    assert details["agree"] == (len(SOUND) if says else len(ASKED) - len(SOUND))
    assert details["agree"] + details["disagree"] == details["asked"] == len(ASKED)
    assert details["no_verdict"] == 0
    agreed = [case["id"] for case in details["cases"] if case["agrees"]]
    assert agreed == [case["id"] for case in ASKED if case["conformant"] is says]
    assert done.status == 1


@pytest.mark.parametrize("as_json", [False, True])
def test_a_validator_that_cannot_start(as_json, tmp_path):
    command = f"{shlex.quote(str(tmp_path / 'no such program'))} {{file}}"
    words = ["--json"] if as_json else []
    done = run("vectors", "--command", command, *words, seconds=LONG)
    assert done.status == 1
    assert done.err == ""
    if as_json:
        details = document(done)["details"]
        assert details["no_verdict"] == details["asked"] == len(ASKED)
        assert {case["found"] for case in details["cases"]} == {None}
        assert not any(case["agrees"] for case in details["cases"])
    else:
        text = done.out.decode()
        assert text.count("it cannot be started") == 1
        assert f"gives no verdict on {len(ASKED)}" in text
