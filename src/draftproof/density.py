"""Densities on the line: a target that can be evaluated, proposals that can be drawn from.

`draftproof.envelope` has the names that the book uses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from draftproof._areas import area, cuts_of, maximum
from draftproof.checks import as_numbers
from draftproof.finite import Array, ArrayLike, as_law, check_number, draw, show_value

__all__ = ["Function", "Proposal", "Target", "as_points"]

Function = Callable[[Array], Array]


def as_points(x: ArrayLike, name: str = "x") -> Array:
    """Return `x` as float64.

    Parameters
    ----------
    x : array_like
    name : str
        How the error message calls the argument.

    Returns
    -------
    ndarray of float64

    Raises
    ------
    ValueError
        If an entry is not a real number.
    """
    return as_numbers(x, name)[0].astype(np.float64)


def _check_end(value: Any, name: str) -> float:
    infinite = isinstance(value, (float, np.floating)) and np.isinf(value)
    return float(value if infinite else check_number(value, name))


def _check_scale(value: Any, name: str) -> float:
    """Return a width whose square and inverse are still numbers."""
    return float(check_number(value, name, 1e-100, 1e100))


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

    Notes
    -----
    The function is read on a grid of 20,001 points (`grid`). A peak narrower than the grid's gaps
    is not seen.

    Raises
    ------
    ValueError
        If the support is empty, or the function is no function of arrays, or it is negative, not
        finite, or 0 everywhere.
    """

    function: Function
    low: float = -np.inf
    high: float = np.inf
    name: str = "f"

    def __post_init__(self) -> None:
        """Check the function on a grid over its support."""
        if not callable(self.function):
            raise ValueError(f"function must be a callable, got {show_value(self.function)}")
        if not _check_end(self.low, "low") < _check_end(self.high, "high"):
            raise ValueError(f"low must be below high, got [{self.low}, {self.high}]")
        try:
            heights = self(self.grid)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"function must take an array of points and return their heights, got {error}"
            ) from error
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
        points = as_points(x)
        inside = (points >= self.low) & (points <= self.high)
        # Points outside are moved in before the call: the formula need not make sense there.
        safe = np.where(inside, points, self._inner)
        heights = as_points(self.function(safe), "function(x)")
        return np.asarray(np.where(inside, heights, 0.0))

    @property
    def _inner(self) -> float:
        if np.isfinite(self.low) and np.isfinite(self.high):
            return self.low + (self.high - self.low) / 2
        return self._anchor + (1.0 if np.isfinite(self.low) else -1.0)

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
        return area(self, self.cuts)

    @cached_property
    def cuts(self) -> Array:
        """Points from `low` to `high` that share the target's area among them."""
        return cuts_of(self, self.grid, self.low, self.high)

    @cached_property
    def peak(self) -> tuple[float, float]:
        """Where the target is highest, and how high: (x, f(x))."""
        x, height = maximum(self, self.grid)
        return x, height

    def density(self, x: ArrayLike) -> Array:
        """Return f(x) / Z, the law that the survivors follow.

        Parameters
        ----------
        x : array_like
            Points.

        Returns
        -------
        ndarray
            0 outside the support.
        """
        return np.asarray(self(x) / self.integral)


