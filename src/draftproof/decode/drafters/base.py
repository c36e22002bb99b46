"""What every drafter offers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from draftproof.decode.streams import Streams
from draftproof.decode.warp import Warp

__all__ = ["Draft", "Drafter"]


@dataclass(frozen=True)
class Draft:
    """Proposed tokens of a batch.

    Attributes
    ----------
    tokens : Tensor of int64, shape (B, T)
        T may be smaller than asked for.
    probs : Tensor, shape (B, T, V), or None
        The laws they were drawn from. None: they were not drawn (q is one-hot).
    lengths : Tensor of int64, shape (B,), or None
        How many of a row's tokens are proposals; None: all T.
    """

    tokens: Tensor
    probs: Tensor | None
    lengths: Tensor | None = None


class Drafter(Protocol):
    """Propose tokens, then hear what became of them."""

    def start(self, prompts: Sequence[Sequence[int]], warp: Warp, streams: Streams) -> None:
        """Begin new sequences; drafts are drawn from laws warped by `warp`, with `streams`."""

    def propose(self, context: Sequence[Sequence[int]], gamma: int) -> Draft:
        """Return up to `gamma` tokens for every row, given all its tokens so far."""

    def accept(self, num_accepted: Sequence[int], next_token: Sequence[int]) -> None:
        """Hear how many drafts of each row were kept, and which token came after them."""
