"""Laws over a finite vocabulary: check, normalise, compare, draw.

A law is an array whose last axis runs over the vocabulary. Floats give float64 results. Give
`fractions.Fraction` entries and every result is an array of Fractions, so that a theorem about
laws is tested with ``==``.
"""

from __future__ import annotations

from fractions import Fraction
from numbers import Integral, Rational
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "TOLERANCE",
    "as_law",
    "as_number",
    "as_pair",
    "check_rng",
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

Array = NDArray[Any]

# How far a law's sum may lie from 1, by the precision of the numbers it came in.
TOLERANCE = {np.dtype(np.float64): 1e-6, np.dtype(np.float32): 1e-4, np.dtype(np.float16): 1e-2}


def show_value(value: object) -> str:
    """Return a short ``repr`` of `value` for an error message."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:77] + "..."


def is_exact(values: ArrayLike) -> bool:
    """Tell whether `values` is an array of Fractions, as the functions here return it."""
    return np.asarray(values).dtype == object


def _numbers(values: ArrayLike, name: str) -> tuple[Array, np.dtype[Any]]:
    """Return `values` as float64 or as Fractions, and the dtype that sets their tolerance."""
    try:
        raw = np.asarray(values)
    except Exception as error:  # ragged lists, tensors on another device, ...
        raise ValueError(
            f"{name} must be an array of numbers, got {show_value(values)}: {error}"
        ) from error
    if raw.dtype == object:
        return _fractions(raw, name), raw.dtype
    if raw.dtype.kind not in "fiu":
        raise ValueError(f"{name} must hold real numbers, got {show_value(values)}")
    kept = raw.dtype if raw.dtype in TOLERANCE else np.dtype(np.float64)
    return raw.astype(np.float64), kept


def _fractions(raw: Array, name: str) -> Array:
    flat = raw.reshape(-1).tolist()
    flat = [
        int(value) if isinstance(value, float) and value.is_integer() else value for value in flat
    ]
    if not all(isinstance(value, Rational) for value in flat):
        if all(isinstance(value, (Rational, float, np.floating)) for value in flat):
            raise ValueError(
                f"{name} must be all Fractions or all floats, got a mixture {show_value(flat)}"
            )
        raise ValueError(f"{name} must hold real numbers, got {show_value(flat)}")
    exact = np.empty(raw.size, dtype=object)
    exact[:] = [Fraction(value) for value in flat]
    return exact.reshape(raw.shape)


def _check_mass(array: Array, name: str, shown: object) -> None:
    if array.ndim < 1 or array.shape[-1] < 1:
        raise ValueError(f"{name} needs at least one token, got {show_value(shown)}")
    if array.dtype != object and not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite, got {array[where]} at index {where}")
    negative = array < 0
    if negative.any():
        where = tuple(int(i) for i in np.argwhere(negative)[0])
        raise ValueError(f"{name} must not be negative, got {array[where]} at index {where}")


def _checked_law(array: Array, dtype: np.dtype[Any], name: str, shown: object) -> Array:
    _check_mass(array, name, shown)
    total = array.sum(axis=-1)
    off = np.asarray(total != 1) if array.dtype == object else abs(total - 1) > TOLERANCE[dtype]
    if np.any(off):
        first = np.asarray(total)[off].flat[0] if array.ndim > 1 else total
        allowed = "exactly 1" if array.dtype == object else f"1 within {TOLERANCE[dtype]:g}"
        raise ValueError(f"{name} must sum to {allowed}, got a sum of {first}")
    return array


def as_law(values: ArrayLike, name: str = "p") -> Array:
    """Return `values` as a checked law, or as a batch of laws along the last axis.

    Parameters
    ----------
    values : array_like, shape (..., V)
        Non-negative masses. If they are Fractions, alone or beside whole numbers, so is the
        result. Otherwise it is float64; float32 and float16 are checked at their own precision.
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
    array, dtype = _numbers(values, name)
    return _checked_law(array, dtype, name, values)


def as_pair(p: ArrayLike, q: ArrayLike) -> tuple[Array, Array]:
    """Return the target `p` and the draft `q` as checked laws over one vocabulary.

    The pair is exact only when both are: integers count as exact beside Fractions, a float on
    either side makes both float64. Leading axes broadcast.

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
    whole = [np.asarray(given).dtype.kind in "iuO" for given in (p, q)]
    if all(whole):  # a one-hot law of integers beside Fractions
        return _fractions(both[0].astype(object), "p"), _fractions(both[1].astype(object), "q")
    return both[0].astype(np.float64), both[1].astype(np.float64)


def normalise(weights: ArrayLike, name: str = "weights") -> Array:
    """Return non-negative weights divided by their sum along the last axis.

    Raises
    ------
    ValueError
        If a weight is negative or not finite, or if a row has no mass at all.
    """
    array, _ = _numbers(weights, name)
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
    return as_number(np.minimum(left, right).sum(axis=-1))


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
    return as_number(abs(left - right).sum(axis=-1) / 2)


def as_number(value: Any) -> Any:
    """Return plain numbers instead of numpy's zero-dimensional ones."""
    zero_dimensional = isinstance(value, (np.ndarray, np.generic)) and value.ndim == 0
    return value.item() if zero_dimensional else value


def check_rng(rng: object, name: str = "rng") -> np.random.Generator:
    """Return `rng` if it is a `numpy.random.Generator`, else raise `ValueError`."""
    if not isinstance(rng, np.random.Generator):
        raise ValueError(
            f"{name} must be a numpy.random.Generator such as numpy.random.default_rng(0), "
            f"got {show_value(rng)}"
        )
    return rng


def check_whole(value: object, name: str, low: int = 0, high: int | None = None) -> int:
    """Return `value` as an int if it is a whole number in [`low`, `high`], else raise."""
    allowed = f"a whole number of at least {low}" if high is None else f"in {low}..{high}"
    whole = isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))
    if not whole or int(value) < low or (high is not None and int(value) > high):  # type: ignore[call-overload]
        raise ValueError(f"{name} must be {allowed}, got {show_value(value)}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def check_uniforms(u: ArrayLike, name: str = "uniforms") -> Array:
    """Return `u` as float64 if every entry lies in [0, 1), else raise `ValueError`."""
    array, _ = _numbers(u, name)
    array = array.astype(np.float64)
    inside = (array >= 0) & (array < 1)
    if not inside.all():
        where = tuple(int(i) for i in np.argwhere(~inside)[0])
        raise ValueError(f"{name} must lie in [0, 1), got {array[where]} at index {where}")
    return array


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
    cdf = law.cumsum(axis=-1)
    last = law.shape[-1] - 1 - (law[..., ::-1] > 0).argmax(axis=-1)
    if law.ndim == 1:
        found = np.searchsorted(cdf, points * cdf[-1], side="right")
    else:
        found = (cdf <= (points * cdf[..., -1])[..., None]).sum(axis=-1)
    # u * total may round up to total: the last token with mass owns that end of the line.
    return as_number(np.minimum(found, last).astype(np.int64))


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
    return inverse_cdf(law, check_rng(rng).random(check_size(size)))


def check_size(size: object, name: str = "size") -> int | tuple[int, ...] | None:
    """Return `size` if it is None, a whole number or a tuple of them, else raise."""
    if size is None:
        return None
    if isinstance(size, tuple):
        return tuple(check_whole(part, name) for part in size)
    return check_whole(size, name)
