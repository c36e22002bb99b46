"""The machine inside `draftproof.finite.inverse_cdf`: many uniforms to tokens of one law."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod

import numpy as np
from numpy.typing import NDArray

from draftproof.checks import Array

__all__ = ["PIECE", "last_with_mass", "pieces_of", "turn_many"]


def last_with_mass(law: Array) -> Array:
    """Return the last token with mass: where u * total rounds up to total, it owns that end.

    Parameters
    ----------
    law : ndarray
        One law, shape (V,).

    Returns
    -------
    ndarray
    """
    return np.asarray(law.shape[-1] - 1 - (law[..., ::-1] > 0).argmax(axis=-1))


# Runs are walked in pieces that stay in the cache; from `_GUIDED` points on a guide table pays.
PIECE, _GUIDED = 16384, 4096


def pieces_of(points: Array) -> Iterator[Array]:
    """Cut a run of uniforms into pieces of at most `PIECE`.

    Parameters
    ----------
    points : ndarray
        The uniforms, flat.

    Yields
    ------
    ndarray
        A view of at most `PIECE` of them.
    """
    for start in range(0, points.size, PIECE):
        yield points[start : start + PIECE]


def turn_many(law: Array, shape: tuple[int, ...], pieces: Iterator[Array]) -> NDArray[np.int64]:
    """Turn pieces of uniforms into an array of tokens of one law.

    Parameters
    ----------
    law : ndarray
        One law, shape (V,).
    shape : tuple of int
        Of the answer.
    pieces : ndarray
        The uniforms, as many as the shape holds.

    Returns
    -------
    ndarray of int
    """
    tokens = np.empty(prod(shape), dtype=np.int64)
    turn = _guided(law) if tokens.size >= _GUIDED else _search(law)
    start = 0
    for piece in pieces:
        tokens[start : start + piece.size] = turn(piece)
        start += piece.size
    return tokens.reshape(shape)


def _search(law: Array) -> Callable[[Array], Array]:
    cdf, last = law.cumsum(), last_with_mass(law)

    def turn(points: Array) -> Array:
        return np.asarray(np.minimum(np.searchsorted(cdf, points * cdf[-1], side="right"), last))

    return turn


def _guided(law: Array) -> Callable[[Array], Array]:
    """Return what `_search` returns, but faster: most cells of a fine grid lie in one token.

    The number of cells is a power of two, so that ``place * cells`` is exact and no point lands
    in a neighbour's cell. Only points in a cell that holds a border are searched for.
    """
    cdf, turn_border = law.cumsum(), _search(law)
    cells = 1 << min(16, (64 * len(cdf)).bit_length())
    edges = np.arange(cells + 2) / cells
    first = np.searchsorted(cdf, edges[:-1], side="right")
    whole = first == np.searchsorted(cdf, edges[1:], side="left")
    guide = np.where(whole, np.minimum(first, last_with_mass(law)), -1)

    def turn(points: Array) -> Array:
        tokens = guide.take((points * cdf[-1] * cells).astype(np.int64), mode="clip")
        border = np.flatnonzero(tokens < 0)
        tokens[border] = turn_border(points[border])
        return np.asarray(tokens)

    return turn
