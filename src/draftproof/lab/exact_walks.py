"""Two ways of adding up everything a rule can do, one for each kind of rule.

`NodeWalk` goes from context to context: at each one it adds up the drafts, the verdicts and the
corrections, and keeps the law of what is still to come. `BlockWalk` writes out every drafted block
and asks the rule for its law. Rules of the first kind can be walked both ways; a test does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from draftproof.finite import Array
from draftproof.lab.exact_models import Context, Models
from draftproof.verifiers import Blockwise, Chainwise, Nodewise, Verifier
from draftproof.verifiers.answers import after, check_blocks, read_ways

__all__ = ["BlockWalk", "NodeWalk", "TargetWalk", "Walk", "walk"]


class Walk(ABC):
    """The law of what follows a context, round after round."""

    @abstractmethod
    def ahead(self, context: Context, length: int) -> Array:
        """Return the law of the next `length` tokens when a round starts, shape (V,) * length.

        Parameters
        ----------
        context : tuple of int
            Where the round starts.
        length : int
            Tokens of a sequence.

        Returns
        -------
        ndarray, shape (V,) * length
        """

    @abstractmethod
    def accepted(self, context: Context) -> list[Any]:
        """Return the law of the number of accepted drafts of one round.

        Parameters
        ----------
        context : tuple of int
            Where the round starts.

        Returns
        -------
        list of number
            The probabilities of 0, 1, ..., gamma accepted drafts.
        """


class TargetWalk:
    """The target's own law.

    Parameters
    ----------
    models : Models
        Of which only the target is asked.
    """

    def __init__(self, models: Models) -> None:
        self._models = models
        self._known: dict[tuple[Context, int], Array] = {}

    def ahead(self, context: Context, length: int) -> Array:
        """Return the law of the next `length` tokens.

        Parameters
        ----------
        context : tuple of int
            Where the round starts.
        length : int
            Tokens of a sequence.

        Returns
        -------
        ndarray, shape (V,) * length
        """
        if length == 0:
            return self._models.one()
        if (context, length) not in self._known:
            out = self._models.zeros(*[self._models.size] * length)
            p = self._models.p(context)
            for x in np.flatnonzero(p):
                out[x] = p[x] * self.ahead(self._models.after(context, int(x)), length - 1)
            self._known[context, length] = out
        return self._known[context, length]


class NodeWalk(Walk):
    """For rules that decide context by context.

    Parameters
    ----------
    rule : Verifier
        The rule that is walked.
    models : Models
    gamma : int
        Drafts in a chain, or the depth of the tree.
    """

    def __init__(self, rule: Nodewise, models: Models, gamma: int) -> None:
        self._rule, self._models = rule, models
        self._widths = rule.branching(gamma)
        self._steps: dict[tuple[Context, int], tuple[Array, Array]] = {}
        self._known: dict[tuple[Context, int, int], Array] = {}
        self._counts: dict[tuple[Context, int], list[Any]] = {}

    def _step(self, context: Context, depth: int) -> tuple[Array, Array]:
        """Return what the rule does at a context after `depth` accepted drafts."""
        width = self._widths[depth] if depth < len(self._widths) else 0
        if (context, width) not in self._steps:
            p, q = self._models.p(context), self._models.q(context)
            with after(context):
                done = self._rule.step(q, p, width) if width else (p * 0, self._rule.seen(p))
            self._steps[context, width] = done
        return self._steps[context, width]

    def ahead(self, context: Context, length: int) -> Array:
        """Return the law of the next `length` tokens when a round starts.

        Parameters
        ----------
        context : tuple of int
            Where the round starts.
        length : int
            Tokens of a sequence.

        Returns
        -------
        ndarray, shape (V,) * length
        """
        return self._ahead(context, 0, length)

    def _ahead(self, context: Context, depth: int, length: int) -> Array:
        if length == 0:
            return self._models.one()
        key = context, depth, length
        if key not in self._known:
            out = self._models.zeros(*[self._models.size] * length)
            accepted, ended = self._step(context, depth)
            for x in np.flatnonzero((accepted > 0) | (ended > 0)):
                text = self._models.after(context, int(x))
                if accepted[x] > 0:
                    out[x] = accepted[x] * self._ahead(text, depth + 1, length - 1)
                if ended[x] > 0:
                    out[x] = out[x] + ended[x] * self._ahead(text, 0, length - 1)
            self._known[key] = out
        return self._known[key]

    def accepted(self, context: Context) -> list[Any]:
        """Return the law of the number of accepted drafts of one round.

        Parameters
        ----------
        context : tuple of int
            Where the round starts.

        Returns
        -------
        list of number
            The probabilities of 0, 1, ..., gamma accepted drafts.
        """
        return self._accepted(context, 0)

    def _accepted(self, context: Context, depth: int) -> list[Any]:
        key = context, depth
        if key not in self._counts:
            accepted, ended = self._step(context, depth)
            law = [ended.sum()] + [0] * (len(self._widths) - depth)
            for x in np.flatnonzero(accepted > 0):
                deeper = self._accepted(self._models.after(context, int(x)), depth + 1)
                for more, mass in enumerate(deeper):
                    law[more + 1] = law[more + 1] + accepted[x] * mass
            self._counts[key] = law
        return self._counts[key]


class BlockWalk(Walk):
    """For rules over a chain that look at the whole block: every block is written out.

    Parameters
    ----------
    rule : Verifier
        The rule that is walked.
    models : Models
    gamma : int
        Drafts in a chain, or the depth of the tree.
    """

    def __init__(self, rule: Verifier, models: Models, gamma: int) -> None:
        self._rule, self._models, self._gamma = rule, models, gamma
        self._rounds: dict[Context, list[Array]] = {}
        self._known: dict[tuple[Context, int], Array] = {}

    def _blocks(self, context: Context) -> tuple[Array, Array, Array, Array]:
        """Return all blocks that can be drafted: tokens, probabilities, q rows, p rows."""
        texts: list[Context] = [context]  # the distinct contexts met, numbered
        self._numbers = {context: 0}
        tokens = np.zeros((1, 0), dtype=np.int64)
        weights = self._models.zeros(1) + self._models.one()
        at = np.zeros((1, 1), dtype=np.int64)
        for _ in range(self._gamma):
            parts = []
            for here in np.unique(at[:, -1]):
                rows = np.flatnonzero(at[:, -1] == here)
                masses, drafted, reached = self._drafts(texts, int(here))
                ways = len(masses)
                grown = np.repeat(rows, ways), np.tile(np.arange(ways), len(rows))
                parts.append(
                    (
                        np.column_stack([tokens[grown[0]], drafted[grown[1]]]),
                        weights[grown[0]] * masses[grown[1]],
                        np.column_stack([at[grown[0]], reached[grown[1]]]),
                    )
                )
            tokens, weights, at = (np.concatenate(part) for part in zip(*parts, strict=True))
        order = np.lexsort(tokens.T[::-1])  # so that blocks with a common beginning are neighbours
        tokens, weights, at = tokens[order], weights[order], at[order]
        p = np.stack([self._models.p(text) for text in texts])
        # The draft is asked only where it drafts: not after the last token.
        asked = np.unique(at[:, :-1])
        q = self._models.zeros(*p.shape)
        q[asked] = [self._models.q(texts[here]) for here in asked]
        return tokens, weights, q[at[:, :-1]], p[at]

    def _drafts(self, texts: list[Context], here: int) -> tuple[Array, Array, Array]:
        """Return the probability and the token of each draft, and the number of its context."""
        with after(texts[here]):
            proposed = self._rule.propose(self._models.q(texts[here]), 1)
            ways = read_ways(proposed, self._rule.name, self._models.size, 1)
        masses = self._models.zeros(len(ways))
        masses[:] = [weight for weight, _ in ways]
        drafted = np.array([tokens[0] for _, tokens in ways])
        reached = []
        for x in drafted.tolist():
            text = self._models.after(texts[here], x)
            if text not in self._numbers:
                self._numbers[text] = len(texts)
                texts.append(text)
            reached.append(self._numbers[text])
        return masses, drafted, np.array(reached)

    def _round(self, context: Context) -> list[Array]:
        """Return for each number a of accepted drafts the law of the a + 1 emitted tokens."""
        if context not in self._rounds:
            tokens, weights, q, p = self._blocks(context)
            with after(context):
                if isinstance(self._rule, Chainwise):
                    laws = self._rule.laws(tokens, q, p)
                else:
                    blocks = zip(tokens, q, p, strict=True)
                    laws = np.stack([self._rule.law(*one) for one in blocks])
                if type(self._rule) is not Blockwise:  # whose law is a theorem, and tested
                    laws = check_blocks(laws, p.shape, tokens, self._rule.name)
            laws = laws * weights[:, None, None]
            emitted, size = [], self._models.size
            prefix = np.zeros(len(tokens), dtype=np.int64)  # the first a tokens as one number
            for a in range(self._gamma + 1):
                law = self._models.zeros(size**a, size)
                first = np.flatnonzero(np.diff(prefix, prepend=-1))
                law[prefix[first]] = np.add.reduceat(laws[:, a], first, axis=0)
                emitted.append(law.reshape((size,) * (a + 1)))
                prefix = prefix * size + tokens[:, a] if a < self._gamma else prefix
            self._rounds[context] = emitted
        return self._rounds[context]

    def ahead(self, context: Context, length: int) -> Array:
        """Return the law of the next `length` tokens when a round starts.

        Parameters
        ----------
        context : tuple of int
            Where the round starts.
        length : int
            Tokens of a sequence.

        Returns
        -------
        ndarray, shape (V,) * length
        """
        if length == 0:
            return self._models.one()
        if (context, length) not in self._known:
            out = self._models.zeros(*[self._models.size] * length)
            for law in self._round(context):
                if law.ndim >= length:  # the round makes too many: they are cut
                    out = out + law.sum(axis=tuple(range(length, law.ndim)))
                    continue
                for at in zip(*(axis.tolist() for axis in np.nonzero(law)), strict=True):
                    rest = self.ahead(self._models.after(context, *at), length - law.ndim)
                    out[at] = out[at] + law[at] * rest
            self._known[context, length] = out
        return self._known[context, length]

    def accepted(self, context: Context) -> list[Any]:
        """Return the law of the number of accepted drafts of one round.

        Parameters
        ----------
        context : tuple of int
            Where the round starts.

        Returns
        -------
        list of number
            The probabilities of 0, 1, ..., gamma accepted drafts.
        """
        return [law.sum() for law in self._round(context)]


def walk(rule: Verifier, models: Models, gamma: int) -> Walk:
    """Return the faster walk that fits the rule.

    Parameters
    ----------
    rule : Verifier
        The rule that is walked.
    models : Models
    gamma : int
        Drafts in a chain, or the depth of the tree.

    Returns
    -------
    Walk
    """
    if isinstance(rule, Nodewise):
        return NodeWalk(rule, models, gamma)
    return BlockWalk(rule, models, gamma)
