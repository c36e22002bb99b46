"""What chapter 5's figures show: runs with fixed seeds, laws by enumeration, stored calibrations.

The streams and samples that are drawn were not picked: each is the first its seed gives.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from draftproof import examples
from draftproof.finite import Array, check_number, total_variation
from draftproof.lab import SequentialReport, audit_sequential, samples_needed
from draftproof.lab.broken import GALLERY, LawFault
from draftproof.lab.broken_fault import run_once
from draftproof.lab.broken_loops import acceptance_by_round
from draftproof.noise import noise_band, tv_distance
from draftproof.speculative import acceptance, residual
from draftproof.verifiers import (
    Nodewise,
    Verifier,
    lenience,
    one_hot,
    recursive,
    sample_match,
    token,
    top_k,
    typical,
)
from draftproof.verifiers.drafts import from_law
from draftproof.warp import temper
from draftproof.warp import top_k as keep_top

__all__ = [
    "BIAS", "CALIBRATION", "GROUPS", "OPENING_DRAWS", "SIZES", "TITLES", "WAYS", "Card", "Grid",
    "Noise", "bets", "cache_hole", "calibration", "card_of", "cards", "catches", "grid", "kind_coin",
    "kind_law", "noise", "opening", "rule_cards", "told_one_hot",
]  # fmt: skip

PAIR: Any = examples.CAT_DOG_FOX
BIAS = Fraction(1, 100)
OPENING_DRAWS = 1000
SIZES = np.unique(np.geomspace(100, 1e6, 49).round().astype(np.int64))
"""Numbers of draws of the noise band; every third one carries a mark of each stream."""
SEED = 1
CALIBRATION = Path(__file__).resolve().parents[4] / "benchmarks" / "results" / "faults.json"
"""Written by ``python -m benchmarks.faults``."""


def _exactly(law: Sequence[Fraction]) -> Array:
    out = np.empty(len(law), dtype=object)
    out[:] = law
    return out


P, Q = _exactly(PAIR.p), _exactly(PAIR.q)


def kind_coin(bias: Fraction | float = BIAS) -> Nodewise:
    """Return the token rule whose coin is a little too kind to the first token.

    On the laws of cat, dog and fox it keeps a cat with probability (0.3 + bias) / 0.6 in place of
    1/2, and its law is off by exactly `bias`.

    Raises
    ------
    ValueError
        If `bias` does not lie in [0, 0.3].
    """
    extra = Fraction(check_number(bias, "bias", 0, 0.3)).limit_denominator(10_000)
    factor = P[0] / (P[0] + extra)
    return replace(lenience(factor), name=f"coin too kind by {extra}")


def kind_law(bias: Fraction | float = BIAS) -> Array:
    """Return the law that the kind coin emits, in Fractions."""
    kept, corrected = kind_coin(bias).step(Q, P)
    return kept + corrected


@cache
def opening(n: int = OPENING_DRAWS) -> tuple[Array, tuple[str, ...], Array, Array]:
    """Return the target, its names, and the counts of samplers A (the kind coin) and B (exact)."""
    counts = []
    for rule, rng in zip((kind_coin(), token), _streams(2), strict=True):
        tokens = run_once(rule, P, Q)(n, rng)
        counts.append(np.bincount(tokens, minlength=len(P)))
    return P, PAIR.names, counts[0], counts[1]


def _streams(count: int) -> list[np.random.Generator]:
    return np.random.default_rng(SEED).spawn(count)


@dataclass(frozen=True, eq=False)
class Noise:
    """The noise band of an exact sampler, and where a biased one leaves it.

    Attributes
    ----------
    bias : float
        TV of the biased sampler from the target.
    sizes : ndarray
        Numbers of draws.
    low, high : ndarray
        The 2.5 % and 97.5 % quantiles of the distance over exact runs.
    middle : ndarray
        The median distance over biased runs.
    above : ndarray
        The share of biased runs above the band.
    exact, biased : ndarray
        The distances of one stream each, as it grows.
    """

    bias: float
    sizes: NDArray[np.int64]
    low: Array
    high: Array
    middle: Array
    above: Array
    exact: Array
    biased: Array

    def draws_for(self, share: float) -> float:
        """Return the n at which this share of the biased runs lies above the band, or infinity."""
        if self.above[-1] < share:
            return float("inf")
        return float(np.exp(np.interp(share, self.above, np.log(self.sizes))))


_RUNS = 20_000


@lru_cache(maxsize=32)
def noise(bias: Fraction | float = BIAS, stream: int = 1) -> Noise:
    """Return the noise band of cat, dog and fox with the kind coin's bias in it.

    Parameters
    ----------
    bias : Fraction or float
    stream : int
        Seed of the two streams that are drawn.
    """
    law = P.astype(np.float64)
    wrong = kind_law(bias).astype(np.float64)
    low, high = _band()
    rng = np.random.default_rng(SEED + 1)
    middle, above = np.empty(len(SIZES)), np.empty(len(SIZES))
    for k, n in enumerate(SIZES):
        far = tv_distance(rng.multinomial(n, wrong, size=_RUNS) / n, law)
        middle[k], above[k] = np.median(far), (far > high[k]).mean()
    one, other = np.random.default_rng(stream).spawn(2)
    return Noise(
        float(total_variation(wrong, law)), SIZES, low, high, middle,
        np.maximum.accumulate(above), _stream(law, law, one), _stream(wrong, law, other),
    )  # fmt: skip


@cache
def _band() -> tuple[Array, Array]:
    rng = np.random.default_rng(SEED)
    ends = [noise_band(P, int(n), rng, levels=(0.025, 0.975), runs=_RUNS) for n in SIZES]
    low, high = np.array(ends).T
    return low, high


def _stream(drawn: Array, law: Array, rng: np.random.Generator) -> Array:
    """Return the distance of one growing sample of `drawn` from `law`, at every size."""
    steps = np.diff(SIZES, prepend=0)
    counts = np.cumsum([rng.multinomial(n, drawn) for n in steps], axis=0)
    return tv_distance(counts / SIZES[:, None], law)


@cache
def always_inside(streams: int = 300) -> float:
    """Return the share of exact streams that are inside the band at all sizes."""
    low, high = _band()
    law = P.astype(np.float64)
    rng = np.random.default_rng(SEED + 2)
    paths = (_stream(law, law, rng) for _ in range(streams))
    return float(np.mean([((low <= path) & (path <= high)).all() for path in paths]))


@cache
def bets(most: int = 1_000_000) -> tuple[SequentialReport, SequentialReport]:
    """Return the sequential audits of the kind coin and of the exact rule."""
    found = [
        audit_sequential(run_once(rule, P, Q), P, rng, max_n=most)
        for rule, rng in zip((kind_coin(), token), _streams(2), strict=True)
    ]
    return found[0], found[1]


@cache
def calibration() -> dict[str, Any]:
    """Return the stored calibrations.

    Raises
    ------
    FileNotFoundError
        If they were not computed yet.
    """
    if not CALIBRATION.is_file():
        raise FileNotFoundError(f"{CALIBRATION} is missing; run: python -m benchmarks.faults")
    found: dict[str, Any] = json.loads(CALIBRATION.read_text(encoding="utf-8"))
    return found


GROUPS: dict[str, tuple[str, ...]] = {
    "draw": (
        "greedy-draft-softmax-q", "raw-q-warped-draw", "low-precision-draw",
        "drop-unsure-sampled-token", "one-sided-warp", "top-k-with-ties", "vocabulary-mismatch",
        "without-replacement-stale-q",
    ),
    "test": (
        "no-coin", "uniform-stuck-at-zero", "accept-at-equality", "lenience",
        "retry-against-stale-p",
    ),
    "correction": (
        "resample-from-p", "strike-only-the-rejected", "softmax-of-residual",
        "resample-reuses-draft-noise",
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
    "retry-against-stale-p": "second draft, stale p",
    "resample-from-p": "redraw from p",
    "strike-only-the-rejected": "q not subtracted",
    "softmax-of-residual": "softmax of residual",
    "resample-reuses-draft-noise": "noise used twice",
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
    """Return a fault's law against the one wanted."""
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
    """Return the cards of one group of faults, in a tuple of one: a figure's only result."""
    faults = (GALLERY[name] for name in GROUPS[group])
    return (tuple(card_of(fault) for fault in faults if isinstance(fault, LawFault)),)


