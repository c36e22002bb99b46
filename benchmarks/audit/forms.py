"""How laws are handed over, and the law that the rounded form stands for."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch


def logits(dtype: torch.dtype, row: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(row).log().to(dtype)


def from_logits(held: torch.Tensor) -> np.ndarray:
    return held.double().softmax(dim=-1).numpy()


def probs(dtype: torch.dtype, row: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(row).to(dtype)


def from_probs(held: torch.Tensor) -> np.ndarray:
    rows = held.double()
    return (rows / rows.sum(dim=-1, keepdim=True)).numpy()


LOGITS = {
    "float32 logits": (partial(logits, torch.float32), from_logits),
    "bfloat16 logits": (partial(logits, torch.bfloat16), from_logits),
}
SOME = ("three tokens", "eight tokens", "zeros in p", "zeros in q", "p = q", "no token in common")
PROBS = {
    "float32 probabilities": (partial(probs, torch.float32), from_probs),
    "bfloat16 probabilities": (partial(probs, torch.bfloat16), from_probs),
}
