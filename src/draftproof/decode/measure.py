"""Measure what the speed of decoding is made of: alpha, the prices c and v, and time itself.

How often drafts are accepted is computed, not counted: along a text that the target wrote, the
overlap of both laws is the probability that a draft is accepted, and the known token says with
what probability it had come as an accepted draft. Only the choice of texts leaves noise.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from draftproof.checks import check_number, check_whole
from draftproof.decode.drafters import Draft, Drafter
from draftproof.decode.scorer import Scorer
from draftproof.decode.streams import Streams
from draftproof.decode.warp import Warp

__all__ = [
    "Overlaps",
    "Share",
    "Spread",
    "draft_seconds",
    "overlaps",
    "pass_seconds",
    "predicted_speedup",
    "take_turns",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Spread:
    """The middle of some measurements and how far they scatter.

    Attributes
    ----------
    median, low, high : float
        The median and the quartiles.
    """

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Return the spread of some numbers.

        Parameters
        ----------
        values : sequence of float
            In any order; between two of them quartiles are found on a straight line.

        Returns
        -------
        Spread
            In the unit of `values`.

        Raises
        ------
        ValueError
            If there are none.
        """
        if not len(values):
            raise ValueError("values must hold at least one number, got none")
        low, median, high = np.percentile(values, [25, 50, 75]).tolist()
        return cls(median, low, high)


def take_turns(
    contestants: Mapping[str, Callable[[int], object]],
    repeats: int,
    tick: Callable[[str], None] = lambda name: None,
    device: torch.device | str = "cpu",
) -> dict[str, list[float]]:
    """Time contestants in turn, so that a slow minute of the machine hits all of them.

    Parameters
    ----------
    contestants : mapping of str to callable
        Each takes the number of the repeat.
    repeats : int
    tick : callable
        Called with the name after every timed run.
    device
        A GPU is waited for before the clock is read.

    Returns
    -------
    dict of str to list of float
        Seconds, one for every repeat.

    Raises
    ------
    ValueError
        If `repeats` is below 1.
    """
    repeats = check_whole(repeats, "repeats", 1)
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for repeat in range(repeats):
        for name, run in contestants.items():
            seconds[name].append(_seconds(lambda: run(repeat), device))  # noqa: B023
            tick(name)
    return seconds


def _seconds(run: Callable[[], object], device: torch.device | str) -> float:
    _wait(device)
    started = time.perf_counter()
    run()
    _wait(device)
    return time.perf_counter() - started


def _wait(device: torch.device | str) -> None:
    kind = torch.device(device).type
    if kind == "cuda":
        torch.cuda.synchronize(device)
    elif kind == "mps":
        torch.mps.synchronize()


def pass_seconds(
    model: Scorer,
    positions: Sequence[int],
    *,
    batch: int = 1,
    held: int = 128,
    repeats: int = 50,
) -> dict[int, Spread]:
    """Time bare passes of a model over some numbers of positions.

    A pass over gamma + 1 positions is a verification; over 1 a step of plain decoding. Their
    ratio is the price v. The tokens are random ones from a fixed seed: time does not depend on
    them. Passes of one length follow one another, as in a program: the weights may lie in memory
    in two orders, for one row and for several, and each length finds its own in the caches.

    Parameters
    ----------
    model : Scorer
    positions : sequence of int
    batch : int
        Sequences in a pass.
    held : int
        Tokens that the cache holds before it.
    repeats : int
        Timed passes of each length; a few more come first, before the clock runs.

    Returns
    -------
    dict of int to Spread
        Seconds of a pass by its positions.

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    positions = [check_whole(n, "positions", 1) for n in positions]
    batch, held = check_whole(batch, "batch", 1), check_whole(held, "held", 1)
    repeats = check_whole(repeats, "repeats", 1)
    chooser = torch.Generator().manual_seed(0)

    def tokens(count: int) -> Tensor:
        drawn = torch.randint(model.vocabulary_size, (batch, count), generator=chooser)
        return drawn.to(model.device)

    with torch.inference_mode():
        cache = model.new_cache(batch)
        model(tokens(held), cache)
        inputs = {n: tokens(n) for n in positions}

        def run(count: int) -> None:
            model(inputs[count], cache)
            cache.rollback([held] * batch)

        seconds: dict[int, list[float]] = {n: [] for n in positions}
        for n, found in seconds.items():
            for repeat in range(-_WARM, repeats):
                taken = _seconds(lambda: run(n), model.device)  # noqa: B023
                if repeat >= 0:
                    found.append(taken)
    return {n: Spread.of(found) for n, found in seconds.items()}


def draft_seconds(
    drafter: Drafter,
    context: Sequence[int],
    *,
    gamma: int = 5,
    warp: Warp | None = None,
    repeats: int = 50,
    device: torch.device | str = "cpu",
    before: Callable[[], object] = lambda: None,
) -> Spread:
    """Time one step of drafting: a proposal's share of one draft, its draw included.

    Parameters
    ----------
    drafter : Drafter
    context : sequence of int
        The text that is drafted on.
    gamma : int
        Drafts in a block; what is returned is their mean.
    warp : Warp, optional
    repeats : int
    device
        Where the drafts are wanted.
    before : callable
        Runs before each block, outside the clock: a pass of the target leaves the processor's
        caches to its own weights, as in a round.

    Returns
    -------
    Spread
        Seconds for one draft.

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    gamma = check_whole(gamma, "gamma", 1)
    repeats = check_whole(repeats, "repeats", 1)
    block, seconds = _draft_block(drafter, context, gamma, warp, device), []
    with torch.inference_mode():
        for _ in range(repeats + 1):
            before()
            seconds.append(_seconds(block, device) / gamma)
    return Spread.of(seconds[1:])


