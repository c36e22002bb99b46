"""The audit under audit, and the bet that stops as soon as it is won."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from scipy.special import bdtr

from draftproof.lab import AuditReport, SequentialReport
from draftproof.lab.audit_report import show_p
from draftproof.noise import share_band

from ..chapter2.rules import short
from ..chapter2.split import Bars, p_outline
from ..marks import dots, label, law, line, wash
from ..plate import Plate, drawing
from ..words import count, num, ten, text_width
from .gallery import Card
from .noise import power_axis

__all__ = ["audit_run", "calibration", "the_bet"]


@drawing
def audit_run(plate: Plate, card: Card, report: AuditReport) -> None:
    """Draw the shares that an audit saw, and where their distance lies.

    Parameters
    ----------
    card : Card
        Of the fault that was audited.
    report : AuditReport
    """
    wanted, got = (np.asarray(x, dtype=float) for x in (card.wanted, card.got))
    low, high = share_band(wanted, report.n, 0.95)
    tall = plate.pick(190, 150)
    start, room = plate.pick((30, 300), (20, 296))
    slot = min(room / len(wanted), 96)
    bar = slot * 0.7
    left = tuple(start + slot * k + (slot - bar) / 2 for k in range(len(wanted)))
    top = max(report.shares.max(), wanted.max(), high.max())
    ax = plate.pixels(plate.pick(tall + 84, tall + 352))
    bars = Bars(left, bar, tall / top, tall + 56.0)
    plate.unit = bar * bars.tall
    label(ax, plate.pick(12, 8), 22, card.title, bold=True, size=15)
    label(ax, plate.pick(12, 8), 42, f"{count(report.n)} draws", color="ink2")
    for k, name in enumerate(card.names):
        if report.shares[k] > 0:
            patch = wash(ax, "hairline", bars.box(k, 0, report.shares[k]))
            plate.measure(f"share/{name}", ax, patch)
        if wanted[k] > 0:
            p_outline(ax, bars, k, wanted[k])
        middle = bars.middle(k)
        line(ax, [middle, middle], [bars.y(low[k]), bars.y(high[k])], "ink", zorder=6)
        for end in (low[k], high[k]):
            line(ax, [middle - 5, middle + 5], [bars.y(end)] * 2, "ink", zorder=6)
        label(ax, middle, bars.base + 18, name, ha="center", size=12)
    line(ax, [start - 4, start + slot * len(wanted) + 4], [bars.base] * 2, zorder=5)
    corner = plate.pick((392.0, 22.0), (8.0, bars.base + 56))
    lines = _distances(plate, ax, card, report, corner, plate.pick(330, 316))
    plate.say(
        caption="the audit weighs all bars at once; below its verdict, the band says where the "
        "distance of an exact sampler would lie, and the tick from which distance on this many "
        "draws can see.",
        alt=f"An audit of {card.title}: {count(report.n)} draws. Shares "
        f"{', '.join(f'{n} {s:.3f}' for n, s in zip(card.names, report.shares, strict=True))}; the "
        f"law wanted is {', '.join(short(x) for x in wanted)}, the law of the sampler "
        f"{', '.join(short(x) for x in got)}. {lines}",
    )


def _distances(
    plate: Plate, ax: Axes, card: Card, report: AuditReport, corner: tuple[float, float],
    wide: float,
) -> str:  # fmt: skip
    """Write the verdict and draw the line of distances; return both as sentences."""
    x, y = corner
    verdict = "not rejected" if report.exact else "rejected"
    p_value = show_p(report.p_value)
    label(ax, x, y, verdict, bold=True, size=20)
    label(ax, x, y + 24, f"p-value {p_value}, rejected at {report.alpha:g} or less", color="ink2")
    low, high = report.tv_band
    real, seen, sure = float(card.distance), report.tv, report.detectable
    shown = [value for value in (low, seen, real, sure) if value > 1e-9]
    least = 10 ** np.floor(np.log10(max(min(shown) / 1.2, 1e-5)))
    span = -np.log10(least)
    at = lambda v: x + wide * (1 + np.log10(max(v, least)) / span)  # noqa: E731
    base = y + 134
    label(ax, x, y + 60, "TV distance", bold=True)
    wash(ax, "p", (at(low), base - 16, at(high) - at(low), 32), zorder=1)
    for end in (low, high):
        law(ax, "p", [at(end)] * 2, [base - 16, base + 16], linewidth=1.5)
    line(ax, [x, x + wide], [base, base], zorder=2)
    for k in range(int(span) + 1):
        tick = x + wide * (1 - k / span)
        line(ax, [tick, tick], [base + 16, base + 21], "leader")
        ends = {0: "right", int(span): "left"}.get(k, "center")
        name = num(10.0**-k, 3) if k < 4 else ten(-k)
        label(ax, tick, base + 36, name, ha=ends, size=12, color="ink2", halo="background")
    line(ax, [at(sure)] * 2, [base - (46 if sure < 1 else 22), base + 16], "ink", linewidth=2.5,
         zorder=5)  # fmt: skip
    dots(ax, [at(seen)], [base], "ink", size=11, zorder=7)
    if real:
        ring = {"marker": "D", "markersize": 9, "markerfacecolor": plate.theme.background}
        line(ax, [at(real)], [base], "ink", markeredgecolor=plate.theme.ink, markeredgewidth=2,
             zorder=6, **ring)  # fmt: skip
    edges = (x, x + wide)
    _flag(ax, (at(high), base - 24), "95 % of exact samplers", edges, left=True, color="p", gap=0)
    words = f"caught from {short_tv(sure)} on" if sure < 1 else "too few draws to be sure"
    _flag(ax, (at(sure), base - 44), words, edges, left=sure >= 1)
    for row, (value, words, left) in enumerate((
        (seen, f"seen in this run: {short_tv(seen)}", seen <= real),
        (real, f"the sampler's own: {short_tv(real)}" if real else "the sampler's own is 0",
         seen > real),
    )):  # fmt: skip
        low_end = base + 62 + 20 * row
        if real or row == 0:
            line(ax, [at(value)] * 2, [base + 8, low_end + 3], "leader", zorder=1.5)
        _flag(ax, (at(value), low_end), words, edges, left=left)
    return (
        f"Verdict: {verdict}, p-value {p_value}. TV seen {short_tv(seen)}; the sampler's own "
        f"{short_tv(real)}; 95 % of exact samplers lie between {short_tv(low)} and "
        f"{short_tv(high)}; the audit catches a TV of {short_tv(sure)} or more 99 times in 100."
    )


def short_tv(value: float) -> str:
    """Return a distance with three decimals, or with four where it is small."""
    return f"{value:.3f}" if value >= 0.01 or value == 0 else f"{value:.4f}"


def _flag(
    ax: Axes, at: tuple[float, float], words: str, ends: tuple[float, float], *, left: bool,
    color: str = "ink", gap: float = 5,
) -> None:  # fmt: skip
    """Write words beside a mark, on the other side of it where there is no room on this one."""
    x, y = at
    room = text_width(words) + gap
    if left and x - room < ends[0]:
        left = x + room > ends[1]
    elif not left and x + room > ends[1]:
        left = True
    place = max(x - gap, ends[0] + room - gap) if left else x + gap
    label(ax, place, y, words, ha="right" if left else "left", color=color, halo="background")


def _binomial_band(runs: int, chance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the shares between which 95 % of binomial counts lie, at each chance."""
    counts = np.arange(runs + 1)
    table = bdtr(counts[:, None], runs, chance[None, :])
    low = (table < 0.025).sum(axis=0)
    high = (table < 0.975).sum(axis=0)
    return low / runs, high / runs


