"""The accepted tokens alone: they follow another law than the target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..marks import arrow, label, line, mass
from ..plate import Plate, drawing
from ..words import listed, names_for, num, ratio
from .split import Bars, Split, p_outline

__all__ = ["accepted_alone"]


@drawing
def accepted_alone(
    plate: Plate, p: Any, q: Any, law_of_accepted: Any, *, names: Sequence[str] | None = None
) -> None:
    """Draw the accepted mass, then that mass stretched to a law: it is not the target.

    Parameters
    ----------
    p, q : array_like, shape (V,)
        Target and draft law, V at most 8.
    law_of_accepted : array_like, shape (V,)
        What ``draftproof.speculative.accepted_law`` returns.
    names : sequence of str, optional
        The tokens' names.
    """
    split = Split.of(p, q, names)
    alone = np.asarray(law_of_accepted, dtype=float)
    exact = [ratio(a) for a in law_of_accepted]
    named = names_for(names, split.size)
    distance = float(np.abs(alone - split.p).sum() / 2)
    panel, far = plate.pick((300, 412), (304, 28))
    start = plate.pick(40, 28)
    slot = panel / split.size
    wide = slot * plate.pick(0.62, 0.58)
    tall = plate.pick(210, 150) / max(alone.max(), split.p.max())
    first = plate.pick(286, 208)
    second = plate.pick(286, 470)
    left = [tuple(x + slot * k for k in range(split.size)) for x in (start, far)]
    bars = [Bars(left[0], wide, tall, first), Bars(left[1], wide, tall, second)]
    plate.unit = wide * tall
    ax = plate.pixels(second + plate.pick(52, 52))
    heads = (
        f"accepted mass: {num(split.alpha)} in all",
        f"divided by {num(split.alpha)}: a law, but not $p$",
    )
    for row, (b, head) in enumerate(zip(bars, heads, strict=True)):
        label(ax, b.left[0], b.base - plate.pick(246, 182), head, bold=True, size=14)
        heights = (split.kept, alone)[row]
        for k, name in enumerate(named):
            role = "accepted"
            mass(ax, role, b.box(k, 0, heights[k]), key=f"{('mass', 'law')[row]}/{name}")
            p_outline(ax, b, k, split.p[k])
            label(ax, b.middle(k), b.base + 20, name, bold=True, ha="center")
            words = (num(split.kept[k]), exact[k])[row]
            label(ax, b.middle(k), b.base + 38, words, ha="center", color="accepted")
            if row == 1:
                _difference(ax, b, k, float(alone[k]), float(split.p[k]))
        line(ax, [b.left[0] - 8, b.left[-1] + wide + 8], [b.base] * 2)
        x = b.left[0] - 7 if plate.phone else b.left[0] - 8
        label(ax, x, b.y(split.p[0]), "$p$", color="p", ha="right", va="middle", size=15)
    words = f"distance {num(distance, 3)} from $p$"
    x, y = bars[1].left[-1] + wide, second - plate.pick(214, 152)
    label(ax, x, y, words, bold=True, size=14, ha="right")
    if not plate.phone:
        y = first - 110
        arrow(ax, [(start + panel + 6, y), (far - 34, y)])
    plate.say(
        caption=(
            "stretched to a law, the plain bars miss the solid outline of the target: accepted "
            f"tokens alone follow ({', '.join(exact)}), at distance {num(distance, 3)} from p."
        ),
        alt=(
            f"Left, the accepted mass min(p, q) under the outline of p ({split.said()}): "
            f"{split.pieces(split.kept)}, in all {num(split.alpha)}. Right, the same divided by "
            f"{num(split.alpha)}: {listed([f'{n} {e}' for n, e in zip(named, exact, strict=True)])}"
            f", which differs from p by a total variation of {num(distance, 3)}: without the "
            "correction the rule follows another law."
        ),
    )


def _difference(ax: Axes, bars: Bars, k: int, got: float, wanted: float) -> None:
    """Write over a bar by how much it misses the target."""
    if abs(got - wanted) < 5e-4:
        return
    text = ("+" if got > wanted else "") + num(got - wanted)
    level = bars.y(max(got, wanted)) - 8
    label(ax, bars.middle(k), level, text, bold=True, size=12, ha="center")
