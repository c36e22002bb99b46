"""The most that any rule can accept from several drafts at one position."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from draftproof.finite import Array, as_number, as_pair, check_whole
from draftproof.verifiers.drafts import distinct, sampled

__all__ = ["Cut", "best_cut", "optimal_transport_bound"]

LIMIT = 200_000  # ways of drafting, or sets of tokens


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
    check_whole(drafts, "drafts", 1)
    support = int((draft > 0).sum())
    if support**drafts > LIMIT:
        raise ValueError(
            f"drafts = {drafts} of {support} tokens can be drawn in {support**drafts} ways, "
            f"at most {LIMIT} are enumerated"
        )
    masses: dict[frozenset[int], Any] = {}
    for weight, drafted in (sampled if replacement else distinct)(draft, drafts):
        tokens = frozenset(x for x in drafted if x >= 0)
        masses[tokens] = masses.get(tokens, 0) + weight
    return target, masses


def optimal_transport_bound(
    p: ArrayLike, q: ArrayLike, drafts: int = 2, replacement: bool = True
) -> float:
    r"""Return the largest probability that one of several drafts is emitted, by linear programming.

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
    float
        Within about 1e-9 (HiGHS). `best_cut` gives the exact value.

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
    size = check_whole(len(target), "the number of tokens", 1, 16)
    best = Cut(1, ())
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
