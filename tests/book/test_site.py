"""The built site, read as files: complete, self-contained, and equal to what is committed."""

import copy
import json
import os
import re
import shutil
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from bs4 import BeautifulSoup

from draftproof.book import address
from tests.pages import CHAPTERS, ROOT, TOC

pytestmark = pytest.mark.site
RUN = [name for name in TOC if "{code-cell}" in (ROOT / f"{name}.md").read_text(encoding="utf-8")]


@cache
def soup(path):
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


class Tags(HTMLParser):
    """The tags of a page with their attributes, and its marks: what a tree is not needed for."""

    def __init__(self, text):
        super().__init__()
        self.all, self.pictures, self.marks, self._figures = [], [], set(), 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        given = {key: value or "" for key, value in attrs}
        self.all.append((tag, given))
        self.marks.update(given[key] for key in ("id", "name") if key in given)
        self._figures += tag == "figure"
        if tag == "img":
            self.pictures.append((given, self._figures > 0))

    def handle_endtag(self, tag):
        self._figures -= tag == "figure"


@cache
def tags(path):
    return Tags(path.read_text(encoding="utf-8"))


def pages(site):
    return sorted(p for p in site.rglob("*.html") if "_static" not in p.parts)


@pytest.mark.parametrize("name", TOC)
def test_page_exists_with_one_title(site, name):
    page = soup(site / f"{name}.html")
    assert len(page.find("article").find_all("h1")) == 1
    assert page.html["lang"] == "en"


def test_every_chapter_file_is_in_the_book():
    written = {f"chapters/{p.stem}" for p in (ROOT / "chapters").glob("*.md")}
    assert written == set(TOC)


def test_nothing_is_loaded_from_outside(site):
    found = []
    for path in pages(site):
        for tag, given in tags(path).all:
            for key in ("src", "href", "srcset", "data", "poster", "action"):
                outside = re.match(r"(https?:)?//", given.get(key, ""))
                if outside and not (tag == "a" and key == "href"):
                    found.append(f"{path.name}: <{tag} {key}={given[key]}>")
    assert found == []


def test_style_sheets_load_nothing_from_outside(site):
    found = []
    for path in (site / "_static").rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        found += [
            f"{path.name}: {url}"
            for url in re.findall(r"""(?:url\(|@import)\s*['"]?((?:https?:)?//[^'")]+)""", text)
        ]
    assert found == []


def test_every_local_address_leads_somewhere(site):
    missing = []
    for path in pages(site):
        given = {tag[key] for _, tag in tags(path).all for key in ("src", "href") if key in tag}
        for text in sorted(given):
            address = urlsplit(text)
            if address.scheme or address.netloc or not (address.path or address.fragment):
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            if not target.exists():
                missing.append(f"{path.relative_to(site)}: {text}")
            elif address.fragment and target.suffix == ".html":
                mark = unquote(address.fragment)
                if mark not in tags(target).marks:
                    missing.append(f"{path.relative_to(site)}: no #{mark} in {target.name}")
    assert missing == []


def test_every_picture_has_words(site):
    bare = []
    for path in pages(site):
        for image, figure in tags(path).pictures:
            if "alt" not in image or (figure and len(image["alt"]) < 20):
                bare.append(f"{path.name}: {image.get('src')}")
    assert bare == []


def test_every_figure_is_numbered_captioned_and_labelled(site):
    for name in TOC:
        for figure in soup(site / f"{name}.html").find("article").find_all("figure"):
            assert figure.get("id", "").startswith("fig-"), name
            assert figure.find(class_="caption-number"), figure["id"]
            text = figure.find(class_="caption-text").get_text()
            assert text.startswith("What to see:"), figure["id"]


def test_figures_in_pages_are_the_committed_ones(site):
    shown = sorted((site / "_images").glob("*.svg"))
    for path in shown:
        committed = ROOT / "figures" / path.name
        assert committed.is_file(), f"{path.name} is shown but not in figures/"
        assert path.read_bytes() == committed.read_bytes(), path.name
    for name in CHAPTERS:
        images = soup(site / f"{name}.html").find("article").find_all("img")
        assert all((site / "chapters" / i["src"]).resolve().is_file() for i in images)


def test_no_cell_left_an_error_or_a_warning(site):
    for name in TOC:
        page = soup(site / f"{name}.html")
        bad = page.select(".output.traceback, .output.stderr")
        assert [b.get_text()[:200] for b in bad] == [], name
        assert "problematic" not in str(page.find("article")), name


@pytest.mark.parametrize("name", TOC)
def test_no_number_is_missing(site, name):
    # Pages name nan where they show a division that fails; a number of theirs never is one.
    article = soup(site / f"{name}.html").find("article")
    numbers = [tag.get_text().strip() for tag in article.select(".pasted-text, td")]
    assert [n for n in numbers if re.fullmatch(r"[-+]?(nan|inf|None)( ?%)?", n, re.I)] == []
    prose = BeautifulSoup(str(article), "html.parser")
    for code in prose.select("pre, code"):
        code.extract()
    assert not re.search(r"\{glue:|\{numref\}|\{cite|\{ref\}|%s\b", prose.get_text(" "))


