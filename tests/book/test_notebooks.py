"""The chapters as notebooks: plain Markdown, one cell that installs, and they run anywhere."""

import io
import json
import os
import re
import shutil
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

import draftproof

notebooks = pytest.importorskip("draftproof.book.notebooks")
from draftproof.book import address, bundle, install, opening  # noqa: E402
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

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]


def installs(cell, folder, monkeypatch, missing=("draftproof",), version=None):
    """What pip is asked for when the cell runs in a folder: where these modules are missing."""
    transform = pytest.importorskip("IPython.core.inputtransformer2").TransformerManager()
    asked, names = [], {}

    class Shell:
        def run_line_magic(self, magic, line):
            assert magic == "pip"
            asked.append(line.format(**names))

    names["get_ipython"] = Shell
    found = [SimpleNamespace(version=version)] if version else []
    with monkeypatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("importlib.util.find_spec", lambda name: name not in (*missing, "google"))
        patch.setattr("importlib.metadata.distributions", lambda name: found)
        exec(transform.transform_cell(cell), names)
    return asked


BOTH_WAYS = (
    r"Write the address of the repository .+ this cell's third line; .+"
    r"Or take 'Download \(\.zip\)' .+ unzip it, and open .+ put the \.whl file"
)


def written(cell, line):
    """The cell after its reader wrote an address between the quotes of its third line."""
    lines = cell.splitlines()
    assert lines[2].startswith('repository = ""  # on Colab: the address of this tab')
    lines[2] = lines[2].replace('""', f'"{line}"')
    return "\n".join(lines)


def test_the_install_cell_takes_what_there_is(tmp_path, monkeypatch):
    def asked(cell, **state):
        (line,) = installs(cell, folder, monkeypatch, **state)
        wanted = Requirement(re.fullmatch(r'install --quiet "(.+)"', line)[1])
        assert (wanted.name, wanted.extras) == ("draftproof", {"notebooks"})
        return wanted.url

    Requirement = pytest.importorskip("packaging.requirements").Requirement
    alone, hub = notebooks.install_cell(None), notebooks.install_cell(HUB)
    folder = tmp_path / "with a blank" / "below"
    folder.mkdir(parents=True)
    with pytest.raises(ModuleNotFoundError, match=BOTH_WAYS):
        installs(alone, folder, monkeypatch)
    assert asked(hub) == "git+https://github.com/someone/somebook@main"

    clone = tmp_path / "src" / "draftproof" / "__init__.py"
    clone.parent.mkdir(parents=True)
    clone.touch()
    assert asked(alone) == asked(hub) == tmp_path.as_uri()

    (folder.parent / "draftproof-0.0.9-py3-none-any.whl").touch()  # older than the notebook
    assert asked(alone) == tmp_path.as_uri()
    wheel = folder.parent / f"draftproof-{draftproof.__version__}-py3-none-any.whl"
    wheel.touch()
    assert asked(alone) == asked(hub) == wheel.as_uri()
    beside = folder / wheel.name  # as one drops it into Colab's panel of files
    wheel.rename(beside)
    assert asked(alone) == asked(hub) == asked(written(alone, HUB[0])) == beside.as_uri()


COLAB = "https://colab.research.google.com"


@pytest.mark.parametrize(
    "line, place",
    [
        ("https://github.com/a/b", "https://github.com/a/b"),
        ("https://github.com/a/b@dev/x", "https://github.com/a/b@dev/x"),
        ("https://github.com/a/b/tree/dev/x/", "https://github.com/a/b@dev/x"),
        ("https://git.example.org/a/b.git", "https://git.example.org/a/b.git"),
        (f"{COLAB}/github/a/b/blob/main/notebooks/x.ipynb", "https://github.com/a/b@main"),
        (
            f"{COLAB}/github/a/b/blob/dev%2Fx%23y/notebooks/x.ipynb#scrollTo=cell-1",
            "https://github.com/a/b@dev/x#y",
        ),
    ],
)
def test_a_reader_may_name_the_repository(tmp_path, monkeypatch, line, place):
    cell = written(notebooks.install_cell(None), line)
    asked = f'install --quiet "draftproof[notebooks] @ git+{place}"'
    assert installs(cell, tmp_path, monkeypatch) == [asked]


