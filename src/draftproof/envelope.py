"""Chapter 1: a target you can evaluate, a proposal you can draw, and an envelope over both.

Darts are thrown evenly under the envelope C g; the ones below the target f survive, and their
x follows f / Z.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from draftproof.finite import Array, as_law, check_rng, check_whole, draw, show_value
from draftproof.trace import EnvelopeTrace

__all__ = [
    "Envelope",
    "Proposal",
    "Target",
    "draw_survivors",
    "gaussian_acceptance",
    "rejection_trace",
]

Function = Callable[[Array], Array]
_SLACK = 1e-9  # an envelope may touch its target; rounding must not call that a breach


def _finite(value: Any, name: str, above: float = -np.inf) -> float:
    real = isinstance(value, (int, float, np.floating, np.integer)) and not isinstance(value, bool)
    if not real or not np.isfinite(value) or value <= above:
        allowed = "a finite number" if above == -np.inf else f"a finite number above {above:g}"
        raise ValueError(f"{name} must be {allowed}, got {show_value(value)}")
    return float(value)


@dataclass(frozen=True)
class Target:
    """An unnormalised density: a function that can be evaluated but need not integrate to 1.

    Attributes
    ----------
    function : callable
        From an array of points to an array of non-negative heights.
    low, high : float
        The support; the target is 0 outside. Either end may be infinite.
    name : str

    Raises
    ------
    ValueError
        If the support is empty, or the function is negative, not finite, or 0 everywhere.
    """

    function: Function
    low: float = -np.inf
    high: float = np.inf
    name: str = "f"

    def __post_init__(self) -> None:
        """Check the function on a grid over its support."""
        if not self.low < self.high:
            raise ValueError(f"low must be below high, got [{self.low}, {self.high}]")
        heights = self(self.grid)
        bad = ~(np.isfinite(heights) & (heights >= 0))
        if bad.any():
            x = self.grid[bad][0]
            raise ValueError(
                f"function must be finite and not negative on its support, got "
                f"{heights[bad][0]} at x = {x:.6g}"
            )
        if not heights.any():
            raise ValueError("function must be positive somewhere on its support, got only zeros")

    def __call__(self, x: ArrayLike) -> Array:
        """Return the height of the target at `x`: 0 outside the support."""
        points = np.asarray(x, dtype=np.float64)
        inside = (points >= self.low) & (points <= self.high)
        # Points outside are moved in before the call: the formula need not make sense there.
        safe = np.where(inside, points, self._inner)
        heights = np.asarray(self.function(safe), dtype=np.float64)
        return np.asarray(np.where(inside, heights, 0.0))

    @property
    def _inner(self) -> float:
        low, high = max(self.low, -1e6), min(self.high, 1e6)
        return (low + high) / 2

    @cached_property
    def grid(self) -> Array:
        """Points that cover the support; out to a million where it is infinite."""
        if np.isfinite(self.low) and np.isfinite(self.high):
            return np.linspace(self.low, self.high, 20_001)
        reach = np.sinh(np.linspace(0, np.arcsinh(1e6), 10_001))
        right = reach if np.isinf(self.high) else reach[reach <= self.high - self._anchor]
        left = reach if np.isinf(self.low) else reach[reach <= self._anchor - self.low]
        points = self._anchor + np.r_[-left[:0:-1], right]
        ends = [end for end in (self.low, self.high) if np.isfinite(end)]
        return np.unique(np.r_[points, ends])

    @property
    def _anchor(self) -> float:
        for end in (self.low, self.high):
            if np.isfinite(end):
                return end
        return 0.0

    @cached_property
    def integral(self) -> float:
        """Z, the area under the target (adaptive quadrature)."""
        return _area(self, self.low, self.high)

    @cached_property
    def peak(self) -> tuple[float, float]:
        """Where the target is highest, and how high: (x, f(x))."""
        x, height = _maximum(self, self.grid)
        return x, height

    def density(self, x: ArrayLike) -> Array:
        """Return f(x) / Z, the law that the survivors follow."""
        return np.asarray(self(x) / self.integral)


def _area(function: Function, low: float, high: float) -> float:
    from scipy.integrate import quad

    def at(x: float) -> float:
        return float(function(np.asarray(x)))

    if np.isfinite(low) and np.isfinite(high):
        cuts = np.linspace(low, high, 41)  # pieces, so that no narrow peak is stepped over
        return sum(quad(at, a, b, limit=200)[0] for a, b in pairwise(cuts))
    value, error = quad(at, low, high, limit=500)
    if not np.isfinite(value) or error > 1e-6 * max(value, 1e-300):
        raise ValueError(f"function must have a finite integral, got {value} +- {error}")
    return float(value)


def _maximum(function: Function, grid: Array) -> tuple[float, float]:
    """Return the highest point of a function: the best grid points, each refined."""
    from scipy.optimize import minimize_scalar

    heights = function(grid)
    top = int(np.argmax(heights))
    if not np.isfinite(heights[top]):
        return float(grid[top]), float(heights[top])
    inner = np.flatnonzero((heights[1:-1] >= heights[:-2]) & (heights[1:-1] >= heights[2:])) + 1
    rivals = inner[np.argsort(-heights[inner], kind="stable")[:8]]
    best = (float(grid[top]), float(heights[top]))
    for i in rivals:
        found = minimize_scalar(
            lambda x: -float(function(np.asarray(x))),
            bounds=(grid[i - 1], grid[i + 1]),
            method="bounded",
            options={"xatol": 1e-12},
        )
        if -found.fun > best[1]:
            best = (float(found.x), -float(found.fun))
    return best


@dataclass(frozen=True)
class Proposal:
    """A density that can be drawn from. Make one with a class method.

    Attributes
    ----------
    pdf : callable
        From points to densities; it integrates to 1.
    draw : callable
        From a generator and a count to that many draws.
    name : str
    """

    pdf: Function
    draw: Callable[[np.random.Generator, int], Array]
    name: str

    @classmethod
    def uniform(cls, low: float = 0.0, high: float = 1.0) -> Proposal:
        """Return the flat density on [low, high]."""
        a = _finite(low, "low")
        b = _finite(high, "high", above=a)

        def pdf(x: Array) -> Array:
            return np.where((x >= a) & (x <= b), 1.0 / (b - a), 0.0)

        return cls(pdf, lambda rng, n: rng.uniform(a, b, n), f"uniform on [{a:g}, {b:g}]")

    @classmethod
    def normal(cls, mean: float = 0.0, sd: float = 1.0) -> Proposal:
        """Return the Gaussian density."""
        m, s = _finite(mean, "mean"), _finite(sd, "sd", above=0)

        def pdf(x: Array) -> Array:
            bell = np.exp(-0.5 * ((x - m) / s) ** 2)
            return np.asarray(bell / (s * np.sqrt(2 * np.pi)))

        return cls(pdf, lambda rng, n: rng.normal(m, s, n), f"normal({m:g}, {s:g})")

    @classmethod
    def exponential(cls, scale: float = 1.0) -> Proposal:
        """Return the density ``exp(-x / scale) / scale`` on x >= 0."""
        s = _finite(scale, "scale", above=0)

        def pdf(x: Array) -> Array:
            return np.where(x >= 0, np.exp(-np.maximum(x, 0) / s) / s, 0.0)

        return cls(pdf, lambda rng, n: rng.exponential(s, n), f"exponential({s:g})")

    @classmethod
    def cauchy(cls, location: float = 0.0, scale: float = 1.0) -> Proposal:
        """Return the Cauchy density."""
        m, s = _finite(location, "location"), _finite(scale, "scale", above=0)

        def pdf(x: Array) -> Array:
            return 1.0 / (np.pi * s * (1 + ((x - m) / s) ** 2))

        return cls(pdf, lambda rng, n: m + s * rng.standard_cauchy(n), f"Cauchy({m:g}, {s:g})")

    @classmethod
    def mixture(cls, parts: Sequence[Proposal], weights: ArrayLike) -> Proposal:
        """Return the density that draws from one of `parts`, chosen with `weights`.

        Raises
        ------
        ValueError
            If the weights are not a law, or not one for each part.
        """
        law = as_law(weights, "weights").astype(np.float64)
        if law.shape != (len(parts),):
            raise ValueError(
                f"weights must be one for each of {len(parts)} parts, got shape {law.shape}"
            )

        def pdf(x: Array) -> Array:
            return np.asarray(
                sum(w * part.pdf(x) for w, part in zip(law, parts, strict=True)), dtype=np.float64
            )

        def sample(rng: np.random.Generator, n: int) -> Array:
            which = draw(law, rng, n)
            out = np.empty(n)
            for i, part in enumerate(parts):
                mine = which == i
                out[mine] = part.draw(rng, int(mine.sum()))
            return out

        named = " + ".join(f"{w:g} {part.name}" for w, part in zip(law, parts, strict=True))
        return cls(pdf, sample, named)


@dataclass(frozen=True)
class Envelope:
    """The curve C g(x) over a target f.

    Parameters
    ----------
    target : Target
    proposal : Proposal
    constant : float
        C. `tightest` finds the smallest valid one.
    allow_broken : bool
        Accept a C that is too small, to study what it does: the survivors then follow
        min(f, C g), not f.

    Raises
    ------
    ValueError
        If C is not a positive number, if C g dips below f somewhere (the message says where), or
        if no finite C exists.
    """

    target: Target
    proposal: Proposal
    constant: float
    allow_broken: bool = False

    @classmethod
    def tightest(cls, target: Target, proposal: Proposal) -> Envelope:
        """Return the envelope with the smallest valid C.

        Raises
        ------
        ValueError
            If no finite C exists.
        """
        loose = cls(target, proposal, 1.0, allow_broken=True)
        loose._check_finite()
        return cls(target, proposal, loose.smallest_constant)

    def __post_init__(self) -> None:
        """Check the constant against the target."""
        object.__setattr__(self, "constant", _finite(self.constant, "constant", above=0))
        if self.is_broken and not self.allow_broken:
            self._check_finite()
            x = self.touch_point
            raise ValueError(
                f"constant must be at least {self.smallest_constant:.6g}, got {self.constant:g}: "
                f"the envelope is {self.height(x):.4g} at x = {x:.4g} where the target is "
                f"{self.target(x):.4g}"
            )

    def _check_finite(self) -> None:
        if not np.isfinite(self.smallest_constant):
            raise ValueError(
                f"proposal must cover the target with a finite constant, got {self.proposal.name}: "
                f"f/g has no bound near x = {self.touch_point:.4g}"
            )

    def height(self, x: ArrayLike) -> Array:
        """Return C g(x)."""
        return np.asarray(self.constant * self.proposal.pdf(np.asarray(x, dtype=np.float64)))

    def _ratio(self, x: Array) -> Array:
        f, g = self.target(x), self.proposal.pdf(x)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.where(f > 0, f / g, 0.0)

    @cached_property
    def _touch(self) -> tuple[float, float]:
        return _maximum(self._ratio, self.target.grid)

    @property
    def smallest_constant(self) -> float:
        """The smallest C that keeps C g above f: the largest f/g (``inf`` if there is none)."""
        return self._touch[1]

    @property
    def touch_point(self) -> float:
        """Where the tightest envelope touches the target."""
        return self._touch[0]

    @property
    def is_broken(self) -> bool:
        """Whether the envelope dips below the target."""
        return self.constant < self.smallest_constant * (1 - _SLACK)

    def acceptance_at(self, x: ArrayLike) -> Array:
        r"""Return P(accept | x) = min(1, f(x) / (C g(x))), 0 where the target is 0."""
        with np.errstate(over="ignore"):
            return np.asarray(np.minimum(1.0, self._ratio(np.asarray(x, float)) / self.constant))

    def survivor_weight(self, x: ArrayLike) -> Array:
        """Return min(f(x), C g(x)): the kept part, f itself while the envelope holds."""
        return np.minimum(self.target(x), self.height(x))

    @cached_property
    def _kept_area(self) -> float:
        if not self.is_broken:
            return self.target.integral
        return _area(self.survivor_weight, self.target.low, self.target.high)

    @property
    def acceptance(self) -> float:
        """The share of darts that survive: Z / C while the envelope holds."""
        return self._kept_area / self.constant

    def survivor_density(self, x: ArrayLike) -> Array:
        """Return the law of the survivors: f / Z while the envelope holds."""
        return np.asarray(self.survivor_weight(x) / self._kept_area)

    @cached_property
    def bias(self) -> float:
        """Total variation between the survivors' law and f / Z: 0 while the envelope holds."""
        if not self.is_broken:
            return 0.0

        def gap(x: Array) -> Array:
            return np.asarray(abs(self.survivor_density(x) - self.target.density(x)))

        return _area(gap, self.target.low, self.target.high) / 2


