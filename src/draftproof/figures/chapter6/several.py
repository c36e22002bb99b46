"""Several drafts for one place: cut and fill in turns, and the square that limits every rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from draftproof.finite import as_pair

from ..chapter2.split import TINY, Bars
from ..marks import frame, ghost, label, law, line, mass
from ..plate import Plate, drawing
from ..words import fit, listed, names_for
from ..words import num as rounded
from .results import Turn

__all__ = ["cut_square", "drafts_in_turn"]


def num(value: Any) -> str:
    """Return a mass with at most three decimals: products of shares need them."""
    return rounded(value, 3)


ORDER = ("1st", "2nd", "3rd", "4th", "5th", "6th")


@drawing
def drafts_in_turn(
    plate: Plate,
    turns: Sequence[Turn],
    *,
    names: Sequence[str] | None = None,
    how: str = "with replacement",
) -> None:
    """Cut and fill once a draft: what one turn leaves missing is the next one's target.

    Parameters
    ----------
    turns : sequence of Turn
        From ``results.turns``: at most six.
    names : sequence of str, optional
    how : str
        How the drafts are drawn, for the words.
    """
    size = len(turns[0].target)
    named = names_for(names, size)
    count = len(turns)
    columns = min(count, plate.pick(4, 2))
    rows = -(-count // columns)
    room = (plate.width - plate.pick(40, 20)) / columns
    tall = plate.pick(200, 150)
    step = tall + 96
    ax = plate.pixels(rows * step + 92)
    highest = max(float(max(t.target.max(), t.drawn.max())) for t in turns)
    slot = min((room - 30) / size, plate.pick(108, 84))
    bars_wide = slot * 0.76
    plate.unit = bars_wide * tall / highest
    for k, turn in enumerate(turns):
        x = plate.pick(20, 10) + (k % columns) * room
        base = 44 + tall + (k // columns) * step
        left = tuple(x + 16 + slot * i for i in range(size))
        bars = Bars(left, bars_wide, tall / highest, base)
        _turn(ax, bars, turn, k, named, last=k + 1 == count)
    kept = [float(turn.kept.sum()) for turn in turns]
    _shelf(plate, ax, rows * step + 34, kept)
    total = sum(kept)
    said = [
        f"{ORDER[k]} draft, drawn with mass {num(float(t.drawn.sum()))}: kept "
        f"{_pieces(named, t.kept)}, missing {_pieces(named, t.target - t.kept)}"
        for k, t in enumerate(turns)
    ]
    plate.say(
        caption=_lesson(turns, named, how),
        alt=(
            f"{count} draft{'s' * (count > 1)} for one place, drawn {how}, on bars over "
            f"{', '.join(named)}. {'; '.join(said)}. Kept in all {num(total)}, corrected "
            f"{num(1 - total)}."
        ),
    )


def _lesson(turns: Sequence[Turn], names: Sequence[str], how: str) -> str:
    """Return the caption."""
    if len(turns) == 1:
        return "one draft: kept and filled together are the target."
    first, second = turns[:2]
    again = float(np.minimum(second.target, second.drawn.sum() * first.drawn).sum())
    refused = [x for x in range(len(names)) if first.drawn[x] - first.kept[x] > TINY]
    kept = float(second.kept.sum())
    if how.startswith("without") and len(refused) == 1 and kept - again > TINY:
        return (
            f"the rejected {names[refused[0]]} is not drafted again, so the second draft keeps "
            f"{num(kept)} instead of {num(again)}."
        )
    return (
        "what the first draft leaves missing, the dashed frame, is the whole target of the "
        "next one; only what is still missing at the end is filled by a correction."
    )


def _pieces(names: Sequence[str], weights: Any) -> str:
    parts = [f"{n} {num(w)}" for n, w in zip(names, weights, strict=True) if float(w) > TINY]
    return listed(parts) if parts else "nothing"


def _turn(ax: Axes, bars: Bars, turn: Turn, k: int, names: Sequence[str], *, last: bool) -> None:
    """Draw one draft's turn: kept, cut, and what is still missing (in the last turn: filled)."""
    title = f"{ORDER[k]} draft keeps {num(float(turn.kept.sum()))}"
    label(ax, bars.left[0] - 4, bars.y(0) - _height(bars, turn) - 26, title, bold=True)
    for i, name in enumerate(names):
        target, drawn, kept = (float(v[i]) for v in (turn.target, turn.drawn, turn.kept))
        if kept > TINY:
            mass(ax, "accepted", bars.box(i, 0, kept), key=f"kept {k + 1}/{name}")
            _inside(ax, bars, i, (0, kept), "kept", "accepted")
        if drawn - kept > TINY:
            mass(ax, "rejected", bars.box(i, kept, drawn), key=f"cut {k + 1}/{name}", left=True)
            _inside(ax, bars, i, (kept, drawn), "cut", "rejected")
        if target - kept > TINY:
            box = bars.box(i, kept, target)
            if last:
                mass(ax, "residual", box, key=f"filled/{name}")
                _inside(ax, bars, i, (kept, target), "filled", "residual")
            else:
                x, y, wide, high = box
                ghost(ax, "residual", (x + 4, y + 4, wide - 8, high - 8))
                _inside(ax, bars, i, (kept, target), "missing", "background")
        if target > TINY:
            x0, x1 = bars.left[i], bars.left[i] + bars.wide
            y = bars.y(target)
            law(ax, "p", [x0, x0, x1, x1], [bars.base, y, y, bars.base], solid_joinstyle="miter")
        if drawn > TINY:
            over = bars.wide * 0.12
            law(ax, "q", [bars.left[i] - over, bars.left[i] + bars.wide + over],
                [bars.y(drawn)] * 2)  # fmt: skip
        middle = bars.middle(i)
        label(ax, middle, bars.base + 20, name, bold=True, ha="center")
        label(ax, middle, bars.base + 38, num(drawn), color="q", ha="center")
    line(ax, [bars.left[0] - 8, bars.left[-1] + bars.wide + 8], [bars.base] * 2)
    ends = [("p", turn.target[0]), ("q", turn.drawn[0])]
    apart = abs(float(ends[0][1] - ends[1][1])) * bars.tall > 14
    for letter, level in ends if apart else ends[:1]:
        if float(level) > TINY:
            y = bars.y(float(level)) + 5
            label(
                ax, bars.left[0] - bars.wide * 0.12 - 4, y, f"${letter}$", color=letter, ha="right"
            )


