"""Rules and warps side by side: the law that is wanted as an outline, the law got as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from draftproof.rules import Outcome

from ..marks import label, line, mass, wash
from ..plate import Plate, drawing
from ..words import fit, listed, names_for, num, ratio
from .split import TINY, Bars, p_outline

__all__ = ["one_sided_warp", "rules_zoo", "short"]

Case = tuple[str, Any, Any]


def short(value: Any) -> str:
    """Return a simple fraction as such and anything else with three decimals.

    Parameters
    ----------
    value : object
        The number.

    Returns
    -------
    str
    """
    text = ratio(value, 16)
    return text if "/" in text or float(value) in (0.0, 1.0) else num(value, 3)


def card(
    plate: Plate,
    ax: Axes,
    corner: tuple[float, float],
    size: tuple[float, float],
    case: Case,
    names: Sequence[str],
    *,
    key: bool,
) -> float:
    """Draw one law got (bars) against the law wanted (solid outline); return their distance.

    With ``key`` the outline is named.
    """
    title, wanted, got = case[0], *(np.asarray(x, dtype=float) for x in case[1:])
    (x, y), (wide, tall) = corner, size
    words = fit(wide + 14, title, size=13, bold=True) or _wrap(title)
    label(ax, x, y + (0 if "\n" in words else 16), words, bold=True)
    slot = wide / len(names)
    bar = slot * 0.7
    # One scale for all cards: the full height stands for probability 0.8.
    left = tuple(x + slot * k + (slot - bar) / 2 for k in range(len(names)))
    bars = Bars(left, bar, tall / 0.8, y + 34 + tall)
    for k, name in enumerate(names):
        if got[k] > TINY:
            box = bars.box(k, 0, got[k])
            wash(ax, "hairline", box)
            x0, y0, w, h = box
            line(ax, [x0, x0, x0 + w, x0 + w], [y0 + h, y0, y0, y0 + h], "axis", zorder=3)
        if wanted[k] > TINY:
            p_outline(ax, bars, k, wanted[k])
        elif got[k] > TINY:
            top = bars.y(got[k]) - 7
            label(ax, bars.middle(k), top, "✗", bold=True, size=14, ha="center")
        label(ax, bars.middle(k), bars.base + 17, name, size=12, ha="center")
    line(ax, [x - 2, x + wide + 2], [bars.base] * 2, zorder=5)
    if key:
        k = int(np.argmax(wanted))
        side, ha = (-4, "right") if k == len(names) - 1 else (bar + 4, "left")
        label(ax, left[k] + side, bars.y(wanted[k]) + 5, "wanted", color="p", ha=ha)
    distance = float(abs(got - wanted).sum() / 2)
    words = "exact" if distance < TINY else f"distance {short(distance)}"
    label(ax, x, bars.base + 38, words, bold=True, size=14)
    return distance


def _wrap(title: str) -> str:
    """Break a title into two lines of about equal length."""
    words = title.split()
    cut = min(range(1, len(words)), key=lambda k: abs(len(" ".join(words[:k])) - len(title) / 2))
    return " ".join(words[:cut]) + "\n" + " ".join(words[cut:])


def _grid(plate: Plate, count: int, step: float) -> tuple[list[tuple[float, float]], float, float]:
    """Corners of the cards, the width of each, and the height of the figure."""
    columns = plate.pick(min(4, count), 2)
    start, room = plate.pick((24, 688), (18, 300))
    gap = plate.pick(34, 28)
    wide = (room - gap * (columns - 1)) / columns
    corners = [
        (start + (k % columns) * (wide + gap), 18 + (k // columns) * step) for k in range(count)
    ]
    return corners, wide, 14 + -(-count // columns) * step


@drawing
def rules_zoo(
    plate: Plate, p: Any, outcomes: Sequence[Outcome], *, names: Sequence[str] | None = None
) -> None:
    """Draw what each rule emits against the target, its distance, and how much it keeps.

    Parameters
    ----------
    p : array_like, shape (V,)
        The target.
    outcomes : sequence of draftproof.rules.Outcome
        From ``draftproof.rules.zoo``.
    names : sequence of str, optional
    """
    target = np.asarray(p, dtype=float)
    named = names_for(names, len(target))
    tall, step = plate.pick((84, 214), (76, 206))
    corners, wide, height = _grid(plate, len(outcomes), step)
    ax = plate.pixels(height)
    plate.unit = wide * 12
    for corner, outcome in zip(corners, outcomes, strict=True):
        case = outcome.name, target, outcome.law
        card(plate, ax, corner, (wide, tall), case, named, key=outcome is outcomes[0])
        x, y = corner[0], corner[1] + 34 + tall + 48
        wash(ax, "panel", (x, y, wide, 12))
        if outcome.kept > TINY:
            mass(ax, "accepted", (x, y, wide * float(outcome.kept), 12), key=outcome.name)
        label(ax, x, y + 28, f"keeps {short(outcome.kept)}", color="accepted")
    exact = [o.name for o in outcomes if float(o.distance) < TINY]
    quoted = listed([f"“{name}”" for name in exact])
    said = [
        f"{o.name}: ({', '.join(short(x) for x in o.law)}), distance {short(o.distance)}, "
        f"keeps {short(o.kept)}"
        for o in outcomes
    ]
    plate.say(
        caption=(
            f"only under {quoted} do the grey bars end at the solid outline of the target; "
            "every other rule misses it somewhere, even those that keep more drafts."
        ),
        alt=(
            f"One small bar chart a rule, the emitted law against the target "
            f"({', '.join(short(x) for x in p)}). {'; '.join(said)}. Exact are {listed(exact)} "
            "alone."
        ),
    )


def _both_and_one(case: Case, strays: Sequence[str]) -> str:
    """Return the caption of two cases: a warp on both sides, and the same one elsewhere."""
    title, wanted, got = case
    words = "the same warp on both sides is exact"
    side = title.removeprefix("warped: ")
    if side == "both":
        return words + "."
    distance = float(abs(np.asarray(got, float) - np.asarray(wanted, float)).sum() / 2)
    if distance < TINY:
        return f"{words}, and on the {side} it is exact as well."
    if not strays:
        return f"{words}; on the {side}, the law that comes out is off by {short(distance)}."
    verb = "comes" if len(strays) == 1 else "come"
    return f"{words}; on the {side}, {listed(strays)} {verb} through."


@drawing
def one_sided_warp(
    plate: Plate, cases: Sequence[Case], *, names: Sequence[str] | None = None
) -> None:
    """Draw what happens when temperature, top-k or top-p reaches only one of the two laws.

    Parameters
    ----------
    cases : sequence of (title, law wanted, law got)
    names : sequence of str, optional
    """
    named = names_for(names, len(cases[0][1]))
    tall, step = plate.pick((112, 210), (92, 196))
    corners, wide, height = _grid(plate, len(cases), step)
    ax = plate.pixels(height)
    said, strays = [], []
    for corner, case in zip(corners, cases, strict=True):
        distance = card(plate, ax, corner, (wide, tall), case, named, key=case is cases[0])
        stray = [n for n, w, g in zip(named, case[1], case[2], strict=True) if w == 0 and g > TINY]
        strays.append(stray)
        said.append(
            f"{case[0]}: wanted ({', '.join(short(x) for x in case[1])}), got "
            f"({', '.join(short(x) for x in case[2])}), distance {short(distance)}"
            + (f", with {listed(stray)} outside the wanted support" if stray else "")
        )
    plate.say(
        caption=_both_and_one(cases[1], strays[1])
        if len(cases) == 2
        else "with the same warp in both laws the grey bars end at the solid outline; a warp on "
        "one side alone misses it"
        + (", and crosses mark tokens it had ruled out." if any(strays) else "."),
        alt=(
            "One small bar chart a case, the law wanted as an outline and the law got as bars. "
            f"{'; '.join(said)}. The warp belongs into both laws."
        ),
    )
