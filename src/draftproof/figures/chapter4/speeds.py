"""Measured speed: against the block length, the batch, and the kind of task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes

from ..chapter6.chart import chart
from ..labels import Room, beside, spread
from ..marks import dots, label, law, line, wash
from ..plate import Plate, drawing
from ..words import listed, num, percent, text_width
from .pieces import box, whisker

__all__ = ["batch_crossover", "best_of", "crossover", "lookup_tasks", "predicted_measured"]

Record = Mapping[str, Any]


@drawing
def predicted_measured(plate: Plate, runs: Mapping[str, Sequence[Record]]) -> None:
    """Draw speedup against block length, one panel a drafter: timed, and as the model predicts.

    Parameters
    ----------
    runs : mapping of str to sequence of mapping
        For each drafter its runs: ``gamma``, ``speedup``, ``spread``, ``predicted``.
    """
    columns = plate.pick(4 if len(runs) > 6 else 3, 2)
    rows = -(-len(runs) // columns)
    wide, tall = plate.pick(206 if columns == 3 else 146, 136), plate.pick(150, 130)
    gap_x, gap_y, left, top = plate.pick(36, 26), 66, plate.pick(28, 22), 46
    page = plate.pixels(top + rows * (tall + gap_y) - 8)
    every = [run for group in runs.values() for run in group]
    most = np.ceil(max(max(r["spread"][1], r["predicted"]) for r in every) * 2 + 0.5) / 2
    last = max(int(r["gamma"]) for r in every)
    label(page, plate.pick(8, 6), 17, plate.pick("speedup against the drafts in a block $\\gamma$",
          "speedup against $\\gamma$"), bold=True)  # fmt: skip
    _key(page, plate)
    for k, (name, group) in enumerate(runs.items()):
        x, y = left + k % columns * (wide + gap_x), top + k // columns * (tall + gap_y)
        ax = plate.axes_at(x, y + 12, wide, tall, xlim=(0, last + 0.6), ylim=(0, most))
        _panel(ax, plate, group, name, most, last)
    share = [r["speedup"] / r["predicted"] for r in every]
    tops = [f"{n} {_best(g)['speedup']:.2f} at {_best(g)['gamma']}" for n, g in runs.items()]
    plate.say(
        caption="the dots (timed, with their spread) follow the dashed line (predicted from "
        f"measured parts) at {percent(min(share), 0)} to {percent(max(share), 0)} of it; the large "
        "dot is each drafter's best block.",
        alt="One panel a drafter, speedup against drafts in a block. "
        + ". ".join(f"{n}: {_told(g)}" for n, g in runs.items())
        + f". Best: {listed(tops)}.",
    )


def _best(group: Sequence[Record]) -> Record:
    return max(group, key=lambda run: float(run["speedup"]))


def _told(group: Sequence[Record]) -> str:
    return listed(
        [f"{r['speedup']:.2f} ({r['predicted']:.2f} predicted) at {r['gamma']}" for r in group]
    )


def _key(page: Axes, plate: Plate) -> None:
    """Name the two lines once, with a piece of each."""
    x = plate.width - plate.pick(196, 176)
    dots(page, [x], [13], "ink", size=7)
    label(page, x + 9, 17, "timed", bold=True, size=12)
    law(page, "q", [x + 62, x + 94], [13, 13])
    label(page, x + 100, 17, "predicted", bold=True, size=12, color="q")


def _panel(
    ax: Axes, plate: Plate, group: Sequence[Record], name: str, most: float, last: int
) -> None:
    ordered = sorted(group, key=lambda run: int(run["gamma"]))
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.set_xticks([g for g in range(1, last + 1) if g == 1 or g % 2 == 0])
    ax.set_yticks(range(int(most) + 1))
    ax.grid(axis="y")
    line(ax, [0, last + 0.6], [1, 1], "ink", linewidth=1.25)
    gammas = [r["gamma"] for r in ordered]
    law(ax, "q", gammas, [r["predicted"] for r in ordered])
    line(ax, gammas, [r["speedup"] for r in ordered], "ink", linewidth=1.25, zorder=4)
    for run in ordered:
        whisker(ax, run["gamma"], *run["spread"])
        dots(ax, [run["gamma"]], [run["speedup"]], "ink", size=5, zorder=5)
    best = _best(ordered)
    dots(ax, [best["gamma"]], [best["speedup"]], "accepted", size=10, zorder=6)
    label(ax, 0, most * 1.07, name, bold=True)
    words = f"{best['speedup']:.2f} at {best['gamma']}"
    label(ax, last + 0.6, most * 1.07, words, bold=True, ha="right", color="accepted")


def crossover(batches: Sequence[Record]) -> float | None:
    """Return the batch at which the speedup passes below 1, between two measured ones.

    Parameters
    ----------
    batches : sequence of mapping
        Sorted by ``batch``, each with a ``speedup``.

    Returns
    -------
    float or None
        Interpolated on a logarithmic axis; None if it does not pass.
    """
    for a, b in pairwise(batches):
        if a["speedup"] >= 1 > b["speedup"]:
            share = (a["speedup"] - 1) / (a["speedup"] - b["speedup"])
            return float(a["batch"] * (b["batch"] / a["batch"]) ** share)
    return None


def best_of(rows: Sequence[Record]) -> list[Record]:
    """Return the row of the fastest block length for each batch, in the order of the batches.

    Parameters
    ----------
    rows : sequence of mapping
        ``batch``, ``gamma``, ``speedup``.

    Returns
    -------
    list of mapping
    """
    sizes = sorted({int(row["batch"]) for row in rows})
    own = [[row for row in rows if row["batch"] == size] for size in sizes]
    return [max(group, key=lambda row: float(row["speedup"])) for group in own]


@drawing
def batch_crossover(plate: Plate, rows: Sequence[Record]) -> None:
    """Draw the measured speedup against the batch, and where even the best block loses.

    Parameters
    ----------
    rows : sequence of mapping
        ``batch``, ``gamma``, ``speedup``, ``spread``, ``verify_ratio``.
    """
    top = best_of(rows)
    sizes = [int(row["batch"]) for row in top]
    high = np.ceil(max(row["spread"][1] for row in rows) * 2 + 0.4) / 2
    step = next((s for s in (0.5, 1, 2, 5) if high <= 8 * s), 10)
    curves = {gamma: _curve(rows, gamma) for gamma in sorted({int(r["gamma"]) for r in rows})}
    side = _clearer_side(list(curves.values()), high * 0.06)
    start, end = _limits(sizes, plate.pick(640, 276), (74, 24) if side == "left" else (24, 74))
    ax = chart(
        plate, plate.pick(250, 240),
        x=(start, end, [(b, str(b)) for b in sizes], "sequences in a batch"),
        y=(0, high, [(y, num(y)) for y in np.arange(0, high + 0.01, step)], "speedup"),
        logarithmic=True,
    )  # fmt: skip
    wash(ax, "panel", (start, 0, end - start, 1))
    line(ax, [start, end], [1, 1], "ink", linewidth=1.25)
    for xs, ys in curves.values():
        line(ax, xs, ys, "leader", zorder=3, linewidth=1.25)
    tip = 0 if side == "left" else -1
    beside(ax, [(xs[tip], ys[tip]) for xs, ys in curves.values()],
           [f"$\\gamma$ = {gamma}" for gamma in curves], side=side, avoid=1, off=26,
           size=12, color="ink2", bold=False, halo=("panel", "background"))  # fmt: skip
    room = Room(ax, [*curves.values(), ((start, end), (1, 1))])
    for row in top:
        room.keep(row["batch"], row["speedup"], 4.5)
    for row in top:
        whisker(ax, row["batch"], *row["spread"])
        dots(ax, [row["batch"]], [row["speedup"]],
             "accepted" if row["speedup"] >= 1 else "rejected", size=9, zorder=5)  # fmt: skip
        words = f"{row['speedup']:.2f}"
        marks = [(row["spread"][1], 0), (row["speedup"], 4.5)]
        level = room.above(row["batch"], marks, text_width(words, 12, True))
        if level is not None:
            label(ax, row["batch"], level, words, bold=True, ha="center", size=12,
                  halo="background" if level >= 1 else "panel")  # fmt: skip
    below = [high * share for share in (0.05, 0.12, 0.19, 0.26) if high * share < 0.9]
    words = "slower than plain decoding"
    x = start * (end / start) ** 0.02
    level = room.first(x, below, text_width(words, 13, True))
    if level is not None:
        label(ax, x, level, words, color="ink2", bold=True, halo="panel")
    where = crossover(top)
    if where is not None:
        line(ax, [where] * 2, [0, 1], "dashed", zorder=2)
        words = f"about {where:.0f}"
        level = room.first(where, below[::-1], text_width(words, 13, True), ha="center")
        if level is not None:
            label(ax, where, level, words, bold=True, ha="center", halo="panel")
    best = listed([f"{row['gamma']} at {row['batch']}" for row in top])
    plate.say(
        caption=f"{_verdict(top, sizes, where)} (Drafts in the best block: {best}.)",
        alt="Measured speedup against the number of sequences, with the price of the pass in plain "
        f"steps. {_by_length(rows)}",
    )


def _curve(rows: Sequence[Record], gamma: int) -> tuple[list[float], list[float]]:
    """Return the batches and speedups of one block length."""
    own = sorted((r for r in rows if r["gamma"] == gamma), key=lambda r: int(r["batch"]))
    return [float(r["batch"]) for r in own], [float(r["speedup"]) for r in own]


def _clearer_side(
    curves: Sequence[tuple[list[float], list[float]]], gap: float
) -> Literal["left", "right"]:
    """Return the side on which the curves' ends lie so far apart that their names move less."""

    def moved(tip: int) -> float:
        levels = [ys[tip] for _, ys in curves]
        return sum(abs(a - b) for a, b in zip(levels, spread(levels, gap, avoid=1), strict=True))

    return "left" if moved(0) < moved(-1) else "right"


