"""Chapter 3: a character model small enough to print in full.

Contexts are the 18 characters and the start mark ``^``, which is never emitted. A model is a
table with one law a context; it is also a callable from a tuple of token ids to a law, which is
what `speculative_round` and the exactness lab take.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from draftproof.chain import LONGEST
from draftproof.checks import MOST_STEPS
from draftproof.cost import stationary
from draftproof.finite import (
    LARGEST,
    Array,
    as_number,
    check_rng,
    check_whole,
    is_exact,
    overlap,
)
from draftproof.speculative import keeps, residual
from draftproof.tables import (
    CORPUS,
    START,
    BigramModel,
    Mixture,
    Model,
    UnigramModel,
    check_models,
)
from draftproof.trace import Counters

__all__ = [
    "CORPUS",
    "START",
    "BigramModel",
    "Mixture",
    "Model",
    "RoundsTrace",
    "UnigramModel",
    "alpha",
    "beta",
    "context_law",
    "joint_law",
    "simulate_rounds",
    "simulate_tokens",
]


def context_law(target: Model) -> Array:
    """Return how often each character is the context in the long run, shape (V,).

    Parameters
    ----------
    target : Model

    Returns
    -------
    ndarray, shape (V,)
        float64, or Fractions if the table is exact (see `cost.stationary`).

    Raises
    ------
    ValueError
        If `target` is not a model, or its contexts fall into parts.
    """
    check_models(target=target)
    return stationary(target.chain)


def beta(target: Model, draft: Model, context: str) -> Any:
    r"""Return the acceptance probability at one context, :math:`\sum_x \min(p, q)`.

    Parameters
    ----------
    target, draft : Model
    context : str
        Its last character counts; ``^`` is the start.

    Returns
    -------
    float, or Fraction if both tables are exact

    Raises
    ------
    ValueError
        If the models' vocabularies differ, or the character is unknown.
    """
    check_models(target=target, draft=draft)
    return overlap(target.law(context), draft.law(context))


def alpha(target: Model, draft: Model) -> Any:
    r"""Return the mean acceptance probability over the target's long-run contexts.

    .. math:: \alpha = \sum_c \pi(c) \sum_x \min(p(x \mid c), q(x \mid c))

    Parameters
    ----------
    target, draft : Model

    Returns
    -------
    float, or Fraction if both tables are exact

    Raises
    ------
    ValueError
        If the models' vocabularies differ, or the target's contexts fall into parts.

    References
    ----------
    Leviathan, Kalman and Matias (2023), definition 3.1 and corollary 3.6.
    """
    check_models(target=target, draft=draft)
    betas = overlap(target.chain, draft.chain)
    if is_exact(betas):
        return as_number(np.asarray(context_law(target) @ betas))
    return min(1.0, float(stationary(target.chain.astype(np.float64)) @ betas))


def joint_law(target: Model, context: str = START, length: int = 2) -> Array:
    """Return the target's exact law of the next `length` tokens, shape (V,) * length.

    Parameters
    ----------
    target : Model
    context : str
    length : int
        In 1..4.

    Returns
    -------
    ndarray, shape (V,) * length
        float64, or Fractions if the table is exact.

    Raises
    ------
    ValueError
        If `length` is out of range, or the table of V ** length entries too large.
    """
    check_models(target=target)
    check_whole(length, "length", 1, 4)
    if target.size**length > LARGEST:
        raise ValueError(f"length must leave a table of at most {LARGEST} entries, got {length}")
    law = target.law(context)
    for _ in range(length - 1):
        law = law[..., None] * target.chain
    return law


@dataclass(frozen=True, eq=False)
class RoundsTrace:
    """Many chains of speculative rounds, side by side.

    Attributes
    ----------
    tokens : ndarray of int, shape (chains, rounds, gamma + 1)
        What each round emits, padded with -1.
    num_accepted : ndarray of int, shape (chains, rounds)
    """

    tokens: NDArray[np.int64]
    num_accepted: NDArray[np.int64]

    @property
    def gamma(self) -> int:
        """Drafts in a block."""
        return int(self.tokens.shape[2]) - 1

    @cached_property
    def counters(self) -> Counters:
        """The counters of all rounds of all chains."""
        accepted, rounds = self.num_accepted, self.num_accepted.size
        bonus = int((accepted == self.gamma).sum())
        return Counters(
            drafted=rounds * self.gamma,
            tested=int(np.minimum(accepted + 1, self.gamma).sum()),
            accepted=int(accepted.sum()),
            corrections=rounds - bonus,
            bonus=bonus,
            target_calls=rounds,
        )

    def first(self, length: int) -> NDArray[np.int64]:
        """Return the first `length` tokens of every chain, shape (chains, length).

        Parameters
        ----------
        length : int
            At least 1.

        Returns
        -------
        ndarray of int

        Raises
        ------
        ValueError
            If a chain has fewer tokens; `length` <= rounds always has enough.
        """
        flat = self.tokens.reshape(len(self.tokens), -1)
        made = int((flat >= 0).sum(axis=1).min()) if len(flat) else 0
        check_whole(length, "length", 0, made)
        order = np.argsort(flat < 0, axis=1, kind="stable")[:, :length]
        return np.take_along_axis(flat, order, axis=1)


def _draw_rows(cdf: Array, rows: Array, u: Array) -> NDArray[np.int64]:
    """Draw one token from the law of each row number, given running sums that end at 1."""
    return np.asarray((cdf[rows] <= u[:, None]).sum(axis=1))


def _running(table: Array) -> Array:
    sums = table.cumsum(axis=1)
    sums /= sums[:, -1:]
    # From the last token with mass on the sum is 1 exactly, and u < 1 never passes it.
    return np.asarray(sums)


def simulate_rounds(
    target: Model,
    draft: Model,
    gamma: int,
    rounds: int,
    chains: int,
    rng: np.random.Generator,
    context: str = START,
    *,
    corrections: Model | None = None,
) -> RoundsTrace:
    """Run chains of speculative rounds in parallel, all from one context.

    The same rule as `speculative_round`, vectorised over chains for models that look one token
    back.

    Parameters
    ----------
    target, draft : Model
    gamma : int
        Drafts in a block, in 1..10,000.
    rounds : int
        Such that rounds * gamma, the steps one after another, are at most 262,144.
    chains : int
        Such that all tokens together are at most 2**26.
    rng : numpy.random.Generator
    context : str
    corrections : Model, optional
        Where corrections are drawn from. By default the residual of target and draft, and nothing
        else is exact: another model makes a faulty rule, to see how far off it is.

    Returns
    -------
    RoundsTrace

    Raises
    ------
    ValueError
        If a count is out of range, the vocabularies differ or a character is unknown.
    """
    check_models(target=target, draft=draft, corrections=corrections or draft)
    check_whole(gamma, "gamma", 1, LONGEST)
    check_whole(rounds, "rounds", 1)
    check_whole(chains, "chains", 1)
    if rounds * gamma > MOST_STEPS:
        raise ValueError(
            f"rounds * gamma must be at most {MOST_STEPS}, got {rounds} * {gamma} = "
            f"{rounds * gamma}"
        )
    if (gamma + 1) * rounds * chains > LARGEST:
        raise ValueError(
            f"chains * rounds * (gamma + 1) must be at most {LARGEST}, got "
            f"{chains} * {rounds} * {gamma + 1}"
        )
    check_rng(rng)
    p, q = target.table.astype(np.float64), draft.table.astype(np.float64)
    spare = residual(p, q) if corrections is None else corrections.table.astype(np.float64)
    cdf_p, cdf_q, cdf_r = _running(p), _running(q), _running(spare)
    start = _start(target, context)
    now = np.full(chains, start)
    tokens = np.full((chains, rounds, gamma + 1), -1, dtype=np.int64)
    accepted = np.zeros((chains, rounds), dtype=np.int64)
    for r in range(rounds):
        alive = np.arange(chains)
        for t in range(gamma):
            if not len(alive):
                break
            here = now[alive]
            x = _draw_rows(cdf_q, here, rng.random(len(alive)))
            keep = keeps(rng.random(len(alive)), q[here, x], p[here, x])
            lost = alive[~keep]
            fixed = _draw_rows(cdf_r, now[lost], rng.random(len(lost)))
            tokens[lost, r, t] = now[lost] = fixed
            alive = alive[keep]
            tokens[alive, r, t] = now[alive] = x[keep]
            accepted[alive, r] = t + 1
        bonus = _draw_rows(cdf_p, now[alive], rng.random(len(alive)))
        tokens[alive, r, gamma] = now[alive] = bonus
    return RoundsTrace(tokens, accepted)


def _start(target: Model, context: str) -> int:
    """Return the row of the table that belongs to a context."""
    target.law(context)  # for its checks
    return target.size if context in ("", START) else target.encode(context[-1])[0]


def simulate_tokens(
    target: Model, length: int, chains: int, rng: np.random.Generator, context: str = START
) -> NDArray[np.int64]:
    """Draw plain sequences from the target, shape (chains, length).

    Parameters
    ----------
    target : Model
    length : int
        In 1..262,144: tokens are drawn one after another.
    chains : int
        Such that all tokens together are at most 2**26.
    rng : numpy.random.Generator
    context : str

    Returns
    -------
    ndarray of int64, shape (chains, length)

    Raises
    ------
    ValueError
        If a count is out of range or a character is unknown.
    """
    check_models(target=target)
    check_whole(length, "length", 1, MOST_STEPS)
    check_whole(chains, "chains", 1, LARGEST // length)
    check_rng(rng)
    cdf = _running(target.table.astype(np.float64))
    now = np.full(chains, _start(target, context))
    out = np.empty((chains, length), dtype=np.int64)
    for i in range(length):
        out[:, i] = now = _draw_rows(cdf, now, rng.random(chains))
    return out
