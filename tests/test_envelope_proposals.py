"""A proposal of one's own: what is no density, and draws that do not follow it, are refused."""

import time
import warnings

import numpy as np
import pytest
from scipy import stats

from draftproof.envelope import (
    Envelope,
    Proposal,
    Target,
    draw_survivors,
    gaussian_acceptance,
    rejection_trace,
)
from draftproof.examples import TARGET

FLAT = Proposal.uniform(-3, 3)
NORMAL = Target(Proposal.normal().pdf)


def flat(height):
    """A constant "density" on all of the line, with the draws of the uniform one."""
    return Proposal(lambda x: np.full(np.shape(x), height), FLAT.draw, "mine")


@pytest.mark.parametrize(
    "build", [lambda own: Envelope(TARGET, own, 25), lambda own: Envelope.tightest(TARGET, own)]
)
@pytest.mark.parametrize(
    ("height", "message"),
    [
        (np.nan, "proposal.pdf must be finite and not negative, got nan at x = -3"),
        (np.inf, "proposal.pdf must be finite and not negative, got inf at x = -3"),
        (-1.0, "proposal.pdf must be finite and not negative, got -1 at x = -3"),
        (1.0, "proposal.pdf must have an area of at most 1 on the target's support, got 6 for"),
        (1.001 / 6, "proposal.pdf must have an area of at most 1"),
    ],
)
def test_what_is_no_density_is_refused_and_named(build, height, message):
    with pytest.raises(ValueError, match=message):
        build(flat(height))


def test_an_area_that_has_no_bound_is_refused():
    with pytest.raises(ValueError, match=r"proposal\.pdf must have an area of at most 1"):
        Envelope(NORMAL, flat(0.5), 1.0)


def test_a_density_that_is_not_finite_between_the_points_of_the_grid():
    holes = Proposal(lambda x: np.where(np.isin(x, TARGET.grid), 1 / 6, np.nan), FLAT.draw, "holes")
    with pytest.raises(ValueError, match=r"proposal\.pdf must be finite"):
        rejection_trace(
            Envelope(TARGET, holes, 25, allow_broken=True), 100, np.random.default_rng(0)
        )


@pytest.mark.parametrize("sd", [1e-9, 1e-6, 1e-5, 1e-4, 3e-4, 1e-3, 0.1, 1, 1e6])
@pytest.mark.parametrize("mean", [0.0, 1.5e-4, 7e-5, 3.0])
def test_steep_densities_are_no_false_alarm(sd, mean):
    """Peaks between two points of the grid or on one: the sum over the grid is far from 1."""
    rng = np.random.default_rng(0)
    mixed = Proposal.mixture([Proposal.normal(mean, sd), FLAT], [0.5, 0.5])
    for proposal in (Proposal.normal(mean, sd), mixed):
        rejection_trace(Envelope(TARGET, proposal, 1.0, allow_broken=True), 20_000, rng)


@pytest.mark.parametrize("low, high", [(-2, 3), (-3.1, 3.00017), (-0.123456, 0.1), (-3000, 1e6)])
def test_jumps_are_no_false_alarm(low, high):
    rng = np.random.default_rng(1)
    proposal = Proposal.uniform(low, high)
    for target in (TARGET, NORMAL, Target(lambda x: np.exp(-x), low=0)):
        rejection_trace(Envelope(target, proposal, 1.0, allow_broken=True), 50_000, rng)


