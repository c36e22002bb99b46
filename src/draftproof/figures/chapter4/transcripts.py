"""One seed, two texts that part; many seeds, two histograms that agree."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi, sqrt
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..marks import label, line
from ..plate import Plate, drawing
from ..words import count, listed, text_width
from .pieces import box, glyph, shown, whisker

__all__ = ["distance", "two_transcripts"]

_SURE = 1.96  # standard errors: 95 % of chance


@drawing
def two_transcripts(plate: Plate, found: Mapping[str, Any]) -> None:
    """Draw two texts of one seed that part, and two histograms of many seeds that agree.

    Parameters
    ----------
    found : mapping
        ``plain``, ``speculative`` (texts), ``place``, ``characters``, ``plain_counts``,
        ``speculative_counts``, ``seed``, ``gamma``.
    """
    room = plate.pick(46, 21)
    texts = [found["plain"][:room], found["speculative"][:room]]
    part = _parting(found["plain"], found["speculative"])
    ax = plate.pixels(364)
    left = plate.pick(8, 6)
    unit = (plate.width - 2 * left) / room
    names = ("plain", "speculative, same seed")
    for row, (text, name, role) in enumerate(zip(texts, names, "pq", strict=True)):
        y = 18 + row * 60
        label(ax, left, y, name, bold=True, color=role)
        for k, character in enumerate(text):
            shape = (left + k * unit + 0.75, y + 8, unit - 1.5, 28)
            if k >= part:
                box(ax, role, shape, dashed=role == "q")
            glyph(ax, left + (k + 0.5) * unit, y + 22, character)
    if part < room:
        x = left + part * unit
        for y in (22, 82):
            line(ax, [x, x], [y, y + 36], "ink", zorder=7)
        right = plate.width - left
        words = plate.pick("from here on they differ", "they differ")
        if max(x, 56) + text_width(words, 13, bold=True) < right:
            label(ax, max(x - 2, 56), 18, words, bold=True)
    _histograms(ax, plate, found)
    first, second = (np.array(found[f"{k}_counts"], dtype=float) for k in ("plain", "speculative"))
    n = (int(first.sum()), int(second.sum()))
    tv, chance = distance(first, second)
    where = "never" if part >= min(len(found["plain"]), len(found["speculative"])) else part + 1
    verdict = (
        "agree as two samples of one law do: the law is kept, not the text"
        if tv < 1.5 * chance
        else "are farther apart than chance makes likely"
    )
    plate.say(
        caption="the two texts of one seed part company, and the two histograms over many seeds "
        f"{verdict} (TV {tv:.3f}, by chance {chance:.3f} on average).",
        alt=f"Two texts from seed {found['seed']} after the same prompt: {shown(found['plain'])} "
        f"(plain) and {shown(found['speculative'])} (speculative, {found['gamma']} drafts); they "
        f"first differ at character {where}. Below, how often each character stands at place "
        f"{found['place']} in {count(n[0])} plain and {count(n[1])} speculative texts of other "
        f"seeds: {_told(found)}. Total variation distance {tv:.4f}, about {chance:.4f} expected.",
    )


def _parting(one: str, two: str) -> int:
    """Return the index of the first character that differs."""
    for k, (a, b) in enumerate(zip(one, two, strict=False)):
        if a != b:
            return k
    return min(len(one), len(two))


def distance(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """Return the distance of two histograms, and its mean if both came from one law.

    Parameters
    ----------
    first, second : ndarray of float, shape (V,)
        Counts.

    Returns
    -------
    tuple of float
        Total variation distance of the shares, and what chance alone gives on average.
    """
    a, b = first / first.sum(), second / second.sum()
    both = (first + second) / (first + second).sum()
    scale = np.sqrt(both * (1 - both) * (1 / first.sum() + 1 / second.sum()))
    return float(abs(a - b).sum() / 2), float(scale.sum() / 2 * sqrt(2 / pi))


def _ranked(found: Mapping[str, Any], most: int) -> list[tuple[str, float, float]]:
    """Return the commonest characters with both shares, the rest in one."""
    first, second = (np.array(found[f"{k}_counts"], dtype=float) for k in ("plain", "speculative"))
    a, b = first / first.sum(), second / second.sum()
    order = np.argsort(-(a + b), kind="stable")
    rows = [(str(found["characters"][i]), float(a[i]), float(b[i])) for i in order[:most]]
    if len(order) > most:
        rows.append(("rest", float(a[order[most:]].sum()), float(b[order[most:]].sum())))
    return rows


def _told(found: Mapping[str, Any]) -> str:
    names = {" ": "the space", "rest": "all others"}
    rows = [(names.get(c, shown(c)), a, b) for c, a, b in _ranked(found, 8)]
    return listed([f"{name} {a:.3f} and {b:.3f}" for name, a, b in rows])


def _histograms(ax: Axes, plate: Plate, found: Mapping[str, Any]) -> None:
    rows = _ranked(found, plate.pick(14, 7))
    runs = [sum(found[f"{k}_counts"]) for k in ("plain", "speculative")]
    left, base, tall = plate.pick(8, 6), 336, 150
    slot = (plate.width - 2 * left) / len(rows)
    wide = slot * 0.36
    most = max(max(a, b) for _, a, b in rows) * 1.12
    plate.unit = wide * tall / most
    label(ax, left, 158, plate.pick(
        f"the character at place {found['place']}, over {count(runs[0])} seeds each",
        f"character {found['place']} over {count(runs[0])} seeds"), bold=True)  # fmt: skip
    line(ax, [left, plate.width - left], [base, base], "axis", zorder=5)
    for k, (name, a, b) in enumerate(rows):
        middle = left + slot * (k + 0.5)
        for share, role, n, x in ((a, "p", runs[0], middle - wide - 1), (b, "q", runs[1],
                                                                        middle + 1)):  # fmt: skip
            high = share / most * tall
            box(ax, role, (x, base - high, wide, high), key=f"{role}/{name}", dashed=role == "q")
            error = _SURE * sqrt(share * (1 - share) / n)
            ends = [base - s / most * tall for s in (max(0.0, share - error), share + error)]
            whisker(ax, x + wide / 2, *ends)
        if name == "rest":
            label(ax, middle, base + 19, "rest", ha="center", size=12)
        else:
            glyph(ax, middle, base + 15, name)
    label(ax, plate.width - left, 182, "speculative", color="q", bold=True, ha="right")
    label(ax, plate.width - left - plate.pick(96, 90), 182, "plain", color="p", bold=True,
          ha="right")  # fmt: skip
