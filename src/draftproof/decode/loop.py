"""The decoding loop: draft, one verification pass, accept, correct or add a bonus, roll back."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from draftproof.checks import check_whole, show_value
from draftproof.decode.cache import SLACK
from draftproof.decode.drafters.base import Draft, Drafter
from draftproof.decode.scorer import CachedRows, Scorer
from draftproof.decode.streams import Streams
from draftproof.decode.verify import rejection_sample
from draftproof.decode.warp import Warp
from draftproof.trace import Counters, Trace

__all__ = ["Generation", "Round", "generate"]


@dataclass(frozen=True, eq=False)
class Round(Trace):
    """A round of a real model; it may have ended its row with an accepted draft.

    Attributes
    ----------
    ended : bool
        Whether the last accepted draft was the end of the sequence, so that nothing came after.
    """

    ended: bool = False

    def until(self, eos: int) -> Round:
        """Return the round as it counts if the sequence ends at the first `eos`."""
        hits = np.flatnonzero(self.draft_tokens[: self.num_accepted] == eos)
        if not hits.size:
            return self
        return replace(self, num_accepted=int(hits[0]) + 1, ended=True)

    @property
    def tokens(self) -> tuple[int, ...]:
        """What the round emits."""
        return super().tokens[:-1] if self.ended else super().tokens

    @property
    def tested(self) -> int:
        """How many drafts were tested."""
        return self.num_accepted if self.ended else super().tested

    @property
    def is_bonus(self) -> bool:
        """Whether a bonus token came after a fully accepted block."""
        return not self.ended and super().is_bonus

    @property
    def correction(self) -> int | None:
        """The token that replaced the first rejected draft, or None."""
        return None if self.ended else super().correction

    @property
    def counters(self) -> Counters:
        """The counters of this round alone; drafts past the end were drafted all the same."""
        return replace(super().counters, corrections=int(self.correction is not None))


@dataclass(frozen=True)
class Generation:
    """What `generate` made of a batch.

    Attributes
    ----------
    rows : tuple of tuple of int
        New tokens of each row, without its prompt.
    rounds : tuple of tuple of Trace
        For each row its rounds. The laws in them are empty unless they were asked for.
    timings : dict of str to float
        Seconds by part: ``prefill``, ``draft``, ``target``, ``verify``.
    single : bool
        Whether one bare prompt was given.
    """

    rows: tuple[tuple[int, ...], ...]
    rounds: tuple[tuple[Trace, ...], ...]
    timings: dict[str, float]
    single: bool

    @property
    def tokens(self) -> Any:
        """New tokens: a tuple of int for a bare prompt, a tuple of tuples for a batch."""
        return self.rows[0] if self.single else self.rows

    @property
    def trace(self) -> tuple[Trace, ...]:
        """The rounds of the first row."""
        return self.rounds[0]

    def row_counters(self, row: int) -> Counters:
        """Return the counters of one row."""
        return Counters.total(round_.counters for round_ in self.rounds[row])

    @property
    def counters(self) -> Counters:
        """The counters of all rows together; a call for several rows counts once for each."""
        return Counters.total(self.row_counters(row) for row in range(len(self.rows)))

    @property
    def seconds(self) -> float:
        """All parts together."""
        return sum(self.timings.values())


class Clock:
    """Seconds by part; on a GPU the device is waited for at the borders of each part."""

    def __init__(self, device: torch.device) -> None:
        self.seconds = dict.fromkeys(("prefill", "draft", "target", "verify"), 0.0)
        self._device = device if device.type == "cuda" else None

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count the time inside to a part."""
        started = self._now()
        yield
        self.seconds[name] += self._now() - started

    def _now(self) -> float:
        if self._device is not None:
            torch.cuda.synchronize(self._device)
        return time.perf_counter()


@dataclass
class _Row:
    """One sequence under way."""

    context: list[int]
    left: int
    made: list[int] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)

    def allowed(self, gamma: int) -> int:
        """Drafts that can still be used: every round adds one token of its own."""
        return max(0, min(gamma, self.left - 1))

    def take(self, round_: Round, eos: int | None) -> None:
        """Append what a round emitted; end the row at its first end-of-sequence token."""
        round_ = round_ if eos is None else round_.until(eos)
        self.rounds.append(round_)
        self.made += round_.tokens
        self.context += round_.tokens
        self.left -= len(round_.tokens)
        if eos is not None and eos in round_.tokens:
            self.left = 0


