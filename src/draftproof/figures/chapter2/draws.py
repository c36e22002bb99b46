"""From logits to one token, and the three draws of the speculative rule with their three jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from draftproof.finite import as_pair

from ..marks import arrow, frame, label, line, mass, wash
from ..plate import Plate, drawing
from ..words import fit, listed, names_for, num, ratio, text_width
from .split import TINY

__all__ = ["logits_to_draw", "three_draws"]

Box = tuple[float, float, float, float]


def unit_line(
    ax: Axes, box: Box, weights: Any, words: Any, roles: Any, *, mark: float | None = None
) -> None:
    """Draw the unit line cut into pieces as long as the weights, each with its words.

    The words keep away from where a mark at ``mark``, a share of the line, will stand.
    """
    x, y, long, high = box
    for weight, text, role in zip(weights, words, roles, strict=True):
        part = long * float(weight)
        if part < TINY:
            continue
        piece = (x, y, part, high)
        if role in ("p", "q"):
            wash(ax, role, piece)
            frame(ax, role, piece)
        else:
            mass(ax, role, piece)
        at = None if mark is None else box[0] + long * mark
        for words_fit in (text, text.split()[0]):
            where = _aside(x, part, words_fit, at)
            if where is not None and fit(part - 6, words_fit, bold=True):
                label(ax, where, y + high / 2, words_fit, bold=True, ha="center", va="middle",
                      halo=role)  # fmt: skip
                break
        x += part
    for end, at in (("0", box[0]), ("1", box[0] + long)):
        label(ax, at, y + high + 18, end, color="ink2", size=12, ha="center")


def _aside(x: float, part: float, words: str, mark: float | None) -> float | None:
    """Return the middle of the piece, or of the longer side of the mark if words and mark touch.

    None if they touch and neither side has room for the words.
    """
    middle, half = x + part / 2, text_width(words, bold=True) / 2
    if mark is None or not x < mark < x + part or abs(mark - middle) > half + 5:
        return middle
    if max(mark - x, x + part - mark) < 2 * half + 8:
        return None
    return (x + mark) / 2 if mark > middle else (mark + x + part) / 2


def pointer(plate: Plate, ax: Axes, box: Box, u: float, name: str) -> None:
    """Mark where the uniform falls on the unit line, from below."""
    x = box[0] + box[2] * u
    low = box[1] + box[3]
    line(ax, [x, x], [box[1] - 7, box[1] + 5], "ink", zorder=7)
    arrow(ax, [(x, low + 20), (x, low - 4)], head=10)
    ha: Any = "left" if u < 0.06 else "right" if u > 0.94 else "center"
    label(ax, x, low + 35, f"${name}$ = {num(u)}", bold=True, ha=ha)


@drawing
def logits_to_draw(
    plate: Plate,
    logits: Sequence[float],
    law: Any,
    u: float,
    token: int,
    *,
    names: Sequence[str] | None = None,
) -> None:
    """Draw how logits become a law, and how one uniform picks one token from it.

    Parameters
    ----------
    logits : sequence of float, length V
    law : array_like, shape (V,)
        Their softmax.
    u : float
        The uniform in [0, 1).
    token : int
        The token that u picks.
    names : sequence of str, optional

    Raises
    ------
    ValueError
        If `law` is no law, its shape is not that of the logits, or the names are not one per token.
    """
    scores, p = np.asarray(logits, dtype=float), np.asarray(law, dtype=float)
    named = names_for(names, len(p))
    if scores.shape != p.shape:
        raise ValueError(f"logits and law must have one shape; got {scores.shape} and {p.shape}")
    ax = plate.pixels(plate.pick(372, 372))
    panels = plate.pick(((24, 300), (412, 300)), ((14, 142), (182, 142)))
    _scores(plate, ax, panels[0], scores, named)
    _law(plate, ax, panels[1], p, named)
    if not plate.phone:
        label(ax, 356, 118, "softmax", ha="center", bold=True)
        arrow(ax, [(330, 132), (388, 132)])
    else:
        arrow(ax, [(158, 132), (178, 132)], head=8)
    box = plate.pick((24.0, 284.0, 688.0, 36.0), (14.0, 284.0, 308.0, 36.0))
    found = named[token]
    words = plate.pick(
        f"3  one draw: $u$ falls in the piece of {found}", f"3  one draw: $u$ picks {found}"
    )
    label(ax, box[0], box[1] - 22, words, bold=True)
    unit_line(ax, box, p, [f"{n} {num(w)}" for n, w in zip(named, p, strict=True)], ["p"] * len(p),
              mark=u)  # fmt: skip
    pointer(plate, ax, box, u, "u")
    start = float(p[:token].sum())
    scores_said = [f"{n} {num(s)}" for n, s in zip(named, scores, strict=True)]
    law_said = [f"{n} {num(w)}" for n, w in zip(named, p, strict=True)]
    plate.say(
        caption=(
            "the bars of the law, laid end to end, fill the unit line, so a uniform number falls "
            "into a token's piece with exactly that token's probability."
        ),
        alt=(
            f"Logits {listed(scores_said)} become the law {listed(law_said)} by the softmax. The "
            f"law's masses lie end to end on a line from 0 to 1; the uniform {num(u)} falls "
            f"between {num(start)} and {num(start + p[token])}, the piece of {found}, so {found} "
            "is drawn."
        ),
    )


def _scores(
    plate: Plate, ax: Axes, panel: tuple[int, int], scores: np.ndarray, names: Sequence[str]
) -> None:
    """Draw the logits as bars from a zero line: scores, not yet masses."""
    x0, room = panel
    label(ax, x0, 24, plate.pick("1  logits: any real numbers", "1  logits"), bold=True)
    finite = scores[np.isfinite(scores)]
    top, low = max(finite.max(), 0.0), min(finite.min(), 0.0)
    scale = 130 / (top - low or 1)
    zero = 58 + top * scale
    slot = room / len(scores)
    for k, (name, score) in enumerate(zip(names, scores, strict=True)):
        x = x0 + slot * k + slot * 0.14
        wide = slot * 0.72
        end = zero - score * scale
        box = (x, min(zero, end), wide, abs(end - zero))
        wash(ax, "panel", box)
        for sides in (((x, x), (zero, end)), ((x + wide, x + wide), (zero, end)),
                      ((x, x + wide), (end, end))):  # fmt: skip
            line(ax, *sides, "axis", zorder=2)
        level = end - 7 if score >= 0 else end + 15
        label(ax, x + wide / 2, level, num(score, 1), bold=True, size=12, ha="center")
        label(ax, x + wide / 2, 222, name, bold=True, ha="center")
    line(ax, [x0 - 4, x0 + room + 4], [zero, zero])
    label(ax, x0 - 2, zero + 14, "0", color="ink2", size=12, ha="left")


def _law(
    plate: Plate, ax: Axes, panel: tuple[int, int], p: np.ndarray, names: Sequence[str]
) -> None:
    """Draw the law as bars with the target's outline."""
    x0, room = panel
    words = plate.pick("2  law: $p(x) = e^{l(x)}\\, / \\,\\sum_y e^{l(y)}$", "2  law $p$")
    label(ax, x0, 24, words, bold=True)
    tall, base = 138 / p.max(), 202.0
    slot = room / len(p)
    for k, (name, weight) in enumerate(zip(names, p, strict=True)):
        x, wide = x0 + slot * k + slot * 0.14, slot * 0.72
        box = (x, base - weight * tall, wide, weight * tall)
        wash(ax, "p", box)
        frame(ax, "p", box)
        label(ax, x + wide / 2, box[1] - 8, num(weight), bold=True, size=12, ha="center")
        label(ax, x + wide / 2, 222, name, bold=True, ha="center")
    line(ax, [x0 - 4, x0 + room + 4], [base, base])


