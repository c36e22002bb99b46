"""The cases that exercises are checked on, the smallest first."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np

__all__ = ["Law", "as_floats", "awkward_pairs", "laws", "pairs", "sampler_pairs"]

Law = tuple[Any, ...]


def as_floats(law: Law) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return a law as a new array of floats.

    Parameters
    ----------
    law : sequence of numbers

    Returns
    -------
    ndarray of float64, shape (V,)
    """
    return np.array([float(mass) for mass in law])


@cache
def laws(size: int, parts: int) -> tuple[Law, ...]:
    """Return every law over `size` tokens whose masses are multiples of 1/`parts`.

    Parameters
    ----------
    size : int
        Tokens.
    parts : int
        The common denominator.

    Returns
    -------
    tuple of tuples of Fraction
    """
    counts = (row for row in product(range(parts + 1), repeat=size) if sum(row) == parts)
    return tuple(tuple(Fraction(part, parts) for part in row) for row in counts)


def pairs() -> Iterator[tuple[Law, Law]]:
    """Yield pairs p, q: two tokens in halves, thirds, quarters, then one token, then three.

    Within a size, plain pairs come before equal laws and laws with zeros, so that the first pair
    at which a formula fails tells most about it.

    Yields
    ------
    pair of tuples
        p and q, in Fractions.
    """
    for sizes in (((2, 2), (2, 3), (2, 4)), ((1, 1),), ((3, 4),)):
        made = [
            (p, q)
            for size, parts in sizes
            for p, q in product(laws(size, parts), laws(size, parts))
        ]
        yield from sorted(dict.fromkeys(made), key=_awkward)
    yield from awkward_pairs()


def _awkward(pair: tuple[Law, Law]) -> int:
    p, q = pair
    return 2 * (0 in p or 0 in q) + (p == q)


def awkward_pairs() -> Iterator[tuple[Law, Law]]:
    """Yield pairs that floats find hard: nearly equal, almost impossible tokens, many tokens.

    Yields
    ------
    pair of tuples
        p and q, in Fractions.
    """
    tiny = Fraction(1, 2**40)
    yield (
        (Fraction(1, 2) + tiny, Fraction(1, 2) - tiny),
        (Fraction(1, 2) - tiny, Fraction(1, 2) + tiny),
    )
    rare = Fraction(1, 2**60)
    yield (1 - rare, rare), (rare, 1 - rare)
    rng = np.random.default_rng(7)
    for _ in range(20):
        size = int(rng.integers(4, 9))
        rows = rng.integers(0, 6, (2, size)) + np.eye(size, dtype=int)[rng.integers(0, size, 2)]
        p, q = (tuple(Fraction(int(c), int(row.sum())) for c in row) for row in rows)
        yield p, q


def sampler_pairs() -> Iterator[tuple[Law, Law]]:
    """Yield the pairs that samplers are audited on, each with something of its own.

    Yields
    ------
    pair of tuples
        p and q, in Fractions.
    """
    texts = (
        ("1/2 1/2", "1/2 1/2"),  # p = q
        ("1/3 2/3", "2/3 1/3"),
        ("1 0", "1/2 1/2"),  # a token that must never come
        ("1/2 1/2", "1 0"),  # a token the draft never proposes
        ("0 1", "1 0"),  # nothing in common
        ("1/4 1/4 1/2", "1/2 1/4 1/4"),
        ("3/5 3/10 1/10", "1/5 3/10 1/2"),
        ("1/2 3/10 3/20 1/20", "3/5 1/5 1/10 1/10"),
        ("1/2 3/10 1/10 1/10", "1/10 1/5 3/10 2/5"),
        ("0 1/2 0 1/4 1/4", "1/5 1/5 1/5 1/5 1/5"),
    )
    for p, q in texts:
        yield tuple(map(Fraction, p.split())), tuple(map(Fraction, q.split()))
