"""The GitHub Action behind action.yml: an evidence pair, judged inside a workspace.

Inputs come as SOBRE_* variables and nothing else. What was found goes to the
receipt, to GITHUB_OUTPUT, to GITHUB_STEP_SUMMARY and, as annotations, to
standard output. Exit status: 0 the pair conforms, 1 it does not, 2 the action
could not do as it was asked, and no receipt was written.
"""

import os
import secrets
import stat
import sys
from hashlib import sha256

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "src"))

from sobre.contract import RECEIPT_URL
from sobre.contract.findings import Finding
from sobre.contract.schemas import schema_bytes
from sobre.evidence.pair import judge_pair
from sobre.evidence.receipt import build_receipt, write_receipt
from sobre.files import same_file
from sobre.profiles import PROFILES
from sobre.report.build import of_evidence
from sobre.report.escape import bounded
from sobre.report.markdown import code
from sobre.report.markdown import render as render_markdown
from sobre.report.model import Report
from sobre.report.text import render as render_text
from sobre.report.view import parts

STATUSES = {"none": 0, "conformance": 1, "operational": 2}
#: Annotations of one file. The receipt has all findings.
MAX_ANNOTATIONS = 50
#: Characters of one annotation.
MAX_TEXT = 2000


class Refused(Exception):
    """The inputs ask for something that the action does not do; the text says why."""


class Conclusion:
    """What to tell GitHub: outputs, the summary, text for the log, and annotations."""

    def __init__(self, outputs: dict[str, str], summary: bytes) -> None:
        self.outputs = outputs
        self.summary = summary
        self.log = b""
        self.annotations: list[str] = []


def main() -> int:
    """Judge, tell GitHub, and return the exit status."""
    outputs = {
        "report": "",
        "conformant": "false",
        "profile": "",
        "receipt_schema": RECEIPT_URL,
        "contract_schema_sha256": sha256(schema_bytes("contract")).hexdigest(),
        "output_schema_mode": "none",
        "failure_kind": "operational",
    }
    try:
        conclusion = judge(outputs)
    except Refused as refused:
        conclusion = refusal(outputs, str(refused))
    except Exception as error:  # Whatever it is, the outputs are set and the job fails.
        conclusion = refusal(outputs, f"unexpected {type(error).__name__}: {error}")
    told = tell(conclusion)
    return STATUSES[outputs["failure_kind"]] if told else STATUSES["operational"]


# -- the evidence --------------------------------------------------------------


def judge(outputs: dict[str, str]) -> Conclusion:
    """Judge the pair that the inputs name and write its receipt. Completes the outputs."""
    profile = os.environ.get("SOBRE_PROFILE", "")
    if profile not in PROFILES:
        choices = ", ".join(PROFILES)
        raise Refused(f"there is no profile {shown(profile)}; choose from {choices}")
    outputs["profile"] = profile
    if PROFILES[profile] is None:
        outputs["output_schema_mode"] = "not_applicable"
    workspace = enter_workspace()
    evidence = [confined("success", workspace), confined("failure", workspace)]
    if os.environ.get("SOBRE_TOOL_DEFINITION"):
        evidence.append(confined("tool-definition", workspace))
    report = confined("report", workspace)
    pair = judge_pair(profile, *evidence)
    if pair.tool_definition is not None:
        outputs["output_schema_mode"] = pair.case_facts("success")["output_schema_mode"] or "none"
    make_folder(report, evidence)
    receipt = write_receipt(build_receipt(pair), report, evidence)
    notes, again = [], []
    if receipt.get("error_code") in (None, "conformance_failed"):
        outputs["report"] = report
        outputs["failure_kind"] = "none" if receipt["success"] else "conformance"
        outputs["conformant"] = str(receipt["success"]).lower()
        notes, again = [f"Receipt: {report}"], [["sobre", "verify", report]]
    return conclude(outputs, of_evidence(pair, receipt, notes, again=again))


def enter_workspace() -> str:
    """Make the workspace the current directory; its path without symbolic links."""
    workspace = os.environ.get("GITHUB_WORKSPACE", "")
    if not workspace:
        raise Refused("GITHUB_WORKSPACE is not set: this runs as a step of a workflow")
    try:
        workspace = os.path.realpath(workspace)
        os.chdir(workspace)
    except OSError as error:
        raise Refused(f"the workspace cannot be entered: {error.strerror}") from None
    return workspace


def confined(name: str, workspace: str) -> str:
    """An input's path, relative to the workspace, with forward slashes.

    The folder is taken without symbolic links; a link in the last place keeps
    its name and, like everything on the way, may not lead out.
    """
    value = os.environ.get("SOBRE_" + name.upper().replace("-", "_"), "")
    refuse_text(name, value)
    folder, last = os.path.split(os.path.join(workspace, value))
    if last in ("", os.curdir, os.pardir):
        raise Refused(f"the input `{name}` names a folder, not a file: {shown(value)}")
    place = os.path.join(os.path.realpath(folder), last)
    inside = os.path.join(os.path.normcase(workspace), "")
    for path in (place, os.path.realpath(place)):
        if not os.path.normcase(path).startswith(inside):
            raise Refused(f"the input `{name}` leads out of the workspace: {shown(value)}")
    relative = place[len(inside) :].replace(os.sep, "/")
    if os.name == "nt" and ":" in relative:
        raise Refused(f"the input `{name}` names a stream of a file: {shown(value)}")
    try:
        mode = os.stat(place).st_mode
    except OSError:
        mode = stat.S_IFREG
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise Refused(f"the input `{name}` names a device or a pipe: {shown(value)}")
    return "./-" if relative == "-" else relative  # A bare `-` is standard input.


