"""Couplings as bands: from what is drafted, above, to what must come out, below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..marks import frame, label, mass
from ..plate import Plate, drawing
from ..words import fit, listed, names_for, num

__all__ = ["flows"]

Sources = Sequence[tuple[tuple[int, ...], Any]]


@drawing
def flows(
    plate: Plate,
    sources: Sources,
    p: Any,
    moves: Mapping[tuple[int, int], Any],
    *,
    names: Sequence[str] | None = None,
) -> None:
    """Draw how drafted mass is carried to the tokens that come out.

    Parameters
    ----------
    sources : sequence of (tokens, mass)
        What may be drafted for one place: single tokens, or sets of them.
    p : array_like, shape (V,)
        The target.
    moves : mapping
        From (number of the source, token) to the mass carried.
    names : sequence of str, optional
    """
    target = np.asarray(p, dtype=float)
    named = names_for(names, len(target))
    x, wide = plate.pick((84, 636), (12, 312))
    bar, top, fall = 30, plate.pick(34, 52), plate.pick(150, 150)
    low = top + bar + fall
    ax = plate.pixels(low + bar + plate.pick(34, 46))
    plate.unit = wide * fall
    out, into = _starts([float(m) for _, m in sources]), _starts(target)
    kept: dict[int, float] = {}
    lost = 0.0
    many = any(len(tokens) > 1 for tokens, _ in sources)
    for (row, y), moved in sorted(moves.items()):
        share = float(moved)
        inside = y in sources[row][0]
        role = "accepted" if inside else "residual"
        key = f"{'kept' if inside else 'corrected'}/{_word(named, sources[row][0])}>{named[y]}"
        points = _band(x, wide, (out[row], into[y], share), (top + bar, low))
        mass(ax, role, points, key=key, zorder=2 if inside else 1.5)
        # Words of a moved band stand near its end, where no other band crosses it; so do those
        # of sets, with the set's name, since a band's other end is far away.
        t = 0.5 if inside and not many else 0.88
        lean = abs(into[y] - out[row]) * wide * 6 * t * (1 - t) / fall * 15
        bend = out[row] + (into[y] - out[row]) * t * t * (3 - 2 * t)
        word = _word(named, sources[row][0])
        verb = word if many else "kept" if inside else "moved"
        words = fit(share * wide - 6 - lean, f"{verb} · {num(share)}" if many else
                    f"{verb} {num(share)}", word if many else num(share), bold=True)  # fmt: skip
        if words:
            label(ax, x + (bend + share / 2) * wide, top + bar + t * fall, words, bold=True,
                  ha="center", va="middle", halo=role)  # fmt: skip
        out[row] += share
        into[y] += share
        if inside:
            kept[y] = kept.get(y, 0.0) + share
        else:
            lost += share
    at = 0.0
    for tokens, share in sources:
        box = (x + at * wide, top, float(share) * wide, bar)
        frame(ax, "q", box)
        word = _word(named, tokens)
        said = fit(box[2] - 6, f"{word} · {num(share)}", word, bold=True)
        label(ax, box[0] + box[2] / 2, top + bar / 2, said, color="q", bold=True, ha="center",
              va="middle")  # fmt: skip
        at += float(share)
    at = 0.0
    for name, share in zip(named, target, strict=True):
        box = (x + at * wide, low, share * wide, bar)
        frame(ax, "p", box)
        said = fit(box[2] - 6, f"{name} · {num(share)}", name, bold=True)
        label(ax, box[0] + box[2] / 2, low + bar / 2, said, color="p", bold=True, ha="center",
              va="middle")  # fmt: skip
        at += share
    total = sum(kept.values())
    if plate.phone:
        words = "drafted sets" if many else "drafted, $q$"
        label(ax, x, 18, words, color="q", bold=True)
        label(ax, x + wide, 18, f"kept {num(total)}", color="accepted", bold=True, ha="right")
        label(ax, x, low + bar + 22, "must come out, $p$", color="p", bold=True)
    else:
        label(ax, 12, top + bar / 2, "drafted", color="q", bold=True, va="middle")
        label(ax, 12, low + bar / 2, "comes out", color="p", bold=True, va="middle")
        label(ax, x + wide, 18, f"kept {num(total)}, moved {num(lost)}", color="accepted",
              bold=True, ha="right")  # fmt: skip
    carried = [
        f"{_word(named, sources[row][0])} to {named[y]} {num(m)}"
        for (row, y), m in sorted(moves.items())
    ]
    plate.say(
        caption=(
            "a plain band, named by its set at the foot, ends at a token of that set; the bands "
            "leave no set and reach no token with more than its width, and these plain ones are "
            "as wide as can be."
            if many
            else "a plain band from a token to itself fits into both its ends, so it is never "
            "wider than the narrower of the two."
        ),
        alt=(
            "Above, what is drafted, as a row of widths; below, what must come out; bands carry "
            f"the one to the other: {listed(carried)}. Plain bands end inside what was drafted: "
            f"{num(total)} in all. Dotted ones end elsewhere: {num(lost)}."
        ),
    )


def _word(names: Sequence[str], tokens: Sequence[int]) -> str:
    return "".join(names[x] for x in tokens)


def _starts(shares: Sequence[float] | np.ndarray) -> list[float]:
    return [float(v) for v in np.concatenate([[0.0], np.cumsum(shares)[:-1]])]


def _band(
    x: float, wide: float, place: tuple[float, float, float], levels: tuple[float, float]
) -> np.ndarray:
    """Return the outline of a band that is equally wide at every level."""
    begin, end, share = place
    t = np.linspace(0, 1, 33)
    left = x + (begin + (end - begin) * t * t * (3 - 2 * t)) * wide
    y = levels[0] + (levels[1] - levels[0]) * t
    right = left + share * wide
    return np.column_stack([np.concatenate([left, right[::-1]]), np.concatenate([y, y[::-1]])])
