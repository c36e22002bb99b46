"""Small pieces that several figures of the chapter use: time boxes, fans, whiskers, rows."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from ..chapter3.glyphs import box, name_of
from ..marks import label, line, plate_of, wash
from ..style import OUTLINE
from ..words import fit

__all__ = ["box", "fan", "glyph", "rest", "seconds", "shown", "whisker"]

BREAK = "¶"


def shown(text: str) -> str:
    """Return a text as a figure prints it: spaces and line breaks get marks of their own.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
    return "".join(BREAK if character == "\n" else name_of(character) for character in text)


def glyph(ax: Axes, x: float, y: float, character: str, size: float = 14) -> None:
    """Set one generated character, centred.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    x, y : float
        The middle, in the coordinates of the axes.
    character : str
        One character of a text; the space and the line break get marks of their own.
    size : float
        Of the type, in pixels.
    """
    mono = character != " "  # the mono face has no mark for the space
    label(ax, x, y, shown(character), ha="center", va="middle", size=size, mono=mono)


def seconds(value: float) -> str:
    """Return a time in the unit that reads best: s or ms.

    Parameters
    ----------
    value : float
        In seconds.

    Returns
    -------
    str
    """
    space = "\N{NO-BREAK SPACE}"
    if value >= 1:
        return f"{value:.2f}{space}s"
    return f"{1e3 * value:.{0 if value >= 0.01 else 2 if value < 2e-3 else 1}f}{space}ms"


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


def rest(
    ax: Axes, shape: tuple[float, float, float, float], words: str = "", *, key: str | None = None
) -> None:
    """Draw a stretch of time that is neither drafting nor a target pass, in grey.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    shape : tuple of float
        x, y, width and height, in pixels.
    words : str
        What it says inside, if that fits.
    key : str, optional
        The name under which the plate reports its area; not reported if not given.
    """
    theme = plate_of(ax).theme
    x, y, wide, high = shape
    patch = wash(ax, "hairline", shape, zorder=2)
    patch.set(edgecolor=theme.axis, linewidth=1)
    if key is not None:
        plate_of(ax).measure(key, ax, patch)
    inside = fit(wide - 8, words, size=12) if words else ""
    if inside:
        label(ax, x + wide / 2, y + high / 2, inside, ha="center", va="middle", size=12)


def whisker(
    ax: Axes, x: float, low: float, high: float, *, flat: bool = False, color: str | None = None
) -> None:
    """Draw a spread from `low` to `high` at `x`; `flat` lays it along the other axis.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    x : float
        Where it stands; with `flat` its height.
    low, high : float
        Its ends.
    flat : bool
        Whether it runs from left to right.
    color : str, optional
        Of the line; the theme's ink if not given.
    """
    ends, at = [low, high], [x, x]
    colour = color or plate_of(ax).theme.ink
    line(ax, ends if flat else at, at if flat else ends, "ink", linewidth=1.5, color=colour,
         zorder=4)  # fmt: skip
