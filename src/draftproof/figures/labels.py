"""Text on a figure: one line or several, with maths, and with a halo over patterns."""

from __future__ import annotations

from typing import Any

from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

from . import style
from .paint import ground, plate_of
from .svg import directive

__all__ = ["Label", "label"]

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


def _pixels(dx: float, dy: float) -> Affine2D:
    return Affine2D().translate(dx, dy)
