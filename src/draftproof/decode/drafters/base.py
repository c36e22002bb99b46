"""What every drafter offers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from draftproof.checks import show_value
from draftproof.decode.streams import Streams
from draftproof.decode.warp import Warp

__all__ = ["Draft", "Drafter", "check_shapes", "inspect", "refusal"]


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
    drawn : bool
        The drafter's word that the tokens were drawn from `probs`, and those made by `Warp` or
        normalised with care: of the checks, only the one for laws that are no numbers is left.
    """

    tokens: Tensor
    probs: Tensor | None
    lengths: Tensor | None = None
    drawn: bool = False


class Drafter(Protocol):
    """Propose tokens, then hear what became of them."""

    def start(self, prompts: Sequence[Sequence[int]], warp: Warp, streams: Streams) -> None:
        """Begin new sequences; drafts are drawn from laws warped by `warp`, with `streams`.

        Parameters
        ----------
        prompts : sequence of sequences of int
            The B rows of the batch, each of at least one token.
        warp : Warp
            The one that the target's laws go through.
        streams : Streams
            The only randomness that a drafter may use, and the device its drafts are wanted on.
        """

    def propose(self, context: Sequence[Sequence[int]], gamma: int) -> Draft:
        """Return up to `gamma` tokens for every row, given all its tokens so far.

        Parameters
        ----------
        context : sequence of sequences of int
            The B rows: prompts and what was made since. A row that has ended grows no more.
        gamma : int
            The most tokens that a row may be given, at least 1.

        Returns
        -------
        Draft
            Tokens of shape (B, T) with T <= `gamma`, and the laws they were drawn from.
        """

    def accept(self, num_accepted: Sequence[int], next_token: Sequence[int]) -> None:
        """Hear how many drafts of each row were kept, and which token came after them.

        Parameters
        ----------
        num_accepted : sequence of int
            One a row: how many of the last proposal's tokens were accepted.
        next_token : sequence of int
            One a row: the correction or the bonus token.
        """


def refusal(words: str, draft: object) -> ValueError:
    """Return the error for an answer that is not `words`.

    Parameters
    ----------
    words : str
        What a drafter must return.
    draft : object
        What it did return.

    Returns
    -------
    ValueError
        To be raised by the caller.
    """
    return ValueError(f"drafter.propose must return {words}, got {show_value(draft)}")


def check_shapes(draft: object, batch: int, gamma: int) -> Draft:
    """Return a drafter's answer if its parts have the right shapes.

    Parameters
    ----------
    draft : object
        The answer.
    batch : int
        B, the rows that were asked for.
    gamma : int
        The most tokens a row.

    Returns
    -------
    Draft
        The answer itself: whole tokens (B, T) with T <= `gamma`, laws (B, T, V), lengths (B,).
        Values are not looked at, see `inspect`.

    Raises
    ------
    ValueError
        If they have not, or it is no `Draft`.
    """
    if not isinstance(draft, Draft):
        raise refusal("a Draft", draft)
    tokens, probs, lengths = draft.tokens, draft.probs, draft.lengths
    shape = tuple(tokens.shape)
    if len(shape) != 2 or shape[0] != batch or shape[1] > gamma or tokens.is_floating_point():
        raise refusal(f"whole tokens of shape ({batch}, at most {gamma})", draft)
    if lengths is not None and tuple(lengths.shape) != (batch,):
        raise refusal(f"lengths of shape ({batch},)", draft)
    if probs is not None and (probs.ndim != 3 or tuple(probs.shape[:2]) != shape):
        raise refusal(f"probs of shape {(*shape, 'V')}", draft)
    return draft


def inspect(draft: Draft, size: int) -> tuple[Tensor, Tensor]:
    """Return a draft's tokens, and for each row whether they or its laws are wrong.

    A wrong q would be a wrong law without a word: a token must be one that its law can draw, and
    a law must be one. Nothing waits for the device: the tokens returned lie inside the vocabulary
    whatever was given, and can be used until the caller hears the verdict.

    Parameters
    ----------
    draft : Draft
        With the right shapes.
    size : int
        The vocabulary of tokens without a law.

    Returns
    -------
    tokens : Tensor of int64, shape (B, T)
    wrong : Tensor of bool, shape (B,)
    """
    probs, lengths = draft.probs, draft.lengths
    given = draft.tokens.long()
    tokens = given.clamp(0, (size if probs is None else probs.shape[-1]) - 1)
    right = tokens == given
    if probs is not None:
        # NaN fails every comparison.
        right &= probs.gather(-1, tokens[..., None])[..., 0] > 0
        if not draft.drawn:
            total = probs.sum(-1, dtype=torch.float32)
            right &= ((total - 1).abs() < 2e-2) & (probs.amin(-1) >= 0)
    if lengths is None:
        return tokens, ~right.all(-1)
    used = torch.arange(tokens.shape[1], device=tokens.device) < lengths[:, None]
    inside = (lengths >= 0) & (lengths <= tokens.shape[1])
    return tokens, ~((right | ~used).all(-1) & inside)
