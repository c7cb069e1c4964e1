"""Reading in an interpreter that has not imported `json`, as the command line does.

The C scanner of some versions relies on `json.decoder` being there to raise its
error, so what is refused must be refused in a fresh process, too.
"""

import subprocess
import sys

SCRIPT = """
import sys
from sobre.json_text import DocumentError, read
assert not any(name == "json" or name.startswith("json.") for name in sys.modules)
for data in {documents!r}:
    for name in [name for name in sys.modules if "json_exact" in name or name[:4] == "json"]:
        del sys.modules[name]
    try:
        print("read", ascii(read(data)))
    except DocumentError as error:
        print(error.rule, error.offset)
"""

DOCUMENTS = {
    b'{"a":1': "json.syntax 6",
    b'{"a" 1}': "json.syntax 5",
    b'{"a":"\\x"}': "json.syntax 6",
    b'"abc': "json.syntax 0",
    b"[1,]": "json.syntax 3",
    b'"\\u12"': "json.syntax 1",
    b'{"a":1} x': "json.trailing_data 8",
    b"": "json.empty 0",
    b"[": "json.syntax 1",
    b'{"a":1,"a":2}': "json.duplicate_name 7",
    b"[1e400]": "json.number_range 1",
    b'["\xc3\xa9", 1.5e3]': "read ['\\xe9', 1500.0]",
}


def test_every_refusal_is_a_document_error_without_the_json_package():
    script = SCRIPT.format(documents=list(DOCUMENTS))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.splitlines() == list(DOCUMENTS.values())
