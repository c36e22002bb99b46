"""The figures of chapter 1: targets, envelopes, darts and survivors."""

from __future__ import annotations

from draftproof import envelope_runs as runs
from draftproof import examples

from ..recipe import Entry, recipe
from .boards import envelopes, target
from .curves import bias_curve, dimensions, proposal_width
from .histograms import survivors, uniform_draws
from .proposals import broken_constant, own_proposal, tight_constants
from .slices import dart_slice

__all__ = [
    "bias_curve",
    "broken_constant",
    "dart_slice",
    "dimensions",
    "envelopes",
    "own_proposal",
    "proposal_width",
    "recipes",
    "survivors",
    "target",
    "tight_constants",
    "uniform_draws",
]


def recipes() -> list[Entry]:
    """Return the chapter's figures with the results the book shows them with.

    Returns
    -------
    list[Entry]
    """
    flat, bell = examples.flat_envelope, examples.bell_envelope
    return [
        recipe(target, lambda: examples.TARGET),
        recipe(envelopes, lambda: (flat(), bell())),
        recipe(dart_slice, lambda: (bell(), flat(), runs.dart_board(bell())), x=1.1),
        recipe(survivors, lambda: (examples.TARGET, *examples.dart_runs())),
        recipe(uniform_draws, runs.uniform_runs),
        recipe(
            tight_constants,
            lambda: (runs.tight_envelope(runs.FLAT), runs.tight_envelope(runs.BELL)),
        ),
        recipe(broken_constant, lambda: runs.broken_run(runs.FLAT, 15.0)),
        recipe(bias_curve, runs.bias_curve),
        recipe(proposal_width, runs.width_curve),
        recipe(
            own_proposal,
            lambda: (runs.own_envelope(1.2, weight=0.5), runs.own_parts(1.2, weight=0.5)),
        ),
        recipe(dimensions, runs.dimension_runs, scale=1.01, dimension=1000),
    ]
