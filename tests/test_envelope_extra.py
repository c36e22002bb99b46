"""What chapter 1 adds to the envelope: touching points, bin masses, many dimensions, its runs."""

import numpy as np
import pytest
from scipy import integrate, stats

from draftproof import envelope_runs as runs
from draftproof.envelope import (
    Envelope,
    Proposal,
    Target,
    bin_masses,
    gaussian_acceptance,
    gaussian_accepts,
)
from draftproof.examples import TARGET, bell_envelope, flat_envelope


def test_the_flat_envelope_touches_once_and_the_bell_twice():
    assert flat_envelope().touch_points == pytest.approx([-0.363354], abs=1e-5)
    first, second = bell_envelope().touch_points
    assert first == pytest.approx(-0.37953, abs=1e-5)
    assert second - first == pytest.approx(np.pi, abs=1e-5)  # the bracket has period pi


def test_touching_points_at_an_end_and_of_a_symmetric_pair():
    ramp = Envelope(Target(lambda x: 2 * x, 0, 1), Proposal.uniform(), 3)
    assert ramp.touch_points == (1.0,)
    normal = Target(Proposal.normal().pdf)
    assert Envelope.tightest(normal, Proposal.cauchy()).touch_points == pytest.approx([-1, 1])


def test_touching_points_do_not_depend_on_the_constant():
    assert bell_envelope(20.0).touch_points == bell_envelope().touch_points


def test_bin_masses_against_the_normal_distribution():
    edges = np.linspace(-2, 3, 26)
    expected = np.diff(stats.norm.cdf(edges))
    assert bin_masses(Proposal.normal().pdf, edges) == pytest.approx(expected, abs=1e-14)


def test_bin_masses_of_the_target_against_adaptive_quadrature():
    masses = bin_masses(TARGET.density, runs.EDGES)
    assert masses.sum() == pytest.approx(1, abs=1e-12)
    for k in (0, 17, 26, 59):
        exact, _ = integrate.quad(TARGET.density, *runs.EDGES[k : k + 2])
        assert masses[k] == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("edges", [[0], [0, 0], [1, 0], [0, np.inf], [[0, 1]], [0, np.nan]])
def test_bin_masses_refuses_edges_that_do_not_rise(edges):
    with pytest.raises(ValueError, match="edges must be finite and rising"):
        bin_masses(TARGET, edges)


@pytest.mark.parametrize(("scale", "dimension"), [(1.0, 5), (1.01, 200), (1.3, 8), (2.0, 3)])
def test_accepted_darts_follow_the_exact_rate(scale, dimension):
    n, rate = 200_000, gaussian_acceptance(dimension, scale)
    accepted = gaussian_accepts(dimension, scale, n, np.random.default_rng(5))
    # A right sampler fails one of these four with probability 4e-6.
    assert stats.binomtest(accepted, n, rate).pvalue > 1e-6


def test_the_short_cut_through_lengths_is_the_method_itself():
    dimension, scale, n = 4, 1.3, 200_000
    rng = np.random.default_rng(6)
    x = rng.normal(0, scale, (n, dimension))
    ratio = np.exp(stats.norm.logpdf(x) - stats.norm.logpdf(x, scale=scale)).prod(axis=1)
    literal = int((rng.random(n) < ratio / scale**dimension).sum())
    short = gaussian_accepts(dimension, scale, n, rng)
    rate = gaussian_acceptance(dimension, scale)
    noise = np.sqrt(2 * n * rate * (1 - rate))
    assert abs(literal - short) < 5 * noise


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1.1, 10), "dimension must be"),
        ((2, 0.9, 10), "scale must be at least 1, got 0.9: a narrower proposal"),
        ((2, 1.1, -1), "n must be"),
    ],
)
def test_bad_dimensions_scales_and_counts_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        gaussian_accepts(*arguments, np.random.default_rng(0))
    with pytest.raises(ValueError, match="rng must be"):
        gaussian_accepts(2, 1.1, 10, None)


def test_the_bias_curve_rises_as_the_constant_falls():
    curve = runs.bias_curve()
    law = bin_masses(TARGET.density, runs.EDGES)
    for name in (runs.FLAT, runs.BELL):
        exact = curve.exact[name]
        assert (np.diff(exact) <= 1e-9).all()
        assert exact[curve.shares >= 1] == pytest.approx(0, abs=1e-9)
        far = curve.run_shares < 0.8
        # Noise adds at most the band's upper edge, and binning hides little.
        gaps = abs(curve.runs[name] - exact[::2])[far]
        assert gaps.max() < curve.band[2]
        valid = curve.runs[name][curve.run_shares >= 1]
        assert (valid < 1.5 * curve.band[2]).all()
    assert law.shape == (60,)


