"""Chapter 1's experiments: the runs and curves that its figures and tables are drawn from.

Everything here is seeded and cached, so that the page, the figure files and the tests read the
same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from draftproof.envelope import (
    Envelope,
    Proposal,
    bin_masses,
    draw_survivors,
    gaussian_acceptance,
    gaussian_accepts,
    rejection_trace,
)
from draftproof.examples import TARGET
from draftproof.finite import Array, total_variation
from draftproof.noise import empirical_law, noise_band
from draftproof.trace import EnvelopeTrace

__all__ = [
    "BELL",
    "EDGES",
    "FLAT",
    "NARROW",
    "BiasCurve",
    "DimensionRuns",
    "UniformRuns",
    "WidthCurve",
    "bias_curve",
    "broken_run",
    "dart_board",
    "dimension_runs",
    "envelope_over",
    "own_envelope",
    "own_parts",
    "smallest_constant",
    "survivor_shares",
    "tight_envelope",
    "uniform_darts",
    "uniform_runs",
    "width_curve",
]

FLAT, BELL = "flat", "bell"
EDGES = np.linspace(-3, 3, 61)  # the bins of every histogram of the chapter
NARROW = 0.6  # width of the narrow part in the book's mixture
_SEEDS = {
    "board": 7,
    FLAT: 31,
    BELL: 32,
    "band": 33,
    "dimensions": 34,
    "uniforms": 35,
    "broken": 36,
}
_PROPOSALS = {FLAT: Proposal.uniform(-3, 3), BELL: Proposal.normal()}


def _proposal(name: str) -> Proposal:
    if name not in _PROPOSALS:
        raise ValueError(f"proposal must be one of {', '.join(_PROPOSALS)}, got {name!r}")
    return _PROPOSALS[name]


@cache
def smallest_constant(proposal: str) -> float:
    """Return the smallest valid C of the ``"flat"`` or the ``"bell"`` proposal.

    Parameters
    ----------
    proposal : str
        ``"flat"`` or ``"bell"``.

    Returns
    -------
    float
    """
    return tight_envelope(proposal).constant


@cache
def tight_envelope(proposal: str) -> Envelope:
    """Return the tightest envelope of the ``"flat"`` or the ``"bell"`` proposal.

    Parameters
    ----------
    proposal : str
        ``"flat"`` or ``"bell"``.

    Returns
    -------
    Envelope
    """
    return Envelope.tightest(TARGET, _proposal(proposal))


@cache
def envelope_over(proposal: str, constant: float, allow_broken: bool = False) -> Envelope:
    """Return the ``"flat"`` or the ``"bell"`` envelope with a constant of one's own.

    Parameters
    ----------
    proposal : str
        ``"flat"`` or ``"bell"``.
    constant : float
        C, above 0.
    allow_broken : bool
        Let a constant through that is too small.

    Returns
    -------
    Envelope
    """
    return Envelope(TARGET, _proposal(proposal), constant, allow_broken)


@cache
def own_envelope(width: float, narrow: float = NARROW, weight: float = 0.0) -> Envelope:
    """Return the tightest envelope of a mixture of two bells around 0.

    `weight` goes to the bell of width `narrow`, the rest to the bell of `width`.

    Parameters
    ----------
    width : float
        Width of the bell, above 0.
    narrow : float
        Width of the narrow bell, above 0.
    weight : float
        Share of the narrow bell, in [0, 1].

    Returns
    -------
    Envelope

    Raises
    ------
    ValueError
        If a width is not above 0 or the weight does not lie in [0, 1].
    """
    return Envelope.tightest(TARGET, _own_proposal(width, narrow, weight))


def own_parts(
    width: float, narrow: float = NARROW, weight: float = 0.0
) -> tuple[tuple[float, Proposal], ...]:
    """Return the weights and bells that `own_envelope` mixes.

    Parameters
    ----------
    width : float
        Width of the bell, above 0.
    narrow : float
        Width of the narrow bell, above 0.
    weight : float
        Share of the narrow bell, in [0, 1].

    Returns
    -------
    tuple
        Weight and bell of each part.

    Raises
    ------
    ValueError
        As `own_envelope`.
    """
    if not 0 <= weight <= 1:
        raise ValueError(f"weight must lie in [0, 1], got {weight!r}")
    return (weight, Proposal.normal(0, narrow)), (1 - weight, Proposal.normal(0, width))


def _own_proposal(width: float, narrow: float, weight: float) -> Proposal:
    parts = [(w, part) for w, part in own_parts(width, narrow, weight) if w > 0]
    if len(parts) == 1:
        return parts[0][1]
    return Proposal.mixture([part for _, part in parts], [w for w, _ in parts])


def _smallest(proposal: Proposal) -> float:
    return Envelope(TARGET, proposal, 1.0, allow_broken=True).smallest_constant


def dart_board(envelope: Envelope, n: int = 240) -> EnvelopeTrace:
    """Return the few darts that a picture shows: always the same candidates and uniforms.

    Parameters
    ----------
    envelope : Envelope
        Over the darts.
    n : int
        How many.

    Returns
    -------
    EnvelopeTrace
    """
    return rejection_trace(envelope, n, np.random.default_rng(_SEEDS["board"]))


def survivor_shares(survivors: Array, edges: Array = EDGES) -> Array:
    """Return the share of the survivors in each bin.

    Parameters
    ----------
    survivors : ndarray
        Points in the range of the bins; one outside counts in the nearest bin.
    edges : ndarray
        Of the bins, increasing.

    Returns
    -------
    ndarray
        One share a bin.
    """
    return empirical_law(
        np.clip(np.digitize(survivors, edges) - 1, 0, len(edges) - 2), len(edges) - 1
    )


def broken_run(proposal: str, constant: float, size: int = 30_000) -> tuple[Envelope, Array]:
    """Return an envelope whose constant may be too small, and survivors drawn under it.

    Parameters
    ----------
    proposal : str
        ``"flat"`` or ``"bell"``.
    constant : float
        C, above 0.
    size : int
        Survivors.

    Returns
    -------
    tuple
        The envelope and the survivors.
    """
    envelope = envelope_over(proposal, constant, True)
    return envelope, draw_survivors(envelope, size, np.random.default_rng(_SEEDS["broken"]))


@dataclass(frozen=True)
class UniformRuns:
    """Survivors for the target 2x under a flat proposal, with a right and a wrong u.

    Attributes
    ----------
    right, wrong : ndarray
        With u = V, and with u = V squared, V uniform.
    darts : int
    """

    right: Array
    wrong: Array
    darts: int


def uniform_darts(darts: int = 100_000) -> tuple[Array, Array]:
    """Return the places and the uniforms of the darts that `uniform_runs` throws.

    Parameters
    ----------
    darts : int
        How many are thrown.

    Returns
    -------
    tuple of ndarray
        Both uniform on [0, 1).
    """
    rng = np.random.default_rng(_SEEDS["uniforms"])
    return rng.random(darts), rng.random(darts)


@cache
def uniform_runs(darts: int = 100_000) -> UniformRuns:
    """Throw the same darts twice: once with a uniform height, once with its square.

    Parameters
    ----------
    darts : int
        How many are thrown.

    Returns
    -------
    UniformRuns
    """
    x, v = uniform_darts(darts)
    return UniformRuns(x[v < x], x[v**2 < x], darts)


@dataclass(frozen=True)
class BiasCurve:
    """How wrong the survivors are when C is too small, as TV distance from f / Z.

    Attributes
    ----------
    shares : ndarray, shape (n,)
        C over the smallest valid C.
    exact : dict of ndarray
        For each proposal the distance of min(f, C g), normalised, from f / Z.
    run_shares : ndarray, shape (m,)
        Where runs were made.
    runs : dict of ndarray
        For each proposal the distance of a run's histogram from the bins' masses.
    band : ndarray, shape (3,)
        5, 50 and 95 % quantiles of that distance for an exact sampler.
    survivors : int
        Survivors in each run.
    """

    shares: Array
    exact: dict[str, Array]
    run_shares: Array
    runs: dict[str, Array]
    band: Array
    survivors: int


@cache
def bias_curve(survivors: int = 20_000) -> BiasCurve:
    """Return the curve for both proposals, with a run at every other point.

    Parameters
    ----------
    survivors : int
        Survivors in each run.

    Returns
    -------
    BiasCurve
    """
    shares = np.round(np.linspace(0.1, 1.1, 21), 2)
    law = bin_masses(TARGET.density, EDGES)
    exact: dict[str, Array] = {}
    runs: dict[str, Array] = {}
    for name in (FLAT, BELL):
        rng = np.random.default_rng(_SEEDS[name])
        tight = smallest_constant(name)
        made = [envelope_over(name, float(share * tight), True) for share in shares]
        exact[name] = np.array([envelope.bias for envelope in made])
        runs[name] = np.array(
            [
                total_variation(survivor_shares(draw_survivors(envelope, survivors, rng)), law)
                for envelope in made[::2]
            ]
        )
    band = noise_band(law, survivors, np.random.default_rng(_SEEDS["band"]))
    return BiasCurve(shares, exact, shares[::2], runs, band, survivors)


@dataclass(frozen=True)
class WidthCurve:
    """What a bell of some width costs as a proposal, alone and mixed with a narrow one.

    Attributes
    ----------
    widths, constants, acceptance : ndarray, shape (n,)
        For one bell: the smallest C and Z / C.
    mixed_constants, mixed_acceptance : ndarray, shape (n,)
        For the mixture of that bell with the narrow one.
    narrow, weight : float
        The narrow part's width and weight.
    """

    widths: Array
    constants: Array
    mixed_constants: Array
    narrow: float
    weight: float

    @property
    def acceptance(self) -> Array:
        """Z / C of the single bell."""
        return np.asarray(TARGET.integral / self.constants)

    @property
    def mixed_acceptance(self) -> Array:
        """Z / C of the mixture."""
        return np.asarray(TARGET.integral / self.mixed_constants)

    @property
    def best(self) -> int:
        """Index of the best single width."""
        return int(self.constants.argmin())

    @property
    def mixed_best(self) -> int:
        """Index of the best width in the mixture."""
        return int(self.mixed_constants.argmin())


@cache
def width_curve(narrow: float = NARROW, weight: float = 0.5) -> WidthCurve:
    """Return the smallest constants over widths from 0.6 to 2.5.

    Parameters
    ----------
    narrow : float
        Width of the narrow bell in the mixture.
    weight : float
        Its share, in [0, 1].

    Returns
    -------
    WidthCurve
    """
    widths = np.round(np.linspace(0.6, 2.5, 77), 3)

    def constants(share: float) -> Array:
        return np.array([_smallest(_own_proposal(float(w), narrow, share)) for w in widths])

    return WidthCurve(widths, constants(0.0), constants(weight), narrow, weight)


@dataclass(frozen=True)
class DimensionRuns:
    """Acceptance of a Gaussian under a wider one, counted.

    Attributes
    ----------
    scales : tuple of float
    points : tuple of (scale, dimension, accepted)
    darts : int
        Darts behind every point.
    """

    scales: tuple[float, ...]
    points: tuple[tuple[float, int, int], ...]
    darts: int


@cache
def dimension_runs(
    scales: Sequence[float] = (1.01, 1.02, 1.05, 1.2, 2.0), darts: int = 100_000
) -> DimensionRuns:
    """Throw darts where at least ten of them should survive.

    Parameters
    ----------
    scales : sequence of float
        How much wider the proposals are, each above 1.
    darts : int
        Behind every point.

    Returns
    -------
    DimensionRuns
    """
    rng = np.random.default_rng(_SEEDS["dimensions"])
    points = []
    for scale in scales:
        last = np.log(darts / 10) / np.log(scale)  # here ten survive
        for dimension in sorted({round(last * part) for part in (0.2, 0.4, 0.6, 0.8, 1.0)} - {0}):
            if dimension <= 1000 and gaussian_acceptance(dimension, scale) * darts >= 10:
                accepted = gaussian_accepts(dimension, scale, darts, rng)
                points.append((float(scale), int(dimension), accepted))
    return DimensionRuns(tuple(scales), tuple(points), darts)
