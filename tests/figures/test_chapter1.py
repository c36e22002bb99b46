"""Chapter 1's figures: the areas as drawn against the areas of the theory."""

import numpy as np
import pytest

from draftproof import envelope_runs as runs
from draftproof.examples import bell_envelope, dart_runs, flat_envelope
from draftproof.figures import chapter1 as figures
from draftproof.figures.chapter1.boards import REACH, between
from draftproof.figures.style import LAYOUTS
from draftproof.figures.words import count

Z = 5.7380727
ENTRIES = {entry.name: entry for entry in figures.recipes()}
LOOKS = [(theme, layout) for theme in ("light", "dark") for layout in LAYOUTS]


def plate(name, theme="light", layout="wide"):
    entry = ENTRIES[name]
    return entry.draw(*entry.results(), theme=theme, layout=layout, **entry.options)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_envelopes_hold_z_and_the_rest(layout):
    areas = plate("envelopes", layout=layout).areas
    assert areas["flat/kept"] == pytest.approx(Z, abs=1e-4)
    assert areas["bell/kept"] == pytest.approx(Z, abs=1e-4)
    assert areas["flat/rejected"] == pytest.approx(25 - Z, abs=1e-4)
    beyond = 11 * 2 * 0.000159109  # the normal's mass outside what the board shows, +-3.6
    assert REACH == 3.6
    assert areas["bell/rejected"] == pytest.approx(11 - Z - beyond, abs=1e-3)


@pytest.mark.parametrize(("theme", "layout"), LOOKS)
@pytest.mark.parametrize("x", [-3.0, 0.0, 1.1, 2.75])
def test_the_kept_share_of_the_slice_is_the_chance_of_acceptance(theme, layout, x):
    bell, flat = bell_envelope(), flat_envelope()
    made = figures.dart_slice(bell, flat, runs.dart_board(bell), x=x, theme=theme, layout=layout)
    areas = made.areas
    assert areas["kept"] == pytest.approx(Z, abs=1e-4)
    for name, envelope in (("bell", bell), ("flat", flat)):
        kept, lost = areas[f"slice/{name}/kept"], areas[f"slice/{name}/rejected"]
        assert kept / (kept + lost) == pytest.approx(float(envelope.acceptance_at(x)), abs=1e-9)
    # One scale: the kept piece is the same in both, and the hatched ones are as C g - f.
    assert areas["slice/bell/kept"] == pytest.approx(areas["slice/flat/kept"])
    lost = areas["slice/flat/rejected"] / areas["slice/bell/rejected"]
    gaps = [float(e.height(x) - e.target(x)) for e in (flat, bell)]
    assert lost == pytest.approx(gaps[0] / gaps[1])


def test_the_slice_at_one_point_one_says_what_the_book_says():
    alt = plate("dart-slice").alt
    for words in ("f = 1.14", "2.40 tall", "= 0.48", "4.17 tall", "= 0.27", "52 %", "23 %"):
        assert words in alt


def test_the_flat_envelope_wins_in_the_middle():
    bell, flat = bell_envelope(), flat_envelope()
    alt = figures.dart_slice(flat, bell, runs.dart_board(flat), x=0.0).alt
    assert "it is 4.17 tall, so P(accept | x) = 0.26" in alt
    assert "it is 4.39 tall, so P(accept | x) = 0.25" in alt


@pytest.mark.parametrize("constant", [2.0, 15.0, 22.5])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_kept_and_missing_make_the_target(constant, layout):
    envelope, survivors = runs.broken_run(runs.FLAT, constant)
    made = figures.broken_constant(envelope, survivors, layout=layout)
    areas = made.areas
    missing = areas.get("missing", 0.0)
    assert areas["kept"] + missing == pytest.approx(Z, abs=1e-3)
    assert areas["kept"] + areas.get("rejected", 0.0) == pytest.approx(constant, abs=1e-3)
    assert areas["kept"] / constant == pytest.approx(envelope.acceptance, abs=1e-4)
    assert areas["survivors"] == pytest.approx(1, abs=1e-9)
    assert (missing > 0) == (constant < envelope.smallest_constant)
    assert f"{envelope.bias:.3f}" in made.alt or envelope.bias == 0


