"""What `generate` takes: prompts in several forms and three whole numbers, or a clear refusal."""

from __future__ import annotations

from typing import Any

from draftproof.checks import check_whole, show_value
from draftproof.decode.cache import SLACK
from draftproof.decode.scorer import Scorer

__all__ = ["as_prompts", "check_request"]


def as_prompts(prompt_ids: Any) -> tuple[list[list[int]], bool]:
    """Return the prompts as lists, and whether one bare prompt was given.

    Parameters
    ----------
    prompt_ids : sequence of int, or sequence of such sequences
        Lists, tuples, or whatever has ``tolist``: arrays and tensors. Numbers are not looked at.

    Returns
    -------
    prompts : list of list of int
        New lists, one a row; none for an empty sequence.
    single : bool

    Raises
    ------
    ValueError
        If it is neither one prompt nor a list of prompts.
    """
    given = prompt_ids.tolist() if hasattr(prompt_ids, "tolist") else prompt_ids
    if not isinstance(given, (list, tuple)):
        raise ValueError(f"prompt_ids must be token numbers, or lists of them, got {given!r}")
    rows = [row.tolist() if hasattr(row, "tolist") else row for row in given]
    single = not any(isinstance(row, (list, tuple)) for row in rows)
    prompts = [rows] if single else rows
    if not all(isinstance(row, (list, tuple)) for row in prompts):
        raise ValueError(f"prompt_ids must be one prompt or a list of prompts, got {given!r}")
    return [list(row) for row in prompts] if given else [], single


def check_request(
    target: Scorer, prompts: list[list[int]], gamma: int, new: int, eos: int | None
) -> tuple[int, int, int | None]:
    """Return gamma, max_new_tokens and eos_token_id as plain ints.

    Parameters
    ----------
    target : Scorer
    prompts : list of list of int
        At least one, each of at least one token in 0..V - 1.
    gamma : int
        Drafts in a block, 1..63.
    new : int
        Tokens to make for every prompt, at least 0. With the longest prompt they must fit the
        target's context.
    eos : int or None
        The token that ends a row, in 0..V - 1.

    Returns
    -------
    gamma, new : int
    eos : int or None

    Raises
    ------
    ValueError
        If one is out of range, a token lies outside the vocabulary, a row would grow past the
        context, or `target` is no model.
    """
    for name in ("vocabulary_size", "context_size", "device", "new_cache"):
        if not hasattr(target, name):
            raise ValueError(f"target must be a Scorer with {name}, got {show_value(target)}")
    gamma = check_whole(gamma, "gamma", 1, SLACK - 1)
    new = check_whole(new, "max_new_tokens", 0)
    size = target.vocabulary_size
    if eos is not None:
        eos = check_whole(eos, "eos_token_id", 0, size - 1)
    if not prompts:
        raise ValueError("prompt_ids must hold at least one prompt, got none")
    for prompt in prompts:
        if not prompt:
            raise ValueError("prompt_ids must hold at least one token a prompt, got an empty one")
        for token in prompt:
            check_whole(token, "prompt_ids", 0, size - 1)
        if len(prompt) + new > target.context_size:
            raise ValueError(
                f"prompt and max_new_tokens must fit the context of {target.context_size} tokens, "
                f"got {len(prompt)} + {new}"
            )
    return gamma, new, eos
