"""The greedy limit: what becomes of the acceptance as the temperature falls to zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from draftproof.finite import overlap

from ..marks import label, line, mass
from ..plate import Plate, drawing
from ..words import listed, names_for, num
from .rules import short
from .split import TINY, Bars, p_outline, q_level

__all__ = ["greedy_limit"]


@drawing
def greedy_limit(
    plate: Plate,
    temperatures: Sequence[float],
    curves: Mapping[str, Sequence[float]],
    snapshots: Sequence[tuple[float, Any, Any]],
    *,
    names: Sequence[str] | None = None,
) -> None:
    """Draw the acceptance against temperature, and one pair of laws as it cools.

    Parameters
    ----------
    temperatures : sequence of float
        In increasing order, above 0.
    curves : mapping
        From the name of a pair to its acceptance at each temperature; at most three.
    snapshots : sequence of (T, p_T, q_T)
        The last pair's laws at a few temperatures.
    names : sequence of str, optional
    """
    named = names_for(names, len(snapshots[0][1]))
    columns = plate.pick(len(snapshots), 2)
    rows = -(-len(snapshots) // columns)
    start, room, step = plate.pick((24, 688, 190), (18, 300, 168))
    gap = plate.pick(34, 28)
    wide = (room - gap * (columns - 1)) / columns
    top = 18 + rows * step
    ax = plate.pixels(top + plate.pick(264, 256))
    slot = wide / len(named)
    tall = plate.pick(104, 86)
    plate.unit = slot * 0.7 * tall
    for n, (temperature, p, q) in enumerate(snapshots):
        x = start + (n % columns) * (wide + gap)
        base = 18 + (n // columns) * step + 32 + tall
        _snapshot(ax, (x, base, slot, tall), temperature, p, q, named, key=n == 0)
    _curves(plate, top, temperatures, curves)
    ends = [f"{name} {num(c[0])}" for name, c in curves.items()]
    shots = [f"T = {short(t)}: {short(overlap(p, q))}" for t, p, q in snapshots]
    plate.say(
        caption=(
            "as the temperature falls both outlines shrink to one token each, so the shared plain "
            "mass ends at 1 where the most probable tokens agree and at 0 where they do not, and "
            "not always steadily."
        ),
        alt=(
            f"A target and a draft as they cool, with the shared mass filled: {'; '.join(shots)}. "
            f"Below, the acceptance against temperature: at T = {num(temperatures[0])} it is "
            f"{listed(ends)}, and all tend to 1 as T grows. At temperature 0 the rule accepts "
            "exactly if the two most probable tokens agree."
        ),
    )


def _snapshot(
    ax: Axes,
    place: tuple[float, ...],
    temperature: float,
    p: Any,
    q: Any,
    names: Sequence[str],
    *,
    key: bool,
) -> None:
    """Draw one pair of laws with the mass they share filled; with ``key`` name the two lines."""
    x, base, slot, tall = place
    target, draft = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
    left = tuple(x + slot * (k + 0.15) for k in range(len(names)))
    bars = Bars(left, slot * 0.7, tall, base)
    label(ax, x, base - tall - 14, f"$T$ = {short(temperature)}", bold=True)
    words = f"keeps {short(overlap(p, q))}"
    label(ax, x + slot * len(names), base - tall - 14, words, bold=True, color="accepted",
          ha="right")  # fmt: skip
    for k, name in enumerate(names):
        shared = min(target[k], draft[k])
        if shared > TINY:
            mass(ax, "accepted", bars.box(k, 0, shared), key=f"shared at {short(temperature)}")
        if target[k] > TINY:
            p_outline(ax, bars, k, target[k])
        if draft[k] > TINY:
            q_level(ax, bars, k, draft[k], 5)
        label(ax, bars.middle(k), base + 18, name, size=12, ha="center")
    if key:
        for letter, values in (("p", target), ("q", draft)):
            k = int(np.argmax(values))
            label(ax, bars.middle(k), bars.y(values[k]) - 8, f"${letter}$", color=letter,
                  size=15, ha="center")  # fmt: skip
    line(ax, [x - 2, x + slot * len(names) + 2], [base] * 2)


def _curves(
    plate: Plate, top: float, temperatures: Sequence[float], curves: Mapping[str, Sequence[float]]
) -> None:
    left, wide, tall = plate.pick((52, 640, 180), (40, 278, 168))
    t = np.asarray(temperatures, dtype=float)
    ax = plate.axes_at(left, top + 34, wide, tall, xlim=(t[0], t[-1]), ylim=(0, 1.12),
                       xscale="log")  # fmt: skip
    ticks = [v for v in (1 / 16, 1 / 4, 1 / 2, 1, 2, 4, 8) if t[0] <= v <= t[-1]]
    ax.set_xticks(ticks, [short(v) for v in ticks])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
    ax.grid(axis="y")
    canvas = plate.axes[0]
    label(canvas, left, top + 20, r"acceptance $\alpha$", bold=True)
    words = "temperature $T$"
    label(canvas, left + wide, top + tall + 70, words, bold=True, ha="right")
    looks: list[dict[str, Any]] = [{}, {"dashes": (7, 3)}, {"dashes": (2, 2.5)}]
    for k, ((name, values), look) in enumerate(zip(curves.items(), looks, strict=False)):
        line(ax, t, values, "ink", zorder=4, clip_on=False, **look)
        label(ax, *_spot(t, values, k), name, va="middle", halo="background")


def _spot(t: np.ndarray, values: Sequence[float], k: int) -> tuple[float, float]:
    """Where a curve's name goes: above its cold end, or right of its rise, one level a curve."""
    heights = np.asarray(values, dtype=float)
    level = 0.62 - 0.2 * k
    if heights.min() > level:
        return float(t[0]) * 1.06, min(float(heights[0]) + 0.075, 1.07)
    crossing = int(np.argmax(heights > level))
    return float(t[crossing]) * 1.16, level - 0.02
