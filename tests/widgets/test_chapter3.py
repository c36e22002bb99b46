"""Chapter 3's controls, driven without a browser."""

import pytest

pytest.importorskip("ipywidgets")

from draftproof import cost, toy_curves, toy_runs
from draftproof.examples import toy
from draftproof.figures.catalog import CATALOG
from draftproof.figures.chapter3 import gap_bands, one_context, stairs
from draftproof.widgets import chapter3

STILLS = {
    "context_bars": "one-context",
    "noisy_gaps": "gap-bands",
    "round_stairs": "stairs",
}


@pytest.mark.parametrize("function, figure", STILLS.items())
def test_it_starts_with_the_book_s_own_figure(function, figure):
    live = getattr(chapter3, function)()
    assert len(live.controls) >= 2
    assert all(control.description for control in live.controls.values())
    assert live.picture.svgs == CATALOG[figure].show().svgs


def move(live, **values):
    """Set controls one after the other; each must change the picture and raise no error."""
    for name, value in values.items():
        before = live.picture
        live.controls[name].value = value
        assert live.error == "", (name, value)
        assert live.picture is not before, name
    return live.picture.alt


def test_weight_context_and_gamma():
    live = chapter3.context_bars()
    alt = move(live, weight=0.9, context="space", gamma=8)
    row = toy_runs.row_at(" ", 0.9)
    assert alt == one_context(row, toy_curves.summary(0.9, 8)).alt
    assert "alpha is 0.9726" in alt
    assert "after the start" in move(live, context="start")
    assert "alpha is 0.7258" in move(live, weight=0)
    assert "alpha is 1.0000" in move(live, weight=1)


def test_every_context_can_be_drawn():
    live = chapter3.context_bars()
    options = live.controls["context"].options
    assert len(options) == 19
    for context in ("start", "space", "q"):
        move(live, context=context)


def test_more_runs_and_fewer_samples():
    live = chapter3.noisy_gaps()
    alt = move(live, run=7, n="2 000")
    assert alt == gap_bands(*toy_runs.gap_results(2000, 7), toy()[0].vocabulary).alt
    assert "2\u202f000 draws" in alt


def test_stairs_follow_every_slider():
    live = chapter3.round_stairs()
    alt = move(live, alpha=0.9, c=0.25, v=2.0)
    assert alt == stairs(0.9, 4, 0.25, 2.0).alt
    assert f"{cost.speedup(0.9, 4, 0.25, 2.0):.3f}" in alt
    assert "10 drafts" in move(live, gamma=10)
    move(live, alpha=0.0)
    move(live, alpha=1.0, c=0.0)