def _draft_block(
    drafter: Drafter,
    context: Sequence[int],
    gamma: int,
    warp: Warp | None,
    device: torch.device | str,
) -> Callable[[], None]:
    """Return a function that drafts one block again and again."""
    streams = Streams(1, torch.Generator().manual_seed(0), device)
    laws, text = Warp() if warp is None else warp, list(context)
    with torch.inference_mode():
        drafter.start([text], laws, streams)

    @torch.inference_mode()
    def propose() -> None:
        """Propose, and go on as after a round that kept nothing; now and then from the start.

        What is added is the text's own beginning, so that a table has other rows to read each time.
        """
        if len(text) == len(context) + _ROOM:
            del text[len(context) :]
            drafter.start([text], laws, streams)
        drafter.propose([text], gamma)
        text.append(context[(len(text) - len(context)) % len(context)])
        drafter.accept([0], text[-1:])

    return propose


_WARM = 3  # passes before the clock runs
_ROOM = 32  # tokens that a text grows by while its drafts are timed


def predicted_speedup(
    tokens_per_call: float, gamma: int, c: float, v: float, b: float = 0.0
) -> float:
    r"""Return the speed over plain decoding that the measured parts promise.

    .. math:: S = \frac{E[N]\,(1 + b)}{\gamma c + v + b}

    As `draftproof.cost.speedup`, with the tokens of a target call measured instead of computed
    from one alpha for every position, and with what follows a pass: drawing, testing, keeping
    books. It comes once a token in plain decoding and once a round in speculative decoding.

    Parameters
    ----------
    tokens_per_call : float
        At least 1.
    gamma : int
    c, v, b : float
        Draft step, verification pass, and what follows a pass, each in passes over one position.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Leviathan, Kalman and Matias (2023), theorem 3.8, where b is 0.
    """
    check_number(tokens_per_call, "tokens_per_call", 1)
    check_whole(gamma, "gamma", 0)
    cost = gamma * check_number(c, "c", 0) + check_number(v, "v", 0, above=True)
    after = check_number(b, "b", 0)
    return float(tokens_per_call * (1 + after) / (cost + after))


