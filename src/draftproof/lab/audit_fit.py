r"""How surprising some counts are, if the sampler is exact.

The statistic is the likelihood ratio against the law,

.. math:: G = 2 \sum_x c(x) \log \frac{c(x)}{n\, p(x)} = 2 n \,\mathrm{KL}(c / n \,\|\, p),

and its p-value never leans on the chi-square curve, which misleads where expected counts are
small: it is added up over all tables where they are few, and simulated where they are many.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, gammaln, xlogy

from draftproof.finite import Array
from draftproof.lab.audit_laws import OUTSIDE, Outcomes

__all__ = [
    "MAX_CELLS",
    "SIMULATIONS",
    "Cells",
    "Fit",
    "binomial_bound",
    "bound_limits",
    "every_table",
    "few_tables",
    "fit",
    "likelihood_ratio",
    "make_cells",
    "reaches",
    "table_probabilities",
]

MAX_CELLS = 4096  # beyond it the least probable outcomes share one cell
MAX_TABLES = 20_000  # up to it every table of counts is visited
SIMULATIONS = 9_999
_EXCEEDANCES = 100  # a simulation may stop once this many tables were at least as surprising
_CHUNK = 2_000_000  # numbers held at a time


@dataclass(frozen=True, eq=False)
class Cells:
    """The possible outcomes of a law, the rarest of a very large one pooled.

    Attributes
    ----------
    law : ndarray of float64, shape (cells,)
    cell : ndarray of int, shape (K,)
        The cell of each outcome; -1 for one without probability.
    """

    law: Array
    cell: NDArray[np.int64]

    def count(self, index: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the draws in each cell; draws without probability are in none.

        Parameters
        ----------
        index : ndarray of int, shape (n,)
            The outcome of each draw; `OUTSIDE` for one that the law does not know.

        Returns
        -------
        ndarray of int, shape (cells,)
        """
        cells = self.cell[index[index != OUTSIDE]]
        return np.bincount(cells[cells >= 0], minlength=len(self.law))

    def gather(self, masses: Array) -> tuple[Array, float]:
        """Return another law's mass in each cell, and its mass on impossible outcomes.

        Parameters
        ----------
        masses : ndarray, shape (K,)
            The other law's mass of each outcome.

        Returns
        -------
        tuple of (ndarray of shape (cells,), float)
        """
        inside = self.cell >= 0
        held = np.bincount(self.cell[inside], masses[inside], minlength=len(self.law))
        return held, float(masses[~inside].sum())


def make_cells(outcomes: Outcomes) -> Cells:
    """Return the cells of a law: one an outcome, unless there are more than `MAX_CELLS`.

    Parameters
    ----------
    outcomes : Outcomes
        Of the law that is claimed.

    Returns
    -------
    Cells
    """
    possible = np.flatnonzero(outcomes.possible)
    order = possible[np.argsort(-outcomes.law[possible], kind="stable")]
    if len(order) <= MAX_CELLS:
        order = possible
    cell = np.full(len(outcomes.law), -1, dtype=np.int64)
    cell[order] = np.minimum(np.arange(len(order)), MAX_CELLS - 1)
    return Cells(np.bincount(cell[order], outcomes.law[order]), cell)


def likelihood_ratio(counts: NDArray[np.int64], law: Array) -> Array:
    """Return G of each row of counts, shape (..., cells) -> (...).

    Parameters
    ----------
    counts : ndarray of int, shape (..., cells)
        Draws in each cell.
    law : ndarray, shape (cells,)
        Positive masses that sum to 1.

    Returns
    -------
    ndarray, shape (...)
        At least 0.
    """
    n = counts.sum(axis=-1, keepdims=True)
    # Logarithms one by one: c / (n p) would overflow for a denormal p.
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = counts * (np.log(n) + np.log(law))
    terms = xlogy(counts, counts) - np.where(counts > 0, expected, 0.0)
    return np.asarray(np.maximum(2 * terms.sum(axis=-1), 0.0))


def reaches(values: Array, g: float) -> NDArray[np.bool_]:
    """Tell which statistics reach `g`; ties split by rounding count as reached.

    Parameters
    ----------
    values : ndarray
        Statistics.
    g : float
        The one to reach; may be infinite.

    Returns
    -------
    ndarray of bool
    """
    return np.asarray(values >= (g - 1e-9 * (1 + abs(g)) if np.isfinite(g) else g))


@dataclass(frozen=True)
class Fit:
    """A goodness of fit: the statistic, its p-value and how that was found.

    Attributes
    ----------
    g : float
        The likelihood ratio.
    p_value : float
        In [0, 1].
    method : str
        In words.
    """

    g: float
    p_value: float
    method: str


def fit(
    counts: NDArray[np.int64],
    law: Array,
    rng: np.random.Generator,
    simulations: int = SIMULATIONS,
) -> Fit:
    """Return G of some counts and a valid p-value.

    Few tables: the p-value is exact. Many: after Besag and Clifford, tables are simulated until
    100 of them are at least as surprising, or `simulations` are done; h of l gives h / l, and
    fewer than 100 in all give (h + 1) / (simulations + 1). Both are at most a with probability at
    most a, for every a that they can take. If not one table comes near, the p-value falls from
    1 / (simulations + 1) to `binomial_bound` where that is smaller, which keeps this property.

    Parameters
    ----------
    counts : ndarray of int, shape (cells,)
    law : ndarray, shape (cells,)
        Positive masses.
    rng : numpy.random.Generator
    simulations : int

    Returns
    -------
    Fit

    References
    ----------
    Besag and Clifford (1991), Sequential Monte Carlo p-values, Biometrika 78.
    """
    n, g = int(counts.sum()), float(likelihood_ratio(counts, law))
    if len(law) == 1:
        return Fit(g, 1.0, "one outcome only")
    if few_tables(n, len(law)):
        tables = every_table(n, len(law))
        likely = table_probabilities(tables, law)
        p_value = float(likely[reaches(likelihood_ratio(tables, law), g)].sum())
        return Fit(g, min(p_value, 1.0), "all tables")
    p_value, floor = _simulated(n, law, g, rng, simulations)
    if floor:
        p_value = min(p_value, float(binomial_bound(counts, law)))
    return Fit(g, p_value, "simulation")


