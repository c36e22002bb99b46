"""A block of drafts: the prefix tree with areas as probabilities, and the two counters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from draftproof.finite import as_pair

from ..marks import frame, label, mass, wash
from ..plate import Plate, drawing
from ..style import mix
from ..words import fit, listed, names_for, ratio
from .pieces import Leaf, Piece, Rows, fates, split_by
from .split import TINY

__all__ = ["prefix_tree"]


@drawing
def prefix_tree(plate: Plate, p: Any, q: Any, *, names: Sequence[str] | None = None) -> None:
    """Draw every fate of a block of two drafts as an area, and sort the areas by what came out.

    Parameters
    ----------
    p, q : array_like, shape (V,)
        Target and draft law, the same at every position; V is 2 or 3.
    names : sequence of str, optional
        Short names of the tokens.

    Raises
    ------
    ValueError
        If p or q is no law, or the two are not over the same 2 or 3 tokens.
    """
    target, draft = (np.asarray(law, dtype=float) for law in as_pair(p, q))
    if target.shape not in ((2,), (3,)):
        raise ValueError(f"p must be one law over 2 or 3 tokens; got shape {target.shape}")
    named = names_for(names, len(target))
    wide = Rows(94.0, 630.0, 28.0, 42.0, (14.0, 104.0, 330.0, 54.0))
    rows = plate.pick(wide, Rows(12.0, 312.0, 24.0, 38.0, (28.0, 124.0, 346.0, 48.0)))
    ax = plate.pixels(rows.tops[2] + rows.tops[3] + plate.pick(38, 62))
    plate.unit = rows.wide * rows.fate
    first = list(fates(target, draft, 0.0, 1.0))
    _round(plate, ax, rows, 0, Piece(0.0, 1.0, 0, "", 0), (target, draft), named)
    leaves = []
    for piece in first:
        leaves += _second(plate, ax, rows, piece, (target, draft), named)
    _sort(plate, ax, rows, leaves, target, named)
    alpha = float(np.minimum(target, draft).sum())
    _row_names(plate, ax, rows, alpha, next((x for x in first if x.fate == "residual"), None))
    outputs = [
        f"{a}{b} {ratio(u * v)}"
        for a, u in zip(named, target, strict=True)
        for b, v in zip(named, target, strict=True)
    ]
    laws = [f"{n} q {ratio(b)} p {ratio(a)}" for n, a, b in zip(named, target, draft, strict=True)]
    plate.say(
        caption=(
            "sorted by output, kept, dotted and pale pieces (second tokens from the next round) "
            "tile the solid frames of the target exactly."
        ),
        alt=(
            f"A block of two drafts ({', '.join(laws)}) as rows of one width. Row 1: each draft "
            f"is kept or corrected, width 1. Row 2, under kept tokens only: width {ratio(alpha)}; "
            f"after a correction the round ends and the next one goes on by p. Bonus under two "
            f"kept drafts: width {ratio(alpha**2)}. Ribbons gather the pieces by their two tokens: "
            f"{listed(outputs)}, which is the product of the target's probabilities. The rows "
            f"come to {ratio(1 + alpha + alpha**2)} tokens a round."
        ),
    )


def _round(
    plate: Plate,
    ax: Axes,
    rows: Rows,
    row: int,
    under: Piece,
    laws: tuple[np.ndarray, np.ndarray],
    names: Sequence[str],
) -> list[Piece]:
    """Draw the draft row and the fate row of one position under one stretch."""
    target, draft = laws
    y = rows.tops[row]
    pieces = list(fates(target, draft, under.start, under.width))
    at = under.start
    for x, name in enumerate(names):
        part = Piece(at, draft[x] * under.width, x, "q", x)
        at += part.width
        cut = max(draft[x] - target[x], 0) * under.width
        box = rows.box(part, y, rows.draft)
        kept_room = box[2] - cut * rows.wide
        if cut > TINY:
            lost = (box[0] + kept_room, y, cut * rows.wide, rows.draft)
            mass(ax, "rejected", lost)
            words = fit(lost[2] - 4, "rejected", "✗", bold=True)
            label(ax, lost[0] + lost[2] / 2, y + rows.draft / 2, words, bold=True, ha="center",
                  va="middle", halo="rejected")  # fmt: skip
        frame(ax, "q", box)
        long = f"draft {name} · {ratio(draft[x])}" if row == 0 else f"draft {name}"
        words = fit(kept_room - 6, long, f"{name} · {ratio(draft[x])}" if row == 0 else name, name,
                    bold=True)  # fmt: skip
        label(ax, box[0] + kept_room / 2, y + rows.draft / 2, words, color="q", bold=True,
              ha="center", va="middle")  # fmt: skip
    top = y + rows.draft + 2
    for piece in pieces:
        box = rows.box(piece, top, rows.fate)
        mass(ax, piece.fate, box, key=f"token {row + 1} {piece.fate}")
        change = f"{names[piece.drafted]} → {names[piece.token]}"
        verb = ("kept",) if piece.fate == "accepted" else (f"corrected {change}", change)
        _inside(ax, box, names[piece.token], verb, piece.fate)
    return pieces


def _inside(ax: Axes, box: tuple[float, ...], name: str, verb: Sequence[str], halo: str) -> None:
    """Set a token's name into a piece, and what became of it below where there is room."""
    x, y, wide, high = box
    words = fit(wide - 5, *verb, size=12)
    level = y + high / 2
    if not words:
        if fit(wide - 3, name, bold=True):
            label(ax, x + wide / 2, level, name, bold=True, ha="center", va="middle", halo=halo)
        return
    label(ax, x + wide / 2, level - 8, name, bold=True, ha="center", va="middle", halo=halo)
    label(ax, x + wide / 2, level + 9, words, size=12, ha="center", va="middle", halo=halo)