@drawing
def three_draws(
    plate: Plate,
    p: Any,
    q: Any,
    uniforms: tuple[float, float, float],
    tokens: tuple[int, int],
    *,
    names: Sequence[str] | None = None,
) -> None:
    """Draw the three draws of one speculative token, each on its own unit line.

    Parameters
    ----------
    p, q : array_like, shape (V,)
        Target and draft law.
    uniforms : tuple of three floats
        For the draft, for the test, for the correction.
    tokens : tuple of two ints
        The drafted token and the correction that the third uniform would give.
    names : sequence of str, optional

    Raises
    ------
    ValueError
        If p or q is no law, or the names are not one per token.
    """
    target, draft = (np.asarray(law, dtype=float) for law in as_pair(p, q))
    named = names_for(names, len(target))
    drafted, corrected = named[tokens[0]], named[tokens[1]]
    chance = min(1.0, target[tokens[0]] / draft[tokens[0]])
    gap = np.maximum(target - draft, 0)
    gap = gap / gap.sum() if gap.sum() > TINY else target
    kept = uniforms[1] < chance
    step = plate.pick(122, 128)
    ax = plate.pixels(3 * step + plate.pick(8, 14))
    long = plate.pick((24.0, 510.0), (14.0, 308.0))
    rows: tuple[tuple[Any, ...], ...] = (
        ("1  draft", "one token from $q$", draft, named, ["q"] * len(draft),
         f"drafted: {drafted}", "q"),
        ("2  test", f"keep {drafted} with chance $p/q$ = {ratio(chance)}", [chance, 1 - chance],
         ("keep", "reject"), ("accepted", "rejected"),
         "kept" if kept else "rejected", "accepted" if kept else "rejected"),
        ("3  correct", "only after a rejection: one token from the residual", gap, named,
         ["residual"] * len(gap), "not needed" if kept else f"corrected to {corrected}",
         "ink2" if kept else "residual"),
    )  # fmt: skip
    for row, (job, what, weights, words, roles, outcome, color) in enumerate(rows):
        box = (long[0], 42.0 + row * step, long[1], 32.0)
        label(ax, box[0], box[1] - 16, job, bold=True, size=14)
        what = plate.pick(what, what.replace("only after a rejection: one", "if rejected: a"))
        label(ax, box[0] + 92, box[1] - 16, what, color="ink2")
        texts = [f"{n} {ratio(w)}" for n, w in zip(words, weights, strict=True)]
        used = row < 2 or not kept
        unit_line(ax, box, weights, texts, roles, mark=uniforms[row] if used else None)
        if used:
            pointer(plate, ax, box, uniforms[row], f"u_{row + 1}")
        if plate.phone:
            low = uniforms[row] > 0.5
            x, ha = (box[0] + 14, "left") if low else (box[0] + box[2] - 14, "right")
            label(ax, x, box[1] + 67, outcome, color=color, bold=True, ha=ha)
        else:
            arrow(ax, [(box[0] + box[2] + 16, box[1] + 16), (box[0] + box[2] + 44, box[1] + 16)])
            x = box[0] + box[2] + 54
            label(ax, x, box[1] + 16, outcome, color=color, bold=True, va="middle", size=15)
    end = f"{drafted} is kept" if kept else f"{drafted} is rejected and {corrected} comes instead"
    laws = [
        f"{n} {ratio(b)} against {ratio(a)}" for n, b, a in zip(named, draft, target, strict=True)
    ]
    plate.say(
        caption=(
            "three unit lines for three jobs: the first draw picks a token, the second decides "
            "plain or hatched, the dotted third picks its replacement and is needed only after a "
            "rejection."
        ),
        alt=(
            f"Three lines from 0 to 1 (q against p: {listed(laws)}). Cut by q, the uniform "
            f"{num(uniforms[0])} drafts {drafted}. Cut at p/q = {ratio(chance)}, the uniform "
            f"{num(uniforms[1])} {'keeps' if kept else 'rejects'} it. Cut by the residual, the "
            f"uniform {num(uniforms[2])} would correct to {corrected}. So {end}."
        ),
    )