@cache
def catches() -> tuple[tuple[tuple[str, tuple[tuple[str, float, int, bool], ...]], ...]]:
    """Return for each place its faults: title, TV, n, and whether a forbidden token gives it away.

    Sorted by n within each place.
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


WAYS: dict[str, Any] = {
    "softmax": lambda q: q,
    "T = 1/2": lambda q: temper(q, Fraction(1, 2)),
    "top-2": lambda q: keep_top(q, 2),
    "argmax": lambda q: temper(q, 0),
}
"""How a draft may draw, and which q the rule may be told: functions of the softmax's law."""


@dataclass(frozen=True, eq=False)
class Grid:
    """How the draft draws (rows) against which q the rule believes (columns).

    Attributes
    ----------
    ways : tuple of str
    names : tuple of str
    p : ndarray, shape (V,)
    accepted, corrected : dict
        From (drawn, told) to masses; their sum is the emitted law.
    """

    ways: tuple[str, ...]
    names: tuple[str, ...]
    p: Array
    accepted: dict[tuple[str, str], Array]
    corrected: dict[tuple[str, str], Array]

    def law(self, drawn: str, told: str) -> Array:
        """Return the emitted law."""
        return np.asarray(self.accepted[drawn, told] + self.corrected[drawn, told])

    def distance(self, drawn: str, told: str) -> Any:
        """Return its total variation distance from p."""
        return total_variation(self.law(drawn, told), self.p)

    def draws(self, drawn: str, told: str) -> int | None:
        """Return the n at which the audit catches it, or None if there is nothing to catch."""
        if self.distance(drawn, told) == 0:
            return None
        law, wrong = (x.astype(np.float64) for x in (self.p, self.law(drawn, told)))
        return int(samples_needed(law, wrong))


