"""Chapters are run side by side, and what fails is reported as ever."""

import os

import pytest

ahead = pytest.importorskip("draftproof.book.ahead")
INDEX = """# Two pages

```{toctree}
one
two
```
"""
# Each page waits for the other one to begin: one after another they would not meet.
MEET = """# Page {own}

```{{code-cell}} python
import time
from pathlib import Path
Path("{own}.begun").touch()
until = time.monotonic() + {patience}
while not Path("{other}.begun").exists() and time.monotonic() < until:
    time.sleep(0.05)
print("{own} met {other}:", Path("{other}.begun").exists())
```
"""
FAILS = """# Page two

```{code-cell} python
1 / 0
```
"""


@pytest.fixture
def two(tmp_path, build_page, preamble):
    """Return a function: build a book of two pages; gives their texts and the warnings."""

    def make(second=None, patience=60):
        source = tmp_path / "source"
        source.mkdir()
        one = MEET.format(own="one", other="two", patience=patience)
        two = second or MEET.format(own="two", other="one", patience=patience)
        for name, text in (("one", one), ("two", two)):
            (source / f"{name}.md").write_text(preamble + text, encoding="utf-8")
        _, warnings = build_page(tmp_path, INDEX)
        html = tmp_path / "out" / "html"
        return [(html / f"{name}.html").read_text("utf-8") for name in ("one", "two")], warnings

    return make


def test_two_pages_run_at_a_time(two, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    (one, other), warnings = two()
    assert "one met two: True" in one
    assert "two met one: True" in other
    assert warnings == 0


def test_one_core_runs_one_page_at_a_time(two, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    (one, other), warnings = two(patience=0.1)
    assert [f"met {name}: True" in text for name, text in (("two", one), ("one", other))] == [
        False,
        True,
    ]
    assert warnings == 0


def test_a_page_that_fails_fails_the_build(two, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    with pytest.raises(Exception, match="two"):
        two(FAILS, patience=0.1)
