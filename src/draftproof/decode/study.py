"""Experiments on real models that the chapter on decoding runs before the reader's eyes."""

from __future__ import annotations

import copy
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

__all__ = [
    "CarelessDrafter", "CarelessTarget", "PairOfTokens", "greedy_texts", "kept_by_round",
    "noisy_copy",
]  # fmt: skip


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
        like = self._model.new_cache(batch).entries
        return _CarelessCache(self._model.config, batch, dtype=like.dtype, device=like.device)

    def __call__(self, tokens: Tensor, cache: Cache) -> Tensor:
        """Return the model's logits."""
        logits: Tensor = self._model(tokens, cache)
        return logits


def noisy_copy(model: Transformer, amount: float, generator: torch.Generator) -> Transformer:
    """Return a copy of a model with noise on its matrices: a draft that guesses well, not always.

    Parameters
    ----------
    model : Transformer
    amount : float
        Deviation of the noise, in deviations of each matrix.
    generator : torch.Generator

    Returns
    -------
    Transformer
    """
    copied = copy.deepcopy(model)
    with torch.no_grad():
        for weight in copied.parameters():
            if weight.ndim > 1:
                noise = torch.randn(weight.shape, generator=generator, dtype=weight.dtype)
                weight.add_(amount * weight.std() * noise)
    return copied


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

    The law is the target's, computed without a cache from V + 1 contexts:

    .. math:: P(x, y) = p(x \mid \text{prompt})\, p(y \mid \text{prompt}, x)

    Parameters
    ----------
    target, draft : Transformer
        Over one vocabulary of V tokens.
    prompt : sequence of int
    gamma : int
        Drafts a round.

    Attributes
    ----------
    law : ndarray, shape (V * V,)
        The pair (x, y) stands at ``x * V + y``.
    """

    def __init__(
        self, target: Transformer, draft: Transformer, prompt: Sequence[int], gamma: int = 2
    ) -> None:
        self._target, self._draft, self._gamma = target, draft, gamma
        self._prompt, self.size = list(prompt), target.vocabulary_size
        first, second = self._laws()
        self.law: NDArray[np.float64] = (first[:, None] * second).flatten().numpy()
        self.law /= self.law.sum()

    @torch.inference_mode()
    def _laws(self) -> tuple[Tensor, Tensor]:
        """Return the law of the first token, (V,), and of the second after each first, (V, V)."""
        rows = torch.tensor(self._prompt).expand(self.size, -1)
        tokens = torch.cat([rows, torch.arange(self.size)[:, None]], 1)
        laws = self._target(tokens)[:, -2:].double().softmax(-1)
        return laws[0, 0], laws[:, 1]

    def sample(self, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return n pairs that `generate` made, as numbers x * V + y.

        Parameters
        ----------
        n : int
        rng : numpy.random.Generator

        Returns
        -------
        ndarray of int64, shape (n,)
        """
        generator = torch.Generator().manual_seed(int(rng.integers(2**31)))
        # A third token is asked for and dropped: the first two then see blocks of full length.
        batches = [min(_BATCH, n - start) for start in range(0, n, _BATCH)]
        pairs = [
            row[:2]
            for batch in batches
            for row in generate(
                self._target,
                [self._prompt] * batch,
                drafter=ModelDrafter(self._draft),
                gamma=self._gamma,
                max_new_tokens=1 + self._gamma,
                generator=generator,
            ).rows
        ]
        first, second = np.array(pairs, dtype=np.int64).T
        numbers: NDArray[np.int64] = first * self.size + second
        return numbers


_BATCH = 256  # rows decoded together: what the processor's caches hold
