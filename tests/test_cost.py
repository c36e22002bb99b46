"""Formulas of cost and gain: exact in Fractions, against sums, against the long run of a chain."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import optimize

from draftproof import cost
from draftproof.cost import (
    HARDWARE,
    LONGEST,
    Hardware,
    accepted_over_drafted,
    accepted_over_tested,
    best_gamma,
    bonus_probability,
    break_even_alpha,
    expected_accepted,
    expected_tokens,
    experts_loaded,
    intensity,
    operations,
    round_chain,
    speedup,
    speedup_curve,
    stationary,
    tokens_per_call,
    verification_price,
)
from draftproof.roofline import MODELS

ALPHAS = [
    Fraction(0),
    Fraction(1, 100),
    Fraction(1, 3),
    Fraction(7, 10),
    Fraction(99, 100),
    Fraction(1),
]


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("gamma", [0, 1, 4, 17])
def test_expectations_are_their_sums(alpha, gamma):
    accepted = sum((alpha**k for k in range(1, gamma + 1)), Fraction(0))
    assert expected_accepted(alpha, gamma) == accepted
    assert expected_tokens(alpha, gamma) == 1 + accepted
    assert bonus_probability(alpha, gamma) == alpha**gamma
    assert expected_accepted(float(alpha), gamma) == pytest.approx(float(accepted), rel=1e-14)
    if gamma:
        assert accepted_over_drafted(alpha, gamma) == accepted / gamma


@pytest.mark.parametrize("alpha", [1 - 1e-15, 1 - 1e-9, 0.999999, 1e-300, 5e-324])
def test_nothing_is_lost_near_the_ends(alpha):
    exact = expected_accepted(Fraction(alpha), 50)
    assert expected_accepted(alpha, 50) == pytest.approx(float(exact), rel=1e-14)


def test_expectation_by_counting_outcomes():
    # One outcome a length of the accepted prefix: k < gamma accepted then a rejection, or all.
    alpha, gamma = Fraction(3, 4), 3
    chances = [alpha**k * (1 - alpha) for k in range(gamma)] + [alpha**gamma]
    assert sum(chances) == 1
    assert sum((k + 1) * chance for k, chance in enumerate(chances)) == Fraction(175, 64)
    assert expected_tokens(alpha, gamma) == Fraction(175, 64)


def test_speedup_is_tokens_over_time():
    assert speedup(Fraction(3, 4), 3, Fraction(1, 10)) == Fraction(875, 416)
    assert best_gamma(Fraction(3, 4), Fraction(1, 10)) == (5, Fraction(3367, 1536))
    assert speedup(0.9, 0, 0.5) == 1
    for gamma, c in ((4, 0.1), (7, 0.25)):
        assert speedup(1, gamma, c) == pytest.approx((gamma + 1) / (gamma * c + 1))
    assert speedup_curve(0.7, [1, 4], 0.1) == [speedup(0.7, 1, 0.1), speedup(0.7, 4, 0.1)]


def test_verification_is_not_free():
    row = 0.24
    assert speedup(0.8, 4, 0.05) == pytest.approx(2.80, abs=0.005)
    assert speedup(0.8, 4, 0.05, 1 + 4 * row) == pytest.approx(1.56, abs=0.005)


@pytest.mark.parametrize("alpha, c, best", [(0.8, 0.1, 6), (0.8, 0.05, 8), (0.6, 0.1, 3)])
def test_best_block_lengths(alpha, c, best):
    assert best_gamma(alpha, c)[0] == best
    by_hand = max(range(65), key=lambda gamma: speedup(alpha, gamma, c))
    assert by_hand == best


def test_best_block_length_at_the_edges():
    assert best_gamma(0.2, 0.5) == (0, 1)  # alpha < c: do not draft
    assert best_gamma(0.9, 0, limit=30)[0] == 30  # free drafts: as many as allowed
    assert best_gamma(0.9, 0.1, lambda gamma: 1 + gamma)[0] == 0  # every row costs a pass
    assert best_gamma(0, 0)[0] == 0


@pytest.mark.parametrize("gamma, c, v", [(1, 0.3, 1), (4, 0.1, 1), (4, 0.1, 1.5), (9, 0.02, 1.1)])
def test_break_even_against_a_root_finder(gamma, c, v):
    theirs = optimize.brentq(lambda a: speedup(a, gamma, c, v) - 1, 0, 1, xtol=1e-14)
    assert break_even_alpha(gamma, c, v) == pytest.approx(theirs, abs=1e-12)


def test_break_even_at_the_edges():
    assert break_even_alpha(1, Fraction(1, 3)) == pytest.approx(1 / 3)
    assert break_even_alpha(3, 0) == 0
    assert break_even_alpha(3, 1) == pytest.approx(1)
    assert break_even_alpha(3, 1.1) == float("inf")


def test_operations():
    assert operations(Fraction(1), 4) == 1
    assert operations(Fraction(0), 4) == 5


# the exact chain


def random_tables(seed, size=5):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(size), size), rng.dirichlet(np.ones(size), size)


@pytest.mark.parametrize("gamma", [0, 1, 2, 3])
def test_a_round_by_enumeration(gamma):
    """Follow every drafted block and every verdict from each context."""
    p, q = random_tables(gamma, 3)
    step, tokens = np.zeros((3, 3)), np.zeros(3)

    def walk(start, now, left, chance, length):
        if left == 0:
            step[start] += chance * p[now]
            tokens[start] += chance * (length + 1)
            return
        gap = np.maximum(p[now] - q[now], 0)
        for x in range(3):
            keep = min(1, p[now, x] / q[now, x])
            walk(start, x, left - 1, chance * q[now, x] * keep, length + 1)
            lost = chance * q[now, x] * (1 - keep)
            step[start] += lost * gap / gap.sum()
            tokens[start] += lost * (length + 1)

    for start in range(3):
        walk(start, start, gamma, 1.0, 0)
    ours = round_chain(p, q, gamma)
    assert ours[0] == pytest.approx(step)
    assert ours[1] == pytest.approx(tokens)


def test_equal_laws_always_fill_the_block():
    p, _ = random_tables(1)
    assert tokens_per_call(p, p, 4) == pytest.approx(5)
    assert accepted_over_tested(p, p, 4) == pytest.approx(1)


def test_one_law_for_all_contexts_is_the_formula():
    # Without contexts positions are independent, and the formula is exact.
    p, q = np.tile([0.3, 0.4, 0.3], (3, 1)), np.tile([0.6, 0.3, 0.1], (3, 1))
    assert tokens_per_call(p, q, 4) == pytest.approx(expected_tokens(0.7, 4))
    assert accepted_over_tested(p, q, 4) == pytest.approx(0.7)


def test_the_rounds_of_a_chain_need_one_long_run_law():
    swap = [[0, 1], [1, 0]]
    with pytest.raises(ValueError, match="target and draft"):
        tokens_per_call(swap, swap, 1)  # two steps of a swap: the identity


def test_stationary_laws():
    assert stationary([[0.9, 0.1], [0.4, 0.6]]) == pytest.approx([0.8, 0.2])
    assert stationary([[0, 1], [1, 0]]) == pytest.approx([0.5, 0.5])
    assert stationary([[1, 0], [1, 0]]) == pytest.approx([1, 0])
    assert stationary([[1]]).tolist() == [1]
    with pytest.raises(ValueError, match="one long-run law"):
        stationary(np.eye(2))


# the machine


def test_experts():
    assert experts_loaded(128, 8, 5) == pytest.approx(35.3, abs=0.05)
    assert experts_loaded(8, 8, 1) == 8
    assert experts_loaded(64, 2, 10**9) == pytest.approx(64)


def test_rows_are_free_until_the_ridge():
    machine = Hardware("unit", bandwidth=1.0, peak=10.0)
    assert machine.ridge == 10
    # 16-bit weights: `rows` operations for one byte.
    assert [intensity(7e9, rows) for rows in (1, 5)] == [1, 5]
    assert verification_price(machine, 7e9, 10) == 1
    assert verification_price(machine, 7e9, 20) == pytest.approx(2)


def test_a_batch_uses_up_the_free_rows():
    machine = HARDWARE["H100 SXM"]
    prices = [verification_price(machine, 7e9, 5, batch=b) for b in (1, 32, 64, 128, 512)]
    assert prices[0] == 1
    assert (np.diff(prices) >= 0).all()
    assert prices[-1] == pytest.approx(5)
    assert intensity(1e9, 4, batch=2, kv_bytes=1e9) == pytest.approx(16e9 / 4e9)


def test_the_longest_block_returns_at_once():
    assert expected_tokens(0.5, LONGEST) == 2
    assert float(expected_tokens(Fraction(7, 10), LONGEST)) == pytest.approx(10 / 3)


def test_every_name_is_reachable_from_cost():
    assert all(hasattr(cost, name) for name in cost.__all__)


def test_free_drafts_go_to_the_limit():
    """Floats level out at gamma = 53; the sum itself grows for ever."""
    for limit in (1, 64, 200):
        for nothing in (0, 0.0, Fraction(0)):
            assert cost.best_gamma(0.5, nothing, limit=limit) == (
                limit,
                cost.speedup(0.5, limit, 0),
            )
    assert cost.best_gamma(0, 0) == (0, 1)
    assert cost.best_gamma(1e-300, 0)[0] == 64


def test_free_drafts_under_a_dearer_pass():
    """All or nothing: the limit where it pays for the pass, no draft where it never does."""
    assert cost.best_gamma(0.9, 0, 2)[0] == 64
    assert cost.best_gamma(0.5, 0, 3) == (0, 1)  # 2 tokens at most, for 3 passes
    assert cost.best_gamma(Fraction(1, 2), 0, 2) == (0, 1)
    assert cost.best_gamma(0.9, 0, 2, limit=1) == (0, 1)


def test_rounding_decides_nothing():
    """1.5/1.2 = 1.75/1.4: of equal speeds the shorter block's, with floats as with Fractions."""
    assert cost.best_gamma(0.5, 0.2) == (1, pytest.approx(1.25))
    assert cost.best_gamma(Fraction(1, 2), Fraction(1, 5)) == (1, Fraction(5, 4))
    grid = [Fraction(k, 20) for k in range(1, 20)]
    for alpha in grid:
        for c in grid:
            exact = cost.best_gamma(alpha, c)[0]
            assert cost.best_gamma(float(alpha), float(c))[0] == exact, (alpha, c)


