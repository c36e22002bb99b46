"""What a round gives and what it costs: lengths, areas, and where the gain ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from draftproof import cost
from draftproof.toy_curves import BatchCurve, LengthCurve

from ..marks import dots, frame, label, line, mass, wash
from ..plate import Plate, drawing
from ..words import fit, listed, num, text_width
from .glyphs import box

__all__ = ["batch_curve", "best_lengths", "stairs", "three_meters"]


@drawing
def stairs(
    plate: Plate, alpha: float, gamma: int, c: float, v: float = 1.0, *, batch: int | None = None
) -> None:
    """Draw the expected tokens of a round as a staircase over the time that it takes.

    Parameters
    ----------
    alpha : float
        Overlap of target and draft, in [0, 1].
    gamma : int
        Drafts in a block.
    c : float
        Time of a draft step over a target step.
    v : float
        Time of a verification pass over a target step.
    batch : int, optional
        Said in the caption, if given.
    """
    tokens = float(cost.expected_tokens(alpha, gamma))
    price = gamma * c + v
    left, right = plate.pick(20, 8), plate.pick(20, 8)
    unit = (plate.width - left - right) / max(tokens, price)
    tread = float(np.clip(210 / (gamma + 1), 20, 36))
    plate.unit = unit * tread
    top = 30
    floor = top + (gamma + 1) * (tread + 5) + 34
    ax = plate.pixels(floor + 2 * tread + 70)
    form = _tread_form(unit, gamma)
    first = plate.pick("token 1 comes out always", "token 1: always")
    if form == len(_FORMS) - 1:
        first += "; the next with chance"
    label(ax, left, 18, first, bold=True)
    x = float(left)
    for k in range(gamma + 1):
        _tread(ax, plate, (x, top + k * (tread + 5), unit, tread), k, alpha, gamma, form)
        _laid(ax, (x, floor, unit, tread), k, alpha, gamma)
        x += alpha**k * unit
        line(ax, [x, x], [top + k * (tread + 5) + tread, floor], "hair", zorder=0)
    words = ("laid end to end: $1 + \\alpha + \\dots + \\alpha^\\gamma$", "end to end")
    label(ax, left, floor - 9, plate.pick(*words), bold=True, halo="background")
    low = floor + tread + 20
    end = left + tokens * unit
    label(ax, max(end, left + plate.pick(290, 200)) if end < plate.width - 30 else end, low,
          plate.pick(f"{tokens:.2f} tokens = {tokens:.2f} passes one by one",
                     f"{tokens:.2f} tokens"), bold=True, ha="right")  # fmt: skip
    _round_cost(ax, plate, (left, low + 12, unit, tread), gamma, c, v, tokens)
    _say_stairs(plate, alpha, gamma, c, v, batch)


_FORMS = ("{name}, chance {chance:.2f}", "{name}: {chance:.2f}", "{chance:.2f}")


def _tread_form(unit: float, gamma: int) -> int:
    """Return the longest form of words that fits before every tread, the first being tightest."""
    names = ["bonus", *(f"token {k + 1}" for k in range(1, gamma))]
    wide = [max(text_width(form.format(name=name, chance=0), bold=True) for name in names)
            for form in _FORMS[:-1]]  # fmt: skip
    return next((k for k, width in enumerate(wide) if width <= unit - 8), len(_FORMS) - 1)


def _parts(k: int, alpha: float, gamma: int) -> list[tuple[str, float]]:
    """Return the fates of the (k+1)-th token and their probabilities."""
    if k == gamma:
        return [("bonus", alpha**k)]
    return [("accepted", alpha ** (k + 1)), ("residual", alpha**k * (1 - alpha))]


def _tread(
    ax: Axes,
    plate: Plate,
    at: tuple[float, float, float, float],
    k: int,
    alpha: float,
    gamma: int,
    form: int,
) -> None:
    x, y, unit, high = at
    start, chance = x, alpha**k
    for role, share in _parts(k, alpha, gamma):
        if share > 1e-9:
            mass(ax, role, (x, y, share * unit, high), key=f"{role}/{k + 1}")
        choices = {"accepted": (f"draft kept {num(share)}", f"kept {num(share)}", num(share)),
                 "residual": (f"corrected {num(share)}", "corrected", num(share))}  # fmt: skip
        said = choices.get(role, ("",)) if k == 0 else ("",)
        inside = fit(share * unit - 8, *said, bold=True)
        if inside:
            label(ax, x + share * unit / 2, y + high / 2, inside, bold=True, ha="center",
                  va="middle", halo=role)  # fmt: skip
        x += share * unit
    if k == 0:
        return
    name = "bonus" if k == gamma else f"token {k + 1}"
    room = start - plate.pick(20, 8) - 8
    words = fit(room, _FORMS[form].format(name=name, chance=chance), bold=True)
    if words:
        label(ax, start - 9, y + high / 2, words, bold=True, ha="right", va="middle",
              color="bonus" if k == gamma else "ink", halo="background")  # fmt: skip


def _laid(
    ax: Axes, at: tuple[float, float, float, float], k: int, alpha: float, gamma: int
) -> None:
    x, y, unit, high = at
    for role, share in _parts(k, alpha, gamma):
        if share > 1e-9:
            mass(ax, role, (x, y, share * unit, high), key="tokens")
        x += share * unit


def _round_cost(
    ax: Axes,
    plate: Plate,
    at: tuple[float, float, float, float],
    gamma: int,
    c: float,
    v: float,
    tokens: float,
) -> None:
    """Draw the time of one round below the tokens, and what is saved or lost."""
    x, y, unit, high = at
    price = gamma * c + v
    if c > 0:
        for k in range(gamma):
            box(ax, "q", (x + k * c * unit, y, c * unit, high), key="drafts", dashed=True)
    drafts = x + gamma * c * unit
    box(ax, "p", (drafts, y, v * unit, high), key="pass")
    words = "1 target pass" if v == 1 else f"1 target pass, costs {num(v)}"
    short = "1 pass" if v == 1 else f"pass {num(v)}"
    inside = fit(v * unit - 8, words, short, bold=True)
    if inside:
        label(ax, drafts + v * unit / 2, y + high / 2, inside, color="p", bold=True, ha="center",
              va="middle")  # fmt: skip
    gain = tokens - price
    if abs(gain) > 1e-9:
        start = x + min(tokens, price) * unit
        level = y if gain > 0 else y - high - 32
        wash(ax, "panel", (start, level, abs(gain) * unit, high))
        frame(ax, "next", (start, level, abs(gain) * unit, high))
        word = "time saved" if gain > 0 else "time lost"
        said = fit(abs(gain) * unit - 8, word, word[5:], bold=True)
        if said:
            label(ax, start + abs(gain) * unit / 2, level + high / 2, said, color="ink2", bold=True,
                  ha="center", va="middle")  # fmt: skip
    foot = y + high + 22
    words = f"{gamma} × {num(c)} + {num(v)}"
    label(ax, x, foot, plate.pick(f"one round: {words} = {num(price)} passes", words),
          color="q", bold=True)  # fmt: skip
    label(ax, plate.width - x, foot, f"speedup = {tokens:.2f} / {price:.2f} = "
          f"{tokens / price:.2f}", bold=True, ha="right", size=plate.pick(16, 14))  # fmt: skip


def _say_stairs(
    plate: Plate, alpha: float, gamma: int, c: float, v: float, batch: int | None
) -> None:
    tokens, price = float(cost.expected_tokens(alpha, gamma)), gamma * c + v
    speed = tokens / price
    chances = listed([f"{alpha**k:.2f}" for k in range(1, gamma + 1)])
    load = f" at batch {batch}" if batch else ""
    plate.say(
        caption=f"the stair is {tokens:.2f} tokens long and the round below it {price:.2f} passes; "
        f"the ratio of the two lengths, {speed:.2f}, is the speedup.",
        alt=f"A staircase of {gamma + 1} treads for an acceptance of {num(alpha, 3)} and {gamma} "
        f"drafts{load}. Token 1 always comes out, the next with chances {chances}; laid end to end "
        f"they measure {tokens:.3f}. One round costs {gamma} drafts of {num(c, 3)} and a pass of "
        f"{num(v, 3)}, together {price:.3f} passes, so the speedup is {speed:.3f}.",
    )


@drawing
def three_meters(plate: Plate, alpha: float, lengths: Sequence[int] = (2, 4, 8, 16)) -> None:
    """Draw what becomes of each draft of a block, and the three readings of it.

    Parameters
    ----------
    alpha : float
        Overlap of target and draft, in [0, 1].
    lengths : sequence of int
        The block lengths, one column each.
    """
    most = max(lengths)
    left, right, top, tall = plate.pick(14, 8), plate.pick(14, 8), 30, plate.pick(170, 150)
    step = (plate.width - left - right) / most
    plate.unit = step * tall
    rows = plate.pick(34, 46)
    ax = plate.pixels(top + tall + 40 + rows * len(lengths))
    whole = (left, top, most * step, tall)
    wash(ax, "panel", whole)
    frame(ax, "next", whole, zorder=1)
    for k in range(most):
        x, kept, met = left + k * step, alpha ** (k + 1), alpha**k
        mass(ax, "accepted", (x, top + (1 - kept) * tall, step, kept * tall), key=f"kept/{k + 1}")
        if met - kept > 1e-9:
            mass(ax, "rejected", (x, top + (1 - met) * tall, step, (met - kept) * tall),
                 key=f"rejected/{k + 1}")  # fmt: skip
        if step > 17 or (k + 1) % 2 == 0:
            label(ax, x + step / 2, top + tall + 16, str(k + 1), color="ink2", size=12, ha="center")
    label(ax, left, 16, plate.pick("fate of the first, second, ... draft of a block",
                                   "fate of draft 1, 2, ... of a block"), bold=True)  # fmt: skip
    narrow = step < 36  # then the word stands upright in its column
    label(ax, left + step / 2, top + tall * (1 - alpha / 2), "kept", bold=True, ha="center",
          va="middle", rotate=90.0 if narrow else 0.0, size=12 if narrow else 13,
          halo=None if narrow else "accepted")  # fmt: skip
    if alpha < 0.98 and most > 3:
        label(ax, left + 2 * step + 7, top + tall * (1 - (alpha + alpha**2) / 2), "rejected",
              color="rejected", bold=True, va="middle", halo="panel")  # fmt: skip
    if alpha < 0.92 and most > 7:
        label(ax, left + (most - 0.4) * step, top + 26, "never tested", color="ink2", bold=True,
              ha="right", va="middle")  # fmt: skip
    for r, gamma in enumerate(lengths):
        y = top + tall + 34 + r * rows
        end = left + gamma * step
        line(ax, [left, left, end, end], [y - 5, y, y, y - 5], "leader")
        meters = (f"$\\alpha$ {num(alpha)}", f"accepted ÷ drafted "
                  f"{num(cost.accepted_over_drafted(alpha, gamma), 3)}",
                  f"{num(cost.expected_tokens(alpha, gamma))} tokens a pass")  # fmt: skip
        if plate.phone:
            label(ax, left, y + 16, f"$\\gamma$ = {gamma}:  {meters[0]},  {meters[2]}", bold=True)
            label(ax, left, y + 32, meters[1])
        else:
            label(ax, left, y + 18, f"$\\gamma$ = {gamma}", bold=True)
            for x, words in zip((90, 200, 470), meters, strict=True):
                label(ax, left + x, y + 18, words)
    _say_meters(plate, alpha, lengths)


def _say_meters(plate: Plate, alpha: float, lengths: Sequence[int]) -> None:
    parts = [
        f"{g} drafts: accepted over drafted {cost.accepted_over_drafted(alpha, g):.3f}, "
        f"{cost.expected_tokens(alpha, g):.2f} tokens a pass"
        for g in lengths
    ]
    plate.say(
        caption="in every column the plain part has the same share of what was tested, yet less "
        "and less of the whole column; a longer block drags the second meter down and lifts the "
        "third.",
        alt=f"{max(lengths)} columns, one a draft of a block, of equal height: kept, rejected, "
        f"never tested. Kept over tested is {num(alpha)} in each. {'; '.join(parts)}.",
    )


@drawing
def best_lengths(plate: Plate, curves: Sequence[LengthCurve]) -> None:
    """Speedup against the block length, one line an acceptance, the best length marked.

    Parameters
    ----------
    curves : sequence of LengthCurve
        One acceptance each.
    """
    left, right, top, low = 44, plate.pick(70, 60), 30, 46
    height = plate.pick(340, 320)
    page = plate.pixels(height)
    most = max(float(np.max(curve.speed)) for curve in curves)
    lengths = curves[0].lengths
    floor = 0.95 * min(float(np.min(curve.speed)) for curve in curves)
    ax = plate.axes_at(
        left, top, plate.width - left - right, height - top - low,
        xlim=(0, lengths[-1] + 0.2), ylim=(min(0.5, floor), most * 1.08),
    )  # fmt: skip
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.set_xticks(range(0, int(lengths[-1]) + 1, 2))
    ax.set_yticks(range(1, int(most) + 1))
    ax.grid(axis="y")
    line(ax, [0, lengths[-1]], [1, 1], "ink", linewidth=1.25)
    label(ax, lengths[-1], 1 + most * 0.03, "plain", ha="right", size=12, color="ink2",
          halo="background")  # fmt: skip
    for curve in curves:
        line(ax, curve.lengths, curve.speed, "ink", linewidth=1.75, zorder=3)
        words = f"$\\alpha$ = {num(curve.alpha)}"
        label(ax, lengths[-1] + 0.35, curve.speed[-1], words, va="middle", bold=True)
        dots(ax, [curve.best], [curve.top], "accepted", size=9, zorder=5)
        at = (max(curve.best, 1.2), curve.top - most * 0.07)
        if plate.phone:  # to the right, where its own line falls away from the words
            at = (curve.best - 0.4, curve.top - most * 0.1)
        label(ax, *at, f"{curve.best}: {curve.top:.2f}", bold=True, color="accepted",
              ha=plate.pick("center", "left"), halo="background")  # fmt: skip
    c, v = curves[0].c, curves[0].v
    label(page, 6, 16, f"speedup, draft cost $c$ = {num(c)}", bold=True)
    label(
        page, plate.width - right, height - 8, "drafts in a block $\\gamma$", bold=True, ha="right"
    )
    tops = [f"{num(k.alpha)}: {k.best} drafts, {k.top:.4f}" for k in curves]
    plate.say(
        caption="every line rises to a top and falls again: beyond the marked length the next "
        "draft costs more time than the token it may still bring (marked: best γ: speedup).",
        alt=f"Speedup against 0 to {lengths[-1]} drafts in a block, with a draft at {num(c, 3)} "
        f"and a verification at {num(v, 3)} of a target step. Best length by acceptance: "
        f"{'; '.join(tops)}.",
    )


@drawing
def batch_curve(plate: Plate, curve: BatchCurve) -> None:
    """Speedup against the batch: a fixed block, and the best block for each batch.

    Parameters
    ----------
    curve : BatchCurve
        The computed curve.
    """
    left, right, top, low = 44, plate.pick(16, 10), 30, 46
    height = plate.pick(340, 320)
    page = plate.pixels(height)
    n, fixed, best = curve.batches, curve.fixed, curve.best
    most = float(best.max()) * 1.12
    ax = plate.axes_at(left, top, plate.width - left - right, height - top - low,
                       xlim=(0.93, n[-1] * 1.07), ylim=(0, most), xscale="log")  # fmt: skip
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.set_xticks([1, 4, 16, 64, 256], ["1", "4", "16", "64", "256"])
    ax.minorticks_off()
    ax.set_yticks([1, 2, 3])
    wash(ax, "panel", (0.93, 0, n[-1] * 1.07, 1))
    line(ax, [1, n[-1]], [1, 1], "ink", linewidth=1.25)
    label(ax, 1.1, plate.pick(0.5, 0.16), "slower than plain", color="ink2", va="middle")
    line(ax, n, fixed, "ink", zorder=3)
    line(ax, n, best, color=plate.theme.accepted.line, linewidth=2, dashes=(6, 3), zorder=4)
    line(ax, n, curve.long, "leader", linewidth=2, zorder=2)
    ax.add_line(Line2D([curve.turns], [1], linestyle="none", marker="o", markersize=12, zorder=6,
                       markerfacecolor="none", markeredgecolor=plate.theme.ink,
                       markeredgewidth=2))  # fmt: skip
    label(ax, curve.turns * 0.82, 0.72, f"always {curve.gamma} drafts:\nloses beyond {curve.turns}",
          bold=True, ha="right", halo="panel")  # fmt: skip
    label(ax, 1.1, float(fixed[0]) - 0.25, f"always {curve.gamma} drafts", bold=True)
    label(ax, 1.1, float(best[0]) + 0.1, f"best length: {curve.lengths[0]} drafts",
          color="accepted", bold=True)  # fmt: skip
    label(ax, n[-1], float(curve.long[-1]) + plate.pick(0.12, 0.5),
          plate.pick("long contexts, always 4 drafts", "long\ncontexts"), color="ink2", bold=True,
          ha="right")  # fmt: skip
    for batch in plate.pick((64, 128, 256), (64, 128)):
        k = int(np.argmin(np.abs(n - batch)))
        dots(ax, [n[k]], [best[k]], "accepted", size=7, zorder=5)
        drafts = int(curve.lengths[k])
        # Above the line and to its right, but below and left of it near the grey line.
        left_of = abs(float(best[k]) - float(curve.long[k])) < 0.3
        label(ax, n[k] * (0.93 if left_of else 1.09), float(best[k]) + (-0.3 if left_of else 0.08),
              str(drafts) if drafts else "none", ha="right" if left_of else "left", bold=True,
              color="accepted", halo="background")  # fmt: skip
    label(page, 6, 16, f"speedup ($\\alpha$ = {num(curve.alpha)}, $c$ = {num(curve.c)})", bold=True)
    label(page, plate.width - right, height - 8, "sequences in the batch", bold=True, ha="right")
    plate.say(
        caption="the solid line falls through 1 as the batch fills the machine, and the best block "
        "shrinks to none; where every sequence brings a long context of its own (the grey line), "
        "the gain stays.",
        alt=f"Speedup against batches of 1 to {n[-1]} on a {curve.machine} with a model of "
        f"{num(curve.parameters / 1e9)} billion parameters. Always {curve.gamma} drafts: "
        f"{fixed[0]:.2f} at batch 1, below 1 beyond {curve.turns}, {fixed[-1]:.2f} at {n[-1]}. The "
        f"best length falls from {curve.lengths[0]} drafts to {curve.lengths[-1]}. With "
        f"{num(curve.kv_bytes / 1e9)} GB of cached context to read for each sequence it is still "
        f"{curve.long[-1]:.2f} at {n[-1]}.",
    )
