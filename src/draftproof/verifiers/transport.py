"""The most that any rule can accept from several drafts at one position."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from draftproof.finite import Array, as_number, as_pair, check_flag, check_whole, is_exact
from draftproof.verifiers.drafts import distinct, sampled

__all__ = ["Cut", "Plan", "best_cut", "optimal_transport_bound", "transport_plan"]

LIMIT = 200_000  # ways of drafting
_MOST_TOKENS = 16  # of which all sets are tried
_MOST_MOVES = 50_000  # of a plan
_LEAN = 1e-6  # what a move to the side costs a plan, so that its moves do not cross needlessly


@dataclass(frozen=True)
class Cut:
    """A set of tokens that limits every rule, and the limit it gives.

    Attributes
    ----------
    bound : float or Fraction
        The limit on the probability that a draft is emitted.
    tokens : tuple of int
        The set, in increasing order.
    """

    bound: Any
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """How a best rule would carry the drafted sets to the tokens that come out.

    Attributes
    ----------
    drafted : tuple of (tuple of int, number)
        Every set that may be drafted, its tokens in increasing order, and its probability; small
        sets first.
    moves : dict
        From (number of the set, token) to the mass that is carried, where there is any.
    accepted : float
        The mass that is carried to a token of its own set.
    """

    drafted: tuple[tuple[tuple[int, ...], Any], ...]
    moves: dict[tuple[int, int], float]
    accepted: float


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
    target, masses = _drafted_sets(p, q, drafts, replacement)
    if is_exact(target) and len(target) <= _MOST_TOKENS:
        return _best(target, masses).bound
    moves = [(row, x) for row, tokens in enumerate(masses) for x in sorted(tokens)]
    room = [*masses.values(), *target]
    carried = _solved(moves, np.ones(len(moves)), room, len(masses))
    return float(np.clip(carried.sum(), 0.0, 1.0))


def _solved(moves: list[tuple[int, int]], worth: Array, room: list[Any], sets: int) -> Array:
    """Return the masses of the moves that are worth most within every room."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    pairs = np.array(moves)
    rows = np.concatenate([pairs[:, 0], pairs[:, 1] + sets])
    columns = np.tile(np.arange(len(moves)), 2)
    limits: Any = coo_array(
        (np.ones(len(rows)), (rows, columns)), shape=(len(room), len(moves))
    ).tocsr()
    bounds = np.array(room, dtype=np.float64)
    # The interior point method is far faster where there are many moves.
    method: Literal["highs", "highs-ipm"] = "highs" if len(moves) < 5000 else "highs-ipm"
    found: Any = linprog(-worth, A_ub=limits, b_ub=bounds, method=method)
    return np.asarray(found.x, dtype=np.float64)


def transport_plan(p: ArrayLike, q: ArrayLike, drafts: int = 2, replacement: bool = True) -> Plan:
    r"""Return a plan that reaches `optimal_transport_bound`: what the best rule does with the sets.

    The linear program of the bound with all mass carried, also to tokens outside a set:
    :math:`\sum_x \pi(D, x) = Q(D)` and :math:`\sum_D \pi(D, x) = p(x)`. Among plans of nearly the
    same worth the one with the shorter ways is taken.

    Parameters
    ----------
    p, q : array_like, shape (V,)
        Target and draft law.
    drafts : int
        How many are drawn from `q`.
    replacement : bool
        Whether they are independent.

    Returns
    -------
    Plan
        Its accepted mass is at most :math:`2 \cdot 10^{-6}\, V^2` below the bound.

    Raises
    ------
    ValueError
        As `optimal_transport_bound`, or if there are more than 50,000 moves from sets to tokens.

    References
    ----------
    Sun et al. (2023), SpecTr, section 3.
    """
    target, masses = _drafted_sets(p, q, drafts, replacement)
    sets = sorted(((tuple(sorted(d)), m) for d, m in masses.items()), key=_small_first)
    if len(sets) * len(target) > _MOST_MOVES:
        raise ValueError(
            f"drafts must leave at most {_MOST_MOVES} moves from sets to tokens, "
            f"got {len(sets)} sets for {len(target)} tokens"
        )
    moves = [(row, x) for row in range(len(sets)) for x in range(len(target))]
    inside = np.array([x in sets[row][0] for row, x in moves])
    aside = np.array([abs(x - np.mean(sets[row][0])) for row, x in moves])
    # Every move is worth something, so that all mass is carried off, and near ways are worth more.
    worth = inside + _LEAN * (2 * len(target) ** 2 - aside**2)
    carried = _solved(moves, worth, [*(mass for _, mass in sets), *target], len(sets))
    kept = {move: float(mass) for move, mass in zip(moves, carried, strict=True) if mass > 1e-9}
    return Plan(
        tuple((tokens, as_number(mass)) for tokens, mass in sets),
        kept,
        float(np.clip(carried[inside].sum(), 0.0, 1.0)),
    )


def _small_first(one: tuple[tuple[int, ...], Any]) -> tuple[int, tuple[int, ...]]:
    return len(one[0]), one[0]


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