def _limits(sizes: Sequence[int], wide: float, margins: tuple[float, float]) -> tuple[float, float]:
    """Return the ends of a logarithmic axis that leaves so many pixels beside its points."""
    ratio = max(sizes[-1] / sizes[0], 2.0)
    step = ratio ** (1 / (wide - sum(margins)))
    return sizes[0] / step ** margins[0], sizes[0] * ratio * step ** margins[1]


def _by_length(rows: Sequence[Record]) -> str:
    said = []
    for gamma in sorted({int(row["gamma"]) for row in rows}):
        own = sorted((r for r in rows if r["gamma"] == gamma), key=lambda r: int(r["batch"]))
        parts = [f"{r['batch']}: {r['speedup']:.2f} (pass {r['verify_ratio']:.2f})" for r in own]
        said.append(f"Blocks of {gamma}: {listed(parts)}.")
    return " ".join(said)


def _verdict(top: Sequence[Record], sizes: Sequence[int], where: float | None) -> str:
    speeds = [float(row["speedup"]) for row in top]
    if where is not None:
        return (
            f"the best block's dots fall through 1 at about {where:.0f} sequences: from there on "
            "drafting loses, whatever its length."
        )
    if top[-1]["spread"][0] < 1 < top[-1]["spread"][1]:
        return f"the best block's dots come down to 1: at {sizes[-1]} sequences nothing is gained."
    if speeds[-1] < speeds[0]:
        side = "above" if speeds[-1] >= 1 else "below"
        return (
            f"the best block's dots stay {side} 1 up to {sizes[-1]} sequences, and the gain is "
            f"smaller there than at {sizes[0]}."
        )
    return f"the gain does not shrink up to {sizes[-1]} sequences on this machine."


