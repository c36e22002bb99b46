"""Boards about the constant and the proposal: how tight, how broken, how well chosen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from draftproof.envelope import Envelope, Proposal
from draftproof.finite import Array

from ..marks import label, law, line, mass
from ..plate import Plate, drawing
from ..words import count, listed, num
from .boards import GRID, REACH, board, ground, heading, is_bell, noun, rings
from .histograms import EDGES, staircase, steps

__all__ = ["broken_constant", "own_proposal", "tight_constants"]


@drawing
def tight_constants(plate: Plate, flat: Envelope, bell: Envelope) -> None:
    """Draw both tightest envelopes with their touching points, and the ratio f/g below each.

    Parameters
    ----------
    flat : Envelope
        The tightest flat envelope.
    bell : Envelope
        The tightest bell.
    """
    plate.pixels(plate.pick(452, 846))
    wide, tall, low = plate.pick(344, 312), plate.pick(190, 180), plate.pick(110, 110)
    for k, envelope in enumerate((flat, bell)):
        left = plate.pick(12 + k * 368, 12)
        top = plate.pick(46, 38 + k * 428)
        ax = plate.axes_at(left, top, wide, tall, xlim=(-REACH, REACH), ylim=(0, 4.3))
        ground(ax)
        board(ax, envelope, key=noun(envelope))
        heading(ax, envelope, 4.6)
        for x in envelope.touch_points:
            rings(ax, [x], [float(envelope.height(x))])
        below = plate.axes_at(left, top + tall + 62, wide, low, xlim=(-REACH, REACH), ylim=(0, 1.1))
        _ratio(below, envelope)
    points = {noun(e): listed([num(x) for x in e.touch_points]) for e in (flat, bell)}
    plate.say(
        caption="an envelope is as low as it can be when it touches the target (rings); the lower "
        "curves show the ratio f/g, whose highest point is the smallest C.",
        alt=f"The flat envelope touches the target at x = {points['flat']}, its peak; the smallest "
        f"C is {num(flat.constant)} and {100 * flat.acceptance:.1f} % is kept. The bell touches at "
        f"x = {points['bell']}, beside the peak and far out in the tail; its smallest C is "
        f"{num(bell.constant)} and {100 * bell.acceptance:.1f} % is kept. Below each board the "
        "ratio f/g reaches its maximum, the smallest C, at the same points.",
    )


def _ratio(ax: Axes, envelope: Envelope) -> None:
    """Draw f / g as a share of the smallest constant."""
    ground(ax)
    ratio = envelope.target(GRID) / envelope.proposal.pdf(GRID) / envelope.constant
    line(ax, GRID, ratio, "ink", zorder=4)
    line(ax, [-REACH, REACH], [1, 1], "dashed", zorder=2)
    for x in envelope.touch_points:
        rings(ax, [x], [1.0])
        line(ax, [x, x], [0, 1], "leader")
    label(ax, -REACH, 1.06, f"max $f/g$ = {envelope.constant:.2f}", bold=True, halo="background")


@drawing
def broken_constant(plate: Plate, envelope: Envelope, survivors: Array) -> None:
    """Draw an envelope that may dip below its target, and beside it what its survivors do.

    Parameters
    ----------
    envelope : Envelope
        Its constant may be too small.
    survivors : ndarray
        What was drawn under the envelope.
    """
    plate.pixels(plate.pick(340, 590))
    wide, tall = plate.pick(340, 312), plate.pick(236, 200)
    peak = max(4.0, float(envelope.height(GRID).max()) * 1.04)
    ax = plate.axes_at(12, plate.pick(52, 46), wide, tall, xlim=(-REACH, REACH), ylim=(0, peak))
    ground(ax)
    board(ax, envelope)
    name, constant = noun(envelope), num(envelope.constant)
    label(ax, -REACH, peak * 1.07, f"{name}, $C$ = {constant}", color="q", bold=True, size=15)
    broken = envelope.bias > 0
    if broken:
        level = max(3.0, float(envelope.height(GRID[GRID > 0.7]).max()) + 0.1)
        label(ax, 0.7, level, "dotted: out of reach", color="residual", bold=True)
    label(ax, -0.02, 0.3, "kept", bold=True, ha="center", halo="accepted")
    density = envelope.target.density(GRID)
    shares = staircase(survivors)
    roof = max(0.7, float(shares.max()) * 1.04)
    other = plate.axes_at(
        plate.pick(384, 12), plate.pick(52, 336), wide, tall, xlim=(-REACH, REACH), ylim=(0, roof)
    )
    ground(other)
    mass(other, "accepted", steps(EDGES, shares), key="survivors")
    law(other, "p", GRID, density)
    line(other, GRID, envelope.survivor_density(GRID), "ink", zorder=5, dashes=(2, 3))
    words = f"{count(len(survivors))} survivors"
    label(other, -REACH, roof * 1.07, words, color="accepted", bold=True, size=15)
    label(other, REACH, roof * 1.07, f"TV {envelope.bias:.3f}", bold=True, size=15, ha="right")
    label(other, 0.75, 0.6, "wanted: $f/Z$", color="p", bold=True)
    if broken:
        got = "got: min($f$, $Cg$)" if is_bell(envelope) else "got: a flat roof"
        label(other, 1.0, float(envelope.survivor_density(0.36)) - 0.02, got, bold=True)
    plate.say(
        caption="where the envelope dips below the target, the dotted mass can never be drawn, and "
        "the survivors follow the lower of the two curves instead of f."
        if broken
        else "the envelope holds, so the survivors follow the target and nothing is out of reach.",
        alt=_broken_words(envelope, len(survivors)),
    )


def _broken_words(envelope: Envelope, n: int) -> str:
    head = (
        f"Left: the {noun(envelope)} envelope with C = {num(envelope.constant)} over the target; "
        f"the smallest valid C is {envelope.smallest_constant:.2f}. "
    )
    if envelope.bias == 0:
        return (
            head + f"Right: the histogram of {count(n)} survivors follows f/Z: the distance is 0."
        )
    missing = envelope.target.integral - envelope.acceptance * envelope.constant
    return head + (
        f"An area of {missing:.2f} of the target lies above the envelope. Right: the histogram of "
        f"{count(n)} survivors follows min(f, Cg), normalised, at a total variation of "
        f"{envelope.bias:.3f} from f/Z."
    )


@drawing
def own_proposal(plate: Plate, envelope: Envelope, parts: Sequence[tuple[float, Proposal]]) -> None:
    """Draw the tightest envelope of a mixture, its parts, its cost.

    Parameters
    ----------
    envelope : Envelope
        The tightest one over the mixture.
    parts : sequence of tuple
        Weight and proposal of each part.
    """
    head = plate.pixels(plate.pick(326, 344))
    left, wide, tall = plate.pick(30, 10), plate.pick(440, 316), plate.pick(250, 180)
    peak = max(4.0, float(envelope.height(GRID).max()) * 1.04)
    top = plate.pick(34, 126)
    ax = plate.axes_at(left, top, wide, tall, xlim=(-REACH, REACH), ylim=(0, peak))
    ground(ax)
    board(ax, envelope)
    x = np.linspace(-REACH, REACH, 241)
    shown = [(weight, part) for weight, part in parts if weight > 0]
    if len(shown) > 1:
        for weight, part in shown:
            law(ax, "q2", x, envelope.constant * weight * part.pdf(x), zorder=5)
    for at in envelope.touch_points:
        rings(ax, [at], [float(envelope.height(at))])
    label(ax, -0.02, 0.07 * peak, "kept", bold=True, ha="center", halo="accepted")
    _cost(plate, head, envelope, shown)
    names = listed([f"{num(weight)} of {part.name}" for weight, part in shown])
    plate.say(
        caption="the better the envelope hugs the target, the smaller C and the larger the kept "
        "share; rings mark where it touches.",
        alt=f"The tightest envelope of the proposal {names} over the target. It touches at x = "
        f"{listed([num(x) for x in envelope.touch_points])}; the smallest C is "
        f"{num(envelope.constant)}, so {100 * envelope.acceptance:.1f} % of the darts are kept.",
    )


def _cost(
    plate: Plate, ax: Axes, envelope: Envelope, shown: Sequence[tuple[float, Proposal]]
) -> None:
    """Write the kept share and C as a bar and two numbers, and name the parts."""
    share = envelope.acceptance
    x, y, wide = plate.pick(500, 12), plate.pick(60, 12), plate.pick(216, 312)
    mass(ax, "rejected", (x, y, wide, 22))
    mass(ax, "accepted", (x, y, wide * share, 22), zorder=3)
    label(ax, x, y + 56, f"{100 * share:.1f} %", bold=True, size=26)
    label(ax, x, y + 78, "of all darts kept", color="accepted", bold=True)
    x, y = plate.pick(500, 200), plate.pick(138, 12)
    label(ax, x, y + 56, num(envelope.constant), bold=True, size=26)
    label(ax, x, y + 78, "smallest $C$", color="q", bold=True)
    if not plate.phone:
        names = [f"{num(weight)} of {part.name}" for weight, part in shown]
        label(ax, x, y + 112, "\n".join(names), color="ink2")
