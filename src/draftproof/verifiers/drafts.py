"""How the drafts at one context are drawn: the other half of every exactness proof.

Each function returns all ways of drafting `width` children from `q`, with their probabilities. A
place that no token is left for holds `NO_DRAFT`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from draftproof.finite import Array, normalise
from draftproof.verifiers.shapes import NO_DRAFT

__all__ = ["best", "distinct", "from_law", "sampled", "without"]

Ways = Iterator[tuple[Any, tuple[int, ...]]]


def sampled(q: Array, width: int) -> Ways:
    """Draw the children from `q`, independently (with replacement).

    Parameters
    ----------
    q : ndarray, shape (V,)
        The draft's law.
    width : int
        Children.

    Yields
    ------
    tuple of (probability, tuple of int)
        A way of drafting, V ** width of them at most.
    """
    support = [int(x) for x in np.flatnonzero(q > 0)]
    for drafted in product(support, repeat=width):
        weight: Any = 1
        for x in drafted:
            weight = weight * q[x]
        yield weight, drafted


def distinct(q: Array, width: int) -> Ways:
    """Draw the children from `q` one after the other, each from the tokens not yet drawn.

    Parameters
    ----------
    q, width
        As for `sampled`.

    Yields
    ------
    tuple of (probability, tuple of int)
        A way of drafting, in the order of drawing.
    """
    if width == 0:
        yield 1, ()
        return
    for x in np.flatnonzero(q > 0):
        rest = without(q, int(x))
        if rest is None:
            yield q[x], (int(x), *[NO_DRAFT] * (width - 1))
            continue
        for weight, drafted in distinct(rest, width - 1):
            yield q[x] * weight, (int(x), *drafted)


def best(q: Array, width: int) -> Ways:
    """Take the `width` most probable tokens (ties by the lowest index): nothing is random.

    Parameters
    ----------
    q, width
        As for `sampled`.

    Yields
    ------
    tuple of (probability, tuple of int)
        The one way, of probability 1.
    """
    order = np.argsort(-q, kind="stable")[:width]
    drafted = [int(x) for x in order if q[x] > 0]
    yield 1, (*drafted, *[NO_DRAFT] * (width - len(drafted)))


def from_law(warp: Callable[[Array], Array]) -> Callable[[Array, int], Ways]:
    """Return the way of drawing from another law than the one the rule is told of.

    Parameters
    ----------
    warp : callable
        From q to the law that is really drawn from.

    Returns
    -------
    callable
        From q and a width to every way of drafting, as `sampled`.
    """
    return lambda q, width: sampled(warp(q), width)


def without(law: Array, x: int) -> Array | None:
    """Return `law` given that the token is not `x`, or None if no other token has mass.

    Parameters
    ----------
    law : ndarray, shape (V,)
    x : int
        The token struck out.

    Returns
    -------
    ndarray of shape (V,), or None
    """
    rest = law.copy()
    rest[x] = rest[x] * 0
    return normalise(rest) if (rest > 0).any() else None
