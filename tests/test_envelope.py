"""Targets, proposals and envelopes: against scipy, closed forms and wrong constants."""

import numpy as np
import pytest
from scipy import integrate, stats

from draftproof.envelope import (
    Envelope,
    Proposal,
    Target,
    bin_masses,
    draw_survivors,
    gaussian_acceptance,
    gaussian_accepts,
    rejection_trace,
)
from draftproof.examples import TARGET, bell_envelope, flat_envelope, target_function

# A right sampler fails a test below with this probability, once for each fixed seed.
FALSE_ALARM = 1e-6

PARABOLA = Target(lambda x: 6 * x * (1 - x), 0, 1)
RAMP = Target(lambda x: 2 * x, 0, 1)
HALF_NORMAL = Target(lambda x: np.sqrt(2 / np.pi) * np.exp(-(x**2) / 2), 0)
NORMAL = Target(lambda x: np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi))
CAUCHY = Target(lambda x: 1 / (np.pi * (1 + x**2)))


def bell(mean, sd):
    return Target(lambda x: np.exp(-0.5 * ((x - mean) / sd) ** 2))


def test_the_area_against_scipy():
    theirs = integrate.quad(target_function, -3, 3, limit=500, epsabs=1e-12)[0]
    assert TARGET.integral == pytest.approx(theirs, abs=1e-10)


@pytest.mark.parametrize("mean, sd", [(0, 1), (50, 0.1), (1000, 3), (-300, 50), (2e4, 400)])
def test_the_area_finds_a_bell_wherever_it_is(mean, sd):
    # Quadrature over the whole line looks near 0 and reports an area of 0 for most of these.
    assert bell(mean, sd).integral == pytest.approx(sd * np.sqrt(2 * np.pi), rel=1e-9)


def test_areas_of_heavy_and_half_open_tails():
    assert CAUCHY.integral == pytest.approx(1, rel=1e-9)
    assert Target(lambda x: 1 / (1 + x) ** 2, 0).integral == pytest.approx(1, rel=1e-9)
    assert Target(lambda x: np.exp(x - 7), -np.inf, 7).integral == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize(
    "function, low",
    [(lambda x: 1 / (1 + abs(x)), -np.inf), (lambda x: x * 0 + 1, 0), (lambda x: 1 / (1 + x), 0)],
)
def test_an_infinite_area_is_refused(function, low):
    with pytest.raises(ValueError, match="finite integral"):
        _ = Target(function, low).integral


def test_a_target_is_zero_outside_its_support():
    assert TARGET([-4.0, 3.0001, 9e9]).tolist() == [0, 0, 0]
    # The formula is never asked where it makes no sense.
    root = Target(lambda x: np.sqrt(x - 2e6), 2e6, 2e6 + 1)
    assert root([-1.0, 2e6 + 1]).tolist() == [0, 1]
    far = Target(lambda x: np.exp(-np.sqrt(x - 2e6)), 2e6)
    assert far(0.0) == 0


def test_the_peak_is_refined_beyond_the_grid():
    x, height = PARABOLA.peak
    assert (x, height) == pytest.approx((0.5, 1.5), abs=1e-9)


@pytest.mark.parametrize(
    "proposal, theirs",
    [
        (Proposal.uniform(-1, 3), stats.uniform(-1, 4)),
        (Proposal.normal(2, 0.5), stats.norm(2, 0.5)),
        (Proposal.exponential(3), stats.expon(scale=3)),
        (Proposal.cauchy(1, 2), stats.cauchy(1, 2)),
    ],
)
def test_proposals_against_scipy(proposal, theirs):
    x = np.linspace(-6, 9, 601)
    assert proposal.pdf(x) == pytest.approx(theirs.pdf(x), abs=1e-12)
    draws = proposal.draw(np.random.default_rng(1), 20_000)
    assert stats.kstest(draws, theirs.cdf).pvalue > FALSE_ALARM


