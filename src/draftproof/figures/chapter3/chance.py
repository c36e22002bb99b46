"""Monte Carlo beside its noise: one token, a growing sample, all pairs of characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch

from draftproof.toy_runs import Check, NoiseWalk

from ..marks import dots, label, line, plate_of, wash
from ..plate import Plate, drawing
from ..style import mix
from ..words import count, num, text_width
from .glyphs import letter, name_of, path_of, spoken

__all__ = ["gap_bands", "noise_funnel", "pair_squares"]

_TICKS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
_RULES = {
    "plain": "plain sampling from $p$",
    "speculative": "draft, test, correct",
    "redraw": "redraw from $p$ after a rejection",
    "stale": "test with an old copy of $q$",
}


def _band(ax: Axes, shape: tuple[float, float, float, float]) -> None:
    """Draw where chance alone puts a number: the wash of p with thin edges."""
    x, y, width, height = shape
    wash(ax, "p", shape)
    colour = plate_of(ax).theme.p.line
    for level in (y, y + height):
        line(ax, [x, x + width], [level, level], color=colour)


def _diamonds(ax: Axes, x: Any, y: Any, size: float = 6) -> None:
    """Mark results of a faulty rule: hollow diamonds in ink (it is no rejected mass)."""
    theme = plate_of(ax).theme
    look: dict[str, Any] = {"linestyle": "none", "marker": "D", "markerfacecolor": theme.background}
    ax.add_line(Line2D(x, y, markersize=size, markeredgecolor=theme.ink, markeredgewidth=1.25,
                       zorder=5, **look))  # fmt: skip


@drawing
def gap_bands(
    plate: Plate, checks: Sequence[Check], low: np.ndarray, high: np.ndarray, names: Sequence[str]
) -> None:
    """Share minus probability, token by token, with the range that chance alone gives.

    Parameters
    ----------
    checks : sequence of Check
        One strip each.
    low : ndarray
        Lower share of each token.
    high : ndarray
        Upper share of each token.
    names : sequence of str
        The characters, by token.
    """
    each, top = 132, 26
    left, right = plate.pick(58, 50), plate.pick(12, 6)
    room = float(max(np.max(np.abs(c.gaps)) for c in checks if c.name in ("plain", "speculative")))
    room = 1.25 * max(room, float(np.max(high - checks[0].law)))
    tick = max(t for t in _TICKS if t < 0.8 * room)
    left = max(left, round(text_width(f"+{tick:g}", 12)) + 12)
    ax = plate.pixels(top + each * len(checks) + 18)
    step = (plate.width - left - right) / len(names)
    outside = []
    for r, check in enumerate(checks):
        zero = top + r * each + 76
        scale = 38 / room  # px per unit of probability
        out = 0
        for k in range(len(names)):
            x = left + (k + 0.5) * step
            below, above = low[k] - check.law[k], high[k] - check.law[k]
            _band(ax, (x - step * 0.38, zero - above * scale, step * 0.76, (above - below) * scale))
            gap = float(check.gaps[k])
            inside = below - 1e-12 <= gap <= above + 1e-12
            out += not inside
            if abs(gap) > room:
                _off_scale(ax, plate, x, zero - 47 if gap > 0 else zero + 47, gap)
            elif check.name in ("plain", "speculative"):
                dots(ax, [x], [zero - gap * scale], "p", size=6, zorder=5)
            else:
                _diamonds(ax, [x], [zero - gap * scale])
        outside.append(out)
        line(ax, [left, plate.width - right], [zero, zero], "hair", zorder=0)
        for value in (-tick, tick):
            y = zero - value * scale
            label(ax, left - 8, y, f"{'+' if value > 0 else '−'}{tick:g}", color="ink2", size=12,
                  ha="right", va="middle")  # fmt: skip
        words = _RULES[check.name] if not plate.phone else _RULES[check.name].replace(
            " after a rejection", "")  # fmt: skip
        label(ax, left, zero - 62, words, bold=True)
        label(ax, plate.width - right, zero - 62,
              f"largest {num(check.largest_gap, 4)}", ha="right", color="ink2")  # fmt: skip
    for k, name in enumerate(names):
        letter(ax, left + (k + 0.5) * step, top + each * len(checks) + 3, name, size=13)
    label(ax, plate.pick(8, 4), 14, "share − probability", color="ink2", size=12)
    _say_gaps(plate, checks, outside, names)


def _off_scale(ax: Axes, plate: Plate, x: float, y: float, gap: float) -> None:
    """Mark a gap that lies beyond the strip by a triangle that points to it."""
    theme = plate.theme
    ax.add_line(Line2D([x], [y], linestyle="none", marker="^" if gap > 0 else "v", markersize=7,
                       markerfacecolor=theme.ink, markeredgewidth=0, zorder=5))  # fmt: skip


def _say_gaps(
    plate: Plate, checks: Sequence[Check], outside: Sequence[int], names: Sequence[str]
) -> None:
    parts = [
        f"{_RULES[c.name].replace('$', '')}: largest gap {c.largest_gap:.5f}, "
        f"{o} of {len(names)} tokens outside"
        for c, o in zip(checks, outside, strict=True)
    ]
    low, middle, high = checks[0].gap_band
    plate.say(
        caption="the dots of the two exact rules scatter in and about the bands that chance "
        "allows, while the faulty rule goes far beyond them (triangles: off the scale; each band "
        "holds 90\N{NO-BREAK SPACE}% of exact runs).",
        alt=f"{len(checks)} strips of {len(names)} bands, one a next character after t, with the "
        f"measured gap of {count(checks[0].n)} draws in each. {'; '.join(parts)}. An exact "
        f"sampler's largest gap lies between {low:.5f} and {high:.5f} in 90\N{NO-BREAK SPACE}% of "
        f"runs, median {middle:.5f}.",
    )


@drawing
def noise_funnel(plate: Plate, walk: NoiseWalk) -> None:
    """Distance from p as samples pile up: an exact rule, a coarse fault and a fine one.

    Parameters
    ----------
    walk : NoiseWalk
        The distances of three rules.
    """
    left, right, top, low = plate.pick(56, 44), plate.pick(16, 10), 26, 46
    height = plate.pick(400, 380)
    page = plate.pixels(height)
    n, lower, upper = walk.sizes, walk.band[0], walk.band[2]
    ax = plate.axes_at(
        left, top, plate.width - left - right, height - top - low,
        xlim=(n[0] * 0.93, n[-1] * 1.07), ylim=(5e-4, 0.3), xscale="log", yscale="log",
    )  # fmt: skip
    _log_ticks(ax, plate)
    wash(ax, "p", np.vstack([np.c_[n, lower], np.c_[n, upper][::-1]]))
    for edge in (lower, upper):
        line(ax, n, edge, color=plate.theme.p.line, linewidth=1.25, zorder=2)
    dots(ax, n, walk.streams["speculative"], "p", size=5.5, zorder=5)
    for name in ("redraw", "stale"):
        line(ax, n, walk.medians[name], "ink", dashes=(6, 3), linewidth=1.5, zorder=3)
        _diamonds(ax, n, walk.streams[name], size=plate.pick(5.5, 4.5))
        at = walk.crossing(name)
        y = float(np.exp(np.interp(np.log(at), np.log(n), np.log(walk.band[2]))))
        line(ax, [at, at], [5e-4, y], "leader", zorder=4)
        ax.add_line(Line2D([at], [y], linestyle="none", marker="o", markersize=13,
                           markerfacecolor="none", markeredgecolor=plate.theme.ink,
                           markeredgewidth=2, zorder=6))  # fmt: skip
        label(ax, at * 1.1, 6.2e-4, f"$n$ ≈ {_round(at)}", bold=True, size=plate.pick(16, 14))
    label(page, 6, 16, "TV distance from $p$", bold=True)
    label(page, plate.width - right, height - 8, "samples $n$", bold=True, ha="right")
    words = plate.pick("redraw from $p$: stays at {}", "redraw from $p$:\nstays at {}")
    label(ax, n[-1], walk.floors["redraw"] * plate.pick(1.28, 1.85),
          words.format(num(walk.floors["redraw"], 3)), bold=True, ha="right")  # fmt: skip
    words = plate.pick("old copy of $q$: stays at {}", "old copy of $q$:\nstays at {}")
    label(ax, n[-1], walk.floors["stale"] * plate.pick(1.35, 2.5),
          words.format(num(walk.floors["stale"], 3)), bold=True, ha="right")  # fmt: skip
    label(
        ax,
        n[0] * 4.2,
        plate.pick(0.02, 0.011),
        "exact rule:\n90 % of runs\nin this band",
        color="p",
        bold=True,
    )
    _say_funnel(plate, walk)


def _round(value: float) -> str:
    """Return a sample size at two figures, as the picture can show it."""
    digits = int(np.floor(np.log10(value))) - 1
    return count(round(value / 10**digits) * 10**digits)


def _log_ticks(ax: Axes, plate: Plate) -> None:
    powers = [2, 3, 4, 5, 6]
    ax.set_xticks([10.0**k for k in powers], [f"$\\mathrm{{10^{k}}}$" for k in powers])
    ax.set_yticks([0.1, 0.01, 0.001], ["0.1", "0.01", "0.001"])
    ax.minorticks_off()
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y")


def _say_funnel(plate: Plate, walk: NoiseWalk) -> None:
    coarse, fine = (walk.crossing(name) for name in ("redraw", "stale"))
    stream = walk.streams["speculative"]
    out = int(((stream > walk.band[2]) | (stream < walk.band[0])).sum())
    plate.say(
        caption="the shaded band of chance narrows to the right; a faulty rule looks exact until "
        "the band has sunk below its level line (context t, w = 0.3).",
        alt=f"Distance from p against samples, both on log scales. Exact runs fall in a band from "
        f"{walk.band[0][0]:.2f} to {walk.band[2][0]:.2f} at {walk.sizes[0]} samples, down to "
        f"{walk.band[0][-1]:.4f} to {walk.band[2][-1]:.4f} at a million; the exact run drawn is "
        f"outside at {out} of {len(walk.sizes)} sizes. Redrawing from p levels off at "
        f"{walk.floors['redraw']:.3f} and leaves the band near {_round(coarse)} samples; testing "
        f"with an old copy of q levels off at {walk.floors['stale']:.4f} and leaves it near "
        f"{_round(fine)}.",
    )


@drawing
def pair_squares(
    plate: Plate,
    checks: Sequence[Check],
    low: np.ndarray,
    high: np.ndarray,
    names: Sequence[str],
    *,
    level: float = 0.99,
    ring: tuple[str, str] = ("q", "u"),
) -> None:
    """All pairs of characters: how far each one's measured share is off, as a square's area.

    `low` and `high` are the range that holds each share with probability `level` in an exact run.

    Parameters
    ----------
    checks : sequence of Check
        The exact and the faulty rule.
    low : ndarray
        Lower share of each pair.
    high : ndarray
        Upper share of each pair.
    names : sequence of str
        The characters, by token.
    level : float
        Probability of the band, in (0, 1).
    ring : tuple of str
        The pair that is marked.
    """
    step, left, top = plate.pick(18.2, 17.0), 24, 62
    side = len(names) * step
    across = plate.pick((0, plate.width - side - left - 8), (0, 0))
    down = plate.pick((0, 0), (0, side + top + 26))
    bottom = top + side + down[1]
    ax = plate.pixels(bottom + plate.pick(156, 220))
    most = max(float(np.max(np.abs(c.gaps))) for c in checks)
    plate.unit = (step - 1.5) ** 2 / most
    outside = []
    for check, dx, dy in zip(checks, across, down, strict=True):
        out = (check.shares < low) | (check.shares > high)
        outside.append(int(out.sum()))
        _grid(ax, plate, check, names, (left + dx, top + dy, step))
        _gap_squares(ax, plate, check, out, (left + dx, top + dy, step))
        k = names.index(ring[0]) * len(names) + names.index(ring[1])
        _ring(ax, check, k, names, (left + dx, top + dy, step))
    _gap_key(ax, plate, left - 8, bottom + 48, level)
    _distance_rule(ax, plate, checks, (left - 10, bottom + plate.pick(80, 100)),
                   plate.width - left - 14)  # fmt: skip
    _say_pairs(plate, checks, names, outside, level, ring)


def _grid(
    ax: Axes, plate: Plate, check: Check, names: Sequence[str], at: tuple[float, float, float]
) -> None:
    """Name one run's grid, its rows (first characters) and its columns (second ones)."""
    left, top, step = at
    words = "draft, test, correct" if check.name == "speculative" else _RULES[check.name]
    label(ax, left, top - 46, words, bold=True)
    label(ax, left, top - 30, "row: first character, column: second", color="ink2", size=12)
    for i, name in enumerate(names):
        letter(ax, left - 12, top + (i + 0.5) * step, name, size=12)
        letter(ax, left + (i + 0.5) * step, top - 10, name, size=12)
    wash(ax, "panel", (left, top, len(names) * step, len(names) * step))


