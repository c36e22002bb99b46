"""One source, two forms: what is written for kernels and for static pages."""

import json
import re

import pytest

from draftproof.figures.plate import MIME
from draftproof.figures.style import DARK, LIGHT, contrast
from draftproof.widgets import alive
from draftproof.widgets.alive import bundle

WIDGETS = [getattr(alive, name) for name in alive.__all__ if name != "Alive"]
SOURCES = sorted(f.name[:-3] for f in bundle._FILES.iterdir() if f.name.endswith(".js"))
LIMIT = 15_000


def test_every_module_has_a_widget():
    assert sorted(w.module for w in WIDGETS) == sorted(bundle.MODULES)


@pytest.mark.parametrize("name", SOURCES)
def test_sources_are_small_and_fetch_nothing(name):
    text = bundle._source(f"{name}.js")
    assert len(text.encode()) < LIMIT
    assert not re.search(
        r"https?://(?!www\.w3\.org/2000/svg)|fetch\(|XMLHttpRequest|import\(|\beval\b|console\.",
        text,
    )


@pytest.mark.parametrize("name", bundle.MODULES)
def test_forms(name):
    module, script = bundle.whole_module(name), bundle.module_script(name)
    assert module.count("export default") == 1
    assert not re.search(r"^import\b", module, re.MULTILINE)
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)


def test_an_unknown_widget_is_named():
    with pytest.raises(ValueError, match="'slot'"):
        bundle.whole_module("slot")


def test_the_sheet_has_both_themes_colours():
    sheet = bundle.style_sheet()
    for theme in (LIGHT, DARK):
        for role in ("p", "q", "accepted", "rejected", "residual", "bonus"):
            assert theme[role].line in sheet
            assert theme[role].fill in sheet
            assert contrast(theme[role].text, theme.background) >= 4.5
    assert "@import" not in sheet
    assert "url(" not in sheet


@pytest.mark.parametrize("widget", WIDGETS, ids=lambda w: w.module)
def test_bundle_of_a_cell(widget):
    one = widget()
    shown = one._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in shown
    figure = shown[MIME]
    assert figure["alt"]
    assert set(figure["svgs"]) == {"light-wide", "dark-wide", "light-phone", "dark-phone"}
    assert figure["alive"]["module"] == widget.module
    assert figure["alive"]["state"]["home"] == one.state
    assert set(one.state) == set(one.parts)
    assert all(one.traits()[part].metadata.get("sync") for part in one.parts)


@pytest.mark.parametrize("widget", WIDGETS, ids=lambda w: w.module)
def test_the_still_is_a_figure_of_the_book(widget):
    from draftproof.figures.catalog import CATALOG

    entry = CATALOG[widget.figure]
    still = widget().still()
    assert (still.name, still.alt) == (entry.name, entry.show().alt)


def test_the_place_holds_any_state():
    bs4 = pytest.importorskip("bs4")
    from draftproof.book.alive import place

    state = {"names": ['<b>"', "&amp;'", "ü"], "p": [0.1, 1e-17]}
    html = place({"module": "tokens", "state": state})
    found = bs4.BeautifulSoup(html, "html.parser").div
    assert json.loads(found["data-state"]) == state
    assert "hidden" in found.attrs
    assert place(None) == ""


def test_another_still():
    one = alive.Darts(figure="broken-constant", proposal="flat", constant=15.0)
    assert one.still().name == "broken-constant"
    assert one.home["constant"] == 15
    with pytest.raises(ValueError, match="'no-such'"):
        alive.Darts(figure="no-such").still()


def test_state_is_checked():
    with pytest.raises(ValueError, match="takes names, p, q"):
        alive.Tokens(r=[1])
    with pytest.raises(ValueError, match="sum to 1"):
        alive.Tokens(p=[0.5, 0.6])


def test_the_noise_of_chapter_5_is_the_kind_coin():
    from draftproof.figures.chapter5 import results
    from draftproof.widgets import chapter5

    one = chapter5.noise_widget()
    assert one.still().name == "noise-band"
    assert one.sizes[one.step] == 10_000
    for bias in (0.002, 0.01, 0.03, 0.08):  # the ends of the slider, and between
        one.bias = bias
        wanted = [float(x) for x in results.kind_law(bias)]
        assert one.biased.tolist() == pytest.approx(wanted, abs=1e-12)
        # The mean leaves the band where about half of the runs have left it.
        half = results.noise(bias).draws_for(0.5)
        assert one.facts()["crossing"] == pytest.approx(half, rel=0.25)


def test_a_name_that_is_not_exported_is_named(monkeypatch):
    """`export const A = 1, B = 2` exports A alone here: whoever wants B must be told."""
    files = {
        "laws.js": "export const A = 1, B = 2;",
        "cost.js": 'import { A, B } from "./laws.js";',
    }
    monkeypatch.setattr(bundle, "_source", files.get)
    with pytest.raises(ValueError, match=r"cost.js: laws.js exports no B"):
        bundle._function.__wrapped__("cost")
