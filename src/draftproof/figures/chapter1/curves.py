"""Curves: bias against C, acceptance against width, acceptance against dimension."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from draftproof.envelope import gaussian_acceptance
from draftproof.envelope_runs import BELL, FLAT, BiasCurve, DimensionRuns, WidthCurve
from draftproof.noise import binomial_interval

from ..marks import label, line, wash
from ..plate import Plate, drawing
from ..words import count, num, ten
from .boards import rings

__all__ = ["bias_curve", "dimensions", "proposal_width"]


def _axes(ax: Axes, xticks: list[float], yticks: list[float], ynames: list[str]) -> None:
    """Set ticks, and draw a hair line at each level."""
    ax.spines["left"].set_visible(False)
    ax.set_xticks(xticks, [num(t) for t in xticks])
    ax.set_yticks(yticks, ynames)
    ax.tick_params(axis="y", length=0)
    for level in yticks:
        line(ax, ax.get_xlim(), [level, level], "hair", zorder=0.5)


@drawing
def bias_curve(plate: Plate, curve: BiasCurve) -> None:
    """Draw the distance of the survivors' law from f / Z while C shrinks, with runs.

    Parameters
    ----------
    curve : BiasCurve
        The computed curve.
    """
    full = plate.pixels(plate.pick(340, 330))
    left, wide, tall = plate.pick(52, 42), plate.pick(660, 282), plate.pick(230, 210)
    top = plate.pick(48, 56)
    ax = plate.axes_at(left, top, wide, tall, xlim=(0.05, 1.12), ylim=(0, 0.33))
    _axes(ax, [0.2, 0.4, 0.6, 0.8, 1.0], [0, 0.1, 0.2, 0.3], ["0", "0.1", "0.2", "0.3"])
    low, _, high = curve.band
    wash(ax, "p", (0.05, low, 1.07, high - low))
    line(ax, [1, 1], [0, 0.29], "leader")
    for name, dashes in ((FLAT, None), (BELL, (7, 4))):
        look = {"dashes": dashes} if dashes else {}
        line(ax, curve.shares, curve.exact[name], "ink", zorder=4, **look)
        marker = "o" if name == FLAT else "D"
        rings(ax, curve.run_shares, curve.runs[name], size=7, marker=marker, filled=True)
    label(full, plate.pick(12, 8), 24, "TV distance of the survivors from $f/Z$", bold=True)
    label(full, plate.width - 12, top + tall + 40, "$C$ as a share of the smallest valid $C$",
          bold=True, ha="right")  # fmt: skip
    label(ax, plate.pick(0.27, 0.33), 0.215, "flat", bold=True)
    label(ax, 0.13, plate.pick(0.108, 0.1), "bell", bold=True)
    band = plate.pick(
        "exact sampler: 90 % of its runs fall in this band", "exact sampler: 90 % here"
    )
    label(ax, 0.07, high + 0.006, band, color="p", bold=True, size=12)
    label(ax, 0.985, 0.27, "valid →", bold=True, ha="right")
    tenth, half = (int(abs(curve.shares - share).argmin()) for share in (0.9, 0.5))
    plate.say(
        caption="a little below the smallest C the bias hides in the noise band; further down the "
        "survivors drift to the proposal itself (lines: exact; marks: runs).",
        alt="Total variation between the survivors' law and f/Z against C as a share of the "
        "smallest valid C. At 90 % of it the distance is "
        f"{curve.exact[FLAT][tenth]:.3f} for the flat and {curve.exact[BELL][tenth]:.3f} for the "
        f"bell proposal, at half {curve.exact[FLAT][half]:.3f} and {curve.exact[BELL][half]:.3f}. "
        f"Runs of {count(curve.survivors)} survivors lie along the curves until these sink into "
        f"the band from {low:.3f} to {high:.3f}, where an exact sampler's runs lie.",
    )


@drawing
def proposal_width(plate: Plate, curve: WidthCurve) -> None:
    """Draw the acceptance of a bell against its width, alone and mixed with a narrow one.

    Parameters
    ----------
    curve : WidthCurve
        The computed curve.
    """
    full = plate.pixels(plate.pick(360, 350))
    left, wide, tall = plate.pick(56, 44), plate.pick(610, 244), plate.pick(250, 230)
    top = plate.pick(48, 56)
    ax = plate.axes_at(left, top, wide, tall, xlim=(0.55, 2.55), ylim=(0, 0.78))
    _axes(ax, [0.6, 1, 1.5, 2, 2.5], [0, 0.25, 0.5, 0.75], ["0", "25 %", "50 %", "75 %"])
    area = curve.acceptance[0] * curve.constants[0]
    _second_axis(plate, full, ax, area, (left + wide, top - 12))
    line(ax, curve.widths, curve.acceptance, "ink", zorder=4)
    line(ax, curve.widths, curve.mixed_acceptance, "ink", zorder=4, dashes=(7, 4))
    best, mixed = curve.best, curve.mixed_best
    for i, values in ((best, curve.acceptance), (mixed, curve.mixed_acceptance)):
        rings(ax, [curve.widths[i]], [values[i]])
    share, top_share = 100 * curve.acceptance[best], 100 * curve.mixed_acceptance[mixed]
    label(ax, 0.95, curve.acceptance[best] + 0.015, f"{share:.1f} %", bold=True, ha="right")
    words = f"{top_share:.1f} %" + plate.pick(f" at width {num(curve.widths[mixed])}", "")
    label(ax, curve.widths[mixed] + 0.06, curve.mixed_acceptance[mixed] + 0.02, words, bold=True)
    label(ax, 1.75, 0.29, "one bell", bold=True, ha="right")
    words = plate.pick(f"half of it narrow (σ = {num(curve.narrow)})", "half narrow")
    label(ax, plate.pick(1.75, 1.7), 0.5, words, bold=True, halo="background")
    label(full, plate.pick(12, 8), 24, "darts kept under the tightest envelope", bold=True)
    label(full, left + wide, top + tall + 40, "width σ of the bell", bold=True, ha="right")
    tail = float(curve.acceptance[0])
    plate.say(
        caption="one bell is best at one width and fails on both sides of it; half of it made "
        "narrow, the mixture beats every single bell.",
        alt=f"Acceptance under the tightest envelope against the width of the bell. One bell keeps "
        f"{100 * tail:.1f} % at width {num(curve.widths[0])}, {share:.1f} % at its best width "
        f"{num(curve.widths[best])} (C = {curve.constants[best]:.2f}) and "
        f"{100 * curve.acceptance[-1]:.1f} % at {num(curve.widths[-1])}. Mixed half and half with "
        f"a bell of width {num(curve.narrow)} the best is {top_share:.1f} % at width "
        f"{num(curve.widths[mixed])} (C = {curve.mixed_constants[mixed]:.2f}).",
    )


def _second_axis(
    plate: Plate, full: Axes, ax: Axes, area: float, head: tuple[float, float]
) -> None:
    """Draw the smallest C on an axis of its own at the right: acceptance is area / C."""
    end = ax.get_xlim()[1]
    tick = plate.pick(0.02, 0.04)
    line(ax, [end, end], [0, ax.get_ylim()[1]], "axis", clip_on=False)
    for constant in (8, 10, 15, 30, 100):
        level = area / constant
        line(ax, [end, end + tick], [level] * 2, "axis", clip_on=False)
        label(ax, end + 2 * tick, level, str(constant), color="ink2", size=12, va="middle")
    label(full, plate.width - 12, head[1], "smallest $C$", bold=True, ha="right")


@drawing
def dimensions(
    plate: Plate, runs: DimensionRuns, *, scale: float | None = None, dimension: int | None = None
) -> None:
    """Draw the acceptance of a wider Gaussian against dimension, with counted runs.

    Parameters
    ----------
    runs : DimensionRuns
        The counted runs.
    scale : float, optional
        Marks a proposal of this width, with `dimension`.
    dimension : int, optional
        Marks this dimension.
    """
    floor = 1e-6
    lost = bool(dimension and scale and gaussian_acceptance(dimension, scale) <= floor)
    head = plate.pick(44, 66 if lost else 48)  # what cannot be marked is said over the axes
    full = plate.pixels(head + plate.pick(336, 318))
    left, wide, tall = plate.pick(62, 50), plate.pick(600, 262), plate.pick(270, 250)
    top = head
    ax = plate.axes_at(left, top, wide, tall, xlim=(0, 1040), ylim=(floor, 1.6), yscale="log")
    ax.minorticks_off()
    _axes(ax, [0, 250, 500, 750, 1000], [1, 1e-2, 1e-4, 1e-6], ["1", "10⁻²", "10⁻⁴", "10⁻⁶"])
    for each in runs.scales:
        end = min(1000.0, np.log(1 / floor) / np.log(each))
        line(ax, [0, end], [1, each**-end], "ink", zorder=3)
    for _, d, accepted in runs.points:
        low, high = binomial_interval(accepted, runs.darts)
        line(ax, [d, d], [low, high], "ink", zorder=4)
        rings(ax, [d], [accepted / runs.darts], size=6, filled=True)
    _scale_names(plate, ax, runs)
    words = _marked(plate, full, ax, scale, dimension, floor)
    label(full, plate.pick(12, 8), 22, "darts kept", bold=True)
    label(full, left + wide, top + tall + 40, "dimension $d$", bold=True, ha="right")
    last = 1 / gaussian_acceptance(1000, 1.01)
    plate.say(
        caption="every dimension multiplies the waste, so on this scale acceptance falls along "
        "straight lines (marks: runs with 95 % intervals).",
        alt=f"Share of darts kept, on a logarithmic scale, against dimension, for a standard "
        f"Gaussian under envelopes {', '.join(num(s) for s in runs.scales)} times as wide: "
        f"straight falling lines with counted runs of {count(runs.darts)} darts on them. At 1.01 "
        f"and dimension {count(1000)} one dart in {count(last)} survives.{words}",
    )


def _scale_names(plate: Plate, ax: Axes, runs: DimensionRuns) -> None:
    """Name each line at its right, the flattest one higher up than the others."""
    for k, each in enumerate(runs.scales):
        level = 6e-4 if k == 0 else 2e-6
        d = np.log(1 / level) / np.log(each)
        last = k + 1 == len(runs.scales)
        if last:  # between two steep lines there is just room for the number
            label(ax, (d + np.log(1 / level) / np.log(runs.scales[k - 1])) / 2, level,
                  num(each), bold=True, ha="center", size=12)  # fmt: skip
            continue
        words = f"σ = {num(each)}" if k == 0 else num(each)
        label(ax, d + plate.pick(12, 24), level, words, bold=True)


def _marked(
    plate: Plate, full: Axes, ax: Axes, scale: float | None, dimension: int | None, floor: float
) -> str:
    """Mark one point and return its words; nothing where none is asked for."""
    if scale is None or dimension is None:
        return ""
    share = gaussian_acceptance(dimension, scale)
    tries = ten(round(-np.log10(share))) if share < 1e-9 else count(1 / share)
    cost = f"1 dart in {tries}"
    if share > floor:
        rings(ax, [dimension], [share])
        right = dimension > 600  # the free corner lies under the lines there, else over them
        low = share * (0.25 if share > 2e-5 else 2.5) if right else share * 0.85
        x, side = (1045, "right") if right else (dimension + plate.pick(20, 44), "left")
        look: dict[str, Any] = {"ha": side, "size": plate.pick(15, 13), "halo": "background"}
        label(ax, x, low, cost, bold=True, **look)
    else:  # too far down to be marked
        words = f"σ {num(scale)}, $d$ {dimension}: {cost}"
        look = {"ha": "right", "size": 15} if not plate.phone else {}
        label(full, plate.pick(662, 8), plate.pick(24, 44), words, bold=True, **look)
    return f" Marked: at {num(scale)} and dimension {dimension}, {cost}."
