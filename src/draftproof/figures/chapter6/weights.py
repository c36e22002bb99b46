"""Running weights: how high each prefix of a block is filled, and the target shrunk to fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from draftproof.finite import as_pair

from ..chapter2.split import TINY, Bars, p_outline, q_level
from ..marks import frame, label, line, mass
from ..plate import Plate, drawing
from ..words import fit, names_for
from .blocks import short
from .results import Board, Scaled

__all__ = ["running_weights", "shrunken_target"]


def _word(names: Sequence[str], prefix: Sequence[int]) -> str:
    return "".join(names[x] for x in prefix)


@drawing
def running_weights(
    plate: Plate, levels: Sequence[Sequence[Board]], *, names: Sequence[str] | None = None
) -> None:
    """Draw a board for each number of drafts: a column a prefix, filled up to its weight.

    Parameters
    ----------
    levels : sequence of sequences of Board
        From ``results.boards``; two levels.
    names : sequence of str, optional
    """
    named = names_for(names, 1 + max(board.prefix[-1] for board in levels[0]))
    side, tall = plate.pick((312, 190), (312, 180))
    step = plate.pick((side + 68, 0), (0, tall + 100))
    ax = plate.pixels(tall + 92 + (len(levels) - 1) * step[1])
    plate.unit = side * tall
    said, totals = [], []
    for k, level in enumerate(levels):
        x, y = plate.pick(22, 12) + k * step[0], 34 + k * step[1]
        kept = sum(board.drafted * board.weight for board in level)
        totals.append(kept)
        title = "at least one kept" if k == 0 else f"at least {k + 1} kept"
        if k + 1 == len(levels):
            title = "both kept" if k == 1 else "all kept"
        label(ax, x, y - 14, f"{title}: area {short(kept)}", bold=True)
        at = float(x)
        for board in level:
            wide = float(board.drafted) * side
            _column(ax, (at, y, wide, tall), board, _word(named, board.prefix), k + 1)
            at += wide
        frame(ax, "q", (x, y, side, tall))
        said.append(
            f"{title}: "
            + ", ".join(
                f"{_word(named, b.prefix)} width {short(b.drafted)}, weight {short(b.weight)}, "
                f"token rule {short(b.token)}"
                for b in level
            )
            + f"; area {short(kept)}"
        )
    plate.say(
        caption=(
            "each column is filled up to the running weight of its prefix; where that lies above "
            "the heavy line marked token, the token rule's level, the block rule keeps the "
            "difference."
        ),
        alt=(
            f"Boards of area 1, a column a prefix of the block. {'. '.join(said)}. The filled "
            f"areas add up to the expected accepted drafts, {short(sum(totals))}."
        ),
    )


def _column(
    ax: Axes, box: tuple[float, float, float, float], board: Board, word: str, level: int
) -> None:
    """Draw one prefix: filled up to its weight, hatched above, with the token rule's level."""
    x, y, wide, tall = box
    weight, token = float(board.weight), float(board.token)
    low = y + tall
    if weight < 1 - TINY:
        mass(ax, "rejected", (x, y, wide, (1 - weight) * tall), key=f"cut {level}/{word}")
    if weight > TINY:
        mass(ax, "accepted", (x, low - weight * tall, wide, weight * tall),
             key=f"kept {level}/{word}")  # fmt: skip
    level_y = low - token * tall
    extra = weight - token
    if extra > TINY:
        line(ax, [x, x + wide], [level_y] * 2, "ink", zorder=5)
        text = f"+{short(board.drafted * (board.weight - board.token))}"
        pieces = [(level_y - extra * tall / 2, extra, text)]
        named = fit(wide - 4, f"token {short(board.token)}", short(board.token), bold=True)
        pieces.append((low - token * tall / 2, token, named))
        if (weight - token) * tall > 44:
            own = fit(
                wide - 4, f"$\\omega$ = {short(board.weight)}", short(board.weight), bold=True
            )
            pieces[0] = (pieces[0][0], extra, f"{own}\n{text}")
    else:
        words = fit(wide - 4, f"$\\omega$ = {short(board.weight)}", short(board.weight), bold=True)
        pieces = [(low - weight * tall / 2, weight, words)]
    for middle, share, words in pieces:
        if words and share * tall > 18:
            label(ax, x + wide / 2, middle, words, bold=True, ha="center", va="middle",
                  halo="accepted")  # fmt: skip
    label(ax, x + wide / 2, low + 20, word, bold=True, ha="center")
    drafted = short(board.drafted)
    words = fit(wide + 8, f"$q$ = {drafted}", drafted)
    label(ax, x + wide / 2, low + 38, words, color="q", ha="center")


