"""What the parts of a rule answer: checked where it comes in, so that no mass is lost or made.

A rule may be anybody's. Its coins, its corrections and its ways of drafting are read here, and
what is no probability or no law is refused with the name of the rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

import numpy as np

from draftproof.finite import TOLERANCE, Array, as_array, as_law, as_number, is_exact, show_value
from draftproof.verifiers.bounds import Children, listed, whole_rows
from draftproof.verifiers.shapes import NO_DRAFT

_WHOLE = {int, np.int64, np.int32}
_PLAIN = {float, int, np.float64, Fraction}

__all__ = ["RuleError", "after", "check_blocks", "read_chance", "read_law", "read_ways", "split"]

_SLACK = TOLERANCE[np.dtype(np.float64)]
_NOTHING = 1e-12
"""Below this a float weight is rounding: what it would weigh need not be a law."""


class RuleError(ValueError):
    """A rule has answered with something that is no probability, or no law.

    Parameters
    ----------
    words : str
        What is wrong, with the rule's name.
    at : int
        The number of the context within the round.
    """

    def __init__(self, words: str, at: int = 0) -> None:
        super().__init__(words)
        self.words, self.at = words, at


@contextmanager
def after(*texts: tuple[int, ...]) -> Iterator[None]:
    """Add to a `RuleError` raised inside the text of the context that it is about.

    Parameters
    ----------
    *texts : tuple of int
        The text at each context of the round, by number; the last serves all further ones.

    Yields
    ------
    None

    Raises
    ------
    ValueError
        In the place of the `RuleError`.
    """
    try:
        yield
    except RuleError as error:
        text = texts[min(error.at, len(texts) - 1)]
        raise ValueError(f"{error.words} (after context {show_value(text)})") from None


def _is_one(total: Any, factors: int = 1) -> bool:
    if isinstance(total, Rational):
        return total == 1
    return bool(abs(total - 1) <= factors * _SLACK)


def read_chance(value: Any, name: str, x: int, at: int) -> Any:
    """Return the probability with which a rule keeps a draft.

    Parameters
    ----------
    value : object
        What the rule answered.
    name : str
        Of the rule.
    x : int
        The draft.
    at : int
        The number of its context.

    Returns
    -------
    Fraction or float
        In [0, 1]; a float that rounding has pushed above 1 comes back as 1.

    Raises
    ------
    RuleError
        If it is not a number in [0, 1].
    """
    if type(value) in _PLAIN and 0 <= value <= 1:
        return value
    if type(value) is np.ndarray and value.ndim == 0:
        value = value.item()
    if isinstance(value, (bool, np.bool_)):
        value = int(value)
    number: Any = value if isinstance(value, Real) else -1
    if 0 <= number <= 1:
        return number
    if not isinstance(number, Rational) and 1 < number <= 1 + _SLACK:
        return 1.0
    raise RuleError(
        f"rule {name!r} must keep a draft with a probability in [0, 1], "
        f"got {show_value(value)} for token {x}",
        at,
    )


def read_law(values: Any, name: str, what: str, size: int, weight: Any, at: int) -> Array | None:
    """Return a law that a rule answered, or None if nothing hangs on it and it is none.

    Parameters
    ----------
    values : array_like
    name : str
        Of the rule.
    what : str
        Of the law, for the message.
    size : int
        V, the tokens it must be over.
    weight : Fraction or float
        The probability that it is drawn from.
    at : int
        The number of its context.

    Returns
    -------
    ndarray of shape (V,), or None

    Raises
    ------
    RuleError
        If it is not a law over V tokens, and its weight is more than rounding.
    """
    floats = type(values) is np.ndarray and values.dtype == np.float64
    # Most answers are laws: told at a glance, without a copy.
    if floats and values.shape == (size,) and values.min() >= 0 and _is_one(values.sum()):
        return np.asarray(values)
    called = f"the {what} of rule {name!r}"
    try:
        law = as_law(whole_rows(values, called), called)
        if law.shape != (size,):
            raise ValueError(f"{called} must have shape ({size},), got {law.shape}")
    except ValueError as error:
        if weight > (0 if isinstance(weight, Rational) else _NOTHING):
            raise RuleError(str(error), at) from None
        return None
    return law


def split(answer: Any, name: str, drafts: int, at: int) -> tuple[list[Any], Any]:
    """Return a judge's answer as the acceptances and the correction.

    Parameters
    ----------
    answer : object
    name : str
        Of the rule.
    drafts : int
        How many acceptances there must be.
    at : int
        The number of the context.

    Returns
    -------
    tuple of (list, object)

    Raises
    ------
    RuleError
        If it is not a pair, or holds another number of acceptances.
    """
    pair = isinstance(answer, (tuple, list)) and len(answer) == 2
    if pair and np.iterable(answer[0]) and not isinstance(answer[0], (str, bytes)):
        kept = list(answer[0])
        if len(kept) == drafts:
            return kept, answer[1]
    raise RuleError(
        f"the judge of rule {name!r} must return (acceptances, correction) with {drafts} of the "
        f"former, one a draft, got {show_value(answer)}",
        at,
    )


def read_ways(
    ways: Iterable[tuple[Any, Children]], name: str, size: int, width: int, at: int = 0
) -> list[tuple[Any, Children]]:
    """Return all ways of drafting at a context, with the probabilities that a rule gives them.

    Parameters
    ----------
    ways : iterable of (probability, tokens)
    name : str
        Of the rule.
    size : int
        V.
    width : int
        Children of the context.
    at : int
        The number of the context.

    Returns
    -------
    list of (probability, tokens)

    Raises
    ------
    ValueError
        If they are too many to write out.
    RuleError
        If they are no such pairs, their tokens are not `width` in 0..V - 1, or the probabilities
        do not sum to 1.
    """
    called = f"the proposals of rule {name!r}"
    if not np.iterable(ways):
        raise RuleError(f"{called} must be pairs (probability, tokens), got {show_value(ways)}", at)
    found = listed(ways, name)
    if not all(type(way) is tuple and len(way) == 2 and type(way[1]) is tuple for way in found):
        raise RuleError(
            f"{called} must be pairs (probability, tokens), got {show_value(found)}", at
        )
    weights = [way[0] for way in found]
    total: Any = sum(weights) if all(type(one) in _PLAIN for one in weights) else None
    if total is None or not (_is_one(total, width + 1) and min(weights) >= 0):
        shown = show_value([as_number(one) for one in weights])
        raise RuleError(f"{called} must have probabilities that sum to 1, got {shown}", at)
    lowest = 0 if width == 1 else NO_DRAFT
    for _, tokens in found:
        if len(tokens) != width or not all(
            type(x) in _WHOLE and lowest <= x < size for x in tokens
        ):
            raise RuleError(
                f"{called} must have {width} of the tokens 0..{size - 1}, got {show_value(tokens)}",
                at,
            )
    return found


def check_blocks(laws: Any, shape: tuple[int, ...], tokens: Array, name: str) -> Array:
    """Return what a rule gives for many blocks, each outcome a probability.

    Parameters
    ----------
    laws : array_like, shape (M, T + 1, V)
        As `Chainwise.laws` returns them.
    shape : tuple of int
        That shape.
    tokens : ndarray of int, shape (M, T)
        The blocks.
    name : str
        Of the rule.

    Returns
    -------
    ndarray, shape (M, T + 1, V)

    Raises
    ------
    RuleError
        If the shape is another, or the outcomes of a block are no law.
    """
    called = f"the outcomes of rule {name!r}"
    try:
        given = as_array(laws, called)
    except ValueError as error:
        raise RuleError(str(error)) from None
    if given.shape != shape or given.dtype.kind not in "fiuO":
        raise RuleError(f"{called} must be numbers of shape {shape}, got {show_value(laws)}")
    exact = is_exact(given)
    with np.errstate(invalid="ignore", over="ignore"):
        low: Any = given.min(axis=(1, 2))
        total: Any = given.sum(axis=(1, 2))
    if exact:
        fine = np.array(
            [a >= (0 if isinstance(a, Rational) else -_NOTHING) and _is_one(t)
             for a, t in zip(low.tolist(), total.tolist(), strict=True)]
        )  # fmt: skip
    else:
        fine = (low >= -_NOTHING) & (abs(total - 1) <= _SLACK)
    if not fine.all():
        m = int(np.argmin(fine))
        raise RuleError(
            f"{called} must be a law, got a sum of {show_value(total[m])} and a least mass of "
            f"{show_value(low[m])} for the drafts {tuple(tokens[m].tolist())}"
        )
    return given
