"""Chapter 6's controls, driven without a browser: the picture must say and show the new values."""

import pytest

pytest.importorskip("ipywidgets")

from draftproof.figures.catalog import CATALOG
from draftproof.widgets import chapter6


def test_it_starts_with_the_book_s_own_figure():
    live = chapter6.price()
    assert len(live.controls) >= 2
    assert all(control.description for control in live.controls.values())
    assert live.picture.svgs == CATALOG["price-of-bias"].show().svgs


def test_the_price_moves():
    live = chapter6.price()
    first = live.picture.alt
    live.controls["delta"].value = 0.3
    second = live.picture.alt
    assert first != second
    for pair in chapter6.PAIRS:
        live.controls["pair"].value = pair
        assert live.error == ""
    assert live.picture.alt not in (first, second)