@pytest.mark.parametrize(
    "line", ["", " ", f"{COLAB}/drive/1a2b", "a/b", "git@github.com:a/b", "http://github.com/a/b"]
)
def test_what_is_no_address_gets_both_ways_out(tmp_path, monkeypatch, line):
    cell = written(notebooks.install_cell(None), line)
    with pytest.raises(ModuleNotFoundError, match=BOTH_WAYS):
        installs(cell, tmp_path, monkeypatch)


def test_the_install_cell_leaves_alone_what_is_there(tmp_path, monkeypatch):
    for version in (draftproof.__version__, "1.0rc1", "0.10.0.dev3+local"):
        cell = notebooks.install_cell(HUB)
        assert installs(cell, tmp_path, monkeypatch, missing=(), version=version) == []
    for state in ({"version": "0.0.12"}, {}):  # a folder `draftproof` is no package
        assert installs(cell, tmp_path, monkeypatch, missing=(), **state)
    here = {"version": draftproof.__version__, "missing": ("matplotlib",)}
    assert installs(cell, tmp_path, monkeypatch, **here)


def test_the_extras_have_loose_bounds_and_bring_what_is_imported():
    for extra, modules in install.MODULES.items():
        for line in EXTRAS[extra]:  # other people's machines have other versions
            assert re.fullmatch(r"[\w-]+>=[\d.]+", line), line
        brought = {re.match(r"[\w-]+", line)[0].replace("-", "_") for line in EXTRAS[extra]}
        assert brought == set(modules)
    binder = (ROOT / "binder" / "requirements.txt").read_text("utf-8").split()
    assert binder[-1] == f".[{','.join(sorted(install.MODULES))}]"


def test_only_chapters_with_models_ask_for_torch():
    asked = {}
    for page in PAGES:
        asked[page] = install.extras_of((ROOT / "chapters" / f"{page}.md").read_text("utf-8"))
        assert f'"draftproof[{",".join(asked[page])}] @ ' in notebooks.install_cell(
            None, asked[page]
        )
    assert asked["01-envelopes"] == ("notebooks",)
    assert asked["04-decoding"] == ("decode", "notebooks")


def test_two_bundles_are_equal_and_hold_what_a_checkout_has():
    made = bundle.bundle(ROOT, {"one": "{}"})
    assert made == bundle.bundle(ROOT, {"one": "{}"})
    with zipfile.ZipFile(io.BytesIO(made)) as files:
        names = [name.removeprefix("draftproof-notebooks/") for name in files.namelist()]
        assert names == ["one.ipynb", f"draftproof-{draftproof.__version__}-py3-none-any.whl"]
        wheel = zipfile.ZipFile(io.BytesIO(files.read(files.namelist()[1])))
    package = ROOT / "src" / "draftproof"
    for pattern in (
        "**/*.py",
        "**/*.json",
        "**/weights/*",
        "**/*.ttf",
        "**/static/**/*",
        "**/*.js",
    ):
        there = {p for p in package.glob(pattern) if p.is_file()}
        assert {str(p.relative_to(ROOT / "src")) for p in there} <= set(wheel.namelist()), pattern


def test_a_wheel_that_cannot_be_built_says_why(tmp_path):
    (tmp_path / "src" / "draftproof").mkdir(parents=True)
    for name in ("README.md", "LICENSE", "LICENSE-text"):
        (tmp_path / name).touch()
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 3", "utf-8")
    with pytest.raises(RuntimeError, match=r"wheel was not built: .*version"):
        bundle.wheel(tmp_path)


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
    """With the repository that the site's build found, which may be none."""
    listing = BeautifulSoup((site / "chapters/a-open.html").read_text("utf-8"), "html.parser")
    source = address.known(ROOT)
    offers = notebooks.notebooks(ROOT, site.parent / "jupyter_execute", source)
    for page in made:
        offered = site / notebooks.FOLDER / f"{page}.ipynb"
        assert offered.read_text(encoding="utf-8") == notebooks.text_of(offers[page])
        chapter = BeautifulSoup((site / f"chapters/{page}.html").read_text("utf-8"), "html.parser")
        line, rows = chapter.select_one("p.dp-open"), listing.select("ul.dp-open-list li")
        (row,) = [row for row in rows if row.a["href"] == f"{page}.html"]
        for buttons in (line.select("a:not(.dp-how)"), row.select(".dp-open a")):
            assert [(a.text, a["href"]) for a in buttons] == opening.links(page, source)
            assert buttons[0]["aria-label"].endswith("all notebooks and the package")
            assert all(a["aria-label"].endswith(f"{page}.ipynb") for a in buttons[1:])
            paths = {a["data-path"] for a in buttons if a.has_attr("data-path")}
            assert paths <= {f"notebooks/{page}.ipynb"}


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


