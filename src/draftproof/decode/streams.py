"""Randomness of a batch: for every row three streams of its own.

One for drafts, one for verdicts, one for the next token. A row's tokens depend on its own streams
and on nothing that its neighbours do, and a change of drafter leaves the verdicts' uniforms alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

__all__ = ["Streams"]

_BLOCK = 256  # uniforms drawn at a time, so that a round does not pay for many small draws


class _Row:
    """One stream of float64 uniforms in [0, 1), drawn in blocks."""

    def __init__(self, seed: int) -> None:
        self._generator = torch.Generator().manual_seed(seed)
        self._block = torch.empty(0, dtype=torch.float64)

    def take(self, count: int) -> Tensor:
        while len(self._block) < count:
            more = torch.rand(_BLOCK, generator=self._generator, dtype=torch.float64)
            self._block = torch.cat([self._block, more])
        taken, self._block = self._block[:count], self._block[count:]
        return taken


class Streams:
    """Uniforms for every row and every purpose.

    Parameters
    ----------
    batch : int
    generator : torch.Generator or sequence of torch.Generator
        One for the batch, from which every row takes three seeds in turn, or one for each row.
    device
        Where the uniforms are wanted.

    Raises
    ------
    ValueError
        If `generator` is neither.
    """

    def __init__(
        self,
        batch: int,
        generator: torch.Generator | Sequence[torch.Generator],
        device: torch.device | str = "cpu",
    ) -> None:
        one = [generator] * batch if isinstance(generator, torch.Generator) else generator
        sources = list(one) if isinstance(one, Sequence) else []
        if len(sources) != batch or not all(isinstance(g, torch.Generator) for g in sources):
            raise ValueError(
                f"generator must be a torch.Generator, or {batch} of them, got {generator!r}"
            )
        self.device = device
        self._rows = [[_Row(seed) for seed in self._seeds(source)] for source in sources]

    @staticmethod
    def _seeds(source: torch.Generator) -> list[int]:
        drawn = torch.randint(2**62, (3,), generator=source, device=source.device)
        return [int(seed) for seed in drawn]

    def _take(self, purpose: int, count: int) -> Tensor:
        taken = torch.stack([row[purpose].take(count) for row in self._rows])
        return taken.to(self.device, non_blocking=True)

    def drafts(self, count: int) -> Tensor:
        """Return `count` uniforms a row for drawing drafts, shape (B, count)."""
        return self._take(0, count)

    def verdicts(self, count: int) -> Tensor:
        """Return `count` uniforms a row for the tests and one for the next token."""
        return torch.cat([self._take(1, count), self._take(2, 1)], 1)
