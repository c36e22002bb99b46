"""Chapter 1: a target you can evaluate, a proposal you can draw, and an envelope over both.

Darts are thrown evenly under the envelope C g; the ones below the target f survive, and their
x follows f / Z.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from draftproof._areas import area, bin_masses, cuts_of, kinked_area, maximum, peaks
from draftproof.density import Proposal, Target, as_points
from draftproof.finite import (
    LARGEST,
    Array,
    ArrayLike,
    check_number,
    check_rng,
    check_whole,
    show_value,
)
from draftproof.trace import EnvelopeTrace

__all__ = [
    "Envelope",
    "Proposal",
    "Target",
    "bin_masses",
    "draw_survivors",
    "gaussian_acceptance",
    "gaussian_accepts",
    "rejection_trace",
]

_SLACK = 1e-9  # an envelope may touch its target; rounding must not call that a breach
# Heights next to the peak that no dart will ever meet, and heights that floats hold badly.
_NEGLIGIBLE, _DENORMAL = 1e-290, 1e-300
_MOST_DARTS = 2**25  # for the survivors of one call: some seconds
_MASS_SLACK = 1e-6  # rounding in a proposal's area
_FALSE_ALARM = 1e-9  # how often a right draw is refused, at most
_MARKS = 32  # points up to which candidates are counted
_LOOKED_AT = 2**15  # candidates whose densities are compared with those of the grid


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
        If C is not a positive number, if C g dips below f somewhere (the message says where), if
        no finite C exists, or if the proposal's `pdf` is no density on the target's support: not
        finite, negative, or of an area above 1.
    """

    target: Target
    proposal: Proposal
    constant: float
    allow_broken: bool = False

    @classmethod
    def tightest(cls, target: Target, proposal: Proposal) -> Envelope:
        """Return the envelope with the smallest valid C.

        Parameters
        ----------
        target : Target
        proposal : Proposal

        Returns
        -------
        Envelope

        Raises
        ------
        ValueError
            If no finite C exists, or the proposal's `pdf` is no density (see `Envelope`).
        """
        loose = cls(target, proposal, 1.0, allow_broken=True)
        loose._check_finite()
        return cls(target, proposal, loose.smallest_constant)

    def __post_init__(self) -> None:
        """Check the constant against the target."""
        for name, value, kind in (
            ("target", self.target, Target),
            ("proposal", self.proposal, Proposal),
        ):
            if not isinstance(value, kind):
                raise ValueError(f"{name} must be a {kind.__name__}, got {show_value(value)}")
        object.__setattr__(
            self, "constant", float(check_number(self.constant, "constant", 0, above=True))
        )
        self._check_mass()
        if self.is_broken and not self.allow_broken:
            self._check_finite()
            x = self.touch_point
            raise ValueError(
                f"constant must be at least {self.smallest_constant:.6g}, got {self.constant:g}: "
                f"the envelope is {self.height(x):.4g} at x = {x:.4g} where the target is "
                f"{self.target(x):.4g}"
            )

    def _check_mass(self) -> None:
        """Refuse a `pdf` that is no density on the target's support."""
        grid, mass = self.target.grid, self._mass[0][-1]
        if mass <= 1 + _MASS_SLACK:
            return
        # The sum over the grid may be too large where the density is steep: look closer.
        density = self.proposal.density
        try:
            mass = area(density, cuts_of(density, grid, self.target.low, self.target.high))
        except ValueError:
            mass = np.inf  # not even finite, or too rough to tell
        if mass > 1 + _MASS_SLACK:
            raise ValueError(
                f"proposal.pdf must have an area of at most 1 on the target's support, got "
                f"{mass:.6g} for {self.proposal.name}"
            )

    @cached_property
    def _mass(self) -> tuple[Array, Array, Array]:
        """The proposal's mass from the grid's first point to each, its error, and the heights."""
        grid = self.target.grid
        heights = self.proposal.density(grid)
        fine = np.r_[0, (np.diff(grid) * (heights[1:] + heights[:-1]) / 2).cumsum()]
        rough = np.r_[0, (np.diff(grid[::2]) * (heights[2::2] + heights[:-2:2]) / 2).cumsum()]
        # A jump moves the two sums apart by more than it moves the fine one from the truth.
        apart = np.maximum.accumulate(abs(fine[::2] - rough))
        after = np.append(apart[1:], apart[-1])  # a point between two takes the later one's
        return fine, _MASS_SLACK + np.c_[apart, after].ravel()[: len(grid)], heights

    @cached_property
    def _marks(self) -> tuple[Array, Array, Array]:
        """Points up to which candidates are counted, the mass up to each, and its error."""
        mass, error, _ = self._mass
        shares = np.linspace(0, mass[-1], _MARKS + 1)[1:]
        last = np.minimum(np.searchsorted(mass, shares), len(mass) - 1)
        return self.target.grid[last], mass[last], error[last]

    def _check_draws(self, candidates: Array, densities: Array) -> None:
        """Refuse candidates that plainly do not follow the proposal's density.

        Up to each of some points of the target's support the candidates are counted, and each
        count must be one that independent draws can give: by Chernoff's bound all counts of a
        right `draw` stay within the limits but once in 10**9 calls.
        """
        from scipy.special import rel_entr

        grid, n = self.target.grid, len(candidates)
        heights = self._mass[2]
        within = (candidates >= grid[0]) & (candidates <= grid[-1])
        some = candidates[:_LOOKED_AT]  # enough to meet every peak that matters
        cell = np.clip(np.searchsorted(grid, some), 1, len(grid) - 1)
        around = np.maximum(heights[cell - 1], heights[cell])
        if not n or (within[:_LOOKED_AT] & (densities[:_LOOKED_AT] > 2 * around)).any():
            return  # a peak between two points of the grid: its mass is not known
        points, mass, error = self._marks
        place = np.searchsorted(points, candidates[within])
        seen = np.bincount(place, minlength=len(points) + 1)[: len(points)].cumsum() / n
        near = np.clip(seen, np.clip(mass - error, 0, 1), np.clip(mass + error, 0, 1))
        surprise = n * (rel_entr(seen, near) + rel_entr(1 - seen, 1 - near))
        worst = int(np.argmax(surprise))
        if surprise[worst] > np.log(2 * len(points) / _FALSE_ALARM):
            raise ValueError(
                f"proposal.draw must follow proposal.pdf, got {seen[worst]:.3g} of {n} candidates "
                f"in [{grid[0]:.4g}, {points[worst]:.4g}] where the density has {mass[worst]:.3g}"
            )

    def _check_finite(self) -> None:
        if not np.isfinite(self.smallest_constant):
            raise ValueError(
                f"proposal must cover the target with a finite constant, got {self.proposal.name}: "
                f"f/g has no bound near x = {self.touch_point:.4g}"
            )

    def height(self, x: ArrayLike) -> Array:
        """Return C g(x).

        Parameters
        ----------
        x : array_like
            Points.

        Returns
        -------
        ndarray
        """
        return np.asarray(self.constant * self.proposal.pdf(as_points(x)))

    def _ratio(self, x: Array) -> Array:
        f, g = self.target(x), self.proposal.pdf(x)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.where(f > 0, f / g, 0.0)

    @cached_property
    def _floor(self) -> float:
        """The height below which the target is negligible: rounding, not mass, is left there."""
        peak = float(self.target(self.target.grid).max())
        return min(max(_NEGLIGIBLE * peak, _DENORMAL), 1e-10 * peak)

    def _bound(self, x: Array) -> Array:
        """Return f/g where it asks something of the constant: where f is not negligible.

        Further out both are denormal numbers, and their ratio is that of a few last digits.
        """
        return np.asarray(np.where(self.target(x) > self._floor, self._ratio(x), 0.0))

    @cached_property
    def _touch(self) -> tuple[float, float]:
        x, ratio = maximum(self._bound, self.target.grid)
        end = self._rising_end()
        return (x, ratio) if end is None else (end, np.inf)

    def _rising_end(self) -> float | None:
        """Return how far out f/g still rises on an infinite side; then no constant is enough.

        Numbers end where f underflows, so the question is asked a little before that: there the
        ratio must not exceed what it is over the inner half of the way.
        """
        grid, ratio = self.target.grid, self._bound(self.target.grid)
        seen = self.target(grid) > self._floor
        for end, side in ((self.target.low, grid < 0), (self.target.high, grid > 0)):
            there = np.flatnonzero(seen & side)
            if np.isfinite(end) or len(there) < 10:
                continue
            outer = there[np.argmax(abs(grid[there]))]
            inner = seen & (abs(grid) <= abs(grid[outer]) / 2)
            if inner.any() and ratio[outer] > 1.01 * max(
                ratio[inner].max(), ratio[seen].max() / 1.02
            ):
                return float(grid[outer])
        return None

    @property
    def smallest_constant(self) -> float:
        """The smallest C that keeps C g above f: the largest f/g (``inf`` if there is none)."""
        return self._touch[1]

    @property
    def touch_point(self) -> float:
        """Where the tightest envelope touches the target."""
        return self._touch[0]

    @cached_property
    def touch_points(self) -> tuple[float, ...]:
        """Where the tightest envelope touches the target, from left to right (single points)."""
        found = peaks(self._bound, self.target.grid)
        near = [x for x, height in found if height >= self.smallest_constant * (1 - _SLACK)]
        near.sort()
        grid = self.target.grid
        # Nearer than two gaps of the grid it is one point, seen twice.
        gaps = np.interp(near, grid[1:], np.diff(grid))
        apart = np.diff(near, prepend=-np.inf) > 2 * gaps
        return tuple(x for x, new in zip(near, apart, strict=True) if new)

    @property
    def is_broken(self) -> bool:
        """Whether the envelope dips below the target."""
        return self.constant < self.smallest_constant * (1 - _SLACK)

    def acceptance_at(self, x: ArrayLike) -> Array:
        r"""Return P(accept | x) = min(1, f(x) / (C g(x))), 0 where the target is 0.

        Parameters
        ----------
        x : array_like
            Points.

        Returns
        -------
        ndarray
        """
        with np.errstate(over="ignore"):
            return np.asarray(np.minimum(1.0, self._ratio(as_points(x)) / self.constant))

    def survivor_weight(self, x: ArrayLike) -> Array:
        """Return min(f(x), C g(x)): the kept part, f itself while the envelope holds.

        Parameters
        ----------
        x : array_like
            Points.

        Returns
        -------
        ndarray
        """
        return np.minimum(self.target(x), self.height(x))

    @cached_property
    def _kept_area(self) -> float:
        if not self.is_broken:
            return self.target.integral
        return kinked_area(self.survivor_weight, self.target.cuts)

    @property
    def acceptance(self) -> float:
        """The share of darts that survive: Z / C while the envelope holds."""
        return self._kept_area / self.constant

    def survivor_density(self, x: ArrayLike) -> Array:
        """Return the law of the survivors: f / Z while the envelope holds.

        Parameters
        ----------
        x : array_like
            Points.

        Returns
        -------
        ndarray
        """
        return np.asarray(self.survivor_weight(x) / self._kept_area)

    @cached_property
    def bias(self) -> float:
        """Total variation between the survivors' law and f / Z: 0 while the envelope holds."""
        if not self.is_broken:
            return 0.0

        def gap(x: Array) -> Array:
            return np.asarray(abs(self.survivor_density(x) - self.target.density(x)))

        return kinked_area(gap, self.target.cuts) / 2


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
        If `n` is out of range, `rng` is not a Generator, or the proposal's `draw` does not return
        `n` finite numbers that follow its `pdf`.

    Notes
    -----
    Whether the draws follow the density is told by how many candidates lie below each of 32
    points of the target's support. A right `draw` is refused once in 10**9 calls at most
    (Chernoff's bound). So a few draws show little, and thousands a gap of some hundredths; a
    density with a peak between two points of the target's grid is let through unseen.
    """
    _check_envelope(envelope)
    check_whole(n, "n", 0, LARGEST)
    candidates = as_points(envelope.proposal.draw(check_rng(rng), n), "proposal.draw")
    if candidates.shape != (n,):
        raise ValueError(f"proposal.draw must return {n} numbers, got shape {candidates.shape}")
    if not np.isfinite(candidates).all():
        odd = candidates[~np.isfinite(candidates)][0]
        raise ValueError(f"proposal.draw must return finite numbers, got {odd}")
    densities = envelope.proposal.density(candidates)
    envelope._check_draws(candidates, densities)
    uniforms = rng.random(n)
    heights = uniforms * (envelope.constant * densities)
    accepted = heights < envelope.target(candidates)
    return EnvelopeTrace(candidates, uniforms, heights, accepted, envelope.constant)


def _check_envelope(envelope: object) -> None:
    if not isinstance(envelope, Envelope):
        raise ValueError(f"envelope must be an Envelope, got {show_value(envelope)}")


def draw_survivors(envelope: Envelope, size: int, rng: np.random.Generator) -> Array:
    """Draw exactly `size` points of law f / Z by throwing darts until enough survive.

    Parameters
    ----------
    envelope : Envelope
    size : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of float, shape (size,)

    Raises
    ------
    ValueError
        As `rejection_trace`, or if more than 2**25 darts would be needed.
    """
    _check_envelope(envelope)
    check_whole(size, "size", 0, _MOST_DARTS)
    check_rng(rng)
    expected = max(size, 1) / max(envelope.acceptance, 1e-300)
    if expected > _MOST_DARTS:
        raise ValueError(
            f"size must need at most {_MOST_DARTS} darts, got {size} at an acceptance of "
            f"{envelope.acceptance:.3g}"
        )
    kept: list[Array] = []
    missing, thrown = size, 0
    while missing > 0:
        if thrown > 10 * expected + 1000:
            raise ValueError(
                f"proposal.draw must follow proposal.pdf, got {size - missing} survivors of "
                f"{thrown} darts where {envelope.acceptance:.3g} of them should survive"
            )
        darts = min(int(missing / envelope.acceptance * 1.1) + 16, 1_000_000)
        kept.append(rejection_trace(envelope, darts, rng).survivors[:missing])
        missing -= len(kept[-1])
        thrown += darts
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
    check_number(scale, "scale")
    if scale < 1:
        raise ValueError(
            f"scale must be at least 1, got {float(scale):g}: a narrower proposal "
            "has no finite constant"
        )
    return float(np.exp(-dimension * np.log(scale)))


def gaussian_accepts(dimension: int, scale: float, n: int, rng: np.random.Generator) -> int:
    r"""Throw `n` darts at a standard Gaussian under a wider one and count those accepted.

    A candidate x is kept when :math:`u < \exp(-|x|^2 (1 - \sigma^{-2}) / 2)`. Only its squared
    length matters, and that is drawn at once: :math:`|x|^2 = \sigma^2 \chi^2_d`.

    Parameters
    ----------
    dimension, scale
        As in `gaussian_acceptance`.
    n : int
    rng : numpy.random.Generator
        Used for all lengths, then for all uniforms.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        As `gaussian_acceptance`, or if `n` is negative or `rng` not a Generator.
    """
    gaussian_acceptance(dimension, scale)  # for its checks
    check_whole(n, "n", 0, LARGEST)
    squared = scale**2 * check_rng(rng).chisquare(dimension, n)
    return int((rng.random(n) < np.exp(-squared * (1 - scale**-2) / 2)).sum())