def _check(
    target: Scorer, prompts: list[list[int]], gamma: int, new: int, eos: int | None
) -> tuple[int, int, int | None]:
    """Return gamma, max_new_tokens and eos_token_id as plain ints, or raise."""
    for name in ("vocabulary_size", "context_size", "device", "new_cache"):
        if not hasattr(target, name):
            raise ValueError(f"target must be a Scorer with {name}, got {show_value(target)}")
    gamma = check_whole(gamma, "gamma", 1, SLACK - 1)
    new = check_whole(new, "max_new_tokens", 0)
    size = target.vocabulary_size
    if eos is not None:
        eos = check_whole(eos, "eos_token_id", 0, size - 1)
    if not prompts:
        raise ValueError("prompt_ids must hold at least one prompt, got none")
    for prompt in prompts:
        if not prompt:
            raise ValueError("prompt_ids must hold at least one token a prompt, got an empty one")
        for token in prompt:
            check_whole(token, "prompt_ids", 0, size - 1)
        if len(prompt) + new > target.context_size:
            raise ValueError(
                f"prompt and max_new_tokens must fit the context of {target.context_size} tokens, "
                f"got {len(prompt)} + {new}"
            )
    return gamma, new, eos


def _prompts(prompt_ids: Any) -> tuple[list[list[int]], bool]:
    """Return the prompts as lists, and whether one bare prompt was given."""
    given = prompt_ids.tolist() if hasattr(prompt_ids, "tolist") else prompt_ids
    if not isinstance(given, (list, tuple)):
        raise ValueError(f"prompt_ids must be token numbers, or lists of them, got {given!r}")
    rows = [row.tolist() if hasattr(row, "tolist") else row for row in given]
    single = not any(isinstance(row, (list, tuple)) for row in rows)
    prompts = [rows] if single else rows
    if not all(isinstance(row, (list, tuple)) for row in prompts):
        raise ValueError(f"prompt_ids must be one prompt or a list of prompts, got {given!r}")
    return [list(row) for row in prompts] if given else [], single


def _propose(
    drafter: Drafter | None, rows: list[_Row], gamma: int, size: int, device: Any
) -> tuple[Draft, Tensor]:
    """Return the drafts and how many of each row's may be used."""
    allowed = torch.tensor([row.allowed(gamma) for row in rows], device=device)
    if drafter is None or int(allowed.max()) == 0:
        return Draft(torch.zeros(len(rows), 0, dtype=torch.long, device=device), None), allowed * 0
    # Always `gamma`, whatever is left: a row's streams must not depend on its neighbours.
    draft = _answer(drafter.propose([row.context for row in rows], gamma), len(rows), gamma, size)
    return draft, allowed if draft.lengths is None else torch.minimum(allowed, draft.lengths)


def _answer(draft: object, batch: int, gamma: int, size: int) -> Draft:
    """Return a drafter's answer if it is one; a wrong q would be a wrong law without a word."""

    def fault(words: str) -> ValueError:
        return ValueError(f"drafter.propose must return {words}, got {show_value(draft)}")

    if not isinstance(draft, Draft):
        raise fault("a Draft")
    tokens, probs, lengths = draft.tokens, draft.probs, draft.lengths
    shape = tuple(tokens.shape)
    if len(shape) != 2 or shape[0] != batch or shape[1] > gamma or tokens.is_floating_point():
        raise fault(f"whole tokens of shape ({batch}, at most {gamma})")
    if lengths is not None and tuple(lengths.shape) != (batch,):
        raise fault(f"lengths of shape ({batch},)")
    if probs is not None and (probs.ndim != 3 or tuple(probs.shape[:2]) != shape):
        raise fault(f"probs of shape {(*shape, 'V')}")
    right = (tokens >= 0) & (tokens < (size if probs is None else probs.shape[-1]))
    if probs is not None:
        picked = tokens.clamp(0, probs.shape[-1] - 1)[..., None].long()
        total = probs.sum(-1, dtype=torch.float32)
        right &= (probs.gather(-1, picked)[..., 0] > 0) & ((total - 1).abs() < 2e-2)
        right &= probs.amin(-1) >= 0
    if lengths is not None:
        used = torch.arange(shape[1], device=tokens.device) < lengths[:, None]
        right = (right | ~used) & ((lengths >= 0) & (lengths <= shape[1]))[:, None]
    if not bool(right.all()):
        raise fault("tokens that its probs can draw, each row of probs a law, lengths within them")
    return draft


def _pad(probs: Tensor, size: int) -> Tensor:
    """Return laws over a larger vocabulary; the tokens it adds have no mass."""
    return functional.pad(probs, (0, size - probs.shape[-1]))