@dataclass(frozen=True)
class Share:
    """A probability found from several texts.

    Attributes
    ----------
    value, error : float
        The estimate and its standard error over texts; 0 if there is one text only.
    weight : float
        How many trials the estimate stands for.
    """

    value: float
    error: float
    weight: float

    @property
    def interval(self) -> tuple[float, float]:
        """A 95 % interval, cut to [0, 1]."""
        reach = 1.96 * self.error
        return max(0.0, self.value - reach), min(1.0, self.value + reach)

    @classmethod
    def ratio(cls, hits: Floats, trials: Floats) -> Share:
        r"""Return the sum of `hits` over the sum of `trials`, one of each for every text.

        Texts are independent, their parts are not; so the standard error of the ratio r over B
        texts is that of a ratio of two sums,

        .. math:: s^2 = \frac{B}{B - 1} \sum_i (h_i - r\, t_i)^2 \Big/ \Big(\sum_i t_i\Big)^2

        Parameters
        ----------
        hits, trials : ndarray, shape (B,)
            h and t: for every text what was found, and how often it was tried.

        Returns
        -------
        Share
            Its weight is the sum of `trials`.

        Raises
        ------
        ValueError
            If nothing was tried.
        """
        total = float(trials.sum())
        if total <= 0:
            raise ValueError("trials must hold some, got none")
        value, texts = float(hits.sum()) / total, len(hits)
        # The texts are independent, their parts are not: the error of a ratio of two sums.
        off = float(((hits - value * trials) ** 2).sum()) * texts / max(1, texts - 1)
        return cls(value, off**0.5 / total if texts > 1 else 0.0, total)


@dataclass(frozen=True, eq=False)
class Overlaps:
    """Two models side by side along texts that the target wrote.

    Attributes
    ----------
    overlap : ndarray, shape (B, N)
        Before each token the probability that a draft is accepted: the sum of min(p, q).
    kept : ndarray, shape (B, N)
        min(1, q / p) at the token that was written: the probability that it came as an accepted
        draft, given that one was tested there.
    same_best : ndarray of bool, shape (B, N)
        Whether both laws have their largest mass on the same token.
    """

    overlap: Floats
    kept: Floats
    same_best: NDArray[np.bool_]

    @property
    def alpha(self) -> Share:
        """The mean overlap over all tokens."""
        return self.where(np.ones_like(self.same_best))

    @property
    def agreement(self) -> Share:
        """How often the two largest masses agree: alpha at temperature 0."""
        return Share.ratio(self.same_best.sum(1), np.full(len(self.kept), self.kept.shape[1]))

    def where(self, chosen: NDArray[np.bool_]) -> Share:
        """Return the mean overlap over some of the tokens.

        Parameters
        ----------
        chosen : ndarray of bool, shape (B, N)

        Returns
        -------
        Share
            Its weight is the number of chosen tokens.

        Raises
        ------
        ValueError
            If none is chosen.
        """
        return Share.ratio((self.overlap * chosen).sum(1), chosen.sum(1).astype(float))

    def starts(self, gamma: int) -> Floats:
        """Return the probability that a round starts at each token.

        The text is given. A token of it was an accepted draft with probability `kept`, else a
        correction, independently of the others; so rounds form a chain along the text.

        Parameters
        ----------
        gamma : int
            Drafts in a block, fewer where the text ends sooner.

        Returns
        -------
        ndarray of float64, shape (B, N)
            1 at the first token; the sum of a row is the expected number of its rounds.

        Raises
        ------
        ValueError
            If `gamma` is below 1.
        """
        gamma = check_whole(gamma, "gamma", 1)
        texts, size = self.kept.shape
        starts = np.zeros((texts, size + 1))
        starts[:, 0] = 1
        for place in range(size):
            alive = starts[:, place].copy()
            for step in range(min(gamma, size - place - 1)):
                kept = self.kept[:, place + step]
                starts[:, place + step + 1] += alive * (1 - kept)
                alive *= kept
            starts[:, place + 1 + min(gamma, size - place - 1)] += alive
        return starts[:, :-1]

    def tokens_per_call(self, gamma: int) -> float:
        """Return the expected tokens of one target call, corrections and bonus tokens included.

        Exact for these texts, where a drafter's guess depends on the text alone, as a model's or a
        table's does.

        Parameters
        ----------
        gamma : int
            Drafts in a block.

        Returns
        -------
        float
            All tokens over all expected calls: in 1..gamma + 1.

        Raises
        ------
        ValueError
            If `gamma` is below 1.
        """
        return float(self.kept.size / self.starts(gamma).sum())

    def by_position(self, gamma: int) -> list[Share]:
        """Return alpha at each place of a block, given that all drafts before were accepted.

        Parameters
        ----------
        gamma : int
            Drafts in a block.

        Returns
        -------
        list of Share
            One for each of the first ``min(gamma, N - 1)`` places; its weight is the expected
            number of drafts tested there.

        Raises
        ------
        ValueError
            If `gamma` is below 1, or some place is never reached.
        """
        alive, size = self.starts(gamma), self.kept.shape[1]
        found = []
        for step in range(min(gamma, size - 1)):
            # The last token of a text is never drafted.
            reached = alive[:, : size - 1 - step]
            here = self.overlap[:, step : size - 1]
            found.append(Share.ratio((reached * here).sum(1), reached.sum(1)))
            alive = reached * self.kept[:, step : size - 1]
        return found


