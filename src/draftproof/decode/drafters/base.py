"""What every drafter offers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from draftproof.checks import check_whole, show_value
from draftproof.decode.scorer import is_whole
from draftproof.decode.streams import Streams
from draftproof.decode.warp import Warp

__all__ = [
    "Draft",
    "Drafter",
    "check_call",
    "check_shapes",
    "check_start",
    "inspect",
    "refusal",
]

# How far the sum of a drafter's law may lie from 1, by the precision it came in; float64 as
# float32, from which it was often made. Elsewhere the package allows as much.
_TOLERANCE = {torch.float64: 1e-4, torch.float32: 1e-4}
_COARSE_TOLERANCE = 1e-2


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
    """Propose tokens, then hear what became of them.

    One that cannot read texts of any length says so in ``context_size``, the longest that it can:
    `generate` refuses longer ones before it begins.
    """

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


def check_start(warp: object, streams: object) -> None:
    """Check what a drafter is started with.

    Parameters
    ----------
    warp : Warp
    streams : Streams

    Raises
    ------
    ValueError
        If one of them is something else.
    """
    if not isinstance(warp, Warp):
        raise ValueError(f"warp must be a Warp, got {show_value(warp)}")
    if not isinstance(streams, Streams):
        raise ValueError(f"streams must be Streams, got {show_value(streams)}")


def check_call(context: object, gamma: object) -> None:
    """Check what a drafter is asked with; single tokens are not looked at.

    Parameters
    ----------
    context : sequence of sequences of int
    gamma : int

    Raises
    ------
    ValueError
        If `gamma` is below 1, or `context` holds no rows.
    """
    check_whole(gamma, "gamma", 1)
    rows = context if isinstance(context, Sequence) and not isinstance(context, str) else ()
    if not rows or not all(hasattr(row, "__len__") for row in rows):
        raise ValueError(f"context must hold rows of tokens, got {show_value(context)}")


def check_shapes(
    draft: object, batch: int, gamma: int, device: torch.device | str = "cpu"
) -> Draft:
    """Return a drafter's answer if its parts have the right shapes.

    Parameters
    ----------
    draft : object
        The answer.
    batch : int
        B, the rows that were asked for.
    gamma : int
        The most tokens a row.
    device : torch.device or str
        Where the parts must be.

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
    home = torch.device(device).type
    for name in ("tokens", "probs", "lengths"):
        part = getattr(draft, name)
        optional = part is None and name != "tokens"
        if not optional and not (isinstance(part, Tensor) and part.device.type == home):
            raise refusal(f"{name} as a tensor on {home}", draft)
    tokens, probs, lengths = draft.tokens, draft.probs, draft.lengths
    shape = tuple(tokens.shape)
    if len(shape) != 2 or shape[0] != batch or shape[1] > gamma or not is_whole(tokens):
        raise refusal(f"whole tokens of shape ({batch}, at most {gamma})", draft)
    if lengths is not None and (tuple(lengths.shape) != (batch,) or not is_whole(lengths)):
        raise refusal(f"whole lengths of shape ({batch},)", draft)
    if probs is not None and not _are_laws(probs, shape):
        raise refusal(f"floating probs of shape {(*shape, 'V')}", draft)
    return draft


def _are_laws(probs: Tensor, shape: tuple[int, ...]) -> bool:
    """Whether there is a row of numbers for each token; their values are not looked at."""
    right = probs.ndim == 3 and tuple(probs.shape[:2]) == shape and probs.shape[2] > 0
    return right and probs.is_floating_point()


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
            most = _TOLERANCE.get(probs.dtype, _COARSE_TOLERANCE)
            right &= ((total - 1).abs() <= most) & (probs.amin(-1) >= 0)
    if lengths is None:
        return tokens, ~right.all(-1)
    used = torch.arange(tokens.shape[1], device=tokens.device) < lengths[:, None]
    inside = (lengths >= 0) & (lengths <= tokens.shape[1])
    return tokens, ~((right | ~used).all(-1) & inside)