def test_a_mixture_draws_from_what_it_says():
    parts = [Proposal.normal(-2, 0.5), Proposal.normal(1, 1)]
    mixture = Proposal.mixture(parts, [0.3, 0.7])
    draws = mixture.draw(np.random.default_rng(2), 20_000)

    def cdf(x):
        return 0.3 * stats.norm.cdf(x, -2, 0.5) + 0.7 * stats.norm.cdf(x, 1, 1)

    assert stats.kstest(draws, cdf).pvalue > FALSE_ALARM
    assert integrate.quad(lambda x: float(mixture.pdf(np.asarray(x))), -9, 9)[0] == pytest.approx(1)


@pytest.mark.parametrize(
    "target, proposal, constant, acceptance",
    [
        (PARABOLA, Proposal.uniform(), 3 / 2, 2 / 3),
        (HALF_NORMAL, Proposal.exponential(), np.sqrt(2 * np.e / np.pi), 0.760173),
        (NORMAL, Proposal.cauchy(), np.sqrt(2 * np.pi / np.e), 0.657745),
        (NORMAL, Proposal.normal(0, 2), 2, 1 / 2),
        (NORMAL, Proposal.normal(), 1, 1),
        (CAUCHY, Proposal.cauchy(0, 2), 2, 1 / 2),
        (CAUCHY, Proposal.cauchy(0, 0.5), 2, 1 / 2),  # touches at infinity
    ],
)
def test_smallest_constants(target, proposal, constant, acceptance):
    envelope = Envelope.tightest(target, proposal)
    assert envelope.constant == pytest.approx(constant, rel=1e-8)
    assert envelope.acceptance == pytest.approx(acceptance, rel=1e-5)
    assert not envelope.is_broken


def test_all_points_of_contact():
    left, right = Envelope.tightest(NORMAL, Proposal.cauchy()).touch_points
    assert (left, right) == pytest.approx((-1, 1), abs=1e-6)


@pytest.mark.parametrize("sd", [0.5, 0.9, 0.99, 0.999])
def test_thin_tails_cannot_cover_thick_ones(sd):
    # In floats the ratio is finite wherever both are positive; on paper it has no bound.
    with pytest.raises(ValueError, match="finite constant"):
        Envelope.tightest(NORMAL, Proposal.normal(0, sd))
    with pytest.raises(ValueError, match="finite constant"):
        Envelope(CAUCHY, Proposal.normal(), 1e80)


def test_a_proposal_that_misses_part_of_the_support():
    with pytest.raises(ValueError, match="finite constant"):
        Envelope.tightest(TARGET, Proposal.uniform(-2, 3))


def test_an_envelope_below_its_target_says_where():
    with pytest.raises(ValueError, match=r"constant must be at least 22\.1749.*x = -0\.3634"):
        Envelope(TARGET, Proposal.uniform(-3, 3), 20)


def test_acceptance_at_a_point():
    envelope = flat_envelope()
    x = np.linspace(-3, 3, 101)
    assert envelope.acceptance_at(x) == pytest.approx(TARGET(x) / (25 / 6))
    assert envelope.acceptance_at(5.0) == 0
    assert (flat_envelope(10).acceptance_at(x) <= 1).all()


@pytest.mark.parametrize("envelope", [flat_envelope(), bell_envelope(), flat_envelope(10.0)])
def test_survivors_follow_the_law_that_is_claimed(envelope):
    trace = rejection_trace(envelope, 200_000, np.random.default_rng(3))
    edges = np.linspace(-3, 3, 31)
    counts = np.histogram(trace.survivors, edges)[0]
    masses = bin_masses(envelope.survivor_density, edges)
    assert masses.sum() == pytest.approx(1, abs=1e-4)
    expected = masses / masses.sum() * counts.sum()
    assert stats.chisquare(counts, expected).pvalue > FALSE_ALARM
    rate = stats.binomtest(trace.num_accepted, trace.proposed, envelope.acceptance)
    assert rate.pvalue > FALSE_ALARM


