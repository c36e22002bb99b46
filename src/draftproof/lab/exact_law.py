"""Laws over token sequences, and how far two of them lie apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from draftproof.finite import Array, as_number, show_value

__all__ = ["Law", "distance", "listed_law"]


class Law(dict[tuple[int, ...], Any]):
    """The probability of every token sequence; one that is not there has probability 0.

    A dict from sequences (tuples of token ids, all of one length) to their probabilities,
    Fractions or floats that sum to 1. Two laws are equal (``==``) if every sequence has the same
    probability; those of probability 0 are left out of both.
    """

    def __missing__(self, key: tuple[int, ...]) -> int:
        return 0


def listed_law(table: Array) -> Law:
    """Return an array over sequences as a law; what has probability 0 is left out.

    Parameters
    ----------
    table : ndarray, shape (V,) * n
        The probability of every sequence.

    Returns
    -------
    Law
    """
    if table.ndim == 0:
        return Law({(): as_number(table)})
    held = np.nonzero(table)
    sequences = zip(*(axis.tolist() for axis in held), strict=True)
    return Law(zip(sequences, table[held].tolist(), strict=True))


def distance(law: Mapping[Any, Any], other: Mapping[Any, Any]) -> Any:
    r"""Return the total variation distance of two laws over sequences.

    .. math:: \mathrm{TV}(P, P') = \tfrac12 \sum_y |P(y) - P'(y)|

    Parameters
    ----------
    law, other : mapping
        From sequences to probabilities, as `output_law` and `target_law` return them; a sequence
        that is missing has probability 0. For arrays there is `draftproof.total_variation`.

    Returns
    -------
    Fraction or float
        A Fraction (or 0) if both laws are in Fractions.

    Raises
    ------
    ValueError
        If a law is not a mapping.
    """
    for name, given in (("law", law), ("other", other)):
        if not isinstance(given, Mapping):
            raise ValueError(
                f"{name} must be a mapping from sequences to probabilities, got "
                f"{show_value(given)}; draftproof.total_variation compares arrays"
            )
    keys = law.keys() | other.keys()
    return sum((abs(law.get(y, 0) - other.get(y, 0)) for y in keys), start=0) / 2
