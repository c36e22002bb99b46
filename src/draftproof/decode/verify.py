"""Verify a batch of drafted blocks at once, on any device.

No loop over rows or positions and no wait for the device: the verdicts of all positions are taken
together, and then one row of probabilities in each sequence, the one that is needed, is turned
into a token by its inverse CDF. Only on the processor, where nothing has to be waited for, results
are looked at in between.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from draftproof.checks import show_value
from draftproof.decode.inverse import Plain, inverse_cdf, is_short_row, pick, search
from draftproof.decode.scorer import is_whole
from draftproof.decode.spare import Law, Rows, Spare, SpareOfOne

__all__ = ["inverse_cdf", "rejection_sample"]


_FLOATS = (torch.float32, torch.float64, torch.bfloat16, torch.float16)


def _check_tensor(value: object, name: str, home: torch.device | None = None) -> None:
    if not isinstance(value, Tensor):
        raise ValueError(f"{name} must be a torch.Tensor, got {show_value(value)}")
    if value.layout != torch.strided:
        raise ValueError(f"{name} must be a dense tensor, got one of layout {value.layout}")
    if home is not None and value.device != home:
        raise ValueError(f"{name} must be on the laws' device, {home}, got one on {value.device}")


def _check_lengths(lengths: Tensor, batch: int, gamma: int, home: torch.device) -> Tensor:
    _check_tensor(lengths, "lengths", home)
    if tuple(lengths.shape) != (batch,) or not is_whole(lengths):
        raise ValueError(
            f"lengths must be whole numbers of shape ({batch},), got {lengths.dtype} of shape "
            f"{tuple(lengths.shape)}"
        )
    return lengths.clamp(0, gamma)


def _check_laws(laws: Tensor, name: str, shape: tuple[int, int, int | str]) -> None:
    *rows, size = shape
    fits = laws.ndim == 3 and list(laws.shape[:2]) == rows and size in ("V", laws.shape[2])
    if not fits or laws.shape[2] < 1 or laws.dtype not in _FLOATS:
        raise ValueError(
            f"{name} must be floats of 16, 32 or 64 bits of shape ({rows[0]}, "
            f"{rows[1]}, {size}), got {laws.dtype} of shape {tuple(laws.shape)}"
        )


def _check(draft_tokens: Tensor, draft_probs: Tensor | None, target_probs: Tensor) -> None:
    _check_tensor(target_probs, "target_probs")
    _check_tensor(draft_tokens, "draft_tokens", target_probs.device)
    if draft_tokens.ndim != 2:
        raise ValueError(f"draft_tokens must have shape (B, T), got {tuple(draft_tokens.shape)}")
    if not is_whole(draft_tokens):
        raise ValueError(f"draft_tokens must be whole numbers, got {draft_tokens.dtype}")
    batch, gamma = draft_tokens.shape
    _check_laws(target_probs, "target_probs", (batch, gamma + 1, "V"))
    if draft_probs is not None:
        _check_tensor(draft_probs, "draft_probs", target_probs.device)
        _check_laws(draft_probs, "draft_probs", (batch, gamma, target_probs.shape[2]))


def _uniforms(
    uniforms: Tensor | None, shape: tuple[int, int], like: Tensor, generator: torch.Generator | None
) -> tuple[Tensor, Tensor]:
    """Return uniforms for the tests, (B, T), and for the next token, (B, 1), in float64."""
    batch, gamma = shape

    def fresh(columns: int) -> Tensor:
        return torch.rand(
            (batch, columns), generator=generator, dtype=torch.float64, device=like.device
        )

    if generator is not None and not isinstance(generator, torch.Generator):
        raise ValueError(f"generator must be a torch.Generator, got {show_value(generator)}")
    if uniforms is None:
        uniforms = fresh(gamma + 1)
    _check_tensor(uniforms, "uniforms", like.device)
    if uniforms.ndim != 2 or len(uniforms) != batch or uniforms.shape[1] - gamma not in (0, 1):
        raise ValueError(
            f"uniforms must have shape ({batch}, {gamma}) or ({batch}, {gamma + 1}), "
            f"got {tuple(uniforms.shape)}"
        )
    if not uniforms.is_floating_point():
        raise ValueError(f"uniforms must be floats, got {uniforms.dtype}")
    uniforms = uniforms.double()
    last = uniforms[:, gamma:] if uniforms.shape[1] > gamma else fresh(1)
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

    The same rule as `draftproof.verify_block`, for a batch: given the same laws and uniforms the
    two emit the same tokens. Written out, for one row of float32 laws in numpy:

    - the test of a draft x is ``u * float64(q[x]) < float64(p[x])``, without a division (laws
      given in float64 pass it wherever ``0 < q[x] <= p[x]``, even if a product of denormals rounds
      up to p[x]);
    - the next token's weights are ``w = p`` after a full block, ``w = maximum(p - q, 0)`` in the
      laws' own precision after a rejection (and p if that leaves nothing);
    - its running sums are ``cdf = cumsum(w, dtype=float64)``, and the token is
      ``searchsorted(cdf, u * cdf[-1], side="right")``.

    A row of more than 2048 tokens is summed in blocks (`inverse_cdf`), in float64 as well: the
    order changes the last bits of the sums, and fewer than one token in a hundred million.
    Laws of half precision are turned into float32 first.

    Parameters
    ----------
    draft_tokens : Tensor of int, shape (B, T)
        Token numbers, 0..V - 1. Positions past a row's length are ignored, with their laws, so
        that the -1 of an earlier result may stand there.
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
        On the device of the laws. It draws what `uniforms` lacks; without it torch's own does.

    Returns
    -------
    tokens : Tensor of int64, shape (B, T + 1)
        The accepted drafts, then one correction or bonus token, then -1.
    num_accepted : Tensor of int64, shape (B,)

    Raises
    ------
    ValueError
        If a shape or a type does not fit or, on the CPU, a token lies outside the vocabulary. On
        another device a look at values would wait for it: there such a draft is rejected.
        Laws and uniforms are not looked at.

    References
    ----------
    Leviathan, Kalman and Matias (2023), algorithm 1.
    """
    _check(draft_tokens, draft_probs, target_probs)
    batch, gamma = draft_tokens.shape
    target = target_probs.detach()
    draft = None if draft_probs is None else draft_probs.detach()
    u, u_next = _uniforms(uniforms, (batch, gamma), target, generator)
    end: int | Tensor = gamma
    used = None
    if lengths is not None:
        end = _check_lengths(lengths, batch, gamma, target.device)[:, None]
    if not batch:
        return draft_tokens.new_empty((0, gamma + 1)).long(), draft_tokens.new_empty(0).long()
    if lengths is not None:
        used = torch.arange(gamma, device=draft_tokens.device) < end
    drafts, known = _known(draft_tokens.long(), used, target.shape[2])
    kept = _verdicts(drafts, draft, target, u)
    kept = kept if known is None else kept & known
    if batch == 1 and target.device.type == "cpu":
        return _one_row(
            drafts[0], None if draft is None else draft[0], target[0], kept, end, u_next
        )
    kept = kept.cummin(1).values if gamma else kept
    accepted = kept.sum(1, keepdim=True)
    next_token = _next(drafts, draft, target, accepted, accepted < end, u_next)
    tokens = functional.pad(drafts.where(kept, -1), (0, 1), value=-1)
    return tokens.scatter_(1, accepted, next_token), accepted.squeeze(1)


