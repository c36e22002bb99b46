"""The target's law after every token of a text, read once and kept: what drafts learn from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_array
from torch import Tensor

from draftproof._whole import whole
from draftproof.decode.models import Transformer

__all__ = ["expected_counts", "window_starts", "write_laws"]

_ROWS = 16  # windows read at once


@torch.inference_mode()
def write_laws(
    path: Path,
    model: Transformer,
    text: Tensor,
    report: Callable[[int], None] = lambda windows: None,
) -> None:
    """Write a model's law after every token of a text, as a numpy file of 16-bit floats (N, V).

    The text is read in windows of the model's context. They overlap by a quarter, so that all
    laws but the first of the text look back at least that far.

    Parameters
    ----------
    path : Path
    model : Transformer
    text : Tensor of int64, shape (N,)
        At least a context long.
    report : callable
        Called with the number of windows that were read (for a progress bar).

    Raises
    ------
    ValueError
        If the text is shorter than the model's context.
    """
    size, overlap = model.config.context, model.config.context // 4
    if len(text) < size:
        raise ValueError(f"text must hold at least {size} tokens, got {len(text)}")
    starts = window_starts(len(text), size)
    shape = len(text), model.config.vocabulary
    with whole(path) as part:
        laws = np.lib.format.open_memmap(part, mode="w+", dtype=np.float16, shape=shape)
        for at in range(0, len(starts), _ROWS):
            some = starts[at : at + _ROWS]
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = model(torch.stack([text[s : s + size] for s in some]))
            for start, law in zip(some, logits.float().softmax(-1).half().numpy(), strict=True):
                first = overlap if start else 0
                laws[start + first : start + size] = law[first:]
            report(len(some))
        laws.flush()


def window_starts(length: int, size: int) -> list[int]:
    """Return where windows over a text begin: three quarters of one apart, the last at the end.

    Parameters
    ----------
    length : int
        Of the text, at least `size`.
    size : int
        Of a window.

    Returns
    -------
    list of int
    """
    last = length - size
    return [*range(0, last, size - size // 4), last]


def expected_counts(
    text: NDArray[np.int64], laws: NDArray[np.float16], order: int, vocabulary: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    r"""Return the runs of `order` tokens that a text lets expect, and how often.

    A text has one token at each place; the model has a law. With it a run counts not where it
    stands but by the mass that its last token has wherever its others stand:

    .. math:: c(x_1 \dots x_n) = \sum_{t:\ \text{text ends in } x_1 \dots x_{n-1}} p_t(x_n)

    rounded to whole numbers. The law of such a table is the mean of the model's own over all
    places with one end, and so closer to them than counts of single tokens are.

    Parameters
    ----------
    text : ndarray of int64, shape (N,)
    laws : ndarray of float16, shape (N, V)
        After each of its tokens.
    order : int
        n, at least 2.
    vocabulary : int
        V.

    Returns
    -------
    runs : ndarray of int64, shape (M,)
        Read as numbers to the base V, rising.
    counts : ndarray of int64, shape (M,)
        At least 1.
    """
    powers = vocabulary ** np.arange(order - 1, dtype=np.int64)[::-1]
    ends = np.lib.stride_tricks.sliding_window_view(text, order - 1) @ powers
    contexts, which = np.unique(ends, return_inverse=True)
    sums = np.zeros((len(contexts), vocabulary))
    after = laws[order - 2 :]
    for at in range(0, len(which), _PLACES):
        rows = which[at : at + _PLACES]
        ones = (np.ones(len(rows)), (rows, np.arange(len(rows))))
        sums += csr_array(ones, shape=(len(contexts), len(rows))) @ after[
            at : at + len(rows)
        ].astype(np.float64)
    counts = np.rint(sums).astype(np.int64)
    context, token = np.nonzero(counts)
    return contexts[context] * vocabulary + token, counts[context, token]


_PLACES = 1 << 19  # of the text at a time