def test_pages_hold_no_widget_state(site):
    for path in pages(site):
        text = path.read_text(encoding="utf-8")
        assert "vnd.jupyter.widget" not in text, path.name
        assert not re.search(r"\b(VBox|HBox|FloatSlider|IntSlider|interactive)\(", text), path.name


def test_folder_is_ready_to_serve(site):
    assert (site / ".nojekyll").is_file()
    assert "chapters/intro.html" in (site / "index.html").read_text(encoding="utf-8")
    assert (site / "_static/mathjax/tex-chtml.js").is_file()


@pytest.mark.parametrize("name", CHAPTERS)
def test_chapter_is_light(site, name):
    page = site / f"{name}.html"
    assert page.stat().st_size < 400_000


@pytest.mark.parametrize("name", CHAPTERS)
def test_chapter_has_exercises_with_hidden_solutions(site, name):
    page = soup(site / f"{name}.html")
    exercises = page.select(".exercise")
    assert len(exercises) >= 3
    for box in page.select(".solution"):
        assert box.name == "details", "a solution needs the class dropdown"
        assert "open" not in box.attrs
    assert len(page.select("details.solution")) >= len(exercises)


# Two builds of one checkout are equal byte for byte. A run of all chapters takes longer than the
# rest of a build, so each is run again by itself, and the second build takes the first one's runs.
# What a figure's drawings are is compared elsewhere (`test_every_figure_is_as_committed`).

UNDRAWN = """
from draftproof.figures import plate
plate.Shown.svg = lambda *given: ""
plate.Shown.svgs = property(lambda shown: {})
"""
ELSEWHERE = {"text/html", "application/vnd.jupyter.widget-view+json"}  # of a figure
FIGURE = "application/vnd.draftproof.figure+json"


@pytest.fixture(scope="module")
def runs(site):
    """What the site's build ran: the code cells of each page, with their outputs."""
    get_cache = pytest.importorskip("jupyter_cache").get_cache
    folders = list(site.parent.glob(".jupyter_cache/*/executed"))
    if not folders:
        pytest.skip("the site was built elsewhere")
    cache = get_cache(folders[0].parent)
    kept = [(Path(one.uri).stem, one.pk) for one in cache.list_cache_records()]
    return {name: cache.get_cache_bundle(pk).nb for name, pk in kept}


def said(notebook):
    """What the cells put out, as data."""
    cells = []
    for cell in notebook.cells:
        outputs = []
        for output in json.loads(json.dumps(cell.outputs)):
            output.pop("execution_count", None)
            shown = output.get("data", {})
            if FIGURE in shown:
                del shown[FIGURE]["svgs"]
                output["data"] = {key: shown[key] for key in shown.keys() - ELSEWHERE}
            if outputs and "text" in output and outputs[-1].get("name") == output["name"]:
                outputs[-1]["text"] += output["text"]  # a stream may come in pieces
            else:
                outputs.append(output)
        cells.append((cell.source, outputs))
    return cells


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_a_chapter_run_again_says_the_same(runs, name):
    nbclient = pytest.importorskip("nbclient")
    first = runs[Path(name).name]
    again = copy.deepcopy(first)
    again.cells.insert(0, nbformat.v4.new_code_cell(UNDRAWN))
    folder = {"metadata": {"path": str(ROOT / "chapters")}}
    client = nbclient.NotebookClient(again, timeout=500, resources=folder)
    client.execute(env={**os.environ, "PYTHONHASHSEED": "7"})
    for (source, before), (_, now) in zip(said(first), said(again)[1:], strict=True):
        assert now == before, source


@pytest.mark.slow
def test_two_builds_are_equal_byte_for_byte(site, tmp_path, run):
    again = tmp_path / "book"
    (again / "_build").mkdir(parents=True)
    for name in ("_config.yml", "_toc.yml", "requirements.txt", "benchmarks", "chapters", "src",
                 "static"):  # fmt: skip
        (again / name).symlink_to(ROOT / name)
    if url := address.origin(ROOT):  # the pages name the remote of the checkout
        for words in (["init", "--quiet"], ["remote", "add", "origin", url]):
            assert run(["git", *words], cwd=again).returncode == 0
    runs = site.parent / ".jupyter_cache"
    if runs.is_dir():
        shutil.copytree(runs, again / "_build" / runs.name)
    command = [Path(sys.executable).parent / "jupyter-book", "build", again]
    options = ["-W", "-n", "--keep-going", "-q"]
    done = run([*command, *options], timeout=500, env={**os.environ, "PYTHONHASHSEED": "7"})
    assert done.returncode == 0, done.said
    first, second = site, again / "_build" / "html"
    files, others = (
        # .buildinfo is Sphinx's own note and hashes the place of the checkout
        {p.relative_to(top) for p in top.rglob("*") if p.is_file() and p.name != ".buildinfo"}
        for top in (first, second)
    )
    assert files == others
    assert [n for n in sorted(files) if (first / n).read_bytes() != (second / n).read_bytes()] == []
