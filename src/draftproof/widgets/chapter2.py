"""The controls of chapter 2: one function a live figure."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from draftproof import examples
from draftproof.figures import Shown, chapter2, show
from draftproof.figures.chapter2_live import (
    COINS,
    SIDES,
    WARP,
    block_walk,
    walk,
    warped,
)
from draftproof.speculative import classical_constant

from .live import Live, choice, slider, whole

__all__ = ["block", "ceiling", "tokens", "warps"]

PICTURES = ("board", "bars")
PAIRS: dict[str, Any] = {
    "cat, dog, fox": examples.CAT_DOG_FOX,
    "four tokens": examples.FOUR_TOKENS,
    "house": examples.HOUSE,
}
_STEP = 0.05


def _exact(share: float) -> Fraction:
    """Return a slider's share as the fraction that it stands for."""
    return Fraction(round(share / _STEP)) / round(1 / _STEP)


def _law(cat: float, dog: float, name: str) -> tuple[Fraction, Fraction, Fraction]:
    first, second = _exact(cat), _exact(dog)
    if first + second > 1:
        raise ValueError(
            f"{name}: cat and dog must not exceed 1 together, got {float(first + second):g}"
        )
    return first, second, 1 - first - second


def tokens() -> Live:
    """Return the board of the speculative rule under its two laws; fox takes what is left.

    Returns
    -------
    Live
    """

    def draw(
        draft_cat: float, draft_dog: float, target_cat: float, target_dog: float, picture: str
    ) -> Shown:
        q = _law(draft_cat, draft_dog, "draft")
        p = _law(target_cat, target_dog, "target")
        names = examples.CAT_DOG_FOX.names
        if picture == "bars":
            return show(chapter2.cut_and_slide, p, q, names=names)
        return show(chapter2.mosaic, p, q, names=names)

    p, q = examples.CAT_DOG_FOX.p, examples.CAT_DOG_FOX.q
    return Live(
        draw,
        draft_cat=slider("draft q: cat", float(q[0]), 0, 1, _STEP),
        draft_dog=slider("draft q: dog", float(q[1]), 0, 1, _STEP),
        target_cat=slider("target p: cat", float(p[0]), 0, 1, _STEP),
        target_dog=slider("target p: dog", float(p[1]), 0, 1, _STEP),
        picture=choice("draw as", PICTURES),
    )


def ceiling() -> Live:
    """Return classical rejection beside the speculative rule, with a ceiling C to choose.

    Returns
    -------
    Live
    """

    def draw(constant: float, pair: str) -> Shown:
        one = PAIRS[pair]
        return show(
            chapter2.classical_against_speculative,
            one.p,
            one.q,
            Fraction(constant).limit_denominator(100),
            names=one.names,
        )

    first = next(iter(PAIRS))
    start = float(classical_constant(PAIRS[first].p, PAIRS[first].q))
    return Live(
        draw,
        constant=slider("ceiling C", start, 1, 4, 0.1),
        pair=choice("pair of laws", list(PAIRS)),
    )


def warps() -> Live:
    """Return the law that comes out when a warp reaches one side only.

    Returns
    -------
    Live
    """

    def draw(temperature: float, k: int, side: str) -> Shown:
        exact = Fraction(temperature).limit_denominator(100)
        names = examples.FOUR_TOKENS.names
        return show(
            chapter2.one_sided_warp, warped(exact, k, side), names=names, name="warp-by-hand"
        )

    temperature, k, side = WARP
    return Live(
        draw,
        temperature=slider("temperature T", float(temperature), 0.25, 2, 0.25),
        k=whole("top-k", k, 1, 4),
        side=choice("the warp reaches", SIDES, side),
    )


def block() -> Live:
    """Return a drafted block whose coins the reader sets.

    Returns
    -------
    Live
    """

    def draw(coin_0: float, coin_1: float, coin_2: float, coin_3: float) -> Shown:
        trace = walk([coin_0, coin_1, coin_2, coin_3])
        return show(block_walk, trace, names=examples.CAT_DOG_FOX.names)

    return Live(
        draw,
        coin_0=slider("coin of draft 0", COINS[0], 0, 0.95, _STEP),
        coin_1=slider("coin of draft 1", COINS[1], 0, 0.95, _STEP),
        coin_2=slider("coin of draft 2", COINS[2], 0, 0.95, _STEP),
        coin_3=slider("coin of draft 3", COINS[3], 0, 0.95, _STEP),
    )
