"""Power, sample sizes, least favourable directions, the sequential audit."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from draftproof.finite import total_variation
from draftproof.lab import (
    audit,
    audit_sequential,
    calibrate,
    least_favourable,
    power,
    samples_needed,
)
from draftproof.lab.audit_detect import smallest_detectable
from draftproof.lab.audit_martingale import log_e_value
from draftproof.lab.audit_rule import noncentrality

P, BIASED = [0.3, 0.4, 0.3], [0.31, 0.39, 0.30]


def rng(seed=0):
    return np.random.default_rng(seed)


def exact(law):
    return lambda n, g: g.choice(len(law), n, p=law)


def test_power_of_two_tokens_is_exact():
    """Against scipy: sum the binomial masses of the counts that the audit rejects."""
    n, law, wrong = 60, np.array([0.5, 0.5]), np.array([0.7, 0.3])
    rejected = [
        k
        for k in range(n + 1)
        if not audit(lambda m, g, k=k: [0] * k + [1] * (m - k), law, n, rng()).exact
    ]
    assert power(law, wrong, n) == pytest.approx(stats.binom.pmf(rejected, n, 0.7).sum())
    assert power(law, law, n) == pytest.approx(stats.binom.pmf(rejected, n, 0.5).sum())
    assert power(law, law, n) <= 0.01


def test_noncentrality_agrees_with_scipy():
    for cells, alpha, target in ((3, 0.01, 0.99), (324, 0.01, 0.99), (2, 1e-6, 0.5)):
        found = noncentrality(cells, alpha, target)
        threshold = stats.chi2.isf(alpha, cells - 1)
        assert stats.ncx2.sf(threshold, cells - 1, found) == pytest.approx(target, abs=1e-6)


def test_samples_needed_is_where_the_chi_square_curve_puts_it():
    bias = stats.entropy(BIASED, P)
    expected = noncentrality(3, 0.01, 0.99) / (2 * bias)
    assert samples_needed(P, BIASED) == pytest.approx(expected, rel=0.05)


def test_samples_needed_is_checked_by_audits():
    wrong = [0.36, 0.36, 0.28]
    n = samples_needed(P, wrong)
    caught = sum(not audit(exact(wrong), P, n, g).exact for g in rng(1).spawn(300))
    assert stats.binom.cdf(caught, 300, 0.99) > 1e-4
    assert power(P, wrong, n // 2) < 0.95
    assert samples_needed(P, wrong) == n


def test_samples_needed_for_small_and_impossible_cases():
    # one draw in two is impossible: 1 - 2^-7 > .99
    assert samples_needed([1, 0], [0.5, 0.5]) == 7
    # nothing in common: one draw
    assert samples_needed([1, 0], [0, 1]) == 1
    assert samples_needed([0.5, 0.5], [1, 0]) == 8
    assert samples_needed([0.5, 0.5], [1, 0], alpha=1e-9) > 25
    with pytest.raises(ValueError, match="differ"):
        samples_needed(P, P)


def test_samples_needed_takes_sequences_and_fractions():
    law = {
        (0, 0): Fraction(1, 4),
        (0, 1): Fraction(1, 4),
        (1, 0): Fraction(1, 4),
        (1, 1): Fraction(1, 4),
    }
    wrong = {
        (0, 0): Fraction(9, 20),
        (0, 1): Fraction(1, 20),
        (1, 0): Fraction(1, 20),
        (1, 1): Fraction(9, 20),
    }
    n = samples_needed(law, wrong)
    assert 15 < n < 80
    assert samples_needed(np.full((2, 2), 0.25), wrong) == n
    assert samples_needed(law, np.array([[0.45, 0.05], [0.05, 0.45]])) == n
    # a wrong law over outcomes that the claimed one lacks
    assert samples_needed({(0,): 1.0}, {(0,): 0.5, (1,): 0.5}) == 7


@pytest.mark.parametrize(
    ("law", "wrong"), [([0.5, 0.5], [1.0]), ([0.5, 0.5], {(0, 1): 1.0}), ([0.5], [1.0])]
)
def test_laws_that_do_not_fit_are_named(law, wrong):
    with pytest.raises(ValueError, match="law"):
        power(law, wrong, 5)


def test_least_favourable_has_its_distance_and_the_least_chi_square():
    law = np.array([0.4, 0.3, 0.2, 0.1])
    hardest = least_favourable(law, 0.02)
    assert total_variation(hardest, law) == pytest.approx(0.02)
    chi = ((hardest - law) ** 2 / law).sum()
    assert chi == pytest.approx(4 * 0.02**2)  # 0.4 + 0.1 is half
    for _ in range(300):
        move = rng(_).normal(size=4)
        move -= move.mean()
        move *= 0.04 / abs(move).sum()
        assert (move**2 / law).sum() >= chi - 1e-12
    with pytest.raises(ValueError, match="tv"):
        least_favourable(law, 0.8)
    with pytest.raises(ValueError, match="two outcomes"):
        least_favourable([1.0], 0.1)


@pytest.mark.parametrize("size", [2, 5, 13, 60])
def test_smallest_detectable_has_its_power(size):
    law = rng(size).dirichlet(np.ones(size))
    found = smallest_detectable(law, 3000)
    wrong = least_favourable(law, found)
    assert power(law, wrong, 3000, seed=99) == pytest.approx(0.99, abs=0.006)
    # any other direction of that distance is caught at least as surely
    move = rng(1).normal(size=size) * law
    move -= move.sum() * law
    move *= 2 * found / abs(move).sum()
    if (law + move).min() >= 0:
        assert power(law, law + move, 3000) > 0.98


def test_ties_at_the_threshold_are_not_rejected():
    """All simulated tables are the same here; the audit rejects none of them."""
    law = np.array([1 - 2e-40, 1e-40, 1e-40])
    assert power(law, law, 1000) == 0
    assert 0.004 < smallest_detectable(law, 1000) < 0.006


def test_more_draws_see_smaller_biases():
    law = np.array(P)
    sizes = [smallest_detectable(law, n) for n in (1, 10, 100, 1000, 10_000, 1_000_000)]
    assert sizes[0] == 1.0
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == pytest.approx(sizes[-2] / 10, rel=0.05)


# Sequential


def test_the_bets_are_fair():
    """The e-value's expectation under the law is 1: added up over all tables."""
    from draftproof.lab.audit_fit import every_table, table_probabilities

    law = np.array([0.2, 0.5, 0.3])
    for n in (1, 2, 7):
        tables = every_table(n, 3)
        fair = sum(
            mass * np.exp(log_e_value(row, law))
            for row, mass in zip(tables, table_probabilities(tables, law), strict=True)
        )
        assert fair == pytest.approx(1, abs=1e-9)


