"""A table of counts as the drafter: what followed the last few tokens in a corpus."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from draftproof.checks import check_number, check_whole, show_value
from draftproof.decode.drafters.base import Draft, check_call, check_start
from draftproof.decode.scorer import send
from draftproof.decode.streams import Streams
from draftproof.decode.warp import Warp

__all__ = ["NgramTable", "TableDrafter"]

IntArray = NDArray[np.int64]


class NgramTable:
    r"""Laws of the next token given the last n - 1, from counts at every order.

    Orders are mixed from the shortest up, each longer context pulling the law towards its own
    counts the more of them there are:

    .. math:: q_k(x) = \frac{c_k(x) + s\, q_{k-1}(x)}{\sum_y c_k(y) + s}

    Parameters
    ----------
    ngrams : ndarray of int64, shape (M, n)
        The distinct runs of n tokens in a corpus.
    counts : ndarray of int64, shape (M,)
        How often each occurs.
    vocabulary : int
    strength : float
        s: how many counts the shorter context's law is worth.

    Raises
    ------
    ValueError
        If there are no runs, a token lies outside the vocabulary, or a number is out of range.

    References
    ----------
    MacKay and Peto (1995), a hierarchical Dirichlet language model.
    """

    def __init__(
        self, ngrams: IntArray, counts: IntArray, vocabulary: int, strength: float = 2.0
    ) -> None:
        check_whole(vocabulary, "vocabulary", 1)
        check_number(strength, "strength", low=0, above=True)
        ngrams, counts = _whole_array(ngrams, "ngrams"), _whole_array(counts, "counts")
        if ngrams.ndim != 2 or not ngrams.size or counts.shape != ngrams.shape[:1]:
            raise ValueError(
                f"ngrams must have shape (M, n) with one count each, got {ngrams.shape} and "
                f"{counts.shape}"
            )
        if ngrams.min() < 0 or ngrams.max() >= vocabulary or counts.min() < 1:
            raise ValueError(f"ngrams must be tokens in 0..{vocabulary - 1} with counts above 0")
        if vocabulary ** (ngrams.shape[1] - 1) >= 2**62:
            raise ValueError(
                "vocabulary must have fewer than 2**62 contexts of order - 1 tokens, got "
                f"{vocabulary} tokens and order {ngrams.shape[1]}"
            )
        self.vocabulary, self.order = vocabulary, ngrams.shape[1]
        self._keys: list[IntArray] = []
        self._laws: list[NDArray[np.float32]] = []
        law = np.full((1, vocabulary), 1 / vocabulary)
        for length in range(self.order):
            keys, seen = _tally(ngrams[:, self.order - 1 - length :], counts, vocabulary)
            if length:  # the law of the same context without its first token
                shorter = np.searchsorted(self._keys[-1], keys % vocabulary ** (length - 1))
                law = law[shorter]
            law = (seen + strength * law) / (seen.sum(axis=1, keepdims=True) + strength)
            self._keys.append(keys)
            self._laws.append(law.astype(np.float32))

    @classmethod
    def from_tokens(
        cls, tokens: Sequence[int] | IntArray, vocabulary: int, order: int, strength: float = 2.0
    ) -> NgramTable:
        """Count the runs of `order` tokens in a corpus.

        Parameters
        ----------
        tokens : sequence of int, or ndarray of int, shape (N,)
            The corpus, N >= `order`.
        vocabulary : int
        order : int
            n, the length of a run, at least 1: laws look at n - 1 tokens.
        strength : float
            s: how many counts the shorter context's law is worth.

        Returns
        -------
        NgramTable

        Raises
        ------
        ValueError
            If the corpus is shorter than `order`, `order` is below 1, or as the class.
        """
        check_whole(order, "order", 1)
        text = _whole_array(tokens, "tokens")
        if text.ndim != 1 or len(text) < order:
            raise ValueError(f"tokens must hold at least order = {order} tokens, got {text.size}")
        windows = np.lib.stride_tricks.sliding_window_view(text, order)
        ngrams, counts = np.unique(windows, axis=0, return_counts=True)
        return cls(ngrams, counts, vocabulary, strength)

    def law(self, context: Sequence[int]) -> NDArray[np.float32]:
        """Return the law after a context, from the longest end of it that was seen.

        Parameters
        ----------
        context : sequence of int
            Tokens, of which the last n - 1 count; it may be shorter, and empty.

        Returns
        -------
        ndarray of float32, shape (V,)
            A row of the table itself, not to be written to.

        Raises
        ------
        ValueError
            If `context` is no row, or one of the tokens that count lies outside the vocabulary.
        """
        if not hasattr(context, "__len__"):
            raise ValueError(f"context must be a row of tokens, got {show_value(context)}")
        longest = min(self.order - 1, len(context))
        for length in range(longest, 0, -1):
            key = 0
            for token in context[len(context) - length :]:
                token = check_whole(token, "context token", 0, self.vocabulary - 1)
                key = key * self.vocabulary + token
            place = int(np.searchsorted(self._keys[length], key))
            if place < len(self._keys[length]) and self._keys[length][place] == key:
                return self._laws[length][place]
        return self._laws[0][0]


def _whole_array(values: object, name: str) -> IntArray:
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.empty(0)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be an array of whole numbers, got {show_value(values)}")
    return array.astype(np.int64)


def _tally(
    runs: IntArray, counts: IntArray, vocabulary: int
) -> tuple[IntArray, NDArray[np.float64]]:
    """Return the sorted context numbers of some runs, and the counts of what follows each."""
    powers = vocabulary ** np.arange(runs.shape[1] - 1, dtype=np.int64)[::-1]
    keys, row = np.unique(runs[:, :-1] @ powers, return_inverse=True)
    seen = np.zeros((len(keys), vocabulary))
    np.add.at(seen, (row.ravel(), runs[:, -1]), counts)
    return keys, seen


class TableDrafter:
    """Draft from a table of counts: hundreds of times cheaper than a model's step.

    Parameters
    ----------
    table : NgramTable
        Over the target's vocabulary, or one of another size. A context that holds a token which
        the table does not know was never seen: what follows that token is looked up alone.

    Raises
    ------
    ValueError
        If `table` is no `NgramTable`.
    """

    def __init__(self, table: NgramTable) -> None:
        if not isinstance(table, NgramTable):
            raise ValueError(f"table must be an NgramTable, got {show_value(table)}")
        self.table = table
        self._warp = Warp()
        self._streams: Streams | None = None
        self._known: dict[tuple[int, ...], _Law] = {}

    def start(self, prompts: Sequence[Sequence[int]], warp: Warp, streams: Streams) -> None:
        """Begin new sequences.

        Parameters
        ----------
        prompts : sequence of sequences of int
            Not used: the context holds them.
        warp : Warp
            From the table's laws to those that drafts are drawn from.
        streams : Streams
            Where the uniforms of the drafts come from, and the device drafts are wanted on.

        Raises
        ------
        ValueError
            If `warp` or `streams` is something else.
        """
        check_start(warp, streams)
        if warp != self._warp:
            self._known.clear()
        self._warp, self._streams = warp, streams

    def propose(self, context: Sequence[Sequence[int]], gamma: int) -> Draft:
        """Draw `gamma` tokens a row, each from the law of the tokens before it.

        Parameters
        ----------
        context : sequence of sequences of int
            All tokens of the B rows so far.
        gamma : int
            Tokens a row.

        Returns
        -------
        Draft
            Tokens (B, gamma), drawn with the streams' uniforms, and their laws (B, gamma, V).

        Raises
        ------
        ValueError
            If `start` was not called, `gamma` is below 1, or a token that counts is no token
            number.
        """
        check_call(context, gamma)
        if self._streams is None:
            raise ValueError("start must be called before propose")
        device, seen = self._streams.device, self.table.order - 1
        tokens = np.empty((len(context), gamma), dtype=np.int64)
        laws = np.empty((*tokens.shape, self.table.vocabulary), dtype=np.float32)
        for i, points in enumerate(self._streams.drafts(gamma, here=True).tolist()):
            ends = self._seen(context[i][-seen:]) if seen else []
            for step, u in enumerate(points):
                known = self._law(tuple(ends[-seen:]) if seen else ())
                laws[i, step] = known.law
                tokens[i, step] = known.draw(u)
                ends.append(int(tokens[i, step]))
        drawn, law = (send(torch.from_numpy(part), device) for part in (tokens, laws))
        return Draft(drawn, law, drawn=True)

    def _seen(self, tokens: Sequence[int]) -> list[int]:
        """Return those after the last one that the table does not know."""
        known = [check_whole(token, "context token") for token in tokens]
        strange = [i for i, token in enumerate(known) if token >= self.table.vocabulary]
        return known[strange[-1] + 1 :] if strange else known

    def _law(self, ends: tuple[int, ...]) -> _Law:
        """Return the warped law after some tokens; a text comes back to the same ones often."""
        known = self._known.get(ends)
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            known = self._known[ends] = _Law(self.table.law(ends), self._warp)
        return known

    def accept(self, num_accepted: Sequence[int], next_token: Sequence[int]) -> None:
        """Do nothing: the next context says it all.

        Parameters
        ----------
        num_accepted : sequence of int
            Not used.
        next_token : sequence of int
            Not used.
        """


_MOST_KNOWN = 4096


class _Law:
    """A law and its running sums, so that a draw is one search."""

    def __init__(self, law: NDArray[np.float32], warp: Warp) -> None:
        self.law = law if warp == Warp() else warp(torch.from_numpy(law).log()).numpy()
        self._cdf = self.law.cumsum(dtype=np.float64)
        self._last = int(np.flatnonzero(self.law)[-1])

    def draw(self, u: float) -> int:
        """Turn a uniform into a token with mass."""
        found = int(self._cdf.searchsorted(u * self._cdf[-1], "right"))
        return min(found, self._last)  # rounding may push the point past the end
