"""The rule: proofs with Fractions, the walk over a block, and samplers with a false-alarm rate."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from draftproof.examples import CAT_DOG_FOX, FOUR_TOKENS, HOUSE
from draftproof.finite import inverse_cdf, normalise, overlap, total_variation
from draftproof.speculative import (
    acceptance,
    accepted_law,
    classical_constant,
    classical_trace,
    generate,
    greedy_verify,
    keeps,
    output_law,
    residual,
    speculative_round,
    speculative_sample,
    speculative_trace,
    verify_block,
)

# A right sampler fails a test below with this probability, once for each fixed seed.
FALSE_ALARM = 1e-6
PAIRS = [CAT_DOG_FOX, FOUR_TOKENS, HOUSE]


def chi_square(counts, expected):
    """The p-value of counts, and that nothing impossible was counted."""
    counts, expected = np.ravel(counts), np.ravel(np.asarray(expected, dtype=float))
    assert (counts[expected == 0] == 0).all()
    held = expected > 0
    return stats.chisquare(counts[held], expected[held] / expected.sum() * counts.sum()).pvalue


@pytest.mark.parametrize("pair", PAIRS)
def test_accepted_and_corrected_mass_add_up_to_the_target(pair):
    p, q = np.array(pair.p), np.array(pair.q)
    assert (np.minimum(p, q) + np.maximum(p - q, 0) == p).all()
    assert (q * acceptance(p, q) == np.minimum(p, q)).all()
    assert (output_law(p, q) == p).all()


@pytest.mark.parametrize("pair", PAIRS)
def test_the_residual_makes_up_exactly_what_was_rejected(pair):
    p, q = np.array(pair.p), np.array(pair.q)
    assert (total_variation(p, q) * residual(p, q) == np.maximum(p - q, 0)).all()
    assert overlap(p, q) * accepted_law(p, q) == pytest.approx(np.minimum(p, q))


def test_all_small_laws_exhaustively():
    laws = [
        np.array([Fraction(a, 6), Fraction(b, 6), Fraction(6 - a - b, 6)])
        for a, b in product(range(7), repeat=2)
        if a + b <= 6
    ]
    for p, q in product(laws, repeat=2):
        assert (output_law(p, q) == p).all()
        assert overlap(p, q) == 1 - total_variation(p, q)


def test_fractions_stay_fractions():
    p, q = [Fraction(1, 3), Fraction(2, 3)], [Fraction(2, 3), Fraction(1, 3)]
    for law in (acceptance(p, q), residual(p, q), accepted_law(p, q), output_law(p, q)):
        assert all(type(mass) is Fraction for mass in law)
    assert type(classical_constant(p, q)) is Fraction


def test_equal_laws_leave_no_residual():
    p = [Fraction(1, 2), Fraction(1, 2)]
    assert residual(p, p).tolist() == p
    assert acceptance(p, p).tolist() == [1, 1]
    assert residual([0.5, 0.5], [0.5, 0.5]).tolist() == [0.5, 0.5]


def test_a_token_of_probability_zero_is_never_kept():
    assert acceptance([Fraction(0), Fraction(1)], [Fraction(0), Fraction(1)]).tolist() == [0, 1]
    assert acceptance([0.0, 1.0], [0.5, 0.5]).tolist() == [0.0, 1.0]
    # u = 0 is where `u <= p / q` would let it through.
    assert not keeps(np.array(0.0), np.array(0.5), np.array(0.0))


def test_batches_broadcast():
    p, q = normalise(np.ones((4, 1, 3))), normalise([[1, 2, 3], [3, 2, 1]])
    assert acceptance(p, q).shape == residual(p, q).shape == output_law(p, q).shape == (4, 2, 3)
    assert output_law(p, q) == pytest.approx(np.broadcast_to(p, (4, 2, 3)))


def test_the_classical_constant_and_what_the_residual_buys():
    p, q = np.array(CAT_DOG_FOX.p), np.array(CAT_DOG_FOX.q)
    assert classical_constant(p, q) == 3
    assert overlap(p, q) >= 1 / classical_constant(p, q)


def test_a_ratio_beyond_the_floats_is_refused():
    with pytest.raises(ValueError, match="beyond the floats"):
        classical_constant([0.5, 0.5], [1.0, 5e-324])


@pytest.mark.parametrize("pair", PAIRS)
def test_one_token_samples_follow_the_target(pair):
    rng = np.random.default_rng(11)
    tokens = speculative_sample(pair.p, pair.q, rng, 300_000)
    assert chi_square(np.bincount(tokens, minlength=len(pair.p)), pair.p) > FALSE_ALARM


def test_a_sample_of_any_shape():
    p, q = HOUSE.p, HOUSE.q
    assert isinstance(speculative_sample(p, q, np.random.default_rng(0)), int)
    assert speculative_sample(p, q, np.random.default_rng(0), (2, 5)).shape == (2, 5)
    assert speculative_sample(p, q, np.random.default_rng(0), 0).shape == (0,)


@pytest.mark.parametrize("pair", PAIRS)
def test_every_part_of_a_trace_follows_its_own_law(pair):
    trace = speculative_trace(pair.p, pair.q, np.random.default_rng(12), 200_000)
    p, q = np.array(pair.p), np.array(pair.q)
    rejected = 1 - overlap(p, q)
    expected = np.r_[np.minimum(p, q), rejected * residual(p, q)]
    seen = np.r_[trace.accepted_counts, trace.corrected_counts]
    assert chi_square(trace.drafted_counts, q) > FALSE_ALARM
    assert chi_square(seen, expected) > FALSE_ALARM


def test_accepted_classical_tokens_follow_the_target():
    p, q = np.array(FOUR_TOKENS.p), np.array(FOUR_TOKENS.q)
    trace = classical_trace(p, q, np.random.default_rng(13), 300_000)
    assert chi_square(trace.emitted_counts, p) > FALSE_ALARM
    accepted = int(trace.accepted.sum())
    chance = float(1 / classical_constant(p, q))
    assert stats.binomtest(accepted, 300_000, chance).pvalue > FALSE_ALARM


def test_equal_laws_never_reject():
    p = normalise(np.random.default_rng(14).random(100))
    trace = speculative_trace(p, p, np.random.default_rng(15), 100_000)
    assert trace.accepted.all()


def test_equal_laws_never_reject_even_where_products_round():
    # 0.9 times the smallest float rounds up to it, and `u * q < p` alone would say no.
    tiny = 5e-324
    assert keeps(np.array(0.9), np.array(tiny), np.array(tiny))
    block = verify_block([1], [[1.0, tiny]], [[1.0, tiny]] * 2, [0.9], np.random.default_rng(0))
    assert block.num_accepted == 1


def test_disjoint_laws_always_reject():
    trace = speculative_trace([1, 0], [0, 1], np.random.default_rng(16), 1000)
    assert not trace.accepted.any()
    assert (trace.tokens == 0).all()


# the walk over a block


def scalar_block(drafts, q, p, uniforms, last_uniform):
    """Verify a block by the book: plain numbers, one position after the other."""
    for t, x in enumerate(drafts):
        if not uniforms[t] * q[t][x] < p[t][x]:
            gap = [max(a - b, 0.0) for a, b in zip(p[t], q[t], strict=True)]
            weights = gap if sum(gap) > 0 else list(p[t])
            return t, inverse_cdf(weights, last_uniform)
    return len(drafts), inverse_cdf(p[len(drafts)], last_uniform)


@pytest.mark.parametrize("gamma", [0, 1, 2, 5])
def test_the_walk_agrees_with_a_scalar_reference(gamma):
    rng = np.random.default_rng(gamma)
    for seed in range(200):
        size = int(rng.integers(1, 6))
        q, p = rng.dirichlet(np.ones(size), gamma), rng.dirichlet(np.ones(size), gamma + 1)
        drafts = [int(rng.choice(size, p=row)) for row in q]
        uniforms = rng.random(gamma)
        trace = verify_block(drafts, q, p, uniforms, np.random.default_rng(seed))
        expected = scalar_block(drafts, q, p, uniforms, np.random.default_rng(seed).random())
        assert (trace.num_accepted, trace.next_token) == expected


def test_exactly_one_uniform_is_drawn_for_the_last_token():
    rng, other = np.random.default_rng(5), np.random.default_rng(5)
    verify_block([0], [[1, 0]], [[1, 0], [0.5, 0.5]], [0.3], rng)
    other.random()
    assert rng.random() == other.random()


def test_a_round_without_drafts_is_one_plain_step():
    for empty in ([], np.zeros((0, 3))):
        trace = verify_block([], empty, [[0, 1, 0]], [], np.random.default_rng(0))
        assert trace.tokens == (1,)
        assert trace.is_bonus


def test_blocks_of_fractions():
    p, q = [Fraction(1, 3), Fraction(2, 3)], [Fraction(2, 3), Fraction(1, 3)]
    trace = verify_block([0, 1], [q, q], [p, p, p], [0.6, 0.0], np.random.default_rng(0))
    assert trace.num_accepted == 0
    assert trace.next_token == 1


def test_greedy_accepts_while_the_argmax_agrees():
    rng = np.random.default_rng(6)
    p = rng.dirichlet(np.ones(10), 9)
    best = p.argmax(axis=1)
    drafts = best[:8].copy()
    drafts[4] = (drafts[4] + 1) % 10
    trace = greedy_verify(drafts, p)
    assert trace.tokens == (*best[:4], best[4])
    assert len(trace.tokens) == 5
    assert greedy_verify(best[:8], p).tokens == tuple(best)


def test_greedy_ties_go_to_the_lowest_index():
    assert greedy_verify([1], [[0.4, 0.4, 0.2], [0, 0, 1]]).tokens == (0,)
    exact = [[Fraction(2, 5), Fraction(2, 5), Fraction(1, 5)]] * 2
    assert greedy_verify([0], exact).tokens == (0, 0)


def test_greedy_needs_no_square_table():
    # One-hot rows of a large vocabulary, not an identity matrix of its square.
    size = 200_000
    assert greedy_verify([3], np.eye(1, size, 3).repeat(2, axis=0)).tokens == (3, 3)


# rounds and runs


def markov(table):
    table = np.array(table, dtype=float)
    return lambda context: table[context[-1] if context else 0]


TARGET = markov([[0.1, 0.6, 0.3], [0.5, 0.2, 0.3], [0.3, 0.3, 0.4]])
DRAFT = markov([[0.4, 0.3, 0.3], [0.3, 0.4, 0.3], [0.1, 0.5, 0.4]])


def test_generated_sequences_follow_the_target():
    # The first three tokens of 20,000 runs: 27 sequences, whatever rounds they came from.
    rng = np.random.default_rng(17)
    counts = np.zeros((3, 3, 3), dtype=int)
    for _ in range(6000):
        counts[generate(TARGET, DRAFT, (), 2, 3, rng).tokens] += 1
    law = np.zeros((3, 3, 3))
    for a, b, c in np.ndindex(3, 3, 3):
        law[a, b, c] = TARGET(())[a] * TARGET((a,))[b] * TARGET((b,))[c]
    assert chi_square(counts, law) > FALSE_ALARM


def test_a_round_conditions_on_the_drafts():
    asked = []

    def target(context):
        asked.append(context)
        return TARGET(context)

    trace = speculative_round(target, DRAFT, (2,), 3, np.random.default_rng(1))
    drafts = tuple(trace.draft_tokens.tolist())
    assert asked == [(2, *drafts[:t]) for t in range(4)]


def test_models_may_mix_fractions_and_floats():
    exact = np.array([Fraction(1, 2), Fraction(1, 2)])
    trace = speculative_round(
        lambda c: exact if len(c) < 2 else [0.5, 0.5],
        lambda _: exact,
        (),
        3,
        np.random.default_rng(1),
    )
    assert trace.is_bonus


def test_a_run_has_exactly_the_length_asked_for():
    rng = np.random.default_rng(2)
    for length in (0, 1, 7):
        assert len(generate(TARGET, DRAFT, [1], 4, length, rng).tokens) == length


def test_laws_of_different_vocabularies_are_named():
    with pytest.raises(ValueError, match="vocabulary"):
        speculative_round(lambda _: [1.0], lambda _: [0.5, 0.5], (), 1, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"draft\(context\)"):
        speculative_round(TARGET, lambda _: [0.5, 0.6], (), 1, np.random.default_rng(0))
