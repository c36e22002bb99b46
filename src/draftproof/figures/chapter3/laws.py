"""The toy itself: all its laws on one page, one context in detail, a text with its rounds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes

from draftproof.toy_runs import Row
from draftproof.trace import Run

from ..marks import label, law, line, mass
from ..plate import Plate, drawing
from ..words import num, text_width
from .glyphs import box, fan, fan_edges, letter, name_of, path_of, spoken

__all__ = ["one_context", "token_ribbon", "whole_toy"]

_RIBBON = (48, 22)  # characters at most, wide and on a phone
_ROLE = {"accepted": "accepted", "corrected": "residual", "bonus": "bonus"}
_WORD = {"accepted": "draft kept", "corrected": "corrected", "bonus": "bonus"}


def _rounds_that_fit(run: Run, room: int) -> list[int]:
    """Return the lengths of the first whole rounds that together have at most `room` tokens."""
    lengths: list[int] = []
    for block in run.rounds:
        length = block.num_accepted + 1
        if sum(lengths) + length > min(room, len(run.tokens)):
            break
        lengths.append(length)
    return lengths


def _cell(ax: Axes, fate: str, character: str, shape: tuple[float, float, float, float]) -> None:
    """Draw one character: no pattern behind the letter, so a pattern is shown at the foot."""
    x, y, width, height = shape
    role, foot = _ROLE[fate], 13
    box(ax, role, shape, key=fate)
    if role != "accepted":
        mass(ax, role, (x, y + height - foot, width, foot))
    letter(ax, x + width / 2, y + (height - foot) / 2, character)


def _fate_labels(ax: Axes, plate: Plate, fates: Sequence[str], left: float, unit: float) -> None:
    """Name each fate once, over a character that had it, so that no two names meet."""
    first = sorted(set(fates), key=fates.index)
    end = 0.0
    for fate in first:
        half = text_width(_WORD[fate], 13, bold=True) / 2
        for k in (i for i, f in enumerate(fates) if f == fate):
            centre = left + (k + 0.5) * unit
            at = max(centre, half + 2)
            if at - half >= end and abs(at - centre) <= half:
                label(ax, at, 84, _WORD[fate], color=_ROLE[fate], bold=True, ha="center")
                line(ax, [centre, centre], [89, 99], "leader")
                end = at + half + 14
                break


@drawing
def token_ribbon(
    plate: Plate, run: Run, vocabulary: Sequence[str], *, c: float = 0.1, v: float = 1.0
) -> None:
    """Draw a generated text, each character by its fate, over the time its rounds took.

    Parameters
    ----------
    run : Run
        The text and its rounds.
    vocabulary : sequence of str
        The characters, by token.
    c : float
        Time of a draft step over a target step.
    v : float
        Time of a verification pass over a target step.
    """
    lengths = _rounds_that_fit(run, plate.pick(*_RIBBON))
    count, rounds = sum(lengths), len(lengths)
    gamma = len(run.rounds[0].draft_tokens)
    fates = run.fates[:count]
    ax = plate.pixels(290)
    left = 4.0
    unit = (plate.width - 2 * left) / count
    plate.unit = (unit - 1.5) * 42
    end = left + count * unit

    words = plate.pick("plain decoding: one target pass a character", "plain: one pass a character")
    label(ax, left, 15, words, color="p", bold=True)
    label(ax, end, 15, f"{count} passes", bold=True, ha="right")
    for k in range(count):
        box(ax, "p", (left + k * unit + 1, 24, unit - 2, 24))
    _fate_labels(ax, plate, fates, left, unit)
    for k, (token, fate) in enumerate(zip(run.tokens[:count], fates, strict=True)):
        _cell(ax, fate, vocabulary[token], (left + k * unit + 0.75, 102, unit - 1.5, 42))

    price = gamma * c + v
    borders = np.cumsum([0, *lengths])
    shown = int(np.argmax(lengths))
    for k, (a, b) in enumerate(pairwise(borders)):
        x0, x1 = left + a * unit + 1.5, left + b * unit - 1.5
        t0 = left + k * price * unit
        line(ax, [x0, x0, x1, x1], [148, 152, 152, 148], "leader")
        fan(ax, (x0, x1), (t0 + 1, t0 + price * unit - 1), (153, 230), k == shown)
        for d in range(gamma):
            x = t0 + (d + 0.5) * c * unit
            line(ax, [x, x], [236, 252], color=plate.theme.q.line)
        box(ax, "p", (t0 + gamma * c * unit + 0.5, 232, v * unit - 1.5, 24))

    spent = rounds * price
    x = left + spent * unit
    line(ax, [x + 6, end], [244, 244], "dashed")
    line(ax, [end, end], [237, 251], "leader")
    saved = f"{num(count - spent, 1)} {plate.pick('passes saved', 'saved')}"
    label(ax, (x + end) / 2, 236, saved, color="ink2", ha="center", bold=True)
    ends = (left + borders[shown] * unit, left + borders[shown + 1] * unit - 1.5)
    times = (left + shown * price * unit, left + (shown + 1) * price * unit - 1)
    beside = fan_edges(ends, times, (153, 230), (176, 210))[1].max() + 10
    label(ax, beside, 190, f"one round: {max(lengths)} characters", bold=True, halo="panel")
    label(ax, beside, 207, f"in {num(price)} passes", halo="panel")
    words = f"speculative: {rounds} rounds, each {gamma} short drafts + 1 pass"
    label(ax, left, 278, plate.pick(words, f"{rounds} rounds"), color="q", bold=True)
    label(ax, end, 278, f"{num(spent, 1)} passes: {num(count / spent)} times as fast",
          bold=True, ha="right")  # fmt: skip
    _say_ribbon(plate, run, vocabulary, gamma, c, v)


def _say_ribbon(
    plate: Plate, run: Run, vocabulary: Sequence[str], gamma: int, c: float, v: float
) -> None:
    lengths, few = (_rounds_that_fit(run, room) for room in _RIBBON)
    count, price = sum(lengths), len(lengths) * (gamma * c + v)
    start, less = sum(few), len(few) * (gamma * c + v)
    fates = run.fates[:count]
    parts = {fate: fates.count(fate) for fate in _WORD}
    text = "".join(name_of(vocabulary[t]) for t in run.tokens[:count])
    plate.say(
        caption="every round hands over one to "
        f"{gamma + 1} characters for one target pass, so the lower clock stops early; "
        "nothing in the letters tells which of them the draft wrote.",
        alt=f"The text {text}, {count} characters in {len(lengths)} rounds: {parts['accepted']} "
        f"drafts kept, {parts['corrected']} corrected, {parts['bonus']} bonus. Plain decoding "
        f"takes {count} passes; the rounds, {gamma} drafts of {num(c)} and one pass of {num(v)} "
        f"each, take {num(price, 1)}: {num(count / price)} times less. On a narrow screen only its "
        f"first {start} characters: {start} passes against {num(less, 1)} for {len(few)} rounds, "
        f"{num(start / less)} times less.",
    )


@drawing
def whole_toy(plate: Plate, rows: Sequence[Row]) -> None:
    """Every context of the toy as a row of bars: kept, cut and filled, and its overlap.

    Parameters
    ----------
    rows : sequence of Row
        Every context.
    """
    names = rows[0].vocabulary
    tall = plate.pick(33, 31)  # px a row
    peak = max(float(np.max(law_)) for row in rows for law_ in (row.p, row.q))
    scale = (tall - 3) / peak  # px per unit of probability
    left, right, top = plate.pick(64, 30), plate.pick(72, 44), plate.pick(40, 40)
    step = (plate.width - left - right) / len(names)
    ax = plate.pixels(top + tall * len(rows) + 6)
    wide = step * 0.74
    plate.unit = wide * scale
    label(ax, plate.pick(left + 4, 96), 13, "next character", color="ink2", size=12)
    label(
        ax, plate.width - 6, 14, plate.pick("overlap $\\beta$", "$\\beta$"), bold=True, ha="right"
    )
    label(ax, 6, 13, "after", color="ink2", size=12)
    for k, name in enumerate(names):
        letter(ax, left + (k + 0.5) * step, 31, name, size=13)
    for r, row in enumerate(rows):
        base = top + (r + 1) * tall
        p, q = np.asarray(row.p, dtype=float), np.asarray(row.q, dtype=float)
        x = left + np.arange(len(names)) * step + (step - wide) / 2
        kept = np.minimum(p, q)
        for role, low, high in (("accepted", 0 * p, kept), ("rejected", p, q), ("residual", q, p)):
            shapes = [(a, base - h * scale, wide, (h - g) * scale)
                      for a, g, h in zip(x, low, high, strict=True) if h - g > 1e-12]  # fmt: skip
            if shapes:
                mass(ax, role, path_of(*shapes), key=f"{role}/{row.context}")
        line(ax, [left, plate.width - right], [base, base], "hair")
        letter(ax, 20 if not plate.phone else 14, base - 8, row.context)
        label(ax, plate.width - 6, base - 3, f"{row.beta:.2f}", bold=True, ha="right", size=12)
    ranked = sorted(rows, key=lambda row: row.beta)
    least, most = ranked[0], ranked[-1]
    plate.say(
        caption="in each row the hatched pieces cut off one set of characters together weigh as "
        "much as the dotted pieces filled in on others; the plain rest is the overlap, given at "
        "the right.",
        alt=f"{len(rows)} rows, one for each context, of {len(names)} bars, one for each next "
        "character: the mass the draft shares with the target, the mass cut off where the draft "
        "has too much, the mass filled in where it has too little. The overlap runs from "
        f"{least.beta:.2f} after {spoken(least.context)} to {most.beta:.2f} after "
        f"{spoken(most.context)}.",
    )


def _pool_unit(plate: Plate, total: float) -> float:
    """Return the px per unit of the pooled strips: long, but never beyond the figure."""
    return float(min(plate.pick(1000, 660), plate.pick(240, 210) / max(total, 1e-9)))


def _pool(ax: Axes, plate: Plate, cut: Sequence[float], filled: Sequence[float]) -> None:
    """Lay the cut pieces end to end, and the filled ones below: two strips of one length."""
    x0, total = plate.pick(112, 66), float(sum(cut))
    unit = _pool_unit(plate, total)
    high = plate.unit / unit  # the strips have the bars' area scale
    for role, pieces, y, word, short in (
        ("rejected", cut, 12, "cut off, pooled", "cut off"),
        ("residual", filled, 12 + high + 10, "filled in", "filled in"),
    ):
        x = float(x0)
        for piece in pieces:
            mass(ax, role, (x, y, piece * unit, high), key=f"pool/{role}")
            x += piece * unit
        label(ax, x0 - 10, y + high / 2, plate.pick(word, short), color=role, bold=True,
              ha="right", va="middle")  # fmt: skip
        label(ax, x + 10, y + high / 2, f"{total:.2f}", bold=True, va="middle")


@drawing
def one_context(
    plate: Plate,
    row: Row,
    summary: tuple[float, int, float] | None = None,
    before: Row | None = None,
    *,
    temperature: float = 1.0,
) -> None:
    """Draw the two laws of one context as cut-and-fill bars, the cut and the filled pooled.

    `summary` adds what the whole toy gives: alpha, gamma, tokens a target call; `before` is the
    same context at temperature 1, for the caption.

    Parameters
    ----------
    row : Row
        The context.
    summary : tuple of float, int, optional
        What the whole toy gives.
    before : Row, optional
        The same context at temperature 1.
    temperature : float
        T of both laws, above 0.
    """
    p, q = np.asarray(row.p, dtype=float), np.asarray(row.q, dtype=float)
    names, kept = row.vocabulary, np.minimum(p, q)
    left = plate.pick(28, 18)
    step = (plate.width - 2 * left) / len(names)
    wide = step * plate.pick(0.78, 0.84)
    room = plate.pick(190, 170)
    scale = room / max(0.2, float(np.max(np.maximum(p, q))))
    plate.unit = wide * scale
    cut, filled = np.maximum(q - p, 0), np.maximum(p - q, 0)
    high = plate.unit / _pool_unit(plate, float(cut.sum()))
    top = 12 + 2 * high + 10 + plate.pick(26, 44)
    base = top + room
    ax = plate.pixels(base + 34)
    _pool(ax, plate, cut[cut > 1e-12], filled[filled > 1e-12])
    for k, name in enumerate(names):
        x = left + k * step + (step - wide) / 2
        mass(ax, "accepted", (x, base - kept[k] * scale, wide, kept[k] * scale), key=f"kept/{name}")
        if cut[k] > 1e-12:
            mass(ax, "rejected", (x, base - q[k] * scale, wide, cut[k] * scale), key=f"cut/{name}")
        if filled[k] > 1e-12:
            shape = (x, base - p[k] * scale, wide, filled[k] * scale)
            mass(ax, "residual", shape, key=f"filled/{name}")
        law(ax, "p", [x, x + wide], [base - p[k] * scale] * 2)
        law(ax, "q", [x - 2, x + wide + 2], [base - q[k] * scale] * 2)
        letter(ax, x + wide / 2, base + 14, name)
    line(ax, [left, plate.width - left], [base, base])
    for end, k in ((left - 2, 0), (plate.width - left + 2, len(names) - 1)):
        _mark_laws(ax, end, [base - law_[k] * scale for law_ in (p, q)], base)
    after = {"^": "the start"}.get(row.context, name_of(row.context))
    y = plate.pick(34, top - 20)
    label(ax, plate.width - left, y, f"after {after}: kept $\\beta$ = {row.beta:.2f}", bold=True,
          ha="right", size=plate.pick(18, 15))  # fmt: skip
    if summary:
        words = f"all contexts: $\\alpha$ = {summary[0]:.2f}"
        more = f"{summary[2]:.2f} tokens a call at $\\gamma$ = {summary[1]}"
        if plate.phone:
            label(ax, plate.width - left, top - 2, words, ha="right", color="ink2")
        else:
            label(ax, plate.width - left, y + 24, f"{words}, {more}", ha="right", color="ink2")
    _say_context(plate, row, cut, filled, summary, _heat(row, before, temperature))


def _heat(row: Row, before: Row | None, temperature: float) -> tuple[str, str]:
    """Return what the alternative text and the caption say of the temperature."""
    if temperature == 1 or before is None:
        return ("" if temperature == 1 else f" at temperature {num(temperature)}"), ""
    change = row.beta - before.beta
    length = "as long" if abs(change) < 1e-9 else "longer" if change < 0 else "shorter"
    same = int(np.argmax(row.p)) == int(np.argmax(row.q))
    word = "cooled" if temperature < 1 else "heated"
    return (
        f" at temperature {num(temperature)}",
        f"{word} to T = {num(temperature)} both strips are {length} "
        f"({1 - before.beta:.2f} before, {1 - row.beta:.2f} now), and the favourites "
        f"{'agree' if same else 'differ'}: {_favourites(row, same)}",
    )


def _favourites(row: Row, same: bool) -> str:
    p, q = (spoken(row.vocabulary[int(np.argmax(law_))]) for law_ in (row.p, row.q))
    return f"{p} for both." if same else f"{p} for p, {q} for q."


def _mark_laws(ax: Axes, x: float, levels: Sequence[float], base: float) -> None:
    """Write p and q at one end of the bars, at the heights of the end bar, pushed apart."""
    middle, apart = sum(levels) / 2, max(abs(levels[0] - levels[1]), 15)
    upper = 0 if levels[0] < levels[1] else 1
    middle = min(middle, base - apart / 2 - 4)
    for k, letter_ in enumerate("pq"):
        y = middle + (-apart if k == upper else apart) / 2
        ha = "right" if x < 100 else "left"
        label(ax, x, y, f"${letter_}$", color=letter_, size=15, ha=ha, va="middle")


def _say_context(
    plate: Plate,
    row: Row,
    cut: np.ndarray,
    filled: np.ndarray,
    summary: tuple[float, int, float] | None,
    heat: tuple[str, str],
) -> None:
    """Set caption and alternative text."""
    whole = ""
    if summary:
        whole = (f" Over all contexts alpha is {summary[0]:.4f}, and {summary[1]} drafts a round "
                 f"give {summary[2]:.4f} tokens a target call.")  # fmt: skip
    worst, most = int(np.argmax(cut)), int(np.argmax(filled))
    names = [spoken(name) for name in row.vocabulary]
    plate.say(
        caption=heat[1]
        or "the strip of pieces cut off above the solid line is exactly as long as the strip "
        "of pieces filled in up to it, so what comes out has the solid outline.",
        alt=f"Bars over {len(names)} next characters after {spoken(row.context)}{heat[0]}. Kept "
        f"mass {row.beta:.3f}. Cut off {float(cut.sum()):.3f}, most from {names[worst]} "
        f"({float(cut[worst]):.3f}); filled in {float(filled.sum()):.3f}, most at {names[most]} "
        f"({float(filled[most]):.3f}). The two are equal, so the kept and the filled mass are p."
        + whole,
    )
