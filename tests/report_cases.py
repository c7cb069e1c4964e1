"""Reports whose every text from outside is hostile, or is what a test gives."""

from __future__ import annotations

from hypothesis import strategies as st

from sobre.contract.findings import Finding
from sobre.evidence.exhibit import Exhibit
from sobre.evidence.verify import Problem, Verification
from sobre.profiles import Judgement
from sobre.report.build import of_evidence, of_validation, of_verification
from sobre.report.model import Report, Table

#: What each of these does where it is not escaped for the place, in its name.
HOSTILE = {
    "closes details": "</details><script>document.documentElement.dataset.pwned=1</script>",
    "closes style": "</style></title></textarea><img src=x onerror='document.title=\"pwned\"'>",
    "closes a comment": "--><svg/onload=document.documentElement.dataset.pwned=1>",
    "closes CDATA": "]]><failure message='no'/><!--",
    "is a link": "[click](javascript:alert(1)) <javascript:alert(1)> javascript:alert(1)",
    "is an image": "![x](https://evil.example/x.png)",
    "links itself": "https://evil.example www.evil.example me@evil.example",
    "mentions": "@octocat @org/team #1 org/repo#2 GH-3 :tada:",
    "names a commit": "da39a3ee5e6b4b0d3255bfef95601890afd80709 da39a3e",
    "commands": "::error::pwned",
    "commands later": "x ##[error]pwned ##vso[task.complete] ##teamcity[x]",
    "breaks tables": "a|b\\|c\\\\|d",
    "backticks": "` `` ``` ```` `a` ``b`` " + "`" * 33 + " " + "`" * 200,
    "a fence": "```\n</code></pre>\n~~~\n```",
    "blocks": "\n\n# heading\n\n- item\n> quote\n***\n===\n<div>\n    code\n",
    "entities": "&lt;b&gt; &amp; &#64;octocat &colon;",
    "NUL and controls": "a\0b\x01\x07\x08\x0b\x0c\x1b[31mred\x1b]0;title\x07\x7f\x85\x9b31m",
    "line ends": "a\rb\r\nc\u2028d\u2029e",
    "bidi": "safe\u202egnp.exe\u202c \u2066isolate\u2069 \u200bzero\u200d\ufeff",
    "astral": "\U0001f600 e\u0301 \U000e0041 \ufffe \uffff \ue000",
    "templates": "{{ 7 * 7 }} {% raw %} {# x #} ${7*7} {0} {1}",
    "SARIF links": "[text](1) \\[x\\] {0} {{0}} [a](https://evil.example)",
    "paths": "../../etc/passwd?q=1#frag%2e%2e a:b //host/share C:\\x",
    "quotes": '" \' \\ \\" &quot; &#39; `',
}

_pieces = st.sampled_from(
    [*HOSTILE.values(), *"`|<>&\"'[](){}@#:*_~\\/!-=+.\n\r\t\0\x1b\u202e ]]>"]
)
#: Any text, and any mixture of hostile ones.
texts = st.text(max_size=30) | st.lists(_pieces | st.text(max_size=4), max_size=6).map("".join)
filled = texts.filter(bool)


def exhibit(file, data=b"{}", findings=(), **judged):
    """A file with whatever findings a test likes."""
    return Exhibit(file, data, Judgement(None, list(findings), **judged))


def validation(text="plain", data=None):
    """A report of one good and one bad file with a text in every place for one."""
    data = b'{"message": ""}' if data is None else data
    findings = [
        Finding("core.message.blank", f"/{text}", text),
        Finding("json.syntax", "", text, min(len(data), 3)),
        Finding("core.whitespace_portability", "/message", text),
        Finding("unknown.rule", "", text),
    ]
    exhibits = [
        exhibit("good.json"),
        exhibit(text, data, findings),
        exhibit(text, None, findings[3:]),
    ]
    return of_validation(exhibits, "core", again=[["sobre", "validate", text]])


def verification(text="plain", *, conforms=True):
    """A report of a receipt that fails in its last claim, with a text in every place for one."""
    pair = _Pair(text)
    found = Verification()
    found.problems = [[], [], [], [Problem("not_conformant", text)]]
    found.pair = pair
    return of_verification(found, text, conforms=conforms, again=[["sobre", "verify", text]])


def malformed(text="plain", count=1):
    """A report of a receipt that is none."""
    found = Verification()
    found.problems = [[Problem("receipt_malformed", text)] * count]
    return of_verification(found, text)


def evidence(text="plain"):
    """A report of a pair whose receipt could not be written."""
    receipt = {
        "success": False,
        "message": f"No receipt was written: {text}.",
        "error_code": "receipt_path_conflict",
        "details": {"violations": [text]},
    }
    return of_evidence(_Pair(text), receipt, [f"Note: {text}"], again=[["sobre", text]])


def overview(text="plain", *, in_place=False):
    """A report with a table, with a text in every place for one."""
    finding = Finding("tool.schema.invalid", f"/{text}", text)
    rows = [["a tool", "canonical_ref", "conforms", "Nothing to do."], [text, text, text, text]]
    return Report(
        {"success": False, "message": f"Message: {text}", "error_code": "conformance_failed"},
        command="probe",
        profile="",
        exhibits=[("tool", exhibit(text, b"{}", [finding]))],
        findings=[Finding("server.message", "", text)],
        notes=[f"Note: {text}"],
        again=[["sobre", text]],
        table=Table("Tools", ["Tool", "Output schema", "Found", "Advice"], rows, in_place=in_place),
    )


class _Pair:
    """What the renderers need of a pair."""

    def __init__(self, text):
        broken = [Finding("core.message.blank", "/message", text)]
        data = f'{{"message": "{text}"}}'.encode("utf-8", "replace")
        self.profile = "mcp-2026-07-28"
        self.cases = {
            "success": exhibit("success.json"),
            "failure": exhibit(text, data, broken, success=False),
        }
        facts = {"output_schema_checked": True, "output_schema_mode": "canonical_ref"}
        self.tool_definition = exhibit(text, data, facts=facts)
        self.findings = [Finding("evidence.tool_definition.missing", "", text)]


#: Every kind of report, from one text.
REPORTS = {
    "validation": validation,
    "verification": verification,
    "verification aside": lambda text="plain": verification(text, conforms=False),
    "malformed": malformed,
    "evidence": evidence,
    "overview": overview,
    "overview in place": lambda text="plain": overview(text, in_place=True),
}


def many(count, text="x"):
    """A report of one file with so many findings, and as many pieces of text."""
    data = b'{"warnings": [' + b", ".join([b'""'] * count) + b"]}"
    findings = [
        Finding("core.warnings.item.blank", f"/warnings/{index}", text) for index in range(count)
    ]
    return of_validation([exhibit("many.json", data, findings)], "core")


def files(count):
    """A report of so many files."""
    return of_validation([exhibit(f"{index}.json") for index in range(count)], "core")
