"""Block verification against the token rule: over random pairs, and along the overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..marks import dots, label, line, wash
from ..plate import Plate, drawing
from ..words import listed, num
from .chart import chart

__all__ = ["gain_by_overlap", "never_less"]

LOOKS: tuple[dict[str, Any], ...] = ({"dashes": (2, 2.5)}, {"dashes": (7, 3)}, {})


@drawing
def never_less(plate: Plate, token: Sequence[float], block: Sequence[float], gamma: int) -> None:
    """Draw a dot a pair of models: what each of two rules accepts of a block.

    Parameters
    ----------
    token, block : sequence of float
        Expected accepted drafts of one round under either rule.
    gamma : int
        Drafts in a block.
    """
    one, two = np.asarray(token, dtype=float), np.asarray(block, dtype=float)
    top = np.ceil(max(one.max(), two.max()) * 4) / 4
    ticks = [(k / 2, num(k / 2)) for k in range(int(top * 2) + 1)]
    side = plate.pick(330, 276)
    ax = chart(
        plate,
        side,
        x=(0, top, ticks, "token rule: drafts kept"),
        y=(0, top, ticks, "block rule: drafts kept"),
    )
    wash(ax, "panel", np.array([(0, 0), (top, 0), (top, top)]), zorder=0)
    line(ax, [0, top], [0, top], "ink", zorder=2)
    dots(ax, one, two, size=5)
    gap = two - one
    k = int(np.argmax(gap))
    line(ax, [one[k]] * 2, [one[k], two[k]], "leader", zorder=2)
    share = plate.pick(0.86, 0.74)
    label(ax, top * share, top * (share - plate.pick(0.26, 0.3)),
          "no pair lies here:\nblock would keep less", color="ink2", ha="center",
          halo="panel")  # fmt: skip
    label(ax, top * 0.03, top * 0.9, f"{len(one)} random pairs,\nblocks of {gamma}", bold=True,
          halo="background")  # fmt: skip
    plate.say(
        caption=(
            "every dot, a random pair of models, lies above the diagonal: the block rule never "
            "keeps less than the token rule."
        ),
        alt=(
            f"A dot for each of {len(one)} random pairs of models over few tokens: expected "
            f"accepted drafts of a block of {gamma} under the token rule ({num(one.min())} to "
            f"{num(one.max())}) and under block verification ({num(two.min())} to "
            f"{num(two.max())}). {int((gap >= 0).sum())} of {len(one)} lie on or above the "
            f"diagonal; the gain is {num(gap.mean())} on average and at most {num(gap.max())}."
        ),
    )


@drawing
def gain_by_overlap(
    plate: Plate, alphas: Sequence[float], curves: Mapping[int, Sequence[float]]
) -> None:
    """Draw by how much block verification raises the tokens of a pass, against the overlap.

    Parameters
    ----------
    alphas : sequence of float
    curves : mapping
        From a block length to the relative gain at each overlap.
    """
    x = np.asarray(alphas, dtype=float)
    most = max(float(np.max(values)) for values in curves.values())
    top = np.ceil(most * 10) / 10
    ticks = [(k / 10, f"{10 * k} %") for k in range(round(top * 10) + 1)]
    ax = chart(
        plate,
        plate.pick(230, 220),
        x=(0, 1, [(k / 4, num(k / 4)) for k in range(5)], r"overlap $\alpha$"),
        y=(0, top, ticks, "more tokens a pass"),
    )
    said = []
    for look, (gamma, values) in zip(LOOKS, curves.items(), strict=True):
        y = np.asarray(values, dtype=float)
        line(ax, x, y, "ink", zorder=4, clip_on=False, **look)
        k = int(np.argmax(y))
        label(ax, x[k], y[k] + top * 0.03, rf"$\gamma$ = {gamma}", bold=True, ha="center",
              halo="background")  # fmt: skip
        said.append(f"gamma {gamma}: at most {num(100 * y[k], 1)} % at overlap {num(x[k])}")
    plate.say(
        caption=(
            "the gain of the block rule grows with the length of the block and is nothing at "
            "either end, where all drafts pass or none does."
        ),
        alt=(
            "The gain of block verification in tokens a target pass, against the overlap of two "
            f"mirrored laws over two tokens: {listed(said)}; nothing at overlap 0 and at 1."
        ),
    )
