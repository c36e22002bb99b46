"""Both caches after a round: where each is cut, and what a wrong cut costs."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from traitlets import Int

from draftproof.figures.chapter4.tapes import Cut

from .base import Alive

__all__ = ["Tapes"]

_MOST = 8
_WHO = ("target", "draft")


class Tapes(Alive):
    """Two caches, each with a cut that can be put right and wrong.

    The program is taken to believe in its cuts: whatever they are, it feeds the new token next.

    Attributes
    ----------
    text : int
        Tokens before the round.
    gamma : int
        Drafts in the round, 1 to 8.
    kept : int
        How many of them were accepted.
    target, draft : int
        Entries that the cut leaves too many (negative: too few) in the cache; 0 is right.
    """

    module = "tapes"
    figure = "rounds-tape"
    parts: ClassVar[tuple[str, ...]] = ("text", "gamma", "kept", "target", "draft")

    text = Int(38, min=1).tag(sync=True)
    gamma = Int(5, min=1, max=_MOST).tag(sync=True)
    kept = Int(2, min=0, max=_MOST).tag(sync=True)
    target = Int(0, min=-_MOST, max=_MOST).tag(sync=True)
    draft = Int(0, min=-_MOST, max=_MOST).tag(sync=True)

    @property
    def cut(self) -> Cut:
        """The round and its cuts; none goes past the drafts or into the text before them."""
        kept = min(self.kept, self.gamma)
        target, draft = (min(max(kept + off, 0), self.gamma) for off in (self.target, self.draft))
        return Cut(self.gamma, kept, self.gamma - target, self.gamma - 1 - draft)

    def facts(self) -> dict[str, Any]:
        """Return lengths, entries dropped and entries fed, and what becomes of the text.

        Returns
        -------
        dict
            Plain JSON values by name.
        """
        cut = self.cut
        wrong = {who: cut.wrong(who) for who in _WHO}
        return {
            "kept": cut.accepted,
            "right": {"target": cut.right_target, "draft": cut.right_draft},
            "drops": {"target": cut.target, "draft": cut.draft},
            "before": {who: self.text + cut.held(who) for who in _WHO},
            "after": {who: self.text + min(cut.left(who), cut.held(who)) for who in _WHO},
            # The new token, and the guess that the draft never read.
            "fed": {"target": 1, "draft": 1 + int(cut.draft < 0)},
            "wrong": wrong,
            "outcome": "text" if wrong["target"] else "speed" if wrong["draft"] else "right",
        }

    @classmethod
    def random(cls, rng: np.random.Generator) -> Tapes:
        """Return a state within the reach of the controls.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        Tapes
        """
        gamma = int(rng.integers(1, _MOST + 1))
        kept = int(rng.integers(gamma + 1))
        return cls(
            gamma=gamma,
            kept=kept,
            target=int(rng.integers(gamma + 1)) - kept,
            draft=int(rng.integers(gamma + 1)) - kept,
        )
