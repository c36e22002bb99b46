"""What "lossless" means in bfloat16: rounding may flip an argmax where two logits are close."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, inf, log2, sqrt
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from draftproof.finite import check_number

from ..marks import arrow, dots, label, line
from ..plate import Plate, drawing
from ..words import count, listed, num, percent, text_width
from .pieces import box, whisker

__all__ = ["Rounded", "bf16", "lossless_rounding", "spacing"]

_SURE = 1.96  # standard errors: 95 % of chance


def bf16(value: float) -> float:
    """Return a number rounded to bfloat16: 8 bits of precision, to the nearest, ties to even.

    Parameters
    ----------
    value : float
        Within the range of float32.

    Returns
    -------
    float
    """
    bits = int(np.float32(value).view(np.uint32))
    kept = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return float(np.uint32(kept).view(np.float32))


def spacing(value: float) -> float:
    """Return the distance of neighbouring bfloat16 numbers at a value.

    Parameters
    ----------
    value : float
        Not 0.

    Returns
    -------
    float
    """
    return float(2.0 ** (floor(log2(abs(value))) - 7))


@dataclass(frozen=True)
class Rounded:
    """The two largest logits of a position, and what bfloat16 makes of them.

    Attributes
    ----------
    top : float
        The largest logit.
    gap : float
        How far the second lies below it, from 0 to nine tenths of `top`.

    Raises
    ------
    ValueError
        If `gap` is out of range or `top` is not positive.
    """

    top: float
    gap: float

    def __post_init__(self) -> None:
        check_number(self.top, "top", 0, above=True)
        check_number(self.gap, "gap", 0, 0.9 * self.top)  # both of one sign

    @property
    def logits(self) -> tuple[float, float]:
        """The largest and the second logit."""
        return self.top, self.top - self.gap

    @property
    def rounded(self) -> tuple[float, float]:
        """Both as bfloat16 keeps them."""
        first, second = self.logits
        return bf16(first), bf16(second)

    @property
    def tie(self) -> bool:
        """Whether bfloat16 cannot tell them apart."""
        return self.rounded[0] == self.rounded[1]


@drawing
def lossless_rounding(
    plate: Plate, pair: Rounded, bins: Sequence[Mapping[str, Any]], model: str
) -> None:
    """Draw two logits on the grid that rounding leaves, above the measured share of flips.

    Parameters
    ----------
    pair : Rounded
    bins : sequence of mapping
        ``low``, ``high`` (None: no end), ``positions``, ``flips``.
    model : str
        What was measured.
    """
    bins = sorted((b for b in bins if b["positions"]), key=lambda b: float(b["low"]))
    at = next((k for k, b in enumerate(bins) if b["low"] <= pair.gap < _end(b)), len(bins) - 1)
    ax = plate.pixels(plate.pick(392, 400))
    _grid(ax, plate, pair)
    _flips(ax, plate, bins, at)
    step = spacing(pair.top)
    fate = (
        "both land on one number, a tie that the order of the list decides"
        if pair.tie
        else "they stay apart"
    )
    here = bins[at]
    share = here["flips"] / here["positions"]
    told = [f"{_span(b)}: {b['flips']} of {count(b['positions'])}" for b in bins]
    plate.say(
        caption=f"two logits {num(pair.gap, 3)} apart on a grid of step {num(step, 4)}: {fate}; "
        "the bars show how often the choice flipped when only the number of positions in the pass "
        f"changed, and large gaps do not flip (the whiskers of small counts are wide). ({model}.)",
        alt=f"Above, a largest logit of {num(pair.top, 3)} and a second {num(pair.gap, 3)} below "
        f"it, in bfloat16 {num(pair.rounded[0], 4)} and {num(pair.rounded[1], 4)}: {fate}. Below, "
        f"flips of the argmax by the gap of the two largest logits: {listed(told)}. The gap drawn "
        f"falls where {percent(share, 1)} flipped.",
    )


def _end(row: Mapping[str, Any]) -> float:
    return inf if row["high"] is None else float(row["high"])


def _span(row: Mapping[str, Any]) -> str:
    if row["high"] is None:
        return f"over {num(row['low'], 3)}"
    return f"{num(row['low'], 3)} to {num(row['high'], 3)}"


def _grid(ax: Axes, plate: Plate, pair: Rounded) -> None:
    """Draw the logits as they are, and below them the numbers that bfloat16 has."""
    step = spacing(pair.top)
    low, high = min(*pair.logits, *pair.rounded), max(*pair.logits, *pair.rounded)
    left, right = plate.pick(118, 14), plate.pick(20, 14)
    margin = min(max(step * 1.2, (high - low) * 0.12), low / 2)
    start, end = low - margin, high + margin
    unit = (plate.width - left - right) / (end - start)
    above, below = plate.pick(46, 66), plate.pick(112, 132)
    if plate.phone:
        label(ax, 6, 18, "exact logits", bold=True)
        label(ax, 6, below + 38, "bfloat16 has only these", bold=True)
    else:
        label(ax, 8, above, "exact logits", bold=True, va="middle")
        label(ax, 8, below, "bfloat16 grid", bold=True, va="middle")
    for y in (above, below):
        line(ax, [left, plate.width - right], [y, y], "axis")
    number = bf16(start)
    while number <= end:
        if number >= start:
            x = left + (number - start) * unit
            line(ax, [x, x], [below - 8, below + 8], "axis")
        number += spacing(number)
    names = ("first", "second")
    for value, kept, name, role in zip(pair.logits, pair.rounded, names, ("p", "q"), strict=True):
        x, to = left + (value - start) * unit, left + (kept - start) * unit
        arrow(ax, [(x, above + 7), (to, below - 10)], color=role)
        dots(ax, [x], [above], role, size=11, zorder=7)
        words = f"{name} {value:.3f}"
        wide = text_width(words, 13, bold=True)
        outward = x + wide < plate.width - 2 if name == "first" else x - wide > 2
        side = "left" if (name == "first") == outward else "right"
        label(ax, x, above - 12, words, color=role, bold=True, ha=side)
        if not pair.tie:
            to = float(np.clip(to, plate.pick(150, 34), plate.width - 34))
            label(ax, to, below + 24, num(kept, 4), bold=True, ha="center", color=role,
                  halo="background")  # fmt: skip
    if pair.tie:
        x = left + (pair.rounded[0] - start) * unit
        x = float(np.clip(x, plate.pick(180, 80), plate.width - 80))
        label(ax, x, below + 24, f"tie at {pair.rounded[0]:g}", bold=True, ha="center",
              color="rejected", halo="background")  # fmt: skip


def _flips(ax: Axes, plate: Plate, bins: Sequence[Mapping[str, Any]], at: int) -> None:
    """Draw the share of flipped positions for each range of gaps."""
    left, top, tall = plate.pick(40, 14), plate.pick(190, 222), plate.pick(120, 96)
    base = top + tall
    slot = (plate.width - left - plate.pick(12, 14)) / len(bins)
    wide = slot * 0.74
    shares = [b["flips"] / b["positions"] for b in bins]
    errors = [_SURE * sqrt(s * (1 - s) / b["positions"]) for s, b in zip(shares, bins, strict=True)]
    most = max(0.1, *(s + e for s, e in zip(shares, errors, strict=True))) * 1.16
    plate.unit = wide * tall / most
    label(ax, plate.pick(8, 6), top - 14, plate.pick("measured: share of positions whose choice "
          "flipped", "measured: share of flips"), bold=True)  # fmt: skip
    line(ax, [left, plate.width - plate.pick(12, 14)], [base, base], "axis", zorder=5)
    for k, (row, share) in enumerate(zip(bins, shares, strict=True)):
        x = left + slot * k + (slot - wide) / 2
        high = share / most * tall
        if share:
            box(ax, "p" if k == at else "q", (x, base - high, wide, high), key=f"flips/{k}",
                dashed=k != at)  # fmt: skip
        ends = [base - max(0.0, s) / most * tall for s in (share - errors[k], share + errors[k])]
        if share:
            whisker(ax, x + wide / 2, *ends)
        said = percent(share, 0 if share >= 0.1 else 1)
        label(ax, x + wide / 2, min(ends) - 6, said, bold=True, ha="center", size=12,
              halo="background")  # fmt: skip
        words = num(row["low"], plate.pick(5, 2))
        label(ax, left + slot * k, base + 17, words, size=12, color="ink2",
              ha="center" if k else "left")  # fmt: skip
        line(ax, [left + slot * k] * 2, [base, base + 4], "axis")
    x = left + slot * at + slot / 2
    arrow(ax, [(x, base + 38), (x, base + 6)])
    side = "left" if at < len(bins) / 2 else "right"
    label(ax, x + (9 if side == "left" else -9), base + 38, "this gap", bold=True, ha=side)
    label(ax, plate.width - plate.pick(12, 14), base + 58, "gap of the two largest logits",
          bold=True, ha="right")  # fmt: skip
