"""Two laws over a few tokens, to be dragged: kept, cut off and filled in."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from traitlets import Dict, Enum, Float, Int, List, Unicode

from draftproof import speculative as rule
from draftproof.examples import CAT_DOG_FOX
from draftproof.finite import total_variation

from .base import Alive, correction, random_law

__all__ = ["Tokens"]


class Tokens(Alive):
    """The speculative rule, or classical rejection, over two to eight tokens.

    Attributes
    ----------
    names : list of str
    p, q : list of float
        Target and draft law.
    token : int
        The token that the two sliders move.
    view : str
        ``"bars"`` or ``"board"``.
    rule : str
        ``"speculative"`` or ``"classical"``.
    moved : float
        How far the pieces have moved, 0 to 1.
    seed : int
        Of the draws; 0 takes a new one each time.
    tally : dict or None
        What has been drawn: ``drafted``, and by token ``accepted`` and ``filled``.
    """

    module = "tokens"
    figure = "mosaic"
    parts: ClassVar[tuple[str, ...]] = (
        "names", "p", "q", "token", "view", "rule", "moved", "seed", "tally",
    )  # fmt: skip

    names = List(Unicode(), list(CAT_DOG_FOX.names)).tag(sync=True)
    p = List(Float(), [float(x) for x in CAT_DOG_FOX.p]).tag(sync=True)
    q = List(Float(), [float(x) for x in CAT_DOG_FOX.q]).tag(sync=True)
    token = Int(0, min=0).tag(sync=True, of="names")
    view = Enum(["bars", "board"], "bars").tag(sync=True)
    rule = Enum(["speculative", "classical"], "speculative").tag(sync=True)
    moved = Float(1.0, min=0, max=1).tag(sync=True)
    seed = Int(0, min=0).tag(sync=True)
    tally = Dict(None, allow_none=True).tag(sync=True)

    def facts(self) -> dict[str, Any]:
        """Return masses, laws and rates by token, computed by `draftproof.speculative`.

        Returns
        -------
        dict
            Plain JSON values by name.
        """
        p, q = np.array(self.p), np.array(self.q)
        try:
            constant: float | None = float(rule.classical_constant(p, q))
        except ValueError:
            constant = None
        kept = np.minimum(p, q)
        return {
            "kept": kept.tolist(),
            "cut": np.maximum(q - p, 0).tolist(),
            "gap": np.maximum(p - q, 0).tolist(),
            "residual": correction(p, q).tolist(),
            "accept": rule.acceptance(p, q).tolist(),
            "alpha": float(kept.sum()),
            "tv": float(total_variation(p, q)),
            "output": rule.output_law(p, q).tolist(),
            "constant": constant,
        }

    @classmethod
    def random(cls, rng: np.random.Generator) -> Tokens:
        """Return a pair of laws over 2 to 8 tokens, some without mass.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        Tokens
        """
        n = int(rng.integers(2, 9))
        p, q = random_law(rng, n), random_law(rng, n)
        return cls(names=[f"t{i}" for i in range(n)], p=p, q=q)