def _laws(logits: Tensor, warp: Warp) -> Tensor:
    """Return the target's warped laws, if its logits are numbers."""
    if not bool(logits.amax(-1).isfinite().all()):
        raise ValueError("target must return logits with a finite largest one, got NaN or inf")
    return warp(logits)


@torch.inference_mode()
def generate(
    target: Scorer,
    prompt_ids: Any,
    *,
    drafter: Drafter | None = None,
    gamma: int = 4,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    max_new_tokens: int,
    eos_token_id: int | None = None,
    generator: torch.Generator | Sequence[torch.Generator],
    keep_laws: bool = False,
) -> Generation:
    """Generate text whose law is the target's, faster where the drafter guesses well.

    Parameters
    ----------
    target : Scorer
        The model whose law is wanted, such as `Transformer`.
    prompt_ids : sequence of int, or sequence of such sequences
        One prompt or a batch; prompts may differ in length.
    drafter : Drafter, optional
        None decodes plainly, one pass a token.
    gamma : int
        Drafts in a block, 1..63.
    temperature, top_k, top_p
        Applied to both laws alike, see `Warp`. Temperature 0 is greedy decoding.
    max_new_tokens : int
        Every row makes exactly as many, unless it ends before.
    eos_token_id : int, optional
        A row ends with the first of these.
    generator : torch.Generator or sequence of torch.Generator
        One for the batch or one for each row.
    keep_laws : bool
        Keep p and q of every round in its trace (memory: gamma * V numbers a round).

    Returns
    -------
    Generation

    Raises
    ------
    ValueError
        If an argument is out of range, a token lies outside the vocabulary, or a row would grow
        past the target's context.

    References
    ----------
    Leviathan, Kalman and Matias (2023), algorithm 1.
    """
    warp = Warp(temperature, top_k, top_p)
    prompts, single = _prompts(prompt_ids)
    gamma, new, eos = _check(target, prompts, gamma, max_new_tokens, eos_token_id)
    device = torch.device(target.device)
    streams = Streams(len(prompts), generator, device)
    clock = Clock(device)
    rows = [_Row(list(prompt), new) for prompt in prompts]
    with clock.part("prefill"):
        state = CachedRows(target, prompts)
        if drafter is not None:
            drafter.start(prompts, warp, streams)
    while any(row.left for row in rows):
        with clock.part("draft"):
            draft, lengths = _propose(drafter, rows, gamma, target.vocabulary_size, device)
        with clock.part("target"):
            p = _laws(state.score([row.context for row in rows], draft.tokens), warp)
        with clock.part("verify"):
            u = streams.verdicts(gamma)
            u = torch.cat([u[:, : draft.tokens.shape[1]], u[:, -1:]], 1)
            q = draft.probs
            if q is not None:  # vocabularies padded to different sizes meet in the larger one
                both = max(p.shape[-1], q.shape[-1])
                p, q = _pad(p, both), _pad(q, both)
            tokens, accepted = rejection_sample(draft.tokens, q, p, lengths, u)
            outcome = torch.cat([accepted[:, None], lengths[:, None], tokens], 1).tolist()
            for i, (row, (kept, drafted, *out)) in enumerate(zip(rows, outcome, strict=True)):
                if row.left:
                    laws = (q, p) if keep_laws else None
                    row.take(_round(i, draft, laws, u, kept, drafted, out[kept]), eos)
            state.keep_drafts(accepted.tolist())
            if drafter is not None:
                drafter.accept(accepted.tolist(), [out[2 + out[0]] for out in outcome])
    return Generation(
        tuple(tuple(row.made) for row in rows),
        tuple(tuple(row.rounds) for row in rows),
        clock.seconds,
        single,
    )


def _round(
    row: int,
    draft: Draft,
    laws: tuple[Tensor | None, Tensor] | None,
    u: Tensor,
    kept: int,
    drafted: int,
    next_token: int,
) -> Round:
    """Return what one row did in one round."""
    tokens = draft.tokens[row, :drafted].cpu().numpy()
    q = p = np.empty((0, 0))
    if laws is not None:
        p = laws[1][row, : drafted + 1].double().cpu().numpy()
        q = np.eye(p.shape[1])[tokens]
        if laws[0] is not None:
            q = laws[0][row, :drafted].double().cpu().numpy()
    # Positions after the first rejection are not judged; only the prefix and its end are known.
    verdicts = np.arange(drafted) < kept
    return Round(tokens, u[row, :drafted].cpu().numpy(), q, p, verdicts, kept, next_token)
