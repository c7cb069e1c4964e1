"""The report as JUnit XML: a test case for each file, for the files together, for each claim.

A case fails exactly if it is a reason for the verdict. Where conformance does
not count, what is wrong with the files is told and their cases are skipped.
What XML 1.0 forbids, or nobody would see, is written as its escape.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ..contract.findings import Finding, violations
from .escape import for_terminal
from .model import Report
from .view import count, plural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..evidence.exhibit import Exhibit

    Told = list[tuple[Finding, str]]


def render(report: Report) -> bytes:
    """One suite with its cases."""
    suite = Element("testsuite", name=f"sobre {report.command}")
    for role, exhibit in report.exhibits:
        name = f"{role}: {exhibit.file}" if role else exhibit.file
        _judged(suite, report, name, _located(exhibit))
    if report.findings or report.command != "validate":
        _judged(suite, report, "as a whole", [(finding, "") for finding in report.findings])
    for claim in report.claims:
        case = _case(suite, "receipt", claim.statement)
        problems = [for_terminal(str(problem)) for problem in claim.problems]
        if claim.holds is None or not (claim.holds or report.counts(claim)):
            why = "not checked" if claim.holds is None else "does not count here"
            SubElement(case, "skipped", message=why)
        elif not claim.holds:
            _fail(case, plural(len(problems), "problem"), claim.problems[0].code, problems)
    root = Element("testsuites", name="sobre")
    root.append(suite)
    for element in (suite, root):
        element.set("tests", str(len(suite)))
        element.set("failures", str(len(suite.findall("testcase/failure"))))
        element.set("errors", "0")
        element.set("skipped", str(len(suite.findall("testcase/skipped"))))
        element.set("time", "0")
    indent(root)
    xml: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return xml + b"\n"


def _located(exhibit: Exhibit) -> Told:
    """The findings of a file, each with `file:line:column: `."""
    places = zip(exhibit.judgement.findings, exhibit.places(), strict=True)
    return [
        (finding, f"{exhibit.file}:{place[1]}:{place[2]}: " if place else f"{exhibit.file}: ")
        for finding, place in places
    ]


def _judged(suite: Element, report: Report, name: str, told: Told) -> None:
    """The case of what was judged by the profile."""
    case = _case(suite, report.profile or "sobre", name)
    broken = violations(finding for finding, _ in told)
    lines = [_line(*one) for one in told if one[0].severity == "violation"]
    output = [_line(*one) for one in told if one[0].severity != "violation"]
    if broken and report.conformance_counts:
        _fail(case, count(broken), broken[0].rule, lines)
    elif broken:
        SubElement(case, "skipped", message="does not conform, which does not count here")
        output = lines + output
    if output:
        SubElement(case, "system-out").text = _block(output)


def _case(suite: Element, group: str, name: str) -> Element:
    names = {"classname": for_terminal(group), "name": for_terminal(name)}
    return SubElement(suite, "testcase", {**names, "time": "0"})


def _fail(case: Element, message: str, kind: str, lines: list[str]) -> None:
    SubElement(case, "failure", message=message, type=kind).text = _block(lines)


def _line(finding: Finding, place: str) -> str:
    pointer = f" at {finding.pointer}" if finding.pointer else ""
    line = for_terminal(f"{place}{finding.rule}{pointer}: {finding.message}")
    return f"{line}\n    fix: {finding.fix}" if finding.fix else line


def _block(lines: list[str]) -> str:
    return "\n" + "".join(f"{line}\n" for line in lines)
