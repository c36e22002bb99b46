"""The grid of misbeliefs: how the draft draws against which q the rule is told."""

from __future__ import annotations

from matplotlib.axes import Axes

from ..chapter2.rules import short
from ..chapter2.split import Bars
from ..marks import label, line, wash
from ..plate import Plate, drawing
from ..words import count, num
from .beliefs import Grid
from .cards import parts
from .gallery import Card

__all__ = ["q_grid"]


def _card(grid: Grid, drawn: str, told: str) -> Card:
    at = drawn, told
    return Card(
        "", grid.p, grid.law(*at), grid.accepted[at], grid.corrected[at], grid.names,
        grid.distance(*at), None,
    )  # fmt: skip


@drawing
def q_grid(plate: Plate, grid: Grid, *, drawn: str = "argmax", told: str = "softmax") -> None:
    """Draw the emitted law of every cell, and one cell enlarged.

    Parameters
    ----------
    grid : Grid
        From ``beliefs.grid``.
    drawn, told : str
        The cell to enlarge.

    Raises
    ------
    ValueError
        If the grid has no such row or column.
    """
    for name, way in (("drawn", drawn), ("told", told)):
        if way not in grid.ways:
            raise ValueError(f"{name} must be one of {', '.join(grid.ways)}; got {way!r}")
    ways, size = len(grid.ways), len(grid.names)
    left, top = plate.pick(84, 62), plate.pick(66, 66)
    wide, tall, deep = plate.pick((92, 62, 96), (67, 50, 86))
    bottom = top + ways * deep
    ax = plate.pixels(plate.pick(bottom + 8, bottom + 262))
    label(ax, left, 22, "the rule is told $q$ from …", color="q", bold=True)
    label(ax, plate.pick(8, 4), plate.pick(46, 46), "drawn", color="q", bold=True)
    label(ax, plate.pick(8, 4), plate.pick(62, 62), "from …", color="q", bold=True)
    bar = (wide - 14) / (size * 1.22)
    highest = max(float(grid.law(a, b).max()) for a in grid.ways for b in grid.ways)
    highest = max(highest, float(grid.p.max()))
    for i, row in enumerate(grid.ways):
        y = top + i * deep
        label(ax, plate.pick(8, 4), y + deep - 30 - 12, row, va="middle", bold=True, size=12)
        for j, column in enumerate(grid.ways):
            x = left + j * wide
            if i == 0:
                label(ax, x + wide / 2, 52, column, ha="center", bold=True, size=12)
            _cell(plate, ax, grid, (row, column), (x, y), (wide, tall / highest, deep), bar, i == j)
            if (row, column) == (drawn, told):
                shape = (x + 1, y - 1, wide - 2, deep - 4)
                (x0, y0, w, h) = shape
                around = [x0, x0 + w, x0 + w, x0, x0], [y0, y0, y0 + h, y0 + h, y0]
                line(ax, *around, "ink", zorder=7)
    corner = plate.pick((left + ways * wide + 36, 22.0), (8.0, bottom + 26.0))
    _large(
        plate, ax, grid, (drawn, told), corner, plate.pick(218, 318), plate.pick(250, 130), highest
    )
    rows = "; ".join(
        f"drawn {row}: {', '.join(num(grid.distance(row, c), 3) for c in grid.ways)}"
        for row in grid.ways
    )
    law = ", ".join(short(x) for x in grid.law(drawn, told))
    n = grid.draws(drawn, told)
    seen = f"caught at n = {count(n)}" if n else "exact"
    plate.say(
        caption="only on the diagonal, where the rule is told the law that the draft was really "
        "drawn from, do plain and dotted mass fill the outline.",
        alt=f"A grid of emitted laws against p = ({', '.join(num(x) for x in grid.p)}). Rows: how "
        f"the draft is drawn; columns: the q the rule is told, {', '.join(grid.ways)}. TV from p, "
        f"{rows}. Enlarged: drawn {drawn}, told {told}, law ({law}), TV "
        f"{num(grid.distance(drawn, told), 3)}, {seen}.",
    )


def _cell(
    plate: Plate, ax: Axes, grid: Grid, at: tuple[str, str], corner: tuple[float, float],
    shape: tuple[float, float, float], bar: float, right: bool,
) -> None:  # fmt: skip
    (x, y), (wide, scale, deep) = corner, shape
    if right:
        wash(ax, "panel", (x + 1, y - 1, wide - 2, deep - 4), zorder=0.2)
    left = tuple(x + 7 + bar * (0.11 + 1.22 * k) for k in range(len(grid.names)))
    bars = Bars(left, bar, scale, y + deep - 30)
    plate.unit = bar * bars.tall
    parts(plate, ax, bars, _card(grid, *at), key=f"{at[0]}/{at[1]}")
    line(ax, [x + 5, x + wide - 5], [bars.base] * 2, zorder=5)
    words = "exact" if right else num(grid.distance(*at), 3)
    label(ax, x + wide / 2, bars.base + 18, words, ha="center", bold=True)


def _large(
    plate: Plate, ax: Axes, grid: Grid, at: tuple[str, str], corner: tuple[float, float],
    wide: float, tall: float, highest: float,
) -> None:  # fmt: skip
    """Draw one cell large, with its numbers."""
    (x, y), size = corner, len(grid.names)
    label(ax, x, y, f"drawn {at[0]}, told {at[1]}", bold=True, size=14)
    bar = wide / (size * 1.4 - 0.4)
    left = tuple(x + bar * 1.4 * k for k in range(size))
    bars = Bars(left, bar, tall / highest, y + 26 + tall)
    card = _card(grid, *at)
    parts(plate, ax, bars, card)
    line(ax, [x - 3, x + wide + 3], [bars.base] * 2, zorder=5)
    for k, name in enumerate(grid.names):
        label(ax, bars.middle(k), bars.base + 19, name, ha="center", bold=True)
        label(ax, bars.middle(k), bars.base + 37, num(card.got[k], 3), ha="center", size=12)
    n = grid.draws(*at)
    words = "exact" if n is None else f"TV {num(card.distance, 3)}"
    label(ax, x, bars.base + 66, words, bold=True, size=plate.pick(20, 18))
    if n is not None:
        label(ax, x + wide, bars.base + 66, f"seen at $n$ = {count(n)}", color="ink2",
              ha="right")  # fmt: skip
