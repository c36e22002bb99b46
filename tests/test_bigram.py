"""The toy: counted by hand, enumerated, simulated, and its simulation against the plain loop."""

import time
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from draftproof.bigram import (
    CORPUS,
    START,
    BigramModel,
    Mixture,
    Model,
    UnigramModel,
    alpha,
    beta,
    context_law,
    joint_law,
    simulate_rounds,
    simulate_tokens,
)
from draftproof.cost import tokens_per_call
from draftproof.examples import toy, toy_draft
from draftproof.finite import overlap, total_variation
from draftproof.speculative import generate, speculative_round

# A right sampler fails a test below with this probability, once for each fixed seed.
FALSE_ALARM = 1e-6
TARGET, BASE = toy(exact=True)


def chi_square(counts, law, least=5):
    """The p-value of counts; cells expected fewer than `least` times are put together."""
    counts, law = np.ravel(counts), np.ravel(np.asarray(law, dtype=float))
    expected = law / law.sum() * counts.sum()
    rare = expected < least
    if rare.sum() == 1:
        rare[np.argmin(np.where(rare, np.inf, expected))] = True
    seen, wanted = counts[~rare], expected[~rare]
    if rare.any():
        seen, wanted = np.append(seen, counts[rare].sum()), np.append(wanted, expected[rare].sum())
    return stats.chisquare(seen, wanted).pvalue


def test_counts_by_hand():
    pairs = Counter(zip(START + CORPUS[:-1], CORPUS, strict=True))
    size = len(set(CORPUS))
    for context in (START, *TARGET.vocabulary):
        total = sum(pairs[context, x] for x in TARGET.vocabulary) + size
        assert TARGET.law(context).tolist() == [
            Fraction(pairs[context, x] + 1, total) for x in TARGET.vocabulary
        ]


def test_the_unigram_forgets_the_context():
    counts = Counter(CORPUS)
    law = [Fraction(counts[x] + 1, len(CORPUS) + 18) for x in BASE.vocabulary]
    assert all(BASE.law(context).tolist() == law for context in (START, "t", "the "))


def test_contexts():
    assert (TARGET.law("the t") == TARGET.law("t")).all()
    assert (TARGET.law("") == TARGET.law(START)).all()
    assert (TARGET(()) == TARGET.law(START)).all()
    assert (TARGET(TARGET.encode("to")) == TARGET.law("o")).all()
    assert TARGET.decode(TARGET.encode("to be")) == "to be"
    assert TARGET.table.shape == (19, 18)
    assert TARGET.chain.shape == (18, 18)


@pytest.mark.parametrize("weight", [0, Fraction(3, 10), 0.3, 1])
def test_mixtures(weight):
    mixture = Mixture(weight, TARGET, BASE)
    w = Fraction(3, 10) if weight == 0.3 else Fraction(weight)
    assert (mixture.table == w * TARGET.table + (1 - w) * BASE.table).all()


def test_a_mixture_of_exact_and_float_tables_is_float():
    mixture = Mixture(0.5, TARGET, UnigramModel())
    assert mixture.table.dtype == np.float64
    assert mixture.table == pytest.approx(Mixture(0.5, *toy()).table)


def test_overlap_grows_linearly_with_the_weight():
    # min(p, wp + (1-w)q) - min(p, q) is linear in w, so beta is too.
    for context in ("t", "o", START):
        betas = [beta(TARGET, toy_draft(Fraction(w, 4), True), context) for w in range(5)]
        assert betas[-1] == 1
        assert {b - a for a, b in pairwise(betas)} == {betas[1] - betas[0]}


def test_the_context_law_is_stationary():
    law = context_law(TARGET)
    assert law @ TARGET.chain.astype(float) == pytest.approx(law, abs=1e-14)
    eigenvalues, vectors = np.linalg.eig(TARGET.chain.astype(float).T)
    theirs = np.real(vectors[:, np.argmax(np.real(eigenvalues))])
    assert law == pytest.approx(theirs / theirs.sum(), abs=1e-12)


def test_alpha_is_the_mean_overlap():
    draft = toy_draft(0.3)
    betas = [beta(toy()[0], draft, c) for c in TARGET.vocabulary]
    assert alpha(toy()[0], draft) == pytest.approx(context_law(TARGET) @ betas)
    assert alpha(toy()[0], toy()[0]) == pytest.approx(1)
    assert alpha(toy()[0], toy()[0]) <= 1


@pytest.mark.parametrize("length", [1, 2, 3])
def test_joint_laws(length):
    law = joint_law(TARGET, "t", length)
    assert law.shape == (18,) * length
    assert law.sum() == 1
    tokens = TARGET.encode("he "[:length])
    chance, context = Fraction(1), TARGET.encode("t")
    for token in tokens:
        chance, context = chance * TARGET(context)[token], (*context, token)
    assert law[tokens] == chance


def test_simulated_rounds_follow_the_target():
    target, draft = toy()[0], toy_draft(0.3)
    run = simulate_rounds(target, draft, 2, 2, 200_000, np.random.default_rng(1))
    pairs = run.first(2)
    counts = np.bincount(pairs[:, 0] * 18 + pairs[:, 1], minlength=324)
    assert chi_square(counts, joint_law(target)) > FALSE_ALARM