def _square_looks(plate: Plate) -> dict[tuple[bool, bool], dict[str, Any]]:
    """Return the look of a square by (beyond chance, too often)."""
    theme = plate.theme
    pale = mix(theme.p.line, theme.panel, 0.4)
    return {
        (False, True): {"facecolor": pale, "linewidth": 0},
        (False, False): {"facecolor": pale, "linewidth": 0},
        (True, True): {"facecolor": theme.ink, "linewidth": 0},
        (True, False): {"facecolor": theme.background, "edgecolor": theme.ink, "linewidth": 1.25},
    }


def _gap_squares(
    ax: Axes, plate: Plate, check: Check, out: np.ndarray, at: tuple[float, float, float]
) -> None:
    """Draw each pair's gap as a square: pale within chance, ink beyond it, hollow if too rare."""
    left, top, step = at
    size = round(len(out) ** 0.5)
    for (beyond, more), look in _square_looks(plate).items():
        shapes = []
        for k in np.flatnonzero((out == beyond) & ((check.gaps > 0) == more)):
            i, j = divmod(int(k), size)
            half = float(np.sqrt(abs(check.gaps[k]) * plate.unit)) / 2
            x, y = left + (j + 0.5) * step, top + (i + 0.5) * step
            shapes.append((x - half, y - half, 2 * half, 2 * half))
        if shapes:
            patch = ax.add_patch(PathPatch(path_of(*shapes), joinstyle="miter", zorder=2, **look))
            plate.measure(f"{check.name}/{'more' if more else 'less'}", ax, patch)


