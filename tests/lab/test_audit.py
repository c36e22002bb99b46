"""The audit: valid p-values, impossible draws, hostile samplers."""

import json
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from draftproof.bigram import joint_law
from draftproof.examples import toy
from draftproof.lab import audit, audit_sequential, calibrate, least_favourable
from draftproof.lab.audit_fit import (
    binomial_bound,
    bound_limits,
    every_table,
    fit,
    likelihood_ratio,
    make_cells,
    table_probabilities,
)
from draftproof.lab.audit_laws import read_law
from draftproof.lab.audit_report import show_p

P = np.array([0.3, 0.4, 0.3])


def rng(seed=0):
    return np.random.default_rng(seed)


def exact(law):
    return lambda n, g: g.choice(len(law), n, p=law)


def fixed(values):
    return lambda n, g: values


# Validity


@pytest.mark.parametrize("law", [(0.5, 0.5), (0.9, 0.1), (0.3, 0.4, 0.3), (0.98, 0.01, 0.01)])
@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_small_tables_give_an_exact_p_value(law, n):
    """P(p <= a) <= a for every a, added up over all tables."""
    law = np.array(law)
    tables = every_table(n, len(law))
    likely = table_probabilities(tables, law)
    assert likely.sum() == pytest.approx(1)
    p_values = np.array([fit(table, law, rng()).p_value for table in tables])
    for a in np.unique(p_values):
        assert likely[p_values <= a].sum() <= a + 1e-12
    # and not needlessly large: the p-value of a table is the probability of what is as surprising
    assert p_values.max() == pytest.approx(1)


def test_every_table_counts():
    tables = every_table(5, 3)
    assert len(tables) == 21
    assert (tables.sum(axis=1) == 5).all()
    assert len({tuple(row) for row in tables.tolist()}) == 21


def test_table_probabilities_agree_with_scipy():
    law = np.array([0.2, 0.5, 0.3])
    tables = every_table(6, 3)
    expected = [stats.multinomial.pmf(row, 6, law) for row in tables]
    np.testing.assert_allclose(table_probabilities(tables, law), expected, rtol=1e-10)


def test_statistic_agrees_with_scipy():
    counts = np.array([31, 52, 17])
    wanted = stats.power_divergence(counts, 100 * P, lambda_="log-likelihood").statistic
    assert likelihood_ratio(counts, P) == pytest.approx(wanted)


def test_binomial_bound_agrees_with_scipy():
    counts, law, n = np.array([3, 0, 97]), np.array([0.05, 0.05, 0.9]), 100
    tails = [
        min(stats.binom.cdf(c, n, p), stats.binom.sf(c - 1, n, p))
        for c, p in zip(counts, law, strict=True)
    ]
    assert binomial_bound(counts, law) == pytest.approx(2 * 3 * min(tails))


def test_bound_limits_are_the_bound_turned_round():
    law, n, alpha = np.array([0.5, 0.3, 0.199, 0.001]), 40, 1e-3
    low, high = bound_limits(n, law, alpha)
    for cell in range(4):
        for count in range(n + 1):
            tail = min(
                stats.binom.cdf(count, n, law[cell]), stats.binom.sf(count - 1, n, law[cell])
            )
            assert (count <= low[cell] or count >= high[cell]) == (8 * tail <= alpha)


def test_simulated_p_value_agrees_with_the_exact_one():
    counts, law = np.array([40, 80, 60]), np.array([0.3, 0.4, 0.3])
    tables = every_table(180, 3)
    g = likelihood_ratio(tables, law)
    exact_p = table_probabilities(tables, law)[g >= likelihood_ratio(counts, law) - 1e-9].sum()
    from draftproof.lab.audit_fit import _simulated

    found, floor = _simulated(180, law, float(likelihood_ratio(counts, law)), rng(), 9999)
    assert found == pytest.approx(exact_p, rel=0.3)
    assert not floor


