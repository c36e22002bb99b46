"""From a GGUF file of a Llama model to a `Transformer`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from draftproof.checks import check_whole, show_value
from draftproof.decode.models import Config, Transformer, filled
from draftproof.decode.smollm2.download import find
from draftproof.decode.smollm2.tokens import Tokenizer

__all__ = ["load", "open_file", "read_config", "read_model", "values"]

_EPSILON = 1e-5  # what the norms of `Transformer` add to the mean square


def _gguf() -> Any:
    """Return the library that knows the format, or say which extra brings it."""
    try:
        import gguf
    except ImportError as error:
        raise ImportError(
            "gguf is needed to read the model's file: pip install 'draftproof[hf]'"
        ) from error
    return gguf


def open_file(path: Path | str) -> Any:
    """Open a GGUF file of a Llama model.

    Parameters
    ----------
    path : Path or str

    Returns
    -------
    gguf.GGUFReader

    Raises
    ------
    ImportError
        If gguf is not installed.
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is cut short, is no GGUF file, or holds a model of another architecture.
    """
    library, path = _gguf(), Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        reader = library.GGUFReader(path)
    # The reader trusts what it reads: a cut or foreign file fails in one of many ways.
    except Exception as error:
        raise ValueError(
            f"{path} must be a whole GGUF file, got one that is cut short or of another kind "
            f"({type(error).__name__}: {error})"
        ) from error
    kind = values(reader, "general.architecture", path.name)
    if kind != "llama":
        raise ValueError(f"{path} must hold a model of the architecture 'llama', got {kind!r}")
    return reader


_NEEDED = object()


def values(reader: Any, key: str, where: str = "the file", default: Any = _NEEDED) -> Any:
    """Return what a GGUF file says under a key.

    Parameters
    ----------
    reader : gguf.GGUFReader
    key : str
    where : str
        Name of the file, for the message.
    default : object, optional
        What to return if the file does not say.

    Returns
    -------
    object
        A number, a str, or a list of them.

    Raises
    ------
    ValueError
        If the key is missing and there is no default.
    """
    field = reader.get_field(key)
    if field is not None:
        return field.contents()
    if default is _NEEDED:
        raise ValueError(f"{where} must say {key}")
    return default


def read_config(reader: Any, context: int | None = None) -> Config:
    """Return the shape of a model in a GGUF file.

    Parameters
    ----------
    reader : gguf.GGUFReader
    context : int, optional
        Keep this much of the model's context: caches are as long.

    Returns
    -------
    Config

    Raises
    ------
    ValueError
        If a value is missing, or the model has parts that `Transformer` does not.
    """
    dim, heads, longest = (
        int(values(reader, f"llama.{key}"))
        for key in ("embedding_length", "attention.head_count", "context_length")
    )
    epsilon = float(values(reader, "llama.attention.layer_norm_rms_epsilon"))
    turned = values(reader, "llama.rope.dimension_count", default=dim // heads)
    scaling = values(reader, "llama.rope.scaling.type", default="none")
    if not math.isclose(epsilon, _EPSILON, rel_tol=1e-3):
        raise ValueError(f"the norms' epsilon must be {_EPSILON}, got {epsilon}")
    if turned != dim // heads or scaling != "none":
        raise ValueError(
            f"rotary positions must turn all {dim // heads} places of a head, unscaled, got "
            f"{turned} places, scaling {scaling!r}"
        )
    names = {tensor.name for tensor in reader.tensors}
    if "token_embd.weight" not in names:
        raise ValueError("the file must hold token_embd.weight")
    embedding = next(t for t in reader.tensors if t.name == "token_embd.weight")
    return Config(
        vocabulary=int(embedding.shape[-1]),
        dim=dim,
        layers=int(values(reader, "llama.block_count")),
        heads=heads,
        hidden=int(values(reader, "llama.feed_forward_length")),
        context=longest if context is None else check_whole(context, "context", 1, longest),
        kv_heads=int(values(reader, "llama.attention.head_count_kv", default=heads)),
        tied="output.weight" not in names,
        rope_base=float(values(reader, "llama.rope.freq_base", default=10_000.0)),
    )


def _halves(rows: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """Put the rows of queries or keys in the order of `rotate`: first halves, then second ones.

    GGUF files keep the two rows of each rotated pair side by side.
    """
    pairs = rows.reshape(heads, rows.shape[0] // heads // 2, 2, rows.shape[1])
    return pairs.swapaxes(1, 2).reshape(rows.shape)


def _parts(config: Config) -> dict[str, tuple[list[str], tuple[int, ...]]]:
    """Return for every weight of a `Transformer` the tensors it is stacked from, and its shape."""
    dim, wide = config.dim, config.kv_heads * config.head_dim
    parts: dict[str, tuple[list[str], tuple[int, ...]]] = {
        "embedding": (["token_embd"], (config.vocabulary, dim)),
        "norm": (["output_norm"], (dim,)),
        "head": (["token_embd" if config.tied else "output"], (config.vocabulary, dim)),
    }
    inside = {
        "attention_norm": (["attn_norm"], (dim,)),
        "qkv": (["attn_q", "attn_k", "attn_v"], (dim + 2 * wide, dim)),
        "out": (["attn_output"], (dim, dim)),
        "feed_norm": (["ffn_norm"], (dim,)),
        "gate_up": (["ffn_gate", "ffn_up"], (2 * config.hidden, dim)),
        "down": (["ffn_down"], (dim, config.hidden)),
    }
    for layer in range(config.layers):
        for name, (tensors, shape) in inside.items():
            parts[f"blocks.{layer}.{name}"] = ([f"blk.{layer}.{t}" for t in tensors], shape)
    return parts


def _weights(reader: Any, config: Config, dtype: torch.dtype) -> dict[str, Tensor]:
    """Return the state of a `Transformer`, out of a file's tensors."""
    dequantize = _gguf().quants.dequantize
    stored = {tensor.name.removesuffix(".weight"): tensor for tensor in reader.tensors}
    turned = {"attn_q": config.heads, "attn_k": config.kv_heads}
    parts = _parts(config)
    wanted = {name for names, _ in parts.values() for name in names}
    if set(stored) != wanted:
        raise ValueError(
            f"the file must hold the tensors of {config.layers} Llama blocks, lacks "
            f"{show_value(sorted(wanted - set(stored)))} and has besides "
            f"{show_value(sorted(set(stored) - wanted))}"
        )
    state: dict[str, Tensor] = {}
    for place, (names, shape) in parts.items():
        rows = []
        for name in names:
            numbers = dequantize(stored[name].data, stored[name].tensor_type)
            heads = turned.get(name.rpartition(".")[2])
            rows.append(_halves(numbers, heads) if heads else numbers)
        # A copy, so that nothing keeps the file open.
        whole = torch.from_numpy(np.concatenate(rows)).to(dtype)
        if tuple(whole.shape) != shape:
            raise ValueError(f"{names} must have the shape {shape}, got {tuple(whole.shape)}")
        state[f"{place}.weight"] = whole
    return state


