"""The figures of chapter 3: a target and a draft small enough to enumerate."""

from draftproof import examples
from draftproof import toy_curves as curves
from draftproof import toy_runs as runs

from ..recipe import Entry, recipe
from .chance import gap_bands, noise_funnel, pair_squares
from .laws import one_context, token_ribbon, whole_toy
from .overlaps import alpha_and_tokens, sticky_curve, temperature_curves
from .roof import roofline
from .speed import batch_curve, best_lengths, stairs, three_meters

__all__ = [
    "alpha_and_tokens",
    "batch_curve",
    "best_lengths",
    "gap_bands",
    "noise_funnel",
    "one_context",
    "pair_squares",
    "recipes",
    "roofline",
    "stairs",
    "sticky_curve",
    "temperature_curves",
    "three_meters",
    "token_ribbon",
    "whole_toy",
]


def recipes() -> list[Entry]:
    """Return the chapter's figures in the order of the page.

    Returns
    -------
    list[Entry]
    """
    names = examples.toy()[0].vocabulary
    return [
        recipe(token_ribbon, lambda: (runs.ribbon_run(), names)),
        recipe(whole_toy, lambda: (runs.context_rows(),)),
        recipe(one_context, lambda: (runs.row_at(runs.CONTEXT), curves.summary())),
        recipe(gap_bands, lambda: (*runs.gap_results(), names)),
        recipe(noise_funnel, runs.noise_walk),
        recipe(pair_squares, lambda: (*runs.pair_results(), names), level=runs.PAIR_LEVEL),
        recipe(alpha_and_tokens, lambda: (curves.weight_runs(),)),
        recipe(sticky_curve, curves.sticky),
        recipe(stairs, lambda: (0.7, 4, 0.1)),
        recipe(stairs, curves.loaded_round, name="stairs-under-load", batch=curves.BATCH),
        recipe(three_meters, lambda: (0.8,)),
        recipe(best_lengths, lambda: (curves.length_curves(),)),
        recipe(roofline, lambda: (curves.roof_spots(),)),
        recipe(batch_curve, curves.batch_speeds),
        recipe(
            one_context,
            lambda: (runs.row_at(runs.CONTEXT, temperature=0.5), None, runs.row_at(runs.CONTEXT)),
            name="one-context-cool",
            temperature=0.5,
        ),
        recipe(temperature_curves, lambda: (curves.TEMPERATURES, curves.temperature_curves())),
    ]