def _second(
    plate: Plate,
    ax: Axes,
    rows: Rows,
    piece: Piece,
    laws: tuple[np.ndarray, np.ndarray],
    names: Sequence[str],
) -> list[Leaf]:
    """Draw what follows one first token; return its stretches by their two tokens."""
    y = rows.tops[1]
    top = y + rows.draft + 2
    leaves = []
    if piece.fate == "residual":
        middle = rows.x + (piece.start + piece.width / 2) * rows.wide
        room = piece.width * rows.wide
        words = fit(room - 4, "round ends here", "round ends", "ends", size=12)
        label(ax, middle, y + rows.draft / 2, words, color="ink2", size=12, ha="center",
              va="middle")  # fmt: skip
        for part in split_by(laws[0], piece, "next"):
            box = rows.box(part, top, rows.fate)
            wash(ax, "panel", box)
            frame(ax, "next", box)
            _inside(ax, box, names[part.token], ("next round", "next"), "panel")
            leaves.append(Leaf(part.start, part.width, (piece.token, part.token), "next"))
        return leaves
    for part in _round(plate, ax, rows, 1, piece, laws, names):
        leaves.append(Leaf(part.start, part.width, (piece.token, part.token), part.fate))
        if part.fate == "accepted":
            for bonus in split_by(laws[0], part, "bonus"):
                box = rows.box(bonus, top + rows.fate, rows.fate)
                mass(ax, "bonus", box, key="bonus")
                _inside(ax, box, names[bonus.token], (), "bonus")
    return leaves


def _sort(
    plate: Plate, ax: Axes, rows: Rows, leaves: list[Leaf], p: np.ndarray, names: Sequence[str]
) -> None:
    """Carry every stretch to its output and frame each output by the target's product."""
    top, high = rows.tops[2], rows.tops[3]
    ends = rows.tops[1] + rows.draft + 2 + rows.fate
    at: dict[tuple[int, int], float] = {}
    position = 0.0
    outputs = sorted({leaf.output for leaf in leaves})
    for output in outputs:
        at[output] = position
        position += sum(leaf.width for leaf in leaves if leaf.output == output)
    for leaf in sorted(leaves, key=lambda leaf: (leaf.output, leaf.start)):
        goal = Leaf(at[leaf.output], leaf.width, leaf.output, leaf.fate)
        at[leaf.output] += leaf.width
        start = ends + (rows.fate if leaf.fate == "accepted" else 0)
        _ribbon(ax, plate, rows, leaf, goal, (start, top))
        box, key = rows.box(goal, top, high), "sorted " + "".join(names[x] for x in leaf.output)
        if leaf.fate == "next":
            plate.measure(key, ax, wash(ax, "panel", box, zorder=2))
            frame(ax, "next", box, zorder=2.5)
            if words := fit(box[2] - 3, "next round", "next", size=12):
                label(ax, box[0] + box[2] / 2, top + 0.78 * high, words, size=12, ha="center",
                      va="middle")  # fmt: skip
        else:
            mass(ax, leaf.fate, box, key=key)
    position = 0.0
    level = top + high * (0.34 if any(leaf.fate == "next" for leaf in leaves) else 0.5)
    for a, b in outputs:
        share = float(p[a] * p[b])
        box = (rows.x + position * rows.wide, top, share * rows.wide, high)
        plate.measure(f"out {names[a]}{names[b]}", ax, frame(ax, "p", box))
        position += share
        middle = box[0] + box[2] / 2
        pair = f"{names[a]}{names[b]}"
        if found := fit(box[2] - 6, pair, size=14, bold=True):
            wash(ax, "background", (middle - 14, level - 11, 28, 22), zorder=6)
            label(ax, middle, level, found, bold=True, size=14, ha="center", va="middle")
        label(ax, middle, top + high + 21, fit(box[2] + 6, ratio(share), bold=True), color="p",
              bold=True, ha="center")  # fmt: skip


