"""The machine's roof: how much of its arithmetic a pass can use."""

from __future__ import annotations

import numpy as np

from draftproof.toy_curves import Roof

from ..marks import dots, label, line, wash
from ..plate import Plate, drawing
from ..words import listed

__all__ = ["roofline"]


@drawing
def roofline(plate: Plate, roof: Roof) -> None:
    """Draw the share of the arithmetic in use against the operations a byte of some passes.

    Parameters
    ----------
    roof : Roof
        The ridge and the spots of some passes.
    """
    left, right, top, low = plate.pick(48, 42), plate.pick(16, 10), 30, 46
    height = plate.pick(320, 310)
    page = plate.pixels(height)
    floor, end = 5e-4, 4e3
    ax = plate.axes_at(left, top, plate.width - left - right, height - top - low,
                       xlim=(0.5, end), ylim=(floor, 2.4), xscale="log", yscale="log")  # fmt: skip
    ax.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1\u202f000"])
    ax.set_yticks([0.001, 0.01, 0.1, 1], [f"{x}\u00a0%" for x in ("0.1", "1", "10", "100")])
    ax.minorticks_off()
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y")
    wash(ax, "panel", (roof.ridge, floor, end - roof.ridge, 1 - floor))
    line(ax, [0.5, roof.ridge, end], [0.5 / roof.ridge, 1, 1], "ink")
    line(ax, [roof.ridge] * 2, [floor, 1], "leader", zorder=1)
    words = plate.pick(f"ridge: {roof.ridge:.0f} operations a byte", f"ridge: {roof.ridge:.0f}")
    label(ax, roof.ridge * 0.9, floor * 1.35, words, ha="right", color="ink2", halo="background")
    label(ax, roof.ridge * 1.15, 0.02, plate.pick("rows cost time", "rows cost\ntime"),
          color="ink2", bold=True, halo="panel")  # fmt: skip
    label(ax, 0.62, plate.pick(0.16, 0.2), "rows are free", color="ink2", bold=True)
    for role, rates in (("p", roof.one), ("q", roof.many)):
        share = np.minimum(1, np.array(rates) / roof.ridge)
        dots(ax, rates, share, role, size=9, zorder=5)
        for batch, x, y in zip(roof.batches, rates, share, strict=True):
            if role == "q":
                label(ax, x / 1.12, y * 1.55, str(batch), color="q", bold=True, va="middle",
                      ha="right")  # fmt: skip
                continue
            # Below the line and to its right, clear of the ridge.
            beside = roof.ridge * 1.12 if x > 0.6 * roof.ridge else x * 1.12
            label(ax, beside, y * 0.42, str(batch), color="p", bold=True, va="middle")
    label(page, 6, 16, plate.pick("share of the machine's arithmetic in use",
                                  "arithmetic in use"), bold=True)  # fmt: skip
    label(page, plate.width - right, height - 8, "operations a byte", bold=True, ha="right")
    label(ax, 2.6, plate.pick(1.7e-3, 1.9e-3), plate.pick("below the line: 1 position, by batch",
          "1 position, by batch"), color="p", bold=True)  # fmt: skip
    label(page, plate.width - right, 16, plate.pick(f"above it: {roof.rows} positions, by batch",
          f"{roof.rows} positions"), color="q", bold=True, ha="right")  # fmt: skip
    plate.say(
        caption="left of the ridge a pass waits for memory, and further positions cost no time; "
        "right of it the arithmetic is used up and every position costs.",
        alt=f"Share of the arithmetic in use against operations a byte, both on log scales, for a "
        f"{roof.machine}: it rises in proportion up to the ridge at {roof.ridge:.0f} and is level "
        f"from there. At batches {listed([str(b) for b in roof.batches])} a pass has "
        f"{listed([f'{x:.0f}' for x in roof.one])} operations a byte with one position a sequence "
        f"and {listed([f'{x:.0f}' for x in roof.many])} with {roof.rows}.",
    )
