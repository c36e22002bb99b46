"""The models that come with the package: two small transformers and a table of counts.

They learned from Shakespeare's plays, Macbeth and The Tempest held out; ``weights/MODEL_CARD.md``
says how, and how well. Nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import torch

from draftproof._whole import whole
from draftproof.checks import check_path, check_whole, show_value
from draftproof.decode.corpus import CHARACTERS
from draftproof.decode.drafters.table import NgramTable
from draftproof.decode.laws import expected_counts
from draftproof.decode.models import Config, Transformer, filled
from draftproof.decode.scorer import check_device, check_dtype

__all__ = [
    "TABLE_ORDER",
    "WEIGHTS",
    "load_draft",
    "load_table",
    "load_target",
    "read_card",
    "read_model",
]

WEIGHTS = Path(__file__).with_name("weights")
"""The folder of the shipped files."""

TABLE_ORDER = 5
"""Length of the runs that the shipped table counts."""


def load_target(
    *, dtype: torch.dtype = torch.float32, device: torch.device | str = "cpu"
) -> Transformer:
    """Return the shipped target: 3.6 million parameters, 8 blocks, 64 characters.

    Parameters
    ----------
    dtype : torch.dtype
        Of the weights in memory.
    device : torch.device or str

    Returns
    -------
    Transformer

    Raises
    ------
    ValueError
        If the file is missing or damaged.
    """
    return _shipped("target.safetensors", dtype, device)


def load_draft(
    *, dtype: torch.dtype = torch.float32, device: torch.device | str = "cpu"
) -> Transformer:
    """Return the shipped draft: 0.2 million parameters, 1 block, distilled from the target.

    Parameters
    ----------
    dtype : torch.dtype
        Of the weights in memory.
    device : torch.device or str

    Returns
    -------
    Transformer

    Raises
    ------
    ValueError
        If the file is missing or damaged.
    """
    return _shipped("draft.safetensors", dtype, device)


def load_table(order: int = TABLE_ORDER, *, folder: str | Path | None = None) -> NgramTable:
    """Return the shipped counts of runs of characters as a table of laws.

    Parameters
    ----------
    order : int
        In 1..`TABLE_ORDER`; a law looks at ``order - 1`` characters.
    folder : str or Path, optional
        Where ``table.npz`` and its ``SHA256SUMS`` are; the shipped ones if not given.

    Returns
    -------
    NgramTable

    Raises
    ------
    ValueError
        If `order` is out of range, or a file is missing or damaged.
    """
    order = check_whole(order, "order", 1, TABLE_ORDER)
    folder = WEIGHTS if folder is None else check_path(folder, "folder")
    path = folder / "table.npz"
    data = _checked(path, _sum(folder, path.name))
    size = len(CHARACTERS)
    try:
        with np.load(io.BytesIO(data)) as table:
            keys, counts = _runs(table["steps"], table["counts"], size**TABLE_ORDER)
    # What is no such archive fails in one of many ways.
    except Exception as error:
        raise ValueError(f"folder must hold a table of counts, got {path}: {error}") from None
    # Shorter runs are the longer ones' ends.
    keys, places = np.unique(keys % size**order, return_inverse=True)
    runs = keys[:, None] // size ** np.arange(order)[::-1] % size
    return NgramTable(runs, np.bincount(places, counts).astype(np.int64), size)


def _runs(steps: Any, counts: Any, end: int) -> tuple[Any, Any]:
    """Return the runs, as rising numbers below `end`, and how often each occurs."""
    right = all(part.ndim == 1 and part.dtype.kind in "iu" for part in (steps, counts))
    if not right or len(steps) != len(counts) or not len(steps):
        raise ValueError("steps and counts must be whole numbers, as many of the one as the other")
    # As Python adds them: sums past 64 bits would come round again.
    keys = np.cumsum(steps.astype(object))
    first, last = int(steps[0]), int(keys[-1])
    if first < 0 or (len(steps) > 1 and int(steps[1:].min()) < 1) or last >= end:
        raise ValueError(f"steps must lead upwards through 0..{end - 1}, got {first} to {last}")
    if int(counts.min()) < 1:
        raise ValueError(f"counts must be at least 1, got {int(counts.min())}")
    return keys.astype(np.int64), counts.astype(np.int64)


def read_card() -> dict[str, dict[str, float]]:
    """Return the figures of the model card.

    Returns
    -------
    dict
        For every model and table what applies of ``parameters``, ``held_out_nats`` (nats a
        character on the two plays that were held out), ``alpha`` and ``alpha_error`` (overlap with
        the target on the target's own text, and its standard error).

    Raises
    ------
    ValueError
        If the file is missing or damaged.
    """
    found: dict[str, dict[str, float]] = json.loads(_checked(WEIGHTS / "card.json", None))
    return found


def write_table(path: Path, text: Any, laws: Any, smallest: int = 2) -> None:
    """Write the runs of `TABLE_ORDER` characters that a text and the target's laws let expect.

    Parameters
    ----------
    path : Path
        Of the ``.npz`` file: ``steps``, the differences of the sorted runs read as numbers to the
        base 64, and ``counts``.
    text : ndarray of int64, shape (N,)
    laws : ndarray of float16, shape (N, 64)
        The target's, after each of its characters.
    smallest : int
        Runs that are expected less often are left out.
    """
    keys, counts = expected_counts(text, laws, TABLE_ORDER, len(CHARACTERS))
    keys, counts = keys[counts >= smallest], counts[counts >= smallest]
    with whole(path) as part, part.open("wb") as out:
        np.savez_compressed(out, steps=np.diff(keys, prepend=0), counts=counts.astype(np.uint32))


def read_model(
    path: str | Path,
    *,
    sha256: str | None = None,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
) -> Transformer:
    """Return the model of a safetensors file, ready for decoding.

    Parameters
    ----------
    path : str or Path
        A file as ``python -m training`` writes it: the model's shape stands in its header.
    sha256 : str, optional
        What the file must hash to, in hexadecimal digits.
    dtype : torch.dtype
        Of the weights in memory; float32 decodes the same text whatever the block's length.
    device : torch.device or str

    Returns
    -------
    Transformer
        In evaluation mode, its weights without gradients.

    Raises
    ------
    ValueError
        If there is no such file, it was cut short or changed, it holds another kind of model, or
        an argument is of another kind.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load

    path, dtype = check_path(path, "path"), check_dtype(dtype)
    device = check_device(device)
    data = _checked(path, sha256)
    try:
        weights = load(data)
    except SafetensorError as error:
        raise ValueError(f"path must be a whole safetensors file, got {path}: {error}") from None
    try:
        length = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + length])["__metadata__"]
        config = Config(**json.loads(header["config"]))
        return filled(config, weights, dtype, device)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"path must hold a Transformer and its shape, got {path}: {error}"
        ) from None


