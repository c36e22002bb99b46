"""The two ends of the uniform, which no audit by sampling reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest import mock

import torch

from benchmarks.audit.hugging_face import hf_verify
from benchmarks.audit.verifiers import dflash_verify, flash_step

ALMOST_ONE = 1 - 2.0**-24  # the largest float32 uniform


@dataclass(frozen=True)
class Form:
    """How an implementation is handed logits, and the probabilities that it then works with."""

    given: Callable[[torch.Tensor], torch.Tensor]
    used: Callable[[torch.Tensor], torch.Tensor]


def _with_uniform(value: float, call: Callable[[], Any]) -> Any:
    def like(x: torch.Tensor, **_: Any) -> torch.Tensor:
        return torch.full_like(x, value)

    with mock.patch("torch.rand_like", like):
        return call()


def _edge(implementation: str, verify: Any, form: Form) -> Iterator[dict[str, Any]]:
    half, sure = (form.given(torch.tensor(row).log()) for row in ([0.5, 0.5], [0.0, 1.0]))

    def zero() -> str:
        accepted, _ = verify(torch.tensor([[0]]), half[None, None], torch.stack([sure] * 2)[None])
        return "token of probability 0 accepted" if int(accepted[0]) else "rejected, as it should"

    yield {
        "implementation": implementation,
        "edge": "the uniform is 0 and the drafted token has p = 0",
        "outcome": _outcome(lambda: _with_uniform(0.0, zero)),
    }
    p, q, token = _rounded_pair(form)

    def last() -> str:
        rows = form.given(q)[None, None], torch.stack([form.given(p)] * 2)[None]
        accepted, following = verify(torch.tensor([[token]]), *rows)
        verdict = "accepted" if int(accepted[0]) else "rejected"
        return f"{verdict}, then token {int(following[0])} of 6"

    yield {
        "implementation": implementation,
        "edge": "p and q one float32 rounding apart, q nowhere below p, and the largest uniform",
        "outcome": _outcome(lambda: _with_uniform(ALMOST_ONE, last)),
    }


def _rounded_pair(form: Form) -> tuple[torch.Tensor, torch.Tensor, int]:
    """Return logits whose laws differ by rounding only, q never below p, and a token to draft.

    A rejection of that token leaves max(p - q, 0) without any mass.
    """
    generator = torch.Generator().manual_seed(0)
    while True:
        p = torch.randn(6, generator=generator)
        q = p.clone()
        k = int(torch.randint(6, (1,), generator=generator))
        q[k] = torch.nextafter(p[k], torch.tensor(100.0))
        one, other = form.used(p), form.used(q)
        ratio = one / other
        if not bool((one > other).any()) and float(ratio.min()) < ALMOST_ONE:
            return p, q, int(ratio.argmin())


def _outcome(call: Callable[[], str]) -> str:
    try:
        return call()
    except Exception as error:
        return f"{type(error).__name__}: {error}".replace("\n", " ")[:200]


def edges() -> list[dict[str, Any]]:
    """Return what the verification functions do at the two ends of the uniform."""
    softmax = partial(torch.softmax, dim=-1)
    log_softmax = partial(torch.log_softmax, dim=-1)
    found: list[dict[str, Any]] = []
    found += _edge("transformers", hf_verify, Form(lambda logits: logits, softmax))
    found += _edge("dflash", dflash_verify, Form(softmax, softmax))
    found += _edge("flashspec", flash_step, Form(log_softmax, lambda x: log_softmax(x).exp()))
    return found
