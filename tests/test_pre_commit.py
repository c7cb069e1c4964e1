""".pre-commit-hooks.yaml: what the real pre-commit does with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig

import pytest
import yaml

from command import FAILURE, SUCCESS
from github_runner import ROOT

MANIFEST = ROOT / ".pre-commit-hooks.yaml"
(HOOK,) = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
SCRIPTS = sysconfig.get_path("scripts")

pytestmark = [
    pytest.mark.skipif(shutil.which("git") is None, reason="needs git"),
    pytest.mark.skipif(
        shutil.which("sobre", path=SCRIPTS) is None, reason="needs sobre to be installed"
    ),
]


class Repository:
    """A git repository that uses the hook.

    pre-commit would install sobre from its own repository, which takes a
    network. So the hook stands in the configuration, as it is but for that.
    """

    def __init__(self, folder):
        self.folder = folder / "a repository"
        self.folder.mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        path = os.pathsep.join([SCRIPTS, os.environ["PATH"]])
        home = {"PRE_COMMIT_HOME": str(folder / "cache"), "PRE_COMMIT_COLOR": "never"}
        self.environment = {**kept, "PATH": path, **home}
        self.call("git", "init", "-q")

    def call(self, *words):
        return subprocess.run(
            words, cwd=self.folder, env=self.environment, capture_output=True, timeout=60
        )

    def run(self, contents, **hook):
        """Put files into the repository and run the hook over all of them: status and text."""
        local = {**HOOK, "language": "system", **hook}
        config = {"repos": [{"repo": "local", "hooks": [local]}]}
        (self.folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
        for name, data in contents.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        assert self.call("git", "add", "-A").returncode == 0
        done = self.call(sys.executable, "-m", "pre_commit", "run", "--all-files")
        assert b"An error has occurred" not in done.stdout, done
        return done.returncode, done.stdout.decode()


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path)


def test_the_manifest_is_valid(repository):
    done = repository.call(sys.executable, "-m", "pre_commit", "validate-manifest", str(MANIFEST))
    assert (done.returncode, done.stdout) == (0, b"")


def test_the_hook_installs_this_package():
    assert (HOOK["id"], HOOK["language"], HOOK["types"]) == ("sobre-validate", "python", ["json"])
    assert HOOK["entry"] == "sobre validate"


def test_files_that_conform(repository):
    status, text = repository.run({"evidence/success.json": SUCCESS, "a failure.json": FAILURE})
    assert status == 0
    assert "Passed" in text


def test_a_file_that_does_not_conform(repository):
    status, text = repository.run({"evidence/good.json": SUCCESS, "-bad one.json": b"{}"})
    assert status == 1
    assert "core.message.missing" in text
    assert "good.json: conforms" in text


def test_only_json_files_are_judged(repository):
    status, text = repository.run({"success.json": SUCCESS, "notes.txt": b"{}", "a.yaml": b"a: 1"})
    assert (status, "Passed" in text) == (0, True)
    status, text = repository.run({}, files="^nothing$")
    assert (status, "Skipped" in text) == (0, True)


def test_many_files_in_several_processes(repository):
    files = {f"evidence/{number}.json": SUCCESS for number in range(500)}
    assert repository.run(files)[0] == 0
    status, text = repository.run({"evidence/250.json": b"[]"})
    assert status == 1
    assert "250.json: does not conform" in text


def test_arguments_choose_the_profile(repository):
    answer = b'{"content": [], "structuredContent": %s, "isError": true}' % FAILURE
    files = {"evidence/failure.json": answer}
    assert repository.run(files)[0] == 1
    assert repository.run(files, args=["--profile", "mcp-2025-11-25"])[0] == 0
