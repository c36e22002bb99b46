"""What `generate` takes: models, prompts in several forms, whole numbers; or a clear refusal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from draftproof.checks import check_whole, show_value
from draftproof.decode.cache import SLACK
from draftproof.decode.scorer import Scorer, check_scorer

__all__ = ["as_prompts", "check_drafter", "check_request"]


def _plain(value: Any) -> Any:
    """Return an array or a tensor as lists; anything else as it came."""
    return value.tolist() if callable(getattr(value, "tolist", None)) else value


def _is_row(value: object) -> bool:
    """Whether a value can be a row of tokens; words are sequences of no numbers."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray))


def as_prompts(prompt_ids: Any) -> tuple[list[list[int]], bool]:
    """Return the prompts as lists, and whether one bare prompt was given.

    Parameters
    ----------
    prompt_ids : sequence of int, or sequence of such sequences
        Lists, tuples, ranges and the like, arrays and tensors. Numbers are not looked at.

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
    given, shown = _plain(prompt_ids), show_value(prompt_ids)
    if not _is_row(given):
        raise ValueError(f"prompt_ids must be token numbers, or lists of them, got {shown}")
    rows = [_plain(row) for row in given]
    single = not any(map(_is_row, rows))
    prompts = [rows] if single else rows
    if not all(map(_is_row, prompts)):
        raise ValueError(f"prompt_ids must be one prompt or a list of prompts, got {shown}")
    return [list(row) for row in prompts] if rows else [], single


def check_request(
    target: Scorer, prompts: list[list[int]], gamma: int, new: int, eos: int | None
) -> tuple[int, int, int | None]:
    """Return gamma, max_new_tokens and eos_token_id as plain ints.

    Parameters
    ----------
    target : Scorer
    prompts : list of list of int
        At least one, each of at least one token in 0..V - 1. They become plain ints in place.
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
    check_scorer(target, "target")
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
        prompt[:] = [check_whole(token, "prompt_ids", 0, size - 1) for token in prompt]
        if len(prompt) + new > target.context_size:
            raise ValueError(
                f"prompt and max_new_tokens must fit the context of {target.context_size} tokens, "
                f"got {len(prompt)} + {new}"
            )
    return gamma, new, eos


def check_drafter(drafter: object, prompts: list[list[int]], new: int) -> None:
    """Check that a drafter is one, and that it can read as far as the request goes.

    Drafts past the last token that is asked for may lie past its context: they are never used.

    Parameters
    ----------
    drafter : Drafter or None
    prompts : list of list of int
        At least one.
    new : int
        Tokens to make for every prompt.

    Raises
    ------
    ValueError
        If it lacks a method, is a class, or its ``context_size`` is below the longest prompt and
        `new` together.
    """
    if drafter is None:
        return
    methods = [getattr(drafter, name, None) for name in ("start", "propose", "accept")]
    if isinstance(drafter, type) or not all(map(callable, methods)):
        raise ValueError(
            "drafter must be None or a Drafter with start, propose and accept, such as "
            f"PromptLookup(), got {show_value(drafter)}"
        )
    limit = getattr(drafter, "context_size", None)
    longest = max(map(len, prompts))
    if limit is not None and longest + new > check_whole(limit, "drafter.context_size", 1):
        raise ValueError(
            f"drafter must hold prompt and max_new_tokens, {longest} + {new} tokens, in its "
            f"context, got one of {limit} tokens"
        )
