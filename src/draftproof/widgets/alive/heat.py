"""The two laws of one context of the toy at a temperature, and their overlap at all of them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from traitlets import Float, Int, List, Unicode

from draftproof.examples import toy
from draftproof.finite import overlap, total_variation
from draftproof.toy_runs import CONTEXT, WEIGHT
from draftproof.warp import temper

from .base import Alive

__all__ = ["Heat"]

_CURVE = [k / 20 for k in range(101)]  # the temperatures of the curve


class Heat(Alive):
    """One context of the book's target and draft, both warped by one temperature.

    Attributes
    ----------
    names : list of str
        The vocabulary.
    table : list of list of float
        The target: a row a context, the start last.
    base : list of float
        What the draft falls back on.
    weight : float
        Share of the target in the draft, before both are warped.
    context : int
        Which row is shown.
    temperature : float
        Of both laws, 0 to 5.
    """

    module = "heat"
    figure = "one-context-cool"
    parts: ClassVar[tuple[str, ...]] = (
        "names", "table", "base", "weight", "context", "temperature",
    )  # fmt: skip

    names = List(Unicode(), list(toy()[0].vocabulary)).tag(sync=True)
    table = List(List(Float()), toy()[0].table.tolist()).tag(sync=True)
    base = List(Float(), toy()[1].table[0].tolist()).tag(sync=True)
    weight = Float(WEIGHT, min=0, max=1).tag(sync=True)
    context = Int(toy()[0].vocabulary.index(CONTEXT), min=0).tag(sync=True, of="table")
    temperature = Float(0.5, min=0, max=5).tag(sync=True)

    def facts(self) -> dict[str, Any]:
        """Return both laws, their overlap now, at temperature 1 and on the curve.

        Returns
        -------
        dict
            Plain JSON values by name, computed by `draftproof.warp` and `draftproof.finite`.
        """
        target = np.array(self.table[self.context])
        draft = self.weight * target + (1 - self.weight) * np.array(self.base)
        p, q = (temper(law, self.temperature) for law in (target, draft))
        return {
            "p": p.tolist(),
            "q": q.tolist(),
            "beta": float(overlap(p, q)),
            "tv": float(total_variation(p, q)),
            "before": float(overlap(target, draft)),
            "favourites": [int(target.argmax()), int(draft.argmax())],
            "curve": [float(overlap(temper(target, t), temper(draft, t))) for t in _CURVE],
        }

    @classmethod
    def random(cls, rng: np.random.Generator) -> Heat:
        """Return a state within the reach of the controls, ends included.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        Heat
        """
        return cls(
            weight=float(rng.choice([0.0, 1.0, rng.random()], p=[0.05, 0.05, 0.9])),
            context=int(rng.integers(len(toy()[0].vocabulary) + 1)),
            temperature=float(rng.choice([0.0, 1.0, rng.uniform(0.05, 5)], p=[0.05, 0.05, 0.9])),
        )
