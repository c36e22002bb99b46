"""What a pass costs this machine: against the positions it scores, and under its roof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..chapter6.chart import chart
from ..labels import Room, beside
from ..marks import dots, label, line, wash
from ..plate import Plate, drawing
from ..words import listed, num, percent, text_width
from .pieces import whisker

__all__ = ["roofline_here", "verification_price"]

Record = Mapping[str, Any]


@drawing
def verification_price(plate: Plate, lines: Mapping[str, Sequence[Record]]) -> None:
    """Draw the time of a pass over several positions, over that of one, for each model.

    Parameters
    ----------
    lines : mapping of str to sequence of mapping
        For each model: ``positions``, ``ratio`` and perhaps ``spread``.
    """
    every = [row for rows in lines.values() for row in rows]
    last = max(int(row["positions"]) for row in every)
    most = np.ceil(max(float(row["ratio"]) for row in every) * 2 + 1) / 2
    ticks = [(t, str(t)) for t in plate.pick((1, 2, 3, 5, 9, 13, 17), (1, 5, 9, 13, 17))]
    ax = chart(
        plate, plate.pick(240, 230), x=(0.5, last * plate.pick(1.36, 1.02), ticks,
        "positions in one pass"), y=(0.5, most, [(y, num(y)) for y in range(1, int(most) + 1)],
        "time of the pass, one position = 1"), head=plate.pick(0, 18 * len(lines) + 4),
    )  # fmt: skip
    line(ax, [1, most], [1, most], "dashed", zorder=2)
    label(ax, min(most, last) + 0.3, most * 0.975, plate.pick("if every position cost a pass",
          "a pass each"), color="ink2", va="middle", bold=True, halo="background")  # fmt: skip
    line(ax, [0.5, last], [1, 1], "leader", zorder=2)
    ends: dict[str, tuple[float, float]] = {}
    for k, (name, rows) in enumerate(lines.items()):
        ordered = sorted(rows, key=lambda row: int(row["positions"]))
        xs = [row["positions"] for row in ordered]
        ys = [row["ratio"] for row in ordered]
        line(ax, xs, ys, "ink", linewidth=1.75, zorder=3, **_dashes(k))
        dots(ax, xs, ys, "p", size=7, zorder=5)
        for row in ordered:
            if "spread" in row:
                whisker(ax, row["positions"], *row["spread"], color=plate.theme.p.line)
        ends[name] = (float(xs[-1]), float(ys[-1]))
    if plate.phone:  # no room beside the lines: a key above them
        _key(plate.axes[0], ends)
    else:
        beside(ax, list(ends.values()), [f"{name}: {y:.2f}" for name, (_, y) in ends.items()])
    told = []
    for name, rows in lines.items():
        parts = [f"{row['ratio']:.2f} at {row['positions']}" for row in rows]
        told.append(f"{name}: {listed(parts)}")
    low, high = (percent(f(y / last for _, y in ends.values()), 0) for f in (min, max))
    plate.say(
        caption="the thin steep line is a pass for every position; the measured ones end at "
        f"{low} to {high} of it, at {last} positions: checking is cheap, and it is not free.",
        alt=f"Time of a pass against the positions it scores, one position being 1. "
        f"{'. '.join(told)}.",
    )


def _dashes(k: int) -> dict[str, Any]:
    dashes = [(), (6, 3), (2, 3)][k % 3]
    return {"dashes": dashes} if dashes else {}


def _key(page: Axes, ends: Mapping[str, tuple[float, float]]) -> None:
    """Name the lines in rows below the axis' name, each with a piece of it, the highest first."""
    rows = sorted(enumerate(ends.items()), key=lambda row: -row[1][1][1])
    for n, (k, (name, (_, y))) in enumerate(rows):
        level = 36 + 18 * n
        line(page, [6, 38], [level - 4] * 2, "ink", linewidth=1.75, **_dashes(k))
        dots(page, [22], [level - 4], "p", size=7, zorder=5)
        label(page, 46, level, f"{name}: {y:.2f}", bold=True, size=12)


