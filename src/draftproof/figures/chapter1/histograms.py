"""Histograms of survivors against the law they should follow."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from draftproof.envelope import Target, bin_masses
from draftproof.envelope_runs import EDGES, UniformRuns
from draftproof.finite import Array
from draftproof.trace import EnvelopeTrace

from ..marks import dots, label, law, line, mass, wash
from ..plate import Plate, drawing
from ..words import count, num
from .boards import GRID, ground

__all__ = ["EDGES", "staircase", "survivors", "uniform_draws"]


def staircase(points: Array, edges: Array = EDGES) -> Array:
    """Return the heights of the histogram of `points`, of total area 1.

    Parameters
    ----------
    points : ndarray
        Where the survivors fell.
    edges : ndarray
        Of the bins.

    Returns
    -------
    ndarray
        One height a bin.
    """
    counts, _ = np.histogram(points, edges)
    return np.asarray(counts / len(points) / np.diff(edges))


def steps(edges: Array, heights: Array) -> Array:
    """Return the outline of a histogram, down to the ground at both ends."""
    return np.column_stack([np.repeat(edges, 2), np.r_[0.0, np.repeat(heights, 2), 0.0]])


@drawing
def survivors(plate: Plate, target: Target, flat: EnvelopeTrace, bell: EnvelopeTrace) -> None:
    """Draw the survivors of both runs over f / Z, and their gaps in standard errors.

    Parameters
    ----------
    target : Target
        What both envelopes cover.
    flat : EnvelopeTrace
        The run under the flat envelope.
    bell : EnvelopeTrace
        The run under the bell.
    """
    plate.pixels(plate.pick(394, 732))
    wide, tall, low = plate.pick(330, 300), plate.pick(200, 180), 70
    expected = bin_masses(target.density, EDGES)
    outside = {}
    for k, (name, trace) in enumerate((("flat", flat), ("bell", bell))):
        left, top = plate.pick(26 + k * 366, 26), plate.pick(44, 36 + k * 368)
        ax = plate.axes_at(left, top, wide, tall, xlim=(-3, 3), ylim=(0, 0.7))
        ground(ax, low=-3, high=3, ticks=False)
        heights = staircase(trace.survivors)
        mass(ax, "accepted", steps(EDGES, heights), key=f"{name}/survivors")
        law(ax, "p", GRID, target.density(GRID))
        label(ax, -3, 0.75, f"{name}, $C$ = {num(trace.constant)}", color="q", bold=True, size=15)
        label(
            ax,
            3,
            0.75,
            f"{count(trace.num_accepted)} kept",
            color="accepted",
            bold=True,
            size=15,
            ha="right",
        )
        label(ax, 0.72, 0.5, "$f/Z$", color="p", bold=True, size=15)
        n = trace.num_accepted
        scores = (heights * np.diff(EDGES) - expected) / np.sqrt(expected * (1 - expected) / n)
        outside[name] = int((abs(scores) > 2).sum())
        below = plate.axes_at(left, top + tall + 28, wide, low, xlim=(-3, 3), ylim=(-4, 4))
        _scores(below, scores)
    words = " and ".join(f"{outside[name]} for the {name}" for name in ("flat", "bell"))
    plate.say(
        caption="two proposals, one law: both histograms follow f/Z, and their gaps from it stay "
        "within the noise of an exact sampler (lower strips: gap in standard errors, band ±2).",
        alt=f"Histograms of {count(flat.num_accepted)} survivors under the flat envelope and "
        f"{count(bell.num_accepted)} under the bell, {len(EDGES) - 1} bins, both lying along the "
        f"curve f/Z. Of the {len(EDGES) - 1} bins, those further than two standard errors from it "
        f"are {words}; chance alone puts about {0.0455 * (len(EDGES) - 1):.0f} there.",
    )


def _scores(ax: Axes, scores: Array) -> None:
    """Draw each bin's gap in standard errors over the band of +-2."""
    wash(ax, "p", (-3, -2, 6, 4))
    label(ax, -3, 4.4, "gap in standard errors", color="ink2", size=12)
    line(ax, [-3, 3], [0, 0], "hair", zorder=2)
    middle = (EDGES[:-1] + EDGES[1:]) / 2
    dots(ax, middle, np.clip(scores, -4, 4), "p", size=4)
    ax.spines["left"].set_visible(False)
    ax.set_yticks([-2, 0, 2], ["\N{MINUS SIGN}2", "0", "2"])
    ax.set_xticks([-3, -2, -1, 0, 1, 2, 3])
    ax.set_xticklabels([num(t) for t in ax.get_xticks()])
    ax.tick_params(axis="y", length=0)


@drawing
def uniform_draws(plate: Plate, runs: UniformRuns) -> None:
    """Draw what a fresh uniform keeps, and what its square keeps, for the target 2x.

    Parameters
    ----------
    runs : UniformRuns
        The two runs on the same darts.
    """
    plate.pixels(plate.pick(300, 560))
    wide, tall = plate.pick(330, 300), plate.pick(200, 190)
    edges = np.linspace(0, 1, 41)
    x = np.linspace(0, 1, 101)
    panels = (
        ("$u$ = $V$", runs.right, 2 * x, "the law wanted, 2$x$"),
        ("$u$ = $V$ $^2$", runs.wrong, 1.5 * np.sqrt(x), "1.5 √$x$, not 2$x$"),
    )
    for k, (name, points, got, words) in enumerate(panels):
        left, top = plate.pick(14 + k * 372, 14), plate.pick(48, 40 + k * 274)
        ax = plate.axes_at(left, top, wide, tall, xlim=(0, 1), ylim=(0, 2.1))
        line(ax, [0, 1], [0, 0], zorder=6)
        ax.yaxis.set_visible(False)
        ax.spines[["left", "bottom"]].set_visible(False)
        ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        mass(ax, "accepted", steps(edges, staircase(points, edges)), key=f"{('right', 'wrong')[k]}")
        law(ax, "p", [0, 1], [0, 2])
        if k:
            line(ax, x, got, "ink", zorder=5, dashes=(2, 3))
        label(ax, 0, 2.2, name, bold=True, size=15)
        label(ax, 1, 2.2, f"mean {points.mean():.3f}", bold=True, size=15, ha="right")
        label(ax, 0.03, 1.55, words, color="ink" if k else "p", bold=True)
    plate.say(
        caption="with a uniform u the survivors fill the triangle under 2x; with its square, small "
        "values come too often, low x survive too often, and the histogram bulges above the line.",
        alt=f"Two histograms of survivors for the target 2x under a flat proposal, "
        f"{count(runs.darts)} darts each. With u = V they follow the line 2x and their mean is "
        f"{runs.right.mean():.3f}. With u = V squared they follow 1.5 times the root of x and "
        f"their mean is {runs.wrong.mean():.3f}.",
    )
