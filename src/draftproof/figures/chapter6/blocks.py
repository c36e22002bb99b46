"""A block's fates as tiles: what two rules keep of the same drafts, and what comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Polygon

from ..marks import frame, label, mass, wash
from ..plate import Plate, drawing
from ..style import mix
from ..words import fit, listed, names_for, num, ratio, text_width
from .results import Fate

__all__ = ["block_sorted", "token_against_block"]

Panel = tuple[str, Sequence[Fate]]


def kept_drafts(fates: Sequence[Fate], gamma: int) -> list[Any]:
    """Return the probability that at least 1, 2, ... drafts are kept."""
    return [sum(f.mass for f in fates if f.kept >= t) for t in range(1, gamma + 1)]


def short(value: Any) -> str:
    """Return a simple fraction as such, anything else with two decimals."""
    return ratio(value, 81)


def _sum(parts: Sequence[Any]) -> str:
    """Return ``6/9 + 5/9 = 11/9`` over one denominator where that is small, else decimals."""
    exact = [Fraction(part).limit_denominator(999) for part in (*parts, sum(parts))]
    common = int(np.lcm.reduce([part.denominator for part in exact]))
    near = all(abs(float(a) - float(b)) < 1e-9 for a, b in zip(exact, parts, strict=False))
    if common <= 81 and near:
        words = [f"{part * common}/{common}" for part in exact]
    else:
        words = [num(part, 3) for part in (*parts, sum(parts))]
    return f"{' + '.join(words[:-1])} = {words[-1]}" if len(parts) > 1 else words[-1]


@dataclass(frozen=True)
class Strip:
    """Where a panel's columns lie: one a drafted block, as wide as the block is probable."""

    x: float
    wide: float
    top: float
    draft: float
    row: float

    def columns(self, fates: Sequence[Fate]) -> dict[tuple[int, ...], tuple[float, float]]:
        """Return the start and the width of every block, as shares."""
        found: dict[tuple[int, ...], tuple[float, float]] = {}
        at = 0.0
        for drafted in dict.fromkeys(fate.drafted for fate in fates):
            share = float(sum(f.mass for f in fates if f.drafted == drafted))
            found[drafted] = at, share
            at += share
        return found

    def box(self, start: float, share: float, row: int) -> tuple[float, float, float, float]:
        """Return the rectangle of a stretch in a row; row 0 is the first draft's."""
        y = self.top + self.draft + 3 + row * self.row
        return self.x + start * self.wide, y, share * self.wide, self.row


def _word(names: Sequence[str], tokens: Sequence[int]) -> str:
    return "".join(names[x] for x in tokens)


def _frames(ax: Axes, strip: Strip, fates: Sequence[Fate], names: Sequence[str]) -> None:
    """Draw the drafted blocks as dashed frames."""
    for drafted, (start, share) in strip.columns(fates).items():
        box = (strip.x + start * strip.wide, strip.top, share * strip.wide, strip.draft)
        frame(ax, "q", box)
        word = _word(names, drafted)
        said = fit(box[2] - 6, f"draft {word} · {short(share)}", f"{word} · {short(share)}", word,
                   bold=True)  # fmt: skip
        label(ax, box[0] + box[2] / 2, box[1] + box[3] / 2, said, color="q", bold=True,
              ha="center", va="middle")  # fmt: skip


def _tile(
    ax: Axes, box: tuple[float, ...], role: str, name: str, words: Sequence[str], key: str
) -> None:
    """Draw one tile with the token's name, and what became of it where there is room."""
    mass(ax, role, box, key=key)
    x, y, wide, high = box
    said = fit(wide - 5, *words, size=12)
    middle = y + high / 2
    if said and high >= 34:
        label(ax, x + wide / 2, middle - 8, name, bold=True, ha="center", va="middle", halo=role)
        label(ax, x + wide / 2, middle + 9, said, size=12, ha="center", va="middle", halo=role)
    elif fit(wide - 3, name, bold=True) and high >= 16:
        label(ax, x + wide / 2, middle, name, bold=True, ha="center", va="middle", halo=role)