def _shipped(name: str, dtype: torch.dtype, device: torch.device | str) -> Transformer:
    return read_model(WEIGHTS / name, sha256=_sum(WEIGHTS, name), dtype=dtype, device=device)


def _sum(folder: Path, name: str) -> str:
    """Return a file's SHA-256 from the folder's sums, which ``sha256sum -c`` reads as well."""
    path = folder / "SHA256SUMS"
    lines = _checked(path, None).decode("ascii", "replace").splitlines()
    sums = {match[2]: match[1] for match in map(_SUM.fullmatch, lines) if match}
    if len(sums) != len(lines) or name not in sums:
        raise ValueError(f"{path} must hold a SHA-256 and a name in each line, {name} among them")
    return sums[name]


_HASH = re.compile("[0-9a-fA-F]{64}")
_SUM = re.compile(rf"({_HASH.pattern})  (\S+)")


def _checked(path: Path, sha256: str | None) -> bytes:
    if sha256 is not None and not (isinstance(sha256, str) and _HASH.fullmatch(sha256)):
        raise ValueError(f"sha256 must be 64 hexadecimal digits, got {show_value(sha256)}")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ValueError(f"path must be a file that can be read, got {path}: {error}") from None
    found = hashlib.sha256(data).hexdigest()
    if sha256 is not None and found != sha256.lower():
        raise ValueError(f"path must have the SHA-256 {sha256}, got {path} with {found}")
    return data