def read_model(
    path: Path | str,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
    context: int | None = None,
) -> Transformer:
    """Read a Llama model from a GGUF file.

    Parameters
    ----------
    path : Path or str
    dtype : torch.dtype
        Of the weights, which are dequantized.
    device : torch.device or str
    context : int, optional
        Longest sequence; the model's own if not given.

    Returns
    -------
    Transformer
        In evaluation mode, without gradients.

    Raises
    ------
    ImportError
        If gguf is not installed.
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is cut short, of another kind or architecture, or `context` is out of range.
    """
    return _model(open_file(path), dtype, device, context)


def _model(
    reader: Any, dtype: torch.dtype, device: torch.device | str, context: int | None
) -> Transformer:
    """Build the model of an open file."""
    config = read_config(reader, context)
    return filled(config, _weights(reader, config, dtype), dtype, device)


def load(
    dtype: torch.dtype = torch.bfloat16,
    *,
    device: torch.device | str = "cpu",
    context: int = 2048,
    folder: Path | str | None = None,
) -> tuple[Transformer, Tokenizer]:
    """Load SmolLM2-135M-Instruct, which `fetch` has put into the cache folder.

    Parameters
    ----------
    dtype : torch.dtype
        bfloat16 for speed, float32 for exactness across block sizes.
    device : torch.device or str
    context : int
        Longest sequence, 1..8192; caches are as long.
    folder : Path or str, optional
        `cache_folder` if not given.

    Returns
    -------
    model : Transformer
    tokenizer : Tokenizer

    Raises
    ------
    ImportError
        If gguf or tokenizers is not installed.
    FileNotFoundError
        If the file was not fetched.
    ValueError
        If the file is damaged, or `context` is out of range.

    References
    ----------
    Allal and others (2025), SmolLM2.
    """
    _gguf()
    reader = open_file(find(folder))
    tokenizer = Tokenizer.from_reader(reader)
    return _model(reader, dtype, device, context), tokenizer
