"""What a round takes on and what it refuses: the size of a tree, its drafts, their laws."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from draftproof.finite import Array, as_array
from draftproof.verifiers.shapes import NO_DRAFT

__all__ = [
    "MOST_NODES",
    "MOST_WAYS",
    "Children",
    "Proposals",
    "blank",
    "bounded",
    "check_drafted",
    "listed",
    "whole_rows",
]

MOST_NODES = 100_000
"""The most drafts that a round verifies."""

MOST_WAYS = 200_000
"""The most ways of drafting at one context that are written out."""

Children = tuple[int, ...]
Proposals = Callable[[Array, int], Iterable[tuple[Any, Children]]]
"""From q and a number of children to every way of drafting them: (probability, tokens)."""


def blank(shape: tuple[int, ...], exact: bool) -> Array:
    """Return zeros: Fractions' own (whole) zeros in an object array, or floats.

    Parameters
    ----------
    shape : tuple of int
    exact : bool
        Whether they are to hold Fractions.

    Returns
    -------
    ndarray
    """
    return np.zeros(shape, dtype=object if exact else np.float64)


def bounded(branching: tuple[int, ...], gamma: int) -> tuple[int, ...]:
    """Return the branching unless it stands for too many nodes.

    Parameters
    ----------
    branching : tuple of int
        Children at each depth.
    gamma : int
        For the message.

    Returns
    -------
    tuple of int

    Raises
    ------
    ValueError
        If they are more than `MOST_NODES`.
    """
    total = level = 1
    for width in branching:
        level *= width
        total += level
        if total > MOST_NODES + 1:
            raise ValueError(
                f"gamma must leave a tree of at most {MOST_NODES} drafts, got gamma = {gamma}"
            )
    return branching


def listed(ways: Iterable[tuple[Any, Children]], name: str) -> list[tuple[Any, Children]]:
    """Return all ways of drafting, unless they are too many to write out.

    Parameters
    ----------
    ways : iterable of (probability, tokens)
    name : str
        Of the rule, for the message.

    Returns
    -------
    list of (probability, tokens)

    Raises
    ------
    ValueError
        If they are more than `MOST_WAYS`.
    """
    found = list(islice(ways, MOST_WAYS + 1))
    if len(found) > MOST_WAYS:
        raise ValueError(
            f"draft(context) must leave at most {MOST_WAYS} ways of drafting for {name}, got more"
        )
    return found


def whole_rows(rows: ArrayLike, name: str) -> Any:
    """Return whole numbers as objects: one-hot laws of integers are as exact as Fractions.

    Anything else comes back as it is: bfloat16 is known only while it is a tensor.

    Parameters
    ----------
    rows : array_like
    name : str
        How error messages call it.

    Returns
    -------
    array_like
    """
    given = as_array(rows, name)
    return given.astype(object) if given.dtype.kind in "iu" else rows


def check_drafted(tokens: Array, q: Array, families: tuple[range, ...]) -> None:
    """Refuse drafts that are no tokens, or that `q` gives no probability.

    Parameters
    ----------
    tokens : ndarray of int, shape (N,)
        Breadth first.
    q : ndarray, shape (I, V)
    families : tuple of range
        From `children`.

    Raises
    ------
    ValueError
        If a token is not in the vocabulary, or has q = 0.
    """
    for at, family in enumerate(families):
        for node in (context - 1 for context in family):
            x = int(tokens[node])
            if x == NO_DRAFT and len(family) > 1:
                continue
            if not 0 <= x < q.shape[1]:
                raise ValueError(f"draft_tokens[{node}] must be in 0..{q.shape[1] - 1}, got {x}")
            if q[at, x] <= 0:
                raise ValueError(
                    f"draft_tokens[{node}] = {x} has q = 0: q must be the law that was drawn from"
                )
