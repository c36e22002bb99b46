"""The dart board with one slice taken out: the picture of P(accept | x)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from draftproof.envelope import Envelope
from draftproof.trace import EnvelopeTrace

from ..marks import crosses, dots, label, law, line, mass, rect, wash
from ..plate import Plate, drawing
from ..words import num
from .boards import GRID, is_bell, letter, noun

__all__ = ["dart_slice"]


@dataclass(frozen=True)
class _Scene:
    """Where things are, in pixels: the board on the left, the slices on the right."""

    left: float
    wide: float
    base: float
    scale: float

    def x(self, x: float) -> float:
        return self.left + (x + 3) / 6 * self.wide

    def y(self, y: float) -> float:
        return self.base - y * self.scale

    def points(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.column_stack([self.left + (x + 3) / 6 * self.wide, self.base - y * self.scale])


@drawing
def dart_slice(
    plate: Plate, main: Envelope, other: Envelope, trace: EnvelopeTrace, *, x: float = 1.1
) -> None:
    """Draw the darts under `main`, and the slice at `x` under both envelopes, taken out.

    Parameters
    ----------
    main : Envelope
        The envelope whose darts are drawn.
    other : Envelope
        The envelope to compare it with.
    trace : EnvelopeTrace
        The darts.
    x : float
        Where the slice is taken, in the range of the target.
    """
    tallest = max(float(e.height(x_).max()) for e in (main, other) for x_ in (GRID,))
    scene = _Scene(
        left=plate.pick(34, 8),
        wide=plate.pick(412, 186),
        base=plate.pick(376, 316),
        scale=min(plate.pick(68, 56), plate.pick(300, 250) / tallest),
    )
    ax = plate.pixels(plate.pick(430, 386))
    plate.unit = scene.wide / 6 * scene.scale
    _board(ax, scene, main, other)
    _darts(ax, scene, trace, x, plate.pick(240, 110))
    _names(plate, ax, scene, main, other, x)
    _cut(plate, ax, scene, main, x)
    for envelope in (main, other):
        _slice(plate, ax, scene, envelope, x)
    _levels(plate, ax, scene, main, other, x)
    _say(plate, main, other, x)


def _board(ax: Axes, scene: _Scene, main: Envelope, other: Envelope) -> None:
    f, height = main.target(GRID), main.height(GRID)
    wash(ax, "rejected", np.vstack([scene.points(GRID, height), scene.points(GRID[::-1], 0 * f)]))
    ends = scene.points(np.array([-3.0, 3.0]), np.zeros(2))
    outline = np.vstack([ends[:1], scene.points(GRID, np.minimum(f, height)), ends[1:]])
    mass(ax, "accepted", outline, key="kept")
    law(ax, "p", *scene.points(GRID, f).T)
    for envelope in (other, main):
        law(ax, letter(envelope), *scene.points(GRID, envelope.height(GRID)).T, zorder=5)
    line(ax, [scene.x(-3) - 4, ax.get_xlim()[1] - 8], [scene.base] * 2, zorder=6)


def _darts(ax: Axes, scene: _Scene, trace: EnvelopeTrace, x: float, shown: int) -> None:
    """Scatter the first darts, save those that the slice and its white edges hide."""
    near = np.abs(trace.candidates - x) * scene.wide / 6 < 16
    seen = (np.arange(trace.proposed) < shown) & (abs(trace.candidates) <= 3) & ~near
    for kept, draw, size in ((True, dots, 4.5), (False, crosses, 5.0)):
        mine = seen & (trace.accepted == kept)
        points = scene.points(trace.candidates[mine], trace.heights[mine])
        draw(ax, *points.T, size=size)


def _names(
    plate: Plate, ax: Axes, scene: _Scene, main: Envelope, other: Envelope, x: float
) -> None:
    """Name the two envelopes, the target and the two fates."""
    flat, bell = (other, main) if is_bell(main) else (main, other)
    level = scene.y(float(flat.height(0.0)))
    words = f"flat, $C$ = {num(flat.constant)}"
    right = is_bell(main)
    start = scene.x(3) if right else scene.left
    small = plate.pick(13, 12)
    label(ax, start, level - 8, words, color="q", bold=not right, ha="right" if right else "left",
          size=small, halo="background")  # fmt: skip
    if is_bell(main):
        where = (scene.left, scene.base - plate.pick(112, 104))
        label(ax, *where, f"bell,\n$C$ = {num(bell.constant)}", color="q", bold=True,
              size=small)  # fmt: skip
        low = scene.base - plate.pick(58, 52)
        label(ax, scene.left, low, plate.pick("target $f$", "$f$"), color="p", bold=True)
    else:
        peak = scene.y(float(bell.height(0.0)))
        above = peak < level
        label(ax, scene.x(0.5), (peak if above else level) - 8 if above else peak - 6,
              f"bell, $C$ = {num(bell.constant)}", color="q", size=small,
              halo=None if above else "rejected")  # fmt: skip
    side = -0.95 if abs(x + 0.95) > 0.6 else 0.9
    label(ax, scene.x(side), scene.y(0.4), "kept", bold=True, ha="center", halo="accepted")
    if is_bell(main):
        beside = scene.x(plate.pick(1.15, 1.25)), scene.y(float(main.height(0.75)))
        label(ax, *beside, plate.pick("× rejected", "× lost"), color="rejected", bold=True)


def _cut(plate: Plate, ax: Axes, scene: _Scene, main: Envelope, x: float) -> None:
    """Draw the slice where it stands, with a clear edge, and the handle below it."""
    half = plate.pick(8, 5)
    f, height = float(main.target(x)), float(main.height(x))
    at = scene.x(x)
    f = min(f, height)
    top = scene.y(height) - 2
    wash(ax, "background", (at - half - 3, top, 2 * half + 6, scene.base - top), zorder=6)
    mass(ax, "accepted", (at - half, scene.y(f), 2 * half, f * scene.scale), zorder=7)
    if height - f > 1e-9:
        box = (at - half, scene.y(height), 2 * half, (height - f) * scene.scale)
        mass(ax, "rejected", box, zorder=7)
    line(ax, [at - half - 4, at + half + 4], [scene.base] * 2, zorder=8)
    tip = np.array([(at, scene.base + 4), (at + 8, scene.base + 13), (at - 8, scene.base + 13)])
    wash(ax, plate.theme.ink, tip, zorder=8)
    side = min(max(at, scene.left + 34), scene.x(3) - 10)
    label(ax, side, scene.base + 30, f"$x$ = {num(x)}", bold=True, ha="center", size=14)


def _column(plate: Plate, envelope: Envelope) -> tuple[float, float]:
    """Return the left edge and the width in pixels of an envelope's taken-out slice."""
    wide = plate.pick(58, 42)
    return plate.pick((500, 624), (218, 278))[0 if is_bell(envelope) else 1], wide


