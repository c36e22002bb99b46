"""Rounds as a chain: what a target and a draft that look one token back do in the long run.

Tables of Fractions give Fractions, so that an identity is tested with ``==``. That costs: eighteen
tokens and four drafts take about a second, and the digits grow with both (see `MOST_EXACT`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from draftproof.finite import Array, ArrayLike, as_law, as_number, as_pair, check_whole, is_exact

__all__ = [
    "LONGEST",
    "MOST_EXACT",
    "accepted_over_tested",
    "round_chain",
    "stationary",
    "tokens_per_call",
]

# The longest block: far beyond use, near enough for every call to return.
LONGEST = 10_000

# Tokens times drafts, and tokens alone, of an exact chain: there it takes some seconds, and soon
# after very long.
MOST_EXACT = 200
_MOST_ROWS = 30


def _tables(target: ArrayLike, draft: ArrayLike) -> tuple[Array, Array]:
    p, q = as_pair(target, draft)
    if p.ndim != 2 or p.shape[0] != p.shape[1] or p.shape != q.shape:
        raise ValueError(
            "target and draft must be square tables of laws (V, V), one row a context, got "
            f"shapes {p.shape} and {q.shape}"
        )
    return p, q


def _check_rows(size: int) -> None:
    if size > _MOST_ROWS:
        raise ValueError(
            f"table must have at most {_MOST_ROWS} rows in Fractions, got {size}: give floats"
        )


def _check_exact(size: int, gamma: int) -> None:
    _check_rows(size)
    if size * gamma > MOST_EXACT:
        raise ValueError(
            f"gamma must be at most {MOST_EXACT // size} for tables of Fractions over {size} "
            f"tokens, got {gamma}: give floats"
        )


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
        Expected emitted tokens of a round from each context. Both float64, or Fractions if both
        tables are.

    Raises
    ------
    ValueError
        If a table is not square, its rows are not laws, `gamma` is negative, or tables of
        Fractions have more than 30 tokens or V times gamma above `MOST_EXACT`.
    """
    p, q = _tables(target, draft)
    check_whole(gamma, "gamma", 0, LONGEST)
    if is_exact(p):
        _check_exact(len(p), gamma)
    kept, corrected = np.minimum(p, q), np.maximum(p - q, 0)
    one = np.eye(len(p), dtype=np.int64)
    alive = one + 0 * p  # ones and zeros of the tables' own kind
    step, tokens = 0 * p, alive.sum(axis=1)
    for _ in range(gamma):
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
        float64, or Fractions if the table is: by elimination, about V**3 / 3 exact operations.

    Raises
    ------
    ValueError
        If `table` is not a square table of laws, a table of Fractions has more than 30
        tokens, or the chain has more than one long-run law.
    """
    step = as_law(table, "table")
    if step.ndim != 2 or step.shape[0] != step.shape[1]:
        raise ValueError(f"table must be square, got shape {step.shape}")
    size = len(step)
    if is_exact(step):
        return _eliminated(step)
    equations = np.vstack([step.T - np.eye(size), np.ones(size)])
    solution, _, rank, _ = np.linalg.lstsq(equations, np.r_[np.zeros(size), 1.0], rcond=1e-12)
    if rank < size:
        raise ValueError("table must have one long-run law, got a chain that falls into parts")
    law = np.maximum(solution, 0)
    return np.asarray(law / law.sum())


def _eliminated(step: Array) -> Array:
    """Return the one row vector with pi P = pi and sum 1, by Gaussian elimination."""
    size = len(step)
    _check_rows(size)
    one = np.full((size, size), Fraction(0))
    np.fill_diagonal(one, Fraction(1))
    rows: Array = (step - one).T.copy()
    pivots: list[int] = []
    for column in range(size):
        done = len(pivots)
        below = np.flatnonzero(rows[done:, column] != 0)
        if not len(below):
            continue
        rows[[done, done + below[0]]] = rows[[done + below[0], done]]
        rows[done] = rows[done] / rows[done, column]
        for other in range(size):
            if other != done and rows[other, column] != 0:
                rows[other] = rows[other] - rows[other, column] * rows[done]
        pivots.append(column)
    free = sorted(set(range(size)) - set(pivots))
    if len(free) != 1:
        raise ValueError("table must have one long-run law, got a chain that falls into parts")
    law = one[free[0]]
    law[pivots] = -rows[: len(pivots), free[0]]
    return np.asarray(law / law.sum())


def tokens_per_call(target: ArrayLike, draft: ArrayLike, gamma: int) -> Any:
    """Return the exact long-run tokens for one target call, from the chain of rounds.

    Unlike `expected_tokens` it takes nothing as independent: the contexts at which rounds start
    have a law of their own, and contexts follow one another inside a block.

    Parameters
    ----------
    target, draft, gamma
        As `round_chain`.

    Returns
    -------
    float, or Fraction if both tables are exact

    Raises
    ------
    ValueError
        As `round_chain`, or if the rounds have more than one long-run law.
    """
    step, tokens = round_chain(target, draft, gamma)
    return as_number(np.asarray(_long_run(step) @ tokens))


def _long_run(step: Array) -> Array:
    try:
        return stationary(step)
    except ValueError:
        raise ValueError(
            "target and draft must make rounds with one long-run law, got a chain of rounds that "
            "falls into parts"
        ) from None


def accepted_over_tested(target: ArrayLike, draft: ArrayLike, gamma: int) -> Any:
    r"""Return the exact long-run share of tested drafts that are accepted.

    A run's acceptance rate tends to this number. It is alpha if every context has the same
    overlap; otherwise tests meet contexts in other proportions than the text does.

    Parameters
    ----------
    target, draft, gamma
        As `round_chain`.

    Returns
    -------
    float, or Fraction if both tables are exact

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
    return as_number(np.asarray(start @ (tokens - 1) / (start @ tested)))
