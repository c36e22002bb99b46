"""From logits to laws: softmax, temperature, top-k and top-p.

Whatever is done to the draft's law must be done before it is drawn from, and q in the acceptance
test is the law after the warp; p is the law that is wanted, so the target is warped the same way.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from draftproof.finite import (
    Array,
    ArrayLike,
    as_array,
    as_exact,
    as_law,
    check_number,
    check_whole,
    is_exact,
    normalise,
    show_value,
)

__all__ = ["softmax", "temper", "top_k", "top_p", "warp"]


# So much less than the mass wanted counts as reaching it: what rounding takes from a running sum
# of floats, such as 0.4 + 0.3 + 0.2, which is a little below 0.9.
_ROUNDING = 1e-12

# Up to this power a law of Fractions is raised exactly; beyond it the numbers outgrow memory.
_MOST_EXACT = 1000


def _check_temperature(temperature: Any) -> Any:
    return check_number(temperature, "temperature", 0)


def _one_hot(scores: Array) -> Array:
    """Return the law of the argmax; ties go to the lowest index."""
    exact = is_exact(scores)
    hot = np.full(scores.shape, Fraction(0)) if exact else np.zeros(scores.shape)
    one = np.asarray(Fraction(1) if exact else 1.0)
    np.put_along_axis(hot, scores.argmax(axis=-1)[..., None], one, axis=-1)
    return hot


def softmax(logits: ArrayLike, temperature: float = 1.0) -> Array:
    r"""Return the law of logits at a temperature.

    .. math:: p(x) = \frac{e^{l(x) / T}}{\sum_y e^{l(y) / T}}

    T = 0 is the limit: all mass on the largest logit, the lowest index among ties.

    Parameters
    ----------
    logits : array_like, shape (..., V)
        Finite numbers, or ``-inf`` for a token that is ruled out.
    temperature : float
        In [0, 1e100].

    Returns
    -------
    ndarray of float64, shape (..., V)

    Raises
    ------
    ValueError
        If a logit is NaN or ``+inf``, a row is ruled out altogether, or the temperature is
        negative or not a number.
    """
    heat = float(_check_temperature(temperature))
    given = as_array(logits, "logits")
    try:
        if given.dtype.kind not in "fiubO":
            raise TypeError
        scores = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"logits must be numbers, got {show_value(logits)}") from None
    if scores.ndim < 1 or scores.shape[-1] < 1:
        raise ValueError(f"logits need at least one token, got {show_value(logits)}")
    if np.isnan(scores).any() or (scores == np.inf).any():
        raise ValueError(f"logits must be finite or -inf, got {show_value(logits)}")
    peak = scores.max(axis=-1, keepdims=True)
    if (peak == -np.inf).any():
        raise ValueError("logits must leave at least one token possible, got only -inf")
    if heat == 0:
        return _one_hot(scores)
    # Shifting by the peak before dividing keeps every exponent at or below zero. A tiny T may
    # send the others to -inf, which is the right limit.
    with np.errstate(over="ignore"):
        weights = np.exp((scores - peak) / heat)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def temper(p: ArrayLike, temperature: Any) -> Array:
    r"""Return a law at another temperature.

    .. math:: p_T(x) \propto p(x)^{1/T}

    It equals ``softmax(log p, T)``. T = 0 is the limit: all mass on the largest, ties to the
    lowest index.

    Parameters
    ----------
    p : array_like, shape (..., V)
    temperature : float or Fraction
        In [0, 1e100].

    Returns
    -------
    ndarray, shape (..., V)
        float64. Fractions stay Fractions if T is 0 or 1/T a whole number of at most 1,000.

    Raises
    ------
    ValueError
        If `p` is not a law, or the temperature is negative or not a number.
    """
    law = as_law(p)
    heat = _check_temperature(temperature)
    if heat == 0:
        return _one_hot(law)
    if heat == 1:
        return law
    power = 1 / as_exact(heat)
    if is_exact(law) and power.denominator == 1 and power.numerator <= _MOST_EXACT:
        return normalise(law**power.numerator)
    with np.errstate(divide="ignore"):
        return softmax(np.log(law.astype(np.float64)), heat)


def _keep(law: Array, kept: Array) -> Array:
    """Drop what is not kept, and normalise; a row that loses nothing stays as it is."""
    left = np.where(kept, law, law * 0)
    whole = (left == law).all(axis=-1, keepdims=True)
    # Dividing by a sum that is 1 but for rounding would move masses that nobody touched.
    return np.where(whole, law, normalise(left))


def _order(law: Array) -> Array:
    """Return the tokens from the largest mass to the smallest, ties by index."""
    return np.argsort(-law, axis=-1, kind="stable")


def top_k(p: ArrayLike, k: int) -> Array:
    """Keep the `k` largest masses (ties by the lowest index) and normalise.

    Parameters
    ----------
    p : array_like, shape (..., V)
    k : int
        At least 1; beyond the vocabulary it keeps everything.

    Returns
    -------
    ndarray, shape (..., V)
        float64, or Fractions if `p` is.

    Raises
    ------
    ValueError
        If `p` is not a law or `k` is not a whole number of at least 1.
    """
    law = as_law(p)
    check_whole(k, "k (top_k)", 1)
    rank = np.argsort(_order(law), axis=-1, kind="stable")
    return _keep(law, rank < k)


def top_p(p: ArrayLike, mass: Any) -> Array:
    """Keep the fewest largest masses that together reach `mass` (nucleus), and normalise.

    The token that crosses the threshold is kept, so at least one token always is. A sum of floats
    that falls short of `mass` by no more than rounding reaches it.

    Parameters
    ----------
    p : array_like, shape (..., V)
    mass : float or Fraction
        In (0, 1]; 1 keeps everything.

    Returns
    -------
    ndarray, shape (..., V)
        float64, or Fractions if `p` is.

    Raises
    ------
    ValueError
        If `p` is not a law or `mass` does not lie in (0, 1].
    """
    law = as_law(p)
    wanted = check_number(mass, "mass (top_p)", 0, 1, above=True)
    if wanted == 1:  # rounding in the running sum must not drop a tail
        return law
    wanted = as_exact(wanted) if is_exact(law) else float(wanted) * (1 - _ROUNDING)
    order = _order(law)
    sorted_law = np.take_along_axis(law, order, axis=-1)
    before = np.roll(sorted_law.cumsum(axis=-1), 1, axis=-1)
    before[..., 0] = 0
    kept = np.empty(law.shape, dtype=bool)
    np.put_along_axis(kept, order, (before < wanted).astype(bool), axis=-1)
    return _keep(law, kept)


def warp(
    p: ArrayLike,
    temperature: Any = 1,
    top_k: int | None = None,
    top_p: Any | None = None,
) -> Array:
    """Apply temperature, then top-k, then top-p: one function for both laws.

    Parameters
    ----------
    p : array_like, shape (..., V)
    temperature : float or Fraction
    top_k : int, optional
    top_p : float or Fraction, optional

    Returns
    -------
    ndarray, shape (..., V)
        float64; Fractions where `temper` keeps them.

    Raises
    ------
    ValueError
        As `temper`, `top_k` and `top_p`.
    """
    law = temper(p, temperature)
    if top_k is not None:
        law = _TOP_K(law, top_k)
    return law if top_p is None else _TOP_P(law, top_p)


# The parameters of `warp` carry the names users know, and hide the functions inside it.
_TOP_K, _TOP_P = top_k, top_p