def _ring(
    ax: Axes, check: Check, k: int, names: Sequence[str], at: tuple[float, float, float]
) -> None:
    """Circle one pair, and say below the grid what was measured and what is exact."""
    left, top, step = at
    theme, (i, j) = plate_of(ax).theme, divmod(k, len(names))
    ax.add_line(Line2D([left + (j + 0.5) * step], [top + (i + 0.5) * step], linestyle="none",
                       marker="o", markersize=step * 1.35, markerfacecolor="none",
                       markeredgecolor=theme.ink, markeredgewidth=1.75, zorder=6))  # fmt: skip
    words = f"ring: {name_of(names[j])} after {name_of(names[i])}"
    words += f", measured {check.shares[k]:.4f}, exact {check.law[k]:.4f}"
    label(ax, left, top + len(names) * step + 18, words)


def _gap_key(ax: Axes, plate: Plate, x: float, y: float, level: float) -> None:
    """Explain the three looks of a square."""
    looks = _square_looks(plate)
    entries = (
        ((False, True), f"within the {100 * level:g}\N{NO-BREAK SPACE}% range of chance"),
        ((True, True), "beyond: too often"),
        ((True, False), "beyond: too rare"),
    )
    for n, (look, words) in enumerate(entries):
        at = x if not plate.phone or n < 2 else x + 150
        line_ = y + plate.pick(0, 20 * (n > 0))
        ax.add_patch(PathPatch(path_of((at, line_ - 11, 11, 11)), joinstyle="miter",
                               **looks[look]))  # fmt: skip
        label(ax, at + 17, line_, words, size=12)
        x += plate.pick(text_width(words, 12) + 44, 0)