def test_false_alarms_stay_at_the_stated_rate():
    """2,000 exact samplers of random laws and sizes, sequences and tiny counts among them."""
    found = calibrate(2000, rng(2024), alpha=0.01)
    assert found.runs == 2000
    for level in (0.001, 0.01, 0.05, 0.1, 0.25):
        assert found.too_many(level) > 1e-6, level
    # and the rate is used, not undershot by construction
    assert found.false_alarms >= 5


def test_p_values_are_uniform_where_counts_are_large():
    found = [audit(exact(P), P, 2000, g).p_value for g in rng(5).spawn(400)]
    assert stats.kstest(found, "uniform").pvalue > 1e-4


def test_the_audit_repeats_itself():
    one, two = (audit(exact(P), P, 500, rng(3)) for _ in range(2))
    assert one.p_value == two.p_value
    assert one.tv_band == two.tv_band


# What is caught


def test_a_biased_sampler_is_rejected():
    report = audit(exact([0.36, 0.34, 0.3]), P, 20_000, rng())
    assert not report.exact
    assert report.p_value < 1e-6
    assert "token" in report.reason


def test_the_detectable_bias_is_caught_and_half_of_it_is_not_always():
    n = 2000
    size = audit(exact(P), P, n, rng()).detectable
    law = least_favourable(P, size)
    caught = sum(not audit(exact(law), P, n, g).exact for g in rng(8).spawn(300))
    assert stats.binom.cdf(caught, 300, 0.99) > 1e-4
    half = least_favourable(P, size / 2)
    assert sum(not audit(exact(half), P, n, g).exact for g in rng(9).spawn(200)) < 190


def test_impossible_tokens_fail_at_once():
    law = [Fraction(1, 2), Fraction(1, 2), Fraction(0)]
    report = audit(fixed([0, 1, 2, 1]), law, 4, rng())
    assert (report.exact, report.p_value) == (False, 0.0)
    assert report.reason.startswith("token 2 has probability 0")
    for token in (3, -1, 10**9, 2**63 + 5):
        kind = np.uint64 if token > 2**62 else np.int64
        report = audit(fixed(np.array([0, token], dtype=kind)), law, 2, rng())
        assert report.p_value == 0.0
        assert f"token {min(token, 2**63 - 1)} is not in the law" in report.reason


def test_a_strange_token_counts_in_tv():
    report = audit(fixed([0, 0, 7, 7]), [1.0, 0.0], 4, rng())
    assert report.tv == pytest.approx(0.5)


def test_one_token_laws_hold():
    report = audit(fixed([0] * 9), [1.0], 9, rng())
    assert report.exact
    assert report.p_value == 1.0
    assert report.detectable == 1.0
    assert report.tv_band == (0.0, 0.0)


def test_a_denormal_mass_is_possible_and_gives_no_nan():
    law = [1.0, 5e-324]
    assert audit(fixed([0] * 50), law, 50, rng()).exact
    report = audit(fixed([0] * 49 + [1]), law, 50, rng())
    assert not report.exact
    assert 0 <= report.p_value < 1e-300
    exact_law = [1 - Fraction(1, 10**400), Fraction(1, 10**400)]
    assert audit(fixed([1] * 5), exact_law, 5, rng()).p_value < 1e-100


# Sequences


def test_sequences_as_array_and_as_dict_agree():
    law = joint_law(toy()[0], length=2)
    flat = law.reshape(-1) / law.sum()
    draws = np.stack(np.unravel_index(rng().choice(324, 3000, p=flat), (18, 18)), axis=1)
    keys = {pair: law[pair] for pair in product(range(18), repeat=2)}
    one = audit(fixed(draws), law, 3000, rng(1))
    two = audit(fixed([tuple(row) for row in draws.tolist()]), keys, 3000, rng(1))
    assert one.exact
    assert one.p_value == two.p_value
    assert one.tv == pytest.approx(two.tv)