def small_tables(seed, size):
    weights = np.random.default_rng(seed).integers(1, 9, (2, size, size))
    return [[[Fraction(int(w), int(row.sum())) for w in row] for row in table] for table in weights]


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("gamma", [0, 1, 3])
def test_exact_tables_give_exact_chains(size, gamma):
    target, draft = small_tables(size, size)
    step, tokens = cost.round_chain(target, draft, gamma)
    assert (step.sum(axis=1) == 1).all()
    law = cost.stationary(target)
    assert law.sum() == 1
    assert (law @ np.array(target, dtype=object) == law).all()
    floats = np.array(target, dtype=float), np.array(draft, dtype=float)
    np.testing.assert_allclose(law.astype(float), cost.stationary(floats[0]), atol=1e-12)
    found = cost.tokens_per_call(target, draft, gamma)
    assert isinstance(found, Fraction)
    assert found == cost.stationary(step) @ tokens
    assert float(found) == pytest.approx(cost.tokens_per_call(*floats, gamma), rel=1e-12)
    assert cost.tokens_per_call(target, target, gamma) == gamma + 1
    if gamma:
        rate = cost.accepted_over_tested(target, draft, gamma)
        assert isinstance(rate, Fraction)
        assert float(rate) == pytest.approx(cost.accepted_over_tested(*floats, gamma), rel=1e-12)
        assert cost.accepted_over_tested(target, target, gamma) == 1


def test_exact_chains_know_their_limits():
    half = [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]]
    with pytest.raises(ValueError, match="table must have one long-run law"):
        cost.stationary(half)
    turns = [[Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)]]
    assert (cost.stationary(turns) == Fraction(1, 2)).all()
    with pytest.raises(ValueError, match="gamma must be at most 100 for tables of Fractions"):
        cost.tokens_per_call(turns, turns, 101)
    wide = [[Fraction(1, 31)] * 31] * 31
    with pytest.raises(ValueError, match="table must have at most 30 rows in Fractions, got 31"):
        cost.stationary(wide)


@pytest.mark.parametrize(
    "name, parameters, cached",
    # The weights are those of the published checkpoints, counted there tensor by tensor.
    [
        ("Llama 3 8B", 8_030_261_248, 128 * 1024),
        ("Llama 3 70B", 70_553_706_496, 320 * 1024),
        ("Llama 3 405B", 405_853_388_800, 504 * 1024),
    ],
)
def test_named_models(name, parameters, cached):
    model = MODELS[name]
    assert model.parameters == parameters
    assert model.kv_bytes == cached
    assert model.heads * model.head == model.width
