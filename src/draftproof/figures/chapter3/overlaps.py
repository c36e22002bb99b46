"""The acceptance rate: along the draft's weight, where places stick, along the temperature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from draftproof.toy_curves import Sticky, WeightRun

from ..marks import dots, label, line, mass
from ..plate import Plate, drawing
from ..words import num, text_width
from .glyphs import box, letter

__all__ = ["alpha_and_tokens", "sticky_curve", "temperature_curves"]


def _plain_axes(ax: Axes) -> None:
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y")


@drawing
def alpha_and_tokens(plate: Plate, rows: Sequence[WeightRun]) -> None:
    """Draw acceptance and tokens a call against the draft's weight, and how far the run is off.

    Parameters
    ----------
    rows : sequence of WeightRun
        One weight each.
    """
    wide, gap, left = plate.pick(300, 276), 74, 50
    corners = [(left, 34), plate.pick((left + wide + gap, 34), (left, 394))]
    page = plate.pixels(plate.pick(358, 718))
    w = np.array([row.weight for row in rows])
    panels = (
        ("acceptance rate $\\alpha$", [r.alpha for r in rows], [r.tested_rate for r in rows],
         [r.rate for r in rows], (0.7, 1.02), (0.7, 0.8, 0.9, 1), 0.004),
        ("tokens a target call, $\\gamma$ = 4", [r.formula for r in rows], [r.chain for r in rows],
         [r.tokens for r in rows], (2.7, 5.15), (3, 4, 5), 0.03),
    )  # fmt: skip
    for (x, y), (words, theory, exact, measured, ylim, ticks, room) in zip(
        corners, panels, strict=True
    ):
        label(page, x - 34, y - 18, words, bold=True)
        ax = plate.axes_at(x, y, wide, 170, xlim=(-0.02, 1.04), ylim=ylim)
        _plain_axes(ax)
        ax.set_xticks([0, 0.5, 1], ["", "", ""])
        ax.set_yticks(ticks, [num(t) for t in ticks])
        fine = np.linspace(0, 1, 101)
        smooth = np.interp(fine, w, theory) if "alpha" in words else _smooth(w, theory, fine)
        line(ax, fine, smooth, "ink", linewidth=1.75)
        values = np.array([m for m, _ in measured])
        dots(ax, w, values, "accepted", size=7)
        low = plate.axes_at(x, y + 196, wide, 76, xlim=(-0.02, 1.04), ylim=(-room, room))
        _plain_axes(low)
        low.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        half = f"{room / 2:g}"
        low.set_yticks([-room / 2, 0, room / 2], [f"−{half}", "0", f"+{half}"])
        for at, (value, error), truth in zip(w, measured, exact, strict=True):
            off = value - truth
            line(low, [at, at], [off - 1.96 * error, off + 1.96 * error],
                 color=plate.theme.accepted.line, linewidth=2)  # fmt: skip
            dots(low, [at], [off], "accepted", size=6)
        line(low, w, np.array(theory) - np.array(exact), "ink", linewidth=1.25, dashes=(6, 3))
        label(page, x, y + 188, "run − exact, 95 %", color="ink2", size=12)
        label(page, x + wide, y + 316, "weight $w$ of $p$ in the draft", bold=True, ha="right")
    ends = (rows[0], rows[-1])
    plate.say(
        caption="the acceptance rate climbs along a straight line, the tokens a call along a "
        "curve; below, the runs scatter about zero no further than their error bars say, and the "
        "formula (dashed, in the lower strips) cannot be told from the exact chain.",
        alt=f"Two panels against the draft's weight w. Acceptance rises straight from "
        f"{ends[0].alpha:.5f} at w = 0 to {ends[1].alpha:.5f} at w = 1; tokens a call from "
        f"{ends[0].chain:.4f} to {ends[1].chain:.4f}. Measured values lie on the lines; their "
        f"largest error is {max(abs(r.rate[0] - r.tested_rate) for r in rows):.4f} in acceptance "
        f"and {max(abs(r.tokens[0] - r.chain) for r in rows):.3f} in tokens.",
    )


def _smooth(x: np.ndarray, y: Sequence[float], fine: np.ndarray) -> np.ndarray:
    """Return the polynomial through the points (the curve is one of degree 4 in w)."""
    return np.polyval(np.polyfit(x, y, 4), fine)


@drawing
def sticky_curve(plate: Plate, result: Sticky) -> None:
    """Tokens a call where easy and hard places alternate or stick, at one and the same alpha.

    Parameters
    ----------
    result : Sticky
        The curve, its runs, its first rounds.
    """
    left, right, top = 44, plate.pick(16, 12), 32
    high = plate.pick(200, 190)
    strip = top + high + 76
    page = plate.pixels(strip + 66 + 48)
    ax = plate.axes_at(left, top, plate.width - left - right, high, xlim=(-0.01, 1.01),
                       ylim=(1.6, 2.06))  # fmt: skip
    _plain_axes(ax)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "¼", "½", "¾", "1"])
    ax.set_yticks([1.6, 1.8, 2], ["1.6", "1.8", "2"])
    line(ax, [0, 1], [result.formula] * 2, "dashed", linewidth=1.5)
    line(ax, result.stay, result.exact, "ink", zorder=3)
    for s, (value, error) in zip(result.run_stay, result.runs, strict=True):
        line(ax, [s, s], [value - 1.96 * error, value + 1.96 * error],
             color=plate.theme.accepted.line, linewidth=2, zorder=4)  # fmt: skip
        dots(ax, [s], [value], "accepted", size=7, zorder=5)
    label(page, 6, 16, f"tokens a target call, $\\gamma$ = {result.gamma}", bold=True)
    label(page, plate.width - right, top + high + 38,
          plate.pick("chance that an easy or a hard place is followed by its like",
                     "chance that places stick"), bold=True, ha="right")  # fmt: skip
    label(ax, 1, result.formula + 0.015, plate.pick(f"the formula at $\\alpha$ = ½: "
          f"{num(result.formula, 4)}", f"formula: {num(result.formula, 4)}"), color="ink2",
          bold=True, ha="right")  # fmt: skip
    label(ax, 0.8, plate.pick(1.7, 1.68), "exact", bold=True, ha="right")
    for row, k in enumerate((0, 3)):
        _strip(page, plate, result, k, strip + row * 66)
    _say_sticky(plate, result)


def _strip(ax: Axes, plate: Plate, result: Sticky, k: int, y: float) -> None:
    """Draw the first rounds of one run, easy and hard places as letters, rounds bracketed."""
    cell = plate.pick(20.0, 17.0)
    left = 8.0
    x = left
    words = f"stays with chance {num(result.run_stay[k])}"
    label(ax, left, y - 8, words, bold=True)
    label(ax, left + text_width(words, bold=True) + 10, y - 8,
          f"{result.runs[k][0]:.2f} tokens a call", color="ink2")  # fmt: skip
    for block in result.rounds[k]:
        if x + len(block) * cell > plate.width - left:
            break
        start = x
        for i, token in enumerate(block):
            last = i == len(block) - 1
            role = "accepted" if not last else "bonus" if i == result.gamma else "residual"
            box(ax, role, (x, y, cell - 1.5, 30))
            if role != "accepted":
                mass(ax, role, (x, y + 20, cell - 1.5, 10))
            letter(ax, x + (cell - 1.5) / 2, y + (15 if role == "accepted" else 10), "ehx"[token],
                   size=13)  # fmt: skip
            x += cell
        line(ax, [start, start, x - 1.5, x - 1.5], [y + 34, y + 37, y + 37, y + 34], "leader")
        x += 3


def _say_sticky(plate: Plate, result: Sticky) -> None:
    runs = ", ".join(
        f"{value:.3f} at {num(s)}"
        for s, (value, _) in zip(result.run_stay, result.runs, strict=True)
    )
    plate.say(
        caption="the exact line crosses the formula's level only in the middle, where the next "
        "place does not depend on the last; the more places stick, the more rounds are spent on "
        "single characters of hard stretches (e easy, h hard; the two strips were picked from the "
        "five runs, after the fact, to show both kinds of round).",
        alt=f"Tokens a target call against the chance that places stick, at acceptance one half "
        f"throughout. The formula says {result.formula:.4f}. Exact: {result.exact[0]:.3f} where "
        f"easy and hard alternate, {result.exact[50]:.3f} near the middle, "
        f"{result.exact[-1]:.3f} at {result.stay[-1]:.2f}. Runs: {runs}. Below, the first rounds "
        "of two runs: short mixed rounds, and long rounds in easy stretches beside rounds of one "
        "character in hard ones.",
    )


_CURVES = {
    "w = 0.9": ("toy, $w$ = 0.9", "toy, 0.9", "ink"),
    "agreeing": ("agreeing pair", "agreeing", "pair"),
    "w = 0.3": ("toy, $w$ = 0.3", "toy, 0.3", "ink"),
    "w = 0": ("toy, $w$ = 0", "toy, 0", "ink"),
    "house": ("house pair", "house", "pair"),
}


@drawing
def temperature_curves(
    plate: Plate, temperatures: np.ndarray, curves: Mapping[str, np.ndarray]
) -> None:
    """Draw acceptance against temperature, both laws warped: the toy and two pairs.

    Parameters
    ----------
    temperatures : ndarray
        Increasing, above 0.
    curves : dict of str to ndarray
        The acceptance at each, by name.
    """
    left, right, top, low = plate.pick(112, 74), plate.pick(40, 32), 32, 46
    height = plate.pick(370, 340)
    page = plate.pixels(height)
    ax = plate.axes_at(
        left, top, plate.width - left - right, height - top - low,
        xlim=(temperatures[0] * 0.98, temperatures[-1] * 1.02), ylim=(-0.02, 1.03), xscale="log",
    )  # fmt: skip
    _plain_axes(ax)
    ax.set_xticks([0.1, 0.2, 0.5, 1, 2, 5, 10], ["0.1", "0.2", "0.5", "1", "2", "5", "10"])
    ax.minorticks_off()
    ax.yaxis.tick_right()
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    line(ax, [1, 1], [-0.02, 1.03], "leader", zorder=1)
    taken = 2.0
    for name in sorted(curves, key=lambda key: -curves[key][0]):
        wide, short, look = _CURVES.get(name, (f"toy, ${name}$", name, "ink"))
        if look == "ink":
            line(ax, temperatures, curves[name], "ink", zorder=3)
        else:
            line(ax, temperatures, curves[name], "leader", linewidth=2, dashes=(6, 3), zorder=2)
        at = min(float(curves[name][0]), taken - plate.pick(0.055, 0.06))
        taken = at
        label(ax, temperatures[0] * plate.pick(0.95, 0.94), at, plate.pick(wide, short), bold=True,
              ha="right", va="middle", color="ink" if look == "ink" else "ink2")  # fmt: skip
    words = "$\\alpha$, both laws at temperature $T$"
    label(page, 6, 16, plate.pick(f"acceptance rate {words}", words), bold=True)
    label(page, plate.width - right, height - 8, "temperature $T$", bold=True, ha="right")
    one = int(np.argmin(np.abs(temperatures - 1)))
    parts = [
        f"{_CURVES.get(name, (name, name, ''))[0].replace('$', '')} {curve[0]:.3f}, "
        f"{curve[one]:.3f}, {curve[-1]:.3f}, least {curve.min():.3f} at "
        f"{num(temperatures[int(curve.argmin())])}"
        for name, curve in curves.items()
    ]
    plate.say(
        caption="to the right every line climbs towards 1, because heat makes all laws alike; to "
        "the left each goes its own way, and some turn back.",
        alt=f"Acceptance against temperature from {num(temperatures[0])} to "
        f"{num(temperatures[-1])} on a log scale, the target's and the draft's law both warped. "
        f"Values at the left end, at 1, at the right end: {'; '.join(parts)}.",
    )
