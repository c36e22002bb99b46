"""Chapter 3: a character model small enough to print in full.

Contexts are the 18 characters and the start mark ``^``, which is never emitted. A model is a
table with one law a context; it is also a callable from a tuple of token ids to a law, which is
what `speculative_round` and the exactness lab take.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from draftproof.cost import stationary
from draftproof.finite import (
    Array,
    as_law,
    check_rng,
    check_whole,
    is_exact,
    overlap,
    show_value,
)
from draftproof.speculative import keeps
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

START = "^"
CORPUS = "".join(
    (
        "to be or not to be ",  # Hamlet, act three, in lower case and without
        "that is the question ",  # its punctuation: eighty characters,
        "whether tis nobler ",  # eighteen of them distinct,
        "in the mind to suffer",  # the space among them
    )
)


@dataclass(frozen=True)
class Model:
    """A table of laws, one a context: the vocabulary's tokens, then the start.

    Attributes
    ----------
    vocabulary : tuple of str
    table : ndarray, shape (V + 1, V)
        float64 or Fractions; the last row belongs to the start context.
    """

    vocabulary: tuple[str, ...]
    table: Array

    def __post_init__(self) -> None:
        rows = as_law(self.table, "table")
        size = len(self.vocabulary)
        if rows.shape != (size + 1, size):
            raise ValueError(f"table must have shape ({size + 1}, {size}), got {rows.shape}")
        object.__setattr__(self, "table", rows)

    def __call__(self, context: tuple[int, ...]) -> Array:
        """Return the law of the next token after a context of token ids (empty: the start)."""
        row = self._row(context[-1]) if len(context) else len(self.vocabulary)
        return np.asarray(self.table[row])

    def _row(self, token: Any) -> int:
        return check_whole(token, "context token", 0, len(self.vocabulary) - 1)

    def law(self, context: str = START) -> Array:
        """Return the law of the next character after a string; ``^`` or "" is the start.

        Raises
        ------
        ValueError
            If the last character is not in the vocabulary.
        """
        return self(() if context in ("", START) else self.encode(context[-1]))

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the token ids of a text.

        Raises
        ------
        ValueError
            If a character is not in the vocabulary.
        """
        for character in text:
            if character not in self.vocabulary:
                raise ValueError(
                    f"text must use the characters {''.join(self.vocabulary)!r}, got {character!r}"
                )
        return tuple(self.vocabulary.index(character) for character in text)

    def decode(self, tokens: ArrayLike) -> str:
        """Return the text of some token ids."""
        return "".join(self.vocabulary[self._row(token)] for token in np.asarray(tokens).ravel())

    @property
    def size(self) -> int:
        """V, the number of tokens that can be emitted."""
        return len(self.vocabulary)

    @property
    def chain(self) -> Array:
        """The square table without the start context, shape (V, V)."""
        return self.table[:-1]


def _counts(corpus: str, vocabulary: tuple[str, ...]) -> NDArray[np.int64]:
    size = len(vocabulary)
    index = {character: i for i, character in enumerate(vocabulary)}
    counts = np.zeros((size + 1, size), dtype=np.int64)
    previous = size
    for character in corpus:
        counts[previous, index[character]] += 1
        previous = index[character]
    return counts


def _smoothed(counts: Array, smoothing: int, exact: bool) -> Array:
    raised = counts + smoothing
    totals = raised.sum(axis=-1, keepdims=True)
    if np.any(totals == 0):
        raise ValueError(
            f"smoothing must be at least 1 where a context has no successor, got {smoothing}"
        )
    if not exact:
        return np.asarray(raised / totals)
    rows = np.empty(counts.shape, dtype=object)
    for at in np.ndindex(*counts.shape):
        rows[at] = Fraction(int(raised[at]), int(totals[at[0], 0]))
    return rows


def _check_corpus(corpus: str) -> tuple[str, ...]:
    if not isinstance(corpus, str) or not corpus or START in corpus:
        raise ValueError(f"corpus must be a text without {START!r}, got {show_value(corpus)}")
    return tuple(sorted(set(corpus)))


class BigramModel(Model):
    """The target: the next character given the one before, from counts plus `smoothing`.

    Parameters
    ----------
    corpus : str
    smoothing : int
        Added to every count (1: Laplace).
    exact : bool
        Hold the table in Fractions.

    Raises
    ------
    ValueError
        If the corpus is empty or holds the start mark, or `smoothing` leaves a context empty.
    """

    def __init__(self, corpus: str = CORPUS, smoothing: int = 1, exact: bool = False) -> None:
        vocabulary = _check_corpus(corpus)
        check_whole(smoothing, "smoothing")
        counts = _counts(corpus, vocabulary)
        super().__init__(vocabulary, _smoothed(counts, smoothing, exact))


