"""Block verification: judge every prefix of the block, keep the longest that passes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from draftproof.finite import Array, inverse_cdf, normalise
from draftproof.trace import Trace
from draftproof.verifiers.bounds import Children
from draftproof.verifiers.drafts import sampled
from draftproof.verifiers.shapes import BlockTrace
from draftproof.verifiers.verifier import Verifier

__all__ = ["Blockwise", "Chainwise", "block"]


class Chainwise(Verifier):
    """A rule over a chain of drafts that may look at the whole block.

    A subclass gives `laws`, the law face for many blocks at once.
    """

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
        return sampled(q, width)

    def laws(self, tokens: Array, q: Array, p: Array) -> Array:
        """Return `law` for M blocks drafted from one context, shape (M, T + 1, V).

        Parameters
        ----------
        tokens : ndarray of int, shape (M, T)
            In lexicographic order, so that blocks that begin alike are neighbours.
        q : ndarray, shape (M, T, V)
            The draft's law at each place of each block.
        p : ndarray, shape (M, T + 1, V)
            The target's.

        Returns
        -------
        ndarray, shape (M, T + 1, V)
            Entry (m, a, y): the probability that block m keeps a drafts and y comes next.
        """
        chain = (1,) * tokens.shape[1]
        blocks = zip(tokens, q, p, strict=True)
        return np.stack([self._law(*block, chain) for block in blocks])


@dataclass(frozen=True)
class Blockwise(Chainwise):
    r"""Block verification.

    With :math:`w_0 = 1` and :math:`w_t = \min\bigl(1, w_{t-1}\, p(x_t) / q(x_t)\bigr)` a prefix of
    t < T drafts passes with probability

    .. math:: h_t = \frac{m_t}{m_t + 1 - w_t}, \qquad
              m_t = \sum_x \max\bigl(w_t\, p(x) - q(x), 0\bigr),

    the laws taken after those t drafts, and the whole block with :math:`h_T = w_T`. The longest
    prefix that passes is kept; the next token comes from :math:`\max(w_t p - q, 0)`, or from p
    after a whole block.

    Attributes
    ----------
    name : str
    exact : bool

    References
    ----------
    Sun et al. (2025), Block Verification Accelerates Speculative Decoding, algorithm 2
    (arXiv 2403.10444).
    """

    name: str = "block"
    exact: bool = True

    def __repr__(self) -> str:
        return f"<rule {self.name}>"

    def correction(self, weight: Array, q: Array, p: Array) -> Array:
        r"""Return the masses that a correction is drawn from.

        .. math:: \max\bigl(w\, p(x) - q(x), 0\bigr)

        Parameters
        ----------
        weight : ndarray, shape (...)
            The running weight of the prefix.
        q, p : ndarray, shape (..., V)
            The laws after the prefix.

        Returns
        -------
        ndarray, shape (..., V)
        """
        return np.asarray(np.maximum(weight[..., None] * p - q, 0))

    def laws(self, tokens: Array, q: Array, p: Array) -> Array:
        """Return `law` for M blocks at once.

        Parameters
        ----------
        tokens, q, p
            As for `Chainwise.laws`.

        Returns
        -------
        ndarray, shape (M, T + 1, V)
        """
        gamma = tokens.shape[1]
        one = 1 + 0 * p[0, 0, 0]
        weight = np.full(len(tokens), one)
        stages = []
        for t in range(gamma):
            first, number = _prefixes(tokens[:, :t])
            passes, law = self._stage(weight[first], q[first, t], p[first, t])
            stages.append((passes[number], law, number))
            weight = _advanced(weight, q[:, t], p[:, t], tokens[:, t])
        out = np.empty_like(p)
        out[:, gamma] = weight[:, None] * p[:, gamma]
        left = 1 - weight  # probability that no longer prefix has passed
        for t in range(gamma - 1, -1, -1):
            passes, law, number = stages[t]
            here = left * passes if t else left  # the empty prefix always passes
            out[:, t] = here[:, None] * law[number]
            left = left - here
        return out

    def _stage(self, weight: Array, q: Array, p: Array) -> tuple[Array, Array]:
        """Return h_t and the law of the correction after each prefix."""
        mass = np.maximum(weight[:, None] * p - q, 0).sum(axis=1)
        whole = mass + (1 - weight)  # in this order never less than mass, whatever the rounding
        # 0/0: w = 1 and p = q here. Then the next prefix passes surely; 1 does no harm.
        empty = whole == 0
        safe = np.where(empty, 1 + 0 * whole, whole)
        gap = self.correction(weight, q, p)
        lost = gap.sum(axis=1, keepdims=True) == 0
        return np.where(empty, 1 + 0 * safe, mass / safe), normalise(np.where(lost, p, gap))

    def _law(self, tokens: Array, q: Array, p: Array, branching: tuple[int, ...]) -> Array:
        if not len(tokens):
            return p.copy()
        return np.asarray(self.laws(tokens[None], q[None], p[None])[0])

    def _draw(
        self,
        tokens: Array,
        q: Array,
        p: Array,
        branching: tuple[int, ...],
        u: Array,
        rng: np.random.Generator,
    ) -> Trace:
        q64, p64 = q.astype(np.float64), p.astype(np.float64)
        verdicts = np.zeros(len(tokens), dtype=bool)
        weight, kept = 1.0, 0
        residue = np.maximum(p64[0] - q64[0], 0) if len(tokens) else p64[0]
        for t, x in enumerate(tokens):
            top = weight * p64[t, x]
            weight = top / q64[t, x] if top < q64[t, x] else 1.0
            if t + 1 == len(tokens):
                verdicts[t] = u[t] < weight
                gap = p64[t + 1]
            else:
                gap = self.correction(np.asarray(weight), q64[t + 1], p64[t + 1])
                mass = np.maximum(weight * p64[t + 1] - q64[t + 1], 0).sum()
                verdicts[t] = u[t] * (mass + (1 - weight)) < mass
            if verdicts[t]:
                kept, residue = t + 1, gap
        law = residue if residue.sum() > 0 else p64[kept]
        next_token = int(inverse_cdf(law, rng.random()))
        return BlockTrace(tokens, u, q, p, verdicts, kept, next_token)


def _prefixes(tokens: Array) -> tuple[Array, Array]:
    """Return the first block with each prefix, and for each block the number of its prefix."""
    new = np.ones(len(tokens), dtype=bool)
    new[1:] = (tokens[1:] != tokens[:-1]).any(axis=1)
    return np.flatnonzero(new), new.cumsum() - 1


def _advanced(weight: Array, q: Array, p: Array, tokens: Array) -> Array:
    """Return the running weights after one more draft."""
    at = np.arange(len(tokens)), tokens
    top, bottom = weight * p[at], q[at]
    below = top < bottom
    out = 1 + 0 * top
    out[below] = top[below] / bottom[below]  # only below 1: there it cannot overflow
    return np.asarray(out)


block = Blockwise()
r"""Block verification. It accepts at least as many drafts as the token rule, on every pair."""
