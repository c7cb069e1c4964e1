"""The rows of the rule table about commands that were run (specification section 3).

A part of `RULES` in `rules.py`, which says what a row is.
"""

from __future__ import annotations

from . import VIOLATION, WARNING

#: rule id -> (severity, what it means, how to fix it)
COMMAND_RULES: dict[str, tuple[str, str, str]] = {
    "command.not_started": (
        VIOLATION,
        "The command could not be started.",
        "Check its name, its path and its permissions; no shell reads the command line.",
    ),
    "command.timeout": (
        VIOLATION,
        "The command did not end within its time.",
        "Give it a limit of its own and report a failure, or raise the limit (--timeout).",
    ),
    "command.signal": (
        VIOLATION,
        "The command was ended by a signal, so nothing says how its work ended.",
        "Catch what can be caught, write a failure, and end with an exit status.",
    ),
    "command.stdout.empty": (
        VIOLATION,
        "Nothing stands on standard output, where the result belongs.",
        "Write one JSON object with `success` and `message` there, in failures too.",
    ),
    "command.stdout.text": (
        VIOLATION,
        "Standard output holds text for people instead of a JSON document.",
        "With machine output asked for, write one JSON object and no other text.",
    ),
    "command.stdout.before": (
        VIOLATION,
        "Text stands before the document on standard output.",
        "Send logs, progress and warnings to standard error.",
    ),
    "command.stdout.between": (
        VIOLATION,
        "Text stands between documents on standard output.",
        "Send logs, progress and warnings to standard error, and write one document.",
    ),
    "command.stdout.after": (
        VIOLATION,
        "Text stands after the document on standard output.",
        "Send logs, progress and warnings to standard error.",
    ),
    "command.stdout.documents": (
        VIOLATION,
        "More than one document stands on standard output.",
        "Write one object at the end, with the others as an array in a field of it.",
    ),
    "command.stdout.colour": (
        VIOLATION,
        "Terminal escapes stand in the document, which no JSON reader takes.",
        "Colour nothing in machine output; colour text only if it goes to a terminal.",
    ),
    "command.stdout.encoding": (
        VIOLATION,
        "Standard output is not UTF-8.",
        "Write UTF-8, whatever the locale: in Python, sys.stdout.buffer or PYTHONUTF8=1.",
    ),
    "command.stdout.crlf": (
        WARNING,
        "Lines on standard output end in CR LF, so the same result has other bytes elsewhere.",
        "Write line feeds alone; open the stream in binary mode, or with newline set.",
    ),
    "command.stdout.size": (
        VIOLATION,
        "Standard output is larger than what is kept and judged.",
        "Write less, put bulk data in a file and name it, or raise the limit (--max-output).",
    ),
    "command.stderr.document": (
        VIOLATION,
        "The document stands on standard error.",
        "Write the result to standard output, in failures too; keep standard error for people.",
    ),
    "command.exit_status": (
        VIOLATION,
        "The exit status contradicts `success`: it is 0 if and only if that is true.",
        "Take the exit status from the result, in one place, after it was written.",
    ),
    "command.outcome": (
        VIOLATION,
        "The command did not have the outcome that was expected of it.",
        "Check the arguments first; if they are right, the outcome is not told truly.",
    ),
    "command.input.waits": (
        WARNING,
        "The command waits for input, so a caller that gives none hangs.",
        "With machine output asked for, never prompt: fail with an error code that says why.",
    ),
    "command.pager": (
        WARNING,
        "The command opens a pager, in which a caller without a keyboard hangs.",
        "Do not page machine output.",
    ),
    "command.terminal": (
        WARNING,
        "What the command writes depends on whether standard output is a terminal.",
        "Let an option such as --json decide on the form, and nothing else.",
    ),
    "command.processes.left": (
        WARNING,
        "Processes went on after the command had ended, so its work may not be done.",
        "Wait for what was started, or start it as a service and close its output.",
    ),
    "command.repeat.output": (
        WARNING,
        "The output differs from run to run, and not only in times.",
        "Sort what has no order, and keep what is random out or give it a telling name.",
    ),
    "command.repeat.outcome": (
        WARNING,
        "The command ends in different ways from run to run.",
        "If it may be run only once, say so in the failure (`error_code: already_done`).",
    ),
    "command.mapping": (
        WARNING,
        "The document is no contract object; this is what it would take to be one.",
        "Add the fields of the contract beside your own; nothing has to be removed.",
    ),
    "command.credential": (
        WARNING,
        "The output holds what looks like a credential.",
        "Look before you publish the evidence. Run the command without real credentials.",
    ),
    "command.environment": (
        VIOLATION,
        "The output holds the value of an environment variable that is named like a secret.",
        "Never print the environment. No evidence is written with it.",
    ),
    "command.evidence.unwritten": (
        VIOLATION,
        "The evidence folder was not written.",
        "Put right what is named, and probe again.",
    ),
}