class UnigramModel(Model):
    """The cheapest draft: the same law whatever came before.

    Parameters
    ----------
    corpus : str
    smoothing : int
    exact : bool

    Raises
    ------
    ValueError
        As `BigramModel`.
    """

    def __init__(self, corpus: str = CORPUS, smoothing: int = 1, exact: bool = False) -> None:
        vocabulary = _check_corpus(corpus)
        check_whole(smoothing, "smoothing")
        counts = _counts(corpus, vocabulary).sum(axis=0, keepdims=True)
        law = _smoothed(counts, smoothing, exact)
        super().__init__(vocabulary, np.repeat(law, len(vocabulary) + 1, axis=0))


class Mixture(Model):
    r"""The draft with a knob: :math:`q_w = w\, p + (1 - w)\, q_0`.

    Parameters
    ----------
    weight : float or Fraction
        w in [0, 1]: 0 forgets the context, 1 is the target.
    target, base : Model
        p and q0, over one vocabulary.

    Raises
    ------
    ValueError
        If the weight is out of range or the vocabularies differ.
    """

    def __init__(self, weight: Any, target: Model, base: Model) -> None:
        if target.vocabulary != base.vocabulary:
            raise ValueError("target and base must share one vocabulary, got two different ones")
        real = isinstance(weight, (int, float, Fraction, np.floating))
        if not real or isinstance(weight, bool) or not 0 <= weight <= 1:
            raise ValueError(f"weight must lie in [0, 1], got {show_value(weight)}")
        exact = is_exact(target.table) and is_exact(base.table)
        w = Fraction(weight) if exact else float(weight)
        super().__init__(target.vocabulary, w * target.table + (1 - w) * base.table)
        object.__setattr__(self, "weight", weight)

    weight: Any


def context_law(target: Model) -> Array:
    """Return how often each character is the context in the long run, shape (V,)."""
    return stationary(target.chain.astype(np.float64))


def beta(target: Model, draft: Model, context: str) -> Any:
    r"""Return the acceptance probability at one context, :math:`\sum_x \min(p, q)`."""
    return overlap(target.law(context), draft.law(context))


def alpha(target: Model, draft: Model) -> float:
    r"""Return the mean acceptance probability over the target's long-run contexts.

    .. math:: \alpha = \sum_c \pi(c) \sum_x \min(p(x \mid c), q(x \mid c))

    References
    ----------
    Leviathan, Kalman and Matias (2023), definition 3.1 and corollary 3.6.
    """
    betas = overlap(target.chain.astype(np.float64), draft.chain.astype(np.float64))
    return float(context_law(target) @ betas)


def joint_law(target: Model, context: str = START, length: int = 2) -> Array:
    """Return the target's exact law of the next `length` tokens, shape (V,) * length.

    Raises
    ------
    ValueError
        If `length` is not in 1..4 (the table has V ** length entries).
    """
    check_whole(length, "length", 1, 4)
    law = target.law(context)
    for _ in range(length - 1):
        law = law[..., None] * target.chain
    return law


@dataclass(frozen=True)
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
) -> RoundsTrace:
    """Run chains of speculative rounds in parallel, all from one context.

    The same rule as `speculative_round`, vectorised over chains for models that look one token
    back.

    Parameters
    ----------
    target, draft : Model
    gamma : int
        Drafts in a block, at least 1.
    rounds, chains : int
    rng : numpy.random.Generator
    context : str

    Returns
    -------
    RoundsTrace

    Raises
    ------
    ValueError
        If a count is below 1, the vocabularies differ or a character is unknown.
    """
    if target.vocabulary != draft.vocabulary:
        raise ValueError("target and draft must share one vocabulary, got two different ones")
    for value, name in ((gamma, "gamma"), (rounds, "rounds"), (chains, "chains")):
        check_whole(value, name, 1)
    check_rng(rng)
    p, q = target.table.astype(np.float64), draft.table.astype(np.float64)
    gap = np.maximum(p - q, 0)
    spare = np.where(gap.sum(axis=1, keepdims=True) > 0, gap, p)
    cdf_p, cdf_q, cdf_r = _running(p), _running(q), _running(spare)
    start = len(p) - 1 if context in ("", START) else target.encode(context[-1])[0]
    now = np.full(chains, start)
    tokens = np.full((chains, rounds, gamma + 1), -1, dtype=np.int64)
    accepted = np.zeros((chains, rounds), dtype=np.int64)
    for r in range(rounds):
        alive = np.arange(chains)
        for t in range(gamma):
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


def simulate_tokens(
    target: Model, length: int, chains: int, rng: np.random.Generator, context: str = START
) -> NDArray[np.int64]:
    """Draw plain sequences from the target, shape (chains, length).

    Raises
    ------
    ValueError
        If a count is below 1 or a character is unknown.
    """
    check_whole(length, "length", 1)
    check_whole(chains, "chains", 1)
    check_rng(rng)
    cdf = _running(target.table.astype(np.float64))
    start = target.size if context in ("", START) else target.encode(context[-1])[0]
    now = np.full(chains, start)
    out = np.empty((chains, length), dtype=np.int64)
    for i in range(length):
        out[:, i] = now = _draw_rows(cdf, now, rng.random(chains))
    return out
