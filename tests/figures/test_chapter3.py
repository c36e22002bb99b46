"""The areas and lengths drawn in chapter 3, read back from the figures."""

import numpy as np
import pytest

from draftproof import cost, toy_curves, toy_runs
from draftproof.bigram import alpha, joint_law
from draftproof.examples import toy, toy_draft
from draftproof.figures import chapter3 as figures
from draftproof.figures.words import count
from draftproof.finite import total_variation
from draftproof.noise import share_band

LAYOUTS = ("wide", "phone")
NEAR = 1e-9


def total(areas, start):
    return sum(area for key, area in areas.items() if key.startswith(start))


@pytest.fixture(params=LAYOUTS)
def layout(request):
    return request.param


@pytest.mark.parametrize("layout, room", [("wide", 48), ("phone", 22)])
def test_the_ribbon_counts_its_characters(layout, room):
    run = toy_runs.ribbon_run()
    areas = figures.token_ribbon(run, toy()[0].vocabulary, layout=layout).areas
    lengths, used = [block.num_accepted + 1 for block in run.rounds], 0
    while used + lengths[0] <= room:
        used += lengths.pop(0)
    for fate in ("accepted", "corrected", "bonus"):
        assert areas.get(fate, 0) == pytest.approx(run.fates[:used].count(fate), abs=NEAR)
    assert sum(areas.values()) == pytest.approx(used, abs=1e-6)


def test_the_ribbon_is_a_run_of_the_rule():
    run = toy_runs.ribbon_run()
    counters = run.counters
    assert counters.emitted >= len(run.tokens) == 60
    assert counters.drafted == 4 * len(run.rounds)


def test_the_ribbon_s_words_are_true_of_both_layouts():
    run = toy_runs.ribbon_run()
    plate = figures.token_ribbon(run, toy()[0].vocabulary, layout="phone")
    assert plate.alt == figures.token_ribbon(run, toy()[0].vocabulary).alt
    drawn = round(sum(plate.areas.values()))
    assert f"its first {drawn} characters: {drawn} passes against" in plate.alt


@pytest.mark.parametrize("temperature, word", [(0.5, "cooled"), (3, "heated")])
@pytest.mark.parametrize("context", ["t", "h", " "])
def test_the_caption_says_what_heat_does(temperature, word, context):
    row, before = toy_runs.row_at(context, 0.3, temperature), toy_runs.row_at(context, 0.3)
    caption = figures.one_context(row, None, before, temperature=temperature).caption
    assert f": {word} to T = " in caption
    assert ("longer" in caption) == (row.beta < before.beta)
    assert ("agree" in caption) == (np.argmax(row.p) == np.argmax(row.q))


def test_every_row_of_the_toy_fills_what_it_cuts(layout):
    rows = toy_runs.context_rows()
    areas = figures.whole_toy(rows, layout=layout).areas
    assert len(rows) == 19
    for row in rows:
        kept = areas[f"accepted/{row.context}"]
        assert kept == pytest.approx(row.beta, abs=1e-6)
        assert areas[f"rejected/{row.context}"] == pytest.approx(1 - row.beta, abs=1e-6)
        assert areas[f"residual/{row.context}"] == pytest.approx(1 - row.beta, abs=1e-6)


@pytest.mark.parametrize(
    "weight, context, temperature",
    [(0, "^", 0), (0.3, "^", 0.5), (0.3, " ", 1), (1, "t", 1), (0, "h", 1), (0.9, "w", 5)],
)
def test_one_context_in_every_setting(weight, context, temperature, layout):
    row = toy_runs.row_at(context, weight, temperature)
    plate = figures.one_context(row, temperature=temperature, layout=layout)
    assert plate.faults() == []
    areas = plate.areas
    assert total(areas, "kept") == pytest.approx(row.beta, abs=NEAR)
    assert total(areas, "cut") == pytest.approx(1 - row.beta, abs=NEAR)
    assert total(areas, "filled") == pytest.approx(1 - row.beta, abs=NEAR)
    for strip in ("pool/rejected", "pool/residual"):
        assert areas.get(strip, 0) == pytest.approx(1 - row.beta, abs=NEAR)
    for k, name in enumerate(row.vocabulary):
        drawn = areas[f"kept/{name}"] + areas.get(f"filled/{name}", 0)
        assert drawn == pytest.approx(row.p[k], abs=NEAR)


def test_the_summary_is_the_exact_chain():
    target, draft = toy()[0], toy_draft(0.3)
    a, gamma, tokens = toy_curves.summary(0.3, 4)
    assert (a, gamma) == (alpha(target, draft), 4)
    assert tokens == cost.tokens_per_call(target.chain, draft.chain, 4)
    plate = figures.one_context(toy_runs.row_at("t"), (a, gamma, tokens))
    assert "0.8081" in plate.alt and "3.4155" in plate.alt


