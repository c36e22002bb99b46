"""Rounds as a chain: what a target and a draft that look one token back do in the long run."""

from __future__ import annotations

import numpy as np

from draftproof.finite import Array, ArrayLike, as_law, as_pair, check_whole

__all__ = ["LONGEST", "accepted_over_tested", "round_chain", "stationary", "tokens_per_call"]

# The longest block: far beyond use, near enough for every call to return.
LONGEST = 10_000


def _tables(target: ArrayLike, draft: ArrayLike) -> tuple[Array, Array]:
    p, q = as_pair(target, draft)
    if p.ndim != 2 or p.shape[0] != p.shape[1] or p.shape != q.shape:
        raise ValueError(
            "target and draft must be square tables of laws (V, V), one row a context, got "
            f"shapes {p.shape} and {q.shape}"
        )
    return p.astype(np.float64), q.astype(np.float64)


def round_chain(target: ArrayLike, draft: ArrayLike, gamma: int) -> tuple[Array, Array]:
    r"""Return the exact law of one round for a target and draft that look one token back.

    With A = min(P, Q) (accepted steps) and R = max(P - Q, 0) (corrected steps), the last token of
    a round follows :math:`\sum_{k<\gamma} A^k R + A^\gamma P`, and the expected number of
    emitted tokens is :math:`\sum_{k \le \gamma} A^k \mathbf 1`.

    Parameters
    ----------
    target, draft : array_like, shape (V, V)
        Row c is the law of the next token after token c.
    gamma : int
        In 0..`LONGEST`.

    Returns
    -------
    step : ndarray, shape (V, V)
        From the context before a round to the last token of the round; rows sum to 1.
    tokens : ndarray, shape (V,)
        Expected emitted tokens of a round from each context.

    Raises
    ------
    ValueError
        If a table is not square, its rows are not laws, or `gamma` is negative.
    """
    p, q = _tables(target, draft)
    kept, corrected = np.minimum(p, q), np.maximum(p - q, 0)
    alive = np.eye(len(p))
    step, tokens = np.zeros_like(p), np.ones(len(p))
    for _ in range(check_whole(gamma, "gamma", 0, LONGEST)):
        step += alive @ corrected
        alive = alive @ kept
        tokens += alive.sum(axis=1)
    return step + alive @ p, tokens


def stationary(table: ArrayLike) -> Array:
    """Return the long-run law of a chain: the row vector with ``pi @ table = pi``, sum 1.

    Parameters
    ----------
    table : array_like, shape (V, V)

    Returns
    -------
    ndarray, shape (V,)

    Raises
    ------
    ValueError
        If `table` is not a square table of laws, or the chain has more than one long-run law.
    """
    step = as_law(table, "table").astype(np.float64)
    if step.ndim != 2 or step.shape[0] != step.shape[1]:
        raise ValueError(f"table must be square, got shape {step.shape}")
    size = len(step)
    equations = np.vstack([step.T - np.eye(size), np.ones(size)])
    solution, _, rank, _ = np.linalg.lstsq(equations, np.r_[np.zeros(size), 1.0], rcond=1e-12)
    if rank < size:
        raise ValueError("table must have one long-run law, got a chain that falls into parts")
    law = np.maximum(solution, 0)
    return np.asarray(law / law.sum())


def tokens_per_call(target: ArrayLike, draft: ArrayLike, gamma: int) -> float:
    """Return the exact long-run tokens for one target call, from the chain of rounds.

    Unlike `expected_tokens` it takes nothing as independent: the contexts at which rounds start
    have a law of their own, and contexts follow one another inside a block.

    Parameters
    ----------
    target, draft, gamma
        As `round_chain`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As `round_chain`, or if the rounds have more than one long-run law.
    """
    step, tokens = round_chain(target, draft, gamma)
    return float(_long_run(step) @ tokens)


def _long_run(step: Array) -> Array:
    try:
        return stationary(step)
    except ValueError:
        raise ValueError(
            "target and draft must make rounds with one long-run law, got a chain of rounds that "
            "falls into parts"
        ) from None


def accepted_over_tested(target: ArrayLike, draft: ArrayLike, gamma: int) -> float:
    r"""Return the exact long-run share of tested drafts that are accepted.

    A run's acceptance rate tends to this number. It is alpha if every context has the same
    overlap; otherwise tests meet contexts in other proportions than the text does.

    Parameters
    ----------
    target, draft, gamma
        As `round_chain`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As `tokens_per_call`, or if `gamma` is not a whole number >= 1.
    """
    check_whole(gamma, "gamma", 1, LONGEST)
    step, tokens = round_chain(target, draft, gamma)
    # A position is tested if all before it were accepted: one position fewer than can be emitted.
    _, tested = round_chain(target, draft, gamma - 1)
    start = _long_run(step)
    return float(start @ (tokens - 1) / (start @ tested))
