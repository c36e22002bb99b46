"""What an enumeration takes on, and what it refuses before it starts.

Every count below was timed: at its limit an enumeration takes about 20 seconds on one slow core.
"""

from __future__ import annotations

from math import log2

from draftproof.finite import check_whole
from draftproof.lab.exact_models import Models
from draftproof.verifiers import Nodewise, Verifier
from draftproof.verifiers.drafts import best

__all__ = [
    "LIMIT",
    "MOST",
    "check_cost",
    "check_counts",
    "check_length",
    "check_round",
    "check_sequences",
    "usual_gamma",
]

LIMIT = 4_000_000
"""The most sequences or blocks that an enumeration in floats takes on (an eighth in Fractions)."""

TESTS = 100_000
"""The most tests of a draft, each of 0.1 to 0.2 ms."""

MOST = 60
"""The largest gamma and length of an enumeration: arrays have no more axes."""

_HUGE = 2**60


def _refuse(count: int, limit: int, what: str) -> None:
    if count > limit:
        shown = count if count < _HUGE else f"more than {_HUGE}"
        raise ValueError(f"the enumeration needs {shown} {what}, at most {limit} are taken on")


def _power(size: int, exponent: int) -> int:
    """Return size ** exponent, or `_HUGE` beyond it."""
    return _HUGE if exponent * log2(max(size, 1)) > 60 else int(size**exponent)


def check_sequences(models: Models, length: int, depths: int = 1) -> None:
    """Refuse to hold too many sequences; in Fractions each depth of a round costs as much.

    Parameters
    ----------
    models : Models
    length : int
        Tokens of a sequence.
    depths : int
        Depths of a round at which they are held.

    Raises
    ------
    ValueError
        If they are more than `LIMIT`, or than its share for Fractions.
    """
    # An operation on Fractions costs about ten times one on floats.
    limit = LIMIT // max(8, depths + 1) if models.exact else LIMIT
    what = f"sequences of length = {length} over {models.size} tokens"
    _refuse(_power(models.size, length), limit, what)


def _tests(rule: Nodewise, models: Models, gamma: int) -> int:
    """Return how many drafts are tested at one context, over all ways of drafting them.

    Fractions count for more, in proportion to the tokens that they run over.
    """
    size = models.size
    # The most probable tokens can be drafted in one way only.
    widths = set(rule.branching(gamma))
    tests = sum(width * (1 if rule.proposals is best else _power(size, width)) for width in widths)
    return tests * (8 + size) // 8 if models.exact else tests


_WHAT = "tests of drafts (ways of drafting times children, over all contexts)"


def check_cost(rule: Verifier, models: Models, gamma: int, length: int) -> None:
    """Refuse an enumeration of sequences that would take more than about 20 seconds.

    Parameters
    ----------
    rule : Verifier
    models : Models
    gamma : int
        Drafts in a chain, or the depth of the tree.
    length : int
        Tokens of a sequence.

    Raises
    ------
    ValueError
        If it would take more.
    """
    size, contexts = models.size, models.contexts(length)
    depths = min(gamma, length)
    check_sequences(models, length, depths)
    if isinstance(rule, Nodewise):
        tests = _tests(rule, models, gamma)
        # A context is met at several depths of a round, and each time it costs a little.
        _refuse(contexts * (tests + depths * size // 8), TESTS, _WHAT)
        _refuse(contexts * tests * size, 100 * LIMIT, "masses (ways of drafting times tokens)")
        return
    _check_blocks(models, gamma, contexts)


def check_round(rule: Verifier, models: Models, gamma: int) -> None:
    """Refuse an enumeration of one round that would take more than about 20 seconds.

    Parameters
    ----------
    rule : Verifier
    models : Models
    gamma : int
        Drafts in a chain, or the depth of the tree.

    Raises
    ------
    ValueError
        If it would take more.
    """
    if not isinstance(rule, Nodewise):
        _check_blocks(models, gamma, 1)
        return
    met = models.contexts(gamma + 1)
    _refuse(met, 2 * TESTS, f"contexts up to gamma = {gamma} tokens ahead")
    tests = models.contexts(gamma) * _tests(rule, models, gamma)
    _refuse(tests + met, TESTS, _WHAT)  # a context without drafts costs about one test
    _refuse(tests * models.size, 100 * LIMIT, "masses (ways of drafting times tokens)")


def _check_blocks(models: Models, gamma: int, contexts: int) -> None:
    """Refuse to write out too many blocks, each round from each of some contexts."""
    size, blocks = models.size, _power(models.size, gamma)
    what = f"blocks of gamma = {gamma} (over all contexts)"
    # A Fraction of a block's table takes as long as the whole block in floats.
    _refuse(contexts * blocks, LIMIT // (2 * gamma * size) if models.exact else LIMIT, what)
    # Asking the models takes eight times as long as judging a block.
    asked = contexts * models.contexts(gamma + 1)
    _refuse(asked, LIMIT // 16, f"contexts up to gamma = {gamma} tokens ahead (from each start)")
    _refuse(blocks * size * (gamma + 1), 10 * LIMIT, f"masses for gamma = {gamma}")


def check_counts(rule: Verifier, gamma: int | None, length: int) -> int:
    """Return gamma, unless it or the length is no number of drafts or of tokens.

    Parameters
    ----------
    rule : Verifier
    gamma : int, optional
        From 1 to `MOST`; unless given the depth of the rule's tree, or 2.
    length : int
        From 0 to `MOST`.

    Returns
    -------
    int
        Gamma.

    Raises
    ------
    ValueError
        If one of them lies outside, or the rule has a tree of another depth.
    """
    depth = check_whole(usual_gamma(rule) if gamma is None else gamma, "gamma", 1, MOST)
    check_length(length)
    rule.branching(depth)
    return depth


def check_length(length: int) -> None:
    """Refuse what is no number of tokens.

    Parameters
    ----------
    length : int
        From 0 to `MOST`.

    Raises
    ------
    ValueError
        If it lies outside.
    """
    check_whole(length, "length", 0, MOST)


def usual_gamma(rule: Verifier) -> int:
    """Return the gamma that is taken where none is given: the depth of the rule's tree, or 2.

    Parameters
    ----------
    rule : Verifier

    Returns
    -------
    int
    """
    return 2 if rule.depth is None else rule.depth
