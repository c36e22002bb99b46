"""All blocks of drafts over two tokens, judged by the token rule and as a whole."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any, ClassVar

import numpy as np
from traitlets import Int

from draftproof import lab, verifiers
from draftproof.examples import BLOCK
from draftproof.figures.chapter6 import results
from draftproof.speculative import acceptance

from .base import Alive

__all__ = ["Blocks"]

_PARTS = 12  # steps of the two shares: twelfths hold the thirds and quarters of the text
_MOST = 4
_RULES = {"token": verifiers.token, "block": verifiers.block}

Laws = tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]


def _laws(target_a: int, draft_a: int) -> Laws:
    p, q = (Fraction(parts, _PARTS) for parts in (target_a, draft_a))
    return (p, 1 - p), (q, 1 - q)


def _number(drafts: tuple[int, ...]) -> int:
    """Return a block's place in the order of a dictionary."""
    return int("".join(map(str, drafts)), 2)


@cache
def _totals(target_a: int, draft_a: int, gamma: int) -> dict[str, Any]:
    """Return the expected kept drafts of both rules."""
    p, q = _laws(target_a, draft_a)
    models = results.steady(p), results.steady(q)
    return {
        name: lab.expected_accepted(rule, *models, gamma=gamma) for name, rule in _RULES.items()
    }


@cache
def _fates(target_a: int, draft_a: int, gamma: int) -> dict[str, Any]:
    """Return what each rule makes of every block, as plain values."""
    p, q = _laws(target_a, draft_a)
    totals = _totals(target_a, draft_a, gamma)
    found: dict[str, Any] = {}
    for name, rule in _RULES.items():
        all_ = results.fates(rule, p, q, gamma)
        blocks = sorted({_number(fate.drafted) for fate in all_})
        kept = {b: [Fraction(0)] * (gamma + 1) for b in blocks}
        fixes: dict[int, list[int | None]] = {b: [None] * gamma for b in blocks}
        for fate in all_:
            block = _number(fate.drafted)
            kept[block][fate.kept] += fate.mass
            if fate.kept < gamma:
                fixes[block][fate.kept] = fate.token  # of two tokens only one can be missing
        found |= {"blocks": blocks, "drafted": [float(sum(kept[b])) for b in blocks]}
        found[name] = {
            "kept": [[float(mass) for mass in kept[b]] for b in blocks],
            "fixes": [fixes[b] for b in blocks],
            "total": list(Fraction(totals[name]).as_integer_ratio()),
        }
    return found


@cache
def _gains(gamma: int) -> list[list[float]]:
    """Return by how many drafts the block rule keeps more: a row a target, an entry a draft."""
    shares = range(_PARTS + 1)
    both = [[_totals(target, draft, gamma) for draft in shares] for target in shares]
    return [[float(one["block"] - one["token"]) for one in row] for row in both]


def _steps(p: Any, q: Any, drafts: list[int]) -> dict[str, list[float]]:
    """Return the running products along one block, and the chance that each prefix passes."""
    coin, rule = acceptance(np.array(p), np.array(q)), verifiers.block
    levels = results.boards(p, q, len(drafts))[0]
    found: dict[str, list[Any]] = {k: [] for k in ("ratio", "coin", "product", "weight", "passes")}
    for t, x in enumerate(drafts):
        board = next(b for b in levels[t] if list(b.prefix) == drafts[: t + 1])
        missing = rule.correction(np.array(board.weight), np.array(q), np.array(p)).sum()
        unkept = missing + 1 - board.weight
        passes = board.weight if t + 1 == len(drafts) else missing / unkept if unkept else 1
        for key, value in zip(
            found, (p[x] / q[x], coin[x], board.token, board.weight, passes), strict=True
        ):
            found[key].append(float(value))
    return found


class Blocks(Alive):
    """Two rules on the same blocks: what each keeps, and why it cuts where it does.

    Attributes
    ----------
    draft_a, target_a : int
        Twelfths of the laws' mass on the token a, 0 to 12; the rest is on b.
    gamma : int
        Drafts in a block, 1 to 4.
    block : int
        The block looked at, by its place in the order aa, ab, ba, bb; if it is never drafted, the
        first one that is.
    """

    module = "blocks"
    figure = "token-against-block"
    parts: ClassVar[tuple[str, ...]] = ("draft_a", "target_a", "gamma", "block")

    draft_a = Int(int(BLOCK.q[0] * _PARTS), min=0, max=_PARTS).tag(sync=True)
    target_a = Int(int(BLOCK.p[0] * _PARTS), min=0, max=_PARTS).tag(sync=True)
    gamma = Int(2, min=1, max=_MOST).tag(sync=True)
    block = Int(_number((0, 1)), min=0, max=2**_MOST - 1).tag(sync=True)

    def facts(self) -> dict[str, Any]:
        """Return what becomes of every block, and the products along one, by the package.

        Returns
        -------
        dict
            Plain JSON values by name.
        """
        p, q = _laws(self.target_a, self.draft_a)
        fates = _fates(self.target_a, self.draft_a, self.gamma)
        chosen = self.block if self.block in fates["blocks"] else fates["blocks"][0]
        drafts = [int(bit) for bit in f"{chosen:0{self.gamma}b}"]
        return {
            **fates,
            "chosen": chosen,
            "drafts": drafts,
            "steps": _steps(p, q, drafts),
            "gains": _gains(self.gamma),
        }

    @classmethod
    def random(cls, rng: np.random.Generator) -> Blocks:
        """Return a state within the reach of the controls.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        Blocks
        """
        gamma = int(rng.integers(1, _MOST + 1))
        draft, target = rng.integers(0, _PARTS + 1, size=2)
        return cls(
            draft_a=int(draft),
            target_a=int(target),
            gamma=gamma,
            block=int(rng.integers(2**gamma)),
        )
