"""The marks of every figure: masses, laws, ghosts, arrows, ribbons and labels.

Each function takes the axes first and draws in their coordinates. On the pixel axes of a plate
(:meth:`.plate.Plate.pixels`) these are pixels, x to the right and y *down* from the top left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch

from . import style
from .labels import Label, label
from .motion import arrow, ramp, ribbon
from .paint import Drawn, Shape, as_path, ground, line_colour, plate_of, rect
from .style import mix
from .svg import directive

__all__ = [
    "Label",
    "arrow",
    "crosses",
    "dots",
    "frame",
    "ghost",
    "label",
    "law",
    "line",
    "mass",
    "plate_of",
    "ramp",
    "rect",
    "ribbon",
    "wash",
]

_HATCH = {"accepted": None, "rejected": "//", "residual": "..", "bonus": "++"}


def mass(
    ax: Axes,
    role: str,
    shape: Shape,
    *,
    key: str | None = None,
    left: bool = False,
    plain: bool = False,
    zorder: float = 2,
) -> PathPatch:
    """Draw probability that went somewhere: a fill in the pattern of its fate, outlined.

    ``shape`` is a rectangle (x, y, width, height), polygon points (n, 2) or a Path. With a
    ``key`` its area, read back from the drawn patch, appears in ``plate.areas`` (several masses
    may share a key). ``left=True`` draws the dashed frame of mass that has moved elsewhere;
    ``plain=True`` leaves the pattern out, for squares too small to show it.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    role : str
        Whose colours: ``p``, ``q``, ``accepted``, ``rejected``, ``residual``, ``bonus``.
    shape : Shape
        A rectangle (x, y, width, height), polygon points (n, 2) or a path.
    key : str, optional
        Name under which the area is reported; none unless given.
    left : bool
        Draw the frame of mass that has left.
    plain : bool
        Leave the pattern out.
    zorder : float
        What lies above what: larger is nearer.

    Returns
    -------
    PathPatch
    """
    plate = plate_of(ax)
    colours = plate.theme[role]
    patch = Drawn(
        as_path(shape),
        facecolor=colours.fill,
        edgecolor=colours.line,
        linewidth=style.OUTLINE,
        linestyle=(0, style.GHOST_DASH) if left else "-",
        joinstyle="miter",
        zorder=zorder,
    )
    if not plain:
        patch.order = directive("mass", role)
        patch.plain = {
            "hatch": _HATCH.get(role),
            "hatchcolor": mix(colours.line, colours.fill, 0.62),
        }
    ax.add_patch(patch)
    if key is not None:
        plate.measure(key, ax, patch)
    return patch


def wash(ax: Axes, colour: str, shape: Shape, *, zorder: float = 1) -> PathPatch:
    """Draw a plain fill without outline: the wash of a role, ``panel``, or a hex colour.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    colour : str
        A role, ``panel`` or a hex colour.
    shape : Shape
        A rectangle (x, y, width, height), polygon points (n, 2) or a path.
    zorder : float
        What lies above what: larger is nearer.

    Returns
    -------
    PathPatch
    """
    theme = plate_of(ax).theme
    fill = colour if colour.startswith("#") else ground(theme, colour)
    patch = PathPatch(as_path(shape), facecolor=fill, linewidth=0, zorder=zorder)
    ax.add_patch(patch)
    return patch


def _outline(ax: Axes, shape: Shape, **settings: Any) -> PathPatch:
    patch = PathPatch(as_path(shape), facecolor="none", **settings)
    ax.add_patch(patch)
    return patch


def ghost(ax: Axes, role: str, shape: Shape, *, zorder: float = 3) -> PathPatch:
    """Draw the dashed frame of mass that is missing or has left, without fill.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    role : str
        Whose colours: ``p``, ``q``, ``accepted``, ``rejected``, ``residual``, ``bonus``.
    shape : Shape
        A rectangle (x, y, width, height), polygon points (n, 2) or a path.
    zorder : float
        What lies above what: larger is nearer.

    Returns
    -------
    PathPatch
    """
    return _outline(
        ax,
        shape,
        edgecolor=plate_of(ax).theme[role].line,
        linewidth=style.OUTLINE,
        linestyle=(0, style.GHOST_DASH),
        zorder=zorder,
    )


def frame(ax: Axes, letter: str, shape: Shape, *, zorder: float = 4) -> PathPatch:
    """Draw a law as a closed frame: ``p`` solid, ``q`` dashed; ``next`` (next round) is grey.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    letter : str
        ``p``, ``q`` or ``next``.
    shape : Shape
        A rectangle (x, y, width, height), polygon points (n, 2) or a path.
    zorder : float
        What lies above what: larger is nearer.

    Returns
    -------
    PathPatch
    """
    theme = plate_of(ax).theme
    if letter == "next":
        settings = {"edgecolor": theme.axis, "linewidth": 1.0, "linestyle": (0, style.NEXT_DASH)}
    elif letter == "q":
        settings = {"edgecolor": theme.q.line, "linewidth": 2, "linestyle": (0, style.Q_DASH)}
    else:
        settings = {"edgecolor": theme.p.line, "linewidth": style.P_WIDTH, "linestyle": "-"}
    return _outline(ax, shape, zorder=zorder, joinstyle="miter", **settings)


def law(
    ax: Axes,
    letter: Literal["p", "q", "q2"],
    x: Sequence[float] | np.ndarray,
    y: Sequence[float] | np.ndarray,
    *,
    zorder: float = 4,
    **settings: Any,
) -> Line2D:
    """Draw a law as a line: ``p`` solid, ``q`` dashed, ``q2`` (a second envelope) dotted.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    letter : str
        Which law.
    x : array_like
        Coordinates along the axis.
    y : array_like
        Coordinates across it.
    zorder : float
        What lies above what: larger is nearer.
    **settings : object
        Further settings of the matplotlib artist.

    Returns
    -------
    Line2D
    """
    theme = plate_of(ax).theme
    look: dict[str, Any] = {
        "p": {"color": theme.p.line, "linewidth": style.P_WIDTH},
        "q": {"color": theme.q.line, "linewidth": style.Q_WIDTH, "dashes": style.Q_DASH},
        "q2": {
            "color": theme.q.line,
            "linewidth": style.SECOND_WIDTH,
            "dashes": style.SECOND_DASH,
            "dash_capstyle": "round",
        },
    }[letter]
    look |= {"solid_joinstyle": "round", "solid_capstyle": "round", **settings}
    return ax.add_line(Line2D(list(x), list(y), zorder=zorder, **look))


def line(
    ax: Axes,
    x: Sequence[float] | np.ndarray,
    y: Sequence[float] | np.ndarray,
    kind: str = "axis",
    *,
    zorder: float = 1,
    **settings: Any,
) -> Line2D:
    """Draw a line that is no law: ``axis``, ``hair``, ``leader``, ``ink`` (2 px), ``dashed``.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    x : array_like
        Coordinates along the axis.
    y : array_like
        Coordinates across it.
    kind : str
        ``axis``, ``hair``, ``leader``, ``ink`` or ``dashed``.
    zorder : float
        What lies above what: larger is nearer.
    **settings : object
        Further settings of the matplotlib artist.

    Returns
    -------
    Line2D
    """
    theme = plate_of(ax).theme
    look: dict[str, Any] = {
        "axis": {"color": theme.ink, "linewidth": style.OUTLINE},
        "hair": {"color": theme.hairline, "linewidth": 1},
        "leader": {"color": theme.axis, "linewidth": 1},
        "ink": {"color": theme.ink, "linewidth": 2},
        "dashed": {"color": theme.axis, "linewidth": 1, "dashes": style.NEXT_DASH},
    }[kind]
    return ax.add_line(Line2D(list(x), list(y), zorder=zorder, **{**look, **settings}))


def dots(ax: Axes, x: Any, y: Any, role: str = "accepted", *, size: float = 5.0, **kw: Any) -> None:
    """Draw round markers of ``size`` px in the line colour of ``role``.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    x : object
        Coordinates along the axis.
    y : object
        Coordinates across it.
    role : str
        Whose colours: ``p``, ``q``, ``accepted``, ``rejected``, ``residual``, ``bonus``.
    size : float
        Size in pixels.
    **kw : object
        Further settings of the matplotlib artist.
    """
    colour = line_colour(plate_of(ax).theme, role)
    look: dict[str, Any] = {"linestyle": "none", "marker": "o", "markeredgewidth": 0, "zorder": 3}
    ax.add_line(Line2D(x, y, markersize=size, markerfacecolor=colour, **(look | kw)))


def crosses(
    ax: Axes, x: Any, y: Any, role: str = "rejected", *, size: float = 6.0, **kw: Any
) -> None:
    """Draw cross markers of ``size`` px in the line colour of ``role``.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    x : object
        Coordinates along the axis.
    y : object
        Coordinates across it.
    role : str
        Whose colours: ``p``, ``q``, ``accepted``, ``rejected``, ``residual``, ``bonus``.
    size : float
        Size in pixels.
    **kw : object
        Further settings of the matplotlib artist.
    """
    colour = line_colour(plate_of(ax).theme, role)
    look: dict[str, Any] = {
        "linestyle": "none",
        "marker": "x",
        "markeredgewidth": 1.25,
        "zorder": 3,
    }
    ax.add_line(Line2D(x, y, markersize=size, markeredgecolor=colour, **(look | kw)))