@pytest.mark.parametrize(
    "proposal", [Proposal.cauchy(), Proposal.normal(0, 2), Proposal.exponential()]
)
def test_right_draws_are_let_through(proposal):
    # A hundred calls for each: one of all is refused with probability 3e-7 at most.
    target = Target(lambda x: np.exp(-x * x), low=0)
    envelope, rng = Envelope.tightest(target, proposal), np.random.default_rng(2)
    for n in [1, 2, 10, 1000, 30_000] * 20:
        rejection_trace(envelope, n, rng)


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, n: rng.normal(size=n),  # another law
        lambda rng, n: rng.uniform(-3, 3, n) ** 3 / 9,
        lambda rng, n: rng.uniform(-2.5, 3, n),  # part of the support is never drawn
        lambda rng, n: rng.uniform(-4, 4, n),  # a part lies outside
        lambda rng, n: np.zeros(n),
        lambda rng, n: np.linspace(-3, 0, n),
    ],
)
def test_draws_of_another_law_are_refused(draw):
    liar = Envelope(TARGET, Proposal(FLAT.pdf, draw, "liar"), 25)
    with pytest.raises(ValueError, match=r"proposal\.draw must follow proposal\.pdf, got .* in \["):
        draw_survivors(liar, 500, np.random.default_rng(6))


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda rng, n: np.full(n, np.nan), "proposal.draw must return finite numbers, got nan"),
        (lambda rng, n: np.full(n, np.inf), "proposal.draw must return finite numbers, got inf"),
        (lambda rng, n: rng.uniform(-3, 3, (n, 1)), r"proposal.draw must return \d+ numbers"),
        (lambda rng, n: np.ma.array(rng.uniform(-3, 3, n)), "proposal.draw must be a plain array"),
    ],
)
def test_draws_that_are_no_numbers_are_refused(draw, message):
    liar = Envelope(TARGET, Proposal(FLAT.pdf, draw, "liar"), 25)
    with pytest.raises(ValueError, match=message):
        draw_survivors(liar, 56, np.random.default_rng(6))


def test_the_limits_of_the_counts_are_those_of_chernoff():
    """A right draw leaves a limit once in 1e9 calls at most, and the limits are not absurd."""
    n = 3000
    even = np.linspace(-3, 3, n)

    def throw(candidates):
        own = Envelope(TARGET, Proposal(FLAT.pdf, lambda rng, n: candidates, "mine"), 25)
        return rejection_trace(own, n, np.random.default_rng(0))

    throw(even)
    throw(np.where(np.arange(n) % 50, even, 2.9))  # a fiftieth of them moved
    with pytest.raises(ValueError, match=r"proposal\.draw must follow"):
        throw(np.where(np.arange(n) % 10, even, 2.9))
    # At each mark the exact chance of a refusal lies below its share of the false alarms.
    counts = np.arange(n + 1)
    seen = counts / n
    for g in np.arange(1, 32) / 32:
        distance = stats.entropy([seen, 1 - seen], [np.full(n + 1, g), np.full(n + 1, 1 - g)])
        refused = n * distance > np.log(2 * 32 / 1e-9)
        assert 0 < stats.binom.pmf(counts[refused], n, g).sum() <= 1e-9 / 32


def test_survivors_of_an_envelope_far_above_are_refused_at_once():
    far, start = Envelope(TARGET, FLAT, 1e9), time.perf_counter()
    with pytest.raises(ValueError, match="size must need at most 33554432 darts, got 2 at"):
        draw_survivors(far, 2, np.random.default_rng(0))
    assert time.perf_counter() - start < 4


def gap(low, high):
    return Proposal(lambda x: np.where((x > low) & (x < high), 0.0, 1 / 6), FLAT.draw, "gap")


def test_a_narrow_gap_is_met_without_a_warning():
    """The search between two points of the grid subtracts infinite heights: in silence."""
    grid, peak = TARGET.grid, TARGET.peak[0]
    k = int(np.searchsorted(grid, peak))
    missed, met = [], 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for width in (1e-6, 1e-5, 1e-4, 3e-4, 1e-2):
            for at in (peak - width / 2, *np.linspace(grid[k - 1], grid[k], 9)):
                try:
                    Envelope.tightest(TARGET, gap(at, at + width))
                    missed.append(width)
                except ValueError as error:
                    met += 1
                    assert "proposal must cover the target with a finite constant" in str(error)
    # What no point of the grid and none of the search meets is not seen: narrow gaps alone.
    assert met >= 20 and max(missed, default=0) < np.diff(grid).max()


def test_a_scale_below_one_reads_well():
    with pytest.raises(ValueError) as refused:
        gaussian_acceptance(3, 0.5)
    said = "scale must be at least 1, got 0.5: a narrower proposal has no finite constant"
    assert str(refused.value) == said
