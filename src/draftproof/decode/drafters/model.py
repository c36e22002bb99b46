"""A language model as the drafter: one token at a time, with a cache of its own."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from draftproof.decode.drafters.base import Draft
from draftproof.decode.scorer import CachedRows, Scorer
from draftproof.decode.streams import Streams
from draftproof.decode.verify import inverse_cdf
from draftproof.decode.warp import Warp

__all__ = ["ModelDrafter"]


class ModelDrafter:
    """Draft with a model. The target itself is allowed: then every draft is accepted for ever.

    Parameters
    ----------
    model : Scorer
        Over the target's vocabulary, or one padded to another size.
    """

    def __init__(self, model: Scorer) -> None:
        self.model = model
        self._rows: CachedRows | None = None
        self._warp = Warp()
        self._streams: Streams | None = None

    def start(self, prompts: Sequence[Sequence[int]], warp: Warp, streams: Streams) -> None:
        """Begin new sequences: read all but the last token of each prompt."""
        self._warp, self._streams = warp, streams
        self._rows = CachedRows(self.model, prompts)

    def propose(self, context: Sequence[Sequence[int]], gamma: int) -> Draft:
        """Draw `gamma` tokens one after the other from the model's warped laws."""
        if self._rows is None or self._streams is None:
            raise ValueError("start must be called before propose")
        u = self._streams.drafts(gamma)
        tokens: list[Tensor] = []
        laws: list[Tensor] = []
        # After a full block the model has not seen its own last draft: one or two tokens are due.
        logits = self._rows.catch_up(context)
        for step in range(gamma):
            laws.append(self._warp(logits[:, -1]))
            tokens.append(inverse_cdf(laws[-1], u[:, step]))
            if step + 1 < gamma:
                logits = self._rows.feed(tokens[-1][:, None])
        return Draft(torch.stack(tokens, 1), torch.stack(laws, 1))

    def accept(self, num_accepted: Sequence[int], next_token: Sequence[int]) -> None:
        """Drop what was drafted after the accepted prefix; the next call feeds what is missing."""
        if self._rows is None:
            raise ValueError("start must be called before accept")
        self._rows.keep_drafts(num_accepted)
