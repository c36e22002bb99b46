"""What drafting costs and buys: speed by block length, and one round to scale."""

from __future__ import annotations

from math import isinf
from typing import Any, ClassVar

import numpy as np
from traitlets import Float, Int

from draftproof import cost

from .base import Alive

__all__ = ["Cost"]


class Cost(Alive):
    """The speed of speculative decoding at a constant acceptance.

    Attributes
    ----------
    alpha : float
        Probability that a draft is accepted.
    gamma : int
        Drafts in a block, 1 to 16.
    c, v : float
        Cost of a draft and of a verification, in plain target passes.
    """

    module = "cost"
    figure = "stairs"
    parts: ClassVar[tuple[str, ...]] = ("alpha", "gamma", "c", "v")

    alpha = Float(0.7, min=0, max=1).tag(sync=True)
    gamma = Int(4, min=1, max=16).tag(sync=True)
    c = Float(0.1, min=0).tag(sync=True)
    v = Float(1.0, min=1).tag(sync=True)

    def facts(self) -> dict[str, Any]:
        """Return tokens, price, speed and the best length, computed by `draftproof.cost`.

        Returns
        -------
        dict
            Plain JSON values by name. ``best`` is 0 where no length gains anything, and the end of
            the search, 64, where the best is beyond it or, with free drafts, nowhere.
        """
        best, most = cost.best_gamma(self.alpha, self.c, self.v)
        even = cost.break_even_alpha(self.gamma, self.c, self.v)
        return {
            "tokens": cost.expected_tokens(self.alpha, self.gamma),
            "bonus": cost.bonus_probability(self.alpha, self.gamma),
            "price": self.gamma * self.c + self.v,
            "speedup": cost.speedup(self.alpha, self.gamma, self.c, self.v),
            "best": best,
            "bestSpeed": most,
            "breakEven": None if isinf(even) else even,
            "operations": cost.operations(self.alpha, self.gamma, self.c),
        }

    @classmethod
    def random(cls, rng: np.random.Generator) -> Cost:
        """Return a state within the reach of the controls, ends included.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        Cost
        """
        return cls(
            alpha=float(rng.choice([0.0, 1.0, rng.random()], p=[0.02, 0.02, 0.96])),
            gamma=int(rng.integers(1, 17)),
            c=float(rng.choice([0.0, rng.random()], p=[0.05, 0.95])),
            v=float(rng.uniform(1, 6)),
        )
