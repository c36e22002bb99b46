"""Shapes that never change, so that a GPU can replay a whole pass instead of being told each step.

A small pass on a GPU takes as long as its hundreds of kernels take to launch. A CUDA graph records
them once and launches them together; but what it records must not depend on how much a cache
holds. So here the lengths are numbers on the device, new keys are written where they say, and
attention runs over the whole cache under a mask. On other devices the same shapes are computed
step by step.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from draftproof.checks import check_whole, show_value
from draftproof.decode.cache import SLACK, Cache, shortened
from draftproof.decode.models import Transformer
from draftproof.decode.scorer import send

__all__ = ["StaticCache", "StaticModel"]

_WARM = 3  # passes before a graph is recorded: libraries choose their kernels in the first ones


@dataclass(frozen=True)
class _Graph:
    """A recorded pass: fill `tokens`, replay, read `logits`."""

    graph: Any
    tokens: Tensor
    logits: Tensor


class _Store:
    """What of a cache lies on the device, and the graphs that were recorded over it."""

    def __init__(self, entries: Tensor) -> None:
        self.entries = entries
        batch, capacity, device = entries.shape[2], entries.shape[4], entries.device
        self.held = torch.zeros(batch, dtype=torch.long, device=device)
        self.rows = torch.arange(batch, device=device)[:, None]
        self.places = torch.arange(capacity, device=device)
        self.graphs: dict[int, _Graph] = {}


class StaticCache:
    """Keys and values at places that the device counts itself.

    Parameters
    ----------
    store : _Store
        What of it lies on the device, as `StaticModel.new_cache` lends it.

    Attributes
    ----------
    lengths : list of int
        Tokens held in each row.
    capacity : int
        Places in a row.
    """

    def __init__(self, store: _Store) -> None:
        self.store = store
        self.lengths = [0] * len(store.held)
        self.capacity = len(store.places)
        self._positions = self._mask = store.held

    def room(self, new: int) -> None:
        """Check that `new` tokens fit.

        Parameters
        ----------
        new : int
            Tokens a row.

        Raises
        ------
        ValueError
            If a row would grow past the capacity.
        """
        if max(self.lengths) + new > self.capacity:
            raise ValueError(
                f"the cache holds {self.capacity} tokens a row, got {max(self.lengths)} and "
                f"{new} more"
            )

    def begin(self, new: int) -> Tensor:
        """Return the positions of new tokens in every row.

        Parameters
        ----------
        new : int
            Tokens a row.

        Returns
        -------
        Tensor of int64, shape (B, new)

        Raises
        ------
        ValueError
            If a row would grow past the capacity.
        """
        self.room(new)
        store = self.store
        self._positions = store.held[:, None] + store.places[:new]
        self._mask = (store.places <= self._positions[..., None])[:, None]
        return self._positions

    def extend(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Store a layer's new keys and values; return all places and the mask.

        Parameters
        ----------
        layer : int
        k, v : Tensor, shape (B, H, new, D)

        Returns
        -------
        k, v : Tensor, shape (B, H, C, D)
            Of every place, C the capacity.
        mask : Tensor of bool, shape (B, 1, new, C)
            What each new token may look at: its own place and those before it.
        """
        keys, values = self.store.entries[layer]
        keys[self.store.rows, :, self._positions] = k.transpose(1, 2)
        values[self.store.rows, :, self._positions] = v.transpose(1, 2)
        return keys, values, self._mask

    def advance(self, new: int) -> None:
        """Count the `new` tokens just stored as held, here and on the device.

        Parameters
        ----------
        new : int
            Tokens a row.
        """
        self.store.held += new
        self.count(new)

    def count(self, new: int) -> None:
        """Count `new` tokens here alone: the device has done so by itself.

        Parameters
        ----------
        new : int
            Tokens a row.
        """
        self.lengths = [length + new for length in self.lengths]

    @torch.inference_mode()
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
        self.store.held.copy_(send(torch.tensor(self.lengths), self.store.held.device))


