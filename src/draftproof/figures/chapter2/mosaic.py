"""The mosaic: the same masses as a dart board, widths q(x) and heights min(1, p/q)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes

from ..marks import arrow, frame, label, law, line, mass
from ..plate import Plate, drawing
from ..words import fit, listed, num, text_width
from .split import TINY, Split, pool

__all__ = ["mosaic"]


@dataclass(frozen=True)
class Board:
    """The square whose columns are as wide as q and filled as high as the chance to keep."""

    x: float
    y: float
    side: float

    def column(self, split: Split, k: int) -> tuple[float, float]:
        """Left edge and width of the column of token ``k``."""
        return self.x + float(split.q[:k].sum()) * self.side, float(split.q[k]) * self.side

    def cut_box(self, split: Split, k: int) -> tuple[float, float, float, float]:
        x, wide = self.column(split, k)
        return (x, self.y, wide, self.side * float(split.cut[k] / split.q[k]))


@drawing
def mosaic(plate: Plate, p: Any, q: Any, *, names: Sequence[str] | None = None) -> None:
    """Draw the dart board of the speculative rule beside the gaps of the target.

    Parameters
    ----------
    p, q : array_like, shape (V,)
        Target and draft law, V at most 8.
    names : sequence of str, optional
        The tokens' names.
    """
    split = Split.of(p, q, names)
    side = plate.pick(252.0, 176.0)
    plate.unit = side * side
    if plate.phone:
        board = Board(12.0, 44.0, side)
        gaps = _gap_boxes(plate, board, split)
        low = max([board.y + side + 24, *(y + high + 8 for _, (_, y, _, high) in gaps)])
        ax = plate.pixels(low + 40)
        _gaps_beside(plate, ax, board, split, gaps)
    else:
        wide, space = _bar_width(plate, side, split)
        tallest = max((float(split.p[k]) for k in split.takers), default=0) * plate.unit / wide
        board = Board(20.0, max(74.0, 24 + tallest - side), side)
        ax = plate.pixels(board.y + side + 64)
        _bars_beside(plate, ax, board, split, (wide, space))
    _board(plate, ax, board, split)
    total = num(float(split.cut.sum()))
    plate.say(
        caption=(
            f"the hatched pieces of {listed([split.names[k] for k in split.donors])} are together "
            f"as large as the dotted gaps of {listed([split.names[k] for k in split.takers])}: "
            f"{total}."
            if len(split.donors) > 1
            else "the same areas as a dart board: column width is the draft, plain height the "
            f"chance to keep; the hatched area {total} is exactly as large as the dotted gaps."
        ),
        alt=(
            f"A unit square in columns as wide as q, each filled up to min(1, p/q) "
            f"({split.said()}). Kept areas: {split.pieces(split.kept)}, in all "
            f"{num(split.alpha)}. Hatched above them: {split.pieces(split.cut)}, in all {total}. "
            f"Beside it, on the same scale, the gaps that p leaves over q, dotted: "
            f"{split.pieces(split.gap)}, in all {num(float(split.gap.sum()))}, the same area."
        ),
    )


def _board(plate: Plate, ax: Axes, board: Board, split: Split) -> None:
    bottom, used = board.y + board.side, 0.0
    for k, name in enumerate(split.names):
        if split.q[k] < TINY:
            continue
        x, wide = board.column(split, k)
        cut = board.cut_box(split, k)[3] if split.cut[k] > TINY else 0.0
        if split.kept[k] > TINY:
            box = (x, board.y + cut, wide, board.side - cut)
            mass(ax, "accepted", box, key=f"kept/{name}")
            _inside(ax, box, f"kept {num(split.kept[k])}", num(split.kept[k]), "accepted")
        if cut:
            _cut_pieces(ax, board, split, k)
        half = text_width(name, 12, bold=True) / 2
        if x + wide / 2 - half > used and wide > 8:
            label(ax, x + wide / 2, bottom + 20, name, bold=True, ha="center", size=12)
            used = x + wide / 2 + half + 2
    frame(ax, "q", (board.x, board.y, board.side, board.side))
    line(ax, [board.x - 6, board.x + board.side + 6], [bottom] * 2)
    text = "width $q$, height P(accept)"
    label(ax, board.x, bottom + 42, text, color="q", bold=True)
    total = num(float(split.cut.sum()))
    if plate.phone or len(split.donors) != 1:
        label(ax, board.x, board.y - 12, f"rejected {total}", color="rejected", bold=True)


def _cut_pieces(ax: Axes, board: Board, split: Split, k: int) -> None:
    """Draw the hatched mass over column ``k``, cut into the pieces that fill the gaps."""
    x, y, wide, high = board.cut_box(split, k)
    one = len(split.donors) == 1
    parts = [float(split.gap[t]) for t in split.takers] if one else [float(split.cut[k])]
    y += high
    for part in parts:
        tall = high * part / float(split.cut[k])
        y -= tall
        box = (x, y, wide, tall)
        mass(ax, "rejected", box, key=f"cut/{split.names[k]}", left=True)
        _inside(ax, box, num(part), num(part), "rejected")


def _inside(ax: Axes, box: tuple[float, ...], long: str, short: str, role: str) -> None:
    """Set a number into a box: level if it fits, upright if only that fits."""
    x, y, wide, high = box
    where = x + wide / 2, y + high / 2
    size = 13 if min(wide, high) >= 22 else 12
    text = fit(wide - 6, long, short, size=size, bold=True)
    look: dict[str, Any] = {"bold": True, "ha": "center", "va": "middle", "halo": role}
    if text and high >= 15:
        label(ax, *where, text, size=size, **look)
    elif wide >= 14 and high >= text_width(short, 12, True) + 6:
        label(ax, *where, short, size=12, rotate=90, **look)


_BARS_ROOM = (348.0, 372.0)  # left edge and width, in pixels, of the target's bars


def _bar_width(plate: Plate, side: float, split: Split) -> tuple[float, float]:
    """Return width and distance of the target's bars: a lone donor's width if that is fair."""
    if not split.takers:
        return side, 0.0
    count = len(split.takers)
    own = max(float(split.q[k]) for k in split.donors) * side
    need = max(float(split.p[k]) for k in split.takers) * side
    space = 34.0 if count < 4 else 16.0
    wide = own if len(split.donors) == 1 and own > 40 else max(own, need)
    return min(wide, (_BARS_ROOM[1] - (count - 1) * space) / count), space


def _bars_beside(
    plate: Plate, ax: Axes, board: Board, split: Split, width: tuple[float, float]
) -> None:
    """Draw the target's bars that have gaps, on the board's area scale, and the moves into them."""
    if not split.takers:
        return
    ground = board.y + board.side
    left, room = _BARS_ROOM
    count = len(split.takers)
    wide, gap = width
    left += (room - count * wide - (count - 1) * gap) / 2
    tall = plate.unit / wide
    own = max(float(split.q[k]) for k in split.donors)
    tallest = max(float(split.p[k]) for k in split.takers) * tall
    rigid = len(split.donors) == 1 and abs(wide - own * board.side) < 0.5
    rigid &= tallest <= board.side + 1  # else the arcs would have to climb over the bars
    for row, k in enumerate(split.takers):
        x = left + row * (wide + gap)
        kept, missing, name = float(split.kept[k]), float(split.gap[k]), split.names[k]
        low = (x, ground - kept * tall, wide, kept * tall)
        high = (x, ground - (kept + missing) * tall, wide, missing * tall)
        if kept > TINY:
            mass(ax, "accepted", low, key=f"bar/{name}")
            _inside(ax, low, f"kept {num(kept)}", num(kept), "accepted")
        mass(ax, "residual", high, key=f"filled/{name}")
        _inside(ax, high, f"filled {num(missing)}", num(missing), "residual")
        law(ax, "p", [x, x, x + wide, x + wide], [ground, high[1], high[1], ground],
            solid_joinstyle="miter")  # fmt: skip
        label(ax, x + wide / 2, ground + 20, name, bold=True, ha="center")
        if rigid:
            _move(ax, board, split, row, (x + wide / 2, high[1]))
    line(ax, [left - 10, left + count * (wide + gap) - gap + 10], [ground] * 2)
    text = "target $p$, same area scale"
    label(ax, left, ground + 42, text, color="p", bold=True)
    if not rigid and tallest < board.side - 120:
        span = count * (wide + gap) - gap
        shelf = max(22.0, float(split.cut.sum()) * plate.unit / span)
        length = float(split.cut.sum()) * plate.unit / shelf
        pool(ax, split, (left, board.y, length, shelf))


def _move(ax: Axes, board: Board, split: Split, row: int, end: tuple[float, float]) -> None:
    """Draw the arc from the hatched column to the gap that its piece fills."""
    x, wide = board.column(split, split.donors[0])
    start = x + wide * (0.86 - 0.14 * row), board.y - 5
    peak = board.y - 26 - 24 * row
    reach = end[0] - start[0]
    way = [start, (start[0] + 12, peak), (start[0] + reach * 0.3, peak),
           (start[0] + reach * 0.5, peak), (start[0] + reach * 0.86, peak),
           (end[0], max(end[1] - 76, peak)), (end[0], end[1] - 7)]  # fmt: skip
    arrow(ax, way, curve=True)


Box = tuple[float, float, float, float]


def _gap_boxes(plate: Plate, board: Board, split: Split) -> list[tuple[int, Box]]:
    """Return each gap as a rectangle on the board's area scale, one below the other."""
    if not split.takers:
        return []
    room = plate.width - board.x - board.side - 32
    own = max(float(split.q[k]) for k in split.donors) * board.side
    wide = min(own if len(split.donors) == 1 and own > 60 else max(own, 100.0), room)
    y, boxes = board.y, []
    for k in split.takers:
        high = float(split.gap[k]) * plate.unit / wide
        boxes.append((k, (board.x + board.side + 22, y, wide, high)))
        y += high + (14 if high >= 16 else 28)
    return boxes


