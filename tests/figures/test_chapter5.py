"""The figures of the chapter on faults: the areas as drawn against the laws by enumeration."""

import json
import tomllib
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from draftproof import lab
from draftproof.examples import CAT_DOG_FOX
from draftproof.figures import chapter5 as figures
from draftproof.figures.chapter5 import beliefs, gallery, results
from draftproof.figures.style import LAYOUTS
from draftproof.lab.broken import GALLERY, LawFault
from draftproof.lab.broken_fault import always

ENTRIES = {entry.name: entry for entry in figures.recipes()}
PLACES = ("draw", "test", "correction", "block")


def plate(name, theme="light", layout="wide"):
    entry = ENTRIES[name]
    return entry.draw(*entry.results(), theme=theme, layout=layout, **entry.options)


def test_every_fault_stands_in_one_place_and_has_a_title():
    placed = [name for names in gallery.GROUPS.values() for name in names]
    assert sorted(placed) == sorted(GALLERY) == sorted(gallery.TITLES)
    assert len(set(gallery.TITLES.values())) == len(GALLERY)
    for place in PLACES:
        assert all(isinstance(GALLERY[name], LawFault) for name in gallery.GROUPS[place])


@pytest.mark.parametrize("place", PLACES)
def test_the_parts_of_a_card_are_the_enumerated_law(place):
    for card in gallery.cards(place)[0]:
        if card.accepted is None:
            assert place == "block"
            continue
        both = card.accepted + card.corrected
        assert np.abs(np.asarray(both - card.got, dtype=float)).max() < 1e-12
        if place == "correction":
            fault = next(f for n, f in GALLERY.items() if gallery.TITLES[n] == card.title)
            assert list(card.accepted) == list(np.minimum(fault.p, fault.q))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("place", PLACES)
def test_the_drawn_bars_have_the_areas_of_the_biased_law(place, layout):
    made = plate(f"faults-in-the-{place}", layout=layout)
    cards = gallery.cards(place)[0]
    unit = {}
    for card in cards:
        drawn = np.array([made.areas.get(f"{card.title}/{k}", 0) for k in range(len(card.got))])
        law = np.asarray(card.got, dtype=float)
        # Bars of a card share one scale of their own: their areas are proportional to the law.
        unit[card.title] = drawn.sum()
        np.testing.assert_allclose(drawn / drawn.sum(), law / law.sum(), atol=2e-5)
        assert str(card.draws).replace(",", "") in made.alt.replace("\N{NARROW NO-BREAK SPACE}", "")
    assert unit[cards[0].title] == pytest.approx(1)


def test_the_opening_is_the_first_run_of_its_seed():
    p, names, first, second = results.opening()
    assert first.sum() == second.sum() == results.OPENING_DRAWS
    assert names == CAT_DOG_FOX.names
    assert results.opening.__wrapped__()[2].tolist() == first.tolist()
    far = [abs(c / c.sum() - np.array(p, float)).sum() / 2 for c in (first, second)]
    assert far[0] < far[1]  # the exact sampler looks worse: nobody has picked
    assert "A: cat 0.322" in plate("two-samplers").alt


@pytest.mark.parametrize("bias", [Fraction(1, 100), Fraction(3, 10), 0.05, 0])
def test_the_kind_coin_is_off_by_its_bias(bias):
    law = results.kind_law(bias)
    p, q = always(CAT_DOG_FOX.p), always(CAT_DOG_FOX.q)
    assert lab.output_law(results.kind_coin(bias), p, q, gamma=1, length=1) == {
        (x,): mass for x, mass in enumerate(law) if mass
    }
    assert law.sum() == 1
    tv = sum(abs(a - b) for a, b in zip(law, CAT_DOG_FOX.p, strict=True)) / 2
    assert tv == pytest.approx(float(bias), abs=1e-12)


@pytest.mark.parametrize("bias", [-0.1, 0.31, float("nan"), "x"])
def test_a_bias_that_no_coin_can_have_is_refused(bias):
    with pytest.raises(ValueError, match="bias"):
        results.kind_coin(bias)


def test_the_noise_band_of_the_specified_example():
    made = results.against(np.array([0.31, 0.39, 0.30]))
    assert made.bias == pytest.approx(0.01)
    assert made.draws_for(0.5) == pytest.approx(10_900, rel=0.06)
    assert made.draws_for(0.95) == pytest.approx(31_000, rel=0.06)


def test_the_noise_band_shrinks_like_the_root_of_n():
    made = results.noise()
    upper = made.high * np.sqrt(made.sizes)
    assert upper.max() / upper.min() < 1.06
    assert made.middle[-1] == pytest.approx(0.01, rel=0.02)
    assert 0.1 < results.always_inside() < 0.35


def test_a_bias_below_all_noise_is_never_seen():
    made = results.noise(0.0005)
    assert made.draws_for(0.95) == float("inf")
    for layout in LAYOUTS:
        drawn = figures.noise_band(made, layout=layout)
        assert drawn.faults() == []
        assert "more than 1" in drawn.caption