def test_the_bands_of_single_tokens():
    checks, low, high = toy_runs.gap_results()
    assert [c.name for c in checks] == ["plain", "speculative", "redraw"]
    law = toy()[0].law("t")
    wanted = share_band(law, 200_000)
    assert np.array_equal(low, wanted[0]) and np.array_equal(high, wanted[1])
    for check in checks[:2]:
        assert check.gap_band[0] < check.largest_gap < check.gap_band[2]
    redraw = checks[2]
    assert redraw.largest_gap > 10 * redraw.gap_band[2]
    assert np.all((redraw.shares < low) | (redraw.shares > high))


@pytest.mark.parametrize("n", [2_000, 20_000, 200_000])
def test_the_bands_can_be_drawn_for_every_size(n, layout):
    plate = figures.gap_bands(*toy_runs.gap_results(n, 3), toy()[0].vocabulary, layout=layout)
    assert plate.faults() == []
    assert f"{count(n)} draws" in plate.alt


def test_noise_quantiles_are_those_of_an_exact_sampler():
    plain = toy_runs.one_token_checks()[0]
    assert plain.gap_band == pytest.approx([0.00069, 0.00109, 0.00188], rel=0.04)
    exact, faulty = toy_runs.pair_checks()
    assert exact.tv_band == pytest.approx([0.01455, 0.01566, 0.01680], rel=0.01)
    assert exact.tv_band[0] < exact.tv < exact.tv_band[2]
    assert faulty.tv > 5 * exact.tv_band[2]
    assert (exact.shares > 0).all() and exact.law.size == 324


def test_pair_squares_are_the_gaps(layout):
    checks, low, high = toy_runs.pair_results()
    plate = figures.pair_squares(checks, low, high, toy()[0].vocabulary, layout=layout)
    assert plate.faults() == []
    assert set(plate.areas) == {f"{c.name}/{what}" for c in checks for what in ("more", "less")}
    for check in checks:  # what is too much and what is too little are the distance, each
        for what in ("more", "less"):
            assert plate.areas[f"{check.name}/{what}"] == pytest.approx(check.tv, abs=1e-6)
    outside = [int(((c.shares < low) | (c.shares > high)).sum()) for c in checks]
    assert f"{outside[0]} of 324 beyond" in plate.caption and f"rule {outside[1]} " in plate.caption
    assert outside[0] <= 12 < 200 < outside[1]  # P(more than 12) < 1e-4 at 3.24 expected
    assert checks[0].law == pytest.approx(joint_law(toy()[0]).ravel())


def test_the_walk_settles_on_the_exact_biases():
    walk = toy_runs.noise_walk()
    assert walk.floors["speculative"] < 1e-15
    for name in ("redraw", "stale"):
        assert walk.streams[name][-1] == pytest.approx(walk.floors[name], abs=0.002)
        assert walk.medians[name][-1] > walk.band[2][-1]
    assert 100 < walk.crossing("redraw") < walk.crossing("stale") < 1_000_000
    assert np.all(np.diff(walk.band[1]) < 0)


def test_runs_agree_with_the_chain():
    rows = toy_curves.weight_runs()
    formula = {0: 2.9126, 0.3: 3.4152, 0.9: 4.7332, 1: 5}
    chain = {0: 2.913216, 0.3: 3.415519, 0.9: 4.733254}
    for row in rows:
        # 16 comparisons at 3.7 standard errors: one false alarm in about 300 suites.
        assert abs(row.rate[0] - row.tested_rate) <= 3.7 * row.rate[1] + 1e-12
        assert abs(row.tokens[0] - row.chain) <= 3.7 * row.tokens[1] + 1e-12
        if row.weight in formula:
            assert row.formula == pytest.approx(formula[row.weight], abs=6e-5)
        if row.weight in chain:
            assert row.chain == pytest.approx(chain[row.weight], abs=1e-6)
        assert row.alpha == pytest.approx(1 - (1 - row.weight) * (1 - rows[0].alpha), abs=1e-12)