def _slice(plate: Plate, ax: Axes, scene: _Scene, envelope: Envelope, x: float) -> None:
    left, wide = _column(plate, envelope)
    middle, name = left + wide / 2, noun(envelope)
    height = float(envelope.height(x))
    f = min(float(envelope.target(x)), height)
    mass(ax, "accepted", rect(left, scene.y(f), wide, f * scene.scale), key=f"slice/{name}/kept")
    lost = height - f
    if lost > 1e-9:
        box = rect(left, scene.y(height), wide, lost * scene.scale)
        mass(ax, "rejected", box, key=f"slice/{name}/rejected")
    for value, level, halo in ((f, f / 2, None), (lost, f + lost / 2, "rejected")):
        if value * scene.scale > 20:
            label(ax, middle, scene.y(level), f"{value:.2f}", bold=True, ha="center", va="middle",
                  halo=halo)  # fmt: skip
    law(ax, letter(envelope), [left - 6, left + wide + 6], [scene.y(height)] * 2, zorder=6)
    law(ax, "p", [left - 6, left + wide + 6], [scene.y(f)] * 2, zorder=5)
    top = scene.y(height)
    chance = float(envelope.acceptance_at(x))
    label(ax, middle, top - plate.pick(44, 28), f"{chance:.2f}", bold=True, ha="center",
          size=plate.pick(26, 20))  # fmt: skip
    if not plate.phone:
        label(ax, middle, top - 27, "P(accept | $x$)", ha="center")
    words = plate.pick(f"= {f:.2f} / {height:.2f}", f"of {height:.2f}")
    label(ax, middle, top - 10, words, color="ink2", ha="center", size=12)
    label(ax, middle, scene.base + 22, name, color="q", bold=True, ha="center")
    whole = f"{100 * envelope.acceptance:.0f}\N{NO-BREAK SPACE}%"
    words = plate.pick(f"{whole} of all darts", f"{whole} of\nall darts")
    label(ax, middle, scene.base + 42, words, color="ink2", ha="center", size=12)


def _levels(
    plate: Plate, ax: Axes, scene: _Scene, main: Envelope, other: Envelope, x: float
) -> None:
    """Draw the hair lines that carry a level of the slice over to the bars."""
    first = _column(plate, main)[0]
    last = max(_column(plate, e)[0] for e in (main, other))
    start = scene.x(x) + plate.pick(10, 7)
    kept = scene.y(min(float(main.target(x)), float(main.height(x))))
    line(ax, [start, last], [kept] * 2, "dashed", zorder=1.5)
    line(ax, [start, first], [scene.y(float(main.height(x)))] * 2, "dashed", zorder=1.5)


def _say(plate: Plate, main: Envelope, other: Envelope, x: float) -> None:
    f = float(main.target(x))
    parts = [
        f"under the {noun(e)} envelope (C = {num(e.constant)}) it is {float(e.height(x)):.2f} "
        f"tall, so P(accept | x) = {float(e.acceptance_at(x)):.2f}; of all its darts "
        f"{100 * e.acceptance:.0f} % survive"
        for e in (main, other)
    ]
    plate.say(
        caption="the kept share of one slice is the chance that a dart there survives; a taller "
        "envelope adds only hatched waste.",
        alt=f"Darts under the {noun(main)} envelope, dots below the target and crosses above it. "
        f"The slice at x = {num(x)} is taken out twice with the same kept length f = {f:.2f}: "
        f"{'; '.join(parts)}.",
    )
