"""How often the real pair's drafts are kept: by place in the block, by context, by temperature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np

from ..chapter6.chart import chart
from ..labels import beside
from ..marks import dots, label, line, wash
from ..plate import Plate, drawing
from ..words import count, listed, num, text_width
from .pieces import whisker

__all__ = ["alpha_by_context", "alpha_by_position", "alpha_temperature", "noise_of"]

Row = Sequence[Any]
"""Name or position, alpha, low, high, drafts tested."""
_SURE = 1.96  # standard errors: 95 % of chance


def noise_of(alpha: float, tested: float) -> tuple[float, float]:
    """Return where 95 % of measured shares lie if drafts are kept with one chance `alpha`.

    Parameters
    ----------
    alpha : float
    tested : float
        Drafts tested.

    Returns
    -------
    tuple of float
    """
    half = _SURE * sqrt(alpha * (1 - alpha) / tested)
    return max(0.0, alpha - half), min(1.0, alpha + half)


def _floor(rows: Sequence[Row], step: float = 0.1) -> float:
    low = min(float(row[2]) for row in rows)
    return max(0.0, np.floor(low / step) * step)


def _ceiling(rows: Sequence[Row], step: float = 0.1) -> float:
    high = max(float(row[3]) for row in rows)
    return min(1.0, np.ceil((high + 0.02) / step) * step)


@drawing
def alpha_by_position(plate: Plate, rows: Sequence[Row], overall: float) -> None:
    """Draw the share kept at each place of a block over the noise of one common share.

    Parameters
    ----------
    rows : sequence of (position, alpha, low, high, tested)
    overall : float
        Accepted over tested, all places together.
    """
    floor, high_end = _floor(rows), _ceiling(rows)
    places = [int(row[0]) for row in rows]
    ticks = [(k, str(k)) for k in places]
    marks = [(x, num(x, 1)) for x in np.arange(floor, high_end + 0.001, 0.1)]
    ax = chart(
        plate, plate.pick(210, 190),
        x=(places[0] - 0.6, places[-1] + 0.6, ticks, "place in the block"),
        y=(floor, high_end, marks, "share kept of the drafts tested there"),
    )  # fmt: skip
    for row in rows:
        low, high = noise_of(overall, float(row[4]))
        wash(ax, "p", (row[0] - 0.34, low, 0.68, high - low))
    line(ax, [places[0] - 0.5, places[-1] + 0.5], [overall] * 2, "dashed", zorder=2)
    outside = []
    for row in rows:
        low, high = noise_of(overall, float(row[4]))
        outside.append(not low <= row[1] <= high)
        dots(ax, [row[0]], [row[1]], "accepted", size=9, zorder=5)
        whisker(ax, row[0], row[2], row[3], color=plate.theme.accepted.line)
    for row, out in zip(rows, outside, strict=True):
        top = max(row[3], noise_of(overall, float(row[4]))[1])
        words = f"{row[1]:.2f}" if plate.phone else f"{row[1]:.3f}"
        label(ax, row[0], top + (high_end - floor) * 0.03, words, bold=out, ha="center", size=12,
              halo="background")  # fmt: skip
    words = plate.pick(f"shaded: chance alone, if every place had {overall:.3f}",
                       f"shaded: chance at {overall:.2f}")  # fmt: skip
    label(plate.axes[0], plate.pick(12, 6), plate.pick(294, 274), words, color="p", bold=True)
    n = sum(outside)
    named = [str(row[0]) for row, out in zip(rows, outside, strict=True) if out] or ["no place"]
    verdict = (
        "all dots lie in the shaded range of chance, so one common share is a fair model here."
        if n == 0
        else f"{n} of {len(rows)} dots {_lie(n)} outside the shaded range of chance: the share "
        "kept is not the same at every place, as the formula with one share assumes."
    )
    plate.say(
        caption=verdict,
        alt="Share kept of the drafts tested at each place of the block: "
        f"{listed([f'{r[0]}: {r[1]:.3f} of {count(r[4])}' for r in rows])}. All places together "
        f"{overall:.3f}; outside the 95\N{NO-BREAK SPACE}% range of chance around it: "
        f"{listed(named)}.",
    )


@drawing
def alpha_by_context(plate: Plate, rows: Sequence[Row], overall: float) -> None:
    """Draw the share kept in each kind of context, the most predictable first.

    Parameters
    ----------
    rows : sequence of (name, alpha, low, high, tested)
    overall : float
    """
    rows = sorted(rows, key=lambda row: -float(row[1]))
    step, top = plate.pick(34, 52), 30
    tall = step * len(rows)
    full = plate.pixels(top + tall + 58)
    left = plate.pick(max(text_width(str(row[0]), 13) for row in rows) + 24, 14)
    wide = plate.width - left - plate.pick(150, 62)
    floor = _floor(rows)
    ax = plate.axes_at(left, top, wide, tall, xlim=(floor, 1), ylim=(len(rows), 0))
    ax.spines["left"].set_visible(False)
    ax.set_yticks([])
    marks = np.arange(floor, 1.001, plate.pick(0.1, 0.2))
    ax.set_xticks(list(marks), [num(x, 1) for x in marks])
    ax.grid(axis="x")
    right = plate.width - plate.pick(8, 6)
    label(full, left, 18, "share kept of the drafts tested", bold=True)
    if not plate.phone:
        label(full, right, 18, "tested", bold=True, ha="right")
    line(ax, [overall] * 2, [0, len(rows)], "dashed", zorder=2)
    for k, row in enumerate(rows):
        y = k + plate.pick(0.5, 0.66)
        low, high = noise_of(overall, float(row[4]))
        wash(ax, "p", (low, y - 0.22, high - low, 0.44))
        dots(ax, [row[1]], [y], "accepted", size=9, zorder=5)
        whisker(ax, y, row[2], row[3], flat=True, color=plate.theme.accepted.line)
        at = top + y * step
        if plate.phone:
            label(full, left, top + k * step + 18, str(row[0]), halo="background")
        else:
            label(full, 8, at, str(row[0]), va="middle")
            label(full, right, at, count(row[4]), va="middle", ha="right", color="ink2")
        label(full, left + wide + 12, at, f"{row[1]:.2f}", va="middle", bold=True)
    label(full, left, top + tall + 48, f"shaded: chance at {overall:.2f}", color="p", bold=True)
    best, worst = rows[0], rows[-1]
    far = sum(not low <= row[1] <= high for row in rows
              for low, high in [noise_of(overall, float(row[4]))])  # fmt: skip
    plate.say(
        caption=f"{far} of {len(rows)} dots {_lie(far)} outside the shaded ranges of chance, from "
        f"{worst[1]:.2f} ({worst[0]}) to {best[1]:.2f} ({best[0]}): the one share {overall:.2f} is "
        "a mean over easy and hard places.",
        alt="Share kept of the drafts tested, by kind of context: "
        f"{listed([f'{r[0]} {r[1]:.3f} of {count(r[4])}' for r in rows])}. All together "
        f"{overall:.3f}.",
    )


def _first(row: Row) -> float:
    return float(row[0])


@drawing
def alpha_temperature(plate: Plate, curves: Mapping[str, Sequence[Row]]) -> None:
    """Draw the overlap of the warped laws against the temperature, one line a drafter.

    Parameters
    ----------
    curves : mapping of str to sequence of (temperature, alpha, low, high)
    """
    points = [row for rows in curves.values() for row in rows]
    last = max(float(row[0]) for row in points)
    low = _floor([(0, 0, min(r[1], r[2])) for r in points])
    high = min(1.0, np.ceil(max(float(r[3]) for r in points) * 20) / 20)
    ticks = [(x, num(x)) for x in np.arange(0, last + 0.01, plate.pick(0.5, 1))]
    marks = [(y, num(y)) for y in np.arange(low, high + 0.001, 0.1 if high - low > 0.25 else 0.05)]
    ax = chart(
        plate, plate.pick(250, 240), x=(-0.06, last * plate.pick(1.2, 1.42), ticks, "temperature"),
        y=(low, high, marks, "acceptance $\\alpha$"),
    )  # fmt: skip
    ends: dict[str, tuple[float, float]] = {}
    for k, (name, rows) in enumerate(curves.items()):
        rows = sorted(rows, key=_first)
        xs, ys = [r[0] for r in rows], [r[1] for r in rows]
        dashes = [(), (6, 3), (2, 3)][k % 3]
        line(ax, xs, ys, "ink", linewidth=1.75, zorder=3, **({"dashes": dashes} if dashes else {}))
        dots(ax, xs, ys, "ink", size=5, zorder=4)
        for row in rows:
            whisker(ax, row[0], row[2], row[3], color=plate.theme.ink2)
        best = max(rows, key=lambda r: r[1])
        dots(ax, [best[0]], [best[1]], "accepted", size=10, zorder=6)
        ends[name] = (xs[-1], ys[-1])
    beside(ax, list(ends.values()), list(ends), size=plate.pick(13, 12))
    falls = [
        n
        for n, rows in curves.items()
        if all(b[1] <= a[1] for a, b in pairwise(sorted(rows, key=_first)))
    ]
    tops = {name: max(rows, key=lambda r: r[1]) for name, rows in curves.items()}
    verdict = (
        "every line falls all the way, as the claim that heat lowers the overlap says."
        if len(falls) == len(curves)
        else "each line is highest where its large dot is "
        f"({listed([f'{n} at T = {num(t[0])}' for n, t in tops.items()])}): heat alone does not "
        "say what the overlap does."
    )
    plate.say(
        caption=verdict,
        alt="Acceptance against temperature. "
        + ". ".join(
            f"{name}: {listed([f'{r[1]:.3f} at {num(r[0])}' for r in sorted(rows, key=_first)])}"
            for name, rows in curves.items()
        )
        + ".",
    )


def _lie(number: int) -> str:
    return "lies" if number == 1 else "lie"
