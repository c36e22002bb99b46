"""The published numbers of every fault, three decimals or Fractions."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from draftproof import verifiers
from draftproof.lab.broken import GALLERY
from draftproof.lab.broken_fault import LawFault, ValueFault
from draftproof.lab.broken_noise import coin_again, race_again
from draftproof.lab.broken_verdicts import GRID

ONE_TOKEN = {
    "greedy-draft-softmax-q": ((0.6, 0.4), (0.8, 0.2), (0.75, 0.25)),
    "raw-q-warped-draw": ((0.5, 0.3, 0.2), (0.5, 0.25, 0.25), (0.667, 0.333, 0.0)),
    "resample-from-p": ((0.6, 0.3, 0.1), (0.2, 0.3, 0.5), (0.44, 0.42, 0.14)),
    "uniform-stuck-at-zero": ((0.6, 0.3, 0.1), (0.2, 0.3, 0.5), (0.2, 0.3, 0.5)),
    "resample-reuses-draft-noise": (
        (0.5, 0.3, 0.1, 0.1),
        (0.1, 0.2, 0.3, 0.4),
        (0.541, 0.259, 0.1, 0.1),
    ),
    "drop-unsure-sampled-token": ((0.5, 0.5), (0.9, 0.1), (0.55, 0.45)),
    "lenience": ((0.6, 0.4), (0.8, 0.2), (0.8, 0.2)),
    "without-replacement-stale-q": (
        (0.4, 0.3, 0.2, 0.1),
        (0.1, 0.2, 0.3, 0.4),
        (0.357, 0.343, 0.2, 0.1),
    ),
    "retry-against-stale-p": ((0.5, 0.3, 0.2), (0.2, 0.3, 0.5), (0.35, 0.39, 0.26)),
    "over-the-largest-p": ((0.5, 0.3, 0.2), (0.2, 0.3, 0.5), (0.62, 0.18, 0.2)),
    "greedy-test-of-sampled-text": ((0.5, 0.3, 0.2), (0.2, 0.3, 0.5), (1.0, 0.0, 0.0)),
    "correction-reuses-the-coin": ((0.4, 0.4, 0.2), (0.2, 0.2, 0.6), (0.3, 0.5, 0.2)),
}


def floats(law) -> list[float]:
    return [float(mass) for mass in np.ravel(law)]


@pytest.mark.parametrize("name", ONE_TOKEN)
def test_one_token(name: str) -> None:
    fault = GALLERY[name]
    p, q, law = ONE_TOKEN[name]
    assert isinstance(fault, LawFault)
    assert floats(fault.p) == pytest.approx(p, abs=1e-12)
    assert floats(fault.q) == pytest.approx(q, abs=1e-12)
    assert floats(fault.law) == pytest.approx(law, abs=5e-4)
    assert list(fault.wanted) == list(fault.p)


def test_one_uniform_for_the_block() -> None:
    fault = GALLERY["one-uniform-for-the-block"]
    assert fault.law[0, 0] == Fraction(45, 100)
    assert fault.law[0, 1] == Fraction(5, 100)
    assert fault.wanted[0, 0] == fault.wanted[0, 1] == Fraction(1, 4)


def test_block_rule_by_token_rule() -> None:
    fault = GALLERY["block-rule-by-token-rule"]
    assert fault.law[0, 0] == pytest.approx(0.265, abs=5e-4)
    assert fault.wanted[0, 0] == Fraction(1, 9)


def test_accept_at_equality() -> None:
    fault = GALLERY["accept-at-equality"]
    assert list(fault.law) == [Fraction(1, 2 * GRID), 1 - Fraction(1, 2 * GRID)]
    # The case itself: u = 0 and p = 0. The strict test rejects.
    trace = verifiers.token.draw([0], [fault.q], [fault.p] * 2, [0.0], np.random.default_rng(0))
    assert trace.num_accepted == 0
    assert trace.tokens == (1,)


VALUES = {
    "count-past-first-rejection": (0, 1),
    "rate-counts-the-bonus": (Fraction(1, 2), Fraction(3, 5)),
    "eos-inside-the-block": ((5, 7, 1, 4, 2), (5, 7, 1, 4, 2, 6, 3, 3, 1)),
    "one-token-too-many": ((5, 7, 1, 4, 2), (5, 7, 1, 4, 2, 6)),
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name: str) -> None:
    fault = GALLERY[name]
    assert isinstance(fault, ValueFault)
    assert (fault.right_value, fault.wrong_value) == VALUES[name]


def test_zero_over_zero() -> None:
    fault = GALLERY["zero-over-zero"]
    assert list(fault.right_value) == [0.5, 0.5]
    assert np.isnan(fault.wrong_value).all()


def test_cache_off_by_one() -> None:
    """With p = q every draft is accepted for ever, unless the cache has holes."""
    fault = GALLERY["cache-off-by-one"]
    assert fault.right_value == (3, 3, 3, 3)
    wrong = fault.wrong_value
    assert wrong[0] == 3
    assert all(later < earlier for earlier, later in pairwise(wrong))


def test_unseeded_neighbour() -> None:
    fault = GALLERY["unseeded-neighbour"]
    law, seeds, n = fault.case
    alone = seeds[:1]
    assert fault.right(law, seeds, n) == fault.right(law, alone, n)
    assert fault.wrong(law, seeds, n) != fault.wrong(law, alone, n)


def test_one_sided_warp() -> None:
    fault = GALLERY["one-sided-warp"]
    assert list(fault.wanted > 0) == [True, True, False, False]
    assert list(fault.law) == list(fault.p)  # support outside the target's warped support


def test_top_k_with_ties() -> None:
    fault = GALLERY["top-k-with-ties"]
    assert floats(fault.wanted) == [1, 0, 0]
    assert floats(fault.law) == pytest.approx([0.5, 0.5, 0])


def test_vocabulary_mismatch() -> None:
    fault = GALLERY["vocabulary-mismatch"]
    assert fault.wanted[-1] == 0
    assert fault.law[-1] == Fraction(1, 5)


def test_the_second_race_against_simulation() -> None:
    q, r = np.array([0.3, 0.3, 0.4]), np.array([0.6, 0.1, 0.3])
    times = np.random.default_rng(0).exponential(size=(400_000, 3))
    first, second = (times / q).argmin(axis=1), (times / r).argmin(axis=1)
    for x in range(3):
        law = race_again(x, q, r)
        assert law.sum() == pytest.approx(1)
        seen = np.bincount(second[first == x], minlength=3) / (first == x).sum()
        assert seen == pytest.approx(law, abs=0.006)  # six standard deviations


def test_a_used_coin_against_simulation() -> None:
    law = np.array([Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)], dtype=object)
    assert list(coin_again(law, Fraction(0))) == list(law)
    assert list(coin_again(law, Fraction(1, 3))) == [0, Fraction(1, 4), Fraction(3, 4)]
    rng, h = np.random.default_rng(1), 0.2
    looked_up = np.searchsorted([1 / 6, 1 / 2, 1], h + (1 - h) * rng.random(200_000), side="right")
    seen = np.bincount(looked_up, minlength=3) / 200_000
    wanted = coin_again(law.astype(float), h)
    assert seen == pytest.approx(wanted, abs=0.006)  # more than five standard deviations
