"""Faults around the rule: counters, ends of text, caches, generators. Each shows in one case."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from draftproof.finite import Array, check_whole, draw
from draftproof.lab.broken_fault import Fault, ValueFault
from draftproof.lab.broken_verdicts import exactly
from draftproof.speculative import residual

__all__ = ["FAULTS", "acceptance_by_round"]


def accepted_prefix(verdicts: Sequence[int]) -> int:
    """Count accepted drafts: the verdicts before the first rejection."""
    return int(np.cumprod(verdicts).sum())


def accepted_anywhere(verdicts: Sequence[int]) -> int:
    """Count the verdicts that say yes, also after a rejection."""
    return int(np.sum(verdicts))


def rate(accepted: int, drafted: int) -> Fraction:
    """Return accepted over drafted."""
    return Fraction(accepted, drafted)


def rate_with_bonus(accepted: int, drafted: int) -> Fraction:
    """Return the same with the correction or bonus token counted on both sides."""
    return Fraction(accepted + 1, drafted + 1)


def plain_residual(p: Array, q: Array) -> Array:
    """Return max(p - q, 0) over its sum, also where that sum is 0."""
    gap = np.maximum(np.asarray(p, dtype=float) - np.asarray(q, dtype=float), 0)
    with np.errstate(invalid="ignore"):
        return np.asarray(gap / gap.sum())


def until_eos(rounds: Sequence[Sequence[int]], eos: int) -> tuple[int, ...]:
    """Return the text up to the first end-of-sequence token, wherever in a block it lies."""
    out: tuple[int, ...] = ()
    for block in rounds:
        out += tuple(block)
        if eos in out:
            return out[: out.index(eos) + 1]
    return out


def until_last_is_eos(rounds: Sequence[Sequence[int]], eos: int) -> tuple[int, ...]:
    """Return the text up to the first block whose last token ends it."""
    out: tuple[int, ...] = ()
    for block in rounds:
        out += tuple(block)
        if out and out[-1] == eos:
            break
    return out


def at_most(rounds: Sequence[Sequence[int]], most: int) -> tuple[int, ...]:
    """Return no more than `most` tokens: the last block is cut."""
    out: tuple[int, ...] = ()
    for block in rounds:
        out += tuple(block)
        if len(out) >= most:
            break
    return out[:most]


def whole_blocks(rounds: Sequence[Sequence[int]], most: int) -> tuple[int, ...]:
    """Return whole blocks until `most` tokens are reached."""
    out: tuple[int, ...] = ()
    for block in rounds:
        if len(out) >= most:
            break
        out += tuple(block)
    return out


def own_generators(law: Any, seeds: Sequence[int | None], n: int) -> tuple[int, ...]:
    """Return the first row's tokens if every row draws from its own generator."""
    rows = [draw(law, np.random.default_rng(seed), n) for seed in seeds]
    return tuple(rows[0].tolist())


def shared_generator(law: Any, seeds: Sequence[int | None], n: int) -> tuple[int, ...]:
    """Return the first row's tokens if all rows draw from the seeded row's generator."""
    rng = np.random.default_rng(seeds[0])
    steps = [draw(law, rng, len(seeds)) for _ in range(n)]
    return tuple(int(step[0]) for step in steps)


def acceptance_by_round(rounds: int, gamma: int, complete: bool = True) -> tuple[Fraction, ...]:
    r"""Return the expected accepted drafts of rounds 1, 2, ... when the draft is the target.

    The toy: the next token is 1 with probability 3/4 if the text has an even number of ones so
    far, else 1/4, so that every token of the text matters for ever. With `complete` false the
    drafter's cache misses the last draft of every fully accepted block, and its count of ones is
    off by what it missed. The emitted law is right all the same: only the speed goes.

    Parameters
    ----------
    rounds, gamma : int
    complete : bool

    Returns
    -------
    tuple of Fraction

    Raises
    ------
    ValueError
        If `rounds` is negative or `gamma` below 1.
    """
    check_whole(rounds, "rounds")
    check_whole(gamma, "gamma", 1)
    # The state before a round: (parity of the text, parity of what the drafter misses).
    states = {(0, 0): Fraction(1)}
    means = []
    for _ in range(rounds):
        means.append(Fraction(0))
        after: dict[tuple[int, int], Fraction] = {}
        for (text, missed), mass in states.items():
            for accepted, parity, last, chance in _round(text, missed, gamma):
                means[-1] += mass * chance * accepted
                lost = last if accepted == gamma and not complete else 0
                key = parity, missed ^ lost
                after[key] = after.get(key, Fraction(0)) + mass * chance
        states = after
    return tuple(means)