@drawing
def shrunken_target(
    plate: Plate, p: Any, q: Any, cases: Sequence[Scaled], *, names: Sequence[str] | None = None
) -> None:
    """Cut and fill once for each prefix, against the target shrunk by the prefix's weight.

    Parameters
    ----------
    p, q : array_like, shape (V,)
        The laws after every prefix.
    cases : sequence of Scaled
        Prefixes and their weights.
    names : sequence of str, optional

    Raises
    ------
    ValueError
        If p or q is no law, or the names are not one per token.
    """
    target, draft = (np.asarray(law_, dtype=float) for law_ in as_pair(p, q))
    named = names_for(names, len(target))
    columns = plate.pick(len(cases), 1)
    room = (plate.width - plate.pick(40, 40)) / columns
    tall, step = plate.pick((230, 0), (190, 264))
    height = plate.pick(tall + 74, step * len(cases) + 6)
    ax = plate.pixels(height)
    said = []
    for k, case in enumerate(cases):
        x = plate.pick(20 + k * room, 20)
        base = plate.pick(tall + 14, 44 + tall - 26 + k * step)
        slot = min(room / len(target), plate.pick(110, 128))
        left = tuple(x + 6 + slot * i for i in range(len(target)))
        bars = Bars(left, slot * 0.62, (tall - 26) / float(max(target.max(), draft.max())), base)
        plate.unit = bars.wide * bars.tall
        kept, stop = _panel(ax, bars, case, (target, draft), named, room)
        said.append(
            f"after {_word(named, case.prefix) or 'the context'}, weight {short(case.weight)}: "
            f"goes on {short(kept)}, ends {short(stop)}"
        )
    plate.say(
        caption=(
            "after a prefix of weight ω the draft is cut at ω p instead of p, and the dotted "
            "filling tops it up to the solid outline of ω p: cut and fill, on a smaller target."
        ),
        alt=(
            "The draft's bars cut at the target, which is shrunk by the weight of what was "
            f"drafted before. {'; '.join(said)}. Goes on and ends together are the weight each "
            "time."
        ),
    )


def _panel(
    ax: Axes,
    bars: Bars,
    case: Scaled,
    laws: tuple[np.ndarray, np.ndarray],
    names: Sequence[str],
    room: float,
) -> tuple[float, float]:
    """Draw one prefix; return the mass that goes on and the mass that ends here."""
    target, draft = laws
    weight = float(case.weight)
    after = _word(names, case.prefix)
    top = bars.base - bars.tall * float(max(target.max(), draft.max())) - 14
    start = "at the start: $\\omega$ = 1"
    title = f"after {after}: $\\omega$ = {short(case.weight)}" if after else start
    label(ax, bars.left[0] - 4, top, title, bold=True)
    key = after or "start"
    kept = np.minimum(draft, weight * target)
    for i, name in enumerate(names):
        goal = weight * target[i]
        for role, low, high in (
            ("accepted", 0.0, kept[i]),
            ("rejected", goal, draft[i]),
            ("residual", draft[i], goal),
        ):
            if high - low > TINY:
                mass(ax, role, bars.box(i, low, high), key=f"{role} {key}/{name}",
                     left=role == "rejected")  # fmt: skip
                if (high - low) * bars.tall > 17:
                    verb = {"accepted": "kept", "rejected": "cut", "residual": "filled"}[role]
                    words = fit(bars.wide - 4, f"{verb} {short(high - low)}", short(high - low),
                                bold=True, size=12)  # fmt: skip
                    label(ax, bars.middle(i), bars.y((low + high) / 2), words, bold=True, size=12,
                          ha="center", va="middle", halo=role)  # fmt: skip
        if weight < 1 - TINY:
            frame(ax, "next", bars.box(i, 0, target[i]), zorder=3)
        p_outline(ax, bars, i, goal)
        q_level(ax, bars, i, draft[i], 7)
        label(ax, bars.middle(i), bars.base + 20, name, bold=True, ha="center")
    end = bars.left[-1] + bars.wide
    line(ax, [bars.left[0] - 10, end + 10], [bars.base] * 2)
    label(ax, end + 12, bars.y(draft[-1]) + 4, "$q$", color="q")
    words = "$p$" if weight > 1 - TINY else f"{short(case.weight)} $p$"
    level = bars.y(weight * target[-1])
    if abs(level - bars.y(draft[-1])) < 16:
        level -= 17
    label(ax, end + 7, level + 4, words, color="p")
    stop = float(np.maximum(weight * target - draft, 0).sum())
    words = f"{short(kept.sum())} goes on, {short(stop)} ends here"
    label(ax, bars.left[0] - 4, bars.base + 42, words, color="ink2")
    return float(kept.sum()), stop
