"""A small decoder-only transformer, Llama style: RMSNorm, rotary positions, SwiGLU.

One class serves training (no cache, whole sequences) and decoding (a cache, a few new positions).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from draftproof.decode.cache import SLACK, Cache

__all__ = ["Config", "Transformer"]


@dataclass(frozen=True)
class Config:
    """The shape of a model.

    Attributes
    ----------
    vocabulary : int
        Tokens.
    dim, layers, heads, hidden : int
        Width of the residual stream, blocks, attention heads (``dim`` divides by them), width of
        the feed-forward part.
    context : int
        The longest sequence, in tokens.
    """

    vocabulary: int
    dim: int
    layers: int
    heads: int
    hidden: int
    context: int

    def __post_init__(self) -> None:
        """Check every number."""
        for name, value in asdict(self).items():
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")
        if self.dim % (2 * self.heads):
            raise ValueError(
                f"dim must be a multiple of 2 * heads = {2 * self.heads}, got {self.dim}"
            )

    @property
    def head_dim(self) -> int:
        """Width of one attention head."""
        return self.dim // self.heads


def rotary_table(config: Config, base: float = 10_000.0) -> tuple[Tensor, Tensor]:
    """Return cosines and signed sines of every position, each (context + SLACK, head_dim)."""
    half = config.head_dim // 2
    frequencies = base ** (-torch.arange(half, dtype=torch.float64) / half)
    angles = torch.arange(config.context + SLACK, dtype=torch.float64)[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([cos, cos], -1).float(), torch.cat([-sin, sin], -1).float()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn each pair (x_i, x_{i + half}) by its position's angle."""
    return x * cos + x.roll(x.shape[-1] // 2, -1) * sin


class Block(nn.Module):
    """Attention, then feed-forward, each added to the residual stream."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.attention_norm = nn.RMSNorm(config.dim, eps=1e-5)
        self.qkv = nn.Linear(config.dim, 3 * config.dim, bias=False)
        self.out = nn.Linear(config.dim, config.dim, bias=False)
        self.feed_norm = nn.RMSNorm(config.dim, eps=1e-5)
        self.gate_up = nn.Linear(config.dim, 2 * config.hidden, bias=False)
        self.down = nn.Linear(config.hidden, config.dim, bias=False)

    def forward(
        self, x: Tensor, cos: Tensor, sin: Tensor, cache: Cache | None, layer: int
    ) -> Tensor:
        batch, length, _ = x.shape
        heads, width = self.config.heads, self.config.head_dim
        qkv = self.qkv(self.attention_norm(x)).view(batch, length, 3, heads, width)
        # One rotation for queries and keys together; (2, B, H, T, D).
        q, k = rotate(qkv[:, :, :2].permute(2, 0, 3, 1, 4), cos, sin)
        v = qkv[:, :, 2].transpose(1, 2)
        if cache is None:
            mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            k, v, mask = cache.extend(layer, k, v)
            mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, -1))
        gate, up = self.gate_up(self.feed_norm(x)).chunk(2, -1)
        after: Tensor = x + self.down(functional.silu(gate) * up)
        return after


class Transformer(nn.Module):
    """From token ids to logits.

    Parameters
    ----------
    config : Config
    """

    cos: Tensor
    sin: Tensor

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.dim)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = nn.RMSNorm(config.dim, eps=1e-5)
        self.head = nn.Linear(config.dim, config.vocabulary, bias=False)
        cos, sin = rotary_table(config)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        self._initialise()

    def _initialise(self) -> None:
        for name, weight in self.named_parameters():
            if weight.ndim < 2:
                continue
            spread = 0.02 if "embedding" in name else weight.shape[1] ** -0.5
            # Outputs into the residual stream start small, so that depth does not add up.
            if name.endswith(("out.weight", "down.weight")):
                spread /= (2 * self.config.layers) ** 0.5
            nn.init.normal_(weight, std=spread)
        nn.init.zeros_(self.head.weight)

    @property
    def vocabulary_size(self) -> int:
        """Logits in a row."""
        return self.config.vocabulary

    @property
    def context_size(self) -> int:
        """The longest sequence, in tokens."""
        return self.config.context

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.head.weight.device

    def new_cache(self, batch: int) -> Cache:
        """Return an empty cache of this model's shape, type and device."""
        weight = self.head.weight
        return Cache(self.config, batch, dtype=weight.dtype, device=weight.device)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> Tensor:
        """Return logits, shape (B, T, V), of the token after each of `tokens`, shape (B, T).

        With a cache, `tokens` follow what the cache holds, and their keys and values join it.
        """
        new = tokens.shape[1]
        at = slice(0, new) if cache is None else cache.begin(new)
        cos, sin = self.cos[at], self.sin[at]
        if cos.ndim == 3:  # rows at different positions: one table a row, shared by the heads
            cos, sin = cos[:, None], sin[:, None]
        x = self.embedding(tokens)
        for layer, block in enumerate(self.blocks):
            x = block(x, cos, sin, cache, layer)
        if cache is not None:
            cache.advance(new)
        logits: Tensor = self.head(self.norm(x))
        return logits
