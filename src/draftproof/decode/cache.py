"""Keys and values of the tokens seen so far, in one preallocated block.

A cache is rolled back by its lengths alone: entries past a row's length are stale, never read, and
overwritten by what comes next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor

from draftproof.checks import check_whole, show_value

__all__ = ["SLACK", "Cache", "shortened"]

SLACK = 64
"""Positions past the context: a row at its end still passes through a block of its neighbours."""


def shortened(held: Sequence[int], lengths: Sequence[int]) -> list[int]:
    """Return the new lengths of a cache's rows, if every row can be cut to them.

    Parameters
    ----------
    held : sequence of int
        Tokens in each row.
    lengths : sequence of int
        One a row, none longer than the row is.

    Returns
    -------
    list of int

    Raises
    ------
    ValueError
        If there is not one length a row, or one is negative or longer than the row.
    """
    pairs = zip(lengths, held, strict=False)
    if len(lengths) != len(held) or not all(0 <= new <= old for new, old in pairs):
        raise ValueError(
            f"lengths must be within {show_value(list(held))}, got {show_value(list(lengths))}"
        )
    return [int(length) for length in lengths]


class Shape(Protocol):
    """What a cache must know of the model that fills it."""

    @property
    def layers(self) -> int:
        """Blocks."""

    @property
    def kv_heads(self) -> int:
        """Heads of keys and values in a block."""

    @property
    def head_dim(self) -> int:
        """Width of a head."""

    @property
    def context(self) -> int:
        """The longest sequence."""


class Cache:
    """Keys and values for a batch whose rows may have different lengths.

    Parameters
    ----------
    shape : Config
        Of the model that fills it.
    batch : int
    capacity : int, optional
        Longest sequence held; the model's context and `SLACK` more if not given.
    dtype, device
        Of the entries.

    Attributes
    ----------
    lengths : list of int
        Tokens held in each row.

    Raises
    ------
    ValueError
        If `shape` is not the shape of a model, or a number is below 1.
    """

    def __init__(
        self,
        shape: Shape,
        batch: int = 1,
        capacity: int | None = None,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
    ) -> None:
        for name in ("layers", "kv_heads", "head_dim", "context"):
            if not isinstance(getattr(shape, name, None), int):
                raise ValueError(f"shape must be a Config, got {show_value(shape)}")
        batch = check_whole(batch, "batch", 1)
        whole = shape.context + SLACK
        self.capacity = (
            whole if capacity is None else min(check_whole(capacity, "capacity", 1), whole)
        )
        size = (shape.layers, 2, batch, shape.kv_heads, self.capacity, shape.head_dim)
        self.entries = torch.zeros(size, dtype=dtype, device=device)
        self.lengths = [0] * batch
        self._rows = torch.arange(batch, device=device)[:, None]
        self._places = torch.arange(self.capacity, device=device)
        self._mask: Tensor | None = None
        self._positions: Tensor | None = None
        self._end = 0

    def begin(self, new: int) -> Tensor | slice:
        """Make room for new tokens in every row; return their positions.

        Parameters
        ----------
        new : int
            Tokens a row.

        Returns
        -------
        slice or Tensor of int64, shape (B, new)
            Rows of one length give a slice.

        Raises
        ------
        ValueError
            If a row would grow past the capacity.
        """
        start = max(self.lengths)
        self._end = start + new
        if self._end > self.capacity:
            raise ValueError(
                f"the cache holds {self.capacity} tokens a row, got {start} and {new} more"
            )
        if min(self.lengths) == start:
            self._positions = None
            # One new token may look at everything: no mask, and a faster kernel.
            inside = self._places[start : self._end]
            self._mask = None if new == 1 else self._places[: self._end] <= inside[:, None]
            return slice(start, self._end)
        lengths = torch.tensor(self.lengths, device=self._rows.device)
        self._positions = lengths[:, None] + self._places[:new]
        self._mask = (self._places[: self._end] <= self._positions[..., None])[:, None]
        return self._positions

    def extend(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor | None]:
        """Store a layer's new keys and values; return all of them and the mask.

        Parameters
        ----------
        layer : int
        k, v : Tensor, shape (B, H, new, D)

        Returns
        -------
        k, v : Tensor, shape (B, H, S, D)
        mask : Tensor of bool, or None
            What each new token may look at, (new, S) or (B, 1, new, S); None: at everything.
        """
        entries = self.entries[layer]
        keys, values = entries[0], entries[1]
        if self._positions is None:  # `narrow` starts in a third of the time that a slice takes
            new = k.shape[2]
            keys.narrow(2, self._end - new, new).copy_(k)
            values.narrow(2, self._end - new, new).copy_(v)
        else:
            keys[self._rows, :, self._positions] = k.transpose(1, 2)
            values[self._rows, :, self._positions] = v.transpose(1, 2)
        return keys.narrow(2, 0, self._end), values.narrow(2, 0, self._end), self._mask

    def advance(self, new: int) -> None:
        """Count the tokens just stored as held.

        Parameters
        ----------
        new : int
            Tokens a row.
        """
        self.lengths = [length + new for length in self.lengths]

    def rollback(self, lengths: Sequence[int]) -> None:
        """Shorten every row to its new length.

        Parameters
        ----------
        lengths : sequence of int
            One a row, none longer than the row is.

        Raises
        ------
        ValueError
            If there is not one length a row, or one is negative or longer than the row.
        """
        self.lengths = shortened(self.lengths, lengths)
