"""Draftproof: visual proofs from rejection sampling to speculative decoding.

The names most readers need are here; the modules hold the rest. p is the target, q the draft.
"""

from draftproof.finite import overlap, total_variation
from draftproof.speculative import (
    acceptance,
    greedy_verify,
    residual,
    speculative_sample,
    verify_block,
)
from draftproof.trace import Counters, Trace

__all__ = [
    "Counters",
    "Trace",
    "acceptance",
    "greedy_verify",
    "overlap",
    "residual",
    "speculative_sample",
    "total_variation",
    "verify_block",
]
__version__ = "0.1.0"
