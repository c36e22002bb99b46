"""Random laws with zeros, denormals, near-equal pairs, single tokens, disjoint supports."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draftproof import lab, verifiers
from draftproof.finite import inverse_cdf, normalise
from draftproof.verifiers import best_cut, optimal_transport_bound, transport_plan
from draftproof.verifiers.shapes import children, nodes

EXACT = [
    verifiers.token,
    verifiers.sample_match,
    verifiers.one_hot,
    verifiers.top_k(2),
    verifiers.block,
    verifiers.recursive(2),
    verifiers.recursive(2, replacement=False),
    verifiers.tree((2, 1)),
]
INEXACT = [
    verifiers.greedy,
    verifiers.lenience(0.5),
    verifiers.lenience(1e-300),
    verifiers.typical(),
    verifiers.typical(1.0, 1.0),
]
FEW = settings(max_examples=60, deadline=None)
MASSES = st.one_of(
    st.just(0.0),
    st.sampled_from([5e-324, 1e-310, 2.3e-308, 1e-17, 1.0, 1e300]),
    st.floats(0, 1),
)


@st.composite
def weights(draw, size: int):
    found = draw(st.lists(MASSES, min_size=size, max_size=size))
    return found if any(found) else [1.0, *found[1:]]


@st.composite
def pairs(draw):
    """Return p and q: unrelated, a rounding error apart, equal, or with nothing in common."""
    size = draw(st.integers(1, 5))
    p = normalise(draw(weights(size)))
    kind = draw(st.sampled_from(["any", "near", "equal", "disjoint"]))
    if kind == "near":
        steps = draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=size, max_size=size))
        return p, normalise(np.maximum(p + np.array(steps) * np.spacing(p), 0))
    if kind == "disjoint" and size > 1:
        side = np.arange(size) < draw(st.integers(1, size - 1))
        base = normalise(np.array(draw(weights(size))) + 1e-3)
        return normalise(base * side), normalise(base * ~side)
    return (p, p) if kind == "equal" else (p, normalise(draw(weights(size))))


def drafted(rule, q, gamma, rng):
    tokens: list[int] = []
    for family in children(rule.branching(gamma)):
        ways = list(rule.propose(q, len(family)))
        tokens += ways[inverse_cdf([float(w) for w, _ in ways], rng.random())][1]
    return tokens


@pytest.mark.parametrize("rule", [*EXACT, *INEXACT, verifiers.top_k(3)], ids=repr)
@FEW
@given(pair=pairs(), seed=st.integers(0, 2**32), edge=st.sampled_from([None, 0.0, 1 - 2**-53]))
def test_no_nan_no_impossible_token(rule, pair, seed, edge) -> None:
    p, q = pair
    rng = np.random.default_rng(seed)
    tokens = drafted(rule, q, 2, rng)
    n = nodes(rule.branching(2))
    assert len(tokens) == n
    rows = np.array([q] * len(children(rule.branching(2)))), np.array([p] * (n + 1))
    law = rule.law(tokens, *rows)
    assert np.isfinite(law).all()
    assert (law >= 0).all()
    assert law.sum() == pytest.approx(1, abs=1e-9)
    assert (law[:, p == 0] == 0).all()
    u = rng.random(n) if edge is None else np.full(n, edge)
    trace = rule.draw(tokens, *rows, u, rng)
    for token in trace.tokens:
        assert 0 <= token < len(p)
        assert p[token] > 0


def test_no_mass_is_negative_by_rounding() -> None:
    """Here (m + 1) - w came out below m, and a prefix passed with more than probability 1."""
    p, q = np.array([1.0, 0.0]), np.array([3 / 5, 1 - 3 / 5])
    law = verifiers.block.law([0, 1], [q, q], [p, p, p])
    assert (law >= 0).all()
    assert law[1, 0] == 1


NODEWISE = [rule for rule in EXACT if rule is not verifiers.block]


@pytest.mark.parametrize("rule", [*NODEWISE, verifiers.top_k(1), verifiers.top_k(4)], ids=repr)
@FEW
@given(pair=pairs())
def test_laws_are_exact_up_to_rounding(rule, pair) -> None:
    p, q = pair
    kept, fixed = rule.step(q, p, rule.branching(rule.depth or 1)[0])
    assert np.isfinite(kept + fixed).all()
    np.testing.assert_allclose(kept + fixed, p, rtol=0, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(pair=pairs(), gamma=st.integers(1, 2))
def test_block_is_exact_up_to_rounding(pair, gamma) -> None:
    """Its first token follows p whatever was drafted, and so does the second."""
    p, q = pair
    law = lab.output_array(verifiers.block, lambda _: p, lambda _: q, (), gamma, 2)
    assert np.isfinite(law).all()
    np.testing.assert_allclose(law, np.outer(p, p), rtol=0, atol=1e-9)


@FEW
@given(pair=pairs())
def test_greedy_emits_the_argmax(pair) -> None:
    p, q = pair
    kept, fixed = verifiers.greedy.step(q, p)
    np.testing.assert_array_equal(kept + fixed, np.arange(len(p)) == p.argmax())


@FEW
@given(pair=pairs(), factor=st.floats(1e-3, 1))
def test_lenience_forgives_no_more_than_it_says(pair, factor) -> None:
    p, q = pair
    kept, fixed = verifiers.lenience(factor).step(q, p)
    np.testing.assert_allclose(kept, np.minimum(q, p / factor) * (p > 0), rtol=1e-12, atol=1e-300)
    assert (kept + fixed).sum() == pytest.approx(1, abs=1e-12)


@FEW
@given(pair=pairs(), factor=st.sampled_from([1.0, 0.5, 1e-300]))
def test_inexact_rules_are_laws_too(pair, factor) -> None:
    p, q = pair
    for rule in (verifiers.lenience(factor), verifiers.typical(), verifiers.greedy):
        kept, fixed = rule.step(q, p)
        assert (kept + fixed)[p == 0].sum() == 0
        assert (kept + fixed).sum() == pytest.approx(1, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(pair=pairs(), replacement=st.booleans())
def test_bounds_bound(pair, replacement) -> None:
    p, q = pair
    kept = verifiers.recursive(2, replacement).step(q, p, 2)[0].sum()
    cut = best_cut(p, q, 2, replacement).bound
    assert kept <= cut + 1e-12
    assert optimal_transport_bound(p, q, 2, replacement) == pytest.approx(cut, abs=1e-8)
    plan = transport_plan(p, q, 2, replacement)
    assert plan.accepted == pytest.approx(cut, abs=1e-6)
    assert sum(plan.moves.values()) == pytest.approx(1, abs=1e-6)