def _one_row(
    drafts: Tensor,
    draft: Tensor | None,
    target: Tensor,
    kept: Tensor,
    end: int | Tensor,
    u: Tensor,
) -> tuple[Tensor, Tensor]:
    """Finish a batch of one on the processor, where a look at the verdicts costs nothing.

    The arithmetic is that of larger batches. The price of a small vocabulary is the number of
    calls, and one row, known by its number, needs half as many.
    """
    verdicts = [*kept[0].tolist(), False]
    accepted = verdicts.index(False)
    law = weights = _at_least_single(target[accepted])
    if accepted < int(end):
        if draft is None:
            weights = law.index_fill(0, drafts[accepted], 0)
        else:
            weights = torch.sub(law, draft[accepted]).relu_()
    point = u.item()
    token, mass = _draw(weights, point)
    if not mass > 0:  # see `_next`
        token, _ = _draw(law, point)
    emitted = [*drafts.tolist()[:accepted], token]
    emitted += [-1] * (len(drafts) - accepted)
    home = drafts.device  # torch may have another default
    return torch.tensor([emitted], device=home), torch.tensor([accepted], device=home)


def _draw(weights: Tensor, u: float) -> tuple[int, float]:
    """Return a row's token and its mass."""
    if is_short_row(weights[None]):
        return search(weights, u)
    token, mass = pick(Plain(weights[None]), weights.new_tensor([[u]], dtype=torch.float64))
    return int(token), float(mass)


