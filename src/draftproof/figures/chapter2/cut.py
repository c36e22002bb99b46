"""Cut and slide, the central picture: the pieces cut off one bar fill the gaps of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..marks import arrow, label, line, mass, ribbon
from ..plate import Plate, drawing
from ..words import listed, num, text_width
from .split import TINY, Bars, Split, foot, pool, stack, value

__all__ = ["cut_and_slide"]


def _slides(split: Split) -> bool:
    """Whether the pieces of one donor reach every gap to its right over the roofs between."""
    if len(split.donors) != 1 or not split.takers or split.donors[0] > split.takers[0]:
        return False
    low = split.p[split.donors[0]]
    for k in split.takers:
        between = split.p[split.donors[0] + 1 : k]
        if low < max(between, default=0) - TINY:
            return False
        low += split.gap[k]
    return True


@drawing
def cut_and_slide(plate: Plate, p: Any, q: Any, *, names: Sequence[str] | None = None) -> None:
    """Cut the draft's bars at p and fill the gaps with the pieces: the book's central picture.

    Parameters
    ----------
    p, q : array_like, shape (V,)
        Target and draft law, V at most 8.
    names : sequence of str, optional
        The tokens' names.

    Notes
    -----
    One token drafted too often sends its pieces straight into the gaps. Several pool their pieces
    on a shelf first, because a correction does not ask which token was rejected.
    """
    split = Split.of(p, q, names)
    draw = _one_donor if _slides(split) else _shelf
    draw(plate, split)
    cut = float(split.cut.sum())
    plate.say(
        caption=(
            split.heap()
            if len(split.donors) > 1
            else f"the pieces cut off {listed([split.names[k] for k in split.donors])} fit the "
            f"holes of {listed([split.names[k] for k in split.takers])} exactly, so the finished "
            "skyline is the target p."
            if split.donors
            else "every bar of the draft already ends at the target, so nothing is cut off."
        ),
        alt=(
            f"Bars of equal width, as tall as the draft q, cut at the target p ({split.said()}). "
            f"Kept: {split.pieces(split.kept)}, in all {num(split.alpha)}. Cut off and hatched: "
            f"{split.pieces(split.cut)}. Filled with dots: {split.pieces(split.gap)}. Both come "
            f"to {num(cut)}, so kept and filled together are p."
        ),
    )


def _one_donor(plate: Plate, split: Split) -> None:
    """Send the pieces of a single donor straight into the gaps to its right."""
    donor = split.donors[0]
    gaps = [1.06 if k in split.takers[1:] else 0.75 for k in range(1, split.size)]
    room, start = plate.pick((616, 66), (280, 28))
    wide = min(room / (split.size + sum(gaps)), 128)
    start += (room - wide * (split.size + sum(gaps))) / 2
    left = start + np.concatenate([[0], np.cumsum([(1 + g) * wide for g in gaps])])
    top, height = plate.pick((92, 300), (112, 240))
    tall = height / max(split.p.max(), split.q.max())
    bars = Bars(tuple(left), wide, tall, top + height)
    ax = plate.pixels(bars.base + 72)
    plate.unit = wide * tall
    over = plate.pick(10, 6)
    low = float(split.p[donor])
    for k in split.takers:
        _journey(plate, ax, bars, split, k, low)
        high = low + float(split.gap[k])
        words = plate.pick(f"cut {num(split.gap[k])}", num(split.gap[k]))
        value(ax, bars, donor, low, high, words, "rejected")
        low = high
    for k in range(split.size):
        stack(ax, bars, split, k, over=over)
        foot(ax, bars, split, k)
        kept, gap = float(split.kept[k]), float(split.gap[k])
        value(ax, bars, k, 0, kept, f"kept {num(kept)}", "accepted")
        value(ax, bars, k, kept, kept + gap, f"filled {num(gap)}", "residual")
    line(ax, [left[0] - 16, left[-1] + wide + 16], [bars.base] * 2)
    _ends(plate, ax, bars, split)
    _verdicts(plate, ax, bars, split)
    _equation(plate, ax, split)


def _journey(plate: Plate, ax: Axes, bars: Bars, split: Split, k: int, low: float) -> None:
    """Draw the ribbon and the arrow of the piece that fills gap ``k``."""
    donor, gap = split.donors[0], float(split.gap[k])
    x0, x1 = bars.left[donor] + bars.wide, bars.left[k]
    level = bars.y(low + gap / 2)
    end = bars.y(float(split.q[k]) + gap / 2)
    half = gap * bars.tall / 2
    # It runs level past the roofs between, then falls (or rises) into its gap.
    bend = bars.left[k - 1] + bars.wide if k - 1 > donor else x0
    lead = bend - x0
    inset = 1.5  # of the ribbon from its piece, so that neighbouring ribbons stay apart
    ribbon(
        ax,
        (x0, level - half + inset, level + half - inset),
        (x1, end - half + inset, end + half - inset),
        lead=lead,
    )
    start, stop = x0 + plate.pick(12, 5), x1 - plate.pick(8, 3)
    if abs(level - end) < 1:
        arrow(ax, [(start, level), (stop, end)])
        return
    middle = (bend + x1) / 2
    straight = [(start + (bend - start) * t, level) for t in (1 / 3, 2 / 3, 1)]
    arrow(
        ax,
        [(start, level), *straight, (middle, level), (middle, end), (stop, end)],
        curve=True,
    )


def _ends(plate: Plate, ax: Axes, bars: Bars, split: Split) -> None:
    """Mark p and q at both ends of the row, never in each bar."""
    for k, x, ha in (
        (0, bars.left[0] - plate.pick(16, 9), "right"),
        (split.size - 1, bars.left[-1] + bars.wide + plate.pick(16, 9), "left"),
    ):
        levels = {"p": bars.y(split.p[k]), "q": bars.y(split.q[k])}
        if abs(levels["p"] - levels["q"]) < 17:
            levels["q"] = levels["p"] + 17 * (1 if levels["q"] >= levels["p"] else -1)
        for letter, y in levels.items():
            label(ax, x, y, f"${letter}$", color=letter, size=15, ha=ha, va="middle",
                  halo="background")  # fmt: skip


def _verdicts(plate: Plate, ax: Axes, bars: Bars, split: Split) -> None:
    """Say over the donor and over the last taker what was wrong with the draft."""
    donor, last = split.donors[0], split.takers[-1]
    cut, gap = num(split.cut[donor]), num(split.gap[last])
    words = plate.pick(f"drafted too often: {cut} too much", f"drafted too often:\ncut {cut}")
    rows = words.count("\n")
    y = bars.y(split.q[donor]) - 12 - 16 * rows
    label(ax, bars.left[donor], y, words, color="rejected", bold=True)
    words = plate.pick(f"drafted too rarely:\n{gap} missing", f"too rarely:\nfill {gap}")
    y = bars.y(split.p[last]) - 12 - 16
    x = bars.middle(last)
    half = 64
    x = min(x, plate.width - half)
    label(ax, x, y, words, color="residual", bold=True, ha="center")


def _equation(plate: Plate, ax: Axes, split: Split) -> None:
    """Write the balance as two strips of equal length: cut off = filled in."""
    total = float(split.cut.sum())
    long, high = plate.pick((150, 14), (84, 14))
    y = plate.pick(16, 28)
    parts = " + ".join(num(split.gap[k]) for k in split.takers)
    x = plate.pick(66, 14)
    if plate.phone:
        label(ax, x, 18, "cut off", color="rejected", bold=True)
        label(ax, plate.width - 14, 18, "filled in", color="residual", bold=True, ha="right")
    else:
        label(ax, x, y + high / 2, "cut off", color="rejected", bold=True, va="middle")
        x += 60
    mass(ax, "rejected", (x, y, long, high))
    words = f"{num(total)}  ="
    label(ax, x + long + 8, y + high / 2, words, bold=True, va="middle")
    x += long + 16 + text_width(words, bold=True)
    for k in split.takers:
        part = long * float(split.gap[k]) / total
        mass(ax, "residual", (x, y, part, high))
        x += part
    label(ax, x + 8, y + high / 2, parts, bold=True, va="middle")
    if not plate.phone:
        x += 20 + text_width(parts, bold=True)
        label(ax, x, y + high / 2, "filled in", color="residual", bold=True, va="middle")


def _shelf(plate: Plate, split: Split) -> None:
    """Pool the pieces of several donors on a shelf, then fill every gap from it."""
    room, start = plate.pick((640, 52), (296, 26))
    slot = min(room / split.size, plate.pick(170, 110))
    start += (room - slot * split.size) / 2
    wide = slot * plate.pick(0.62, 0.72)
    left = tuple(start + slot * k + (slot - wide) / 2 for k in range(split.size))
    tall = plate.pick(240, 220) / max(split.p.max(), split.q.max())
    plate.unit = wide * tall
    total = float(split.cut.sum())
    shelf_top, length, high = 34.0, 0.0, 0.0
    if total > TINY:
        high = max(20.0, total * plate.unit / plate.pick(420, 250))
        length = total * plate.unit / high
    head = shelf_top + 2 * high + plate.pick(64, 62) if total > TINY else 40.0
    bars = Bars(left, wide, tall, head + plate.pick(240, 220))
    ax = plate.pixels(bars.base + 72)
    if total > TINY:
        pool(ax, split, ((plate.width - length) / 2, shelf_top, length, high))
    for k in range(split.size):
        stack(ax, bars, split, k, over=plate.pick(9, 4))
        foot(ax, bars, split, k, room=slot)
        kept, cut, gap = float(split.kept[k]), float(split.cut[k]), float(split.gap[k])
        value(ax, bars, k, 0, kept, f"kept {num(kept)}", "accepted")
        value(ax, bars, k, kept, kept + cut, f"cut {num(cut)}", "rejected")
        value(ax, bars, k, kept, kept + gap, f"filled {num(gap)}", "residual")
        x, roof = bars.middle(k), bars.y(max(split.p[k], split.q[k]))
        if cut > TINY:
            arrow(ax, [(x, roof - 6), (x, roof - 30)], head=8)
        elif gap > TINY:
            arrow(ax, [(x, roof - 32), (x, roof - 6)], head=8)
    line(ax, [left[0] - 16, left[-1] + wide + 16], [bars.base] * 2)
    _ends(plate, ax, bars, split)
