"""Chapter 2's figures made for their controls: a block and its coins, a warp and its side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from draftproof import examples
from draftproof.rules import ratio_and_residual
from draftproof.speculative import verify_block
from draftproof.trace import Trace
from draftproof.warp import warp

from .chapter2 import one_sided_warp
from .marks import arrow, frame, label, line, mass, wash
from .plate import Plate, drawing
from .recipe import Entry, recipe
from .words import listed, names_for, num, ratio

__all__ = ["SIDES", "block_walk", "walk", "warped"]

SIDES = ("both", "draft alone", "target alone", "draft, and the rule not told")
"""Where a warp may reach."""
WARP = (Fraction(1, 2), 2, SIDES[1])

DRAFTED = (0, 1, 0, 0)
COINS = (0.2, 0.9, 0.7, 0.1)
SEED = 4
MOST_DRAFTS = 6


def walk(coins: Sequence[float] = COINS) -> Trace:
    """Return the walk over the book's block, cat dog cat cat, with the given coins.

    Parameters
    ----------
    coins : sequence of float
        The four uniforms.

    Returns
    -------
    Trace

    Raises
    ------
    ValueError
        If there are not four coins, or one lies outside [0, 1).
    """
    pair, gamma = examples.CAT_DOG_FOX, len(DRAFTED)
    p = np.tile(np.array(pair.p, dtype=float), (gamma + 1, 1))
    q = np.tile(np.array(pair.q, dtype=float), (gamma, 1))
    return verify_block(DRAFTED, q, p, coins, np.random.default_rng(SEED))


def warped(temperature: Any, k: int, side: str) -> list[tuple[str, Any, Any]]:
    """Return two cases on the four tokens: the warp on both sides, and on the side given.

    Parameters
    ----------
    temperature : float or Fraction
    k : int
        Top-k; 4 keeps everything.
    side : str
        One of ``SIDES``.

    Returns
    -------
    list of (title, law wanted, law got)

    Raises
    ------
    ValueError
        If `side` is none of them, or as `draftproof.warp.warp`.
    """
    if side not in SIDES:
        raise ValueError(f"side must be one of {', '.join(SIDES)}; got {side!r}")
    p: Any = examples.FOUR_TOKENS.p
    q: Any = examples.FOUR_TOKENS.q
    hot_p, hot_q = (warp(law, temperature, top_k=k) for law in (p, q))
    believed: dict[str, tuple[Any, Any, Any]] = {
        "both": (hot_p, hot_q, hot_q),
        "draft alone": (p, hot_q, hot_q),
        "target alone": (hot_p, q, q),
        "draft, and the rule not told": (hot_p, q, hot_q),
    }
    return [
        (title, hot_p, ratio_and_residual(*believed[one]))
        for title, one in (("warped: both", "both"), (f"warped: {side}", side))
    ]


@dataclass(frozen=True)
class Columns:
    """Where the slices of a block stand."""

    left: float
    step: float
    wide: float
    top: float
    tall: float

    def x(self, k: int) -> float:
        """Left edge of column ``k``."""
        return self.left + k * self.step

    def middle(self, k: int) -> float:
        """Middle of column ``k``."""
        return self.x(k) + self.wide / 2

    @property
    def base(self) -> float:
        """Level of the ground."""
        return self.top + self.tall


@drawing
def block_walk(plate: Plate, trace: Trace, *, names: Sequence[str] | None = None) -> None:
    """Draw the drafts of a block as slices with their coins, and what the round emits.

    Parameters
    ----------
    trace : Trace
        One verified block of 1 to 6 drafts.
    names : sequence of str, optional
        The tokens' names.

    Raises
    ------
    ValueError
        If the block has not 1 to 6 drafts, or the names are not one per token.
    """
    if not 1 <= trace.drafted <= MOST_DRAFTS:
        raise ValueError(f"trace must hold 1 to {MOST_DRAFTS} drafts; got {trace.drafted}")
    words = names_for(names, trace.p.shape[1])
    room = plate.width - plate.pick(104, 10)
    step = room / (trace.drafted + 1)
    wide = min(step - plate.pick(30, 12), 92)
    shift = plate.pick(92, 8)
    columns = Columns(shift + (step - wide) / 2, step, wide, plate.pick(48, 64), 150)
    plate.unit = wide * columns.tall
    ax = plate.pixels(columns.base + plate.pick(146, 150))
    for k in range(trace.drafted):
        _slice(plate, ax, columns, trace, k, words)
    _bonus_column(plate, ax, columns, trace)
    _emitted(plate, ax, columns, trace, words)
    if not plate.phone:
        label(ax, 10, columns.top - 18, "row", color="ink2", size=12)
        label(ax, 10, columns.top + 8, "coin $u$", color="ink2", size=12)
        label(ax, 10, columns.base + 20, "draft", color="ink2", size=12)
        label(ax, 10, columns.base + 106, "emitted", color="ink2", size=12)
    plate.say(caption=_caption(trace, words), alt=_alt(trace, words))


def _keep(trace: Trace, k: int) -> float:
    x = trace.draft_tokens[k]
    return min(1.0, float(trace.p[k, x]) / float(trace.q[k, x]))


def _slice(
    plate: Plate, ax: Axes, at: Columns, trace: Trace, k: int, words: tuple[str, ...]
) -> None:
    x, middle, a, u = at.x(k), at.middle(k), _keep(trace, k), float(trace.uniforms[k])
    word, counts = words[trace.draft_tokens[k]], k < trace.tested
    number = plate.pick(str(k), f"row {k}")
    label(ax, middle, at.top - 18, number, color="ink" if counts else "ink2", ha="center")
    if counts:
        mass(ax, "accepted", (x, at.base - a * at.tall, at.wide, a * at.tall), key=f"keep/{k}")
        if a < 1:
            cut = (x, at.top, at.wide, (1 - a) * at.tall)
            mass(ax, "rejected", cut, key=f"cut/{k}")
        level = at.base - u * at.tall
        line(ax, [x - 7, x + at.wide + 7], [level, level], "ink", zorder=5)
        above = u * at.tall < 22 or (abs(u - a) * at.tall > 20 and u < a)
        role = "accepted" if (u < a) else "rejected"
        label(
            ax,
            middle,
            level - 6 if above else level + 15,
            num(u),
            bold=True,
            ha="center",
            halo=role,
        )
    else:
        wash(ax, "panel", (x, at.top, at.wide, at.tall))
        frame(ax, "next", (x, at.top, at.wide, at.tall))
        label(ax, middle, at.top + at.tall / 2, "void", color="ink2", ha="center", va="middle")
    label(
        ax, middle, at.base + 20, word, bold=counts, color="ink" if counts else "ink2", ha="center"
    )
    text = f"$p/q$ = {ratio(a)}" if a < 1 else "$p$ ≥ $q$"
    if counts:
        label(ax, middle, at.base + 38, text, color="ink2", size=12, ha="center")
    line(ax, [x - 7, x + at.wide + 7], [at.base, at.base])


def _bonus_column(plate: Plate, ax: Axes, at: Columns, trace: Trace) -> None:
    k = trace.drafted
    x, middle = at.x(k), at.middle(k)
    number = plate.pick(str(k), f"row {k}")
    label(ax, middle, at.top - 18, number, color="ink" if trace.is_bonus else "ink2", ha="center")
    frame(ax, "p" if trace.is_bonus else "next", (x, at.top, at.wide, at.tall))
    words = "no draft\nto judge" if trace.is_bonus else "not\nreached"
    label(ax, middle, at.top + at.tall / 2, words, color="ink2", size=12, ha="center", va="middle")


def _emitted(plate: Plate, ax: Axes, at: Columns, trace: Trace, words: tuple[str, ...]) -> None:
    top, high = at.base + 84, 34
    fates = ["accepted"] * trace.num_accepted + ["bonus" if trace.is_bonus else "residual"]
    said = {"accepted": "kept", "residual": "corrected", "bonus": "bonus"}
    for k, (token, role) in enumerate(zip(trace.tokens, fates, strict=True)):
        box = (at.x(k), top, at.wide, high)
        mass(ax, role, box)
        label(
            ax, at.middle(k), top + high / 2, words[token],
            bold=True, ha="center", va="middle", halo=role,
        )  # fmt: skip
        if role != "residual":
            start = at.base + (50 if role == "accepted" else 12)
            arrow(ax, [(at.middle(k), start), (at.middle(k), top - 6)], head=8)
        label(ax, at.middle(k), top + high + 18, said[role], color="ink2", size=12, ha="center")
    for k in range(len(fates), trace.drafted + 1):
        frame(ax, "next", (at.x(k), top, at.wide, high))


def _caption(trace: Trace, words: tuple[str, ...]) -> str:
    if trace.is_bonus:
        return (
            "every coin lies in the plain part of its slice, so all drafts stay and the row after "
            "them gives one token more, the gridded one."
        )
    k, right = trace.num_accepted, trace.drafted - trace.tested
    void = (
        "nothing was drafted behind it"
        if not right
        else "the slice to its right is void, whatever its coin would have said"
        if right == 1
        else f"the {right} slices to its right are void, whatever their coins would have said"
    )
    return (
        f"the coin of draft {k} lies in the hatched part, so {words[trace.draft_tokens[k]]} is "
        f"struck and replaced, and {void}."
    )


def _alt(trace: Trace, words: tuple[str, ...]) -> str:
    parts = []
    for k in range(trace.drafted):
        word = words[trace.draft_tokens[k]]
        if k >= trace.tested:
            parts.append(f"draft {k}, {word}, is void")
            continue
        verdict = "kept" if k < trace.num_accepted else "rejected"
        keep, coin = num(_keep(trace, k)), num(trace.uniforms[k])
        parts.append(f"draft {k}, {word}, kept below {keep}, has coin {coin}: {verdict}")
    last = "bonus" if trace.is_bonus else "correction"
    out = [words[token] for token in trace.tokens]
    return (
        f"{trace.drafted} slices of height 1 side by side: {'; '.join(parts)}. "
        f"The round emits {listed(out)}, the last one as {last}."
    )


def recipes() -> list[Entry]:
    """List the stills of the live figures."""
    four = examples.FOUR_TOKENS.names
    return [
        recipe(block_walk, lambda: (walk(),), names=examples.CAT_DOG_FOX.names),
        recipe(one_sided_warp, lambda: (warped(*WARP),), names=four, name="warp-by-hand"),
    ]