@drawing
def lookup_tasks(plate: Plate, tasks: Sequence[Record]) -> None:
    """Draw tokens a call and speedup of prompt lookup, a pair of bars for each task.

    Parameters
    ----------
    tasks : sequence of mapping
        ``task``, ``tokens_per_call``, ``speedup``, ``spread``.
    """
    tasks = sorted(tasks, key=lambda row: -float(row["speedup"]))
    step, top, bar = plate.pick(58, 78), 20, 19
    left, room = plate.pick(104, 10), plate.pick(190, 88)
    most = max(max(r["tokens_per_call"], r["spread"][1]) for r in tasks)
    unit = (plate.width - left - room) / most
    plate.unit = unit * bar
    ax = plate.pixels(top + step * len(tasks) + 28)
    one = left + unit
    low = top + step * len(tasks)
    line(ax, [left, left], [top - 8, low], "axis")
    line(ax, [one, one], [top - 8, low + 2], "dashed", zorder=6)
    label(ax, one, low + 18, "plain decoding: 1", color="ink2", ha="left" if plate.phone
          else "center", bold=True)  # fmt: skip
    for k, row in enumerate(tasks):
        y = top + k * step + plate.pick(2, 22)
        name = str(row["task"])
        if plate.phone:
            label(ax, left + 6, y - 6, name, bold=True, halo="background")
        else:
            label(ax, left - 12, y + bar, name, bold=True, ha="right", va="middle")
        box(ax, "q", (left, y, row["tokens_per_call"] * unit, bar), key=f"tokens/{name}",
            dashed=True)  # fmt: skip
        words = f"{row['tokens_per_call']:.2f} {plate.pick('tokens a call', 'a call')}"
        label(ax, left + row["tokens_per_call"] * unit + 8, y + bar / 2, words, color="q",
              va="middle", bold=True)  # fmt: skip
        lower = y + bar + 3
        box(ax, "p", (left, lower, row["speedup"] * unit, bar), key=f"speedup/{name}")
        whisker(ax, lower + bar / 2, left + row["spread"][0] * unit,
                left + row["spread"][1] * unit, flat=True)  # fmt: skip
        end = left + max(row["speedup"], row["spread"][1]) * unit + 8
        label(ax, end, lower + bar / 2, plate.pick(f"{row['speedup']:.2f} times as fast",
              f"× {row['speedup']:.2f}"), color="p", va="middle", bold=True)  # fmt: skip
    best, worst = tasks[0], tasks[-1]
    told = [f"{r['task']} {r['tokens_per_call']:.2f} and {r['speedup']:.2f}" for r in tasks]
    plate.say(
        caption=f"where the answer repeats the prompt the bars are long ({best['task']}: "
        f"{best['speedup']:.2f} times as fast); in {worst['task']} there is little to look up, "
        f"and the solid bar ends at {worst['speedup']:.2f}. (SmolLM2-135M, greedy, no draft "
        "model.)",
        alt="Tokens a target call and speedup over plain decoding of SmolLM2-135M with prompt "
        f"lookup: {listed(told)}.",
    )