def rejection_trace(envelope: Envelope, n: int, rng: np.random.Generator) -> EnvelopeTrace:
    """Throw `n` darts under an envelope and keep everything they did.

    The generator is used in this order: all candidates, all uniforms. Candidates outside the
    target's support count as rejected.

    Parameters
    ----------
    envelope : Envelope
    n : int
    rng : numpy.random.Generator

    Returns
    -------
    EnvelopeTrace

    Raises
    ------
    ValueError
        If `n` is negative or `rng` is not a Generator.
    """
    check_whole(n, "n")
    candidates = envelope.proposal.draw(check_rng(rng), n)
    uniforms = rng.random(n)
    heights = uniforms * envelope.height(candidates)
    accepted = heights < envelope.target(candidates)
    return EnvelopeTrace(candidates, uniforms, heights, accepted, envelope.constant)


def draw_survivors(envelope: Envelope, size: int, rng: np.random.Generator) -> Array:
    """Draw exactly `size` points of law f / Z by throwing darts until enough survive.

    Raises
    ------
    ValueError
        As `rejection_trace`, or if fewer than one dart in a hundred million would survive.
    """
    check_whole(size, "size")
    if envelope.acceptance < 1e-8:
        raise ValueError(
            f"envelope must accept at least 1 dart in 1e8, got a rate of {envelope.acceptance:.3g}"
        )
    kept: list[Array] = []
    missing = size
    while missing > 0:
        darts = min(int(missing / envelope.acceptance * 1.1) + 16, 1_000_000)
        kept.append(rejection_trace(envelope, darts, rng).survivors[:missing])
        missing -= len(kept[-1])
    return np.concatenate(kept) if kept else np.empty(0)


def gaussian_acceptance(dimension: int, scale: float) -> float:
    r"""Return the acceptance of a standard Gaussian under a wider Gaussian envelope.

    The proposal is :math:`N(0, \sigma^2 I_d)`; the densities' ratio is largest at 0, so

    .. math:: C = \sigma^d, \qquad P(\text{accept}) = \sigma^{-d}.

    Parameters
    ----------
    dimension : int
        d, at least 1.
    scale : float
        sigma, at least 1 (a narrower proposal has no finite constant).

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If `dimension` < 1 or `scale` < 1.
    """
    check_whole(dimension, "dimension", 1)
    if _finite(scale, "scale") < 1:
        raise ValueError(f"scale must be at least 1 (else no finite constant exists), got {scale}")
    return float(np.exp(-dimension * np.log(scale)))
