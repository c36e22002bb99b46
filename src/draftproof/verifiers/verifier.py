"""The one signature of every rule: `law` for proofs, `draw` for running.

Both take the drafts with the laws they came from and the target's laws, as
`draftproof.verify_block` does:

``draft_tokens`` [N], ``q`` [I, V] (one row for each context that has drafts), ``p`` [N + 1, V]
(one row for each context: 0 before the drafts, i + 1 after draft i).

For a chain I = N, and the context after t drafts is number t.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from draftproof.finite import (
    Array,
    as_law,
    check_rng,
    check_uniforms,
    check_whole,
    inverse_cdf,
    is_exact,
    show_value,
)
from draftproof.speculative import Model
from draftproof.trace import Trace
from draftproof.verifiers.shapes import NO_DRAFT, children, nodes

__all__ = ["Children", "Proposals", "Verifier", "blank"]

Children = tuple[int, ...]
Proposals = Callable[[Array, int], Iterable[tuple[Any, Children]]]
"""From q and a number of children to every way of drafting them: (probability, tokens)."""


def blank(shape: tuple[int, ...], exact: bool) -> Array:
    """Return zeros: Fractions' own (whole) zeros in an object array, or floats."""
    return np.zeros(shape, dtype=object if exact else np.float64)


class Verifier(ABC):
    """A rule that turns drafts into tokens.

    Attributes
    ----------
    name : str
        How the book calls it.
    exact : bool
        Whether it claims to emit the target's law.
    """

    name: str
    exact: bool

    def branching(self, gamma: int) -> tuple[int, ...]:
        """Return how many children a context has at each depth; a chain has one."""
        return (1,) * gamma

    @abstractmethod
    def propose(self, q: Array, width: int) -> Iterable[tuple[Any, Children]]:
        """Return every way of drafting `width` children from `q`, with its probability."""

    def reads(self, p: Array) -> Array:
        """Return the target's law as the rule takes it: itself, or its argmax."""
        return p

    @abstractmethod
    def _law(self, tokens: Array, q: Array, p: Array, branching: tuple[int, ...]) -> Array: ...

    @abstractmethod
    def _draw(
        self,
        tokens: Array,
        q: Array,
        p: Array,
        branching: tuple[int, ...],
        u: Array,
        rng: np.random.Generator,
    ) -> Trace: ...

    def law(self, draft_tokens: ArrayLike, q: ArrayLike, p: ArrayLike) -> Array:
        r"""Return the probability of every outcome, given the drafts.

        Parameters
        ----------
        draft_tokens : array_like of int, shape (N,)
        q : array_like, shape (I, V)
        p : array_like, shape (N + 1, V)

        Returns
        -------
        ndarray, shape (N + 1, V)
            Entry (c, y): the probability that the accepted drafts end at context c and the next
            token, correction or bonus, is y. It sums to 1. Fractions if all laws are. For a chain
            c is the number of accepted drafts.

        Raises
        ------
        ValueError
            If a shape does not fit, a law is not a law, or a token cannot have been drafted.
        """
        return self._law(*self._checked(draft_tokens, q, p))

    def draw(
        self,
        draft_tokens: ArrayLike,
        q: ArrayLike,
        p: ArrayLike,
        uniforms: ArrayLike,
        rng: np.random.Generator,
    ) -> Trace:
        """Verify the drafts with given uniforms.

        Parameters
        ----------
        draft_tokens : array_like of int, shape (N,)
        q : array_like, shape (I, V)
        p : array_like, shape (N + 1, V)
        uniforms : array_like, shape (N,)
            In [0, 1), one a draft.
        rng : numpy.random.Generator
            For the correction or the bonus: exactly one uniform.

        Returns
        -------
        Trace

        Raises
        ------
        ValueError
            As `law`, or if a uniform lies outside [0, 1).
        """
        tokens, q_rows, p_rows, branching = self._checked(draft_tokens, q, p)
        u = check_uniforms(uniforms)
        if u.shape != tokens.shape:
            raise ValueError(f"uniforms must have shape {tokens.shape}, one a draft, got {u.shape}")
        return self._draw(tokens, q_rows, p_rows, branching, u, check_rng(rng))

    __call__ = draw

    def round(
        self,
        target: Model,
        draft: Model,
        context: tuple[int, ...],
        gamma: int,
        rng: np.random.Generator,
    ) -> Trace:
        """Draft, score and verify: one round.

        The generator is used in this order: drafts (one uniform a context), uniforms, correction
        or bonus.

        Raises
        ------
        ValueError
            If `gamma` < 1, or a model returns something that is not a law.
        """
        branching = self.branching(check_whole(gamma, "gamma", 1))
        check_rng(rng)
        texts: list[tuple[int, ...]] = [tuple(context)]
        tokens: list[int] = []
        q: list[Array] = []
        for at, family in enumerate(children(branching)):
            q.append(as_law(draft(texts[at]), "draft(context)"))
            ways = list(self.propose(q[-1], len(family)))
            drafted = ways[inverse_cdf([float(weight) for weight, _ in ways], rng.random())][1]
            # Below a place without a draft nothing is ever looked at: any text will do there.
            texts += [texts[at] if x == NO_DRAFT else (*texts[at], x) for x in drafted]
            tokens += drafted
        p = [as_law(target(text), "target(context)") for text in texts]
        return self.draw(tokens, np.stack(q), np.stack(p), rng.random(len(tokens)), rng)

    def _checked(
        self, draft_tokens: ArrayLike, q: ArrayLike, p: ArrayLike
    ) -> tuple[Array, Array, Array, tuple[int, ...]]:
        tokens = np.asarray(draft_tokens)
        if tokens.ndim != 1 or (tokens.size and tokens.dtype.kind not in "iu"):
            raise ValueError(
                f"draft_tokens must be whole numbers of shape (N,), got {show_value(draft_tokens)}"
            )
        branching = self._fitting(len(tokens))
        families = children(branching)
        target = as_law(_whole(p), "p")
        if target.ndim != 2 or len(target) != len(tokens) + 1:
            raise ValueError(
                f"p must have shape (N + 1, V) = ({len(tokens) + 1}, V), got {target.shape}"
            )
        size = target.shape[1]
        rows = _whole(q)
        if rows.shape != (len(families), size) and not (rows.size == 0 and not families):
            raise ValueError(f"q must have shape ({len(families)}, {size}), got {rows.shape}")
        draft = as_law(rows, "q") if families else target[:0]
        _check_drafted(tokens, draft, families)
        if is_exact(draft) != is_exact(target):
            draft, target = draft.astype(np.float64), target.astype(np.float64)
        return tokens.astype(np.int64), draft, target, branching

    def _fitting(self, drafted: int) -> tuple[int, ...]:
        """Return the branching that has exactly this many nodes."""
        for gamma in range(drafted + 1):
            branching = self.branching(gamma)
            if nodes(branching) == drafted:
                return branching
        raise ValueError(f"draft_tokens do not fill a tree of {self.name}, got {drafted} tokens")


def _whole(rows: ArrayLike) -> Array:
    """Return whole numbers as objects: one-hot laws of integers are as exact as Fractions."""
    given = np.asarray(rows)
    return given.astype(object) if given.dtype.kind in "iu" else given


def _check_drafted(tokens: Array, q: Array, families: tuple[range, ...]) -> None:
    for at, family in enumerate(families):
        for node in (context - 1 for context in family):
            x = int(tokens[node])
            if x == NO_DRAFT and len(family) > 1:
                continue
            if not 0 <= x < q.shape[1]:
                raise ValueError(f"draft_tokens[{node}] must be in 0..{q.shape[1] - 1}, got {x}")
            if q[at, x] <= 0:
                raise ValueError(
                    f"draft_tokens[{node}] = {x} has q = 0: q must be the law that was drawn from"
                )
