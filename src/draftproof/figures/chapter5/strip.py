"""From which n on each fault shows; and what a hole in a cache does, which no n shows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..marks import crosses, dots, ghost, label, line, mass
from ..plate import Plate, drawing
from ..words import count, num
from .noise import power_axis

__all__ = ["cache_hole", "catch_strip"]

Row = tuple[str, float, int, bool]


@drawing
def catch_strip(plate: Plate, groups: Sequence[tuple[str, Sequence[Row]]]) -> None:
    """Draw the draws that catch each fault with 99 % power, on a logarithmic axis.

    Parameters
    ----------
    groups : sequence of (place, rows)
        From ``gallery.catches``; a row is title, TV, n, and whether a forbidden token shows it.
    """
    step, head, top = 21, 30, 34
    rows = sum(len(found) for _, found in groups)
    tall = rows * step + len(groups) * head
    full = plate.pixels(top + tall + 32)
    left, wide = plate.pick(276, 158), plate.pick(440, 120)
    ax = plate.axes_at(left, top, wide, tall, xlim=(4, 6e4), ylim=(tall, 0), xscale="log")
    ax.spines["left"].set_visible(False)
    ax.set_yticks([])
    power_axis(ax, 1, 4)
    for k in range(1, 5):
        line(ax, [10**k] * 2, [0, tall], "hair", zorder=0.5)
    tv_at = plate.pick(258, 0)
    if not plate.phone:
        label(full, tv_at, 20, "TV", bold=True, ha="right")
    right = plate.pick(left + wide, plate.width - 6)
    label(full, right, 20, "draws $n$ that catch it", bold=True, ha="right")
    y, said = 0.0, []
    for place, found in groups:
        y += head
        label(full, plate.pick(8, 6), top + y - 9, f"the {place}", bold=True, color="ink2")
        line(full, [plate.pick(8, 6), right], [top + y - 2] * 2, "hair")
        for title, far, n, stray in found:
            middle = y + step / 2
            label(full, plate.pick(20, 6), top + middle, title, va="middle",
                  size=plate.pick(13, 12))  # fmt: skip
            if not plate.phone:
                label(full, tv_at, top + middle, f"{far:.4f}", va="middle",
                      ha="right", color="ink2")  # fmt: skip
            (crosses if stray else dots)(ax, [n], [middle], "ink", size=9)
            if plate.phone:
                label(full, right, top + middle, count(n), va="middle", bold=True, ha="right",
                      size=12)  # fmt: skip
            else:
                label(ax, n * 1.25, middle, count(n), va="middle", bold=True,
                      halo="background")  # fmt: skip
            said.append(f"{title} (TV {num(far, 4)}) {count(n)}")
            y += step
    plate.say(
        caption="on this logarithmic axis the faults spread over more than three powers of ten; "
        "crosses mark faults that emit a forbidden token, which one single draw gives away.",
        alt=f"Draws with which the audit at 1 % catches each fault 99 times in 100: "
        f"{'; '.join(said)}.",
    )


@drawing
def cache_hole(plate: Plate, means: Sequence[Fraction], gamma: int) -> None:
    """Draw the expected accepted drafts of each round when the drafter's cache has a hole.

    Parameters
    ----------
    means : sequence of Fraction
    gamma : int
    """
    tall, top = plate.pick(150, 130), 40
    start = plate.pick(44, 34)
    slot = (plate.width - start - 12) / len(means)
    bar = slot * 0.72
    ax = plate.pixels(top + tall + 52)
    base = top + tall
    plate.unit = bar * tall / gamma
    for level in range(gamma + 1):
        y = base - level * tall / gamma
        line(ax, [start, plate.width - 12], [y, y], "axis" if level == 0 else "hair",
             zorder=5 if level == 0 else 0.5)  # fmt: skip
        label(ax, start - 10, y, str(level), va="middle", ha="right", size=12, color="ink2")
    for k, mean in enumerate(means):
        x, high = start + slot * k + (slot - bar) / 2, float(mean) * tall / gamma
        mass(ax, "accepted", (x, base - high, bar, high), key=f"round {k + 1}")
        if mean < gamma:
            ghost(ax, "accepted", (x, base - tall, bar, tall - high))
        label(ax, x + bar / 2, base + 18, str(k + 1), ha="center", size=12)
        words = f"{float(mean):.{plate.pick(2, 1)}f}"
        label(ax, x + bar / 2, base - high + 18, words, ha="center", bold=True, size=12)
    label(ax, plate.pick(8, 6), 20, "accepted drafts a round", bold=True)
    label(ax, plate.width - 12, base + 40, "round", bold=True, ha="right")
    plate.say(
        caption="draft and target are the same model, so that every bar should reach the dashed "
        f"frame's top at {gamma}; with the hole in the cache the solid part shrinks round by "
        "round.",
        alt=f"Expected accepted drafts of {gamma} in rounds 1 to {len(means)}, with one entry "
        "missing from the drafter's cache after each fully accepted block: "
        f"{', '.join(num(float(mean), 3) for mean in means)}. Without the hole every round "
        f"accepts {gamma}.",
    )
