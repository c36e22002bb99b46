"""What can this many draws see? Power, and the draws needed.

Everything is found with the audit's own test, by visiting all tables of counts or by simulating
them; the noncentral chi-square curve only says where to start looking.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import rel_entr

from draftproof.finite import Array, check_whole
from draftproof.lab.audit_fit import every_table, few_tables, make_cells, table_probabilities
from draftproof.lab.audit_laws import Outcomes, read_law
from draftproof.lab.audit_rule import (
    SEED,
    check_probability,
    noncentrality,
    rejection_rule,
    runs_for,
)

__all__ = ["power", "samples_needed"]

_MOST = 10**12


def _power(law: Array, wrong: Array, outside: float, n: int, alpha: float, seed: int) -> float:
    """Return the power against a law in the same cells that has `outside` mass beyond them."""
    rng = np.random.default_rng(seed)
    rejects = rejection_rule(law, n, alpha, rng)
    if outside <= 0 and few_tables(n, len(law)):
        tables = every_table(n, len(law))
        return float(table_probabilities(tables, wrong)[rejects(tables)].sum())
    masses = np.append(wrong, outside)
    drawn = rng.multinomial(n, masses / masses.sum(), size=runs_for(len(law), alpha)[1])
    caught = drawn[:, -1] > 0
    rest = drawn[~caught, :-1]
    return float((caught.sum() + rejects(rest).sum()) / len(drawn)) if len(rest) else 1.0


def _two_laws(law: Any, wrong_law: Any) -> tuple[Array, Array, float]:
    """Return the cells of the claimed law, the wrong one in them, and its mass elsewhere."""
    claimed, wrong = read_law(law), read_law(wrong_law, "wrong_law")
    masses = _aligned(claimed, wrong)
    cells = make_cells(claimed)
    held, outside = cells.gather(masses)
    return cells.law, held, outside + max(1 - float(masses.sum()), 0.0)


def _aligned(claimed: Outcomes, wrong: Outcomes) -> Array:
    """Return the wrong law's mass of each claimed outcome."""
    if claimed.keys is None and wrong.keys is None:
        if claimed.shape != wrong.shape:
            raise ValueError(
                f"law and wrong_law must have one shape, got {claimed.shape} and {wrong.shape}"
            )
        return wrong.law
    if claimed.scalar != wrong.scalar or claimed.length < wrong.length:
        raise ValueError("law and wrong_law must be over outcomes of one kind and length")
    rows = wrong.keys if wrong.keys is not None else np.argwhere(np.ones(wrong.shape, dtype=bool))
    padded = np.pad(rows, ((0, 0), (0, claimed.length - rows.shape[1])), constant_values=-1)
    index = claimed.index(padded.astype(np.int64))
    known = index >= 0
    return np.bincount(index[known], wrong.law[known], minlength=len(claimed.law))


def power(
    law: ArrayLike | Mapping[Any, Any],
    wrong_law: ArrayLike | Mapping[Any, Any],
    n: int,
    alpha: float = 0.01,
    *,
    seed: int = SEED,
) -> float:
    """Return the probability that `audit` with `n` draws rejects a sampler of `wrong_law`.

    Exact where the tables of counts are few; simulated elsewhere (10,000 audits, standard error
    below 0.001 at a power of 0.99), with a stream of its own, so that the answer is always the
    same.

    Parameters
    ----------
    law, wrong_law : array_like or mapping
        The law claimed and the law really drawn from, as `audit` takes them.
    n : int
    alpha : float
        The audit's false-alarm rate.
    seed : int
        Of the simulation.

    Returns
    -------
    float
        The probability of a rejection, exact where all tables of counts can be visited, else
        simulated (10,000 tables: within about 0.01).

    Raises
    ------
    ValueError
        If an argument is not a law, the two do not fit together, or a number is out of range.
    """
    cells, wrong, outside = _two_laws(law, wrong_law)
    check_whole(n, "n", 1)
    return _power(cells, wrong, outside, n, check_probability(alpha, "alpha"), seed)


def samples_needed(
    law: ArrayLike | Mapping[Any, Any],
    wrong_law: ArrayLike | Mapping[Any, Any],
    alpha: float = 0.01,
    power: float = 0.99,
    *,
    seed: int = SEED,
) -> int:
    r"""Return how many draws `audit` needs to reject `wrong_law` with some power.

    The search starts where the noncentral chi-square curve puts it,
    :math:`n = \lambda / (2\,\mathrm{KL}(w \,\|\, p))`, and ends within 1 % of the least n at which
    the power of the audit itself, exact or simulated, is reached.

    Parameters
    ----------
    law, wrong_law : array_like or mapping
        The law claimed, and the law really drawn from, as `audit` takes them.
    alpha, power : float
        False-alarm rate and probability of a rejection, both in (0, 1).
    seed : int
        Of the simulation.

    Returns
    -------
    int
        Draws, within 1 % of the least number.

    Raises
    ------
    ValueError
        If the two laws are closer than 1e-9 in total variation, or as `draftproof.lab.power`.
    """
    check_probability(alpha, "alpha")
    check_probability(power, "power")
    cells, wrong, outside = _two_laws(law, wrong_law)
    bias = float(rel_entr(wrong, cells).sum())
    if outside <= 0 and abs(wrong - cells).sum() / 2 < 1e-9:
        raise ValueError(
            "law and wrong_law must differ, got two laws closer than 1e-9 in total variation"
        )
    start = noncentrality(len(cells), alpha, power) / (2 * max(bias, 1e-300))
    if outside > 0:
        start = min(start, np.log(1 - power) / np.log1p(-min(outside, 1 - 1e-12)))

    def enough(n: int) -> bool:
        return _power(cells, wrong, outside, n, alpha, seed) >= power

    return _search(enough, int(np.clip(start, 1, _MOST)))


def _search(enough: Callable[[int], bool], start: int) -> int:
    """Return nearly the least n that is enough, from a first guess."""
    low, high = 0, max(start, 1)
    while not enough(high):
        low, high = high, high + max(high // 4, 1)
        if high > _MOST:
            raise ValueError(f"law and wrong_law are too close: {_MOST} draws are not enough")
    if not low:
        low = high
        while low > 0 and enough(low):
            high, low = low, low - max(low // 4, 1)
    while high - low > max(high // 100, 1):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
