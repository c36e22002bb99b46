"""Two tests beyond the counts: too even, and neighbours that depend on each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from draftproof.finite import Array
from draftproof.lab.audit_fit import (
    every_table,
    few_tables,
    likelihood_ratio,
    table_probabilities,
)

__all__ = ["evenness", "serial"]

_ENOUGH = 100


def evenness(
    counts: NDArray[np.int64], law: Array, rng: np.random.Generator, simulations: int
) -> float:
    """Return the p-value of counts that lie too close to their expectation (small G).

    Parameters
    ----------
    counts : ndarray of int, shape (cells,)
        Draws in each cell.
    law : ndarray, shape (cells,)
        Positive masses that sum to 1.
    rng : numpy.random.Generator
    simulations : int
        At most how many.

    Returns
    -------
    float
        In (0, 1].
    """
    n, g = int(counts.sum()), float(likelihood_ratio(counts, law))
    limit = g + 1e-9 * (1 + g)
    if len(law) == 1:
        return 1.0
    if few_tables(n, len(law)):
        tables = every_table(n, len(law))
        likely = table_probabilities(tables, law)
        return min(1.0, float(likely[likelihood_ratio(tables, law) <= limit].sum()))

    def batch(size: int) -> NDArray[np.bool_]:
        return likelihood_ratio(rng.multinomial(n, law, size=size), law) <= limit

    return _monte_carlo(batch, simulations, max(1, 2_000_000 // len(law)))


def serial(
    cells: NDArray[np.int64], size: int, rng: np.random.Generator, simulations: int
) -> float:
    """Return the p-value of neighbouring draws that depend on each other.

    Under independence every order of the same draws is equally likely, so the statistic, the
    likelihood ratio of the table of neighbouring pairs, is compared with that of shuffled draws.
    The order tells nothing about the counts: this p-value is independent of theirs.

    Parameters
    ----------
    cells : ndarray of int, shape (n,)
        The cell of each draw, in the order of drawing.
    size : int
        How many cells there are.
    rng : numpy.random.Generator
    simulations : int
        At most how many.

    Returns
    -------
    float
        In (0, 1].
    """
    if size == 1 or len(cells) < 3:
        return 1.0
    # Rare tokens share a class, so that the table of pairs has no more than 64 classes a side.
    order = np.argsort(-np.bincount(cells, minlength=size), kind="stable")
    rank = np.empty(size, dtype=np.int64)
    rank[order] = np.minimum(np.arange(size), 63)
    classes = rank[cells]
    observed = _pairs(classes)

    def batch(count: int) -> NDArray[np.bool_]:
        shuffled = (_pairs(rng.permutation(classes)) for _ in range(count))
        return np.array([value >= observed - 1e-9 * (1 + observed) for value in shuffled])

    return _monte_carlo(batch, min(simulations, 1_999), 100)


def _pairs(classes: NDArray[np.int64]) -> float:
    """Return the sum of c log c over the table of neighbouring pairs.

    The margins are the same for every shuffle up to the two ends, so nothing else matters.
    """
    side = int(classes.max()) + 1
    table = np.bincount(classes[:-1] * side + classes[1:], minlength=side * side)
    seen = table[table > 0]
    return float((seen * np.log(seen)).sum())


def _monte_carlo(batch: object, simulations: int, most: int) -> float:
    """Return a sequential Monte Carlo p-value; see `draftproof.lab.audit_fit.fit`."""
    done = reached = 0
    size = 200
    while done < simulations:
        now = min(size, simulations - done, most)
        passed = reached + np.cumsum(batch(now))  # type: ignore[operator]
        if passed[-1] >= _ENOUGH:
            return _ENOUGH / (done + int(np.searchsorted(passed, _ENOUGH)) + 1)
        done, reached, size = done + now, int(passed[-1]), size * 2
    return (reached + 1) / (simulations + 1)
