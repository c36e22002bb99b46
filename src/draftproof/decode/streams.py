"""Randomness of a batch: for every row three streams of its own.

One for drafts, one for verdicts, one for the next token. A row's tokens depend on its own streams
and on nothing that its neighbours do, and a change of drafter leaves the verdicts' uniforms alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from draftproof.checks import check_whole, show_value

__all__ = ["Streams"]

_BLOCK = 256  # uniforms drawn at a time, so that a round does not pay for many small draws
_SEEDS = 2**32  # torch's generators on a CPU look at no more of a seed than its rest by this


def _draw_seeds(source: torch.Generator, count: int) -> list[int]:
    drawn: list[int] = torch.randint(
        2**62, (count,), generator=source, device=source.device
    ).tolist()
    return drawn


def _row_seeds(sources: Sequence[torch.Generator]) -> list[list[int]]:
    """Return three seeds for every row, none of which starts a stream that its source gave before.

    Rows with generators of their own share nothing: what one draws must not depend on another, and
    two that are seeded alike are to write the same text.
    """
    given: dict[int, set[int]] = {id(source): set() for source in sources}
    rows = []
    for source in sources:
        used, row = given[id(source)], _draw_seeds(source, 3)
        for i in range(3):
            # Rare, and so drawn again: without a collision the seeds are the ones drawn at first.
            while row[i] % _SEEDS in used:
                row[i] = _draw_seeds(source, 1)[0]
            used.add(row[i] % _SEEDS)
        rows.append(row)
    return rows


class _Stream:
    """Float64 uniforms in [0, 1) for one purpose: every row has a generator, all take alike."""

    def __init__(self, seeds: Sequence[int], device: torch.device | str) -> None:
        self._generators = [torch.Generator().manual_seed(seed) for seed in seeds]
        self._device = device
        self._here = self._there = torch.empty(len(seeds), 0, dtype=torch.float64)
        self._used = 0

    def take(self, count: int, here: bool = False) -> Tensor:
        """Return the next `count` of every row, on the device or `here` in main memory."""
        while self._used + count > self._here.shape[1]:
            left = self._here[:, self._used :]
            more = [torch.rand(_BLOCK, generator=g, dtype=left.dtype) for g in self._generators]
            self._here = torch.cat([left, torch.stack(more)], 1)
            self._there = self._here.to(self._device)
            self._used = 0
        start, self._used = self._used, self._used + count
        return (self._here if here else self._there)[:, start : self._used]


class Streams:
    """Uniforms for every row and every purpose.

    Parameters
    ----------
    batch : int
    generator : torch.Generator or sequence of torch.Generator
        One for the batch, from which every row takes three seeds in turn, or one for each row.
        No two streams from one generator are the same.
    device
        Where the uniforms are wanted.

    Raises
    ------
    ValueError
        If `generator` is neither, or `batch` is below 1.
    """

    def __init__(
        self,
        batch: int,
        generator: torch.Generator | Sequence[torch.Generator],
        device: torch.device | str = "cpu",
    ) -> None:
        batch = check_whole(batch, "batch", 1)
        one = [generator] * batch if isinstance(generator, torch.Generator) else generator
        sources = list(one) if isinstance(one, Sequence) else []
        if len(sources) != batch or not all(isinstance(g, torch.Generator) for g in sources):
            raise ValueError(
                f"generator must be a torch.Generator, or {batch} of them, got "
                f"{show_value(generator)}"
            )
        self.device = device
        self._drafts, self._tests, self._next = (
            _Stream(column, device) for column in zip(*_row_seeds(sources), strict=True)
        )

    def drafts(self, count: int, here: bool = False) -> Tensor:
        """Return uniforms for drawing drafts.

        Parameters
        ----------
        count : int
            Uniforms a row.
        here : bool
            Whether they are wanted in main memory, whatever the device.

        Returns
        -------
        Tensor of float64, shape (B, count)
            In [0, 1).
        """
        return self._drafts.take(count, here)

    def verdicts(self, count: int, used: int | None = None) -> Tensor:
        """Return uniforms for the tests and one for the next token.

        Parameters
        ----------
        count : int
            Tests by which every row's stream moves on, whatever is used of them.
        used : int, optional
            How many of them are wanted, from the first; all if not given.

        Returns
        -------
        Tensor of float64, shape (B, used + 1)
            In [0, 1), on the device; the last column is for the next token.
        """
        tests = self._tests.take(count)
        return torch.cat([tests if used is None else tests[:, :used], self._next.take(1)], 1)
