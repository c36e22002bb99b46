"""The test that an audit makes, as a rule on tables of counts, and its arguments' checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, chndtrinc, gammainccinv

from draftproof.finite import Array, check_number, check_rng
from draftproof.lab.audit_fit import (
    SIMULATIONS,
    bound_limits,
    every_table,
    few_tables,
    likelihood_ratio,
    reaches,
    table_probabilities,
)

__all__ = [
    "SEED",
    "check_probability",
    "check_stream",
    "noncentrality",
    "rejection_rule",
    "runs_for",
]

SEED = 20_230_517
"""Of the simulations that find powers and sizes: the same question has the same answer."""

_RUNS = 10_000
_NUMBERS = 4_000_000  # cells times runs, at most


def check_probability(value: Any, name: str) -> float:
    """Return `value` as a float if it lies in (0, 1), else raise `ValueError`.

    Parameters
    ----------
    value : object
    name : str
        How error messages call it.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If it is no number in (0, 1).
    """
    return float(check_number(value, name, 0, 1, above=True, below=True))


def noncentrality(cells: int, alpha: float, power: float) -> float:
    r"""Return the noncentrality at which a chi-square test has some power.

    With K cells the statistic of a biased sampler is close to a noncentral chi-square with K - 1
    degrees of freedom and noncentrality :math:`\lambda = 2 n\, \mathrm{KL}(w \,\|\, p)`.

    Parameters
    ----------
    cells : int
    alpha, power : float
        Both in (0, 1).

    Returns
    -------
    float
    """
    degrees = max(cells - 1, 1)
    threshold = float(chdtri(degrees, alpha))
    found = float(chndtrinc(threshold, degrees, 1 - power))
    if np.isfinite(found) and found > 0:
        return found
    return float(threshold + 4 * np.sqrt(threshold) + 8)


def runs_for(cells: int, alpha: float) -> tuple[int, int]:
    """Return how many tables to simulate from the law, and from the wrong one.

    Parameters
    ----------
    cells : int
    alpha : float
        The false-alarm rate.

    Returns
    -------
    tuple of (int, int)
    """
    most = max(_NUMBERS // cells, 1000)
    return int(min(max(2 * _RUNS, 50 / alpha), most)), int(min(_RUNS, max(most // 4, 1000)))


def rejection_rule(
    law: Array, n: int, alpha: float, rng: np.random.Generator
) -> Callable[[NDArray[np.int64]], NDArray[np.bool_]]:
    """Return the test that the audit makes with `n` draws: which tables it rejects.

    Parameters
    ----------
    law : ndarray, shape (cells,)
        Positive masses that sum to 1.
    n : int
        Draws.
    alpha : float
        The false-alarm rate.
    rng : numpy.random.Generator
        For the threshold, where it is simulated.

    Returns
    -------
    callable
        From tables of counts, shape (tables, cells), to booleans, shape (tables,).
    """
    if len(law) == 1:
        return lambda counts: np.zeros(len(counts), dtype=bool)
    if few_tables(n, len(law)):
        tables = every_table(n, len(law))
        threshold = _threshold(
            likelihood_ratio(tables, law), table_probabilities(tables, law), alpha
        )
    elif alpha * (SIMULATIONS + 1) < 1:
        # No simulated p-value is this small: the audit decides by the exact binomial tails.
        low, high = bound_limits(n, law, alpha)
        return lambda counts: np.asarray(((counts <= low) | (counts >= high)).any(axis=-1))
    else:
        runs = runs_for(len(law), alpha)[0]
        found = likelihood_ratio(rng.multinomial(n, law, size=runs), law)
        threshold = _quantile(found, alpha)
    return lambda counts: reaches(likelihood_ratio(counts, law), threshold)


def _quantile(found: Array, alpha: float) -> float:
    """Return the upper `alpha` quantile of simulated G; a fitted gamma law's where they are few."""
    rank = int(alpha * (len(found) + 1))
    if rank >= 20 or not found.any():
        value = float(np.sort(found)[-max(rank, 1)])
        # Where ties would take more than their share, only what lies beyond them is rejected.
        tied = int(reaches(found, value).sum()) > rank
        return value + 4e-9 * (1 + value) if tied else value
    scale = found.var() / found.mean()
    return float(scale * gammainccinv(found.mean() / scale, alpha))


def _threshold(g: Array, likely: Array, alpha: float) -> float:
    """Return the least G whose upper tail has probability at most `alpha`, or infinity."""
    order = np.argsort(-g, kind="stable")
    tail = np.cumsum(likely[order])
    # All tables of one G are in or out together: look at the tail's sum after the last of them.
    last = np.searchsorted(-g[order], -g[order] + 1e-9 * (1 + g[order]), side="right") - 1
    inside = g[order][tail[last] <= alpha]
    return float(inside[-1]) if len(inside) else float("inf")


def check_stream(rng: object) -> np.random.Generator:
    """Return a stream of the audit's own, independent of what the sampler draws from `rng`.

    Parameters
    ----------
    rng : object
        What the caller gave.

    Returns
    -------
    numpy.random.Generator

    Raises
    ------
    ValueError
        If `rng` is not a numpy.random.Generator.
    """
    checked = check_rng(rng)
    try:
        return checked.spawn(1)[0]
    except TypeError:  # a bit generator that was not made from a seed sequence
        return np.random.default_rng(int(checked.integers(2**63)))
