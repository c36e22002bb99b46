"""A small decoder-only transformer, Llama style: RMSNorm, rotary positions, SwiGLU.

One class serves training (no cache, whole sequences) and decoding (a cache, a few new positions).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from draftproof.checks import check_flag, check_number, show_value
from draftproof.decode.cache import SLACK, Cache
from draftproof.decode.linear import Linear
from draftproof.decode.norm import Norm

__all__ = ["Config", "Transformer", "filled"]


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
    kv_heads : int
        Heads of keys and values, each shared by ``heads / kv_heads`` queries; 0: as many as heads.
    tied : bool
        Whether the embedding's matrix gives the logits as well.
    rope_base : float
        Base of the rotary positions' wavelengths.

    Raises
    ------
    ValueError
        If a value is out of range.

    References
    ----------
    Ainslie and others (2023), grouped-query attention.
    """

    vocabulary: int
    dim: int
    layers: int
    heads: int
    hidden: int
    context: int
    kv_heads: int = 0
    tied: bool = False
    rope_base: float = 10_000.0

    def __post_init__(self) -> None:
        """Check every value."""
        if self.kv_heads == 0:
            object.__setattr__(self, "kv_heads", self.heads)
        for name in ("vocabulary", "dim", "layers", "heads", "hidden", "context", "kv_heads"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(
                    f"{name} must be a whole number of at least 1, got {show_value(value)}"
                )
        check_flag(self.tied, "tied")
        check_number(self.rope_base, "rope_base", low=1, above=True)
        if self.heads % self.kv_heads:
            raise ValueError(f"kv_heads must divide heads = {self.heads}, got {self.kv_heads}")
        if self.dim % (2 * self.heads):
            raise ValueError(
                f"dim must be a multiple of 2 * heads = {2 * self.heads}, got {self.dim}"
            )

    @property
    def head_dim(self) -> int:
        """Width of one attention head."""
        return self.dim // self.heads


def rotary_table(config: Config) -> tuple[Tensor, Tensor]:
    r"""Return cosines and signed sines of every position's angles.

    Pair i of a head of width D turns by the angle

    .. math:: t\, b^{-2 i / D}, \quad 0 \le i < D / 2

    at position t, b the base; each angle stands twice, its sine first with a minus.

    Parameters
    ----------
    config : Config

    Returns
    -------
    cos, sin : Tensor of float32, shape (context + SLACK, head_dim)

    References
    ----------
    Su and others (2021), RoFormer.
    """
    half = config.head_dim // 2
    frequencies = config.rope_base ** (-torch.arange(half, dtype=torch.float64) / half)
    angles = torch.arange(config.context + SLACK, dtype=torch.float64)[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([cos, cos], -1).float(), torch.cat([-sin, sin], -1).float()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn each pair (x_i, x_{i + half}) by its position's angle.

    Parameters
    ----------
    x : Tensor, shape (B, H, T, D)
    cos, sin : Tensor, shape (T, D) or (B, 1, T, D)
        The positions' rows of `rotary_table`.

    Returns
    -------
    Tensor, shape (B, H, T, D)
    """
    return torch.addcmul(x * cos, x.roll(x.shape[-1] // 2, -1), sin)


def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, causal: bool = False) -> Tensor:
    """Mix values by the softmax of the scaled products of queries and keys.

    Parameters
    ----------
    q : Tensor, shape (B, H, T, D)
    k, v : Tensor, shape (B, K, S, D)
        K divides H: H / K queries share a key.
    mask : Tensor, shape (T, S) or (B, 1, T, S), or None
        What each query may look at, as truth values or as numbers that are added to its scores;
        None: everything, or what `causal` leaves.
    causal : bool
        Whether a query looks only at its own place and those before it (then `mask` is None).

    Returns
    -------
    Tensor, shape (B, H, T, D)
    """
    shared = q.shape[1] // k.shape[1]
    if shared == 1 or causal:
        return functional.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, is_causal=causal, enable_gqa=shared > 1
        )
    # Queries that share keys become further rows of one head: faster on a CPU than `enable_gqa`.
    folded = q.reshape(q.shape[0], k.shape[1], -1, q.shape[3])
    mask = None if mask is None else torch.cat([mask] * shared, -2)
    return functional.scaled_dot_product_attention(folded, k, v, attn_mask=mask).view(q.shape)


class Block(nn.Module):
    """Attention, then feed-forward, each added to the residual stream.

    Parameters
    ----------
    config : Config
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.attention_norm = Norm(config.dim)
        rows = (config.heads + 2 * config.kv_heads) * config.head_dim
        self.qkv = Linear(config.dim, rows)
        self.out = Linear(config.dim, config.dim)
        self.feed_norm = Norm(config.dim)
        self.gate_up = Linear(config.dim, 2 * config.hidden)
        self.down = Linear(config.hidden, config.dim)

    def forward(
        self, x: Tensor, cos: Tensor, sin: Tensor, cache: Cache | None, layer: int
    ) -> Tensor:
        """Return the residual stream after this block.

        Parameters
        ----------
        x : Tensor, shape (B, T, dim)
        cos, sin : Tensor, shape (T, D) or (B, 1, T, D)
            The positions' rows of `rotary_table`.
        cache : Cache or None
            What came before; None: nothing, and every token looks at those up to itself.
        layer : int
            This block's place in the cache.

        Returns
        -------
        Tensor, shape (B, T, dim)
        """
        batch, length, _ = x.shape
        heads, keys = self.config.heads, self.config.kv_heads
        qkv = self.qkv(self.attention_norm(x)).view(batch, length, -1, self.config.head_dim)
        both, v = qkv.transpose(1, 2).split((heads + keys, keys), 1)
        # One rotation for queries and keys together; (B, H + K, T, D).
        q, k = rotate(both, cos, sin).split((heads, keys), 1)
        if cache is None:
            mixed = attend(q, k, v, None, causal=True)
        else:
            k, v, mask = cache.extend(layer, k, v)
            mixed = attend(q, k, v, mask)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, -1))
        gate, up = self.gate_up(self.feed_norm(x)).chunk(2, -1)
        after: Tensor = x + self.down(functional.silu(gate) * up)
        return after


