"""Every law with a small denominator: what is true of all of them was proved by exhaustion."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import comb

import numpy as np

from draftproof.finite import Array, check_whole

__all__ = ["all_laws"]

MOST = 100_000


def all_laws(size: int, denominator: int) -> Array:
    """Return all laws over `size` tokens whose masses are multiples of 1/`denominator`.

    Parameters
    ----------
    size : int
        In 1..100.
    denominator : int
        At least 1.

    Returns
    -------
    ndarray of Fraction, shape (number of laws, `size`)

    Raises
    ------
    ValueError
        If an argument is not a whole number of at least 1, or there are too many laws.
    """
    check_whole(size, "size", 1, 100)
    check_whole(denominator, "denominator", 1, MOST)
    count = comb(denominator + size - 1, min(size - 1, denominator))
    if count > MOST:
        raise ValueError(
            f"size and denominator must make at most {MOST} laws, got {size} and {denominator}"
        )
    rows = [[Fraction(part, denominator) for part in parts] for parts in _sums(size, denominator)]
    return np.array(rows, dtype=object)


def _sums(size: int, total: int) -> Iterator[tuple[int, ...]]:
    if size == 1:
        yield (total,)
        return
    for first in range(total, -1, -1):
        for rest in _sums(size - 1, total - first):
            yield (first, *rest)
