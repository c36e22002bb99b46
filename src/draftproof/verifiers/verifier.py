"""The one signature of every rule: `law` for proofs, `draw` for running.

Both take the drafts with the laws they came from and the target's laws, as
`draftproof.verify_block` does:

``draft_tokens`` [N], ``q`` [I, V] (one row for each context that has drafts), ``p`` [N + 1, V]
(one row for each context: 0 before the drafts, i + 1 after draft i).

For a chain I = N, and the context after t drafts is number t.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from draftproof.chain import LONGEST
from draftproof.finite import (
    Array,
    as_array,
    as_law,
    check_rng,
    check_uniforms,
    check_whole,
    inverse_cdf,
    is_exact,
    show_value,
)
from draftproof.speculative import Model, _ask, _check_context, _check_model, _stack
from draftproof.trace import Trace
from draftproof.verifiers.answers import after, read_ways
from draftproof.verifiers.bounds import Children, bounded, check_drafted, whole_rows
from draftproof.verifiers.shapes import NO_DRAFT, children, nodes

__all__ = ["Verifier"]


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
        """Return how many children a context has at each depth; a chain has one.

        Parameters
        ----------
        gamma : int
            The depth of the tree.

        Returns
        -------
        tuple of int
            `gamma` numbers.
        """
        return (1,) * gamma

    @property
    def depth(self) -> int | None:
        """The only gamma that the rule takes, or None if it takes any."""
        return None

    @abstractmethod
    def propose(self, q: Array, width: int) -> Iterable[tuple[Any, Children]]:
        """Return every way of drafting `width` children from `q`, with its probability.

        Parameters
        ----------
        q : ndarray, shape (V,)
            The draft's law at a context.
        width : int
            Children of the context.

        Returns
        -------
        iterable of (probability, tokens)
            The probabilities sum to 1; `NO_DRAFT` (-1) fills a place that no token is left for.
        """

    def reads(self, p: Array) -> Array:
        """Return the target's law as the rule takes it: itself, or its argmax.

        Parameters
        ----------
        p : ndarray, shape (V,)
            The target's law at a context.

        Returns
        -------
        ndarray, shape (V,)
        """
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
            The drafts, breadth first; -1 for a place that no token was left for.
        q : array_like, shape (I, V)
            The laws they were drawn from, one row for each context that has drafts.
        p : array_like, shape (N + 1, V)
            The target's laws, one row for each context.

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
        draft_tokens, q, p
            As for `law`.
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

        Parameters
        ----------
        target, draft : callable
            From a context (tuple of token ids) to the law of the next token.
        context : tuple of int
            The text so far.
        gamma : int
            Drafts in a chain, or the depth of the tree; at least 1.
        rng : numpy.random.Generator

        Returns
        -------
        Trace

        Raises
        ------
        ValueError
            If `gamma` < 1 or not the depth of a given tree, a tree has more than `MOST_NODES`
            nodes, a model returns something that is not one law over the other's vocabulary, or
            the rule answers with something that is no probability or no law.
        """
        check_whole(gamma, "gamma", 1, LONGEST)
        branching = bounded(self.branching(gamma), gamma)
        check_rng(rng)
        texts: list[tuple[int, ...]] = [_check_context(context)]
        _check_model(target, "target")
        tokens: list[int] = []
        q: list[Array] = []
        for at, family in enumerate(children(branching)):
            q.append(_ask(draft, "draft", texts[at]))
            with after(texts[at]):
                ways = read_ways(
                    self.propose(q[-1], len(family)), self.name, len(q[-1]), len(family)
                )
            drafted = ways[inverse_cdf([float(weight) for weight, _ in ways], rng.random())][1]
            # Below a place without a draft nothing is ever looked at: any text will do there.
            texts += [texts[at] if x == NO_DRAFT else (*texts[at], x) for x in drafted]
            tokens += drafted
        p = [_ask(target, "target", text) for text in texts]
        sizes = {law.size for law in (*q, *p)}
        if len(sizes) > 1:
            raise ValueError(
                f"target and draft must share one vocabulary, got laws over {sorted(sizes)} tokens"
            )
        drafts, q_rows, p_rows = np.array(tokens, dtype=np.int64), _stack(q), _stack(p)
        check_drafted(drafts, q_rows, children(branching))
        # The laws were checked one by one; `draw` would check all of them again.
        rows = _alike(q_rows, p_rows)
        with after(*texts):
            return self._draw(drafts, *rows, branching, rng.random(len(tokens)), rng)

    def _checked(
        self, draft_tokens: ArrayLike, q: ArrayLike, p: ArrayLike
    ) -> tuple[Array, Array, Array, tuple[int, ...]]:
        tokens = as_array(draft_tokens, "draft_tokens")
        if tokens.ndim != 1 or (tokens.size and tokens.dtype.kind not in "iu"):
            raise ValueError(
                f"draft_tokens must be whole numbers of shape (N,), got {show_value(draft_tokens)}"
            )
        branching = self._fitting(len(tokens))
        families = children(branching)
        target = as_law(whole_rows(p, "p"), "p")
        if target.ndim != 2 or len(target) != len(tokens) + 1:
            raise ValueError(
                f"p must have shape (N + 1, V) = ({len(tokens) + 1}, V), got {target.shape}"
            )
        size = target.shape[1]
        given = as_array(q, "q")
        if given.shape != (len(families), size) and not (given.size == 0 and not families):
            raise ValueError(f"q must have shape ({len(families)}, {size}), got {given.shape}")
        draft = as_law(whole_rows(q, "q"), "q") if families else target[:0]
        check_drafted(tokens, draft, families)
        return tokens.astype(np.int64), *_alike(draft, target), branching

    def _fitting(self, drafted: int) -> tuple[int, ...]:
        """Return the branching that has exactly this many nodes."""
        for gamma in (drafted, *range(drafted)):  # a chain fits at once
            try:
                branching = self.branching(gamma)
            except ValueError:  # deeper than a tree of given depth
                continue
            chain = set(branching) <= {1}
            if gamma == drafted and not chain:
                continue  # a tree has more nodes than levels
            held = len(branching) if chain else nodes(branching)
            if held == drafted:
                return branching
            if held > drafted:
                break
        raise ValueError(f"draft_tokens must fill a tree of {self.name}, got {drafted} tokens")


def _alike(q: Array, p: Array) -> tuple[Array, Array]:
    """Return both in Fractions, or both in floats."""
    if is_exact(q) == is_exact(p):
        return q, p
    return q.astype(np.float64), p.astype(np.float64)
