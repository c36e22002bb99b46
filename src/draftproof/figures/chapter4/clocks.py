"""Time to scale: plain against speculative decoding, and a high acceptance that loses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib.axes import Axes

from draftproof import cost

from ..marks import frame, label, line, wash
from ..plate import Plate, drawing
from ..words import fit, listed, num, percent, text_width
from .pieces import box, rest, seconds

__all__ = ["Clock", "high_acceptance_slow", "two_clocks"]

_PARTS = {
    "draft": "drafts",
    "target": "target passes",
    "verify": "draws and tests",
    "overhead": "rest",
}


@dataclass(frozen=True)
class Clock:
    """Where the time of decoding goes.

    Attributes
    ----------
    name : str
    parts : mapping of str to float
        Seconds a token by part (``draft``, ``target``, ``verify``, ``overhead``).
    calls : float
        Target calls a token.
    """

    name: str
    parts: Mapping[str, float]
    calls: float

    @property
    def seconds(self) -> float:
        """Seconds a token, all parts together."""
        return sum(self.parts.values())


@drawing
def two_clocks(plate: Plate, plain: Clock, fast: Clock, tokens: int = 100) -> None:
    """Draw the time of so many tokens, plain and speculative, by parts and to one scale.

    Parameters
    ----------
    plain, fast : Clock
    tokens : int
    """
    left = plate.pick(10, 6)
    longest = max(plain.seconds, fast.seconds)
    unit = (plate.width - 2 * left) / longest  # px for a second a token
    plate.unit = unit * _BAR
    ax = plate.pixels(plate.pick(268, 312))
    at = 0.0
    for clock, role in ((plain, "p"), (fast, "q")):
        label(ax, left, at + 18, clock.name, bold=True, color=role)
        calls = round(clock.calls * tokens)
        words = f"{calls} target calls, {seconds(clock.seconds * tokens)}"
        label(ax, plate.width - left, at + 18, words, bold=True, ha="right")
        x = float(left)
        for part, value in clock.parts.items():
            _part(ax, part, (x, at + 30, value * unit, _BAR), f"{role}/{part}")
            x += value * unit
        _calls(ax, left, at + 30 + _BAR, clock.seconds * unit, calls)
        seen = {part: value for part, value in clock.parts.items() if value * unit >= 1}
        _legend(ax, plate, seen, at + 30 + _BAR + 32)
        at += plate.pick(122, 144)
    end = left + fast.seconds * unit
    if end < plate.width - left - 4:
        shape = (end, at - plate.pick(92, 114), plate.width - left - end, _BAR)
        wash(ax, "panel", shape)
        frame(ax, "next", shape)
        words = fit(shape[2] - 8, "time saved", "saved", bold=True)
        label(ax, end + shape[2] / 2, shape[1] + _BAR / 2, words, color="ink2", bold=True,
              ha="center", va="middle")  # fmt: skip
    gain = plain.seconds / fast.seconds
    label(ax, plate.width - left, at + 14, f"{num(gain)} times as fast", bold=True,
          ha="right", size=15)  # fmt: skip
    plate.say(
        caption="the lower bar has fewer target passes, and each is longer; with the drafts, draws "
        f"and tests it comes to {percent(fast.seconds / plain.seconds, 0)} of the upper one "
        f"({tokens} tokens, the prompt's pass left out).",
        alt=f"Two bars to one scale for {tokens} tokens. {_told(plain, tokens)}. "
        f"{_told(fast, tokens)}. The first takes {num(gain)} times the time of the second.",
    )


_BAR = 36.0


def _part(ax: Axes, part: str, shape: tuple[float, float, float, float], key: str) -> None:
    if part in ("draft", "target"):
        box(ax, "q" if part == "draft" else "p", shape, key=key, dashed=part == "draft")
    else:
        rest(ax, shape, key=key)
    shorter = {"target": ("target",), "verify": ("draws",)}.get(part, ())
    words = ("",) if part == "overhead" else (_PARTS[part], *shorter)
    inside = fit(shape[2] - 8, *words, bold=True)
    if inside:
        role = {"draft": "q", "target": "p"}.get(part, "ink")
        label(ax, shape[0] + shape[2] / 2, shape[1] + _BAR / 2, inside, bold=True, ha="center",
              va="middle", color=role)  # fmt: skip


def _calls(ax: Axes, left: float, y: float, wide: float, calls: int) -> None:
    """Draw one tick for each target call along the bar's foot."""
    theme = ax.figure.theme  # type: ignore[union-attr]
    for k in range(calls):
        x = left + (k + 0.5) * wide / calls
        line(ax, [x, x], [y + 4, y + 11], color=theme.p.line)


def _legend(ax: Axes, plate: Plate, seen: Mapping[str, float], y: float) -> None:
    """Give the time a token of each part that can be seen, below the bar."""
    said = ["a token:", *(f"{_PARTS[part]} {seconds(value)}" for part, value in seen.items())]
    x = plate.pick(10.0, 6.0)
    for words in said:
        if x > 10 and x + text_width(words, 12) > plate.width - 4:
            x, y = plate.pick(10.0, 6.0), y + 17
        label(ax, x, y, words, size=12, color="ink2")
        x += text_width(words, 12) + 16


