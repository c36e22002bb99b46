"""A block of drafts, step by step, and the tree of all rounds."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from traitlets import Dict, Float, Int, List

from draftproof import cost
from draftproof.examples import BLOCK, CAT_DOG_FOX
from draftproof.figures.chapter2_live import COINS, DRAFTED, SEED
from draftproof.finite import inverse_cdf, overlap
from draftproof.speculative import residual, verify_block

from .base import Alive, named_pair

__all__ = ["Walk"]

_MOST = 8


PAIRS = (named_pair("cat, dog, fox", CAT_DOG_FOX), named_pair("a and b", BLOCK))


def _draft_uniforms() -> list[float]:
    """Return uniforms that draw the book's block, the middles of its tokens' shares."""
    q = np.array(CAT_DOG_FOX.q, dtype=float)
    middles = q.cumsum() - q / 2
    return [float(middles[DRAFTED[k % len(DRAFTED)]]) for k in range(_MOST)]


class Walk(Alive):
    """One round: drafts, coins, verdicts, and the correction or the bonus.

    Attributes
    ----------
    pairs : list of dict
        ``title``, ``names``, ``p`` and ``q`` of each pair to choose from.
    pair : int
        Which of them; every position of the block has the same two laws.
    gamma : int
        Drafts in the round, 1 to 8.
    drafts, coins : list of float
        Eight uniforms each, of which the first `gamma` count: they draw and test the drafts.
    end : float
        The uniform that draws the correction or the bonus.
    step : int
        How far the round has come.
    position : int
        The draft whose coin the slider sets.
    seed : int
        Of new rounds; 0 takes a new one each time.
    tally : dict or None
        Counters of the rounds that are over.
    """

    module = "walk"
    figure = "block-walk"
    parts: ClassVar[tuple[str, ...]] = (
        "pairs", "pair", "gamma", "drafts", "coins", "end", "step", "position", "seed", "tally",
    )  # fmt: skip

    pairs = List(Dict(), list(PAIRS)).tag(sync=True)
    pair = Int(0, min=0).tag(sync=True, of="pairs")
    gamma = Int(len(COINS), min=1, max=_MOST).tag(sync=True)
    drafts = List(Float(min=0, max=1), _draft_uniforms(), minlen=_MOST, maxlen=_MOST).tag(sync=True)
    coins = List(Float(min=0, max=1), [*COINS, *[0.5] * 4], minlen=_MOST, maxlen=_MOST).tag(
        sync=True
    )
    end = Float(float(np.random.default_rng(SEED).random()), min=0, max=1).tag(sync=True)
    step = Int(8, min=0).tag(sync=True)
    position = Int(0, min=0).tag(sync=True, of="coins")
    seed = Int(0, min=0).tag(sync=True)
    tally = Dict(None, allow_none=True).tag(sync=True)

    def facts(self) -> dict[str, Any]:
        """Return the round and what rounds give on average, computed by the package.

        Returns
        -------
        dict
            Plain JSON values by name.
        """
        chosen = self.pairs[self.pair]
        p, q = np.array(chosen["p"]), np.array(chosen["q"])
        gamma, alpha = self.gamma, float(overlap(p, q))
        drafts = inverse_cdf(q, np.array(self.drafts[:gamma]))
        rows = np.tile(p, (gamma + 1, 1))
        # The generator draws a last token that is not used: the state holds its uniform.
        trace = verify_block(
            drafts, rows[:-1] * 0 + q, rows, self.coins[:gamma], np.random.default_rng(0)
        )
        full = trace.num_accepted == gamma
        law = p if full else residual(p, q)
        bonus = cost.bonus_probability
        lengths = [bonus(alpha, k) * (1 - alpha) for k in range(gamma)]
        return {
            "drafts": [int(x) for x in drafts],
            "verdicts": [bool(x) for x in trace.verdicts],
            "accepted": int(trace.num_accepted),
            "next": int(inverse_cdf(law, self.end)),
            "tested": min(int(trace.num_accepted) + 1, gamma),
            "fate": "bonus" if full else "residual",
            "alpha": alpha,
            "residual": residual(p, q).tolist(),
            "lengths": [*lengths, bonus(alpha, gamma)],
            "tokens": cost.expected_tokens(alpha, gamma),
        }

    @classmethod
    def random(cls, rng: np.random.Generator) -> Walk:
        """Return a state within the reach of the controls.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        Walk
        """
        return cls(
            pair=int(rng.integers(len(PAIRS))),
            gamma=int(rng.integers(1, _MOST + 1)),
            drafts=rng.random(_MOST).tolist(),
            coins=rng.random(_MOST).tolist(),
            end=float(rng.random()),
        )
