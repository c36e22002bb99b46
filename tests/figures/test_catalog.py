"""The catalogue, the command that writes its figures, and the committed ones."""

import os
import re
import sys
from pathlib import Path

import pytest

from draftproof.figures import __main__ as command
from draftproof.figures import marks
from draftproof.figures.catalog import CATALOG
from draftproof.figures.labels import Label
from draftproof.figures.plate import drawing, svg
from draftproof.figures.recipe import file_name, recipe


@drawing
def square(plate, side):
    ax = plate.pixels(60)
    marks.mass(ax, "accepted", (10, 10, side, side), key="square")
    plate.say(caption="a square.", alt=f"A square of {side} pixels.")


@pytest.fixture
def few(monkeypatch):
    entries = [recipe(square, lambda: 20), recipe(square, lambda: (30,), name="big-square")]
    monkeypatch.setattr(command, "CATALOG", {entry.name: entry for entry in entries})


FIGURES = Path(__file__).resolve().parents[2] / "figures"
VARIANTS = ("", ".dark", ".phone", ".phone.dark")


def test_names_can_stand_in_a_file_name():
    assert len(CATALOG) > 10
    for name, entry in CATALOG.items():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) and entry.name == name


def test_writing_is_complete_and_repeatable(few, tmp_path, capsys):
    assert command.main([str(tmp_path), "--jobs", "1"]) == 0
    wanted = {f"{name}{v}.svg" for name in ("square", "big-square") for v in VARIANTS}
    assert {p.name for p in tmp_path.iterdir()} == wanted
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    assert command.main([str(tmp_path), "--jobs", "1"]) == 0
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before
    assert "8 files" in capsys.readouterr().out


def test_leftovers_are_removed_but_other_files_stay(few, tmp_path):
    (tmp_path / "old.svg").write_text("old")
    (tmp_path / "notes.txt").write_text("mine")
    command.main([str(tmp_path), "--only", "square", "--jobs", "1"])
    assert (tmp_path / "old.svg").exists()
    command.main([str(tmp_path), "--jobs", "1"])
    assert not (tmp_path / "old.svg").exists()
    assert (tmp_path / "notes.txt").exists()


def test_check_tells_what_is_wrong_and_writes_nothing(few, tmp_path, capsys):
    command.main([str(tmp_path), "--jobs", "1"])
    assert command.main([str(tmp_path), "--check", "--jobs", "1"]) == 0
    (tmp_path / "square.svg").write_text("changed")
    (tmp_path / "big-square.svg").unlink()
    (tmp_path / "old.svg").write_text("old")
    capsys.readouterr()
    assert command.main([str(tmp_path), "--check", "--jobs", "1"]) == 1
    said = capsys.readouterr().out
    assert f"differs: {tmp_path / 'square.svg'}" in said
    assert f"missing: {tmp_path / 'big-square.svg'}" in said
    assert f"belongs to no figure: {tmp_path / 'old.svg'}" in said
    assert (tmp_path / "square.svg").read_text() == "changed"


def test_a_failed_write_leaves_the_old_file(few, tmp_path, monkeypatch):
    (tmp_path / "square.svg").write_text("old")

    def half(path, text, **options):
        path.write_bytes(text[:9].encode())
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "write_text", half)
    with pytest.raises(OSError, match="full"):
        command.main([str(tmp_path), "--only", "square", "--jobs", "1"])
    assert [p.name for p in tmp_path.iterdir()] == ["square.svg"]
    assert (tmp_path / "square.svg").read_bytes() == b"old"


def test_unknown_names_and_jobs_are_refused(few, capsys):
    for argv, said in (
        (["--only", "circle"], "no figure called circle; there are square, big-square"),
        (["--jobs", "0"], "--jobs must be at least 1; got 0"),
    ):
        with pytest.raises(SystemExit):
            command.main(argv)
        assert said in capsys.readouterr().err


def test_the_command_runs_in_a_fresh_process(tmp_path, run):
    command = [sys.executable, "-m", "draftproof.figures", tmp_path, "--only", "cut-and-slide"]
    done = run(command)
    assert done.returncode == 0, done.said
    assert len(list(tmp_path.glob("*.svg"))) == 4


# A size of a part that is nothing, or that hides how small it is: "rest 0.00 ms".
NOTHING = re.compile(r"((?<![\d.])0\.0+|[a-z]\s0)\s?(s|ms|µs|%)(?!\w)")


@pytest.fixture(scope="module", params=CATALOG)
def plates(request):
    """The four drawings of a figure, made once for the tests of it, which follow one another."""
    return CATALOG[request.param].plates()


def test_every_figure_is_whole(plates):
    for key in ("light-wide", "light-phone"):
        assert plates[key].faults() + plates[key].crossings() == [], key
        said = [text.get_text() for text in plates[key].findobj(Label)]
        assert [words for words in [*said, plates[key].alt] if NOTHING.search(words)] == [], key
    first = plates["light-wide"]
    assert first.caption.startswith("What to see: ") and first.caption.endswith((".", ".)"))
    assert len(first.alt) >= 80 and "$" not in first.caption + first.alt


def test_every_figure_is_as_committed(plates):
    """Byte for byte. Every process hashes with another seed: drawings must not depend on it."""
    changed = []
    for key, plate in plates.items():
        file = file_name(plate.name, key)
        if (FIGURES / file).read_bytes() != svg(plate).encode("utf-8"):
            changed.append(file)
    assert changed == [], "run `make figures` and commit figures/"


def test_the_committed_figures_are_those_of_the_catalogue():
    wanted = {f"{name}{v}.svg" for name in CATALOG for v in VARIANTS}
    assert {p.name for p in FIGURES.iterdir()} == wanted


@pytest.mark.skipif(not os.environ.get("CI"), reason="in CI: `make book` must not change figures/")
def test_building_changed_nothing_that_is_committed(root, run):
    if not (root / ".git").exists():
        pytest.skip("not a git checkout")
    done = run(["git", "-C", root, "status", "--porcelain", "--", "figures"])
    if done.returncode:
        pytest.skip(done.said.strip())
    assert done.said == "", "figures/ differs from the commit: run `make figures` and commit"
