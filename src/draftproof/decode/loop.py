"""The decoding loop: draft, one verification pass, accept, correct or add a bonus, roll back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from draftproof.checks import check_flag
from draftproof.decode.clock import Clock
from draftproof.decode.drafters.base import Draft, Drafter, check_shapes, inspect, refusal
from draftproof.decode.inputs import as_prompts, check_drafter, check_request
from draftproof.decode.rounds import Generation, Round, Row
from draftproof.decode.scorer import CachedRows, Scorer
from draftproof.decode.streams import Streams
from draftproof.decode.verify import rejection_sample
from draftproof.decode.warp import Warp

__all__ = ["Generation", "Round", "generate"]


def _propose(drafter: Drafter | None, rows: list[Row], gamma: int, home: torch.device) -> Draft:
    """Return the drafts, with lengths where not all of them may be used."""
    allowed = [row.allowed(gamma) for row in rows]
    if drafter is None or not any(allowed):
        return Draft(torch.empty(len(rows), 0, dtype=torch.long, device=home), None)
    # Always `gamma`, whatever is left: a row's streams must not depend on its neighbours.
    answer = drafter.propose([row.context for row in rows], gamma)
    draft = check_shapes(answer, len(rows), gamma, home)
    if min(allowed) >= draft.tokens.shape[1]:
        return draft
    most = torch.tensor(allowed, device=home).clamp_max(draft.tokens.shape[1])
    lengths = most if draft.lengths is None else torch.minimum(most, draft.lengths)
    return replace(draft, lengths=lengths)


def _pad(probs: Tensor, size: int) -> Tensor:
    """Return laws over a larger vocabulary; the tokens it adds have no mass."""
    return functional.pad(probs, (0, size - probs.shape[-1])) if size > probs.shape[-1] else probs


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
        If an argument is of another kind or out of range, a token lies outside the vocabulary, or
        a row would grow past the target's context or the drafter's.

    References
    ----------
    Leviathan, Kalman and Matias (2023), algorithm 1.
    """
    warp = Warp(temperature, top_k, top_p)
    prompts, single = as_prompts(prompt_ids)
    gamma, new, eos = check_request(target, prompts, gamma, max_new_tokens, eos_token_id)
    check_drafter(drafter, prompts, new)
    keep_laws = check_flag(keep_laws, "keep_laws")
    home = _home(torch.device(target.device))
    streams = Streams(len(prompts), generator, home)
    rows = [Row(list(prompt), new) for prompt in prompts]
    clock = Clock(home)
    state = CachedRows(target, prompts)
    if drafter is not None:
        drafter.start(prompts, warp, streams)
    clock.lap("prefill")
    while any(row.left for row in rows):
        draft = _propose(drafter, rows, gamma, home)
        drafts, wrong = inspect(draft, target.vocabulary_size)
        clock.lap("draft")
        logits = state.score([row.context for row in rows], drafts).to(home)
        p, q = warp(logits), draft.probs
        clock.lap("target")
        if q is not None:  # vocabularies padded to different sizes meet in the larger one
            both = max(p.shape[-1], q.shape[-1])
            p, q = _pad(p, both), _pad(q, both)
        u = streams.verdicts(gamma, drafts.shape[1])
        tokens, accepted = rejection_sample(drafts, q, p, draft.lengths, u)
        numberless = ~logits.amax(-1).isfinite().all(-1)
        outcome = _Outcome(draft, drafts, tokens, accepted, wrong, numberless, u)
        for i, row in enumerate(rows):
            if row.left:
                row.take(outcome.round(i, (p, q) if keep_laws else None), eos)
        state.keep_drafts(outcome.accepted)
        if drafter is not None:
            drafter.accept(outcome.accepted, outcome.next_tokens)
        clock.lap("verify")
    return Generation(
        tuple(tuple(row.made) for row in rows),
        tuple(tuple(row.rounds) for row in rows),
        clock.seconds(),
        single,
    )


def _home(device: torch.device) -> torch.device:
    """Return where laws are compared: the model's device, if it has float64."""
    return torch.device("cpu") if device.type == "mps" else device


class _Outcome:
    """What a round did, brought to main memory in one piece: the only wait for the device.

    Raises
    ------
    ValueError
        If the draft was no draft, or the target's logits were no numbers.
    """

    def __init__(
        self,
        draft: Draft,
        drafts: Tensor,
        tokens: Tensor,
        accepted: Tensor,
        wrong: Tensor,
        numberless: Tensor,
        u: Tensor,
    ) -> None:
        width = drafts.shape[1]
        lengths = torch.full_like(accepted, width) if draft.lengths is None else draft.lengths
        columns = torch.stack([wrong, numberless, accepted, lengths], 1)
        # Token numbers stay whole in float64, the type of the uniforms.
        sheet = torch.cat([columns, drafts, tokens, u], 1).cpu().numpy()
        if sheet[:, 0].any():
            words = "tokens that its probs can draw, each row of probs a law"
            if draft.probs is None:
                words = "tokens of the target's vocabulary"
            raise refusal(f"{words}, lengths within them", draft)
        if sheet[:, 1].any():
            raise ValueError("target must return logits with a finite largest one, got NaN or inf")
        whole = sheet[:, : 5 + 2 * width].astype(np.int64)
        self._drafts, self._tokens = whole[:, 4 : 4 + width], whole[:, 4 + width :]
        self._uniforms = sheet[:, -1 - width : -1]
        self.accepted: list[int] = whole[:, 2].tolist()
        self.drafted: list[int] = whole[:, 3].tolist()
        self.next_tokens: list[int] = self._tokens[np.arange(len(whole)), whole[:, 2]].tolist()

    def round(self, row: int, laws: tuple[Tensor, Tensor | None] | None) -> Round:
        """Return what one row did, with its laws (p, q) if they are given."""
        drafted, kept = self.drafted[row], self.accepted[row]
        tokens = self._drafts[row, :drafted]
        q = p = _NO_LAWS
        if laws is not None:
            p = laws[0][row, : drafted + 1].double().cpu().numpy()
            q = np.eye(p.shape[1])[tokens]
            if laws[1] is not None:
                q = laws[1][row, :drafted].double().cpu().numpy()
        # Positions after the first rejection are not judged; only the prefix and its end are known.
        verdicts = np.arange(drafted) < kept
        uniforms = self._uniforms[row, :drafted]
        return Round(tokens, uniforms, q, p, verdicts, kept, self.next_tokens[row])


_NO_LAWS = np.empty((0, 0))