def test_a_broken_bell_loses_mass_in_its_tails_and_at_its_peaks():
    envelope, survivors = runs.broken_run(runs.BELL, 6.0)
    areas = figures.broken_constant(envelope, survivors).areas
    assert areas["kept"] + areas["missing"] == pytest.approx(Z, abs=1e-3)


def test_the_survivors_fill_histograms_of_area_one():
    areas = plate("survivors").areas
    assert areas["flat/survivors"] == pytest.approx(1, abs=1e-9)
    assert areas["bell/survivors"] == pytest.approx(1, abs=1e-9)
    flat, bell = dart_runs()
    assert count(flat.num_accepted) in plate("survivors").alt
    assert count(bell.num_accepted) in plate("survivors").alt


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_tight_envelopes(layout):
    made = plate("tight-constants", layout=layout)
    assert made.areas["flat/kept"] == pytest.approx(Z, abs=1e-4)
    assert made.areas["flat/rejected"] == pytest.approx(22.17489 - Z, abs=1e-4)
    beyond = 9.92523 * 2 * 0.000159109
    assert made.areas["bell/rejected"] == pytest.approx(9.92523 - Z - beyond, abs=1e-3)
    for words in ("−0.36", "−0.38 and 2.76", "22.17", "9.93", "25.9 %", "57.8 %"):
        assert words in made.alt


def test_the_square_of_the_uniform_shows_in_the_alt_text():
    alt = plate("uniform-draws").alt
    made = runs.uniform_runs()
    assert f"{made.wrong.mean():.3f}" in alt and f"{made.right.mean():.3f}" in alt


def test_a_tight_envelope_of_ones_own():
    made = plate("own-proposal")
    own = runs.own_envelope(1.2, weight=0.5)
    assert made.areas["kept"] == pytest.approx(Z, abs=1e-4)
    assert made.areas["rejected"] == pytest.approx(own.constant - Z, abs=0.02)  # tails are cut
    assert f"{100 * own.acceptance:.1f} %" in made.alt


def test_curves_state_their_numbers():
    assert "57.8 %" in plate("proposal-width").alt
    assert "one dart in 20\u202f959" in plate("dimensions").alt
    huge = figures.dimensions(runs.dimension_runs(), scale=2.0, dimension=1000)
    assert huge.alt.endswith("1 dart in 10³⁰¹.")
    assert huge.faults() == []
    curve = runs.bias_curve()
    assert f"{curve.band[0]:.3f} to {curve.band[2]:.3f}" in plate("bias-curve").alt


@pytest.mark.parametrize("x", [-3.0, -0.95, 0.0, 3.0])
@pytest.mark.parametrize("main", ["flat", "bell"])
def test_the_slice_can_be_dragged_everywhere(x, main):
    pair = {"flat": flat_envelope(), "bell": bell_envelope()}
    other = pair["bell" if main == "flat" else "flat"]
    envelope = runs.envelope_over(main, 32.0)
    for layout in LAYOUTS:
        made = figures.dart_slice(envelope, other, runs.dart_board(envelope), x=x, layout=layout)
        assert made.faults() == []


def test_between_cuts_where_the_curves_cross():
    x = np.linspace(0, 4, 9)
    wave = np.where((x >= 1) & (x <= 3), 1.0, -1.0)
    parts = list(between(x, np.zeros(9), wave))
    assert len(parts) == 1
    assert parts[0][:, 0].min() == pytest.approx(0.75) and parts[0][:, 0].max() == pytest.approx(
        3.25
    )
    assert list(between(x, np.ones(9), np.zeros(9))) == []