def _told(clock: Clock, tokens: int) -> str:
    parts = [f"{_PARTS[p]} {seconds(v * tokens)}" for p, v in clock.parts.items() if v > 0]
    return (
        f"{clock.name}: {seconds(clock.seconds * tokens)} and {round(clock.calls * tokens)} target "
        f"calls ({listed(parts)})"
    )


@drawing
def high_acceptance_slow(
    plate: Plate, alpha: float, gamma: int, c: float, v: float, batch: int = 1
) -> None:
    """Draw the plain steps that a round replaces over the time that it takes itself.

    Parameters
    ----------
    alpha : float
    gamma : int
    c, v : float
        Draft step and verification pass over one plain step, at this batch.
    batch : int
    """
    tokens, price = float(cost.expected_tokens(alpha, gamma)), gamma * c + v
    left = plate.pick(10, 6)
    unit = (plate.width - 2 * left) / max(tokens, price)
    plate.unit = unit * _BAR
    ax = plate.pixels(plate.pick(200, 204))
    speed = tokens / price
    label(ax, left, 18, plate.pick(f"plain: {tokens:.2f} tokens, one step each",
          f"plain: {tokens:.2f} steps"), bold=True, color="p")  # fmt: skip
    label(ax, plate.width - left, 18, f"$\\alpha$ = {num(alpha)}", bold=True, ha="right")
    x = float(left)
    for k in range(int(tokens - 1e-9) + 1):
        part = min(1.0, tokens - k)
        box(ax, "p", (x, 30, part * unit, _BAR), key="plain")
        x += part * unit
    label(ax, left, 96, plate.pick(f"speculative: one round gives the same {tokens:.2f} tokens",
          "speculative: one round"), bold=True, color="q")  # fmt: skip
    x = float(left)
    for _ in range(gamma if c > 0 else 0):
        box(ax, "q", (x, 108, c * unit, _BAR), key="drafts", dashed=True)
        x += c * unit
    inside = fit(gamma * c * unit - 8, f"{gamma} drafts", bold=True)
    if inside:
        middle, half = left + gamma * c * unit / 2, text_width(inside, 13, True) / 2 + 4
        wash(ax, "q", (middle - half, 108 + _BAR / 2 - 9, 2 * half, 18), zorder=4)
        label(ax, middle, 108 + _BAR / 2, inside, bold=True, color="q", ha="center", va="middle")
    box(ax, "p", (x, 108, v * unit, _BAR), key="pass")
    label(ax, x + v * unit / 2, 108 + _BAR / 2, fit(v * unit - 8, f"one pass: {num(v)} steps",
          "one pass", bold=True), bold=True, color="p", ha="center", va="middle")  # fmt: skip
    _difference(ax, plate, tokens, price, (left, unit))
    words = f"{gamma} × {num(c, 3)} + {num(v)} = {num(price)} steps"
    label(ax, left, plate.pick(168, 166), words, bold=True)
    label(ax, plate.width - left, plate.pick(190, 194), f"speedup = {tokens:.2f} / {price:.2f} = "
          f"{speed:.2f}", bold=True, ha="right", size=plate.pick(16, 15))  # fmt: skip
    load = f" at batch {batch}" if batch > 1 else ""
    verdict = "longer" if speed < 1 else "shorter"
    plate.say(
        caption=f"{percent(alpha, 0)} of the drafts tested are kept, and the round is {verdict} "
        f"than the steps it replaces{load}: the speedup is {speed:.2f}.",
        alt=f"Two bars to one scale, for an acceptance of {num(alpha)} and {gamma} drafts{load}. "
        f"Plain decoding takes {tokens:.3f} steps for {tokens:.3f} tokens. The round takes {gamma} "
        f"drafts of {num(c, 3)} and one pass of {num(v, 3)}, together {price:.3f} steps: a "
        f"speedup of {speed:.3f}.",
    )


def _difference(
    ax: Axes, plate: Plate, tokens: float, price: float, at: tuple[float, float]
) -> None:
    """Frame the time saved, or the time lost, behind the shorter bar."""
    left, unit = at
    gain = tokens - price
    if abs(gain) * unit < 3:
        return
    shape = (left + min(tokens, price) * unit, 108 if gain > 0 else 30, abs(gain) * unit, _BAR)
    wash(ax, "panel" if gain > 0 else "rejected", shape)
    frame(ax, "next", shape)
    word = "saved" if gain > 0 else "lost"
    words = fit(shape[2] - 8, f"time {word}", word, bold=True)
    label(ax, shape[0] + shape[2] / 2, shape[1] + _BAR / 2, words, bold=True, ha="center",
          va="middle", color="ink2" if gain > 0 else "ink")  # fmt: skip