def _height(bars: Bars, turn: Turn) -> float:
    return float(max(turn.target.max(), turn.drawn.max())) * bars.tall


def _inside(
    ax: Axes, bars: Bars, i: int, levels: tuple[float, float], verb: str, halo: str
) -> None:
    low, high = levels
    words = fit(bars.wide - 4, f"{verb} {num(high - low)}", num(high - low), bold=True, size=12)
    if words and (high - low) * bars.tall > 17:
        label(ax, bars.middle(i), bars.y((low + high) / 2), words, bold=True, size=12, ha="center",
              va="middle", halo=halo)  # fmt: skip


def _shelf(plate: Plate, ax: Axes, y: float, kept: Sequence[float]) -> None:
    """Lay what each turn keeps end to end; the rest of 1 is corrected."""
    x, wide = plate.pick(20, 10), plate.width - plate.pick(40, 20)
    at = float(x)
    left = 1 - sum(kept)
    label(ax, x, y - 10, f"kept {num(sum(kept))}", color="accepted", bold=True)
    if left > TINY:
        words = f"corrected {num(left)}"
        label(ax, x + wide, y - 10, words, color="residual", bold=True, ha="right")
    for k, share in enumerate((*kept, left)):
        if share <= TINY:
            continue
        role = "residual" if k == len(kept) else "accepted"
        mass(ax, role, (at, y, share * wide, 30))
        words = "" if k == len(kept) else fit(share * wide - 6, f"{ORDER[k]} draft {num(share)}",
                                              f"{ORDER[k]} {num(share)}", num(share), bold=True,
                                              size=12)  # fmt: skip
        if words:
            label(ax, at + share * wide / 2, y + 15, words, bold=True, size=12, ha="center",
                  va="middle", halo=role)  # fmt: skip
        at += share * wide


