"""The gallery's laws as cards for the figures: what each fault emits against what is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from draftproof import examples
from draftproof.finite import Array, as_law, total_variation
from draftproof.lab import samples_needed
from draftproof.lab.broken import GALLERY, LawFault
from draftproof.speculative import acceptance
from draftproof.verifiers import (
    Nodewise,
    lenience,
    one_hot,
    recursive,
    sample_match,
    token,
    top_k,
    typical,
)

__all__ = ["GROUPS", "RULES", "TITLES", "Card", "card_of", "cards", "catches", "rule_cards"]

GROUPS: dict[str, tuple[str, ...]] = {
    "draw": (
        "greedy-draft-softmax-q", "raw-q-warped-draw", "low-precision-draw",
        "drop-unsure-sampled-token", "one-sided-warp", "top-k-with-ties", "vocabulary-mismatch",
        "without-replacement-stale-q",
    ),
    "test": (
        "no-coin", "uniform-stuck-at-zero", "accept-at-equality", "lenience",
        "over-the-largest-p", "greedy-test-of-sampled-text", "retry-against-stale-p",
    ),
    "correction": (
        "resample-from-p", "strike-only-the-rejected", "softmax-of-residual",
        "resample-reuses-draft-noise", "correction-reuses-the-coin",
    ),
    "block": (
        "one-uniform-for-the-block", "go-on-after-a-rejection", "rows-shifted-by-one",
        "first-draft-unverified", "block-with-token-residual", "block-rule-by-token-rule",
    ),
    "loop": (
        "count-past-first-rejection", "rate-counts-the-bonus", "zero-over-zero",
        "eos-inside-the-block", "one-token-too-many", "cache-off-by-one", "unseeded-neighbour",
    ),
}  # fmt: skip
"""Where in the round each fault sits."""

TITLES: dict[str, str] = {
    "greedy-draft-softmax-q": "argmax draft, softmax q",
    "raw-q-warped-draw": "top-k draw, raw q",
    "low-precision-draw": "rounded draw, full q",
    "drop-unsure-sampled-token": "unsure drafts dropped",
    "one-sided-warp": "only the draft warped",
    "top-k-with-ties": "ties in top-k",
    "vocabulary-mismatch": "padding token looked up",
    "without-replacement-stale-q": "second draft, stale q",
    "no-coin": "no coin",
    "uniform-stuck-at-zero": "coin always 0",
    "accept-at-equality": "u ≤ p/q",
    "lenience": "coin doubled",
    "over-the-largest-p": "largest p in place of q",
    "greedy-test-of-sampled-text": "greedy test",
    "retry-against-stale-p": "second draft, stale p",
    "resample-from-p": "redraw from p",
    "strike-only-the-rejected": "q not subtracted",
    "softmax-of-residual": "softmax of residual",
    "resample-reuses-draft-noise": "noise used twice",
    "correction-reuses-the-coin": "coin used twice",
    "one-uniform-for-the-block": "one coin a block",
    "go-on-after-a-rejection": "going on after a no",
    "rows-shifted-by-one": "rows shifted by one",
    "first-draft-unverified": "first draft unseen",
    "block-with-token-residual": "token residual",
    "block-rule-by-token-rule": "products of coins",
    "count-past-first-rejection": "verdicts counted past a no",
    "rate-counts-the-bonus": "bonus in the rate",
    "zero-over-zero": "zero over zero",
    "eos-inside-the-block": "end inside the block",
    "one-token-too-many": "one token too many",
    "cache-off-by-one": "cache off by one",
    "unseeded-neighbour": "a neighbour's noise",
}
"""How the figures call each fault."""


@dataclass(frozen=True, eq=False)
class Card:
    """One law against the law wanted, by its parts where there is one token.

    Attributes
    ----------
    title : str
    wanted, got : ndarray, shape (K,)
    accepted, corrected : ndarray, shape (K,), or None
        The masses accepted as and corrected to each token; their sum is `got`.
    names : tuple of str
    distance : Fraction or float
    draws : int or None
        The n at which the audit catches it; None for an exact rule.
    """

    title: str
    wanted: Array
    got: Array
    accepted: Array | None
    corrected: Array | None
    names: tuple[str, ...]
    distance: Any
    draws: int | None


_LETTERS = "abcdefgh"


def card_of(fault: LawFault) -> Card:
    """Return a fault's law against the one wanted.

    Parameters
    ----------
    fault : LawFault
        The fault.

    Returns
    -------
    Card
    """
    accepted, corrected = _parts(fault)
    names = tuple(_LETTERS[: len(fault.p)])
    if fault.length == 2:
        names = tuple(x + y for x in names for y in names)
    return Card(
        TITLES[fault.name], fault.wanted.reshape(-1), fault.law.reshape(-1),
        accepted, corrected, names, fault.tv, fault.n_to_catch,
    )  # fmt: skip


def _parts(fault: LawFault) -> tuple[Array | None, Array | None]:
    if fault.length > 1:
        return None, None
    if isinstance(fault.wrong, Nodewise):
        return fault.wrong.step(fault.q, fault.p, fault.wrong.branching(1)[0])
    kept = fault.q * acceptance(fault.p, fault.q)  # the fault is in the correction
    return kept, np.asarray(fault.law - kept)


@cache
def cards(group: str) -> tuple[tuple[Card, ...]]:
    """Return the cards of one group of faults, in a tuple of one: a figure's only result.

    Parameters
    ----------
    group : str
        A name of `GROUPS`.

    Returns
    -------
    tuple of tuple of Card
    """
    faults = (GALLERY[name] for name in GROUPS[group])
    return (tuple(card_of(fault) for fault in faults if isinstance(fault, LawFault)),)


@cache
def catches() -> tuple[tuple[tuple[str, tuple[tuple[str, float, int, bool], ...]], ...]]:
    """Return for each place its faults: title, TV, n, and whether a forbidden token gives it away.

    Sorted by n within each place.

    Returns
    -------
    tuple
    """
    rows = []
    for group in ("draw", "test", "correction", "block"):
        found = []
        for name in GROUPS[group]:
            fault: Any = GALLERY[name]
            wanted, got = (np.asarray(x).reshape(-1) for x in (fault.wanted, fault.law))
            stray = bool(((wanted == 0) & (got > 0)).any())
            found.append((TITLES[name], float(fault.tv), int(fault.n_to_catch), stray))
        rows.append((group, tuple(sorted(found, key=lambda row: row[2]))))
    return (tuple(rows),)


RULES: tuple[tuple[str, Nodewise, int], ...] = (
    ("token rule", token, 1),
    ("sample and match", sample_match, 1),
    ("argmax draft, q = 1", one_hot, 1),
    ("top-2 drafts, q = 1", top_k(2), 2),
    ("two drafts in turn", recursive(2), 2),
    ("two different drafts", recursive(2, replacement=False), 2),
    ("lenience 3/4", lenience(Fraction(3, 4)), 1),
    ("typical acceptance", typical(), 1),
)
"""Rules that people take for exact or for biased, with their number of drafts."""


@cache
def rule_cards() -> tuple[tuple[Card, ...]]:
    """Return what these rules emit on cat, dog and fox.

    Returns
    -------
    tuple of tuple of Card

    Raises
    ------
    ValueError
        If a rule refuses the pair.
    """
    pair: Any = examples.CAT_DOG_FOX
    p, q = as_law(pair.p), as_law(pair.q)
    made = []
    for title, rule, width in RULES:
        kept, corrected = rule.step(q, p, width)
        got = kept + corrected
        far = total_variation(got, p)
        draws = None
        if far:
            draws = int(samples_needed(p.astype(np.float64), got.astype(np.float64)))
        made.append(Card(title, p, got, kept, corrected, pair.names, far, draws))
    return (tuple(made),)
