"""Tiny models with random weights, and the laws they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def spread(model: Any, seed: int, scale: float) -> Any:
    """Give a tiny model weights that make its laws neither flat nor certain."""
    generator = torch.Generator().manual_seed(seed)
    for weights in model.parameters():
        if weights.ndim > 1:
            weights.data.normal_(0, scale, generator=generator)
    return model.eval()


def model_law(model: Any, prompt: list[int], length: int, warp: Callable[..., Any]) -> Any:
    """Return the law of the next tokens, one forward pass a prefix."""
    law: dict[tuple[int, ...], float] = {(): 1.0}
    for _ in range(length):
        grown = {}
        for tokens, mass in law.items():
            logits = model(torch.tensor([[*prompt, *tokens]])).logits[0, -1].double()
            for x, share in enumerate(warp(logits).tolist()):
                grown[(*tokens, x)] = mass * share
        law = grown
    return law


def warp(temperature: float, k: int, logits: torch.Tensor) -> torch.Tensor:
    scores = logits / temperature
    return scores.masked_fill(scores < scores.topk(k).values[-1], -torch.inf).softmax(dim=-1)
