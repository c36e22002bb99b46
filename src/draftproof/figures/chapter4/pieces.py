"""Small pieces that several figures of the chapter use: time boxes, fans, whiskers, rows."""

from __future__ import annotations

from matplotlib.axes import Axes

from ..chapter3.glyphs import box, fan, fan_edges, name_of
from ..marks import label, line, plate_of, wash
from ..words import fit

__all__ = ["box", "fan", "fan_edges", "glyph", "rest", "seconds", "shown", "whisker"]

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
        In seconds. One that would be printed as 0.00 ms without being it is "under 0.01 ms".

    Returns
    -------
    str
    """
    space = "\N{NO-BREAK SPACE}"
    if 0 < value < 5e-6:
        return f"under 0.01{space}ms"
    if value >= 1:
        return f"{value:.2f}{space}s"
    return f"{1e3 * value:.{0 if value >= 0.01 else 2 if value < 2e-3 else 1}f}{space}ms"


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
