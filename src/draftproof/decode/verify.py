"""Verify a batch of drafted blocks at once, on any device.

No loop over rows or positions and no wait for the device: the verdicts of all positions are taken
together, and then one row of probabilities in each sequence, the one that is needed, is turned
into a token by its inverse CDF.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from draftproof.checks import show_value

__all__ = ["inverse_cdf", "rejection_sample"]

BLOCK = 128  # masses summed together before the search; see `inverse_cdf`


def inverse_cdf(weights: Tensor, u: Tensor) -> Tensor:
    """Turn one uniform a row into a token, never one without mass.

    The masses are summed in blocks, the block is found, then the token inside it: one pass over
    the row, and running sums in float64 that a long tail of tiny masses cannot fall out of.

    Parameters
    ----------
    weights : Tensor, shape (B, V)
        Non-negative float32 or float64 weights with some mass in every row.
    u : Tensor of float64, shape (B,)
        In [0, 1).

    Returns
    -------
    Tensor of int64, shape (B,)
    """
    batch, size = weights.shape
    if size <= 16 * BLOCK:  # a short row is cheaper in one piece
        cdf = weights.cumsum(-1, dtype=torch.float64)
        return _place(cdf, u * cdf[:, -1], weights)[:, 0]
    if size % BLOCK:
        weights = functional.pad(weights, (0, BLOCK - size % BLOCK))
    blocks = weights.view(batch, -1, BLOCK)
    sums = blocks.sum(-1)
    cdf = sums.cumsum(-1, dtype=torch.float64)
    point = u * cdf[:, -1]
    found = _place(cdf, point, sums)
    before = functional.pad(cdf, (1, 0)).gather(1, found)[:, 0]
    inner = blocks.gather(1, found[..., None].expand(-1, 1, BLOCK))[:, 0]
    inside = _place(inner.cumsum(-1, dtype=torch.float64), point - before, inner)
    return (found * BLOCK + inside)[:, 0]


def _place(cdf: Tensor, point: Tensor, masses: Tensor) -> Tensor:
    """Return the first place whose running sum passes `point`, shape (B, 1)."""
    found = torch.searchsorted(cdf, point[:, None], right=True)
    # Rounding may push the point past the end: the last place with mass owns it.
    size = masses.shape[-1]
    last = size - 1 - (masses.flip(-1) > 0).to(torch.uint8).argmax(-1, keepdim=True)
    return torch.minimum(found, last)


def _check_tensor(value: object, name: str) -> None:
    if not isinstance(value, Tensor):
        raise ValueError(f"{name} must be a torch.Tensor, got {show_value(value)}")


def _check_lengths(lengths: Tensor, batch: int, gamma: int) -> Tensor:
    _check_tensor(lengths, "lengths")
    if tuple(lengths.shape) != (batch,) or lengths.is_floating_point():
        raise ValueError(
            f"lengths must be whole numbers of shape ({batch},), got {lengths.dtype} of shape "
            f"{tuple(lengths.shape)}"
        )
    return lengths.clamp(0, gamma)


def _check(draft_tokens: Tensor, draft_probs: Tensor | None, target_probs: Tensor) -> None:
    for value, name in ((draft_tokens, "draft_tokens"), (target_probs, "target_probs")):
        _check_tensor(value, name)
    if draft_tokens.ndim != 2:
        raise ValueError(f"draft_tokens must have shape (B, T), got {tuple(draft_tokens.shape)}")
    if draft_tokens.is_floating_point() or draft_tokens.dtype == torch.bool:
        raise ValueError(f"draft_tokens must be whole numbers, got {draft_tokens.dtype}")
    batch, gamma = draft_tokens.shape
    right = target_probs.ndim == 3 and target_probs.shape[:2] == (batch, gamma + 1)
    if not right or target_probs.shape[2] < 1 or not target_probs.is_floating_point():
        raise ValueError(
            f"target_probs must be floats of shape ({batch}, {gamma + 1}, V), got "
            f"{target_probs.dtype} of shape {tuple(target_probs.shape)}"
        )
    wanted = (batch, gamma, target_probs.shape[2])
    if draft_probs is None:
        return
    _check_tensor(draft_probs, "draft_probs")
    if tuple(draft_probs.shape) != wanted or not draft_probs.is_floating_point():
        raise ValueError(
            f"draft_probs must be floats of shape {wanted}, got {draft_probs.dtype} of shape "
            f"{tuple(draft_probs.shape)}"
        )


def _uniforms(
    uniforms: Tensor | None, shape: tuple[int, int], like: Tensor, generator: torch.Generator | None
) -> tuple[Tensor, Tensor]:
    """Return uniforms for the tests, (B, T), and for the next token, (B,), in float64."""
    batch, gamma = shape

    def fresh(columns: int) -> Tensor:
        return torch.rand(
            (batch, columns), generator=generator, dtype=torch.float64, device=like.device
        )

    if generator is not None and not isinstance(generator, torch.Generator):
        raise ValueError(f"generator must be a torch.Generator, got {show_value(generator)}")
    if uniforms is None:
        uniforms = fresh(gamma + 1)
    _check_tensor(uniforms, "uniforms")
    if uniforms.ndim != 2 or len(uniforms) != batch or uniforms.shape[1] - gamma not in (0, 1):
        raise ValueError(
            f"uniforms must have shape ({batch}, {gamma}) or ({batch}, {gamma + 1}), "
            f"got {tuple(uniforms.shape)}"
        )
    uniforms = uniforms.double()
    last = uniforms[:, gamma] if uniforms.shape[1] > gamma else fresh(1)[:, 0]
    return uniforms[:, :gamma], last


def rejection_sample(
    draft_tokens: Tensor,
    draft_probs: Tensor | None,
    target_probs: Tensor,
    lengths: Tensor | None = None,
    uniforms: Tensor | None = None,
    generator: torch.Generator | None = None,
) -> tuple[Tensor, Tensor]:
    """Accept the longest valid prefix of each block, then correct it or add a bonus token.

    The same rule as `draftproof.verify_block`, for a batch: given the same uniforms the two emit
    the same tokens. The test is ``u * q < p`` in float64, without a division.

    Parameters
    ----------
    draft_tokens : Tensor of int, shape (B, T)
        Positions past a row's length are ignored, but must be valid token numbers.
    draft_probs : Tensor, shape (B, T, V), or None
        The laws the drafts were drawn from. None: the drafts were not drawn at all (an n-gram
        lookup, an argmax), so that q is one-hot.
    target_probs : Tensor, shape (B, T + 1, V)
        The target's laws, any float type, any strides.
    lengths : Tensor of int, shape (B,), optional
        Drafts in each row; what lies outside 0..T counts as the nearer end.
    uniforms : Tensor, shape (B, T + 1) or (B, T), optional
        In [0, 1): T for the tests and one for the next token. What is missing is drawn.
    generator : torch.Generator, optional
        On the device of the laws.

    Returns
    -------
    tokens : Tensor of int64, shape (B, T + 1)
        The accepted drafts, then one correction or bonus token, then -1.
    num_accepted : Tensor of int64, shape (B,)

    Raises
    ------
    ValueError
        If a shape or a type does not fit. Values are not looked at: that would wait for the
        device.

    References
    ----------
    Leviathan, Kalman and Matias (2023), algorithm 1.
    """
    _check(draft_tokens, draft_probs, target_probs)
    batch, gamma = draft_tokens.shape
    drafts = draft_tokens.long()
    u, u_next = _uniforms(uniforms, (batch, gamma), target_probs, generator)
    rows = torch.arange(batch, device=drafts.device)
    picked = drafts[..., None]
    p_x = target_probs[:, :gamma].gather(-1, picked)[..., 0].double()
    if draft_probs is None:
        kept = u < p_x
    else:
        q_x = draft_probs.gather(-1, picked)[..., 0].double()
        # Where q <= p the test holds for every u < 1, except that a product of denormals may
        # round up to p: the second term says so outright.
        kept = (u * q_x < p_x) | ((q_x <= p_x) & (p_x > 0))
    positions = torch.arange(gamma + 1, device=drafts.device)
    if lengths is not None:
        lengths = _check_lengths(lengths, batch, gamma)
        kept = kept & (positions[:gamma] < lengths[:, None])
    accepted = kept.long().cumprod(-1).sum(-1)
    full = accepted == (gamma if lengths is None else lengths)
    law = target_probs[rows, accepted]
    law = law if law.dtype == torch.float64 else law.float()
    next_token = inverse_cdf(_spare(law, draft_probs, drafts, rows, accepted, full), u_next)
    tokens = functional.pad(drafts, (0, 1)).where(positions < accepted[:, None], -1)
    return tokens.scatter_(1, accepted[:, None], next_token[:, None]), accepted


def _spare(
    law: Tensor,
    draft_probs: Tensor | None,
    drafts: Tensor,
    rows: Tensor,
    accepted: Tensor,
    full: Tensor,
) -> Tensor:
    """Return the next token's weights: max(p - q, 0) after a rejection, p after a full block."""
    gamma = drafts.shape[1]
    if gamma == 0:
        return law
    at = accepted.clamp_max(gamma - 1)
    rejected = (~full).to(law.dtype)[:, None]
    if draft_probs is None:
        weights = law.clone()
        cut = drafts.gather(1, at[:, None])
        weights.scatter_(1, cut, weights.gather(1, cut) * (1 - rejected))
    else:
        q = draft_probs[rows, at].to(law.dtype)
        weights = torch.addcmul(law, q, rejected, value=-1).clamp_min_(0)
    # With floats a rejection can meet a residual that rounds to nothing; p is the law then.
    return torch.where(weights.amax(-1, keepdim=True) > 0, weights, law)
