"""What chapter 5's figures show: runs with fixed seeds, laws by enumeration, stored calibrations.

The streams and samples that are drawn were not picked: each is the first its seed gives.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from draftproof import examples
from draftproof.finite import Array, as_law, check_number, total_variation
from draftproof.lab import AuditReport, SequentialReport, audit, audit_sequential
from draftproof.lab.broken import GALLERY
from draftproof.lab.broken_fault import run_once
from draftproof.lab.broken_loops import acceptance_by_round
from draftproof.noise import noise_band, tv_distance
from draftproof.verifiers import Nodewise, lenience, token

from .gallery import Card, card_of

__all__ = [
    "BIAS", "CALIBRATION", "LEVELS", "NO_FAULT", "OPENING_DRAWS", "SIZES", "Noise", "against",
    "always_inside", "audit_run", "bets", "cache_hole", "calibration", "kind_coin", "kind_law",
    "noise", "opening",
]  # fmt: skip

PAIR: Any = examples.CAT_DOG_FOX
BIAS = Fraction(1, 100)
OPENING_DRAWS = 1000
SIZES = np.unique(np.geomspace(100, 1e6, 49).round().astype(np.int64))
"""Numbers of draws of the noise band; every third one carries a mark of each stream."""
LEVELS = (0.025, 0.975)
"""The quantiles at which the noise band ends."""
SEED = 1
CALIBRATION = files("draftproof.lab") / "results" / "faults.json"
"""Written by ``python -m benchmarks.faults``."""


P, Q = as_law(PAIR.p), as_law(PAIR.q)


def kind_coin(bias: Fraction | float = BIAS) -> Nodewise:
    """Return the token rule whose coin is a little too kind to the first token.

    On the laws of cat, dog and fox it keeps a cat with probability (0.3 + bias) / 0.6 in place of
    1/2, and its law is off by exactly `bias`.

    Parameters
    ----------
    bias : Fraction or float
        Total variation, in [0, 3/10].

    Returns
    -------
    Nodewise

    Raises
    ------
    ValueError
        If `bias` does not lie in [0, 3/10].
    """
    extra = Fraction(check_number(bias, "bias", 0, 0.3 + 1e-12)).limit_denominator(10_000)
    factor = P[0] / (P[0] + extra)
    return replace(lenience(factor), name=f"coin too kind by {extra}")


def kind_law(bias: Fraction | float = BIAS) -> Array:
    """Return the law that the kind coin emits, in Fractions.

    Parameters
    ----------
    bias : Fraction or float
        Total variation, in [0, 3/10].

    Returns
    -------
    ndarray
    """
    kept, corrected = kind_coin(bias).step(Q, P)
    return kept + corrected


@cache
def opening(n: int = OPENING_DRAWS) -> tuple[Array, tuple[str, ...], Array, Array]:
    """Return the target, its names, and the counts of samplers A (the kind coin) and B (exact).

    Parameters
    ----------
    n : int
        Draws of each.

    Returns
    -------
    tuple
        Target, names, counts of A, counts of B.
    """
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
        """Return the n at which this share of the biased runs lies above the band, or infinity.

        Parameters
        ----------
        share : float
            In (0, 1).

        Returns
        -------
        float
        """
        if self.above[-1] < share:
            return float("inf")
        return float(np.exp(np.interp(share, self.above, np.log(self.sizes))))


_RUNS = 20_000


@lru_cache(maxsize=64)
def noise(bias: Fraction | float = BIAS, stream: int = 1) -> Noise:
    """Return the noise band of cat, dog and fox with the kind coin's bias in it.

    Parameters
    ----------
    bias : Fraction or float
    stream : int
        Seed of the two streams that are drawn.

    Returns
    -------
    Noise
    """
    return against(kind_law(bias), stream)


def against(biased: Array, stream: int = 1) -> Noise:
    """Return the noise band of cat, dog and fox with any other law in it.

    Parameters
    ----------
    biased : ndarray
        The law, shape (3,).
    stream : int
        Seed of the two streams that are drawn.

    Returns
    -------
    Noise
    """
    law, wrong = P.astype(np.float64), np.asarray(biased, dtype=np.float64)
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
    ends = [noise_band(P, int(n), rng, levels=LEVELS, runs=_RUNS) for n in SIZES]
    low, high = np.array(ends).T
    return low, high


def _stream(drawn: Array, law: Array, rng: np.random.Generator) -> Array:
    """Return the distance of one growing sample of `drawn` from `law`, at every size."""
    steps = np.diff(SIZES, prepend=0)
    counts = np.cumsum([rng.multinomial(n, drawn) for n in steps], axis=0)
    return tv_distance(counts / SIZES[:, None], law)


@cache
def always_inside(streams: int = 3000) -> float:
    """Return the share of exact streams that are inside the band at all sizes.

    Parameters
    ----------
    streams : int
        How many are simulated.

    Returns
    -------
    float
    """
    low, high = _band()
    rng = np.random.default_rng(SEED + 2)
    counts, inside = np.zeros((streams, len(P)), dtype=np.int64), np.ones(streams, dtype=bool)
    law = P.astype(np.float64)
    for k, step in enumerate(np.diff(SIZES, prepend=0)):
        counts += rng.multinomial(step, law, size=streams)
        far = tv_distance(counts / SIZES[k], law)
        inside &= (low[k] <= far) & (far <= high[k])
    return float(inside.mean())


@cache
def bets(most: int = 1_000_000) -> tuple[SequentialReport, SequentialReport]:
    """Return the sequential audits of the kind coin and of the exact rule.

    Parameters
    ----------
    most : int
        Draws after which the bet is called off.

    Returns
    -------
    tuple of SequentialReport
    """
    found = [
        audit_sequential(run_once(rule, P, Q), P, rng, max_n=most)
        for rule, rng in zip((kind_coin(), token), _streams(2), strict=True)
    ]
    return found[0], found[1]


@cache
def calibration() -> dict[str, Any]:
    """Return the stored calibrations.

    Returns
    -------
    dict

    Raises
    ------
    FileNotFoundError
        If they were not computed yet.
    """
    if not CALIBRATION.is_file():
        raise FileNotFoundError(f"{CALIBRATION} is missing; run: python -m benchmarks.faults")
    found: dict[str, Any] = json.loads(CALIBRATION.read_text(encoding="utf-8"))
    return found


NO_FAULT = "no fault: the token rule"


@lru_cache(maxsize=32)
def audit_run(
    fault: str = "resample-from-p", exponent: float = 2.0, seed: int = 1
) -> tuple[Card, AuditReport]:
    """Return a fault's card and the audit of so many draws of it.

    Parameters
    ----------
    fault : str
        A name of the gallery, or `NO_FAULT`.
    exponent : float
        The number of draws is ten to this power.
    seed : int

    Returns
    -------
    tuple of Card, AuditReport
    """
    n = round(10**exponent)
    rng = np.random.default_rng(seed)
    if fault == NO_FAULT:
        kept, corrected = token.step(Q, P)
        card = Card(NO_FAULT, P, kept + corrected, kept, corrected, PAIR.names, 0, None)
        return card, audit(run_once(token, P, Q), P, n, rng)
    broken: Any = GALLERY[fault]
    return card_of(broken), audit(broken.sample, broken.wanted, n, rng)


@cache
def cache_hole(rounds: int = 8, gamma: int = 3) -> tuple[tuple[Fraction, ...], int]:
    """Return the expected accepted drafts of each round with the hole in the cache, and gamma.

    Parameters
    ----------
    rounds : int
        How many.
    gamma : int
        Drafts in a block.

    Returns
    -------
    tuple
        The means and gamma.
    """
    return acceptance_by_round(rounds, gamma, complete=False), gamma
