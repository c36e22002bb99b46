"""Keys and values of the tokens seen so far, in one preallocated block.

A cache is rolled back by its lengths alone: entries past a row's length are stale, never read, and
overwritten by what comes next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

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
        self._held = self._fresh = _Parts(self.entries[:0])

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
        end = start + new
        if end > self.capacity:
            raise ValueError(
                f"the cache holds {self.capacity} tokens a row, got {start} and {new} more"
            )
        # Keys and values of all layers in turn: one call makes the views that a pass needs.
        turns = self.entries.flatten(0, 1)
        self._held = _Parts(turns.narrow(3, 0, end))
        if min(self.lengths) == start:
            self._positions = None
            self._fresh = _Parts(turns.narrow(3, start, new))
            # One new token may look at everything: no mask, and a faster kernel.
            self._mask = None if new == 1 else _barred(self.entries, new, end).triu_(start + 1)
            return slice(start, end)
        lengths = torch.tensor(self.lengths, device=self._rows.device)
        self._positions = lengths[:, None] + self._places[:new]
        seen = self._places[:end] <= self._positions[..., None]
        self._mask = _barred(self.entries, new, end).masked_fill(seen, 0)[:, None]
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
        mask : Tensor or None
            Added to each new token's scores, (new, S) or (B, 1, new, S): 0 where it may look,
            -inf elsewhere; None: it may look at everything.
        """
        if self._positions is None:
            self._fresh.keys(layer).copy_(k)
            self._fresh.values(layer).copy_(v)
        else:
            self._held.keys(layer)[self._rows, :, self._positions] = k.transpose(1, 2)
            self._held.values(layer)[self._rows, :, self._positions] = v.transpose(1, 2)
        return self._held.keys(layer), self._held.values(layer), self._mask

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

    def __getstate__(self) -> dict[str, Any]:
        """Leave the views out: each is stored as a whole block, and the next pass makes others."""
        return {**self.__dict__, "_held": None, "_fresh": None}


class _Parts:
    """Keys and values of each layer, out of a block of all layers in turn."""

    def __init__(self, turns: Tensor) -> None:
        # With gradients a view must be made when it is used: the block is written to meanwhile.
        self._turns = turns if torch.is_grad_enabled() else turns.unbind()

    def keys(self, layer: int) -> Tensor:
        return self._turns[2 * layer]

    def values(self, layer: int) -> Tensor:
        return self._turns[2 * layer + 1]


def _barred(like: Tensor, new: int, end: int) -> Tensor:
    """Return a mask that lets no new token look anywhere, (new, end).

    It holds numbers, not truth values: attention would make those into numbers in every layer.
    """
    return like.new_full((new, end), -torch.inf)
