"""Experiments on real models that the chapter on decoding runs before the reader's eyes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from draftproof.checks import check_whole
from draftproof.decode.cache import Cache
from draftproof.decode.drafters import Draft, Drafter, ModelDrafter
from draftproof.decode.loop import Generation, generate
from draftproof.decode.models import Transformer
from draftproof.decode.verify import inverse_cdf, rejection_sample

__all__ = ["CarelessDrafter", "CarelessTarget", "PairOfTokens", "greedy_texts", "kept_by_round"]


def greedy_texts(
    target: Transformer,
    drafter: Callable[[], Drafter] | None,
    prompts: Sequence[Sequence[int]],
    gamma: int,
    new: int,
) -> tuple[tuple[int, ...], ...]:
    """Return the greedy continuations of some prompts, decoded as one batch.

    Parameters
    ----------
    target : Transformer
    drafter : callable, optional
        Makes a drafter; None for plain decoding.
    prompts : sequence of sequences of int
    gamma, new : int
        Drafts a round, tokens made for each prompt.

    Returns
    -------
    tuple of tuple of int
        The new tokens of every prompt.
    """
    return generate(
        target,
        prompts,
        drafter=drafter() if drafter else None,
        gamma=gamma,
        temperature=0,
        max_new_tokens=new,
        generator=torch.Generator().manual_seed(0),
    ).rows


class CarelessDrafter(ModelDrafter):
    """A drafter that never reads its own last guess, although a full block was kept.

    Its cache then has a hole where that guess belongs. Its guesses get worse, and its laws are
    still the laws that it drew from: the text stays exact.

    Parameters
    ----------
    model : Transformer
    """

    def propose(self, context: Sequence[Sequence[int]], gamma: int) -> Draft:
        """Propose, and note how long the texts were.

        Parameters
        ----------
        context : sequence of sequences of int
            All tokens of the B rows so far.
        gamma : int
            Tokens a row.

        Returns
        -------
        Draft
            As `ModelDrafter.propose`.

        Raises
        ------
        ValueError
            If `start` was not called, or a row outgrows the model's cache.
        """
        self._lengths = [len(row) for row in context]
        return super().propose(context, gamma)

    def accept(self, num_accepted: Sequence[int], next_token: Sequence[int]) -> None:
        """Count every kept guess as read, also the last one, which was not.

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
        super().accept(num_accepted, next_token)
        assert self._rows is not None  # `super` has looked
        held = zip(self._lengths, num_accepted, strict=True)
        self._rows.cache.lengths = [length + int(n) for length, n in held]


class _CarelessCache(Cache):
    """A cache that keeps one entry more than it was told to."""

    def rollback(self, lengths: Sequence[int]) -> None:
        """Shorten every row, by one too few."""
        kept = zip(lengths, self.lengths, strict=True)
        super().rollback([min(int(new) + 1, held) for new, held in kept])


class CarelessTarget:
    """A target whose cache is rolled back one token too few: its laws are laws of another text.

    Parameters
    ----------
    model : Transformer
    """

    def __init__(self, model: Transformer) -> None:
        self._model = model
        self.vocabulary_size, self.context_size = model.vocabulary_size, model.context_size
        self.device = model.device

    def new_cache(self, batch: int) -> Cache:
        """Return an empty cache of the careless kind.

        Parameters
        ----------
        batch : int
            Rows.

        Returns
        -------
        Cache
            One whose `rollback` keeps an entry too many in every row.
        """
        return _CarelessCache(self._model.config, batch)

    def __call__(self, tokens: Tensor, cache: Cache) -> Tensor:
        """Return the model's logits."""
        logits: Tensor = self._model(tokens, cache)
        return logits


def kept_by_round(made: Generation, width: int) -> NDArray[np.float64]:
    """Return the share of tested drafts that were kept, in stretches of rounds.

    Parameters
    ----------
    made : Generation
    width : int
        Rounds in a stretch.

    Returns
    -------
    ndarray, shape (S,)
        One share a stretch, all rows together; rounds that not every row has are left out.

    Raises
    ------
    ValueError
        If `width` is below 1.
    """
    check_whole(width, "width", 1)
    rounds = min(map(len, made.rounds)) // width * width
    tested = np.array([[r.tested for r in row[:rounds]] for row in made.rounds])
    kept = np.array([[r.num_accepted for r in row[:rounds]] for row in made.rounds])
    parts = (len(tested), -1, width)
    shares: NDArray[np.float64] = kept.reshape(parts).sum((0, 2)) / tested.reshape(parts).sum(
        (0, 2)
    )
    return shares


class PairOfTokens:
    r"""The first two tokens after a prompt: their law, and a sampler that speculates.

    The law is the target's, computed from V + 1 contexts:

    .. math:: P(x, y) = p(x \mid \text{prompt})\, p(y \mid \text{prompt}, x)

    Parameters
    ----------
    target, draft : Transformer
        Over one vocabulary of V tokens.
    prompt : sequence of int

    Attributes
    ----------
    law : ndarray, shape (V * V,)
        The pair (x, y) stands at ``x * V + y``.
    """

    def __init__(self, target: Transformer, draft: Transformer, prompt: Sequence[int]) -> None:
        self._p, self._q = (self._laws(model, prompt) for model in (target, draft))
        self.size = target.vocabulary_size
        first, second = (part.double() for part in self._p)
        self.law: NDArray[np.float64] = (first[:, None] * second).flatten().numpy()
        self.law /= self.law.sum()

    @staticmethod
    @torch.inference_mode()
    def _laws(model: Transformer, prompt: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Return the law of the first token, (V,), and of the second after each first, (V, V)."""
        size = model.vocabulary_size
        rows = torch.tensor(prompt).expand(size, -1)
        tokens = torch.cat([rows, torch.arange(size)[:, None]], 1)
        laws = model(tokens)[:, -2:].double().softmax(-1)
        return laws[0, 0], laws[:, 1]

    def sample(self, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return n pairs as the loop makes them with two drafts a round, as numbers x * V + y.

        Parameters
        ----------
        n : int
        rng : numpy.random.Generator

        Returns
        -------
        ndarray of int64, shape (n,)
        """
        (p1, p2), (q1, q2) = self._p, self._q
        u = torch.from_numpy(rng.random((n, 8)))
        x1 = inverse_cdf(q1.expand(n, -1), u[:, 0])
        x2 = inverse_cdf(q2[x1], u[:, 1])
        # The bonus row is never looked at: two tokens are enough.
        p = torch.stack([p1.expand(n, -1), p2[x1], p2[x1]], 1)
        q = torch.stack([q1.expand(n, -1), q2[x1]], 1)
        tokens, kept = rejection_sample(torch.stack([x1, x2], 1), q, p, uniforms=u[:, 2:5])
        first = tokens[:, 0]
        # A first token that was replaced ends the round; the next one starts after it.
        again = inverse_cdf(q2[first], u[:, 5])
        pair = torch.stack([p2[first], p2[first]], 1)
        after, _ = rejection_sample(again[:, None], q2[first][:, None], pair, uniforms=u[:, 6:])
        second = torch.where(kept > 0, tokens[:, 1], after[:, 0])
        numbers: NDArray[np.int64] = (first * self.size + second).numpy()
        return numbers
