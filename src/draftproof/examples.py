"""The book's named settings: one copy, used by the chapters, the figures and the tests."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache

import numpy as np

from draftproof.bigram import BigramModel, Mixture, UnigramModel
from draftproof.envelope import Envelope, Proposal, Target, rejection_trace
from draftproof.finite import Array, as_pair, check_flag, check_number, check_whole, show_value
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
    """A target p and a draft q over named tokens, in Fractions.

    Attributes
    ----------
    names : tuple of str
    p, q : tuple of Fraction
    """

    names: tuple[str, ...]
    p: tuple[Fraction, ...]
    q: tuple[Fraction, ...]

    @classmethod
    def of(cls, names: str, p: str, q: str) -> Pair:
        """Make a pair from texts such as ``"1/2 0.3 0.2"``.

        Parameters
        ----------
        names, p, q : str
            Words and fractions, with spaces between them.

        Returns
        -------
        Pair

        Raises
        ------
        ValueError
            If a text is not one, p or q not a law, or the three not of one length.
        """
        if not isinstance(names, str):
            raise ValueError(f"names must be a text, got {show_value(names)}")
        pair = cls(tuple(names.split()), _fractions(p, "p"), _fractions(q, "q"))
        target, _ = as_pair(np.array(pair.p), np.array(pair.q))
        if len(target) != len(pair.names):
            raise ValueError(f"names must be {len(target)} words, got {show_value(names)}")
        return pair


def _fractions(text: str, name: str) -> tuple[Fraction, ...]:
    try:
        return tuple(Fraction(part) for part in text.split())
    except (AttributeError, ValueError, ZeroDivisionError):
        raise ValueError(
            f"{name} must be fractions with spaces between them, got {show_value(text)}"
        ) from None


CAT_DOG_FOX = Pair.of("cat dog fox", p="0.3 0.4 0.3", q="0.6 0.3 0.1")
FOUR_TOKENS = Pair.of("a b c d", p="0.5 0.3 0.15 0.05", q="0.6 0.2 0.1 0.1")
HOUSE = Pair.of("a b c", p="1/4 1/4 1/2", q="1/2 1/4 1/4")
BLOCK = Pair.of("a b", p="1/3 2/3", q="2/3 1/3")


def target_function(x: Array) -> Array:
    r"""Return :math:`e^{-x^2/2} [\sin^2(6 + x) + 3 \cos^2 x \sin^2 4x + 1]`.

    Parameters
    ----------
    x : ndarray

    Returns
    -------
    ndarray
    """
    bracket = np.sin(6 + x) ** 2 + 3 * np.cos(x) ** 2 * np.sin(4 * x) ** 2 + 1
    return np.asarray(np.exp(-(x**2) / 2) * bracket)


TARGET = Target(target_function, -3.0, 3.0, "f")
DARTS = 300_000
_SEED_FLAT, _SEED_BELL = 2301, 2302


def flat_envelope(constant: float = 25.0) -> Envelope:
    """Return the uniform proposal's envelope; a `constant` below the bound is let through.

    Parameters
    ----------
    constant : float

    Returns
    -------
    Envelope
        The same object for the same constant.

    Raises
    ------
    ValueError
        If `constant` is not a positive number.
    """
    return _envelope("flat", float(check_number(constant, "constant", 0, above=True)))


def bell_envelope(constant: float = 11.0) -> Envelope:
    """Return the standard normal's envelope; a `constant` below the bound is let through.

    Parameters
    ----------
    constant : float

    Returns
    -------
    Envelope
        The same object for the same constant.

    Raises
    ------
    ValueError
        If `constant` is not a positive number.
    """
    return _envelope("bell", float(check_number(constant, "constant", 0, above=True)))


@lru_cache(maxsize=64)  # a slider asks for many constants
def _envelope(kind: str, constant: float) -> Envelope:
    proposal = Proposal.uniform(-3, 3) if kind == "flat" else Proposal.normal()
    return Envelope(TARGET, proposal, constant, allow_broken=True)


def dart_runs(n: int = DARTS) -> tuple[EnvelopeTrace, EnvelopeTrace]:
    """Return the book's runs of `n` darts: under the flat and under the bell envelope.

    Parameters
    ----------
    n : int

    Returns
    -------
    tuple of EnvelopeTrace
        The same objects for the same `n`.

    Raises
    ------
    ValueError
        If `n` is not a count.
    """
    return _dart_runs(check_whole(n, "n"))


@lru_cache(maxsize=4)
def _dart_runs(n: int) -> tuple[EnvelopeTrace, EnvelopeTrace]:
    return (
        rejection_trace(flat_envelope(), n, np.random.default_rng(_SEED_FLAT)),
        rejection_trace(bell_envelope(), n, np.random.default_rng(_SEED_BELL)),
    )


def toy(exact: bool = False) -> tuple[BigramModel, UnigramModel]:
    """Return the bigram target and the unigram base of its drafts.

    Parameters
    ----------
    exact : bool
        Hold the tables in Fractions.

    Returns
    -------
    tuple of Model
        The same objects every time.

    Raises
    ------
    ValueError
        If `exact` is not True or False.
    """
    return _toy(check_flag(exact, "exact"))


@cache
def _toy(exact: bool) -> tuple[BigramModel, UnigramModel]:
    return BigramModel(exact=exact), UnigramModel(exact=exact)


def toy_draft(weight: float | Fraction, exact: bool = False) -> Mixture:
    """Return the draft ``q_w`` of the toy.

    Parameters
    ----------
    weight : float or Fraction
        w, in [0, 1].
    exact : bool
        Hold the table in Fractions.

    Returns
    -------
    Mixture
        The same object for the same arguments.

    Raises
    ------
    ValueError
        If `weight` does not lie in [0, 1], or `exact` is not True or False.
    """
    return _toy_draft(check_number(weight, "weight", 0, 1), check_flag(exact, "exact"))


@lru_cache(maxsize=64)
def _toy_draft(weight: float | Fraction, exact: bool) -> Mixture:
    return Mixture(weight, *toy(exact))
