"""Boards: a target under its envelope, kept mass below, rejected mass between."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from draftproof.envelope import Envelope, Target
from draftproof.finite import Array

from ..marks import dots, label, law, line, mass, plate_of, wash
from ..plate import Plate, drawing
from ..words import num

REACH = 3.6  # a board shows the bell's tails a little beyond the support
GRID = np.round(np.linspace(-3, 3, 481), 6)
_OUTER = np.r_[np.linspace(-REACH, -3, 25), GRID[1:-1], np.linspace(3, REACH, 25)]
Letter = Literal["q", "q2"]


def is_bell(envelope: Envelope) -> bool:
    """Whether the envelope reaches beyond the support, as a bell does."""
    return bool(envelope.proposal.pdf(np.asarray(3.2)) > 0)


def noun(envelope: Envelope) -> str:
    """Return the plain name of the proposal's shape."""
    return "bell" if is_bell(envelope) else "flat"


def letter(envelope: Envelope) -> Letter:
    """Return the line an envelope is drawn with: dashed for the bell, dotted for the flat one."""
    return "q" if is_bell(envelope) else "q2"


def between(x: Array, low: Array, high: Array) -> Iterator[Array]:
    """Cut the region between two curves into polygons, where the upper one is higher."""
    gap = high - low
    above = gap > 1e-9
    edges = np.flatnonzero(np.diff(above.astype(int)))
    for start, stop in _stretches(above, edges):
        xs, lo, hi = x[start:stop], low[start:stop], high[start:stop]
        left, right = _crossing(x, gap, low, start - 1), _crossing(x, gap, low, stop - 1)
        ends_left = [left] if start > 0 and left is not None else []
        ends_right = [right] if stop < len(x) and right is not None else []
        upper = [*ends_left, *zip(xs, hi, strict=True), *ends_right]
        lower = list(zip(xs, lo, strict=True))[::-1]
        yield np.array([*upper, *lower])


def _stretches(above: Array, edges: Array) -> Iterator[tuple[int, int]]:
    cuts = [0, *(int(e) + 1 for e in edges), len(above)]
    for start, stop in pairwise(cuts):
        if above[start]:
            yield start, stop


def _crossing(x: Array, gap: Array, low: Array, i: int) -> tuple[float, float] | None:
    """Return where the two curves meet between grid points i and i + 1."""
    if i < 0 or i + 1 >= len(x):
        return None
    share = gap[i] / (gap[i] - gap[i + 1])
    return (
        float(x[i] + share * (x[i + 1] - x[i])),
        float(low[i] + share * (low[i + 1] - low[i])),
    )


def board(ax: Axes, envelope: Envelope, *, key: str = "", hatch: bool = True) -> None:
    """Draw kept, rejected and (under a broken envelope) missing mass, and the two laws."""
    prefix = f"{key}/" if key else ""
    x = _OUTER if is_bell(envelope) else GRID
    f, height = envelope.target(x), envelope.height(x)
    kept = np.minimum(f, height)
    inside = (x >= -3) & (x <= 3)
    outline = [(-3, 0), *zip(x[inside], kept[inside], strict=True), (3, 0)]
    for part in between(x, kept, height):
        if hatch:
            mass(ax, "rejected", part, key=f"{prefix}rejected")
        else:
            wash(ax, "rejected", part)
    mass(ax, "accepted", np.array(outline), key=f"{prefix}kept")
    for part in between(x, height, f):
        mass(ax, "residual", part, key=f"{prefix}missing")
    draw_laws(ax, envelope)


def draw_laws(ax: Axes, envelope: Envelope) -> None:
    """Draw the target's line and the envelope's."""
    law(ax, "p", GRID, envelope.target(GRID))
    x = np.linspace(-REACH, REACH, 241) if is_bell(envelope) else np.array([-3.0, 3.0])
    # A casing in the wash's colour keeps the outline of the mass from showing between dashes.
    casing: dict[str, Any] = {"color": plate_of(ax).theme.rejected.fill, "linewidth": 3.0}
    line(ax, x, envelope.height(x), zorder=4.5, **casing)
    law(ax, "q", x, envelope.height(x), zorder=5)


def ground(ax: Axes, *, low: float = -REACH, high: float = REACH, ticks: bool = True) -> None:
    """Draw the x axis of a board with its ticks at whole numbers."""
    line(ax, [low, high], [0, 0], zorder=6)
    ax.yaxis.set_visible(False)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.set_xticks([-3, -2, -1, 0, 1, 2, 3] if ticks else [])
    ax.set_xticklabels([num(t) for t in ax.get_xticks()])