def _known(drafts: Tensor, used: Tensor | None, size: int) -> tuple[Tensor, Tensor | None]:
    """Return drafts that are all token numbers, and which of them may be kept (None: all)."""
    if drafts.device.type == "cpu" and len(drafts) == 1:  # a look is cheaper than any operator
        row = drafts[0].tolist()
        if not row or (min(row) >= 0 and max(row) < size):
            return drafts, used
    inside = drafts.clamp(0, size - 1)
    if drafts.device.type == "cpu":
        if torch.equal(inside, drafts):
            return drafts, used
        wrong = drafts[(inside != drafts) if used is None else used & (inside != drafts)]
        if len(wrong):
            raise ValueError(f"draft_tokens must be in 0..{size - 1}, got {int(wrong[0])}")
        return inside, used
    known = inside == drafts
    return inside, known if used is None else known & used


def _at_least_single(law: Tensor) -> Tensor:
    return law if law.dtype == torch.float64 else law.float()


def _verdicts(drafts: Tensor, draft: Tensor | None, target: Tensor, u: Tensor) -> Tensor:
    """Return whether each draft passes its own test, shape (B, T)."""
    picked = drafts.unsqueeze(-1)
    p = target.gather(-1, picked).squeeze(-1)
    if draft is None:
        return u < p
    q = draft.gather(-1, picked).squeeze(-1)
    kept = u * q < p
    if torch.float64 in (p.dtype, q.dtype):
        # Where q <= p the test holds for every u < 1, except that a product of denormals may
        # round up to p; those of smaller types are no denormals in float64.
        kept |= (q <= p) & (p > 0)
    return kept


def _next(
    drafts: Tensor,
    draft: Tensor | None,
    target: Tensor,
    accepted: Tensor,
    rejected: Tensor,
    u: Tensor,
) -> Tensor:
    """Return the correction after a rejection, the bonus after a full block, shape (B, 1)."""
    rows = Rows(target)
    source: Spare | SpareOfOne
    if not drafts.shape[1]:
        return pick(Law(rows, accepted), u)[0]
    if draft is None:
        source = SpareOfOne(rows, drafts, accepted, rejected)
    else:
        source = Spare(rows, Rows(draft), accepted, rejected)
    # With floats a rejection can meet a residual that rounds to nothing; p is the law then.
    if target.device.type != "cpu":
        return _without_waiting(source, u)
    token, mass = pick(source, u)
    if not mass.min().item() > 0:
        source.spare_only(mass > 0)
        token, _ = pick(source, u)
    return token


def _without_waiting(source: Spare | SpareOfOne, u: Tensor) -> Tensor:
    """Return the next token without a look at the device's results, shape (B, 1)."""
    weights = source.whole()
    weights = torch.where(weights.amax(1, keepdim=True) > 0, weights, source.law())
    token, _ = pick(Plain(weights), u)
    # Running sums made in parallel may fall by a rounding, and a token without mass be met there.
    return token.where(weights.gather(1, token) > 0, weights.argmax(1, keepdim=True))