_LAWS = exactly("1/4 3/4"), exactly("3/4 1/4")


def _round(text: int, missed: int, gamma: int) -> list[tuple[int, int, int, Fraction]]:
    """Return the outcomes of a round: accepted, parity after it, last draft, probability."""
    done: list[tuple[int, int, int, Fraction]] = []
    alive = [(text, 0, Fraction(1))]  # parity, last draft, probability
    for t in range(gamma):
        grown = []
        for parity, _, mass in alive:
            p, q = _LAWS[parity], _LAWS[parity ^ missed]
            for x in (0, 1):
                kept = min(p[x], q[x])
                grown.append((parity ^ x, x, mass * kept))
                fixed = max(p[x] - q[x], Fraction(0))
                done.append((t, parity ^ x, 0, mass * fixed))
        alive = grown
    for parity, last, mass in alive:
        for x in (0, 1):
            done.append((gamma, parity ^ x, last, mass * _LAWS[parity][x]))
    return [outcome for outcome in done if outcome[3] > 0]


def _complete(rounds: int, gamma: int) -> tuple[Fraction, ...]:
    return acceptance_by_round(rounds, gamma)


def _with_holes(rounds: int, gamma: int) -> tuple[Fraction, ...]:
    return acceptance_by_round(rounds, gamma, complete=False)


_blocks = ((5, 7, 1), (4, 2, 6), (3, 3, 1))

FAULTS: tuple[Fault, ...] = (
    ValueFault(
        "count-past-first-rejection",
        "Accepted drafts are counted as the sum of the verdicts, not of their running product.",
        ("vllm-project/vllm#2658", "vllm-project/vllm#10604"),
        accepted_prefix,
        accepted_anywhere,
        ((0, 1, 0, 0, 0),),
    ),
    ValueFault(
        "rate-counts-the-bonus",
        "The acceptance rate is taken as (accepted + 1) / (drafted + 1).",
        ("sgl-project/sglang#23530",),
        rate,
        rate_with_bonus,
        (2, 4),
    ),
    ValueFault(
        "zero-over-zero",
        "Where p = q the residual has no mass, and dividing by its sum gives NaN.",
        ("jaymody/speculative-sampling#5", "youssofal/MTPLX#82"),
        residual,
        plain_residual,
        ((0.5, 0.5), (0.5, 0.5)),
    ),
    ValueFault(
        "eos-inside-the-block",
        "Generation goes on after an accepted end-of-sequence token that is not a block's last.",
        ("huggingface/transformers#47912", "vllm-project/vllm#56101"),
        until_eos,
        until_last_is_eos,
        (_blocks, 2),
    ),
    ValueFault(
        "one-token-too-many",
        "The last block is emitted whole and overshoots the number of tokens asked for.",
        ("huggingface/transformers#46993",),
        at_most,
        whole_blocks,
        (_blocks, 5),
    ),
    ValueFault(
        "cache-off-by-one",
        "After a fully accepted block the drafter's cache misses its last token.",
        ("vllm-project/vllm#9730", "hpcaitech/ColossalAI#5449"),
        _complete,
        _with_holes,
        (4, 3),
    ),
    ValueFault(
        "unseeded-neighbour",
        "A seeded row shares its generator, so that a neighbour in the batch changes its tokens.",
        ("vllm-project/vllm#10863",),
        own_generators,
        shared_generator,
        ((0.25, 0.25, 0.25, 0.25), (7, None), 8),
    ),
)
