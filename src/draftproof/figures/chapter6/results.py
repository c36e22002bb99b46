"""What chapter 6's figures show: one function a figure, so that page and file agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from draftproof import cost, examples, lab, verifiers
from draftproof.finite import Array, overlap, total_variation
from draftproof.speculative import acceptance

__all__ = [
    "BATCHES",
    "DRAFT_COST",
    "MACHINE",
    "PARAMETERS",
    "RANDOM_GAMMA",
    "RANDOM_PAIRS",
    "RANDOM_SEED",
    "RANDOM_TOKENS",
    "SIX",
    "THREE",
    "Board",
    "Fate",
    "Scaled",
    "Shape",
    "Turn",
    "accepted_of",
    "boards",
    "cut",
    "fates",
    "gain",
    "gains",
    "never_less",
    "one_place",
    "overlap_moves",
    "panels",
    "point",
    "price",
    "random_models",
    "scaled",
    "shapes",
    "shares",
    "steady",
    "transport",
    "tree_levels",
    "turns",
    "worth",
]

Law = Sequence[Any]

THREE: Any = examples.Pair.of("a b c", p="0.5 0.3 0.2", q="0.2 0.3 0.5")
"""The pair of the sections on several drafts."""
SIX: Any = examples.Pair.of(
    "a b c d e f", p="0.35 0.25 0.15 0.1 0.1 0.05", q="0.1 0.15 0.1 0.3 0.15 0.2"
)
"""A pair with more tokens, for trees and for the rules that are not exact."""

RANDOM_PAIRS, RANDOM_TOKENS, RANDOM_GAMMA, RANDOM_SEED = 200, 3, 3, 6
DRAFT_COST = 0.05
MACHINE = "H100 SXM"
PARAMETERS = 7e9
BATCHES = tuple(2**k for k in range(10))


def steady(law: Law) -> Callable[[tuple[int, ...]], Any]:
    """Return the model that has one law in every context.

    Parameters
    ----------
    law : Law
        Shape (V,).

    Returns
    -------
    callable
        From a prefix to the law.
    """
    held = np.array(law)

    def model(_context: tuple[int, ...]) -> Array:
        return held

    model.order = 0  # type: ignore[attr-defined]
    return model


@dataclass(frozen=True)
class Fate:
    """One outcome of one drafted block: how many drafts are kept, and the token after them.

    Attributes
    ----------
    drafted : tuple of int
        The drafts.
    kept : int
        How many of them are kept.
    token : int
        The token after them.
    mass : float or Fraction
        Probability of all this.
    """

    drafted: tuple[int, ...]
    kept: int
    token: int
    mass: Any


def fates(rule: Any, p: Law, q: Law, gamma: int = 2) -> tuple[Fate, ...]:
    """List every outcome of every block of `gamma` drafts, with its probability.

    Parameters
    ----------
    rule : Verifier
        The rule.
    p : array_like, shape (V,)
        Target law, the same in every context.
    q : array_like, shape (V,)
        Draft law, the same in every context.
    gamma : int
        Drafts in a block.

    Returns
    -------
    tuple of Fate
    """
    found = []
    target, draft = np.array([p] * (gamma + 1)), np.array([q] * gamma)
    for drafted in product(np.flatnonzero(np.array(q) > 0).tolist(), repeat=gamma):
        chance: Any = 1
        for x in drafted:
            chance = chance * q[x]
        law = rule.law(drafted, draft, target)
        for kept, token in zip(*np.nonzero(law), strict=True):
            mass = chance * law[kept, token]
            found.append(Fate(drafted, int(kept), int(token), mass))
    return tuple(found)


def panels(p: Law, q: Law, gamma: int = 2) -> tuple[Any, ...]:
    """Return the fates of all blocks under the token rule and under block verification.

    Parameters
    ----------
    p : array_like, shape (V,)
        Target law, the same in every context.
    q : array_like, shape (V,)
        Draft law, the same in every context.
    gamma : int
        Drafts in a block.

    Returns
    -------
    tuple
        Title and fates of each rule, in a tuple of one.
    """
    return (
        (
            ("token rule", fates(verifiers.token, p, q, gamma)),
            ("block rule", fates(verifiers.block, p, q, gamma)),
        ),
    )


@dataclass(frozen=True)
class Board:
    """One prefix: how often it is drafted, its running weight, and the token rule's product.

    Attributes
    ----------
    prefix : tuple of int
        The drafts so far.
    drafted : float or Fraction
        How often they are drafted.
    weight : float or Fraction
        The running weight of block verification.
    token : float or Fraction
        The product of the token rule.
    """

    prefix: tuple[int, ...]
    drafted: Any
    weight: Any
    token: Any


def boards(p: Law, q: Law, gamma: int = 2) -> tuple[Any, ...]:
    """Return the prefixes of every length with their weights, level by level.

    Parameters
    ----------
    p : array_like, shape (V,)
        Target law, the same in every context.
    q : array_like, shape (V,)
        Draft law, the same in every context.
    gamma : int
        Drafts in a block.

    Returns
    -------
    tuple
        The levels, in a tuple of one.
    """
    one = acceptance(p, q)
    levels, level = [], [Board((), 1, 1, 1)]
    for _ in range(gamma):
        level = [
            Board(
                (*board.prefix, x),
                board.drafted * q[x],
                min(1, board.weight * p[x] / q[x]),
                board.token * one[x],
            )
            for board in level
            for x in range(len(q))
            if q[x] > 0
        ]
        levels.append(tuple(level))
    return (tuple(levels),)


@dataclass(frozen=True)
class Scaled:
    """The target after a prefix, shrunk by the prefix's weight.

    Attributes
    ----------
    prefix : tuple of int
        The drafts so far.
    weight : float or Fraction
        Their running weight.
    """

    prefix: tuple[int, ...]
    weight: Any


def scaled(p: Law, q: Law) -> tuple[Any, ...]:
    """Return the laws and the weights of the empty prefix and of every first draft.

    Parameters
    ----------
    p : array_like, shape (V,)
        Target law, the same in every context.
    q : array_like, shape (V,)
        Draft law, the same in every context.

    Returns
    -------
    tuple
        Both laws and the cases.
    """
    firsts = boards(p, q, 1)[0][0]
    cases = (Scaled((), Fraction(1)), *(Scaled(b.prefix, b.weight) for b in firsts))
    return p, q, cases


def random_models(count: int, tokens: int, seed: int) -> Iterator[tuple[Any, Any]]:
    """Yield pairs of a target and a draft that look one token back, drawn at random.

    Parameters
    ----------
    count : int
        How many pairs.
    tokens : int
        V.
    seed : int
        Of the generator.

    Yields
    ------
    tuple of callable
        Target and draft.
    """
    rng = np.random.default_rng(seed)
    for _ in range(count):
        tables = rng.dirichlet(np.ones(tokens), size=(2, tokens + 1))
        yield _backward(tables[0]), _backward(tables[1])


def _backward(table: Array) -> Callable[[tuple[int, ...]], Any]:
    def model(context: tuple[int, ...]) -> Array:
        return np.asarray(table[context[-1] + 1 if context else 0])

    model.order = 1  # type: ignore[attr-defined]
    return model


@lru_cache(maxsize=1)
def never_less() -> tuple[Any, ...]:
    """Return the expected accepted drafts of both rules on random pairs of models.

    Returns
    -------
    tuple
        The token rule's, the block rule's, and gamma.
    """
    rows = [
        [
            lab.expected_accepted(rule, target, draft, gamma=RANDOM_GAMMA)
            for rule in (verifiers.token, verifiers.block)
        ]
        for target, draft in random_models(RANDOM_PAIRS, RANDOM_TOKENS, RANDOM_SEED)
    ]
    token, block = np.array(rows).T
    return token, block, RANDOM_GAMMA


def gain(p: Law, q: Law, gamma: int) -> Any:
    """Return by what factor block verification raises the tokens of a target pass, less 1.

    Parameters
    ----------
    p : array_like, shape (V,)
        Target law, the same in every context.
    q : array_like, shape (V,)
        Draft law, the same in every context.
    gamma : int
        Drafts in a block.

    Returns
    -------
    float or Fraction
        At least 0.
    """
    target, draft = steady(p), steady(q)
    token, block = (
        lab.expected_accepted(rule, target, draft, gamma=gamma)
        for rule in (verifiers.token, verifiers.block)
    )
    return (block + 1) / (token + 1) - 1


@lru_cache(maxsize=1)
def gains() -> tuple[Any, ...]:
    """Return the gain of two mirrored tokens against their overlap, for three block lengths.

    Returns
    -------
    tuple
        The overlaps, and the gains by block length.
    """
    alphas = np.linspace(0, 1, 41)
    curves = {
        gamma: np.array([gain((a / 2, 1 - a / 2), (1 - a / 2, a / 2), gamma) for a in alphas])
        for gamma in (2, 4, 6)
    }
    return alphas, curves


def overlap_moves() -> tuple[Any, ...]:
    """Return the drafted tokens, the target, and how the token rule carries one to the other.

    Returns
    -------
    tuple
        Sources, target, moves.
    """
    p, q = THREE.p, THREE.q
    kept = [min(a, b) for a, b in zip(p, q, strict=True)]
    cut = [b - k for b, k in zip(q, kept, strict=True)]
    gap = [a - k for a, k in zip(p, kept, strict=True)]
    moves = {(x, x): k for x, k in enumerate(kept) if k > 0}
    for x, y in product(range(len(p)), repeat=2):
        if cut[x] * gap[y] > 0:
            moves[x, y] = cut[x] * gap[y] / sum(gap)
    return tuple(((x,), mass) for x, mass in enumerate(q)), p, moves


@lru_cache(maxsize=4)
def transport(drafts: int = 2) -> tuple[Any, ...]:
    """Return sets of drafts, the target, and a best way to carry the one to the other.

    The plan is that of `verifiers.transport_plan`.

    Parameters
    ----------
    drafts : int
        How many are drawn for one place.

    Returns
    -------
    tuple
        Sources, target, moves.
    """
    plan = verifiers.transport_plan(THREE.p, THREE.q, drafts)
    return plan.drafted, THREE.p, plan.moves


@dataclass(frozen=True)
class Turn:
    """One draft's turn: what is left of the target, what is drawn, and what of it is kept.

    Attributes
    ----------
    target : ndarray
        Mass still wanted, shape (V,).
    drawn : ndarray
        Mass drawn, shape (V,).
    kept : ndarray
        Mass kept of it, shape (V,).
    """

    target: Array
    drawn: Array
    kept: Array


def turns(p: Law, q: Law, drafts: int = 2, replacement: bool = True) -> tuple[Any, ...]:
    """Return the turns of several drafts for one place, as masses.

    Parameters
    ----------
    p : array_like, shape (V,)
        Target law, the same in every context.
    q : array_like, shape (V,)
        Draft law, the same in every context.
    drafts : int
        How many are drawn for one place.
    replacement : bool
        Whether a token may come twice.

    Returns
    -------
    tuple
        The turns, in a tuple of one.

    Raises
    ------
    ValueError
        If drafts without replacement could be rejected in more than one way: then the next draft
        has several laws, and one picture cannot show them.
    """
    target, draft = np.array(p), np.array(q)
    found, rest = [], Fraction(1)
    for _ in range(drafts):
        drawn = rest * draft
        kept = np.minimum(target, drawn)
        found.append(Turn(target, drawn, kept))
        refused = np.flatnonzero(drawn > kept)
        target, rest = target - kept, rest - kept.sum()
        if rest == 0:
            break
        if not replacement:
            if len(refused) > 1:
                raise ValueError("without replacement this pair can reject more than one token")
            draft = np.where(np.arange(len(draft)) == refused[0], 0, draft)
            draft = draft / draft.sum()
    return (tuple(found),)


def cut() -> tuple[Any, ...]:
    """Return the pair, the number of drafts and the set of tokens that limits every rule.

    Returns
    -------
    tuple
        p, q, drafts, tokens.
    """
    return THREE.p, THREE.q, 2, verifiers.best_cut(THREE.p, THREE.q, 2).tokens


def shares(rule: Any, p: Law, q: Law, width: int) -> tuple[Any, ...]:
    """Return how probably each of `width` children is the accepted one, in their order.

    Parameters
    ----------
    rule : Verifier
        The rule for several drafts.
    p : array_like, shape (V,)
        Target law, the same in every context.
    q : array_like, shape (V,)
        Draft law, the same in every context.
    width : int
        How many children.

    Returns
    -------
    tuple
        One probability a child.
    """
    out: list[Any] = [Fraction(0)] * width
    target, draft = np.array(p), np.array(q)
    for weight, drafted in rule.propose(draft, width):
        rest = weight
        present = tuple(x for x in drafted if x >= 0)
        for child, kept in enumerate(rule.judge(present, draft, target)[0]):
            out[child] += rest * kept
            rest = rest * (1 - kept)
    return tuple(out)


def tree_levels(branching: tuple[int, ...] = (2, 2)) -> tuple[Any, ...]:
    """Return the children's shares at every depth of a tree on the three tokens.

    Parameters
    ----------
    branching : tuple of int
        Children at each depth.

    Returns
    -------
    tuple
        The levels, in a tuple of one.
    """
    rule = verifiers.tree(branching)
    return (tuple(shares(rule, THREE.p, THREE.q, width) for width in branching),)


@dataclass(frozen=True)
class Shape:
    """A tree of drafts: children at each depth, drafted tokens, expected accepted drafts.

    Attributes
    ----------
    branching : tuple of int
        Children at each depth.
    drafted : int
        Tokens drafted.
    accepted : float
        Expected accepted drafts.
    """

    branching: tuple[int, ...]
    drafted: int
    accepted: float


@lru_cache(maxsize=8)
def one_place(width: int) -> float:
    """Return the acceptance of `width` drafts for one place, on the six tokens.

    Parameters
    ----------
    width : int
        How many drafts.

    Returns
    -------
    float
    """
    rule = verifiers.recursive(width, replacement=False)
    q, p = (np.array(law, dtype=float) for law in (SIX.q, SIX.p))
    return float(rule.step(q, p, width)[0].sum())


def accepted_of(branching: tuple[int, ...]) -> float:
    """Return the expected accepted drafts of a tree on the six tokens.

    The laws are the same in every context, so the walk reaches each depth with the product of
    the acceptances above it. `lab.expected_accepted` enumerates the same number.

    Parameters
    ----------
    branching : tuple of int
        Children at each depth.

    Returns
    -------
    float
    """
    return float(np.cumprod([one_place(width) for width in branching]).sum())


def _grown(branching: tuple[int, ...], most: int) -> Iterator[tuple[int, ...]]:
    """Yield a tree and all that continue it downwards without growing wider."""
    yield branching
    for width in range(1, branching[-1] + 1):
        deeper = (*branching, width)
        if np.cumprod(deeper).sum() <= most:
            yield from _grown(deeper, most)


@lru_cache(maxsize=1)
def shapes(most: int = 16) -> tuple[Any, ...]:
    """Return all trees of up to `most` drafts, none wider below, with their accepted drafts.

    Parameters
    ----------
    most : int
        Drafted tokens of the largest tree.

    Returns
    -------
    tuple
        The trees, in a tuple of one.
    """
    trees = [tree for width in range(1, 5) for tree in _grown((width,), most)]
    made = [Shape(tree, int(np.cumprod(tree).sum()), accepted_of(tree)) for tree in trees]
    return (tuple(sorted(made, key=lambda shape: (shape.drafted, shape.accepted))),)


def price(p: Law = SIX.p, q: Law = SIX.q, delta: float = 1.0) -> tuple[Any, ...]:
    """Return the overlap, and what exact and inexact rules keep and miss.

    Parameters
    ----------
    p : array_like, shape (V,)
        Target law, the same in every context.
    q : array_like, shape (V,)
        Draft law, the same in every context.
    delta : float
        The threshold of typical acceptance.

    Returns
    -------
    tuple
        The overlap and the groups of points.
    """
    factors = [Fraction(k, 10) for k in (8, 6, 4)]
    groups = {
        "exact": [
            ("token rule", verifiers.token),
            ("one-hot", verifiers.one_hot),
            ("sample match", verifiers.sample_match),
        ],
        "lenience": [(str(factor), verifiers.lenience(factor)) for factor in factors],
        "typical": [(f"{e:g}", verifiers.typical(e, delta)) for e in (0.03, 0.09, 0.12, 0.2)],
    }
    return overlap(p, q), {
        group: tuple((name, *point(rule, p, q)) for name, rule in members)
        for group, members in groups.items()
    }


def point(rule: Any, p: Law, q: Law) -> tuple[Any, Any]:
    """Return how much a rule keeps, and how far its law is from the target.

    Parameters
    ----------
    rule : Verifier
        The rule.
    p : array_like, shape (V,)
        Target law, the same in every context.
    q : array_like, shape (V,)
        Draft law, the same in every context.

    Returns
    -------
    tuple
        Kept share and distance.
    """
    accepted, corrected = rule.step(np.array(q), np.array(p))
    return accepted.sum(), total_variation(accepted + corrected, p)


@lru_cache(maxsize=1)
def worth() -> tuple[Any, ...]:
    """Return the speed of five rules against the batch, on the six tokens.

    A draft step costs `DRAFT_COST` target steps, one level of a tree a step. The pass over all
    drafts and the text costs what the roofline says for an H100 and 7 billion weights.

    Returns
    -------
    tuple
        Batches, and the curves by name.
    """
    machine = cost.HARDWARE[MACHINE]
    chain = (1, 1, 1, 1)
    target, draft = (steady([float(mass) for mass in law]) for law in (SIX.p, SIX.q))
    by_block = lab.expected_accepted(verifiers.block, target, draft, gamma=len(chain))
    contenders = [
        ("chain of 4, token rule", accepted_of(chain), chain),
        ("chain of 4, block rule", by_block, chain),
        ("tree 2-2-1", accepted_of((2, 2, 1)), (2, 2, 1)),
        ("tree 4-3-1", accepted_of((4, 3, 1)), (4, 3, 1)),
    ]
    curves = {}
    for name, accepted, branching in contenders:
        depth, rows = len(branching), int(np.cumprod(branching).sum()) + 1
        tokens = accepted + 1
        passes = [
            cost.verification_price(machine, PARAMETERS, rows, batch=batch) for batch in BATCHES
        ]
        speeds = np.array([tokens / (depth * DRAFT_COST + v) for v in passes])
        curves[name] = (rows, tokens, speeds)
    return np.array(BATCHES), curves
