"""What must hold for every pair of laws, random and ugly, and against other people's code."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from draftproof.finite import inverse_cdf, normalise, overlap, total_variation
from draftproof.speculative import (
    acceptance,
    accepted_law,
    classical_constant,
    output_law,
    residual,
    speculative_trace,
    verify_block,
)
from draftproof.warp import softmax, temper, top_k, top_p, warp

# Seeds are fixed, so that a run tells the same story twice.
settings.register_profile("book", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("book")

# A right sampler fails a test below with this probability, once for each fixed seed.
FALSE_ALARM = 1e-6


@st.composite
def exact_pairs(draw):
    """Two laws of Fractions: zeros, one token, nothing shared, all may occur."""
    size = draw(st.integers(1, 12))
    masses = st.lists(
        st.integers(0, draw(st.sampled_from([1, 3, 10**6]))), min_size=size, max_size=size
    )
    laws = []
    for _ in range(2):
        weights = draw(masses.filter(any))
        laws.append(np.array([Fraction(w, sum(weights)) for w in weights]))
    return tuple(laws)


@st.composite
def float_pairs(draw):
    """Two laws of floats: wide ranges, zeros, denormals, near-equal pairs, many tokens."""
    size = draw(st.sampled_from([1, 2, 3, 7, 50, 3000]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(
        st.sampled_from(["plain", "wide", "zeros", "denormal", "near", "equal", "disjoint"])
    )
    p, q = rng.random((2, size)) + 1e-12
    if kind == "wide":
        p, q = 10.0 ** rng.uniform(-300, 0, (2, size))
    elif kind in ("zeros", "disjoint"):
        side = rng.random(size) < 0.5
        side[0] = True
        other = ~side if kind == "disjoint" and size > 1 else rng.random(size) < 0.5
        other[-1] = True
        if kind == "disjoint" and size > 1:
            side[-1] = False
        p, q = p * side, q * other
    elif kind == "denormal":
        p, q = np.where(rng.random((2, size)) < 0.5, 5e-324 * rng.integers(1, 9, (2, size)), [p, q])
        p[0] = q[-1] = 1.0
    elif kind == "near":
        q = p * (1 + 1e-15 * rng.integers(-3, 4, size))
    elif kind == "equal":
        q = p.copy()
    return normalise(p), normalise(q)


@given(exact_pairs())
def test_the_theorem_is_an_equality(pair):
    p, q = pair
    assert (np.minimum(p, q) + np.maximum(p - q, 0) == p).all()
    assert (output_law(p, q) == p).all()
    assert (q * acceptance(p, q) == np.minimum(p, q)).all()
    alpha = overlap(p, q)
    assert alpha == 1 - total_variation(p, q)
    assert 0 <= alpha <= 1
    assert all(type(mass) is Fraction for mass in residual(p, q))
    if ((q > 0) | (p == 0)).all():
        assert alpha >= 1 / classical_constant(p, q)
    if alpha > 0:
        assert (alpha * accepted_law(p, q) == np.minimum(p, q)).all()
    if alpha < 1:
        assert (((residual(p, q) > 0) & (q >= p)) == False).all()  # noqa: E712


@given(exact_pairs())
def test_floats_agree_with_fractions(pair):
    p, q = pair
    p64, q64 = p.astype(float), q.astype(float)
    assert overlap(p64, q64) == pytest.approx(float(overlap(p, q)), abs=1e-14)
    assert acceptance(p64, q64) == pytest.approx(acceptance(p, q).astype(float), rel=1e-12)
    assert output_law(p64, q64) == pytest.approx(p64, abs=1e-14)


@given(float_pairs())
def test_floats_stay_laws(pair):
    p, q = pair
    kept, fix, out = acceptance(p, q), residual(p, q), output_law(p, q)
    for values in (kept, fix, out):
        assert np.isfinite(values).all()
        assert (values >= 0).all()
        assert (values[p == 0] == 0).all()
    assert (kept <= 1).all()
    assert fix.sum() == pytest.approx(1)
    assert out == pytest.approx(p, abs=1e-12)
    assert 0 <= overlap(p, q) <= 1
    assert overlap(p, q) == pytest.approx(1 - total_variation(p, q), abs=1e-12)


@given(float_pairs(), st.integers(0, 2**32 - 1))
def test_samples_stay_in_the_target(pair, seed):
    p, q = pair
    trace = speculative_trace(p, q, np.random.default_rng(seed), 500)
    assert ((trace.tokens >= 0) & (trace.tokens < len(p))).all()
    assert (p[trace.tokens] > 0).all()
    assert (q[trace.candidates] > 0).all()
    if (p == q).all():
        assert trace.accepted.all()


@given(
    float_pairs(),
    st.lists(st.sampled_from([0.0, 5e-324, 0.5, np.nextafter(1, 0)]), min_size=1, max_size=30),
)
def test_the_ends_of_the_unit_line_pick_a_token_with_mass(pair, points):
    for law in pair:
        tokens = inverse_cdf(law, points)
        assert (law[tokens] > 0).all()
        assert (np.diff(tokens[np.argsort(points)]) >= 0).all()


def scalar_walk(drafts, q, p, uniforms, last):
    """The walk in exact arithmetic: the same floats, as Fractions, one after the other."""
    for t, x in enumerate(drafts):
        px, qx = Fraction(p[t][x]), Fraction(q[t][x])
        if px == 0 or (px < qx and Fraction(uniforms[t]) * qx >= px):
            gap = [max(float(a) - float(b), 0.0) for a, b in zip(p[t], q[t], strict=True)]
            return t, inverse_cdf(gap if any(gap) else list(p[t]), last)
    return len(drafts), inverse_cdf(list(p[-1]), last)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 5), st.booleans())
def test_the_walk_against_exact_arithmetic(seed, gamma, size, sparse):
    rng = np.random.default_rng(seed)
    weights = rng.random((2 * gamma + 1, size))
    if sparse:
        weights *= rng.random(weights.shape) < 0.6
        weights[np.arange(len(weights)), rng.integers(size, size=len(weights))] = 1.0
    laws = normalise(weights)
    q, p = laws[:gamma], laws[gamma:]
    drafts = [int(inverse_cdf(row, rng.random())) for row in q]
    uniforms = np.where(rng.random(gamma) < 0.2, 0.0, rng.random(gamma))
    trace = verify_block(drafts, q, p, uniforms, np.random.default_rng(seed))
    expected = scalar_walk(drafts, q, p, uniforms, np.random.default_rng(seed).random())
    assert (trace.num_accepted, trace.next_token) == expected
    assert p[trace.num_accepted][trace.next_token] > 0


logits = st.lists(st.floats(-700, 700), min_size=1, max_size=40)
temperatures = st.sampled_from([0.05, 0.5, 1.0, 1.7, 20.0])


@given(logits, temperatures)
def test_softmax_against_scipy_and_temper(scores, temperature):
    law = softmax(scores, temperature)
    assert law == pytest.approx(special.softmax(np.array(scores) / temperature), abs=1e-14)
    assert temper(softmax(scores), temperature) == pytest.approx(law, abs=1e-9)


@given(float_pairs(), temperatures, st.integers(1, 60), st.floats(1e-6, 1))
def test_warped_laws_are_laws_over_fewer_tokens(pair, temperature, k, mass):
    p = pair[0]
    for law in (temper(p, temperature), top_k(p, k), top_p(p, mass), warp(p, temperature, k, mass)):
        assert law.sum() == pytest.approx(1)
        assert (law[p == 0] == 0).all()
    assert (top_k(p, k) > 0).sum() <= k
    kept = top_p(p, mass) > 0
    assert p[kept].sum() >= mass - 1e-9
    assert p[kept].min() >= p[~kept].max(initial=0)
    # Without its smallest token the nucleus falls short.
    assert p[kept].sum() - p[kept].min() < mass + 1e-9


@given(exact_pairs(), st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_samples_follow_the_target(pair, seed):
    p, q = pair
    trace = speculative_trace(p, q, np.random.default_rng(seed), 4000)
    expected = p.astype(float) * 4000
    seen = trace.emitted_counts
    assert (seen[expected == 0] == 0).all()
    # Rare tokens are put together, so that the chi-square law holds.
    rare = (expected < 20) & (expected > 0)
    cells = [(seen[x], expected[x]) for x in np.flatnonzero((expected > 0) & ~rare)]
    if rare.any():
        cells.append((seen[rare].sum(), expected[rare].sum()))
    counts, wanted = np.array(cells).T
    if len(cells) > 1 and wanted.min() > 1:
        wanted *= counts.sum() / wanted.sum()
        assert stats.chisquare(counts, wanted).pvalue > FALSE_ALARM


def test_the_law_of_torchs_own_draws():
    # Two samplers of one law, neither told of the other: the two-sample test.
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(1)
    p, q = rng.dirichlet(np.ones(12), 2)
    ours = speculative_trace(p, q, rng, 50_000).emitted_counts
    drawn = torch.multinomial(
        torch.tensor(p), 50_000, replacement=True, generator=torch.Generator().manual_seed(2)
    )
    theirs = np.bincount(drawn.numpy(), minlength=12)
    assert stats.chi2_contingency([ours, theirs]).pvalue > FALSE_ALARM


def test_numpys_own_draws_and_ours():
    rng = np.random.default_rng(3)
    p, q = rng.dirichlet(np.ones(40), 2)
    ours = speculative_trace(p, q, rng, 100_000).emitted_counts
    assert stats.chi2_contingency([ours, rng.multinomial(100_000, p)]).pvalue > FALSE_ALARM