def refuse_text(name: str, value: str) -> None:
    """Refuse what cannot be a path in a receipt, an output or a line of a log."""
    if not value.strip():
        raise Refused(f"the input `{name}` is empty")
    if "\0" in value or value.splitlines() != [value]:
        raise Refused(f"the input `{name}` holds a line break or NUL: {shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Refused(f"the input `{name}` is not Unicode text: {shown(value)}") from None


def make_folder(report: str, evidence: list[str]) -> None:
    """Make the folder of the receipt. If that fails, so does writing, which says why."""
    folder = os.path.dirname(report)
    if not folder or any(same_file(report, path) for path in evidence):
        return
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        pass


# -- what was found --------------------------------------------------------------


def conclude(outputs: dict[str, str], report: Report) -> Conclusion:
    """What to tell of a report."""
    title = "PASS" if report.conformant else "FAIL"
    heading = f"# {title}: QZX Result Contract v1, {outputs['profile']} profile\n\n".encode()
    conclusion = Conclusion(outputs, heading + render_markdown(report))
    conclusion.log = f"{title}\n".encode() + render_text(report)
    for part in parts(report, each=MAX_ANNOTATIONS):
        for finding, place in part.rows:
            _, line, column = map(str, place or ("", "", ""))
            where = {"file": part.exhibit.file, "line": line, "col": column}
            conclusion.annotations.append(annotation(finding, **where))
    conclusion.annotations += map(annotation, report.findings)
    return conclusion


def refusal(outputs: dict[str, str], reason: str) -> Conclusion:
    """What to tell when the action could not do as it was asked."""
    outputs.update(conformant="false", failure_kind="operational")
    reason = bounded(reason, MAX_TEXT) + ("" if outputs["report"] else ". No receipt was written.")
    conclusion = Conclusion(outputs, f"# FAIL: not judged\n\n{code(reason, MAX_TEXT)}\n".encode())
    conclusion.annotations.append(command("error", reason, title="sobre"))
    return conclusion


# -- GitHub ------------------------------------------------------------------------


def annotation(finding: Finding, **place: str) -> str:
    """The workflow command that shows a finding at its place."""
    kind = "error" if finding.severity == "violation" else "warning"
    text = bounded(f"{finding}. {finding.fix}".rstrip(), MAX_TEXT)
    return command(kind, text, title=finding.rule, **place)


def command(name: str, message: str, **properties: str) -> str:
    """A workflow command. No text in it can end it or become another one."""
    pairs = [f"{key}={property_value(value)}" for key, value in properties.items() if value]
    return f"::{name} {','.join(pairs)}::{data_value(message)}"


def data_value(text: str) -> str:
    """Text as the data of a workflow command, escaped as GitHub documents it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def property_value(text: str) -> str:
    """Text as a property of a workflow command, escaped as GitHub documents it."""
    return data_value(text).replace(":", "%3A").replace(",", "%2C")


def shown(value: str) -> str:
    """An input as a short quotation of printable ASCII."""
    return ascii(value if len(value) <= 200 else value[:200] + "...")


def tell(conclusion: Conclusion) -> bool:
    """Set the outputs, then write the summary and the log. False if the outputs are not set."""
    told = append("GITHUB_OUTPUT", output_lines(conclusion.outputs).encode())
    append("GITHUB_STEP_SUMMARY", conclusion.summary)
    # While commands are stopped, no line of the log is one.
    token = secrets.token_hex(16)
    lines = [f"{line}\n".encode() for line in conclusion.annotations]
    if conclusion.log:
        stop, go_on = f"::stop-commands::{token}\n".encode(), f"::{token}::\n".encode()
        lines = [stop, conclusion.log, go_on, *lines]
    sys.stdout.buffer.write(b"".join(lines))
    return told


def output_lines(outputs: dict[str, str]) -> str:
    """Outputs in the form whose delimiter no value can hold."""
    lines = []
    for name, value in outputs.items():
        delimiter = f"ghadelimiter_{secrets.token_hex(16)}"
        lines.append(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")
    return "".join(lines)


def append(variable: str, data: bytes) -> bool:
    """Add to the file that a variable names. False if it cannot be; no file is no failure."""
    path = os.environ.get(variable)
    if not path:
        return True
    try:
        with open(path, "ab") as file:
            file.write(data)
    except OSError as error:
        print(f"sobre: cannot write to {variable}: {error.strerror}", file=sys.stderr)
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
