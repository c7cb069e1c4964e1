"""`sobre attest`: a receipt as an in-toto Statement, read by in-toto's own package."""

from __future__ import annotations

import hashlib
import json
import os
import stat

import pytest
from google.protobuf import json_format
from in_toto_attestation.predicates.test_result.v0 import test_result_pb2 as predicates
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.resource_descriptor import ResourceDescriptor
from in_toto_attestation.v1.statement import STATEMENT_TYPE_URI, Statement

from command import FAILURE, SUCCESS, document, linux, posix, powerless, run, write_pair
from sobre import CONTRACT_URL, __version__
from sobre.contract import RECEIPT_URL
from sobre.contract.compose import tool_output_schema
from sobre.contract.schemas import SCHEMAS, schema_bytes
from sobre.evidence.attestation import build_statement
from sobre.evidence.verify import verify_receipt
from sobre.json_text import read
from sobre.json_write import pretty

BROKEN = b'{"success": true, "message": " "}\n'


def result(data):
    """A tool's answer that carries a result."""
    structured = read(data)
    text = {"type": "text", "text": data.decode()}
    answer = {"structuredContent": structured, "content": [text], "resultType": "complete"}
    return pretty({**answer, "isError": not structured["success"]})


def make(folder, profile="core", success=SUCCESS, failure=FAILURE, tool=True, names=None):
    """A receipt in a folder over a pair in it."""
    folder.mkdir(exist_ok=True)
    mcp = profile != "core"
    write_pair(folder, *(map(result, (success, failure)) if mcp else (success, failure)))
    words = ["--profile", profile, "--report", "receipt.json"]
    if mcp and tool:
        definition = {"name": "copy", "outputSchema": tool_output_schema()}
        (folder / "tool.json").write_bytes(pretty(definition))
        words += ["--tool-definition", "tool.json"]
    first, second = names or ("success.json", "failure.json")
    return run("evidence", "--success", first, "--failure", second, *words, cwd=folder)


@pytest.fixture
def folder(tmp_path):
    """A folder with a conforming pair and its receipt."""
    place = tmp_path / "evidence"
    assert make(place).status == 0
    return place


def attest(folder, *words, **options):
    return run("attest", "receipt.json", *words, cwd=folder, **options)


def stated(data):
    """The statement, its subjects by name, its predicate: in-toto's messages know every member."""
    statement = read(data)
    message = json_format.Parse(data, statement_pb2.Statement())
    checked = Statement.copy_from_pb(message)
    checked.validate()
    assert message.type == STATEMENT_TYPE_URI == statement["_type"]
    assert json.loads(json_format.MessageToJson(message)) == statement
    predicate = json_format.ParseDict(statement["predicate"], predicates.TestResult())
    for descriptor in predicate.configuration:
        ResourceDescriptor.copy_from_pb(descriptor).validate()
    names = [subject["name"] for subject in statement["subject"]]
    assert len(set(names)) == len(names)
    assert all(list(subject["digest"]) == ["sha256"] for subject in statement["subject"])
    digests = {subject["name"]: subject["digest"]["sha256"] for subject in statement["subject"]}
    return statement, digests, predicate


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


# -- what is stated ---------------------------------------------------------------


