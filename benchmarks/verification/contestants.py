"""The functions that accept a batch of blocks, each with laws in its own form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from draftproof.decode.verify import rejection_sample

Contestants = dict[str, Callable[[], Any]]


@dataclass(frozen=True)
class Blocks:
    """Drafted blocks and the laws of draft and target, as logarithms and as probabilities.

    Attributes
    ----------
    drafts : Tensor of int64, shape (B, T)
    log_q, q : Tensor of float32, shape (B, T, V)
    log_p, p : Tensor of float32, shape (B, T + 1, V)
    """

    drafts: Tensor
    log_q: Tensor
    log_p: Tensor
    q: Tensor
    p: Tensor

    @classmethod
    def random(cls, batch: int, gamma: int, size: int, seed: int = 1) -> Blocks:
        """Return blocks whose target logits have deviation 2, the draft's 0.7 around them."""
        rng = torch.Generator().manual_seed(seed)
        logits = 2 * torch.randn(batch, gamma + 1, size, generator=rng)
        noise = 0.7 * torch.randn(batch, gamma, size, generator=rng)
        log_q = (logits[:, :gamma] + noise).log_softmax(-1)
        log_p = logits.log_softmax(-1)
        q = log_q.exp()
        drafts = torch.multinomial(q.flatten(0, 1), 1, generator=rng).view(batch, gamma)
        return cls(drafts, log_q, log_p, q, log_p.exp())

    def rejections(self, calls: int = 200) -> float:
        """Return how many rows of the batch end in a rejection, on average over uniforms."""
        gamma = self.drafts.shape[1]
        at = self.drafts[..., None]
        u = torch.rand(calls, *self.drafts.shape, dtype=torch.float64)
        kept = u * self.q.gather(-1, at)[..., 0] < self.p[:, :gamma].gather(-1, at)[..., 0]
        return float((~kept.all(-1)).sum(-1).double().mean())

    def overlap(self) -> float:
        """Return the probability that a draft is accepted, on average over positions."""
        return float(torch.minimum(self.p[:, :-1], self.q).sum(-1).mean())


def plain_torch(blocks: Blocks) -> tuple[Tensor, Tensor]:
    """Accept with the operators a first program would take, `torch.multinomial` among them."""
    drafts, q, p = blocks.drafts, blocks.q, blocks.p
    batch, gamma = drafts.shape
    at = drafts[..., None]
    ratio = p[:, :gamma].gather(-1, at)[..., 0] / q.gather(-1, at)[..., 0]
    kept = torch.rand_like(ratio) < ratio
    accepted = kept.long().cumprod(-1).sum(-1)
    rows, full = torch.arange(batch), accepted == gamma
    law = p[rows, accepted]
    spare = (law - q[rows, accepted.clamp(max=gamma - 1)]).clamp(min=0)
    token = torch.multinomial(torch.where(full[:, None], law, spare), 1)
    out = torch.cat([drafts, token], 1)
    out[torch.arange(gamma + 1) > accepted[:, None]] = -1
    return out.scatter_(1, accepted[:, None], token), accepted


def hugging_face(blocks: Blocks) -> None:
    """Call transformers' function, which takes one row, for each of them."""
    from transformers.generation.utils import _speculative_sampling as verify

    gamma = blocks.drafts.shape[1]
    for i in range(len(blocks.drafts)):
        row = slice(i, i + 1)
        verify(blocks.drafts[row], blocks.log_q[row], gamma, blocks.log_p[row])


def dflash(blocks: Blocks) -> None:
    """Call dflash's function, which takes one row, for each of them."""
    from dflash.model import _rejection_sample as verify

    for i in range(len(blocks.drafts)):
        row = slice(i, i + 1)
        verify(blocks.drafts[row], blocks.p[row], blocks.q[row])


def flashspec(blocks: Blocks) -> None:
    """Call flashspec's function, which takes batches."""
    from flashspec.sampling.rejection import rejection_step

    rejection_step(blocks.drafts, blocks.log_q, blocks.log_p)


PEERS: dict[str, Callable[[Blocks], Any]] = {
    "transformers": hugging_face,
    "dflash": dflash,
    "flashspec": flashspec,
}


def contestants(blocks: Blocks) -> Contestants:
    """Return what can be run here: ours, plain torch, and the peers that are installed."""
    ready: Contestants = {
        "draftproof": partial(rejection_sample, blocks.drafts, blocks.q, blocks.p),
        "plain torch": partial(plain_torch, blocks),
    }
    for name, run in PEERS.items():
        try:
            run(blocks)
        except ImportError:
            continue
        ready[name] = partial(run, blocks)
    return ready
