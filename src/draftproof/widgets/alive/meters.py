"""Three ratios that programs call acceptance, read from the drafts of one block."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from traitlets import Float, Int

from draftproof import cost

from .base import Alive

__all__ = ["Meters"]


class Meters(Alive):
    """The fates of the drafts of a block at a constant acceptance, and their three meters.

    Attributes
    ----------
    alpha : float
        Probability that a draft that is tested is kept.
    gamma : int
        Drafts in a block, 1 to 16.
    """

    module = "meters"
    figure = "three-meters"
    parts: ClassVar[tuple[str, ...]] = ("alpha", "gamma")

    alpha = Float(0.8, min=0, max=1).tag(sync=True)
    gamma = Int(8, min=1, max=16).tag(sync=True)

    def facts(self) -> dict[str, Any]:
        """Return the fates by draft and in all, and the meters, computed by `draftproof.cost`.

        Returns
        -------
        dict
            Plain JSON values by name: ``met`` and ``kept`` are the chances that each draft is
            tested and kept.
        """
        reached = [cost.bonus_probability(self.alpha, k) for k in range(self.gamma + 1)]
        accepted = cost.expected_accepted(self.alpha, self.gamma)
        tested = cost.expected_tokens(self.alpha, self.gamma - 1)
        return {
            "met": reached[:-1],
            "kept": reached[1:],
            "tested": tested,
            "accepted": accepted,
            "bonus": reached[-1],
            "rate": accepted / tested,
            "share": cost.accepted_over_drafted(self.alpha, self.gamma),
            "tokens": cost.expected_tokens(self.alpha, self.gamma),
        }

    @classmethod
    def random(cls, rng: np.random.Generator) -> Meters:
        """Return a state within the reach of the controls, ends included.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        Meters
        """
        return cls(
            alpha=float(rng.choice([0.0, 1.0, rng.random()], p=[0.05, 0.05, 0.9])),
            gamma=int(rng.integers(1, 17)),
        )