@lru_cache(maxsize=16)
def grid(pair: examples.Pair = examples.CAT_DOG_FOX) -> Grid:
    """Return the grid of draws and beliefs for a pair of laws."""
    p, q = _exactly(pair.p), _exactly(pair.q)
    accepted, corrected = {}, {}
    for drawn, told in ((a, b) for a in WAYS for b in WAYS):
        source, believed = WAYS[drawn](q), WAYS[told](q)
        kept = source * acceptance(p, believed)
        accepted[drawn, told] = kept
        corrected[drawn, told] = np.asarray((1 - kept.sum()) * residual(p, believed))
    return Grid(tuple(WAYS), pair.names, p, accepted, corrected)


def told_one_hot(way: str, pair: examples.Pair = examples.CAT_DOG_FOX) -> Array:
    """Return the law emitted if drafts are drawn in some way and the rule takes q = 1 for each."""
    rule = replace(sample_match, proposals=from_law(WAYS[way]))
    kept, corrected = rule.step(_exactly(pair.q), _exactly(pair.p))
    return np.asarray(kept + corrected)


RULES: tuple[tuple[str, Verifier, int], ...] = (
    ("token rule", token, 1),
    ("sample and match", sample_match, 1),
    ("argmax draft, q = 1", one_hot, 1),
    ("top-2 drafts, q = 1", top_k(2), 2),
    ("two drafts in turn", recursive(2), 2),
    ("two different drafts", recursive(2, replacement=False), 2),
    ("lenience 1/2", lenience(Fraction(1, 2)), 1),
    ("typical acceptance", typical(), 1),
)
"""Rules that people take for exact or for biased, with their number of drafts."""


@cache
def rule_cards() -> tuple[tuple[Card, ...]]:
    """Return what these rules emit on cat, dog and fox."""
    made = []
    for title, rule, width in RULES:
        kept, corrected = rule.step(Q, P, width)  # type: ignore[attr-defined]
        got = kept + corrected
        far = total_variation(got, P)
        draws = None
        if far:
            draws = int(samples_needed(P.astype(np.float64), got.astype(np.float64)))
        made.append(Card(title, P, got, kept, corrected, PAIR.names, far, draws))
    return (tuple(made),)


@cache
def cache_hole(rounds: int = 8, gamma: int = 3) -> tuple[tuple[Fraction, ...], int]:
    """Return the expected accepted drafts of each round with the hole in the cache, and gamma."""
    return acceptance_by_round(rounds, gamma, complete=False), gamma