def test_sequences_of_several_lengths():
    law = {(0,): Fraction(1, 2), (1, 0): Fraction(1, 4), (1, 1, 2): Fraction(1, 4)}
    outcomes = list(law)

    def sampler(n, g):
        return [outcomes[i] for i in g.choice(3, n, p=[0.5, 0.25, 0.25])]

    assert audit(sampler, law, 5000, rng()).exact
    padded = np.array([[0, -1, -1], [1, 1, 2]])
    assert audit(fixed(padded), law, 2, rng()).exact
    report = audit(fixed([(0,), (1, 1, 2, 0)]), law, 2, rng())
    assert report.reason.startswith("sequence (1, 1, 2, 0) is not in the law")


def test_a_bias_in_order_alone_shows_in_sequences():
    law = np.full((2, 2), 0.25)

    def paired(n, g):
        first = g.integers(0, 2, n)
        return np.stack([first, np.where(g.random(n) < 0.6, first, 1 - first)], axis=1)

    assert not audit(paired, law, 5000, rng()).exact


def test_large_vocabularies_are_pooled_and_still_exact():
    size = 20_000
    law = np.arange(1, size + 1) / np.arange(1, size + 1).sum()
    assert len(make_cells(read_law(law)).law) == 4096
    assert audit(exact(law), law, 20_000, rng()).exact
    flat = audit(lambda n, g: g.integers(0, size, n), law, 20_000, rng(), simulations=199)
    assert not flat.exact
    assert flat.p_value < 0.001


# Order


def test_a_shuffled_deck_passes_the_counts_and_fails_the_order():
    def deck(n, g):
        return g.permutation(np.arange(n) % 3)

    assert audit(deck, [1 / 3] * 3, 3000, rng()).exact
    report = audit(deck, [1 / 3] * 3, 3000, rng(), order=True)
    assert not report.exact
    assert "closer" in report.reason


def test_neighbours_that_stick_together_fail_the_order():
    def sticky(n, g):
        # the shares are right; each draw repeats the one before with probability 1/10
        fresh = g.choice(2, n)
        keep = g.random(n) < 0.1
        keep[0] = False
        return fresh[np.maximum.accumulate(np.where(keep, 0, np.arange(n)))]

    report = audit(sticky, [0.5, 0.5], 8000, rng(), order=True)
    assert not report.exact
    assert report.parts["neighbours"] < 0.01


def test_order_keeps_the_false_alarm_rate():
    alarms = sum(
        not audit(exact(P), P, 300, g, alpha=0.05, order=True).exact for g in rng(12).spawn(120)
    )
    assert stats.binom.sf(alarms - 1, 120, 0.05) > 1e-4


# Anything that returns integers


def test_torch_tensors_and_lists_are_read():
    torch = pytest.importorskip("torch")

    def tensors(n, g):
        generator = torch.Generator().manual_seed(int(g.integers(2**31)))
        return torch.multinomial(torch.tensor(P), n, True, generator=generator)

    assert audit(tensors, P, 2000, rng()).exact
    assert audit(lambda n, g: tensors(n, g)[:, None], P, 2000, rng()).exact
    assert audit(lambda n, g: tensors(n, g).tolist(), P, 2000, rng()).exact
    assert audit(lambda n, g: list(tensors(n, g)), P, 100, rng()).exact


ENDS = {(0,): 0.5, (1, 1): 0.25, (1, 2): 0.25}


