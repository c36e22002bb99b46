"""Exercises that can be failed: ``check.<name>(your_function)`` says missing, keep going or right.

``python -m draftproof.lab.check`` lists them; with ``--student DIR`` it writes the chapters
without their solutions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from draftproof.lab.check.blocks import (
    block_weights,
    greedy_verify,
    rollback,
    verify_block_count,
)
from draftproof.lab.check.costs import (
    expected_accepted,
    expected_tokens,
    mean_overlap,
    speedup,
    warp_both,
)
from draftproof.lab.check.draws import (
    accepts,
    classical_sample,
    empirical_tv,
    inverse_cdf,
    speculative_sample,
)
from draftproof.lab.check.laws import (
    acceptance,
    accepted_law,
    classical_constant,
    match_probability,
    output_law,
    overlap,
    redraw_law,
    residual,
    total_variation,
)
from draftproof.lab.check.verdict import Counterexample, Verdict

_ALL: tuple[Callable[[Any], Verdict], ...] = (
    inverse_cdf, classical_constant, classical_sample,
    overlap, total_variation, acceptance, accepts, residual, output_law, accepted_law,
    speculative_sample, redraw_law, match_probability, empirical_tv,
    verify_block_count, greedy_verify, block_weights, rollback,
    expected_accepted, expected_tokens, speedup, warp_both, mean_overlap,
)  # fmt: skip

EXERCISES: dict[str, Callable[[Any], Verdict]] = {check.__name__: check for check in _ALL}
"""Every check by the name of its exercise, in the order of the book."""

__all__ = ["EXERCISES", "Counterexample", "Verdict", *EXERCISES]
