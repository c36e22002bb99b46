"""What all marks share: shapes as paths, colours by name, patches with orders for the SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from .style import Theme

if TYPE_CHECKING:
    from .plate import Plate

__all__ = ["Drawn", "Shape", "as_path", "ground", "line_colour", "plate_of", "rect"]

Shape = Sequence[float] | np.ndarray | Path


def plate_of(ax: Axes) -> Plate:
    """Return the plate that ``ax`` belongs to.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.

    Returns
    -------
    Plate
    """
    return ax.figure  # type: ignore[return-value]


class Drawn(PathPatch):
    """A patch that leaves a directive in the SVG, and does without one elsewhere."""

    order: str = ""
    plain: Mapping[str, Any] = MappingProxyType({})

    def draw(self, renderer: Any) -> None:
        """Draw, leaving the order for the SVG.

        Parameters
        ----------
        renderer : object
            Matplotlib's renderer.
        """
        if getattr(self.figure, "writing_svg", False):
            self.set_gid(self.order or None)
            self.set_hatch("")
        else:
            self.set(**self.plain)
        super().draw(renderer)


def rect(x: float, y: float, width: float, height: float) -> Path:
    """Return the closed path of a rectangle.

    Parameters
    ----------
    x : float
        Left end.
    y : float
        Upper or lower end.
    width : float
        Width.
    height : float
        Height.

    Returns
    -------
    Path
    """
    corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)]
    return Path(corners, closed=True)


def as_path(shape: Shape) -> Path:
    """Return a rectangle (x, y, width, height), points (n, 2) or a path as a closed path.

    Parameters
    ----------
    shape : Shape
        A rectangle (x, y, width, height), polygon points (n, 2) or a path.

    Returns
    -------
    Path

    Raises
    ------
    ValueError
        If the shape is none of these.
    """
    if isinstance(shape, Path):
        return shape
    points = np.asarray(shape, dtype=float)
    if points.shape == (4,):
        return rect(*points)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(
            "shape must be (x, y, width, height), points (n, 2) or a Path; "
            f"got an array of shape {points.shape}"
        )
    return Path(np.vstack([points, points[:1]]), closed=True)


def ground(theme: Theme, name: str) -> str:
    """Return the fill of a role, or a neutral colour by its name.

    Parameters
    ----------
    theme : Theme
        The theme, or its name.
    name : str
        A role, ``background`` or ``panel``.

    Returns
    -------
    str
    """
    if name in ("background", "panel", "hairline", "ink", "axis"):
        return str(getattr(theme, name))
    return theme[name].fill


def line_colour(theme: Theme, role: str) -> str:
    """Return the line colour of a role, or an ink by its name.

    Parameters
    ----------
    theme : Theme
        The theme, or its name.
    role : str
        A role, ``ink``, ``ink2``, ``axis`` or ``hairline``.

    Returns
    -------
    str
    """
    return str(getattr(theme, role)) if role in ("ink", "ink2", "axis") else theme[role].line