# ---- as a reader has them: from the page's link to a cell that ran, without this checkout ----

RUN = """
import sys, nbclient, nbformat
name, cells = sys.argv[1:]
book = nbformat.read(name, 4)
book.cells = book.cells[: int(cells) or None]
where = nbformat.v4.new_code_cell("print(draftproof.__file__)")
book.cells.insert(2, where)
nbclient.NotebookClient(book, timeout=600).execute()
# A kernel may have something to say on the other stream.
print("".join(out["text"] for out in where.outputs if out.get("name") == "stdout"))
"""


@pytest.fixture
def python(tmp_path, run):
    """A fresh environment's Python: all that this one has installed, but not the package."""
    home = tmp_path / "environment"
    done = run([sys.executable, "-m", "venv", "--without-pip", home])
    assert done.returncode == 0, done.said
    (site_packages,) = home.glob("lib/python*/site-packages")
    others = tmp_path / "others"
    others.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        # An editable package shows itself by a .pth file; in a folder named by one they do nothing.
        if not re.match(r"(__editable__|_?draftproof|__pycache__)|.*\.pth$", entry.name):
            (others / entry.name).symlink_to(entry)
    (site_packages / "others.pth").write_text(str(others), "utf-8")
    return home / "bin" / "python"


@pytest.fixture
def downloaded(site, tmp_path):
    """Return a function: follow a link of a page's own, and unzip what needs it."""

    def click(page, words):
        html = BeautifulSoup((site / "chapters" / page).read_text("utf-8"), "html.parser")
        link = html.select_one("article").find("a", string=words, download=True)
        folder = tmp_path / "Down loads"
        folder.mkdir()
        file = Path(shutil.copy(site / "chapters" / link["href"], folder))
        if file.suffix == ".zip":
            with zipfile.ZipFile(file) as packed:
                packed.extractall(folder)
            file.unlink()
            (folder,) = folder.iterdir()
        return folder

    return click


def ran(python, folder, page, run, cells):
    """Run a notebook's first cells there (0: all); what it said, and where the package lies."""
    home = python.parents[1]
    unset = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "JUPYTER_PATH")
    clean = {name: value for name, value in os.environ.items() if name not in unset}
    places = {"HOME": str(home), "IPYTHONDIR": str(home / "ipython"), "PIP_NO_INDEX": "1"}
    return run(
        [python, "-c", RUN, f"{page}.ipynb", str(cells)],
        cwd=folder, env=clean | places, timeout=900,
    )  # fmt: skip


def until_the_first_code(content):
    """How many cells a reader runs to see the chapter's own first code run."""
    code = [k for k, cell in enumerate(content["cells"]) if cell["cell_type"] == "code"]
    return code[1] + 1


@pytest.mark.site
@pytest.mark.parametrize(
    "page", ["01-envelopes", pytest.param("04-decoding", marks=pytest.mark.slow)]
)
def test_a_downloaded_notebook_starts_anywhere(page, made, python, downloaded, run):
    folder = downloaded(f"{page}.html", "Download (.zip)")
    before = set(folder.iterdir())
    done = ran(python, folder, page, run, until_the_first_code(made[page]))
    assert done.returncode == 0, done.said
    assert done.said.strip().splitlines()[-1].startswith(str(python.parents[1])), done.said
    assert set(folder.iterdir()) == before


@pytest.mark.site
def test_a_notebook_alone_says_what_it_wants(made, python, downloaded, run):
    if address.known(ROOT):
        pytest.skip("it asks the repository instead")
    page = next(iter(PAGES))
    folder = downloaded(f"{page}.html", "Notebook (.ipynb)")
    done = ran(python, folder, page, run, 2)
    assert done.returncode != 0
    last = done.said.strip().splitlines()[-1]
    assert "ModuleNotFoundError" in last
    assert re.search(BOTH_WAYS, last)


@pytest.mark.long
@pytest.mark.site
@pytest.mark.parametrize("page", PAGES)
def test_every_downloaded_notebook_runs_to_its_end(page, made, python, downloaded, run):
    folder = downloaded(f"{page}.html", "Download (.zip)")
    done = ran(python, folder, page, run, 0)
    assert done.returncode == 0, done.said


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
