"""The bigram toy: two rows, their overlap, and text with the fate of every character."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from traitlets import Dict, Float, Int, List, Unicode

from draftproof import bigram, cost
from draftproof.examples import toy
from draftproof.finite import overlap, total_variation
from draftproof.tables import Mixture, Model
from draftproof.toy_runs import CONTEXT, GAMMA, WEIGHT

from .base import Alive, correction

__all__ = ["Bigram"]


class Bigram(Alive):
    """The book's target and its draft with a knob.

    Attributes
    ----------
    names : list of str
        The vocabulary.
    table : list of list of float
        The target: a row a context, the start last.
    base : list of float
        What the draft falls back on.
    weight : float
        Share of the target in the draft.
    gamma : int
        Drafts in a round, 1 to 8.
    context : int
        Which row is shown.
    seed : int
        Of the text; 0 takes a new one each time.
    text : dict or None
        What has been written: ``rounds``, each a list of [token, fate].
    """

    module = "bigram"
    figure = "one-context"
    parts: ClassVar[tuple[str, ...]] = (
        "names", "table", "base", "weight", "gamma", "context", "seed", "text",
    )  # fmt: skip

    names = List(Unicode(), list(toy()[0].vocabulary)).tag(sync=True)
    table = List(List(Float()), toy()[0].table.tolist()).tag(sync=True)
    base = List(Float(), toy()[1].table[0].tolist()).tag(sync=True)
    weight = Float(WEIGHT, min=0, max=1).tag(sync=True)
    gamma = Int(GAMMA, min=1, max=8).tag(sync=True)
    context = Int(toy()[0].vocabulary.index(CONTEXT), min=0).tag(sync=True, of="table")
    seed = Int(0, min=0).tag(sync=True)
    text = Dict(None, allow_none=True).tag(sync=True)

    @property
    def models(self) -> tuple[Model, Mixture]:
        """Target and draft as the package holds them."""
        names = tuple(self.names)
        target = Model(names, np.array(self.table))
        base = Model(names, np.tile(self.base, (len(names) + 1, 1)))
        return target, Mixture(self.weight, target, base)

    def facts(self) -> dict[str, Any]:
        """Return the two rows, their overlap and the long-run rates, computed by the package.

        Returns
        -------
        dict
            Plain JSON values by name.
        """
        target, draft = self.models
        p, q = target.table[self.context], draft.table[self.context]
        return {
            "p": p.tolist(),
            "q": q.tolist(),
            "beta": float(overlap(p, q)),
            "tv": float(total_variation(p, q)),
            "residual": correction(p, q).tolist(),
            "alpha": bigram.alpha(target, draft),
            "calls": cost.tokens_per_call(target.chain, draft.chain, self.gamma),
        }

    @classmethod
    def random(cls, rng: np.random.Generator) -> Bigram:
        """Return a state within the reach of the controls.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        Bigram
        """
        size = len(toy()[0].vocabulary)
        weight = float(rng.choice([0.0, 1.0, rng.uniform(0, 1)], p=[0.05, 0.05, 0.9]))
        return cls(
            weight=weight, gamma=int(rng.integers(1, 9)), context=int(rng.integers(size + 1))
        )
