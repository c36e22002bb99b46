"""Data axes as this chapter's charts share them: two names, ticks given, no frame."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from ..marks import label
from ..plate import Plate

__all__ = ["chart"]

Ticks = Sequence[tuple[float, str]]


def chart(
    plate: Plate,
    tall: float,
    *,
    x: tuple[float, float, Ticks, str],
    y: tuple[float, float, Ticks, str],
    logarithmic: bool = False,
    head: float = 0,
) -> Axes:
    """Make a plate of one chart: each axis as (low, high, ticks, name).

    Parameters
    ----------
    plate : Plate
        The plate to draw on.
    tall : float
        Height of the data area in pixels.
    x : tuple of float, Ticks, str
        Of the axis along.
    y : tuple of float, Ticks, str
        Of the axis across.
    logarithmic : bool
        Whether the axis along is.
    head : float
        Room above the data area, below the name of its axis: pixels for a key.

    Returns
    -------
    Axes
    """
    left, wide = plate.pick((56, 640), (44, 276))
    canvas = plate.pixels(tall + 96 + head)
    scale = {"xscale": "log"} if logarithmic else {}
    ax = plate.axes_at(left, 36 + head, wide, tall, xlim=x[:2], ylim=y[:2], **scale)
    ax.set_xticks([at for at, _ in x[2]], [words for _, words in x[2]])
    ax.set_yticks([at for at, _ in y[2]], [words for _, words in y[2]])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.grid(axis="y")
    label(canvas, plate.pick(12, 6), 18, y[3], bold=True)
    label(canvas, left + wide, tall + 84 + head, x[3], bold=True, ha="right")
    return ax
