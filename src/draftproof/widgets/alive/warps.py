"""Temperature, top-k and top-p on two laws, on both sides or on one alone."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from traitlets import Dict, Enum, Float, Int, List

from draftproof.examples import FOUR_TOKENS, HOUSE
from draftproof.figures.chapter2 import results
from draftproof.figures.chapter2_live import SIDES
from draftproof.finite import Array, overlap, total_variation
from draftproof.rules import ratio_and_residual
from draftproof.speculative import acceptance
from draftproof.warp import softmax, warp

from .base import Alive, named_pair

__all__ = ["Warps"]


PAIRS = (
    named_pair("four tokens", FOUR_TOKENS),
    named_pair("the favourites differ", HOUSE),
    named_pair("the favourites agree", results.AGREEING),
    named_pair("nearly tied", results.NEARLY_TIED),
)


class Warps(Alive):
    """Two laws under one warp, and what the rule emits when the warp reaches one side alone.

    Attributes
    ----------
    pairs : list of dict
        ``title``, ``names``, ``p`` and ``q`` of each pair to choose from.
    pair : int
        Which of them.
    logits : dict or None
        The reader's own, ``p`` and ``q``, instead of the pair's laws.
    token : int
        The token whose logits the two sliders move.
    temperature, mass : float
        T and the top-p; 1 keeps everything.
    k : int
        Top-k; the size of the vocabulary keeps everything.
    side : str
        Where the warp reaches: one of ``draftproof.figures.chapter2_live.SIDES``.
    """

    module = "warps"
    figure = "warp-by-hand"
    parts: ClassVar[tuple[str, ...]] = (
        "pairs", "pair", "logits", "token", "temperature", "k", "mass", "side",
    )  # fmt: skip

    pairs = List(Dict(), list(PAIRS)).tag(sync=True)
    pair = Int(0, min=0).tag(sync=True, of="pairs")
    logits = Dict(None, allow_none=True).tag(sync=True)
    token = Int(0, min=0).tag(sync=True)
    temperature = Float(0.5, min=0, max=100).tag(sync=True)
    k = Int(2, min=1).tag(sync=True)
    mass = Float(1.0, min=0, max=1).tag(sync=True)
    side = Enum(list(SIDES), SIDES[1]).tag(sync=True)

    @property
    def laws(self) -> tuple[Array, Array]:
        """Target and draft before the warp."""
        if self.logits:
            return softmax(self.logits["p"]), softmax(self.logits["q"])
        chosen = self.pairs[self.pair]
        return np.array(chosen["p"]), np.array(chosen["q"])

    def _warped(self, law: Array) -> Array:
        return warp(law, self.temperature, top_k=self.k, top_p=self.mass)

    def facts(self) -> dict[str, Any]:
        """Return the warped laws, their overlap and what comes out, computed by the package.

        Returns
        -------
        dict
            Plain JSON values by name.
        """
        p, q = self.laws
        hot_p, hot_q = self._warped(p), self._warped(q)
        believed, told, drawn = {
            SIDES[0]: (hot_p, hot_q, hot_q),
            SIDES[1]: (p, hot_q, hot_q),
            SIDES[2]: (hot_p, q, q),
            SIDES[3]: (hot_p, q, hot_q),
        }[self.side]
        got = ratio_and_residual(believed, told, drawn)
        kept = drawn * acceptance(believed, told)
        return {
            "p": hot_p.tolist(),
            "q": hot_q.tolist(),
            "alpha": float(overlap(hot_p, hot_q)),
            "kept": kept.tolist(),
            "filled": (got - kept).tolist(),
            "got": got.tolist(),
            "plain": float(overlap(p, q)),
            "accepted": float(kept.sum()),
            "distance": float(total_variation(got, hot_p)),
        }

    @classmethod
    def random(cls, rng: np.random.Generator) -> Warps:
        """Return a state within the reach of the controls.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        Warps
        """
        pair = int(rng.integers(len(PAIRS)))
        size = len(PAIRS[pair]["p"])
        logits = {law: (rng.integers(-20, 9, size) / 4).tolist() for law in ("p", "q")}
        return cls(
            pair=pair,
            logits=logits if rng.random() < 0.5 else None,
            token=int(rng.integers(size)),
            # Half of them as the sliders are set: there sums meet the mass exactly.
            temperature=float(rng.choice([0.0, 0.5, 1.0, rng.uniform(0.05, 3)])),
            k=int(rng.integers(1, size + 1)),
            mass=float(rng.choice([1.0, rng.integers(1, 21) / 20, rng.uniform(0.05, 1)])),
            side=str(rng.choice(SIDES)),
        )
