"""Measured speed: against the block length, the batch, and the kind of task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..chapter6.chart import chart
from ..marks import dots, label, law, line, plate_of, wash
from ..plate import Plate, drawing
from ..words import listed, num, percent
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
    speeds = [float(row["speedup"]) for row in top]
    high = np.ceil(max(row["spread"][1] for row in rows) * 2 + 0.4) / 2
    wide = (sizes[-1] / sizes[0]) ** plate.pick(0.14, 0.4) * 1.2
    ends = (sizes[0] / 1.5, sizes[-1] * wide)
    ticks = [(b, str(b)) for b in sizes]
    ax = chart(
        plate, plate.pick(250, 240), x=(*ends, ticks, "sequences in a batch"),
        y=(0, high, [(y, num(y)) for y in np.arange(0, high + 0.01, 0.5)], "speedup"),
        logarithmic=True,
    )  # fmt: skip
    wash(ax, "panel", (ends[0], 0, ends[1] - ends[0], 1))
    line(ax, ends, [1, 1], "ink", linewidth=1.25)
    label(ax, ends[0] * 1.06, high * 0.06, "slower than plain decoding", color="ink2", bold=True,
          va="middle", halo="panel")  # fmt: skip
    _lengths(ax, rows, high)
    for row in top:
        whisker(ax, row["batch"], *row["spread"])
        fast = row["speedup"] >= 1
        dots(ax, [row["batch"]], [row["speedup"]], "accepted" if fast else "rejected", size=9,
             zorder=5)  # fmt: skip
        label(ax, row["batch"], row["spread"][1] + high * 0.03, f"{row['speedup']:.2f}", bold=True,
              ha="center", size=12, halo="background" if fast else "panel")  # fmt: skip
    where = crossover(top)
    if where is not None:
        line(ax, [where] * 2, [0, 1], "dashed", zorder=2)
        label(ax, where, high * 0.15, f"about {where:.0f}", bold=True, ha="center", halo="panel")
    plate.say(
        caption=_verdict(speeds, sizes, where),
        alt="Measured speedup against the number of sequences, with the price of the pass in plain "
        f"steps. {_by_length(rows)}",
    )


def _lengths(ax: Axes, rows: Sequence[Record], high: float) -> None:
    """Draw one line for each block length, named at its end."""
    ends = []
    for gamma in sorted({int(row["gamma"]) for row in rows}):
        own = sorted((r for r in rows if r["gamma"] == gamma), key=lambda r: int(r["batch"]))
        line(ax, [r["batch"] for r in own], [r["speedup"] for r in own], "leader", zorder=3)
        ends.append((float(own[-1]["speedup"]), own[-1]["batch"], gamma))
    ends.sort()
    levels: list[float] = []
    for y, _, _ in ends:
        levels.append(max(y, levels[-1] + high * 0.065) if levels else y)
    lift = sum(level - y for level, (y, _, _) in zip(levels, ends, strict=True)) / len(ends)
    beside = plate_of(ax).pick(1.3, 1.75)
    for level, (_, x, gamma) in zip(levels, ends, strict=True):
        words = f"$\\gamma$ = {gamma}"
        y = level - lift
        label(ax, x * beside, y, words, va="middle", size=12, color="ink2",
              halo="panel" if y < 1 else "background")  # fmt: skip


def _by_length(rows: Sequence[Record]) -> str:
    said = []
    for gamma in sorted({int(row["gamma"]) for row in rows}):
        own = sorted((r for r in rows if r["gamma"] == gamma), key=lambda r: int(r["batch"]))
        parts = [f"{r['batch']}: {r['speedup']:.2f} (pass {r['verify_ratio']:.2f})" for r in own]
        said.append(f"Blocks of {gamma}: {listed(parts)}.")
    return " ".join(said)


def _verdict(speeds: Sequence[float], sizes: Sequence[int], where: float | None) -> str:
    if where is not None:
        return (
            f"the best block's dots fall through 1 at about {where:.0f} sequences: from there on "
            "drafting loses, whatever its length."
        )
    if speeds[-1] < speeds[0]:
        side = "above" if speeds[-1] >= 1 else "below"
        return (
            f"the best block's dots stay {side} 1 up to {sizes[-1]} sequences, and the gain "
            "shrinks as the batch grows."
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
