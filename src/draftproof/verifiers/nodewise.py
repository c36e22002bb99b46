"""Rules that decide context by context: test the children in turn, descend or correct.

All rules but block verification are of this kind. Such a rule is three choices: how drafts are
drawn, how probably each is kept, and what is emitted when none is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from draftproof.finite import Array, inverse_cdf, is_exact, show_value
from draftproof.trace import Trace
from draftproof.verifiers.answers import RuleError, read_chance, read_law, read_ways, split
from draftproof.verifiers.bounds import Children, Proposals, blank
from draftproof.verifiers.drafts import sampled
from draftproof.verifiers.shapes import NO_DRAFT, TreeTrace, children
from draftproof.verifiers.verifier import Verifier

__all__ = ["Judge", "Nodewise"]

Judge = Callable[[Children, Array, Array], tuple[Sequence[Any], Array]]
"""From the children of a context, q and p to: the probability that each child is kept once those
before it were rejected, and the law of the correction after all were rejected."""


def _itself(p: Array) -> Array:
    """Return the law as it is.

    Parameters
    ----------
    p : ndarray, shape (V,)

    Returns
    -------
    ndarray, shape (V,)
    """
    return p


@dataclass(frozen=True)
class Nodewise(Verifier):
    """A rule that decides at one context at a time.

    Attributes
    ----------
    name : str
    judge : callable
        From (children, q, p) to the conditional acceptances and the law of the correction.
    proposals : callable
        From (q, width) to every way of drafting the children, with its probability.
    view : callable
        The target's law as the rule takes it.
    width : int or tuple of int
        Children of a context: the same at every depth, or one number a depth.
    exact : bool
        Whether it claims to emit the target's law.
    """

    name: str
    judge: Judge
    proposals: Proposals = sampled
    view: Callable[[Array], Array] = _itself
    width: int | tuple[int, ...] = 1
    exact: bool = True

    def __repr__(self) -> str:
        return f"<rule {self.name}>"

    def branching(self, gamma: int) -> tuple[int, ...]:
        """Return how many children a context has at each depth.

        Parameters
        ----------
        gamma : int
            The depth of the tree.

        Returns
        -------
        tuple of int
            `gamma` numbers.

        Raises
        ------
        ValueError
            If the rule has a fixed tree of another depth.
        """
        if isinstance(self.width, int):
            return (self.width,) * gamma
        if gamma != len(self.width):
            raise ValueError(
                f"gamma must be {len(self.width)}, the depth of {self.name}, "
                f"got {show_value(gamma)}"
            )
        return self.width

    @property
    def depth(self) -> int | None:
        """The depth of the tree, or None for a rule that takes any gamma."""
        return None if isinstance(self.width, int) else len(self.width)

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
        return self.proposals(q, width)

    def reads(self, p: Array) -> Array:
        """Return the target's law as the rule takes it.

        Parameters
        ----------
        p : ndarray, shape (V,)
            The target's law at a context.

        Returns
        -------
        ndarray, shape (V,)
        """
        return self.view(p)

    def seen(self, p: Array, at: int = 0) -> Array:
        """Return what `reads` answers, checked.

        Parameters
        ----------
        p : ndarray, shape (V,)
            The target's law at a context.
        at : int
            The number of the context, for the message.

        Returns
        -------
        ndarray, shape (V,)

        Raises
        ------
        ValueError
            If the rule's view of a law is not a law.
        """
        view = self.reads(p)
        if view is p:
            return p
        law = read_law(view, self.name, "view", len(p), 1, at)
        assert law is not None  # at weight 1 what is no law is refused
        return law

    def _judged(
        self, drafted: Children, q: Array, p: Array, at: int = 0
    ) -> tuple[list[Any], Array | None]:
        """Return the judge's acceptances, and its correction if it can happen; both checked."""
        try:
            answer = self.judge(drafted, q, p)
        except RuleError as error:
            raise RuleError(error.words, at) from None
        chances, correction = split(answer, self.name, len(drafted), at)
        rest: Any = 1
        for i, x in enumerate(drafted):
            chances[i] = read_chance(chances[i], self.name, x, at)
            rest = rest * (1 - chances[i])
        if not rest > 0:
            return chances, None
        law = read_law(correction, self.name, "correction", len(p), rest, at)
        mixed = law is not None and is_exact(law) and not is_exact(p)
        return chances, law.astype(np.float64) if mixed and law is not None else law

    def step(self, q: Array, p: Array, width: int = 1) -> tuple[Array, Array]:
        r"""Return what happens at one context, averaged over the drafts.

        .. math:: A(x) = P(\text{a child } x \text{ is accepted}), \qquad
                  C(y) = P(\text{all are rejected and } y \text{ is emitted})

        The two sum to 1; their sum, token by token, is the law of the emitted token.

        Parameters
        ----------
        q, p : ndarray, shape (V,)
        width : int
            Children of this context.

        Returns
        -------
        tuple of ndarray, shape (V,)

        Raises
        ------
        ValueError
            If an acceptance is not in [0, 1], a correction that can happen is not a law, or the
            probabilities of the ways of drafting do not sum to 1.
        """
        exact = is_exact(q) and is_exact(p)
        accepted, corrected = (blank(np.shape(p), exact) for _ in range(2))
        seen = self.seen(p)
        for weight, drafted in read_ways(self.propose(q, width), self.name, len(p), width):
            present = _present(drafted)
            kept, correction = self._judged(present, q, seen)
            rest = weight
            for x, a in zip(present, kept, strict=True):
                accepted[x] += rest * a
                rest = rest * (1 - a)
            if correction is not None:
                corrected = corrected + rest * correction
        return accepted, corrected

    def _law(self, tokens: Array, q: Array, p: Array, branching: tuple[int, ...]) -> Array:
        exact = is_exact(p)
        out = blank(p.shape, exact)
        reach = [0 * p[0, 0]] * len(p)
        reach[0] = reach[0] + 1
        for at, family in enumerate(children(branching)):
            drafted = _present(tuple(int(tokens[c - 1]) for c in family))
            kept, correction = self._judged(drafted, q[at], self.seen(p[at], at), at)
            rest = reach[at]
            for context, a in zip(family, kept, strict=False):
                reach[context] = rest * a
                rest = rest * (1 - a)
            out[at] = 0 if correction is None else rest * correction
        for at in range(len(q), len(p)):
            out[at] = reach[at] * self.seen(p[at], at)
        return out

    def _draw(
        self,
        tokens: Array,
        q: Array,
        p: Array,
        branching: tuple[int, ...],
        u: Array,
        rng: np.random.Generator,
    ) -> Trace:
        families = children(branching)
        verdicts = np.zeros(len(tokens), dtype=bool)
        corrections: list[Array | None] = []
        for at, family in enumerate(families):
            drafted = _present(tuple(int(tokens[c - 1]) for c in family))
            kept, correction = self._judged(drafted, q[at], self.seen(p[at], at), at)
            corrections.append(correction)
            for context, a in zip(family, kept, strict=False):
                # Strict, so that a probability of 0 never passes, and u < 1 always passes 1.
                verdicts[context - 1] = u[context - 1] < a
        at, path, tested = 0, [], 0
        while at < len(families):
            nodes = [c - 1 for c in families[at] if tokens[c - 1] != NO_DRAFT]
            kept_node = next((node for node in nodes if verdicts[node]), None)
            tested += len(nodes) if kept_node is None else nodes.index(kept_node) + 1
            if kept_node is None:
                break
            path.append(kept_node)
            at = kept_node + 1
        law = corrections[at] if at < len(families) else self.seen(p[at], at)
        if law is None:  # a rejection of a probability that is only rounding
            law = self.seen(p[at], at)
        next_token = int(inverse_cdf(law, rng.random()))
        parts = (tokens, u, q, p, verdicts, len(path), next_token)
        if all(width == 1 for width in branching):
            return Trace(*parts)
        return TreeTrace(*parts, tuple(path), tested)


def _present(drafted: Children) -> Children:
    """Drop the places that have no draft; they come last."""
    return tuple(x for x in drafted if x != NO_DRAFT)
