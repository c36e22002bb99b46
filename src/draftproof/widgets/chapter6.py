"""The controls of chapter 6: one function a live figure."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from draftproof import examples
from draftproof.figures import Shown, chapter6, show

from .live import Live, choice, slider, whole

__all__ = ["blocks", "price", "several"]

HOW = ("with replacement", "without replacement")
PAIRS: dict[str, Any] = {
    "three tokens": chapter6.results.THREE,
    "cat, dog, fox": examples.CAT_DOG_FOX,
    "house": examples.HOUSE,
}
SIX_FIRST: dict[str, Any] = {"six tokens": chapter6.results.SIX, **PAIRS}
_PARTS = 12
"""Steps of the two shares: twelfths hold the thirds and quarters of the text."""


def blocks() -> Live:
    """Return the token rule against block verification, on two tokens a and b.

    Returns
    -------
    Live
    """

    def draw(draft_a: int, target_a: int, gamma: int) -> Shown:
        p, q = (
            (Fraction(share, _PARTS), 1 - Fraction(share, _PARTS)) for share in (target_a, draft_a)
        )
        panels = chapter6.results.panels(p, q, gamma)
        return show(chapter6.token_against_block, *panels, names=examples.BLOCK.names)

    two: Any = examples.BLOCK
    return Live(
        draw,
        draft_a=whole("draft q: twelfths on a", int(two.q[0] * _PARTS), 0, _PARTS),
        target_a=whole("target p: twelfths on a", int(two.p[0] * _PARTS), 0, _PARTS),
        gamma=whole("drafts in a block γ", 2, 1, 4),
    )


def several() -> Live:
    """Return drafts for one place in turn: how many, how they are drawn, and from which pair.

    Returns
    -------
    Live
    """

    def draw(drafts: int, how: str, pair: str) -> Shown:
        one = PAIRS[pair]
        turns = chapter6.results.turns(one.p, one.q, drafts, how == HOW[0])
        return show(chapter6.drafts_in_turn, *turns, names=one.names, how=how)

    return Live(
        draw,
        drafts=whole("drafts k", 2, 1, 4),
        how=choice("drawn", HOW),
        pair=choice("pair of laws", list(PAIRS)),
    )


def price() -> Live:
    """Return the price of bias: another pair, or another threshold of typical acceptance.

    Returns
    -------
    Live
    """

    def draw(pair: str, delta: float) -> Shown:
        one = SIX_FIRST[pair]
        points = chapter6.results.price(one.p, one.q, delta)
        return show(chapter6.price_of_bias, *points)

    return Live(
        draw,
        pair=choice("pair of laws", list(SIX_FIRST)),
        delta=slider("typical δ", 1.0, 0.1, 1, 0.1),
    )
