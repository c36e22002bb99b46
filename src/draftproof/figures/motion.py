"""The marks of a move: arrows, colour ramps, and ribbons as thick as the mass they carry."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from .paint import Drawn, as_path, line_colour, plate_of
from .style import mix
from .svg import directive

__all__ = ["arrow", "ramp", "ribbon"]


def arrow(
    ax: Axes,
    points: Sequence[tuple[float, float]],
    *,
    curve: bool = False,
    color: str = "ink",
    width: float = 2.0,
    head: float = 9.0,
    zorder: float = 6,
) -> None:
    """Draw the arrow of a motion, in pixel axes, ending at the last of ``points``.

    Straight pieces by default. With ``curve`` the points after the first come in threes, as the
    control points and end of cubic Bezier pieces.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    points : sequence of tuple
        Through these, in pixels.
    curve : bool
        Whether the pieces are Bezier curves.
    color : str
        ``ink``, ``ink2`` or a role.
    width : float
        Of the line, in pixels.
    head : float
        Length of the head, in pixels.
    zorder : float
        What lies above what: larger is nearer.
    """
    colour = line_colour(plate_of(ax).theme, color)
    way = np.asarray(points, dtype=float)
    tip, back = way[-1], way[-1] - way[-2]
    back = back / np.hypot(*back)
    side = np.array([-back[1], back[0]])
    way = np.vstack([way[:-1], tip - back * head * 0.7])
    codes = [Path.MOVETO] + [Path.CURVE4 if curve else Path.LINETO] * (len(way) - 1)
    look = {"edgecolor": colour, "facecolor": "none", "linewidth": width, "zorder": zorder}
    ax.add_patch(PathPatch(Path(way, codes), joinstyle="round", **look))
    base = tip - back * head
    wings = [tip, base + side * head * 0.62, base - side * head * 0.62]
    ax.add_patch(PathPatch(as_path(np.array(wings)), facecolor=colour, linewidth=0, zorder=zorder))


def ramp(
    ax: Axes,
    shape: Path | np.ndarray,
    stops: Sequence[tuple[float, str]],
    x0: float,
    x1: float,
    *,
    zorder: float = 1,
) -> PathPatch:
    """Draw a fill whose colour runs from ``x0`` to ``x1``; ``stops`` are (share, hex colour).

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    shape : Path or ndarray
        What is filled.
    stops : sequence of tuple
        Share of the way and hex colour.
    x0 : float
        Where the first colour lies.
    x1 : float
        Where the last one lies.
    zorder : float
        What lies above what: larger is nearer.

    Returns
    -------
    PathPatch
    """
    patch = Drawn(as_path(shape), facecolor=stops[len(stops) // 2][1], linewidth=0, zorder=zorder)
    marks = [f"{colour}@{share:g}" for share, colour in stops]
    patch.order = directive("ramp", f"{x0:g}", f"{x1:g}", *marks)
    ax.add_patch(patch)
    return patch


def ribbon(
    ax: Axes,
    start: tuple[float, float, float],
    end: tuple[float, float, float],
    *,
    lead: float = 0.0,
    zorder: float = 1,
) -> PathPatch:
    """Draw a band of mass from the hatched side to the dotted one, in pixel axes.

    ``start`` and ``end`` are (x, top, bottom); ``lead`` is how far it runs level before it bends.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    start : tuple of float
        x, top and bottom of the hatched end.
    end : tuple of float
        x, top and bottom of the dotted end.
    lead : float
        Pixels.
    zorder : float
        What lies above what: larger is nearer.

    Returns
    -------
    PathPatch
    """
    theme = plate_of(ax).theme
    (x0, top0, low0), (x1, top1, low1) = start, end
    bend = x0 + lead
    middle = (bend + x1) / 2
    vertices = [
        (x0, top0), (bend, top0), (middle, top0), (middle, top1), (x1, top1),
        (x1, low1), (middle, low1), (middle, low0), (bend, low0), (x0, low0), (x0, top0),
    ]  # fmt: skip
    curve = [Path.CURVE4] * 3
    codes = [Path.MOVETO, Path.LINETO, *curve, Path.LINETO, *curve, Path.LINETO, Path.CLOSEPOLY]
    ground = theme.background
    deep = 0.36 if theme.name == "light" else 0.4
    stops = [
        (0.0, mix(theme.rejected.line, ground, deep * 0.9)),
        (0.45, mix(theme.rejected.line, ground, deep * 0.36)),
        (0.55, mix(theme.residual.fill, ground, deep * 0.8)),
        (1.0, mix(theme.residual.fill, ground, deep * 2)),
    ]
    return ramp(ax, Path(vertices, codes), stops, x0, x1, zorder=zorder)