def test_the_bets_are_a_martingale_draw_by_draw():
    law = np.array([0.2, 0.5, 0.3])
    counts = np.array([4, 1, 6])
    now = np.exp(log_e_value(counts, law))
    then = sum(
        p * np.exp(log_e_value(counts + row, law))
        for p, row in zip(law, np.eye(3, dtype=int), strict=True)
    )
    assert then == pytest.approx(now)


def test_stopping_early_does_not_inflate_the_error():
    found = calibrate(300, rng(77), alpha=0.05, sequential=True)
    assert found.too_many() > 1e-4
    assert found.false_alarms <= 15 + 3 * 4


def test_a_biased_sampler_is_stopped_early():
    report = audit_sequential(exact([0.4, 0.3, 0.3]), P, rng(), max_n=100_000)
    assert not report.exact
    assert report.n < 5000
    assert report.p_value <= 0.01
    assert report.path[-1, 0] == report.n
    late = audit_sequential(exact(BIASED), P, rng(), max_n=500_000)
    assert not late.exact
    assert late.n > 10_000
    assert "rejected" in str(late)
    assert "<table>" in late._repr_html_()
    assert late.as_dict()["n"] == late.n


def test_an_exact_sampler_runs_to_the_end():
    report = audit_sequential(exact(P), P, rng(), max_n=50_000)
    assert report.exact
    assert report.n == 50_000
    assert report.tv < 0.01


def test_an_impossible_draw_stops_at_once():
    report = audit_sequential(lambda n, g: [2] * n, [0.5, 0.5, 0.0], rng())
    assert (report.exact, report.n, report.p_value) == (False, 50, 0.0)
    assert "token 2" in report.reason


def test_sequential_arguments_are_checked():
    for words, extra in (
        ("max_n", {"max_n": 0}),
        ("growth", {"growth": 0.5}),
        ("growth", {"growth": 1e308}),
        ("growth", {"growth": True}),
        ("growth", {"growth": None}),
        ("first", {"first": 0}),
        ("alpha", {"alpha": 2}),
    ):
        with pytest.raises(ValueError, match=words):
            audit_sequential(exact(P), P, rng(), **extra)


def test_no_other_direction_hides_much_better():
    g = rng(3)
    for size, n in ((3, 300), (5, 2000), (7, 5000)):
        law = g.dirichlet(np.full(size, 5.0))
        found = smallest_detectable(law, n)
        for _ in range(8):
            move = g.normal(size=size)
            move -= move.mean()
            move *= 2 * found / abs(move).sum()
            if (law + move).min() >= 0:
                assert power(law, law + move, n, seed=6) > 0.975


def test_laws_too_close_to_tell():
    with pytest.raises(ValueError, match="closer than 1e-9"):
        samples_needed([0.5, 0.5], [0.5 + 1e-10, 0.5 - 1e-10])
