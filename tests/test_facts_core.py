"""The values that chapters 1 to 3 must show, recomputed through public names.

Every expected number was found independently of this package. The tolerance is half a unit of
the last digit it is given with, unless a line says otherwise.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import draftproof
from draftproof import bigram, cost, examples, noise, speculative
from draftproof.envelope import Envelope, Proposal
from draftproof.examples import TARGET, bell_envelope, flat_envelope, toy, toy_draft
from draftproof.finite import overlap, total_variation


def near(value, text):
    """Whether a value agrees with a number printed as `text`."""
    digits = len(text.partition(".")[2])
    return value == pytest.approx(float(text), abs=0.5000001 * 10**-digits)


# 1 Continuous rejection sampling


def test_area_and_peak():
    assert pytest.approx(5.7380727, abs=1e-6) == TARGET.integral
    x, height = TARGET.peak
    assert near(height, "3.6958152")
    assert near(x, "-0.363354")


def test_the_bracket():
    x = np.linspace(-3, 3, 600_001)
    bracket = TARGET(x) * np.exp(x**2 / 2)
    assert near(bracket.max(), "3.9595942")
    assert near(x[bracket.argmax()], "-0.37953")
    # f/g under the bell is the bracket times sqrt(2 pi). The bracket has period pi: two contacts.
    first, second = Envelope.tightest(TARGET, Proposal.normal()).touch_points
    assert near(first, "-0.37953")
    assert second - first == pytest.approx(np.pi, abs=1e-6)


def test_envelopes_of_the_source():
    flat, bell = flat_envelope(), bell_envelope()
    assert flat.height(0.0) == pytest.approx(25 / 6)
    assert bell.height(0.0) == pytest.approx(11 / np.sqrt(2 * np.pi))
    assert near(float(bell.height(0.0)), "4.38837")
    assert near(100 * flat.acceptance, "22.952")
    assert near(100 * bell.acceptance, "52.164")


def test_smallest_constants():
    flat = Envelope.tightest(TARGET, Proposal.uniform(-3, 3))
    bell = Envelope.tightest(TARGET, Proposal.normal())
    assert near(flat.constant, "22.17489")
    assert near(100 * flat.acceptance, "25.876")
    assert near(bell.constant, "9.92523")
    assert near(100 * bell.acceptance, "57.813")


def test_mass_outside_the_support():
    outside = 2 * stats.norm.sf(3)
    assert near(outside, "0.0026998")
    flat, bell = examples.dart_runs()
    share = np.mean(abs(bell.candidates) > 3)
    assert stats.binomtest(int(share * bell.proposed), bell.proposed, outside).pvalue > 1e-6
    assert not bell.accepted[abs(bell.candidates) > 3].any()
    assert bell.acceptance_rate == bell.num_accepted / bell.proposed  # they stay below the line
    assert flat.proposed == bell.proposed == 300_000


@pytest.mark.parametrize("observed, envelope", [(22.93, flat_envelope), (52.12, bell_envelope)])
def test_the_observed_rates_are_within_two_standard_errors(observed, envelope):
    rate = envelope().acceptance
    error = np.sqrt(rate * (1 - rate) / 300_000)
    assert abs(observed / 100 - rate) < 2 * error
    low, high = noise.binomial_interval(round(observed * 3000), 300_000)
    assert low < rate < high


def test_the_books_own_runs():
    for run, envelope in zip(examples.dart_runs(), (flat_envelope(), bell_envelope()), strict=True):
        assert stats.binomtest(run.num_accepted, run.proposed, envelope.acceptance).pvalue > 1e-6


def test_too_small_a_constant():
    x = np.linspace(-3, 3, 1001)
    broken = Envelope(TARGET, Proposal.uniform(-3, 3), 15, allow_broken=True)
    kept = np.minimum(TARGET(x), 15 / 6)
    assert broken.survivor_density(x) * broken.acceptance * 15 == pytest.approx(kept, rel=1e-6)
    biases = [flat_envelope(c).bias for c in (25, 20, 15, 10)]
    assert biases == sorted(biases)


# 2 One token


def test_cat_dog_fox():
    pair = examples.CAT_DOG_FOX
    p, q = np.array(pair.p), np.array(pair.q)
    assert speculative.acceptance(p, q).tolist() == [Fraction(1, 2), 1, 1]
    assert draftproof.overlap(p, q) == Fraction(7, 10) == 1 - total_variation(p, q)
    assert np.maximum(p - q, 0).tolist() == [0, Fraction(1, 10), Fraction(1, 5)]
    assert draftproof.residual(p, q).tolist() == [0, Fraction(1, 3), Fraction(2, 3)]
    drafts = 10_000
    accepted = drafts * q * draftproof.acceptance(p, q)
    rejected = drafts - accepted.sum()
    corrected = rejected * draftproof.residual(p, q)
    assert accepted.tolist() == [3000, 3000, 1000]
    assert rejected == 3000
    assert corrected.tolist() == [0, 1000, 2000]
    assert (accepted + corrected).tolist() == [3000, 4000, 3000]


def test_the_two_cases():
    p, q = (
        np.array([Fraction(1, 2), Fraction(1, 5), Fraction(3, 10)]),
        np.array([Fraction(1, 5), Fraction(1, 2), Fraction(3, 10)]),
    )
    kept = q * speculative.acceptance(p, q)
    assert kept[0] == Fraction(1, 5)
    assert (p - kept)[0] == Fraction(3, 10)
    assert speculative.acceptance(p, q)[1] == Fraction(2, 5)
    assert kept[1] == Fraction(1, 5)


def test_four_tokens():
    pair = examples.FOUR_TOKENS
    assert overlap(pair.p, pair.q) == Fraction(17, 20)
    assert speculative.residual(pair.p, pair.q).tolist() == [0, Fraction(2, 3), Fraction(1, 3), 0]
    accepted = speculative.accepted_law(pair.p, pair.q)
    assert accepted.tolist() == [Fraction(k, 17) for k in (10, 4, 2, 1)]
    assert accepted.tolist() != list(pair.p)


def test_greedy_four_of_eight():
    p = np.eye(5)[[0, 1, 2, 3, 4, 0, 1, 2, 3]]
    trace = draftproof.greedy_verify([0, 1, 2, 3, 0, 0, 1, 2], p)
    assert trace.num_accepted == 4
    assert trace.tokens == (0, 1, 2, 3, 4)


def test_the_form_of_the_test_to_keep():
    u, p, q = 0.0, np.array([0.0, 1.0]), np.array([0.5, 0.5])
    assert u <= p[0] / q[0]  # the form with <= and a division accepts what must not come out
    assert not u * q[0] < p[0]
    assert not speculative.keeps(np.array(u), q[0], p[0])
    trace = draftproof.verify_block([0], [q], [p, p], [u], np.random.default_rng(0))
    assert trace.num_accepted == 0


# 3 The bigram that can be enumerated

ALPHA = {0: ".72583", 0.1: ".75325", 0.2: ".78066", 0.3: ".80808", 0.5: ".86292", 0.7: ".91775"}
ALPHA |= {0.9: ".97258", 1: "1"}


def test_corpus_and_counts():
    assert len(bigram.CORPUS) == 80
    assert len(set(bigram.CORPUS)) == 18
    target, base = toy(exact=True)
    at = target.vocabulary.index
    assert target.law("t")[at("h")] == Fraction(5, 29)
    assert target.law("^")[at("t")] == Fraction(2, 19)
    assert base.law()[at(" ")] == Fraction(9, 49)
    assert base.law()[at("t")] == Fraction(6, 49)
    assert "^" not in target.vocabulary
    assert target.table.shape == (19, 18)


@pytest.mark.parametrize("weight, text", ALPHA.items())
def test_alpha_of_the_toy(weight, text):
    assert near(bigram.alpha(toy()[0], toy_draft(weight)), text)


@pytest.mark.parametrize(
    "weight, formula, exact",
    [
        (0, "2.9126", "2.913216"),
        (0.3, "3.4152", "3.415519"),
        (0.9, "4.7332", "4.733254"),
        (1, "5", "5"),
    ],
)
def test_tokens_for_one_target_call(weight, formula, exact):
    target, draft = toy()[0], toy_draft(weight)
    mean = bigram.alpha(target, draft)
    assert near(cost.expected_tokens(mean, 4), formula)
    assert near((1 - mean**5) / (1 - mean) if mean < 1 else 5, formula)
    assert near(cost.tokens_per_call(target.chain, draft.chain, 4), exact)


def test_the_sources_measurements_agree_with_the_exact_chain():
    # 2.92 at w = 0 and 4.7336 at w = 0.9.
    target = toy()[0]
    assert cost.tokens_per_call(target.chain, toy_draft(0).chain, 4) == pytest.approx(
        2.92, abs=0.01
    )
    assert cost.tokens_per_call(target.chain, toy_draft(0.9).chain, 4) == pytest.approx(
        4.7336, abs=0.005
    )


def test_noise_of_one_token():
    # A simulated quantile has an error of its own: two units of the last digit.
    band = noise.noise_band(
        toy()[0].law("t"),
        200_000,
        np.random.default_rng(1),
        statistic=noise.largest_gap,
        runs=20_000,
    )
    assert band == pytest.approx([0.00069, 0.00109, 0.00188], abs=2e-5)
    for seen in (0.00076, 0.00146):
        assert band[0] < seen < band[2]


def test_noise_of_two_characters():
    joint = bigram.joint_law(toy()[0]).ravel()
    assert joint.size == 324
    band = noise.noise_band(joint, 200_000, np.random.default_rng(2), runs=4000)
    assert band == pytest.approx([0.01455, 0.01566, 0.01680], abs=5e-5)
    assert band[0] < 0.01523 < band[2]


def test_the_samplers_stay_in_their_bands():
    # Each figure is checked at the 1e-6 quantile of its own exact noise, by the chi-square test.
    target, draft = toy()[0], toy_draft(0.3)
    run = bigram.simulate_rounds(target, draft, 2, 2, 200_000, np.random.default_rng(3))
    pairs = run.first(2) @ [18, 1]
    law = bigram.joint_law(target).ravel()
    counts = np.bincount(pairs, minlength=324)
    assert stats.chisquare(counts, law * 200_000).pvalue > 1e-6


@pytest.mark.parametrize(
    "weight, c, text",
    [(0.9, 0.1, "3.381"), (0.9, 0.25, "2.367"), (0, 0.1, "2.080"), (0, 0.25, "1.456")],
)
def test_speedup_of_the_toy(weight, c, text):
    assert near(cost.speedup(bigram.alpha(toy()[0], toy_draft(weight)), 4, c), text)


def test_a_gain_needs_alpha_above_c():
    for c in (0.1, 0.25, 0.6):
        assert cost.best_gamma(c + 0.01, c)[1] > 1
        assert cost.best_gamma(c - 0.01, c) == (0, 1)
        assert cost.break_even_alpha(1, c) == pytest.approx(c)


def test_alpha_against_temperature_on_the_toy():
    target, draft = toy()[0], toy_draft(0)
    warm = [bigram.alpha(target.at(t), draft.at(t)) for t in (1, 4, 100, 1e6)]
    assert warm[-1] == pytest.approx(1, abs=1e-5)
    assert warm == sorted(warm)
    for context in target.vocabulary:
        agree = target.law(context).argmax() == draft.law(context).argmax()
        assert bigram.beta(target.at(0), draft.at(0), context) == agree


# 4 Cost


@pytest.mark.parametrize(
    "alpha, gamma, text",
    [(0.5, 2, "1.4583"), (0.7, 4, "1.9808"), (0.8, 6, "2.4696"), (0.9, 10, "3.4309")],
)
def test_best_block_length(alpha, gamma, text):
    best, gain = cost.best_gamma(alpha, 0.1)
    assert best == gamma
    assert near(gain, text)


@pytest.mark.parametrize(
    "alpha, gamma, work, speed",
    [
        (0.6, 2, "1.53", "1.96"),
        (0.7, 3, "1.58", "2.53"),
        (0.8, 5, "1.63", "3.69"),
        (0.9, 10, "1.60", "6.86"),
    ],
)
def test_the_papers_first_table(alpha, gamma, work, speed):
    assert near(cost.operations(alpha, gamma), work)
    assert near(cost.speedup(alpha, gamma, 0), speed)


def test_bandwidths():
    assert cost.HARDWARE["H100 SXM"].bandwidth == 3.35e12
    assert cost.HARDWARE["MI300X"].bandwidth == 5.3e12


@pytest.mark.parametrize("k, parameters", [(1, 1e9), (4, 7e9), (16, 70e9)])
def test_operations_for_one_byte_grow_with_the_rows(k, parameters):
    # 2 (k+1) N operations for 2 N bytes of 16-bit weights.
    assert cost.intensity(parameters, k + 1) == pytest.approx(k + 1)
    assert cost.intensity(parameters, k + 1, batch=8) == pytest.approx(8 * (k + 1))


# What readers ask, as far as the core answers it


def test_the_house_example():
    pair = examples.HOUSE
    p, q = np.array(pair.p), np.array(pair.q)
    assert overlap(p, q) == Fraction(3, 4)
    assert speculative.residual(p, q).tolist() == [0, 0, 1]
    redraw = np.minimum(p, q) + (1 - overlap(p, q)) * p
    assert redraw.tolist() == [Fraction(5, 16), Fraction(5, 16), Fraction(3, 8)]
    assert total_variation(redraw, p) == Fraction(1, 8)


def test_uniform_draft_of_four():
    p, q = [Fraction(1, 8), Fraction(1, 8), Fraction(1, 4), Fraction(1, 2)], [Fraction(1, 4)] * 4
    assert 1 / speculative.classical_constant(p, q) == Fraction(1, 2)
    assert overlap(p, q) == Fraction(3, 4)
    assert speculative.residual(p, q).tolist() == [0, 0, 0, 1]


def test_an_argmax_draft_and_its_law():
    p, q = (
        [Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)],
        [Fraction(3, 5), Fraction(1, 10), Fraction(3, 10)],
    )
    hot = [Fraction(1), Fraction(0), Fraction(0)]
    assert overlap(p, hot) == Fraction(1, 2)
    assert speculative.residual(p, hot).tolist() == [0, Fraction(3, 5), Fraction(2, 5)]
    assert overlap(p, q) == Fraction(4, 5)


def test_accepted_over_drafted():
    shares = [cost.accepted_over_drafted(0.8, gamma) for gamma in (2, 4, 8, 16)]
    for share, text in zip(shares, ("0.72", "0.59", "0.416", "0.243"), strict=True):
        assert near(share, text)
    assert cost.accepted_over_drafted(Fraction(3, 4), 3) == Fraction(37, 64)
    assert cost.bonus_probability(Fraction(3, 4), 3) == Fraction(27, 64)
