"""The one-token rule as a plain Python loop: dictionaries, one draw at a time.

This is what the package is measured against. It computes the same thing in the way a first
implementation does: laws are dictionaries, a draw is a walk along one, the residual is made anew
at every rejection.
"""

from __future__ import annotations

import random

Law = dict[str, float]


def pick(law: Law, rng: random.Random) -> str:
    """Draw one token: walk along the masses until their sum passes a uniform."""
    u, passed = rng.random(), 0.0
    for token, mass in law.items():
        passed += mass
        if u < passed:
            return token
    return token  # rounding: the sum of the masses may end just below 1


def mixture(weight: float, target: Law, base: Law) -> Law:
    """Return the draft's law at one context, as a model call would."""
    return {token: weight * target[token] + (1 - weight) * base[token] for token in target}


def residual(target: Law, draft: Law) -> Law:
    """Return the law of the correction."""
    gap = {token: max(target[token] - draft[token], 0.0) for token in target}
    total = sum(gap.values())
    return {token: mass / total for token, mass in gap.items()}


def one_token(target: Law, draft: Law, rng: random.Random) -> str:
    """Draft, test, and correct if the test fails."""
    token = pick(draft, rng)
    if rng.random() < min(1.0, target[token] / draft[token]):
        return token
    return pick(residual(target, draft), rng)


def count(n: int, target: Law, base: Law, weight: float, rng: random.Random) -> dict[str, int]:
    """Run the rule `n` times, asking the draft model each time, and count what comes out."""
    seen = dict.fromkeys(target, 0)
    for _ in range(n):
        seen[one_token(target, mixture(weight, target, base), rng)] += 1
    return seen


def count_rounds(
    n: int, target: Law, base: Law, weight: float, rng: random.Random
) -> dict[str, int]:
    """Run whole rounds of one draft: the same first token, and a bonus after each kept draft.

    A first program for any block length does more than the rule at one token: it keeps lists,
    draws the bonus that follows a block without a rejection, and asks the draft once more for the
    law of a correction.
    """
    seen = dict.fromkeys(target, 0)
    for _ in range(n):
        laws, drafted, emitted = [mixture(weight, target, base)], [], []
        for law in laws:
            drafted.append(pick(law, rng))
        for law, token in zip(laws, drafted, strict=True):
            if rng.random() >= min(1.0, target[token] / law[token]):
                emitted.append(pick(residual(target, mixture(weight, target, base)), rng))
                break
            emitted.append(token)
        else:
            emitted.append(pick(target, rng))
        seen[emitted[0]] += 1
    return seen


def count_lean(n: int, target: Law, draft: Law, rng: random.Random) -> dict[str, int]:
    """Run the rule `n` times with the draft's law made once, beforehand."""
    seen = dict.fromkeys(target, 0)
    for _ in range(n):
        seen[one_token(target, draft, rng)] += 1
    return seen
