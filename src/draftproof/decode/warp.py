"""From logits to the law that is drawn from: one function for the target and for the draft."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from draftproof.checks import check_number, check_whole

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
        heat = float(check_number(self.temperature, "temperature", low=0))
        object.__setattr__(self, "temperature", heat)
        if self.top_k is not None:
            object.__setattr__(self, "top_k", check_whole(self.top_k, "top_k", 1))
        if self.top_p is not None:
            mass = float(check_number(self.top_p, "top_p", low=0, high=1, above=True))
            object.__setattr__(self, "top_p", mass)

    @property
    def greedy(self) -> bool:
        """Whether one token gets all the mass."""
        return self.temperature == 0 or self.top_k == 1

    def __call__(self, logits: Tensor) -> Tensor:
        """Return the law of logits, shape (..., V), in at least float32.

        Values are not looked at: a row of NaN or of nothing but ``-inf`` has no law.
        """
        scores = logits if logits.dtype == torch.float64 else logits.float()
        if self.greedy:
            # `max` may return any of the tied places; the first of them is asked for.
            tied = scores == scores.amax(-1, keepdim=True)
            first = tied.to(torch.uint8).argmax(-1, keepdim=True)
            return torch.zeros_like(scores).scatter_(-1, first, 1.0)
        if self.temperature != 1:
            # In float64: a tiny or huge temperature is no number in float32.
            apart = (scores - scores.amax(-1, keepdim=True)).double()
            scores = (apart / self.temperature).to(scores.dtype)
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
            # A sum that is short of top_p by rounding alone has reached it.
            wanted = max(self.top_p - 8 * torch.finfo(scores.dtype).eps, self.top_p / 2)
            kept &= law.cumsum(-1) - law < wanted
        dropped = torch.empty_like(kept).scatter_(-1, order, ~kept)
        return scores.masked_fill(dropped, -torch.inf).softmax(-1)
