"""What chapter 2's figures show: one function a figure, so that page and file agree."""

from __future__ import annotations

from typing import Any

import numpy as np

from draftproof import examples
from draftproof.finite import inverse_cdf, overlap
from draftproof.rules import ratio_and_residual
from draftproof.speculative import generate, residual
from draftproof.trace import Trace
from draftproof.warp import softmax, temper, top_k, top_p

__all__ = ["ROUNDS_SETTING", "WORDS", "cooling", "first_draw", "one_sided", "rounds", "three_draws"]

WORDS = ("cat", "dog", "fox", "owl")
"""Names of the four tokens of the first draw."""
AGREEING: Any = examples.Pair.of("a b c", p="1/2 1/4 1/4", q="1/2 3/8 1/8")
"""A pair whose most probable tokens agree, but whose overlap first falls as T falls."""
NEARLY_TIED: Any = examples.Pair.of("a b c", p="0.5 0.45 0.05", q="0.45 0.5 0.05")
"""A pair whose most probable tokens differ by a hair: close to 1 until it is cold."""
ROUNDS_SEED = 12
ROUNDS_SETTING = "four drafts a round; the seed was picked so that all three endings occur"
"""Chosen so that three rounds end in the three ways: partly kept, all kept, none kept."""


def first_draw() -> tuple[Any, ...]:
    """Return logits, their law, a uniform and the token that it picks.

    Returns
    -------
    tuple of object
    """
    logits, u = np.array([1.8, 1.1, 0.4, -0.4]), 0.68
    law = softmax(logits)
    return logits, law, u, int(inverse_cdf(law, u))


def three_draws() -> tuple[Any, ...]:
    """Return a pair of laws, three uniforms, and the two tokens that they pick.

    Returns
    -------
    tuple of object
    """
    pair: Any = examples.CAT_DOG_FOX
    uniforms = (0.35, 0.8, 0.6)
    drafted = int(inverse_cdf(pair.q, uniforms[0]))
    corrected = int(inverse_cdf(residual(pair.p, pair.q), uniforms[2]))
    return pair.p, pair.q, uniforms, (drafted, corrected)


def cooling() -> tuple[Any, ...]:
    """Return temperatures, acceptance against them for three pairs, and four snapshots of one.

    Returns
    -------
    tuple of object
    """
    temperatures = np.geomspace(1 / 16, 8, 141)
    house: Any = examples.HOUSE
    pairs = {
        "the most probable tokens agree": AGREEING,
        "nearly tied": NEARLY_TIED,
        "they differ": house,
    }
    curves = {
        name: np.array([overlap(temper(pair.p, t), temper(pair.q, t)) for t in temperatures])
        for name, pair in pairs.items()
    }
    shots = [(t, temper(house.p, t), temper(house.q, t)) for t in (1.0, 0.5, 0.25, 0.0)]
    return temperatures, curves, shots


def one_sided() -> tuple[Any, ...]:
    """Return cases of a warp on both sides or on one: title, law wanted, law got.

    Returns
    -------
    tuple of object
    """
    four: Any = examples.FOUR_TOKENS
    p, q = four.p, four.q
    half = temper(p, 0.5), temper(q, 0.5)
    rule = ratio_and_residual
    cases = [
        ("top-k 2 in both", top_k(p, 2), rule(top_k(p, 2), top_k(q, 2))),
        ("top-k 2 in the draft only", top_k(p, 2), rule(p, top_k(q, 2))),
        ("T = 1/2 in the draft only", half[0], rule(p, half[1])),
        ("top-p 0.7 drawn, full q tested", p, rule(p, q, drawn=top_p(q, 0.7))),
    ]
    return (cases,)


def rounds(count: int = 3) -> tuple[tuple[Trace, ...]]:
    """Return the first rounds of a run with four drafts each, on the cat, dog and fox laws.

    Parameters
    ----------
    count : int
        How many rounds.

    Returns
    -------
    tuple
    """
    pair: Any = examples.CAT_DOG_FOX
    rng = np.random.default_rng(ROUNDS_SEED)
    run = generate(lambda _: pair.p, lambda _: pair.q, (), 4, 5 * count, rng)
    return (run.rounds[:count],)
