"""How many drafts each rule accepts: the published numbers, and who beats whom on every pair."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from draftproof import verifiers
from draftproof.finite import overlap
from draftproof.small import all_laws
from draftproof.verifiers import best_cut, optimal_transport_bound, transport_plan

P = np.array([Fraction(5, 10), Fraction(3, 10), Fraction(2, 10)], dtype=object)
Q = P[::-1].copy()
EXACT = [
    verifiers.token,
    verifiers.sample_match,
    verifiers.one_hot,
    verifiers.top_k(2),
    verifiers.recursive(2),
    verifiers.recursive(3),
    verifiers.recursive(2, replacement=False),
    verifiers.recursive(3, replacement=False),
]


def accepts(rule, p, q):
    return rule.step(q, p, rule.branching(1)[0])[0].sum()


def test_one_position_side_by_side() -> None:
    assert accepts(verifiers.token, P, Q) == Fraction(7, 10)
    assert accepts(verifiers.sample_match, P, Q) == (P * Q).sum() == Fraction(29, 100)
    assert accepts(verifiers.one_hot, P, Q) == P[2]
    assert accepts(verifiers.top_k(2), P, Q) == P[1] + P[2]
    assert accepts(verifiers.recursive(2), P, Q) == Fraction(76, 100)
    assert accepts(verifiers.recursive(2, replacement=False), P, Q) == Fraction(82, 100)
    assert best_cut(P, Q) == verifiers.Cut(Fraction(86, 100), (1, 2))
    assert optimal_transport_bound(P, Q) == pytest.approx(0.86, abs=1e-9)


def test_inexact_rules_and_their_bias() -> None:
    kept, fixed = verifiers.lenience(Fraction(1, 2)).step(Q, P)
    assert kept.sum() == Fraction(9, 10)
    assert list(kept + fixed) == [Fraction(3, 10), Fraction(3, 10), Fraction(4, 10)]
    kept, fixed = verifiers.typical().step(Q, P)
    assert kept.sum() == 1
    assert list(kept + fixed) == list(Q)
    assert list(sum(verifiers.lenience(1).step(Q, P))) == list(P)


@pytest.mark.parametrize("rule", EXACT, ids=repr)
def test_every_rule_is_exact_on_every_small_pair(rule) -> None:
    for p, q in product(all_laws(3, 3), repeat=2):
        kept, fixed = rule.step(q, p, rule.branching(1)[0])
        assert list(kept + fixed) == list(p)
        assert (kept >= 0).all()
        assert (fixed >= 0).all()


def test_who_beats_whom_on_every_small_pair() -> None:
    for p, q in product(all_laws(3, 4), repeat=2):
        one, two = accepts(verifiers.token, p, q), accepts(verifiers.recursive(2), p, q)
        assert accepts(verifiers.sample_match, p, q) <= one == overlap(p, q) <= two
        assert two <= best_cut(p, q).bound
        apart = accepts(verifiers.recursive(2, replacement=False), p, q)
        assert apart <= best_cut(p, q, replacement=False).bound
        assert one <= apart


def test_the_bound_with_one_draft_is_the_overlap() -> None:
    for p, q in product(all_laws(3, 3), repeat=2):
        assert best_cut(p, q, drafts=1).bound == overlap(p, q)


@pytest.mark.parametrize("replacement", [True, False])
def test_linear_program_and_cut_agree(replacement: bool) -> None:
    """Two proofs of one number: a plan that reaches it, and a set that forbids more."""
    rng = np.random.default_rng(4)
    for size, drafts in [(2, 2), (3, 2), (4, 3), (5, 2)]:
        for _ in range(5):
            p, q = rng.dirichlet(np.full(size, 0.7), 2)
            plan = optimal_transport_bound(p, q, drafts, replacement)
            assert plan == pytest.approx(best_cut(p, q, drafts, replacement).bound, abs=1e-9)


@pytest.mark.parametrize("replacement", [True, False])
def test_the_plan_is_a_coupling_that_reaches_the_bound(replacement: bool) -> None:
    rng = np.random.default_rng(14)
    for size, drafts in [(1, 1), (2, 2), (3, 2), (4, 3)]:
        for _ in range(4):
            p, q = rng.dirichlet(np.full(size, 0.7), 2)
            plan = transport_plan(p, q, drafts, replacement)
            carried = np.zeros((len(plan.drafted), size))
            for (row, x), mass in plan.moves.items():
                carried[row, x] = mass
            inside = np.array([[x in tokens for x in range(size)] for tokens, _ in plan.drafted])
            assert (carried >= 0).all()
            assert carried.sum(axis=0) == pytest.approx(p, abs=1e-7)
            assert carried.sum(axis=1) == pytest.approx([m for _, m in plan.drafted], abs=1e-7)
            assert carried[inside].sum() == pytest.approx(plan.accepted, abs=1e-7)
            bound = optimal_transport_bound(p, q, drafts, replacement)
            assert bound - 2e-6 * size**2 <= plan.accepted <= bound + 1e-9


def test_plans_at_the_edges() -> None:
    apart = transport_plan([1.0, 0.0], [0.0, 1.0])
    assert (apart.accepted, apart.moves) == (0, {(0, 0): 1.0})
    assert str(optimal_transport_bound([1.0, 0.0], [0.0, 1.0])) == "0.0"
    uneven = transport_plan([0.5, 0.5 + 9e-7], [0.2, 0.8])  # a law within its tolerance
    assert sum(uneven.moves.values()) == pytest.approx(1, abs=2e-6)
    with pytest.raises(ValueError, match="at most 50000 moves"):
        transport_plan(np.full(50, 0.02), np.full(50, 0.02), 2)


def test_the_cut_of_independent_drafts_in_closed_form() -> None:
    cut = best_cut(P, Q, drafts=3)
    inside = list(cut.tokens)
    assert cut.bound == P[inside].sum() + 1 - Q[inside].sum() ** 3


def test_hostile_bounds() -> None:
    with pytest.raises(ValueError, match="drafts must be"):
        optimal_transport_bound(P, Q, 0)
    with pytest.raises(ValueError, match="one vocabulary"):
        optimal_transport_bound(P, [0.5, 0.5])
    with pytest.raises(
        ValueError, match="drafts must make at most 200000 ways of drawing, got 4 of 100"
    ):
        optimal_transport_bound(np.full(100, 0.01), np.full(100, 0.01), 4)
    with pytest.raises(ValueError, match=r"number of tokens must be in 1\.\.16, got 17"):
        best_cut(np.full(17, 1 / 17), np.full(17, 1 / 17))
