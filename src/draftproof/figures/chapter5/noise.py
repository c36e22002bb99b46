"""Two samples that look alike, and the noise band that says from which n on they differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from draftproof.noise import share_band

from ..chapter2.split import Bars, p_outline
from ..marks import dots, label, law, line, wash
from ..plate import Plate, drawing
from ..words import about, count, listed, num, ten
from .results import Noise

__all__ = ["noise_band", "power_axis", "two_samplers"]


def power_axis(ax: Axes, low: int, high: int) -> None:
    """Mark the powers of ten on a logarithmic axis of draws.

    Parameters
    ----------
    ax : Axes
        The axes to draw on.
    low : int
        The least power.
    high : int
        The largest power.
    """
    ax.set_xticks([10.0**k for k in range(low, high + 1)], [ten(k) for k in range(low, high + 1)])
    ax.minorticks_off()


@drawing
def two_samplers(
    plate: Plate,
    p: Any,
    names: Sequence[str],
    first: np.ndarray,
    second: np.ndarray,
) -> None:
    """Draw the shares of two samples against the law that both claim to follow.

    Parameters
    ----------
    p : array_like, shape (V,)
    names : sequence of str
    first, second : ndarray, shape (V,)
        Counts.
    """
    target = np.asarray(p, dtype=float)
    n = int(first.sum())
    low, high = share_band(target, n, 0.95)
    tall, gap, start = plate.pick(210, 150), plate.pick(88, 36), plate.pick(40, 20)
    wide = (plate.width - 2 * start - gap) / 2
    bar = wide / (len(target) * 1.45 - 0.45)
    ax = plate.pixels(tall + 88)
    said = []
    for k, (title, counts) in enumerate((("A", first), ("B", second))):
        x0, base = start + k * (wide + gap), tall + 40.0
        left = tuple(x0 + bar * 1.45 * i for i in range(len(target)))
        bars = Bars(left, bar, tall / 0.5, base)
        label(ax, x0 - plate.pick(4, 2), 22, title, bold=True, size=20)
        label(ax, x0 + plate.pick(20, 20), 22, f"{count(n)} tokens", color="ink2")
        for i, name in enumerate(names):
            wash(ax, "hairline", bars.box(i, 0, counts[i] / n))
            p_outline(ax, bars, i, target[i])
            middle = bars.middle(i)
            line(ax, [middle, middle], [bars.y(low[i]), bars.y(high[i])], "ink", zorder=6)
            for end in (low[i], high[i]):
                line(ax, [middle - 6, middle + 6], [bars.y(end)] * 2, "ink", zorder=6)
            label(ax, middle, base + 20, name, ha="center", bold=True)
            label(ax, middle, base + 38, f"{counts[i] / n:.3f}", ha="center", size=12)
        line(ax, [x0 - 6, x0 + wide + 6], [base, base], zorder=5)
        shares = ", ".join(f"{x} {c / n:.3f}" for x, c in zip(names, counts, strict=True))
        said.append(f"{title}: {shares}")
    first_bar = target[0]
    label(ax, start - 4, tall + 40 - first_bar * tall / 0.5 - 30, "$p$", color="p", size=15)
    strays = [
        f"{title}'s {name}"
        for title, counts in (("A", first), ("B", second))
        for name, c, a, b in zip(names, counts / n, low, high, strict=True)
        if not a <= c <= b
    ]
    plate.say(
        caption="both samples end near the solid outline of p, and the marks that hold 95 % of an "
        f"exact sampler's shares at {count(n)} tokens do not tell which of the two is wrong.",
        alt=f"Two bar charts of {count(n)} tokens each against p = "
        f"({', '.join(num(x) for x in target)}). {'; '.join(said)}. For each token 95 % of exact "
        f"samplers have a share in "
        f"{', '.join(f'{a:.3f} to {b:.3f}' for a, b in zip(low, high, strict=True))}; outside is "
        f"{listed(strays) if strays else 'none of the six'}.",
    )


def _where(value: float, low: float, high: float) -> str:
    return "inside" if low <= value <= high else "above" if value > high else "below"


@drawing
def noise_band(plate: Plate, noise: Noise, *, power_of_ten: float = 4.0) -> None:
    """Draw how far n exact draws lie from p, and where a biased sampler leaves that band.

    Parameters
    ----------
    noise : Noise
    power_of_ten : float
        The n at which both streams are read is ten to this power.
    """
    full = plate.pixels(plate.pick(400, 376))
    left, top = plate.pick(54, 44), plate.pick(54, 66)
    wide, tall = plate.pick(662, 280), plate.pick(286, 250)
    ax = plate.axes_at(
        left, top, wide, tall, xlim=(95, 1.06e6), ylim=(6e-5, 0.2), xscale="log", yscale="log"
    )
    ax.spines["left"].set_visible(False)
    power_axis(ax, 2, 6)
    ax.set_yticks([0.1, 0.01, 0.001, 0.0001], ["0.1", "0.01", "0.001", "10⁻⁴"])
    ax.tick_params(axis="y", length=0, which="both")
    for level in (0.1, 0.01, 0.001, 0.0001):
        line(ax, [95, 1.06e6], [level, level], "hair", zorder=0.5)
    n = noise.sizes
    edge = np.vstack([np.c_[n, noise.high], np.c_[n, noise.low][::-1]])
    wash(ax, "p", edge, zorder=0.7)
    for ends in (noise.low, noise.high):
        law(ax, "p", n, ends, linewidth=1.5, zorder=3)
    line(ax, n, noise.middle, "ink", dashes=(7, 4), zorder=4)
    marked = slice(None, None, 3)
    dots(ax, n[marked], noise.exact[marked], "p", size=7, zorder=5)
    diamonds: dict[str, Any] = {"marker": "D", "markeredgewidth": 1.5, "linestyle": "none"}
    diamonds |= {"markeredgecolor": plate.theme.ink, "markerfacecolor": plate.theme.background}
    line(ax, n[marked], noise.biased[marked], "ink", markersize=7, zorder=6, **diamonds)
    _crossing(plate, ax, noise)
    words = _reading(plate, full, ax, noise, power_of_ten)
    label(full, plate.pick(8, 6), 20, "TV distance from $p$", bold=True)
    label(full, left + wide, top + tall + 42, "draws $n$", bold=True, ha="right")
    label(ax, 115, plate.pick(7e-4, 1.3e-3), "exact sampler:", color="p", bold=True)
    label(ax, 115, plate.pick(4e-4, 6.6e-4), plate.pick("95 % of runs at each $n$", "95 % of runs"),
          color="p")  # fmt: skip
    level = noise.bias * plate.pick(1.5, 1.7)
    label(ax, 1e6, level, plate.pick(f"the biased one stays at {num(noise.bias, 3)}",
          f"biased: {num(noise.bias, 3)}"), bold=True, ha="right")  # fmt: skip
    half, most = noise.draws_for(0.5), noise.draws_for(0.95)
    shown = [
        f"about {about(x)}" if np.isfinite(x) else f"more than {count(n[-1])}" for x in (half, most)
    ]
    plate.say(
        caption="the band of the exact sampler sinks past the dashed line, where the biased one "
        f"stays; half of its runs are above the band at {shown[0]} draws, 95 % at {shown[1]} "
        "(three tokens; the two streams were not picked).",
        alt="Total variation distance from p against the number of draws, both on logarithmic "
        f"scales. The band of 95 % of exact runs sinks from {noise.low[0]:.3f} to "
        f"{noise.high[0]:.3f} at {count(n[0])} draws to {noise.low[-1]:.5f} to "
        f"{noise.high[-1]:.5f} at {count(n[-1])}. The median of a sampler with bias "
        f"{noise.bias:.4g} stays there: half of its runs are above the band at {shown[0]} draws, "
        f"95 % at {shown[1]}. {words}",
    )


def _crossing(plate: Plate, ax: Axes, noise: Noise) -> None:
    """Ring the place where half of the biased runs have left the band."""
    half = noise.draws_for(0.5)
    if not np.isfinite(half) or half <= noise.sizes[0]:
        return
    level = float(np.exp(np.interp(np.log(half), np.log(noise.sizes), np.log(noise.high))))
    ring = {"marker": "o", "markersize": 15, "markerfacecolor": "none", "markeredgewidth": 2}
    line(ax, [half], [level], "ink", markeredgecolor=plate.theme.ink, zorder=7, **ring)
    line(ax, [half, half], [6e-5, level * 0.84], "ink", linewidth=1.5, zorder=2)
    right = half < 1e4
    ha, x = ("left", half * 1.12) if right else ("right", half / 1.12)
    label(ax, x, plate.pick(1.35e-4, 1.5e-4), f"$n$ ≈ {about(half)}", bold=True,
          size=plate.pick(20, 16), ha=ha, halo="background")  # fmt: skip
    label(ax, x, plate.pick(8e-5, 8e-5), plate.pick("half of the biased runs are above",
          "half are above"), color="ink2", ha=ha, halo="background")  # fmt: skip


def _reading(plate: Plate, full: Axes, ax: Axes, noise: Noise, exponent: float) -> str:
    """Read both streams at one n; return what was read as a sentence."""
    k = int(np.argmin(abs(np.log10(noise.sizes) - exponent)))
    n, low, high = noise.sizes[k], noise.low[k], noise.high[k]
    line(ax, [n, n], [6e-5, 0.15], "leader", zorder=0.9)
    dots(ax, [n], [noise.exact[k]], "p", size=11, zorder=7)
    ring = {"marker": "D", "markersize": 11, "markeredgewidth": 2, "linestyle": "none"}
    line(ax, [n], [noise.biased[k]], "ink", markeredgecolor=plate.theme.ink,
         markerfacecolor=plate.theme.background, zorder=7.5, **ring)  # fmt: skip
    rows = [
        (name, value, _where(value, low, high))
        for name, value in (("exact", noise.exact[k]), ("biased", noise.biased[k]))
    ]
    at = f"at $n$ = {count(n)}"
    parts = [f"{name} {value:.4f}, {place}" for name, value, place in rows]
    if plate.phone:
        label(full, 6, 42, at, color="ink2")
        for row, words in enumerate(parts):
            label(full, 128, 42 + 18 * row, words, bold=True, color=("p", "ink")[row])
    else:
        label(full, plate.width - 12, 20, at, ha="right", color="ink2")
        for row, words in enumerate(parts):
            label(full, plate.width - 12, 40 + 18 * row, words, bold=True, ha="right",
                  color=("p", "ink")[row])  # fmt: skip
    said = " and ".join(f"the {name} stream is at {v:.4f}, {place} the band" if place == "inside"
                        else f"the {name} stream is at {v:.4f}, {place} it"
                        for name, v, place in rows)  # fmt: skip
    return f"At {count(n)} draws {said}."
