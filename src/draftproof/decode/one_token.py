"""The rule as programs write it: one row, one drafted token, in torch.

`draftproof.one_token` is the same function in numpy, line for line; chapter 2 shows both.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["accept_or_correct"]

Rng = torch.Generator
Verdict = tuple[int, bool]

_SUM_TOLERANCE = {torch.float64: 1e-6, torch.float32: 1e-4, torch.float16: 1e-2}


def accept_or_correct(
    p: Tensor, q: Tensor, token: int, u: float, generator: torch.Generator
) -> tuple[int, bool]:
    """Keep a drafted token or replace it, so that the result follows `p`.

    The arithmetic is float64 whatever the laws come in: one row of a vocabulary costs nothing, and
    a running sum in float32 loses the tail.

    Parameters
    ----------
    p, q : Tensor, shape (V,)
        Target law, and the law that `token` was really drawn from; any floating type.
    token : int
    u : float
        A uniform in [0, 1), independent of everything else.
    generator : torch.Generator
        For the correction: one uniform, drawn only after a rejection.

    Returns
    -------
    tuple of int and bool
        The emitted token, and whether it is the draft.

    Raises
    ------
    ValueError
        If `p` or `q` is not one law, their vocabularies differ, `token` lies outside the
        vocabulary or has q = 0, or `u` lies outside [0, 1).

    References
    ----------
    Leviathan, Kalman and Matias (2023), algorithm 1.
    """
    target, draft = _law(p, "p"), _law(q, "q")
    if len(target) != len(draft):
        sizes = f"{len(target)} and {len(draft)} tokens"
        raise ValueError(f"p and q must share one vocabulary, got {sizes}")
    x = int(token)
    if x != token or not 0 <= x < len(target):
        raise ValueError(f"token must be in 0..{len(target) - 1}, got {token!r}")
    if draft[x] <= 0:
        raise ValueError(f"token = {x} has q = 0: q must be the law that was drawn from")
    if not 0 <= u < 1:
        raise ValueError(f"u must lie in [0, 1), got {u!r}")
    if not isinstance(generator, torch.Generator):
        raise ValueError(f"generator must be a torch.Generator, got {generator!r}")
    return _decide(target, draft, x, u, generator)


def _law(values: Tensor, name: str) -> Tensor:
    if not isinstance(values, Tensor) or values.ndim != 1 or not values.is_floating_point():
        raise ValueError(f"{name} must be a floating tensor of shape (V,), got {values!r}")
    law = values.double()
    if not bool(torch.isfinite(law).all()) or bool((law < 0).any()):
        raise ValueError(f"{name} must be finite and not negative, got {values!r}")
    total = float(law.sum())
    if abs(total - 1) > _SUM_TOLERANCE.get(values.dtype, 2e-2):
        raise ValueError(f"{name} must sum to 1, got a sum of {total}")
    return law if values.dtype == torch.float64 else law / total


def _decide(p: Tensor, q: Tensor, x: int, u: float, rng: Rng) -> Verdict:
    if u * q[x] < p[x]:
        return x, True
    weights = (p - q).clamp_min(0)
    if weights.sum() == 0:
        weights = p
    cdf = weights.cumsum(0)
    v = torch.rand((), generator=rng, dtype=p.dtype, device=p.device)
    y = torch.searchsorted(cdf, v * cdf[-1], right=True)
    last = weights.nonzero()[-1, 0]
    return int(min(y, last)), False
