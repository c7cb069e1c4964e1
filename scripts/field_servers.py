"""MCP servers that no one here wrote: the other half of what the field report is about.

Those of npm are installed by `npm ci` in tests/node_servers, those of PyPI with
the development tools. None of the calls needs a network or an account. A row
for another server is all that it takes to have it in the report and the tests.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
NODE = ROOT / "tests" / "node_servers"
#: In arguments, this is the port of a loopback HTTP server that shows the folder.
PORT = "8000"
#: What keeps the servers from writing elsewhere, and from asking the network.
ENVIRONMENT = {"MEMORY_FILE_PATH": "memory.json", "NO_UPDATE_NOTIFIER": "1"}


class Server(NamedTuple):
    """A server: its package, where that is from, its words, and a tool with two calls of it.

    A server without a tool is listed and not called.
    """

    package: str
    source: str
    words: list[str]
    tool: str = ""
    success: dict[str, Any] = {}
    failure: dict[str, Any] = {}

    @property
    def version(self) -> str:
        """The version that the lock file or pyproject.toml pins."""
        if self.source == "npm":
            manifest = json.loads((NODE / "package.json").read_text(encoding="utf-8"))
            return str(manifest["dependencies"][self.package])
        text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        return text.partition(f'"{self.package}==')[2].partition('"')[0]

    @property
    def program(self) -> str | None:
        """The path of the program as it is installed here, or None."""
        if self.source == "npm":
            found = NODE / "node_modules" / ".bin" / self.words[0]
            return str(found) if found.exists() and shutil.which("node") else None
        return shutil.which(self.words[0], path=str(Path(sys.executable).parent))

    @property
    def install(self) -> str:
        """The command line that installs it."""
        if self.source == "npm":
            return f"npm install {self.package}@{self.version}"
        return f"pip install {self.package}=={self.version}"

    def options(self, *program: str, port: str = PORT) -> list[str]:
        """The options of a probe, with the program named by these words."""
        words = ["--stdio", shlex.join([*program, *self.words[1:]])]
        if self.tool:
            calls = [json.dumps(one).replace(PORT, port) for one in (self.success, self.failure)]
            words += ["--tool", self.tool, "--success", calls[0], "--failure", calls[1]]
        return words


def _official(name: str) -> str:
    return f"@modelcontextprotocol/server-{name}"


_THOUGHT = {"thought": "x", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1}
_NOTE = {"entityName": "missing", "contents": ["x"]}
_HOURS = {"time": "12:00", "target_timezone": "Europe/Paris"}
SERVERS = [
    Server(
        _official("everything"),
        "npm",
        ["mcp-server-everything"],
        "get-structured-content",
        {"location": "New York"},
        {"location": "nowhere"},
    ),
    Server(
        _official("filesystem"),
        "npm",
        ["mcp-server-filesystem", "."],
        "read_text_file",
        {"path": "README.md"},
        {"path": "missing"},
    ),
    Server(
        _official("memory"),
        "npm",
        ["mcp-server-memory"],
        "add_observations",
        {"observations": []},
        {"observations": [_NOTE]},
    ),
    Server(
        _official("sequential-thinking"),
        "npm",
        ["mcp-server-sequential-thinking"],
        "sequentialthinking",
        _THOUGHT,
        {},
    ),
    Server("@notionhq/notion-mcp-server", "npm", ["notion-mcp-server"]),
    Server("@playwright/mcp", "npm", ["playwright-mcp"]),
    Server("@upstash/context7-mcp", "npm", ["context7-mcp"]),
    Server(
        "mcp-server-fetch",
        "PyPI",
        ["mcp-server-fetch", "--allow-private-ips"],
        "fetch",
        {"url": f"http://127.0.0.1:{PORT}/README.md"},
        {"url": f"http://127.0.0.1:{PORT}/missing"},
    ),
    Server(
        "mcp-server-git",
        "PyPI",
        ["mcp-server-git"],
        "git_status",
        {"repo_path": "."},
        {"repo_path": "missing"},
    ),
    Server(
        "mcp-server-time",
        "PyPI",
        ["mcp-server-time"],
        "convert_time",
        {"source_timezone": "UTC", **_HOURS},
        {"source_timezone": "nowhere", **_HOURS},
    ),
]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def place(folder: Path) -> Iterator[str]:
    """Make the folder in which the servers run; the port at which it is shown meanwhile."""
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    (folder / "README.md").write_text("# Field\n", encoding="utf-8")
    http = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = Thread(target=http.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield str(http.server_port)
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


def environment() -> dict[str, str]:
    """The environment of the probes."""
    return {**os.environ, **ENVIRONMENT, "PYTHONPATH": str(ROOT / "src")}