def _leaves(stated: np.ndarray, values: np.ndarray, low: np.ndarray) -> float:
    """Return the level from which the sorted p-values fall below the band, in whole percent."""
    got = np.searchsorted(values, stated, side="right") / len(values)
    below = stated[got < low]
    return float(np.floor(100 * below[0]) / 100) if len(below) else 1.0


@drawing
def calibration(plate: Plate, stored: dict[str, Any]) -> None:
    """Draw how often exact samplers get a p-value of at most a, against a.

    Parameters
    ----------
    stored : dict
        From ``results.calibration``.
    """
    tall, top, left = plate.pick(300, 262), 40, plate.pick(62, 48)
    full = plate.pixels(top + tall + 58)
    wide = plate.pick(640, 264)
    lowest = 2e-3
    ax = plate.axes_at(
        left, top, wide, tall, xlim=(lowest, 1), ylim=(lowest / 2.5, 1.1),
        xscale="log", yscale="log",
    )  # fmt: skip
    ax.spines["left"].set_visible(False)
    ticks, words = [0.01, 0.1, 1.0], ["1 %", "10 %", "100 %"]
    ax.set_xticks(ticks, words)
    ax.set_yticks([0.001, *ticks], ["0.1 %", *words])
    ax.minorticks_off()
    ax.tick_params(axis="y", length=0)
    for level in (0.001, *ticks):
        line(ax, [lowest, 1], [level, level], "hair", zorder=0.5)
    values = np.asarray(stored["audit"]["p_values"])
    runs = len(values)
    stated = np.geomspace(lowest, 1, 121)
    low, high = _binomial_band(runs, stated)
    floor = lowest / 2.5
    edge = np.vstack([np.c_[stated, high], np.c_[stated, np.maximum(low, floor)][::-1]])
    wash(ax, "p", edge, zorder=0.7)
    law(ax, "p", [lowest, 1], [lowest, 1], linewidth=1.5, zorder=2)
    for name, dashes in (("audit", None), ("sequential", (7, 4))):
        found = np.asarray(stored[name]["p_values"])
        got = np.searchsorted(found, stated, side="right") / len(found)
        kept = got >= floor
        line(ax, stated[kept], got[kept], "ink", zorder=4, **({"dashes": dashes} if dashes else {}))
    alarms = stored["audit"]["false_alarms"]
    alpha = float(stored["audit"]["alpha"])
    line(ax, [alpha, alpha], [floor, alarms / runs], "leader", zorder=1)
    dots(ax, [alpha], [alarms / runs], "ink", size=9, zorder=6)
    label(full, plate.pick(8, 6), 20, "exact samplers with a p-value of at most $a$", bold=True)
    label(full, left + wide, top + tall + 42, "level $a$", bold=True, ha="right")
    words_here = f"{alarms} of {count(runs)}" + plate.pick(" at $a$ = 1 %", "")
    label(ax, alpha / 1.15, alarms / runs * 1.5, words_here, bold=True, ha="right",
          halo="background")  # fmt: skip
    label(ax, 0.12, 0.2, plate.pick("audit with a fixed $n$", "fixed $n$"), bold=True, ha="right")
    label(ax, plate.pick(0.3, 0.95), plate.pick(0.012, 0.0028),
          plate.pick("audit in sequence", "in sequence"), bold=True,
          ha=plate.pick("left", "right"))  # fmt: skip
    label(ax, lowest * 1.1, plate.pick(0.35, 0.35), plate.pick(
          "band: 95 % of audits that keep their word", "band: 95 % of\nhonest audits"),
          color="p")  # fmt: skip
    seq = stored["sequential"]["false_alarms"]
    inside = round(100 * _leaves(stated, values, low))
    plate.say(
        caption=f"up to about {inside} % the solid line of the audit stays in the band round the "
        "diagonal; at higher levels it falls below it, on the safe side; the dashed one, which may "
        "look as often as it likes, pays by staying below everywhere.",
        alt=f"Share of {count(runs)} exact samplers with a p-value of at most a, against a, "
        "both on logarithmic scales, with the diagonal and the band of 95 % of binomial counts. At "
        f"a = 1 % the audit rejects {alarms} of {count(runs)}; the sequential audit {seq}.",
    )


