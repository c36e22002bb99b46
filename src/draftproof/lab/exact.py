"""The law that a rule really produces, added up over everything that can happen.

Nothing here knows a theorem. Drafts, verdicts, corrections and bonus tokens are enumerated, round
after round, in Fractions if the models return Fractions; that the outcome equals the target's law
is then checked with ``==``.
"""

from __future__ import annotations

from numbers import Rational
from typing import Any

import numpy as np

from draftproof.finite import Array, as_number
from draftproof.lab.exact_law import Law, distance, listed_law
from draftproof.lab.exact_limits import (
    LIMIT,
    check_cost,
    check_counts,
    check_length,
    check_round,
    check_sequences,
)
from draftproof.lab.exact_models import Models, enumerated
from draftproof.lab.exact_sampler import as_verifier, sampler
from draftproof.lab.exact_walks import TargetWalk, walk
from draftproof.speculative import Model

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


def output_array(
    rule: Any,
    target: Model,
    draft: Model,
    context: tuple[int, ...] = (),
    gamma: int | None = None,
    length: int = 3,
) -> Array:
    r"""Return the same as `output_law` as an array.

    .. math:: A[y_1, \dots, y_n] = P(y_1 \dots y_n)

    Parameters
    ----------
    rule, target, draft, context, gamma, length
        As for `output_law`.

    Returns
    -------
    ndarray, shape (V,) * length
        float64, or an object array of Fractions if both models return Fractions.

    Raises
    ------
    ValueError
        As `output_law`.
    """
    chosen = as_verifier(rule)
    depth = check_counts(chosen, gamma, length)

    def compute(models: Models) -> Array:
        check_cost(chosen, models, depth, length)
        return _settled(walk(chosen, models, depth).ahead(models.start, length))

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
    gamma: int | None = None,
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
    gamma : int, optional
        Drafts in a chain, or the depth of the tree; at least 1. Unless given it is the depth of a
        rule with a tree of its own, such as ``verifiers.tree((3, 2))``, and 2 for all others.
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
        If `rule` is not a rule, `gamma` < 1 or not the depth of the rule's tree, `length` < 0, a
        model returns something that is not a law, the vocabularies differ, or the rule answers
        with something that is no probability or no law. Also if more than `LIMIT` (4 million,
        half a million or fewer in Fractions) sequences or blocks, or more than 100,000 tests of
        drafts, would have to be enumerated: about 20 seconds.

    Notes
    -----
    Cost: V ** n numbers for each of the c contexts met and each depth of a round, where c is
    V ** n without ``order`` and V ** k with it. Rules that decide context by context add up
    c * V ** (children) drafts, each tested child by child; block verification writes out
    c * V ** gamma blocks. The bigram (V = 18, order 1) at gamma = 4 and n = 5, 1.9 million
    sequences, takes 0.1 to 0.3 s as an array (`output_array`) for the token rule, 1 to 2 s for
    two drafts, 4 to 8 s for block verification, and 1 to 2 s more as a dict (one core of two,
    the other busy).
    """
    table = output_array(rule, target, draft, context, gamma, length)
    return listed_law(table)


def target_array(target: Model, context: tuple[int, ...] = (), length: int = 3) -> Array:
    r"""Return the same as `target_law` as an array.

    .. math:: A[y_1, \dots, y_n] = \prod_i p(y_i \mid y_1 \dots y_{i-1})

    Parameters
    ----------
    target, context, length
        As for `output_law`.

    Returns
    -------
    ndarray, shape (V,) * length
        float64, or an object array of Fractions if the model returns Fractions.

    Raises
    ------
    ValueError
        As `output_law`.
    """
    check_length(length)

    def compute(models: Models) -> Array:
        check_sequences(models, length)
        return TargetWalk(models).ahead(models.start, length)

    return enumerated(target, target, context, compute)


def target_law(target: Model, context: tuple[int, ...] = (), length: int = 3) -> Law:
    r"""Return the target's own law of the next `length` tokens.

    .. math:: P(y_1 \dots y_n) = \prod_i p(y_i \mid y_1 \dots y_{i-1})

    Parameters
    ----------
    target : callable
        From a context to the law of the next token, as for `output_law`.
    context : tuple of int
        The text so far.
    length : int
        n, at least 0.

    Returns
    -------
    Law
        From sequences of `length` tokens to probabilities.

    Raises
    ------
    ValueError
        As `output_law`.
    """
    return listed_law(target_array(target, context, length))


def accepted_law(
    rule: Any, target: Model, draft: Model, context: tuple[int, ...] = (), gamma: int | None = None
) -> tuple[Any, ...]:
    r"""Return the law of the number of accepted drafts of one round.

    .. math:: \bigl(P(0), \dots, P(\gamma)\bigr), \qquad
              P(a) = P(\text{exactly } a \text{ drafts are accepted})

    Parameters
    ----------
    rule, target, draft, context, gamma
        As for `output_law`.

    Returns
    -------
    tuple of Fraction or float
        gamma + 1 probabilities that sum to 1.

    Raises
    ------
    ValueError
        As `output_law`.
    """
    chosen = as_verifier(rule)
    depth = check_counts(chosen, gamma, 1)

    def compute(models: Models) -> tuple[Any, ...]:
        check_round(chosen, models, depth)
        return tuple(as_number(mass) for mass in walk(chosen, models, depth).accepted(models.start))

    return enumerated(target, draft, context, compute)


def expected_accepted(
    rule: Any, target: Model, draft: Model, context: tuple[int, ...] = (), gamma: int | None = None
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