def test_where_places_stick():
    result = toy_curves.sticky()
    assert result.formula == 1.9375
    assert result.exact[0] == pytest.approx(2, abs=1e-9)
    middle = cost.tokens_per_call(*(m.chain for m in toy_curves.stay_pair(0.5)), 4)
    assert middle == pytest.approx(result.formula, abs=1e-12)
    assert np.all(np.diff(result.exact) < 1e-12) and result.exact[-1] < 1.68
    for stay, (value, error) in zip(result.run_stay, result.runs, strict=True):
        truth = cost.tokens_per_call(*(m.chain for m in toy_curves.stay_pair(stay)), 4)
        assert abs(value - truth) <= 3.7 * error
    for stay in (0.1, 0.9):
        assert alpha(*toy_curves.stay_pair(stay)) == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize(
    "a, gamma, c, v",
    [
        (0.7, 4, 0.1, 1.0),
        (0, 1, 0, 1.0),
        (1, 10, 0.1, 1.0),
        (0.95, 10, 0.9, 4.0),
        (0.3, 4, 0.9, 1.5),
        (0.9, 1, 1.0, 6.0),
    ],
)
def test_lengths_of_the_stairs(a, gamma, c, v, layout):
    plate = figures.stairs(a, gamma, c, v, layout=layout)
    assert plate.faults() == []
    areas = plate.areas
    tokens = cost.expected_tokens(a, gamma)
    assert areas["tokens"] == pytest.approx(tokens, abs=NEAR)
    stairs = sum(total(areas, role) for role in ("accepted", "residual", "bonus"))
    assert stairs == pytest.approx(tokens, abs=NEAR)
    assert total(areas, "residual") + total(areas, "bonus") == pytest.approx(1, abs=NEAR)
    assert areas.get("drafts", 0) == pytest.approx(gamma * c, abs=NEAR)
    assert areas["pass"] == pytest.approx(v, abs=NEAR)
    speed = areas["tokens"] / (areas.get("drafts", 0) + areas["pass"])
    assert speed == pytest.approx(cost.speedup(a, gamma, c, v), abs=1e-9)
    assert f"{cost.speedup(a, gamma, c, v):.3f}" in plate.alt


@pytest.mark.parametrize(
    "a, lengths", [(0.8, (2, 4, 8, 16)), (0.5, (2,)), (0.97, (2, 4, 5)), (1, (2, 4, 8, 12))]
)
def test_three_meters_are_readings_of_one_picture(a, lengths, layout):
    plate = figures.three_meters(a, lengths, layout=layout)
    assert plate.faults() == []
    areas = plate.areas
    for gamma in lengths:
        kept = sum(areas[f"kept/{k}"] for k in range(1, gamma + 1))
        cut = sum(areas.get(f"rejected/{k}", 0) for k in range(1, gamma + 1))
        assert kept / (kept + cut) == pytest.approx(a, abs=1e-6)
        assert kept / gamma == pytest.approx(cost.accepted_over_drafted(a, gamma), abs=1e-6)
        assert 1 + kept == pytest.approx(cost.expected_tokens(a, gamma), abs=1e-6)


def test_the_published_three_meters():
    for gamma, wanted in zip((2, 4, 8, 16), (0.72, 0.59, 0.416, 0.243), strict=True):
        assert cost.accepted_over_drafted(0.8, gamma) == pytest.approx(wanted, abs=5e-4)


def test_best_lengths_mark_the_tops():
    curves = toy_curves.length_curves()
    tops = {0.5: (2, 1.4583), 0.7: (4, 1.9808), 0.8: (6, 2.4696), 0.9: (10, 3.4309)}
    for curve in curves:
        best, top = tops[curve.alpha]
        assert curve.best == best and curve.top == pytest.approx(top, abs=5e-5)
        assert curve.speed.max() == pytest.approx(top, abs=5e-5)


def test_the_roof(layout):
    roof = toy_curves.roof_spots()
    assert roof.one == pytest.approx(roof.batches) and roof.rows == 5  # r b operations a byte
    assert roof.many == pytest.approx([5 * b for b in roof.batches])
    assert roof.ridge == cost.HARDWARE["H100 SXM"].ridge
    plate = figures.roofline(roof, layout=layout)
    assert plate.faults() == [] and f"ridge at {roof.ridge:.0f}" in plate.alt


def test_full_batches():
    curve = toy_curves.batch_speeds()
    assert curve.fixed[0] == pytest.approx(cost.speedup(0.8, 4, 0.05))
    assert curve.fixed[-1] < 1 and np.all(curve.best >= 1 - 1e-12)
    assert np.all(np.diff(curve.lengths) <= 0) and curve.lengths[-1] == 0
    assert np.all(curve.long >= curve.fixed - 1e-12)
    a, gamma, c, v = toy_curves.loaded_round()
    assert cost.speedup(a, gamma, c, v) < 1 and a == 0.9


def test_temperatures():
    curves, t = toy_curves.temperature_curves(), toy_curves.TEMPERATURES
    one = int(np.argmin(abs(t - 1)))
    assert t[one] == 1
    assert curves["w = 0"][one] == pytest.approx(0.72583, abs=5e-6)
    assert curves["house"][one] == pytest.approx(3 / 4)
    assert curves["agreeing"][one] == pytest.approx(7 / 8)
    assert all(curve[-1] > 0.95 for curve in curves.values())
    for name in ("w = 0.9", "agreeing"):  # not monotone
        low = int(curves[name].argmin())
        assert 0 < low < one and curves[name][0] > curves[name][low] + 0.02
    pair = toy_curves.AGREEING
    assert total_variation(pair.p, pair.q) == 1 - 7 / 8


def test_wrong_contexts_are_refused():
    with pytest.raises(ValueError, match="context"):
        toy_runs.row_at("z")
