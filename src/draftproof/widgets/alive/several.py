"""Several drafts for one place, each judged against what those before it left missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from traitlets import Bool, Dict, Enum, Float, Int, List, Unicode

from draftproof import verifiers
from draftproof.examples import CAT_DOG_FOX, HOUSE
from draftproof.figures.chapter6.results import THREE
from draftproof.finite import Array, total_variation
from draftproof.speculative import residual
from draftproof.verifiers.drafts import without

from .base import Alive, named_pair, random_law

__all__ = ["Several"]

PAIRS = (
    named_pair("three tokens", THREE),
    named_pair("cat, dog, fox", CAT_DOG_FOX),
    named_pair("house", HOUSE),
)
_MOST = 4
_TINY = 1e-12  # a rejection less probable than this is rounding


@dataclass(frozen=True)
class _Path:
    """One way in which all drafts so far were rejected: its probability, and what comes next."""

    weight: float
    target: Array
    draft: Array
    rejected: tuple[int, ...] = ()

    def ends(self, replacement: bool) -> bool:
        """Whether no other token than the next draft is left to be drawn."""
        return not replacement and int((self.draft > 0).sum()) == 1

    def rejections(self, replacement: bool) -> list[_Path]:
        """Return the paths of the next turn."""
        target = residual(self.target, self.draft)
        if replacement:
            # Whatever was rejected, the next draft has the same law and meets the same target.
            apart = float(total_variation(self.target, self.draft))
            return [_Path(self.weight * apart, target, self.draft)] if apart > _TINY else []
        cut = np.maximum(self.draft - self.target, 0)
        found = []
        for x in np.flatnonzero(cut > _TINY):
            rest = without(self.draft, int(x))
            assert rest is not None  # else the path has ended
            rejected = (*self.rejected, int(x))
            found.append(_Path(self.weight * float(cut[x]), target, rest, rejected))
        return found

    def plain(self, ends: bool) -> dict[str, Any]:
        """Return the path as JSON values."""
        return {
            "weight": self.weight,
            "target": self.target.tolist(),
            "draft": self.draft.tolist(),
            "rejected": list(self.rejected),
            "ends": ends,
        }


def _turn(
    paths: list[_Path], last: bool, replacement: bool
) -> tuple[dict[str, Any], Array, list[_Path]]:
    """Return what one turn shows, what is corrected after it, and the paths of the next turn."""
    kept, filled = np.zeros((2, len(paths[0].target)))
    following, shown = [], []
    for path in paths:
        ends = last or path.ends(replacement)
        kept += path.weight * np.minimum(path.target, path.draft)
        if ends:
            filled += path.weight * np.maximum(path.target - path.draft, 0)
        else:
            following += path.rejections(replacement)
        shown.append(path.plain(ends))
    reached = sum(path.weight for path in paths)
    return {"reached": reached, "kept": kept.tolist(), "paths": shown}, filled, following


class Several(Alive):
    """One to four drafts in turn: kept, cut, and left missing for the next.

    Attributes
    ----------
    pairs : list of dict
        ``title``, ``names``, ``p`` and ``q`` of each pair to choose from.
    names : list of str
    p, q : list of float
        Target and draft law.
    token : int
        The token that the two sliders move.
    drafts : int
        How many drafts, 1 to 4.
    replacement : bool
        Whether a token may be drafted twice.
    scale : str
        ``"one"``: areas are masses, in every turn; ``"own"``: each turn is enlarged.
    """

    module = "several"
    figure = "drafts-in-turn"
    parts: ClassVar[tuple[str, ...]] = (
        "pairs", "names", "p", "q", "token", "drafts", "replacement", "scale",
    )  # fmt: skip

    pairs = List(Dict(), list(PAIRS)).tag(sync=True)
    names = List(Unicode(), PAIRS[0]["names"]).tag(sync=True)
    p = List(Float(), PAIRS[0]["p"]).tag(sync=True)
    q = List(Float(), PAIRS[0]["q"]).tag(sync=True)
    token = Int(0, min=0).tag(sync=True, of="names")
    drafts = Int(2, min=1, max=_MOST).tag(sync=True)
    replacement = Bool(True).tag(sync=True)
    scale = Enum(["one", "own"], "one").tag(sync=True)

    def facts(self) -> dict[str, Any]:
        """Return the turns, what they keep, and the bound on all rules, by the package.

        Returns
        -------
        dict
            Plain JSON values by name.
        """
        p, q = np.array(self.p), np.array(self.q)
        paths, filled = [_Path(1.0, p, q)], np.zeros(len(p))
        turns: list[dict[str, Any]] = []
        while paths and len(turns) < self.drafts:
            one, corrected, paths = _turn(paths, len(turns) + 1 == self.drafts, self.replacement)
            turns.append(one)
            filled += corrected
        return {
            "turns": turns,
            "after": np.cumsum([sum(one["kept"]) for one in turns]).tolist(),
            "filled": filled.tolist(),
            "bound": float(verifiers.best_cut(p, q, self.drafts, self.replacement).bound),
        }

    @classmethod
    def random(cls, rng: np.random.Generator) -> Several:
        """Return drafts for a pair of laws over 2 to 4 tokens, some without mass.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        Several
        """
        n = int(rng.integers(2, 5))
        return cls(
            names=[f"t{i}" for i in range(n)],
            p=random_law(rng, n),
            q=random_law(rng, n),
            drafts=int(rng.integers(1, _MOST + 1)),
            replacement=bool(rng.integers(2)),
        )
