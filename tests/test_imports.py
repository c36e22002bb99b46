"""The core is light: what it imports, how fast it loads, what an installation of it brings."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "draftproof"
NOT_CORE = {"book", "decode", "figures", "widgets"}
HEAVY = ("torch", "matplotlib", "ipywidgets", "IPython", "sphinx", "transformers")


def core_files():
    return [
        path
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).parts[0] not in NOT_CORE
    ]


def imported(path):
    """Top-level names of all absolute imports in a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.split(".")[0]


@pytest.mark.parametrize("path", core_files(), ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_core_imports_numpy_and_scipy_only(path):
    foreign = set(imported(path)) - set(sys.stdlib_module_names) - {"draftproof"}
    assert foreign <= {"numpy", "scipy"}


def seconds(code, runs=3):
    """Shortest of some fresh interpreters' own measurement of one statement."""
    program = (
        f"import time\nstart = time.perf_counter()\n{code}\n"
        "import sys\n"
        f"print(time.perf_counter() - start, *(m for m in {HEAVY!r} if m in sys.modules))"
    )
    best, loaded = float("inf"), []
    for _ in range(runs):
        answer = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        first, *loaded = answer.stdout.split()
        best = min(best, float(first))
    return best, loaded


def test_import_is_fast_and_light():
    # Numpy alone takes most of the time on a slow or busy machine, so it is measured beside it.
    numpy_alone, _ = seconds("import numpy")
    ours, loaded = seconds("import draftproof")
    assert loaded == []
    assert ours < max(0.3, 2 * numpy_alone)


@pytest.mark.slow
@pytest.mark.network
def test_installing_the_core_brings_numpy_and_scipy_only(tmp_path, run):
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed"]
    command += ["--timeout", "20", "--quiet", "--report", report, PACKAGE.parents[1]]
    done = run(command)
    if done.returncode and ("NewConnectionError" in done.said or "Timeout" in done.said):
        pytest.skip("the package registry does not answer")
    assert done.returncode == 0, done.said
    plan = json.loads(report.read_text(encoding="utf-8"))["install"]
    names = {entry["metadata"]["name"].lower() for entry in plan}
    assert names == {"draftproof", "numpy", "scipy"}
    versions = {entry["metadata"].get("requires_python") for entry in plan} - {None}
    assert "<3.14,>=3.11" in versions


@pytest.mark.parametrize("name", ["README.md", "pyproject.toml"])
def test_metadata_reads_what_exists(name):
    assert (PACKAGE.parents[1] / name).is_file()