@drawing
def the_bet(plate: Plate, biased: SequentialReport, exact: SequentialReport) -> None:
    """Draw the fortune of the gambler who bets against the law, for two samplers.

    Parameters
    ----------
    biased, exact : SequentialReport
        From ``results.bets``.
    """
    tall, top, left = plate.pick(220, 206), 40, plate.pick(62, 48)
    full = plate.pixels(top + tall + 58)
    wide = plate.pick(656, 276)
    bottom, limit = -2.2, 3.2
    ax = plate.axes_at(left, top, wide, tall, xlim=(40, 1.2e6), ylim=(bottom, limit), xscale="log")
    ax.spines["left"].set_visible(False)
    power_axis(ax, 2, 6)
    ax.set_yticks([-2, 0, 2], ["1/100", "1", "100"])
    ax.tick_params(axis="y", length=0)
    for level in (-2, 0):
        line(ax, [40, 1.2e6], [level, level], "hair", zorder=0.5)
    line(ax, [40, 1.2e6], [2, 2], "axis", zorder=1)
    for report, dashes in ((exact, None), (biased, (7, 4))):
        n, fortune = report.path.T
        fortune = np.clip(fortune / np.log(10), bottom, limit)
        if dashes:
            line(ax, n, fortune, "ink", dashes=dashes, zorder=4)
        else:
            law(ax, "p", n, fortune, linewidth=2, zorder=3)
    last = biased.path[-1]
    ring = {"marker": "D", "markersize": 9, "markerfacecolor": plate.theme.background}
    at = min(last[1] / np.log(10), limit)
    line(ax, [last[0]], [at], "ink", markeredgecolor=plate.theme.ink, markeredgewidth=2,
         zorder=6, **ring)  # fmt: skip
    label(full, plate.pick(8, 6), 20, "fortune of the bet against the law", bold=True)
    label(full, left + wide, top + tall + 42, "draws $n$", bold=True, ha="right")
    label(ax, 45, 2.25, plate.pick("at 100 the sampler is rejected", "100: rejected"), color="ink2")
    caught = f"{count(biased.n)} draws"
    words = plate.pick(f"caught after {caught}", caught)
    label(ax, last[0] * plate.pick(1.25, 1.5), at - 0.1, words, bold=True)
    end = exact.path[-1]
    label(ax, end[0], max(end[1] / np.log(10), bottom) + 0.35, "exact", bold=True, color="p",
          ha="right")  # fmt: skip
    k = len(biased.path) // 2
    label(ax, biased.path[k, 0], biased.path[k, 1] / np.log(10) - 0.75, "biased", bold=True,
          ha="right", halo="background")  # fmt: skip
    plate.say(
        caption="the gambler never grows rich on the exact sampler (solid), and at last "
        "does on the biased one (dashed), which is rejected the moment its line crosses 100.",
        alt="Fortune of a bet against the law, from 1, against the number of draws, both on "
        f"logarithmic scales. On the biased sampler it crosses 100 at {count(biased.n)} draws, "
        f"where the audit stops. On the exact one its largest value in {count(exact.n)} draws "
        f"is about {np.exp(exact.log_e):.2g}; it ends at 10 to the power "
        f"{end[1] / np.log(10):.1f}.".replace("-", "\N{MINUS SIGN}"),
    )
