"""The book's named settings: one copy, used by the chapters, the figures and the tests."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from draftproof.bigram import BigramModel, Mixture, UnigramModel
from draftproof.envelope import Envelope, Proposal, Target, rejection_trace
from draftproof.finite import Array
from draftproof.trace import EnvelopeTrace

__all__ = [
    "BLOCK",
    "CAT_DOG_FOX",
    "DARTS",
    "FOUR_TOKENS",
    "HOUSE",
    "TARGET",
    "Pair",
    "bell_envelope",
    "dart_runs",
    "flat_envelope",
    "target_function",
    "toy",
    "toy_draft",
]


@dataclass(frozen=True)
class Pair:
    """A target p and a draft q over named tokens, in Fractions."""

    names: tuple[str, ...]
    p: tuple[Fraction, ...]
    q: tuple[Fraction, ...]

    @classmethod
    def of(cls, names: str, p: str, q: str) -> Pair:
        """Make a pair from texts such as ``"1/2 0.3 0.2"``."""

        def law(text: str) -> tuple[Fraction, ...]:
            return tuple(Fraction(part) for part in text.split())

        return cls(tuple(names.split()), law(p), law(q))


CAT_DOG_FOX = Pair.of("cat dog fox", p="0.3 0.4 0.3", q="0.6 0.3 0.1")
FOUR_TOKENS = Pair.of("a b c d", p="0.5 0.3 0.15 0.05", q="0.6 0.2 0.1 0.1")
HOUSE = Pair.of("a b c", p="1/4 1/4 1/2", q="1/2 1/4 1/4")
BLOCK = Pair.of("a b", p="1/3 2/3", q="2/3 1/3")


def target_function(x: Array) -> Array:
    r"""Return :math:`e^{-x^2/2} [\sin^2(6 + x) + 3 \cos^2 x \sin^2 4x + 1]`."""
    bracket = np.sin(6 + x) ** 2 + 3 * np.cos(x) ** 2 * np.sin(4 * x) ** 2 + 1
    return np.asarray(np.exp(-(x**2) / 2) * bracket)


TARGET = Target(target_function, -3.0, 3.0, "f")
DARTS = 300_000
_SEED_FLAT, _SEED_BELL = 2301, 2302


@cache
def flat_envelope(constant: float = 25.0) -> Envelope:
    """Return the uniform proposal's envelope; a `constant` below the bound is let through."""
    return Envelope(TARGET, Proposal.uniform(-3, 3), constant, allow_broken=True)


@cache
def bell_envelope(constant: float = 11.0) -> Envelope:
    """Return the standard normal's envelope; a `constant` below the bound is let through."""
    return Envelope(TARGET, Proposal.normal(), constant, allow_broken=True)


@cache
def dart_runs(n: int = DARTS) -> tuple[EnvelopeTrace, EnvelopeTrace]:
    """Return the book's runs of `n` darts: under the flat and under the bell envelope."""
    return (
        rejection_trace(flat_envelope(), n, np.random.default_rng(_SEED_FLAT)),
        rejection_trace(bell_envelope(), n, np.random.default_rng(_SEED_BELL)),
    )


@cache
def toy(exact: bool = False) -> tuple[BigramModel, UnigramModel]:
    """Return the bigram target and the unigram base of its drafts."""
    return BigramModel(exact=exact), UnigramModel(exact=exact)


@cache
def toy_draft(weight: float | Fraction, exact: bool = False) -> Mixture:
    """Return the draft ``q_w`` of the toy."""
    return Mixture(weight, *toy(exact))
