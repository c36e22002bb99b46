"""A bias and the noise around it: from how many samples on a wrong sampler looks wrong."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from traitlets import Float, Int, List

from draftproof import rules
from draftproof.examples import toy, toy_draft
from draftproof.finite import Array, total_variation
from draftproof.noise import mean_distance
from draftproof.toy_runs import CONTEXT, WEIGHT, noise_walk

from .base import Alive

__all__ = ["Noise"]


def _law() -> list[float]:
    return [float(x) for x in toy()[0].law(CONTEXT)]


def _fault() -> list[float]:
    p, q = toy()[0].law(CONTEXT), toy_draft(WEIGHT).law(CONTEXT)
    return [float(x) for x in rules.redraw_from_p(p, q)]


class Noise(Alive):
    """An exact and a biased sampler of one context of the toy, against the band of chance.

    Parameters
    ----------
    **state : object
        Values of the parts that differ from the book's.

    Attributes
    ----------
    law, fault : list of float
        The exact law, and the faulty one that the biased sampler leans to.
    sizes : list of int
        Numbers of samples.
    band : list of list of float
        Quantiles of an exact sampler's distance at each of `sizes`; the first and the last row
        are the band's ends.
    share : float
        Of the exact runs, how many end inside the band.
    bias : float
        Total variation of the biased sampler from the exact law.
    step : int
        Which of `sizes` is looked at.
    run, seed : int
        Which samples are drawn; seed 0 takes new ones each time.
    """

    module = "noise"
    figure = "noise-funnel"
    parts: ClassVar[tuple[str, ...]] = (
        "law", "fault", "sizes", "band", "share", "bias", "step", "run", "seed",
    )  # fmt: skip

    law = List(Float(), _law()).tag(sync=True)
    fault = List(Float(), _fault()).tag(sync=True)
    sizes = List(Int()).tag(sync=True)
    band = List(List(Float())).tag(sync=True)
    share = Float(0.9, min=0, max=1).tag(sync=True)
    bias = Float(0.01, min=0).tag(sync=True)
    step = Int(12, min=0).tag(sync=True, of="sizes")
    run = Int(0, min=0).tag(sync=True)
    seed = Int(0, min=0).tag(sync=True)

    def __init__(self, **state: Any) -> None:
        walk = noise_walk()
        state.setdefault("sizes", [int(n) for n in walk.sizes])
        state.setdefault("band", walk.band.tolist())
        super().__init__(**state)

    @property
    def biased(self) -> Array:
        """The law of the biased sampler."""
        law, fault = np.array(self.law), np.array(self.fault)
        return np.asarray(law + self.bias / float(total_variation(law, fault)) * (fault - law))

    def facts(self) -> dict[str, Any]:
        """Return the band, the mean distances and where the biased one leaves the band.

        Returns
        -------
        dict
            Plain JSON values by name.
        """
        law, n = np.array(self.law), self.sizes[self.step]
        return {
            "n": n,
            "low": self.band[0][self.step],
            "high": self.band[-1][self.step],
            "biased": self.biased.tolist(),
            "exactMean": mean_distance(law, law, n),
            "biasedMean": mean_distance(law, self.biased, n),
            "crossing": self._crossing(),
        }

    def _crossing(self) -> float | None:
        law, biased, sizes = np.array(self.law), self.biased, np.log(self.sizes)
        upper = np.log(self.band[-1])

        def out(step: float) -> bool:
            edge = float(np.exp(np.interp(step, sizes, upper)))
            return mean_distance(law, biased, float(np.exp(step))) > edge

        low, high = float(sizes[0]), float(sizes[-1])
        if not out(high):
            return None
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (low, middle) if out(middle) else (middle, high)
        return float(np.exp(high))

    @classmethod
    def random(cls, rng: np.random.Generator) -> Noise:
        """Return a state within the reach of the controls.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        Noise
        """
        return cls(bias=float(rng.uniform(0.002, 0.08)), step=int(rng.integers(25)))
