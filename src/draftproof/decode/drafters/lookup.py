"""Prompt lookup: copy what followed the last words when they stood in the text before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from draftproof.checks import check_whole, show_value
from draftproof.decode.drafters.base import Draft, check_call, check_start
from draftproof.decode.streams import Streams
from draftproof.decode.warp import Warp

__all__ = ["PromptLookup", "ngram_propose"]


def _text(tokens: Sequence[int]) -> NDArray[np.int64]:
    """Return tokens as an array, if they are whole numbers."""
    try:
        text = np.asarray(tokens)
    except ValueError:
        text = np.empty((0, 0))
    if text.ndim != 1 or (len(text) and text.dtype.kind not in "iu"):
        raise ValueError(f"tokens must be a row of whole numbers, got {show_value(tokens)}")
    return text.astype(np.int64)


def ngram_propose(tokens: Sequence[int], min_n: int, max_n: int, k: int) -> list[int]:
    """Return up to `k` tokens that followed an earlier occurrence of the text's end.

    The last `max_n` tokens are looked for first, then one fewer, down to `min_n`. Among the
    occurrences of one length the first counts.

    Parameters
    ----------
    tokens : sequence of int
    min_n, max_n : int
        1 <= min_n <= max_n.
    k : int
        At least 1.

    Returns
    -------
    list of int
        Empty if nothing matches; shorter than `k` if the text ends sooner.

    Raises
    ------
    ValueError
        If a number is out of range.

    References
    ----------
    Saxena (2023), prompt lookup decoding.
    """
    check_whole(min_n, "min_n", 1)
    check_whole(max_n, "max_n", min_n)
    check_whole(k, "k", 1)
    text = _text(tokens)
    # Places where the last token stood before; each round keeps those where one more fits.
    ends = np.flatnonzero(text[:-1] == text[-1]) if len(text) else text
    found = -1
    for n in range(1, min(max_n, len(text) - 1) + 1):
        ends = ends[ends >= n - 1]
        ends = ends[text[ends - n + 1] == text[-n]]
        if not ends.size:
            break
        if n >= min_n:
            found = int(ends[0])
    return [int(x) for x in text[found + 1 : found + 1 + k]] if found >= 0 else []


class PromptLookup:
    """The drafter that costs nothing: no model, no law, one-hot proposals.

    Parameters
    ----------
    min_n, max_n : int
        Shortest and longest end of the text that is looked for.

    Raises
    ------
    ValueError
        If a number is out of range.
    """

    def __init__(self, min_n: int = 1, max_n: int = 3) -> None:
        self.min_n = check_whole(min_n, "min_n", 1)
        self.max_n = check_whole(max_n, "max_n", self.min_n)
        self._device: torch.device | str = "cpu"

    def start(self, prompts: Sequence[Sequence[int]], warp: Warp, streams: Streams) -> None:
        """Begin new sequences: nothing is read and nothing will be drawn.

        Parameters
        ----------
        prompts : sequence of sequences of int
            Not used: the context holds them.
        warp : Warp
            Not used: proposals have no law.
        streams : Streams
            Names the device that proposals are wanted on.

        Raises
        ------
        ValueError
            If `warp` or `streams` is something else.
        """
        check_start(warp, streams)
        self._device = streams.device

    def propose(self, context: Sequence[Sequence[int]], gamma: int) -> Draft:
        """Return what followed the end of each row before, as far as there is such a place.

        Parameters
        ----------
        context : sequence of sequences of int
            All tokens of the B rows so far.
        gamma : int
            The most tokens a row, at least 1.

        Returns
        -------
        Draft
            Without laws. T is the longest finding, 0 if no row has one; `lengths` holds each
            row's own.

        Raises
        ------
        ValueError
            If `gamma` is below 1, or a row holds anything but whole numbers.
        """
        check_call(context, gamma)
        found = [ngram_propose(row, self.min_n, self.max_n, gamma) for row in context]
        width = max(map(len, found), default=0)
        padded = [row + [0] * (width - len(row)) for row in found]
        tokens = torch.tensor(padded, dtype=torch.long).view(len(found), width)
        lengths = torch.tensor([len(row) for row in found])
        return Draft(tokens.to(self._device), None, lengths.to(self._device))

    def accept(self, num_accepted: Sequence[int], next_token: Sequence[int]) -> None:
        """Do nothing: the next context says it all.

        Parameters
        ----------
        num_accepted : sequence of int
            Not used.
        next_token : sequence of int
            Not used.
        """
