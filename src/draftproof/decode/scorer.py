"""What the loop needs of a model, and the cache bookkeeping that target and drafter share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

from draftproof.checks import check_whole, show_value

__all__ = [
    "CachedRows",
    "Scorer",
    "check_device",
    "check_dtype",
    "check_scorer",
    "is_whole",
    "send",
]


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


def is_whole(tensor: Tensor) -> bool:
    """Tell whether a tensor's type holds whole numbers; truth values are none.

    Parameters
    ----------
    tensor : Tensor

    Returns
    -------
    bool
    """
    kind = tensor.dtype
    return not (kind.is_floating_point or kind.is_complex or kind == torch.bool)


def check_device(device: object, name: str = "device") -> torch.device:
    """Return a device if torch can use it here.

    Parameters
    ----------
    device : torch.device or str
    name : str
        How the error message calls the argument.

    Returns
    -------
    torch.device

    Raises
    ------
    ValueError
        If there is no such device.
    """
    try:
        if not isinstance(device, (torch.device, str)):
            raise TypeError("it is no torch.device and no str")
        torch.empty(0, device=device)
    # What is missing decides what torch raises: a RuntimeError, an AssertionError, others.
    except Exception as error:
        reason = " ".join(str(error).split())[:120]
        raise ValueError(
            f"{name} must be a device that torch can use here, got {show_value(device)}: {reason}"
        ) from error
    return torch.device(device)


def check_dtype(dtype: object, name: str = "dtype") -> torch.dtype:
    """Return a type of numbers if weights can have it.

    Parameters
    ----------
    dtype : torch.dtype
    name : str
        How the error message calls the argument.

    Returns
    -------
    torch.dtype

    Raises
    ------
    ValueError
        If it is no floating type of torch.
    """
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise ValueError(
            f"{name} must be a floating type such as torch.float32, got {show_value(dtype)}"
        )
    return dtype


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
    """A causal language model with a cache.

    It may have ``read(tokens, cache)`` as well: fill the cache and return nothing. A prompt is
    read by it, so that nobody computes the logits of a thousand tokens to throw them away.
    """

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


def check_scorer(model: object, name: str) -> Scorer:
    """Return `model` if it has all that a `Scorer` has.

    Parameters
    ----------
    model : object
    name : str
        How the error message calls the argument.

    Returns
    -------
    Scorer

    Raises
    ------
    ValueError
        If it is a class, cannot be called, or lacks a size, a device or a cache.
    """
    is_class = isinstance(model, type)
    missing = [part for part in _PARTS if is_class or not hasattr(model, part)]
    if missing or not callable(model) or not callable(model.new_cache):  # type: ignore[attr-defined]
        lacks = f" with {', '.join(missing)}" if missing and not is_class else ""
        raise ValueError(
            f"{name} must be a Scorer{lacks}, such as a Transformer or a HuggingFaceModel, got "
            f"{show_value(model)}"
        )
    found: Scorer = model  # type: ignore[assignment]
    for part in ("vocabulary_size", "context_size"):
        check_whole(getattr(found, part), f"{name}.{part}", 1)
    check_device(found.device, f"{name}.device")
    return found


_PARTS = ("vocabulary_size", "context_size", "device", "new_cache")


def _whole_rows(rows: list[list[int]], name: str) -> Tensor:
    """Return rows of one length as a tensor, if they hold token numbers."""
    try:
        tokens = torch.tensor(rows)
    except Exception as error:  # None, words, rows of rows: each fails in its own way
        raise ValueError(f"{name} must hold token numbers, got {show_value(rows)}") from error
    if not is_whole(tokens) or tokens.ndim != 2 or int(tokens.min()) < 0:
        raise ValueError(f"{name} must hold token numbers, got {show_value(rows)}")
    return tokens.long()


class CachedRows:
    """A batch of growing sequences and the model's cache of them.

    The cache of a row holds a prefix of its tokens. Rows may lack different numbers of tokens; a
    row that lacks fewer is shortened and fed again, so that one pass serves all.

    Parameters
    ----------
    model : Scorer
    prompts : sequence of sequences of int
        All but their last tokens are read at once.

    Raises
    ------
    ValueError
        If `model` is no `Scorer`, there is no prompt or an empty one, one is longer than the
        model's context, or holds what is no token number.
    """

    def __init__(self, model: Scorer, prompts: Sequence[Sequence[int]]) -> None:
        self.model = check_scorer(model, "model")
        lengths = self._lengths(prompts, "prompts")
        self.cache = model.new_cache(len(lengths))
        self._base = [length - 1 for length in lengths]
        longest = max(self._base)
        if longest:
            # Shorter prompts are padded on the right: what follows cannot change what came before.
            padded = [[*prompt[:-1], *[0] * (longest + 1 - len(prompt))] for prompt in prompts]
            tokens = self._known(_whole_rows(padded, "prompts"))
            # A model that cannot read without logits computes them for nothing.
            getattr(model, "read", model)(tokens, self.cache)
            self.cache.rollback(self._base)

    def _lengths(self, rows: Sequence[Sequence[int]], name: str) -> list[int]:
        """Return how long the rows are, if the model's context holds them."""
        try:
            lengths = [len(row) for row in rows]
        except TypeError:
            lengths = []
        if not lengths or min(lengths) < 1:
            raise ValueError(f"{name} must hold rows of at least one token, got {show_value(rows)}")
        if max(lengths) > self.model.context_size:
            raise ValueError(
                f"{name} must fit the model's context of {self.model.context_size} tokens, got "
                f"{max(lengths)}"
            )
        return lengths

    def _known(self, tokens: Tensor) -> Tensor:
        # A draft over fewer tokens meets some that it does not know. It may take them for any
        # other: that changes its guesses, not the law they are judged by.
        return send(tokens.clamp_max(self.model.vocabulary_size - 1), self.model.device)

    def _pass(self, tokens: Tensor) -> Tensor:
        return self.model(self._known(tokens), self.cache)

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

        Raises
        ------
        ValueError
            If a row is empty, longer than the model's context, or ends with no token number.
        """
        self._base = self._lengths(context, "context")
        self.cache.rollback([length - 1 for length in self._base])
        last = send(_whole_rows([[row[-1]] for row in context], "context"), drafts.device)
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

        Raises
        ------
        ValueError
            If a row is empty, longer than the model's context, or holds what is no token number.
        """
        self._base = self._lengths(context, "context")
        due = max(new - held for new, held in zip(self._base, self.cache.lengths, strict=True))
        if due < 1:
            raise ValueError(
                f"context must have a row that is longer than what the cache holds, "
                f"{self.cache.lengths} tokens, got {self._base}"
            )
        self.cache.rollback([length - due for length in self._base])
        last = [list(row[len(row) - due :]) for row in context]
        return self._pass(_whole_rows(last, "context"))

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