@torch.inference_mode()
def overlaps(
    target: Scorer,
    drafter: Drafter,
    prompts: Sequence[Sequence[int]],
    texts: Sequence[Sequence[int]],
    warp: Warp | None = None,
) -> Overlaps:
    """Put a drafter beside the target along texts that the target wrote.

    Parameters
    ----------
    target : Scorer
    drafter : Drafter
        Where it proposes nothing, nothing is accepted.
    prompts : sequence of sequences of int
        All of one length.
    texts : sequence of sequences of int
        What the target wrote after each prompt, all of one length.
    warp : Warp, optional
        Applied to both laws. For `Overlaps.starts` and what follows from it, it must be the one
        that the texts were written with.

    Returns
    -------
    Overlaps

    Raises
    ------
    ValueError
        If there is not one text for each prompt, or lengths differ.
    """
    lengths = {len(prompt) for prompt in prompts}, {len(text) for text in texts}
    if len(prompts) != len(texts) or any(len(found) != 1 for found in lengths):
        raise ValueError(
            "prompts and texts must come in pairs, each of one length, got lengths "
            f"{sorted(lengths[0])} and {sorted(lengths[1])}"
        )
    warp = Warp() if warp is None else warp
    whole = torch.tensor([[*a, *b] for a, b in zip(prompts, texts, strict=True)])
    first, size = len(prompts[0]), len(texts[0])
    logits = target(whole[:, :-1].to(target.device), target.new_cache(len(whole)))
    laws = warp(logits[:, first - 1 :].cpu())
    columns = _guesses(drafter, prompts, texts, warp, target.device)
    parts = [_compare(laws[:, i], column, whole[:, first + i]) for i, column in enumerate(columns)]
    overlap, kept, same = (np.stack([part[k] for part in parts], 1) for k in range(3))
    assert overlap.shape == (len(whole), size)
    return Overlaps(overlap, kept, same)


def _guesses(
    drafter: Drafter,
    prompts: Sequence[Sequence[int]],
    texts: Sequence[Sequence[int]],
    warp: Warp,
    device: Any,
) -> Iterator[Draft]:
    """Yield the drafter's next guess before every token of the texts."""
    context = [list(prompt) for prompt in prompts]
    drafter.start(context, warp, Streams(len(context), torch.Generator().manual_seed(0), device))
    for column in zip(*texts, strict=True):
        draft = drafter.propose(context, 1)
        yield draft
        guess = draft.tokens[:, 0].tolist() if draft.tokens.shape[1] else [-1] * len(context)
        drafter.accept([int(g == x) for g, x in zip(guess, column, strict=True)], list(column))
        for row, token in zip(context, column, strict=True):
            row.append(token)


def _compare(p: Tensor, draft: Draft, written: Tensor) -> tuple[Any, Any, Any]:
    """Return overlap, min(1, q / p) at the written token, and whether the best tokens agree."""
    q = torch.zeros_like(p)
    if draft.probs is not None:
        shared = min(p.shape[-1], draft.probs.shape[-1])
        q[:, :shared] = draft.probs[:, 0, :shared].cpu().to(p.dtype)
    elif draft.tokens.shape[1]:
        there = 1.0 if draft.lengths is None else (draft.lengths > 0).to(p.dtype).cpu()[:, None]
        q.scatter_(1, draft.tokens[:, :1].cpu(), torch.ones_like(p[:, :1]) * there)
    p, q = p.double(), q.double()
    both = [law.gather(1, written[:, None])[:, 0] for law in (p, q)]
    kept = (both[1] / both[0]).clamp_max(1)
    same = (p.argmax(-1) == q.argmax(-1)) & (q.amax(-1) > 0)
    return torch.minimum(p, q).sum(-1).numpy(), kept.numpy(), same.numpy()
