"""From logits to the law that is drawn from: one function for the target and for the draft."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

__all__ = ["Warp"]


@dataclass(frozen=True)
class Warp:
    """Temperature, then top-k, then top-p, as `draftproof.warp.warp` does on arrays.

    Attributes
    ----------
    temperature : float
        At least 0; 0 puts all mass on the largest logit, the lowest index among ties.
    top_k : int, optional
        Keep that many tokens (ties by the lowest index).
    top_p : float, optional
        Keep the fewest tokens that together reach this mass, in (0, 1].

    Raises
    ------
    ValueError
        If a value is out of range.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None

    def __post_init__(self) -> None:
        """Check the three values."""
        t, k, p = self.temperature, self.top_k, self.top_p
        if not _real(t) or not 0 <= t < float("inf"):
            raise ValueError(f"temperature must be a number >= 0, got {t!r}")
        if k is not None and (not isinstance(k, int) or isinstance(k, bool) or k < 1):
            raise ValueError(f"top_k must be a whole number of at least 1, got {k!r}")
        if p is not None and (not _real(p) or not 0 < p <= 1):
            raise ValueError(f"top_p must lie in (0, 1], got {p!r}")

    @property
    def greedy(self) -> bool:
        """Whether one token gets all the mass."""
        return self.temperature == 0 or self.top_k == 1

    def __call__(self, logits: Tensor) -> Tensor:
        """Return the law of logits, shape (..., V), in at least float32."""
        scores = logits if logits.dtype == torch.float64 else logits.float()
        if self.greedy:
            # `max` may return any of the tied places; the first of them is asked for.
            tied = scores == scores.amax(-1, keepdim=True)
            first = tied.to(torch.uint8).argmax(-1, keepdim=True)
            return torch.zeros_like(scores).scatter_(-1, first, 1.0)
        if self.temperature != 1:
            scores = (scores - scores.amax(-1, keepdim=True)) / self.temperature
        if self.top_k is None and self.top_p is None:
            return scores.softmax(-1)
        return self._cut(scores)

    def _cut(self, scores: Tensor) -> Tensor:
        ordered, order = scores.sort(dim=-1, descending=True, stable=True)
        kept = torch.ones_like(ordered, dtype=torch.bool)
        if self.top_k is not None:
            kept[..., self.top_k :] = False
        if self.top_p is not None and self.top_p < 1:
            law = ordered.masked_fill(~kept, -torch.inf).softmax(-1).double()
            kept &= law.cumsum(-1) - law < self.top_p
        dropped = torch.empty_like(kept).scatter_(-1, order, ~kept)
        return scores.masked_fill(dropped, -torch.inf).softmax(-1)


def _real(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
