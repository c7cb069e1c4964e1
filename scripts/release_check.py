"""Build what would be released and check it: `make release-check`.

Both archives are built from the files that git tracks, looked through, and the
wheel is installed without any index into an environment that holds nothing
else, where the command must work. Exit status: 0 if nothing is wrong, 1 if
something is, each problem on a line of its own.
"""

import ast
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Most bytes of an archive. The package is text; something that does not belong would be larger.
MAX_WHEEL, MAX_SDIST = 1_000_000, 4_000_000
#: Names that stand in no archive, as patterns of a whole path or of one part of it.
UNWANTED = (
    "__pycache__",
    "*.py[cod]",
    "*.so",
    ".venv",
    ".cache",
    ".git",
    ".hypothesis",
    ".DS_Store",
    "node_modules",
    "official",
    "*.orig",
    "*.rej",
    "*~",
    ".env*",
    "*.pem",
    "*.key",
)
#: What someone who has only the archive needs.
WANTED_IN_WHEEL = ("sobre/__init__.py", "sobre/py.typed", "sobre/_vectors/core/success.json")
WANTED_IN_SDIST = ("LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "src/sobre/py.typed")

_HEADING = re.compile(r"^## \[(?P<version>[^\]]+)\](?: - (?P<date>\S+))?$", re.MULTILINE)


def main() -> int:
    problems = list(of_versions(ROOT))
    with tempfile.TemporaryDirectory() as folder:
        built = build(Path(folder))
        problems += built.problems
        for wheel in built.wheels:
            problems += of_archive(wheel, MAX_WHEEL, WANTED_IN_WHEEL)
            problems += of_tool("check-wheel-contents", str(wheel))
            problems += of_installing(wheel, Path(folder) / "environment")
        for sdist in built.sdists:
            problems += of_archive(sdist, MAX_SDIST, WANTED_IN_SDIST)
        archives = [*built.wheels, *built.sdists]
        problems += of_tool("twine", "check", "--strict", *map(str, archives))
        sizes = ", ".join(f"{path.name} {path.stat().st_size:,} bytes" for path in archives)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        return 1
    print(f"Ready to release: {sizes}.")
    return 0


# -- versions ------------------------------------------------------------------


def of_versions(root: Path) -> Iterator[str]:
    """Where the package, its module, the changelog and the citation disagree about the version."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = project["version"]
    if project["dependencies"]:
        yield f"pyproject.toml: the package depends on {project['dependencies']}; it needs nothing"
    module = _assigned(root / "src" / "sobre" / "__init__.py", "__version__")
    if module != version:
        yield f"src/sobre/__init__.py: __version__ is {module}, pyproject.toml says {version}"
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = [(match["version"], match["date"]) for match in _HEADING.finditer(changelog)]
    if not headings or headings[0][0] != "Unreleased":
        yield "CHANGELOG.md: the first heading is ## [Unreleased]"
    released = [heading for heading in headings if heading[0] != "Unreleased"]
    if not released or released[0][0] != version:
        newest = released[0][0] if released else "none"
        yield f"CHANGELOG.md: the newest version is {newest}, pyproject.toml says {version}"
    for name, date in released:
        if date is None or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", date):
            yield f"CHANGELOG.md: version {name} needs a date, as in ## [{name}] - 2026-12-01"
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    if f"\nversion: {version}\n" not in citation:
        yield f"CITATION.cff: its version is not {version}"


def _assigned(path: Path, name: str) -> object:
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == name for target in node.targets
        ):
            return ast.literal_eval(node.value)
    return None


# -- archives ------------------------------------------------------------------


class Built:
    """What was built, and what went wrong."""

    def __init__(self, folder: Path, problems: list[str]) -> None:
        self.wheels = sorted(folder.glob("*.whl"))
        self.sdists = sorted(folder.glob("*.tar.gz"))
        self.problems = problems


def build(folder: Path) -> Built:
    """Build both archives from a copy of the tracked files, as a fresh clone has them."""
    copy = folder / "tracked"
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True
    ).stdout
    for name in filter(None, tracked.decode().split("\0")):
        source, target = ROOT / name, copy / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
    archives = folder / "archives"
    words = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(archives), str(copy)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    problems = [] if done.returncode == 0 else [f"build failed: {_last_line(done)}"]
    return Built(archives, problems)


def of_archive(path: Path, most: int, wanted: tuple[str, ...]) -> Iterator[str]:
    """What an archive holds that it should not, or lacks."""
    size = path.stat().st_size
    if size > most:
        yield f"{path.name}: {size:,} bytes are more than {most:,}"
    names = _names(path)
    for name in names:
        parts = name.split("/")
        if any(fnmatch(part, pattern) for part in parts for pattern in UNWANTED):
            yield f"{path.name}: {name} should not be there"
    for name in wanted:
        if name not in names:
            yield f"{path.name}: {name} is missing"


def _names(path: Path) -> list[str]:
    """The files of an archive; those of an sdist without its own folder."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return wheel.namelist()
    with tarfile.open(path) as sdist:
        return [member.name.partition("/")[2] for member in sdist if member.isfile()]


def of_tool(command: str, *words: str) -> Iterator[str]:
    """What a checker of the development environment says, if it is not content."""
    program = str(Path(sys.executable).with_name(command))
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        yield f"{command}: {_last_line(done)}"


def of_installing(wheel: Path, environment: Path) -> Iterator[str]:
    """What goes wrong when the wheel alone is installed, and its command used."""
    venv.create(environment, with_pip=False)
    scripts = environment / ("Scripts" if sys.platform == "win32" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", str(scripts / "python"), "-q", "install"]
    steps = [
        [*pip, "--no-index", str(wheel)],
        [str(scripts / "sobre"), "--version"],
        [str(scripts / "sobre"), "getCurrentDateTime", "--json"],
        [str(scripts / "python"), "-c", "import sobre; sobre.success('It is there.').to_json()"],
    ]
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True, check=False, cwd=environment)
        if done.returncode != 0:
            yield f"{wheel.name}: {' '.join(step[-2:])} failed once installed: {_last_line(done)}"
            return


def _last_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[-1] if lines else f"exit status {done.returncode}"


if __name__ == "__main__":
    sys.exit(main())
