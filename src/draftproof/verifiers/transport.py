"""The most that any rule can accept from several drafts at one position."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from draftproof.finite import Array, as_number, as_pair, check_flag, check_whole, is_exact
from draftproof.verifiers.drafts import distinct, sampled

__all__ = ["Cut", "best_cut", "optimal_transport_bound"]

LIMIT = 200_000  # ways of drafting
_MOST_TOKENS = 16  # of which all sets are tried


@dataclass(frozen=True)
class Cut:
    """A set of tokens that limits every rule, and the limit it gives.

    Attributes
    ----------
    bound : float or Fraction
    tokens : tuple of int
    """

    bound: Any
    tokens: tuple[int, ...]


def _drafted_sets(p: ArrayLike, q: ArrayLike, drafts: int, replacement: bool) -> Any:
    """Return p and the probability of every set of distinct drafted tokens."""
    target, draft = as_pair(p, q)
    if target.ndim != 1 or draft.ndim != 1:
        raise ValueError(f"p and q must be one law each, got {target.shape} and {draft.shape}")
    check_whole(drafts, "drafts", 1, LIMIT)
    check_flag(replacement, "replacement")
    support = int((draft > 0).sum())
    # One token can be drawn in one way, but each way still has so many drafts in it.
    ways = max(support**drafts, drafts) if drafts <= 60 or support == 1 else LIMIT + 1
    if ways > LIMIT:
        raise ValueError(
            f"drafts must make at most {LIMIT} ways of drawing, got {drafts} of {support} tokens"
        )
    masses: dict[frozenset[int], Any] = {}
    for weight, drafted in (sampled if replacement else distinct)(draft, drafts):
        tokens = frozenset(x for x in drafted if x >= 0)
        masses[tokens] = masses.get(tokens, 0) + weight
    return target, masses


def optimal_transport_bound(
    p: ArrayLike, q: ArrayLike, drafts: int = 2, replacement: bool = True
) -> Any:
    r"""Return the largest probability that one of several drafts is emitted.

    A rule that emits p moves the mass of every set D of drafts to tokens. What it moves to tokens
    inside D is accepted:

    .. math:: \max \sum_D \sum_{x \in D} \pi(D, x) \quad\text{with}\quad
              \sum_x \pi(D, x) \le Q(D), \quad \sum_D \pi(D, x) \le p(x), \quad \pi \ge 0.

    Parameters
    ----------
    p, q : array_like, shape (V,)
        Target and draft law.
    drafts : int
        How many are drawn from `q`. One gives :math:`\sum_x \min(p, q)`.
    replacement : bool
        Whether they are independent; otherwise each is drawn from the tokens not yet drawn.

    Returns
    -------
    float or Fraction
        From floats by linear programming, within about 1e-9 (HiGHS). From Fractions, and at most
        16 tokens, exactly, as a Fraction: the value of `best_cut`, which is the same number.

    Raises
    ------
    ValueError
        If `p` or `q` is not one law, their vocabularies differ, `drafts` < 1, or there are more
        than 200,000 ways of drafting.

    References
    ----------
    Sun et al. (2023), SpecTr, section 3.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    target, masses = _drafted_sets(p, q, drafts, replacement)
    if is_exact(target) and len(target) <= _MOST_TOKENS:
        return _best(target, masses).bound
    moves = [(row, x) for row, tokens in enumerate(masses) for x in sorted(tokens)]
    column = np.arange(len(moves))
    rows = np.array([row for row, _ in moves])
    tokens = np.array([x for _, x in moves]) + len(masses)
    ones = np.ones(2 * len(moves))
    room = np.array([*masses.values(), *target], dtype=np.float64)
    limits: Any = coo_array(
        (ones, (np.concatenate([rows, tokens]), np.tile(column, 2))),
        shape=(len(room), len(moves)),
    ).tocsr()
    found: Any = linprog(-np.ones(len(moves)), A_ub=limits, b_ub=room, method="highs")
    return min(1.0, float(-found.fun))


def best_cut(p: ArrayLike, q: ArrayLike, drafts: int = 2, replacement: bool = True) -> Cut:
    r"""Return the same bound exactly, and the set of tokens that proves it.

    For every set A of tokens a draft can be emitted either inside A, which happens with
    probability at most p(A), or outside, which needs a draft outside A:

    .. math:: \alpha \le p(A) + 1 - Q(D \subseteq A),

    for independent drafts :math:`p(A) + 1 - q(A)^k`. By max-flow min-cut the smallest of these
    numbers is reached.

    Parameters
    ----------
    p, q, drafts, replacement
        As `optimal_transport_bound`.

    Returns
    -------
    Cut
        The bound, a Fraction if both laws are, and the smallest such set.

    Raises
    ------
    ValueError
        As `optimal_transport_bound`, or if p has more than 16 tokens (2 ** V sets are tried).
    """
    target, masses = _drafted_sets(p, q, drafts, replacement)
    check_whole(len(target), "the number of tokens", 1, _MOST_TOKENS)
    return _best(target, masses)


def _best(target: Array, masses: dict[frozenset[int], Any]) -> Cut:
    """Return the cut with the smallest bound; the smallest set among equals."""
    size = len(target)
    best = Cut(Fraction(1) if is_exact(target) else 1.0, ())
    for count in range(1, size + 1):
        for tokens in combinations(range(size), count):
            inside = frozenset(tokens)
            trapped: Any = sum(mass for drafted, mass in masses.items() if drafted <= inside)
            bound = _mass(target, tokens) + 1 - trapped
            if bound < best.bound:
                best = Cut(as_number(bound), tokens)
    return best


def _mass(law: Array, tokens: tuple[int, ...]) -> Any:
    return sum(law[x] for x in tokens)
