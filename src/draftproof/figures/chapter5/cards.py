"""Small multiples: what a rule emits, by its parts, against the law that is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..chapter2.rules import short
from ..chapter2.split import TINY, Bars, p_outline
from ..marks import label, line, mass, wash
from ..plate import Plate, drawing
from ..words import count, listed, ratio, text_width
from .gallery import Card

__all__ = ["distance_words", "fault_cards", "parts", "rule_cards"]


def distance_words(value: Any) -> str:
    """Return a distance as a small fraction, or as a decimal that is not 0.

    Parameters
    ----------
    value : float or Fraction
        The distance.

    Returns
    -------
    str
    """
    text = ratio(value, 400)
    if "/" in text and len(text) <= 7:
        return text
    return "0" if float(value) == 0 else f"{float(value):.2g}"


def parts(
    plate: Plate, ax: Axes, bars: Bars, card: Card, *, key: str | None = None, cross: bool = True
) -> None:
    """Draw the accepted and the corrected mass of each token, or their sum, against the outline.

    Parameters
    ----------
    plate : Plate
        The plate to draw on.
    ax : Axes
        The axes to draw on.
    bars : Bars
        Where the bars stand.
    card : Card
        What is drawn.
    key : str, optional
        What the names of the areas begin with; none are reported unless given.
    cross : bool
        Strike out tokens that must never come.
    """
    wanted, got = (np.asarray(x, dtype=float) for x in (card.wanted, card.got))
    for k in range(len(wanted)):
        if card.accepted is None or card.corrected is None:
            if got[k] > TINY:
                patch = wash(ax, "hairline", bars.box(k, 0, got[k]))
                if key is not None:
                    plate.measure(f"{key}/{k}", ax, patch)
        else:
            kept, fixed = float(card.accepted[k]), float(card.corrected[k])
            for role, low, high in (("accepted", 0.0, kept), ("residual", kept, kept + fixed)):
                if high - low > TINY:
                    mark = f"{key}/{k}" if key is not None else None
                    mass(ax, role, bars.box(k, low, high), key=mark)
        if wanted[k] > TINY:
            p_outline(ax, bars, k, wanted[k])
        elif got[k] > TINY and cross:
            label(ax, bars.middle(k), bars.y(got[k]) - 7, "✗", bold=True, size=14, ha="center")


def _names(ax: Axes, bars: Bars, names: Sequence[str], slot: float) -> None:
    """Name the tokens under their bars; where pairs are too narrow, their first tokens only."""
    if max(text_width(name, 12) for name in names) <= slot - 1:
        for k, name in enumerate(names):
            label(ax, bars.middle(k), bars.base + 17, name, size=12, ha="center")
        return
    group = round(len(names) ** 0.5)
    for k in range(0, len(names), group):
        x0, x1 = bars.left[k], bars.left[k + group - 1] + bars.wide
        line(ax, [x0, x1], [bars.base + 5] * 2, "leader")
        label(ax, (x0 + x1) / 2, bars.base + 19, names[k][0] + "…", size=12, ha="center")


def _place(plate: Plate, count: int, step: float) -> tuple[list[tuple[float, float]], float, float]:
    columns = min(plate.pick({3: 3, 5: 5, 6: 3}.get(count, 4), 2), count)
    start, room, gap = plate.pick((20, 696, 32 if columns < 5 else 26), (16, 304, 28))
    wide = (room - gap * (columns - 1)) / columns
    wide = min(wide, 170)
    step_x = (room - wide) / max(columns - 1, 1) if columns > 1 else 0
    at = [(start + (k % columns) * step_x, 8 + (k // columns) * step) for k in range(count)]
    return at, wide, 8 + -(-count // columns) * step


def _in_lines(title: str, room: float) -> list[str]:
    """Return a title in one line, or in two of nearly equal length where one is too long."""
    if text_width(title, bold=True) <= room:
        return [title]
    words = title.split()
    splits = [(" ".join(words[:k]), " ".join(words[k:])) for k in range(1, len(words))]
    return list(min(splits, key=lambda two: max(text_width(row, bold=True) for row in two)))


def _card(
    plate: Plate, ax: Axes, corner: tuple[float, float], wide: float, tall: float, card: Card,
    highest: float, title: Sequence[str], *, first: bool,
) -> None:  # fmt: skip
    (x, y), size = corner, len(card.wanted)
    scale = highest if _top(card) <= highest else _top(card)
    for row, words in enumerate(title):
        label(ax, x, y + 18 - 17 * (len(title) - 1 - row), words, bold=True)
    slot = wide / size
    bar = min(slot * 0.74, 42)
    left = tuple(x + slot * k + (slot - bar) / 2 for k in range(size))
    bars = Bars(left, bar, tall / scale, y + 34 + tall)
    plate.unit = bar * bars.tall if first else plate.unit
    parts(plate, ax, bars, card, key=card.title)
    _names(ax, bars, card.names, slot)
    line(ax, [x - 2, x + wide + 2], [bars.base] * 2, zorder=5)
    if first:
        _name_p(ax, bars, card, slot - bar)
    if not card.draws:
        label(ax, x, bars.base + 40, "exact", bold=True, size=14)
        return
    label(ax, x, bars.base + 40, f"TV {distance_words(card.distance)}", bold=True, size=14)
    label(ax, x, bars.base + 58, f"seen at $n$ = {count(card.draws)}", color="ink2")


def _say(card: Card) -> str:
    got = ", ".join(short(x) for x in card.got)
    wanted = ", ".join(short(x) for x in card.wanted)
    if not card.draws:
        return f"{card.title}: ({got}), exact"
    return (
        f"{card.title}: wanted ({wanted}), emitted ({got}), TV {distance_words(card.distance)}, "
        f"caught at n = {count(card.draws)}"
    )


def _name_p(ax: Axes, bars: Bars, card: Card, room: float) -> None:
    """Name the outline: beside its tallest bar, or inside its emptiest where bars are close."""
    wanted, got = (np.asarray(law, dtype=float) for law in (card.wanted, card.got))
    k = int(np.argmax(wanted))
    level = bars.y(wanted[k]) + 6
    if room < 16:
        k = int(np.argmax(wanted - got))
        if wanted[k] - got[k] < 0.1:  # all outlines are full: beside the first
            at = bars.left[0] - 4, bars.y(wanted[0]) + 6
            label(ax, *at, "$p$", color="p", size=15, ha="right")
            return
        label(ax, bars.middle(k), bars.y(wanted[k]) + 16, "$p$", color="p", size=15, ha="center")
    elif k:
        label(ax, bars.left[k] - 5, level, "$p$", color="p", size=15, ha="right")
    else:
        label(ax, bars.left[k] + bars.wide + 5, level, "$p$", color="p", size=15)


def _top(card: Card) -> float:
    """Return the largest mass on a card."""
    return max(float(np.max(np.asarray(law, dtype=float))) for law in (card.wanted, card.got))


def _draw(plate: Plate, shown: Sequence[Card]) -> None:
    tall, step = plate.pick((104, 216), (84, 194))
    corners, wide, _ = _place(plate, len(shown), step)
    titles = [_in_lines(card.title, wide + plate.pick(26, 2)) for card in shown]
    extra = 17 * (max(map(len, titles)) - 1)
    corners, wide, height = _place(plate, len(shown), step + extra)
    ax = plate.pixels(height)
    # One scale for all cards but those of nearly certain tokens, which would leave the picture.
    highest = max(top for card in shown if (top := _top(card)) <= 0.8)
    for (x, y), card, title in zip(corners, shown, titles, strict=True):
        _card(
            plate, ax, (x, y + extra), wide, tall, card, highest, title, first=card is shown[0]
        )  # fmt: skip


@drawing
def fault_cards(plate: Plate, shown: Sequence[Card], *, lesson: str) -> None:
    """Draw the biased law of each fault against the law wanted.

    Parameters
    ----------
    shown : sequence of Card
        From ``gallery.cards``.
    lesson : str
        What the caption says of them.
    """
    _draw(plate, shown)
    strays = [
        card.title
        for card in shown
        if any(w == 0 and g > 0 for w, g in zip(card.wanted, card.got, strict=True))
    ]
    cross = " Crosses mark tokens that should never come." if strays else ""
    plate.say(
        caption=f"{lesson}{cross}",
        alt="One small bar chart a fault, the emitted law against the outline of the law wanted. "
        f"{'; '.join(_say(card) for card in shown)}.",
    )


@drawing
def rule_cards(plate: Plate, shown: Sequence[Card]) -> None:
    """Draw what rules emit that people take for exact or for biased.

    Parameters
    ----------
    shown : sequence of Card
        From ``gallery.rule_cards``.
    """
    _draw(plate, shown)
    wrong = [card.title for card in shown if card.draws]
    plate.say(
        caption="plain and dotted mass together fill the outline exactly, however little of it is "
        f"plain, for every rule but {listed(wrong)}.",
        alt="One small bar chart a rule on cat, dog and fox, accepted and corrected mass against "
        f"p. {'; '.join(_say(card) for card in shown)}.",
    )
