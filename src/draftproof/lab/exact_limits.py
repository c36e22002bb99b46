"""What an enumeration takes on, and what it refuses before it starts."""

from __future__ import annotations

from draftproof.finite import check_whole
from draftproof.lab.exact_models import Models
from draftproof.verifiers import Nodewise, Verifier

__all__ = ["LIMIT", "MOST", "check_cost", "check_counts", "check_sequences", "check_walk"]

LIMIT = 4_000_000
"""The most sequences or blocks that an enumeration in floats takes on (an eighth in Fractions)."""

MOST = 60
"""The largest gamma and length of an enumeration: arrays have no more axes."""


def _refuse(count: int, limit: int, what: str) -> None:
    if count > limit:
        raise ValueError(f"the enumeration needs {count} {what}, at most {limit} are taken on")


def check_sequences(models: Models, length: int) -> None:
    """Refuse to hold more than `LIMIT` sequences."""
    # An operation on Fractions costs about ten times one on floats.
    limit = LIMIT // 8 if models.exact else LIMIT
    what = f"sequences of length = {length} over {models.size} tokens"
    _refuse(models.size**length, limit, what)


def check_cost(rule: Verifier, models: Models, gamma: int, length: int) -> None:
    """Refuse to enumerate more drafts, blocks or sequences than fit into about a minute."""
    size, contexts = models.size, models.contexts(length)
    check_sequences(models, length)
    if isinstance(rule, Nodewise):
        drafts = contexts * max(size**width for width in rule.branching(gamma))
        _refuse(drafts, LIMIT // 8, "ways of drafting (over all contexts)")
        _refuse(drafts * size, 100 * LIMIT, "masses (ways of drafting times tokens)")
        return
    _refuse(contexts * size**gamma, LIMIT, f"blocks of gamma = {gamma} (over all contexts)")
    _refuse(size ** (gamma + 1) * (gamma + 1), 10 * LIMIT, f"masses for gamma = {gamma}")


def check_counts(gamma: int, length: int) -> None:
    """Refuse what is no number of drafts or of tokens."""
    check_whole(gamma, "gamma", 1, MOST)
    check_whole(length, "length", 0, MOST)


def check_walk(models: Models, gamma: int) -> None:
    """Refuse to meet too many contexts within one round."""
    contexts = models.contexts(gamma + 1)
    _refuse(contexts, LIMIT // 8, f"contexts up to gamma = {gamma} tokens ahead")
