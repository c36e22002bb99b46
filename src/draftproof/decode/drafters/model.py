"""A language model as the drafter: one token at a time, with a cache of its own."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from draftproof.decode.drafters.base import Draft, check_call, check_start
from draftproof.decode.scorer import CachedRows, Scorer, check_scorer
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

    Raises
    ------
    ValueError
        If `model` is no `Scorer`.
    """

    def __init__(self, model: Scorer) -> None:
        self.model = check_scorer(model, "model")
        self._rows: CachedRows | None = None
        self._warp = Warp()
        self._streams: Streams | None = None

    @property
    def context_size(self) -> int:
        """The longest text, in tokens, that the model can read."""
        return self.model.context_size

    def start(self, prompts: Sequence[Sequence[int]], warp: Warp, streams: Streams) -> None:
        """Begin new sequences: read all but the last token of each prompt.

        Parameters
        ----------
        prompts : sequence of sequences of int
            The B rows of the batch, each of at least one token.
        warp : Warp
            From the model's logits to the laws that drafts are drawn from.
        streams : Streams
            Where the uniforms of the drafts come from.

        Raises
        ------
        ValueError
            If a prompt is empty or longer than the model's context, or an argument is of
            another kind.
        """
        check_start(warp, streams)
        self._warp, self._streams = warp, streams
        self._rows = CachedRows(self.model, prompts)

    def propose(self, context: Sequence[Sequence[int]], gamma: int) -> Draft:
        """Draw `gamma` tokens one after the other from the model's warped laws.

        Parameters
        ----------
        context : sequence of sequences of int
            All tokens of the B rows so far.
        gamma : int
            Tokens a row, one pass of the model for each.

        Returns
        -------
        Draft
            Tokens (B, gamma), drawn with the streams' uniforms, and their laws (B, gamma, V).

        Raises
        ------
        ValueError
            If `start` was not called, `gamma` is below 1, or a row outgrows the model's context.
        """
        check_call(context, gamma)
        if self._rows is None or self._streams is None:
            raise ValueError("start must be called before propose")
        u = self._streams.drafts(gamma)
        tokens: list[Tensor] = []
        laws: list[Tensor] = []
        # After a full block the model has not seen its own last draft: one or two tokens are due.
        logits = self._rows.catch_up(context)
        for step in range(gamma):
            laws.append(self._warp(logits[:, -1].to(u.device)))
            tokens.append(inverse_cdf(laws[-1], u[:, step]))
            if step + 1 < gamma:
                logits = self._rows.feed(tokens[-1][:, None])
        return Draft(torch.stack(tokens, 1), torch.stack(laws, 1), drawn=True)

    def accept(self, num_accepted: Sequence[int], next_token: Sequence[int]) -> None:
        """Drop what was drafted after the accepted prefix; the next call feeds what is missing.

        Parameters
        ----------
        num_accepted : sequence of int
            One a row: how many of its drafts were accepted.
        next_token : sequence of int
            Not used: the next context ends with it.

        Raises
        ------
        ValueError
            If `start` was not called.
        """
        if self._rows is None:
            raise ValueError("start must be called before accept")
        self._rows.keep_drafts(num_accepted)
