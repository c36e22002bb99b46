"""figures/ holds what a fresh run of ``python -m draftproof.figures`` writes, byte for byte."""

import os
import sys
from pathlib import Path

import pytest

FIGURES = Path(__file__).resolve().parents[2] / "figures"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory, run):
    pytest.importorskip("draftproof.figures.__main__")
    out = tmp_path_factory.mktemp("figures")
    # Another hash seed than the committed run's: the drawings must not depend on it.
    command = [sys.executable, "-m", "draftproof.figures", out]
    done = run(command, timeout=500, env={**os.environ, "PYTHONHASHSEED": "7"})
    assert done.returncode == 0, done.said
    return out


def test_same_names(fresh):
    assert {p.name for p in fresh.glob("*.svg")} == {p.name for p in FIGURES.glob("*.svg")}


def test_same_bytes(fresh):
    changed = [
        p.name
        for p in sorted(fresh.glob("*.svg"))
        if (FIGURES / p.name).is_file() and p.read_bytes() != (FIGURES / p.name).read_bytes()
    ]
    assert changed == [], "run `make figures` and commit figures/"


def test_four_drawings_each(fresh):
    names = {p.name for p in fresh.glob("*.svg")}
    stems = {name.split(".")[0] for name in names}
    endings = (".svg", ".dark.svg", ".phone.svg", ".phone.dark.svg")
    assert names == {stem + ending for stem in stems for ending in endings}


@pytest.mark.skipif(not os.environ.get("CI"), reason="in CI: `make book` must not change figures/")
def test_building_changed_nothing_committed(run):
    root = FIGURES.parent
    if not (root / ".git").exists():
        pytest.skip("not a git checkout")
    done = run(["git", "-C", root, "status", "--porcelain", "--", "figures"])
    if done.returncode:
        pytest.skip(done.said.strip())
    assert done.said == "", "figures/ differs from the commit: run `make figures` and commit"
