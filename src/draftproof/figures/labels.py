"""Text on a figure: one line or several, with maths, with a halo, and names beside their lines."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, Literal

import numpy as np
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Affine2D
from scipy.optimize import isotonic_regression

from . import style
from .paint import ground, plate_of
from .svg import directive

__all__ = ["Label", "Room", "beside", "label", "spread"]

_CAP = 0.36  # half the height of a capital, in ems: what centres a line of text on a level


class Label(Text):
    """Text with an optional halo in the colour of its ground."""

    halo: str | None = None
    halo_width: float = 5.0

    def draw(self, renderer: Any) -> None:
        """Draw, leaving the order for the SVG.

        Parameters
        ----------
        renderer : object
            Matplotlib's renderer.
        """
        if self.halo and getattr(self.figure, "writing_svg", False):
            self.set_path_effects([])
            self.set_gid(directive("halo", self.halo, self.halo_width))
        elif self.halo:
            stroke = patheffects.withStroke(linewidth=self.halo_width, foreground=self.halo)
            self.set_path_effects([stroke])
        super().draw(renderer)


def label(
    ax: Axes,
    x: float,
    y: float,
    words: str,
    *,
    color: str = "ink",
    size: float = 13,
    bold: bool = False,
    ha: str = "left",
    va: str = "base",
    halo: str | None = None,
    mono: bool = False,
    rotate: float = 0.0,
    leading: float = 1.25,
    zorder: float = 8,
) -> list[Label]:
    """Set ``words`` at (x, y): on that baseline, or with ``va="middle"`` centred on that level.

    ``$p$`` sets maths; a line break starts a new line. ``color`` is ``ink``, ``ink2`` or a role;
    ``halo`` is the ground behind the text (a role's fill, ``background`` or ``panel``). ``x`` and
    ``y`` are in the coordinates of ``ax``; offsets are in pixels.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    x : float
        Where the text begins, ends or has its middle.
    y : float
        Where the first baseline lies.
    words : str
        The text, its mathematics between dollar signs.
    color : str
        ``ink``, ``ink2`` or a role.
    size : float
        Of the type, in pixels, at least 12.
    bold : bool
        Set it semibold.
    ha : str
        ``left``, ``center`` or ``right``.
    va : str
        ``base`` or ``middle``.
    halo : str, optional
        The ground behind the text.
    mono : bool
        Set it in the fixed-width face.
    rotate : float
        Degrees, counter-clockwise.
    leading : float
        Distance of two lines, in sizes.
    zorder : float
        What lies above what: larger is nearer.

    Returns
    -------
    list of Label
        One a line.

    Raises
    ------
    ValueError
        If the size is below 12 pixels.
    """
    theme = plate_of(ax).theme
    if size < style.MIN_TEXT:
        raise ValueError(f"size must be at least {style.MIN_TEXT:g} px; got {size!r}")
    lines = words.split("\n")
    drop = size * _CAP - (len(lines) - 1) * size * leading / 2 if va == "middle" else 0.0
    made = []
    for row, text in enumerate(lines):
        down = drop + row * size * leading
        shift = (0.0, 0.0 if rotate else -down)
        item = Label(
            x, y, text,
            color=theme.text(color),
            fontfamily=style.MONO if mono else style.SANS,
            fontsize=size,
            fontweight="semibold" if bold else "normal",
            ha=ha,
            va="baseline" if not rotate else "center",
            rotation=rotate,
            rotation_mode="anchor" if not rotate else "default",
            zorder=zorder,
            clip_on=False,
        )  # fmt: skip
        item.halo = None if halo is None else ground(theme, halo)
        ax.add_artist(item)
        item.set_transform(ax.transData + _pixels(*shift))
        made.append(item)
    return made


def spread(
    levels: Sequence[float],
    gap: float,
    *,
    low: float = -inf,
    high: float = inf,
    avoid: float | None = None,
) -> list[float]:
    """Return where labels stand that belong at `levels`, `gap` apart and moved the least.

    The sum of the squared moves is the least there is, and the order stays: of two labels that
    belong at one level the first stands lower.

    Parameters
    ----------
    levels : sequence of float
        Where the labels belong.
    gap : float
        The least distance of two neighbours.
    low, high : float
        The range in which they stand.
    avoid : float, optional
        A level from which every label keeps half a gap: that of a line.

    Returns
    -------
    list of float
        In the order of `levels`.

    Raises
    ------
    ValueError
        If so many labels do not go into the range.
    """
    order = sorted(range(len(levels)), key=lambda k: levels[k])
    wanted = [float(levels[k]) for k in order]
    tries = []
    for below in [len(wanted)] if avoid is None else range(len(wanted) + 1):
        under = high if avoid is None else min(high, avoid - gap / 2)
        over = low if avoid is None else max(low, avoid + gap / 2)
        parts = ((wanted[:below], low, under), (wanted[below:], over, high))
        if all(gap * (len(part) - 1) <= b - a + 1e-9 for part, a, b in parts if part):
            placed = [y for part, a, b in parts for y in _apart(part, gap, a, b)]
            cost = sum((y - w) ** 2 for y, w in zip(placed, wanted, strict=True))
            tries.append((cost, placed))
    if not tries:
        raise ValueError(f"levels must go into the range {gap!r} apart; got {len(wanted)} of them")
    placed = min(tries)[1]
    return [placed[order.index(k)] for k in range(len(wanted))]


def _apart(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return the levels nearest to those wanted, which rise: without their gaps they rise too."""
    if not wanted:
        return []
    steps = gap * np.arange(len(wanted))
    nearest = isotonic_regression(np.array(wanted) - steps).x  # least squares, before the range
    return (np.clip(nearest, low, high - steps[-1]) + steps).tolist()


def beside(
    ax: Axes,
    points: Sequence[tuple[float, float]],
    words: Sequence[str],
    *,
    side: Literal["left", "right"] = "right",
    avoid: float | None = None,
    off: float = 10,
    size: float = 13,
    color: str = "ink",
    bold: bool = True,
    halo: tuple[str, str] | None = None,
) -> None:
    """Name lines beside their ends: a label each, no two on one level, with a leader if moved.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    points : sequence of (float, float)
        The ends of the lines, in the coordinates of the axes.
    words : sequence of str
        Their names.
    side : str
        On which side of the ends: ``left`` or ``right``.
    avoid : float, optional
        The level of a line on which no label may lie.
    off : float
        Distance of a label from its end, in pixels, if it can stand on its level; if not, or if
        that is far, leaders join the two.
    size : float
        Of the type, in pixels.
    color : str
        Of the names: ``ink``, ``ink2`` or a role.
    bold : bool
        Set them semibold.
    halo : tuple of str, optional
        The ground behind a label below the level `avoid`, and behind one above it.
    """
    colour, out = plate_of(ax).theme.axis, 1 if side == "right" else -1
    ends, box, half = ax.transData.transform(points), ax.get_window_extent(), 0.6 * size
    floor = None if avoid is None else float(ax.transData.transform((points[0][0], avoid))[1])
    levels = spread(list(ends[:, 1]), 2 * half, low=box.y0 + half, high=box.y1 - half, avoid=floor)
    moved = off > 12 or max(np.abs(levels - ends[:, 1])) > 2
    far = out * max(out * ends[:, 0])
    x = far + out * (max(off, 26) if moved else off)
    back = ax.transData.inverted()
    for (x0, y0), y, name in zip(ends, levels, words, strict=True):
        if moved:
            bends = [(x0 + out * 7, y0), (far + out * 9, y0), (x - out * 3, y)]
            xs, ys = back.transform(bends).T
            ax.add_line(Line2D(xs, ys, color=colour, linewidth=1, zorder=2.5, clip_on=False))
        at, level = back.transform((x, y))
        under = None if halo is None else halo[floor is None or y > floor]
        label(ax, at, level, name, va="middle", ha="left" if out > 0 else "right", size=size,
              color=color, bold=bold, halo=under)  # fmt: skip


class Room:
    """Where a line of text can stand among lines and among texts placed before.

    Parameters
    ----------
    ax : Axes
        The axes.
    lines : sequence of (sequence of float, sequence of float)
        The lines, in the coordinates of the axes, each from left to right.
    """

    def __init__(self, ax: Axes, lines: Sequence[tuple[Sequence[float], Sequence[float]]]) -> None:
        self.ax = ax
        self.lines = [ax.transData.transform(np.column_stack(xy)) for xy in lines]
        self.taken: list[tuple[float, float, float, float]] = []

    def above(
        self, x: float, marks: Sequence[tuple[float, float]], wide: float, size: float = 12
    ) -> float | None:
        """Return the lowest baseline for a text over some marks, and over every line near them.

        Parameters
        ----------
        x : float
            Where the marks are, in the coordinates of the axes.
        marks : sequence of (float, float)
            The level of each, in the coordinates of the axes, and its radius in pixels.
        wide : float
            Width of the text in pixels; its middle is at `x`.
        size : float
            Of the type, in pixels.

        Returns
        -------
        float or None
            In the coordinates of the axes; None if another text stands there.
        """
        at = float(self.ax.transData.transform((x, marks[0][0]))[0])
        low = max(float(self.ax.transData.transform((x, y))[1]) + r for y, r in marks)
        span = (at - wide / 2 - 1, at + wide / 2 + 1)
        while hits := [t for b, t in self._bands(span) if b < low + size + 3 and t > low]:
            low = max(hits)
        return self._take(span, low + 4, size)

    def first(
        self, x: float, levels: Sequence[float], wide: float, *, ha: str = "left", size: float = 13
    ) -> float | None:
        """Return the first of some levels on which a text lies on no line.

        Parameters
        ----------
        x : float
            Where the text is set, in the coordinates of the axes.
        levels : sequence of float
            Baselines, the best one first, in the coordinates of the axes.
        wide : float
            Width of the text in pixels.
        ha : str
            ``left`` or ``center``: what of the text is at `x`.
        size : float
            Of the type, in pixels.

        Returns
        -------
        float or None
            None if no level is free.
        """
        for level in levels:
            at, low = self.ax.transData.transform((x, level))
            start = at - wide / 2 if ha == "center" else at
            span = (start - 2, start + wide + 2)
            if not any(b < low + size + 1 and t > low - 5 for b, t in self._bands(span)):
                found = self._take(span, low, size)
                if found is not None:
                    return found
        return None

    def keep(self, x: float, y: float, radius: float) -> None:
        """Keep a mark free of the texts placed from now on.

        Parameters
        ----------
        x, y : float
            Its middle, in the coordinates of the axes.
        radius : float
            In pixels.
        """
        at, level = self.ax.transData.transform((x, y))
        self.taken.append((at - radius, at + radius, level - radius, level + radius))

    def near(
        self, x: float, y: float, wide: float, radius: float, size: float = 12
    ) -> tuple[float, float, Literal["left", "right"]] | None:
        """Return where a short text goes beside a mark, clear of lines and of other texts.

        Parameters
        ----------
        x, y : float
            The middle of the mark, in the coordinates of the axes.
        wide : float
            Width of the text in pixels.
        radius : float
            Of the mark, in pixels.
        size : float
            Of the type, in pixels.

        Returns
        -------
        tuple of float, float and str, or None
            The baseline's end in the coordinates of the axes, and which end it is; None if there
            is no room.
        """
        middle = self.ax.transData.transform((x, y))
        drop, off = 0.36 * size, radius + 4
        for rise in (0.0, -0.8 * size, 0.8 * size, -1.5 * size, 1.5 * size):
            for ha, out in (("left", off), ("right", -off)):
                at, low = middle[0] + out, middle[1] + rise - drop
                start = at if ha == "left" else at - wide
                span = (start - 2, start + wide + 2)
                free = not any(b < low + size and t > low - 3 for b, t in self._bands(span))
                if free and self._take(span, low, size) is not None:
                    back = self.ax.transData.inverted().transform((at, low))
                    return float(back[0]), float(back[1]), "left" if ha == "left" else "right"
        return None

    def _bands(self, span: tuple[float, float]) -> list[tuple[float, float]]:
        """Return the lowest and highest level of each line between two places."""
        bands = []
        for x, y in (points.T for points in self.lines):
            a, b = max(span[0], x[0]), min(span[1], x[-1])
            if a <= b:
                own = [*np.interp([a, b], x, y), *y[(x >= a) & (x <= b)]]
                bands.append((min(own), max(own)))
        return bands

    def _take(self, span: tuple[float, float], low: float, size: float) -> float | None:
        box = (span[0], span[1], low - 0.2 * size, low + 0.8 * size)
        for a, b, c, d in self.taken:
            if box[0] < b and a < box[1] and box[2] < d and c < box[3]:
                return None
        self.taken.append(box)
        return float(self.ax.transData.inverted().transform((span[0], low))[1])


def _pixels(dx: float, dy: float) -> Affine2D:
    return Affine2D().translate(dx, dy)
