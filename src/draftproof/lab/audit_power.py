"""What can this many draws see? Power, the draws needed, and the smallest bias that shows.

Everything is found with the audit's own test, by visiting all tables of counts or by simulating
them; the noncentral chi-square curve only says where to start looking.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri, chndtrinc, gammainccinv, rel_entr

from draftproof.finite import Array, check_rng, check_whole, show_value
from draftproof.lab.audit_fit import (
    SIMULATIONS,
    bound_limits,
    every_table,
    few_tables,
    likelihood_ratio,
    make_cells,
    reaches,
    table_probabilities,
)
from draftproof.lab.audit_laws import Outcomes, read_law

__all__ = [
    "check_probability",
    "least_favourable",
    "noncentrality",
    "power",
    "samples_needed",
    "smallest_detectable",
]

_RUNS = 10_000
_NUMBERS = 4_000_000  # cells times runs, at most
_SEED = 20_230_517
_MOST = 10**12


def check_probability(value: Any, name: str) -> float:
    """Return `value` as a float if it lies in (0, 1), else raise `ValueError`."""
    real = isinstance(value, (int, float, np.floating)) and not isinstance(value, bool)
    if not real or not 0 < value < 1:
        raise ValueError(f"{name} must lie in (0, 1), got {show_value(value)}")
    return float(value)


def noncentrality(cells: int, alpha: float, power: float) -> float:
    r"""Return the noncentrality at which a chi-square test has some power.

    With K cells the statistic of a biased sampler is close to a noncentral chi-square with K - 1
    degrees of freedom and noncentrality :math:`\lambda = 2 n\, \mathrm{KL}(w \,\|\, p)`.
    """
    degrees = max(cells - 1, 1)
    threshold = float(chdtri(degrees, alpha))
    found = float(chndtrinc(threshold, degrees, 1 - power))
    if np.isfinite(found) and found > 0:
        return found
    return float(threshold + 4 * np.sqrt(threshold) + 8)


def _runs(cells: int, alpha: float) -> tuple[int, int]:
    """Return how many tables to simulate from the law, and from the wrong one."""
    most = max(_NUMBERS // cells, 1000)
    return int(min(max(2 * _RUNS, 50 / alpha), most)), int(min(_RUNS, max(most // 4, 1000)))


def _rejection_rule(
    law: Array, n: int, alpha: float, rng: np.random.Generator
) -> Callable[[NDArray[np.int64]], NDArray[np.bool_]]:
    """Return the test that the audit makes with `n` draws: which tables it rejects."""
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
        runs = _runs(len(law), alpha)[0]
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


def _power(law: Array, wrong: Array, outside: float, n: int, alpha: float, seed: int) -> float:
    """Return the power against a law in the same cells that has `outside` mass beyond them."""
    rng = np.random.default_rng(seed)
    rejects = _rejection_rule(law, n, alpha, rng)
    if outside <= 0 and few_tables(n, len(law)):
        tables = every_table(n, len(law))
        return float(table_probabilities(tables, wrong)[rejects(tables)].sum())
    masses = np.append(wrong, outside)
    drawn = rng.multinomial(n, masses / masses.sum(), size=_runs(len(law), alpha)[1])
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
    seed: int = _SEED,
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
    seed: int = _SEED,
) -> int:
    r"""Return how many draws `audit` needs to reject `wrong_law` with some power.

    The search starts where the noncentral chi-square curve puts it,
    :math:`n = \lambda / (2\,\mathrm{KL}(w \,\|\, p))`, and ends within 1 % of the least n at which
    the power of the audit itself, exact or simulated, is reached.

    Parameters
    ----------
    law, wrong_law : array_like or mapping
    alpha, power : float
        In (0, 1).
    seed : int
        Of the simulation.

    Raises
    ------
    ValueError
        If the two laws are the same in every outcome, or as `draftproof.lab.power`.
    """
    check_probability(alpha, "alpha")
    check_probability(power, "power")
    cells, wrong, outside = _two_laws(law, wrong_law)
    bias = float(rel_entr(wrong, cells).sum())
    if outside <= 0 and abs(wrong - cells).sum() / 2 < 1e-9:
        raise ValueError("law and wrong_law must differ, got the same law twice")
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


def least_favourable(law: ArrayLike, tv: float) -> Array:
    r"""Return the law at a distance `tv` that is hardest to tell from `law`.

    It raises a set of tokens of total mass s as near to 1/2 as can be, each in proportion to its
    mass, and lowers the rest in proportion to theirs. For small `tv` no other direction of that
    distance has so small a

    .. math:: \chi^2 = \sum_x \frac{(w(x) - p(x))^2}{p(x)} = \frac{\mathrm{TV}^2}{s (1 - s)}
              \ge 4\, \mathrm{TV}^2

    by the Cauchy-Schwarz inequality.

    Parameters
    ----------
    law : array_like, shape (V,)
        At least two tokens with mass.
    tv : float
        At least 0, and at most the mass of the lowered set.

    Raises
    ------
    ValueError
        If `law` is not a law over two tokens or more, or `tv` is out of range.
    """
    outcomes = read_law(law)
    raised = _half(outcomes.law)
    gain = float(outcomes.law[raised].sum())
    if not 0 < gain < 1:
        raise ValueError("law must have two outcomes with mass at least, got one")
    real = isinstance(tv, (int, float, np.floating))
    if not real or not 0 <= tv <= 1 - gain:
        raise ValueError(f"tv must lie in [0, {1 - gain:g}] for this law, got {show_value(tv)}")
    return _moved(outcomes.law, raised, float(tv)).reshape(outcomes.shape or -1)


def _moved(law: Array, raised: NDArray[np.bool_], tv: float) -> Array:
    up, down = law[raised], law[~raised]
    wrong = law.copy()
    # The shares first: tv over a denormal mass would overflow.
    wrong[raised] += tv * (up / up.sum())
    wrong[~raised] -= tv * (down / down.sum())
    return np.asarray(wrong.clip(0))


def _half(law: Array) -> NDArray[np.bool_]:
    """Return the set of mass nearest to 1/2 from below; all subsets for up to 12 tokens."""
    order = np.argsort(-law, kind="stable")
    raised = np.zeros(len(law), dtype=bool)
    if len(law) <= 12:
        subsets = (np.arange(1, 2 ** len(law))[:, None] >> np.arange(len(law))) & 1
        mass = subsets @ law
        raised[:] = subsets[np.argmin(np.where(mass <= 0.5 + 1e-12, 0.5 - mass, np.inf))]
        if raised.any() and law[raised].sum() > 0:
            return raised
    sums = [0.0, 0.0]
    sides = np.zeros(len(law), dtype=int)
    for i in order:  # the largest first, always to the lighter side
        sides[i] = int(sums[1] < sums[0])
        sums[sides[i]] += law[i]
    return np.asarray(sides == int(sums[1] <= sums[0]))


def smallest_detectable(
    law: Array, n: int, alpha: float = 0.01, power: float = 0.99, *, seed: int = _SEED
) -> float:
    r"""Return the smallest TV that `n` draws catch, whatever the direction of the bias.

    The direction is `least_favourable`, where the first guess is
    :math:`\sqrt{\lambda s (1 - s) / n}`; the value returned is checked with the audit's own test.
    A bias of that size in any other direction is caught at least as surely, as long as it is
    small. 1.0 means that along this direction nothing is caught with that power.

    Parameters
    ----------
    law : ndarray, shape (cells,)
        Masses of the cells.
    n : int
    alpha, power : float
    seed : int

    Returns
    -------
    float
    """
    if len(law) == 1:
        return 1.0  # only a draw outside the law can be wrong, and it is always seen
    return _smallest(law.tobytes(), n, alpha, power, seed)


@lru_cache(maxsize=256)
def _smallest(masses: bytes, n: int, alpha: float, power: float, seed: int) -> float:
    law = np.frombuffer(masses)
    raised = _half(law)
    gain = float(law[raised].sum())
    if not gain > 0:  # a Fraction too small for a float
        return 1.0
    rng = np.random.default_rng(seed)
    rejects = _rejection_rule(law, n, alpha, rng)
    runs = _runs(len(law), alpha)[1]

    def caught(tv: float) -> bool:
        wrong = _moved(law, raised, tv)
        if few_tables(n, len(law)):
            tables = every_table(n, len(law))
            return float(table_probabilities(tables, wrong)[rejects(tables)].sum()) >= power
        drawn = np.random.default_rng(seed + 1).multinomial(n, wrong / wrong.sum(), size=runs)
        return float(rejects(drawn).mean()) >= power

    most = 1 - gain
    if not caught(most):
        return 1.0
    low, high = 0.0, most
    guess = np.sqrt(noncentrality(len(law), alpha, power) * gain * (1 - gain) / n)
    for tv in (min(1.1 * guess, most), min(0.9 * guess, most)):
        low, high = (low, tv) if caught(tv) else (tv, high)
    while high - low > 0.01 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if caught(middle) else (middle, high)
    return high


def check_stream(rng: object) -> np.random.Generator:
    """Return a stream of the audit's own, independent of what the sampler draws from `rng`."""
    checked = check_rng(rng)
    try:
        return checked.spawn(1)[0]
    except TypeError:  # a bit generator that was not made from a seed sequence
        return np.random.default_rng(int(checked.integers(2**63)))
