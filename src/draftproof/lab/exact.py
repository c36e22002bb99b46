"""The law that a rule really produces, added up over everything that can happen.

Nothing here knows a theorem. Drafts, verdicts, corrections and bonus tokens are enumerated, round
after round, in Fractions if the models return Fractions; that the outcome equals the target's law
is then checked with ``==``.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from draftproof.finite import Array, as_number, check_rng, check_whole, show_value
from draftproof.lab.exact_limits import (
    LIMIT,
    check_cost,
    check_counts,
    check_round,
    check_sequences,
)
from draftproof.lab.exact_models import Models, enumerated
from draftproof.lab.exact_walks import TargetWalk, walk
from draftproof.rules import Rule
from draftproof.speculative import Model, _check_context, _check_model
from draftproof.verifiers import Verifier, from_rule

__all__ = [
    "LIMIT",
    "Law",
    "accepted_law",
    "distance",
    "expected_accepted",
    "output_array",
    "output_law",
    "sampler",
    "target_array",
    "target_law",
]


class Law(dict[tuple[int, ...], Any]):
    """The probability of every token sequence; one that is not there has probability 0."""

    def __missing__(self, key: tuple[int, ...]) -> int:
        return 0


def _verifier(rule: Any) -> Verifier:
    if isinstance(rule, Verifier):
        return rule
    if isinstance(rule, Rule):
        return from_rule(rule)
    hint = ""
    if callable(rule) and getattr(rule, "__module__", "").startswith("draftproof.verifiers"):
        hint = "; call it with its options first"
    raise ValueError(
        f"rule must be one of draftproof.verifiers, such as verifiers.token, "
        f"got {show_value(rule)}{hint}"
    )


def output_array(
    rule: Any,
    target: Model,
    draft: Model,
    context: tuple[int, ...] = (),
    gamma: int = 2,
    length: int = 3,
) -> Array:
    """Return the same as `output_law` as an array of shape (V,) * length.

    Raises
    ------
    ValueError
        As `output_law`.
    """
    chosen = _verifier(rule)
    check_counts(gamma, length)
    chosen.branching(gamma)

    def compute(models: Models) -> Array:
        check_cost(chosen, models, gamma, length)
        return _settled(walk(chosen, models, gamma).ahead(models.start, length))

    return enumerated(target, draft, context, compute)


def _settled(table: Array) -> Array:
    """Return floats if the rule itself left the Fractions, by a logarithm or a float option."""
    exact = table.dtype == object and all(isinstance(mass, Rational) for mass in table.flat)
    return table if exact else table.astype(np.float64)


def output_law(
    rule: Any,
    target: Model,
    draft: Model,
    context: tuple[int, ...] = (),
    gamma: int = 2,
    length: int = 3,
) -> Law:
    r"""Return the law of the next `length` tokens that a rule emits, rounds chained.

    .. math:: P(y_1 \dots y_n) = \sum_{\text{drafts}} q(\text{drafts})
              \sum_{\text{outcomes that begin with } y} P(\text{outcome} \mid \text{drafts})

    A round that emits fewer than `length` tokens is followed by another from the context it has
    reached; what the last round makes too many is cut.

    Parameters
    ----------
    rule : Verifier
        Such as ``verifiers.token`` or ``verifiers.recursive(2)``; a `draftproof.rules.Rule` will
        do as well.
    target, draft : callable
        From a context (tuple of token ids) to the law of the next token: a list, tuple or array,
        of Fractions or floats. A model that looks no more than k tokens back may say so by an
        attribute ``order = k``; contexts that agree on them are then one.
    context : tuple of int
        The text so far.
    gamma : int
        Drafts in a chain, or the depth of the tree; at least 1.
    length : int
        n, at least 0.

    Returns
    -------
    Law
        A dict from sequences (tuples of `length` tokens) to probabilities. Sequences of
        probability 0 are left out; asked for one, it answers 0. Fractions if both models return
        Fractions everywhere, else floats.

    Raises
    ------
    ValueError
        If `rule` is not a rule, `gamma` < 1, `length` < 0, a model returns something that is not
        a law, the vocabularies differ, or more than `LIMIT` (4 million, half a million or
        fewer in Fractions) sequences or blocks, or more than 100,000 tests of drafts, would have
        to be enumerated: about 20 seconds.

    Notes
    -----
    Cost: V ** n numbers for each of the c contexts met and each depth of a round, where c is
    V ** n without ``order`` and V ** k with it. Rules that decide context by context add up
    c * V ** (children) drafts, each tested child by child; block verification writes out
    c * V ** gamma blocks. The bigram (V = 18, order 1) at gamma = 4 and n = 5, 1.9 million
    sequences, takes about 0.1 s as an array (`output_array`) for the token rule, 1 s for two
    drafts, 6 s for block verification, and 1 to 2 s more as a dict.
    """
    table = output_array(rule, target, draft, context, gamma, length)
    return _as_law(table)


def _as_law(table: Array) -> Law:
    if table.ndim == 0:
        return Law({(): as_number(table)})
    held = np.nonzero(table)
    sequences = zip(*(axis.tolist() for axis in held), strict=True)
    return Law(zip(sequences, table[held].tolist(), strict=True))


def target_array(target: Model, context: tuple[int, ...] = (), length: int = 3) -> Array:
    """Return the same as `target_law` as an array of shape (V,) * length.

    Raises
    ------
    ValueError
        As `output_law`.
    """
    check_counts(1, length)

    def compute(models: Models) -> Array:
        check_sequences(models, length)
        return TargetWalk(models).ahead(models.start, length)

    return enumerated(target, target, context, compute)


def target_law(target: Model, context: tuple[int, ...] = (), length: int = 3) -> Law:
    r"""Return the target's own law of the next `length` tokens.

    .. math:: P(y_1 \dots y_n) = \prod_i p(y_i \mid y_1 \dots y_{i-1})

    Raises
    ------
    ValueError
        As `output_law`.
    """
    return _as_law(target_array(target, context, length))


def distance(law: Law, other: Law) -> Any:
    r"""Return the total variation distance of two laws over sequences.

    .. math:: \tfrac12 \sum_y |P(y) - P'(y)|
    """
    keys = law.keys() | other.keys()
    return sum((abs(law.get(y, 0) - other.get(y, 0)) for y in keys), start=0) / 2


def accepted_law(
    rule: Any, target: Model, draft: Model, context: tuple[int, ...] = (), gamma: int = 2
) -> tuple[Any, ...]:
    """Return the law of the number of accepted drafts of one round: gamma + 1 probabilities.

    Raises
    ------
    ValueError
        As `output_law`.
    """
    chosen = _verifier(rule)
    check_counts(gamma, 1)
    chosen.branching(gamma)

    def compute(models: Models) -> tuple[Any, ...]:
        check_round(chosen, models, gamma)
        return tuple(as_number(mass) for mass in walk(chosen, models, gamma).accepted(models.start))

    return enumerated(target, draft, context, compute)


def expected_accepted(
    rule: Any, target: Model, draft: Model, context: tuple[int, ...] = (), gamma: int = 2
) -> Any:
    r"""Return the expected number of accepted drafts of one round.

    .. math:: \mathrm{E}[a] = \sum_{a=0}^{\gamma} a\, P(a)

    The correction or bonus is not counted; the round emits one token more.

    Parameters
    ----------
    rule, target, draft, context, gamma
        As for `output_law`.

    Returns
    -------
    Fraction or float

    Raises
    ------
    ValueError
        As `output_law`.
    """
    law = accepted_law(rule, target, draft, context, gamma)
    return sum(count * mass for count, mass in enumerate(law))


def sampler(
    rule: Any,
    target: Model,
    draft: Model,
    context: tuple[int, ...] = (),
    gamma: int = 2,
    length: int = 1,
) -> Callable[[int, np.random.Generator], NDArray[np.int64]]:
    """Return a function that runs a rule, for `audit`: ``sampler(n, rng)``.

    It drafts, verifies and chains rounds until `length` tokens are out, `n` times over: n tokens,
    or an array of shape (n, length) if `length` > 1.

    Raises
    ------
    ValueError
        If `rule` is not a rule, a model no callable, `context` no tuple of tokens, `gamma` < 1 or
        `length` < 1.
    """
    chosen = _verifier(rule)
    check_whole(gamma, "gamma", 1)
    check_whole(length, "length", 1)
    for name, model in (("target", target), ("draft", draft)):
        _check_model(model, name)
    start = _check_context(context)

    def sample(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        out = np.empty((check_whole(n, "n"), length), dtype=np.int64)
        check_rng(rng)
        for row in out:
            text: tuple[int, ...] = ()
            while len(text) < length:
                text += chosen.round(target, draft, (*start, *text), gamma, rng).tokens
            row[:] = text[:length]
        return out[:, 0] if length == 1 else out

    return sample