def test_plain_tokens_follow_the_target():
    target = toy()[0]
    pairs = simulate_tokens(target, 2, 100_000, np.random.default_rng(2), "t")
    counts = np.bincount(pairs[:, 0] * 18 + pairs[:, 1], minlength=324)
    assert chi_square(counts, joint_law(target, "t")) > FALSE_ALARM


def test_the_vectorised_rounds_behave_like_the_plain_ones():
    # Two independent implementations: numbers of accepted drafts in one round, two-sample test.
    target, draft = toy()[0], toy_draft(0.3)
    fast = simulate_rounds(target, draft, 3, 1, 20_000, np.random.default_rng(3)).num_accepted
    rng = np.random.default_rng(4)
    slow = [speculative_round(target, draft, (), 3, rng).num_accepted for _ in range(2000)]
    table = [np.bincount(part, minlength=4) for part in (fast.ravel(), slow)]
    assert stats.chi2_contingency(table).pvalue > FALSE_ALARM


def test_counters_of_a_simulation():
    run = simulate_rounds(toy()[0], toy_draft(0.5), 3, 5, 40, np.random.default_rng(5))
    counters = run.counters
    assert counters.target_calls == 200
    assert counters.drafted == 600
    assert counters.emitted == (run.tokens >= 0).sum()
    assert counters.corrections + counters.bonus == 200
    assert (run.first(5) >= 0).all()
    # Every round: accepted drafts, then one token, then padding.
    filled = (run.tokens >= 0).sum(axis=2)
    assert (filled == run.num_accepted + 1).all()


def test_tokens_for_one_target_call_against_the_exact_chain():
    target, draft = toy()[0], toy_draft(0.3)
    run = simulate_rounds(target, draft, 4, 60, 4000, np.random.default_rng(6))
    late = (run.tokens[:, 20:] >= 0).sum(axis=2).mean(axis=1)  # one number a chain: independent
    exact = tokens_per_call(target.chain, draft.chain, 4)
    error = (late.mean() - exact) / (late.std(ddof=1) / np.sqrt(len(late)))
    assert 2 * stats.norm.sf(abs(error)) > FALSE_ALARM


def test_models_serve_the_plain_loop():
    run = generate(toy()[0], toy_draft(0.9), (), 4, 30, np.random.default_rng(7))
    assert len(toy()[0].decode(run.tokens)) == 30


def test_temperature_of_a_model():
    cold = TARGET.at(Fraction(1, 2))
    assert cold.law("t").sum() == 1
    assert overlap(TARGET.at(0).law("t"), BASE.at(0).law("t")) in (0, 1)


def test_another_correction_is_another_law():
    # With corrections from p itself the first token follows min(p, q) + (1 - beta) p.
    target, draft = toy()[0], toy_draft(0.0)
    run = simulate_rounds(
        target, draft, 1, 1, 100_000, np.random.default_rng(8), "t", corrections=target
    )
    p, q = target.law("t"), draft.law("t")
    wrong = np.minimum(p, q) + (1 - overlap(p, q)) * p
    counts = np.bincount(run.tokens[:, 0, 0], minlength=18)
    assert chi_square(counts, wrong) > FALSE_ALARM
    assert total_variation(wrong, p) > 0.05
    assert chi_square(counts, p) < FALSE_ALARM


def test_models_can_be_compared_and_hashed():
    assert BigramModel() != BigramModel()
    assert len({TARGET, TARGET}) == 1


def test_a_model_of_ones_own():
    model = Model(("a", "b"), np.array([[0.5, 0.5], [1, 0], [0, 1]]))
    assert model.law("b").tolist() == [1, 0]
    assert simulate_tokens(model, 3, 2, np.random.default_rng(9)).shape == (2, 3)


def test_exact_tables_give_an_exact_alpha():
    (target, base), floats = toy(True), toy()
    law = context_law(target)
    assert law.sum() == 1
    assert (law @ target.chain == law).all()
    missing = 1 - alpha(target, base)
    assert isinstance(missing, Fraction)
    # Every distance shrinks by 1 - w, and so does what alpha misses.
    assert 1 - alpha(target, toy_draft(Fraction(3, 4), exact=True)) == missing / 4
    assert alpha(target, target) == 1
    assert float(1 - missing) == pytest.approx(alpha(*floats), abs=1e-12)
    np.testing.assert_allclose(law.astype(float), context_law(floats[0]), atol=1e-12)
    assert isinstance(alpha(target, floats[1]), float)


def test_steps_one_after_another_have_a_limit():
    target, draft = toy()[0], toy_draft(0.5)
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"gamma must be in 1\.\.10000, got 1000000"):
        simulate_rounds(target, draft, 10**6, 10, 1, rng)
    with pytest.raises(
        ValueError, match=r"rounds \* gamma must be at most 262144, got 100 \* 10000"
    ):
        simulate_rounds(target, draft, 10_000, 100, 1, rng)
    with pytest.raises(ValueError, match=r"length must be in 1\.\.262144"):
        simulate_tokens(target, 2**18 + 1, 1, rng)


def test_a_block_ends_when_no_chain_is_left_in_it():
    """The longest block costs what its drafts cost, and the generator makes no other numbers."""
    target, draft = toy()[0], toy_draft(0)
    start = time.perf_counter()
    run = simulate_rounds(target, draft, 10_000, 20, 2, np.random.default_rng(1))
    assert time.perf_counter() - start < 2  # 200,000 steps would take longer
    assert run.counters.bonus == 0 and (run.num_accepted < 100).all()