def _ribbon(
    ax: Axes, plate: Plate, rows: Rows, leaf: Leaf, goal: Leaf, levels: tuple[float, float]
) -> None:
    """Draw the band in which a stretch falls to its output."""
    theme = plate.theme
    y0, y1 = levels
    left, right = (rows.x + (leaf.start + d) * rows.wide for d in (0.0, leaf.width))
    low_left, low_right = (rows.x + (goal.start + d) * rows.wide for d in (0.0, goal.width))
    bend = max(y0, y1 - 92.0)
    middle = (bend + y1) / 2
    vertices = [
        (left, y0), (left, bend), (left, middle), (low_left, middle), (low_left, y1),
        (low_right, y1), (low_right, middle), (right, middle), (right, bend), (right, y0),
        (left, y0),
    ]  # fmt: skip
    curve = [Path.CURVE4] * 3
    codes = [Path.MOVETO, Path.LINETO, *curve, Path.LINETO, *curve, Path.LINETO, Path.CLOSEPOLY]
    straight = abs(leaf.start - goal.start) < TINY
    fill = theme.panel if leaf.fate == "next" else mix(theme[leaf.fate].fill, theme.background, 0.4)
    look: dict[str, Any] = {"linestyle": (0, (3, 3))} if leaf.fate == "next" else {}
    order = {"next": 0.5, "residual": 0.8, "accepted": 0.9}[leaf.fate] + (0 if straight else 0.05)
    ax.add_patch(
        PathPatch(Path(vertices, codes), facecolor=fill, edgecolor=theme.axis, linewidth=0.8,
                  zorder=order, **look)
    )  # fmt: skip


def _row_names(plate: Plate, ax: Axes, rows: Rows, alpha: float, corrected: Piece | None) -> None:
    """Name the rows: at their left, or above them on a narrow page."""
    words = (
        ("token 1", "width 1", rows.tops[0] + 26),
        ("token 2", f"width {ratio(alpha)}", rows.tops[1] + 26),
        ("bonus", f"width {ratio(alpha**2)}", rows.tops[1] + rows.draft + 2 + rows.fate + 18),
        ("sorted", "by output", rows.tops[2] + 22),
    )
    for title, remark, y in words:
        if plate.phone:
            continue
        label(ax, 10, y, title, bold=True)
        label(ax, 10, y + 17, remark, color="ink2", size=12)
    low = rows.tops[2] + rows.tops[3] + 21
    if not plate.phone:
        label(ax, 10, low, "$p(x_1)\\,p(x_2)$", color="p", size=12)
        return
    for title, remark, y in (
        (*words[0][:2], rows.tops[0] - 9),
        (*words[1][:2], rows.tops[1] - 9),
    ):
        label(ax, rows.x, y, f"{title} · {remark}", bold=True)
    if corrected is not None and corrected.width * rows.wide > 70:
        x = rows.x + (corrected.start + corrected.width / 2) * rows.wide
        y = rows.tops[1] + rows.draft + 2 + rows.fate * 1.5
        label(ax, x, y, f"bonus: {ratio(alpha**2)}", color="bonus", bold=True, size=12,
              ha="center", va="middle", halo="panel")  # fmt: skip
    label(ax, rows.x, low + 22, "sorted by output = $p(x_1)\\,p(x_2)$", color="p", bold=True)