def test_the_bias_against_plain_quadrature():
    for envelope in (flat_envelope(15.0), bell_envelope(6.0)):
        grid = np.linspace(-3, 3, 600_001)
        low = np.minimum(TARGET(grid), envelope.height(grid))
        got = low / integrate.trapezoid(low, grid)
        tv = integrate.trapezoid(abs(got - TARGET.density(grid)), grid) / 2
        assert envelope.bias == pytest.approx(tv, abs=1e-6)


def test_the_best_single_width_is_one_and_a_mixture_beats_it():
    curve = runs.width_curve()
    assert curve.widths[curve.best] == 1
    assert curve.acceptance[curve.best] == pytest.approx(0.57813, abs=1e-5)
    assert curve.mixed_acceptance.max() > 0.67 > curve.acceptance.max()


def test_own_envelopes():
    assert runs.own_envelope(1.0).constant == pytest.approx(9.92523, abs=1e-5)
    assert runs.own_envelope(1.3, 0.6, 0.0).constant == runs.own_envelope(1.3).constant
    only_narrow = runs.own_envelope(1.3, 0.7, 1.0)
    assert only_narrow.constant == pytest.approx(runs.own_envelope(0.7).constant)
    with pytest.raises(ValueError, match=r"weight must lie in \[0, 1\]"):
        runs.own_envelope(1.2, 0.6, 1.5)
    with pytest.raises(ValueError, match="sd must be"):
        runs.own_envelope(0.0)
    with pytest.raises(ValueError, match="proposal must be one of"):
        runs.tight_envelope("round")


def test_a_square_for_the_uniform_gives_three_fifths():
    made = runs.uniform_runs()
    for points, mean, sd in ((made.right, 2 / 3, np.sqrt(1 / 18)), (made.wrong, 3 / 5, 0.2619)):
        assert abs(points.mean() - mean) < 5 * sd / np.sqrt(len(points))


def test_the_darts_of_the_uniform_runs():
    x, v = runs.uniform_darts()
    made = runs.uniform_runs()
    assert np.array_equal(made.right, x[v < x]) and np.array_equal(made.wrong, x[v**2 < x])


def test_the_dimension_runs_stay_where_they_can_count():
    made = runs.dimension_runs()
    rates = [gaussian_acceptance(d, scale) for scale, d, _ in made.points]
    assert min(rates) * made.darts >= 10
    # Every count within 5 standard deviations: a false alarm in fewer than 1 of 10,000 books.
    for rate, (_, _, accepted) in zip(rates, made.points, strict=True):
        assert abs(accepted - made.darts * rate) < 5 * np.sqrt(made.darts * rate) + 1


@pytest.mark.parametrize("sd", [0.1, 1.0, 2.0, 100.0])
@pytest.mark.parametrize("height", [1e-280, 1e-50, 1.0, 1e50])
def test_proportional_curves_touch_everywhere(sd, height):
    """f = c g: the ratio is c, also where both are denormal numbers or nothing at all."""
    target = Target(lambda x: height * np.exp(-x * x / (2 * sd * sd)))
    proposal, wanted = Proposal.normal(0, sd), height * sd * np.sqrt(2 * np.pi)
    assert Envelope.tightest(target, proposal).constant == pytest.approx(wanted, rel=1e-9)
    assert Envelope(target, proposal, 1.001 * wanted).acceptance == pytest.approx(1 / 1.001)
    with pytest.raises(ValueError, match="constant must be at least"):
        Envelope(target, proposal, 0.999 * wanted)


def test_tails_still_count():
    bell = Target(lambda x: np.exp(-x * x / 2))
    for proposal in (Proposal.normal(0, 0.99), Proposal.normal(0.01, 1), Proposal.uniform(-9, 9)):
        with pytest.raises(ValueError, match="proposal must cover the target"):
            Envelope.tightest(bell, proposal)
    with pytest.raises(ValueError, match="proposal must cover the target"):
        Envelope.tightest(Target(Proposal.cauchy().pdf), Proposal.normal())