def _distance_rule(
    ax: Axes, plate: Plate, checks: Sequence[Check], at: tuple[float, float], width: float
) -> None:
    """Draw the two runs' distances on a line that starts at 0, with the noise band on it."""
    exact, faulty = checks
    (x, y), scale = at, width / (1.06 * faulty.tv)
    level = y + 40
    low, _, high = (float(q) for q in exact.tv_band)
    label(ax, x, y + 2, plate.pick("distance from the exact law (TV), ", "TV distance, ")
          + f"{count(exact.n)} pairs", bold=True)  # fmt: skip
    line(ax, [x, x + width], [level, level])
    for value in (0, 0.05, 0.1):
        line(ax, [x + value * scale] * 2, [level, level + 5], "axis")
        label(ax, x + value * scale, level + 19, num(value), color="ink2", size=12,
              ha="center" if value else "left")  # fmt: skip
    wash(ax, "p", (x + low * scale, level - 16, (high - low) * scale, 16))
    for value in (low, high):
        line(ax, [x + value * scale] * 2, [level - 16, level], color=plate.theme.p.line)
    dots(ax, [x + exact.tv * scale], [level - 8], "p", size=6, zorder=6)
    _diamonds(ax, [x + faulty.tv * scale], [level - 8])
    place = x + high * scale + 8
    words = f"the rule: {exact.tv:.4f}, chance: {low:.4f} to {high:.4f}"
    if plate.phone:
        label(ax, x, level + 42, words, color="p", bold=True)
        label(ax, x, level + 62, f"redraw from $p$: {faulty.tv:.4f}", bold=True)
        return
    label(ax, place, level - 4, words, color="p", bold=True)
    label(ax, x + faulty.tv * scale - 10, level - 4, f"redraw from $p$: {faulty.tv:.4f}", bold=True,
          ha="right")  # fmt: skip