def _gaps_beside(
    plate: Plate, ax: Axes, board: Board, split: Split, boxes: list[tuple[int, Box]]
) -> None:
    """Draw the gaps alone, without the bars that they belong to."""
    x = board.x + board.side + 22
    label(ax, x, board.y - 12, f"missing {num(float(split.gap.sum()))}", color="residual",
          bold=True)  # fmt: skip
    for k, box in boxes:
        _, y, wide, high = box
        mass(ax, "residual", box, key=f"filled/{split.names[k]}")
        words = f"{split.names[k]} {num(split.gap[k])}"
        look: dict[str, Any] = {"bold": True, "ha": "center"}
        if high >= 16:
            where = x + wide / 2, y + high / 2
            label(ax, *where, words, va="middle", halo="residual", **look)
        else:
            label(ax, x + wide / 2, y + high + 15, words, size=12, **look)
    if len(boxes) in (1, 2):
        _, y, _, high = boxes[-1][1]
        names = listed([split.names[k] for k in split.takers])
        words = "the gap of" if len(boxes) == 1 else "the gaps of"
        room = plate.width - x - 10
        words = fit(room, f"{words} {names}") or f"{words}\n{names}"
        y += high + (22 if high >= 16 else 36)
        if y + 17 * words.count("\n") < plate.height - 6:
            label(ax, x, y, words, color="residual")