@pytest.mark.parametrize("exponent", [2.0, 3.25, 6.0])
def test_the_reading_at_n(exponent):
    made = results.noise()
    alt = figures.noise_band(made, power_of_ten=exponent).alt
    k = int(np.argmin(abs(np.log10(made.sizes) - exponent)))
    assert f"the exact stream is at {made.exact[k]:.4f}" in alt
    word = "inside" if made.low[k] <= made.biased[k] <= made.high[k] else "above"
    assert f"the biased stream is at {made.biased[k]:.4f}, {word}" in alt


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_grid_is_right_on_its_diagonal_only(layout):
    grid = beliefs.grid()
    areas = plate("q-grid", layout=layout).areas
    p = np.array(grid.p, float)
    for drawn in grid.ways:
        for told in grid.ways:
            far = grid.distance(drawn, told)
            assert (far == 0) == (drawn == told)
            bars = np.array([areas.get(f"{drawn}/{told}/{k}", 0) for k in range(len(p))])
            assert bars.sum() == pytest.approx(1, abs=1e-6)
            assert abs(bars - p).sum() / 2 == pytest.approx(float(far), abs=1e-5)
        assert list(beliefs.told_one_hot(drawn)) == list(grid.p)
    assert grid.distance("argmax", "softmax") == Fraction(7, 30)


def test_a_cell_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="drawn must be one of softmax"):
        figures.q_grid(beliefs.grid(), drawn="beam")


def test_the_rules_that_are_exact_fill_the_outline():
    areas = plate("rule-cards").areas
    for card in gallery.rule_cards()[0]:
        bars = np.array([areas.get(f"{card.title}/{k}", 0) for k in range(3)])
        bars /= bars.sum()
        exact = card.title not in ("lenience 3/4", "typical acceptance")
        assert (abs(bars - [0.3, 0.4, 0.3]).max() < 1e-5) == exact == (card.draws is None)


def test_the_hole_in_the_cache_in_areas():
    areas = plate("cache-hole").areas
    means, gamma = results.cache_hole()
    for k, mean in enumerate(means):
        assert areas[f"round {k + 1}"] == pytest.approx(float(mean), abs=1e-6)
    assert means[0] == gamma and all(a > b for a, b in pairwise(means))


def test_the_strip_lists_every_fault_with_a_law():
    alt = plate("catch-strip").alt
    rows = [row for _, found in gallery.catches()[0] for row in found]
    assert len(rows) == sum(isinstance(fault, LawFault) for fault in GALLERY.values())
    assert all(title in alt for title, *_ in rows)
    crossed = {title for title, _, _, stray in rows if stray}
    assert {"u ≤ p/q", "ties in top-k"} < crossed


def test_the_stored_calibration_keeps_its_word():
    stored = results.calibration()
    for name in ("audit", "sequential"):
        part = stored[name]
        assert part["exact_samplers"] >= 2000 and part["chance_of_as_many"] > 0.01
        assert part["p_values"] == sorted(part["p_values"])
    for name, line in stored["gallery"].items():
        assert line["n"] == GALLERY[name].n_to_catch
        assert line["caught"] / line["audits"] >= 0.975
    assert f"rejects {stored['audit']['false_alarms']} of 2\u202f000" in plate("calibration").alt


def test_without_the_stored_calibration_the_command_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "CALIBRATION", tmp_path / "faults.json")
    with pytest.raises(FileNotFoundError, match=r"python -m benchmarks\.faults"):
        results.calibration.__wrapped__()
    (tmp_path / "faults.json").write_text(json.dumps({"audit": 1}))
    assert results.calibration.__wrapped__() == {"audit": 1}


@pytest.mark.parametrize("fault", ["no-coin", "block-with-token-residual", results.NO_FAULT])
@pytest.mark.parametrize("exponent", [1.0, 2.5])
def test_an_audit_of_any_size_can_be_drawn(fault, exponent):
    card, report = results.audit_run(fault, exponent)
    for layout in LAYOUTS:
        made = figures.audit_run(card, report, layout=layout)
        assert made.faults() == []
        drawn = np.array([made.areas.get(f"share/{name}", 0) for name in card.names])
        np.testing.assert_allclose(drawn, report.shares, atol=1e-5)
        assert ("not rejected" in made.alt) == report.exact


def test_the_bet_ends_where_it_is_won():
    biased, exact = results.bets()
    assert not biased.exact and exact.exact
    assert biased.path[-1, 1] >= np.log(100) > exact.path[:, 1].max()
    assert f"{biased.n:,}".replace(",", "\N{NARROW NO-BREAK SPACE}") in plate("the-bet").alt


def test_the_calibration_travels_with_the_package():
    """One copy, inside the package and named in its data files."""
    root = Path(__file__).resolve().parents[2]
    stored = root / "src" / "draftproof" / "lab" / "results" / "faults.json"
    assert Path(str(results.CALIBRATION)).resolve() == stored
    assert not (root / "benchmarks" / "results" / "faults.json").exists()
    chosen = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert "lab/results/*.json" in chosen["package-data"]["draftproof"]
