"""The rule as programs write it: one row, one drafted token, plain numpy.

`draftproof.decode.one_token` is the same function in torch, line for line; chapter 2 shows both.
"""

from __future__ import annotations

import numpy as np

from draftproof.finite import Array, ArrayLike, as_pair, check_rng, check_uniforms, check_whole

__all__ = ["accept_or_correct"]

Rng = np.random.Generator
Verdict = tuple[int, bool]


def accept_or_correct(
    p: ArrayLike, q: ArrayLike, token: int, u: float, rng: np.random.Generator
) -> tuple[int, bool]:
    """Keep a drafted token or replace it, so that the result follows `p`.

    Parameters
    ----------
    p, q : array_like, shape (V,)
        Target law, and the law that `token` was really drawn from. Fractions are taken as floats.
    token : int
    u : float
        A uniform in [0, 1), independent of everything else.
    rng : numpy.random.Generator
        For the correction: one uniform, drawn only after a rejection.

    Returns
    -------
    tuple of int and bool
        The emitted token, and whether it is the draft.

    Raises
    ------
    ValueError
        If `p` or `q` is not one law, their vocabularies differ, `token` lies outside the
        vocabulary or has q = 0, or `u` lies outside [0, 1).

    References
    ----------
    Leviathan, Kalman and Matias (2023), algorithm 1.
    """
    target, draft = (law.astype(np.float64) for law in as_pair(p, q))
    if target.ndim != 1 or draft.ndim != 1:
        raise ValueError(f"p must be one law of shape (V,), got {target.shape} and {draft.shape}")
    x = check_whole(token, "token", 0, len(target) - 1)
    if draft[x] <= 0:
        raise ValueError(f"token = {x} has q = 0: q must be the law that was drawn from")
    check_rng(rng)
    return _decide(target, draft, x, float(check_uniforms(u, "u")), rng)


def _decide(p: Array, q: Array, x: int, u: float, rng: Rng) -> Verdict:
    if u * q[x] < p[x]:
        return x, True
    weights = np.maximum(p - q, 0)
    if weights.sum() == 0:
        weights = p
    cdf = weights.cumsum()
    v = rng.random()
    y = np.searchsorted(cdf, v * cdf[-1], side="right")
    last = weights.nonzero()[0][-1]
    return int(min(y, last)), False