@drawing
def cut_square(
    plate: Plate,
    p: Any,
    q: Any,
    drafts: int,
    tokens: Sequence[int],
    *,
    names: Sequence[str] | None = None,
) -> None:
    """Draw the proof of the bound: two drafts as a square, and the corner that keeps too little.

    Parameters
    ----------
    p, q : array_like, shape (V,)
    drafts : int
        Two.
    tokens : sequence of int
        The set A.
    names : sequence of str, optional

    Raises
    ------
    ValueError
        If p or q is no law, or `drafts` is not two.
    """
    if drafts != 2:
        raise ValueError(f"drafts must be 2, one for each side of the square; got {drafts}")
    target, draft = (np.asarray(one, dtype=float) for one in as_pair(p, q))
    named = names_for(names, len(target))
    inside = [x for x in range(len(target)) if x in set(tokens)]
    order = [*inside, *(x for x in range(len(target)) if x not in inside)]
    share, wanted = float(draft[inside].sum()), float(target[inside].sum())
    held = min(wanted, share**2)
    side = plate.pick(290, 250)
    x, y = plate.pick(64, 54), 44
    ax = plate.pixels(y + side + plate.pick(60, 196))
    plate.unit = side * side
    low, corner = y + side, share * side
    mass(ax, "accepted", (x, y, side, side - corner), key="outside")
    mass(ax, "accepted", (x + corner, low - corner, side - corner, corner), key="outside")
    edge = held / share * side  # the kept part of the corner, as high as the corner is wide
    mass(ax, "accepted", (x, low - edge, corner, edge), key="inside")
    if share**2 - held > TINY:
        mass(ax, "rejected", (x, low - corner, corner, corner - edge), key="lost")
    frame(ax, "q", (x, y, side, side))
    at = 0.0
    for k in order:
        width = float(draft[k]) * side
        middle = at + width / 2
        label(ax, x + middle, low + 20, named[k], color="q", bold=True, ha="center")
        label(ax, x - 10, low - middle, named[k], color="q", bold=True, ha="right", va="middle")
        at += width
        if at < side - 1:
            line(ax, [x + at] * 2, [y, low], "hair", zorder=5)
            line(ax, [x, x + side], [low - at] * 2, "hair", zorder=5)
    label(ax, x + side / 2, low + 42, "first draft", color="q", ha="center")
    label(ax, x - plate.pick(40, 36), y + side / 2, "second draft", color="q", ha="center",
          rotate=90)  # fmt: skip
    group = listed([named[k] for k in inside])
    bound = 1 - share**2 + held
    words = f"{' or '.join(named[k] for k in inside)} comes out:\nat most {num(wanted)}"
    label(ax, x + corner / 2, low - edge / 2, words, bold=True, ha="center", va="middle",
          halo="accepted")  # fmt: skip
    label(ax, x + corner / 2, low - (edge + corner) / 2, f"lost {num(share**2 - held)}", bold=True,
          ha="center", va="middle", halo="rejected")  # fmt: skip
    label(ax, x + side / 2, y + (side - corner) / 2, f"another draft too: {num(1 - share**2)}",
          bold=True, ha="center", va="middle", halo="accepted")  # fmt: skip
    lines = [
        (f"$A$ = {{{', '.join(named[k] for k in inside)}}}", "ink"),
        (f"both drafts in $A$: {num(share)}² = {num(share**2)}", "q"),
        (f"$A$ may come out: {num(wanted)}", "p"),
        (f"kept ≤ {num(wanted)} + 1 − {num(share**2)} = {num(bound)}", "accepted"),
    ]
    left, top = plate.pick((410, 120), (20, low + 80))
    for k, (words, colour) in enumerate(lines):
        label(ax, left, top + k * plate.pick(34, 28), words, color=colour, bold=True,
              size=plate.pick(16, 14))  # fmt: skip
    plate.say(
        caption=(
            f"where both drafts lie in {group}, only {group} can be kept, and the target lets "
            "these out no more often than the plain part of the corner; the hatched rest of it is "
            "lost under every rule."
        ),
        alt=(
            f"A unit square: the first draft along one side, the second along the other. Both lie "
            f"in {group} with probability {num(share)} squared, {num(share**2)}, but {group} come "
            f"out with probability {num(wanted)} only, so {num(share**2 - held)} is lost. Kept is "
            f"at most {num(wanted)} plus the {num(1 - share**2)} outside the corner: {num(bound)}."
        ),
    )
