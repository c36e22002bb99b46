"""Classical rejection beside the speculative rule: what the residual buys."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..marks import arrow, label, line, mass
from ..plate import Plate, drawing
from ..words import fit, num, ratio, text_width
from .split import TINY, Bars, Split, p_outline, q_level, stack, value

__all__ = ["classical_against_speculative"]

Constant = float | Fraction


@drawing
def classical_against_speculative(
    plate: Plate, p: Any, q: Any, constant: Constant, *, names: Sequence[str] | None = None
) -> None:
    """Draw what lifting the ceiling to C q costs, beside the rule that keeps it at q.

    Parameters
    ----------
    p, q : array_like, shape (V,)
        Target and draft law, V at most 8.
    constant : float or Fraction
        The C of classical rejection; below max p/q the missed part of p is marked.
    names : sequence of str, optional
        The tokens' names.

    Raises
    ------
    ValueError
        If p or q is no law over at most eight tokens, or the constant is below 1.
    """
    split, high = Split.of(p, q, names), float(constant)
    if not 1 <= high < float("inf"):
        raise ValueError(f"constant must be a number of at least 1; got {constant!r}")
    panel, start = plate.pick((280, 20), (148, 12))
    far = plate.pick(436, 178)
    slot = panel / split.size
    wide = slot * 0.78
    # One scale for every constant up to the smallest valid one, so that a slider only stretches.
    most = max(high, *(float(a / b) for a, b in zip(split.p, split.q, strict=True) if b > TINY))
    peak = max(min(most, 4 * high) * float(split.q.max()), float(split.p.max()))
    tall = plate.pick(302, 214) / peak
    bars = [
        Bars(tuple(x + slot * k for k in range(split.size)), wide, tall, plate.pick(372, 292))
        for x in (start, far)
    ]
    plate.unit = wide * tall
    cells = _Counts.of(split, high)
    across = plate.pick(15, 10)
    rows = -(-cells.drafts // across)
    ax = plate.pixels(bars[0].base + 36 + rows * plate.pick(19, 15) + 36)
    touching = int(np.argmax(np.where(split.q > 0, split.p / np.maximum(split.q, 1e-300), 0)))
    _classical(plate, ax, bars[0], split, high, touching)
    _speculative(plate, ax, bars[1], split)
    _counts(plate, ax, bars, cells, across)
    missed = float(np.maximum(split.p - high * split.q, 0).sum())
    plate.say(
        caption=(
            f"to stay above {split.names[touching]}, classical rejection lifts every bar "
            f"{num(high)} times and throws the hatched part away; the speculative rule keeps the "
            f"low ceiling and refills the dotted part ({cells.drafts} squares, expected counts)."
        ),
        alt=(
            f"Two panels on one scale ({split.said()}). Left, classical rejection: bars "
            f"{num(high)} q with area {num(high)}, of which {num(1 - missed)} is kept and "
            f"{num(high - 1 + missed)} thrown away, so {ratio((1 - missed) / high)} of the drafts "
            f"become tokens: {cells.drafts} drafts give {cells.classical}. Right, the speculative "
            f"rule: bars q with area 1, {num(split.alpha)} kept and {num(1 - split.alpha)} "
            f"corrected, so {cells.drafts} drafts give {cells.drafts} tokens."
            + (f" The constant misses {num(missed)} of p." if missed > TINY else "")
        ),
    )


class _Counts:
    """Expected counts of both rules, for as few drafts as make them whole."""

    def __init__(self, drafts: int, classical: int, kept: int, whole: bool) -> None:
        self.drafts, self.classical, self.kept, self.whole = drafts, classical, kept, whole

    @classmethod
    def of(cls, split: Split, constant: float) -> _Counts:
        shares = np.minimum(split.p, constant * split.q).sum() / constant, split.alpha
        exact = [Fraction(float(s)).limit_denominator(60) for s in shares]
        whole = all(abs(float(e) - s) < 1e-9 for e, s in zip(exact, shares, strict=True))
        drafts = lcm(*(e.denominator for e in exact))
        if not whole or drafts > 60:
            return cls(30, round(30 * shares[0]), round(30 * shares[1]), False)
        drafts *= max(1, 30 // drafts)
        return cls(drafts, int(exact[0] * drafts), int(exact[1] * drafts), True)


def _classical(
    plate: Plate, ax: Axes, bars: Bars, split: Split, high: float, touching: int
) -> None:
    over = plate.pick(6, 3)
    for k, name in enumerate(split.names):
        ceiling = high * float(split.q[k])
        kept = min(float(split.p[k]), ceiling)
        mass(ax, "accepted", bars.box(k, 0, kept), key=f"classical kept/{name}")
        if ceiling - kept > TINY:
            mass(ax, "rejected", bars.box(k, kept, ceiling), key=f"classical lost/{name}")
        p_outline(ax, bars, k, split.p[k])
        q_level(ax, bars, k, ceiling, over)
        label(ax, bars.middle(k), bars.base + 20, name, bold=True, ha="center")
        if split.p[k] - kept > TINY:
            y = bars.y((split.p[k] + kept) / 2)
            label(ax, bars.middle(k), y, "missed", bold=True, size=12, ha="center", va="middle")
    tallest = int(np.argmax(split.q))
    low, top = float(split.p[tallest]), high * float(split.q[tallest])
    lost = fit(bars.wide - 6, "thrown away", "thrown\naway", "lost", bold=True)
    if lost and (top - low) * bars.tall > 40:
        where = bars.middle(tallest), bars.y((low + top) / 2)
        label(ax, *where, lost, bold=True, ha="center", va="middle", halo="rejected")
    value(ax, bars, tallest, 0, low, "kept", "accepted")
    line(ax, [bars.left[0] - 6, bars.left[-1] + bars.wide + 6], [bars.base] * 2)
    share = np.minimum(split.p, high * split.q).sum() / high
    words = f"{ratio(share)} kept", f"{ratio(1 - share)} lost"
    _readout(plate, ax, bars, split, "Classical rejection", f"ceiling {num(high)}$q$", words)
    _touch(plate, ax, bars, split, high, touching)


def _readout(
    plate: Plate,
    ax: Axes,
    bars: Bars,
    split: Split,
    title: str,
    ceiling: str,
    words: tuple[str, str],
) -> None:
    """Name the panel, its ceiling, and in large what becomes of the drafts."""
    classical = title.startswith("Classical")
    colors = ("accepted", "rejected" if classical else "residual")
    label(ax, bars.left[0], 24, title, size=plate.pick(15, 13), bold=True)
    size, gap = plate.pick((21, 30), (13, 19))
    tallest = int(np.argmax(split.q))
    top = 70.0 if not plate.phone else 78.0
    crowded = split.size > 4 or tallest != 0
    x = bars.left[0] + (bars.wide + plate.pick(30, 12) if classical else 0)
    y = top
    if crowded:
        # No room between the bars: beside the panel, or under its title.
        x = bars.left[-1] + bars.wide + 14 if classical and not plate.phone else bars.left[0]
        y = top if not plate.phone else 24.0
    for row, (text, color) in enumerate(zip(words, colors, strict=True), start=1):
        label(ax, x, y + row * gap, text, color=color, size=size, bold=True, va="middle")
    where, ha = (x, y), "left"
    if not classical and not crowded:
        level = bars.y(float(split.q[0]))
        where = bars.left[0] + bars.wide + 12, level - plate.pick(0, 4)
    elif crowded and plate.phone:
        where, ha = (plate.width / 2 - 12 if classical else plate.width - 6, 24 + gap), "right"
    label(ax, *where, ceiling, color="q", bold=True, va="middle", ha=ha, size=plate.pick(13, 12))


def _touch(plate: Plate, ax: Axes, bars: Bars, split: Split, high: float, touching: int) -> None:
    """Point at the token whose ratio sets the constant."""
    if abs(high * split.q[touching] - split.p[touching]) > 1e-6:
        return
    name = split.names[touching]
    if any(split.p[touching] < c for c in high * split.q[touching + 1 :]):
        return  # a taller bar stands where the words would go
    words = plate.pick(f"{name} touches:\n$C$ = $p/q$ = {num(high)}", f"{name}\nsets {num(high)}")
    size = plate.pick(13, 12)
    half = max(text_width(row, size, True) for row in words.split("\n")) / 2
    x, y = bars.middle(touching), bars.y(split.p[touching])
    # Right of every taller bar before it, and not far beyond the panel.
    tops = [bars.y(max(high * float(split.q[k]), split.p[k])) for k in range(split.size)]
    walls = [bars.left[k] + bars.wide + 6 for k in range(touching) if tops[k] < y - 20]
    at = max([min(x, bars.left[-1] + bars.wide + 22 - half), *(wall + half for wall in walls)])
    label(ax, at, y - 44, words, color="p", bold=True, ha="center", size=size)
    arrow(ax, [(x, y - 20), (x, y - 5)], color="axis", width=1.0, head=6)


def _speculative(plate: Plate, ax: Axes, bars: Bars, split: Split) -> None:
    for k, name in enumerate(split.names):
        stack(ax, bars, split, k, over=plate.pick(6, 3))
        label(ax, bars.middle(k), bars.base + 20, name, bold=True, ha="center")
    line(ax, [bars.left[0] - 6, bars.left[-1] + bars.wide + 6], [bars.base] * 2)
    words = f"{num(split.alpha)} kept", f"{num(1 - split.alpha)} recycled"
    _readout(plate, ax, bars, split, "Speculative", "ceiling $q$", words)
    if len(split.donors) == 1 and split.donors[0] == 0:
        _refill(plate, ax, bars, split)


def _refill(plate: Plate, ax: Axes, bars: Bars, split: Split) -> None:
    """Draw the moves from a first-token donor into the gaps, with room for its label."""
    donor = split.donors[0]
    start = bars.left[donor] + bars.wide + 3
    low = float(split.p[donor])
    for k in split.takers:
        gap = float(split.gap[k])
        level = bars.y(low + gap / 2)
        low += gap
        roofs = [bars.y(max(split.p[j], split.q[j])) for j in range(donor + 1, k)]
        if k == donor + 1 and bars.y(split.p[k]) <= level <= bars.y(split.q[k]):
            arrow(ax, [(start, level), (bars.left[k] - 1, level)], width=1.5, head=7)
            continue
        y = min([level, *(roof - 8 for roof in roofs)])
        x, end = bars.middle(k), bars.y(split.p[k]) - 4
        if end - y < 12:
            arrow(ax, [(start, level), (bars.left[k] - 2, level)], width=1.5, head=7)
            continue
        bend = x - min(40.0, (x - start) / 2)
        way = [(start, y), (start + 1, y), (bend - 1, y), (bend, y), (x - 4, y), (x, y + 2),
               (x, end)]  # fmt: skip
        arrow(ax, way, curve=True, width=1.5, head=8)


def _counts(plate: Plate, ax: Axes, bars: list[Bars], cells: _Counts, across: int) -> None:
    """Draw the drafts as squares, one each: kept, thrown away or corrected."""
    pitch, side = plate.pick((18.6, 15.0), (14.2, 11.0))
    top = bars[0].base + 36
    other, cross = ("rejected", "residual"), plate.theme.rejected.line
    for panel, kept, role in zip(bars, (cells.classical, cells.kept), other, strict=True):
        for n in range(cells.drafts):
            x = panel.left[0] + 1 + (n % across) * pitch
            y = top + (n // across) * (side + 4)
            fate = "accepted" if n < kept else role
            mass(ax, fate, (x, y, side, side), plain=fate == "rejected")
            if fate == "rejected":
                for ends in ((y + 3, y + side - 3), (y + side - 3, y + 3)):
                    line(ax, [x + 3, x + side - 3], ends, color=cross, zorder=3)
        tokens = kept if role == "rejected" else cells.drafts
        sign = "" if cells.whole else "≈ "
        y = top + -(-cells.drafts // across) * (side + 4) + 18
        words = f"{cells.drafts} drafts → {sign}{tokens} tokens"
        label(ax, panel.left[0], y, words, bold=True, size=plate.pick(15, 12))
