"""How far chance alone moves a Monte Carlo figure.

A difference without its noise band proves nothing. Everything here says how large the difference
would be for an exact sampler, so that a figure can be drawn with that band.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from draftproof.checks import as_numbers
from draftproof.finite import (
    LARGEST,
    Array,
    ArrayLike,
    as_array,
    as_law,
    check_number,
    check_rng,
    check_whole,
    show_value,
)

__all__ = [
    "binomial_interval",
    "empirical_law",
    "largest_gap",
    "mean_distance",
    "noise_band",
    "share_band",
    "standard_error",
    "tv_distance",
]


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


def standard_error(values: ArrayLike) -> float:
    r"""Return the standard error of the mean of independent draws.

    .. math:: \sqrt{\frac{1}{n (n - 1)} \sum_i (x_i - \bar x)^2}

    Parameters
    ----------
    values : array_like
        The draws, at least two; of verdicts, True counts as 1 and the mean is a share.

    Returns
    -------
    float
        In the unit of the draws. The mean lies within two of it of the truth in about 95 % of
        runs, if the draws have a variance and are many.

    Raises
    ------
    ValueError
        If there are fewer than two draws, or one is not a finite number.
    """
    seen = as_array(values, "values").ravel()
    if seen.dtype.kind not in "biuf" or seen.size < 2 or not np.isfinite(seen).all():
        raise ValueError(f"values must be finite numbers, at least two, got {show_value(values)}")
    return float(seen.std(ddof=1) / np.sqrt(seen.size))


def _check_level(level: float, name: str = "level") -> float:
    return float(check_number(level, name, 0, 1, above=True, below=True))


def empirical_law(tokens: ArrayLike, size: int) -> Array:
    """Return the share of each token among `tokens`, shape (`size`,).

    Parameters
    ----------
    tokens : array_like of int
    size : int
        V, the size of the vocabulary.

    Returns
    -------
    ndarray, shape (size,)

    Raises
    ------
    ValueError
        If there are no tokens, or one lies outside 0..size-1.
    """
    seen = as_array(tokens, "tokens")
    check_whole(size, "size", 1, LARGEST)
    if seen.size == 0 or seen.dtype.kind not in "iu":
        raise ValueError(f"tokens must be whole numbers, at least one, got {show_value(tokens)}")
    if seen.min() < 0 or seen.max() >= size:
        bad = seen[(seen < 0) | (seen >= size)].flat[0]
        raise ValueError(f"tokens must be in 0..{size - 1}, got {bad}")
    return np.bincount(seen.ravel(), minlength=size) / seen.size


def _check_shares(shares: ArrayLike, law: ArrayLike, name: str = "shares") -> tuple[Array, Array]:
    seen = as_law(shares, name).astype(np.float64)
    p = as_law(law, "law").astype(np.float64)
    if p.ndim != 1 or seen.shape[-1:] != p.shape:
        raise ValueError(
            f"{name} and law must be over one vocabulary, got shapes {seen.shape} and {p.shape}"
        )
    return seen, p


def tv_distance(shares: ArrayLike, law: ArrayLike) -> Array:
    """Return the total variation distance of each row of shares from `law`.

    Parameters
    ----------
    shares : array_like, shape (..., V)
        What was seen, as shares of the whole.
    law : array_like, shape (V,)

    Returns
    -------
    ndarray, of the leading shape

    Raises
    ------
    ValueError
        If `shares` or `law` is not a law, or they do not fit.
    """
    seen, p = _check_shares(shares, law)
    return np.asarray(abs(seen - p).sum(axis=-1) / 2)


def largest_gap(shares: ArrayLike, law: ArrayLike) -> Array:
    """Return the largest difference of a single token's share from its probability.

    Parameters
    ----------
    shares : array_like, shape (..., V)
        What was seen, as shares of the whole.
    law : array_like, shape (V,)

    Returns
    -------
    ndarray, of the leading shape

    Raises
    ------
    ValueError
        If `shares` or `law` is not a law, or they do not fit.
    """
    seen, p = _check_shares(shares, law)
    return np.asarray(abs(seen - p).max(axis=-1))


def mean_distance(law: ArrayLike, drawn: ArrayLike, n: float) -> float:
    r"""Return about how far `n` draws from one law lie from another law, in total variation.

    The mean of `tv_distance`, with each token's share taken as normal: with :math:`r` the law of
    the draws, :math:`d_i = |r_i - p_i|`, :math:`s_i = \sqrt{r_i (1 - r_i) / n}` and
    :math:`z_i = d_i / s_i`, the sum of the means of folded normals

    .. math:: \frac12 \sum_i \Bigl( s_i \sqrt{2 / \pi}\, e^{-z_i^2 / 2}
        + d_i \operatorname{erf}(z_i / \sqrt2) \Bigr).

    Parameters
    ----------
    law : array_like, shape (V,)
        The law p that the shares are compared with.
    drawn : array_like, shape (V,)
        The law r that the draws follow; `law` itself for an exact sampler.
    n : float
        Draws, at least 1. A mean over shares needs no whole number, which helps who solves for n.

    Returns
    -------
    float
        Good to about one part in n for tokens that are expected ten times or more.

    Raises
    ------
    ValueError
        If `law` or `drawn` is not a law, they do not fit, or `n` is below 1.

    References
    ----------
    Leone, Nelson and Nottingham (1961), The folded normal distribution, Technometrics 3.
    """
    from scipy.special import erf

    r, p = _check_shares(drawn, law, "drawn")
    if r.ndim != 1:
        raise ValueError(f"drawn must be one law of shape (V,), got shape {r.shape}")
    gap, sd = abs(r - p), np.sqrt(r * (1 - r) / float(check_number(n, "n", 1)))
    spread = sd > 0  # a share that is always 0 or always 1 is as far off as it is
    z = gap[spread] / sd[spread]
    folded = sd[spread] * np.sqrt(2 / np.pi) * np.exp(-(z**2) / 2)
    folded += gap[spread] * erf(z / np.sqrt(2))
    return float((folded.sum() + gap[~spread].sum()) / 2)


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
        If `law` is not one law, a count is below 1, a level does not lie in (0, 1), or `statistic`
        does not return one finite number a run.
    """
    p = as_law(law, "law").astype(np.float64)
    if p.ndim != 1:
        raise ValueError(f"law must be one law of shape (V,), got shape {p.shape}")
    if not isinstance(levels, Iterable):
        raise ValueError(f"levels must be a sequence of numbers, got {show_value(levels)}")
    wanted = [_check_level(level, "levels") for level in levels]
    if not callable(statistic):
        raise ValueError(f"statistic must be a callable, got {show_value(statistic)}")
    check_whole(n, "n", 1)
    check_whole(runs, "runs", 1, LARGEST // len(p))
    counts = check_rng(rng).multinomial(n, p / p.sum(), size=runs)
    distances = as_numbers(statistic(counts / n, p), "statistic(shares, law)")[0]
    if distances.shape != (runs,):
        raise ValueError(
            f"statistic must return one number a run, shape ({runs},), got {distances.shape}"
        )
    found = distances.astype(np.float64)
    if not np.isfinite(found).all():
        bad = found[~np.isfinite(found)][0]
        raise ValueError(f"statistic must return finite numbers, got {bad}")
    return np.quantile(found, wanted)


def share_band(law: ArrayLike, n: int, level: float = 0.9) -> tuple[Array, Array]:
    """Return, token by token, the range that `n` exact draws give the token's share.

    The band is pointwise: each share alone stays in it with probability `level` or more, so of
    many tokens a few are always outside.

    Parameters
    ----------
    law : array_like, shape (V,)
    n : int
        Draws.
    level : float
        In (0, 1).

    Returns
    -------
    tuple of ndarray, shape (V,)
        Lower and upper shares, multiples of 1/n.

    Raises
    ------
    ValueError
        If `law` is not a law, `n` is below 1 or `level` does not lie in (0, 1).
    """
    from scipy.special import bdtr

    p = as_law(law, "law").astype(np.float64)
    check_whole(n, "n", 1)
    tail = (1 - _check_level(level)) / 2
    ends = []
    for wanted in (tail, 1 - tail):
        low, high = np.full(p.shape, -1.0), np.full(p.shape, float(n))
        while (high - low > 1).any():  # the least count whose distribution function reaches it
            middle = np.floor((low + high) / 2)
            reached = (middle >= 0) & (bdtr(np.maximum(middle, 0), n, p) >= wanted)
            low, high = np.where(reached, low, middle), np.where(reached, middle, high)
        ends.append(high / n)
    return ends[0], ends[1]
