"""The stretches of a prefix tree: how a block of drafts cuts the probability of 1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .split import TINY

__all__ = ["Leaf", "Piece", "Rows", "fates", "split_by"]


@dataclass(frozen=True)
class Piece:
    """A stretch of a row: where it lies (shares of the row), what it emits, and its fate.

    Attributes
    ----------
    start : float
        Where it begins.
    width : float
        How wide it is.
    token : int
        What it emits.
    fate : str
        ``accepted``, ``residual`` or ``bonus``.
    drafted : int
        The draft it came from.
    """

    start: float
    width: float
    token: int
    fate: str
    drafted: int


@dataclass(frozen=True)
class Leaf:
    """A stretch that has emitted two tokens, at the end of its path.

    Attributes
    ----------
    start : float
        Where it begins.
    width : float
        How wide it is.
    output : tuple of int
        The two tokens.
    fate : str
        ``accepted``, ``residual`` or ``bonus``.
    """

    start: float
    width: float
    output: tuple[int, int]
    fate: str


def fates(p: np.ndarray, q: np.ndarray, start: float, width: float) -> Iterator[Piece]:
    """Cut a stretch by the draft, then by the verdict: kept, or corrected to another token.

    Parameters
    ----------
    p : ndarray
        Target law, shape (V,).
    q : ndarray
        Draft law, shape (V,).
    start : float
        Where the stretch begins, as a share of the row.
    width : float
        How wide it is.

    Yields
    ------
    Piece
        One stretch for each draft and verdict with mass.
    """
    gap = np.maximum(p - q, 0)
    at = start
    for x in range(len(p)):
        kept, cut = min(p[x], q[x]) * width, max(q[x] - p[x], 0) * width
        if kept > TINY:
            yield Piece(at, kept, x, "accepted", x)
            at += kept
        for y in np.flatnonzero(gap > TINY) if cut > TINY else ():
            part = cut * gap[y] / gap.sum()
            yield Piece(at, part, int(y), "residual", x)
            at += part


def split_by(p: np.ndarray, piece: Piece, fate: str) -> Iterator[Piece]:
    """Cut a stretch by the target alone: the next round after a correction, or the bonus.

    Parameters
    ----------
    p : ndarray
        Target law, shape (V,).
    piece : Piece
        The stretch.
    fate : str
        Of the new stretches.

    Yields
    ------
    Piece
        One stretch for each token with mass.
    """
    at = piece.start
    for x in range(len(p)):
        if p[x] > TINY:
            yield Piece(at, p[x] * piece.width, x, fate, x)
            at += p[x] * piece.width


@dataclass(frozen=True)
class Rows:
    """Where the rows of the tree lie, in pixels.

    Attributes
    ----------
    x : float
        Left end of the rows.
    wide : float
        Their width.
    draft : float
        Height of the row of drafts.
    fate : float
        Height of a row of fates.
    tops : tuple of float
        Upper ends of the four rows.
    """

    x: float
    wide: float
    draft: float
    fate: float
    tops: tuple[float, float, float, float]

    def box(self, piece: Piece | Leaf, y: float, high: float) -> tuple[float, float, float, float]:
        """Return the rectangle of a stretch at a height.

        Parameters
        ----------
        piece : Piece or Leaf
            The stretch.
        y : float
            Upper end in pixels.
        high : float
            Height in pixels.

        Returns
        -------
        tuple of float
            x, y, width, height.
        """
        return (self.x + piece.start * self.wide, y, piece.width * self.wide, high)
