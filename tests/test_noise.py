"""Noise bands: exact where they claim it, against scipy and against enumeration."""

import numpy as np
import pytest
from scipy import stats

from draftproof import noise
from draftproof.noise import (
    binomial_interval,
    empirical_law,
    largest_gap,
    mean_distance,
    noise_band,
    share_band,
    standard_error,
    tv_distance,
)


@pytest.mark.parametrize("n, k", [(1, 0), (1, 1), (10, 0), (10, 3), (10, 10), (300_000, 68_805)])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_intervals_against_scipy(n, k, level):
    theirs = stats.binomtest(k, n).proportion_ci(level, method="exact")
    assert binomial_interval(k, n, level) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_standard_errors_against_scipy():
    draws = np.random.default_rng(3).exponential(size=(20, 30))
    assert standard_error(draws) == pytest.approx(stats.sem(draws.ravel()), rel=1e-12)
    yes = np.arange(100) < 30
    assert standard_error(yes) == pytest.approx(stats.sem(yes), rel=1e-12)
    assert standard_error([2, 2, 2]) == 0


@pytest.mark.parametrize("values", [[], [1.0], [0.5, np.nan], [1, np.inf], ["a", "b"], 3, [1j, 2]])
def test_standard_errors_need_two_numbers(values):
    with pytest.raises(ValueError, match="values must be finite numbers, at least two"):
        standard_error(values)


@pytest.mark.parametrize("chance", [0.02, 0.3, 0.5])
def test_intervals_cover_what_they_promise(chance):
    # Enumerated, not sampled: the chance of all counts whose interval holds the truth.
    n = 40
    covered = [
        low <= chance <= high for low, high in (binomial_interval(k, n, 0.9) for k in range(n + 1))
    ]
    assert stats.binom.pmf(np.arange(n + 1), n, chance)[covered].sum() >= 0.9


def test_empirical_laws():
    assert empirical_law([0, 2, 2, 1], 4).tolist() == [0.25, 0.25, 0.5, 0]
    assert empirical_law(np.array([[0, 1], [1, 1]]), 2).tolist() == [0.25, 0.75]


def test_distances_work_on_rows():
    law = [0.5, 0.5]
    assert tv_distance([[1, 0], [0.5, 0.5]], law).tolist() == [0.5, 0]
    assert largest_gap([0.8, 0.2], law) == pytest.approx(0.3)


def test_the_band_of_a_coin_is_the_binomial_one():
    # For two tokens the distance is |k/n - 1/2|, whose quantiles are known.
    n, runs = 101, 20_000
    band = noise_band([0.5, 0.5], n, np.random.default_rng(1), levels=(0.5, 0.95), runs=runs)
    for level, found in zip((0.5, 0.95), band, strict=True):
        distance = abs(np.arange(n + 1) / n - 0.5)
        below = stats.binom.pmf(np.arange(n + 1), n, 0.5)[distance <= found + 1e-12].sum()
        above = stats.binom.pmf(np.arange(n + 1), n, 0.5)[distance >= found - 1e-12].sum()
        slack = 5 * np.sqrt(level * (1 - level) / runs)  # five standard errors: 6e-7
        assert below >= level - slack
        assert above >= 1 - level - slack


def test_bands_shrink_with_the_root_of_n():
    law = np.full(20, 0.05)
    few = noise_band(law, 1000, np.random.default_rng(2))
    many = noise_band(law, 100_000, np.random.default_rng(3))
    assert few / many == pytest.approx([10, 10, 10], rel=0.1)
    assert (np.diff(few) > 0).all()


def test_the_share_band_is_the_binomial_quantile():
    law, n = np.array([0.0, 0.1, 0.9]), 500
    low, high = share_band(law, n, 0.9)
    assert low * n == pytest.approx(stats.binom.ppf(0.05, n, law).clip(0))
    assert high * n == pytest.approx(stats.binom.ppf(0.95, n, law).clip(0))


def test_other_statistics():
    band = noise_band([0.2, 0.8], 50, np.random.default_rng(4), statistic=noise.largest_gap)
    assert band.shape == (3,)


@pytest.mark.parametrize("n", [30, 1000, 12345.5])
def test_mean_distances_are_sums_of_folded_normals(n):
    p, r = np.array([0.3, 0.4, 0.3, 0.0]), np.array([0.35, 0.25, 0.25, 0.15])
    sd = np.sqrt(r * (1 - r) / n)
    folded = stats.foldnorm.mean(abs(r - p) / sd, scale=sd)
    assert mean_distance(p, r, n) == pytest.approx(folded.sum() / 2, rel=1e-12)
    assert mean_distance(p, p, n) == pytest.approx(
        np.sqrt(p * (1 - p) / n * 2 / np.pi).sum() / 2, rel=1e-12
    )


@pytest.mark.parametrize("n", [100, 1000])
@pytest.mark.parametrize("drawn", [0.2, 0.25])
def test_mean_distances_of_a_coin_are_nearly_the_binomial_ones(n, drawn):
    # Enumerated: of two tokens the distance is |k/n - p|.
    k = np.arange(n + 1)
    exact = (stats.binom.pmf(k, n, drawn) * abs(k / n - 0.2)).sum()
    assert mean_distance([0.2, 0.8], [drawn, 1 - drawn], n) == pytest.approx(exact, rel=1 / n)


def test_mean_distances_without_spread():
    assert mean_distance([0.5, 0.5], [1, 0], 7) == 0.5
    assert mean_distance([1, 0], [1, 0], 7) == 0