def test_too_small_a_constant_has_another_law():
    # f = 2x under a constant of 3/2 (2 would do): everything above 3/4 is cut flat.
    broken = Envelope(RAMP, Proposal.uniform(), 1.5, allow_broken=True)
    assert broken.is_broken
    assert broken.acceptance == pytest.approx(5 / 8, abs=1e-6)
    mean = integrate.quad(lambda x: x * float(broken.survivor_density(x)), 0, 1, points=[0.75])[0]
    assert mean == pytest.approx(13 / 20, abs=1e-6)
    tail = integrate.quad(lambda x: float(broken.survivor_density(x)), 0.75, 1)[0]
    assert tail == pytest.approx(2 / 5, abs=1e-6)
    gap = integrate.quad(
        lambda x: abs(float(broken.survivor_density(x)) - 2 * x) / 2, 0, 1, points=[0.6, 0.75]
    )[0]
    assert broken.bias == pytest.approx(gap, abs=1e-6)


def test_the_bias_grows_as_the_constant_shrinks():
    biases = [flat_envelope(c).bias for c in (25, 22.17, 18, 14, 10, 5, 1)]
    assert biases[0] == 0
    assert (np.diff(biases) > 0).all()
    # A tiny constant keeps everything: the survivors are uniform.
    flat = integrate.quad(lambda x: abs(1 / 6 - float(TARGET.density(x))) / 2, -3, 3, limit=400)[0]
    assert flat_envelope(1e-9).bias == pytest.approx(flat, abs=1e-4)


def test_exactly_as_many_survivors_as_asked_for():
    draws = draw_survivors(
        Envelope(PARABOLA, Proposal.uniform(), 1.5), 20_000, np.random.default_rng(4)
    )
    assert draws.shape == (20_000,)
    assert stats.kstest(draws, stats.beta(2, 2).cdf).pvalue > FALSE_ALARM
    assert draw_survivors(flat_envelope(), 0, np.random.default_rng(5)).shape == (0,)


def test_a_draw_that_does_not_follow_its_pdf_ends():
    liar = Proposal(Proposal.uniform(-3, 3).pdf, lambda rng, n: np.full(n, 99.0), "liar")
    with pytest.raises(ValueError, match=r"proposal\.draw must follow"):
        draw_survivors(Envelope(TARGET, liar, 25), 100, np.random.default_rng(6))


def test_survivors_that_would_take_for_ever_are_refused():
    hopeless = Envelope(NORMAL, Proposal.uniform(-1e9, 1e9), 1e15, allow_broken=True)
    with pytest.raises(ValueError, match="size must need at most 33554432 darts"):
        draw_survivors(hopeless, 10, np.random.default_rng(7))


@pytest.mark.parametrize("dimension, scale", [(1, 1.0), (3, 1.2), (20, 1.05)])
def test_dimensions(dimension, scale):
    chance = gaussian_acceptance(dimension, scale)
    assert chance == pytest.approx(scale**-dimension)
    n = 100_000
    accepted = gaussian_accepts(dimension, scale, n, np.random.default_rng(dimension))
    assert stats.binomtest(accepted, n, min(1, chance)).pvalue > FALSE_ALARM


def test_a_hundredth_too_wide_in_a_thousand_dimensions():
    assert 1 / gaussian_acceptance(1000, 1.01) == pytest.approx(20_959, abs=1)


def test_bins_against_scipy():
    edges = np.linspace(-3, 3, 61)
    masses = bin_masses(TARGET.density, edges)
    assert masses.sum() == pytest.approx(1, abs=1e-12)
    one = integrate.quad(lambda x: float(TARGET.density(x)), edges[30], edges[31])[0]
    assert masses[30] == pytest.approx(one, abs=1e-13)
