"""sequential-speculative-decoding and speculative-decoding: whole rounds with models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from benchmarks.audit.cases import TOKENS, Case, sequence_law, tables
from benchmarks.audit.tiny import model_law, spread, warp

# sequential-speculative-decoding: whole rounds with models that are called.


def _table_model(table: np.ndarray) -> Any:
    """Return a model whose next-token law depends on the last token; token V is the start."""
    padded = np.full((len(table), table.shape[1] + 1), -np.inf)
    padded[:, :-1] = np.log(table)
    logits = torch.from_numpy(padded).float()
    return lambda ids: SimpleNamespace(logits=logits[ids])


def _rounds(step: Any, gamma: int) -> Callable[[int, np.random.Generator], Any]:
    p, q = tables()
    target, draft = _table_model(p), _table_model(q)

    def one() -> list[int]:
        ids = torch.tensor([[TOKENS]])
        while ids.shape[1] < 4:
            ids, _, _ = step(draft, target, ids, gamma, 1.0, 1.0)
        return ids[0, 1:4].tolist()

    def sampler(n: int, rng: np.random.Generator) -> Any:
        torch.manual_seed(int(rng.integers(2**31)))
        return [one() for _ in range(n)]

    return sampler


def sequential_cases() -> Iterator[Case]:
    """Yield the audits of the three rules of sequential-speculative-decoding."""
    from seqspecdecod.capped_hsd import capped_hsd_step
    from seqspecdecod.naive_hsd import naive_hsd_step
    from seqspecdecod.standard_sd import standard_speculative_step

    law = sequence_law(tables()[0])
    for step in (standard_speculative_step, naive_hsd_step, capped_hsd_step):
        for gamma in (1, 2, 3):
            yield Case(
                "sequential-speculative-decoding",
                step.__name__,
                f"blocks of {gamma}, chained to 3 tokens, three-token table models",
                law,
                5000,
                _rounds(step, gamma),
            )


# speculative-decoding: whole generation with its own small networks.


def _decoder(seed: int) -> Any:
    from speculative_decoding import Decoder

    torch.manual_seed(seed)
    net = Decoder(num_tokens=TOKENS, dim=16, depth=1, heads=2, dim_head=8)
    return spread(net, seed, 0.4)


def _decoder_law(net: Any, prompt: torch.Tensor, length: int) -> Any:
    wrapped = lambda ids: SimpleNamespace(logits=net(ids))  # noqa: E731
    return model_law(wrapped, prompt.tolist(), length, partial(warp, 1.0, TOKENS))


def _decode(function: Any, nets: tuple[Any, ...], prompt: torch.Tensor, length: int, batch: int,
            **options: Any) -> Any:  # fmt: skip
    def sampler(n: int, rng: np.random.Generator) -> Any:
        torch.manual_seed(int(rng.integers(2**31)))
        made: list[torch.Tensor] = []
        while sum(map(len, made)) < n:
            rows = prompt.expand(batch, -1)
            out = function(*nets, rows, prompt.shape[0] + length, filter_thres=0.0, **options)
            made.append(out[0] if isinstance(out, tuple) else out)
        return torch.cat(made)[:n]

    return sampler


_BATCHES = (
    "once rows of a batch have accepted different numbers of drafts, the pass over the shifted "
    "cache gives other probabilities than a fresh pass over the same tokens"
)


def decoder_cases() -> Iterator[Case]:
    """Yield the audits of the speculative-decoding package."""
    from speculative_decoding import base_decoding, speculative_decoding

    net, small = _decoder(7), _decoder(8)
    prompt = torch.tensor([0, 1, 2])
    law = _decoder_law(net, prompt, 3)
    where = "three tokens drawn, tiny random networks"
    plain = _decode(base_decoding, (net,), prompt, 3, 500)
    yield Case(
        "speculative-decoding", "base_decoding", f"batches of 500; {where}", law, 20_000, plain
    )
    for batch, gamma, n in (
        (1, 2, 3000),
        (1, 4, 3000),
        (8, 4, 16_000),
        (500, 1, 20_000),
        (500, 2, 20_000),
        (500, 4, 20_000),
    ):
        sampler = _decode(speculative_decoding, (net, small), prompt, 3, batch, gamma=gamma)
        about = f"batches of {batch}, gamma {gamma}; {where}"
        note = _BATCHES if batch > 1 else ""
        name = "speculative_decoding"
        yield Case("speculative-decoding", name, about, law, n, sampler, note=note)