class Transformer(nn.Module):
    """From token ids to logits.

    Parameters
    ----------
    config : Config
        Fresh weights are drawn from torch's own stream, which ``torch.manual_seed`` sets.
    """

    cos: Tensor
    sin: Tensor

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.dim)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = Norm(config.dim)
        self.head = Linear(config.dim, config.vocabulary)
        if config.tied:
            self.head.weight = self.embedding.weight
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
        if not self.config.tied:
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
        """Return an empty cache of this model's shape, type and device.

        Parameters
        ----------
        batch : int
            Rows.

        Returns
        -------
        Cache
        """
        weight = self.head.weight
        return Cache(self.config, batch, dtype=weight.dtype, device=weight.device)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> Tensor:
        """Return the logits of the token after each of some tokens.

        Parameters
        ----------
        tokens : Tensor of int64, shape (B, T)
        cache : Cache, optional
            `tokens` follow what it holds, and their keys and values join it.

        Returns
        -------
        Tensor, shape (B, T, V)
        """
        logits: Tensor = self.head(self.norm(self._stream(tokens, cache)))
        return logits

    def read(self, tokens: Tensor, cache: Cache) -> None:
        """Fill the cache with some tokens, without the logits after them.

        Parameters
        ----------
        tokens : Tensor of int64, shape (B, T)
        cache : Cache
            `tokens` follow what it holds, and their keys and values join it.
        """
        self._stream(tokens, cache)

    def _stream(self, tokens: Tensor, cache: Cache | None) -> Tensor:
        """Return the residual stream after the last block, (B, T, dim)."""
        new = tokens.shape[1]
        at = slice(0, new) if cache is None else cache.begin(new)
        cos, sin = self.cos[at], self.sin[at]
        if cos.ndim == 3:  # rows at different positions: one table a row, shared by the heads
            cos, sin = cos[:, None], sin[:, None]
        x: Tensor = self.embedding(tokens)
        for layer, block in enumerate(self.blocks):
            x = block(x, cos, sin, cache, layer)
        if cache is not None:
            cache.advance(new)
        return x


def filled(
    config: Config,
    weights: Mapping[str, Tensor],
    dtype: torch.dtype,
    device: torch.device | str = "cpu",
) -> Transformer:
    """Return a model with given weights, ready for decoding; none are drawn to be replaced.

    Parameters
    ----------
    config : Config
    weights : mapping of str to Tensor
        By their names in the model, of any floating types.
    dtype, device
        Of the model's weights.

    Returns
    -------
    Transformer
        In evaluation mode, its weights without gradients.

    Raises
    ------
    ValueError
        If a weight is missing, has another shape, no floating type or a value that is no number,
        there is one too many, or a tied model's two names have different weights.
    """
    blocks = {name.split(".")[1] for name in weights if name.startswith("blocks.")}
    if len(blocks) != config.layers:  # a model of a million layers takes its time to be made
        raise ValueError(f"weights must be those of {config.layers} blocks, got {len(blocks)}")
    for name, weight in weights.items():
        if not weight.is_floating_point() or not bool(weight.isfinite().all()):
            raise ValueError(
                f"weights must be finite floats, got {weight.dtype} in {name}"
                f"{', not all of them finite' if weight.is_floating_point() else ''}"
            )
    ends = [weights[name] for name in ("embedding.weight", "head.weight") if name in weights]
    if config.tied and len(ends) == 2 and not torch.equal(ends[0], ends[1]):
        raise ValueError("weights of a tied model must be one matrix, got two different ones")
    try:
        with torch.device("meta"):  # no memory and no time for weights that are replaced at once
            model = Transformer(config)
        state = {name: weight.to(device, dtype) for name, weight in weights.items()}
        model.load_state_dict(state, assign=True)
    except RuntimeError as error:
        raise ValueError(f"weights must be those of the shape: {error}") from None
    if config.tied:
        model.head.weight = model.embedding.weight
    model.cos, model.sin = (table.to(device, dtype) for table in rotary_table(config))
    return model.eval().requires_grad_(False)
