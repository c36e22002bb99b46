"""The built site, read as files: complete, self-contained, and equal to what is committed."""

import os
import re
import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup

from draftproof.book import address

pytestmark = pytest.mark.site
ROOT = Path(__file__).resolve().parents[2]


def entries(node):
    """All pages that _toc.yml names."""
    if isinstance(node, dict):
        yield from (node[key] for key in ("root", "file") if key in node)
        for child in node.values():
            yield from entries(child)
    elif isinstance(node, list):
        for child in node:
            yield from entries(child)


TOC = list(entries(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))))
CHAPTERS = [name for name in TOC if re.match(r"chapters/\d", name)]


@cache
def soup(path):
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


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
        for tag in soup(path).find_all(True):
            for key in ("src", "href", "srcset", "data", "poster", "action"):
                value = tag.get(key, "")
                outside = re.match(r"(https?:)?//", str(value))
                if outside and not (tag.name == "a" and key == "href"):
                    found.append(f"{path.name}: <{tag.name} {key}={value}>")
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
        for tag, key in ((t, k) for t in soup(path).find_all(True) for k in ("src", "href")):
            address = urlsplit(str(tag.get(key, "")))
            if address.scheme or address.netloc or not (address.path or address.fragment):
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            if not target.exists():
                missing.append(f"{path.relative_to(site)}: {tag.get(key)}")
            elif address.fragment and target.suffix == ".html":
                page, mark = soup(target), unquote(address.fragment)
                if not (page.find(id=mark) or page.find(attrs={"name": mark})):
                    missing.append(f"{path.relative_to(site)}: no #{mark} in {target.name}")
    assert missing == []


def test_every_picture_has_words(site):
    bare = []
    for path in pages(site):
        for image in soup(path).find_all("img"):
            if not image.has_attr("alt"):
                bare.append(f"{path.name}: {image.get('src')}")
        for image in soup(path).select("figure img"):
            if len(image.get("alt", "")) < 20:
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


@pytest.mark.slow
def test_two_builds_are_equal_byte_for_byte(site, tmp_path, run):
    copy = tmp_path / "book"
    copy.mkdir()
    for name in ("_config.yml", "_toc.yml", "requirements.txt", "chapters", "src", "static"):
        (copy / name).symlink_to(ROOT / name)
    if url := address.origin(ROOT):  # the pages name the remote of the checkout
        for words in (["init", "--quiet"], ["remote", "add", "origin", url]):
            assert run(["git", *words], cwd=copy).returncode == 0
    command = [str(Path(sys.executable).parent / "jupyter-book"), "build", str(copy)]
    options = ["-W", "-n", "--keep-going", "-q"]
    done = run([*command, *options], timeout=500, env={**os.environ, "PYTHONHASHSEED": "7"})
    assert done.returncode == 0, done.said
    again = copy / "_build" / "html"
    first, second = (
        # .buildinfo is Sphinx's own note and hashes the place of the checkout
        {p.relative_to(top) for p in top.rglob("*") if p.is_file() and p.name != ".buildinfo"}
        for top in (site, again)
    )
    assert first == second
    assert [n for n in sorted(first) if (site / n).read_bytes() != (again / n).read_bytes()] == []
