"""Rounds of a run as cells: what was drafted, what was emitted, and the two counters."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from draftproof.trace import Counters, Trace

from ..marks import arrow, frame, label, line, mass, wash
from ..plate import Plate, drawing
from ..words import names_for

__all__ = ["two_counters"]

FATES = {"accepted": "accepted", "corrected": "residual", "bonus": "bonus"}


@drawing
def two_counters(
    plate: Plate,
    rounds: Sequence[Trace],
    *,
    names: Sequence[str] | None = None,
    setting: str = "",
) -> None:
    """Draw rounds of a run: the drafts up to the first rejection, what came out, and the counts.

    Parameters
    ----------
    rounds : sequence of draftproof.trace.Trace
        At most six rounds of at most six drafts each.
    names : sequence of str, optional
        The tokens' names.
    setting : str, optional
        Said in brackets at the end of the caption, such as how the seed was chosen.
    """
    named = names_for(names, rounds[0].p.shape[-1])
    gamma = max(r.drafted for r in rounds)
    pitch = plate.pick(min(60.0, 290 / (gamma + 1)), min(62.0, 308 / (gamma + 1)))
    step = plate.pick(58.0, 112.0)
    top = plate.pick(44.0, 20.0)
    total = Counters.total(r.counters for r in rounds)
    foot = top + len(rounds) * step + plate.pick(14, 0)
    ax = plate.pixels(foot + plate.pick(104, 124))
    if not plate.phone:
        label(ax, 86, 24, "drafted and tested", bold=True)
        label(ax, 86 + gamma * pitch + 46, 24, "emitted", bold=True)
    for n, one in enumerate(rounds):
        y = top + n * step
        _one_round(plate, ax, one, n, (y, pitch, gamma), named)
    _totals(plate, ax, total, foot)
    said = [
        f"round {n + 1} drafts {', '.join(named[t] for t in one.draft_tokens)}, accepts "
        f"{one.num_accepted}, then {'bonus' if one.is_bonus else 'correction'} "
        f"{named[one.next_token]}"
        for n, one in enumerate(rounds)
    ]
    plate.say(
        caption=(
            "each round stops at its first hatched cell and everything right of it is void; the "
            "round emits its plain cells and one more, so the two counters differ by one a round"
            + (f" ({setting})." if setting else ".")
        ),
        alt=(
            f"{len(rounds)} rounds as rows of cells: {'; '.join(said)}. In all {total.drafted} "
            f"drafted, {total.tested} tested, {total.accepted} accepted, {total.corrections} "
            f"corrections and {total.bonus} bonus tokens, so {total.emitted} emitted in "
            f"{total.target_calls} target calls: emitted is accepted plus one a round."
        ),
    )


def _one_round(
    plate: Plate,
    ax: Axes,
    one: Trace,
    n: int,
    place: tuple[float, float, int],
    names: Sequence[str],
) -> None:
    """Draw one round: its drafts with their verdicts, and the tokens that left it."""
    y, pitch, gamma = place
    high, side = 34.0, pitch - 5
    left = plate.pick(86.0, 14.0)
    words = f"round {n + 1}"
    if plate.phone:
        label(ax, 14, y + 2, words, bold=True)
        counts = f"accepted {one.num_accepted}, emitted {len(one.tokens)}"
        label(ax, plate.width - 14, y + 2, counts, color="ink2", size=12, ha="right")
        y += 10
    else:
        label(ax, 20, y + high / 2, words, bold=True, va="middle")
    for t, token in enumerate(one.draft_tokens):
        box = (left + t * pitch, y, side, high)
        _draft_cell(ax, box, names[token], "void" if t >= one.tested else
                    "accepted" if t < one.num_accepted else "rejected")  # fmt: skip
    fates = ["accepted"] * one.num_accepted + ["bonus" if one.is_bonus else "corrected"]
    start = (plate.pick(left + gamma * pitch + 46, left), plate.pick(y, y + high + 14))
    if not plate.phone:
        x = left + gamma * pitch + 6
        arrow(ax, [(x, y + high / 2), (x + 28, y + high / 2)])
        counts = f"{one.num_accepted} accepted\n{len(one.tokens)} emitted"
        x = start[0] + (gamma + 1) * pitch + 8
        label(ax, x, y + high / 2, counts, color="ink2", size=12, va="middle")
    else:
        x = left + one.num_accepted * pitch + side / 2
        arrow(ax, [(x, y + high + 2), (x, y + high + 13)], head=8)
    for t, (token, fate) in enumerate(zip(one.tokens, fates, strict=True)):
        box = (start[0] + t * pitch, start[1], side, high)
        mass(ax, FATES[fate], box)
        _name(ax, box, names[token], FATES[fate])


def _draft_cell(ax: Axes, box: tuple[float, float, float, float], name: str, fate: str) -> None:
    """Draw a drafted token with the verdict it got, or as void after a rejection."""
    x, y, wide, high = box
    if fate == "void":
        wash(ax, "panel", box)
        frame(ax, "next", box)
        label(ax, x + wide / 2, y + high / 2, name, color="ink2", ha="center", va="middle")
        line(ax, [x + 8, x + wide - 8], [y + high / 2] * 2, "leader", zorder=9)
        return
    mass(ax, fate, box, left=fate == "rejected")
    _name(ax, box, f"✗ {name}" if fate == "rejected" else name, fate)


def _name(ax: Axes, box: tuple[float, float, float, float], name: str, halo: str) -> None:
    where = box[0] + box[2] / 2, box[1] + box[3] / 2
    label(ax, *where, name, bold=True, ha="center", va="middle", halo=halo)


def _totals(plate: Plate, ax: Axes, total: Counters, y: float) -> None:
    """Draw the two counters as rows of equal cells: accepted drafts, and emitted tokens."""
    x0, room = plate.pick((232.0, 400.0), (14.0, 308.0))
    side = min(22.0, room / max(total.emitted, 1) - 3)
    line(ax, [14, plate.width - 14], [y, y], "hair")
    rows = (
        ("accepted drafts", total.accepted, ("accepted",) * total.accepted),
        ("emitted tokens", total.emitted, ("accepted",) * total.accepted
         + ("residual",) * total.corrections + ("bonus",) * total.bonus),
    )  # fmt: skip
    for row, (name, count, fates) in enumerate(rows):
        level = y + 18 + row * plate.pick(38, 54) + plate.pick(0, 16)
        where = (14, level - 7) if plate.phone else (20, level + side / 2)
        words = f"{name}: {count}"
        label(ax, *where, words, bold=True, size=14, va=plate.pick("middle", "base"))
        for k, fate in enumerate(fates):
            mass(ax, fate, (x0 + k * (side + 3), level, side, side), key=f"{name} {fate}")
    plate.unit = side * side
