"""`sobre serve`: the operations as tools, over standard input and output and over HTTP."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import urllib.error
import urllib.request

import psutil
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from command import finish, posix, start
from command import run as sobre
from mcp_talk import ERAS, SOBRE, listening, over_stdio, run, structured
from sobre.contract.compose import tool_output_schema
from sobre.operations import OPERATIONS, operation

each_era = pytest.mark.parametrize("era", ERAS)


@each_era
def test_the_tools_are_the_operations_with_their_own_parameters(era):
    async def main():
        async with over_stdio(*SOBRE, "serve", era=era) as client:
            assert client.protocol_version == ERAS[era]
            return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in run(main)}
    available = [name for name in OPERATIONS if operation(name).is_available()]
    assert list(tools) == available
    for name, tool in tools.items():
        declared = operation(name)
        assert tool.input_schema == declared.input_schema()
        assert tool.output_schema == tool_output_schema(declared.domain_schema())
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.open_world_hint is (name == "checkDns")
        assert tool.title
        assert tool.description


@each_era
def test_outcomes(era, tmp_path):
    (tmp_path / "note.txt").write_text("a note\n")

    async def main():
        async with over_stdio(*SOBRE, "serve", "--root", str(tmp_path), era=era) as client:
            read = await client.call_tool("readFile", {"path": "note.txt"})
            missing = await client.call_tool("readFile", {"path": "none.txt"})
            wrong = await client.call_tool("readFile", {"path": 5, "colour": "red"})
            found = await client.call_tool("findFiles", {"pattern": ["*.txt"]})
            with pytest.raises(MCPError, match="Unknown tool 'none': there are"):
                await client.call_tool("none", {})
            return read, missing, wrong, found

    read, missing, wrong, found = map(structured, run(main))
    assert (read["success"], read["output"]) == (True, "a note\n")
    assert missing["error_code"] == "path_not_found"
    assert wrong["error_code"] == "invalid_arguments"
    assert [one["name"] for one in wrong["details"]["arguments"]] == ["path", "colour"]
    assert [one["name"] for one in found["files"]] == ["note.txt"]


def test_a_long_operation_tells_how_far_it_has_come_and_ends_when_nobody_waits(tmp_path):
    for folder in range(30):
        (tmp_path / str(folder)).mkdir()
        for name in range(100):
            (tmp_path / str(folder) / str(name)).touch()
    told = []

    async def on_progress(progress, total, message):
        told.append((progress, message))

    async def main():
        async with over_stdio(*SOBRE, "serve", "--root", str(tmp_path)) as client:
            result = await client.call_tool("findFiles", {}, progress_callback=on_progress)
            return structured(result)

    assert run(main)["matched"] == 3000
    assert [progress for progress, _ in told] == list(range(1, len(told) + 1))
    assert all("folder" in message for _, message in told)


def test_only_some():
    async def main():
        words = [*SOBRE, "serve", "--only", "readFile, getCurrentDateTime,readFile"]
        async with over_stdio(*words) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    assert run(main) == ["readFile", "getCurrentDateTime"]


def test_http_for_clients_of_both_eras():
    async def main(url):
        seen = []
        for era in ERAS:
            async with Client(url, mode=era) as client:
                result = structured(await client.call_tool("getCurrentDateTime", {}))
                seen.append((client.protocol_version, result["success"]))
        return seen

    with listening("serve") as (_, url):
        assert run(lambda: main(url)) == [(revision, True) for revision in ERAS.values()]


def post(url, **headers):
    """The HTTP status of an initialize request with these headers."""
    params = {"protocolVersion": "2025-11-25", "capabilities": {}}
    params["clientInfo"] = {"name": "test", "version": "1"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(
        url,
        json.dumps(message).encode(),
        {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **headers,
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def test_http_is_closed_to_names_and_origins_that_nobody_allowed():
    with listening("serve", "--allow-host", "tools.example") as (_, url):
        port = url.split(":")[2].split("/")[0]
        assert post(url) == 200
        assert post(url, Host="tools.example") == 200
        assert post(url, Host=f"localhost:{port}", Origin=f"http://localhost:{port}") == 200
        assert post(url, Host="evil.example") == 421
        assert post(url, Host=f"evil.example:{port}") == 421
        assert post(url, Origin="http://evil.example") == 403
        assert post(url, Origin="null") == 403


def test_http_listens_on_the_loopback_unless_told_otherwise():
    with listening("serve") as (process, _):
        (bound,) = psutil.Process(process.pid).net_connections("tcp")
        assert bound.laddr.ip == "127.0.0.1"


@pytest.mark.skipif(not socket.has_ipv6, reason="there is no IPv6 here")
def test_http_over_ipv6():
    with start("serve", "--http", "[::1]:0", stderr=subprocess.PIPE) as process:
        line = process.stderr.readline().decode()
        if "[::1]" in line and "cannot" in line:
            finish(process)
            pytest.skip("there is no IPv6 loopback here")
        url = line.partition(": ")[2].strip()
        assert url.startswith("http://[::1]:")
        assert post(url) == 200
        process.terminate()
        finish(process)


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_a_signal_ends_it(way, number):
    words = ["--http", "127.0.0.1:0"] if way == "http" else []
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with start("serve", *words, **pipes) as process:
        if way == "http":
            process.stderr.readline()
        else:
            ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            process.stdin.write(json.dumps(ping).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == 1
        process.send_signal(number)
        assert process.wait(timeout=10) == 128 + number


def test_it_ends_when_the_client_closes_the_input():
    assert sobre("serve", input=b"") == (0, b"", "")


def test_what_is_no_message_gets_no_other_answer_than_an_error():
    lines = b'no json\n{"jsonrpc": "2.0", "id": 7, "method": "ping"}\n'
    done = sobre("serve", input=lines)
    assert done.status == 0
    assert [json.loads(line).get("id") for line in done.out.splitlines()] == [7]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--http", "nowhere"], "'nowhere' is no address such as 127.0.0.1:8000"),
        (["--http", "127.0.0.1:65536"], "is no address"),
        (["--http", ":80"], "is no address"),
        (["--http", "::1:80"], "write an IPv6 host in brackets"),
        (["--http", "192.0.2.1:80"], "--http 192.0.2.1:80: "),
        (["--only", "none"], "--only: there is no operation 'none'; there are getCurrentDateTime"),
        (["--only", ""], "there is no operation ''"),
        (["--root", "none"], "--root none: no such file or directory"),
        (["--root", __file__], "not a directory"),
        (["more"], "unrecognized arguments: more"),
    ],
)
def test_wrong_usage(words, reason):
    done = sobre("serve", *words)
    assert (done.status, done.out) == (2, b"")
    assert reason in done.err


def test_a_port_that_is_in_use():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = sobre("serve", "--http", str(taken.getsockname()[1]))
    assert done.status == 2
    assert "address already in use" in done.err


def test_without_the_extra_it_says_what_to_install(tmp_path):
    (tmp_path / "mcp.py").write_text("raise ImportError('No module named mcp', name='mcp')")
    for command in (["serve"], ["proxy", "--", "true"]):
        done = sobre(*command, env={"PYTHONPATH": str(tmp_path)})
        assert (done.status, done.out) == (1, b"")
        assert "pip install 'sobre[mcp]'" in done.err
        assert "Traceback" not in done.err


def test_what_the_process_prints_itself_never_reaches_the_client(tmp_path):
    """Something prints, again and again, while calls are answered."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, threading\n"
        "def noise():\n"
        "    print('noise', flush=True)\n"
        "    os.write(1, b'more noise')\n"
        "    again()\n"
        "def again():\n"
        "    timer = threading.Timer(0.01, noise)\n"
        "    timer.daemon = True\n"
        "    timer.start()\n"
        "threading.Timer(0.5, again).start()\n"
    )

    async def main(errors):
        env = {"PYTHONPATH": str(tmp_path)}
        async with over_stdio(*SOBRE, "serve", errors=errors, env=env) as client:
            await client.list_tools()
            while "more noise" not in (tmp_path / "errors").read_text():
                structured(await client.call_tool("getCurrentDateTime", {}))

    with open(tmp_path / "errors", "w") as errors:
        run(lambda: main(errors))
