"""The book on paper: one PDF, formulas set, figures whole, solutions behind their chapter."""

import re
import shutil
import subprocess
import sys

import pytest

pdf = pytest.importorskip("draftproof.book.pdf")
HEAD = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3, display_name: Python 3}
---
"""
FRONT = """# A small book

A front page.

```{toctree}
:numbered:
one
two
```
"""
ONE = """
# Chapter of the bars

A formula $p \\le q$, and one of its own:

$$ \\alpha = \\sum_x \\min(p(x), q(x)). $$

```{code-cell} python
:tags: [hide-input]
from draftproof.widgets import alive
alive.Tokens()
```

See {numref}`fig-mosaic`. A line of code that is long:

```{code-cell} python
print("shown", sum(range(10)))
```

```{exercise} Count
:label: ex-count

What is left?
```

```{solution-start} ex-count
:class: dropdown
```

The answer is plain.

```{code-cell} python
:tags: [hide-input]
print("folded", 6 * 7)
```

```{solution-end}
```

## After the exercise

Last words of the chapter.
"""
TWO = """
# Chapter of nothing

See {ref}`ex-count`.
"""
CONFIG = """
extensions = ["myst_nb", "sphinx_exercise", "draftproof.book"]
html_theme = "sphinx_book_theme"
html_title = "A small book"
html_static_path = [STATIC]
html_context = {"default_mode": "auto"}
html_theme_options = {"navbar_persistent": []}
myst_enable_extensions = ["dollarmath"]
numfig = True
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_ipywidgets_js = {}
"""


def words(path):
    """Text of a PDF, page by page."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is not installed (Debian: poppler-utils)")
    done = subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, check=True)
    return done.stdout.decode("utf-8").split("\f")[:-1]


def check(path):
    """What every PDF of the book must be: A4, tagged, with an outline and a number on each page."""
    content = path.read_bytes()
    assert content.startswith(b"%PDF-")
    assert b"/Outlines" in content
    assert b"/StructTreeRoot" in content
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", content)
    assert {(round(float(w)), round(float(h))) for w, h in boxes} == {(596, 843)}
    pages = words(path)
    assert len(pages) == len(re.findall(rb"/Type /Page\b(?!s)", content)) == len(boxes)
    for number, page in enumerate(pages, 1):
        assert page.rstrip().splitlines()[-1].strip() == str(number)
    text = "\n".join(pages)
    raw = r"\\(?:frac|sum|min|max|alpha|gamma|begin|text|mathrm|le|ge|cdot|sqrt)\b|\$\$|\\\(|\\\["
    assert re.findall(raw, text) == []
    assert not re.search(r"\{(glue|numref|cite|ref)[:}]", text)
    assert "Show the" not in text  # what opens folded cells
    assert "move its sliders" not in text
    return pages


@pytest.fixture(scope="module")
def small(tmp_path_factory, root, run):
    """The page of a book of three files, as the one-page builder makes it."""
    pytest.importorskip("sphinx_book_theme")
    folder = tmp_path_factory.mktemp("paper")
    source = folder / "source"
    source.mkdir()
    for name, text in (("index", FRONT), ("one", HEAD + ONE), ("two", TWO)):
        (source / f"{name}.md").write_text(text, encoding="utf-8")
    config = CONFIG.replace("STATIC", repr(str(root / "static")))
    (source / "conf.py").write_text(config, encoding="utf-8")
    done = run(
        [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "singlehtml", "-d", folder / "trees",
         source, folder / "singlehtml"]
    )  # fmt: skip
    assert done.returncode == 0, done.said
    return folder / "singlehtml" / "book.html"


def test_chapters_and_solutions_have_their_places(small):
    bs4 = pytest.importorskip("bs4")
    article = bs4.BeautifulSoup(small.read_text(encoding="utf-8"), "html.parser").article
    heads = [head.get_text().rstrip("#") for head in article.find_all(["h1", "h2"])]
    assert heads == [
        "A small book", "Contents", "1. Chapter of the bars", "1.1. After the exercise",
        "Solutions", "2. Chapter of nothing",
    ]  # fmt: skip
    assert [h.name for h in article.find_all(["h1", "h2"])] == ["h1", "h2", "h1", "h2", "h2", "h1"]
    answer = article.select_one(".dp-answers div.dp-solution")
    assert "The answer is plain." in answer.get_text()
    assert "folded 42" in answer.get_text()
    assert article.find("details", class_="dp-solution") is None
    figure = article.find("figure")
    assert [image["class"][-1] for image in figure.find_all("img")] == ["dp-light-wide"]
    assert figure.select_one(".dpa-place") is None
    links = [a["href"] for a in article.select(".dp-contents a")]
    assert links == ["#document-one", "#document-two"]
    for a in article.find_all("a", href=re.compile("^#")):
        mark = a["href"][1:]
        assert article.find(id=mark) or mark in ("", "main-content"), mark


def test_a_small_book_is_printed(small, browser, tmp_path):
    pages = check(pdf.print_page(small, tmp_path / "small.pdf", browser))
    text = "\n".join(pages)
    assert len(pages) == 4
    assert "Chapter of the bars" in pages[1]
    assert "Fig. 1.1" in pages[1]
    assert "shown 45" in text
    assert "from draftproof" not in text  # folded plumbing
    assert 'print("folded", 6 * 7)' in pages[2]  # the folded code of a solution
    assert "The answer is plain." not in pages[1]
    assert "The answer is plain." in pages[2]
    assert "Chapter of nothing" in pages[3]


def test_a_formula_that_cannot_be_set_is_named(small, browser, tmp_path):
    bad = small.with_name("bad.html")
    text = small.read_text(encoding="utf-8")
    bad.write_text(text.replace("\\alpha = ", "\\frac{ "), encoding="utf-8")
    with pytest.raises(RuntimeError, match="cannot be printed: formula"):
        pdf.print_page(bad, tmp_path / "bad.pdf", browser)
    assert not (tmp_path / "bad.pdf").exists()


def test_no_browser_is_said(monkeypatch):
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError, match="no browser to print with: install one of chromium"):
        pdf.chromium()


@pytest.mark.long
@pytest.mark.site
def test_the_book_is_printed(site, root, browser, tmp_path):
    page = pdf.build_page(root)
    pages = check(pdf.print_page(page, tmp_path / "book.pdf", browser))
    assert 120 < len(pages) < 400
    text = "\n".join(pages)
    bs4 = pytest.importorskip("bs4")
    article = bs4.BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").article
    captions = [c.get_text().strip() for c in article.select("figcaption .caption-number")]
    assert len(captions) > 50
    for caption in captions:
        assert caption in text, caption
    assert text.count("Solution to Exercise") >= len(article.select(".exercise"))