def _tiles(ax: Axes, strip: Strip, panel: Panel, names: Sequence[str], then: Any = None) -> None:
    """Draw what is kept and what is corrected, a row a draft.

    `then` is the law of the token that the next round sets after a correction in the first row.
    """
    title, fates = panel
    gamma = len(fates[0].drafted)
    for drafted, (start, share) in strip.columns(fates).items():
        own = sorted((f for f in fates if f.drafted == drafted), key=lambda f: (-f.kept, f.token))
        for row in range(gamma):
            kept = float(sum(f.mass for f in own if f.kept > row))
            x = names[drafted[row]]
            if kept > 1e-9:
                box = strip.box(start, kept, row)
                _tile(ax, box, "accepted", x, ("kept",), f"{title}/kept {row + 1}")
            at = start + kept
            for fate in own:
                if fate.kept == row and float(fate.mass) > 1e-9:
                    box = strip.box(at, float(fate.mass), row)
                    y = names[fate.token]
                    words: tuple[str, ...] = (f"corrected {x} → {y}", f"{x} → {y}", "fix")
                    if x == y:
                        words = ("drawn anew", "anew")
                    _tile(ax, box, "residual", y, words, f"{title}/corrected {row + 1}")
                    at += float(fate.mass)
            void = start + share - at
            if void > 1e-9:
                box = strip.box(at, void, row)
                frame(ax, "next", box, zorder=1)
                for token, part in enumerate(() if then is None else then):
                    piece = strip.box(at, void * float(part), row)
                    _void(ax, piece, names[token])
                    at += void * float(part)


def _void(ax: Axes, box: tuple[float, ...], name: str) -> None:
    """Draw a token of the next round: no draft of this block."""
    x, y, wide, high = box
    wash(ax, "panel", box, zorder=0.6)
    frame(ax, "next", box, zorder=1)
    said = fit(wide - 6, "next round", "next", size=12)
    level = y + high / 2 - (8 if said else 0)
    label(ax, x + wide / 2, level, name, bold=True, ha="center", va="middle")
    if said:
        label(ax, x + wide / 2, level + 17, said, size=12, ha="center", va="middle")


@drawing
def token_against_block(
    plate: Plate, panels: Sequence[Panel], *, names: Sequence[str] | None = None
) -> None:
    """Draw what two rules keep of the same drafted blocks, one tile an outcome.

    Parameters
    ----------
    panels : sequence of (title, fates)
        Two rules on the same blocks, from ``results.panels``.
    names : sequence of str, optional
        Short names of the tokens.
    """
    fates = panels[0][1]
    gamma = len(fates[0].drafted)
    named = names_for(names, max(max(f.drafted) for f in fates) + 1 if names is None else
                      len(names))  # fmt: skip
    x, wide = plate.pick((84, 636), (10, 316))
    row = 40 if gamma <= 2 else 30
    step = 28 + 3 + gamma * row + 52
    ax = plate.pixels(2 * step + 14)
    plate.unit = wide * row
    totals = []
    for k, (title, own) in enumerate(panels):
        strip = Strip(x, wide, 34 + k * step, 28, row)
        counts = kept_drafts(own, gamma)
        totals.append(sum(counts))
        label(ax, x, strip.top - 10, title, bold=True, size=14)
        words = _sum(counts)
        said = fit(wide - text_width(title, 14, True) - 16, f"drafts kept: {words}",
                   f"kept {words}", f"kept {num(totals[-1], 3)}", bold=True)  # fmt: skip
        label(ax, x + wide, strip.top - 10, said, color="accepted", bold=True, ha="right")
        _frames(ax, strip, own, named)
        _tiles(ax, strip, (title, own), named)
        if not plate.phone:
            for t in range(gamma):
                middle = strip.box(0, 0, t)[1] + row / 2
                label(ax, 10, middle, f"token {t + 1}", bold=True, va="middle")
    _ledger(ax, plate, Strip(x, wide, 34 + step, 28, row), panels, gamma)
    _say_panels(plate, panels, named, totals)