def _say_pairs(
    plate: Plate,
    checks: Sequence[Check],
    names: Sequence[str],
    outside: Sequence[int],
    level: float,
    ring: tuple[str, str],
) -> None:
    exact, faulty = checks
    pairs, size = exact.law.size, len(names)
    k = names.index(ring[0]) * size + names.index(ring[1])
    first, second = (spoken(name) for name in ring)
    low, middle, high = exact.tv_band
    sure = f"{100 * level:g}\N{NO-BREAK SPACE}%"
    plate.say(
        caption="each square is a pair's measured share minus its exact probability, on one scale: "
        f"under the rule they are the specks of chance ({outside[0]} of {pairs} beyond their "
        f"{sure} range, about {(1 - level) * pairs:.0f} expected), under the faulty rule "
        f"{outside[1]} are beyond it, such as the ringed pair.",
        alt=f"Two grids of {pairs} squares, one a pair of first and second character, each as "
        f"large as the difference between measured share and exact probability. Of "
        f"{count(exact.n)} pairs, {int((exact.shares > 0).sum())} kinds occurred. By the rule "
        f"{outside[0]} pairs lie beyond the {sure} range of chance and the largest difference is "
        f"{exact.largest_gap:.5f}; redrawing from p, {outside[1]} lie beyond it and the largest is "
        f"{faulty.largest_gap:.5f}. {first.capitalize()} then {second}: exact {exact.law[k]:.5f}, "
        f"by the rule {exact.shares[k]:.5f}, redrawing {faulty.shares[k]:.5f}. "
        f"The distance from the exact law is {exact.tv:.5f}; exact runs give {low:.5f} "
        f"to {high:.5f} in 90\N{NO-BREAK SPACE}% of cases, median {middle:.5f}. Redrawing from p "
        f"gives {faulty.tv:.5f}.",
    )
