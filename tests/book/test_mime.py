"""The Sphinx side of the figures, on a book of one page that shows a figure made up here."""

import json
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

plates = pytest.importorskip("draftproof.book.plates")

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{w}pt" height="{h}pt" viewBox="0 0 {w} {h}">'
    '<rect width="{w}" height="{h}" fill="{fill}"/></svg>\n'
)
SVGS = {
    "light-wide": SVG.format(w=736, h=300, fill="#fff"),
    "dark-wide": SVG.format(w=736, h=300, fill="#000"),
    "light-phone": SVG.format(w=336, h=400, fill="#fff"),
    "dark-phone": SVG.format(w=336, h=400, fill="#000"),
}
BUNDLE = {
    "name": "two-bars",
    "caption": "What to see: the *left* bar is $p/q$ of the right one.",
    "alt": 'Two bars, "a" & b.',
    "svgs": SVGS,
    "live": True,
}
PAGE = """# One page

See {{numref}}`fig-two-bars`.

```{{code-cell}} python
:tags: [remove-input]
import json
from IPython.display import display
bundle = json.loads({bundle!r})
texts = {{"text/html": "<b>in the lab</b>", "text/plain": bundle["alt"]}}
display({{{mime!r}: bundle, **texts}}, raw=True)
```

```{{code-cell}} python
:tags: [remove-input]
display({{{widget!r}: {{"model_id": "x"}}, "text/plain": "Slider(value=1)"}}, raw=True)
```
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("one-page")


@pytest.fixture(scope="module")
def text():
    return PAGE.format(bundle=json.dumps(BUNDLE), mime=plates.FIGURE, widget=plates.WIDGET)


@pytest.fixture(scope="module")
def page(folder, text, build_page):
    html, warnings = build_page(folder, text)
    assert warnings == 0
    return BeautifulSoup(html, "html.parser")


def test_figure_is_numbered_labelled_and_referenced(page):
    figure = page.find("figure", id="fig-two-bars")
    assert "Fig. 1" in figure.figcaption.get_text()
    assert page.find("a", href="#fig-two-bars").get_text() == "Fig. 1"


def test_caption_is_markdown(page):
    caption = page.find("figure").figcaption
    assert caption.strong.get_text() == "What to see:"
    assert caption.em.get_text() == "left"
    assert "p/q" in caption.find(class_="math").get_text()


def test_four_drawings_with_size_and_alt(page):
    images = page.find("figure").find_all("img")
    assert [i["class"][-1] for i in images] == [f"dp-{v}" for v in plates.SUFFIXES]
    assert {i["alt"] for i in images} == {BUNDLE["alt"]}
    assert {(i["width"], i["height"]) for i in images} == {("736", "300"), ("336", "400")}
    assert {(i["loading"], i["decoding"]) for i in images} == {("lazy", "async")}


def test_files_keep_name_and_bytes(page, folder):
    for variant, suffix in plates.SUFFIXES.items():
        path = folder / "out/html/_images" / f"two-bars{suffix}"
        assert path.read_bytes() == SVGS[variant].encode()


def test_live_figure_has_hint_and_no_dead_slider(page):
    assert plates.LIVE_HINT in page.find("figure").get_text()
    text = page.get_text()
    assert "Slider(value=1)" not in text
    assert "in the lab" not in text
    assert page.find("script", type=plates.WIDGET) is None


def test_single_page_builder_keeps_the_wide_light_drawing(page, folder, text, build_page):
    html, warnings = build_page(folder, text, "singlehtml")
    images = BeautifulSoup(html, "html.parser").find("figure").find_all("img")
    assert [Path(i["src"]).name for i in images] == ["two-bars.svg"]
    assert warnings == 0


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"name": "Two Bars"}, "Two Bars"),
        ({"name": "../up"}, "up"),
        ({"caption": ""}, "caption"),
        ({"svgs": {**SVGS, "dark-phone": None}, "alt": ""}, "alt"),
        ({"svgs": {"light-wide": "<svg/>"}}, "dark-wide"),
    ],
)
def test_malformed_bundle_is_named(change, word):
    with pytest.raises(ValueError, match=word):
        plates._checked(BUNDLE | change)


def test_svg_size():
    assert plates.svg_size(SVGS["light-phone"]) == (336, 400)
    with pytest.raises(ValueError, match="width and height"):
        plates.svg_size("<svg viewBox='0 0 1 1'/>")