class StaticModel:
    """A transformer as a `Scorer` of fixed shapes; on a GPU its short passes are CUDA graphs.

    A graph is recorded for every batch size and number of positions that is met: plain decoding
    needs one, speculative decoding two of the target (gamma + 1, and fewer at the end of a text)
    and two of the draft. Caches are lent out again once nobody holds them, so that a second text
    finds the graphs of the first. Logits lie in the graph's own memory: the next pass of the same
    shape overwrites them.

    Parameters
    ----------
    model : Transformer
    capacity : int, optional
        Longest sequence, in tokens; the model's context if not given. Attention runs over all of
        it, so a tight one is faster.
    longest : int
        Passes over more positions than this are computed step by step.

    Raises
    ------
    ValueError
        If a number is out of range, or `model` is no `Transformer`.
    """

    def __init__(
        self, model: Transformer, capacity: int | None = None, longest: int = SLACK
    ) -> None:
        if not isinstance(model, Transformer):
            raise ValueError(f"model must be a Transformer, got {show_value(model)}")
        context = model.context_size
        self.model = model
        self.context_size = (
            context if capacity is None else check_whole(capacity, "capacity", 1, context)
        )
        self.longest = check_whole(longest, "longest", 0)
        self._free: dict[int, list[_Store]] = {}

    @property
    def vocabulary_size(self) -> int:
        """Logits in a row."""
        return self.model.vocabulary_size

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.model.device

    @torch.inference_mode()
    def new_cache(self, batch: int) -> StaticCache:
        """Return an empty cache.

        Parameters
        ----------
        batch : int
            Rows.

        Returns
        -------
        StaticCache
            With room for `context_size` and `SLACK` tokens a row. Its memory is lent out again
            once the cache is gone.
        """
        free = self._free.setdefault(batch, [])
        store = free.pop() if free else self._store(batch)
        store.held.zero_()
        cache = StaticCache(store)
        weakref.finalize(cache, free.append, store)
        return cache

    def _store(self, batch: int) -> _Store:
        weight = self.model.head.weight
        room = self.context_size + SLACK
        made = Cache(self.model.config, batch, room, dtype=weight.dtype, device=weight.device)
        return _Store(made.entries)

    @torch.inference_mode()
    def __call__(self, tokens: Tensor, cache: StaticCache) -> Tensor:
        """Return the logits after each token; the cache grows by them.

        Parameters
        ----------
        tokens : Tensor of int64, shape (B, T)
            What follows each row.
        cache : StaticCache
            One of this model's own.

        Returns
        -------
        Tensor, shape (B, T, V)
            From a graph: good until the next pass of the same shape.

        Raises
        ------
        ValueError
            If a row would grow past the cache's capacity.
        """
        new = tokens.shape[1]
        if self.device.type != "cuda" or new > self.longest:
            return self.model(tokens, cache)  # type: ignore[no-any-return]
        cache.room(new)
        graph = cache.store.graphs.get(new)
        if graph is None:
            graph = cache.store.graphs[new] = self._record(cache, tokens)
        graph.tokens.copy_(tokens)
        graph.graph.replay()
        cache.count(new)
        return graph.logits

    @torch.inference_mode()
    def read(self, tokens: Tensor, cache: StaticCache) -> None:
        """Fill the cache with a prompt, step by step: few prompts are of one length.

        Parameters
        ----------
        tokens : Tensor of int64, shape (B, T)
            What follows each row.
        cache : StaticCache
            One of this model's own.

        Raises
        ------
        ValueError
            If a row would grow past the cache's capacity.
        """
        self.model.read(tokens, cache)  # type: ignore[arg-type]

    def _record(self, cache: StaticCache, tokens: Tensor) -> _Graph:
        tokens, lengths = tokens.clone(), cache.lengths
        aside = torch.cuda.Stream(self.device)
        aside.wait_stream(torch.cuda.current_stream(self.device))
        with torch.cuda.stream(aside):
            for _ in range(_WARM):
                self.model(tokens, cache)
                cache.rollback(lengths)
        torch.cuda.current_stream(self.device).wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):  # nothing runs here; the device's lengths stay
            logits = self.model(tokens, cache)
        cache.lengths = lengths
        return _Graph(graph, tokens, logits)