def rings(
    ax: Axes,
    x: Array | list[float],
    y: Array | list[float],
    *,
    size: float = 11.0,
    marker: str = "o",
    filled: bool = False,
) -> None:
    """Draw hollow markers in ink; `filled` ones hide what lies below them."""  # fmt: skip
    theme = plate_of(ax).theme
    look: dict[str, Any] = {
        "linestyle": "none",
        "markeredgecolor": theme.ink,
        "zorder": 5 if filled else 7,
    }
    inside = theme.background if filled else "none"
    width = 1.5 if filled else 2.0
    ax.add_line(
        Line2D(x, y, marker=marker, markersize=size, markerfacecolor=inside,
               markeredgewidth=width, **look)
    )  # fmt: skip


@drawing
def target(plate: Plate, law_: Target) -> None:
    """Draw the target alone: heights can be computed, draws cannot be had."""
    plate.pixels(plate.pick(286, 268))
    left, wide, top, tall = (
        plate.pick(40, 12),
        plate.pick(656, 312),
        plate.pick(40, 62),
        plate.pick(210, 170),
    )
    ax = plate.axes_at(left, top, wide, tall, xlim=(-3.1, 3.1), ylim=(0, 4))
    ground(ax, low=-3.1, high=3.1)
    wash(ax, "p", np.array([(-3, 0), *zip(GRID, law_(GRID), strict=True), (3, 0)]))
    law(ax, "p", GRID, law_(GRID))
    at = 1.1
    height = float(law_(at))
    line(ax, [at, at], [0, height], "ink", zorder=5)
    dots(ax, [at], [height], "ink", size=7, zorder=6)
    label(ax, 1.3, height + 0.25, f"$f$({at}) = {height:.2f}", bold=True)
    label(ax, 1.3, height - 0.2, plate.pick("any height can be computed", "computed"), color="ink2")
    x, peak = law_.peak
    label(
        ax, x - plate.pick(0.25, 0.35), peak - 0.1, "target $f$", color="p", bold=True, ha="right"
    )
    label(ax, -0.02, 0.42, plate.pick("area $Z$: not known", "area $Z$ = ?"), ha="center", halo="p")
    label(
        ax, plate.pick(1.0, -3.05), plate.pick(3.4, 4.65),
        "How do you draw an $x$ that is\nfrequent where $f$ is high?", size=15, bold=True,
    )  # fmt: skip
    plate.say(
        caption="the curve can be computed at any point, but neither its area nor a way to draw "
        "points in its proportions comes with it.",
        alt=f"The target f on [-3, 3], a curve with six humps. The highest, {peak:.2f}, is at "
        f"x = {x:.2f}; a stem shows that f({at}) = {height:.2f} can be computed. The area Z below "
        "the curve is marked as unknown.",
    )


@drawing
def envelopes(plate: Plate, flat: Envelope, bell: Envelope) -> None:
    """Draw both envelopes over the target, kept area below and rejected area between."""
    plate.pixels(plate.pick(300, 528))
    wide, tall = plate.pick(344, 312), plate.pick(220, 190)
    for k, envelope in enumerate((flat, bell)):
        left = plate.pick(12 + k * 368, 12)
        top = plate.pick(46, 38 + k * 264)
        ax = plate.axes_at(left, top, wide, tall, xlim=(-REACH, REACH), ylim=(0, 4.6))
        ground(ax)
        board(ax, envelope, key=noun(envelope))
        heading(ax, envelope, 4.9)
        label(ax, -0.02, 0.4, f"kept {envelope.target.integral:.2f}", bold=True, ha="center",
              halo="accepted")  # fmt: skip
        lost = f"rejected\n{envelope.constant - envelope.target.integral:.2f}"
        if is_bell(envelope):
            label(ax, 1.2, 3.2, lost, color="rejected", bold=True)
        else:
            label(ax, -2.05, 2.2, lost, bold=True, ha="center", va="middle", halo="rejected")
        label(ax, 0, 2.5, "$f$", color="p", bold=True, size=15, ha="center", halo="rejected")
    z = flat.target.integral
    plate.say(
        caption="both envelopes cover the same solid area, and the share it fills is the share of "
        "darts that survive; the hatched area is waste.",
        alt=f"Two panels with the same target, of area {z:.2f}. The flat envelope has area "
        f"{num(flat.constant)}, so {flat.constant - z:.2f} of it is rejected and "
        f"{100 * flat.acceptance:.1f} % is kept. The bell has area {num(bell.constant)}: "
        f"{bell.constant - z:.2f} is rejected, a sliver of it beyond 3 and -3, and "
        f"{100 * bell.acceptance:.1f} % is kept.",
    )


def heading(ax: Axes, envelope: Envelope, level: float, *, digits: int = 2) -> None:
    """Write the proposal and its C over a board on the left, the kept share on the right."""
    left, right = ax.get_xlim()
    words = f"{noun(envelope)}, $C$ = {num(envelope.constant, digits)}"
    label(ax, left, level, words, color="q", bold=True, size=15)
    share = f"kept {100 * envelope.acceptance:.1f} %"
    label(ax, right, level, share, color="accepted", bold=True, size=15, ha="right")
