"""Areas under functions on the line, and their highest points."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from draftproof.checks import as_numbers
from draftproof.finite import Array, ArrayLike, show_value

__all__ = ["area", "bin_masses", "cuts_of", "kinked_area", "maximum", "peaks"]

Function = Callable[[Array], Array]


def cuts_of(function: Function, grid: Array, low: float, high: float) -> Array:
    """Return points between `low` and `high` with equal shares of a function between them.

    Quadrature from cut to cut steps over no peak that the grid has seen, however far out it is.

    Parameters
    ----------
    function : callable
        Not negative, and positive somewhere on the grid.
    grid : ndarray
        Rising points.
    low, high : float
        The ends of the cuts; may be infinite.

    Returns
    -------
    ndarray
        Rising, from `low` to `high`.
    """
    seen = np.asarray(function(grid))
    heights: Array = np.asarray(seen / seen.max())  # no overflow in the sums
    pieces = np.diff(grid) * (heights[1:] + heights[:-1]) / 2
    mass = np.r_[0, pieces.cumsum()] / pieces.sum()
    tails = np.array([1e-12, 1e-6, 1e-3])
    shares = np.r_[tails, np.linspace(0.025, 0.975, 39), 1 - tails[::-1]]
    inner: Array = np.asarray(np.interp(shares, mass, grid))
    return np.unique(np.r_[low, inner[(inner > low) & (inner < high)], high])


def area(function: Function, cuts: ArrayLike) -> float:
    """Return the area under a function: adaptive quadrature from each cut to the next.

    Parameters
    ----------
    function : callable
        Smooth, or with few corners.
    cuts : array_like
        Rising; the outer two may be infinite.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the area is not finite, or the quadrature cannot settle on it.
    """
    ends = np.asarray(cuts, dtype=np.float64)
    pieces = [_piece(function, low, high) for low, high in pairwise(ends)]
    total, error = (sum(column) for column in zip(*pieces, strict=True))
    if not np.isfinite(total) or not error <= 1e-6 * max(abs(total), 1e-300):
        raise ValueError(f"function must have a finite integral, got {total:g} +- {error:g}")
    return float(total)


def _piece(function: Function, low: float, high: float) -> tuple[float, float]:
    """Return the area between two cuts and its error."""
    from scipy.integrate import IntegrationWarning, quad

    start, turn = (high, -1.0) if np.isinf(low) else (low, 1.0)
    scale = max(1.0, abs(start))

    def at(x: float) -> float:
        return float(function(np.asarray(x)))

    def beyond(t: float) -> float:
        # The tail in units of its start: quadpack's own map of it looks no further than 100.
        return at(start + turn * scale * (1 - t) / t) * scale / t**2

    finite = bool(np.isfinite(low) and np.isfinite(high))
    integrand, left, right = (at, low, high) if finite else (beyond, 0.0, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IntegrationWarning)  # the caller looks at the error
        value, error = quad(integrand, left, right, limit=200, epsabs=0, epsrel=1e-9)[:2]
    return float(value), float(error)


def kinked_area(function: Function, cuts: Array) -> float:
    """Return the area of a function with corners, where adaptive quadrature is slow.

    Parameters
    ----------
    function : callable
    cuts : array_like
        As `area`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As `area`.
    """
    if np.isfinite(cuts).all():
        return float(bin_masses(function, np.linspace(cuts[0], cuts[-1], 2001)).sum())
    return area(function, cuts)


def peaks(function: Function, grid: Array) -> list[tuple[float, float]]:
    """Return the highest local maxima, each refined between its grid points, highest first.

    Parameters
    ----------
    function : callable
    grid : ndarray
        Rising points.

    Returns
    -------
    list of tuple
        (x, height); the first is the maximum. A height that is not finite stands alone.
    """
    from scipy.optimize import minimize_scalar

    endless: list[float] = []  # where the search met a height that is not finite

    def negated(x: float) -> float:
        height = float(function(np.asarray(x)))
        if not np.isfinite(height):
            endless.append(float(x))
        return -height

    heights = function(grid)
    top = int(np.argmax(heights))
    best = [(float(grid[top]), float(heights[top]))]
    if not np.isfinite(heights[top]):
        return best
    inner = np.flatnonzero((heights[1:-1] >= heights[:-2]) & (heights[1:-1] >= heights[2:])) + 1
    for i in inner[np.argsort(-heights[inner], kind="stable")[:8]]:
        with np.errstate(all="ignore"):  # the search subtracts heights, infinite ones as well
            found = minimize_scalar(
                negated,
                bounds=(grid[i - 1], grid[i + 1]),
                method="bounded",
                options={"xatol": 1e-12},
            )
        if endless:
            return [(endless[0], np.inf)]
        best.append((float(found.x), -float(found.fun)))
    return sorted(best, key=lambda peak: -peak[1])


def maximum(function: Function, grid: Array) -> tuple[float, float]:
    """Return the highest point of a function: the best grid points, each refined.

    Parameters
    ----------
    function : callable
    grid : ndarray
        Rising points.

    Returns
    -------
    tuple of float
        x and the height there.
    """
    return peaks(function, grid)[0]


def bin_masses(function: Function, edges: ArrayLike) -> Array:
    """Return the area under a function over each bin (Gauss-Legendre, 16 points a bin).

    Parameters
    ----------
    function : callable
        Smooth within a bin; `Target.density` or `Envelope.survivor_density`, for instance.
    edges : array_like, shape (n + 1,)
        Rising.

    Returns
    -------
    ndarray, shape (n,)

    Raises
    ------
    ValueError
        If `function` is not callable, or the edges are not finite and rising.
    """
    if not callable(function):
        raise ValueError(f"function must be a callable, got {show_value(function)}")
    ends = as_numbers(edges, "edges")[0].astype(np.float64)
    if ends.ndim != 1 or len(ends) < 2 or not np.isfinite(ends).all() or (np.diff(ends) <= 0).any():
        raise ValueError(f"edges must be finite and rising, at least two, got {show_value(edges)}")
    nodes, weights = np.polynomial.legendre.leggauss(16)
    half = np.diff(ends)[:, None] / 2
    points = ends[:-1, None] + half * (1 + nodes)
    return np.asarray((function(points) * weights * half).sum(axis=1))
