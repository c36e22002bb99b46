"""Laws over a finite vocabulary: check, normalise, compare, draw.

A law is an array whose last axis runs over the vocabulary. Floats give float64 results. Give
`fractions.Fraction` entries and every result is an array of Fractions, so that a theorem about
laws is tested with ``==``.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from draftproof._inverse import PIECE, last_with_mass, pieces_of, turn_many
from draftproof.checks import (
    LARGEST,
    TOLERANCE,
    Array,
    ArrayLike,
    as_array,
    as_exact,
    as_number,
    as_numbers,
    check_flag,
    check_number,
    check_rng,
    check_size,
    check_uniforms,
    check_whole,
    is_exact,
    show_value,
)

__all__ = [
    "LARGEST",
    "TOLERANCE",
    "Array",
    "ArrayLike",
    "as_array",
    "as_exact",
    "as_law",
    "as_number",
    "as_pair",
    "check_flag",
    "check_number",
    "check_rng",
    "check_size",
    "check_uniforms",
    "check_whole",
    "draw",
    "inverse_cdf",
    "is_exact",
    "normalise",
    "overlap",
    "show_value",
    "total_variation",
]


def _check_mass(array: Array, name: str, shown: object) -> None:
    if array.ndim < 1 or array.shape[-1] < 1:
        raise ValueError(f"{name} needs at least one token, got {show_value(shown)}")
    if array.dtype != object and not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite, got {array[where]} at index {where}")
    negative = array < 0
    if negative.any():
        where = tuple(int(i) for i in np.argwhere(negative)[0])
        raise ValueError(
            f"{name} must not be negative, got {show_value(array[where])} at index {where}"
        )


def _checked_law(array: Array, dtype: np.dtype[Any], name: str, shown: object) -> Array:
    _check_mass(array, name, shown)
    with np.errstate(over="ignore"):  # an infinite sum is refused like any other
        total = array.sum(axis=-1)
    off = np.asarray(total != 1) if array.dtype == object else abs(total - 1) > TOLERANCE[dtype]
    if np.any(off):
        first = np.asarray(total)[off].flat[0] if array.ndim > 1 else total
        allowed = "exactly 1" if array.dtype == object else f"1 within {TOLERANCE[dtype]:g}"
        raise ValueError(f"{name} must sum to {allowed}, got a sum of {show_value(first)}")
    return array


def as_law(values: ArrayLike, name: str = "p") -> Array:
    """Return `values` as a checked law, or as a batch of laws along the last axis.

    Parameters
    ----------
    values : array_like or tensor, shape (..., V)
        Non-negative masses. If they are Fractions, alone or beside whole numbers, so is the
        result. Otherwise it is float64; float32, float16 and bfloat16 are checked at their
        own precision and then normalised.
    name : str
        How error messages call the argument.

    Returns
    -------
    ndarray, shape (..., V)
        float64, or object (Fractions).

    Raises
    ------
    ValueError
        If an entry is negative, not finite or not a number, if V is 0, or if a sum is not 1
        (exactly for Fractions, within ``TOLERANCE`` for floats).
    """
    array, dtype = as_numbers(values, name)
    law = _checked_law(array, dtype, name, values)
    if dtype.itemsize < 8:
        # What float32 calls a law may be off in float64, where it is checked again further on.
        law = law / law.sum(axis=-1, keepdims=True)
    return law


def as_pair(p: ArrayLike, q: ArrayLike) -> tuple[Array, Array]:
    """Return the target `p` and the draft `q` as checked laws over one vocabulary.

    The pair is exact only when both are: integers count as exact beside Fractions, a float on
    either side makes both float64. Leading axes broadcast.

    Parameters
    ----------
    p, q : array_like, shape (..., V)

    Returns
    -------
    tuple of ndarray
        Both float64, or both of Fractions.

    Raises
    ------
    ValueError
        As `as_law`, and if the two vocabularies differ in size.
    """
    both = as_law(p, "p"), as_law(q, "q")
    if both[0].shape[-1] != both[1].shape[-1]:
        sizes = f"{both[0].shape[-1]} and {both[1].shape[-1]} tokens"
        raise ValueError(f"p and q must share one vocabulary, got {sizes}")
    try:
        np.broadcast_shapes(both[0].shape, both[1].shape)
    except ValueError:
        raise ValueError(
            f"p and q must have shapes that broadcast, got {both[0].shape} and {both[1].shape}"
        ) from None
    if is_exact(both[0]) == is_exact(both[1]):
        return both
    whole = [as_array(given, "p").dtype.kind in "iu" for given in (p, q)]
    if any(whole):  # a one-hot law of integers beside Fractions
        left, right = (
            as_numbers(law.astype(int).astype(object) if one else law, "p")[0]
            for law, one in zip(both, whole, strict=True)
        )
        return left, right
    return both[0].astype(np.float64), both[1].astype(np.float64)


def normalise(weights: ArrayLike, name: str = "weights") -> Array:
    """Return non-negative weights divided by their sum along the last axis.

    Parameters
    ----------
    weights : array_like, shape (..., V)
    name : str
        How error messages call the argument.

    Returns
    -------
    ndarray, shape (..., V)
        float64, or Fractions if the weights are.

    Raises
    ------
    ValueError
        If a weight is negative or not finite, or if a row has no mass at all.
    """
    array, _ = as_numbers(weights, name)
    _check_mass(array, name, weights)
    # Dividing by the largest entry first keeps sums of huge or denormal weights finite.
    peak = array.max(axis=-1, keepdims=True)
    if np.any(peak == 0):
        raise ValueError(f"{name} must have some mass, got only zeros")
    scaled = array / peak
    return np.asarray(scaled / scaled.sum(axis=-1, keepdims=True))


def overlap(p: ArrayLike, q: ArrayLike) -> Any:
    r"""Return the mass that two laws share.

    .. math:: \alpha(p, q) = \sum_x \min(p(x), q(x)) = 1 - \mathrm{TV}(p, q)

    It is the probability that a token drafted from `q` is accepted for the target `p`.

    Parameters
    ----------
    p, q : array_like, shape (..., V)
        Target and draft law.

    Returns
    -------
    float or Fraction, or ndarray of the leading shape

    Raises
    ------
    ValueError
        If `p` or `q` is not a law, or their vocabularies differ.

    References
    ----------
    Leviathan, Kalman and Matias (2023), Corollary 3.6.
    """
    left, right = as_pair(p, q)
    return _probability(np.minimum(left, right).sum(axis=-1))


def _probability(value: Any) -> Any:
    """Return a sum of masses as a number that rounding has not pushed out of [0, 1]."""
    return as_number(value if is_exact(value) else np.clip(value, 0.0, 1.0))


def total_variation(p: ArrayLike, q: ArrayLike) -> Any:
    r"""Return the total variation distance of two laws.

    .. math:: \mathrm{TV}(p, q) = \tfrac12 \sum_x |p(x) - q(x)|

    It is the largest difference of probability that the two laws give to any one event.

    Parameters
    ----------
    p, q : array_like, shape (..., V)

    Returns
    -------
    float or Fraction, or ndarray of the leading shape

    Raises
    ------
    ValueError
        If `p` or `q` is not a law, or their vocabularies differ.
    """
    left, right = as_pair(p, q)
    return _probability(abs(left - right).sum(axis=-1) / 2)


def inverse_cdf(weights: ArrayLike, u: ArrayLike) -> Any:
    r"""Turn uniforms into tokens: the unit line is cut into pieces as long as the masses.

    .. math:: x(u) = \min\{x : w(0) + \dots + w(x) > u \sum_y w(y)\}

    A token without mass is never returned, whatever the rounding.

    Parameters
    ----------
    weights : array_like, shape (V,) or (..., V)
        Non-negative weights; they need not sum to 1.
    u : array_like
        Uniforms in [0, 1). For one row of weights any shape; for a batch, one per row.

    Returns
    -------
    int or ndarray of int64
        Token indices, in the shape of `u`.

    Raises
    ------
    ValueError
        If a weight is negative or not finite, a row has no mass, a uniform lies outside [0, 1),
        or the shapes do not fit.
    """
    law = normalise(weights).astype(np.float64)
    points = check_uniforms(u, "u")
    if law.ndim > 1 and points.shape != law.shape[:-1]:
        raise ValueError(f"u must have shape {law.shape[:-1]}, one per row, got {points.shape}")
    if law.ndim > 1:
        cdf = law.cumsum(axis=-1)
        found = (cdf <= (points * cdf[..., -1])[..., None]).sum(axis=-1)
        return as_number(np.minimum(found, last_with_mass(law)).astype(np.int64))
    return as_number(turn_many(law, points.shape, iter(pieces_of(points.ravel()))))


def draw(p: ArrayLike, rng: np.random.Generator, size: int | tuple[int, ...] | None = None) -> Any:
    """Draw tokens from a law: one uniform each, through `inverse_cdf`.

    Parameters
    ----------
    p : array_like, shape (V,)
    rng : numpy.random.Generator
    size : int or tuple of int, optional
        How many; None draws one and returns an int.

    Returns
    -------
    int or ndarray of int64

    Raises
    ------
    ValueError
        If `p` is not one law, `rng` not a Generator, or `size` negative.
    """
    law = as_law(p)
    if law.ndim != 1:
        raise ValueError(f"p must be one law of shape (V,), got shape {law.shape}")
    shape = check_size(size)
    shape = () if shape is None else shape if isinstance(shape, tuple) else (shape,)
    count, source = prod(shape), check_rng(rng)
    # The same stream as source.random(count), made where it is used.
    pieces = (source.random(min(PIECE, count - start)) for start in range(0, count, PIECE))
    return as_number(turn_many(normalise(law).astype(np.float64), shape, pieces))
