"""Chapter 2: accept a drafted token or correct it, and walk over a drafted block.

The rule has two faces. Its *law* (`acceptance`, `residual`, `output_law`) is for proofs and takes
Fractions; its *draw* (`speculative_trace`, `verify_block`) is for running and takes uniforms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from draftproof.chain import LONGEST
from draftproof.checks import MOST_STEPS
from draftproof.finite import (
    Array,
    ArrayLike,
    as_array,
    as_law,
    check_rng,
    check_uniforms,
    check_whole,
    draw,
    inverse_cdf,
    is_exact,
    show_value,
)
from draftproof.tokens import (
    acceptance,
    accepted_law,
    classical_constant,
    classical_trace,
    keeps,
    output_law,
    residual,
    speculative_sample,
    speculative_trace,
)
from draftproof.trace import Run, Trace

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


def verify_block(
    draft_tokens: ArrayLike,
    q: ArrayLike,
    p: ArrayLike,
    uniforms: ArrayLike,
    rng: np.random.Generator,
) -> Trace:
    """Walk over a drafted block, first draft first, up to the first rejection.

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
    if target.ndim != 2 or len(target) < 1:
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
            f"draft_tokens[{t}] must have q > 0, as q is the law that was drawn from, got token "
            f"{tokens[t]} with q = 0"
        )
    verdicts = keeps(u, draft[at].astype(np.float64), target[:-1][at].astype(np.float64))
    num_accepted = int(np.logical_and.accumulate(verdicts).sum())
    full = num_accepted == gamma
    law = target[gamma] if full else residual(target[num_accepted], draft[num_accepted])
    next_token = int(inverse_cdf(law, check_rng(rng).random()))
    return Trace(tokens, u, draft, target, verdicts, num_accepted, next_token)


def _check_tokens(draft_tokens: ArrayLike, gamma: int, size: int) -> Array:
    tokens = as_array(draft_tokens, "draft_tokens")
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
    if gamma == 0 and isinstance(q, (list, tuple, np.ndarray)) and np.size(q) == 0:
        return np.zeros((0, size))
    rows = as_law(q, "q")
    if rows.shape != (gamma, size):
        raise ValueError(f"q must have shape ({gamma}, {size}), got shape {rows.shape}")
    return rows


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
    if target.ndim != 2 or len(target) < 1:
        raise ValueError(f"p must have shape (T + 1, V), got shape {target.shape}")
    gamma, size = target.shape[0] - 1, target.shape[1]
    tokens = _check_tokens(draft_tokens, gamma, size)
    # Every draw below is from a one-hot law, so the generator's state cannot matter.
    return verify_block(
        tokens,
        _one_hot(tokens, size),
        _one_hot(target.argmax(axis=-1), size),
        np.zeros(gamma),
        np.random.default_rng(0),
    )


def _one_hot(tokens: Array, size: int) -> Array:
    rows = np.zeros((len(tokens), size))
    rows[np.arange(len(tokens)), tokens] = 1
    return rows


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
    check_whole(gamma, "gamma", 1, LONGEST)
    check_rng(rng)
    start = _check_context(context)
    tokens: list[int] = []
    q: list[Array] = []
    for _ in range(gamma):
        q.append(_ask(draft, "draft", (*start, *tokens)))
        tokens.append(int(draw(q[-1], rng)))
    p = [_ask(target, "target", (*start, *tokens[:t])) for t in range(gamma + 1)]
    sizes = {law.size for law in (*q, *p)}
    if len(sizes) > 1:
        raise ValueError(
            f"target and draft must share one vocabulary, got laws over {sorted(sizes)} tokens"
        )
    return verify_block(tokens, _stack(q), _stack(p), rng.random(gamma), rng)


def _check_context(context: Any) -> tuple[int, ...]:
    """Return a text as a tuple of token ids, or raise `ValueError`."""
    if isinstance(context, str) or not isinstance(context, Iterable):
        raise ValueError(f"context must be a tuple of token ids, got {show_value(context)}")
    return tuple(check_whole(token, "context token") for token in context)


def _check_model(model: object, name: str) -> None:
    """Raise `ValueError` unless a model can be called."""
    if not callable(model):
        raise ValueError(
            f"{name} must be a callable from a context to a law, got {show_value(model)}"
        )


def _ask(model: Model, name: str, context: tuple[int, ...]) -> Array:
    """Return a model's answer as one checked law."""
    _check_model(model, name)
    law = as_law(model(context), f"{name}(context)")
    if law.ndim != 1:
        raise ValueError(f"{name}(context) must be one law of shape (V,), got shape {law.shape}")
    return law


def _stack(laws: list[Array]) -> Array:
    """Return laws as rows; floats if any of them is."""
    exact = all(is_exact(law) for law in laws)
    return np.stack([law if exact else law.astype(np.float64) for law in laws])


def generate(
    target: Model,
    draft: Model,
    context: tuple[int, ...],
    gamma: int,
    length: int,
    rng: np.random.Generator,
) -> Run:
    """Chain rounds until `length` tokens are out; what the last round made too many is cut.

    Parameters
    ----------
    target, draft, context, gamma, rng
        As `speculative_round`.
    length : int
        How many tokens; 0 is none.

    Returns
    -------
    Run
        The tokens, exactly `length` of them, and the rounds.

    Raises
    ------
    ValueError
        As `speculative_round`, or if `length` is not in 0..262,144.
    """
    wanted = check_whole(length, "length", 0, MOST_STEPS)
    check_whole(gamma, "gamma", 1, LONGEST)
    check_rng(rng)
    start = _check_context(context)
    out: tuple[int, ...] = ()
    rounds: list[Trace] = []
    while len(out) < wanted:
        rounds.append(speculative_round(target, draft, (*start, *out), gamma, rng))
        out += rounds[-1].tokens
    return Run(out[:wanted], tuple(rounds))
