"""dflash and flashspec: functions that verify a block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch

from benchmarks.audit.cases import Case, standard
from benchmarks.audit.forms import PROBS, SOME, from_logits

# dflash: one row at a time, probabilities.


def dflash_verify(
    draft: torch.Tensor, q: torch.Tensor, p: torch.Tensor, sparse: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """Call `_rejection_sample` for each row, with q dense or as (mass, index) pairs."""
    from dflash.model import _rejection_sample as verify

    accepted = torch.empty(len(draft), dtype=torch.long)
    following = torch.empty(len(draft), dtype=torch.long)
    index = torch.arange(q.shape[-1]).flip(0).expand(1, draft.shape[1], -1)
    for i in range(len(draft)):
        row = q[i : i + 1]
        if sparse:
            kept, token = verify(draft[i : i + 1], p[i : i + 1], row.flip(-1), index)
        else:
            kept, token = verify(draft[i : i + 1], p[i : i + 1], row)
        accepted[i], following[i] = kept, token
    return accepted, following


def dflash_cases() -> Iterator[Case]:
    """Yield the audits of dflash."""
    yield from standard("dflash", "model._rejection_sample", dflash_verify, 10_000, PROBS)
    verify = partial(dflash_verify, sparse=True)
    form = {"float32 probabilities by index": PROBS["float32 probabilities"]}
    yield from standard(
        "dflash",
        "model._rejection_sample",
        verify,
        10_000,
        form,
        (2,),
        ("three tokens", "zeros in p", "zeros in q"),
    )


# flashspec: batches.


def flash_step(draft: torch.Tensor, q: torch.Tensor, p: torch.Tensor) -> Any:
    """Call `rejection_step`, which takes log-probabilities."""
    from flashspec.sampling.rejection import rejection_step

    out = rejection_step(draft, q, p)
    return out[:, 0], out[:, 1]


def flash_sample(draft: torch.Tensor, q: torch.Tensor, p: torch.Tensor) -> Any:
    """Call `rejection_sample`; the bonus token is drawn by the caller, as its engine does."""
    from flashspec.sampling.rejection import rejection_sample

    gamma = draft.shape[1]
    ids, first, _ = rejection_sample(draft[:, :1], q, p[:, :gamma], draft, gamma)
    first = first.long()
    bonus = torch.multinomial(p[:, -1].float().exp(), 1)[:, 0]
    fixed = ids.gather(1, first.clamp(max=gamma - 1)[:, None])[:, 0]
    return first, torch.where(first < gamma, fixed, bonus)


def flash_onehot(draft: torch.Tensor, q: torch.Tensor, p: torch.Tensor) -> Any:
    """Call `rejection_step_onehot`: whatever q was, it takes the drafts as given."""
    from flashspec.sampling.rejection import rejection_step_onehot

    out = rejection_step_onehot(draft, p)
    return out[:, 0], out[:, 1]


def flash_typical(draft: torch.Tensor, q: torch.Tensor, p: torch.Tensor) -> Any:
    """Call `typical_sample`, which says of itself that it is lossy."""
    from flashspec.sampling.typical import typical_sample

    gamma = draft.shape[1]
    ids, first, _ = typical_sample(q, p[:, :gamma], draft, gamma)
    first = first.long()
    bonus = torch.multinomial(p[:, -1].float().exp(), 1)[:, 0]
    fixed = ids.gather(1, first.clamp(max=gamma - 1)[:, None])[:, 0]
    return first, torch.where(first < gamma, fixed, bonus)


def _log_probs(dtype: torch.dtype, row: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(row).log().to(dtype)


def flash_cases() -> Iterator[Case]:
    """Yield the audits of flashspec."""
    forms = {
        "float32 log-probabilities": (partial(_log_probs, torch.float32), from_logits),
        "bfloat16 log-probabilities": (partial(_log_probs, torch.bfloat16), from_logits),
    }
    one = {"float32 log-probabilities": forms["float32 log-probabilities"]}
    yield from standard("flashspec", "sampling.rejection_step", flash_step, 200_000, forms)
    yield from standard(
        "flashspec", "sampling.rejection_sample", flash_sample, 100_000, one, (2,), SOME
    )
    onehot = "sampling.rejection_step_onehot"
    yield from standard("flashspec", onehot, flash_onehot, 100_000, one, (2,), SOME)
    for case in standard(
        "flashspec",
        "sampling.typical_sample",
        flash_typical,
        100_000,
        one,
        (),
        ("eight tokens", "even p"),
    ):
        note = "documented not to keep the law; audited against p"
        yield replace(case, claimed="lossy", note=note)
