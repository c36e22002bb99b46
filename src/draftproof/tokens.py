"""The one-token rule: accept a drafted token, or correct it from the residual.

The rule has two faces. Its *law* (`acceptance`, `residual`, `output_law`) is for proofs and takes
Fractions; its *draw* (`speculative_trace`) is for running. `draftproof.speculative` has every name.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from draftproof.finite import (
    LARGEST,
    Array,
    ArrayLike,
    as_number,
    as_pair,
    check_rng,
    check_size,
    check_whole,
    draw,
    normalise,
)
from draftproof.trace import TokenTrace

__all__ = [
    "acceptance",
    "accepted_law",
    "classical_constant",
    "classical_trace",
    "keeps",
    "output_law",
    "residual",
    "speculative_sample",
    "speculative_trace",
]


def acceptance(p: ArrayLike, q: ArrayLike) -> Array:
    r"""Return the probability with which each drafted token is kept.

    .. math:: a(x) = \min(1, p(x) / q(x))

    A token with p(x) = 0 is never kept, also where q(x) = 0 leaves the ratio without a value: the
    running test ``u * q < p`` says the same.

    Parameters
    ----------
    p, q : array_like, shape (..., V)
        Target and draft law.

    Returns
    -------
    ndarray, shape (..., V)
        float64, or Fractions if both laws are.

    Raises
    ------
    ValueError
        If `p` or `q` is not a law, or their vocabularies differ.

    References
    ----------
    Leviathan, Kalman and Matias (2023), section 2.3; Chen et al. (2023), theorem 1.
    """
    target, draft = np.broadcast_arrays(*as_pair(p, q))
    kept = (target > 0) * (target * 0 + 1)  # ones and zeros of the laws' own kind
    cut = draft > target
    # Only where q > p is there a ratio to take, and there it cannot overflow.
    kept[cut] = target[cut] / draft[cut]
    return np.asarray(kept)


def residual(p: ArrayLike, q: ArrayLike) -> Array:
    r"""Return the law of the correction that replaces a rejected draft.

    .. math:: r(x) = \frac{\max(p(x) - q(x), 0)}{\sum_y \max(p(y) - q(y), 0)}

    For p = q nothing is ever rejected and the formula reads 0/0; then `p` itself is returned. With
    floats a rejection can still meet a residual that rounds to no mass at all, and p is the right
    law to fall back on.

    Parameters
    ----------
    p, q : array_like, shape (..., V)
        Target and draft law.

    Returns
    -------
    ndarray, shape (..., V)
        float64, or Fractions if both laws are.

    Raises
    ------
    ValueError
        If `p` or `q` is not a law, or their vocabularies differ.

    References
    ----------
    Leviathan, Kalman and Matias (2023), section 2.3.
    """
    target, draft = np.broadcast_arrays(*as_pair(p, q))
    gap = np.maximum(target - draft, 0)
    empty = gap.sum(axis=-1, keepdims=True) == 0
    return normalise(np.where(empty, target, gap))


def accepted_law(p: ArrayLike, q: ArrayLike) -> Array:
    r"""Return the law of the accepted tokens alone: what is emitted if rejections are retried.

    .. math:: P(x \mid \text{accepted}) = \frac{\min(p(x), q(x))}{\sum_y \min(p(y), q(y))}

    Parameters
    ----------
    p, q : array_like, shape (..., V)
        Target and draft law.

    Returns
    -------
    ndarray, shape (..., V)
        float64, or Fractions if both laws are.

    Raises
    ------
    ValueError
        If `p` or `q` is not a law, their vocabularies differ, or they share no mass (then nothing
        is ever accepted).
    """
    shared = np.minimum(*as_pair(p, q))
    if np.any(shared.sum(axis=-1) == 0):
        raise ValueError("p and q must share some mass, got laws without a common token")
    return normalise(shared)


def output_law(p: ArrayLike, q: ArrayLike) -> Array:
    r"""Return the law that the speculative rule emits, from its two parts.

    .. math:: q(x)\, a(x) + \Bigl(1 - \sum_y q(y)\, a(y)\Bigr)\, r(x)

    The identity min(p, q) + max(p - q, 0) = p says that this is p. The function does not use the
    identity, so that a test with Fractions is a proof for that pair.

    Parameters
    ----------
    p, q : array_like, shape (..., V)
        Target and draft law.

    Returns
    -------
    ndarray, shape (..., V)
        float64, or Fractions if both laws are.

    Raises
    ------
    ValueError
        If `p` or `q` is not a law, or their vocabularies differ.
    """
    target, draft = as_pair(p, q)
    kept = draft * acceptance(target, draft)
    return np.asarray(kept + (1 - kept.sum(axis=-1, keepdims=True)) * residual(target, draft))


def _one_pair(p: ArrayLike, q: ArrayLike) -> tuple[Array, Array]:
    target, draft = as_pair(p, q)
    for name, law in (("p", target), ("q", draft)):
        if law.ndim != 1:
            raise ValueError(f"{name} must be one law of shape (V,), got shape {law.shape}")
    return target, draft


def keeps(u: Array, q: Array, p: Array) -> Array:
    """Return the verdicts ``u < p/q`` of drafted tokens, without dividing.

    The strict test never keeps a token with p = 0. Where q <= p it holds for every u in [0, 1),
    except that a product of denormals may round up to p: the second term says so outright.

    Parameters
    ----------
    u, q, p : ndarray
        Uniforms in [0, 1), and the masses that draft and target give to the tokens; shapes that
        broadcast. They are taken as they come: the callers have checked them.

    Returns
    -------
    ndarray of bool
    """
    return (u * q < p) | ((q <= p) & (p > 0))


def speculative_trace(
    p: ArrayLike, q: ArrayLike, rng: np.random.Generator, size: int
) -> TokenTrace:
    """Run the one-token rule `size` times and keep everything it did.

    The generator is used in this order: all candidates, all uniforms, the corrections.

    Parameters
    ----------
    p, q : array_like, shape (V,)
        Target and draft law.
    rng : numpy.random.Generator
    size : int
        Number of independent runs.

    Returns
    -------
    TokenTrace

    Raises
    ------
    ValueError
        If `p` or `q` is not one law, their vocabularies differ, `rng` is not a Generator or
        `size` is negative.
    """
    target, draft = _one_pair(p, q)
    n = check_whole(size, "size", 0, LARGEST)
    candidates = draw(draft, check_rng(rng), n)
    uniforms = rng.random(n)
    accepted = _verdicts(uniforms, candidates, draft, target)
    tokens = candidates.copy()
    rejected = np.flatnonzero(~accepted)
    tokens[rejected] = draw(residual(target, draft), rng, len(rejected))
    return TokenTrace(target, draft, candidates, uniforms, accepted, tokens)


def _verdicts(uniforms: Array, candidates: Array, draft: Array, target: Array) -> Array:
    """Return `keeps` of many candidates of one pair, in pieces that stay in the cache."""
    q, p = draft.astype(np.float64), target.astype(np.float64)
    accepted = np.empty(len(candidates), dtype=bool)
    for start in range(0, len(candidates), 16384):
        piece = slice(start, start + 16384)
        x = candidates[piece]
        accepted[piece] = keeps(uniforms[piece], q.take(x), p.take(x))
    return accepted


def speculative_sample(
    p: ArrayLike,
    q: ArrayLike,
    rng: np.random.Generator,
    size: int | tuple[int, ...] | None = None,
) -> Any:
    """Draw tokens of law `p` by drafting from `q`, accepting or correcting.

    Parameters
    ----------
    p, q : array_like, shape (V,)
        Target and draft law.
    rng : numpy.random.Generator
    size : int or tuple of int, optional
        How many; None draws one and returns an int.

    Returns
    -------
    int or ndarray of int64

    Raises
    ------
    ValueError
        As `speculative_trace`.
    """
    shape = check_size(size)
    count = 1 if shape is None else prod(shape) if isinstance(shape, tuple) else shape
    tokens = speculative_trace(p, q, rng, count).tokens
    return int(tokens[0]) if shape is None else tokens.reshape(shape)


def classical_constant(p: ArrayLike, q: ArrayLike) -> Any:
    r"""Return the smallest constant of classical rejection from `q` to `p`.

    .. math:: C = \max_x p(x) / q(x)

    Classical rejection accepts with probability 1/C and throws every other round away.

    Parameters
    ----------
    p, q : array_like, shape (V,)
        Target and draft law.

    Returns
    -------
    float or Fraction
        At least 1.

    Raises
    ------
    ValueError
        If `p` or `q` is not one law, their vocabularies differ, or the target has a token that
        the draft never proposes (no finite constant exists), or so seldom that the ratio is
        beyond the floats.
    """
    target, draft = _one_pair(p, q)
    missing = np.flatnonzero((draft == 0) & (target > 0))
    if missing.size:
        raise ValueError(
            f"q must cover every token of p, got q = 0 at token {missing[0]} where "
            f"p = {target[missing[0]]}: no finite constant exists"
        )
    held = draft > 0
    with np.errstate(over="ignore"):
        constant = as_number(np.max(target[held] / draft[held]))
    if constant == float("inf"):
        raise ValueError("q must cover every token of p, got a ratio p/q beyond the floats")
    return constant


def classical_trace(p: ArrayLike, q: ArrayLike, rng: np.random.Generator, size: int) -> TokenTrace:
    """Run classical rejection on `size` drafts; a rejected round emits nothing (token -1).

    Parameters
    ----------
    p, q : array_like, shape (V,)
        Target and draft law.
    rng : numpy.random.Generator
        Used for all candidates, then for all uniforms.
    size : int
        Number of drafts.

    Returns
    -------
    TokenTrace

    Raises
    ------
    ValueError
        As `speculative_trace` and `classical_constant`.
    """
    target, draft = _one_pair(p, q)
    constant = float(classical_constant(target, draft))
    candidates = draw(draft, check_rng(rng), check_whole(size, "size", 0, LARGEST))
    uniforms = rng.random(len(candidates))
    p64, q64 = target.astype(np.float64), draft.astype(np.float64)
    accepted = uniforms * (constant * q64[candidates]) < p64[candidates]
    return TokenTrace(
        target, draft, candidates, uniforms, accepted, np.where(accepted, candidates, -1)
    )
