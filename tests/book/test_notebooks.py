"""The chapters as notebooks: plain Markdown, one cell that installs, and they run anywhere."""

import json
import os
import re
import sys
import tomllib
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

notebooks = pytest.importorskip("draftproof.book.notebooks")
from draftproof.book import opening  # noqa: E402
from draftproof.book.plain import Names, pieces  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PAGES = notebooks.pages(ROOT)
PROSE_ONLY = re.compile(r"\$\$[\s\S]*?\$\$|\$[^$\n]*\$|```[\s\S]*?```|`[^`]*`")
HUB = ("https://github.com/someone/somebook", "main")


# ---- plain Markdown ----


def plain(text, **names):
    return [(piece.text, piece.solution) for piece in pieces(text, Names(**names))]


def test_roles_become_words():
    names = {
        "glue": {"a-x": "0.70213", "a-n": "'1\u202f000'"},
        "labels": {"fig-one": "Figure 2.1", "ex-one": "Exercise 2.3"},
        "citations": {"old": ("Neumann", "1951"), "new": ("Sun et al.", "2025")},
        "notebooks": frozenset({"02-tokens"}),
    }
    for myst, expected in [
        ("α is {glue:text}`a-x:.2f` of {glue:text}`a-n`.", "α is 0.70 of 1\u202f000."),
        ("{numref}`fig-one` and {ref}`ex-one`", "Figure 2.1 and Exercise 2.3"),
        ("see {ref}`that one <ex-one>`", "see that one"),
        ("known {cite}`old,new`, by {cite:t}`old`",
         "known (Neumann, 1951; Sun et al., 2025), by Neumann (1951)"),
        ("{math}`p/q`", "$p/q$"),
        ("{doc}`chapter 2 <02-tokens>`, {doc}`a-notation`",
         "[chapter 2](02-tokens.ipynb), a-notation"),
        ("[two](02-tokens.md), [notes](a-notation.md), [below](tokens-warp)",
         "[two](02-tokens.ipynb), notes, below"),
        ("[a page](https://example.org)", "[a page](https://example.org)"),
        ("`{numref}` alone\n\n```python\nx = [1](a-b)\n```",
         "`{numref}` alone\n\n```python\nx = [1](a-b)\n```"),
        ("(tokens-warp)=\n## Warps", "## Warps"),
    ]:  # fmt: skip
        assert plain(myst, **names) == [(expected, "")], myst


def test_directives_become_quotes_and_headings():
    assert plain("::::{admonition} The claim\n:class: note\n\nIt holds.\n\nAlways.\n::::") == [
        ("> **The claim**\n>\n> It holds.\n>\n> Always.", "")
    ]
    exercise = "```{exercise} Count\n:label: ex-a\n\nHow many?\n```"
    assert plain(exercise, labels={"ex-a": "Exercise 1.1"}) == [
        ("**Exercise 1.1 (Count).**\n\nHow many?", "")
    ]


def test_solutions_are_told_apart():
    text = "Before.\n\n```{solution-start} ex-a\n:class: dropdown\n```\n\nBecause."
    names = {"labels": {"ex-a": "Exercise 1.1"}}
    assert plain(text, **names) == [("Before.", ""), ("Because.", "Exercise 1.1")]


def test_an_included_function(tmp_path):
    source = (
        "import os\n\n\ndef first(\n    x,\n):\n    return x\n\n\ndef second():\n    return 2\n"
    )
    (tmp_path / "code.py").write_text(source, encoding="utf-8")
    text = "```{literalinclude} code.py\n:language: python\n:pyobject: first\n```"
    assert plain(text, folder=tmp_path) == [
        ("```python\ndef first(\n    x,\n):\n    return x\n```", "")
    ]


@pytest.mark.parametrize(
    "text, words",
    [
        ("{glue:text}`a-x`", "no cell glues 'a-x'"),
        ("{numref}`fig-x`", "names 'fig-x', which is not there"),
        ("{cite}`nobody`", "no reference has the key 'nobody'"),
        ("{unheard}`of`", "no plain form for the role 'unheard'"),
        ("```{unheard} of\n```", "no plain form for the directive 'unheard'"),
        ("```{note}\nopen", "never closed"),
    ],
)
def test_what_has_no_plain_form_is_named(text, words):
    with pytest.raises(ValueError, match=words):
        plain(text)


# ---- where they install from ----


def test_the_install_cell_names_what_there_is():
    requirement = pytest.importorskip("packaging.requirements").Requirement
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    (wanted,) = re.findall(r'%pip install --quiet "(.+)"', notebooks.install_cell(HUB))
    asked = requirement(wanted)
    assert asked.name == "draftproof"
    assert asked.url == "git+https://github.com/someone/somebook@main"
    assert asked.extras <= set(extras)
    for line in extras["notebooks"]:  # loose bounds: other people's machines have other versions
        assert not re.search(r"==|~=", line), line
    (local,) = re.findall(r'%pip install --quiet "(.+)"', notebooks.install_cell(None))
    folder, extra = local.rstrip("]").split("[")
    assert (ROOT / notebooks.FOLDER / folder).resolve() == ROOT
    assert extra in extras
    binder = (ROOT / "binder" / "requirements.txt").read_text("utf-8").split()
    assert binder[-1] == f".[{extra}]"