@pytest.mark.parametrize("profile", ["core", "mcp-2025-06-18", "mcp-2025-11-25", "mcp-2026-07-28"])
def test_a_conforming_receipt(tmp_path, profile):
    folder = tmp_path / "evidence"
    assert make(folder, profile).status == 0
    done = attest(folder)
    assert (done.status, done.err) == (0, "")
    statement, digests, predicate = stated(done.out)
    assert statement["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    names = ["receipt.json", "success.json", "failure.json"]
    names += ["tool.json"] if profile != "core" else []
    assert digests == {name: digest(folder / name) for name in names}
    assert list(digests) == names
    assert predicate.result == "PASSED"
    tests = [f"{profile}/{name}" for name in ("success", "failure", "pair")]
    assert list(predicate.passed_tests) == tests
    assert list(predicate.failed_tests) == []


def test_the_configuration_is_this_implementation_and_its_schemas(folder):
    statement, _, _ = stated(attest(folder).out)
    ours, *schemas = statement["predicate"]["configuration"]
    assert ours == {"name": "sobre", "annotations": {"version": __version__, "profile": "core"}}
    urls = {"contract": CONTRACT_URL, "receipt": RECEIPT_URL}
    assert schemas == [
        {
            "name": file,
            "digest": {"sha256": hashlib.sha256(schema_bytes(name)).hexdigest()},
            "annotations": {"states": urls[name]},
        }
        for name, file in SCHEMAS.items()
    ]


NONCONFORMING = {
    "a broken success": ({"success": BROKEN}, ["failure", "pair"], ["success"]),
    "a broken failure": ({"failure": BROKEN}, ["success", "pair"], ["failure"]),
    "both": ({"success": b"{", "failure": b""}, ["pair"], ["success", "failure"]),
    "no definition": (
        {"profile": "mcp-2025-11-25", "tool": False},
        ["success", "failure"],
        ["pair"],
    ),
}


@pytest.mark.parametrize("what", NONCONFORMING)
def test_a_receipt_of_what_does_not_conform_is_attested_as_that(tmp_path, what):
    options, passed, failed = NONCONFORMING[what]
    folder = tmp_path / "evidence"
    assert make(folder, **options).status == 1
    done = attest(folder)
    assert (done.status, done.err) == (0, "")
    _, digests, predicate = stated(done.out)
    profile = options.get("profile", "core")
    assert predicate.result == "FAILED"
    assert list(predicate.passed_tests) == [f"{profile}/{name}" for name in passed]
    assert list(predicate.failed_tests) == [f"{profile}/{name}" for name in failed]
    assert digests == {
        name: digest(folder / name) for name in ("receipt.json", "success.json", "failure.json")
    }


def test_a_file_for_both_cases_is_one_subject(tmp_path):
    folder = tmp_path / "evidence"
    assert make(folder, names=("success.json", "success.json")).status == 1
    _, digests, predicate = stated(attest(folder).out)
    assert list(digests) == ["receipt.json", "success.json"]
    assert list(predicate.failed_tests) == ["core/failure"]


def test_a_file_by_two_names_is_two_subjects(tmp_path):
    folder = tmp_path / "evidence"
    assert make(folder, names=("success.json", "./success.json")).status == 1
    _, digests, _ = stated(attest(folder).out)
    assert list(digests) == ["receipt.json", "success.json", "./success.json"]


def test_two_files_of_one_name_have_each_their_own(tmp_path):
    """The receipt is called as a file of the evidence is, which lies under another root."""
    folder = tmp_path / "evidence"
    make(folder)
    (folder / "receipt.json").rename(tmp_path / "success.json")
    done = run("attest", "success.json", "--root", "evidence", cwd=tmp_path)
    _, digests, _ = stated(done.out)
    assert digests == {
        "success.json": digest(tmp_path / "success.json"),
        "success.json (success)": digest(folder / "success.json"),
        "failure.json": digest(folder / "failure.json"),
    }


def test_a_file_that_could_not_be_read_is_no_subject(tmp_path):
    folder = tmp_path / "evidence"
    assert make(folder, names=("nothing.json", "failure.json")).status == 1
    _, digests, predicate = stated(attest(folder).out)
    assert list(digests) == ["receipt.json", "failure.json"]
    assert list(predicate.failed_tests) == ["core/success"]


def test_what_nobody_hashed_is_no_subject(folder):
    """The core profile has no use for a tool definition that someone else's receipt names."""
    (folder / "tool.json").write_bytes(b"{}")
    receipt = read((folder / "receipt.json").read_bytes())
    receipt["details"]["tool_definition"] = {"file": "tool.json", "sha256": "0" * 64}
    (folder / "receipt.json").write_bytes(pretty(receipt))
    done = attest(folder)
    if done.status == 0:
        assert "tool.json" not in stated(done.out)[1]


def test_names_are_those_of_the_receipt_and_its_path_as_typed(folder):
    typed = os.path.join("..", folder.name, "receipt.json")
    _, digests, _ = stated(run("attest", typed, cwd=folder).out)
    assert list(digests) == [typed, "success.json", "failure.json"]


@posix
def test_names_of_files_that_are_no_text(tmp_path):
    folder = tmp_path / "evidence"
    make(folder)
    (folder / "receipt.json").rename(folder / "\udcff\x1b\u00e9.json")
    _, digests, _ = stated(run("attest", "\udcff\x1b\u00e9.json", cwd=folder).out)
    assert next(iter(digests)) == "\\xff\x1b\u00e9.json"


def test_the_statement_is_the_same_each_time_wherever_it_goes(folder):
    printed = attest(folder, env={"TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "1"}).out
    assert attest(folder, env={"PYTHONHASHSEED": "2"}).out == printed
    written = attest(folder, "-o", "statement.json")
    assert written == (0, b"", "sobre: the statement is in 'statement.json'\n")
    assert (folder / "statement.json").read_bytes() == printed
    assert printed == pretty(read(printed))
    assert b"/" + folder.parent.name.encode() not in printed


def test_only_what_was_verified_can_be_stated(folder):
    receipt = str(folder / "receipt.json")
    (folder / "success.json").write_bytes(BROKEN)
    with pytest.raises(ValueError, match="only a receipt that is true of its files"):
        build_statement(verify_receipt(receipt, root=str(folder)), receipt)
    with pytest.raises(ValueError, match="only a receipt"):
        build_statement(verify_receipt(str(folder / "nothing.json")), receipt)


# -- what is refused ----------------------------------------------------------------


def edited(folder, **changes):
    receipt = read((folder / "receipt.json").read_bytes())
    (folder / "receipt.json").write_bytes(pretty({**receipt, **changes}))


REFUSALS = {
    "evidence_missing": lambda folder: (folder / "failure.json").unlink(),
    "evidence_changed": lambda folder: (folder / "failure.json").write_bytes(FAILURE + b" "),
    "evidence_swapped": lambda folder: write_pair(folder, FAILURE, SUCCESS),
    "receipt_unreadable": lambda folder: (folder / "receipt.json").unlink(),
    "invalid_json_input": lambda folder: (folder / "receipt.json").write_bytes(b"{"),
    "receipt_malformed": lambda folder: edited(folder, extra=1),
    "verdict_differs": lambda folder: edited(
        folder, success=False, error_code="conformance_failed"
    ),
}


@pytest.mark.parametrize("output", [None, "statement.json"])
@pytest.mark.parametrize("code", REFUSALS)
def test_a_receipt_that_is_not_true_is_not_attested(folder, code, output):
    REFUSALS[code](folder)
    before = sorted(os.listdir(folder))
    words = ["-o", output] if output else []
    answer = document(attest(folder, "--json", *words))
    assert answer["error_code"] == code
    done = attest(folder, *words)
    assert done.status == 1
    assert b"_type" not in done.out
    assert sorted(os.listdir(folder)) == before


def test_a_file_outside_of_the_root_is_not_attested(folder):
    inner = folder / "inner"
    inner.mkdir()
    answer = document(attest(folder, "--json", "--root", "inner"))
    assert answer["error_code"] in ("evidence_missing", "path_outside_root")


@pytest.mark.parametrize("name", ["receipt.json", "success.json", "failure.json", "tool.json"])
@pytest.mark.parametrize("spelling", ["plain", "dotted", "absolute", "symbolic", "hard"])
def test_no_input_is_written_over_by_any_spelling(tmp_path, name, spelling):
    folder = tmp_path / "evidence"
    make(folder, "mcp-2025-11-25")
    target = folder / name
    data = target.read_bytes()
    output = {"dotted": f"../evidence/./{name}", "absolute": str(target)}.get(spelling, name)
    if spelling in ("symbolic", "hard"):
        output = "link.json"
        make_link = os.symlink if spelling == "symbolic" else os.link
        try:
            make_link(target, folder / output)
        except OSError:
            pytest.skip("no such links here")
    before = sorted(os.listdir(folder))
    done = attest(folder, "-o", output)
    assert (done.status, done.out) == (2, b"")
    assert done.err.endswith("is an input and is not written over\n")
    answer = document(attest(folder, "-o", output, "--json"))
    assert answer["error_code"] == "usage_error"
    assert target.read_bytes() == data
    assert sorted(os.listdir(folder)) == before


# -- where it is written ---------------------------------------------------------------


def test_an_older_statement_is_replaced(folder):
    (folder / "statement.json").write_bytes(b"old")
    assert attest(folder, "-o", "statement.json").status == 0
    assert stated((folder / "statement.json").read_bytes())


@posix
def test_a_link_at_the_place_is_replaced_and_not_followed(folder):
    (folder / "other.json").write_bytes(b"other")
    (folder / "statement.json").symlink_to("other.json")
    assert attest(folder, "-o", "statement.json").status == 0
    assert not (folder / "statement.json").is_symlink()
    assert (folder / "other.json").read_bytes() == b"other"


def test_the_receipt_can_come_from_standard_input(folder):
    data = (folder / "receipt.json").read_bytes()
    done = run("attest", "-", "-o", "statement.json", cwd=folder, input=data)
    assert (done.status, done.out) == (0, b"")
    _, digests, _ = stated((folder / "statement.json").read_bytes())
    assert digests["-"] == hashlib.sha256(data).hexdigest()


def test_a_dash_is_no_place_to_write_to(folder):
    done = attest(folder, "-o", "-")
    assert (done.status, done.out) == (2, b"")
    assert not (folder / "-").exists()


def test_success_in_json_says_where_it_is(folder):
    answer = document(attest(folder, "-o", "statement.json", "--json"))
    assert answer["success"] is True
    assert answer["details"] == {"statement": "statement.json"}
    assert answer["meta"]["command"] == "attest"


@pytest.mark.parametrize("output", ["", ".", "nothing/statement.json", "receipt.json/x"])
def test_where_it_cannot_be_written_is_a_failure_that_leaves_nothing(folder, output):
    before = sorted(os.listdir(folder))
    done = attest(folder, "-o", output)
    assert (done.status, done.out) == (1, b"")
    assert done.err.startswith(f"sobre attest: cannot write '{output}': ")
    answer = document(attest(folder, "-o", output, "--json"))
    assert answer["error_code"] == "statement_write_failed"
    assert sorted(os.listdir(folder)) == before


@posix
def test_a_folder_that_takes_no_files_is_a_failure(folder):
    closed = folder / "closed"
    closed.mkdir()
    closed.chmod(stat.S_IRUSR | stat.S_IXUSR)
    done = attest(folder, "-o", "closed/statement.json", **powerless())
    assert done.status == 1
    assert os.listdir(closed) == []


@linux
def test_a_device_is_not_replaced(folder):
    done = attest(folder, "-o", "/dev/full")
    assert done.status == 1
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_a_limit_on_what_is_read(folder):
    answer = document(attest(folder, "--json", "--max-bytes", "10"))
    assert answer["success"] is False
