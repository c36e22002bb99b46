"""Small pieces that several figures of the chapter use."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from ..marks import label, plate_of, rect
from ..style import GHOST_DASH, OUTLINE

__all__ = ["SPACE", "box", "fan", "fan_edges", "letter", "name_of", "path_of", "spoken"]

SPACE = "␣"


def name_of(character: str) -> str:
    """Return a character as a figure prints it: the space gets a mark of its own.

    Parameters
    ----------
    character : str
        One character of the toy.

    Returns
    -------
    str
    """
    return SPACE if character == " " else character


def spoken(character: str) -> str:
    """Return a character as an alternative text says it.

    Parameters
    ----------
    character : str
        One character of the toy.

    Returns
    -------
    str
    """
    return {" ": "the space", "^": "the start"}.get(character, character)


def letter(ax: Axes, x: float, y: float, character: str, size: float = 14) -> None:
    """Set one generated character, centred.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    x : float
        Where, in the coordinates of the axes.
    y : float
        Where, in the coordinates of the axes.
    character : str
        One character of the toy.
    size : float
        Of the type, in pixels.
    """
    mono = character != " "
    label(ax, x, y, name_of(character), ha="center", va="middle", size=size, mono=mono)


def box(
    ax: Axes,
    role: str,
    shape: tuple[float, float, float, float],
    *,
    key: str | None = None,
    dashed: bool = False,
) -> None:
    """Draw a piece of time, or a letter's cell, plain in a role's fill with a thin outline.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    role : str
        Whose colours: ``p``, ``q``, ``accepted``, ``rejected``, ``residual``, ``bonus``.
    shape : tuple of float
        x, y, width, height.
    key : str, optional
        Name under which the area is reported; none unless given.
    dashed : bool
        Draw the outline dashed.
    """
    colours = plate_of(ax).theme[role]
    look = {"facecolor": colours.fill, "edgecolor": colours.line, "linewidth": OUTLINE}
    look["linestyle"] = (0, GHOST_DASH) if dashed else "-"
    patch = ax.add_patch(PathPatch(rect(*shape), joinstyle="miter", zorder=2, **look))
    if key is not None:
        plate_of(ax).measure(key, ax, patch)


def path_of(*boxes: tuple[float, float, float, float]) -> Path:
    """Return several rectangles (x, y, width, height) as one path, so that one patch holds them.

    Parameters
    ----------
    *boxes : tuple of float
        The rectangles.

    Returns
    -------
    Path
    """
    return Path.make_compound_path(*(rect(*shape) for shape in boxes))


def fan(
    ax: Axes, top: tuple[float, float], low: tuple[float, float], y: tuple[float, float], lit: bool
) -> None:
    """Draw the band that joins a round's characters (above) to its time (below).

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    top, low : tuple of float
        Left and right end of the characters, and of the time.
    y : tuple of float
        Where the band starts at the characters and ends at the time.
    lit : bool
        Whether it belongs to the chosen round: in the draft's colours and in front of the others.
    """
    theme = plate_of(ax).theme
    (a, b), (c, d), (y0, y1) = top, low, y
    bend = (y0 + y1) / 2
    points = [(a, y0), (a, bend), (c, bend), (c, y1), (d, y1), (d, bend), (b, bend), (b, y0),
              (a, y0)]  # fmt: skip
    curve = [Path.CURVE4] * 3
    codes = [Path.MOVETO, *curve, Path.LINETO, *curve, Path.CLOSEPOLY]
    face, edge = (theme.q.fill, theme.q.line) if lit else (theme.panel, theme.hairline)
    look = {"facecolor": face, "edgecolor": edge, "linewidth": OUTLINE if lit else 1}
    ax.add_patch(PathPatch(Path(points, codes), zorder=2 if lit else 1, **look))


def fan_edges(
    top: tuple[float, float],
    low: tuple[float, float],
    y: tuple[float, float],
    levels: tuple[float, float],
) -> tuple[np.ndarray, np.ndarray]:
    """Return where a fan's left and right edge run between two levels.

    Parameters
    ----------
    top, low, y : tuple of float
        The fan, as `fan` draws it.
    levels : tuple of float
        The upper and the lower level, in pixels.

    Returns
    -------
    tuple of ndarray
        Along both edges, downwards.
    """
    t = np.linspace(0, 1, 101)
    height = y[0] * (1 - t) ** 3 + 1.5 * sum(y) * t * (1 - t) + y[1] * t**3
    share = np.interp(np.linspace(*levels, 21), height, t * t * (3 - 2 * t))
    return top[0] + (low[0] - top[0]) * share, top[1] + (low[1] - top[1]) * share
