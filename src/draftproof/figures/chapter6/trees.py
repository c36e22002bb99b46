"""Trees of drafts: every drafted token as an area, and how far a number of them goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..marks import dots, label, line, mass
from ..plate import Plate, drawing
from ..words import fit, listed, num
from .chart import chart
from .results import Shape

__all__ = ["accepted_by_drafts", "draft_tree"]

ORDER = ("1st", "2nd", "3rd", "4th")
ROW = 44


@drawing
def draft_tree(plate: Plate, levels: Sequence[Sequence[Any]]) -> None:
    """Draw a tree of drafts as tiles: as wide as the probability that the walk goes through.

    Parameters
    ----------
    levels : sequence of sequences
        For each depth the probability that the 1st, 2nd, ... child is the one kept.
    """
    shares = [[float(share) for share in level] for level in levels]
    x, wide = plate.pick((92, 628), (10, 316))
    top = plate.pick(14, 30)
    depth = len(shares)
    ax = plate.pixels(top + (depth + 1) * (ROW + plate.pick(0, 22)) + 36)
    plate.unit = wide * ROW
    step = ROW + plate.pick(0, 22)
    _level(ax, (x, top, wide), (0.0, 1.0), shares, 0, step, "")
    totals = [float(np.prod([sum(level) for level in shares[:d]])) for d in range(depth + 1)]
    for d in range(depth + 1):
        y = top + d * step
        name = "bonus" if d == depth else f"token {d + 1}"
        width = f"width {num(totals[d])}"
        if plate.phone:
            label(ax, x, y - 7, f"{name} · {width}", bold=True)
        else:
            label(ax, 10, y + ROW / 2 - 8, name, bold=True, va="middle")
            label(ax, 10, y + ROW / 2 + 9, width, color="ink2", size=12, va="middle")
    accepted = sum(totals[1:])
    drafted = int(np.cumprod([len(level) for level in shares]).sum())
    low = top + depth * step + ROW + 24
    words = f"{drafted} drafts, kept {' + '.join(num(t) for t in totals[1:])} = {num(accepted)}"
    label(ax, x, low, words, color="accepted", bold=True)
    said = [
        f"depth {d + 1}: " + ", ".join(f"{ORDER[k]} child {num(s)}" for k, s in enumerate(level))
        for d, level in enumerate(shares)
    ]
    plate.say(
        caption=(
            "every drafted token of the tree is a plain tile as wide as the chance that the walk "
            "keeps it, so the plain area is the expected number of kept drafts, and the twigs "
            "beside the trunk are thin."
        ),
        alt=(
            f"A tree of {drafted} drafts as rows of tiles. Chance to be kept once the token above "
            f"is kept: {'; '.join(said)}. The rows of kept tiles are "
            f"{listed([num(t) for t in totals[1:]])} wide, in all {num(accepted)} drafts; "
            "corrections and a bonus after a whole path complete each round."
        ),
    )


def _level(
    ax: Axes,
    place: tuple[float, float, float],
    stretch: tuple[float, float],
    shares: Sequence[Sequence[float]],
    depth: int,
    step: float,
    path: str,
) -> None:
    """Draw the children below one stretch, and what is below them."""
    x, top, wide = place
    start, width = stretch
    y = top + depth * step
    if depth == len(shares):
        mass(ax, "bonus", (x + start * wide, y, width * wide, ROW), key="bonus")
        words = fit(width * wide - 6, "bonus", bold=True)
        if words:
            label(ax, x + (start + width / 2) * wide, y + ROW / 2, words, bold=True, ha="center",
                  va="middle", halo="bonus")  # fmt: skip
        return
    at = start
    for k, share in enumerate((*shares[depth], 1 - sum(shares[depth]))):
        part = share * width
        if part <= 1e-9:
            continue
        corrected = k == len(shares[depth])
        role = "residual" if corrected else "accepted"
        own = f"{path}{k + 1}"
        mass(ax, role, (x + at * wide, y, part * wide, ROW),
             key=f"corrected {depth + 1}" if corrected else f"node {own}")  # fmt: skip
        name = "corrected" if corrected else f"{ORDER[k]} draft"
        short = ("fix" if corrected else ORDER[k], "")
        words = fit(part * wide - 6, f"{name} {num(part)}", *short, bold=True, size=12)
        if words:
            label(ax, x + (at + part / 2) * wide, y + ROW / 2, words, bold=True, size=12,
                  ha="center", va="middle", halo=role)  # fmt: skip
        if not corrected:
            _level(ax, place, (at, part), shares, depth + 1, step, own)
        at += part


def _word(branching: Sequence[int]) -> str:
    return "-".join(map(str, branching))


@drawing
def accepted_by_drafts(plate: Plate, shapes: Sequence[Shape]) -> None:
    """Draw what trees of all shapes accept against how many tokens they draft.

    Parameters
    ----------
    shapes : sequence of Shape
        From ``results.shapes``.
    """
    most = max(shape.drafted for shape in shapes)
    chains = sorted((s for s in shapes if set(s.branching) == {1}), key=lambda s: s.drafted)
    best = [
        max((s for s in shapes if s.drafted <= n), key=lambda s: s.accepted)
        for n in range(1, most + 1)
    ]
    top = np.ceil(max(s.accepted for s in shapes) * 2 + 0.2) / 2
    ax = chart(
        plate,
        plate.pick(280, 260),
        x=(0, most + 0.5, [(k, str(k)) for k in range(0, most + 1, 4)], "drafted tokens"),
        y=(0, top, [(k / 2, num(k / 2)) for k in range(int(2 * top) + 1)], "kept drafts a round"),
    )
    dots(ax, [s.drafted for s in shapes], [s.accepted for s in shapes], "axis", size=4)
    line(ax, [s.drafted for s in chains], [s.accepted for s in chains], "ink", zorder=3,
         dashes=(7, 3))  # fmt: skip
    dots(ax, [s.drafted for s in chains], [s.accepted for s in chains], "ink", size=5, zorder=4)
    rising = list({s.branching: s for s in best}.values())
    line(ax, [s.drafted for s in rising], [s.accepted for s in rising], "ink", zorder=3)
    dots(ax, [s.drafted for s in rising], [s.accepted for s in rising], "ink", size=5, zorder=4)
    ceiling = chains[0].accepted / (1 - chains[0].accepted)
    line(ax, [0, most + 0.5], [ceiling] * 2, "dashed", zorder=2)
    last = best[-1]
    label(ax, most * 0.99, chains[-1].accepted - top * plate.pick(0.075, 0.08), "chains",
          bold=True, ha="right", halo="background")  # fmt: skip
    label(ax, most * 0.99, last.accepted + top * 0.04, f"best tree: {_word(last.branching)}",
          bold=True, ha="right", halo="background")  # fmt: skip
    label(ax, 0.3, ceiling + top * 0.02, "endless chain",
          color="ink2", halo="background")  # fmt: skip
    first = next(s for s in best if set(s.branching) != {1})
    plate.say(
        caption=(
            "the dashed line of the chains flattens out, while the best tree goes on rising: a "
            "draft beside the first one is worth more than a draft far behind it."
        ),
        alt=(
            f"Expected kept drafts of trees of up to {most} drafted tokens, a dot a shape. A "
            f"chain of {most} keeps {num(chains[-1].accepted)}, an endless one "
            f"{num(ceiling)}. The best tree with at most {most} drafts, {_word(last.branching)}, "
            f"keeps {num(last.accepted)}. From {first.drafted} drafts on a tree, "
            f"{_word(first.branching)}, beats the chain."
        ),
    )