@drawing
def roofline_here(plate: Plate, bandwidth: float, peak: float, points: Sequence[Record]) -> None:
    """Draw this machine's roof, as measured, and where measured passes stand below it.

    Parameters
    ----------
    bandwidth : float
        Bytes a second.
    peak : float
        Operations a second.
    points : sequence of mapping
        ``model``, ``positions``, ``batch``, ``intensity``, ``flops_per_s``.
    """
    ridge = peak / bandwidth
    xs = [float(p["intensity"]) for p in points]
    ys = [float(p["flops_per_s"]) for p in points]
    start, end = min([*xs, ridge]) * 0.5, max([*xs, ridge]) * 2
    low = min([*ys, peak]) * 0.35
    high = max([peak, *ys]) * 2.2
    left, top, foot = plate.pick(58, 50), plate.pick(52, 76), 48
    height = plate.pick(350, 350)
    page = plate.pixels(height)
    ax = plate.axes_at(left, top, plate.width - left - plate.pick(16, 10), height - top - foot,
                       xlim=(start, end), ylim=(low, high), xscale="log", yscale="log")  # fmt: skip
    powers = [x for x in 10.0 ** np.arange(-3, 6) if start <= x <= end / 1.2]
    ax.set_xticks(powers, [num(x, 3) for x in powers])
    levels = [y for y in 10.0 ** np.arange(3, 16) if low <= y <= high]
    ax.set_yticks(levels, [_rate(y, True) for y in levels])
    ax.minorticks_off()
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y")
    wash(ax, "panel", (ridge, low, end - ridge, peak - low))
    line(ax, [start, ridge, end], [start * bandwidth, peak, peak], "ink")
    line(ax, [ridge] * 2, [low, peak], "leader")
    words = plate.pick(f"ridge: {ridge:.1f} operations a byte", f"ridge {ridge:.1f}")
    roomy = np.log(end / ridge) / np.log(end / start) * (plate.width - left) > plate.pick(230, 90)
    label(ax, ridge * (1.1 if roomy else 0.9), low * 1.25, words, color="ink2",
          ha="left" if roomy else "right", halo="panel" if roomy else "background")  # fmt: skip
    label(ax, end / 1.1, peak * 1.12, _rate(peak, False), bold=True, ha="right")
    roof = ([start, ridge, end], [start * bandwidth, peak, peak])
    _spots(ax, plate, points, Room(ax, [roof, ([ridge, ridge], [low, peak])]))
    label(page, 6, 18, "operations a second", bold=True)
    label(page, plate.width - plate.pick(16, 10), height - 8, "operations a byte of weights",
          bold=True, ha="right")  # fmt: skip
    told = [
        f"{p['model']}, batch {p['batch']} x {p['positions']} positions: {p['intensity']:.1f} "
        f"operations a byte, {_rate(p['flops_per_s'], False)}"
        for p in points
    ]
    above = [p for p in points if p["flops_per_s"] > min(peak, p["intensity"] * bandwidth)]
    extra = (
        " Points above the slope read their weights from the cache, not from memory."
        if above
        else ""
    )
    share = max(p["flops_per_s"] / min(peak, p["intensity"] * bandwidth) for p in points)
    reach = (
        "all stay well below the roof: this small model waits for its program, not for memory"
        if share < 0.75  # the measured roof itself is that uncertain
        else "the nearest reach it"
    )
    plate.say(
        caption=f"the measured passes against the machine's roof, with its ridge at {ridge:.0f} "
        f"operations a byte: more positions and rows move a dot to the right, and {reach}.{extra}",
        alt=f"This machine's roof: {bandwidth / 1e9:.1f} GB/s and {_rate(peak, False)}, ridge at "
        f"{ridge:.1f} operations a byte. {'; '.join(told)}.",
    )


def _rate(value: float, short: bool) -> str:
    """Return operations a second with a prefix."""
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if value >= size:
            return f"{num(value / size, 0)}\N{NO-BREAK SPACE}{letter}" + ("" if short else "FLOP/s")
    return num(value, 0)


def _spots(ax: Any, plate: Plate, points: Sequence[Record], room: Room) -> None:
    """Draw the measured passes: one mark a model, the batch beside each."""
    models = sorted({str(p["model"]) for p in points})
    ends: list[tuple[Record, str]] = []
    for k, model in enumerate(models):
        own = [p for p in points if p["model"] == model]
        for single in (True, False):
            some = sorted((p for p in own if (p["positions"] == 1) == single),
                          key=lambda p: p["batch"])  # fmt: skip
            if not some:
                continue
            role = "p" if single else "q"
            look: dict[str, Any] = {"marker": "o" if k == 0 else "s"}
            dots(ax, [p["intensity"] for p in some], [p["flops_per_s"] for p in some], role, size=8,
                 zorder=5, **look)  # fmt: skip
            ends += [(p, role) for p in some[:: max(1, len(some) - 1)]]
    for p in points:
        room.keep(p["intensity"], p["flops_per_s"], 4)
    for p, role in ends:  # the ends alone; between them the order is plain
        batch = str(p["batch"])
        place = room.near(p["intensity"], p["flops_per_s"], text_width(batch, 12, True), 4)
        if place is not None:
            label(ax, *place[:2], batch, color=role, bold=True, ha=place[2], size=12)
    page = plate.axes[0]
    many = max(int(p["positions"]) for p in points)
    words = (("p", "1 position, by batch"), ("q", f"{many} positions"))
    for k, (role, said) in enumerate(words):
        label(page, plate.pick(58, 6) + k * 146, 38, said, color=role, bold=True)
    for k, (mark, model) in enumerate(zip("os", models, strict=False) if len(models) > 1 else ()):
        x, y = plate.pick((400, 38), (12, 59))
        x += k * 160
        dots(page, [x], [y - 4], "ink2", size=7, marker=mark)
        label(page, x + 9, y, model, color="ink2")
