"""The controls of chapter 6: one function a live figure."""

from __future__ import annotations

from typing import Any

from draftproof import examples
from draftproof.figures import Shown, chapter6, show

from .live import Live, choice, slider

__all__ = ["price"]

PAIRS: dict[str, Any] = {
    "six tokens": chapter6.results.SIX,
    "three tokens": chapter6.results.THREE,
    "cat, dog, fox": examples.CAT_DOG_FOX,
    "house": examples.HOUSE,
}


def price() -> Live:
    """Return the price of bias: another pair, or another threshold of typical acceptance.

    Returns
    -------
    Live
    """

    def draw(pair: str, delta: float) -> Shown:
        one = PAIRS[pair]
        points = chapter6.results.price(one.p, one.q, delta)
        return show(chapter6.price_of_bias, *points)

    return Live(
        draw,
        pair=choice("pair of laws", list(PAIRS)),
        delta=slider("typical δ", 1.0, 0.1, 1, 0.1),
    )
