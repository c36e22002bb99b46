"""Chapter 2: accept a drafted token or correct it, and walk over a drafted block.

The rule has two faces. Its *law* (`acceptance`, `residual`, `output_law`) is for proofs and takes
Fractions; its *draw* (`speculative_trace`, `verify_block`) is for running and takes uniforms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from draftproof.finite import (
    Array,
    as_law,
    as_number,
    as_pair,
    check_rng,
    check_size,
    check_uniforms,
    check_whole,
    draw,
    inverse_cdf,
    normalise,
    show_value,
)
from draftproof.trace import Run, TokenTrace, Trace

__all__ = [
    "acceptance",
    "accepted_law",
    "classical_constant",
    "classical_trace",
    "generate",
    "greedy_verify",
    "keeps",
    "output_law",
    "residual",
    "speculative_round",
    "speculative_sample",
    "speculative_trace",
    "verify_block",
]

Model = Callable[[tuple[int, ...]], Any]
"""A language model: from a context (tuple of token ids) to the law of the next token."""


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
    n = check_whole(size, "size")
    candidates = draw(draft, check_rng(rng), n)
    uniforms = rng.random(n)
    p64, q64 = target.astype(np.float64), draft.astype(np.float64)
    accepted = keeps(uniforms, q64[candidates], p64[candidates])
    tokens = candidates.copy()
    rejected = int(n - accepted.sum())
    tokens[~accepted] = inverse_cdf(residual(target, draft), rng.random(rejected))
    return TokenTrace(target, draft, candidates, uniforms, accepted, tokens)


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
    count = 1 if shape is None else int(np.prod(shape, dtype=np.int64))
    tokens = speculative_trace(p, q, rng, count).tokens
    return int(tokens[0]) if shape is None else tokens.reshape(shape)


def classical_constant(p: ArrayLike, q: ArrayLike) -> Any:
    r"""Return the smallest constant of classical rejection from `q` to `p`.

    .. math:: C = \max_x p(x) / q(x)

    Classical rejection accepts with probability 1/C and throws every other round away.

    Raises
    ------
    ValueError
        If `p` or `q` is not one law, their vocabularies differ, or the target has a token that
        the draft never proposes (no finite constant exists).
    """
    target, draft = _one_pair(p, q)
    missing = np.flatnonzero((draft == 0) & (target > 0))
    if missing.size:
        raise ValueError(
            f"q must cover every token of p, got q = 0 at token {missing[0]} where "
            f"p = {target[missing[0]]}: no finite constant exists"
        )
    held = draft > 0
    return as_number(np.max(target[held] / draft[held]))


def classical_trace(p: ArrayLike, q: ArrayLike, rng: np.random.Generator, size: int) -> TokenTrace:
    """Run classical rejection on `size` drafts; a rejected round emits nothing (token -1).

    Raises
    ------
    ValueError
        As `speculative_trace` and `classical_constant`.
    """
    target, draft = _one_pair(p, q)
    constant = float(classical_constant(target, draft))
    candidates = draw(draft, check_rng(rng), check_whole(size, "size"))
    uniforms = rng.random(len(candidates))
    p64, q64 = target.astype(np.float64), draft.astype(np.float64)
    accepted = uniforms * (constant * q64[candidates]) < p64[candidates]
    return TokenTrace(
        target, draft, candidates, uniforms, accepted, np.where(accepted, candidates, -1)
    )


def verify_block(
    draft_tokens: ArrayLike,
    q: ArrayLike,
    p: ArrayLike,
    uniforms: ArrayLike,
    rng: np.random.Generator,
) -> Trace:
    """Verify a drafted block from left to right and stop at the first rejection.

    The test at each position is ``u * q(x) < p(x)``. After a rejection at position t the next
    token is drawn from ``residual(p[t], q[t])``; after a full block from ``p[T]`` (the bonus).

    Parameters
    ----------
    draft_tokens : array_like of int, shape (T,)
        Tokens drawn from `q`, each given the ones before it. T = 0 is a round without drafts.
    q : array_like, shape (T, V)
        The laws the drafts were really drawn from (warped, if the draft was).
    p : array_like, shape (T + 1, V)
        The target's laws at the T positions and after them.
    uniforms : array_like, shape (T,)
        In [0, 1), one per position, independent of everything else.
    rng : numpy.random.Generator
        For the correction or the bonus: exactly one uniform.

    Returns
    -------
    Trace

    Raises
    ------
    ValueError
        If a shape does not fit, a law is not a law, a token lies outside the vocabulary or could
        not have been drawn from `q`, or a uniform lies outside [0, 1).

    References
    ----------
    Leviathan, Kalman and Matias (2023), algorithm 1.
    """
    target = as_law(p, "p")
    if target.ndim != 2:
        raise ValueError(f"p must have shape (T + 1, V), got shape {target.shape}")
    gamma, size = target.shape[0] - 1, target.shape[1]
    tokens = _check_tokens(draft_tokens, gamma, size)
    draft = _check_rows(q, gamma, size)
    u = check_uniforms(uniforms)
    if u.shape != (gamma,):
        raise ValueError(f"uniforms must have shape ({gamma},), one per draft, got {u.shape}")
    at = np.arange(gamma), tokens
    impossible = np.flatnonzero(draft[at] <= 0)
    if impossible.size:
        t = int(impossible[0])
        raise ValueError(
            f"draft_tokens[{t}] = {tokens[t]} has q = 0: q must be the law that was drawn from"
        )
    verdicts = keeps(u, draft[at].astype(np.float64), target[:-1][at].astype(np.float64))
    num_accepted = int(np.logical_and.accumulate(verdicts).sum())
    full = num_accepted == gamma
    law = target[gamma] if full else residual(target[num_accepted], draft[num_accepted])
    next_token = int(inverse_cdf(law, check_rng(rng).random()))
    return Trace(tokens, u, draft, target, verdicts, num_accepted, next_token)


def _check_tokens(draft_tokens: ArrayLike, gamma: int, size: int) -> Array:
    tokens = np.asarray(draft_tokens)
    if tokens.shape != (gamma,):
        raise ValueError(
            f"draft_tokens must have shape ({gamma},), one fewer than p's rows, "
            f"got shape {tokens.shape}"
        )
    if gamma and tokens.dtype.kind not in "iu":
        raise ValueError(f"draft_tokens must be whole numbers, got {show_value(draft_tokens)}")
    outside = np.flatnonzero((tokens < 0) | (tokens >= size))
    if outside.size:
        t = int(outside[0])
        raise ValueError(f"draft_tokens[{t}] must be in 0..{size - 1}, got {tokens[t]}")
    return tokens.astype(np.int64)


def _check_rows(q: ArrayLike, gamma: int, size: int) -> Array:
    rows = np.asarray(q)
    if rows.shape != (gamma, size) and not (gamma == 0 and rows.size == 0):
        raise ValueError(f"q must have shape ({gamma}, {size}), got shape {rows.shape}")
    return as_law(rows, "q") if gamma else np.zeros((0, size))


def greedy_verify(draft_tokens: ArrayLike, p: ArrayLike) -> Trace:
    """Verify a block greedily: accept while the target's argmax agrees, then emit its argmax.

    It is the sampling rule at temperature 0, where both laws are one-hot: the ratio is 1 or 0 and
    the residual is the target's argmax. No randomness is used; ties go to the lowest index.

    Parameters
    ----------
    draft_tokens : array_like of int, shape (T,)
    p : array_like, shape (T + 1, V)

    Returns
    -------
    Trace

    Raises
    ------
    ValueError
        As `verify_block`.
    """
    target = as_law(p, "p")
    if target.ndim != 2:
        raise ValueError(f"p must have shape (T + 1, V), got shape {target.shape}")
    gamma, size = target.shape[0] - 1, target.shape[1]
    tokens = _check_tokens(draft_tokens, gamma, size)
    one_hot = np.eye(size)
    # Every draw below is from a one-hot law, so the generator's state cannot matter.
    return verify_block(
        tokens,
        one_hot[tokens],
        one_hot[target.argmax(axis=-1)],
        np.zeros(gamma),
        np.random.default_rng(0),
    )


def speculative_round(
    target: Model, draft: Model, context: tuple[int, ...], gamma: int, rng: np.random.Generator
) -> Trace:
    """Draft `gamma` tokens one after the other, score them, and verify the block.

    Parameters
    ----------
    target, draft : callable
        From a context (tuple of token ids) to a law, shape (V,).
    context : tuple of int
    gamma : int
        At least 1.
    rng : numpy.random.Generator
        Used in this order: drafts, uniforms, correction or bonus.

    Returns
    -------
    Trace

    Raises
    ------
    ValueError
        If `gamma` < 1, or a model returns something that is not a law.
    """
    check_whole(gamma, "gamma", 1)
    check_rng(rng)
    prefix = tuple(context)
    tokens: list[int] = []
    q: list[Array] = []
    for _ in range(gamma):
        q.append(as_law(draft(prefix), "draft(context)"))
        tokens.append(int(draw(q[-1], rng)))
        prefix = (*prefix, tokens[-1])
    start = len(prefix) - gamma
    p = [as_law(target(prefix[: start + t]), "target(context)") for t in range(gamma + 1)]
    return verify_block(tokens, np.stack(q), np.stack(p), rng.random(gamma), rng)


def generate(
    target: Model,
    draft: Model,
    context: tuple[int, ...],
    gamma: int,
    length: int,
    rng: np.random.Generator,
) -> Run:
    """Chain rounds until `length` tokens are out; what the last round made too many is cut.

    Returns
    -------
    Run
        The tokens, exactly `length` of them, and the rounds.

    Raises
    ------
    ValueError
        As `speculative_round`, or if `length` is negative.
    """
    wanted = check_whole(length, "length")
    check_whole(gamma, "gamma", 1)
    out: tuple[int, ...] = ()
    rounds: list[Trace] = []
    while len(out) < wanted:
        rounds.append(speculative_round(target, draft, (*context, *out), gamma, rng))
        out += rounds[-1].tokens
    return Run(out[:wanted], tuple(rounds))
