"""What is paid for more kept drafts: distance from the target, and time in a full machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..marks import label, line, wash
from ..plate import Plate, drawing
from ..words import num, ratio
from .chart import chart

__all__ = ["price_of_bias", "speed_by_batch"]

Points = Sequence[tuple[str, Any, Any]]


@drawing
def price_of_bias(plate: Plate, alpha: Any, groups: Mapping[str, Points]) -> None:
    """Draw how much each rule keeps against how far its law lies from the target.

    Parameters
    ----------
    alpha : float or Fraction
        The overlap of the two laws.
    groups : mapping
        ``exact``, ``lenience`` and ``typical``: points (name, kept, distance).
    """
    start = float(alpha)
    far = max(float(y) for points in groups.values() for _, _, y in points)
    top = max(0.6, np.ceil(far * 10 + 0.5) / 10)
    ax = chart(
        plate,
        plate.pick(300, 290),
        x=(0, 1.02, [(k / 4, num(k / 4)) for k in range(5)], "drafts kept"),
        y=(
            -0.03,
            top,
            [(k / 5, num(k / 5)) for k in range(int(top * 5 + 1e-9) + 1)],
            "distance from the target",
        ),
    )
    wash(ax, "panel", np.array([(start, 0), (1, 0), (1, 1 - start)]), zorder=0.5)
    line(ax, [0, 1.02], [0, 0], "axis", zorder=1.5)
    line(ax, [start, 1], [0, 1 - start], "ink", zorder=2)
    theme = plate.theme
    looks: dict[str, dict[str, Any]] = {
        "exact": {"marker": "o", "markerfacecolor": theme.ink},
        "lenience": {"marker": "o", "markerfacecolor": theme.background},
        "typical": {"marker": "D", "markerfacecolor": theme.hairline},
    }
    for group, points in groups.items():
        line(ax, [float(x) for _, x, _ in points], [float(y) for _, _, y in points], "ink",
             zorder=5, clip_on=False, linestyle="none", markersize=8, markeredgewidth=1.5,
             markeredgecolor=theme.ink, **looks[group])  # fmt: skip
        for name, x, y in points:
            _name(plate, ax, group, name, float(x), float(y))
    label(ax, 0.99, (1 - start) * 0.2, plate.pick("out of reach\nfor every rule", "out of\nreach"),
          color="ink2", ha="right", halo="panel")  # fmt: skip
    said = [
        f"{group}: " + ", ".join(f"{n} keeps {num(x)} at distance {num(y)}" for n, x, y in points)
        for group, points in groups.items()
    ]
    plate.say(
        caption=(
            "beyond the overlap every further percent that is kept costs at least one percent of "
            "distance; lenience, the rings, pays exactly that, and typical acceptance, the "
            "diamonds, never less."
        ),
        alt=(
            f"Rules by how much they keep and how far their law lies from the target. A line of "
            f"slope 1 starts at the overlap {ratio(alpha)} and ends at 1, {ratio(1 - alpha)}; no "
            f"rule lies below it. {'; '.join(said)}."
        ),
    )


def _name(plate: Plate, ax: Any, group: str, name: str, x: float, y: float) -> None:
    """Name one point: exact rules on the ground, lenience right of the line, typical above."""
    dx = plate.pick(0.018, 0.04)
    if group == "exact":
        side, up, ha = {
            "token rule": (-dx, 0.02, "right"),
            "one-hot": (0, 0.065, "center"),
        }.get(name, (dx, 0.02, "left"))
        label(ax, x + side, y + up, plate.pick(name, name.split()[0]), bold=True, ha=ha,
              halo="background")  # fmt: skip
    elif group == "lenience":
        words = plate.pick(f"$\\ell$ = {name}", name)
        label(ax, x + dx, y - 0.012, words, halo="panel")
    else:
        words = plate.pick(f"$\\varepsilon$ = {name}", name)
        label(ax, x, y + 0.025, words, ha="center" if x < 0.97 else "right", halo="background")


LOOKS: tuple[dict[str, Any], ...] = ({"dashes": (2, 2.5)}, {"dashes": (7, 3)}, {}, {"linewidth": 3})


@drawing
def speed_by_batch(
    plate: Plate, batches: Sequence[int], curves: Mapping[str, tuple[int, float, Sequence[float]]]
) -> None:
    """Draw the speed of several drafting shapes against the batch.

    Parameters
    ----------
    batches : sequence of int
    curves : mapping
        From a name to (rows of a pass, tokens a round, speed at each batch).
    """
    x = np.asarray(batches, dtype=float)
    most = max(float(np.max(speeds)) for _, _, speeds in curves.values())
    top = np.ceil(most * 2 + 0.3) / 2
    ticks = [(float(b), str(b)) for b in batches if plate.pick(True, np.log2(b) % 3 == 0)]
    ax = chart(
        plate,
        plate.pick(280, 260),
        x=(x[0], x[-1], ticks, "sequences in the batch"),
        y=(0, top, [(k, num(k)) for k in range(int(top) + 1)], "speed against plain decoding"),
        logarithmic=True,
    )
    wash(ax, "panel", np.array([(x[0], 0), (x[-1], 0), (x[-1], 1), (x[0], 1)]), zorder=0)
    line(ax, [x[0], x[-1]], [1, 1], "axis", zorder=1.5)
    said = []
    for look, (name, (rows, tokens, speeds)) in zip(LOOKS, curves.items(), strict=False):
        y = np.asarray(speeds, dtype=float)
        line(ax, x, y, "ink", zorder=4, **look)
        words = plate.pick(name, name.removeprefix("chain of 4, "))
        label(ax, x[0] * 1.12, y[0] + top * 0.02, words, bold=True, size=12,
              halo="background")  # fmt: skip
        lost = next((int(b) for b, s in zip(batches, y, strict=True) if s < 1), None)
        said.append(
            f"{name}, {rows} rows and {num(tokens)} tokens a pass: {num(y[0])} alone"
            + (f", below 1 from a batch of {lost}" if lost else "")
        )
    label(ax, x[0] * 1.12, 0.42, "slower than plain decoding", color="ink2", halo="panel")
    plate.say(
        caption=(
            "the widest tree starts highest and falls first: its rows fill the machine at a small "
            "batch, while the block rule lifts the chain's curve everywhere at no row more."
        ),
        alt=(
            f"Speed against the batch, on a roofline model of one accelerator: {'; '.join(said)}."
        ),
    )