def _changes(panels: Sequence[Panel]) -> dict[tuple[int, ...], Any]:
    """Return by how many expected kept drafts the second rule differs, block by block."""
    found: dict[tuple[int, ...], Any] = {}
    for sign, (_, fates) in zip((-1, 1), panels, strict=True):
        for fate in fates:
            found[fate.drafted] = found.get(fate.drafted, 0) + sign * fate.kept * fate.mass
    return found


def _signed(value: Any) -> str:
    if abs(float(value)) < 1e-9:
        return "±0"
    return f"{'+' if value > 0 else '−'}{short(abs(value))}"


def _ledger(ax: Axes, plate: Plate, strip: Strip, panels: Sequence[Panel], gamma: int) -> None:
    """Set below each block how many drafts more or fewer the second rule keeps of it."""
    y = strip.box(0, 0, gamma)[1] + 19
    if not plate.phone:
        label(ax, 10, y, "change", color="ink2", size=12)
    changes = _changes(panels)
    for drafted, (start, share) in strip.columns(panels[1][1]).items():
        words = fit(share * strip.wide - 4, _signed(changes[drafted]), bold=True)
        if words:
            middle = strip.x + (start + share / 2) * strip.wide
            label(ax, middle, y, words, bold=True, ha="center")


def _say_panels(
    plate: Plate, panels: Sequence[Panel], names: Sequence[str], totals: Sequence[Any]
) -> None:
    gamma = len(panels[0][1][0].drafted)
    said = []
    for (title, fates), total in zip(panels, totals, strict=True):
        counts = kept_drafts(fates, gamma)
        said.append(f"{title}: {', '.join(short(c) for c in counts)}, in all {short(total)}")
    extra = totals[1] - totals[0]
    counted = [str(t) for t in range(1, gamma + 1)]
    moved = {b: c for b, c in _changes(panels).items() if abs(float(c)) > 1e-9}
    changes = [f"{_word(names, b)} {_signed(c)}" for b, c in moved.items()][:8]
    plate.say(
        caption=(
            "both rules get the same drafted blocks, and the plain area of the second is larger: "
            "it gives up drafts that lead nowhere and keeps more of the blocks that pass as a "
            "whole."
            if float(extra) > 1e-9
            else "both rules get the same drafted blocks and keep the same plain area of them."
        ),
        alt=(
            f"Drafted blocks of {gamma} tokens as columns, as wide as they are probable, judged "
            f"by two rules. Probability that at least {listed(counted)} drafts are kept: "
            f"{'; '.join(said)}. "
            + (
                f"The second rule keeps {short(extra)} drafts more; among the changes are "
                f"{listed(changes)}."
                if changes
                else "Both keep the same."
            )
        ),
    )


