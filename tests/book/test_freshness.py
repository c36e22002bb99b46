"""A page never shows what an older package, style or failed build left."""

import pytest

freshness = pytest.importorskip("draftproof.book.freshness")

# The page's output depends on a file under src/ that its own text does not show.
PAGE = """# One page

```{code-cell} python
from pathlib import Path
print("value", Path("src/module.py").read_text())
```
"""


@pytest.fixture
def folder(tmp_path):
    package = tmp_path / "source" / "src"
    package.mkdir(parents=True)
    (package / "module.py").write_text("one")
    (tmp_path / "source" / "static").mkdir()
    return tmp_path


def test_fingerprint_sees_names_contents_and_absence(tmp_path):
    first, second = tmp_path / "a.py", tmp_path / "b.py"
    first.write_text("1")
    before = freshness.fingerprint(tmp_path, [first, second])
    assert before == freshness.fingerprint(tmp_path, [second, first])
    second.write_text("")
    both = freshness.fingerprint(tmp_path, [first, second])
    first.write_text("2")
    assert len({before, both, freshness.fingerprint(tmp_path, [first, second])}) == 3


def test_caches_of_tools_do_not_count(tmp_path):
    (tmp_path / "src" / "__pycache__").mkdir(parents=True)
    (tmp_path / "src" / "__pycache__" / "module.pyc").write_text("x")
    assert freshness.code_files(tmp_path) == [tmp_path / "requirements.txt"]


def test_change_in_src_runs_the_page_again(folder, build_page):
    assert "value one" in build_page(folder, PAGE)[0]
    (folder / "source/src/module.py").write_text("two")
    assert "value two" in build_page(folder, PAGE)[0]


def test_nothing_changed_runs_nothing(folder, build_page):
    build_page(folder, PAGE)
    page = folder / "out/html/index.html"
    written = page.stat().st_mtime_ns
    build_page(folder, PAGE)
    assert page.stat().st_mtime_ns == written
    assert len(list((folder / "out" / freshness.CACHE).iterdir())) == 1


def test_change_in_static_is_copied(folder, build_page):
    build_page(folder, PAGE)
    written = (folder / "out/html/index.html").stat().st_mtime_ns
    (folder / "source/static/style.css").write_text("p {}")
    build_page(folder, PAGE)
    assert (folder / "out/html/index.html").stat().st_mtime_ns > written


def test_warning_is_not_forgotten_by_the_next_build(folder, build_page):
    broken = PAGE + "\n{ref}`nowhere`\n"
    assert build_page(folder, broken)[1] > 0
    assert build_page(folder, broken)[1] > 0
