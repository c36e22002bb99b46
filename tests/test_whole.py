"""What is written is whole or not there; what takes long says how far it is."""

import io
import sys

import pytest

from draftproof._progress import Bar
from draftproof._whole import whole


def test_a_file_is_written_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / "new" / "found.json"
    for text in ("first", "second"):
        with whole(path) as part:
            part.write_text(text)
        assert path.read_text() == text
        assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("stop", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("written", ["", "half a fi"])
def test_a_write_that_is_stopped_leaves_the_old_file(tmp_path, stop, written):
    path = tmp_path / "found.json"
    path.write_text("the old one")
    with pytest.raises(stop), whole(path) as part:
        part.write_text(written)
        raise stop
    assert path.read_text() == "the old one"
    assert list(tmp_path.iterdir()) == [path]


def test_until_it_is_whole_the_old_file_is_read(tmp_path):
    path = tmp_path / "found.json"
    path.write_text("the old one")
    with whole(path) as part:
        part.write_text("the new")
        assert path.read_text() == "the old one"
    assert path.read_text() == "the new"


def test_a_block_that_writes_nothing_is_an_error(tmp_path):
    path = tmp_path / "found.json"
    path.write_text("the old one")
    with pytest.raises(FileNotFoundError), whole(path):
        pass
    assert path.read_text() == "the old one"


def test_results_are_finite_or_not_written(tmp_path):
    from benchmarks.files import write

    path = tmp_path / "found.json"
    write(path, {"α": 0.5})
    with pytest.raises(ValueError, match="not JSON compliant"):
        write(path, {"α": float("nan")})
    assert path.read_text(encoding="utf-8") == '{\n "α": 0.5\n}\n'


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("steps", [1, 20])
def test_a_bar_in_a_log_is_a_line_a_tenth(monkeypatch, steps):
    monkeypatch.setattr(sys, "stderr", log := io.StringIO())
    bar = Bar(200)
    for _ in range(200 // steps):
        bar("draws", steps)
    lines = log.getvalue().splitlines()
    assert [line.split("]")[1].split()[0] for line in lines] == [f"{k}0%" for k in range(1, 11)]
    assert lines[-1].startswith("[" + 30 * "#" + "]")


def test_a_bar_on_a_screen_is_one_line(monkeypatch):
    monkeypatch.setattr(sys, "stderr", screen := Screen())
    bar = Bar(3, done=1)  # a run that goes on
    bar("one")
    assert screen.getvalue().count("\n") == 0
    bar("two")
    bar.finish()
    assert screen.getvalue().count("\n") == 1
    assert screen.getvalue().count("\r") == 2