def _simulated(
    n: int, law: Array, g: float, rng: np.random.Generator, simulations: int
) -> tuple[float, bool]:
    """Return the sequential Monte Carlo p-value, and whether no simulated table reached `g`."""
    done = reached = 0
    batch = 2 * _EXCEEDANCES
    while done < simulations:
        size = max(1, min(batch, simulations - done, _CHUNK // len(law)))
        large = reaches(likelihood_ratio(rng.multinomial(n, law, size=size), law), g)
        passed = reached + np.cumsum(large)
        if passed[-1] >= _EXCEEDANCES:
            stop = done + int(np.searchsorted(passed, _EXCEEDANCES)) + 1
            return _EXCEEDANCES / stop, False
        done, reached, batch = done + size, int(passed[-1]), batch * 2
    return (reached + 1) / (simulations + 1), reached == 0


def binomial_bound(counts: NDArray[np.int64], law: Array) -> Array:
    r"""Return a p-value from each cell's exact binomial tail, by the union bound.

    .. math:: \min\Bigl(1,\; 2 K \min_x \min\bigl(P(C_x \le c_x), P(C_x \ge c_x)\bigr)\Bigr)

    Valid for every n and law, and not limited by a number of simulations.

    Parameters
    ----------
    counts : ndarray of int, shape (..., cells)
        Draws in each cell.
    law : ndarray, shape (cells,)
        Positive masses that sum to 1.

    Returns
    -------
    ndarray, shape (...)
        In [0, 1].
    """
    n = counts.sum(axis=-1, keepdims=True)
    tails = np.minimum(_upper(counts, n, law), _lower(counts, n, law)).min(axis=-1)
    return np.asarray(np.minimum(2 * counts.shape[-1] * tails, 1.0))


def _upper(counts: Array, n: Any, law: Array) -> Array:
    """Return P(C >= c) of a binomial count."""
    with np.errstate(invalid="ignore"):
        return np.where(counts > 0, betainc(counts, n - counts + 1.0, law), 1.0)


def _lower(counts: Array, n: Any, law: Array) -> Array:
    """Return P(C <= c) of a binomial count."""
    with np.errstate(invalid="ignore"):
        return np.where(counts < n, betainc(n - counts, counts + 1.0, 1 - law), 1.0)


def bound_limits(n: int, law: Array, alpha: float) -> tuple[Array, Array]:
    """Return for each cell the counts at or beyond which `binomial_bound` is at most `alpha`.

    The first array holds the largest such low count (-1: none), the second the smallest such high
    count (n + 1: none).

    Parameters
    ----------
    n : int
        Draws.
    law : ndarray, shape (cells,)
        Positive masses that sum to 1.
    alpha : float
        The level, in (0, 1).

    Returns
    -------
    tuple of two ndarrays of int, shape (cells,)
    """
    tail = alpha / (2 * len(law))
    low = _first(n, len(law), lambda c: _lower(c, n, law) > tail) - 1
    high = _first(n, len(law), lambda c: _upper(c, n, law) <= tail)
    return low, high


def _first(n: int, cells: int, holds: Callable[[Array], Array]) -> Array:
    """Return the first count from 0 on that holds, cell by cell, or n + 1 (holds is monotone)."""
    below, at = np.full(cells, -1), np.full(cells, n + 1)
    while (at - below > 1).any():
        middle = (below + at) // 2
        found = holds(np.clip(middle, 0, n)) & (at - below > 1)
        moves = at - below > 1
        at = np.where(moves & found, middle, at)
        below = np.where(moves & ~found, middle, below)
    return at


def few_tables(n: int, cells: int) -> bool:
    """Tell whether all tables of `n` draws in `cells` can be visited.

    Parameters
    ----------
    n : int
        Draws.
    cells : int

    Returns
    -------
    bool
    """
    return comb(n + cells - 1, cells - 1) <= MAX_TABLES


@lru_cache(maxsize=16)
def every_table(n: int, cells: int) -> NDArray[np.int64]:
    """Return every way to put `n` draws into `cells`, shape (tables, cells).

    Parameters
    ----------
    n : int
        Draws.
    cells : int

    Returns
    -------
    ndarray of int, shape (tables, cells)
        Read-only, for it is kept.
    """
    tables = np.zeros((1, 0), dtype=np.int64)
    left = np.array([n])
    for _ in range(cells - 1):
        ways = left + 1
        starts = np.repeat(np.cumsum(ways) - ways, ways)
        here = np.arange(ways.sum()) - starts
        tables = np.column_stack([np.repeat(tables, ways, axis=0), here])
        left = np.repeat(left, ways) - here
    table = np.column_stack([tables, left])
    table.setflags(write=False)
    return table


def table_probabilities(tables: NDArray[np.int64], law: Array) -> Array:
    """Return the multinomial probability of each table under a law.

    Parameters
    ----------
    tables : ndarray of int, shape (tables, cells)
        All with the same number of draws.
    law : ndarray, shape (cells,)
        Positive masses that sum to 1.

    Returns
    -------
    ndarray, shape (tables,)
    """
    n = tables[0].sum()
    logs = gammaln(n + 1) + (xlogy(tables, law) - gammaln(tables + 1)).sum(axis=1)
    return np.asarray(np.exp(logs))
