"""Train the target on the plays, and the draft on the plays and then on the target.

Nothing here runs when the book is built: the trained weights are part of the package. One command
makes them again: ``python -m training`` in the repository.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from draftproof._whole import whole
from draftproof.decode.models import Transformer

__all__ = ["Loss", "Recipe", "distil_loss", "heldout_loss", "text_loss", "train"]

Loss = Callable[[nn.Module, Tensor, Tensor], Tensor]
"""From a model, tokens (B, T + 1) and where in the text they begin, (B,), to a scalar."""


@dataclass(frozen=True)
class Recipe:
    """How long and how fast to train.

    Attributes
    ----------
    steps : int
    batch, length : int
        Sequences in a step, tokens in a sequence.
    long_share : float
        Share of the last steps with sequences of the model's whole context, at the same number
        of tokens, so that late positions are seen too.
    matrix_rate, other_rate : float
        Peak learning rates of Muon (matrices inside the blocks) and AdamW (the rest).
    seed : int
        Of the generator that chooses windows of the text.
    """

    steps: int
    batch: int = 16
    length: int = 256
    long_share: float = 0.2
    matrix_rate: float = 0.02
    other_rate: float = 3e-3
    seed: int = 0


def text_loss(model: nn.Module, tokens: Tensor, starts: Tensor | None = None) -> Tensor:
    """Return the mean cross-entropy of the next character, in nats.

    Parameters
    ----------
    model : torch.nn.Module
        From tokens (B, T) to logits (B, T, V).
    tokens : Tensor of int64, shape (B, T + 1)
        Every one but the first of a row is predicted.
    starts : Tensor, optional
        Not used.

    Returns
    -------
    Tensor
        A scalar in float32.
    """
    logits = model(tokens[:, :-1]).float()
    return functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


def distil_loss(laws: NDArray[np.float16], tv_weight: float) -> Loss:
    r"""Return the loss that pulls a draft towards its target on the same text.

    A mixture of cross-entropy to the target's law and of total variation, which is what the
    acceptance rate depends on: alpha = 1 - TV. With weight w it is the mean over all places of

    .. math:: -(1 - w) \sum_x p(x) \log q(x) + \frac{w}{2} \sum_x |p(x) - q(x)|

    Parameters
    ----------
    laws : ndarray of float16, shape (N, V)
        The target's laws after each token of the text that is trained on, see `write_laws`.
    tv_weight : float
        w, in [0, 1].

    Returns
    -------
    callable
        From the draft, tokens (B, T + 1) and their places to a scalar in nats, as `train` takes it.

    References
    ----------
    Leviathan, Kalman and Matias (2023), corollary 3.6.
    """

    def loss(model: nn.Module, tokens: Tensor, starts: Tensor) -> Tensor:
        length = tokens.shape[1] - 1
        p = torch.from_numpy(np.stack([laws[s : s + length] for s in starts.tolist()])).float()
        log_q = model(tokens[:, :-1]).float().log_softmax(-1)
        cross = -(p * log_q).sum(-1).mean()
        tv = (p - log_q.exp()).abs().sum(-1).mean() / 2
        return (1 - tv_weight) * cross + tv_weight * tv

    return loss


def _optimisers(model: Transformer, recipe: Recipe) -> list[torch.optim.Optimizer]:
    matrices = [w for w in model.blocks.parameters() if w.ndim == 2]
    known = {id(w) for w in matrices}
    others = [w for w in model.parameters() if id(w) not in known]
    return [
        torch.optim.Muon(matrices, lr=recipe.matrix_rate, weight_decay=0.01),
        torch.optim.AdamW(others, lr=recipe.other_rate, betas=(0.9, 0.95), weight_decay=0.0),
    ]


def _rate(step: int, steps: int) -> float:
    """Warm up over 2 %, hold, then fall in a line to zero over the last 60 %."""
    return min(1.0, (step + 1) / (0.02 * steps), (steps - step) / (0.6 * steps))


def _batches(text: Tensor, recipe: Recipe, context: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield random windows of the text and their starts; the last steps use the whole context."""
    chooser = torch.Generator().manual_seed(recipe.seed)
    for step in range(recipe.steps):
        late = step >= (1 - recipe.long_share) * recipe.steps
        length = context if late else recipe.length
        rows = max(1, recipe.batch * recipe.length // length)
        starts = torch.randint(len(text) - length, (rows,), generator=chooser)
        yield torch.stack([text[s : s + length + 1] for s in starts.tolist()]), starts


def train(
    model: Transformer,
    text: Tensor,
    recipe: Recipe,
    loss: Loss = text_loss,
    report: Callable[[int, float], None] = lambda step, value: None,
    checkpoint: Path | None = None,
) -> None:
    """Train a model in place.

    Parameters
    ----------
    model : Transformer
    text : Tensor of int64, shape (N,)
    recipe : Recipe
    loss : callable
        From the model, tokens (B, T + 1) and their starts in the text to a scalar.
    report : callable
        Called after every step with its number and loss (for a progress bar).
    checkpoint : Path, optional
        Where the state is kept every 200 steps; a run that finds one goes on from there.
    """
    optimisers = _optimisers(model, recipe)
    rates = [optimiser.param_groups[0]["lr"] for optimiser in optimisers]
    parts: list[Any] = [model, *optimisers]
    done = _resume(checkpoint, parts)
    model.train()
    for step, (tokens, starts) in enumerate(_batches(text, recipe, model.config.context)):
        if step < done:
            continue
        for optimiser, rate in zip(optimisers, rates, strict=True):
            optimiser.param_groups[0]["lr"] = rate * _rate(step, recipe.steps)
            optimiser.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            value = loss(model, tokens, starts)
        value.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimiser in optimisers:
            optimiser.step()
        report(step, float(value.detach()))
        if checkpoint and (step + 1) % 200 == 0:
            _keep(checkpoint, step + 1, parts)
    model.eval()
    if checkpoint:
        checkpoint.unlink(missing_ok=True)


def _keep(checkpoint: Path, step: int, parts: list[Any]) -> None:
    with whole(checkpoint) as part:
        torch.save({"step": step, "parts": [each.state_dict() for each in parts]}, part)


def _resume(checkpoint: Path | None, parts: list[Any]) -> int:
    if checkpoint is None or not checkpoint.exists():
        return 0
    kept = torch.load(checkpoint, weights_only=True)
    for each, state in zip(parts, kept["parts"], strict=True):
        each.load_state_dict(state)
    return int(kept["step"])


@torch.no_grad()
def heldout_loss(model: Transformer, text: Tensor, length: int = 256) -> float:
    """Return the mean cross-entropy over a held-out text, cut into windows, in nats.

    Parameters
    ----------
    model : Transformer
    text : Tensor of int64, shape (N,)
        More than `length` tokens; those after the last whole window are left out.
    length : int
        Tokens predicted in a window, the first of them from one token alone.

    Returns
    -------
    float
        Nats a token.
    """
    windows = text[: (len(text) - 1) // length * length + 1]
    rows = torch.stack([windows[i : i + length + 1] for i in range(0, len(windows) - 1, length)])
    losses = [float(text_loss(model, part)) * len(part) for part in rows.split(64)]
    return sum(losses) / len(rows)
