"""What an audit reads: the law that is claimed, and the draws that a sampler returned.

A law may be an array over tokens, an array over sequences or a dict; draws may come as lists, as
numpy arrays or as tensors. Everything is turned into one number per draw, the index of its outcome.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from draftproof.finite import Array, as_array, as_law, show_value

__all__ = ["OUTSIDE", "Outcomes", "read_draws", "read_law"]

OUTSIDE = -1
"""The index of a draw that is no outcome of the law at all."""

_PAD = -1  # fills short sequences up to the longest; no token is negative


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The outcomes of a law, numbered, and how probable each is.

    Attributes
    ----------
    law : ndarray of float64, shape (K,)
        Sums to 1.
    possible : ndarray of bool, shape (K,)
        Whether the outcome has any probability; asked before Fractions become floats.
    shape : tuple of int
        ``(V,)`` for tokens, ``(V,) * L`` for an array over sequences, ``()`` for a dict.
    keys : ndarray of int, shape (K, L), or None
        The sequences of a dict, short ones filled up with -1.
    scalar : bool
        Whether an outcome is one token rather than a sequence.
    """

    law: Array
    possible: NDArray[np.bool_]
    shape: tuple[int, ...]
    keys: NDArray[np.int64] | None
    scalar: bool

    @property
    def length(self) -> int:
        """L, the longest sequence of tokens in one outcome."""
        return len(self.shape) if self.keys is None else int(self.keys.shape[1])

    def name(self, index: int) -> str:
        """Return an outcome in words: ``token 3`` or ``sequence (0, 1)``.

        Parameters
        ----------
        index : int
            The outcome's number.

        Returns
        -------
        str
        """
        if self.keys is None:
            return _name([int(i) for i in np.unravel_index(index, self.shape)], self.scalar)
        return _name([int(token) for token in self.keys[index]], self.scalar)

    def index(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the outcome of each row of tokens, shape (n, L), or `OUTSIDE`.

        Parameters
        ----------
        rows : ndarray of int, shape (n, L)
            One draw a row.

        Returns
        -------
        ndarray of int, shape (n,)
        """
        if self.keys is None:
            sizes = np.array(self.shape)
            inside = np.asarray(((rows >= 0) & (rows < sizes)).all(axis=1))
            flat = np.ravel_multi_index(tuple(np.where(inside[:, None], rows, 0).T), self.shape)
            return np.where(inside, flat, OUTSIDE)
        longer = [_PAD] * (rows.shape[1] - self.length)
        known = {(*key, *longer): i for i, key in enumerate(self.keys.tolist())}
        distinct, inverse = np.unique(rows, axis=0, return_inverse=True)
        found = np.array([known.get(tuple(row), OUTSIDE) for row in distinct.tolist()])
        return np.asarray(found[inverse.reshape(-1)])


def _name(tokens: list[int], scalar: bool) -> str:
    if scalar:
        return f"token {tokens[0]}"
    kept = [token for token in tokens if token != _PAD]
    return f"sequence ({', '.join(map(str, kept))}{',' if len(kept) == 1 else ''})"


def read_law(law: ArrayLike | Mapping[Any, Any], name: str = "law") -> Outcomes:
    """Return the outcomes of a law over tokens or over sequences.

    Parameters
    ----------
    law : array_like, shape (V,) or (V,) * L; or mapping
        Floats or Fractions that sum to 1. A mapping goes from a token, or from a tuple of tokens,
        to its probability; tuples may differ in length.
    name : str
        How error messages call the argument.

    Returns
    -------
    Outcomes

    Raises
    ------
    ValueError
        If the masses are not a law, the array is empty, or a key is not made of tokens.
    """
    if isinstance(law, Mapping):
        keys, scalar = _read_keys(law, name)
        masses = _one_law(list(law.values()), name)
        return Outcomes(*_floats(masses), (), keys, scalar)
    array = as_array(law, name)
    if array.ndim < 1 or array.size == 0 or len(set(array.shape)) > 1:
        raise ValueError(
            f"{name} must have shape (V,), or (V, ..., V) for sequences, got shape {array.shape}"
        )
    # Only a tensor itself still tells that it came in bfloat16.
    flat = law if array.ndim == 1 else array.reshape(-1)
    masses = _one_law(flat, name)
    return Outcomes(*_floats(masses), array.shape, None, array.ndim == 1)


def _one_law(values: Any, name: str) -> Array:
    if len(values) == 0:
        raise ValueError(f"{name} needs at least one outcome, got none")
    checked = as_law(values, name)
    if checked.ndim != 1:
        raise ValueError(
            f"{name} must give one probability to each outcome, got {show_value(values)}"
        )
    return checked


def _floats(masses: Array) -> tuple[Array, NDArray[np.bool_]]:
    floats = masses.astype(np.float64)
    return floats / floats.sum(), np.asarray(masses > 0).astype(bool)


def _read_keys(law: Mapping[Any, Any], name: str) -> tuple[NDArray[np.int64], bool]:
    scalar = all(_is_token(key) for key in law)
    rows = [(key,) if scalar else key for key in law]
    for row in rows:
        if not isinstance(row, tuple) or not all(_is_token(token) for token in row):
            raise ValueError(
                f"{name} must go from tokens or tuples of tokens, got the key {show_value(row)}"
            )
    longest = max((len(row) for row in rows), default=0)
    if not longest:
        raise ValueError(f"{name} needs at least one outcome with a token, got {show_value(law)}")
    filled = [(*row, *[_PAD] * (longest - len(row))) for row in rows]
    return np.array(filled, dtype=np.int64).reshape(len(filled), longest), scalar


def _is_token(value: Any) -> bool:
    whole = isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))
    return whole and 0 <= int(value) < 2**62


def read_draws(values: Any, n: int, outcomes: Outcomes) -> tuple[NDArray[np.int64], str | None]:
    """Return the outcome of each of `n` draws, and the first impossible one in words.

    Parameters
    ----------
    values : array_like of int, shape (n,) or (n, L)
        What a sampler returned: an array, a tensor, a list, or a list of sequences (tuples, lists,
        arrays or tensors, whose lengths may differ if the law's do; -1 at the end of a row is
        padding).
    n : int
    outcomes : Outcomes

    Returns
    -------
    tuple
        Indices, shape (n,), and None or a sentence that names the first draw without probability.

    Raises
    ------
    ValueError
        If the draws are not whole numbers, or there are not `n` of them in the right shape.
    """
    rows = _rows(values, n, outcomes)
    index = outcomes.index(rows)
    bad = np.flatnonzero((index == OUTSIDE) | ~outcomes.possible[index])
    if bad.size == 0:
        return index, None
    first = int(bad[0])
    what = _name([int(token) for token in rows[first]], outcomes.scalar)
    why = "is not in the law" if index[first] == OUTSIDE else "has probability 0"
    return index, f"{what} {why}, and the sampler returned it (draw {first} of {n})"


def _rows(values: Any, n: int, outcomes: Outcomes) -> NDArray[np.int64]:
    """Return draws as whole numbers, shape (n, L); tuples of a dict may be longer."""
    ragged = _is_ragged(values)
    array = _as_array(_filled(values, outcomes.length) if ragged else values)
    if array.dtype.kind not in "iu":
        raise ValueError(
            f"sampler must return whole numbers, got {array.dtype} values {show_value(values)}"
        )
    if outcomes.scalar and array.shape == (n, 1):
        array = array[:, 0]
    wanted: tuple[int, ...] = (n,) if outcomes.scalar else (n, outcomes.length)
    longer = ragged and outcomes.keys is not None and array.shape[:1] == (n,)
    if array.shape != wanted and not longer:
        raise ValueError(f"sampler must return shape {wanted}, got shape {array.shape}")
    if array.dtype == np.uint64:  # a token beyond int64 is out of range whatever the law is
        array = np.minimum(array, np.uint64(np.iinfo(np.int64).max))
    return array.astype(np.int64).reshape(n, -1)


def _is_ragged(values: Any) -> bool:
    """Tell whether draws come as sequences of their own: tuples, or rows of several lengths."""
    if not isinstance(values, (list, tuple)):
        return False
    lengths = {len(row) if _is_row(row) else None for row in values}
    return len(lengths) > 1 or any(isinstance(row, tuple) for row in values)


def _is_row(value: Any) -> bool:
    """Tell whether a draw is a sequence of tokens; an array or tensor of one axis is."""
    return isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) == 1


def _as_array(values: Any) -> Array:
    if values is None:
        raise ValueError("sampler must return its draws, got None")
    try:
        return as_array(values, "sampler")
    except ValueError as error:
        raise ValueError(
            f"sampler must return an array of whole numbers, got {show_value(values)}"
        ) from error


def _filled(rows: Any, length: int) -> list[Any]:
    """Fill sequences up to the law's longest; what is longer stays and is reported as it is."""
    if not all(_is_row(row) for row in rows):
        raise ValueError(f"sampler must return sequences of tokens only, got {show_value(rows)}")
    longest = max(length, max(len(row) for row in rows))
    return [(*_listed(row), *[_PAD] * (longest - len(row))) for row in rows]


def _listed(row: Any) -> Any:
    return row.tolist() if hasattr(row, "tolist") else row
