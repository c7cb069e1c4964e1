"""The check before a release finds what must not be released, and passes what may."""

from __future__ import annotations

import io
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import release_check  # noqa: E402

FILES = ("pyproject.toml", "CHANGELOG.md", "CITATION.cff", "src/sobre/__init__.py")


@pytest.fixture
def project(tmp_path):
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_this_project_agrees_with_itself(project):
    assert list(release_check.of_versions(project)) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "problem"),
    [
        ("pyproject.toml", 'version = "0.1.0"', 'version = "0.2.0"', "__version__ is 0.1.0"),
        ("pyproject.toml", "\ndependencies = []", '\ndependencies = ["x"]', "it needs nothing"),
        ("src/sobre/__init__.py", '"0.1.0"', '"0.1.1"', "__version__ is 0.1.1"),
        ("CHANGELOG.md", "## [0.1.0]", "## [0.0.9]", "the newest version is 0.0.9"),
        ("CHANGELOG.md", "## [0.1.0] - 2026-12-01", "## [0.1.0]", "needs a date"),
        ("CHANGELOG.md", "## [0.1.0] - 2026-12-01", "## [0.1.0] - soon", "needs a date"),
        ("CHANGELOG.md", "## [Unreleased]", "## Soon", "the first heading is ## [Unreleased]"),
        ("CITATION.cff", "version: 0.1.0", "version: 0.1", "its version is not 0.1.0"),
    ],
)
def test_what_disagrees_is_named(project, name, old, new, problem):
    text = (project / name).read_text(encoding="utf-8")
    assert old in text
    (project / name).write_text(text.replace(old, new), encoding="utf-8")
    assert problem in "\n".join(release_check.of_versions(project))


def archive(path, names):
    if path.suffix == ".whl":
        with zipfile.ZipFile(path, "w") as wheel:
            for name in names:
                wheel.writestr(name, "text")
        return path
    with tarfile.open(path, "w:gz") as sdist:
        for name in names:
            member = tarfile.TarInfo(f"sobre-0.1.0/{name}")
            member.size = 4
            sdist.addfile(member, io.BytesIO(b"text"))
    return path


@pytest.mark.parametrize("kind", ["sobre.whl", "sobre.tar.gz"])
def test_what_is_in_an_archive(kind, tmp_path):
    good = archive(tmp_path / kind, ["sobre/a.py", "sobre/py.typed"])
    assert list(release_check.of_archive(good, 10_000, ("sobre/py.typed",))) == []
    unwanted = [
        "sobre/__pycache__/a.cpython-311.pyc",
        "tests/node/node_modules/ajv/index.js",
        ".venv/pyvenv.cfg",
        "shared/official/receipt.schema.json",
        "secret.pem",
        ".env.local",
        "sobre/a.py.orig",
    ]
    bad = archive(tmp_path / kind, unwanted)
    problems = list(release_check.of_archive(bad, 10, ("sobre/py.typed",)))
    assert "bytes are more than 10" in problems[0]
    for name in unwanted:
        assert f"{kind}: {name} should not be there" in problems
    assert problems[-1] == f"{kind}: sobre/py.typed is missing"


def test_a_wheel_that_cannot_be_installed_is_a_problem(tmp_path):
    wheel = archive(tmp_path / "sobre-0.1.0-py3-none-any.whl", ["sobre/__init__.py"])
    (problem,) = release_check.of_installing(wheel, tmp_path / "environment")
    assert problem.startswith("sobre-0.1.0-py3-none-any.whl: ")
    assert "failed once installed" in problem


def test_the_issue_forms_are_well_formed():
    forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    assert [form.stem for form in forms] == ["adoption", "pilot", "problem"]
    for form in forms:
        read = yaml.safe_load(form.read_text(encoding="utf-8"))
        assert read["name"]
        assert read["description"]
        ids = [part["id"] for part in read["body"] if "id" in part]
        assert len(ids) == len(set(ids))
        for part in read["body"]:
            assert part["type"] in ("markdown", "input", "textarea", "dropdown", "checkboxes")
            assert part["attributes"].get("label") or part["attributes"].get("value")


def test_nobody_is_listed_who_did_not_ask():
    rows = [line for line in (ROOT / "ADOPTERS.md").read_text().splitlines() if line[:1] == "|"]
    assert len(rows) == 2, "a row needs evidence that a test here verifies; add that test with it"
