"""A text that the real pair wrote, over the time its rounds took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..marks import label, line, mass
from ..plate import Plate, drawing
from ..words import fit, num, text_width
from .pieces import box, fan, fan_edges, glyph, rest, seconds, shown

__all__ = ["Ribbon", "real_ribbon", "ribbon_of"]

ROOM = (48, 22)
"""Characters, or plain steps if the rounds take longer, that fit: wide and on a phone."""
_WORD = {"accepted": "draft kept", "residual": "corrected", "bonus": "bonus"}
_CELL, _FOOT = 42, 13


@dataclass(frozen=True)
class Ribbon:
    """A recorded run in the ribbon's own terms; times are in plain steps a character.

    Attributes
    ----------
    pieces : tuple of (str, str)
        For each round its characters, and the role of the last (``residual`` or ``bonus``).
    gamma : int
    c : float
        One draft.
    v : float
        One target pass over gamma + 1 positions.
    o : float
        Acceptance and bookkeeping of a round.
    step : float
        Seconds of plain decoding a character.
    drafter : str
    temperature : float
    """

    pieces: tuple[tuple[str, str], ...]
    gamma: int
    c: float
    v: float
    o: float
    step: float
    drafter: str
    temperature: float

    @property
    def price(self) -> float:
        """Plain steps that one round takes."""
        return self.gamma * self.c + self.v + self.o

    def fitting(self, room: int) -> tuple[tuple[str, str], ...]:
        """Return the first whole rounds whose text and time fit into so many steps; at least one.

        Parameters
        ----------
        room : int

        Returns
        -------
        tuple of (str, str)
        """
        count, taken = 0, 0
        for text, _ in self.pieces:
            if taken and max(count + len(text), (taken + 1) * self.price) > room:
                break
            count, taken = count + len(text), taken + 1
        return self.pieces[:taken]


def ribbon_of(run: Mapping[str, Any]) -> Ribbon:
    """Return a recorded run as the ribbon draws it.

    Parameters
    ----------
    run : mapping
        As `draftproof.recorded.run_of` makes it.

    Returns
    -------
    Ribbon

    Raises
    ------
    ValueError
        If the run has no round, or its times are not positive.
    """
    rounds, step, parts = run["rounds"], run["plain_seconds_per_token"], run["timings"]
    if not rounds:
        raise ValueError("run must hold at least one round, got none")
    if not (step > 0 and parts["target"] > 0):
        raise ValueError(f"run must hold positive times, got {step!r} and {parts!r}")
    # A round's time is the mean over the run: single rounds are too short to be timed one by one.
    each = 1 / (len(rounds) * step)
    gamma = int(run["gamma"])
    pieces = tuple(
        (r["drafted"][: r["accepted"]] + r["next"], "bonus" if r["bonus"] else "residual")
        for r in rounds
    )
    return Ribbon(pieces, gamma, parts["draft"] * each / gamma, parts["target"] * each,
                  parts["verify"] * each, step, str(run["drafter"]),
                  float(run["temperature"]))  # fmt: skip


@drawing
def real_ribbon(plate: Plate, ribbon: Ribbon, *, lit: int | None = None) -> None:
    """Draw a generated text by its fates, on plain decoding's time axis, over its rounds' time.

    Parameters
    ----------
    ribbon : Ribbon
    lit : int, optional
        The round to light up, from 1; by default the first of the longest.
    """
    pieces = ribbon.fitting(plate.pick(*ROOM))
    lengths = [len(text) for text, _ in pieces]
    spent, count = len(pieces) * ribbon.price, sum(lengths)
    left = 4.0
    unit = (plate.width - 2 * left) / max(count, spent)
    plate.unit = (unit - 1.5) * _CELL
    ax = plate.pixels(318)
    _plain(ax, plate, ribbon, (left, unit), count)
    roles = [role for text, last in pieces for role in ["accepted"] * (len(text) - 1) + [last]]
    _names(ax, roles, left, unit)
    text = "".join(text for text, _ in pieces)
    for k, (character, role) in enumerate(zip(text, roles, strict=True)):
        _cell(ax, role, character, (left + k * unit + 0.75, 102, unit - 1.5, _CELL))
    chosen = _chosen(ribbon, lit, lengths)
    _rounds(ax, ribbon, (left, unit), lengths, chosen)
    _clocks(ax, plate, ribbon, (left, unit), lengths)
    _about(ax, plate, ribbon, (left, unit), lengths, chosen)
    _say(plate, ribbon, chosen)


def _chosen(ribbon: Ribbon, lit: int | None, lengths: Sequence[int]) -> int:
    if lit is None:
        return int(np.argmax([len(text) for text, _ in ribbon.fitting(ROOM[1])]))
    return min(max(int(lit), 1), len(lengths)) - 1


def _plain(ax: Axes, plate: Plate, ribbon: Ribbon, at: tuple[float, float], count: int) -> None:
    left, unit = at
    words = plate.pick("plain decoding: one target pass a character", "plain: a pass a character")
    label(ax, left, 15, words, color="p", bold=True)
    clock = seconds(count * ribbon.step)
    label(ax, plate.width - left, 15, plate.pick(f"{count} passes, {clock}", clock), bold=True,
          ha="right")  # fmt: skip
    for k in range(count):
        box(ax, "p", (left + k * unit + 1, 24, unit - 2, 24))


def _cell(ax: Axes, role: str, character: str, shape: tuple[float, float, float, float]) -> None:
    """Draw one character: no pattern behind the letter, so a pattern is shown at the foot."""
    x, y, wide, high = shape
    box(ax, role, shape, key=role)
    if role != "accepted":
        mass(ax, role, (x, y + high - _FOOT, wide, _FOOT))
    glyph(ax, x + wide / 2, y + (high - _FOOT) / 2, character, size=14 if wide > 11 else 12)


def _names(ax: Axes, roles: Sequence[str], left: float, unit: float) -> None:
    """Name each fate once, over a character that had it, so that no two names meet."""
    end = 0.0
    for role in sorted(set(roles), key=roles.index):
        half = text_width(_WORD[role], 13, bold=True) / 2
        for k in (i for i, other in enumerate(roles) if other == role):
            centre = left + (k + 0.5) * unit
            at = min(max(centre, half + 4), ax.get_xlim()[1] - half - 2)
            if at - half >= end and abs(at - centre) <= half:
                label(ax, at, 84, _WORD[role], color=role, bold=True, ha="center")
                line(ax, [centre, centre], [89, 99], "leader")
                end = at + half + 14
                break


def _rounds(
    ax: Axes, ribbon: Ribbon, at: tuple[float, float], lengths: Sequence[int], chosen: int
) -> None:
    left, unit = at
    theme = ax.figure.theme  # type: ignore[union-attr]
    for k, (a, b) in enumerate(pairwise(np.cumsum([0, *lengths]))):
        x0, x1 = left + a * unit + 1.5, left + b * unit - 1.5
        start, wide = left + k * ribbon.price * unit, ribbon.price * unit
        line(ax, [x0, x0, x1, x1], [148, 152, 152, 148], "leader")
        fan(ax, (x0, x1), (start + 1, start + wide - 1), (153, 230), k == chosen)
        for d in range(ribbon.gamma):
            x = start + (d + 0.5) * ribbon.c * unit
            line(ax, [x, x], [236, 252], color=theme.q.line)
        x = start + ribbon.gamma * ribbon.c * unit
        box(ax, "p", (x + 0.5, 232, ribbon.v * unit - 1, 24))
        if ribbon.o * unit > 1:
            rest(ax, (x + ribbon.v * unit, 236, ribbon.o * unit - 0.5, 16))


def _clocks(
    ax: Axes, plate: Plate, ribbon: Ribbon, at: tuple[float, float], lengths: Sequence[int]
) -> None:
    """Draw what is saved or lost, the axis in milliseconds, and the two readings."""
    left, unit = at
    count, spent = sum(lengths), len(lengths) * ribbon.price
    x, end = left + spent * unit, left + count * unit
    if end - x > 12:
        line(ax, [x + 6, end], [244, 244], "dashed")
        line(ax, [end, end], [237, 251], "leader")
        saved = seconds((count - spent) * ribbon.step)
        words = fit(end - x - 16, f"{saved} saved", saved, bold=True)
        if words:
            label(ax, (x + end) / 2, 236, words, color="ink2", ha="center", bold=True)
    per = 1e3 * ribbon.step
    tick = _tick(max(count, spent) * per, plate.pick(8, 5))
    right = left + max(count, spent) * unit
    line(ax, [left, right], [264, 264], "axis")
    for k in range(int(max(count, spent) * per / tick + 1e-9) + 1):
        at_x = left + k * tick / per * unit
        line(ax, [at_x, at_x], [264, 269], "axis")
        words = f"{num(k * tick)}\N{NO-BREAK SPACE}ms" if k == 0 else num(k * tick)
        room = text_width(words, 12)
        if at_x + room / 2 < plate.width - 1:
            label(ax, at_x if k else left, 283, words, size=12, color="ink2",
                  ha="center" if k else "left")  # fmt: skip
    rounds = f"{len(lengths)} {'round' if len(lengths) == 1 else 'rounds'}"
    words = f"speculative: {rounds} of {_drafts(ribbon.gamma)} and 1 pass"
    label(ax, left, 308, plate.pick(words, rounds), color="q", bold=True)
    gain = count / spent
    words = f"{seconds(spent * ribbon.step)}: {num(gain)} times as fast"
    label(ax, plate.width - left, 308, words, bold=True,
          ha="right", size=plate.pick(15, 13))  # fmt: skip


def _drafts(count: int) -> str:
    return f"{count} {'draft' if count == 1 else 'drafts'}"


def _tick(whole: float, most: int) -> float:
    """Return a round step that gives at most `most` ticks."""
    size = 10.0 ** np.floor(np.log10(whole / most))
    return float(next(size * k for k in (1, 2, 5, 10) if whole / (size * k) <= most))


def _about(
    ax: Axes,
    plate: Plate,
    ribbon: Ribbon,
    at: tuple[float, float],
    lengths: Sequence[int],
    chosen: int,
) -> None:
    """Say what the lit round gave and took, beside it."""
    left, unit = at
    first, price = sum(lengths[:chosen]), ribbon.price
    top = (left + first * unit, left + (first + lengths[chosen]) * unit)
    low = (left + chosen * price * unit, left + (chosen + 1) * price * unit)
    letters = "character" if lengths[chosen] == 1 else "characters"
    head = f"{lengths[chosen]} {letters}"
    lines = plate.pick(
        (f"one round: {head}", f"in the time of {num(ribbon.price)} passes"),
        (head, f"in {num(ribbon.price)} passes"),
    )
    wide = max(text_width(words, 13, bold=True) for words in lines)
    x, y, ground = _beside((top, low), wide, plate.width - 4)
    label(ax, x, y, lines[0], bold=True, halo=ground)
    label(ax, x, y + 17, lines[1], halo=ground)


def _beside(
    fan: tuple[tuple[float, float], tuple[float, float]], wide: float, last: float
) -> tuple[float, float, str]:
    """Return where two lines of text go: right of the fan, left of it, or within."""
    for y in (188.0, 174.0, 208.0):
        starts, ends = fan_edges(*fan, (153, 230), (y - 14, y + 22))
        if ends.max() + 10 + wide <= last and y < 200:  # what is saved stands low on the right
            return ends.max() + 10, y, "panel"
        if starts.min() - 10 - wide >= 4:
            return starts.min() - 10 - wide, y, "panel"
    starts, ends = fan_edges(*fan, (153, 230), (174, 210))
    return (starts.max() + ends.min() - wide) / 2, 188.0, "q"


def _say(plate: Plate, ribbon: Ribbon, chosen: int) -> None:
    pieces, few = (ribbon.fitting(room) for room in ROOM)
    count, spent = sum(len(text) for text, _ in pieces), len(pieces) * ribbon.price
    start, less = sum(len(text) for text, _ in few), len(few) * ribbon.price
    last = [role for _, role in pieces]
    text = "".join(text for text, _ in pieces)
    verdict = "the lower clock stops early" if count > spent else "the lower clock stops late"
    plate.say(
        caption=f"each round hands over at most {ribbon.gamma + 1} characters for one target pass, "
        f"and {verdict}; the letters alone do not tell which model wrote them. (Recorded run, "
        f"{ribbon.drafter}, temperature {num(ribbon.temperature)}.)",
        alt=f"The text {shown(text)}, {count} characters in {len(pieces)} rounds of "
        f"{_drafts(ribbon.gamma)} ({ribbon.drafter}): {count - len(pieces)} drafts kept, "
        f"{last.count('residual')} corrected, {last.count('bonus')} bonus. Plain decoding takes "
        f"{count} passes or {seconds(count * ribbon.step)}. A round takes "
        f"{num(ribbon.price)} plain passes: {_drafts(ribbon.gamma)} of {num(ribbon.c, 3)}, one "
        f"pass of {num(ribbon.v, 3)}, "
        f"{num(ribbon.o, 3)} for acceptance; all rounds take {seconds(spent * ribbon.step)}, "
        f"{num(count / spent)} times less. Round {chosen + 1} is lit: "
        f"{len(pieces[chosen][0])} characters. On a narrow screen only the first {start} "
        f"characters: {start} passes against {num(less, 1)}, {num(start / less)} times less.",
    )
