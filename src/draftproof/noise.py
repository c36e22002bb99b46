"""How far chance alone moves a Monte Carlo figure.

A difference without its noise band proves nothing. Everything here says how large the difference
would be for an exact sampler, so that a figure can be drawn with that band.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from draftproof.finite import Array, as_law, check_rng, check_whole, show_value

__all__ = ["binomial_interval", "empirical_law", "largest_gap", "noise_band", "tv_distance"]


def binomial_interval(successes: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a success probability.

    Its coverage is at least `level` for every true probability.

    Parameters
    ----------
    successes, n : int
        0 <= successes <= n, n >= 1.
    level : float
        In (0, 1).

    Returns
    -------
    tuple of float
        Lower and upper end.

    Raises
    ------
    ValueError
        If a count is out of range or `level` does not lie in (0, 1).

    References
    ----------
    Clopper and Pearson (1934), Biometrika 26.
    """
    from scipy.special import betaincinv

    check_whole(n, "n", 1)
    k = check_whole(successes, "successes", 0, n)
    tail = (1 - _check_level(level)) / 2
    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, tail))
    high = 1.0 if k == n else float(betaincinv(k + 1, n - k, 1 - tail))
    return low, high


def _check_level(level: float, name: str = "level") -> float:
    if not isinstance(level, (int, float, np.floating)) or not 0 < level < 1:
        raise ValueError(f"{name} must lie in (0, 1), got {show_value(level)}")
    return float(level)


def empirical_law(tokens: ArrayLike, size: int) -> Array:
    """Return the share of each token among `tokens`, shape (`size`,).

    Raises
    ------
    ValueError
        If there are no tokens, or one lies outside 0..size-1.
    """
    seen = np.asarray(tokens)
    check_whole(size, "size", 1)
    if seen.size == 0 or seen.dtype.kind not in "iu":
        raise ValueError(f"tokens must be whole numbers, at least one, got {show_value(tokens)}")
    if seen.min() < 0 or seen.max() >= size:
        bad = seen[(seen < 0) | (seen >= size)].flat[0]
        raise ValueError(f"tokens must be in 0..{size - 1}, got {bad}")
    return np.bincount(seen.ravel(), minlength=size) / seen.size


def tv_distance(shares: Array, law: Array) -> Array:
    """Return the total variation distance of each row of shares from `law`."""
    return np.asarray(abs(shares - law).sum(axis=-1) / 2)


def largest_gap(shares: Array, law: Array) -> Array:
    """Return the largest difference of a single token's share from its probability."""
    return np.asarray(abs(shares - law).max(axis=-1))


def noise_band(
    law: ArrayLike,
    n: int,
    rng: np.random.Generator,
    *,
    statistic: Callable[[Array, Array], Array] = tv_distance,
    levels: Sequence[float] = (0.05, 0.5, 0.95),
    runs: int = 4000,
) -> Array:
    """Return quantiles of a distance between `n` exact draws and their own law.

    Parameters
    ----------
    law : array_like, shape (V,)
    n : int
        Draws in one run.
    rng : numpy.random.Generator
    statistic : callable
        From shares (runs, V) and the law to one distance a run: `tv_distance`, `largest_gap`.
    levels : sequence of float
        Which quantiles.
    runs : int
        Exact runs to simulate; the quantiles' own error falls as 1/sqrt(runs).

    Returns
    -------
    ndarray, shape (len(levels),)

    Raises
    ------
    ValueError
        If `law` is not one law, a count is below 1, or a level does not lie in (0, 1).
    """
    p = as_law(law, "law").astype(np.float64)
    if p.ndim != 1:
        raise ValueError(f"law must be one law of shape (V,), got shape {p.shape}")
    wanted = [_check_level(level, "levels") for level in levels]
    check_whole(n, "n", 1)
    counts = check_rng(rng).multinomial(n, p / p.sum(), size=check_whole(runs, "runs", 1))
    return np.quantile(statistic(counts / n, p), wanted)
