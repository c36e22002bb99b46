"""What the loop needs of a model, and the cache bookkeeping that target and drafter share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

__all__ = ["CachedRows", "Scorer", "send"]


def send(tensor: Tensor, device: Any) -> Tensor:
    """Return a tensor on a device; a GPU takes it in its turn and nobody waits.

    Parameters
    ----------
    tensor : Tensor
    device : torch.device or str

    Returns
    -------
    Tensor
        The same one, if it is there already.
    """
    return tensor.to(device, non_blocking=torch.device(device).type == "cuda")


class RowCache(Protocol):
    """A cache whose rows can be shortened."""

    lengths: list[int]

    def rollback(self, lengths: Sequence[int]) -> None:
        """Shorten every row.

        Parameters
        ----------
        lengths : sequence of int
            One a row, none longer than the row is.
        """


class Scorer(Protocol):
    """A causal language model with a cache."""

    @property
    def vocabulary_size(self) -> int:
        """Logits in a row."""

    @property
    def context_size(self) -> int:
        """The longest sequence, in tokens."""

    @property
    def device(self) -> Any:
        """Where the tokens must be."""

    def new_cache(self, batch: int) -> Any:
        """Return an empty cache.

        Parameters
        ----------
        batch : int
            Rows.

        Returns
        -------
        object
            With ``lengths``, the tokens held in each row, and ``rollback(lengths)``, which
            shortens every row; `Cache` is one.
        """

    def __call__(self, tokens: Tensor, cache: Any) -> Tensor:
        """Return logits, (B, T, V), after each token; the cache grows by T in every row."""


class CachedRows:
    """A batch of growing sequences and the model's cache of them.

    The cache of a row holds a prefix of its tokens. Rows may lack different numbers of tokens; a
    row that lacks fewer is shortened and fed again, so that one pass serves all.

    Parameters
    ----------
    model : Scorer
    prompts : sequence of sequences of int
        All but their last tokens are read at once.
    """

    def __init__(self, model: Scorer, prompts: Sequence[Sequence[int]]) -> None:
        self.model = model
        self.cache = model.new_cache(len(prompts))
        self._base = [len(prompt) - 1 for prompt in prompts]
        longest = max(self._base)
        if longest:
            # Shorter prompts are padded on the right: what follows cannot change what came before.
            padded = [[*prompt[:-1], *[0] * (longest + 1 - len(prompt))] for prompt in prompts]
            self._pass(torch.tensor(padded))
            self.cache.rollback(self._base)

    def _pass(self, tokens: Tensor) -> Tensor:
        # A draft over fewer tokens meets some that it does not know. It may take them for any
        # other: that changes its guesses, not the law they are judged by.
        known = tokens.clamp_max(self.model.vocabulary_size - 1)
        return self.model(send(known, self.model.device), self.cache)

    def feed(self, tokens: Tensor) -> Tensor:
        """Append tokens that the model drew; return the logits after each.

        Parameters
        ----------
        tokens : Tensor of int64, shape (B, T)
            On the model's device, inside its vocabulary.

        Returns
        -------
        Tensor, shape (B, T, V)
        """
        return self.model(send(tokens, self.model.device), self.cache)

    def score(self, context: Sequence[Sequence[int]], drafts: Tensor) -> Tensor:
        """Feed each row's last token and its drafts; return the logits after each of them.

        Parameters
        ----------
        context : sequence of sequences of int
            All tokens of each row so far, of which the cache holds at least all but the last.
        drafts : Tensor of int64, shape (B, T)
            Those that the model does not know are read as its last token.

        Returns
        -------
        Tensor, shape (B, T + 1, V)
        """
        self._base = [len(row) for row in context]
        self.cache.rollback([length - 1 for length in self._base])
        last = send(torch.tensor([[row[-1]] for row in context]), drafts.device)
        return self._pass(torch.cat([last, drafts], 1))

    def catch_up(self, context: Sequence[Sequence[int]]) -> Tensor:
        """Feed what the cache lacks of each row; return logits whose last row is the next law.

        Parameters
        ----------
        context : sequence of sequences of int
            All tokens of each row so far.

        Returns
        -------
        Tensor, shape (B, D, V)
            After each row's last D tokens, D the most that any row lacks.
        """
        due = max(len(row) - held for row, held in zip(context, self.cache.lengths, strict=True))
        self._base = [len(row) for row in context]
        self.cache.rollback([length - due for length in self._base])
        last = [list(row[len(row) - due :]) for row in context]
        return self._pass(torch.tensor(last))

    def keep_drafts(self, num_accepted: Sequence[int]) -> None:
        """Keep, of what followed the context given last, only each row's accepted drafts.

        Parameters
        ----------
        num_accepted : sequence of int
            One a row.
        """
        held = self.cache.lengths
        kept = [base + int(n) for base, n in zip(self._base, num_accepted, strict=True)]
        self.cache.rollback([min(pair) for pair in zip(kept, held, strict=True)])
