"""Laws over a finite vocabulary: checks, overlap, distances, draws."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from draftproof import finite
from draftproof._inverse import last_with_mass, turn_many
from draftproof.examples import toy
from draftproof.finite import (
    TOLERANCE,
    as_exact,
    as_law,
    as_number,
    as_pair,
    check_number,
    check_size,
    draw,
    inverse_cdf,
    is_exact,
    normalise,
    overlap,
    show_value,
    total_variation,
)
from draftproof.noise import empirical_law
from draftproof.warp import softmax

# A right sampler fails a chi-square test below with this probability, once for each fixed seed.
FALSE_ALARM = 1e-6


def fits(tokens, law):
    """Whether tokens may come from a law: the chi-square test at the stated false-alarm rate."""
    law = np.asarray(law, dtype=float)
    counts = np.bincount(tokens, minlength=len(law))
    assert (counts[law == 0] == 0).all()
    held = law > 0
    return (
        held.sum() == 1
        or stats.chisquare(counts[held], law[held] / law.sum() * len(tokens)).pvalue > FALSE_ALARM
    )


def scalar_inverse(weights, u):
    """The definition, one token at a time."""
    total = sum(weights)
    running = 0.0
    for token, weight in enumerate(weights):
        running += weight
        if running > u * total:
            return token
    return max(token for token, weight in enumerate(weights) if weight > 0)


def test_a_law_keeps_its_numbers():
    law = as_law([0.5, 0.3, 0.2])
    assert law.dtype == np.float64
    assert law.tolist() == [0.5, 0.3, 0.2]


def test_fractions_stay_fractions():
    law = as_law([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)])
    assert is_exact(law)
    assert law.tolist() == [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    assert all(type(mass) is Fraction for mass in as_law([Fraction(1), 0, 0]))


def test_numpy_integers_inside_fractions_do_not_overflow():
    law = as_law(np.array([np.int64(1), Fraction(0)], dtype=object))
    assert law[0] * 2**80 == 2**80


def test_object_arrays_of_floats_are_floats():
    law = as_law(np.array([0.25, 0.75], dtype=object))
    assert law.dtype == np.float64


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_every_precision_is_checked_at_its_own_tolerance(dtype):
    rng = np.random.default_rng(1)
    law = rng.random(50).astype(dtype)
    law = (law / law.sum()).astype(dtype)
    checked = as_law(law)
    assert abs(checked.sum() - 1) < 1e-6  # and may be checked again further on
    assert as_law(checked).tolist() == checked.tolist()


def test_low_precision_laws_pass_through_the_whole_rule():
    # A float16 law is off by up to 1e-2, far from what float64 forgives.
    rng = np.random.default_rng(2)
    half = rng.random((2, 300)).astype(np.float16)
    p, q = (half / half.sum(axis=1, keepdims=True)).astype(np.float16)
    assert 0 < overlap(p, q) < 1
    assert draw(p, rng) < 300


def test_batches_are_checked_row_by_row():
    assert as_law([[0.5, 0.5], [1, 0]]).shape == (2, 2)
    with pytest.raises(ValueError, match="sum"):
        as_law([[0.5, 0.5], [1, 0.5]])
    assert as_law(np.zeros((0, 3))).shape == (0, 3)


def test_pairs_are_exact_only_together():
    exact, mixed = (
        as_pair([1, 0], [Fraction(1, 2), Fraction(1, 2)]),
        as_pair([0.5, 0.5], [Fraction(1, 2), Fraction(1, 2)]),
    )
    assert all(is_exact(law) for law in exact)
    assert [law.dtype for law in mixed] == [np.float64, np.float64]
    objects = as_pair(np.array([0.5, 0.5], dtype=object), [Fraction(1, 2), Fraction(1, 2)])
    assert [law.dtype for law in objects] == [np.float64, np.float64]


def test_overlap_never_leaves_the_unit_interval():
    rng = np.random.default_rng(3)
    for _ in range(200):
        p = normalise(rng.random(37))
        assert overlap(p, p) <= 1
        assert 0 <= total_variation(p, p[::-1]) <= 1


def test_total_variation_is_the_largest_gap_of_an_event():
    p, q = (
        [Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)],
        [Fraction(1, 5), Fraction(3, 10), Fraction(1, 2)],
    )
    events = [[x for x in range(3) if code >> x & 1] for code in range(8)]
    largest = max(abs(sum(p[x] for x in event) - sum(q[x] for x in event)) for event in events)
    assert total_variation(p, q) == largest == 1 - overlap(p, q)


@pytest.mark.parametrize(
    "weights", [[1e308, 1e308], [5e-324, 5e-324], [1e-320, 3e-320], [1e300, 1e-300]]
)
def test_normalise_survives_the_ends_of_the_floats(weights):
    law = normalise(weights)
    assert np.isfinite(law).all()
    assert law.sum() == pytest.approx(1)


def test_inverse_cdf_is_the_definition():
    rng = np.random.default_rng(4)
    for _ in range(50):
        weights = rng.random(rng.integers(1, 9)) * rng.integers(0, 2, 1)
        weights[rng.integers(len(weights))] = 1.0
        points = np.r_[rng.random(20), 0.0, np.nextafter(1, 0)]
        law = normalise(weights)
        assert inverse_cdf(law, points).tolist() == [scalar_inverse(law, u) for u in points]


def test_inverse_cdf_of_a_batch_takes_one_uniform_a_row():
    rows = normalise(np.random.default_rng(5).random((7, 4)))
    points = np.random.default_rng(6).random(7)
    one_by_one = [inverse_cdf(row, u) for row, u in zip(rows, points, strict=True)]
    assert inverse_cdf(rows, points).tolist() == one_by_one


def test_no_token_without_mass_at_the_ends_of_the_line():
    weights = [0, 0, 1, 0, 1, 0]
    assert inverse_cdf(weights, 0.0) == 2
    assert inverse_cdf(weights, np.nextafter(1, 0)) == 4
    assert last_with_mass(np.array(weights)) == 4


def ragged(size):
    rng = np.random.default_rng(size)
    weights = rng.random(size) ** 8 * (rng.random(size) < 0.7)
    weights[-1] = 0.3
    return weights


@pytest.mark.parametrize(
    "weights",
    [*map(ragged, (1, 2, 17, 500, 5000)), *map(np.ones, (3, 10, 1000, 1024))],
    ids=lambda weights: str(len(weights)),
)
def test_the_fast_path_gives_the_tokens_of_the_plain_search(weights):
    law = normalise(weights)
    cdf = law.cumsum()
    borders = np.minimum(np.r_[cdf / cdf[-1], np.arange(1000) / 1000], np.nextafter(1, 0))
    random = np.random.default_rng(7).random(20_000)
    points = np.r_[random, borders, np.nextafter(borders, 0), np.nextafter(borders, 1)]
    points = np.minimum(points, np.nextafter(1, 0))
    fast = turn_many(law, points.shape, iter([points]))
    plain = np.searchsorted(cdf, points * cdf[-1], side="right")
    assert (fast == np.minimum(plain, last_with_mass(law))).all()


@pytest.mark.parametrize("size", [1, 3, 18, 1000])
def test_draw_follows_the_law(size):
    rng = np.random.default_rng(size)
    law = normalise(rng.random(size) + 0.05)
    assert fits(draw(law, rng, 200_000), law)


def test_draw_uses_the_generator_as_documented():
    law = [0.5, 0.25, 0.25]
    one = draw(law, np.random.default_rng(8), 40_000)
    other = inverse_cdf(law, np.random.default_rng(8).random(40_000))
    assert (one == other).all()
    assert isinstance(draw(law, np.random.default_rng(8)), int)
    assert draw(law, np.random.default_rng(8), (2, 3)).shape == (2, 3)


def test_numbers_and_sizes():
    assert as_number(np.float64(0.5)) == 0.5
    assert type(as_number(np.int64(3))) is int
    assert check_number(np.float32(0.5), "x", 0, 1) == 0.5
    assert as_exact(0.3) == Fraction(3, 10)
    assert check_size((2, 3)) == (2, 3)
    assert len(show_value(list(range(10**6)))) <= 80


def test_messages_show_plain_numbers():
    show = finite.show_value
    assert show(np.float64(1.1)) == "1.1"
    assert show([np.float64(1.1), np.int64(2)]) == "[1.1, 2]"
    assert show((np.float32(0.5),)) == "(0.5,)"
    assert show(list(range(30))).endswith("19, ...]")
    assert show([10**5000]) == "[a int that cannot be printed]"
    for law in ([10**5000, 1], [-(10**5000), 1], [Fraction(10**5000), 1]):
        with pytest.raises(ValueError, match=r"^p must"):
            finite.as_law(law)


def test_sizes_that_numpy_refuses():
    rng = np.random.default_rng(0)
    for size in ((1,) * 65, (0, 2**53), (2**40, 0, 2**40)):
        with pytest.raises(ValueError, match=r"^size must"):
            finite.draw([0.5, 0.5], rng, size)
    assert finite.draw([0.5, 0.5], rng, (1,) * 30).shape == (1,) * 30


def test_tensors_are_read_without_a_thought():
    torch = pytest.importorskip("torch")
    for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
        law = torch.tensor([0.3, 0.7], dtype=dtype, requires_grad=True)
        assert finite.as_law(law) == pytest.approx([0.3, 0.7], abs=2e-3)
        assert finite.as_law(law).sum() == pytest.approx(1, abs=1e-12)
        assert finite.overlap(law, [Fraction(3, 10), Fraction(7, 10)]) == pytest.approx(1, abs=2e-3)
        assert softmax(law).sum() == pytest.approx(1)
    tokens = torch.tensor([0, 1, 1])
    assert (empirical_law(tokens, 2) == [1 / 3, 2 / 3]).all()
    model = toy()[0]
    assert model.decode(tokens) == model.decode([0, 1, 1])
    with pytest.raises(ValueError, match=r"^p must"):
        finite.as_law(torch.tensor([0.3, 0.6], dtype=torch.bfloat16))
