"""Small pieces that several figures of the chapter use."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from ..marks import label, plate_of, rect
from ..style import GHOST_DASH, OUTLINE

__all__ = ["SPACE", "box", "letter", "name_of", "path_of", "spoken"]

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
