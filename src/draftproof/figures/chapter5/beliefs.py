"""The grid of misbeliefs: how a draft may draw, and which q the rule may be told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from draftproof import examples
from draftproof.finite import Array, as_law, total_variation
from draftproof.lab import samples_needed
from draftproof.speculative import acceptance, residual
from draftproof.verifiers import sample_match
from draftproof.verifiers.drafts import from_law
from draftproof.warp import temper
from draftproof.warp import top_k as keep_top

__all__ = ["WAYS", "Grid", "grid", "told_one_hot"]

WAYS: dict[str, Any] = {
    "softmax": lambda q: q,
    "T = 1/2": lambda q: temper(q, Fraction(1, 2)),
    "top-2": lambda q: keep_top(q, 2),
    "argmax": lambda q: temper(q, 0),
}
"""How a draft may draw, and which q the rule may be told: functions of the softmax's law."""


@dataclass(frozen=True, eq=False)
class Grid:
    """How the draft draws (rows) against which q the rule believes (columns).

    Attributes
    ----------
    ways : tuple of str
    names : tuple of str
    p : ndarray, shape (V,)
    accepted, corrected : dict
        From (drawn, told) to masses; their sum is the emitted law.
    """

    ways: tuple[str, ...]
    names: tuple[str, ...]
    p: Array
    accepted: dict[tuple[str, str], Array]
    corrected: dict[tuple[str, str], Array]

    def law(self, drawn: str, told: str) -> Array:
        """Return the emitted law.

        Parameters
        ----------
        drawn : str
            How the draft draws.
        told : str
            What the rule takes for q.

        Returns
        -------
        ndarray
        """
        return np.asarray(self.accepted[drawn, told] + self.corrected[drawn, told])

    def distance(self, drawn: str, told: str) -> Any:
        """Return its total variation distance from p.

        Parameters
        ----------
        drawn : str
            How the draft draws.
        told : str
            What the rule takes for q.

        Returns
        -------
        float or Fraction
        """
        return total_variation(self.law(drawn, told), self.p)

    def draws(self, drawn: str, told: str) -> int | None:
        """Return the n at which the audit catches it, or None if there is nothing to catch.

        Parameters
        ----------
        drawn : str
            How the draft draws.
        told : str
            What the rule takes for q.

        Returns
        -------
        int, optional
        """
        if self.distance(drawn, told) == 0:
            return None
        law, wrong = (x.astype(np.float64) for x in (self.p, self.law(drawn, told)))
        return int(samples_needed(law, wrong))


@lru_cache(maxsize=16)
def grid(pair: examples.Pair = examples.CAT_DOG_FOX) -> Grid:
    """Return the grid of draws and beliefs for a pair of laws.

    Parameters
    ----------
    pair : examples.Pair
        The laws.

    Returns
    -------
    Grid

    Raises
    ------
    ValueError
        If the pair holds no laws.
    """
    p, q = as_law(pair.p), as_law(pair.q)
    accepted, corrected = {}, {}
    for drawn, told in ((a, b) for a in WAYS for b in WAYS):
        source, believed = WAYS[drawn](q), WAYS[told](q)
        kept = source * acceptance(p, believed)
        accepted[drawn, told] = kept
        corrected[drawn, told] = np.asarray((1 - kept.sum()) * residual(p, believed))
    return Grid(tuple(WAYS), pair.names, p, accepted, corrected)


def told_one_hot(way: str, pair: examples.Pair = examples.CAT_DOG_FOX) -> Array:
    """Return the law emitted if drafts are drawn in some way and the rule takes q = 1 for each.

    Parameters
    ----------
    way : str
        How the draft draws.
    pair : examples.Pair
        The laws.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If there is no such way.
    """
    rule = replace(sample_match, proposals=from_law(WAYS[way]))
    kept, corrected = rule.step(as_law(pair.q), as_law(pair.p))
    return np.asarray(kept + corrected)
