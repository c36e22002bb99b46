"""The staircase of a round with what was measured: acceptance by position, parts by the clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from ..marks import frame, label, line, mass, wash
from ..plate import Plate, drawing
from ..words import fit, listed, num, text_width
from .pieces import box, rest

__all__ = ["MeasuredRound", "stairs_real"]


@dataclass(frozen=True)
class MeasuredRound:
    """What a staircase needs of a drafter at one block length; times are in plain steps.

    Attributes
    ----------
    drafter : str
    alphas : tuple of float
        Chance that draft k is accepted if it is tested, for k = 1..gamma.
    c, v, o : float
        One draft; the verification pass; acceptance and bookkeeping of a round.
    tokens : float
        Tokens a target call, as counted.
    speedup : float
        As timed.
    """

    drafter: str
    alphas: tuple[float, ...]
    c: float
    v: float
    o: float
    tokens: float
    speedup: float

    @property
    def gamma(self) -> int:
        """Drafts in a block."""
        return len(self.alphas)

    @property
    def treads(self) -> tuple[float, ...]:
        """The chances that token 1, 2, ..., gamma + 1 of a round come out."""
        return (1.0, *(float(x) for x in np.cumprod(self.alphas)))

    @property
    def price(self) -> float:
        """Plain steps that a round takes."""
        return self.gamma * self.c + self.v + self.o

    def fates(self, k: int) -> list[tuple[str, float]]:
        """Return the fates of token `k` + 1 and their chances.

        Parameters
        ----------
        k : int
            In 0..gamma.

        Returns
        -------
        list of (str, float)
        """
        if k == self.gamma:
            return [("bonus", self.treads[k])]
        kept = self.treads[k + 1]
        return [("accepted", kept), ("residual", self.treads[k] - kept)]


@drawing
def stairs_real(plate: Plate, found: MeasuredRound) -> None:
    """Draw a measured round: its tokens as a stair, end to end, over the time of its parts.

    Parameters
    ----------
    found : MeasuredRound
    """
    tokens, gamma = sum(found.treads), found.gamma
    left = plate.pick(14, 8)
    unit = (plate.width - 2 * left) / max(tokens, found.price)
    tread = float(np.clip(210 / (gamma + 1), 22, 34))
    plate.unit = unit * tread
    top = 30
    floor = top + (gamma + 1) * (tread + 5) + 34
    ax = plate.pixels(floor + 2 * tread + plate.pick(98, 118))
    form = _form(unit, found)
    first = plate.pick("token 1 comes out always", "token 1: always")
    if form == len(_FORMS) - 1:
        first += "; the next with chance"
    label(ax, left, 18, first, bold=True)
    x = float(left)
    for k, chance in enumerate(found.treads):
        y = top + k * (tread + 5)
        _tread(ax, (x, y, unit, tread), k, found, form)
        _pieces(ax, (x, floor, unit, tread), k, found, "tokens")
        x += chance * unit
        line(ax, [x, x], [y + tread, floor], "hair", zorder=0)
    label(ax, left, floor - 9, "laid end to end", bold=True, halo="background")
    low = floor + tread + 20
    end = left + tokens * unit
    words = plate.pick(f"{tokens:.2f} tokens = {tokens:.2f} plain steps", f"{tokens:.2f} tokens")
    label(ax, max(end, left + text_width(words, 13, bold=True)), low, words, bold=True, ha="right")
    _cost(ax, plate, (left, low + 12, unit, tread), found, tokens)
    _say(plate, found, tokens)


_FORMS = ("{name}, chance {chance:.2f}", "{name}: {chance:.2f}", "{chance:.2f}")


def _form(unit: float, found: MeasuredRound) -> int:
    """Return the longest form of words that fits before every tread."""
    for k, form in enumerate(_FORMS[:-1]):
        wide = text_width(form.format(name="token 2", chance=0.5), bold=True)
        if wide <= unit - 8 and found.gamma > 1:
            return k
    return len(_FORMS) - 1


def _pieces(
    ax: Axes, at: tuple[float, float, float, float], k: int, found: MeasuredRound, key: str = ""
) -> None:
    x, y, unit, high = at
    for role, share in found.fates(k):
        if share > 1e-9:
            mass(ax, role, (x, y, share * unit, high), key=key or f"{role}/{k + 1}")
        x += share * unit


def _tread(
    ax: Axes, at: tuple[float, float, float, float], k: int, found: MeasuredRound, form: int
) -> None:
    """Draw one tread, with the chance that it is reached and what is kept of that."""
    x, y, unit, high = at
    _pieces(ax, at, k, found)
    if k < found.gamma:
        kept = found.fates(k)[0][1] * unit
        alpha = found.alphas[k]
        said = fit(kept - 8, f"kept {num(alpha)} of it", f"kept {num(alpha)}", f"{alpha:.2f}",
                   bold=True)  # fmt: skip
        if k == 0:
            said = fit(kept - 8, f"draft kept {num(alpha)}", f"kept {num(alpha)}", bold=True)
        label(ax, x + kept / 2, y + high / 2, said, bold=True, ha="center", va="middle",
              halo="accepted")  # fmt: skip
    if k == 0:
        cut = found.fates(0)[1][1] * unit if found.gamma else 0
        said = fit(cut - 8, "corrected", bold=True)
        label(ax, x + found.treads[1] * unit + cut / 2, y + high / 2, said, bold=True,
              ha="center", va="middle", halo="residual")  # fmt: skip
        return
    name, role = ("bonus", "bonus") if k == found.gamma else (f"token {k + 1}", "ink")
    words = _FORMS[form].format(name=name, chance=found.treads[k])
    label(ax, x - 9, y + high / 2, words, bold=True, ha="right", va="middle", color=role,
          halo="background")  # fmt: skip


def _cost(
    ax: Axes,
    plate: Plate,
    at: tuple[float, float, float, float],
    found: MeasuredRound,
    tokens: float,
) -> None:
    """Draw the time of one round below the tokens, and what is saved or lost."""
    x, y, unit, high = at
    for k in range(found.gamma):
        box(ax, "q", (x + k * found.c * unit, y, found.c * unit, high), key="drafts", dashed=True)
    drafts = x + found.gamma * found.c * unit
    box(ax, "p", (drafts, y, found.v * unit, high), key="pass")
    inside = fit(found.v * unit - 8, f"1 pass over {found.gamma + 1} positions", "1 pass",
                 bold=True)  # fmt: skip
    label(ax, drafts + found.v * unit / 2, y + high / 2, inside, color="p", bold=True, ha="center",
          va="middle")  # fmt: skip
    rest(ax, (drafts + found.v * unit, y, found.o * unit, high), key="rest")
    gain = tokens - found.price
    start = x + min(tokens, found.price) * unit
    if gain > 0:
        shape = (start, y, gain * unit, high)
        wash(ax, "panel", shape)
        frame(ax, "next", shape)
        said = fit(gain * unit - 8, "time saved", "saved", bold=True)
        label(ax, start + gain * unit / 2, y + high / 2, said, color="ink2", bold=True, ha="center",
              va="middle")  # fmt: skip
    foot = y + high + 22
    parts = (f"{found.gamma} × {num(found.c, 3)}", num(found.v), num(found.o))
    words = plate.pick(f"one round: {parts[0]} + {parts[1]} + {parts[2]} for the rest",
                       " + ".join(parts))  # fmt: skip
    label(ax, x, foot, f"{words} = {num(found.price)}", bold=True, color="q")
    at_y = foot + 26
    words = f"speedup = {tokens:.2f} / {found.price:.2f} = {tokens / found.price:.2f}"
    label(ax, plate.width - x, at_y, words, bold=True, ha="right", size=plate.pick(16, 14))
    spot = plate.pick((x, at_y), (plate.width - x, at_y + 20))
    label(ax, spot[0], spot[1], f"timed: {found.speedup:.2f}", bold=True,
          ha=plate.pick("left", "right"), size=plate.pick(16, 14))  # fmt: skip


def _say(plate: Plate, found: MeasuredRound, tokens: float) -> None:
    kept: Sequence[str] = [f"{alpha:.3f}" for alpha in found.alphas]
    plate.say(
        caption=f"the stair of the real pair is {tokens:.2f} tokens long and the round below it "
        f"{found.price:.2f} plain steps; the ratio of the two lengths, "
        f"{tokens / found.price:.2f}, stands beside the {found.speedup:.2f} that was timed.",
        alt=f"A staircase of {found.gamma + 1} treads for {found.drafter} drafts. Of the drafts "
        f"tested, position by position, the shares kept are {listed(kept)}; laid end to end the "
        f"treads measure {tokens:.3f} ({found.tokens:.3f} tokens a call were counted). A round "
        f"costs {found.gamma} drafts of {num(found.c, 3)}, a pass of {num(found.v, 3)} and "
        f"{num(found.o, 3)} for acceptance and bookkeeping, together {found.price:.3f} plain "
        f"steps; the lengths give a speedup of {tokens / found.price:.3f}, the clock gave "
        f"{found.speedup:.3f}.",
    )
