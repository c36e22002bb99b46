"""The figures of the chapter on real decoding; most of them draw recorded measurements."""

from __future__ import annotations

from draftproof import recorded

from ..recipe import Entry, recipe
from . import results
from .acceptance import alpha_by_context, alpha_by_position, alpha_temperature
from .clocks import high_acceptance_slow, two_clocks
from .prices import roofline_here, verification_price
from .ribbon import real_ribbon, ribbon_of
from .rounding import lossless_rounding
from .speeds import batch_crossover, lookup_tasks, predicted_measured
from .stairs import stairs_real
from .tapes import Cut, rounds_tape
from .transcripts import two_transcripts

__all__ = [
    "Cut",
    "alpha_by_context",
    "alpha_by_position",
    "alpha_temperature",
    "batch_crossover",
    "high_acceptance_slow",
    "lookup_tasks",
    "lossless_rounding",
    "predicted_measured",
    "real_ribbon",
    "recipes",
    "results",
    "ribbon_of",
    "roofline_here",
    "rounds_tape",
    "stairs_real",
    "two_clocks",
    "two_transcripts",
    "verification_price",
]


def _entries() -> list[tuple[tuple[str, ...], Entry]]:
    """Return the figures in the order of the page, each with the recordings that it draws."""
    return [
        (("ribbon",), recipe(real_ribbon, results.ribbon)),
        ((), recipe(rounds_tape, lambda: ((Cut(5, 2), Cut(5, 5)),))),
        (("decode",), recipe(stairs_real, results.measured_round)),
        (("decode",), recipe(alpha_by_position, results.by_position)),
        (("decode",), recipe(alpha_by_context, results.by_context)),
        (("decode",), recipe(alpha_temperature, results.by_temperature)),
        (("decode",), recipe(two_clocks, results.clocks)),
        (("decode",), recipe(predicted_measured, results.speeds)),
        (("decode", "smollm2"), recipe(verification_price, results.prices)),
        (("decode",), recipe(roofline_here, results.roof)),
        (("decode",), recipe(batch_crossover, results.batches)),
        ((), recipe(high_acceptance_slow, results.slow, batch=64)),
        (("smollm2",), recipe(lookup_tasks, results.tasks)),
        (("smollm2",), recipe(lossless_rounding, results.rounding)),
        (("ribbon",), recipe(two_transcripts, results.lossless, name="lossless")),
        (("ribbon",), recipe(real_ribbon, results.table_ribbon, name="table-ribbon")),
    ]


def recipes() -> list[Entry]:
    """Return the chapter's figures; one whose recording was never made is left out.

    Returns
    -------
    list of Entry
    """
    return [entry for needs, entry in _entries() if all(map(recorded.exists, needs))]