@pytest.mark.parametrize(
    "config, expected",
    [
        ("title: x", None),
        ("repository: {url: ''}", None),
        ("repository: {url: https://github.com/a/b/}", ("https://github.com/a/b", "main")),
        ("repository: {url: https://gh.org/a/b, branch: dev}", ("https://gh.org/a/b", "dev")),
    ],
)
def test_the_repository_has_one_place(tmp_path, config, expected):
    (tmp_path / "_config.yml").write_text(config, encoding="utf-8")
    assert notebooks.repository(tmp_path) == expected


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_of_the_repository(page):
    (download,) = opening.links(page, None)
    assert download == ("Download", f"../notebooks/{page}.ipynb")
    assert opening.links(page, ("https://git.example.org/a/b", "main")) == [download]
    first, colab, binder = opening.links(page, HUB)
    assert first == download
    path = f"notebooks/{page}.ipynb"
    assert colab[1] == (
        f"https://colab.research.google.com/github/someone/somebook/blob/main/{path}"
    )
    assert binder[1] == (
        f"https://mybinder.org/v2/gh/someone/somebook/main?urlpath=lab/tree/{path}"
    )
    assert (ROOT / path).is_file()


# ---- the notebooks ----


@pytest.fixture(scope="module")
def made(site):
    """The notebooks of the site's build."""
    executed = site.parent / "jupyter_execute"
    if not executed.is_dir():
        pytest.skip("the site was built elsewhere")
    return notebooks.notebooks(ROOT, executed)


@pytest.mark.site
def test_the_committed_notebooks_are_fresh(made):
    """If this fails: `make notebooks`, look at the difference, and commit it."""
    committed = {path.stem for path in (ROOT / notebooks.FOLDER).glob("*.ipynb")}
    assert committed == set(made) == set(PAGES)
    for page, content in made.items():
        path = ROOT / notebooks.FOLDER / f"{page}.ipynb"
        assert path.read_text(encoding="utf-8") == notebooks.text_of(content), page


@pytest.mark.site
def test_the_site_offers_them(site, made):
    listing = BeautifulSoup((site / "chapters/a-open.html").read_text("utf-8"), "html.parser")
    for page, content in made.items():
        offered = site / notebooks.FOLDER / f"{page}.ipynb"
        assert offered.read_text(encoding="utf-8") == notebooks.text_of(content)
        chapter = BeautifulSoup((site / f"chapters/{page}.html").read_text("utf-8"), "html.parser")
        for shown in (chapter.select_one("p.dp-open"), listing.select_one("ul.dp-open-list")):
            links = {a["href"]: a for a in shown.find_all("a")}
            for _, address in opening.links(page, notebooks.repository(ROOT)):
                assert links[address]["aria-label"].endswith(f"{page}.ipynb")


@pytest.mark.site
def test_they_are_valid_and_hold_no_myst(made):
    nbformat = pytest.importorskip("nbformat")
    for page, content in made.items():
        book = nbformat.from_dict(content)
        nbformat.validate(book)
        installs = [c for c in book.cells if "%pip" in "".join(c.source)]
        assert book.cells.index(installs[0]) == 1
        assert len(installs) == 1
        assert all(c.outputs == [] for c in book.cells if c.cell_type == "code")
        for cell in book.cells:
            if cell.cell_type == "markdown":
                text = PROSE_ONLY.sub("", "".join(cell.source))
                assert not re.search(r"^:::|\{[a-z:-]+\}`|^\([\w-]+\)=", text, re.M), (page, text)


def execute(content, folder, **environment):
    """Run a notebook in a folder with nothing else in it; fails with the cell's own error."""
    nbformat, client = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    book = nbformat.from_dict(json.loads(json.dumps(content)))
    for cell in book.cells:
        cell.source = "".join(cell.source)
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        client.NotebookClient(
            book, timeout=600, resources={"metadata": {"path": str(folder)}}
        ).execute()
    finally:
        os.environ.clear()
        os.environ.update(before)
    return [out for cell in book.cells if cell.cell_type == "code" for out in cell.outputs]


@pytest.mark.site
def test_a_notebook_runs_in_an_empty_folder(made, tmp_path):
    shown = execute(made["a-claims"], tmp_path)
    assert any("text/html" in out.get("data", {}) for out in shown)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory, run):
    """The package as the install cell leaves it: built from the checkout, without the checkout."""
    folder = tmp_path_factory.mktemp("installed")
    done = run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation",
         "--target", folder, f"..[{notebooks.EXTRA}]"],
        cwd=ROOT / notebooks.FOLDER,
    )  # fmt: skip
    assert done.returncode == 0, done.said
    return folder


@pytest.mark.long
@pytest.mark.site
@pytest.mark.parametrize("page", PAGES)
def test_every_notebook_runs_from_the_installed_package(made, wheel, tmp_path, page):
    shown = execute(made[page], tmp_path, PYTHONPATH=str(wheel))
    assert shown
    assert list(tmp_path.iterdir()) == []
    asks = {**made[page]["cells"][1], "source": ["import draftproof\nprint(draftproof.__file__)"]}
    (where,) = execute({**made[page], "cells": [asks]}, tmp_path, PYTHONPATH=str(wheel))
    assert str(wheel) in where["text"]


def test_a_page_from_the_cache_still_knows_its_figures(tmp_path):
    """MyST-NB leaves the outputs of such a page out of what it writes."""
    shown = {"data": {notebooks.FIGURE: {"name": "dart-slice"}}}
    cells = [
        {"cell_type": "markdown", "source": ["words"]},
        {"cell_type": "code", "source": ["picture()"], "outputs": []},
    ]
    kept = [{"cell_type": "code", "source": "picture()", "outputs": [shown]}]
    executed = tmp_path / "jupyter_execute" / "chapters"
    executed.mkdir(parents=True)
    (executed / "x.ipynb").write_text(json.dumps({"cells": cells}))
    assert notebooks._shown(executed, "x") == [[]]
    cache = tmp_path / ".jupyter_cache" / "0" / "executed" / "1"
    cache.mkdir(parents=True)
    (cache / "base.ipynb").write_text(json.dumps({"cells": kept}))
    assert notebooks._shown(executed, "x") == [["dart-slice"]]