@dataclass(frozen=True)
class Proposal:
    """A density that can be drawn from. Make one with a class method.

    Attributes
    ----------
    pdf : callable
        From an array of points to their densities, finite and not negative; it integrates to 1.
    draw : callable
        From a generator and a count to that many draws, independent and of that density.
    name : str

    Notes
    -----
    A proposal of one's own is checked where it is used: its `pdf` when an `Envelope` is built, on
    the target's support; its `draw` in `rejection_trace` and `draw_survivors`, by how many
    candidates fall where.

    Raises
    ------
    ValueError
        If `pdf` or `draw` is not callable.
    """

    pdf: Function
    draw: Callable[[np.random.Generator, int], Array]
    name: str

    def __post_init__(self) -> None:
        """Check what can be checked without calling."""
        for name, value in (("pdf", self.pdf), ("draw", self.draw)):
            if not callable(value):
                raise ValueError(f"{name} must be a callable, got {show_value(value)}")

    def density(self, x: Array) -> Array:
        """Return the densities at some points, checked.

        Parameters
        ----------
        x : ndarray of float64

        Returns
        -------
        ndarray of float64, the shape of `x`

        Raises
        ------
        ValueError
            If `pdf` does not take an array of points, or returns what is no density: negative, not
            finite, or of another shape.
        """
        try:
            heights = np.broadcast_to(as_points(self.pdf(x), "what it returns"), x.shape)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"proposal.pdf must take an array of points and return their densities, got {error}"
            ) from error
        bad = ~(np.isfinite(heights) & (heights >= 0))
        if bad.any():
            raise ValueError(
                f"proposal.pdf must be finite and not negative, got {heights[bad][0]:g} at x = "
                f"{x[bad][0]:.6g}"
            )
        return heights

    @classmethod
    def uniform(cls, low: float = 0.0, high: float = 1.0) -> Proposal:
        """Return the flat density on [low, high].

        Parameters
        ----------
        low, high : float

        Returns
        -------
        Proposal

        Raises
        ------
        ValueError
            If an end is not finite, or `high` is not above `low`.
        """
        a, b = float(check_number(low, "low")), float(check_number(high, "high"))
        if not b - a >= 1e-100:
            raise ValueError(f"high must be above low, got low = {a:g} and high = {b:g}")

        def pdf(x: Array) -> Array:
            return np.where((x >= a) & (x <= b), 1.0 / (b - a), 0.0)

        return cls(pdf, lambda rng, n: rng.uniform(a, b, n), f"uniform on [{a:g}, {b:g}]")

    @classmethod
    def normal(cls, mean: float = 0.0, sd: float = 1.0) -> Proposal:
        """Return the Gaussian density.

        Parameters
        ----------
        mean, sd : float

        Returns
        -------
        Proposal

        Raises
        ------
        ValueError
            If `mean` is not finite or `sd` not positive.
        """
        m, s = float(check_number(mean, "mean")), _check_scale(sd, "sd")

        def pdf(x: Array) -> Array:
            bell = np.exp(-0.5 * ((x - m) / s) ** 2)
            return np.asarray(bell / (s * np.sqrt(2 * np.pi)))

        return cls(pdf, lambda rng, n: rng.normal(m, s, n), f"normal({m:g}, {s:g})")

    @classmethod
    def exponential(cls, scale: float = 1.0) -> Proposal:
        """Return the density ``exp(-x / scale) / scale`` on x >= 0.

        Parameters
        ----------
        scale : float

        Returns
        -------
        Proposal

        Raises
        ------
        ValueError
            If `scale` is not positive.
        """
        s = _check_scale(scale, "scale")

        def pdf(x: Array) -> Array:
            return np.where(x >= 0, np.exp(-np.maximum(x, 0) / s) / s, 0.0)

        return cls(pdf, lambda rng, n: rng.exponential(s, n), f"exponential({s:g})")

    @classmethod
    def cauchy(cls, location: float = 0.0, scale: float = 1.0) -> Proposal:
        """Return the Cauchy density.

        Parameters
        ----------
        location, scale : float

        Returns
        -------
        Proposal

        Raises
        ------
        ValueError
            If `location` is not finite or `scale` not positive.
        """
        m, s = float(check_number(location, "location")), _check_scale(scale, "scale")

        def pdf(x: Array) -> Array:
            return 1.0 / (np.pi * s * (1 + ((x - m) / s) ** 2))

        return cls(pdf, lambda rng, n: m + s * rng.standard_cauchy(n), f"Cauchy({m:g}, {s:g})")

    @classmethod
    def mixture(cls, parts: Sequence[Proposal], weights: ArrayLike) -> Proposal:
        """Return the density that draws from one of `parts`, chosen with `weights`.

        Parameters
        ----------
        parts : sequence of Proposal
        weights : array_like
            A law over the parts.

        Returns
        -------
        Proposal

        Raises
        ------
        ValueError
            If a part is no Proposal, the weights are not a law, or not one for each part.
        """
        if not isinstance(parts, Sequence) or not all(isinstance(one, cls) for one in parts):
            raise ValueError(f"parts must be a sequence of proposals, got {show_value(parts)}")
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
