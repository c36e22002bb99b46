"""A gallery of faults: small changes of right rules, most of them found in public systems.

``GALLERY[name]`` is a `LawFault`, which changes the law of the emitted tokens, or a `ValueFault`,
which shows in a counter, a text or a cache. `FALSE_ALARMS` are rules that were reported as broken
and are exact.
"""

from __future__ import annotations

from dataclasses import dataclass

from draftproof.lab import broken_blocks, broken_drafts, broken_loops, broken_noise, broken_verdicts
from draftproof.lab.broken_fault import Fault, LawFault, ValueFault
from draftproof.verifiers import Verifier, one_hot, sample_match, top_k

__all__ = ["FALSE_ALARMS", "GALLERY", "FalseAlarm", "Fault", "LawFault", "ValueFault"]

GALLERY: dict[str, Fault] = {
    fault.name: fault
    for module in (broken_verdicts, broken_drafts, broken_blocks, broken_noise, broken_loops)
    for fault in module.FAULTS
}
"""Every fault by its name."""


@dataclass(frozen=True)
class FalseAlarm:
    """A rule that was reported as biased and is exact.

    Attributes
    ----------
    name : str
    what : str
        Why it looks wrong, and why it is not.
    reports : tuple of str
    rule : Verifier
    """

    name: str
    what: str
    reports: tuple[str, ...]
    rule: Verifier


FALSE_ALARMS: dict[str, FalseAlarm] = {
    alarm.name: alarm
    for alarm in (
        FalseAlarm(
            "sample-match",
            "Accepting a draft only if it equals the target's own sample looks biased towards "
            "tokens both like; but the target's sample is emitted either way.",
            ("ml-explore/mlx-swift-lm#459", "lablup/mlxcel#902"),
            sample_match,
        ),
        FalseAlarm(
            "one-hot-draft",
            "An argmax draft tested with q = 1 looks like a wrong q; but 1 is the probability it "
            "was drawn with.",
            ("z-lab/dflash#74",),
            one_hot,
        ),
        FalseAlarm(
            "top-k-tree",
            "Testing the k best tokens in turn with q = 1, striking each that fails, looks as if "
            "q were ignored; but nothing about the drafts is random.",
            ("SafeAILab/EAGLE#183", "SafeAILab/EAGLE#221", "SafeAILab/EAGLE#329"),
            top_k(2),
        ),
    )
}
"""Exact rules that were taken for faults."""
