"""Softmax, temperature, top-k, top-p: against scipy, against torch, against brute force."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import special

from draftproof.finite import overlap
from draftproof.warp import softmax, temper, top_k, top_p, warp

P = np.array([0.4, 0.1, 0.3, 0.2])


@pytest.mark.parametrize("temperature", [0.1, 0.5, 1, 2.5])
def test_softmax_against_scipy(temperature):
    logits = np.random.default_rng(1).normal(0, 10, (5, 40))
    theirs = special.softmax(logits / temperature, axis=-1)
    assert softmax(logits, temperature) == pytest.approx(theirs, abs=1e-15)


def test_softmax_against_torch():
    torch = pytest.importorskip("torch")
    logits = np.random.default_rng(2).normal(0, 5, (3, 30))
    logits[0, :5] = -np.inf
    theirs = torch.softmax(torch.tensor(logits), dim=-1).numpy()
    assert softmax(logits) == pytest.approx(theirs, abs=1e-15)


def test_softmax_at_the_ends():
    assert softmax([1.0, 1.0, 0.5], 0).tolist() == [1, 0, 0]
    assert softmax([1e308, -1e308]).tolist() == [1, 0]
    assert softmax([0.0, -1.0], 1e-320).tolist() == [1, 0]
    assert softmax([0.0, -1.0], 1e100) == pytest.approx([0.5, 0.5])
    assert softmax([-np.inf, 3.0]).tolist() == [0, 1]
    assert softmax([Fraction(1), Fraction(1)]).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("temperature", [0.25, 0.7, 1.0, 3.0])
def test_temper_is_softmax_of_the_logarithm(temperature):
    assert temper(P, temperature) == pytest.approx(softmax(np.log(P), temperature), abs=1e-15)


def test_temper_of_fractions_is_exact_where_it_can_be():
    p = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]
    assert temper(p, Fraction(1, 2)).tolist() == [Fraction(2, 3), Fraction(1, 6), Fraction(1, 6)]
    assert temper(p, 0.5).tolist() == temper(p, Fraction(1, 2)).tolist()
    assert temper(p, 0.1).tolist() == temper(p, Fraction(1, 10)).tolist()
    assert [type(mass) for mass in temper(p, 0)] == [Fraction, Fraction, Fraction]
    assert temper(p, 2).dtype == np.float64


def test_a_tiny_temperature_of_fractions_does_not_hang():
    assert temper(
        [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], Fraction(1, 2**40)
    ).tolist() == [1, 0, 0]


def test_numpy_numbers_are_numbers():
    assert temper([0.5, 0.5], np.float32(0.5)).tolist() == [0.5, 0.5]
    assert top_k(P, np.int64(1)).tolist() == [1, 0, 0, 0]


def test_temperature_keeps_ruled_out_tokens_out():
    assert temper([0.5, 0.0, 0.5], 1e9)[1] == 0


def test_top_k_keeps_the_largest():
    assert top_k(P, 2) == pytest.approx([4 / 7, 0, 3 / 7, 0])
    assert top_k(P, 99) == pytest.approx(P)
    assert top_k([0.25] * 4, 2).tolist() == [0.5, 0.5, 0, 0]  # ties by the lowest index
    assert top_k([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], 2).tolist() == [
        Fraction(3, 5),
        Fraction(2, 5),
        0,
    ]


def test_top_p_keeps_the_fewest_that_reach_the_mass():
    assert top_p(P, 0.5) == pytest.approx([4 / 7, 0, 3 / 7, 0])
    assert top_p(P, 0.4).tolist() == [1, 0, 0, 0]
    assert top_p(P, 1e-9).tolist() == [1, 0, 0, 0]
    assert top_p(P, 1).tolist() == P.tolist()


def test_top_p_of_fractions_takes_a_float_as_its_decimal():
    p = [Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)]
    assert (
        top_p(p, 0.8).tolist()
        == top_p(p, Fraction(4, 5)).tolist()
        == [Fraction(5, 8), Fraction(3, 8), 0]
    )


def test_top_p_against_brute_force():
    rng = np.random.default_rng(3)
    for _ in range(300):
        weights = [int(w) for w in rng.integers(0, 5, rng.integers(1, 8))]
        weights[0] += 1
        p = [Fraction(w, sum(weights)) for w in weights]
        mass = Fraction(int(rng.integers(1, 20)), 20)
        order = sorted(range(len(p)), key=lambda x: (-p[x], x))
        count = next(k for k in range(1, len(p) + 1) if sum(p[x] for x in order[:k]) >= mass)
        kept = order[:count] if mass < 1 else order
        total = sum(p[x] for x in kept)
        assert top_p(p, mass).tolist() == [p[x] / total if x in kept else 0 for x in range(len(p))]


def test_batches_are_warped_row_by_row():
    rows = np.random.default_rng(4).dirichlet(np.ones(6), 5)
    for function, value in ((temper, 0.5), (temper, 0), (top_k, 3), (top_p, 0.7)):
        assert (function(rows, value) == [function(row, value) for row in rows]).all()


def test_warp_is_its_parts_in_order():
    assert (warp(P, 0.5, 3, 0.6) == top_p(top_k(temper(P, 0.5), 3), 0.6)).all()
    assert warp(P).tolist() == P.tolist()


def test_temperature_moves_the_overlap_either_way():
    p, q = (
        [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)],
        [Fraction(1, 2), Fraction(3, 8), Fraction(1, 8)],
    )
    half = Fraction(1, 2)
    assert overlap(p, q) == Fraction(7, 8)
    assert overlap(temper(p, half), temper(q, half)) == Fraction(32, 39)
    assert overlap(temper(p, 1e6), temper(q, 1e6)) == pytest.approx(1, abs=1e-5)


def grid(size):
    """Settings as a reader makes them: whole k, steps of 1/20 for the mass."""
    return [(k, Fraction(m, 20)) for k in range(1, size + 2) for m in range(1, 21)]


LAWS = ["6 2 1 1", "4 3 2 1", "10 6 3 1", "9 10 1", "4 2 2", "1 7", "5 0 5"]


@pytest.mark.parametrize("law", LAWS)
def test_floats_keep_the_tokens_that_fractions_keep(law):
    """Rounding in a running sum must not tip top-p: 0.4 + 0.3 + 0.2 reaches 0.9."""
    weights = [int(w) for w in law.split()]
    exact = [Fraction(w, sum(weights)) for w in weights]
    for k, mass in grid(len(weights)):
        ours = warp(np.array(exact, dtype=float), 1.0, k, float(mass))
        wanted = warp(exact, 1, k, mass)
        assert ours == pytest.approx(wanted.astype(float), abs=1e-12), (k, mass)


def test_a_warp_that_drops_nothing_changes_nothing():
    q = np.array([0.6, 0.2, 0.1, 0.1])
    rows = np.random.default_rng(5).dirichlet(np.ones(7), 40)
    for law in (q, rows):
        size = law.shape[-1]
        for k in (size, size + 1, 10**6):
            assert (top_k(law, k) == law).all()
            assert (warp(law, 1.0, k, 1.0) == law).all()
        assert (top_p(law, 1 - 1e-15) == law).all()
        assert (warp(law, 1) == law).all()
    mixed = np.array([[0.1, 0.2, 0.7], [0.3, 0.7, 0.0]])  # the second row has no third token
    assert (top_k(mixed, 2)[1] == mixed[1]).all()
    assert top_k(mixed, 2)[0] == pytest.approx([0, 2 / 9, 7 / 9])