@pytest.mark.parametrize(
    "form", [tuple, list, np.array, lambda row: np.array(row, dtype=np.int32), "padded", "tensors"]
)
def test_sequences_of_several_lengths_are_read(form):
    """Texts that end early come as rows of any kind; a wrong one is named as it came."""
    if form == "tensors":
        torch = pytest.importorskip("torch")
        form = torch.tensor

    def texts(n, g):
        rows = [list(ENDS)[k] for k in g.choice(3, size=n, p=list(ENDS.values()))]
        if form == "padded":
            return np.array([(*row, -1)[:2] for row in rows])
        return [form(row) for row in rows]

    assert audit(texts, ENDS, 800, rng()).exact
    if form != "padded":
        report = audit(lambda n, g: [*texts(n - 1, g), form((1, 1, 1))], ENDS, 50, rng())
        assert report.p_value == 0
        assert "(1, 1, 1) is not in the law" in report.reason


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (None, "None"),
        ([0, 1], "shape"),
        ([0, 1, 2, 1], "shape"),
        ([[0, 1, 2]], "shape"),
        ([0.0, 1.0, 2.0], "whole numbers"),
        ([0, 1, float("nan")], "whole numbers"),
        ([True, False, True], "whole numbers"),
        (["a", "b", "c"], "whole numbers"),
        ([[0], [1, 2], [0]], "shape"),
        ([0, None, 1], "whole numbers"),
        (5, "shape"),
        ([(0,), 1, (2,)], "sequences of tokens only"),
        ([[0], 1, [2]], "sequences of tokens only"),
        ([[0], [0.5, 1], [2]], "whole numbers"),
        ([0, 1, Fraction(1, 2)], "whole numbers"),
    ],
)
def test_bad_samplers_are_named(values, words):
    with pytest.raises(ValueError, match=words):
        audit(fixed(values), P, 3, rng())


@pytest.mark.parametrize(
    "law",
    [
        [],
        [0.5, 0.6],
        [-0.5, 1.5],
        [float("nan"), 1.0],
        [[0.5, 0.5]],
        np.full((2, 3), 1 / 6),
        {},
        {(0,): 0.5, "a": 0.5},
        {(0, 1.5): 1.0},
        {-1: 1.0},
        {(): 1.0},
        0.5,
    ],
)
def test_bad_laws_are_named(law):
    with pytest.raises(ValueError, match="law"):
        audit(fixed([0]), law, 1, rng())


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        ("n must", {"n": 0}),
        ("n must", {"n": 1.5}),
        ("alpha must", {"alpha": 0}),
        ("alpha must", {"alpha": 1.0}),
        ("alpha must", {"alpha": float("nan")}),
        ("simulations must", {"simulations": 10}),
        ("rng must", {"rng": 3}),
    ],
)
def test_bad_numbers_are_named(words, extra):
    given = {"n": 2, "rng": rng()} | extra
    with pytest.raises(ValueError, match=words):
        audit(fixed([0, 1]), P, **given)


def test_errors_of_the_sampler_are_its_own():
    def broken(n, g):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        audit(broken, P, 5, rng())


@settings(max_examples=25, deadline=None)
@given(
    weights=st.lists(st.floats(0, 1) | st.just(0.0) | st.just(1e-310), min_size=1, max_size=8),
    n=st.integers(1, 40),
    seed=st.integers(0, 1000),
)
def test_no_law_gives_a_nan(weights, n, seed):
    total = sum(weights)
    if not total > 1e-300:
        return
    law = np.array(weights) / total
    report = audit(exact(law / law.sum()), law, n, rng(seed))
    assert 0 <= report.p_value <= 1
    assert 0 <= report.tv <= 1
    assert 0 <= report.tv_band[0] <= report.tv_band[1] <= 1
    assert 0 < report.detectable <= 1


# The report


def test_the_report_reads_well_and_goes_to_json():
    import json

    report = audit(exact(P), P, 1000, rng())
    text = str(report)
    for words in ("not rejected", "p-value", "1\u202f000", "TV", "99 %"):
        assert words in text
    assert "<table>" in report._repr_html_()
    row = json.loads(json.dumps(report.as_dict()))
    assert row["exact"] is True
    bad = audit(fixed([5]), [1.0], 1, rng())
    assert json.loads(json.dumps(bad.as_dict()))["value"] is None
    assert "rejected: token 5" in str(bad)


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (0.8333, "0.83"),
        (0.0331, "0.033"),
        (1.336e-10, "1.3\u00a0·\u00a010⁻¹⁰"),
        (6e-218, "under 10⁻³⁰"),
        (0, "under 10⁻³⁰"),
        (1, "1.00"),
    ],
)
def test_a_p_value_is_written_without_an_e(p, shown):
    assert show_p(p) == shown