@drawing
def block_sorted(
    plate: Plate, fates: Sequence[Fate], p: Any, *, names: Sequence[str] | None = None
) -> None:
    """Sort the fates of blocks of two drafts by the two tokens that come out.

    Parameters
    ----------
    fates : sequence of Fate
        Of blocks of two drafts.
    p : array_like, shape (V,)
        The target, the same at every position.
    names : sequence of str, optional
    """
    target = np.asarray(p, dtype=float)
    named = names_for(names, len(target))
    x, wide = plate.pick((84, 636), (10, 316))
    row, fall, goal = 40, 96, 46
    strip = Strip(x, wide, plate.pick(14, 14), 28, row)
    ends = strip.top + 31 + 2 * row
    ax = plate.pixels(ends + fall + goal + plate.pick(52, 74))
    plate.unit = wide * row
    _frames(ax, strip, fates, named)
    _tiles(ax, strip, ("block rule", fates), named, target)
    leaves = _leaves(strip, fates, target)
    at = 0.0
    for output in sorted({leaf[2] for leaf in leaves}):
        word = _word(named, output)
        start = at
        for begin, share, own, role in leaves:
            if own == output:
                _fall(ax, plate, strip, (begin, at, share), (ends, ends + fall), role)
                box = (x + at * wide, ends + fall, share * wide, goal)
                if role == "next":
                    plate.measure(f"out {word}", ax, wash(ax, "panel", box, zorder=2))
                    frame(ax, "next", box, zorder=2.5)
                else:
                    mass(ax, role, box, key=f"out {word}")
                fate = {"accepted": ("kept",), "residual": ("corrected", "fix"),
                        "next": ("next round", "next")}[role]  # fmt: skip
                words = fit(share * wide - 5, *fate, size=12)
                halo = "panel" if role == "next" else role
                if words:
                    label(ax, box[0] + box[2] / 2, box[1] + goal / 2, words, size=12, ha="center",
                          va="middle", halo=halo)  # fmt: skip
                at += share
        wanted = float(target[output[0]] * target[output[1]])
        box = (x + start * wide, ends + fall, wanted * wide, goal)
        plate.measure(f"wanted {word}", ax, frame(ax, "p", box))
        middle = box[0] + box[2] / 2
        label(ax, middle, box[1] + goal + 20, word, bold=True, size=14, ha="center")
        label(ax, middle, box[1] + goal + 39, short(wanted), color="p", bold=True, ha="center")
    if plate.phone:
        words = "sorted by output = $p(x_1)\\,p(x_2)$"
        label(ax, x, ends + fall + goal + 62, words, color="p", bold=True)
    else:
        label(ax, 10, strip.top + 51, "token 1", bold=True, va="middle")
        label(ax, 10, strip.top + 51 + row, "token 2", bold=True, va="middle")
        label(ax, 10, ends + fall + goal / 2 - 9, "sorted", bold=True, va="middle")
        label(ax, 10, ends + fall + goal / 2 + 9, "by output", color="ink2", size=12, va="middle")
        label(ax, 10, ends + fall + goal + 39, "$p(x_1)\\,p(x_2)$", color="p", size=12)
    outputs = [
        f"{a}{b} {short(u * v)}"
        for a, u in zip(named, target, strict=True)
        for b, v in zip(named, target, strict=True)
    ]
    plate.say(
        caption=(
            "sorted by the two tokens that come out, the tiles of the block rule and the grey "
            "ones of the next round fill the solid frames of the target exactly."
        ),
        alt=(
            "The tiles of block verification on drafted blocks of two tokens, kept or corrected; "
            "where the first token was corrected, the next round draws the second from the "
            f"target. Ribbons gather them by output: {listed(outputs)}. These are the target's "
            "products, so the rule is exact."
        ),
    )


def _leaves(
    strip: Strip, fates: Sequence[Fate], target: np.ndarray
) -> list[tuple[float, float, tuple[int, int], str]]:
    """Return start, width, output and fate of every stretch that has emitted two tokens."""
    leaves = []
    for drafted, (start, _) in strip.columns(fates).items():
        own = sorted((f for f in fates if f.drafted == drafted), key=lambda f: (-f.kept, f.token))
        whole = float(sum(f.mass for f in own if f.kept == 2))
        if whole > 0:
            leaves.append((start, whole, (drafted[0], drafted[1]), "accepted"))
        at = start + whole
        for fate in own:
            share = float(fate.mass)
            if fate.kept == 1:
                leaves.append((at, share, (drafted[0], fate.token), "residual"))
                at += share
            elif fate.kept == 0:
                for y, part in enumerate(target):
                    if part > 0:
                        leaves.append((at, share * float(part), (fate.token, y), "next"))
                        at += share * float(part)
    return leaves


def _fall(
    ax: Axes,
    plate: Plate,
    strip: Strip,
    place: tuple[float, float, float],
    levels: tuple[float, float],
    role: str,
) -> None:
    """Draw the band in which a stretch falls to its output; it is equally wide all the way."""
    begin, end, share = place
    t = np.linspace(0, 1, 25)
    bend = t * t * (3 - 2 * t)
    left = strip.x + (begin + (end - begin) * bend) * strip.wide
    y = levels[0] + (levels[1] - levels[0]) * t
    points = np.column_stack(
        [np.concatenate([left, left[::-1] + share * strip.wide]), np.concatenate([y, y[::-1]])]
    )
    theme = plate.theme
    fill = theme.panel if role == "next" else mix(theme[role].fill, theme.background, 0.4)
    order = {"next": 0.5, "residual": 0.8, "accepted": 0.9}[role]
    ax.add_patch(Polygon(points, facecolor=fill, edgecolor=theme.axis, linewidth=0.8, zorder=order))