def test_the_sequential_report_says_how_far_the_bet_grew():
    bad = audit_sequential(lambda n, g: g.choice(3, n, p=[0.5, 0.3, 0.2]), P, rng())
    assert "-fold; 100-fold rejects" in str(bad)
    sure = audit_sequential(lambda n, g: np.ones(n, dtype=int), [0.9, 0.1], rng(), 1e-9)
    assert "10⁻" in str(sure) and "e-" not in str(sure).replace("e-value", "")


def test_the_band_is_that_of_the_picture():
    """Picture 6: at n = 10,900 the band's upper end for (.3, .4, .3) is near .0118."""
    low, high = audit(exact(P), P, 10_900, rng()).tv_band
    assert high == pytest.approx(0.0118, abs=0.0006)
    assert low == pytest.approx(0.001, abs=0.0003)


def test_a_law_may_be_a_dict_of_tokens_that_are_not_0_1_2():
    law = {50256: Fraction(1, 4), 11: Fraction(3, 4)}

    def sampler(n, g):
        return np.where(g.random(n) < 0.25, 50256, 11)

    assert audit(sampler, law, 2000, rng()).exact
    report = audit(fixed([11, 12]), law, 2, rng())
    assert report.reason.startswith("token 12 is not in the law")


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        ("sampler must be a callable", {"sampler": 5}),
        ("sampler must be a callable", {"sampler": None}),
        ("order must be True or False", {"order": np.array([True, False])}),
        ("law must be an array", {"law": [[0.5], [0.5, 0.5]]}),
        ("law must", {"law": [10**5000, 1]}),
        ("law must", {"law": {0: 10**5000, 1: 1}}),
    ],
)
def test_bad_arguments_are_named(words, extra):
    given = {"sampler": fixed([0, 1]), "law": P, "n": 2, "rng": rng()} | extra
    with pytest.raises(ValueError, match=words):
        audit(**given)


def test_laws_may_be_tensors():
    torch = pytest.importorskip("torch")
    plain = audit(exact([0.5, 0.5]), [0.5, 0.5], 100, rng())
    for law in (
        torch.tensor([0.5, 0.5], requires_grad=True),
        torch.tensor([0.5, 0.5], dtype=torch.bfloat16),
    ):
        assert audit(exact([0.5, 0.5]), law, 100, rng()).p_value == plain.p_value


def test_what_order_does_not_see():
    """As the docstring says: two tokens hide a shuffled deck; two steps back is not seen."""

    def deck(n, g):
        return g.permutation(np.arange(n) % 2)

    assert audit(deck, [0.5, 0.5], 10_000, rng(), order=True).exact

    def third_from_two(n, g):
        pairs = g.integers(0, 2, (n // 3, 2))
        return np.column_stack([pairs, pairs.sum(axis=1) % 2]).reshape(-1)

    assert audit(third_from_two, [0.5, 0.5], 3_000, rng(), order=True).exact


def test_reports_hold_plain_numbers() -> None:
    """Also where the audit was given numpy's: the report goes into JSON."""

    def coin(n, source):
        return source.integers(0, 2, n)

    law = np.array([0.5, 0.5])
    alpha, n = np.float64(0.01), np.int64(2000)
    found = audit(coin, law, n, rng(), alpha, order=True)
    caught = audit(lambda n, _: np.zeros(n, int), law, n, rng(), alpha)
    for report in (found, caught):
        for name in ("p_value", "alpha", "tv", "value", "detectable"):
            assert type(getattr(report, name)) is float, name
        assert type(report.n) is int
        assert {type(p) for p in report.parts.values()} == {float}
        assert {type(end) for end in report.tv_band} == {float}
        json.dumps(report.as_dict())
    running = audit_sequential(coin, law, rng(), alpha, np.int64(500))
    for name in ("p_value", "alpha", "tv", "log_e"):
        assert type(getattr(running, name)) is float, name
    assert type(running.n) is type(running.max_n) is int
    json.dumps(running.as_dict())
